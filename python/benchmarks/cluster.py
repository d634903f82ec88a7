"""What a second node brings: a tournament of greedy on one node of one core, and beside it on two.

Needs pip install 'sparrowhall[ray]', and four cores, which the three nodes and the driver have to
themselves. Both play over and over at the same time, since a machine that is not one's own is not
equally fast for long. Fails if the bytes differ, or with --least if the second node brings less.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

import sparrowhall.adapters.ray
from sparrowhall.server import find_binary


def contents(folder: Path) -> dict[str, bytes]:
    return {f.name: f.read_bytes() for f in folder.iterdir()}


def start() -> None:
    """Start a head that plays nothing and three nodes of one core, the last two for pairs."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 4:
        sys.exit("this wants four cores: one for each of three nodes, and one for all else")
    # Processes that are started take the core over.
    os.sched_setaffinity(0, cores[3:])
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
    )
    for core, kind in zip(cores[:3], ("alone", "pair", "pair"), strict=True):
        os.sched_setaffinity(0, {core})
        cluster.add_node(num_cpus=1, resources={kind: 1})
    os.sched_setaffinity(0, cores[3:])
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=834, help="12 matches each")
    parser.add_argument("--shards", type=int, default=8, help="tasks")
    parser.add_argument("--seconds", type=float, default=90, help="begin no tournament after them")
    parser.add_argument("--least", type=float, default=0, help="fail below this ratio")
    options = parser.parse_args()
    agents = ["greedy", "greedy"]

    with tempfile.TemporaryDirectory() as folder:
        machine = Path(folder) / "machine"
        command = [str(find_binary()), "tournament", "run", "--agents", ",".join(agents)]
        command += ["--file-matches", "64", "--rounds", str(options.rounds)]
        command += ["--quiet", "--out", str(machine)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        expected = contents(machine)
        start()

        def play(kind: str, rounds: int, shards: int) -> float:
            out = Path(folder) / kind
            begin = time.perf_counter()
            sparrowhall.adapters.ray.tournament(
                agents,
                out,
                rounds=rounds,
                file_matches=64,
                shards=shards,
                options={"resources": {kind: 0.001}},
                progress=False,
            )
            taken = time.perf_counter() - begin
            if rounds == options.rounds and contents(out) != expected:
                raise SystemExit(f"the nodes called {kind} write other bytes than one machine")
            shutil.rmtree(out)
            return taken

        # The first tasks on a node start its Python processes.
        for kind in ("alone", "pair"):
            play(kind, 11, 2)
        end = time.perf_counter() + options.seconds

        def repeat(kind: str) -> list[float]:
            taken = []
            while time.perf_counter() < end:
                taken.append(play(kind, options.rounds, options.shards))
            return taken

        with ThreadPoolExecutor() as pool:
            one, two = pool.map(repeat, ("alone", "pair"))
        ray.shutdown()
    for nodes, taken in (1, one), (2, two):
        times = ", ".join(f"{t:.2f}" for t in taken)
        print(f"nodes: {nodes}; {statistics.median(taken):.2f} s a tournament ({times})")
    ratio = statistics.median(one) / statistics.median(two)
    print(f"{12 * options.rounds} matches, two nodes over one: {ratio:.2f} times, equal bytes")
    if ratio < options.least:
        sys.exit(f"less than {options.least}")


main()
