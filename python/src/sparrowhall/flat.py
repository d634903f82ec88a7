"""Observations as one array, for frameworks that require one."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sparrowhall.spec import MASK, Arrays

_UNBOUNDED = 10_000.0
"""The divisor of numbers without bounds, such as points."""


class FlatObservation(gymnasium.ObservationWrapper[Any, Any, Arrays]):
    """An environment whose observation is one float32 array and the mask.

    The array holds the tensors one after another, in the order of their names. Each element is
    divided by its largest value, numbers without bounds (points) by 10,000.

    Examples:
        >>> import sparrowhall
        >>> from sparrowhall.flat import FlatObservation
        >>> env = FlatObservation(sparrowhall.make("ema_2016", seed=1))
        >>> observation, info = env.reset()
        >>> sorted(observation)
        ['action_mask', 'observation']
        >>> env.close()
    """

    def __init__(
        self, env: gymnasium.Env[Arrays, Any], observation: str = "observation", mask: str = MASK
    ) -> None:
        """Wrap an environment.

        Args:
            env: An environment that ``sparrowhall.make`` returned.
            observation: Key of the array.
            mask: Key of the legal-action mask.
        """
        super().__init__(env)
        self._tensors: list[str] = []
        self._scale = np.ones(0, np.float32)
        self._keys = observation, mask
        space = env.observation_space
        assert isinstance(space, spaces.Dict)
        boxes = {k: b for k, b in space.items() if k != MASK and isinstance(b, spaces.Box)}
        highs = [b.high.astype(np.float64).ravel() for b in boxes.values()]
        self._tensors = list(boxes)
        high = np.concatenate(highs)
        self._scale = np.where(high >= 2**31 - 1, _UNBOUNDED, np.maximum(high, 1)).astype(
            np.float32
        )
        low = np.concatenate([b.low.astype(np.float64).ravel() for b in boxes.values()])
        self.observation_space = spaces.Dict(
            {
                observation: spaces.Box(
                    (low / self._scale).astype(np.float32),
                    np.nextafter((high / self._scale).astype(np.float32), np.float32(np.inf)),
                    dtype=np.float32,
                ),
                mask: space[MASK],
            }
        )

    def observation(self, observation: Arrays) -> Arrays:
        """Return the array and the mask of an observation."""
        parts = [observation[name].ravel() for name in self._tensors]
        flat: NDArray[np.float32] = np.concatenate(parts, dtype=np.float32, casting="unsafe")
        return {self._keys[0]: flat / self._scale, self._keys[1]: observation[MASK]}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool, shape ``(actions,)``."""
        masks: NDArray[np.bool_] = self.env.unwrapped.action_masks()  # type: ignore[attr-defined]
        return masks
