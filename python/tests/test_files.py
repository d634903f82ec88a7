"""Files that are replaced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sparrowhall._files import replacing


def test_replacing(tmp_path: Path) -> None:
    """A file is whole or as it was, and nothing that others laid beside it is followed."""
    target, others = tmp_path / "file", tmp_path / "others"
    others.write_text("untouched")
    for name in ("file.new", "file.tmp", ".file"):
        os.symlink(others, tmp_path / name)
    before = sorted(p.name for p in tmp_path.iterdir())
    with replacing(target) as new:
        new.write_text("first")

    def fail() -> None:
        with replacing(target) as new:
            new.write_text("second")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_text() == "first"
    assert target.stat().st_mode & 0o777 == 0o644
    assert others.read_text() == "untouched"
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([*before, "file"])
