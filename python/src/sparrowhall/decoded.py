"""Observations as bounded numbers without codes, for dense networks.

A dense network cannot read a code such as 1 + the face of a tile, or a bit field. Here a number
that names one of several things becomes a run of zeros with a one, a bit field its bits, and a
count a fraction of its largest value::

    env = sparrowhall.make_vec("ema_2016", 64, decoded=True)

``Decoder`` decodes the batches of a client.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._proto import env_pb2 as pb
from sparrowhall.reward import spread_of
from sparrowhall.spec import MASK, Arrays, Field, Observation, Tensor

if TYPE_CHECKING:
    from gymnasium import spaces

_Table = NDArray[np.float32]
_BYTES = np.arange(256)


def _categories(first: int, last: int) -> _Table:
    """Return a one for each number from first to last, zeros for others."""
    table: _Table = (_BYTES[:, None] == np.arange(first, last + 1)).astype(np.float32)
    return table


def _bits(count: int, shift: int = 0) -> _Table:
    return (_BYTES[:, None] >> np.arange(shift, shift + count) & 1).astype(np.float32)


def _fraction(high: int) -> _Table:
    table: _Table = np.minimum(_BYTES[:, None] / high, 1).astype(np.float32)
    return table


def _tile(codes: NDArray[np.intp]) -> _Table:
    """Return of codes of 1 + face the suit (5), the rank in ninths, and whether it is red."""
    table = np.zeros((len(codes), 7), np.float32)
    for row, face in enumerate((codes - 1).tolist()):
        if 0 <= face < 34:
            table[row, face // 9], table[row, 5] = 1, (face % 9 + 1) / 9
        elif 34 <= face < 37:
            table[row, face - 34], table[row, 5], table[row, 6] = 1, 5 / 9, 1
        elif 37 <= face < 45:
            table[row, 4], table[row, 5] = 1, (face - 36) / 9
    return table


def _discard() -> _Table:
    """Return of codes of discards: who discarded (4), and the tile."""
    code = _BYTES & 63
    players = (_BYTES[:, None] >> 6 == np.arange(4)) & (code > 0)[:, None]
    return np.hstack([players.astype(np.float32), _tile(code)])


# The numbers of fields, by tensor and name; of others the fraction of the largest value.
_FIELDS: dict[str, dict[str, Callable[[], _Table]]] = {
    "discards": {"": _discard},
    "melds": {
        "type": lambda: _categories(1, 5),
        "kind": lambda: _tile(_BYTES)[:, [0, 1, 2, 3, 5]],
        "from": lambda: _categories(1, 3),
        "reds": lambda: np.hstack([_fraction(3)[_BYTES & 7], _bits(2, 3)]),
    },
    "state": {
        "phase": lambda: _categories(0, 8),
        "turn": lambda: _categories(1, 4),
        "cause": lambda: _categories(0, 4),
        "drawn": lambda: _tile(_BYTES),
        "window": lambda: _tile(_BYTES),
        "round": lambda: _fraction(4),
        "round_wind": lambda: _categories(0, 3),
        "seat_wind": lambda: _categories(0, 3),
        "indicators": lambda: _tile(_BYTES),
        "held_flowers": lambda: _bits(8),
        "flowers": lambda: _bits(8),
        "ready": lambda: _categories(1, 5),
        "declared": lambda: _categories(1, 2),
        "creditor": lambda: _categories(1, 4),
        "debt_wins": lambda: _fraction(16),
    },
}
# Those of three players: a turn may follow a North set aside.
_FIELDS_OF_THREE = {**_FIELDS, "state": {**_FIELDS["state"], "cause": lambda: _categories(0, 5)}}
__all__ = ["Decoder"]

_OBSERVATIONS = ("planes", "features")


class Decoder:
    """Decodes the observations ``planes`` and ``features``.

    Attributes:
        space: The space of what it returns: bits as uint8, all else float32 between -1 and 1, and
            the mask.
        parts: The functions that decode tensors, by the names of these.

    Examples:
        >>> import sparrowhall
        >>> from sparrowhall.decoded import Decoder
        >>> with sparrowhall.local() as client:
        ...     decoder = Decoder(client.observation("planes"), points=8000)
        >>> decoder.space["planes"].shape
        (62, 34)
    """

    def __init__(self, spec: Observation, points: float) -> None:
        """Prepare the tables.

        Args:
            spec: The observation.
            points: Points and debts have no bounds: this many, in units of the ruleset, become
                tanh(1).

        Raises:
            ValueError: the observation is another one, or points is not above 0.
        """
        if spec.name not in _OBSERVATIONS:
            raise ValueError(
                f"observation {spec.name!r} cannot be decoded; allowed: {', '.join(_OBSERVATIONS)}"
            )
        if not points > 0:
            raise ValueError(f"points is {points!r}; allowed: numbers above 0")
        self.parts: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {}
        self._spec = spec
        for t in spec.tensors:
            if t.packed:
                continue
            amounts = t.name == "amounts"
            known = (_FIELDS_OF_THREE if spec.seats == 3 else _FIELDS).get(t.name, {})
            self.parts[t.name] = _amounts(t, points) if amounts else _by_table(t, known)

    @cached_property
    def space(self) -> spaces.Dict:  # noqa: D102
        from gymnasium import spaces

        boxes: dict[str, spaces.Space[Any]] = {}
        for t in self._spec.tensors:
            if t.packed:
                boxes[t.name] = spaces.Box(0, 1, t.shape, np.uint8)
                continue
            shape = self.parts[t.name](np.zeros((1, *t.shape), t.dtype)).shape[1:]
            low = -1.0 if t.name == "amounts" else 0.0
            boxes[t.name] = spaces.Box(low, 1.0, shape, np.float32)
        boxes[MASK] = spaces.Box(0, 1, (self._spec.actions,), np.int8)
        return spaces.Dict(boxes)

    def __call__(self, arrays: Arrays) -> Arrays:
        """Decode tensors by name, each of shape ``(n, *shape)``; other arrays stay."""
        parts = self.parts
        return {k: parts[k](a) if k in parts else a for k, a in arrays.items()}

    def one(self, arrays: Arrays) -> Arrays:
        """Decode tensors by name, each without a dimension for rows; other arrays stay."""
        parts = self.parts
        return {k: parts[k](a[None])[0] if k in parts else a for k, a in arrays.items()}


def _by_table(
    t: Tensor, known: dict[str, Callable[[], _Table]]
) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Return a function that decodes a tensor of bytes by a table, given that of some fields."""
    if "" in known:  # all elements alike
        return ByRow(known[""]())
    elements = t.shape[-1] if t.fields_last or not t.fields else t.shape[0]
    fields = t.fields or (Field("", 0, elements, t.low, t.high, ""),)
    sources: list[int] = []
    columns: list[NDArray[np.float32]] = []
    for f in fields:
        high = f.high or t.high
        part = known[f.name]() if f.name in known else _fraction(high)
        for element in range(f.first, f.first + f.count):
            sources += [element] * part.shape[1]
            columns += list(part.T)
    places = t.shape[:-1] if t.fields_last else ()
    return ByColumn(
        np.ascontiguousarray(columns, np.float32).ravel(),
        np.array(sources),
        256 * np.arange(len(sources)),
        (-1, *([math.prod(places)] if places else []), len(sources)),
    )


@dataclass(frozen=True)
class ByRow:
    """Decodes each element into its row of a table."""

    table: _Table

    def __call__(self, raw: NDArray[Any]) -> NDArray[Any]:
        """Decode a tensor."""
        return self.table.take(raw, axis=0)


@dataclass(frozen=True)
class ByColumn:
    """Decodes element ``sources[i]`` into number i, by the table that begins at ``base[i]``."""

    flat: NDArray[np.float32]
    sources: NDArray[np.intp]
    base: NDArray[np.intp]
    shape: tuple[int, ...]

    def __call__(self, raw: NDArray[Any]) -> NDArray[Any]:
        """Decode a tensor."""
        codes = raw.take(self.sources, axis=-1)
        return self.flat.take(codes + self.base).reshape(self.shape)


@dataclass(frozen=True)
class Amounts:
    """Divides numbers by a scale and bounds them by tanh."""

    scale: NDArray[np.float32]

    def __call__(self, raw: NDArray[Any]) -> NDArray[Any]:
        """Decode a tensor."""
        return np.tanh(raw / self.scale, dtype=np.float32)


def _amounts(t: Tensor, points: float) -> Amounts:
    scale = np.full(t.shape, points, np.float32)
    for name in ("counter", "deposits"):
        scale[t.field(name)[-1]] = 4
    return Amounts(scale)


def decoder_of(spec: Observation, rules: pb.Ruleset) -> Decoder:
    """Return the decoder of an observation under a ruleset: tanh(1) is four usual hands."""
    return Decoder(spec, 4 * spread_of(rules) * rules.units_per_point)
