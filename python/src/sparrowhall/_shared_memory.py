"""Shared memory of a client and a server on one machine; see docs/local-transport.md.

The client writes a request into a slot, and the server writes the answer into the frame that the
request names. The client names a frame again once no array refers to its memory.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import platform
import struct
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall.actions import MASK_BYTES, MASK_WORDS, unpack_mask
from sparrowhall.spec import Observation

VERSION = 1
"""Version of the layout."""

ANSWERS, ANSWERS_TO, BATCH, MESSAGE, ELSEWHERE = 1, 2, 3, 4, 5
"""Kinds of requests and answers."""

COLUMNS = (
    "table",
    "player",
    "step",
    "flags",
    "reward",
    "owed",
    "mask",
    "last_row",
    "last_points",
    "last_rank",
    "last_placement",
    "last_seed",
    "last_shared_rank",
)
"""The columns of a frame, before those of the observation."""

_DTYPES = ("<u4", "u1", "<u4", "u1", "<i4", "<i4", "u1", "<u4", "<i4", "u1", "<i4", "<u8", "u1")
_MASK = COLUMNS.index("mask")
_MAGIC = b"hall_shm"
_HEADER = 4096
_HEAD = 64
# Words of the header, counted in units of four bytes.
_REQUESTS, _RESPONSES, _SERVER_SLEEPS, _CLIENT_SLEEPS, _PROCESSOR, _SPIN, _ENDED = (
    at // 4 for at in (2048, 2112, 2176, 2240, 2244, 2304, 2368)
)
_WRAP = 0xFFFFFFFF
# The head of a slot or a frame.
_HEAD_FIELDS = struct.Struct("<IIIIQ")
# Reads of a word before sleeping, about 50 microseconds.
_SPINS = range(700)
FEW = 32
"""Rows or tables up to which a batch counts as small.

The client then spins before it sleeps, and reads rows one by one instead of in arrays.
"""
# Seconds of sleep after which the client checks whether the server is still there.
_MAX_SLEEP = 0.1

_FUTEX = {"x86_64": 202, "aarch64": 98}.get(platform.machine())
_FUTEX_WAIT, _FUTEX_WAKE, _FUTEX_WAKE_OP = 0, 1, 5
# On x86 other processors see writes in the order in which they were made.
_ORDERED = platform.machine() == "x86_64"


class _Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


class UnavailableError(Exception):
    """Memory cannot be shared; the message gives the reason."""


def unavailable() -> str:
    """Return why this process cannot share memory; empty if it can."""
    if sys.platform != "linux" or _FUTEX is None:
        return f"shared memory is not supported on {sys.platform} {platform.machine()}"
    if sys.byteorder != "little" or ctypes.sizeof(ctypes.c_long) != 8:
        return "shared memory needs a 64-bit little-endian processor"
    if sys.implementation.name != "cpython" or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return "shared memory needs CPython with its global interpreter lock"
    return ""


class Frame:
    """A part of the shared memory that holds one answer.

    Attributes:
        number: Its number, -1 if requests cannot name it.
        ring: The shared memory.
        root: All bytes of the frame, uint8, read-only. Every array over the frame refers to it,
            and so must everything from which such arrays are computed later.
        idle: Number of references to root while no batch uses the frame.
    """

    def __init__(self, number: int, root: NDArray[np.uint8], ring: Any) -> None:
        """Divide the memory into columns.

        Args:
            number: Its number, -1 if requests cannot name it.
            root: All bytes of the frame, writable; they are read-only afterwards, except for
                the tensors of the observation.
            ring: The shared memory, a Ring or something with its attributes.
        """
        self.number = number
        self.root = root
        self.ring = ring
        self._memory: Any = ring.memory if number >= 0 else root
        self._at = ring.heads[number] if number >= 0 else 0
        self.idle = 0
        # Each with all rows that fit into the frame.
        self._columns: dict[str, NDArray[Any] | None] = {}
        self._shaped: dict[str, NDArray[Any]] = {}
        self._copiers: dict[int, dict[str, Callable[[], NDArray[Any]]]] = {}
        self._summaries: list[struct.Struct] = ring.summaries
        rows, end = ring.rows, len(COLUMNS)
        self._tensors: list[NDArray[np.uint8]] = [
            root[at : at + size * rows].reshape(rows, size) for at, size in ring.layout[end:]
        ]
        root.flags.writeable = False
        for i, (at, size) in enumerate(ring.layout[:end]):
            column = root[at : at + size * rows]
            if i == _MASK:
                self._words = column.view("<u8").reshape(rows, MASK_WORDS)
                self._columns["mask"] = column.reshape(rows, size)
            else:
                self._columns[COLUMNS[i]] = column.view(_DTYPES[i]) if size else None

    def rows(self, name: str, n: int) -> NDArray[Any] | None:
        """Return the first n rows of a column, None if the rules do not use it."""
        column = self._columns[name]
        return None if column is None else column[:n]

    def words(self, n: int) -> NDArray[np.uint64]:
        """Return the masks of n rows as words, shape ``(n, 3)``."""
        return self._words[:n]

    def cells(self, n: int) -> NDArray[np.uint8]:
        """Return the masks of n rows with a byte for each action, shape ``(n, actions)``."""
        return unpack_mask(self._words[:n].view(np.uint8)[:, :MASK_BYTES], self.ring.actions)

    def summary(self, row: int) -> tuple[int, int, int, bytes]:
        """Return a row without its observation, faster than from the arrays.

        Returns:
            The player, flags, reward in units, and the packed mask.
        """
        try:
            return self._summaries[row].unpack_from(self._memory, self._at)
        except IndexError:
            self._summaries.append(_summary_fields(self.ring.layout, len(self._summaries)))
            return self.summary(row)

    def tensors(self, spec: Observation, n: int) -> list[NDArray[np.uint8]]:
        """Return the bytes of each tensor, bits packed, shape ``(n, row_bytes)``."""
        if not self.ring.unpacked:
            return [tensor[:n] for tensor in self._tensors]
        pairs = zip(spec.tensors, self.shaped(spec, n), strict=True)
        return [shaped.view(np.uint8).reshape(n, t.row_bytes) for t, shaped in pairs]

    def shaped(self, spec: Observation, n: int) -> list[NDArray[Any]]:
        """Return each tensor with its dimensions, bits packed, shape ``(n, ...)``."""
        if not self.ring.unpacked:
            return [tensor[:n] for tensor in (self._shaped or self._shape(spec)).values()]
        tensors = self.observed(spec, n)
        return [t.pack(tensors[t.name]) for t in spec.tensors]

    def observed(self, spec: Observation, n: int) -> dict[str, NDArray[Any]]:
        """Return each tensor, bits unpacked, shape ``(n, *shape)``."""
        shaped = self._shaped or self._shape(spec)
        if self.ring.unpacked:
            return {name: tensor[:n] for name, tensor in shaped.items()}
        return {t.name: t.unpack(shaped[t.name][:n]) for t in spec.tensors}

    def copy(self, spec: Observation, n: int) -> dict[str, NDArray[Any]]:
        """Return copies of each tensor, bits unpacked, shape ``(n, *shape)``."""
        shaped = self._shaped or self._shape(spec)
        return {
            t.name: t.unpack(shaped[t.name][:n])
            if t.packed and not self.ring.unpacked
            else shaped[t.name][:n].copy()
            for t in spec.tensors
        }

    def row(self, spec: Observation, row: int) -> dict[str, NDArray[Any]]:
        """Return copies of the tensors of one row, bits unpacked."""
        if not self.ring.unpacked:
            return {name: tensor[0] for name, tensor in self.some(spec, np.array([row])).items()}
        copiers = self._copiers.get(row) or self._add_copiers(spec, row)
        return {name: copy() for name, copy in copiers.items()}

    def some(self, spec: Observation, rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Return copies of the tensors of m rows, bits unpacked, shape ``(m, *shape)``."""
        shaped = self._shaped or self._shape(spec)
        if self.ring.unpacked:
            return {name: tensor[rows] for name, tensor in shaped.items()}
        return {t.name: t.unpack(shaped[t.name][rows]) for t in spec.tensors}

    def _add_copiers(self, spec: Observation, row: int) -> dict[str, Callable[[], NDArray[Any]]]:
        """Return functions that copy the tensors of a row, and keep them."""
        shaped = self._shaped or self._shape(spec)
        before = sys.getrefcount(self.root)
        self._copiers[row] = {name: tensor[row].copy for name, tensor in shaped.items()}
        self.idle += sys.getrefcount(self.root) - before
        return self._copiers[row]

    def _shape(self, spec: Observation) -> dict[str, NDArray[Any]]:
        """Return the tensors with their dimensions, and keep them."""
        before = sys.getrefcount(self.root)
        self._shaped = {
            t.name: raw.reshape(len(raw), *t.shape)
            if t.packed and self.ring.unpacked
            else t.shaped(raw)
            for t, raw in zip(spec.tensors, self._tensors, strict=True)
        }
        self.idle += sys.getrefcount(self.root) - before
        return self._shaped


def read_layout(head: bytes | mmap.mmap) -> tuple[int, int, int, int, list[tuple[int, int]]]:
    """Return the layout of the frames in a header.

    Returns:
        The number of frames, the offset of the first, the size of one, the rows of one, and for
        each column its offset in a frame and its bytes per row.
    """
    (columns,) = struct.unpack_from("<I", head, 12)
    frames, _, _, at, size, _, rows = struct.unpack_from("<IQQQQII", head, 44)
    layout = [struct.unpack_from("<QI", head, 256 + 16 * i) for i in range(columns)]
    return frames, at, size, rows, layout


def _summary_fields(layout: list[tuple[int, int]], row: int) -> struct.Struct:
    """Return the format of ``Frame.summary`` for a row, counted from the frame's first byte."""
    form, end = "<", 0
    for name, kind in (("player", "B"), ("flags", "B"), ("reward", "i"), ("mask", "24s")):
        at, size = layout[COLUMNS.index(name)]
        form += f"{at + size * row - end}x{kind}"
        end = at + size * (row + 1)
    return struct.Struct(form)


class Ring:
    """The client's side of the shared memory, for one thread at a time.

    Attributes:
        rows: The rows of a frame.
        answers: The answers of a slot.
        unpacked: Whether each bit of an observation takes a byte.
        actions: Size of the action table.
        layout: For each column its offset in a frame, and its bytes per row.
        memory: All of the shared memory.
        heads: The offset of each frame in the memory.
        summaries: The formats of ``Frame.summary`` for the first rows of a frame.
        taken: Answers received, modulo 2**32.
        made: Requests made, modulo 2**32.
    """

    def __init__(self, path: str, size: int, token: bytes, *, unpacked: bool, actions: int) -> None:
        """Map the memory that a server has created.

        Args:
            path: Its file.
            size: Its size in bytes.
            token: The token that its header must repeat, 16 bytes.
            unpacked: Whether each bit of an observation takes a byte.
            actions: Size of the action table.

        Raises:
            UnavailableError: it cannot be mapped, or differs from what the server announced.
        """
        try:
            if not os.readlink(path).startswith("/memfd:sparrowhall"):
                raise UnavailableError(
                    f"{path} is not the server's memory; is the server in a container?"
                )
            fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            try:
                if os.fstat(fd).st_size != size or size < _HEADER:
                    raise UnavailableError(f"{path} does not have {size} bytes")
                self.memory = mmap.mmap(fd, size)
            finally:
                os.close(fd)
        except OSError as e:
            raise UnavailableError(f"{path} cannot be opened: {e.strerror}") from None
        head = self.memory[:_HEADER]
        magic, version, _, given = struct.unpack_from("<8sII16s", head, 0)
        if magic != _MAGIC or given != token:
            raise UnavailableError(f"{path} is not the memory of this stream")
        if version != VERSION:
            raise UnavailableError(
                f"{path} has the layout of version {version}; this package supports {VERSION}"
            )
        self._slots, _, slots_at, self._slot_size = struct.unpack_from("<IIQQ", head, 40)
        self.answers, _, *self._slot_columns = struct.unpack_from("<II4I", head, 80)
        frames, frames_at, frame_size, self.rows, self.layout = read_layout(head)
        self.unpacked, self.actions = unpacked, actions
        self.words = memoryview(self.memory).cast("B").cast("I")
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        # Returns the processor that runs this thread; the server may choose the same.
        self._processor = getattr(ctypes.PyDLL(None), "sched_getcpu", lambda: -1)
        self._syscall = ctypes.CDLL(None).syscall
        self._syscall.argtypes = [ctypes.c_long] * 7
        self._syscall.restype = ctypes.c_long
        self._timeout = _Timespec(0, int(_MAX_SLEEP * 1e9))
        self._frames: list[Frame] = []
        self.heads: list[int] = []
        self.summaries: list[struct.Struct] = []
        for i in range(frames):
            at = frames_at + i * frame_size
            root = np.frombuffer(self.memory, np.uint8, frame_size, at)
            self.heads.append(at)
            self._frames.append(Frame(i, root, self))
        del root
        for i in range(frames):
            self._frames[i].idle = sys.getrefcount(self._frames[i].root)
        self._actions_at = self._slot_columns[3]
        self._starts = [slots_at + i * self._slot_size for i in range(self._slots)]
        self._room: int = self._slot_size - _HEAD
        self._free = list(range(frames))
        self._in_use: list[int] = []
        # The frame of each request under way, whether its answer is to be copied, and whether it
        # comes soon, by the slot. A signal handler may end any call by an exception: numbers
        # change after all else, without a call in between, and _reclaim finds what was lost.
        self._under_way: list[tuple[Frame, bool, bool]] = [(self._frames[0], False, False)]
        self._under_way *= self._slots
        self.taken = self.made = 0

    def check(self, spec: Observation) -> None:
        """Raise UnavailableError unless the memory has room for the tensors of an observation."""
        actual = [size for _, size in self.layout[len(COLUMNS) :]]
        expected = [
            math.prod(t.shape) if t.packed and self.unpacked else t.row_bytes for t in spec.tensors
        ]
        if actual != expected:
            raise UnavailableError(
                f"the server's memory has tensors of {actual} bytes per row instead of "
                f"{expected}: it is of another version"
            )

    def ready(self) -> bool:
        """Return whether there is a free slot and a free frame for a request."""
        if self.under_way >= self._slots:
            return False
        return len(self._free) > 1 or self._reclaim() > 0

    @property
    def under_way(self) -> int:
        """Number of requests whose answers have not been taken."""
        return (self.made - self.taken) & _WRAP

    def _reclaim(self) -> int:
        """Free the frames that no array refers to, and return the number of free frames."""
        slots = [(self.taken + i) % self._slots for i in range(self.under_way)]
        busy = {*self._free, *(self._under_way[slot][0].number for slot in slots)}
        kept = []
        for number in dict.fromkeys([*self._in_use, *range(len(self._frames))]):
            if number in busy:
                continue
            if sys.getrefcount(self._frames[number].root) > self._frames[number].idle:
                kept.append(number)
            else:
                self._free.append(number)
        self._in_use = kept
        return len(self._free)

    def answer(self, frame: int, actions: bytes, request_id: int) -> None:
        """Request: answer the rows of a frame, in their order."""
        n = len(actions)
        start = self._starts[self.made % self._slots]
        at = start + self._actions_at
        self.memory[at : at + n] = actions
        self._make(start, ANSWERS_TO, n, frame, request_id, n <= FEW)

    def answer_rows(self, columns: tuple[bytes, bytes, bytes, bytes], request_id: int) -> None:
        """Request: answer rows, given by columns of table, player, step and action."""
        n = len(columns[1])
        start = self._starts[self.made % self._slots]
        for at, column in zip(self._slot_columns, columns, strict=True):
            self.memory[start + at : start + at + len(column)] = column
        self._make(start, ANSWERS, n, 0, request_id, n <= FEW)

    def message(self, text: bytes, request_id: int) -> bool:
        """Request anything; return False if the text is too long and must go by the stream."""
        start = self._starts[self.made % self._slots]
        fits = len(text) <= self._room
        if fits:
            self.memory[start + _HEAD : start + _HEAD + len(text)] = text
        kind, length = (MESSAGE, len(text)) if fits else (ELSEWHERE, 0)
        self._make(start, kind, length, 0, request_id, False)
        return fits

    def _make(
        self, start: int, kind: int, n: int, answered: int, request_id: int, soon: bool
    ) -> None:
        frame = self._frames[self._free.pop()]
        words = self.words
        _HEAD_FIELDS.pack_into(self.memory, start, kind, frame.number, n, answered, request_id)
        made = self.made
        # An answer in the last free frame is copied, so that a frame stays free.
        self._under_way[made % self._slots] = (frame, not self._free, soon)
        self.made = made = (made + 1) & _WRAP
        if _ORDERED:
            words[_REQUESTS] = made
        else:
            self._fence()
            words[_REQUESTS] = made
            self._fence()
        if words[_SERVER_SLEEPS]:
            self._futex(_REQUESTS, _FUTEX_WAKE, 1)

    def wait(self) -> bool:
        """Wait at most 0.1 s for an answer, and return whether there is one."""
        words, taken = self.words, self.taken
        if words[_RESPONSES] != taken:
            return True
        if words[_SPIN] and self.made != taken and self._under_way[taken % self._slots][2]:
            for _ in _SPINS:
                if words[_RESPONSES] != taken:
                    return True
        words[_PROCESSOR] = self._processor() + 1
        words[_CLIENT_SLEEPS] = 1
        if not _ORDERED:
            self._fence()
        if words[_RESPONSES] == taken:
            self._futex(_RESPONSES, _FUTEX_WAIT, taken, ctypes.addressof(self._timeout))
        words[_CLIENT_SLEEPS] = 0
        answered: int = words[_RESPONSES]
        return answered != taken

    def take(self) -> tuple[int, int, Frame, int, int, int]:
        """Take the next answer, after ``wait`` has returned True.

        Returns:
            The kind, the id of the request, the frame, the number of rows or bytes, the number
            of last rows, and the flags. Read a message by ``text`` before the next request.
        """
        if not _ORDERED:
            self._fence()
        frame, copied, _ = self._under_way[self.taken % self._slots]
        number = frame.number
        kind, last_rows, count, flags, request_id = _HEAD_FIELDS.unpack_from(
            self.memory, self.heads[number]
        )
        self.taken = (self.taken + 1) & _WRAP
        if kind != BATCH:
            self._free.append(number)
        elif copied:
            frame = Frame(-1, frame.root.copy(), self)
            self._free.append(number)
        else:
            self._in_use.append(number)
        return kind, request_id, frame, count, last_rows, flags

    def text(self, frame: Frame, length: int) -> bytes:
        """Return the message in a frame."""
        return frame.root[_HEAD : _HEAD + length].tobytes()

    @property
    def ended(self) -> bool:
        """Whether the server has stopped answering."""
        return bool(self.words[_ENDED])

    def _futex(self, word: int, operation: int, value: int, timeout: int = 0) -> None:
        self._syscall(_FUTEX, self._address + 4 * word, operation, value, timeout, 0, 0)

    def _fence(self) -> None:
        """Order the writes and reads before this call with those after it.

        The operation adds 0 to a word, with memory barriers, and wakes no thread.
        """
        word = self._address + _HEADER - 4
        self._syscall(_FUTEX, word, _FUTEX_WAKE_OP, 0, 0, word, 1 << 28)
