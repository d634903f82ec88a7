"""Batches: one row for each player who must answer or whose episode has ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._proto import env_pb2 as pb
from sparrowhall._shared_memory import Frame
from sparrowhall.actions import MASK_BYTES, mask_words, unpack_mask
from sparrowhall.spec import Observation

ASKED = int(pb.ROW_FLAG_ASKED)
"""Bit of ``Batch.flags``: the player must answer."""

FIRST = int(pb.ROW_FLAG_FIRST)
"""Bit of ``Batch.flags``: the player's first row in this episode."""

TERMINATED = int(pb.ROW_FLAG_TERMINATED)
"""Bit of ``Batch.flags``: the episode has ended by the rules."""

TRUNCATED = int(pb.ROW_FLAG_TRUNCATED)
"""Bit of ``Batch.flags``: the episode was cut off."""

MATCH_OVER = int(pb.ROW_FLAG_MATCH_OVER)
"""Bit of ``Batch.flags``: the match is over, not only the hand."""

PLACEMENT_UNITS = 120
"""Units of a placement point in the protocol."""


@dataclass(frozen=True)
class LastRows:
    """Details of the rows that end an episode, one entry for each.

    Attributes:
        row: Row number in the batch, uint32, ascending.
        points: The player's points at the end of the episode, float64.
        rank: From 1 where the match is over, else 0, uint8.
        placement: Placement points where the match is over, else 0, float64.
        seed: Seed of the match where it is over, else 0, uint64.
        shared_rank: The mean of the ranks that the player and those tied with it have together,
            where the match is over, else 0, float64. Players are tied if the rules give them the
            same rank or they end with the same points.

    Examples:
        >>> import sparrowhall
        >>> with sparrowhall.local() as client, client.open("ema_2016", tables=3, seed=1) as tables:
        ...     batch = tables.recv()
        >>> len(batch.last.row)  # no episode has ended
        0
    """

    row: NDArray[np.uint32]
    points: NDArray[np.float64]
    rank: NDArray[np.uint8]
    placement: NDArray[np.float64]
    seed: NDArray[np.uint64]
    shared_rank: NDArray[np.float64]


class Batch:
    """One row for each player who must answer or whose episode has ended.

    A batch has no rows if its tables wait for answers of other players. The arrays are computed
    on first access. They are views of the memory in which the batch was received, which is not
    used again while there is a reference to one of them. Those of the observation are writable,
    so that PyTorch can share their memory; all others are read-only.

    Attributes:
        spec: The observation's description, None if the tables have none.
        table: Table of each row, uint32, shape ``(n,)``.
        player: Player 0..3 of each row, where three play 0..2, uint8, shape ``(n,)``.
        step: Step of the table, to be repeated with the answer, uint32, shape ``(n,)``.
        flags: Sum of ASKED, FIRST, TERMINATED, TRUNCATED and MATCH_OVER, uint8, shape ``(n,)``.
        reward: Points moved to the player since the last decision, float64, shape ``(n,)``.
        owed: Change of what others owe the player less what the player owes since the last
            decision, in points, float64, shape ``(n,)``; all 0 under rulesets without debts.
        mask_bits: Legal actions, packed, uint8, shape ``(n, 23)``.
        mask_words: Legal actions as words, uint64, shape ``(n, 3)``: action ``a`` is bit
            ``a % 64`` of word ``a // 64``. ``sparrowhall.sample`` is fastest with it.
        mask: Legal actions, uint8 of 0 and 1, shape ``(n, 180)``, where three play
            ``(n, 181)``; pass alone in a row that ends an episode.
        asked: Which rows must be answered, bool, shape ``(n,)``.
        terminated: Which rows end an episode by the rules, bool, shape ``(n,)``.
        truncated: Which rows end an episode that was cut off, bool, shape ``(n,)``.
        observation: The tensors by name, each of shape ``(n, *shape)``, bits unpacked to uint8.
        packed: The tensors with bits packed along the last dimension, 8 a byte;
            ``sparrowhall.unpack`` unpacks them, on an accelerator too.
        raw: For each tensor of the observation its bytes, uint8, shape ``(n, row_bytes)``.
        last: Details of the rows that end an episode.
        draining: Whether the server is about to stop.
        request_id: The number of the request that is answered; 0 in asynchronous mode.

    Examples:
        >>> import sparrowhall
        >>> with sparrowhall.local() as client, client.open("ema_2016", tables=3, seed=1) as tables:
        ...     batch = tables.recv()
        >>> batch.mask.shape
        (3, 180)
    """

    table: NDArray[np.uint32]
    player: NDArray[np.uint8]
    step: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    reward: NDArray[np.float64]
    owed: NDArray[np.float64]
    mask_bits: NDArray[np.uint8]
    mask_words: NDArray[np.uint64]
    raw: list[NDArray[np.uint8]]
    last: LastRows
    asked: NDArray[np.bool_]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    mask: NDArray[np.uint8]
    packed: dict[str, NDArray[Any]]
    observation: dict[str, NDArray[Any]]
    draining: bool = False
    _rows: int

    def __init__(
        self,
        columns: Frame | _MessageColumns,
        spec: Observation | None,
        rows: int,
        last_rows: int,
        unit: int,
        draining: bool,
        request_id: int,
    ) -> None:
        self.spec = spec
        if draining:
            self.draining = True
        self.request_id = request_id
        self._columns = columns
        self._root = columns.root  # keeps the frame from being used again
        self._rows = rows
        self._last_rows = last_rows
        self._unit = unit  # units of a point

    def __len__(self) -> int:
        return self._rows

    def summary_of(self, row: int) -> tuple[int, int, float, bytes]:
        """Return a row without its observation, faster than from the arrays.

        Args:
            row: Number of the row.

        Returns:
            Its player, flags, reward in points, and legal actions as at least 23 packed bytes:
            action ``a`` is bit ``a % 8`` of byte ``a // 8``.
        """
        player, flags, reward, mask = self._columns.summary(row)
        return player, flags, reward / self._unit, mask

    def copy_observation(self) -> dict[str, NDArray[Any]]:
        """Return copies of the tensors of all rows.

        Returns:
            The tensors by name, each of shape ``(n, *shape)``, bits unpacked to uint8; empty if
            the tables have no observation.
        """
        return {} if self.spec is None else self._columns.copy(self.spec, self._rows)

    def observation_of(self, row: int) -> dict[str, NDArray[Any]]:
        """Return copies of the tensors of one row.

        Args:
            row: Number of the row.

        Returns:
            The tensors by name, each of its own shape, bits unpacked to uint8; empty if the
            tables have no observation.
        """
        return {} if self.spec is None else self._columns.row(self.spec, row)

    def observations_of(self, rows: NDArray[np.integer[Any]]) -> dict[str, NDArray[Any]]:
        """Return copies of the tensors of some rows, faster than from the arrays of all.

        Args:
            rows: Numbers of the rows, shape ``(m,)``.

        Returns:
            The tensors by name, each of shape ``(m, *shape)``, bits unpacked to uint8; empty if
            the tables have no observation.
        """
        return {} if self.spec is None else self._columns.some(self.spec, rows)


class _LazyAttribute:
    """An attribute of a batch that is computed on first access: most loops read few of them."""

    def __init__(self, name: str, compute: Callable[[Batch], Any]) -> None:
        self._name, self._compute = name, compute

    def __get__(self, batch: Batch | None, owner: type) -> Any:
        if batch is None:
            return self
        value = self._compute(batch)
        setattr(batch, self._name, value)  # the next access finds it in the batch itself
        return value


def _frequent(get: Callable[[Any, Batch | None, type], Any]) -> Any:
    """Return a lazy attribute that is all in one function, for those that most loops read."""
    return type("_FrequentAttribute", (), {"__get__": get})()


def _raw(attribute: Any, batch: Batch | None, owner: type) -> Any:
    if batch is None:
        return attribute
    spec = batch.spec
    batch.raw = raw = [] if spec is None else batch._columns.tensors(spec, batch._rows)
    return raw


def _mask(attribute: Any, batch: Batch | None, owner: type) -> Any:
    if batch is None:
        return attribute
    batch.mask = mask = batch._columns.cells(batch._rows)
    return mask


def _mask_words(attribute: Any, batch: Batch | None, owner: type) -> Any:
    if batch is None:
        return attribute
    batch.mask_words = words = batch._columns.words(batch._rows)
    return words


def _asked(attribute: Any, batch: Batch | None, owner: type) -> Any:
    if batch is None:
        return attribute
    n = batch._rows
    if n <= _FEW and not batch._last_rows:
        batch.asked = _ALL_ASKED[n]
    else:
        batch.asked = (batch.flags & ASKED) != 0
    return batch.asked


class _MessageColumns:
    """The columns of a batch in a message, with the methods of ``Frame``."""

    number = -1
    root = ring = None

    def __init__(self, message: pb.Batch, actions: int) -> None:
        self._message = message
        self._actions = actions

    def rows(self, name: str, n: int) -> NDArray[Any] | None:
        data: bytes = getattr(self._message, name)
        if name == "owed" and not data:
            return None
        column = np.frombuffer(data, _DTYPES[name])
        return column.reshape(n, MASK_BYTES) if name == "mask" else column

    def words(self, n: int) -> NDArray[np.uint64]:
        mask = self.rows("mask", n)
        assert mask is not None
        return mask_words(mask)

    def tensors(self, spec: Observation, n: int) -> list[NDArray[np.uint8]]:
        pairs = zip(spec.tensors, self._message.observation, strict=True)
        # A bytearray is writable.
        return [np.frombuffer(bytearray(o), np.uint8).reshape(n, t.row_bytes) for t, o in pairs]

    def shaped(self, spec: Observation, n: int) -> list[NDArray[Any]]:
        pairs = zip(spec.tensors, self.tensors(spec, n), strict=True)
        return [t.shaped(raw) for t, raw in pairs]

    def observed(self, spec: Observation, n: int) -> dict[str, NDArray[Any]]:
        pairs = zip(spec.tensors, self.shaped(spec, n), strict=True)
        return {t.name: t.unpack(tensor) for t, tensor in pairs}

    def copy(self, spec: Observation, n: int) -> dict[str, NDArray[Any]]:
        return self.observed(spec, n)  # made from the message each time

    def cells(self, n: int) -> NDArray[np.uint8]:
        return unpack_mask(self.rows("mask", n), self._actions)  # type: ignore[arg-type]

    def summary(self, row: int) -> tuple[int, int, int, bytes]:
        player, flags, reward, mask = (
            self.rows(name, self._message.rows)[row]  # type: ignore[index]
            for name in ("player", "flags", "reward", "mask")
        )
        return int(player), int(flags), int(reward), mask.tobytes()

    def row(self, spec: Observation, row: int) -> dict[str, NDArray[Any]]:
        return {name: tensor[0] for name, tensor in self.some(spec, np.array([row])).items()}

    def some(self, spec: Observation, rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
        shaped = self.shaped(spec, self._message.rows)
        pairs = zip(spec.tensors, shaped, strict=True)
        return {t.name: t.unpack(tensor[rows]) for t, tensor in pairs}


def _flagged(flag: int) -> Callable[[Batch], Any]:
    return lambda batch: (batch.flags & flag) != 0


def _column(name: str) -> Callable[[Batch], Any]:
    return lambda batch: batch._columns.rows(name, batch._rows)


def _reward(batch: Batch) -> NDArray[np.float64]:
    return _in_points(batch._columns.rows("reward", batch._rows), batch._unit)


def _owed(batch: Batch) -> NDArray[np.float64]:
    column = batch._columns.rows("owed", batch._rows)
    return _in_points(np.zeros(batch._rows) if column is None else column, batch._unit)


def _in_points(units: Any, unit: int) -> NDArray[np.float64]:
    points: NDArray[np.float64] = units / unit
    points.flags.writeable = False
    return points


def _last(batch: Batch) -> LastRows:
    n = batch._last_rows
    if not n:
        return _NO_LAST_ROWS
    row, points, rank, placement, seed, shared_rank = (
        batch._columns.rows(f"last_{name}", n) for name in _LAST_COLUMNS
    )
    return LastRows(
        row,  # type: ignore[arg-type]
        _in_points(points, batch._unit),
        rank,  # type: ignore[arg-type]
        _in_points(placement, PLACEMENT_UNITS),
        seed,  # type: ignore[arg-type]
        _in_points(shared_rank, 2),
    )


def _packed(batch: Batch) -> dict[str, NDArray[Any]]:
    spec = batch.spec
    if spec is None:
        return {}
    shaped = batch._columns.shaped(spec, batch._rows)
    return {t.name: tensor for t, tensor in zip(spec.tensors, shaped, strict=True)}


def _observation(batch: Batch) -> dict[str, NDArray[Any]]:
    spec = batch.spec
    return {} if spec is None else batch._columns.observed(spec, batch._rows)


_FREQUENT_ATTRIBUTES = {"raw": _raw, "mask": _mask, "mask_words": _mask_words, "asked": _asked}
_LAZY_ATTRIBUTES: dict[str, Callable[[Batch], Any]] = {
    **{name: _column(name) for name in ("table", "player", "step", "flags")},
    "reward": _reward,
    "owed": _owed,
    "mask_bits": lambda batch: batch._columns.rows("mask", batch._rows)[:, :MASK_BYTES],  # type: ignore[index]
    "last": _last,
    "terminated": _flagged(TERMINATED),
    "truncated": _flagged(TRUNCATED),
    "packed": _packed,
    "observation": _observation,
}
for _name, _compute in _LAZY_ATTRIBUTES.items():
    setattr(Batch, _name, _LazyAttribute(_name, _compute))
for _name, _get in _FREQUENT_ATTRIBUTES.items():
    setattr(Batch, _name, _frequent(_get))
_DTYPES = {
    "table": "<u4",
    "player": "u1",
    "step": "<u4",
    "flags": "u1",
    "reward": "<i4",
    "owed": "<i4",
    "mask": "u1",
    "last_row": "<u4",
    "last_points": "<i4",
    "last_rank": "u1",
    "last_placement": "<i4",
    "last_seed": "<u8",
    "last_shared_rank": "u1",
}
# The arrays of asked of few rows without one that ends an episode.
_FEW = 4
_ALL_ASKED = [np.ones(n, np.bool_) for n in range(_FEW + 1)]
for _asked_rows in _ALL_ASKED:
    _asked_rows.flags.writeable = False
_LAST_COLUMNS = ("row", "points", "rank", "placement", "seed", "shared_rank")
_NO_LAST_ROWS = LastRows(
    *(np.zeros(0, dtype) for dtype in ("<u4", "<f8", "u1", "<f8", "<u8", "<f8"))
)


def reward_units(batch: Batch) -> tuple[NDArray[np.int32], int]:
    """Return the rewards of all rows in the protocol's units, and the units of a point.

    Most rewards are 0: a loop that looks for others saves the division.
    """
    return batch._columns.rows("reward", batch._rows), batch._unit  # type: ignore[return-value]


def ended_rows(batch: Batch) -> NDArray[np.intp]:
    """Return the rows that end an episode, as indices; at least one must."""
    rows = batch._columns.rows("last_row", batch._last_rows)
    return rows.astype(np.intp)  # type: ignore[union-attr]


def batch_of(
    message: pb.Batch, spec: Observation | None, unit: int, actions: int, request_id: int
) -> Batch:
    """Return the batch in a message, given the units of a point and the size of its masks."""
    last_rows = len(message.last_rank)
    columns = _MessageColumns(message, actions)
    return Batch(columns, spec, message.rows, last_rows, unit, message.draining, request_id)
