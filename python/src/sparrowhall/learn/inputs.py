"""The inputs of networks: tensors of an observation as fixed-point integers.

The program evaluates exported networks in integers, so that they play the same on every machine.
Inputs are therefore multiples of ``1/ONE`` here as well:

- a bit or a small number is shifted left until its largest value is about 4;
- a large number ``x`` becomes ``level(x)``, about ``log2(1 + |x|) / 8`` with the sign of x.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparrowhall.actions import NUM_ACTIONS, action_text
from sparrowhall.spec import Observation

ONE = 256
"""Fixed-point scale: the integer of an input of 1."""

OBSERVATIONS = ("planes", "features", "advice")
"""The observations that networks read; advice may be of any agent."""

PHASES = 9
TYPES = ("discard", "ready", "chi", "pon", "kan", "pass")
CANDIDATE = 10 + len(TYPES)
"""Inputs of a candidate: its numbers, and the type of its action."""

KINDS = 34


def level(x: NDArray[Any]) -> NDArray[np.int64]:
    """Return about 32 times the logarithm of ``1 + |x|`` to base 2, with the sign of x."""
    v = np.abs(x.astype(np.int64)) + 1
    bits = np.frexp(v.astype(np.float64))[1].astype(np.int64) - 1
    result: NDArray[np.int64] = np.sign(x) * (32 * bits + (v * 32 >> bits) - 32)
    return result


def shift(high: int) -> int:
    """Return the number of bits by which a number up to high is shifted."""
    s = 8
    while high << s > 4 * ONE:
        s -= 1
    return s


def _types() -> NDArray[np.uint8]:
    """Return the types of actions, one-hot, shape ``(1 + 180, 6)``; row 0 has no type."""
    table = np.zeros((1 + NUM_ACTIONS, len(TYPES)), np.uint8)
    for action in range(NUM_ACTIONS):
        text = action_text(action)
        for i, name in enumerate(TYPES):
            first = text.split()[0]
            table[1 + action, i] = first == name or (name == "kan" and first.endswith("_kan"))
    return table


class Inputs:
    """Converts the tensors of an observation into the inputs of a network.

    Attributes:
        read: Names of the tensors of the observation that are used.
        kinds: Number of channels over the 34 kinds of tiles.
        numbers: Number of inputs that belong to no kind of tile.
        advised: Whether there are candidates.
        observation: Name of the observation.
        fitting: Names of the observations that have all tensors that are read.
    """

    def __init__(self, spec: Observation) -> None:
        """Prepare the conversion of an observation.

        Raises:
            ValueError: the observation is not one of OBSERVATIONS, or is for three players.
        """
        if spec.seats != 4:
            raise ValueError(
                f"networks are for four players; the observation {spec.name!r} is for {spec.seats}"
            )
        if spec.name.partition(":")[0] not in OBSERVATIONS:
            raise ValueError(
                f"networks do not read the observation {spec.name!r}; allowed: "
                + ", ".join(OBSERVATIONS)
            )
        names = [t.name for t in spec.tensors]
        self.observation = spec.name
        kind = spec.name.partition(":")[0]
        # Each of OBSERVATIONS has the tensors of those before it.
        self.fitting = [*OBSERVATIONS[OBSERVATIONS.index(kind) : -1], "advice"]
        if kind == "advice":
            self.fitting = [spec.name]
        self._planes = spec["planes"]
        self._features = "summary" in names
        self.advised = "candidates" in names
        self.read = ["planes", "state", "amounts"]
        if self._features:
            self.read += ["shape", "discarding", "summary"]
        if self.advised:
            self.read.append("candidates")
        self._window = spec["planes"].field("window")[1].start
        self._drawn = spec["planes"].field("drawn")[1].start
        self._phase = spec["state"].field("phase")[1].start
        self._points = spec["amounts"].field("points")[1]

        def shifts(name: str) -> NDArray[np.int64]:
            bits: NDArray[np.int64] = np.vectorize(shift, otypes=[np.int64])(spec[name].bounds()[1])
            return bits

        self._state = shifts("state")
        self.kinds = spec["planes"].shape[0]
        self.numbers = len(self._state) + PHASES + spec["amounts"].shape[0] + 3
        if self._features:
            self._discarding, self._summary = shifts("discarding"), shifts("summary")
            self.kinds += spec["shape"].shape[0] + 2
            self.numbers += len(self._summary)
        self._types = _types()

    def __call__(self, observation: dict[str, NDArray[Any]]) -> dict[str, Tensor]:
        """Return the inputs of n decisions.

        Returns:
            ``kinds`` of shape ``(n, kinds, 34)`` and ``numbers`` of ``(n, numbers)`` in
            ``1/ONE``, float32; ``window`` and ``drawn``, ``(n, 34)``, 1 at the kind of the tile;
            with advice ``candidates`` of ``(n, 16, CANDIDATE)`` and ``action``, int64, 1 + the
            action of each or 0.

        Raises:
            ValueError: it is another observation, which has not all these tensors.
        """
        if missing := [name for name in self.read if name not in observation]:
            given = ", ".join(observation) or "no tensors"
            raise ValueError(
                f"the network reads the observation {self.observation!r}, and these decisions do "
                f"not have its {', '.join(missing)}, but {given}; pass observation="
                + " or ".join(map(repr, self.fitting))
            )
        planes = observation["planes"]
        kinds = [planes.astype(np.int16) * ONE]
        numbers = [
            observation["state"].astype(np.int64) << self._state,
            np.eye(PHASES, dtype=np.int64)[observation["state"][:, self._phase]] * ONE,
            level(observation["amounts"]),
        ]
        points = observation["amounts"][:, self._points].astype(np.int64)
        numbers.append(level(points[:, 1:] - points[:, :1]))
        if self._features:
            kinds.append(observation["shape"].astype(np.int16) * ONE)
            discarding = observation["discarding"].astype(np.int64) << self._discarding
            kinds.append(discarding.transpose(0, 2, 1).astype(np.int16))
            numbers.append(observation["summary"].astype(np.int64) << self._summary)
        arrays: dict[str, NDArray[Any]] = {
            "kinds": np.concatenate(kinds, axis=1).astype(np.float32) / ONE,
            "numbers": np.concatenate(numbers, axis=1).astype(np.float32) / ONE,
            "window": planes[:, self._window].astype(np.float32),
            "drawn": planes[:, self._drawn].astype(np.float32),
        }
        if self.advised:
            arrays["candidates"], arrays["action"] = self._candidates(observation["candidates"])
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def _candidates(self, c: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        c = c.astype(np.int64)
        n, most, _ = c.shape
        action, shanten, deal_in, money = c[..., 0], c[..., 1], c[..., 2], c[..., 3:]
        values = np.zeros((n, most, CANDIDATE), np.int64)
        values[:, 0, 0] = ONE
        values[..., 1] = np.arange(most) << 5
        values[..., 2] = (shanten + 1) << 6
        values[..., 3] = level(deal_in)
        values[..., 4:7] = level(money)
        values[..., 7:10] = level(money - money[:, :1])
        values[..., 10:] = self._types[action].astype(np.int64) * ONE
        values *= (action > 0)[..., None]
        return (values / ONE).astype(np.float32), action
