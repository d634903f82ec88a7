"""Measures the loops that learners write, beside an earlier version and another engine.

    python benchmarks/loops.py --sparrowhall PATH [--before PROGRAM SOURCE] [--rounds 3]
                               [--seconds 2] [--only one,aec] [--cpu] [--awake] [--busy 0]
                               [--json]

PROGRAM and SOURCE are the program and the folder `python/src` of an earlier version. Each loop
runs in a process of its own, those of a round one after another, so that what else the machine
does falls on all. A figure is the median of the rounds in decisions a second of wall time, a
ratio that of the ratios within a round. With --cpu seconds are of the CPU time of the process
that runs the loop, for loops without a server. The policy is random. The loops are
  one        one table, all four players answered, planes read (`batch.observation`)
  plain      one table: `raw`, `asked` and `mask` of each batch read, the mask sampled
  words      one table: `mask_words` sampled, nothing else read
  make       steps of `make` with Gymnasium, three `greedy` as opponents
  riichienv  the loop that riichienv's documentation shows, legal actions alone, if it is installed
  encoded    the same with encode() for every decision
  aec        turns of the AEC environment of PettingZoo
  packed     1,024 tables in two halves, masks and planes with their bits packed, on two cores
  unpacked   the same with planes unpacked
  grpc       packed without shared memory
  small      16 tables without shared memory, batches answered one by one: batches a second
  large      packed with 4,096 tables on all cores
  client     256 tables in two halves
  clients    four such clients at one server, all together
  raw        256 tables, all rows answered with one call after another
  selfplay   the same by make_selfplay
  vector     make_vec of 256 tables of tenhou against greedy: steps of the learner
  evaluate   1,024 matches of the same function by evaluate: its decisions while matches are played
  report     the same, with the report
On virtual machines a processor that waits is taken away, and comes back late: --awake keeps all
processors busy with tasks of idle priority meanwhile, for all loops alike. --busy runs that many
busy processes of normal priority beside all loops.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

Figures = dict[str, list[float]]

LOOPS = [
    "one",
    "plain",
    "words",
    "make",
    "riichienv",
    "encoded",
    "aec",
    "packed",
    "unpacked",
    "grpc",
    "small",
    "large",
    "client",
    "clients",
    "raw",
    "selfplay",
    "vector",
    "evaluate",
    "report",
]
PEERS = ("riichienv", "encoded")
GRPC = ("grpc", "small")
PAIRS = [(name, peer) for peer in PEERS for name in ("one", "plain", "words")]
PAIRS += [("clients", "client"), ("selfplay", "raw"), ("evaluate", "vector"), ("report", "vector")]
TWO_CORES = ("packed", "unpacked", "grpc")


def pick() -> Callable[[Any], Any]:
    """Return what draws a legal action for each row of a batch, in the way a version likes best."""
    import numpy as np

    import sparrowhall

    rng = np.random.default_rng(1)
    if hasattr(sparrowhall.Batch, "mask_words"):
        return lambda batch: sparrowhall.sample(batch.mask_words, rng)
    return lambda batch: sparrowhall.sample(batch.mask, rng)


def timed(seconds: float, step: Callable[[], int]) -> float:
    """Return how much the steps did a second, after a while to get under way."""
    # The clock of CPU time takes as long as a tenth of a step.
    clock, steps = (time.process_time, 16) if "--cpu" in sys.argv else (time.perf_counter, 1)
    begin, end, done = clock() + 0.5, float("inf"), 0
    while (now := clock()) < end:
        if end == float("inf") and now >= begin:
            begin, end, done = now, now + seconds, 0
        for _ in range(steps):
            done += step()
    return done / (now - begin)


def tables(
    client: Any, count: int, seconds: float, *, unpacked: bool = False, whole: bool = False
) -> float:
    draw = pick()
    with client.open("ema_2016", count, seed=1, observation="planes") as t:
        batch = t.recv()
        if count == 1:

            def one() -> int:
                nonlocal batch
                _ = batch.observation
                batch = t.act(batch, draw(batch))
                return len(batch) - len(batch.last.row)

            return timed(seconds, one)
        if whole:

            def all_at_once() -> int:
                nonlocal batch
                batch = t.act(batch, draw(batch))
                return 1 if count == 16 else len(batch) - len(batch.last.row)

            return timed(seconds, all_at_once)
        actions, half = draw(batch), batch.table < count // 2
        for part in (half, ~half):
            t.send(batch.table[part], batch.player[part], batch.step[part], actions[part])

        def step() -> int:
            batch = t.recv()
            if unpacked:
                _ = batch.observation
            t.send_answers(batch, draw(batch))
            return len(batch) - len(batch.last.row)

        return timed(seconds, step)


def few(name: str, seconds: float) -> float:
    import numpy as np

    import sparrowhall

    with sparrowhall.local() as client, client.open("ema_2016", seed=1) as t:
        batch = t.recv()

        def plain() -> int:
            nonlocal batch
            _ = batch.raw
            asked = int(np.count_nonzero(batch.asked))  # a fifth of the time of sum
            batch = t.act(batch, sparrowhall.sample(batch.mask))
            return asked

        def words() -> int:
            nonlocal batch
            batch = t.act(batch, sparrowhall.sample(batch.mask_words))
            return len(batch)

        return timed(seconds, plain if name == "plain" else words)


def make(seconds: float) -> float:
    import sparrowhall

    draw = random.Random(1).random
    env = sparrowhall.make("ema_2016")
    obs, _ = env.reset(seed=1)

    def step() -> int:
        nonlocal obs
        legal = obs["action_mask"].nonzero()[0]
        obs, _, terminated, truncated, _ = env.step(int(legal[int(draw() * len(legal))]))
        if terminated or truncated:
            obs, _ = env.reset()
        return 1

    return timed(seconds, step)


def selfplay(seconds: float) -> float:
    import numpy as np

    import sparrowhall

    rng = np.random.default_rng(1)
    with sparrowhall.make_selfplay("ema_2016", 256, seed=1) as env:
        turn = env.reset()

        def step() -> int:
            nonlocal turn
            turn = env.step(sparrowhall.sample(turn.mask_words, rng))
            return len(turn)

        return timed(seconds, step)


def vector(seconds: float) -> float:
    import numpy as np

    import sparrowhall

    rng = np.random.default_rng(1)
    env = sparrowhall.make_vec("tenhou", 256, opponents="greedy", seed=1)
    obs, _ = env.reset()

    def step() -> int:
        nonlocal obs
        obs, *_ = env.step(sparrowhall.sample(obs["action_mask"], rng))
        return 256

    return timed(seconds, step)


def evaluate(*, report: bool) -> float:
    import numpy as np

    import sparrowhall

    rng = np.random.default_rng(1)
    calls: list[tuple[float, int]] = []

    def policy(decisions: Any) -> Any:
        calls.append((time.perf_counter(), len(decisions)))
        return sparrowhall.sample(decisions.mask, rng)

    begin = time.perf_counter()
    sparrowhall.evaluate(policy, "tenhou", "greedy", 1024, progress=False)
    end = time.perf_counter()
    rows = sum(n for _, n in calls)
    return rows / (end - begin if report else calls[-1][0] - calls[0][0])


def aec(seconds: float) -> float:
    import sparrowhall.zoo

    draw = random.Random(1).random
    env = sparrowhall.zoo.env("ema_2016")
    env.reset(seed=1)

    def turn() -> int:
        if not env.agents:
            env.reset()
        seen, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            legal = seen["action_mask"].nonzero()[0]
            env.step(int(legal[int(draw() * len(legal))]))
        return 1

    return timed(seconds, turn)


def riichienv(seconds: float, *, encode: bool) -> float:
    import numpy as np
    from riichienv import RiichiEnv

    rng = random.Random(1)
    env = RiichiEnv(game_mode="4p-red-half")
    seen = env.reset()

    def step() -> int:
        nonlocal seen
        if env.done():
            seen = env.reset()
        decisions, answers = 0, {}
        for player, o in seen.items():
            legal = o.legal_actions()
            if encode:
                np.frombuffer(o.encode(), np.float32)
            decisions += len(legal) > 1
            answers[player] = rng.choice(legal)
        seen = env.step(answers)
        return decisions

    return timed(seconds, step)


def loop(name: str, seconds: float, address: str | None) -> float:
    """Run a loop in this process."""
    if name in PEERS:
        return riichienv(seconds, encode=name == "encoded")
    if name in ("aec", "make"):
        return aec(seconds) if name == "aec" else make(seconds)
    if name in ("plain", "words"):
        return few(name, seconds)
    if name in ("selfplay", "vector"):
        return selfplay(seconds) if name == "selfplay" else vector(seconds)
    if name in ("evaluate", "report"):
        return evaluate(report=name == "report")
    import sparrowhall

    if address:
        with sparrowhall.connect(address) as client:
            return tables(client, 256, seconds)
    if name in TWO_CORES and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    arguments = {"transport": "grpc"} if name in GRPC and hasattr(sparrowhall, "transport") else {}
    with sparrowhall.local(**arguments) as server:
        if name == "clients":
            command = [sys.executable, __file__, "--loop", name, "--seconds", str(seconds)]
            command += ["--address", server.address]
            clients = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
            return sum(float(c.communicate()[0]) for c in clients)
        count = {"one": 1, "small": 16, "large": 4096, "client": 256, "raw": 256}.get(name, 1024)
        whole = name in ("small", "raw")
        return tables(server, count, seconds, unpacked=name == "unpacked", whole=whole)


def measure(name: str, seconds: float, program: str, source: str | None) -> float:
    """Run a loop in a process of its own, with some version."""
    environment = os.environ | {"SPARROWHALL_BIN": program}
    if source:
        environment["PYTHONPATH"] = source
    command = [sys.executable, __file__, "--loop", name, "--seconds", str(seconds)]
    command += ["--cpu"] if "--cpu" in sys.argv else []
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    return float(done.stdout or "nan")


@contextlib.contextmanager
def awake() -> Iterator[None]:
    """Keep processors from halting."""
    children = []
    for core in os.sched_getaffinity(0):
        child = os.fork()
        if child == 0:
            os.sched_setaffinity(0, {core})
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            while os.getppid() != 1:
                sum(range(100_000))
            os._exit(0)
        children.append(child)
    try:
        yield
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """Run busy processes."""
    children = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for child in children:
            child.kill()
            child.wait()


def ratio(above: list[float], below: list[float]) -> str:
    """Return the median of the ratios and an interval of at least 95 % of it, by the sign test."""
    ratios = sorted(a / b for a, b in zip(above, below, strict=True))
    out, n = 0, len(ratios)  # so many of each end are outside the interval
    while 2 * sum(math.comb(n, k) for k in range(out + 1)) <= 0.05 * 2**n:
        out += 1
    text = f"{statistics.median(ratios):.2f}"
    return f"{text} [{ratios[out - 1]:.2f}, {ratios[-out]:.2f}]" if out else text


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sparrowhall", help="the program")
    parser.add_argument("--before", nargs=2, metavar=("PROGRAM", "SOURCE"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--only", default=",".join(LOOPS), help="loops, separated by commas")
    parser.add_argument("--cpu", action="store_true", help="seconds of CPU time")
    parser.add_argument("--awake", action="store_true", help="keep processors from halting")
    parser.add_argument("--busy", type=int, default=0, help="busy processes beside the loops")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--loop", help=argparse.SUPPRESS)
    parser.add_argument("--address", help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.loop:
        print(loop(o.loop, o.seconds, o.address))
        return
    if not o.sparrowhall:
        parser.error("--sparrowhall is missing: name the program to be measured")
    names = o.only.split(",")
    now: Figures = {n: [] for n in names}
    then: Figures = {n: [] for n in names if o.before and n not in PEERS}
    with busy(o.busy), awake() if o.awake else contextlib.nullcontext():
        for _ in range(o.rounds):
            for name in names:
                if name in then:
                    then[name].append(measure(name, o.seconds, *o.before))
                now[name].append(measure(name, o.seconds, o.sparrowhall, None))
    if o.json:
        json.dump({"now": now, "before": then}, sys.stdout, indent=1)
        return
    print(
        "| loop | a second | before | ratio | lowest and highest |\n| --- | --- | --- | --- | --- |"
    )
    for name, figures in now.items():
        row = [name, f"{statistics.median(figures):,.0f}", "", ""]
        if name in then:
            row[2] = f"{statistics.median(then[name]):,.0f}"
            row[3] = ratio(figures, then[name])
        print("|", " | ".join([*row, f"{min(figures):,.0f} to {max(figures):,.0f}"]), "|")
    for name, below in PAIRS:
        if name in now and below in now:
            print(f"\n{name} over {below}: {ratio(now[name], now[below])}")


if __name__ == "__main__":
    main()
