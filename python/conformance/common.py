"""What the scripts of this folder share: rulesets, ends, and the rows of the table in the docs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

import sparrowhall

RULESETS = sys.argv[1].split(",")
ENDS = int(sys.argv[2])
"""Ends of episodes that each container goes through."""

_rng = np.random.default_rng(1)


def check(framework: str, what: str, run: Callable[[str], int | None]) -> None:
    """Run a check under each ruleset, and print its row."""
    for ruleset in RULESETS:
        ends = run(ruleset)
        shown = "" if ends is None else str(min(ends, ENDS))
        print("ROW", framework, version(framework), what, ruleset, shown, sep="\t", flush=True)


def legal(mask: Any) -> Any:
    """Draw legal actions."""
    return sparrowhall.sample(np.asarray(mask), _rng)


def play(env: Any) -> int:
    """Play an environment of Gymnasium by random legal actions, until enough episodes ended."""
    ends, (_, info) = 0, env.reset(seed=1)
    while ends < ENDS:
        _, reward, terminated, truncated, info = env.step(int(legal(info["action_mask"])))
        assert np.isfinite(reward)
        if terminated or truncated:
            ends += 1
            _, info = env.reset()
    env.close()
    return ends


def play_many(env: Any, disabled: bool = False) -> int:
    """Play a vector environment of Gymnasium, until enough episodes ended."""
    ends, (_, info) = 0, env.reset(seed=1)
    mask = np.stack(list(info["action_mask"]))
    while ends < ENDS:
        _, rewards, terminated, truncated, info = env.step(legal(mask))
        assert np.isfinite(rewards).all()
        mask = np.stack(list(info["action_mask"]))
        done = terminated | truncated
        ends += int(done.sum())
        if disabled and done.any():  # the info has what is new alone
            _, info = env.reset(options={"reset_mask": done})
            mask[done] = np.stack(list(info["action_mask"]))[done]
    env.close()
    return ends
