"""Tables that are played within this process, by the library ``libsparrowhall``."""

from __future__ import annotations

import ctypes
import mmap
import struct
import sys
import threading
from sys import getrefcount
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._library import FAILED, TWO_THREADS, Library, text
from sparrowhall._process import CurrentProcess, check_process
from sparrowhall._proto import env_pb2 as pb
from sparrowhall._shared_memory import FEW, Frame, read_layout
from sparrowhall.batch import Batch
from sparrowhall.errors import ServerError, SparrowhallError
from sparrowhall.spec import Observation

MOST = 64
"""Tables up to which ``transport="auto"`` plays them within the process."""

_ROWS = 0xFFFFFFFF
_PATIENCE = 60.0
"""Seconds to wait for a request of another thread before an observation is read."""


class _Frame(Frame):
    """A frame that has bits both packed and unpacked, and masks with a byte for each action."""

    def __init__(self, number: int, root: NDArray[np.uint8], stream: Stream) -> None:
        super().__init__(number, root, stream)
        tensors = (len(self._tensors) - 1) // 2
        self._packed = self._tensors[:tensors]
        self._cells = self._tensors[-1]
        self._tensors = self._tensors[tensors:-1]
        self._packed_shapes: list[NDArray[Any]] = []
        self._cells.flags.writeable = False
        # Arrays of the one row that most batches of one table have: their views take half of the
        # time of slices.
        self._one_cells, self._one_words = self._cells[:1], self._words[:1]
        # Six views take as long as the play in between, so that batches share these arrays.
        self._one_packed = [tensor[:1] for tensor in self._packed]
        self._lent = False
        self._unlent = max(map(getrefcount, self._one_packed), default=0)

    def words(self, n: int) -> NDArray[np.uint64]:
        return self._one_words.view() if n == 1 else self._words[:n]

    def cells(self, n: int) -> NDArray[np.uint8]:
        return self._one_cells.view() if n == 1 else self._cells[:n]

    def tensors(self, spec: Observation, n: int) -> list[NDArray[np.uint8]]:
        if n == 1:
            self._lent = True
            return self._one_packed.copy()
        return [tensor[:n] for tensor in self._packed]

    def free(self) -> bool:
        """Return whether no batch and no array that a batch has given refers to the frame."""
        if getrefcount(self.root) > self.idle:
            return False
        if self._lent:
            # These refer to the memory for as long as the frame is there.
            self._lent = max(map(getrefcount, self._one_packed)) > self._unlent
        return not self._lent

    def shaped(self, spec: Observation, n: int) -> list[NDArray[Any]]:
        if not self._packed_shapes:
            before = getrefcount(self.root)
            self._packed_shapes = self._shape_packed(spec)
            self.idle += getrefcount(self.root) - before
        return [tensor[:n] for tensor in self._packed_shapes]

    def unpack(self, spec: Observation) -> None:
        """Fill the memory of unpacked bits."""
        pairs = zip(spec.tensors, self._tensors, self._shape_packed(spec), strict=True)
        for t, tensor, packed in pairs:
            tensor[:] = np.ascontiguousarray(t.unpack(packed)).view(np.uint8).reshape(tensor.shape)

    def _shape_packed(self, spec: Observation) -> list[NDArray[Any]]:
        return [t.shaped(raw) for t, raw in zip(spec.tensors, self._packed, strict=True)]

    def _shape(self, spec: Observation) -> dict[str, NDArray[Any]]:
        self.ring.unpack()
        return super()._shape(spec)


class Stream:
    """The tables of one stream within this process, with the attributes of ``Ring``.

    Every request is carried out when it is made.
    """

    unpacked = True

    def __init__(self, library: Library, tables: int, quick: bool) -> None:
        """Start a stream.

        Args:
            library: The library.
            tables: Number of tables.
            quick: Whether all opponents answer within microseconds.

        Raises:
            ServerError: there are too many streams.
        """
        self._library = library
        self._process_id = CurrentProcess.id
        # A short call keeps the interpreter's lock: to get it back from another busy thread
        # takes as long as thousands of calls.
        self._short = library.holding if quick and tables <= FEW else library.releasing
        self._call_act = self._short["act"]
        self._lock = threading.Lock()
        self.spec: Observation | None = None
        self.unit = 1
        self._frames: list[_Frame] = []
        self._free: list[_Frame] = []
        self._in_use: list[_Frame] = []
        self._unpacks = False
        self._handle = library.holding["open"]()
        if not self._handle:
            raise ServerError("4096 streams are open in this process, as many as it may have")

    def attach(self, spec: Observation | None, unit: int) -> None:
        """Have rows written to memory of this process.

        Args:
            spec: The observation of batches.
            unit: Units of a point.
        """
        self.spec, self.unit = spec, unit
        functions = self._library.holding
        size = functions["size"](self._handle)
        self.memory = mmap.mmap(-1, size)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        if not functions["attach"](self._handle, address, size):
            raise ServerError(f"the library refused memory of {size} bytes")
        frames, at, size, self.rows, self.layout = read_layout(self.memory)
        self.heads = [at + i * size for i in range(frames)]
        self.summaries: list[struct.Struct] = []
        for i, head in enumerate(self.heads):
            root = np.frombuffer(self.memory, np.uint8, size, head)
            self._frames.append(_Frame(i, root, self))
        del root
        for frame in self._frames:
            frame.idle = getrefcount(frame.root)
        self._free = list(self._frames)

    def request(self, request: pb.PlayRequest) -> tuple[_Frame | None, int, int, list[bytes]]:
        """Carry out a request.

        Returns:
            The frame with the rows that answer it, their number and that of last rows; or None
            and the messages that answer it.
        """
        encoded = request.SerializeToString()
        long = request.WhichOneof("request") == "playout"
        functions = self._library.releasing if long else self._short
        self.check()
        if not self._lock.acquire(False):
            self._inherit_lock()
        try:
            frame = self._take() if self._frames else None
            number = frame.number if frame else 0
            result = functions["request"](self._handle, encoded, len(encoded), number)
            if result >= 0:
                assert frame is not None
                return self._use(frame), result & _ROWS, result >> 32, []
            if frame is not None:
                self._free.append(frame)
            self._check(result)
            return None, 0, 0, self._messages()
        finally:
            self._lock.release()

    def act(self, of: int, actions: bytes, request_id: int) -> Batch | bytes:
        """Answer the rows of a frame, and return those that answer that, or a message."""
        lock = self._lock
        if not lock.acquire(False):
            self._inherit_lock()
        try:
            in_use, free = self._in_use, self._free
            # The oldest frame in use is free now in most loops, and in the processor's cache.
            if in_use and (frame := in_use[0]).free():
                del in_use[0]
            else:
                frame = self._take()
            result = self._call_act(self._handle, of, frame.number, actions, len(actions))
            if result >= 0:
                if free:
                    in_use.append(frame)
                else:
                    frame = self._use(frame)
                rows, last_rows = result & _ROWS, result >> 32
                return Batch(frame, self.spec, rows, last_rows, self.unit, False, request_id)
            self._free.append(frame)
            self._check(result)
            return self._messages()[-1]
        finally:
            lock.release()

    def unpack(self) -> None:
        """Have the bits of observations unpacked from now on, in the frames in use as well."""
        if self._unpacks:
            return
        if (
            not self._lock.acquire(False)
            and self._in_call(sys._getframe(1))
            and not self._lock.acquire(timeout=_PATIENCE)
        ):
            raise _two_threads()
        try:
            self._unpack()
        finally:
            self._lock.release()

    def _unpack(self) -> None:
        if not self._unpacks and self.spec is not None:
            for frame in self._frames:
                frame.unpack(self.spec)
            if self._handle and CurrentProcess.id == self._process_id:
                self._library.holding["unpack"](self._handle)
            self._unpacks = True

    def check(self) -> None:
        """Raise ServerError if this stream cannot be used in this process or is closed."""
        check_process(self._process_id)
        if not self._handle:
            raise ServerError("the tables are closed")

    def close(self) -> None:
        """End the stream; a request of another thread is carried out first."""
        handle, self._handle = self._handle, 0
        if handle and CurrentProcess.id == self._process_id:
            self._library.releasing["close"](handle)

    def _take(self) -> _Frame:
        """Return a free frame."""
        if not self._free:
            self._reclaim()
        return self._free.pop()

    def _use(self, frame: _Frame) -> _Frame:
        """Return a frame for a batch: a copy if no other frame is free."""
        if self._free or self._reclaim(frame):
            self._in_use.append(frame)
            return frame
        self._free.append(frame)
        self._unpack()  # a copy is not among the frames that are unpacked later
        return _Frame(-1, frame.root.copy(), self)

    def _reclaim(self, taken: _Frame | None = None) -> bool:
        """Free the frames that no array refers to but one, and return whether there are any.

        No frame is free before. Those that a call had taken when a signal handler ended it by an
        exception are in use as well.
        """
        kept: list[_Frame] = []
        for frame in dict.fromkeys([*self._in_use, *self._frames]):
            if frame is not taken:
                (self._free if frame.free() else kept).append(frame)
        self._in_use[:] = kept
        return bool(self._free)

    def _inherit_lock(self) -> None:
        """Continue with a lock that a call has left behind which a signal handler has ended.

        Raises:
            SparrowhallError: another call is under way.
        """
        if self._in_call(sys._getframe(2)):
            raise _two_threads()

    def _in_call(self, own: FrameType | None) -> bool:
        """Return whether a call that needs the lock is under way.

        Args:
            own: The frame of this thread that is looked at first.
        """
        stacks = {**sys._current_frames(), threading.get_ident(): own}
        for top in stacks.values():
            at = top
            while at is not None:
                if at.f_code in _LOCKING and at.f_locals.get("self") is self:
                    return True
                at = at.f_back
        return False

    def _check(self, result: int) -> None:
        if result == TWO_THREADS:
            raise _two_threads()
        if result == FAILED:
            self.check()
            why = text(self._library.holding["failure"], self._handle).decode(errors="replace")
            raise ServerError(f"the tables in this process have ended: {why}")

    def _messages(self) -> list[bytes]:
        """Return the answers that are messages."""
        messages = []
        while message := text(self._library.holding["answer"], self._handle):
            messages.append(message)
        return messages


_LOCKING = {f.__code__ for f in (Stream.request, Stream.act, Stream.unpack)}


def _two_threads() -> SparrowhallError:
    return SparrowhallError(
        "two threads use these tables at the same time; open tables for each thread"
    )
