"""Tables on this machine: within this process, or in a server of its own."""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sparrowhall._files import OwnFolder
from sparrowhall._in_process import MOST, Stream
from sparrowhall._library import Library, load
from sparrowhall._program import find_binary
from sparrowhall._proto import env_pb2 as pb
from sparrowhall._shared_memory import UnavailableError
from sparrowhall.client import TIMEOUT, Client, Transport
from sparrowhall.errors import ServerError

__all__ = ["LocalClient", "find_binary", "local", "shared"]

_READY = "listening on "
_PAGE = "watch "
_START_SECONDS = 60.0
_STOP_SECONDS = 5.0
# Only this user can reach the server, so it shows all tiles and has no limits for idle or many
# streams.
_FLAGS = [
    "--allow-hidden",
    "--networks",
    os.sep,
    "--idle",
    "0",
    "--max-streams",
    "4096",
    "--log",
    "off",
    "--stop-with-stdin",
]


class _Server:
    """A server in a process of its own.

    It also ends when this process does, for any reason: it watches a pipe that only this process
    holds open.
    """

    def __init__(self, binary: str | Path | None, arguments: Sequence[str]) -> None:
        program = find_binary() if binary is None else Path(binary)
        self._folder = OwnFolder()
        # Other users cannot reach a socket in a private folder.
        listen = (
            "127.0.0.1:0" if sys.platform == "win32" else f"unix:{self._folder.path}/serve.sock"
        )
        log = Path(self._folder.path) / "errors"
        try:
            with log.open("wb") as errors:
                self._process = subprocess.Popen(
                    [program, "serve", "--listen", listen, *_FLAGS, *arguments],
                    env={k: v for k, v in os.environ.items() if k != "SPARROWHALL_TOKEN"},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    # Ctrl-C is for the parent, which ends the server when it ends.
                    start_new_session=True,
                )
        except OSError as e:
            self._folder.remove()
            raise ServerError(f"cannot start {program}: {e.strerror}") from None
        self.pid = self._process.pid
        self.page: str | None = None
        late = threading.Timer(_START_SECONDS, self._process.kill)
        late.daemon = True
        try:
            late.start()
            line = self._line()
            if not line.startswith(_READY):
                reason = log.read_text(encoding="utf-8", errors="replace").strip() or line
                if not reason:
                    reason = f"no address within {_START_SECONDS:g} s"
                raise ServerError(f"{program} serve did not start: {reason}")
            self.address = line.removeprefix(_READY)
            if any(a.startswith("--watch") for a in arguments):
                self.page = self._line().removeprefix(_PAGE)
        except BaseException:  # also by Ctrl-C
            self.stop()
            raise
        finally:
            late.cancel()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().decode().strip()

    @property
    def running(self) -> bool:
        return self._process.poll() is None and not _exiting(self.pid)

    def stop(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._folder.remove()


class LocalClient(Client):
    """A client that plays tables within this process, or by a server of its own.

    The server is started on first use and ends with the client and with this process. A copy of
    the client, and one that was pickled, is a plain client of the same server; with the transport
    ``"inprocess"`` it is a client like this one.

    Examples:
        >>> import sparrowhall
        >>> with sparrowhall.local() as client:
        ...     client.alive
        True
    """

    def __init__(
        self,
        binary: str | Path | None = None,
        arguments: Sequence[str] = (),
        token: str | None = None,
        transport: Transport = "auto",
        timeout: float = TIMEOUT,
    ) -> None:
        """Load the library or start a server; see ``local``."""
        self._set(token, None, transport, timeout)
        self._owner = os.getpid()
        self._binary, self._arguments = binary, arguments
        self._server: _Server | None = None
        self._starting = threading.Lock()
        self._streams: weakref.WeakSet[Stream] = weakref.WeakSet()
        self._library: Library | None = None
        for_server = binary is not None or bool(arguments) or token is not None
        if transport == "inprocess" and for_server:
            raise ValueError(
                "binary, arguments and token are for a server; transport 'inprocess' has none"
            )
        self._no_library = "the program, flags or token of a server were given"
        if transport in ("auto", "inprocess") and not for_server:
            try:
                self._library = load()
            except UnavailableError as e:
                self._no_library = str(e)
                if transport == "inprocess":
                    raise ServerError(f"no tables can be played in this process: {e}") from None
        if self._library is None:
            self._start()
        atexit.register(self.close)

    @property
    def address(self) -> str:  # type: ignore[override]
        """Address of the server."""
        return self._start().address

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return self._start().pid

    @property
    def page(self) -> str | None:
        """Address of the page that shows the server's tables, None without ``--watch``.

        Examples:
            >>> import sparrowhall
            >>> with sparrowhall.local(arguments=["--watch"]) as client:
            ...     str(client.page).startswith("http://127.0.0.1:")
            True
        """
        return None if self._library is not None else self._start().page

    @property
    def alive(self) -> bool:
        """Whether this process made the client, it is open, and its server, if any, runs."""
        return (
            os.getpid() == self._owner
            and not self.closed
            and (self._server is None or self._server.running)
        )

    def seat_entries(self, seats: Sequence[str]) -> list[str]:
        """Return who plays, with the files of networks by their absolute paths."""
        real = {s: f"net:{os.path.realpath(s[4:])}" for s in set(seats) if s.startswith("net:")}
        return [real.get(s, s) for s in seats]

    def in_process(self, request: pb.Open) -> tuple[Stream | None, str]:
        """Return a stream of this process for tables, or None and the reason if there is one.

        Raises:
            ServerError: there is none, and the transport is ``"inprocess"``.
        """
        if self.transport not in ("auto", "inprocess"):
            return None, ""
        if self._library is None:
            return None, self._no_library
        slow = self._library.slow(request)
        reason = "asynchronous tables need a server" if request.min_batch else ""
        if self.transport == "inprocess":
            if reason:
                raise ServerError(f"these tables cannot be played in this process: {reason}")
        elif not reason and request.tables > MOST:
            reason = f"a server is faster for more than {MOST} tables"
        elif not reason:
            reason = slow
        if reason:
            return None, reason
        stream = Stream(self._library, request.tables, not slow)
        self._streams.add(stream)
        return stream, ""

    def play(self, requests: Iterator[pb.PlayRequest]) -> Any:
        """Start a stream of requests to the server, and return gRPC's iterator of responses."""
        self._start()
        return super().play(requests)

    def close(self) -> None:
        """End all streams and the server."""
        if os.getpid() != self._owner:
            return  # a forked process leaves the server of its parent alone
        atexit.unregister(self.close)
        super().close()
        for stream in list(self._streams):
            stream.close()
        if self._server is not None:
            self._server.stop()

    def __reduce__(self) -> tuple[Any, ...]:
        if self.transport == "inprocess":
            return local, (None, (), None, self.transport, self.timeout)
        return super().__reduce__()

    def _describe_all(self) -> pb.DescribeResponse:
        return super()._describe_all() if self._library is None else self._library.description

    def _start(self) -> _Server:
        """Return the server, started and connected to on first use."""
        with self._starting:
            if self._server is None:
                if self.transport == "inprocess":
                    raise ServerError("a client of the transport 'inprocess' has no server")
                self.check()
                self._server = _Server(self._binary, self._arguments)
                self._connect(self._server.address)
        return self._server


def _exiting(pid: int) -> bool:
    """Return whether a process has been killed but has not ended yet, on Linux.

    The system needs a moment to end all threads of a process after SIGKILL.
    """
    killed, flag_exiting = 1 << 8, 0x4  # SIGKILL among pending signals; PF_EXITING
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith(("SigPnd:", "ShdPnd:")) and int(line.split()[1], 16) & killed:
                    return True
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except (OSError, ValueError):
        return False
    return fields[0] in "ZX" or bool(int(fields[6]) & flag_exiting)


def local(
    binary: str | Path | None = None,
    arguments: Sequence[str] = (),
    token: str | None = None,
    transport: Transport = "auto",
    timeout: float = TIMEOUT,
) -> LocalClient:
    """Return a client that plays tables on this machine.

    Few tables whose opponents answer fast are played within this process, by a library that the
    package carries. A server, which is started on first use, plays all others, and those of
    processes that cannot use the library.

    Args:
        binary: The program; found or built by ``find_binary`` if None.
        arguments: Further flags of ``sparrowhall serve``, such as ``["--max-tables", "65536"]``.
            With them, or a binary, a server plays all tables. ``["--watch"]`` shows them on a
            page; see ``LocalClient.page``.
        token: Bearer token, if these flags require one.
        transport: ``"auto"``; ``"inprocess"`` for all tables within this process; ``"shared"`` or
            ``"grpc"`` for all tables in a server. ``Tables.transport`` has the result.
        timeout: Seconds without any response after which calls raise ServerError, at least 24.

    Raises:
        ServerError: transport is ``"inprocess"`` and this process cannot use the library; or the
            program cannot be found, built or started.
        ValueError: transport or timeout is not allowed.

    Examples:
        >>> import sparrowhall
        >>> with sparrowhall.local() as client, client.open("ema_2016", tables=2, seed=1) as tables:
        ...     len(tables.recv())
        2
    """
    return LocalClient(binary, arguments, token, transport, timeout)


_shared: dict[tuple[Transport, bool], LocalClient] = {}
_sharing = threading.Lock()


def shared(transport: Transport = "auto", watch: bool = False) -> LocalClient:
    """Return this process's own client of a transport, made on first use.

    Environments without a client of their own use it. With watch it has a server whose page shows
    the tables.
    """
    with _sharing:
        client = _shared.get((transport, watch))
        # After a fork the child cannot use the parent's connection.
        if client is None or not client.alive:
            client = local(arguments=["--watch"] if watch else (), transport=transport)
            _shared[transport, watch] = client
        return client


def _renew_lock() -> None:
    """Replace the lock in a forked process: a thread of the parent may have held it."""
    global _sharing
    _sharing = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
