"""Reads Parquet exports with packages that were written elsewhere.

Usage: parquet.py DATASET EXPORT, pairs of folders. pyarrow, polars and DuckDB must each see
the rows of the dataset's Arrow files, with the same values and, in pyarrow, the same types
but for lists of fixed size, which Parquet does not have, nulls in lists, and words.
"""

import json
import pathlib
import sys

import duckdb
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.ipc
import pyarrow.parquet


def arrow_table(dataset, name):
    """Return a table of a dataset."""
    manifest = json.loads((dataset / "manifest.json").read_text())
    files = [f["name"] for f in manifest["files"] if f["table"] == name]
    return pyarrow.concat_tables(pyarrow.ipc.open_file(dataset / f).read_all() for f in files)


def plain(kind):
    """Return a type without words and lists of fixed size, whose elements may be null."""
    if pyarrow.types.is_dictionary(kind):
        return kind.value_type
    if pyarrow.types.is_list(kind) or pyarrow.types.is_fixed_size_list(kind):
        return pyarrow.list_(kind.value_field.with_type(plain(kind.value_type)).with_nullable(True))
    if pyarrow.types.is_struct(kind):
        return pyarrow.struct([f.with_type(plain(f.type)) for f in kind])
    return kind


def comparable(value):
    """Return a value as polars and DuckDB give it."""
    if isinstance(value, list | tuple):
        return [comparable(v) for v in value]
    if isinstance(value, dict):
        return {k: comparable(v) for k, v in value.items()}
    return value


def check(dataset, export):
    """Compare all tables of an export with those of its dataset."""
    manifest = json.loads((dataset / "manifest.json").read_text())
    ruleset = manifest["ruleset"]["name"]
    for name, rows in manifest["rows"].items():
        want = arrow_table(dataset, name).drop_columns("ruleset")  # the name of a folder has it
        assert want.num_rows == rows > 0, name
        files = sorted((export / name).rglob("*.parquet"))
        schema = pyarrow.parquet.read_schema(files[0])
        for field in want.schema:
            got = schema.field(field.name)
            assert got.type == plain(field.type), f"{name}.{field.name}: {got.type}"
            assert got.metadata.items() >= (field.metadata or {}).items(), f"{name}.{field.name}"

        values = want.to_pylist()
        found = pyarrow.dataset.dataset(export / name, partitioning="hive").to_table()
        assert set(found.column("ruleset").to_pylist()) == {ruleset}
        assert found.drop_columns("ruleset").to_pylist() == values, f"{name}: pyarrow"

        frame = polars.read_parquet(export / name / "**/*.parquet", hive_partitioning=True)
        assert frame["ruleset"].unique().to_list() == [ruleset]
        frame = frame.select(want.column_names)
        assert comparable(frame.to_dicts()) == values, f"{name}: polars"

        read = duckdb.sql(
            f"from read_parquet('{export}/{name}/*/*.parquet', hive_partitioning=true)"
        )
        at = [read.columns.index(c) for c in want.column_names]
        got = [
            dict(zip(want.column_names, (comparable(row[i]) for i in at), strict=True))
            for row in read.fetchall()
        ]
        assert got == values, f"{name}: DuckDB"
        print(f"{ruleset}, {name}: {rows} rows read by pyarrow, polars and DuckDB")


pairs = sys.argv[1:]
for one, other in zip(pairs[::2], pairs[1::2], strict=True):
    check(pathlib.Path(one), pathlib.Path(other))
