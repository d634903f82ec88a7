"""A server of one's own: finds or builds the program, starts it, stops it."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from jansou.client import Client
from jansou.errors import ServerError

_MODULE = "module github.com/jansou/jansou"
_READY = "listening on "
_STOP_SECONDS = 5.0
# Nobody else can reach the server: no stream of its owner is too idle or one too many.
_FLAGS = ["--idle", "0", "--max-streams", "4096", "--log", "off", "--stop-with-stdin"]


def find_binary() -> Path:
    """Return the path of the program ``jansou``.

    It is looked for in the environment variable ``JANSOU_BIN``, then on the ``PATH``. In a
    checkout of the project it is then built with ``go build`` into the user's cache.

    Raises:
        ServerError: it is in none of these places.
    """
    if named := os.environ.get("JANSOU_BIN"):
        path = Path(named)
        if not os.access(path, os.X_OK) or path.is_dir():
            raise ServerError(f"JANSOU_BIN names {named}, which is no program")
        return path
    if on_path := shutil.which("jansou"):
        return Path(on_path)
    checkout = _checkout()
    if checkout is None:
        raise ServerError(
            "the program jansou is not on the PATH; install it with "
            "'go install github.com/jansou/jansou/cmd/jansou@latest' or set JANSOU_BIN to its path"
        )
    return _build(checkout)


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
            f"cannot build jansou in {checkout}: go is not on the PATH; "
            "install Go or set JANSOU_BIN to a built program"
        )
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "jansou"
    cache.mkdir(parents=True, exist_ok=True)
    # Built under another name and renamed, so that processes that do so at the same time
    # do not see half a file.
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        made = Path(folder) / "jansou"
        build = subprocess.run(
            [go, "build", "-o", str(made), "./cmd/jansou"],
            cwd=checkout,
            capture_output=True,
            text=True,
            check=False,
        )
        if build.returncode != 0:
            raise ServerError(f"go build failed in {checkout}:\n{build.stderr.strip()}")
        return made.replace(cache / "jansou")


class LocalClient(Client):
    """A client with a server of its own, which ends with it.

    The server also ends when this process does, however that happens: it watches a pipe that
    only this process holds open.
    """

    def __init__(
        self,
        binary: str | Path | None = None,
        arguments: Sequence[str] = (),
        token: str | None = None,
    ) -> None:
        """Start a server and connect to it; see ``local``."""
        program = find_binary() if binary is None else Path(binary)
        self._folder = tempfile.TemporaryDirectory(prefix="jansou-")
        # A socket in a private folder is out of reach of other users.
        listen = (
            "127.0.0.1:0" if sys.platform == "win32" else f"unix:{self._folder.name}/serve.sock"
        )
        said = Path(self._folder.name) / "errors"
        try:
            with said.open("wb") as errors:
                self._process = subprocess.Popen(
                    [program, "serve", "--listen", listen, *_FLAGS, *arguments],
                    env={k: v for k, v in os.environ.items() if k != "JANSOU_TOKEN"},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    # Ctrl-C is for the parent, which ends the server when it ends.
                    start_new_session=True,
                )
        except OSError as e:
            self._folder.cleanup()
            raise ServerError(f"cannot start {program}: {e.strerror}") from None
        assert self._process.stdout is not None
        line = self._process.stdout.readline().decode().strip()
        if not line.startswith(_READY):
            reason = said.read_text(encoding="utf-8", errors="replace").strip()
            self._stop()
            raise ServerError(f"{program} serve did not start: {reason or line}")
        atexit.register(self.close)
        super().__init__(line.removeprefix(_READY), token=token)

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return self._process.pid

    def close(self) -> None:
        """End all streams and the server."""
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
        self._folder.cleanup()


def local(
    binary: str | Path | None = None,
    arguments: Sequence[str] = (),
    token: str | None = None,
) -> LocalClient:
    """Start a server on this machine and connect to it.

    Args:
        binary: The program; found or built by ``find_binary`` if None.
        arguments: Further flags of ``jansou serve``, such as ``["--max-tables", "65536"]``.
        token: Bearer token, if these flags ask for one.

    Raises:
        ServerError: the program cannot be found, built or started.
    """
    return LocalClient(binary, arguments, token)


_shared: tuple[int, LocalClient] | None = None


def shared() -> LocalClient:
    """Return this process's own server, started on first use.

    Environments that are given no client play there.
    """
    global _shared
    # After a fork the parent's connection is of no use to the child.
    if _shared is None or _shared[0] != os.getpid() or _shared[1]._process.poll() is not None:
        _shared = (os.getpid(), local())
    return _shared[1]
