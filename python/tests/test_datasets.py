"""The files that ``sparrowhall play --out`` writes, read by others."""

from __future__ import annotations

import glob
import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from sparrowhall.server import find_binary

pa = pytest.importorskip("pyarrow")
ds = pytest.importorskip("pyarrow.dataset")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two datasets, of the names that the page uses."""
    root = tmp_path_factory.mktemp("data")
    for name, ruleset in (("first", "ema_2016"), ("hktw", "hkma_hktw")):
        command = ["play", "--ruleset", ruleset, "--matches", "70", "--file-matches", "64"]
        command += ["--out", f"runs/{name}", "--quiet"]
        subprocess.run([find_binary(), *command], cwd=root, check=True, stdout=subprocess.DEVNULL)
    return root


def test_examples(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every piece of Python on the page runs as it stands there."""
    monkeypatch.chdir(runs)
    pieces = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(pieces) >= 5
    for text in pieces:
        exec(compile(text, str(PAGE), "exec"), {})


@pytest.mark.parametrize("name", ["first", "hktw"])
def test_rows(runs: Path, name: str) -> None:
    """All readers find the rows that the manifest counts."""
    folder = runs / "runs" / name
    manifest = json.loads((folder / "manifest.json").read_text())
    for table, rows in manifest["rows"].items():
        files = sorted(glob.glob(str(folder / f"{table}-*.arrow")))
        assert len(files) == 2
        assert ds.dataset(files, format="ipc").count_rows() == rows
        assert pl.read_ipc(files).height == rows
        arrow = ds.dataset(files, format="ipc")  # noqa: F841 - named in the query
        assert duckdb.sql("select count(*) from arrow").fetchall() == [(rows,)]


def test_values(runs: Path) -> None:
    """All readers find the same values, and the points add up."""
    files = sorted(glob.glob(str(runs / "runs" / "first" / "hands-*.arrow")))
    rows = ds.dataset(files, format="ipc").to_table().to_pylist()
    assert all(sum(row["payments"]) == 0 or row["deposits"] or any(row["ready"]) for row in rows)
    patterns = Counter(p["id"] for row in rows for w in row["wins"] for p in w["patterns"])
    ids = pl.read_ipc(files).select(
        pl.col("wins").explode().struct.field("patterns").explode().struct.field("id")
    )
    assert Counter(i for i in ids["id"] if i is not None) == patterns
    hands = ds.dataset(files, format="ipc")  # noqa: F841 - named in the query
    counted = duckdb.sql(
        "select p.id, count(*) from (select unnest(w.patterns) as p "
        "from (select unnest(wins) as w from hands)) group by 1"
    ).fetchall()
    assert dict(counted) == dict(patterns)


def test_descriptions(runs: Path) -> None:
    """Every column says what it is."""
    for path in (runs / "runs" / "hktw").glob("*.arrow"):
        schema = pa.ipc.open_file(path).schema
        assert all(b"description" in field.metadata for field in schema)
