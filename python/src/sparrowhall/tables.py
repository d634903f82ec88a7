"""Tables that live in a server or in this process, driven with arrays."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparrowhall._closing import Closing
from sparrowhall._columns import from_column, to_column, to_integers
from sparrowhall._grpc import call_error, load_grpc
from sparrowhall._process import CurrentProcess, check_process
from sparrowhall._proto import env_pb2 as pb
from sparrowhall._shared_memory import (
    BATCH,
    FEW,
    MESSAGE,
    VERSION,
    Ring,
    UnavailableError,
    unavailable,
)
from sparrowhall.batch import Batch, batch_of
from sparrowhall.errors import RequestError, ServerError, SparrowhallError
from sparrowhall.spec import Observation, observation_of

if TYPE_CHECKING:
    from sparrowhall.client import Client

_ACTION = np.dtype(np.uint8)


@dataclass(frozen=True)
class Playouts:
    """The results of ``Tables.playout``, an entry for each row.

    Attributes:
        reward: Points moved to the player until the end of the hand, float64, shape ``(n,)``.
        owed: The change of what others owe the player less what the player owes, in points,
            float64, shape ``(n,)``.
        points: Points of all players at the end of the hand, float64, shape ``(n, 4)``, where
            three play ``(n, 3)``.

    Examples:
        >>> import numpy as np
        >>> import sparrowhall
        >>> with sparrowhall.local() as client, client.open("ema_2016", tables=1, seed=1) as tables:
        ...     batch = tables.recv()
        ...     legal = np.flatnonzero(batch.mask[0])
        ...     table, player = np.zeros(len(legal), int), np.repeat(batch.player, len(legal))
        ...     played = tables.playout(table, player, legal, "greedy")
        >>> played.points.shape == (len(legal), 4)
        True
    """

    reward: NDArray[np.float64]
    owed: NDArray[np.float64]
    points: NDArray[np.float64]


class Tables(Closing):
    """The tables of one stream, numbered from 0. A stream is for one thread.

    In synchronous mode every request has one answer, in order, so requests may be sent ahead.
    Send for half of the tables, then for the other half, then call ``recv`` twice: the server
    plays one half while the client decides for the other. In asynchronous mode
    (``min_batch`` above 0) batches arrive as soon as they are full.

    Attributes:
        ruleset: The resolved rules, with every knob.
        spec: The observation's description, None if the tables have none.
        num_tables: Number of tables.
        seats: Number of players of a table.
        actions: Size of the action table, which is the width of masks.
        action_table_version: Version of the action table.
        transport_reason: Why the transport is not a nearer one: why batches travel by gRPC, or
            why a local client has a server play the tables. Empty if there is no such reason.

    Examples:
        >>> import numpy as np
        >>> import sparrowhall
        >>> rng = np.random.default_rng(1)
        >>> with sparrowhall.local() as client, client.open("ema_2016", tables=4, seed=1) as tables:
        ...     batch = tables.recv()
        ...     for _ in range(10):
        ...         batch = tables.act(batch, sparrowhall.sample(batch.mask_words, rng))
        >>> bool(batch.asked.all())
        True
    """

    def __init__(self, client: Client, request: pb.Open) -> None:
        """Open the tables; see ``Client.open``."""
        client.check()
        self._client = client
        self._process_id = CurrentProcess.id
        self._asynchronous = request.min_batch > 0
        self._waiting: deque[pb.PlayResponse | Batch] = deque()
        self._closed = False
        self._request_id = 0
        # The last request that has been answered, and the last whose answer no caller waits for
        # any more, since a signal handler has ended the call by an exception.
        self._answered, self._dropped = 0, -1
        self._ring: Ring | None = None
        self._lock = threading.Lock()
        self._delayed: deque[Callable[[Ring], None]] = deque()
        self._unit = 1
        self.spec: Observation | None = None
        reason = ""
        self._inline, self.transport_reason = client.in_process(request)
        if self._inline is None:
            self._requests: queue.SimpleQueue[pb.PlayRequest | None] = queue.SimpleQueue()
            self._responses = client.play(iter(self._requests.get, None))
            self._rpc_error: Any = load_grpc().RpcError
            reason = self._refusal()
            self.transport_reason = reason or self.transport_reason
            request.local = 0 if reason else VERSION
            # With many tables packed bits take less memory, and unpacking them takes as long.
            request.local_unpacked = request.tables <= FEW
        try:
            opened = self._call("opened", open=request)
            self.seats: int = opened.ruleset.seats
            self.actions: int = opened.actions
            self.action_table_version: int = opened.action_table_version
            if request.observation:
                self.spec = observation_of(opened.observation, self.seats)
            if self._inline is not None:
                self._inline.attach(self.spec, opened.ruleset.units_per_point)
            elif request.local:
                reason = self._share(opened.local, request.local_unpacked)
                self.transport_reason = reason or self.transport_reason
            if client.transport == "shared" and reason:
                raise ServerError(
                    f"no memory can be shared with the server at {client.address}: {reason}"
                )
        except BaseException:
            self.close()
            raise
        self.ruleset: pb.Ruleset = opened.ruleset
        self.num_tables: int = opened.tables
        self._unit = self.ruleset.units_per_point
        if not self._waiting:
            self._answered -= 1  # the first batch follows

    def _refusal(self) -> str:
        """Return why no memory is to be shared with the server; empty to share some."""
        if self._client.transport == "grpc":
            return "the client's transport is 'grpc'"
        if self._asynchronous:
            return "asynchronous tables are played over the stream"
        return unavailable()

    def _share(self, local: pb.Local, unpacked: bool) -> str:
        """Continue in shared memory if the server has offered some, or return why not."""
        if local.refused or not local.path:
            return local.refused or "the server has no shared memory"
        try:
            ring = Ring(
                local.path, local.size, local.token, unpacked=unpacked, actions=self.actions
            )
            if self.spec is not None:
                ring.check(self.spec)
        except UnavailableError as e:
            return str(e)
        self._call("done", attach=pb.Attach())
        self._ring = ring
        return ""

    @property
    def transport(self) -> Literal["inprocess", "shared", "grpc"]:
        """How batches travel; ``transport_reason`` has the reason."""
        if self._inline is not None:
            return "inprocess"
        return "grpc" if self._ring is None else "shared"

    @property
    def usable(self) -> bool:
        """Whether this is the process that opened the tables."""
        return CurrentProcess.id == self._process_id

    def recv(self) -> Batch:
        """Wait for the next batch.

        Raises:
            RequestError: a request sent before was refused.
            ServerError: the stream has ended, or the server did not respond within the client's
                time-out.
            SparrowhallError: in synchronous mode all requests have been answered.
        """
        if CurrentProcess.id != self._process_id:
            check_process(self._process_id)
        if self._waiting:
            response = self._waiting.popleft()
        elif self._inline is None and (self._asynchronous or self._answered < self._request_id):
            response = self._wait()
        else:
            if self._inline is not None:
                self._inline.check()
            elif not self._responses.is_active():
                self._next()  # raises the reason
            raise SparrowhallError(
                "recv has no batch to wait for: every request has been answered; call act or send"
            )
        return response if isinstance(response, Batch) else self._batch(response)

    def send(
        self,
        table: ArrayLike,
        player: ArrayLike,
        step: ArrayLike,
        action: ArrayLike,
        *,
        flush: bool = False,
    ) -> None:
        """Answer for players, without waiting. All arrays have shape ``(n,)``.

        Args:
            table: Tables, in any order.
            player: The player who answers at each, 0..3.
            step: The step of the row that is answered.
            action: Action ids.
            flush: In asynchronous mode, request a batch even if it is not full.

        Raises:
            TypeError: an array has no integers.
            ValueError: a number is out of the range of its column.
        """
        columns = (
            to_column("table", table, "<u4"),
            to_column("player", player, "u1"),
            to_column("step", step, "<u4"),
            to_column("action", action, "u1"),
        )
        ring = self._ring
        n = len(columns[3])
        if ring is None or n > ring.answers or [len(c) for c in columns] != [4 * n, n, 4 * n, n]:
            tables, players, steps, actions = columns
            act = pb.Act(table=tables, player=players, step=steps, action=actions, flush=flush)
            self._send(act=act)
            return
        check_process(self._process_id)
        with self._lock:
            self._request_id = request_id = self._request_id + 1
            self._make(lambda ring: ring.answer_rows(columns, request_id))

    def send_answers(self, batch: Batch, actions: ArrayLike) -> None:
        """Answer all rows of a batch that must be answered, without waiting.

        Args:
            batch: The batch that is answered.
            actions: Action ids, shape ``(len(batch),)``, or as many bytes; those of other rows
                are ignored.

        Raises:
            TypeError: actions are not integers.
            ValueError: actions have another shape, or one is not in 0..255.
        """
        given = _given(batch, actions)
        columns = batch._columns
        near = columns.number >= 0 and columns.ring is self._inline
        if self._inline is not None and near:
            check_process(self._process_id)
            self._request_id = request_id = self._request_id + 1
            answer = self._inline.act(columns.number, given, request_id)
            if isinstance(answer, bytes):
                self._waiting.append(self._message(answer, request_id))
            else:
                self._waiting.append(answer)
            return
        ring, frame = self._ring, columns.number
        near = frame >= 0 and columns.ring is ring
        if ring is not None and near:
            if CurrentProcess.id != self._process_id:
                check_process(self._process_id)
            with self._lock:
                self._request_id = request_id = self._request_id + 1
                if not self._delayed and ring.ready():
                    ring.answer(frame, given, request_id)
                else:
                    # The reference to the batch keeps its frame until then.
                    self._delayed.append(
                        lambda ring, _=batch: ring.answer(frame, given, request_id)  # type: ignore[misc]
                    )
            return
        chosen = np.frombuffer(given, _ACTION)
        if batch._last_rows == 0:
            self.send(batch.table, batch.player, batch.step, chosen)
            return
        asked = batch.asked
        self.send(batch.table[asked], batch.player[asked], batch.step[asked], chosen[asked])

    def act(self, batch: Batch, actions: ArrayLike) -> Batch:
        """Answer a batch and wait for the next; see send_answers and recv.

        An exception of a signal handler, such as KeyboardInterrupt, may end it after the tables
        have been played on: call ``reset`` then.
        """
        columns, inline = batch._columns, self._inline
        near = columns.ring is inline and columns.number >= 0
        if inline is None or not near or self._waiting or CurrentProcess.id != self._process_id:
            return self._send_and_wait(batch, actions)
        self._request_id = request_id = self._request_id + 1
        answer = inline.act(columns.number, _given(batch, actions), request_id)
        if type(answer) is bytes:
            return self._batch(self._message(answer, request_id))
        return answer  # type: ignore[return-value]

    def act_rows(
        self, table: ArrayLike, player: ArrayLike, step: ArrayLike, action: ArrayLike
    ) -> Batch:
        """Answer for players and wait for the next batch; see send and recv."""
        return self._exchange(lambda: self.send(table, player, step, action))

    def _send_and_wait(self, batch: Batch, actions: ArrayLike) -> Batch:
        return self._exchange(lambda: self.send_answers(batch, actions))

    def _exchange(self, send: Callable[[], None]) -> Batch:
        """Send, and wait for the next batch."""
        before = self._request_id
        try:
            send()
            return self.recv()
        except SparrowhallError:
            raise
        except BaseException:
            self._drop_answers(before)
            raise

    def _message(self, text: bytes, request_id: int) -> pb.PlayResponse:
        response = pb.PlayResponse.FromString(text)
        response.request_id = request_id
        return response

    def reset(
        self, table: ArrayLike, seed: ArrayLike | None = None, seats: Sequence[str] = ()
    ) -> Batch | None:
        """Start new episodes.

        Args:
            table: Tables, shape ``(n,)``, none twice.
            seed: Seeds of new matches, uint64, shape ``(n,)``. Without them a table whose
                episode has ended starts its next one, any other its next match.
            seats: Who plays from the next match of each table on, as many entries for each as
                it has players; the same as before if empty. See ``Client.open``.

        Returns:
            The batch of these tables; None in asynchronous mode.
        """
        seeds = b"" if seed is None else to_column("seed", seed, "<u8")
        column = to_column("table", table, "<u4")
        entries = self._client.seat_entries(seats)
        return self._change(reset=pb.Reset(table=column, seed=seeds, seats=entries))

    def snapshot(self, table: ArrayLike) -> NDArray[np.uint64]:
        """Store the state of tables in the server.

        Args:
            table: Tables, shape ``(n,)``; each waits for an answer.

        Returns:
            A handle for each table, uint64, shape ``(n,)``.
        """
        handles = self._call(
            "handles", snapshot=pb.Snapshot(table=to_column("table", table, "<u4"))
        )
        return from_column(handles.handle, "<u8")

    def restore(self, table: ArrayLike, handle: ArrayLike) -> Batch | None:
        """Put stored states back onto tables.

        Args:
            table: Tables, none twice, shape ``(n,)``.
            handle: Handles that ``snapshot`` returned, shape ``(n,)``.

        Returns:
            The batch of these tables, with the rows that wait for an answer; None in
            asynchronous mode.
        """
        request = pb.Restore(
            table=to_column("table", table, "<u4"), handle=to_column("handle", handle, "<u8")
        )
        return self._change(restore=request)

    def fork(self, source: ArrayLike, target: ArrayLike) -> Batch | None:
        """Copy tables onto others.

        Args:
            source: Tables to copy, shape ``(n,)``; each waits for an answer.
            target: Tables to copy to, none twice, shape ``(n,)``.

        Returns:
            The batch of the copies; None in asynchronous mode.
        """
        request = pb.Fork(
            to=to_column("target", target, "<u4"),
            **{"from": to_column("source", source, "<u4")},
        )
        return self._change(fork=request)

    def redeal(
        self,
        source: ArrayLike,
        player: ArrayLike,
        seed: ArrayLike,
        target: ArrayLike,
        *,
        believed: bool = False,
    ) -> Batch | None:
        """Copy tables onto others and deal again all tiles that a player cannot see.

        Args:
            source: Tables to copy, shape ``(n,)``.
            player: Whose view is kept, a player who must answer there, shape ``(n,)``.
            seed: Seeds of the deals, uint64, shape ``(n,)``.
            target: Tables to copy to, none twice, shape ``(n,)``.
            believed: Draw from the built-in belief about hidden tiles, given the others'
                discards, calls and declarations, instead of uniformly.

        Returns:
            The batch of the copies; None in asynchronous mode.
        """
        request = pb.Redeal(
            believed=believed,
            player=to_column("player", player, "u1"),
            seed=to_column("seed", seed, "<u8"),
            to=to_column("target", target, "<u4"),
            **{"from": to_column("source", source, "<u4")},
        )
        return self._change(redeal=request)

    def playout(
        self, table: ArrayLike, player: ArrayLike, action: ArrayLike, agent: str
    ) -> Playouts:
        """Roll out actions: an agent finishes the hand at copies of tables.

        The copies have the walls of their tables, so two actions at one table are compared with
        common random numbers. The tables do not change.

        Args:
            table: Tables, shape ``(n,)``; each waits for an answer. A table may be repeated.
            player: A player who must answer there, shape ``(n,)``.
            action: The player's answer at the copy, shape ``(n,)``.
            agent: Who answers for all players from then on, such as ``"value"`` or ``"net:FILE"``.

        Returns:
            The results in points, an entry for each row.

        Raises:
            RequestError: a row is refused, or there is no such agent.
        """
        request = pb.Playout(
            table=to_column("table", table, "<u4"),
            player=to_column("player", player, "u1"),
            action=to_column("action", action, "u1"),
            agent=self._client.seat_entries([agent])[0],
        )
        answer: pb.PlayedOut = self._call("played_out", playout=request)
        unit = self._unit
        reward = from_column(answer.reward, "<i4") / unit
        owed = from_column(answer.owed, "<i4") / unit if answer.owed else np.zeros(len(reward))
        points = from_column(answer.points, "<i4").reshape(len(reward), self.seats) / unit
        return Playouts(reward, owed, points)

    def drop(self, handle: ArrayLike) -> None:
        """Delete stored states, given by their handles, shape ``(n,)``."""
        self._call("done", drop=pb.Drop(handle=to_column("handle", handle, "<u8")))

    def inspect(self, table: int, player: int) -> str:
        """Return what a player sees at a table as JSON; see docs/observations.md."""
        answer: pb.Inspected = self._call(
            "inspected", inspect=pb.Inspect(table=table, player=player)
        )
        return answer.json

    def show(self, table: int, player: int, observation: str) -> dict[str, NDArray[Any]]:
        """Return what a player sees at a table now, in any observation.

        Args:
            table: The table.
            player: A player for whom the client answers.
            observation: Name of an observation; ``"oracle"`` shows hidden tiles, if the server
                allows it.

        Returns:
            The tensors by name, without a dimension for rows.
        """
        answer: pb.Inspected = self._call(
            "inspected",
            inspect=pb.Inspect(table=table, player=player, observation=observation),
        )
        spec = self._client.observation(observation, self.seats)
        raw = [np.frombuffer(o, np.uint8)[None] for o in answer.observation]
        return {name: tensor[0] for name, tensor in spec.decode(raw).items()}

    def close(self) -> None:
        """End the stream and its tables."""
        self._closed = True
        if self._inline is not None:
            self._waiting.clear()
            self._inline.close()
        elif CurrentProcess.id == self._process_id:
            self._requests.put(None)
            self._responses.cancel()

    def __del__(self) -> None:
        # Tables within this process end with this object, though batches may still refer to
        # their memory.
        inline = getattr(self, "_inline", None)
        if inline is not None:
            inline.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(
            "tables belong to a stream of this process and cannot be copied or pickled; copy them "
            "with snapshot and fork, or pickle the client and open others"
        )

    def _change(self, **request: Any) -> Batch | None:
        """Send a request that changes tables, and return their batch in synchronous mode."""
        if self._asynchronous:
            self._call("done", **request)
            return None
        answer: Batch = self._call("batch", **request)
        return answer

    def _call(self, kind: str, **request: Any) -> Any:
        """Send a request and wait for its answer, which must be of a kind."""
        if self._inline is not None:
            response, *later = self._ask(**request)
            self._waiting += later
            if isinstance(response, Batch):
                return response
            return self._batch(response) if kind == "batch" else _unwrap(response, kind)
        before = self._request_id
        try:
            request_id = self._send(**request)
            while (response := self._wait()).request_id != request_id:
                # The answer to a send, or a batch of asynchronous mode: recv returns it.
                self._waiting.append(response)
        except SparrowhallError:
            raise
        except BaseException:
            self._drop_answers(before)
            raise
        if isinstance(response, Batch):
            return response
        return self._batch(response) if kind == "batch" else _unwrap(response, kind)

    def _batch(self, response: pb.PlayResponse) -> Batch:
        batch: pb.Batch = _unwrap(response, "batch")
        return batch_of(batch, self.spec, self._unit, self.actions, response.request_id)

    def _ask(self, **request: Any) -> list[pb.PlayResponse | Batch]:
        """Carry out a request in this process and return its answers."""
        assert self._inline is not None
        self._request_id += 1
        message = pb.PlayRequest(request_id=self._request_id, **request)
        frame, rows, last_rows, messages = self._inline.request(message)
        if frame is not None:
            return [Batch(frame, self.spec, rows, last_rows, self._unit, False, self._request_id)]
        return list(map(pb.PlayResponse.FromString, messages))

    def _send(self, **request: Any) -> int:
        """Send a request and return its id."""
        if self._inline is not None:
            self._waiting += self._ask(**request)
            return self._request_id
        check_process(self._process_id)
        with self._lock:
            self._request_id = request_id = self._request_id + 1
            message = pb.PlayRequest(request_id=request_id, **request)
            if self._ring is None:
                self._requests.put(message)
            else:
                self._make(lambda ring: self._put(ring, message))
        return request_id

    def _make(self, request: Callable[[Ring], None]) -> None:
        """Make a request in shared memory, or delay it until there is room."""
        ring = self._ring
        assert ring is not None
        if self._delayed or not ring.ready():
            self._delayed.append(request)
        else:
            request(ring)

    def _put(self, ring: Ring, message: pb.PlayRequest) -> None:
        if not ring.message(message.SerializeToString(), message.request_id):
            self._requests.put(message)

    def _drop_answers(self, before: int) -> None:
        """Have the answers dropped that are under way, if there was a request after another."""
        if self._request_id != before and not self._asynchronous:
            self._dropped = self._answered = self._request_id
            self._waiting.clear()

    def _wait(self) -> pb.PlayResponse | Batch:
        """Wait for the next answer or batch that is not dropped."""
        while (response := self._next()).request_id <= self._dropped:
            pass
        self._answered = response.request_id
        return response

    def _next(self) -> pb.PlayResponse | Batch:
        """Wait for the next answer or batch."""
        if self._closed or self._client.closed:
            raise ServerError("the tables are closed")
        ring = self._ring
        if ring is None:
            return self._read_stream()
        while not ring.wait():
            self._check_stream(ring)
        with self._lock:
            kind, request_id, frame, count, last_rows, flags = ring.take()
            text = ring.text(frame, count) if kind == MESSAGE else b""
            answer: pb.PlayResponse | Batch
            if kind == BATCH:
                answer = Batch(
                    frame, self.spec, count, last_rows, self._unit, bool(flags & 1), request_id
                )
            while self._delayed and ring.ready():
                self._delayed.popleft()(ring)
        if kind == BATCH:
            return answer
        return pb.PlayResponse.FromString(text) if kind == MESSAGE else self._read_stream()

    def _check_stream(self, ring: Ring) -> None:
        """Raise ServerError if the server has stopped answering."""
        if self._responses.is_active() and not ring.ended:
            if not ring.under_way and not self._delayed:
                raise SparrowhallError("an interrupt has lost the answer of the tables: reset them")
            return
        if not ring.wait():
            self._read_stream()  # raises the reason if the stream has one
            raise ServerError(f"the server at {self._client.address} has stopped answering")

    def _read_stream(self) -> pb.PlayResponse:
        """Return the next message of the stream."""
        address, timeout = self._client.address, self._client.timeout
        try:
            response: pb.PlayResponse = next(self._responses)
        except StopIteration:
            raise ServerError(f"the server at {address} has ended the stream") from None
        except self._rpc_error as e:
            raise call_error(e, f"server at {address}", timeout) from None
        return response


def _unwrap(response: pb.PlayResponse, kind: str) -> Any:
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


def _given(batch: Batch, actions: ArrayLike) -> bytes:
    """Return the actions for all rows of a batch as bytes."""
    if type(actions) is np.ndarray and actions.dtype is _ACTION and actions.ndim == 1:
        given = actions.tobytes()
    elif type(actions) is bytes:
        given = actions
    else:
        chosen = to_integers("actions", np.asarray(actions), _ACTION)
        given = chosen.tobytes()
        if chosen.ndim != 1:
            raise ValueError(f"actions have shape {chosen.shape}, not ({batch._rows},)")
    if len(given) != batch._rows:
        raise ValueError(f"actions have shape ({len(given)},), not ({batch._rows},)")
    return given
