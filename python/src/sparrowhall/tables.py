"""Tables that live in a server or in this process, driven with arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparrowhall._closing import Closing
from sparrowhall._columns import from_column, to_column, to_integers
from sparrowhall._in_process import Stream
from sparrowhall._process import CurrentProcess
from sparrowhall._proto import env_pb2 as pb
from sparrowhall._shared_memory import FEW, VERSION, Ring, UnavailableError, unavailable
from sparrowhall._transports import (
    Connection,
    GrpcStream,
    InProcess,
    SharedMemory,
    TableTransport,
    unwrap,
)
from sparrowhall.batch import Batch
from sparrowhall.errors import ServerError
from sparrowhall.spec import Observation, observation_of

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


class Opener(Connection, Protocol):
    """What tables need of a client."""

    transport: Any

    def check(self) -> None:
        """Raise ServerError unless the client can be used."""

    def in_process(self, request: pb.Open) -> tuple[Stream | None, str]:
        """Return a stream of this process for tables, or None and the reason if there is one."""

    def seat_entries(self, seats: Sequence[str]) -> list[str]:
        """Return who plays, as the server names them."""

    def observation(self, name: str, seats: int = 4) -> Observation:
        """Return the description of an observation."""


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

    def __init__(self, client: Opener, request: pb.Open) -> None:
        """Open the tables; see ``Client.open``."""
        client.check()
        self._client = client
        self._asynchronous = request.min_batch > 0
        self._transport, reason = self._start(request)
        self.transport_reason = reason
        try:
            opened = self._call("opened", open=request)
            self.seats: int = opened.ruleset.seats
            self.actions: int = opened.actions
            self.action_table_version: int = opened.action_table_version
            self.spec: Observation | None = None
            if request.observation:
                self.spec = observation_of(opened.observation, self.seats)
            if request.local:
                reason = self._share(opened.local, request.local_unpacked)
                self.transport_reason = reason or self.transport_reason
            if client.transport == "shared" and self.transport != "shared":
                raise ServerError(
                    f"no memory can be shared with the server at {client.address}: {reason}"
                )
            unit = opened.ruleset.units_per_point
            self._transport.describe(self.spec, unit, self.actions)
        except BaseException:
            self.close()
            raise
        self.ruleset: pb.Ruleset = opened.ruleset
        self.num_tables: int = opened.tables
        self._unit = self.ruleset.units_per_point

    def _start(self, request: pb.Open) -> tuple[TableTransport, str]:
        """Return the transport of a request to open tables, and why it is no nearer one."""
        stream, reason = self._client.in_process(request)
        if stream is not None:
            return InProcess(stream), reason
        refusal = self._refusal()
        request.local = 0 if refusal else VERSION
        # With many tables packed bits take less memory, and unpacking them takes as long.
        request.local_unpacked = request.tables <= FEW
        return GrpcStream(self._client, self._asynchronous), refusal or reason

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
        assert isinstance(self._transport, GrpcStream)
        self._call("done", attach=pb.Attach())
        self._transport = SharedMemory(self._transport, ring)
        return ""

    @property
    def transport(self) -> Literal["inprocess", "shared", "grpc"]:
        """How batches travel; ``transport_reason`` has the reason."""
        return self._transport.name

    @property
    def usable(self) -> bool:
        """Whether this is the process that opened the tables."""
        return CurrentProcess.id == self._transport.process_id

    def recv(self) -> Batch:
        """Wait for the next batch.

        Raises:
            RequestError: a request sent before was refused.
            ServerError: the stream has ended, or the server did not respond within the client's
                time-out.
            SparrowhallError: in synchronous mode all requests have been answered.
        """
        return self._transport.recv()

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
        self._transport.answer_rows(columns, flush)

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
        self._transport.answer(batch, _given(batch, actions))

    def act(self, batch: Batch, actions: ArrayLike) -> Batch:
        """Answer a batch and wait for the next; see send_answers and recv.

        An exception of a signal handler, such as KeyboardInterrupt, may end it after the tables
        have been played on: call ``reset`` then.
        """
        return self._transport.act(batch, _given(batch, actions))

    def act_rows(
        self, table: ArrayLike, player: ArrayLike, step: ArrayLike, action: ArrayLike
    ) -> Batch:
        """Answer for players and wait for the next batch; see send and recv."""
        return self._transport.exchange(lambda: self.send(table, player, step, action))

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
        self._transport.close()

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
        response = self._transport.call(**request)
        if isinstance(response, Batch):
            return response
        return self._transport.batch(response) if kind == "batch" else unwrap(response, kind)


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
