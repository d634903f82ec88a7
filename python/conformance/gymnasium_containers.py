"""Gymnasium: its checker, its containers in all modes, and its wrappers."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
from common import ENDS, check, play, play_many
from gymnasium import wrappers
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector

import sparrowhall

warnings.simplefilter("ignore")


def single(ruleset: str, **more: Any) -> Any:
    """Return a table."""
    return sparrowhall.make(ruleset, episode="hand", **more)


def many(ruleset: str) -> Any:
    """Return tables in the mode that wrappers expect."""
    return sparrowhall.make_vec(ruleset, 8, episode="hand", autoreset_mode="NextStep")


def checked(ruleset: str) -> None:
    """Hold a table to the checker."""
    sparrowhall.SparrowhallEnv.metadata["render_fps"] = 1000
    env = gymnasium.make(f"sparrowhall.gym:sparrowhall/{ruleset}-v1")
    check_env(env.unwrapped)
    env.close()


SINGLE = {
    "Autoreset": wrappers.Autoreset,
    "ClipReward": lambda e: wrappers.ClipReward(e, -1, 1),
    "DelayObservation": lambda e: wrappers.DelayObservation(e, 2),
    "FilterObservation": lambda e: wrappers.FilterObservation(e, ["planes", "state"]),
    "FlattenObservation": wrappers.FlattenObservation,
    "FrameStackObservation": lambda e: wrappers.FrameStackObservation(e, 3),
    "NormalizeReward": wrappers.NormalizeReward,
    "OrderEnforcing": wrappers.OrderEnforcing,
    "PassiveEnvChecker": wrappers.PassiveEnvChecker,
    "RecordEpisodeStatistics": wrappers.RecordEpisodeStatistics,
    "TimeAwareObservation": lambda e: wrappers.TimeAwareObservation(wrappers.TimeLimit(e, 500)),
    "TimeLimit": lambda e: wrappers.TimeLimit(e, 5),
    "TransformAction": lambda e: wrappers.TransformAction(e, lambda a: a, e.action_space),
    "TransformObservation": lambda e: wrappers.TransformObservation(
        e, lambda o: o, e.observation_space
    ),
    "TransformReward": lambda e: wrappers.TransformReward(e, lambda r: r / 1000),
}
VECTOR = {
    "ClipReward": lambda e: vector.ClipReward(e, -1, 1),
    "DictInfoToList": None,
    "FilterObservation": lambda e: vector.FilterObservation(e, ["planes", "state"]),
    "FlattenObservation": vector.FlattenObservation,
    "NormalizeReward": vector.NormalizeReward,
    "RecordEpisodeStatistics": vector.RecordEpisodeStatistics,
    "TransformAction": lambda e: vector.TransformAction(e, lambda a: a),
    "TransformObservation": lambda e: vector.TransformObservation(e, lambda o: o),
    "TransformReward": lambda e: vector.TransformReward(e, lambda r: r / 1000),
}


def listed(ruleset: str) -> int:
    """Play with infos as a list, which has no arrays of masks."""
    env = vector.DictInfoToList(many(ruleset))
    ends, (_, infos) = 0, env.reset(seed=1)
    while ends < ENDS:
        actions = sparrowhall.sample(np.stack([i["action_mask"] for i in infos]))
        _, _, terminated, truncated, infos = env.step(actions)
        ends += int((terminated | truncated).sum())
    env.close()
    return ends


def containers(kind: Any, mode: AutoresetMode) -> Any:
    """Return a check of a container in a mode."""
    return lambda ruleset: play_many(
        kind([lambda: single(ruleset) for _ in range(4)], autoreset_mode=mode),
        mode is AutoresetMode.DISABLED,
    )


if __name__ == "__main__":
    check("gymnasium", "check_env", checked)
    for mode in AutoresetMode:
        check(
            "gymnasium",
            f"make_vec, {mode.value}",
            lambda ruleset, mode=mode: play_many(
                sparrowhall.make_vec(ruleset, 8, episode="hand", autoreset_mode=mode),
                mode is AutoresetMode.DISABLED,
            ),
        )
        for kind in (SyncVectorEnv, AsyncVectorEnv):
            check("gymnasium", f"{kind.__name__}, {mode.value}", containers(kind, mode))
    for name, wrap in SINGLE.items():
        check("gymnasium", name, lambda ruleset, wrap=wrap: play(wrap(single(ruleset))))
    for name, wrap in VECTOR.items():
        check(
            "gymnasium",
            f"vector.{name}",
            listed if wrap is None else lambda ruleset, wrap=wrap: play_many(wrap(many(ruleset))),
        )
