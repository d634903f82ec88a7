"""What a second node brings: a tournament of greedy on one node of one core, then on two.

Needs pip install 'jansou[ray]'. Both clusters are on this machine, so it wants two idle cores
for the nodes and some of a third for Ray itself. Fails if the bytes differ, or with --least if
the second node brings less.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

import jansou.ray
from jansou.server import find_binary


def contents(folder: Path) -> dict[str, bytes]:
    return {f.name: f.read_bytes() for f in folder.iterdir()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=834, help="12 matches each")
    parser.add_argument("--shards", type=int, default=8, help="tasks")
    parser.add_argument("--repeats", type=int, default=3, help="the median counts")
    parser.add_argument("--least", type=float, default=0, help="fail below this ratio")
    options = parser.parse_args()
    agents = ["greedy", "greedy"]

    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
    )
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    seconds: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        alone = Path(folder) / "alone"
        files = ["--file-matches", "64", "--rounds", str(options.rounds)]
        command = [str(find_binary()), "tournament", "run", "--agents", ",".join(agents), *files]
        command += ["--quiet", "--out", str(alone)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for nodes in (1, 2):
            if nodes == 2:
                cluster.add_node(num_cpus=1)
                cluster.wait_for_nodes()
            # The first tasks on a node start its Python processes.
            jansou.ray.tournament(agents, rounds=8, file_matches=64, shards=2, progress=False)
            taken = []
            for repeat in range(options.repeats):
                out = Path(folder) / f"{nodes}-{repeat}"
                start = time.perf_counter()
                said = jansou.ray.tournament(
                    agents,
                    out,
                    rounds=options.rounds,
                    file_matches=64,
                    shards=options.shards,
                    progress=False,
                )
                taken.append(time.perf_counter() - start)
                if contents(out) != contents(alone):
                    sys.exit(f"{nodes} nodes write other bytes than one machine")
            seconds.append(statistics.median(taken))
            times = ", ".join(f"{t:.2f}" for t in taken)
            print(f"{nodes} nodes: {said['matches']} matches in {seconds[-1]:.2f} s ({times})")
    ray.shutdown()
    cluster.shutdown()
    ratio = seconds[0] / seconds[1]
    print(f"two nodes over one: {ratio:.2f} times, equal bytes")
    if ratio < options.least:
        sys.exit(f"less than {options.least}")


main()
