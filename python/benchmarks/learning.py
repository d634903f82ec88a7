"""Measures how many decisions a second `ppo` learns from on a graphics card, and what comes of it.

    python benchmarks/learning.py --out FOLDER [--device cuda] [--processes 1 4]

Networks of 233,000 and 10.5 million parameters learn `zung_jung` by self-play, with each number of
processes and of tables, which all processes share. Decisions a second are of wall time, as in the
`log.csv` of a run, evaluations left out. Then each network learns for some `--minutes` with what
was fastest, and is measured among three `greedy` six times. FOLDER gets `speed.csv`, `curve.svg`
and the runs; the same command continues one that was stopped. Options that are not listed go to
all runs of `ppo`, such as `--batch 131072`. `--device cpu` measures the same on a processor.

Exits with 2 where PyTorch finds no such device.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import subprocess
import sys
from pathlib import Path

import matplotlib

from sparrowhall.learn.commands import device, read_log

matplotlib.use("svg")
import matplotlib.pyplot as plt

SIZES = {
    233_000: ["--width", "96", "--whole", "192"],
    # A quarter of the usual rates, as wide layers want smaller steps; others were not tried.
    10_500_000: ["--width", "512", "--whole", "2048", "--rate", "5e-4", "2e-4", "1e-4", "3e-5"],
}
"""The options of each network, by its parameters."""

STAGES = 6


def learn(out: Path, decisions: int, stages: int, options: list[str]) -> list[dict[str, float]]:
    """Run `ppo`, or continue it, and return the rows of its log."""
    command = [sys.executable, "-m", "sparrowhall.learn", "ppo", "--ruleset", "zung_jung"]
    command += ["--out", str(out), "--decisions", str(decisions)]
    # Rounded up, or a further stage would have the rest.
    command += ["--stage", str(-(-decisions // stages)), *options]
    # What is wrong with its options it has said by then.
    if status := subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
        sys.exit(status)
    return read_log(out / "log.csv")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--device", type=device, default="cuda", help="device of PyTorch")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--tables", type=int, nargs="+", default=[1024, 4096], help="of all")
    parser.add_argument("--decisions", type=int, default=2_000_000, help="of a measurement")
    parser.add_argument("--minutes", type=float, default=2, help="of a curve, without evaluations")
    parser.add_argument("--matches", type=int, default=64, help="of an evaluation")
    o, others = parser.parse_known_args()
    if min(*o.processes, *o.tables) < 1:
        parser.error("--processes and --tables take numbers from 1")
    o.out.mkdir(parents=True, exist_ok=True)
    settings = list(itertools.product(o.processes, o.tables))

    def options(size: int, processes: int, tables: int) -> list[str]:
        each = ["--processes", str(processes), "--tables", str(max(1, tables // processes))]
        return ["--device", o.device, *each, *SIZES[size], *others]

    speeds: dict[int, dict[tuple[int, int], float]] = {}
    form = "{:>12} {:>9} {:>7} {:>12}"
    print(form.format("parameters", "processes", "tables", "decisions/s"))
    for size in SIZES:
        speeds[size] = {}
        for processes, tables in settings:
            out = o.out / f"{size}-{processes}-{tables}"
            alone = [*options(size, processes, tables), "--selfplay", "1", "--matches", "8"]
            rows = learn(out, o.decisions, 1, alone)
            speed = speeds[size][processes, tables] = rows[-1]["decisions_per_second"]
            print(form.format(f"{size:,}", processes, tables, f"{speed:,.0f}"), flush=True)
    with (o.out / "speed.csv").open("w", newline="", encoding="utf-8") as f:
        table = csv.writer(f)
        table.writerow(["parameters", "processes", "tables", "decisions_per_second"])
        for size, by_setting in speeds.items():
            table.writerows([size, *at, round(speed)] for at, speed in by_setting.items())

    plt.rcParams["svg.hashsalt"] = "sparrowhall"
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for size in SIZES:
        for processes in o.processes:
            label = f"{size:,} parameters, processes: {processes}"
            measured = [speeds[size][processes, tables] for tables in o.tables]
            left.plot(o.tables, measured, marker="o", label=label)
        best = max(settings, key=lambda at: speeds[size][at])
        decisions = int(60 * o.minutes * speeds[size][best])
        league = [*options(size, *best), "--matches", str(o.matches)]
        rows = learn(o.out / f"{size}-curve", decisions, STAGES, league)
        minutes = list(itertools.accumulate(row["seconds"] / 60 for row in rows))
        right.plot(minutes, [row["points"] for row in rows], marker="o", label=f"{size:,}")
        low, high = ([row[end] for row in rows] for end in ("points_low", "points_high"))
        right.fill_between(minutes, low, high, alpha=0.2)
        print(
            f"{size:,} parameters after {minutes[-1]:.1f} minutes: {rows[-1]['points']:.1f} "
            f"[{low[-1]:.1f}, {high[-1]:.1f}] points among three greedy",
            flush=True,
        )
    left.set(xlabel="tables", ylabel="decisions learned from a second", xscale="log", ylim=0)
    left.set_xticks(o.tables, [f"{tables:,}" for tables in o.tables])
    left.minorticks_off()
    left.yaxis.set_major_formatter("{x:,.0f}")
    right.axhline(0, color="gray", linestyle="--", linewidth=1)
    right.set(xlabel="minutes", ylabel="points a match among three greedy")
    for axis in (left, right):
        axis.legend(fontsize="small")
        axis.grid(alpha=0.3)
    figure.savefig(o.out / "curve.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
