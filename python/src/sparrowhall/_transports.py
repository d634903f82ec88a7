"""How requests travel to tables, and answers back: three transports behind one interface."""

from __future__ import annotations

import queue
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from sparrowhall._grpc import call_error, load_grpc
from sparrowhall._in_process import Stream
from sparrowhall._process import CurrentProcess, check_process
from sparrowhall._proto import env_pb2 as pb
from sparrowhall._shared_memory import BATCH, MESSAGE, Ring
from sparrowhall.batch import Batch, batch_of
from sparrowhall.errors import RequestError, ServerError, SparrowhallError
from sparrowhall.spec import Observation

Columns = tuple[bytes, bytes, bytes, bytes]
"""Columns of table, player, step and action."""


class Connection(Protocol):
    """What the transport to a server needs of a client."""

    address: str
    timeout: float
    closed: bool

    def play(self, requests: Iterator[pb.PlayRequest]) -> Any:
        """Start a stream of requests, and return gRPC's iterator of its responses."""


class TableTransport(ABC):
    """Carries the requests of one stream of tables, and puts their answers in order.

    In synchronous mode every request has one answer, but the first, which has a batch as well.

    Attributes:
        name: The name of the transport.
        request_id: Number of the last request.
        arrived: Answers that have arrived and that no caller has received.
    """

    name: ClassVar[Literal["inprocess", "shared", "grpc"]]

    def __init__(self, asynchronous: bool) -> None:
        """Begin with no requests."""
        self.process_id = CurrentProcess.id
        self.asynchronous = asynchronous
        self.request_id = 0
        self.arrived: deque[pb.PlayResponse | Batch] = deque()
        # The last request that has been answered, and the last whose answer no caller waits for
        # any more, since a signal handler has ended the call by an exception.
        self._answered, self._dropped = 0, -1
        self._spec: Observation | None = None
        self._unit, self._actions = 1, 0

    def describe(self, spec: Observation | None, unit: int, actions: int) -> None:
        """Set what batches need: the observation, units of a point, and the size of masks."""
        self._spec, self._unit, self._actions = spec, unit, actions
        if not self.arrived:
            self._answered -= 1  # the first batch follows

    @abstractmethod
    def send(self, **request: Any) -> int:
        """Make a request, and return its number."""

    @abstractmethod
    def check(self) -> None:
        """Raise ServerError if the tables have ended."""

    @abstractmethod
    def close(self) -> None:
        """End the tables."""

    @abstractmethod
    def _next(self) -> pb.PlayResponse | Batch:
        """Wait for the next answer."""

    def _expects(self) -> bool:
        """Return whether an answer is under way."""
        return self.asynchronous or self._answered < self.request_id

    def answer_rows(self, columns: Columns, flush: bool = False) -> None:
        """Answer rows, without waiting."""
        table, player, step, action = columns
        self.send(act=pb.Act(table=table, player=player, step=step, action=action, flush=flush))

    def answer(self, batch: Batch, given: bytes) -> None:
        """Answer the rows of a batch that must be answered, without waiting."""
        table, player, step = batch.table, batch.player, batch.step
        if batch._last_rows:
            asked = batch.asked
            table, player, step = table[asked], player[asked], step[asked]
            given = np.frombuffer(given, np.uint8)[asked].tobytes()
        self.answer_rows((table.tobytes(), player.tobytes(), step.tobytes(), given))

    def act(self, batch: Batch, given: bytes) -> Batch:
        """Answer a batch and wait for the next."""
        return self.exchange(lambda: self.answer(batch, given))

    def exchange(self, send: Callable[[], None]) -> Batch:
        """Send, and wait for the next batch."""
        before = self.request_id
        try:
            send()
            return self.recv()
        except SparrowhallError:
            raise
        except BaseException:
            self._drop_answers(before)
            raise

    def recv(self) -> Batch:
        """Wait for the next batch; see ``Tables.recv``."""
        if CurrentProcess.id != self.process_id:
            check_process(self.process_id)
        if self.arrived:
            return self.batch(self.arrived.popleft())
        if self._expects():
            return self.batch(self._wait())
        self.check()
        raise SparrowhallError(
            "recv has no batch to wait for: every request has been answered; call act or send"
        )

    def call(self, **request: Any) -> pb.PlayResponse | Batch:
        """Make a request and wait for its answer."""
        before = self.request_id
        try:
            request_id = self.send(**request)
            while (response := self._wait()).request_id != request_id:
                # The answer to a send, or a batch of asynchronous mode: recv returns it.
                self.arrived.append(response)
        except SparrowhallError:
            raise
        except BaseException:
            self._drop_answers(before)
            raise
        return response

    def batch(self, response: pb.PlayResponse | Batch) -> Batch:
        """Return the batch in an answer, or raise the error in it."""
        if isinstance(response, Batch):
            return response
        message: pb.Batch = unwrap(response, "batch")
        return batch_of(message, self._spec, self._unit, self._actions, response.request_id)

    def _wait(self) -> pb.PlayResponse | Batch:
        """Wait for the next answer that is not dropped."""
        while (response := self._next()).request_id <= self._dropped:
            pass
        self._answered = response.request_id
        return response

    def _drop_answers(self, before: int) -> None:
        """Have the answers dropped that are under way, if there was a request after another."""
        if self.request_id != before and not self.asynchronous:
            self._dropped = self._answered = self.request_id
            self.arrived.clear()


class InProcess(TableTransport):
    """Tables within this process, which carry out every request when it is made."""

    name = "inprocess"

    def __init__(self, stream: Stream) -> None:
        super().__init__(asynchronous=False)
        self._stream = stream

    def describe(self, spec: Observation | None, unit: int, actions: int) -> None:
        self._stream.attach(spec, unit)
        super().describe(spec, unit, actions)

    def act(self, batch: Batch, given: bytes) -> Batch:
        columns, stream = batch._columns, self._stream
        near = columns.ring is stream and columns.number >= 0
        if not near or self.arrived or CurrentProcess.id != self.process_id:
            return super().act(batch, given)
        self.request_id = request_id = self.request_id + 1
        answer = stream.act(columns.number, given, request_id)
        if type(answer) is bytes:
            return self.batch(_message(answer, request_id))
        return answer  # type: ignore[return-value]

    def answer(self, batch: Batch, given: bytes) -> None:
        columns = batch._columns
        if columns.ring is not self._stream or columns.number < 0:
            super().answer(batch, given)
            return
        check_process(self.process_id)
        self.request_id = request_id = self.request_id + 1
        answer = self._stream.act(columns.number, given, request_id)
        if isinstance(answer, bytes):
            self.arrived.append(_message(answer, request_id))
        else:
            self.arrived.append(answer)

    def send(self, **request: Any) -> int:
        self.request_id = request_id = self.request_id + 1
        message = pb.PlayRequest(request_id=request_id, **request)
        frame, rows, last_rows, texts = self._stream.request(message)
        if frame is not None:
            batch = Batch(frame, self._spec, rows, last_rows, self._unit, False, request_id)
            self.arrived.append(batch)
        self.arrived += [_message(text, request_id) for text in texts]
        return request_id

    def _expects(self) -> bool:
        return False

    def _next(self) -> pb.PlayResponse | Batch:
        return self.arrived.popleft()

    def check(self) -> None:
        self._stream.check()

    def close(self) -> None:
        self.arrived.clear()
        self._stream.close()

    def __del__(self) -> None:
        # The tables end with this object, though batches may still refer to their memory.
        self._stream.close()


class GrpcStream(TableTransport):
    """A stream of messages to a server."""

    name = "grpc"

    def __init__(self, client: Connection, asynchronous: bool) -> None:
        super().__init__(asynchronous)
        self._client, self.address = client, client.address
        self._closed = False
        self._lock = threading.Lock()
        self._requests: queue.SimpleQueue[pb.PlayRequest | None] = queue.SimpleQueue()
        self._responses = client.play(iter(self._requests.get, None))
        self._rpc_error: Any = load_grpc().RpcError

    def send(self, **request: Any) -> int:
        check_process(self.process_id)
        with self._lock:
            self.request_id = request_id = self.request_id + 1
            self.put(pb.PlayRequest(request_id=request_id, **request))
        return request_id

    def put(self, message: pb.PlayRequest) -> None:
        """Send a message that has its number."""
        self._requests.put(message)

    @property
    def active(self) -> bool:
        """Whether the server has not ended the stream."""
        return bool(self._responses.is_active())

    def check_open(self) -> None:
        """Raise ServerError if this side has closed the stream."""
        if self._closed or self._client.closed:
            raise ServerError("the tables are closed")

    def read(self) -> pb.PlayResponse:
        """Return the next message of the stream."""
        address, timeout = self.address, self._client.timeout
        try:
            response: pb.PlayResponse = next(self._responses)
        except StopIteration:
            raise ServerError(f"the server at {address} has ended the stream") from None
        except self._rpc_error as e:
            raise call_error(e, f"server at {address}", timeout) from None
        return response

    def _next(self) -> pb.PlayResponse:
        self.check_open()
        return self.read()

    def check(self) -> None:
        if not self.active:
            self._next()  # raises the reason

    def close(self) -> None:
        self._closed = True
        if CurrentProcess.id == self.process_id:
            self._requests.put(None)
            self._responses.cancel()


class SharedMemory(TableTransport):
    """Memory shared with a server on this machine, beside a stream for what is too long for it."""

    name = "shared"

    def __init__(self, stream: GrpcStream, ring: Ring) -> None:
        """Continue a stream in shared memory, to which the server has agreed."""
        super().__init__(asynchronous=False)
        self.request_id, self.arrived = stream.request_id, stream.arrived
        self._answered, self._dropped = stream._answered, stream._dropped
        self._stream, self._ring = stream, ring
        self._lock = threading.Lock()
        # Requests for which there is no room yet.
        self._delayed: deque[Callable[[], None]] = deque()

    def send(self, **request: Any) -> int:
        check_process(self.process_id)
        with self._lock:
            self.request_id = request_id = self.request_id + 1
            message = pb.PlayRequest(request_id=request_id, **request)
            self._make(lambda: self._put(message))
        return request_id

    def answer_rows(self, columns: Columns, flush: bool = False) -> None:
        n = len(columns[3])
        if n > self._ring.answers or [len(c) for c in columns] != [4 * n, n, 4 * n, n]:
            super().answer_rows(columns, flush)
            return
        check_process(self.process_id)
        with self._lock:
            self.request_id = request_id = self.request_id + 1
            self._make(lambda: self._ring.answer_rows(columns, request_id))

    def answer(self, batch: Batch, given: bytes) -> None:
        columns, ring = batch._columns, self._ring
        frame = columns.number
        if columns.ring is not ring or frame < 0:
            super().answer(batch, given)
            return
        if CurrentProcess.id != self.process_id:
            check_process(self.process_id)
        with self._lock:
            self.request_id = request_id = self.request_id + 1
            if not self._delayed and ring.ready():
                ring.answer(frame, given, request_id)
            else:
                # The reference to the batch keeps its frame until then.
                self._delayed.append(
                    lambda _=batch: ring.answer(frame, given, request_id)  # type: ignore[misc]
                )

    def _make(self, request: Callable[[], None]) -> None:
        """Make a request, or delay it until there is room."""
        if self._delayed or not self._ring.ready():
            self._delayed.append(request)
        else:
            request()

    def _put(self, message: pb.PlayRequest) -> None:
        if not self._ring.message(message.SerializeToString(), message.request_id):
            self._stream.put(message)

    def _next(self) -> pb.PlayResponse | Batch:
        self._stream.check_open()
        ring = self._ring
        while not ring.wait():
            self._check_alive()
        with self._lock:
            kind, request_id, frame, count, last_rows, flags = ring.take()
            text = ring.text(frame, count) if kind == MESSAGE else b""
            if kind == BATCH:
                draining = bool(flags & 1)
                batch = Batch(frame, self._spec, count, last_rows, self._unit, draining, request_id)
            while self._delayed and ring.ready():
                self._delayed.popleft()()
        if kind == BATCH:
            return batch
        return pb.PlayResponse.FromString(text) if kind == MESSAGE else self._stream.read()

    def _check_alive(self) -> None:
        """Raise ServerError if the server has stopped answering."""
        ring = self._ring
        if self._stream.active and not ring.ended:
            if not ring.under_way and not self._delayed:
                raise SparrowhallError("an interrupt has lost the answer of the tables: reset them")
            return
        if not ring.wait():
            self._stream.read()  # raises the reason if the stream has one
            raise ServerError(f"the server at {self._stream.address} has stopped answering")

    def check(self) -> None:
        self._stream.check()

    def close(self) -> None:
        self._stream.close()


def _message(text: bytes, request_id: int) -> pb.PlayResponse:
    response = pb.PlayResponse.FromString(text)
    response.request_id = request_id
    return response


def unwrap(response: pb.PlayResponse, kind: str) -> Any:
    """Return the field of a response that has the given name, or raise the error in it."""
    actual = response.WhichOneof("response")
    if actual == kind:
        return getattr(response, kind)
    if actual == "error":
        e = response.error
        hint = ""
        if e.code == pb.ERROR_CODE_STALE_STEP:
            hint = "; if an exception ended the last step, as Ctrl-C does, call reset"
        raise RequestError(
            code=pb.ErrorCode.Name(e.code).removeprefix("ERROR_CODE_"),
            message=e.message + hint,
            row=e.row if e.HasField("row") else None,
            table=e.table if e.HasField("table") else None,
            player=e.player if e.HasField("player") else None,
        )
    raise ServerError(f"the server answered with {actual} instead of {kind}")
