"""Stable-Baselines3 and sb3-contrib: the checker, all containers, and MaskablePPO."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from common import ENDS, check, legal
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor, VecNormalize

import sparrowhall
from sparrowhall.sb3 import make_vec_env, policy_of

warnings.simplefilter("ignore")


def play(env: Any) -> int:
    """Play until enough episodes ended."""
    ends = 0
    env.seed(1)
    env.reset()
    while ends < ENDS:
        _, rewards, dones, infos = env.step(legal(get_action_masks(env)))
        assert np.isfinite(rewards).all()
        assert all("terminal_observation" in infos[i] for i in np.flatnonzero(dones))
        ends += int(dones.sum())
    env.close()
    return ends


def tables(ruleset: str) -> list[Any]:
    """Return constructors of tables."""
    return [lambda: sparrowhall.make(ruleset, episode="hand")] * 4


def learn(ruleset: str) -> None:
    """Learn a little, and play what was learned."""
    env = make_vec_env(ruleset, 8, episode="hand")
    model = MaskablePPO("MultiInputPolicy", env, n_steps=32, n_epochs=1, device="cpu")
    model.learn(256)
    sparrowhall.evaluate(policy_of(model), against="random", matches=4, progress=False)
    env.close()


if __name__ == "__main__":
    for name, make in (
        ("make_vec_env", lambda r: make_vec_env(r, 8, episode="hand")),
        ("DummyVecEnv", lambda r: DummyVecEnv(tables(r))),
        ("SubprocVecEnv", lambda r: SubprocVecEnv(tables(r))),
        ("VecMonitor", lambda r: VecMonitor(DummyVecEnv(tables(r)))),
        (
            "VecNormalize",
            lambda r: VecNormalize(make_vec_env(r, 8, episode="hand"), norm_obs=False),
        ),
    ):
        check("stable-baselines3", name, lambda ruleset, make=make: play(make(ruleset)))
    check("stable-baselines3", "check_env", lambda r: check_env(sparrowhall.make(r, decoded=True)))
    check("sb3-contrib", "MaskablePPO", learn)
