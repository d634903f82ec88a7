"""Checks the reward "luck_adjusted" by hands that are paired with those of the reward "points".

    python benchmarks/luck.py [--hands 50000] [--rulesets ema_2016,mcr_2006,zung_jung]

A player of random legal actions sits among three `greedy`. Both rewards see the same walls and
actions, so a hand's difference is the luck that was taken off. Its mean must be 0 within the 95 %
interval, whose half must be at most 2 % of the standard deviation of a hand's points. What it
costs is the CPU time of a decision of any player in self-play over that without it, at most 5 µs.
Of rounds that take turns the least time counts: other work on the machine only adds to it.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from numpy.typing import NDArray

import sparrowhall

REWARDS = ("points", "luck_adjusted")


def hands(ruleset: str, least: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums of both rewards in each of so many hands."""
    envs = [sparrowhall.make_vec(ruleset, 256, episode="hand", reward=r, seed=1) for r in REWARDS]
    observation, sums = envs[0].reset()[0], np.zeros((2, 256))
    envs[1].reset()
    ended: list[NDArray[np.float64]] = []
    rng, count = np.random.default_rng(1), 0
    while count < least:
        actions = sparrowhall.sample(observation["action_mask"], rng)
        observation, points, over, _, _ = envs[0].step(actions)
        sums += points, envs[1].step(actions)[1]
        if over.any():
            ended.append(sums[:, over])
            count += int(over.sum())
            sums[:, over] = 0
    for env in envs:
        env.close()
    both = np.concatenate(ended, axis=1)
    return both[0], both[1]


def cost(ruleset: str, rounds: int = 9, seconds: float = 0.5) -> float:
    """Return the CPU time that the reward adds to a decision, in µs."""

    def measure(reward: str) -> float:
        rng, done = np.random.default_rng(1), 0
        with sparrowhall.make_selfplay(
            ruleset, 256, reward=reward, transport="inprocess", seed=1
        ) as env:
            turn = env.reset()
            begun = time.process_time()
            while time.process_time() < begun + seconds:
                turn = env.step(sparrowhall.sample(turn.mask_words, rng))
                done += len(turn)
            return (time.process_time() - begun) / done * 1e6

    plain, adjusted = zip(*([measure(r) for r in REWARDS] for _ in range(rounds)), strict=True)
    return float(min(adjusted) - min(plain))


def main() -> None:
    """Print a row for each ruleset, and fail if a bound does not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hands", type=int, default=50_000)
    parser.add_argument("--rulesets", default="ema_2016,mcr_2006,zung_jung")
    o = parser.parse_args()
    held = True
    for ruleset in o.rulesets.split(","):
        points, adjusted = hands(ruleset, o.hands)
        luck = points - adjusted
        half = 1.96 * luck.std(ddof=1) / np.sqrt(len(luck))
        share, added = half / points.std(), cost(ruleset)
        held = held and abs(luck.mean()) <= half and share <= 0.02 and added <= 5
        print(
            f"{ruleset}: {len(luck)} hands, luck {luck.mean():.2f} +/- {half:.2f} points, half "
            f"{share:.2%} of a hand's {points.std():.0f}; adjusted {adjusted.std():.0f}; "
            f"{added:.2f} µs a decision",
            flush=True,
        )
    sys.exit(not held)


if __name__ == "__main__":
    main()
