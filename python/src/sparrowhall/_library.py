"""The library ``libsparrowhall``, which plays tables within this process.

It is found like the program: named by ``SPARROWHALL_LIB``, beside the program that
``SPARROWHALL_BIN`` names, installed with this package, or built in a checkout.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import sys
import threading
from pathlib import Path
from typing import Any

from sparrowhall import _program
from sparrowhall._process import CurrentProcess
from sparrowhall._proto import env_pb2 as pb
from sparrowhall._shared_memory import UnavailableError
from sparrowhall.errors import ServerError
from sparrowhall.version import __version__

NAME = {"win32": "sparrowhall.dll", "darwin": "libsparrowhall.dylib"}.get(
    sys.platform, "libsparrowhall.so"
)
"""Name of the file."""

MESSAGE, FAILED, TWO_THREADS = -1, -2, -3
"""Results below 0 of ``act`` and ``request``; see cmd/libsparrowhall."""

_SIGNATURES: dict[str, tuple[Any, list[Any] | None]] = {
    "version": (ctypes.c_size_t, [ctypes.c_char_p, ctypes.c_size_t]),
    "describe": (ctypes.c_size_t, [ctypes.c_char_p, ctypes.c_size_t]),
    "quick": (ctypes.c_int, [ctypes.c_char_p]),
    "open": (ctypes.c_int, []),
    "request": (
        ctypes.c_int64,
        [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int],
    ),
    # Without types of arguments ctypes calls it three times as fast, as ints and bytes.
    "act": (ctypes.c_int64, None),
    "answer": (ctypes.c_size_t, [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]),
    "failure": (ctypes.c_size_t, [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]),
    "size": (ctypes.c_size_t, [ctypes.c_int]),
    "attach": (ctypes.c_int, [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]),
    "unpack": (ctypes.c_int, [ctypes.c_int]),
    "close": (None, [ctypes.c_int]),
    "learner": (
        ctypes.c_int64,
        [
            ctypes.c_int,
            ctypes.c_char_p,
            *[ctypes.c_int] * 3,
            ctypes.c_double,
            ctypes.c_void_p,
            ctypes.c_int,
            ctypes.c_void_p,
        ],
    ),
    "learn_memory": (ctypes.c_int64, [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]),
    "learn": (
        ctypes.c_int64,
        [
            ctypes.c_int,
            *[ctypes.c_void_p] * 2,
            ctypes.c_int,
            *[ctypes.c_void_p] * 2,
            ctypes.c_int,
        ],
    ),
    "learn_take": (ctypes.c_int64, [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]),
    "learn_gradient": (
        ctypes.c_int64,
        [ctypes.c_int, ctypes.c_void_p, ctypes.c_int, *[ctypes.c_void_p] * 3],
    ),
}


class Library:
    """The loaded library.

    Attributes:
        path: Its file.
        holding: Its functions, called with the global interpreter lock: for calls that are
            shorter than waiting for the lock again.
        releasing: Its functions, called without the lock.
    """

    def __init__(self, path: Path) -> None:
        """Load a library.

        Raises:
            UnavailableError: it cannot be loaded, or is of another version than this package.
        """
        self.path = path
        self._quick_names: dict[str, bool] = {}
        try:
            self.holding = _functions(ctypes.PyDLL(str(path)))
            self.releasing = _functions(ctypes.CDLL(str(path)))
        except (OSError, AttributeError) as e:
            raise UnavailableError(f"{path} cannot be loaded: {e}") from None
        version = text(self.releasing["version"]).decode()
        if version != __version__:
            raise UnavailableError(
                f"{path} is of version {version}, and this package is of version {__version__}"
            )

    @functools.cached_property
    def description(self) -> pb.DescribeResponse:
        """What the library offers, as a server describes it."""
        return pb.DescribeResponse.FromString(text(self.releasing["describe"]))

    def slow(self, request: pb.Open) -> str:
        """Return what of tables takes more than microseconds; empty if nothing does."""
        if request.observation.startswith("advice"):
            return "the observation 'advice' takes milliseconds"
        for name in set(request.seats):
            if name != "external" and not self._quick(name):
                return f"the player {name!r} takes milliseconds to answer"
        return ""

    def _quick(self, name: str) -> bool:
        if name not in self._quick_names:
            self._quick_names[name] = bool(self.holding["quick"](name.encode()))
        return self._quick_names[name]


def text(function: Any, *arguments: Any) -> bytes:
    """Return the bytes that a function copies to its caller; empty if there are none."""
    size = function(*arguments, None, 0)
    if not size:
        return b""
    room = ctypes.create_string_buffer(size)
    function(*arguments, room, size)
    return room.raw


def _functions(library: Any) -> dict[str, Any]:
    functions = {}
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, f"sparrowhall_{name}")
        function.restype = result
        if arguments is not None:
            function.argtypes = arguments
        functions[name] = function
    return functions


_loaded: Library | str | None = None
_process_id = 0
_loading = threading.Lock()


def load() -> Library:
    """Return the library, loaded on first use.

    Raises:
        UnavailableError: there is none that this process can use; the message has the reason.
    """
    global _loaded, _process_id
    with _loading:
        if _loaded is None:
            _process_id = CurrentProcess.id
            try:
                _loaded = Library(find())
            except UnavailableError as e:
                _loaded = str(e)
        if isinstance(_loaded, Library) and CurrentProcess.id != _process_id:
            raise UnavailableError(
                "this process was forked from one that had loaded the library, whose threads do "
                "not exist here"
            )
    if isinstance(_loaded, str):
        raise UnavailableError(_loaded)
    return _loaded


def find() -> Path:
    """Return the path of the library; see the module.

    Raises:
        UnavailableError: there is none.
    """
    if sys.byteorder != "little" or sys.implementation.name != "cpython":
        raise UnavailableError(
            f"the library needs CPython on a little-endian processor, not {sys.implementation.name}"
            f" on {platform.machine()}"
        )
    for variable in ("SPARROWHALL_LIB", "SPARROWHALL_BIN"):
        if named := os.environ.get(variable):
            path = Path(named) if variable == "SPARROWHALL_LIB" else Path(named).parent / NAME
            if not path.is_file():
                raise UnavailableError(f"{variable} names {named}, and there is no {path}")
            return path
    own = Path(__file__).resolve().parent / NAME
    if own.is_file():
        return own
    checkout = _program._checkout()
    if checkout is None:
        raise UnavailableError(
            f"this package was installed without {NAME}; docs/python.md lists the wheels that "
            "have it"
        )
    try:
        return _program.build(checkout, NAME)
    except ServerError as e:
        raise UnavailableError(str(e)) from None


def _renew_lock() -> None:
    """Replace the lock in a forked process: a thread of the parent may have held it."""
    global _loading
    _loading = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
