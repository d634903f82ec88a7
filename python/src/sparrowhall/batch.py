"""What players see, as arrays: a row for each who must answer or whose episode has ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._proto import env_pb2 as pb
from sparrowhall.actions import MASK_BYTES, mask_words, unpack_mask
from sparrowhall.spec import Observation
from sparrowhall.transport import Frame

ASKED = int(pb.ROW_FLAG_ASKED)
FIRST = int(pb.ROW_FLAG_FIRST)
TERMINATED = int(pb.ROW_FLAG_TERMINATED)
TRUNCATED = int(pb.ROW_FLAG_TRUNCATED)
MATCH_OVER = int(pb.ROW_FLAG_MATCH_OVER)


@dataclass(frozen=True)
class LastRows:
    """Details of the rows that end an episode, one entry for each.

    Attributes:
        row: Row number in the batch, uint32, ascending.
        points: The player's points in units at the end of the episode, int32.
        rank: 1..4 where the match is over, else 0, uint8.
        placement: Placement points in 1/120 where the match is over, else 0, int32.
        seed: Seed of the match, uint64.
    """

    row: NDArray[np.uint32]
    points: NDArray[np.int32]
    rank: NDArray[np.uint8]
    placement: NDArray[np.int32]
    seed: NDArray[np.uint64]


class Batch:
    """What players see: a row for each that must answer or whose episode has ended.

    The arrays are read-only and made when they are first asked for. They are views of what was
    received, and stay as they are for as long as there is a reference to them.

    Attributes:
        spec: The observation's description, None if none was asked for.
        table: Table of each row, uint32, shape ``(n,)``.
        player: Player 0..3 of each row, uint8, shape ``(n,)``.
        step: Step of the table, to be repeated with the answer, uint32, shape ``(n,)``.
        flags: Sum of ASKED, FIRST, TERMINATED, TRUNCATED and MATCH_OVER, uint8, shape ``(n,)``.
        reward: Units moved to the player since the last decision, int32, shape ``(n,)``.
        owed: Change of what others owe the player less what the player owes, over the same
            time; int32, shape ``(n,)``, all 0 under rulesets without debts.
        mask_bits: Legal actions, packed, uint8, shape ``(n, 23)``.
        mask_words: Legal actions as words, uint64, shape ``(n, 3)``: action ``a`` is bit
            ``a % 64`` of word ``a // 64``. It is what ``sparrowhall.sample`` likes best.
        mask: Legal actions, uint8 of 0 and 1, shape ``(n, 180)``; all 0 in a last row.
        asked: Which rows must be answered, bool, shape ``(n,)``.
        terminated: Which rows end an episode by the rules, bool, shape ``(n,)``.
        truncated: Which rows end an episode that was cut off, bool, shape ``(n,)``.
        observation: The tensors by name, each of shape ``(n, *shape)``, bits unpacked to uint8.
        packed: The same with bits packed along the last dimension, 8 a byte, as they came;
            ``sparrowhall.unpack`` unpacks them, on an accelerator too.
        raw: For each tensor of the observation its bytes, uint8, shape ``(n, row_bytes)``.
        last: Details of the rows that end an episode.
        draining: Whether the server is about to stop.
        request_id: The number of the request that is answered; 0 in asynchronous mode.
    """

    table: NDArray[np.uint32]
    player: NDArray[np.uint8]
    step: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    reward: NDArray[np.int32]
    owed: NDArray[np.int32]
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
    _rows: int

    def __init__(
        self,
        columns: Frame | _Received,
        spec: Observation | None,
        rows: int,
        lasts: int,
        draining: bool,
        request_id: int,
    ) -> None:
        self.spec = spec
        self.draining = draining
        self.request_id = request_id
        self._columns = columns
        self._root = columns.root  # the frame is not used again while somebody has it
        self._rows = rows
        self._lasts = lasts

    def __len__(self) -> int:
        return self._rows

    def glance(self, row: int) -> tuple[int, int, int, bytes]:
        """Return what a row says apart from its observation, sooner than its arrays do.

        Args:
            row: Number of the row.

        Returns:
            Its player, flags, reward and legal actions, packed bytes: action ``a`` is bit
            ``a % 8`` of byte ``a // 8``.
        """
        return self._columns.glance(row)

    def observation_of(self, row: int) -> dict[str, NDArray[Any]]:
        """Return what the player of one row sees, as arrays of the caller's own.

        Args:
            row: Number of the row.

        Returns:
            The tensors by name, each of its shape, bits unpacked to uint8.
        """
        return {} if self.spec is None else self._columns.row(self.spec, row)


class _Made:
    """An attribute that is made when it is first asked for: most loops look at few of them."""

    def __init__(self, name: str, make: Callable[[Batch], Any]) -> None:
        self._name, self._make = name, make

    def __get__(self, batch: Batch | None, owner: type) -> Any:
        if batch is None:
            return self
        # From here on it is found in the batch itself.
        value = batch.__dict__[self._name] = self._make(batch)
        return value


class _Received:
    """Columns of a message that was received; what it returns is that of a Frame."""

    number = -1
    root = ring = None

    def __init__(self, message: pb.Batch) -> None:
        self._message = message

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

    def tensors(self, _spec: Observation, n: int) -> list[NDArray[np.uint8]]:
        return [
            np.frombuffer(o, np.uint8).reshape(n, -1) if n else _EMPTY
            for o in self._message.observation
        ]

    def shaped(self, spec: Observation, n: int) -> list[NDArray[Any]]:
        pairs = zip(spec.tensors, self.tensors(spec, n), strict=True)
        return [t.shaped(raw) for t, raw in pairs]

    def observed(self, spec: Observation, n: int) -> dict[str, NDArray[Any]]:
        pairs = zip(spec.tensors, self.shaped(spec, n), strict=True)
        return {t.name: t.unpack(tensor) for t, tensor in pairs}

    def glance(self, row: int) -> tuple[int, int, int, bytes]:
        player, flags, reward, mask = (
            self.rows(name, self._message.rows)[row]  # type: ignore[index]
            for name in ("player", "flags", "reward", "mask")
        )
        return int(player), int(flags), int(reward), mask.tobytes()

    def row(self, spec: Observation, row: int) -> dict[str, NDArray[Any]]:
        seen = self.observed(spec, self._message.rows)
        return {name: tensor[row].copy() for name, tensor in seen.items()}


def _has(flag: int) -> Callable[[Batch], Any]:
    return lambda batch: (batch.flags & flag) != 0


def _column_of(name: str) -> Callable[[Batch], Any]:
    return lambda batch: batch._columns.rows(name, batch._rows)


def _owed(batch: Batch) -> NDArray[Any]:
    column = batch._columns.rows("owed", batch._rows)
    return np.zeros(batch._rows, "<i4") if column is None else column


def _last(batch: Batch) -> LastRows:
    if not batch._lasts:
        return _NO_LASTS
    fields = ("row", "points", "rank", "placement", "seed")
    columns = [batch._columns.rows(f"last_{f}", batch._lasts) for f in fields]
    return LastRows(*columns)  # type: ignore[arg-type]


def _raw(batch: Batch) -> list[NDArray[np.uint8]]:
    spec = batch.spec
    return [] if spec is None else batch._columns.tensors(spec, batch._rows)


def _packed(batch: Batch) -> dict[str, NDArray[Any]]:
    spec = batch.spec
    if spec is None:
        return {}
    shaped = batch._columns.shaped(spec, batch._rows)
    return {t.name: tensor for t, tensor in zip(spec.tensors, shaped, strict=True)}


def _observation(batch: Batch) -> dict[str, NDArray[Any]]:
    spec = batch.spec
    return {} if spec is None else batch._columns.observed(spec, batch._rows)


_MADE: dict[str, Callable[[Batch], Any]] = {
    **{name: _column_of(name) for name in ("table", "player", "step", "flags", "reward")},
    "owed": _owed,
    "mask_bits": lambda batch: batch._columns.rows("mask", batch._rows)[:, :MASK_BYTES],  # type: ignore[index]
    "mask_words": lambda batch: batch._columns.words(batch._rows),
    "raw": _raw,
    "last": _last,
    "asked": _has(ASKED),
    "terminated": _has(TERMINATED),
    "truncated": _has(TRUNCATED),
    "mask": lambda batch: unpack_mask(batch.mask_bits),
    "packed": _packed,
    "observation": _observation,
}
for _name, _make in _MADE.items():
    setattr(Batch, _name, _Made(_name, _make))
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
}
_EMPTY: NDArray[np.uint8] = np.zeros((0, 0), np.uint8)
_NO_LASTS = LastRows(
    *(np.zeros(0, _DTYPES[f"last_{f}"]) for f in ("row", "points", "rank", "placement", "seed"))
)


def batch_of(message: pb.Batch, spec: Observation | None, request_id: int) -> Batch:
    """Return the batch of a message that was received."""
    lasts = len(message.last_rank)
    return Batch(_Received(message), spec, message.rows, lasts, message.draining, request_id)
