"""One table as an environment of dm_env."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sparrowhall._extras import needs
from sparrowhall.policy import Policy

with needs("sparrowhall.adapters.dm_env", "dm-env"):
    import dm_env
    from dm_env import specs
    from gymnasium import spaces

    from sparrowhall.gym import SparrowhallEnv


class Environment(dm_env.Environment):  # type: ignore[misc]
    """A table at which the learner plays one seat, as ``sparrowhall.make`` returns it.

    Observations are dictionaries of arrays, with the mask ``action_mask``. The last step of an
    episode has discount 0 if the rules end it, and 1 if it is cut off.

    Examples:
        >>> from sparrowhall.adapters.dm_env import Environment
        >>> env = Environment("ema_2016", seed=1)
        >>> step = env.reset()
        >>> step.first()
        True
    """

    def __init__(
        self,
        ruleset: str | Path | Policy | None = None,
        *,
        seed: int | None = None,
        **arguments: Any,
    ):
        """Check the arguments; ``reset`` opens the table.

        Args:
            ruleset: Name of a preset, or the path of a ruleset file ending in ``.toml``;
                ``"ema_2016"`` if there is no toml either. Or a ``Policy``, as in
                ``sparrowhall.make``.
            seed: A number that determines all matches; None for random ones.
            arguments: Further arguments of ``sparrowhall.make`` but ``autoreset_mode``.

        Raises:
            ValueError: an argument is not allowed.
            RequestError: the server refuses the ruleset or an opponent.
            ServerError: the server cannot be reached.
        """
        if "autoreset_mode" in arguments:
            raise ValueError("autoreset_mode is DISABLED: the step after the last one resets")
        self._env = SparrowhallEnv(ruleset, **arguments)
        self._seed = seed
        self._over = True

    def reset(self) -> dm_env.TimeStep:
        """Start an episode."""
        observation, _ = self._env.reset(seed=self._seed)
        self._seed, self._over = None, False
        return dm_env.restart(observation)

    def step(self, action: int) -> dm_env.TimeStep:
        """Answer with an action id; after the end of an episode, start the next one."""
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
        """Return the specification of observations."""
        space = self._env.observation_space
        assert isinstance(space, spaces.Dict)
        return {
            name: specs.BoundedArray(box.shape, box.dtype, box.low, box.high, name)
            for name, box in space.items()
            if isinstance(box, spaces.Box)
        }

    def action_spec(self) -> specs.DiscreteArray:
        """Return the specification of actions: ids of the action table."""
        return specs.DiscreteArray(int(self._env.action_space.n), np.int32, "action")  # type: ignore[attr-defined]

    def close(self) -> None:
        """End the stream."""
        self._env.close()
