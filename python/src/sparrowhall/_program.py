"""The program ``sparrowhall``: where it is installed, or how it is built in a checkout."""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sparrowhall.errors import ServerError
from sparrowhall.version import __version__

_MODULE = "module github.com/sparrowhall/sparrowhall"
_VERSION = re.compile(r"sparrowhall version (\d+\.\d+\.\d+)")


def find_binary() -> Path:
    """Return the path of the program ``sparrowhall``.

    It is the first of these:

    1. the program that the environment variable ``SPARROWHALL_BIN`` names;
    2. the one installed with this package;
    3. the one on the ``PATH``, if it has this package's version;
    4. in a checkout of the project, one built with ``go build`` into the user's cache, which a
       line on standard error reports.

    Raises:
        ServerError: there is none, or SPARROWHALL_BIN names one of another version.

    Examples:
        >>> import subprocess
        >>> import sparrowhall
        >>> command = [sparrowhall.find_binary(), "rules", "list"]
        >>> b"ema_2016" in subprocess.check_output(command)
        True
    """
    if named := os.environ.get("SPARROWHALL_BIN"):
        path = Path(named)
        if not os.access(path, os.X_OK) or path.is_dir():
            raise ServerError(f"SPARROWHALL_BIN names {named}, which is not a program")
        if (version := _version(path)) != __version__:
            raise ServerError(f"SPARROWHALL_BIN names {named} of {_versions(version)}")
        return path
    if own := _installed():
        return own
    refused = ""
    if on_path := shutil.which("sparrowhall"):
        if (version := _version(Path(on_path))) == __version__:
            return Path(on_path)
        refused = f"; the one on the PATH, {on_path}, is of {_versions(version)}"
    checkout = _checkout()
    if checkout is None:
        raise ServerError(
            "the program sparrowhall was not found: install a wheel of this package, which "
            "contains it, or set SPARROWHALL_BIN to its path" + refused
        )
    return build(checkout)


def _versions(version: str) -> str:
    return f"version {version}, and this package is of version {__version__}"


@functools.cache
def _version(program: Path) -> str:
    """Return the version that a program prints."""
    try:
        output = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False, timeout=10
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as e:
        raise ServerError(f"cannot start {program}: {e}") from None
    found = _VERSION.match(output)
    return found[1] if found else output.strip() or "(unknown)"


def _installed() -> Path | None:
    """Return the program that was installed with this package, None if there is none."""
    name = "sparrowhall.exe" if sys.platform == "win32" else "sparrowhall"
    package = Path(__file__).resolve().parent
    # pip install --target puts the program beside the package.
    places = [package.parent / "bin" / name]
    try:
        found = importlib.metadata.distribution("sparrowhall")
    except importlib.metadata.PackageNotFoundError:
        return None
    # Another copy of the package, such as an editable install, is not the installed one.
    if Path(str(found.locate_file("sparrowhall"))).resolve() == package:
        places += [
            Path(str(f.locate())) for f in found.files or [] if f.name == name and f.suffix != ".py"
        ]
    return next((p.resolve() for p in places if p.is_file() and os.access(p, os.X_OK)), None)


def _checkout() -> Path | None:
    """Return the root of the checkout that contains this file or the working folder."""
    here = Path(__file__).resolve()
    for folder in (*here.parents, Path.cwd(), *Path.cwd().parents):
        mod = folder / "go.mod"
        if mod.is_file() and mod.read_text(encoding="utf-8").startswith(_MODULE):
            return folder
    return None


def build(checkout: Path, name: str = "sparrowhall") -> Path:
    """Build the program of a checkout into the user's cache, and return its path.

    Args:
        checkout: The root of the checkout.
        name: Name of the file: that of the program, or of the library, which needs a C compiler.

    Raises:
        ServerError: it cannot be built.
    """
    go = shutil.which("go")
    if go is None:
        raise ServerError(
            f"cannot build sparrowhall in {checkout}: go is not on the PATH; install Go, install a "
            "wheel of this package, or set SPARROWHALL_BIN to a built program"
        )
    mode = ["./cmd/sparrowhall"]
    if name != "sparrowhall":
        enabled = subprocess.run(
            [go, "env", "CGO_ENABLED"], cwd=checkout, capture_output=True, text=True, check=False
        ).stdout.strip()
        if enabled != "1":
            raise ServerError(f"cannot build {name} in {checkout}: there is no C compiler")
        mode = ["-buildmode=c-shared", "-pgo=off", "./cmd/libsparrowhall"]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sparrowhall"
    cache.mkdir(parents=True, exist_ok=True)
    print(f"sparrowhall: building {name} of the checkout {checkout}", file=sys.stderr, flush=True)
    # Built under another name and renamed, so that other processes never see half a file. Go
    # does not write an up-to-date copy again.
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        built = Path(folder) / name
        with contextlib.suppress(OSError):
            shutil.copy2(cache / name, built)
        done = subprocess.run(
            [go, "build", "-buildvcs=false", "-o", str(built), *mode],
            cwd=checkout,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise ServerError(f"go build failed in {checkout}:\n{done.stderr.strip()}")
        return built.replace(cache / name)
