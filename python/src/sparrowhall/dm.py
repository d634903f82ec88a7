"""One table as a dm_env environment."""

from __future__ import annotations

from typing import Any

import dm_env
import numpy as np
from dm_env import specs
from gymnasium import spaces

from sparrowhall.gym import SparrowhallEnv


class Environment(dm_env.Environment):  # type: ignore[misc]
    """A table at which the learner plays a seat; the arguments are those of ``sparrowhall.make``.

    Observations are dictionaries as there. A match that the rules end has discount 0 in its
    last step, one that is cut off has discount 1.
    """

    def __init__(self, ruleset: str = "ema_2016", *, seed: int | None = None, **arguments: Any):
        """Open the table; matches follow from the seed."""
        self._env = SparrowhallEnv(ruleset, **arguments)
        self._seed = seed
        self._over = True

    def reset(self) -> dm_env.TimeStep:
        """Start an episode."""
        observation, _ = self._env.reset(seed=self._seed)
        self._seed, self._over = None, False
        return dm_env.restart(observation)

    def step(self, action: int) -> dm_env.TimeStep:
        """Answer; after the end of an episode this starts the next one."""
        if self._over:
            return self.reset()
        observation, reward, terminated, truncated, _ = self._env.step(int(action))
        self._over = terminated or truncated
        if terminated:
            return dm_env.termination(reward, observation)
        if truncated:
            return dm_env.truncation(reward, observation)
        return dm_env.transition(reward, observation)

    def observation_spec(self) -> dict[str, specs.Array]:
        """Return the form of observations."""
        space = self._env.observation_space
        assert isinstance(space, spaces.Dict)
        return {
            name: specs.BoundedArray(box.shape, box.dtype, box.low, box.high, name)
            for name, box in space.items()
            if isinstance(box, spaces.Box)
        }

    def action_spec(self) -> specs.DiscreteArray:
        """Return the form of actions: an id of the action table."""
        return specs.DiscreteArray(int(self._env.action_space.n), np.int32, "action")  # type: ignore[attr-defined]

    def close(self) -> None:
        """End the stream."""
        self._env.close()
