"""Measures how many actions a second of processor time are tried by playout.

    python benchmarks/playouts.py [--ruleset tenhou] [--tables 256] [--rounds 5] [--json]

`sparrowhall train pairs` is measured beside it in turns: it plays the same sort of matches in the
program itself, and tries an action at as many of the decisions. The client plays one seat as
`value` would, whose advice it reads; at half of the decisions it has `value` finish the hand
after the second of the candidates. Both play with one worker. Processor time is that of the
client and the server together, their start left out; that of the generator is the difference of
a long run and a short one.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import sparrowhall

AGENTS = ["expert:net=off", "value", "value", "value"]
SERVER = ["--workers", "1"]


def spent(pid: int) -> float:
    """Return the processor seconds of a process that runs."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def by_client(ruleset: str, tables: int, seconds: float) -> float:
    rng = np.random.default_rng(1)
    with (
        sparrowhall.local(arguments=SERVER) as server,
        server.open(
            ruleset,
            tables,
            seed=1,
            seats=["external", "value", "value", "value"],
            rotate_seats=True,
            observation="advice",
            auto_reset=True,
        ) as stream,
    ):
        server_id = server._process.pid
        batch = stream.recv()
        tried, end = -1, float("inf")
        begin = 0.0
        warm = time.process_time() + 0.3
        while (now := time.process_time() + spent(server_id)) < end:
            if tried < 0 and time.process_time() > warm:
                tried, begin, end = 0, now, now + seconds
            rows = np.flatnonzero(batch.asked)
            candidates = batch.observation["candidates"][rows, :, 0].astype(np.int64) - 1
            lots = (rng.random(len(rows)) < 0.5) & (candidates[:, 1] >= 0)
            some = rows[lots]
            stream.playout(batch.table[some], batch.player[some], candidates[lots, 1], "value")
            if tried >= 0:
                tried += len(some)
            answers = np.zeros(len(batch), np.int64)
            answers[rows] = candidates[:, 0]
            batch = stream.act(batch, answers)
        return tried / (now - begin)


def by_generator(ruleset: str, matches: int) -> float:
    def run(n: int) -> tuple[int, float]:
        with tempfile.TemporaryDirectory() as folder:
            command = [str(sparrowhall.find_binary()), "train", "pairs", "--ruleset", ruleset]
            command += ["--agents", ",".join(AGENTS), "--matches", str(n), "--workers", "1"]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            said = subprocess.run(
                [*command, "--quiet", "--out", f"{folder}/pairs"],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        count = re.search(r"(\d+) pairs", said)
        assert count is not None
        return int(count[1]), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    (few, short), (many, long) = run(2), run(matches)
    return (many - few) / (long - short)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ruleset", default="tenhou")
    parser.add_argument("--tables", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    o = parser.parse_args()
    rounds = [
        (by_client(o.ruleset, o.tables, o.seconds), by_generator(o.ruleset, int(100 * o.seconds)))
        for _ in range(o.rounds)
    ]
    figures = {
        "playout": statistics.median(a for a, _ in rounds),
        "train pairs": statistics.median(b for _, b in rounds),
        "ratio": statistics.median(a / b for a, b in rounds),
    }
    if o.json:
        print(json.dumps(figures))
        return
    for name in ("playout", "train pairs"):
        print(f"{name:12} {figures[name]:8,.0f} actions tried a processor second")
    ratios = sorted(a / b for a, b in rounds)
    print(f"ratio        {figures['ratio']:8.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
