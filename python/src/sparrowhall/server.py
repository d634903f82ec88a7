"""A server of one's own: finds or builds the program, starts it, stops it."""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from sparrowhall.client import Client, Transport
from sparrowhall.errors import ServerError
from sparrowhall.version import __version__

_MODULE = "module github.com/sparrowhall/sparrowhall"
_READY = "listening on "
_STOP_SECONDS = 5.0
# Nobody else can reach the server: its owner may see all tiles, and no stream of his is too
# idle or one too many.
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


_VERSION = re.compile(r"sparrowhall version (\d+\.\d+\.\d+)")


def find_binary() -> Path:
    """Return the path of the program ``sparrowhall``.

    It is the one that the environment variable ``SPARROWHALL_BIN`` names, else the one that was
    installed with this package, else the one on the ``PATH`` if it has this package's version.
    In a checkout of the project it is then built with ``go build`` into the user's cache, which
    a line on standard error tells.

    Raises:
        ServerError: it is in none of these places, or SPARROWHALL_BIN names one of another version.
    """
    if named := os.environ.get("SPARROWHALL_BIN"):
        path = Path(named)
        if not os.access(path, os.X_OK) or path.is_dir():
            raise ServerError(f"SPARROWHALL_BIN names {named}, which is no program")
        if (version := _version(path)) != __version__:
            raise ServerError(f"SPARROWHALL_BIN names {named} of {_other(version)}")
        return path
    if own := _installed():
        return own
    refused = ""
    if on_path := shutil.which("sparrowhall"):
        if (version := _version(Path(on_path))) == __version__:
            return Path(on_path)
        refused = f"; the one on the PATH, {on_path}, is of {_other(version)}"
    checkout = _checkout()
    if checkout is None:
        raise ServerError(
            "the program sparrowhall was not found: install a wheel of this package, which has it, or "
            "set SPARROWHALL_BIN to its path" + refused
        )
    return _build(checkout)


def _other(version: str) -> str:
    return f"version {version}, and this package is of version {__version__}"


@functools.cache
def _version(program: Path) -> str:
    """Return the version that a program says it has."""
    try:
        said = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False, timeout=10
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as e:
        raise ServerError(f"cannot start {program}: {e}") from None
    found = _VERSION.match(said)
    return found[1] if found else said.strip() or "(unknown)"


def _installed() -> Path | None:
    """Return the program that was installed with this package, None if there is none."""
    name = "sparrowhall.exe" if sys.platform == "win32" else "sparrowhall"
    package = Path(__file__).resolve().parent
    # With pip install --target the program is beside the package.
    places = [package.parent / "bin" / name]
    try:
        found = importlib.metadata.distribution("sparrowhall")
    except importlib.metadata.PackageNotFoundError:
        return None
    # A copy of the package elsewhere, such as an editable install, is not what was installed.
    if Path(str(found.locate_file("sparrowhall"))).resolve() == package:
        places += [
            Path(str(f.locate())) for f in found.files or [] if f.name == name and f.suffix != ".py"
        ]
    return next((p.resolve() for p in places if p.is_file() and os.access(p, os.X_OK)), None)


def _checkout() -> Path | None:
    """Return the root of the checkout that holds this file or the working folder."""
    here = Path(__file__).resolve()
    for folder in (*here.parents, Path.cwd(), *Path.cwd().parents):
        mod = folder / "go.mod"
        if mod.is_file() and mod.read_text(encoding="utf-8").startswith(_MODULE):
            return folder
    return None


def _build(checkout: Path) -> Path:
    go = shutil.which("go")
    if go is None:
        raise ServerError(
            f"cannot build sparrowhall in {checkout}: go is not on the PATH; install Go, install a "
            "wheel of this package, or set SPARROWHALL_BIN to a built program"
        )
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sparrowhall"
    cache.mkdir(parents=True, exist_ok=True)
    print(f"sparrowhall: plays with a build of the checkout {checkout}", file=sys.stderr, flush=True)
    # Built under another name and renamed, so that processes that do so at the same time do not
    # see half a file. Go leaves a copy of what it built before as it is if nothing has changed.
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        made = Path(folder) / "sparrowhall"
        with contextlib.suppress(OSError):
            shutil.copy2(cache / "sparrowhall", made)
        build = subprocess.run(
            [go, "build", "-buildvcs=false", "-o", str(made), "./cmd/sparrowhall"],
            cwd=checkout,
            capture_output=True,
            text=True,
            check=False,
        )
        if build.returncode != 0:
            raise ServerError(f"go build failed in {checkout}:\n{build.stderr.strip()}")
        return made.replace(cache / "sparrowhall")


class LocalClient(Client):
    """A client with a server of its own, which ends with it.

    The server also ends when this process does, however that happens: it watches a pipe that
    only this process holds open. A copy of it, and one that was pickled, is a plain client of
    the same server.
    """

    def __init__(
        self,
        binary: str | Path | None = None,
        arguments: Sequence[str] = (),
        token: str | None = None,
        transport: Transport = "auto",
    ) -> None:
        """Start a server and connect to it; see ``local``."""
        program = find_binary() if binary is None else Path(binary)
        self._owner = os.getpid()
        self._folder = tempfile.mkdtemp(prefix="sparrowhall-")
        # A socket in a private folder is out of reach of other users.
        listen = "127.0.0.1:0" if sys.platform == "win32" else f"unix:{self._folder}/serve.sock"
        said = Path(self._folder) / "errors"
        try:
            with said.open("wb") as errors:
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
        line = self._process.stdout.readline().decode().strip()
        if not line.startswith(_READY):
            reason = said.read_text(encoding="utf-8", errors="replace").strip()
            self._stop()
            raise ServerError(f"{program} serve did not start: {reason or line}")
        atexit.register(self.close)
        super().__init__(line.removeprefix(_READY), token=token, transport=transport)

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the server runs and this process is the one that started it."""
        return os.getpid() == self._owner and not self.closed and self._process.poll() is None

    def close(self) -> None:
        """End all streams and the server."""
        if os.getpid() != self._owner:
            return  # a process forked from the owner's leaves the server alone
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


def local(
    binary: str | Path | None = None,
    arguments: Sequence[str] = (),
    token: str | None = None,
    transport: Transport = "auto",
) -> LocalClient:
    """Start a server on this machine and connect to it.

    Args:
        binary: The program; found or built by ``find_binary`` if None.
        arguments: Further flags of ``sparrowhall serve``, such as ``["--max-tables", "65536"]``.
        token: Bearer token, if these flags ask for one.
        transport: How batches travel, ``"auto"``, ``"shared"`` or ``"grpc"``; see Client.

    Raises:
        ServerError: the program cannot be found, built or started.
    """
    return LocalClient(binary, arguments, token, transport)


_shared: LocalClient | None = None
_sharing = threading.Lock()


def shared() -> LocalClient:
    """Return this process's own server, started on first use.

    Environments that are given no client play there.
    """
    global _shared
    with _sharing:
        # After a fork the parent's connection is of no use to the child.
        if _shared is None or not _shared.alive:
            _shared = local()
        return _shared


def _forget_lock() -> None:
    """Give a forked process a lock that no thread of its parent holds."""
    global _sharing
    _sharing = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_lock)
