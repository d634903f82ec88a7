"""Draws how time grows with the matches, workers, shards and tables of a run.

    python benchmarks/growth.py --sparrowhall PATH --out FOLDER [--rounds 3] [--matches 65536]

Writes growth.json and growth.svg. Each point is the median of the rounds, in which all points
of a curve are taken one after another. Matches and shards are told by processor time a match,
which other work on the machine hardly touches; workers and tables by wall time, so take them on
a quiet machine. Four random players under ema_2016, hands recorded; tables are those of the
Python client, with masks and planes. Needs matplotlib.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from throughput import client

Curve = dict[int, float]

# Matches that share a file: a shard has at least one file.
FILE = 4096


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def play(program: str, matches: int, workers: int, shards: int = 1) -> tuple[float, float]:
    """Play, as so many shards one after another, and return wall and processor seconds."""
    command = [program, "play", "--matches", str(matches), "--workers", str(workers), "--quiet"]
    command += ["--agents", "random,random,random,random", "--record", "hands"]
    wall, cpu = time.perf_counter(), children()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(shards):
            shard = ["--shard", f"{i + 1}/{shards}"] if shards > 1 else []
            out = ["--out", str(Path(folder) / str(i))]
            subprocess.run([*command, *shard, *out], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - wall, children() - cpu


def curve(points: list[int], rounds: int, measure: Callable[[int], float]) -> Curve:
    taken: dict[int, list[float]] = {p: [] for p in points}
    for _ in range(rounds):
        for p in points:
            taken[p].append(measure(p))
    return {p: statistics.median(figures) for p, figures in taken.items()}


def powers(first: int, last: int, step: int) -> list[int]:
    points = [first]
    while points[-1] * step <= last:
        points.append(points[-1] * step)
    return points


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sparrowhall", required=True, help="the program")
    parser.add_argument("--out", required=True, help="folder for the figures and the picture")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--matches", type=int, default=65_536, help="of the longest run")
    parser.add_argument("--seconds", type=float, default=3, help="for each number of tables")
    o = parser.parse_args()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    most, cores = o.matches, cores or 1
    curves: dict[str, tuple[str, Curve]] = {
        "matches": (
            "processor µs a match, one worker",
            curve(powers(max(64, most // 1000), most, 10), o.rounds,
                  lambda n: 1e6 * play(o.sparrowhall, n, 1)[1] / n),
        ),
        "workers": (
            "matches a second of wall time",
            curve(list(range(1, cores + 1)), o.rounds,
                  lambda n: most / play(o.sparrowhall, most, n)[0]),
        ),
        "shards": (
            "processor µs a match, one worker",
            curve(powers(1, max(1, most // FILE), 2), o.rounds,
                  lambda n: 1e6 * play(o.sparrowhall, most, 1, n)[1] / most),
        ),
        "tables": (
            "decisions a second of wall time",
            curve(powers(1, 4096, 4), o.rounds,
                  lambda n: client(o.seconds, "ema_2016", n, "planes", "auto", False)),
        ),
    }  # fmt: skip
    out = Path(o.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "growth.json").write_text(json.dumps({n: c for n, (_, c) in curves.items()}, indent=1))
    plt.rcParams["svg.hashsalt"] = "sparrowhall"
    figure, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
    for axis, (name, (unit, points)) in zip(axes.flat, curves.items(), strict=True):
        axis.plot(list(points), list(points.values()), marker="o")
        axis.set(xlabel=name, ylabel=unit, ylim=(0, 1.15 * max(points.values())))
        if name != "workers":
            axis.set_xscale("log")
        axis.grid(alpha=0.3)
    figure.savefig(out / "growth.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
