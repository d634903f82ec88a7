"""Answers the questions of docs/questions.md: questions.py PROGRAM, in a folder with its datasets.

The Python of the page makes the tables, and each SQL block is run by DuckDB, by polars and by
pandas, which has SQL through SQLite. The answers must be equal. A comment before a block names
figures of the report, section.name = COLUMN in ROW, a row by its first column. With :* after the
name the first column of each row is what the figure is of.
"""

import json
import math
import pathlib
import re
import sqlite3
import subprocess
import sys

import duckdb
import pandas
import polars

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "questions.md"
RUNS = {"tenhou": "tenhou", "mcr_2006": "mcr", "hkma_hktw": "hktw"}


def equal(a, b):
    """Report whether two values are equal, numbers up to the order of a sum."""
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def same(a, b):
    """Report whether two answers are equal."""
    return len(a) == len(b) and all(
        len(x) == len(y) and all(map(equal, x, y)) for x, y in zip(a, b, strict=True)
    )


def figures(program):
    """Return the figures of the reports by ruleset, name and what they are of."""
    found = {}
    for ruleset, run in RUNS.items():
        out = subprocess.run(
            [program, "report", f"runs/{run}", "--json"], capture_output=True, check=True
        ).stdout
        for f in json.loads(out)["datasets"][0]["figures"]:
            found[ruleset, f"{f['section']}.{f['name']}", f.get("of", "")] = f["value"]
    return found


def compare(reported, ruleset, marks, columns, rows):
    """Compare an answer with the figures that a comment names; return how many."""
    count = 0
    for mark in marks.split(", "):
        figure, of_each, column, name = re.fullmatch(r"(\S+?)(:\*)? = (\w+)(?: in (\S+))?", mark).groups()
        at = columns.index(column)
        named = [r for r in rows if name in (None, r[0])]
        assert named, f"{mark}: no such row"
        for row in named:
            want = reported[ruleset, figure, row[0] if of_each else ""]
            assert equal(row[at], want), f"{mark}: {row[at]} of {row[0]}, the report has {want}"
            count += 1
    return count


def main(program):
    text = PAGE.read_text()
    tables = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(block, tables)
    names = tables["names"]
    duck, lite = duckdb.connect(), sqlite3.connect(":memory:")
    for name, table in names.items():
        duck.register(name, table)
        flat = [f.name for f in table.schema if not str(f.type).startswith(("list", "fixed_size"))]
        table.select(flat).to_pandas().to_sql(name, lite, index=False, chunksize=10000)
    reported, compared = figures(program), 0
    questions = re.findall(r"(?:<!-- report: (.*?) -->\n)?```sql\n(.*?)```", text, re.S)
    assert len(questions) == 20, f"{len(questions)} questions"
    for number, (marks, question) in enumerate(questions, 1):
        answer = duck.sql(question)
        columns, rows = answer.columns, answer.fetchall()
        assert rows, f"question {number} has no answer"
        other = tables["sql"].execute(question).rows()
        assert same(rows, other), f"question {number}: DuckDB {rows}, polars {other}"
        frame = pandas.read_sql_query(question, lite)
        other = frame.astype(object).where(frame.notna(), None).values.tolist()
        assert same(rows, other), f"question {number}: DuckDB {rows}, pandas {other}"
        if marks:
            ruleset = re.search(r"ruleset = '(\w+)'", question)[1]
            compared += compare(reported, ruleset, marks, columns, rows)
    print(f"{len(questions)} questions have one answer; {compared} values are those of report")


main(sys.argv[1])
