#!/usr/bin/env python3
"""Makes a folder of data that may be published: matches of `expert` and paired rollouts.

Usage: release.py FOLDER [--matches N] [--pairs N] [--seed SEED] [--presets NAME...] [--sparrowhall PATH]

Needs pyarrow and the program. FOLDER has the layout of a dataset of Hugging Face:

- `README.md`: the card, with a configuration for each table;
- `croissant.json`: the same for machines, in the vocabulary of Croissant 1.0;
- `data/TABLE.parquet`: a table of all presets, with the column `ruleset`;
- `manifests/PRESET.json`: what played the matches of a preset.

Everything in it was played by the program, so that no rights of others apply. The same arguments
and program make the same tables.
"""

import argparse
import datetime
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

TABLES = {
    "matches": "a row for each match and player: points, place, and what happened to the player",
    "hands": "a row for each hand: how it ended, who paid whom",
    "wins": "a row for each pattern of a won hand",
    "ledger": "a row for each change of a debt, in Hong Kong-style Taiwanese",
    "decisions": "a row for each decision: what was legal, and what was played",
    "pairs": "a row for each decision that was played twice, the second time with another action",
}
LICENSE = ("cc0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/")
SITE = "https://github.com/sparrowhall/sparrowhall"
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


class Program:
    """The executable of sparrowhall."""

    def __init__(self, path):
        self.path = path

    def run(self, *arguments, **options):
        """Run a verb and return its standard output; a failure ends the script with its message."""
        done = subprocess.run([self.path, *map(str, arguments)], stdout=subprocess.PIPE, check=False, **options)
        if done.returncode:
            sys.exit(f"{self.path} {arguments[0]} failed with status {done.returncode}")
        return done.stdout

    def presets(self):
        """Return the names of all presets."""
        return [r["name"] for r in json.loads(self.run("rules", "list", "--json"))]

    def seats(self, preset):
        """Return how many play under a preset."""
        return json.loads(self.run("rules", "show", preset, "--json"))["knobs"].get("seats", 4)


def flat(schema, shared):
    """Return a schema in which lists and binaries have no fixed length, as three or four play."""
    fields = []
    for f in schema:
        t = f.type
        if pa.types.is_fixed_size_binary(t):
            t = pa.binary()
        elif pa.types.is_fixed_size_list(t) or pa.types.is_list(t):
            t = pa.list_(t.value_type)
        elif pa.types.is_dictionary(t):
            t = t.value_type
        fields.append(pa.field(f.name, t, metadata=f.metadata))
    if not any(f.name == "ruleset" for f in fields):
        fields.insert(0, pa.field("ruleset", pa.string(), metadata={"description": "the preset"}))
    return pa.schema(fields, metadata=shared)


def describe_tensors(schema, seats):
    """Return the schema of pairs in which each tensor has a description, and the number of units in a point."""
    tensors = {f"observation.{t['name']}": t for t in json.loads(schema.metadata[b"observation"])["tensors"]}
    fields = []
    for f in schema:
        if t := tensors.get(f.name):
            text = f"{t['dtype']} {t['shape']} where {seats} play: {t['doc']}"
            f = f.with_metadata({"description": text})
        fields.append(f)
    return pa.schema(fields, metadata=schema.metadata), int(schema.metadata[b"units_per_point"])


class Tables:
    """The Parquet files of a release, to which presets add their rows."""

    def __init__(self, folder):
        self.folder, self.writers, self.rows = folder, {}, {}

    def add(self, name, preset, batches, schema):
        """Append record batches of a preset to a table."""
        if name not in self.writers:
            path = self.folder / f"{name}.parquet"
            self.writers[name] = pa.parquet.ParquetWriter(path, flat(schema, None), compression="zstd")
            self.rows[name] = 0
        writer = self.writers[name]
        for batch in batches:
            table = pa.Table.from_batches([batch])
            if "ruleset" not in table.column_names:
                table = table.add_column(0, "ruleset", pa.array([preset] * len(table)))
            table = pa.Table.from_arrays([table[f.name].cast(f.type) for f in writer.schema], schema=writer.schema)
            if len(table):
                writer.write_table(table)
                self.rows[name] += len(table)

    def close(self):
        """End all files."""
        for writer in self.writers.values():
            writer.close()


def play(program, options, tables, out, work):
    """Add the matches and pairs of each preset."""
    presets = program.presets()
    for name in options.presets or presets:
        if name not in presets:
            sys.exit(f"release.py: unknown preset {name}; sparrowhall rules list has their names")
        print(f"{name}: {options.matches} matches, pairs of {options.pairs}", file=sys.stderr)
        seats = ",".join(["expert"] * program.seats(name))
        common = ["--ruleset", name, "--agents", seats, "--seed", options.seed, "--quiet"]
        folder = work / name
        program.run("play", *common, "--matches", options.matches, "--out", folder, "--record", "decisions")
        (out / "manifests" / f"{name}.json").write_bytes((folder / "manifest.json").read_bytes())
        for table in TABLES:
            files = sorted(folder.glob(f"{table}-*.arrow"))
            for file in files:
                with pa.ipc.open_file(file) as reader:
                    batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
                    tables.add(table, name, batches, reader.schema)
        if options.pairs:
            pairs = work / f"{name}.pairs"
            program.run("train", "pairs", *common, "--matches", options.pairs, "--out", pairs)
            command = [program.path, "train", "steps", "--observation", "features", str(pairs)]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as steps:
                with pa.ipc.open_stream(steps.stdout) as reader:
                    schema, units = describe_tensors(reader.schema, seats.count(",") + 1)
                    column = pa.field("units_per_point", pa.int32(), metadata={"description": "units in a point"})
                    counted = (b.append_column(column, pa.array([units] * len(b), pa.int32())) for b in reader)
                    tables.add("pairs", name, counted, schema.append(column))
            if steps.returncode:
                sys.exit(f"{program.path} train steps failed with status {steps.returncode}")


def data_type(t):
    """Return the type of Croissant for one of Arrow, of a list that of its values."""
    if pa.types.is_list(t):
        return data_type(t.value_type)
    if pa.types.is_boolean(t):
        return "sc:Boolean"
    if pa.types.is_integer(t):
        return "sc:Integer"
    if pa.types.is_floating(t):
        return "sc:Float"
    return "sc:Text"


def described(field):
    """Return the text of a column."""
    text = (field.metadata or {}).get(b"description", b"").decode()
    unit = (field.metadata or {}).get(b"unit", b"").decode()
    return f"{text}; in {unit}" if unit else text


def croissant(out, rows, version, about):
    """Return the description of the files in the vocabulary of Croissant."""
    files, records = [], []
    for name in rows:
        path = out / "data" / f"{name}.parquet"
        files.append(
            {
                "@type": "cr:FileObject",
                "@id": f"{name}.parquet",
                "name": f"{name}.parquet",
                "description": TABLES[name],
                "contentUrl": f"data/{name}.parquet",
                "contentSize": f"{path.stat().st_size} B",
                "encodingFormat": "application/x-parquet",
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            }
        )
        fields = []
        for f in pa.parquet.read_schema(path):
            # A hand's wins and debts, of which Croissant has no type, are rows of wins and ledger as well.
            if pa.types.is_list(f.type) and pa.types.is_struct(f.type.value_type):
                continue
            field = {
                "@type": "cr:Field",
                "@id": f"{name}/{f.name}",
                "name": f"{name}/{f.name}",
                "description": described(f) or f.name,
                "dataType": data_type(f.type),
                "source": {"fileObject": {"@id": f"{name}.parquet"}, "extract": {"column": f.name}},
            }
            if pa.types.is_list(f.type):
                field["repeated"] = True
            fields.append(field)
        records.append(
            {"@type": "cr:RecordSet", "@id": name, "name": name, "description": TABLES[name], "field": fields}
        )
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": "sparrowhall",
        "description": about,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "citeAs": f"The sparrowhall authors: sparrowhall {version}, {SITE}",
        "datePublished": datetime.date.today().isoformat(),
        "license": LICENSE[1],
        "url": SITE,
        "version": version,
        "distribution": files,
        "recordSet": records,
    }


def card(out, rows, version, about, command):
    """Return the text of README.md."""
    lines = [
        "---",
        f"license: {LICENSE[0]}",
        "pretty_name: sparrowhall",
        "tags:",
        "- mahjong",
        "- reinforcement-learning",
        "configs:",
    ]
    for name in rows:
        lines += [f"- config_name: {name}", "  data_files:", "  - split: train", f"    path: data/{name}.parquet"]
        if name == "matches":
            lines.append("  default: true")
    lines += [
        "---",
        "",
        "# Mahjong matches of sparrowhall",
        "",
        about,
        "",
        f"Made by [sparrowhall]({SITE}) {version} with `{command}`. The same command makes the same tables.",
        "",
        "## Read it",
        "",
        "```python",
        "from datasets import load_dataset",
        'hands = load_dataset(PATH_OR_NAME, "hands", split="train")',
        "print(hands[0])",
        "```",
        "",
        "```python",
        "import polars as pl",
        'hands = pl.read_parquet("data/hands.parquet")',
        'print(hands.group_by("ruleset").len())',
        "```",
        "",
        "## Tables",
        "",
        "| table | rows | |",
        "| --- | --- | --- |",
    ]
    lines += [f"| `{name}` | {n:,} | {TABLES[name]} |" for name, n in rows.items()]
    for name in rows:
        lines += ["", f"### {name}", "", "| column | type | |", "| --- | --- | --- |"]
        for f in pa.parquet.read_schema(out / "data" / f"{name}.parquet"):
            text = described(f).replace("|", "\\|")
            lines.append(f"| `{f.name}` | {f.type} | {text} |")
    lines += [
        "",
        "## What it is for, and what not",
        "",
        "- Imitation, value functions, off-policy methods, and the analysis of rulesets.",
        "- All players are `expert`, a program. Its habits are not those of people.",
        "- `observation.*` of `pairs` are tensors of the encoding `features`, row by row; "
        f"[the reference]({SITE}/blob/main/docs/observations.md) says how bits are packed.",
        "- `pairs` has the outcome of an action that was not played, with the same wall and players. "
        "Actions were drawn among those that `expert` considers.",
        "- A wall, and so every hidden tile, follows from the seed in `manifests`. Do not evaluate on these seeds.",
        "",
        "## License",
        "",
        f"[CC0 1.0]({LICENSE[1]}). No record of a person or of another program is part of it.",
        "",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=pathlib.Path, help="folder to make; it must not exist, or be empty")
    parser.add_argument("--matches", type=int, default=1000, help="matches of a preset (default 1000)")
    parser.add_argument(
        "--pairs", type=int, default=100, help="matches in which pairs are made, 0 for none (default 100)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the first match (default 1)")
    parser.add_argument("--presets", nargs="*", metavar="NAME", help="presets (default: all)")
    parser.add_argument("--sparrowhall", default="sparrowhall", help="path of the program")
    options = parser.parse_args()
    out = options.out
    if options.matches < 1 or options.pairs < 0 or options.seed < 0:
        parser.error("--matches is at least 1, --pairs and --seed at least 0")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        parser.error(f"{out} exists; name a new folder")
    program = Program(options.sparrowhall)
    version = program.run("--version").decode().split()[2]
    for folder in ("data", "manifests"):
        (out / folder).mkdir(parents=True)
    tables = Tables(out / "data")
    with tempfile.TemporaryDirectory(dir=out) as work:
        play(program, options, tables, out, pathlib.Path(work))
        tables.close()
    rows = {name: tables.rows[name] for name in TABLES if tables.rows.get(name)}
    about = (
        f"Matches of four (or three) `expert` under {len(options.presets or program.presets())} rulesets of mahjong: "
        f"{options.matches:,} of each, with every decision, and paired rollouts of {options.pairs:,}."
    )
    command = f"tools/datarelease/release.py {out.name} --matches {options.matches} --pairs {options.pairs} --seed {options.seed}"
    if options.presets:
        command += " --presets " + " ".join(options.presets)
    (out / "croissant.json").write_text(json.dumps(croissant(out, rows, version, about), indent=1) + "\n")
    (out / "README.md").write_text(card(out, rows, version, about, command))


if __name__ == "__main__":
    main()
