"""Tables within this process: what chooses them, and what happens where they are misused."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import in_process

import sparrowhall
from sparrowhall import _library
from sparrowhall._shared_memory import UnavailableError


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own."""
    in_process().close()
    return subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )


def transport(**arguments: Any) -> tuple[str, str]:
    with sparrowhall.local() as client, client.open(**{"tables": 1, **arguments}) as tables:
        return tables.transport, tables.transport_reason


def test_few_tables_with_fast_opponents_are_played_in_this_process() -> None:
    in_process().close()
    assert transport() == ("inprocess", "")
    assert transport(tables=64, seats=["external", "greedy", "random", "greedy"])[0] == "inprocess"
    assert "for more than 64 tables" in transport(tables=65)[1]
    assert "'expert' takes milliseconds" in transport(seats=["external"] + 3 * ["expert"])[1]
    assert "'advice' takes milliseconds" in transport(observation="advice")[1]
    assert "asynchronous" in transport(min_batch=1)[1]
    with sparrowhall.local(arguments=["--workers", "1"]) as client, client.open() as tables:
        assert tables.transport != "inprocess"
        assert "flags" in tables.transport_reason
    for make in (sparrowhall.make, sparrowhall.env, sparrowhall.parallel_env):
        env = make(transport="inprocess")
        env.reset(seed=1)
        env.close()
    vec = sparrowhall.make_vec(num_envs=2, transport="shared")
    vec.reset(seed=1)
    assert vec._tables is not None
    assert vec._tables.transport == "shared"
    vec.close()


def test_what_cannot_be_played_in_this_process_is_refused() -> None:
    with in_process() as client:
        with pytest.raises(sparrowhall.ServerError, match="asynchronous tables need a server"):
            client.open(min_batch=1)
        with pytest.raises(sparrowhall.ServerError, match="has no server"):
            _ = client.pid
        with client.open(seats=["external"] + 3 * ["expert"]) as slow, client.open(tables=99) as t:
            assert (slow.transport, t.transport) == ("inprocess", "inprocess")
            for tables in (slow, t):
                batch = tables.recv()
                assert len(tables.act(batch, sparrowhall.sample(batch.mask)))
        again = pickle.loads(pickle.dumps(client))
        assert again.transport == "inprocess"
        again.close()
        with pytest.raises(ValueError, match="pass it to the client"):
            sparrowhall.make(client=client, transport="shared")
    with pytest.raises(ValueError, match="transport 'inprocess' has none"):
        sparrowhall.local(arguments=["--workers", "1"], transport="inprocess")
    with pytest.raises(ValueError, match="transport is 'near'; allowed: 'auto', 'inprocess'"):
        sparrowhall.make(transport="near")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is another process"):
        sparrowhall.connect("localhost:1", transport="inprocess")


def test_closed_tables_say_so() -> None:
    client = in_process()
    tables, other = client.open(), client.open()
    batch = tables.recv()
    tables.close()
    tables.close()
    for use in (
        lambda: tables.recv(),
        lambda: tables.act(batch, [0]),
        lambda: tables.inspect(0, 0),
    ):
        with pytest.raises(sparrowhall.ServerError, match="the tables are closed"):
            use()
    assert batch.observation["planes"].shape[0] == 1  # its memory is still there
    other.recv()
    client.close()
    with pytest.raises(sparrowhall.ServerError, match="the tables are closed"):
        other.reset(0)
    with pytest.raises(sparrowhall.ServerError, match="the client is closed"):
        client.open()


@pytest.mark.parametrize("tables", [1, 3])
def test_observations_may_first_be_read_at_any_time(
    server: sparrowhall.LocalClient, tables: int
) -> None:
    """Bits are not unpacked before an observation is read; those of older batches are right."""

    def seen(client: sparrowhall.Client, late: int, close: bool = False) -> list[Any]:
        rng, kept = np.random.default_rng(1), []
        with client.open(tables=tables, seed=5) as t:
            batch = t.recv()
            for step in range(40):
                if step == late:
                    _ = batch.observation
                if step % 2:  # more batches than the memory has frames
                    kept.append(batch)
                batch = t.act(batch, sparrowhall.sample(batch.mask_words, rng))
            if close:
                t.close()
            kept.append(batch)
            return [{k: v.copy() for k, v in b.observation.items()} for b in kept]

    expected = seen(server, 0)
    with in_process() as client:
        for late, close in ((0, False), (11, False), (39, True), (99, False), (99, True)):
            for a, b in zip(seen(client, late, close), expected, strict=True):
                assert all(np.array_equal(a[name], b[name]) for name in b)


def test_wrong_answers_are_refused_and_change_nothing() -> None:
    with in_process() as client, client.open(tables=2, seed=1) as tables:
        first = tables.recv()
        batch = tables.act(first, sparrowhall.sample(first.mask))
        for wrong, error, match in (
            ([0], ValueError, r"shape \(1,\), not \(2,\)"),
            (np.zeros((2, 1), np.uint8), ValueError, r"shape \(2, 1\), not"),
            ([np.nan, 0], TypeError, "float64; allowed: integers"),
            ([0, 300], ValueError, "from 0 to 300"),
            ([255, 255], sparrowhall.RequestError, "ILLEGAL_ACTION"),
        ):
            with pytest.raises(error, match=match):
                tables.act(batch, wrong)
        good = sparrowhall.sample(batch.mask)
        after = tables.act(batch, good)
        with pytest.raises(sparrowhall.RequestError, match="STALE_STEP"):
            tables.act(batch, good)
        assert len(tables.act(after, sparrowhall.sample(after.mask)))


def test_an_exception_of_a_policy_leaves_the_environment_usable() -> None:
    illegal = np.full(1, sparrowhall.action_id("added_kan 5z"))
    answers: list[Any] = [
        ValueError("no idea"),
        np.zeros(99, np.uint8),
        np.zeros((1, 180), np.float32),
        illegal,
        np.full(1, np.nan),
    ]

    def policy(decisions: sparrowhall.Decisions) -> Any:
        if answers:
            answer = answers.pop()
            if isinstance(answer, Exception):
                raise answer
            return answer
        return decisions.mask.argmax(axis=1)

    def play(env: sparrowhall.SparrowhallEnv) -> None:
        for _ in range(20):
            obs, _ = env.reset(seed=1)
            env.step(sparrowhall.sample(obs["action_mask"][None])[0])

    with in_process() as client:
        env = sparrowhall.make(opponents=policy, client=client)
        for match in ("float64", "added_kan 5z", "float32", r"\(99,\)", "no idea"):
            with pytest.raises((sparrowhall.SparrowhallError, ValueError), match=match):
                play(env)
        play(env)
        env.close()


def test_two_threads_get_an_error_and_right_rows() -> None:
    with in_process() as client, client.open(tables=200, seed=1) as tables:
        first = tables.recv()
        start, errors, done = tables.reset(np.arange(200)), [], []
        assert start is not None
        del first

        def play() -> None:
            batch = start
            for _ in range(300):
                try:
                    batch = tables.act(batch, sparrowhall.sample(batch.mask_words))
                    done.append(len(batch))
                except sparrowhall.SparrowhallError as e:
                    errors.append(str(e))

        threads = [threading.Thread(target=play) for _ in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(60)
        assert done
        assert errors
        assert all("two threads use" in e or "STALE_STEP" in e for e in errors), set(errors)
        batch = tables.reset(np.arange(200))
        assert batch is not None
        assert len(tables.act(batch, sparrowhall.sample(batch.mask_words)))


def test_each_thread_plays_its_own_tables() -> None:
    """Threads beside each other play what one plays alone, holding Python's lock or not."""

    def play(client: sparrowhall.Client, count: int, done: list[list[bytes]]) -> None:
        rng, rows = np.random.default_rng(3), []
        with client.open("zung_jung", count, seed=9, observation="planes") as tables:
            batch = tables.recv()
            for _ in range(150):
                batch = tables.act(batch, sparrowhall.sample(batch.mask_words, rng))
                rows.append(batch.observation["planes"].tobytes() + batch.reward.tobytes())
        done.append(rows)

    with in_process() as client:
        for count in (1, 50):
            done: list[list[bytes]] = []
            play(client, count, done)
            threads = [threading.Thread(target=play, args=(client, count, done)) for _ in range(4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join(60)
            assert len(done) == 5
            assert all(rows == done[0] for rows in done)


FORKED = """
import os, signal, sys
import sparrowhall
env = sparrowhall.make("zung_jung", transport="inprocess")
env.reset(seed=1)
client = sparrowhall.local(transport="inprocess")
tables = client.open("zung_jung")
batch = tables.recv()
if (child := os.fork()) == 0:
    signal.alarm(60)
    act = lambda: tables.act(batch, b"0")
    for use in (act, lambda: client.open("zung_jung"), lambda: env.step(0)):
        try: use()
        except sparrowhall.ServerError as e: assert "does not outlive a fork" in str(e), e
        else: raise SystemExit("no error")
    try: sparrowhall.local(transport="inprocess")
    except sparrowhall.ServerError as e: assert "was forked from one that had loaded" in str(e), e
    else: raise SystemExit("no error")
    other = sparrowhall.make("zung_jung")
    other.reset(seed=1)
    assert other._tables.transport == "shared", other._tables.transport
    assert "was forked" in other._tables.transport_reason
    other.close()
    tables.close()
    client.close()
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
tables.reset(0)
env.reset(seed=2)
print("fine")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_uses_a_server() -> None:
    done = run(FORKED)
    assert done.stdout == "fine\n", done.stderr


def test_the_interpreter_may_exit_with_tables_open() -> None:
    script = (
        "import sparrowhall, threading\n"
        "t = sparrowhall.local(transport='inprocess').open(tables=40)\n"
        "b = t.recv()\n"
        "n = threading.Semaphore(0)\n"
        "def play():\n"
        "    global b\n"
        "    while True:\n"
        "        b = t.act(b, sparrowhall.sample(b.mask_words))\n"
        "        n.release()\n"
        "threading.Thread(target=play, daemon=True).start()\n"
        "for _ in range(100): n.acquire()\n"
        "print('fine')\n"
    )
    done = run(script)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT")
def test_interrupts_arrive() -> None:
    script = (
        "import os, signal, threading\n"
        "import sparrowhall\n"
        "t = sparrowhall.local(transport='inprocess').open()\n"
        "b = t.recv()\n"
        "signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))\n"
        "seen, n = [], 0\n"
        "os.kill(os.getpid(), signal.SIGUSR1)\n"
        "played = threading.Event()\n"
        "def interrupt():\n"
        "    played.wait()\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=interrupt).start()\n"
        "try:\n"
        "    while True:\n"
        "        b = t.act(b, sparrowhall.sample(b.mask_words))\n"
        "        n += 1\n"
        "        if n == 1000: played.set()\n"
        "except KeyboardInterrupt:\n"
        "    b = t.reset(0)\n"
        "    t.act(b, sparrowhall.sample(b.mask_words))\n"
        "    print(seen, n >= 1000)\n"
        "try:\n"
        "    r, w = os.pipe(); os.close(r); os.write(w, b'x')\n"
        "except BrokenPipeError: print('pipe')\n"
    )
    done = run(script)
    assert (done.returncode, done.stdout) == (0, "[1] True\npipe\n"), done.stderr


def test_opening_and_closing_leaves_nothing() -> None:
    """Memory does not grow, whether tables are closed, dropped or left to their batches."""
    script = (
        "import gc, sparrowhall\n"
        "client = sparrowhall.local(transport='inprocess')\n"
        "def memory():\n"
        "    gc.collect()\n"
        "    with open('/proc/self/statm') as f: return int(f.read().split()[1]) * 4096\n"
        "def cycle(n):\n"
        "    for i in range(n):\n"
        "        t = client.open('zung_jung')\n"
        "        b = t.recv()\n"
        "        b = t.act(b, sparrowhall.sample(b.mask_words))\n"
        "        b = t.act(b, sparrowhall.sample(b.mask_words))\n"
        "        b.observation\n"
        "        if i % 2: t.close()\n"
        "cycle(300)\n"
        "before = memory()\n"
        "cycle(CYCLES)\n"
        "print(memory() - before)\n"
    ).replace("CYCLES", (os.environ.get("SPARROWHALL_LONG") and "10000") or "700")
    done = run(script)
    assert done.returncode == 0, done.stderr
    if sys.platform == "linux":
        assert int(done.stdout) < 20 << 20


def test_a_library_of_another_version_is_refused(tmp_path: Path) -> None:
    """So is a file that is no library; a server plays the tables then."""
    in_process().close()
    other = tmp_path / _library.NAME
    version = sparrowhall.__version__.encode()
    script = (
        "import sparrowhall, sparrowhall._library as l, sparrowhall.version\n"
        "l.__version__ = '9.8.7'\n"
        "with sparrowhall.local() as c, c.open() as t: print(t.transport, t.transport_reason)\n"
        "try: sparrowhall.local(transport='inprocess')\n"
        "except sparrowhall.ServerError as e: print(e)\n"
    )
    done = run(script)
    said = f"is of version {version.decode()}, and this package is of version 9.8.7"
    first, second = done.stdout.splitlines()
    assert first.startswith("shared ")
    assert said in first
    assert said in second
    other.write_bytes(b"no library")
    done = run(script.replace("l.__version__ = '9.8.7'\n", ""), SPARROWHALL_LIB=str(other))
    assert "cannot be loaded" in done.stdout


def test_where_the_library_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARROWHALL_LIB", str(tmp_path / "none.so"))
    with pytest.raises(UnavailableError, match="SPARROWHALL_LIB names"):
        _library.find()
    monkeypatch.delenv("SPARROWHALL_LIB")
    monkeypatch.setenv("SPARROWHALL_BIN", str(tmp_path / "sparrowhall"))
    with pytest.raises(UnavailableError, match="SPARROWHALL_BIN names"):
        _library.find()
    (tmp_path / _library.NAME).write_text("")
    assert _library.find() == tmp_path / _library.NAME
    monkeypatch.delenv("SPARROWHALL_BIN")
    monkeypatch.setattr("sparrowhall._program._checkout", lambda: None)
    monkeypatch.setattr(_library, "__file__", str(tmp_path / "sparrowhall" / "_library.py"))
    with pytest.raises(UnavailableError, match="was installed without"):
        _library.find()
    (tmp_path / "sparrowhall").mkdir()
    (tmp_path / "sparrowhall" / _library.NAME).write_text("")
    assert _library.find().name == _library.NAME


def test_rows_that_are_held_do_not_change() -> None:
    """Nor do arrays and buffers made from them, after their batch is gone."""
    with sparrowhall.local() as client, client.open("ema_2016", 1, seed=1) as tables:
        batch, held = tables.recv(), []
        for i in range(400):
            raw = batch.raw[i % 6]
            if len(batch) == 1 and i % 9 == 0:
                made = (raw, raw[0, 3:], memoryview(raw))[i % 3]  # type: ignore[arg-type]
                held.append((made, raw.tobytes() if i % 3 != 1 else raw[0, 3:].tobytes()))
            if i % 100 == 99:
                assert all(made.tobytes() == seen for made, seen in held)
                held.clear()
            del raw
            batch = tables.act(batch, sparrowhall.sample(batch.mask))


def test_masks_belong_to_who_gets_them() -> None:
    """What environments return is no view of memory that is used again."""
    with in_process() as client:
        env = sparrowhall.make_vec(num_envs=3, client=client)
        obs, _ = env.reset(seed=1)
        kept = [(obs, {k: v.copy() for k, v in obs.items()})]
        for _ in range(50):
            obs, *_ = env.step(sparrowhall.sample(obs["action_mask"]))
            kept.append((obs, {k: v.copy() for k, v in obs.items()}))
        for seen, copied in kept:
            assert all((seen[k] == copied[k]).all() for k in seen)
        env.close()
