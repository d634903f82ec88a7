"""Compiles local_transport.c, lets it play tables in shared memory, and checks the results.

    python local_transport.py

The tables are opened here, over gRPC; the same tables are then played over gRPC alone.
"""

from __future__ import annotations

import queue
import subprocess
import sys
import tempfile
from pathlib import Path

import grpc
import numpy as np

import sparrowhall
from sparrowhall._proto import env_pb2 as pb

RULESET, TABLES, ROUNDS = "zung_jung", 30, 2000


def main() -> None:
    """Play both ways and compare."""
    with tempfile.TemporaryDirectory() as folder, sparrowhall.local() as server:
        program = Path(folder) / "local_transport"
        source = Path(__file__).with_suffix(".c")
        subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-o", program, source], check=True)
        played = tuple(map(int, shared(program, server.address).split()))
        expected = plain(server)
    print(f"decisions, units won and lost: {played}")
    if played != expected:
        sys.exit(f"over gRPC they are {expected}")


def shared(program: Path, address: str) -> str:
    """Open tables, let the program play them, and return what it prints."""
    requests: queue.SimpleQueue[pb.PlayRequest | None] = queue.SimpleQueue()
    with grpc.insecure_channel(address) as channel:
        play = channel.stream_stream(
            "/sparrowhall.env.v1.EnvService/Play",
            request_serializer=pb.PlayRequest.SerializeToString,
            response_deserializer=pb.PlayResponse.FromString,
        )
        answers = play(iter(requests.get, None))
        opening = pb.Open(preset=RULESET, tables=TABLES, seed=1, auto_reset=True, local=1)
        requests.put(pb.PlayRequest(open=opening))
        local = next(answers).opened.local
        if local.refused:
            sys.exit(f"no memory can be shared: {local.refused}")
        first = next(answers).batch
        with subprocess.Popen(
            [program, local.path, str(local.size), str(ROUNDS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            if process.stdout.readline() != "mapped\n":
                sys.exit("the program has not mapped the memory")
            requests.put(pb.PlayRequest(attach=pb.Attach()))
            next(answers)
            table, step = np.frombuffer(first.table, "<u4"), np.frombuffer(first.step, "<u4")
            mask = sparrowhall.unpack_mask(np.frombuffer(first.mask, np.uint8).reshape(-1, 23))
            for row in zip(table, first.player, step, mask.argmax(axis=1), strict=True):
                print(*row, file=process.stdin)
            process.stdin.close()
            said = process.stdout.read()
        requests.put(None)
    if process.returncode != 0:
        sys.exit(f"the program ends with status {process.returncode}")
    return said


def plain(server: sparrowhall.LocalClient) -> tuple[int, int, int]:
    """Play the same over gRPC."""
    decisions = won = lost = 0
    with (
        sparrowhall.connect(server.address, transport="grpc") as client,
        client.open(RULESET, TABLES, seed=1, observation="") as tables,
    ):
        batch = tables.recv()
        for _ in range(ROUNDS):
            decisions += int(batch.asked.sum())
            batch = tables.act(batch, batch.mask.argmax(axis=1))
            units = (batch.reward * tables.ruleset.units_per_point).astype(int)
            won += int(units[units > 0].sum())
            lost += int(units[units < 0].sum())
    return decisions, won, lost


if __name__ == "__main__":
    main()
