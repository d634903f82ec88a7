"""Measures decisions a second of the batched client, beside the loops of other packages.

    python benchmarks/throughput.py [--peers] [--tables 1024] [--unpacked] [--seconds 5] [--json]

The policy is random in all of them: any legal action, each as likely as the others. A decision
is a player's answer where at least two actions were legal. The client asks for masks and the
observation `planes` of every decision, and unpacks the latter with --unpacked. It is measured
with memory shared with the server, and by gRPC. With --peers the packages riichienv and
pymahjong, if installed, run in the same process one after the other: their own one-table loops
as their documentation shows them, with masks or lists of legal actions; pymahjong encodes each
observation, riichienv does so in a run of its own.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import random
import time
from collections.abc import Callable

import numpy as np

import sparrowhall


def client(
    seconds: float,
    ruleset: str,
    tables: int,
    observation: str,
    transport: sparrowhall.Transport,
    unpacked: bool,
) -> float:
    """Play all seats of many tables: two halves in turn, so that no side waits."""
    rng = np.random.default_rng(1)
    with (
        sparrowhall.local(transport=transport) as server,
        server.open(ruleset, tables, seed=1, observation=observation) as t,
    ):
        batch = t.recv()
        actions = sparrowhall.sample(batch.mask_words, rng)
        half = batch.table < tables // 2
        for part in (half, ~half) if tables > 1 else (~half,):
            t.send(batch.table[part], batch.player[part], batch.step[part], actions[part])
        # Matches start in step: let them drift apart before the clock runs.
        begin, end = time.perf_counter() + 1, float("inf")
        decisions = 0
        while (now := time.perf_counter()) < end:
            if now >= begin and end == float("inf"):
                decisions, begin, end = 0, now, now + seconds
            batch = t.recv()
            if unpacked:
                _ = batch.observation
            t.send_answers(batch, sparrowhall.sample(batch.mask_words, rng))
            decisions += len(batch) - len(batch.last.row)
        return decisions / (now - begin)


def riichienv(seconds: float, encode: bool) -> float:
    from riichienv import RiichiEnv

    rng = random.Random(1)
    env = RiichiEnv(game_mode="4p-red-half")
    decisions, begin = 0, time.perf_counter()
    while time.perf_counter() < begin + seconds:
        obs = env.reset()
        while not env.done():
            answers = {}
            for player, o in obs.items():
                legal = o.legal_actions()
                if encode:
                    np.frombuffer(o.encode(), np.float32)
                decisions += len(legal) > 1
                answers[player] = rng.choice(legal)
            obs = env.step(answers)
    return decisions / (time.perf_counter() - begin)


def pymahjong(seconds: float) -> float:
    from pymahjong import MahjongEnv

    rng = np.random.default_rng(1)
    env = MahjongEnv()
    decisions = hands = 0
    begin = time.perf_counter()
    while time.perf_counter() < begin + seconds:
        env.reset(oya=hands % 4, game_wind="east")
        hands += 1
        while not env.is_over():
            player = env.get_curr_player_id()
            env.get_obs(player)
            env.step(player, rng.choice(np.flatnonzero(env.get_valid_actions(nhot=True))))
            decisions += 1
    return decisions / (time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ruleset", default="ema_2016")
    parser.add_argument("--tables", type=int, default=1024)
    parser.add_argument("--observation", default="planes")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--unpacked", action="store_true", help="unpack what players see")
    parser.add_argument("--peers", action="store_true", help="measure other packages as well")
    parser.add_argument("--json", action="store_true")
    o = parser.parse_args()

    def run(transport: sparrowhall.Transport) -> float:
        return client(o.seconds, o.ruleset, o.tables, o.observation, transport, o.unpacked)

    runs: dict[str, Callable[[], float]] = {
        f"sparrowhall {sparrowhall.__version__}": lambda: run("auto"),
        f"sparrowhall {sparrowhall.__version__}, gRPC": lambda: run("grpc"),
    }
    if o.peers:
        version = importlib.metadata.version
        if importlib.util.find_spec("riichienv"):
            name = f"riichienv {version('riichienv')}"
            runs[f"{name}, legal actions"] = lambda: riichienv(o.seconds, encode=False)
            runs[f"{name}, legal actions and encode()"] = lambda: riichienv(o.seconds, encode=True)
        if importlib.util.find_spec("pymahjong"):
            runs[f"pymahjong {version('pymahjong')}"] = lambda: pymahjong(o.seconds)
    figures = {name: run() for name, run in runs.items()}
    if o.json:
        print(json.dumps(figures))
        return
    own = next(iter(figures.values()))
    for name, figure in figures.items():
        print(f"{name:45} {figure:10,.0f} decisions/s {own / figure:8.1f}")


if __name__ == "__main__":
    main()
