"""The batched client: tables that live in a server, driven with arrays."""

from __future__ import annotations

# ruff: noqa: I001 - gRPC reads its settings when it is imported.
import os

# With the poller that gRPC chooses by itself a process that is forked while streams are open
# dies on its first call.
os.environ.setdefault("GRPC_POLL_STRATEGY", "poll")

import grpc
import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from sparrowhall._proto import env_pb2 as pb
from sparrowhall.actions import NUM_ACTIONS
from sparrowhall.batch import Batch, batch_of
from sparrowhall.errors import SparrowhallError, RequestError, ServerError
from sparrowhall.spec import Observation, observation_of
from sparrowhall.transport import (
    BATCH,
    FEW,
    MESSAGE,
    VERSION,
    Ring,
    UnavailableError,
    unavailable,
)
from sparrowhall.version import __version__


EXTERNAL = "external"
"""The entry of ``seats`` for a player whom the client plays."""

EpisodeName = Literal["match", "hand"]

Transport = Literal["auto", "shared", "grpc"]
"""How batches travel: through shared memory where that is possible, only so, or by gRPC."""

_EPISODES = {"match": pb.EPISODE_MATCH, "hand": pb.EPISODE_HAND}
_SERVICE = "/sparrowhall.env.v1.EnvService/"
# Batches of thousands of tables exceed gRPC's default limit of 4 MB.
_CHANNEL_OPTIONS = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
]


class _Process:
    """This process.

    Attributes:
        id: Its id, without a call of the system.
    """

    id = os.getpid()

    @classmethod
    def renew(cls) -> None:
        """Tell the id anew, as a process that was forked must."""
        cls.id = os.getpid()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Process.renew)


@dataclass(frozen=True)
class TLS:
    """Files of a TLS connection, in PEM.

    Attributes:
        ca: Certificates of the authorities that vouch for the server; the system's if None.
        cert: The client's own certificate, for servers that ask for one.
        key: The private key of cert.
    """

    ca: str | Path | None = None
    cert: str | Path | None = None
    key: str | Path | None = None

    def credentials(self) -> grpc.ChannelCredentials:
        """Read the files and return gRPC's credentials."""
        ca, key, cert = (
            None if path is None else Path(path).read_bytes()
            for path in (self.ca, self.key, self.cert)
        )
        return grpc.ssl_channel_credentials(ca, key, cert)


@dataclass(frozen=True)
class Playouts:
    """What came of actions by ``Tables.playout``, an entry for each row.

    Attributes:
        reward: Points moved to the player until the hand had ended, float64.
        owed: The change of what others owe the player less what he owes them, float64.
        points: What players 0 to 3 had then, float64, shape ``(n, 4)``.
    """

    reward: NDArray[np.float64]
    owed: NDArray[np.float64]
    points: NDArray[np.float64]


class Client:
    """A connection to a server. Close it, or use it as a context manager.

    A copy of it, and one that was pickled, connects to the same server anew. A process that
    was forked cannot use the clients of its parent; it may make its own.

    Attributes:
        address: Where the server is.
        closed: Whether ``close`` was called.
        transport: How batches shall travel.
    """

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        tls: TLS | bool | None = None,
        transport: Transport = "auto",
    ) -> None:
        """Connect lazily: the first call finds out whether the server is there.

        Args:
            address: ``host:port`` or ``unix:/path``.
            token: Bearer token the server asks for.
            tls: True for TLS with the system's authorities, or the files to use.
            transport: How batches travel. ``"auto"``: through memory shared with the server if
                it is on this machine, otherwise by gRPC; ``Tables.transport`` tells which.
                ``"shared"`` raises ServerError where memory cannot be shared; ``"grpc"`` shares
                none.
        """
        if transport not in ("auto", "shared", "grpc"):
            raise ValueError(f"transport is {transport!r}; allowed: 'auto', 'shared', 'grpc'")
        self.transport = transport
        self.address = address
        self.closed = False
        self._token, self._tls = token, tls
        self._process_id = _Process.id
        if tls:
            files = tls if isinstance(tls, TLS) else TLS()
            self._channel = grpc.secure_channel(address, files.credentials(), _CHANNEL_OPTIONS)
        else:
            self._channel = grpc.insecure_channel(address, _CHANNEL_OPTIONS)
        self._metadata = [("authorization", f"Bearer {token}")] if token else []
        self._describe = self._channel.unary_unary(
            _SERVICE + "Describe",
            request_serializer=pb.DescribeRequest.SerializeToString,
            response_deserializer=pb.DescribeResponse.FromString,
        )
        self._play = self._channel.stream_stream(
            _SERVICE + "Play",
            request_serializer=pb.PlayRequest.SerializeToString,
            response_deserializer=pb.PlayResponse.FromString,
        )

    @cached_property
    def description(self) -> pb.DescribeResponse:
        """What the server offers: rulesets, actions, observations, agents, limits."""
        self.check()
        try:
            answer: pb.DescribeResponse = self._describe(
                pb.DescribeRequest(), metadata=self._metadata
            )
        except grpc.RpcError as e:
            raise _server_error(e, self.address) from None
        return answer

    @property
    def rulesets(self) -> list[str]:
        """Names of the server's presets."""
        return [r.name for r in self.description.rulesets]

    @cached_property
    def observations(self) -> dict[str, Observation]:
        """The observations that tables may be opened with, by name."""
        return {o.name: observation_of(o) for o in self.description.observations}

    def observation(self, name: str) -> Observation:
        """Return the observation of a name.

        Raises:
            ValueError: there is none of that name.
        """
        known = self.observations
        if name.startswith("advice:"):
            return replace(self.observation("advice"), name=name)
        if name not in known:
            hint = ""
            if name == "oracle":
                hint = "; the server offers 'oracle' only with --allow-hidden"
            if name == "text":
                hint = "; text is what render_mode='ansi' and Tables.inspect give"
            raise ValueError(f"unknown observation {name!r}; allowed: {', '.join(known)}{hint}")
        return known[name]

    def open(
        self,
        ruleset: str | Path = "ema_2016",
        tables: int = 1,
        *,
        seed: int = 0,
        seeds: ArrayLike | None = None,
        seats: Sequence[str] = (),
        rotate_seats: bool = False,
        observation: str = "planes",
        episode: EpisodeName = "match",
        auto_reset: bool = True,
        min_batch: int = 0,
        toml: str | None = None,
    ) -> Tables:
        """Open tables in a stream of their own. The first thing to receive is a batch.

        Args:
            ruleset: Name of a preset, or the path of a ruleset file ending in ``.toml``.
            tables: How many.
            seed: Seed of the run; match m of table i is number ``i + m * tables`` of
                ``sparrowhall play`` with that seed.
            seeds: Seeds of the first matches, uint64, shape ``(tables,)``, in place of seed.
            seats: Who plays for players 0 to 3: names of built-in agents or ``"external"``,
                four for all tables or four for each. Empty is external at every seat.
            rotate_seats: Let the entries move on by one player from match to match.
            observation: Name of an observation, ``""`` for masks only.
            episode: ``"match"`` or ``"hand"``.
            auto_reset: Start the next episode as soon as one ends.
            min_batch: 0 for synchronous mode; else a batch comes as soon as so many rows are
                ready.
            toml: Text of a ruleset file, in place of ruleset.

        Raises:
            RequestError: the server refuses an argument.
            ServerError: the server cannot be reached, or transport is ``"shared"`` and its
                memory cannot be shared.
        """
        if episode not in _EPISODES:
            raise ValueError(f"episode is {episode!r}; allowed: {', '.join(map(repr, _EPISODES))}")
        if toml is None and str(ruleset).endswith(".toml"):
            toml = Path(ruleset).read_text(encoding="utf-8")
        rules: dict[str, Any] = {"preset": str(ruleset)} if toml is None else {"toml": toml}
        request = pb.Open(
            **rules,
            tables=tables,
            seed=seed,
            seeds=b"" if seeds is None else _bytes(seeds, "<u8"),
            seats=seats,
            rotate_seats=rotate_seats,
            observation=observation,
            episode=_EPISODES[episode],
            auto_reset=auto_reset,
            min_batch=min_batch,
        )
        return Tables(self, request)

    def check(self) -> None:
        """Raise ServerError unless this client can be used here."""
        if self.closed:
            raise ServerError(f"the client of {self.address} is closed")
        _check_process(self._process_id)

    def close(self) -> None:
        """End all streams and the connection."""
        self.closed = True
        if _Process.id == self._process_id:
            self._channel.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _reconnect, (self.address, self._token, self._tls, self.transport)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Tables:
    """The tables of one stream, numbered from 0.

    In synchronous mode every request has one answer, in order, so requests may be sent ahead:
    ``send`` for half of the tables, then for the other half, then ``recv`` twice lets the
    server play one half while the client decides for the other. In asynchronous mode batches
    come by themselves.

    Attributes:
        ruleset: The resolved rules, with every knob.
        spec: The observation's description, None if none was asked for.
        num_tables: How many tables there are.
        transport_reason: Why batches travel by gRPC; empty if they do not.
    """

    def __init__(self, client: Client, request: pb.Open) -> None:
        client.check()
        self._client = client
        self._address = client.address
        self._process_id = _Process.id
        self._requests: queue.SimpleQueue[pb.PlayRequest | None] = queue.SimpleQueue()
        self._responses = client._play(iter(self._requests.get, None), metadata=client._metadata)
        self._asynchronous = request.min_batch > 0
        self._waiting: deque[pb.PlayResponse | Batch] = deque()
        self._request_id = 0
        self._ring: Ring | None = None
        self._lock = threading.Lock()
        self._held: deque[Callable[[Ring], None]] = deque()
        self.transport_reason = ""
        if client.transport == "grpc":
            self.transport_reason = "the client was told not to share memory"
        elif self._asynchronous:
            self.transport_reason = "asynchronous tables are played over the stream"
        else:
            self.transport_reason = unavailable()
        request.local = 0 if self.transport_reason else VERSION
        # Of many tables packed bits take less memory, and are unpacked as fast here.
        request.local_unpacked = request.tables <= FEW
        self.spec: Observation | None = None
        try:
            opened = self._call("opened", open=request)
            if request.observation:
                self.spec = observation_of(opened.observation)
            if not self.transport_reason:
                self._share(opened.local, request.local_unpacked)
            if client.transport == "shared" and self.transport_reason:
                raise ServerError(
                    f"no memory can be shared with the server at {self._address}: "
                    f"{self.transport_reason}"
                )
        except BaseException:
            self.close()
            raise
        self.ruleset: pb.Ruleset = opened.ruleset
        self.num_tables: int = opened.tables

    def _share(self, local: pb.Local, unpacked: bool) -> None:
        """Go on in shared memory, if the server has offered some."""
        self.transport_reason = local.refused or (
            "" if local.path else "the server knows no local transport"
        )
        if self.transport_reason:
            return
        try:
            ring = Ring(local.path, local.size, local.token, unpacked=unpacked)
            if self.spec is not None:
                ring.check(self.spec)
        except UnavailableError as e:
            self.transport_reason = str(e)
            return
        self._call("done", attach=pb.Attach())
        self._ring = ring

    @property
    def transport(self) -> Literal["shared", "grpc"]:
        """How batches travel; if by gRPC, ``transport_reason`` tells why."""
        return "grpc" if self._ring is None else "shared"

    @property
    def usable(self) -> bool:
        """Whether this is the process that opened the tables."""
        return _Process.id == self._process_id

    def recv(self) -> Batch:
        """Wait for the next batch.

        Raises:
            RequestError: a request sent before was refused.
            ServerError: the stream has ended.
        """
        if _Process.id != self._process_id:
            _check_process(self._process_id)
        response = self._waiting.popleft() if self._waiting else self._next()
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
            player: The player who answers at each.
            step: The step of the row that is answered.
            action: Action ids.
            flush: Asynchronous mode: a batch shall come even if it is not full.
        """
        columns = (
            _bytes(table, "<u4"),
            _bytes(player, "u1"),
            _bytes(step, "<u4"),
            _bytes(action, "u1"),
        )
        ring = self._ring
        n = len(columns[3])
        if ring is None or n > ring.answers or [len(c) for c in columns] != [4 * n, n, 4 * n, n]:
            table_, player_, step_, action_ = columns
            act = pb.Act(table=table_, player=player_, step=step_, action=action_, flush=flush)
            self._send(act=act)
            return
        _check_process(self._process_id)
        with self._lock:
            self._request_id = request_id = self._request_id + 1
            self._make(lambda ring: ring.answer_rows(columns, request_id))

    def send_answers(self, batch: Batch, actions: ArrayLike) -> None:
        """Answer all rows of a batch that must be answered, without waiting.

        Args:
            batch: The batch that is answered.
            actions: Action ids, shape ``(len(batch),)``, or as many bytes; those of other rows
                are ignored.
        """
        if type(actions) is bytes:
            given, shape = actions, (len(actions),)
        else:
            chosen = np.asarray(actions)
            if chosen.dtype is not _ACTION:
                chosen = _integers(chosen, _ACTION)
            given, shape = chosen.tobytes(), chosen.shape
        if shape != (batch._rows,):
            raise ValueError(f"actions have shape {shape}, not ({batch._rows},)")
        columns = batch._columns
        ring, frame = columns.ring, columns.number
        if ring is not None and ring is self._ring and frame >= 0:
            if _Process.id != self._process_id:
                _check_process(self._process_id)
            with self._lock:
                self._request_id = request_id = self._request_id + 1
                if not self._held and ring.ready():
                    ring.answer(frame, given, request_id)
                else:
                    # The batch is kept until then, and with it the frame.
                    self._held.append(lambda ring, _=batch: ring.answer(frame, given, request_id))  # type: ignore[misc]
            return
        chosen = np.frombuffer(given, _ACTION)
        if batch._lasts == 0:
            self.send(batch.table, batch.player, batch.step, chosen)
            return
        asked = batch.asked
        self.send(batch.table[asked], batch.player[asked], batch.step[asked], chosen[asked])

    def act(self, batch: Batch, actions: ArrayLike) -> Batch:
        """Answer a batch and wait for the next; see send_answers and recv."""
        self.send_answers(batch, actions)
        return self.recv()

    def reset(self, table: ArrayLike, seed: ArrayLike | None = None) -> Batch | None:
        """Start new episodes.

        Args:
            table: Tables, shape ``(n,)``, none twice.
            seed: Seeds of new matches, uint64, shape ``(n,)``. Without them a table whose
                episode has ended starts its next one, any other its next match.

        Returns:
            The batch of these tables; None in asynchronous mode.
        """
        seeds = b"" if seed is None else _bytes(seed, "<u8")
        return self._change(reset=pb.Reset(table=_bytes(table, "<u4"), seed=seeds))

    def snapshot(self, table: ArrayLike) -> NDArray[np.uint64]:
        """Keep tables, each waiting for an answer, as they are, within the server.

        Returns:
            A handle for each table, uint64, shape ``(n,)``.
        """
        handles = self._call("handles", snapshot=pb.Snapshot(table=_bytes(table, "<u4")))
        return _column(handles.handle, "<u8")

    def restore(self, table: ArrayLike, handle: ArrayLike) -> Batch | None:
        """Put kept tables back; their waiting rows come again.

        Returns:
            The batch of these tables; None in asynchronous mode.
        """
        request = pb.Restore(table=_bytes(table, "<u4"), handle=_bytes(handle, "<u8"))
        return self._change(restore=request)

    def fork(self, source: ArrayLike, target: ArrayLike) -> Batch | None:
        """Copy tables, each waiting for an answer, onto others.

        Returns:
            The batch of the copies; None in asynchronous mode.
        """
        request = pb.Fork(to=_bytes(target, "<u4"), **{"from": _bytes(source, "<u4")})
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
        """Copy tables onto others with all that a player cannot see dealt anew.

        Args:
            source: Tables to copy, shape ``(n,)``.
            player: Whose view is kept, a player who is asked there, shape ``(n,)``.
            seed: Seeds of the deals, uint64, shape ``(n,)``.
            target: Tables to copy to, none twice, shape ``(n,)``.
            believed: Whether to deal as is likely from what the others have discarded,
                called and declared, and not by chance alone.

        Returns:
            The batch of the copies; None in asynchronous mode.
        """
        request = pb.Redeal(
            believed=believed,
            player=_bytes(player, "u1"),
            seed=_bytes(seed, "<u8"),
            to=_bytes(target, "<u4"),
            **{"from": _bytes(source, "<u4")},
        )
        return self._change(redeal=request)

    def playout(
        self, table: ArrayLike, player: ArrayLike, action: ArrayLike, agent: str
    ) -> Playouts:
        """Let a built-in player finish hands at copies of tables: what comes of actions?

        The copies have the walls of their tables, so two actions at one table meet the same
        tiles. The tables stay as they are.

        Args:
            table: Tables, shape ``(n,)``; each waits for an answer, and may be named often.
            player: A player who is asked there, shape ``(n,)``.
            action: What he answers at the copy, shape ``(n,)``.
            agent: Who answers for all four players from then on, such as ``"value"``.

        Raises:
            RequestError: a row is refused, or there is no such agent.
        """
        request = pb.Playout(
            table=_bytes(table, "<u4"),
            player=_bytes(player, "u1"),
            action=_bytes(action, "u1"),
            agent=agent,
        )
        answer: pb.PlayedOut = self._call("played_out", playout=request)
        unit = self.ruleset.units_per_point
        reward = _column(answer.reward, "<i4") / unit
        owed = _column(answer.owed, "<i4") / unit if answer.owed else np.zeros(len(reward))
        return Playouts(reward, owed, _column(answer.points, "<i4").reshape(-1, 4) / unit)

    def drop(self, handle: ArrayLike) -> None:
        """Forget kept tables."""
        self._call("done", drop=pb.Drop(handle=_bytes(handle, "<u8")))

    def inspect(self, table: int, player: int) -> str:
        """Return what a player sees at a table as JSON; see docs/observations.md."""
        answer: pb.Inspected = self._call(
            "inspected", inspect=pb.Inspect(table=table, player=player)
        )
        return answer.json

    def show(self, table: int, player: int, observation: str) -> dict[str, NDArray[Any]]:
        """Return what a player sees at a table by any observation, as it is now.

        Args:
            table: The table.
            player: A player whom the client plays for.
            observation: Name of an observation; ``"oracle"`` shows what is hidden, if the
                server allows it.

        Returns:
            The tensors by name, without a dimension for rows.
        """
        answer: pb.Inspected = self._call(
            "inspected",
            inspect=pb.Inspect(table=table, player=player, observation=observation),
        )
        spec = self._client.observation(observation)
        raw = [np.frombuffer(o, np.uint8)[None] for o in answer.observation]
        return {name: tensor[0] for name, tensor in spec.decode(raw).items()}

    def close(self) -> None:
        """End the stream; its tables are gone."""
        if _Process.id == self._process_id:
            self._requests.put(None)
            self._responses.cancel()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(
            "tables belong to a stream of this process and cannot be copied or pickled; keep them "
            "with snapshot and fork, or pickle the client and open others"
        )

    def __enter__(self) -> Tables:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _change(self, **request: Any) -> Batch | None:
        if self._asynchronous:
            self._call("done", **request)
            return None
        answer: Batch = self._call("batch", **request)
        return answer

    def _call(self, kind: str, **request: Any) -> Any:
        """Send a request and wait for its answer."""
        request_id = self._send(**request)
        while True:
            response = self._next()
            if response.request_id == request_id:
                if isinstance(response, Batch):
                    return response
                return self._batch(response) if kind == "batch" else _unwrap(response, kind)
            # Something to recv: a batch of asynchronous mode, or the answer to a send.
            self._waiting.append(response)

    def _batch(self, response: pb.PlayResponse) -> Batch:
        return batch_of(_unwrap(response, "batch"), self.spec, response.request_id)

    def _send(self, **request: Any) -> int:
        _check_process(self._process_id)
        with self._lock:
            self._request_id = request_id = self._request_id + 1
            message = pb.PlayRequest(request_id=request_id, **request)
            if self._ring is None:
                self._requests.put(message)
            else:
                self._make(lambda ring: self._put(ring, message))
        return request_id

    def _make(self, request: Callable[[Ring], None]) -> None:
        """Make a request in shared memory, or keep it until there is room for it."""
        ring = self._ring
        assert ring is not None
        if self._held or not ring.ready():
            self._held.append(request)
        else:
            request(ring)

    def _put(self, ring: Ring, message: pb.PlayRequest) -> None:
        if not ring.message(message.SerializeToString(), message.request_id):
            self._requests.put(message)

    def _next(self) -> pb.PlayResponse | Batch:
        ring = self._ring
        if ring is None:
            return self._received()
        while not ring.wait():
            self._check_stream(ring)
        with self._lock:
            kind, request_id, frame, count, lasts, flags = ring.take()
            text = ring.text(frame, count) if kind == MESSAGE else b""
            answer: pb.PlayResponse | Batch
            if kind == BATCH:
                answer = Batch(frame, self.spec, count, lasts, bool(flags & 1), request_id)
            while self._held and ring.ready():
                self._held.popleft()(ring)
        if kind == BATCH:
            return answer
        return pb.PlayResponse.FromString(text) if kind == MESSAGE else self._received()

    def _check_stream(self, ring: Ring) -> None:
        """Raise ServerError if the server will not answer any more."""
        if self._responses.is_active() and not ring.ended:
            return
        if not ring.wait():
            self._received()  # tells why, if the stream knows
            raise ServerError(f"the server at {self._address} answers no more")

    def _received(self) -> pb.PlayResponse:
        """Return the next message of the stream."""
        try:
            response: pb.PlayResponse = next(self._responses)
        except StopIteration:
            raise ServerError(f"the server at {self._address} has ended the stream") from None
        except grpc.RpcError as e:
            raise _server_error(e, self._address) from None
        return response


def connect(
    address: str,
    *,
    token: str | None = None,
    tls: TLS | bool | None = None,
    transport: Transport = "auto",
) -> Client:
    """Connect to a running server.

    Args:
        address: ``host:port`` or ``unix:/path``.
        token: Bearer token the server asks for.
        tls: True for TLS with the system's authorities, or the files to use.
        transport: How batches travel, ``"auto"``, ``"shared"`` or ``"grpc"``; see Client.

    Raises:
        ServerError: the server cannot be reached or refuses the token.
    """
    client = Client(address, token=token, tls=tls, transport=transport)
    try:
        version = client.description.action_table_version
    except SparrowhallError:
        client.close()
        raise
    if len(client.description.actions) < NUM_ACTIONS:
        client.close()
        raise ServerError(
            f"the server at {address} has action table {version}; this package is newer"
        )
    # Up to 1.0 the second number counts incompatible versions.
    there = client.description.program_version
    if there.split(".")[:2] != __version__.split(".")[:2]:
        client.close()
        raise ServerError(
            f"the server at {address} is of version {there or '(unknown)'}, and this package is of "
            f"version {__version__}"
        )
    return client


def _reconnect(
    address: str, token: str | None, tls: TLS | bool | None, transport: Transport
) -> Client:
    return Client(address, token=token, tls=tls, transport=transport)


def _check_process(process_id: int) -> None:
    """Raise ServerError unless this process is the one of the given id."""
    if _Process.id != process_id:
        raise ServerError(
            f"this connection was made in process {process_id} and does not outlive a fork; make "
            "clients and environments in the process that uses them, or reset an environment there"
        )


_ACTION = np.dtype(np.uint8)


def _column(data: bytes, dtype: DTypeLike) -> NDArray[Any]:
    return np.frombuffer(data, dtype)


def _bytes(values: ArrayLike, dtype: DTypeLike) -> bytes:
    return _integers(np.atleast_1d(np.asarray(values)), dtype).tobytes()


def _integers(array: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    """Return integers as a type that has room for all of them."""
    if array.dtype == dtype:
        return array
    if array.size and array.dtype.kind not in "ui":
        raise TypeError(f"integers are wanted, not {array.dtype}")
    limits = np.iinfo(np.dtype(dtype))
    if array.size and (array.min() < limits.min or array.max() > limits.max):
        raise ValueError(f"values must be in {limits.min}..{limits.max}")
    return array.astype(dtype)


def _unwrap(response: pb.PlayResponse, kind: str) -> Any:
    found = response.WhichOneof("response")
    if found == kind:
        return getattr(response, kind)
    if found == "error":
        e = response.error
        raise RequestError(
            code=pb.ErrorCode.Name(e.code).removeprefix("ERROR_CODE_"),
            message=e.message,
            row=e.row if e.HasField("row") else None,
            table=e.table if e.HasField("table") else None,
            player=e.player if e.HasField("player") else None,
        )
    raise ServerError(f"the server answered with {found} where {kind} was due")


def _server_error(error: grpc.RpcError, address: str) -> ServerError:
    return ServerError(f"server at {address}: {error.code().name}: {error.details()}")
