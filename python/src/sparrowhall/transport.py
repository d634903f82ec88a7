"""Shared memory of a client and a server on one machine; see docs/local-transport.md.

Requests are written into slots, the server writes the answer to each into the frame that the
request names. A frame is used again once no array shows it any more.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import platform
import struct
import sys
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall.spec import Observation

VERSION = 1
"""The version of the layout."""

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
)
"""The columns of a frame; those of the observation come after them."""

_DTYPES = ("<u4", "u1", "<u4", "u1", "<i4", "<i4", "u1", "<u4", "<i4", "u1", "<i4", "<u8")
_MASK = COLUMNS.index("mask")
_MAGIC = b"jansouSM"
_HEADER = 4096
_HEAD = 64
# Words of the header, counted in units of four bytes.
_REQUESTS, _RESPONSES, _SERVER_SLEEPS, _CLIENT_SLEEPS, _PROCESSOR, _SPIN, _ENDED = (
    at // 4 for at in (2048, 2112, 2176, 2240, 2244, 2304, 2368)
)
_WRAP = 0xFFFFFFFF
# What slots and frames begin with.
_PART = struct.Struct("<IIIIQ")
# Looks at a word before sleeping: some 50 microseconds.
_SPINS = range(700)
FEW = 32
"""Rows, and tables, up to which an answer is soon there and what is done once a batch counts."""
# The longest sleep without a look whether the server is still there.
_PATIENCE = 0.1

_FUTEX = {"x86_64": 202, "aarch64": 98}.get(platform.machine())
_FUTEX_WAIT, _FUTEX_WAKE, _FUTEX_WAKE_OP = 0, 1, 5
# Only on x86 does another processor see writes in the order in which they were made.
_ORDERED = platform.machine() == "x86_64"


class _Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


class UnavailableError(Exception):
    """There is no shared memory, for the reason that the message gives."""


def unavailable() -> str:
    """Return why this process cannot share memory, or nothing."""
    if sys.platform != "linux" or _FUTEX is None:
        return f"there is none on {sys.platform} {platform.machine()}"
    if sys.byteorder != "little" or ctypes.sizeof(ctypes.c_long) != 8:
        return "it needs a little-endian processor of 64 bits"
    if sys.implementation.name != "cpython" or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return "it needs CPython with its lock"
    return ""


class Frame:
    """A place for answers.

    Attributes:
        number: Its number, -1 if it cannot be named in requests.
        ring: The memory that it is a part of.
        root: All of it, uint8, read-only. Every array that shows the frame refers to it, and so
            must everything that such arrays are yet to be asked of.
        idle: How many references there are to root when nobody looks at it.
    """

    def __init__(self, number: int, root: NDArray[np.uint8], ring: Ring) -> None:
        self.number = number
        self.root = root
        self.ring = ring
        self._memory: Any = ring.memory if number >= 0 else root
        self._at = ring.heads[number] if number >= 0 else 0
        self.idle = 0
        # With all rows that there is room for.
        self._columns: dict[str, NDArray[Any] | None] = {}
        self._tensors: list[NDArray[np.uint8]] = []
        self._seen: dict[str, NDArray[Any]] = {}
        self._copies: dict[int, dict[str, Callable[[], NDArray[Any]]]] = {}
        self._glances: list[struct.Struct] = ring.glances
        rows = ring.rows
        for i, (at, size) in enumerate(ring.layout):
            column = root[at : at + size * rows]
            if i >= len(COLUMNS):
                self._tensors.append(column.reshape(rows, size))
            elif i == _MASK:
                self._words = column.view("<u8").reshape(rows, -1)
                self._columns["mask"] = column.reshape(rows, size)
            else:
                self._columns[COLUMNS[i]] = column.view(_DTYPES[i]) if size else None

    def rows(self, name: str, n: int) -> NDArray[Any] | None:
        """Return a column of n rows, None if the rules have no use for it."""
        column = self._columns[name]
        return None if column is None else column[:n]

    def words(self, n: int) -> NDArray[np.uint64]:
        """Return the masks of n rows as words, shape ``(n, 3)``."""
        return self._words[:n]

    def glance(self, row: int) -> tuple[int, int, int, bytes]:
        """Return what a row says apart from its observation, sooner than by arrays.

        Returns:
            The player, flags, reward, and the mask, packed.
        """
        try:
            return self._glances[row].unpack_from(self._memory, self._at)
        except IndexError:
            self._glances.append(_glance(self.ring.layout, len(self._glances)))
            return self.glance(row)

    def tensors(self, spec: Observation, n: int) -> list[NDArray[np.uint8]]:
        """Return the bytes of each tensor, bits packed, shape ``(n, row_bytes)``."""
        if not self.ring.unpacked:
            return [tensor[:n] for tensor in self._tensors]
        return [tensor.reshape(n, -1).view(np.uint8) for tensor in self.shaped(spec, n)]

    def shaped(self, spec: Observation, n: int) -> list[NDArray[Any]]:
        """Return each tensor with its dimensions, bits packed, shape ``(n, ...)``."""
        if not self.ring.unpacked:
            return [tensor[:n] for tensor in (self._seen or self._see(spec)).values()]
        seen = self.observed(spec, n)
        return [t.pack(seen[t.name]) for t in spec.tensors]

    def observed(self, spec: Observation, n: int) -> dict[str, NDArray[Any]]:
        """Return each tensor, bits unpacked, shape ``(n, *shape)``."""
        seen = self._seen or self._see(spec)
        if self.ring.unpacked:
            return {name: tensor[:n] for name, tensor in seen.items()}
        return {t.name: t.unpack(seen[t.name][:n]) for t in spec.tensors}

    def row(self, spec: Observation, row: int) -> dict[str, NDArray[Any]]:
        """Return copies of the tensors of one row, bits unpacked."""
        if not self.ring.unpacked:
            seen = self.observed(spec, row + 1)
            return {name: tensor[row].copy() for name, tensor in seen.items()}
        copies = self._copies.get(row) or self._copy(spec, row)
        return {name: copy() for name, copy in copies.items()}

    def _copy(self, spec: Observation, row: int) -> dict[str, Callable[[], NDArray[Any]]]:
        """Return what copies the tensors of a row, which is made once."""
        seen = self._seen or self._see(spec)
        before = sys.getrefcount(self.root)
        self._copies[row] = {name: tensor[row].copy for name, tensor in seen.items()}
        self.idle += sys.getrefcount(self.root) - before
        return self._copies[row]

    def _see(self, spec: Observation) -> dict[str, NDArray[Any]]:
        """Give the tensors their dimensions, once."""
        before = sys.getrefcount(self.root)
        self._seen = {
            t.name: raw.reshape(len(raw), *t.shape)
            if t.packed and self.ring.unpacked
            else t.shaped(raw)
            for t, raw in zip(spec.tensors, self._tensors, strict=True)
        }
        self.idle += sys.getrefcount(self.root) - before
        return self._seen


def _glance(layout: list[tuple[int, int]], row: int) -> struct.Struct:
    """Return what a row of a frame is read by, apart from its observation."""
    form, end = "<", 0
    for name, kind in (("player", "B"), ("flags", "B"), ("reward", "i"), ("mask", "24s")):
        at, size = layout[COLUMNS.index(name)]
        form += f"{at + size * row - end}x{kind}"
        end = at + size * (row + 1)
    return struct.Struct(form)


class Ring:
    """The client's side of the shared memory. It is used by one thread at a time.

    Attributes:
        rows: The rows of a frame.
        answers: The answers of a slot.
        unpacked: Whether bits of observations take bytes.
        layout: For each column where it begins in a frame, and its bytes a row.
        memory: All of it.
        heads: Where each frame begins in it.
        glances: What the first rows of frames are read by; see ``Frame.glance``.
        taken: Answers received.
        made: Requests made.
    """

    def __init__(self, path: str, size: int, token: bytes, *, unpacked: bool) -> None:
        """Map the memory that a server has made.

        Args:
            path: Where it is.
            size: The number of its bytes.
            token: What its header must repeat.
            unpacked: Whether bits of observations take bytes in it.

        Raises:
            UnavailableError: it cannot be mapped, or is not what the server has said.
        """
        try:
            if not os.readlink(path).startswith("/memfd:sparrowhall"):
                raise UnavailableError("the server's files cannot be seen; is it in a container?")
            fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            try:
                if os.fstat(fd).st_size != size or size < _HEADER:
                    raise UnavailableError(f"{path} has not {size} bytes")
                self.memory = mmap.mmap(fd, size)
            finally:
                os.close(fd)
        except OSError as e:
            raise UnavailableError(f"{path} cannot be opened: {e.strerror}") from None
        head = self.memory[:_HEADER]
        magic, version, columns, given = struct.unpack_from("<8sII16s", head, 0)
        if magic != _MAGIC or given != token:
            raise UnavailableError(f"{path} is not the memory of this stream")
        if version != VERSION:
            raise UnavailableError(
                f"{path} has the layout of version {version}, and this package knows {VERSION}"
            )
        (
            self._slots,
            frames,
            slots_at,
            self._slot_size,
            frames_at,
            frame_size,
            self.answers,
            self.rows,
            *self._slot_columns,
        ) = struct.unpack_from("<IIQQQQII4I", head, 40)
        self.layout = [struct.unpack_from("<QI", head, 256 + 16 * i) for i in range(columns)]
        self.unpacked = unpacked
        self.words = memoryview(self.memory).cast("B").cast("I")
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        # Which processor runs this: the server may choose the same.
        self._processor = getattr(ctypes.PyDLL(None), "sched_getcpu", lambda: -1)
        self._syscall = ctypes.CDLL(None).syscall
        self._syscall.argtypes = [ctypes.c_long] * 7
        self._syscall.restype = ctypes.c_long
        self._timeout = _Timespec(0, int(_PATIENCE * 1e9))
        self._frames: list[Frame] = []
        self.heads: list[int] = []
        self.glances: list[struct.Struct] = []
        for i in range(frames):
            at = frames_at + i * frame_size
            root = np.frombuffer(self.memory, np.uint8, frame_size, at)
            root.flags.writeable = False
            self.heads.append(at)
            self._frames.append(Frame(i, root, self))
        del root
        for i in range(frames):
            self._frames[i].idle = sys.getrefcount(self._frames[i].root)
        self._actions_at = self._slot_columns[3]
        self._starts = [slots_at + i * self._slot_size for i in range(self._slots)]
        self._room: int = self._slot_size - _HEAD
        self._free = list(range(frames))
        self._looked_at: list[int] = []
        self._under_way: deque[tuple[Frame, bool, bool]] = deque()
        self.taken = self.made = 0

    def check(self, spec: Observation) -> None:
        """Raise UnavailableError if the tensors do not lie there as they were asked for."""
        there = [size for _, size in self.layout[len(COLUMNS) :]]
        asked = [
            math.prod(t.shape) if t.packed and self.unpacked else t.row_bytes for t in spec.tensors
        ]
        if there != asked:
            raise UnavailableError(
                f"the server lays out tensors of {there} bytes a row, and {asked} were asked "
                "for: it is of another version"
            )

    def ready(self) -> bool:
        """Return whether a request can be made now: there is a slot and a frame for it."""
        if len(self._under_way) >= self._slots:
            return False
        return len(self._free) > 1 or self._reclaim() > 0

    def _reclaim(self) -> int:
        """Take frames back that nobody looks at, and return how many are free."""
        kept = []
        for number in self._looked_at:
            if sys.getrefcount(self._frames[number].root) > self._frames[number].idle:
                kept.append(number)
            else:
                self._free.append(number)
        self._looked_at = kept
        return len(self._free)

    def answer(self, frame: int, actions: bytes, request_id: int) -> None:
        """Make a request: answers to the rows of a frame, in their order."""
        n = len(actions)
        start = self._starts[self.made % self._slots]
        at = start + self._actions_at
        self.memory[at : at + n] = actions
        self._make(start, ANSWERS_TO, n, frame, request_id, n <= FEW)

    def answer_rows(self, columns: tuple[bytes, bytes, bytes, bytes], request_id: int) -> None:
        """Make a request: answers by table, player, step and action."""
        n = len(columns[1])
        start = self._starts[self.made % self._slots]
        for at, column in zip(self._slot_columns, columns, strict=True):
            self.memory[start + at : start + at + len(column)] = column
        self._make(start, ANSWERS, n, 0, request_id, n <= FEW)

    def message(self, text: bytes, request_id: int) -> bool:
        """Make a request of any kind; if False it is too long and must go by the stream."""
        start = self._starts[self.made % self._slots]
        fits = len(text) <= self._room
        if fits:
            self.memory[start + _HEAD : start + _HEAD + len(text)] = text
        kind, length = (MESSAGE, len(text)) if fits else (ELSEWHERE, 0)
        self._make(start, kind, length, 0, request_id, False)
        return fits

    def _make(self, start: int, kind: int, n: int, of: int, request_id: int, soon: bool) -> None:
        frame = self._frames[self._free.pop()]
        words = self.words
        _PART.pack_into(self.memory, start, kind, frame.number, n, of, request_id)
        # What comes into the last free frame is copied, lest there be none.
        self._under_way.append((frame, not self._free, soon))
        self.made = made = (self.made + 1) & _WRAP
        if _ORDERED:
            words[_REQUESTS] = made
        else:
            self._fence()
            words[_REQUESTS] = made
            self._fence()
        if words[_SERVER_SLEEPS]:
            self._futex(_REQUESTS, _FUTEX_WAKE, 1)

    def wait(self) -> bool:
        """Wait for an answer, but not for long; return whether one is there."""
        words, taken = self.words, self.taken
        if words[_RESPONSES] != taken:
            return True
        if words[_SPIN] and self._under_way and self._under_way[0][2]:
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
        seen: int = words[_RESPONSES]
        return seen != taken

    def take(self) -> tuple[int, int, Frame, int, int, int]:
        """Take the next answer, for which ``wait`` has returned True.

        Returns:
            Its kind, the id of its request, its frame, and its number of rows or bytes, of last
            rows, and its flags. Messages are read by ``text`` before anything else is done.
        """
        if not _ORDERED:
            self._fence()
        frame, copied, _ = self._under_way.popleft()
        self.taken = (self.taken + 1) & _WRAP
        number = frame.number
        kind, lasts, count, flags, id_ = _PART.unpack_from(self.memory, self.heads[number])
        if kind != BATCH:
            self._free.append(number)
        elif copied:
            own = frame.root.copy()
            own.flags.writeable = False
            frame = Frame(-1, own, self)
            self._free.append(number)
        else:
            self._looked_at.append(number)
        return kind, id_, frame, count, lasts, flags

    def text(self, frame: Frame, length: int) -> bytes:
        """Return the message in a frame."""
        return frame.root[_HEAD : _HEAD + length].tobytes()

    @property
    def ended(self) -> bool:
        """Whether the server has said that it answers no more."""
        return bool(self.words[_ENDED])

    def _futex(self, word: int, operation: int, value: int, timeout: int = 0) -> None:
        self._syscall(_FUTEX, self._address + 4 * word, operation, value, timeout, 0, 0)

    def _fence(self) -> None:
        """Order what was written and read before with what comes after.

        The operation adds nothing to a word, with barriers, and wakes nobody.
        """
        word = self._address + _HEADER - 4
        self._syscall(_FUTEX, word, _FUTEX_WAKE_OP, 0, 0, word, 1 << 28)
