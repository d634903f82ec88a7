"""Connections to servers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from sparrowhall._checks import check_choice, check_integer, check_number
from sparrowhall._closing import Closing
from sparrowhall._columns import to_column
from sparrowhall._grpc import (
    MIN_TIMEOUT,
    UNLIMITED_MESSAGES,
    call_error,
    keepalive_options,
    load_grpc,
)
from sparrowhall._in_process import Stream
from sparrowhall._process import CurrentProcess, check_process
from sparrowhall._proto import env_pb2 as pb
from sparrowhall.actions import NUM_ACTIONS
from sparrowhall.errors import ServerError, SparrowhallError
from sparrowhall.spec import Observation, observation_of
from sparrowhall.tables import Tables
from sparrowhall.version import __version__

PRESET = "ema_2016"
"""The ruleset where none is given."""

EXTERNAL = "external"
"""The entry of ``seats`` for a player for whom the client answers."""

EpisodeName = Literal["match", "hand"]
"""What an episode is."""

Transport = Literal["auto", "inprocess", "shared", "grpc"]
"""How batches travel.

``"inprocess"``: not at all, since a library plays the tables within this process; ``"shared"``:
by memory shared with a server; ``"grpc"``: by gRPC; ``"auto"``: by the first of these that is
possible and fast.
"""

TIMEOUT = 60.0
"""Default of ``timeout``, in seconds."""

_EPISODES = {"match": pb.EPISODE_MATCH, "hand": pb.EPISODE_HAND}
_SERVICE = "/sparrowhall.env.v1.EnvService/"


@dataclass(frozen=True)
class TLS:
    """Files of a TLS connection, in PEM.

    Attributes:
        ca: Certificates of the authorities that sign the server's; the system's if None.
        cert: The client's own certificate, for servers that require one.
        key: The private key of cert.

    Examples:
        >>> import sparrowhall
        >>> tls = sparrowhall.TLS(ca="authority.pem")
        >>> client = sparrowhall.connect("example.org:7400", tls=tls)  # doctest: +SKIP
    """

    ca: str | Path | None = None
    cert: str | Path | None = None
    key: str | Path | None = None

    def credentials(self) -> Any:
        """Read the files and return gRPC's ``ChannelCredentials``."""
        ca, key, cert = (
            None if path is None else Path(path).read_bytes()
            for path in (self.ca, self.key, self.cert)
        )
        return load_grpc().ssl_channel_credentials(ca, key, cert)


class Client(Closing):
    """A connection to a server. Close it, or use it as a context manager.

    A copy of it, and one that was pickled, is a new connection to the same server. A process
    that was forked cannot use the clients of its parent; it can make its own.

    Attributes:
        address: Address of the server.
        closed: Whether ``close`` was called.
        transport: How batches travel.
        timeout: Seconds after which a server that does not respond is an error.

    Examples:
        >>> import sparrowhall
        >>> with sparrowhall.local() as client:
        ...     names = [rules.name for rules in client.description.rulesets]
        >>> "ema_2016" in names
        True
    """

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        tls: TLS | bool | None = None,
        transport: Transport = "auto",
        timeout: float = TIMEOUT,
    ) -> None:
        """Prepare a connection, which the first call opens.

        Args:
            address: ``host:port`` or ``unix:/path``.
            token: Bearer token that the server requires.
            tls: True for TLS with the system's authorities, or the files to use.
            transport: How batches travel. ``"auto"``: by shared memory if the server is on this
                machine, otherwise by gRPC; ``Tables.transport`` has the result. ``"shared"``
                raises ServerError where memory cannot be shared; ``"grpc"`` shares none.
                ``"inprocess"`` is for ``local`` alone.
            timeout: Seconds without any response after which calls raise ServerError, at least
                24. A server that is busy with a long request still responds.

        Raises:
            ValueError: transport or timeout is not allowed.
        """
        if transport == "inprocess":
            raise ValueError(
                "transport is 'inprocess', and the server at an address is another process; "
                "allowed: 'auto', 'shared', 'grpc'; or sparrowhall.local(transport='inprocess')"
            )
        self._set(token, tls, transport, timeout)
        self.address = address
        self._connect(address)

    def _set(
        self, token: str | None, tls: TLS | bool | None, transport: Transport, timeout: float
    ) -> None:
        """Check the settings and keep them."""
        check_choice("transport", transport, get_args(Transport))
        check_number("timeout", timeout, MIN_TIMEOUT)
        self.transport = transport
        self.timeout = timeout
        self.closed = False
        self._token, self._tls = token, tls
        self._process_id = CurrentProcess.id
        self._channel: Any = None

    def _connect(self, address: str) -> None:
        """Prepare the connection to a server."""
        tls, timeout, token = self._tls, self.timeout, self._token
        grpc = load_grpc()
        self._rpc_error: Any = grpc.RpcError
        options = UNLIMITED_MESSAGES + keepalive_options(timeout)
        if tls:
            files = tls if isinstance(tls, TLS) else TLS()
            self._channel = grpc.secure_channel(address, files.credentials(), options)
        else:
            self._channel = grpc.insecure_channel(address, options)
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
        return self._describe_all()

    def _describe_all(self) -> pb.DescribeResponse:
        try:
            answer: pb.DescribeResponse = self._describe(
                pb.DescribeRequest(), metadata=self._metadata, timeout=self.timeout
            )
        except self._rpc_error as e:
            raise call_error(e, f"server at {self.address}", self.timeout) from None
        return answer

    @property
    def rulesets(self) -> list[str]:
        """Names of the server's presets."""
        return [r.name for r in self.description.rulesets]

    @cached_property
    def observations(self) -> dict[str, Observation]:
        """The observations that tables of four players may be opened with, by name."""
        return {o.name: observation_of(o) for o in self.description.observations}

    @cached_property
    def _observations_of_three(self) -> dict[str, Observation]:
        described = self.description.three_players.observations
        return {o.name: observation_of(o, 3) for o in described}

    def observation(self, name: str, seats: int = 4) -> Observation:
        """Return the observation with a name, for tables of so many players.

        Raises:
            ValueError: the server has no such observation.
        """
        known = self._observations_of_three if seats == 3 else self.observations
        if isinstance(name, str) and name.startswith("advice:"):
            return replace(self.observation("advice", seats), name=name)
        if name not in known:
            hint = ""
            if name == "oracle":
                hint = "; the server offers 'oracle' only with --allow-hidden"
            if name == "text":
                hint = "; for text use render_mode='ansi' or Tables.inspect"
            raise ValueError(f"unknown observation {name!r}; allowed: {', '.join(known)}{hint}")
        return known[name]

    def open(
        self,
        ruleset: str | Path | None = None,
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
        wall: str | Path | None = None,
        luck_adjusted: bool = False,
    ) -> Tables:
        """Open tables in a stream of their own. Receive their first batch with ``recv``.

        Args:
            ruleset: Name of a preset, or the path of a ruleset file ending in ``.toml``;
                ``"ema_2016"`` if there is no toml either.
            tables: Number of tables, at least 1.
            seed: Seed of the run; match m of table i is number ``i + m * tables`` of
                ``sparrowhall play`` with that seed.
            seeds: Seeds of the first matches, uint64, shape ``(tables,)``, instead of seed.
            seats: Who plays for each player: names of built-in agents, ``"net:FILE"`` or
                ``"external"``, as many as the ruleset has players for all tables, or so many for
                each. Empty is external at every seat. FILE is on this machine for a local client;
                a server elsewhere needs ``--networks`` and looks for it there.
            rotate_seats: Move the entries of seats on by one player from match to match.
            observation: Name of an observation, ``""`` for masks only.
            episode: ``"match"`` or ``"hand"``.
            auto_reset: Start the next episode as soon as one ends.
            min_batch: 0 for synchronous mode; otherwise the number of rows with which a batch
                is sent in asynchronous mode.
            toml: Text of a ruleset file, instead of ruleset.
            wall: Wall of the first hand of each match, or parts of it: the path of a file for
                ``--wall`` of ``sparrowhall play`` as a ``Path``, or the text of one.
            luck_adjusted: Take from each reward what the tiles since the player's last decision
                have brought by the fast estimate of luck. These tables are not copied.

        Raises:
            ValueError: episode is unknown, or a number is out of range.
            RequestError: the server refuses an argument.
            ServerError: the server cannot be reached, or transport is ``"shared"`` and its
                memory cannot be shared.
        """
        check_choice("episode", episode, list(_EPISODES))
        check_integer("tables", tables, 0, 2**32 - 1)  # the server refuses 0
        check_integer("seed", seed, 0, 2**64 - 1)
        check_integer("min_batch", min_batch, 0, 2**32 - 1)
        if toml is not None and ruleset is not None:
            raise ValueError(
                f"ruleset is {str(ruleset)!r}, and toml is given; allowed: one of them"
            )
        if ruleset is not None and str(ruleset).endswith(".toml"):
            toml = Path(ruleset).read_text(encoding="utf-8")
        preset = PRESET if ruleset is None else str(ruleset)
        rules: dict[str, Any] = {"preset": preset} if toml is None else {"toml": toml}
        request = pb.Open(
            **rules,
            tables=tables,
            seed=seed,
            seeds=b"" if seeds is None else to_column("seeds", seeds, "<u8"),
            seats=self.seat_entries(seats),
            rotate_seats=rotate_seats,
            observation=observation,
            episode=_EPISODES[episode],
            auto_reset=auto_reset,
            min_batch=min_batch,
            wall=wall.read_text(encoding="utf-8") if isinstance(wall, Path) else wall or "",
            luck_adjusted=luck_adjusted,
        )
        return Tables(self, request)

    def seat_entries(self, seats: Sequence[str]) -> list[str]:
        """Return who plays, as the server names them."""
        return list(seats)

    def in_process(self, request: pb.Open) -> tuple[Stream | None, str]:
        """Return a stream of this process for tables, or None and the reason if there is one."""
        return None, ""

    def play(self, requests: Iterator[pb.PlayRequest]) -> Any:
        """Start a stream of requests, and return gRPC's iterator of its responses."""
        return self._play(requests, metadata=self._metadata)

    def check(self) -> None:
        """Raise ServerError unless this client is open and was made in this process."""
        if self.closed:
            raise ServerError("the client is closed")
        check_process(self._process_id)

    def close(self) -> None:
        """End all streams and the connection."""
        self.closed = True
        if CurrentProcess.id == self._process_id and self._channel is not None:
            self._channel.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _reconnect, (self.address, self._token, self._tls, self.transport, self.timeout)


def check_client(client: object, transport: object) -> None:
    """Raise ValueError unless these are a client, or None and a transport."""
    if client is not None and not isinstance(client, Client):
        raise ValueError(f"client is {client!r}; allowed: a sparrowhall.Client or None")
    check_choice("transport", transport, get_args(Transport))
    if client is not None and transport != "auto":
        raise ValueError(
            "transport is for environments without a client; pass it to the client instead"
        )


def connect(
    address: str,
    *,
    token: str | None = None,
    tls: TLS | bool | None = None,
    transport: Transport = "auto",
    timeout: float = TIMEOUT,
) -> Client:
    """Connect to a running server and check its version.

    Args:
        address: ``host:port`` or ``unix:/path``.
        token: Bearer token that the server requires.
        tls: True for TLS with the system's authorities, or the files to use.
        transport: How batches travel, ``"auto"``, ``"shared"`` or ``"grpc"``; see Client.
        timeout: Seconds without any response after which calls raise ServerError, at least 24.

    Raises:
        ServerError: the server cannot be reached, refuses the token, or is of another version.
        ValueError: transport or timeout is not allowed.

    Examples:
        >>> import sparrowhall
        >>> client = sparrowhall.connect("localhost:7400")  # doctest: +SKIP
        >>> tables = client.open("ema_2016", tables=64, seed=1)  # doctest: +SKIP
    """
    client = Client(address, token=token, tls=tls, transport=transport, timeout=timeout)
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
    # Below 1.0 the second number counts incompatible versions.
    theirs = client.description.program_version
    if theirs.split(".")[:2] != __version__.split(".")[:2]:
        client.close()
        raise ServerError(
            f"the server at {address} is of version {theirs or '(unknown)'}, and this package is "
            f"of version {__version__}"
        )
    return client


def _reconnect(
    address: str,
    token: str | None,
    tls: TLS | bool | None,
    transport: Transport,
    timeout: float,
) -> Client:
    return Client(address, token=token, tls=tls, transport=transport, timeout=timeout)
