"""Where the program is found, and which one is refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import sparrowhall
from sparrowhall import _program


def program(path: Path, version: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho 'sparrowhall version {version}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with nothing on it; returns a folder on the PATH."""
    monkeypatch.delenv("SPARROWHALL_BIN", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(_program, "_installed", lambda: None)
    monkeypatch.setattr(_program, "_checkout", lambda: None)
    return tmp_path / "path"


def test_nothing_is_found(nowhere: Path) -> None:
    with pytest.raises(sparrowhall.ServerError, match="install a wheel"):
        _program.find_binary()


def test_order(nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path = program(nowhere / "sparrowhall", sparrowhall.__version__ + " 0123456789ab")
    assert _program.find_binary() == on_path
    own = program(tmp_path / "bin" / "sparrowhall", sparrowhall.__version__)
    monkeypatch.setattr(_program, "_installed", lambda: own)
    assert _program.find_binary() == own
    named = program(tmp_path / "named", sparrowhall.__version__)
    monkeypatch.setenv("SPARROWHALL_BIN", str(named))
    assert _program.find_binary() == named


def test_another_version_is_refused(
    nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(nowhere / "sparrowhall", "9.8.7")
    both = rf"version 9\.8\.7, and this package is of version {sparrowhall.__version__}"
    with pytest.raises(sparrowhall.ServerError, match=both):
        _program.find_binary()
    old = program(tmp_path / "old", "(devel)")
    monkeypatch.setenv("SPARROWHALL_BIN", str(old))
    with pytest.raises(
        sparrowhall.ServerError, match=r"version sparrowhall version \(devel\), and"
    ):
        _program.find_binary()
    monkeypatch.setenv("SPARROWHALL_BIN", str(tmp_path / "missing"))
    with pytest.raises(sparrowhall.ServerError, match="not a program"):
        _program.find_binary()


def test_without_go_a_checkout_says_what_to_do(
    nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_program, "_checkout", lambda: tmp_path)
    with pytest.raises(sparrowhall.ServerError, match="install Go, install a wheel"):
        _program.find_binary()


def test_a_build_in_a_checkout_says_so(
    nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture
) -> None:
    go = nowhere / "go"
    go.parent.mkdir(parents=True, exist_ok=True)
    go.write_text('#!/bin/sh\nshift 3\necho built > "$1"\n')
    go.chmod(0o755)
    monkeypatch.setattr(_program, "_checkout", lambda: tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert _program.find_binary().read_text() == "built\n"
    assert f"building sparrowhall of the checkout {tmp_path}" in capfd.readouterr().err


def test_the_program_of_the_wheel_is_found_beside_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As pip install --target lays it."""
    own = program(tmp_path / "bin" / "sparrowhall", sparrowhall.__version__)
    package = tmp_path / "sparrowhall"
    package.mkdir()
    monkeypatch.setattr(_program, "__file__", str(package / "_program.py"))
    assert _program._installed() == own.resolve()
    assert sys.platform == "win32" or os.access(own, os.X_OK)
