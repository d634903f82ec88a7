"""Measures the mahjong engines that can be installed, beside sparrowhall, and prints one table.

    python benchmarks/engines.py --sparrowhall PATH [--env DIR] [--rounds 5] [--seconds 2] [--json]

The peers are installed from PyPI into an environment of their own: DIR, or a temporary folder
that is removed afterwards. Each round measures every engine once, one after another on the same
core, so that what else the machine does falls on all; a figure is the median of the rounds, a
ratio that of the ratios within a round. Every figure is given by processor time (user and system)
and by wall time.

The works are
  play      riichi hands a second of four players who answer anything legal, nothing encoded
  riichi    riichi values a second of random closed hands won by discard
  mcr       MCR values a second of such hands
  shanten   shanten a second of 14 random tiles: of peers over sets and a pair, seven pairs and
            thirteen orphans, of sparrowhall over sets and a pair
The figures of peers include what it costs to call them from Python, which is how they are used.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PACKAGES = ["riichienv==0.4.11", "pymahjong==1.1.2", "PyMahjongGB==1.4.0", "mahjong==2.1.0"]

# Engines that this script does not run, and why.
OTHERS = {
    "libriichi (Mortal)": "in no registry; built from its repository with Rust",
    "mjx 0.1.0": "no wheels for Python 3.10 and later; its source builds with cmake",
    "mahjax 0.1.6": "plays in batches on an accelerator through JAX, so that a core says little",
    "mjai 0.2.1": "an arena that starts its players in containers",
}

Work = Callable[[float], int]
Figures = dict[str, dict[str, dict[str, float]]]


def repeat(seconds: float, batch: Callable[[], int]) -> int:
    """Return how much the batches did that were begun within the time."""
    done, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        done += batch()
    return done


def riichienv_play(seconds: float) -> int:
    from riichienv import RiichiEnv

    rng = random.Random(1)
    env = RiichiEnv(game_mode="4p-red-half")

    def match() -> int:
        obs = env.reset()
        while not env.done():
            obs = env.step({p: rng.choice(o.legal_actions()) for p, o in obs.items()})
        return sum(e["type"] == "end_kyoku" for e in env.mjai_log)

    return repeat(seconds, match)


def pymahjong_play(seconds: float) -> int:
    import numpy as np
    from pymahjong import MahjongEnv

    rng = np.random.default_rng(1)
    env = MahjongEnv()
    dealt = 0

    def hand() -> int:
        nonlocal dealt
        env.reset(oya=dealt % 4, game_wind="east")
        dealt += 1
        while not env.is_over():
            player = env.get_curr_player_id()
            env.step(player, rng.choice(np.flatnonzero(env.get_valid_actions(nhot=True))))
        return 1

    return repeat(seconds, hand)


def complete_hands(n: int) -> list[list[int]]:
    """Return random closed hands of four sets and a pair, as sorted kinds 0..33."""
    rng = random.Random(2)
    hands: list[list[int]] = []
    while len(hands) < n:
        tiles: list[int] = []
        for _ in range(4):
            kind = rng.randrange(34)
            if kind < 27 and kind % 9 < 7 and rng.randrange(3):
                tiles += [kind, kind + 1, kind + 2]
            else:
                tiles += [kind] * 3
        tiles += [rng.randrange(34)] * 2
        if max(map(tiles.count, tiles)) <= 4:
            hands.append(sorted(tiles))
    return hands


def mahjong_riichi(seconds: float) -> int:
    from mahjong.hand_calculating.hand import HandCalculator

    calculator = HandCalculator()
    hands = []
    for kinds in complete_hands(200):
        tiles = [4 * k + kinds[:i].count(k) for i, k in enumerate(kinds)]
        hands.append((tiles, tiles[0]))

    def batch() -> int:
        for tiles, win in hands:
            calculator.estimate_hand_value(tiles, win)
        return len(hands)

    return repeat(seconds, batch)


def pymahjonggb_mcr(seconds: float) -> int:
    from MahjongGB import MahjongFanCalculator

    names = [f"{s}{r}" for s in "WBT" for r in range(1, 10)]
    names += ["F1", "F2", "F3", "F4", "J1", "J2", "J3"]
    hands = []
    for kinds in complete_hands(200):
        tiles = [names[k] for k in kinds]
        hands.append((tuple(tiles[1:]), tiles[0]))

    def batch() -> int:
        for tiles, win in hands:
            MahjongFanCalculator((), tiles, win, 0, False, False, False, False, 0, 0)
        return len(hands)

    return repeat(seconds, batch)


def deals(n: int) -> list[list[int]]:
    """Return n times 14 tiles of a shuffled set, as numbers 0..135."""
    rng = random.Random(3)
    return [sorted(rng.sample(range(136), 14)) for _ in range(n)]


def mahjong_shanten(seconds: float) -> int:
    from mahjong.shanten import Shanten
    from mahjong.tile import TilesConverter

    counts = [TilesConverter.to_34_array(d) for d in deals(200)]
    shanten = Shanten()

    def batch() -> int:
        for c in counts:
            shanten.calculate_shanten(c)
        return len(counts)

    return repeat(seconds, batch)


def riichienv_shanten(seconds: float) -> int:
    from riichienv import calculate_shanten

    hands = deals(1000)

    def batch() -> int:
        for d in hands:
            calculate_shanten(d)
        return len(hands)

    return repeat(seconds, batch)


PEERS: dict[str, dict[str, Work]] = {
    "play": {"riichienv": riichienv_play, "pymahjong": pymahjong_play},
    "riichi": {"mahjong": mahjong_riichi},
    "mcr": {"PyMahjongGB": pymahjonggb_mcr},
    "shanten": {"riichienv": riichienv_shanten, "mahjong": mahjong_shanten},
}


def processor() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def rates(count: int, wall: float, cpu: float) -> dict[str, float]:
    return {"wall": count / wall, "cpu": count / max(cpu, 1e-9)}


def peer(name: str, work: str, seconds: float) -> None:
    """Do a work in this process and print its rates."""
    do = PEERS[work][name]
    do(min(0.2, seconds))  # what is done once
    wall, cpu = time.perf_counter(), processor()
    count = do(seconds)
    print(json.dumps(rates(count, time.perf_counter() - wall, processor() - cpu)))


def own_play(program: str, seconds: float) -> dict[str, float]:
    """Play so many matches that starting the program hardly counts."""
    matches = max(64, int(6000 * seconds))
    args = ["play", "--ruleset", "tenhou", "--agents", "random,random,random,random", "--json"]
    wall, cpu = time.perf_counter(), processor()
    out = subprocess.run(
        [program, *args, "--quiet", "--matches", str(matches), "--workers", "1"],
        env=os.environ | {"GOMAXPROCS": "1"},
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    return rates(json.loads(out)["hands"], time.perf_counter() - wall, processor() - cpu)


def own_bench(program: str, seconds: float) -> dict[str, dict[str, float]]:
    """The figures of sparrowhall bench that have peers; they are times of the fastest batch."""
    figures = {}
    for work, ruleset in (("riichi", "ema_2016"), ("mcr", "mcr_2006")):
        out = subprocess.run(
            [program, "bench", "--ruleset", ruleset, "--seconds", str(seconds / 4)],
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        report = json.loads(out)
        rate = report["scoring_hands_per_second"]
        figures[work] = {"wall": rate, "cpu": rate}
        rate = 1e9 / report["shanten"]["14_tiles"]["counts_ns"]
        figures["shanten"] = {"wall": rate, "cpu": rate}
    return figures


@contextmanager
def environment(folder: str | None) -> Iterator[Path]:
    """The Python of an environment with the peers, which is made if need be."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(folder or temporary)
        python = root / "bin" / "python"
        if not python.exists():
            venv.create(root, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "numpy", *PACKAGES], check=True)
        yield python


def measure(program: str, python: Path, rounds: int, seconds: float) -> Figures:
    taken: dict[str, dict[str, list[dict[str, float]]]] = {w: {} for w in PEERS}
    for _ in range(rounds):
        bench = own_bench(program, seconds)
        for work, peers in PEERS.items():
            own = own_play(program, seconds) if work == "play" else bench[work]
            taken[work].setdefault("sparrowhall", []).append(own)
            for name in peers:
                out = subprocess.run(
                    [python, __file__, "--peer", name, "--work", work, "--seconds", str(seconds)],
                    capture_output=True,
                    check=False,
                )
                if out.returncode:
                    raise SystemExit(f"{name}, {work}: {out.stderr.decode()[-500:]}")
                taken[work].setdefault(name, []).append(json.loads(out.stdout))
    return {w: {n: summary(t[n], t["sparrowhall"]) for n in t} for w, t in taken.items()}


def summary(own: list[dict[str, float]], sparrowhall: list[dict[str, float]]) -> dict[str, float]:
    return {
        "cpu": statistics.median(f["cpu"] for f in own),
        "wall": statistics.median(f["wall"] for f in own),
        "sparrowhall_is": statistics.median(
            j["cpu"] / f["cpu"] for j, f in zip(sparrowhall, own, strict=True)
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sparrowhall", help="the program")
    parser.add_argument("--env", help="folder of the peers' environment, kept for the next time")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.peer:
        peer(o.peer, o.work, o.seconds)
        return
    if not o.sparrowhall:
        parser.error("--sparrowhall is missing: name the program to be measured")
    with environment(o.env) as python:
        figures = measure(o.sparrowhall, python, o.rounds, o.seconds)
    if o.json:
        json.dump(figures, sys.stdout, indent=1)
        return
    print(f"{datetime.date.today()}, {platform.machine()}, Python {platform.python_version()}")
    print("\n| work | engine | a second of processor time | of wall time | sparrowhall is |")
    print("| --- | --- | --- | --- | --- |")
    versions = {p.split("==")[0]: p.replace("==", " ") for p in PACKAGES}
    for work, engines in figures.items():
        for name, f in engines.items():
            ratio = "" if name == "sparrowhall" else f"{f['sparrowhall_is']:,.1f} x"
            label = versions.get(name, name)
            print(f"| {work} | {label} | {f['cpu']:,.0f} | {f['wall']:,.0f} | {ratio} |")
    print("\nNot run:")
    for name, reason in OTHERS.items():
        print(f"- {name}: {reason}")


if __name__ == "__main__":
    main()
