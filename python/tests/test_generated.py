from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_generated_code_is_current(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    sys.modules.pop("generate_proto", None)
    import generate_proto

    generate_proto.generate(tmp_path)
    for made in tmp_path.iterdir():
        assert (generate_proto.TARGET / made.name).read_text() == made.read_text(), (
            "run python generate_proto.py"
        )
    assert len(list(tmp_path.iterdir())) == 2 * len(generate_proto.FILES)
