"""Tianshou: its vector environments, and PettingZooEnv."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from common import ENDS, check, legal
from tianshou.env import DummyVectorEnv, PettingZooEnv, ShmemVectorEnv, SubprocVectorEnv

import sparrowhall
from sparrowhall.flat import FlatObservation

warnings.simplefilter("ignore")


def play(kind: Any, ruleset: str) -> int:
    """Play a vector environment until enough episodes ended."""
    make = lambda: FlatObservation(  # noqa: E731
        sparrowhall.make(ruleset, episode="hand"), "obs", "mask"
    )
    envs = kind([make] * 4)
    ends, (observations, _) = 0, envs.reset()
    while ends < ENDS:
        masks = np.stack([o["mask"] for o in observations])
        observations, _, terminated, truncated, _ = envs.step(legal(masks))
        over = np.flatnonzero(terminated | truncated)
        ends += over.size
        if over.size:
            observations[over] = envs.reset(over)[0]
    envs.close()
    return ends


def all_seats(ruleset: str) -> int:
    """Play all seats."""
    env = PettingZooEnv(sparrowhall.env(ruleset, episode="hand"))
    for seed in range(ENDS):
        seen, _ = env.reset(seed=seed)
        over = False
        while not over:
            seen, _, terminated, truncated, _ = env.step(int(legal(np.array(seen["mask"]))))
            over = terminated or truncated
    env.close()
    return ENDS


if __name__ == "__main__":
    for kind in (DummyVectorEnv, SubprocVectorEnv, ShmemVectorEnv):
        check("tianshou", kind.__name__, lambda r, kind=kind: play(kind, r))
    check("tianshou", "PettingZooEnv", all_seats)
