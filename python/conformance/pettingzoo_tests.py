"""PettingZoo: its own tests of both kinds of environments, and both to many ends."""

from __future__ import annotations

import warnings

from common import ENDS, check, legal
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)

import sparrowhall

warnings.simplefilter("ignore")


def aec(ruleset: str) -> int:
    """Play all seats in turn."""
    env = sparrowhall.env(ruleset, episode="hand")
    for seed in range(ENDS):
        env.reset(seed=seed)
        for _ in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else int(legal(seen["action_mask"])))
    env.close()
    return ENDS


def parallel(ruleset: str) -> int:
    """Play all seats at once."""
    env = sparrowhall.parallel_env(ruleset, episode="hand")
    for seed in range(ENDS):
        observations, _ = env.reset(seed=seed)
        while env.agents:
            actions = {a: int(legal(observations[a]["action_mask"])) for a in env.agents}
            observations, *_ = env.step(actions)
    env.close()
    return ENDS


def tests(ruleset: str) -> None:
    """Hold both kinds to the tests."""
    env, both = sparrowhall.env, sparrowhall.parallel_env
    api_test(env(ruleset, episode="hand"), num_cycles=300)
    parallel_api_test(both(ruleset, episode="hand"), num_cycles=300)
    seed_test(lambda: env(ruleset), num_cycles=40)
    parallel_seed_test(lambda: both(ruleset), num_cycles=40)
    render_test(lambda render_mode=None: env(ruleset, render_mode=render_mode))


class Module:
    """A module of environments, as max_cycles_test expects."""

    def __init__(self, ruleset: str) -> None:
        self.env = lambda max_cycles: sparrowhall.env(ruleset, max_cycles=max_cycles)
        self.parallel_env = lambda max_cycles: sparrowhall.parallel_env(
            ruleset, max_cycles=max_cycles
        )


if __name__ == "__main__":
    check("pettingzoo", "api, parallel_api, seed, parallel_seed, render", tests)
    check("pettingzoo", "max_cycles", lambda ruleset: max_cycles_test(Module(ruleset)))
    check("pettingzoo", "env", aec)
    check("pettingzoo", "parallel_env", parallel)
