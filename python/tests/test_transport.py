from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import over, wait_until

import sparrowhall
from sparrowhall import _shared_memory
from sparrowhall.actions import unpack_one_mask

pytestmark = pytest.mark.skipif(
    bool(_shared_memory.unavailable()), reason="memory cannot be shared here"
)


def far(server: sparrowhall.LocalClient) -> sparrowhall.Client:
    return sparrowhall.connect(server.address, transport="grpc")


def same(a: sparrowhall.Batch, b: sparrowhall.Batch) -> bool:
    names = ("table", "player", "step", "flags", "reward", "owed", "mask_bits", "mask_words")
    pairs = [(getattr(a, n), getattr(b, n)) for n in names]
    pairs += [*zip(a.raw, b.raw, strict=True)]
    pairs += [(getattr(a.last, n), getattr(b.last, n)) for n in ("row", "points", "rank", "seed")]
    pairs += [
        (a.last.placement, b.last.placement),
        *zip(a.observation.values(), b.observation.values(), strict=True),
    ]
    for row in range(len(a)):
        player, flags, reward, mask = a.summary_of(row)
        assert (player, flags, reward) == (a.player[row], a.flags[row], a.reward[row])
        assert (player, flags, reward, mask[:23]) == (
            *b.summary_of(row)[:3],
            b.summary_of(row)[3][:23],
        )
        assert (unpack_one_mask(mask, a.mask.shape[1]) == a.mask[row]).all()
        assert (unpack_one_mask(mask) == unpack_one_mask(b.summary_of(row)[3])).all()
        seen = a.observation_of(row)
        pairs += [(seen[name], tensor[row]) for name, tensor in b.observation.items()]
        assert all(tensor.flags.writeable for tensor in seen.values())
    some = np.arange(len(a))[::-2]
    for batch in (a, b):
        seen = batch.observations_of(some)
        pairs += [(seen[name], tensor[some]) for name, tensor in b.observation.items()]
        assert not any(
            np.shares_memory(seen[name], tensor) for name, tensor in batch.observation.items()
        )
    return len(a) == len(b) and all(
        x.dtype == y.dtype and x.shape == y.shape and (x == y).all() for x, y in pairs
    )


@pytest.mark.parametrize("tables", [1, 50])
@pytest.mark.parametrize("transport", ["inprocess", "shared"])
def test_rows_are_those_of_grpc(
    server: sparrowhall.LocalClient, transport: sparrowhall.Transport, ruleset: str, tables: int
) -> None:
    observation = "planes" if len(ruleset) % 2 else "events"
    arguments = {"seed": 3, "observation": observation, "episode": "hand"}
    with (
        far(server) as other,
        over(server, transport) as near,
        near.open(ruleset, tables, **arguments) as near_,  # type: ignore[arg-type]
        other.open(ruleset, tables, **arguments) as far_,  # type: ignore[arg-type]
    ):
        assert (near_.transport, far_.transport) == (transport, "grpc")
        assert near_.transport_reason == ""
        assert "grpc" in far_.transport_reason
        a, b = near_.recv(), far_.recv()
        rngs = np.random.default_rng(1), np.random.default_rng(1)
        for _ in range(60):
            assert same(a, b)
            a = near_.act(a, sparrowhall.sample(a.mask_words, rngs[0]))
            b = far_.act(b, sparrowhall.sample(b.mask, rngs[1]).tobytes())
        assert near_.inspect(0, 0) == far_.inspect(0, 0)


@pytest.mark.parametrize("transport", ["inprocess", "shared"])
def test_requests_of_all_kinds(
    server: sparrowhall.LocalClient, transport: sparrowhall.Transport
) -> None:
    with (
        far(server) as other,
        over(server, transport) as near,
        near.open(tables=6) as near_,
        other.open(tables=6) as far_,
    ):
        batches = []
        for t in (near_, far_):
            t.recv()
            got = [t.reset([1, 2], [5, 6]), t.fork([1], [4])]
            handle = t.snapshot([0])
            t.send([0], got[0].player[:1], [1], [200])
            with pytest.raises(sparrowhall.RequestError):
                t.recv()
            got += [t.restore([3], handle), t.reset(np.arange(6))]
            t.drop(handle)
            batches.append(got)
        for a, b in zip(*batches, strict=True):
            assert a is not None
            assert b is not None
            assert same(a, b)


def test_batches_stay_as_they_are(client: sparrowhall.LocalClient) -> None:
    rng = np.random.default_rng(2)
    with client.open("zung_jung", 20, seed=1) as tables:
        batch = tables.recv()
        kept, copies = [], []
        for _ in range(30):
            batch = tables.act(batch, sparrowhall.sample(batch.mask_words, rng))
            kept.append((batch.table, batch.raw[0], batch.mask_words))
            copies.append([array.copy() for array in kept[-1]])
            assert not batch.table.flags.writeable
        for arrays, copy in zip(kept, copies, strict=True):
            assert all((x == y).all() for x, y in zip(arrays, copy, strict=True))


@pytest.mark.parametrize("transport", ["inprocess", "shared", "grpc"])
def test_bits_may_stay_packed(
    server: sparrowhall.LocalClient, transport: sparrowhall.Transport
) -> None:
    with (
        over(server, transport) as other,
        other.open(tables=30, seed=4) as tables,
    ):
        batch = tables.recv()
        for _ in range(9):  # frames come again, and are free though their tensors are kept
            batch = tables.act(batch, sparrowhall.sample(batch.mask_words))
            packed = batch.packed
            for name, tensor in batch.observation.items():
                spec = tables.spec[name] if tables.spec else None
                assert spec is not None
                shown = packed[name]
                if spec.packed:
                    assert shown.shape[:-1] == tensor.shape[:-1]
                    shown = sparrowhall.unpack(shown, spec.shape[-1])
                assert (shown == tensor).all()


def test_rows_of_frames_that_come_again(client: sparrowhall.LocalClient) -> None:
    rng = np.random.default_rng(5)
    with client.open("hkma_hktw", seed=2) as tables:
        batch = tables.recv()
        kept = []
        for _ in range(60):  # more than there are frames
            kept.append((batch.observation_of(0), batch.raw))
            batch = tables.act(batch, sparrowhall.sample(batch.mask_words, rng).tobytes())
            if len(kept) % 3:
                kept[-1] = (kept[-1][0], [array.copy() for array in kept[-1][1]])
        assert tables.spec is not None
        for seen, raw in kept:
            for tensor, decoded in zip(
                seen.values(), tables.spec.decode(raw).values(), strict=True
            ):
                assert (tensor == decoded[0]).all()


def test_answers_are_as_many_as_rows(client: sparrowhall.LocalClient) -> None:
    with client.open(tables=3) as tables:
        batch = tables.recv()
        for wrong in (b"", bytes(2), np.zeros((3, 1), np.uint8)):
            with pytest.raises(ValueError, match=r"shape .*, not \(3,\)"):
                tables.send_answers(batch, wrong)
        with pytest.raises(ValueError, match="from 0 to 256; allowed: 0 to 255"):
            tables.send_answers(batch, [0, 0, 256])


def test_requests_may_be_sent_ahead(client: sparrowhall.LocalClient) -> None:
    with client.open("mcr_2006", 40, seed=1) as tables:
        batch = tables.recv()
        actions = sparrowhall.sample(batch.mask_words, np.random.default_rng(1))
        for row in range(len(batch)):
            one = slice(row, row + 1)
            tables.send(batch.table[one], batch.player[one], batch.step[one], actions[one])
        answered = [tables.recv() for _ in range(len(batch))]
        assert [int(b.table[0]) for b in answered if len(b)] == list(batch.table)
        # Answers to frames that are shown elsewhere wait as well, and keep them.
        for b in answered:
            tables.send_answers(b, sparrowhall.sample(b.mask_words))
        assert all(len(tables.recv()) for _ in answered)


def test_reasons(server: sparrowhall.LocalClient, monkeypatch: pytest.MonkeyPatch) -> None:
    with server.open(tables=2, min_batch=1) as tables:
        assert tables.transport == "grpc"
        assert "asynchronous" in tables.transport_reason
    with pytest.raises(ValueError, match="allowed: 'auto', 'inprocess', 'shared', 'grpc'"):
        sparrowhall.connect(server.address, transport="fast")  # type: ignore[arg-type]
    with sparrowhall.connect(server.address, transport="shared") as strict:
        with strict.open() as tables:
            assert tables.transport == "shared"
        with pytest.raises(sparrowhall.ServerError, match="asynchronous"):
            strict.open(min_batch=1)
        monkeypatch.setattr(os, "readlink", lambda path: "/dev/null")
        with pytest.raises(sparrowhall.ServerError, match="container"):
            strict.open()
    with server.open() as tables:
        assert "container" in tables.transport_reason
        tables.act(batch := tables.recv(), sparrowhall.sample(batch.mask))
    monkeypatch.setattr("sparrowhall.tables.unavailable", lambda: "not supported on plan9")
    with server.open() as tables:
        assert (tables.transport, tables.transport_reason) == ("grpc", "not supported on plan9")


def test_another_layout_is_refused(
    server: sparrowhall.LocalClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sparrowhall.connect(server.address, transport="shared") as strict:
        with monkeypatch.context() as patch:
            patch.setattr("sparrowhall.tables.VERSION", _shared_memory.VERSION + 1)
            with pytest.raises(
                sparrowhall.ServerError, match="another version of the local transport"
            ):
                strict.open()
        monkeypatch.setattr(_shared_memory, "VERSION", _shared_memory.VERSION + 1)
        with pytest.raises(
            sparrowhall.ServerError, match=r"layout of version 1; this package supports 2"
        ):
            strict.open()
        monkeypatch.undo()

        def other(*arguments: Any, unpacked: bool, actions: int) -> _shared_memory.Ring:
            return _shared_memory.Ring(*arguments, unpacked=not unpacked, actions=actions)

        monkeypatch.setattr("sparrowhall.tables.Ring", other)
        for tables in (1, 500):
            with pytest.raises(sparrowhall.ServerError, match="it is of another version"):
                strict.open("hkma_hktw", tables, observation="features")
        with strict.open(observation=None) as alone:
            assert alone.transport == "shared"
    with server.open() as fallen:  # which needs no such memory
        assert fallen.transport == "grpc"
        assert "another version" in fallen.transport_reason
        fallen.act(batch := fallen.recv(), sparrowhall.sample(batch.mask))


def shared_files(pid: int) -> set[str]:
    """Return the inodes of what a process has of shared memory, mapped or passed and open."""
    found = set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if "memfd:sparrowhall" in os.readlink(fd):
                found.add(str(fd.stat().st_ino))
        except FileNotFoundError:  # closed meanwhile
            continue
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        if "memfd:sparrowhall" in line:
            found.add(line.split()[4])
    return found


def test_a_killed_server_is_noticed() -> None:
    before = set(os.listdir("/dev/shm"))
    with sparrowhall.local(transport="shared") as server, server.open(tables=3) as tables:
        assert tables.transport == "shared"
        batch = tables.recv()
        os.kill(server.pid, signal.SIGKILL)
        with pytest.raises(sparrowhall.ServerError) as noticed:
            tables.act(batch, sparrowhall.sample(batch.mask))
        assert "did not respond within" not in str(noticed.value)
    assert set(os.listdir("/dev/shm")) == before


_CLIENT = """
import sparrowhall, sys
tables = sparrowhall.connect(sys.argv[1]).open(tables=9)
batch = tables.recv()
print(tables.transport, flush=True)
while True:
    batch = tables.act(batch, sparrowhall.sample(batch.mask_words))
"""


def test_a_killed_client_leaves_nothing(server: sparrowhall.LocalClient) -> None:
    had = shared_files(server.pid)
    before = set(os.listdir("/dev/shm"))
    command = [sys.executable, "-c", _CLIENT, server.address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == "shared\n"
            # Memory of tables of other tests may still be freed, so that a count says nothing.
            own = shared_files(server.pid) - had
            assert len(own) == 1
        finally:
            other.kill()
    assert wait_until(lambda: not shared_files(server.pid) & own)
    assert set(os.listdir("/dev/shm")) == before
