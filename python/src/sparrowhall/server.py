"""A server in a process of its own on this machine."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from sparrowhall._program import find_binary
from sparrowhall.client import TIMEOUT, Client, Transport
from sparrowhall.errors import ServerError

__all__ = ["LocalClient", "find_binary", "local", "shared"]

_READY = "listening on "
_START_SECONDS = 60.0
_STOP_SECONDS = 5.0
# Only this user can reach the server, so it shows all tiles and has no limits for idle or many
# streams.
_FLAGS = [
    "--allow-hidden",
    "--idle",
    "0",
    "--max-streams",
    "4096",
    "--log",
    "off",
    "--stop-with-stdin",
]


class LocalClient(Client):
    """A client with a server of its own, which ends with it.

    The server also ends when this process does, for any reason: it watches a pipe that only this
    process holds open. A copy of it, and one that was pickled, is a plain client of the same
    server.
    """

    def __init__(
        self,
        binary: str | Path | None = None,
        arguments: Sequence[str] = (),
        token: str | None = None,
        transport: Transport = "auto",
        timeout: float = TIMEOUT,
    ) -> None:
        """Start a server and connect to it; see ``local``."""
        program = find_binary() if binary is None else Path(binary)
        self._owner = os.getpid()
        self._folder = tempfile.mkdtemp(prefix="sparrowhall-")
        # Other users cannot reach a socket in a private folder.
        listen = "127.0.0.1:0" if sys.platform == "win32" else f"unix:{self._folder}/serve.sock"
        log = Path(self._folder) / "errors"
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
            shutil.rmtree(self._folder, ignore_errors=True)
            raise ServerError(f"cannot start {program}: {e.strerror}") from None
        assert self._process.stdout is not None
        late = threading.Timer(_START_SECONDS, self._process.kill)
        late.start()
        line = self._process.stdout.readline().decode().strip()
        late.cancel()
        if not line.startswith(_READY):
            reason = log.read_text(encoding="utf-8", errors="replace").strip() or line
            self._stop()
            if not reason:
                reason = f"no address within {_START_SECONDS:g} s"
            raise ServerError(f"{program} serve did not start: {reason}")
        address = line.removeprefix(_READY)
        try:
            super().__init__(address, token=token, transport=transport, timeout=timeout)
        except BaseException:
            self._stop()
            raise
        atexit.register(self.close)

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the server runs and this process is the one that started it."""
        return (
            os.getpid() == self._owner
            and not self.closed
            and self._process.poll() is None
            and not _exiting(self._process.pid)
        )

    def close(self) -> None:
        """End all streams and the server."""
        if os.getpid() != self._owner:
            return  # a forked process leaves the server of its parent alone
        atexit.unregister(self.close)
        super().close()
        self._stop()

    def __enter__(self) -> LocalClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _stop(self) -> None:
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
        shutil.rmtree(self._folder, ignore_errors=True)


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
    """Start a server on this machine and connect to it.

    Args:
        binary: The program; found or built by ``find_binary`` if None.
        arguments: Further flags of ``sparrowhall serve``, such as ``["--max-tables", "65536"]``.
        token: Bearer token, if these flags require one.
        transport: How batches travel, ``"auto"``, ``"shared"`` or ``"grpc"``; see Client.
        timeout: Seconds without any response after which calls raise ServerError, at least 24.

    Raises:
        ServerError: the program cannot be found, built or started.
        ValueError: transport or timeout is not allowed.
    """
    return LocalClient(binary, arguments, token, transport, timeout)


_shared: LocalClient | None = None
_sharing = threading.Lock()


def shared() -> LocalClient:
    """Return this process's own server, started on first use.

    Environments without a client of their own use it.
    """
    global _shared
    with _sharing:
        # After a fork the child cannot use the parent's connection.
        if _shared is None or not _shared.alive:
            _shared = local()
        return _shared


def _renew_lock() -> None:
    """Replace the lock in a forked process: a thread of the parent may have held it."""
    global _sharing
    _sharing = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
