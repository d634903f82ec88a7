"""TorchRL: check_env_specs, SerialEnv, ParallelEnv, and the transform ActionMask."""

from __future__ import annotations

import warnings
from typing import Any

from common import ENDS, check
from torchrl.envs import (
    ActionMask,
    GymWrapper,
    ParallelEnv,
    PettingZooWrapper,
    SerialEnv,
    TransformedEnv,
    check_env_specs,
)

import sparrowhall

warnings.simplefilter("ignore")


def one(ruleset: str) -> Any:
    """Return a table whose random actions are legal."""
    env = GymWrapper(sparrowhall.make(ruleset, episode="hand"), categorical_action_encoding=True)
    return TransformedEnv(env, ActionMask())


def play(env: Any) -> int:
    """Play by random legal actions until enough episodes ended."""
    ends, data = 0, env.reset()
    while ends < ENDS:
        data = env.rand_action(data)
        stepped, data = env.step_and_maybe_reset(data)
        ends += int(stepped["next", "done"].sum())
    env.close()
    return ends


class Table:
    """A constructor that processes can be sent."""

    def __init__(self, ruleset: str) -> None:
        self.ruleset = ruleset

    def __call__(self) -> Any:
        """Return a table."""
        return one(self.ruleset)


def specs(ruleset: str) -> None:
    """Hold a table, and all seats of one, to check_env_specs."""
    for env in (one(ruleset), PettingZooWrapper(sparrowhall.parallel_env(ruleset))):
        check_env_specs(env)
        env.close()


if __name__ == "__main__":
    check("torchrl", "check_env_specs", specs)
    check("torchrl", "ActionMask", lambda r: play(one(r)))
    check("torchrl", "SerialEnv", lambda r: play(SerialEnv(2, Table(r))))
    check("torchrl", "ParallelEnv", lambda r: play(ParallelEnv(2, Table(r))))
