"""The quick part of ``.ci/full frameworks``: one ruleset, few ends, the installed versions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "conformance"


@pytest.mark.parametrize("script", ["gymnasium_containers", "pettingzoo_tests"])
def test_framework(script: str, tmp_path: Path) -> None:
    command = [sys.executable, FOLDER / f"{script}.py", "ema_2016", "4"]
    quiet = os.environ | {"SDL_VIDEODRIVER": "dummy"}
    played = subprocess.run(command, env=quiet, capture_output=True, text=True, timeout=900)
    assert played.returncode == 0, played.stderr
    rows = [line for line in played.stdout.splitlines() if line.startswith("ROW")]
    counts = [int(count) for row in rows if (count := row.rsplit("\t", 1)[1])]
    assert len(counts) > 1
    assert min(counts) >= 4

    page, printed = tmp_path / "page.md", tmp_path / "rows"
    page.write_text("Before\n<!-- conformance -->\nold\n<!-- conformance end -->\nAfter\n")
    printed.write_text("\n".join(rows))
    subprocess.run([sys.executable, FOLDER / "table.py", printed, page, "rllib"], check=True)
    text = page.read_text()
    assert "old" not in text
    assert "Not passed: rllib." in text
    assert all(row.split("\t")[3] in text for row in rows)
