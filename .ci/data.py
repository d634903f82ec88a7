"""Reads a data release by datasets, polars and mlcroissant: data.py FOLDER. Fails where they differ."""

import json
import pathlib
import sys

import datasets
import mlcroissant
import polars as pl


def text(value):
    """Return a value with bytes for texts, as mlcroissant has them."""
    if isinstance(value, list):
        return [text(v) for v in value]
    return value.encode() if isinstance(value, str) else value


folder = pathlib.Path(sys.argv[1])
described = mlcroissant.Dataset(jsonld=folder / "croissant.json")
for table in described.metadata.to_json()["recordSet"]:
    bare = [f["name"] for f in table["field"] if f["description"] == f["name"].rpartition("/")[2]]
    assert not bare, f"columns without a description: {bare}"
tables = sorted(p.stem for p in (folder / "data").iterdir())
assert tables == ["decisions", "hands", "ledger", "matches", "pairs", "wins"], tables
for name in tables:
    by_polars = pl.read_parquet(folder / "data" / f"{name}.parquet")
    by_datasets = datasets.load_dataset(str(folder), name, split="train", cache_dir=str(folder / "cache"))
    assert len(by_datasets) == len(by_polars) > 0, name
    assert by_datasets.column_names == by_polars.columns, name
    record = next(iter(described.records(name)))
    flat = {c for c, t in by_polars.schema.items() if not (t == pl.List and t.inner == pl.Struct)}
    assert {key.removeprefix(f"{name}/") for key in record} == flat, name
    first = by_polars.row(0, named=True)
    assert by_datasets[0] == first, name
    for key, value in record.items():
        want = first[key.removeprefix(f"{name}/")]
        got = list(value) if isinstance(want, list) else value
        assert text(got) == text(want), (name, key, got, want)
    rulesets = set(by_polars["ruleset"])
    assert rulesets == ({"hkma_hktw"} if name == "ledger" else {p.stem for p in (folder / "manifests").iterdir()}), name
    print(f"{name}: {len(by_polars)} rows")
for manifest in (folder / "manifests").iterdir():
    assert json.loads(manifest.read_text())["complete"]
