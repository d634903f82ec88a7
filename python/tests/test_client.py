from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trustme
from conftest import over, wait_until

import sparrowhall

TRAJECTORIES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "trajectories.json").read_text()
)


@pytest.mark.parametrize("expected", TRAJECTORIES, ids=lambda t: t["ruleset"])
@pytest.mark.parametrize("observation", ["planes", "features", "events"])
def test_a_replayed_trajectory_has_the_engines_bytes(
    expected: dict[str, Any], observation: str, client: sparrowhall.Client
) -> None:
    actions = np.frombuffer(bytes.fromhex(expected["actions"]), np.uint8)
    seen, masks = hashlib.sha256(), hashlib.sha256()
    with client.open(
        expected["ruleset"],
        seeds=[expected["seed"]],
        observation=observation,
        auto_reset=False,
    ) as t:
        batch = t.recv()
        while len(actions):
            assert (np.diff(batch.player.astype(int)) > 0).all()
            for row in range(len(batch)):
                masks.update(batch.mask_bits[row])
                for raw in batch.raw:
                    seen.update(raw[row])
            batch, actions = t.act(batch, actions[: len(batch)]), actions[len(batch) :]
    assert masks.hexdigest() == expected["masks"]
    assert seen.hexdigest() == expected["digests"][observation]


def test_advice(client: sparrowhall.Client) -> None:
    """What a built-in player would do comes first: who follows it plays as he does."""
    points = []
    for others in ("external", "value"):
        seats = ["external"] + 3 * [others]
        settings: dict[str, Any] = {"seed": 1, "observation": "advice", "auto_reset": False}
        with client.open("zung_jung", 4, seats=seats, **settings) as t:
            assert t.spec == client.observation("advice")
            batch, ends = t.recv(), np.zeros(4)
            while batch.asked.any():
                seen = batch.observation["candidates"][batch.asked]
                action = seen[:, :, 0].astype(int) - 1
                shown = action >= 0
                assert shown[:, 0].all()
                row, _ = np.nonzero(shown)
                assert batch.mask[batch.asked][row, action[shown]].all()
                answers = np.zeros(len(batch), np.uint8)
                answers[batch.asked] = action[:, 0]
                batch = t.act(batch, answers)
                mine = batch.player[batch.last.row] == 0
                ends[batch.table[batch.last.row[mine]]] = batch.last.points[mine]
        points.append(ends)
    assert points[0].any()
    assert (points[0] == points[1]).all()
    with pytest.raises(sparrowhall.RequestError, match="is no adviser"):
        client.open("ema_2016", observation="advice:random")


@pytest.mark.parametrize("transport", ["inprocess", "shared", "grpc"])
def test_playouts(transport: sparrowhall.Transport) -> None:
    """What comes of actions is told, and nothing changes at the tables."""
    with (
        sparrowhall.local(transport=transport) as client,
        client.open("hkma_hktw", 8, seed=1) as tables,
    ):
        batch = tables.recv()
        legal = [np.flatnonzero(mask) for mask in batch.mask]
        rows = np.repeat(np.arange(len(batch)), [len(a) for a in legal])
        asked = batch.table[rows], batch.player[rows], np.concatenate(legal)
        first = tables.playout(*asked, "value")
        assert first.reward.shape == first.owed.shape == (len(rows),)
        assert first.points.shape == (len(rows), 4)
        assert first.owed.any()
        again = tables.playout(*asked, "value")
        assert (first.reward == again.reward).all()
        with pytest.raises(sparrowhall.RequestError, match="may not take action 255") as e:
            tables.playout(batch.table, batch.player, np.full(len(batch), 255), "value")
        assert e.value.row == 0
        with pytest.raises(sparrowhall.RequestError, match="unknown agent"):
            tables.playout(batch.table, batch.player, [a[0] for a in legal], "valu")
        assert len(tables.act(batch, [a[0] for a in legal])) > 0


def play(tables: sparrowhall.Tables, steps: int) -> dict[int, list[Any]]:
    """Play by a rule that depends on what is seen alone; return it by table."""
    told: dict[int, list[Any]] = {i: [] for i in range(tables.num_tables)}
    decisions = 0
    while decisions < steps:
        batch = tables.recv()
        # The choice is a function of the legal actions and the step within the episode.
        wanted = (batch.mask_bits.sum(axis=1) % 7) / 7 * batch.mask.sum(axis=1)
        actions = (batch.mask.cumsum(axis=1) > wanted[:, None]).argmax(axis=1)
        for row in np.flatnonzero(batch.asked):
            raw = b"".join(r[row].tobytes() for r in batch.raw)
            told[int(batch.table[row])].append((int(batch.player[row]), raw, int(actions[row])))
        decisions += len(batch)
        tables.send_answers(batch, actions)
    return told


@pytest.mark.parametrize("ruleset", ["ema_2016", "hkma_hktw"])
def test_asynchronous_tables_play_the_same(
    ruleset: str, client: sparrowhall.Client, server: sparrowhall.Client
) -> None:
    with (
        client.open(ruleset, 16, seed=3) as a,
        server.open(ruleset, 16, seed=3, min_batch=4) as b,
    ):
        one, two = play(a, 1500), play(b, 1500)
    assert sum(map(len, two.values())) >= 1500
    for i in range(16):
        n = min(len(one[i]), len(two[i]))
        assert n > 20
        assert one[i][:n] == two[i][:n]


def test_halves_may_be_sent_ahead(client: sparrowhall.Client) -> None:
    with client.open("ema_2016", 8, seed=3) as t:
        batch = t.recv()
        actions = batch.mask.argmax(axis=1)
        for half in (slice(0, 4), slice(4, 8)):
            t.send(batch.table[half], batch.player[half], batch.step[half], actions[half])
        assert set(t.recv().table) <= set(range(4))
        handles = t.snapshot([0])
        assert len(handles) == 1
        assert set(t.recv().table) <= set(range(4, 8))


def content(batch: sparrowhall.Batch | None) -> list[bytes]:
    assert batch is not None
    return [r.tobytes() for r in (batch.player, batch.flags, batch.mask_bits, *batch.raw)]


def test_search(client: sparrowhall.Client) -> None:
    with client.open("ema_2016", 4, seed=5) as t:
        batch = t.recv()
        handle = t.snapshot([0])
        assert handle[0] != 0
        rest = t.restore([0], handle)
        assert rest is not None
        begun = content(rest)
        assert begun[2] == batch.mask_bits[0].tobytes()
        for _ in range(3):
            rest = t.act(rest, rest.mask.argmax(axis=1))
            assert content(rest) != begun
        assert content(t.restore([0], handle)) == begun
        assert content(t.fork([0], [2])) == begun
        again = t.redeal([0], [0], [99], [3])
        # The player whose view is kept sees the same; he is the only one asked.
        assert content(again) == begun
        assert t.inspect(0, 0) == t.inspect(3, 0)
        assert t.inspect(0, 1) != t.inspect(3, 1)
        by_chance = t.inspect(3, 1)
        assert content(t.redeal([0], [0], [99], [3], believed=True)) == begun
        assert t.inspect(0, 0) == t.inspect(3, 0)
        assert t.inspect(3, 1) not in (t.inspect(0, 1), by_chance)
        t.drop(handle)
        with pytest.raises(sparrowhall.RequestError) as e:
            t.restore([0], handle)
        assert e.value.code == "UNKNOWN_HANDLE"


def test_refused_requests_change_nothing(client: sparrowhall.Client) -> None:
    with client.open("zung_jung", 2, seed=1) as t:
        batch = t.recv()
        good = batch.mask.argmax(axis=1)
        bad = np.array([good[0], sparrowhall.action_id("win")])
        with pytest.raises(sparrowhall.RequestError, match="win") as e:
            t.act(batch, bad)
        assert (e.value.code, e.value.row, e.value.table, e.value.player) == (
            "ILLEGAL_ACTION",
            1,
            1,
            int(batch.player[1]),
        )
        t.send(batch.table, batch.player, batch.step + 1, good)
        with pytest.raises(sparrowhall.RequestError, match="step"):
            t.recv()
        t.send([7], [0], [0], [0])
        with pytest.raises(sparrowhall.RequestError) as e:
            t.recv()
        assert e.value.code == "UNKNOWN_TABLE"
        assert len(t.act(batch, good)) >= 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"ruleset": "ema_2061"}, "BAD_RULESET"),
        ({"toml": 'base = "ema_2016"\numa = "x"'}, "BAD_RULESET"),
        ({"tables": 0}, "BAD_TABLES"),
        ({"seats": ["greedy"] * 4}, "BAD_SEATS"),
        ({"observation": "pixels"}, "BAD_OBSERVATION"),
        ({"seeds": [1, 2]}, "BAD_LENGTH"),
    ],
)
def test_open_tells_what_is_wrong(
    arguments: dict[str, Any], code: str, client: sparrowhall.Client
) -> None:
    with pytest.raises(sparrowhall.RequestError) as e:
        client.open(**arguments)
    assert e.value.code == code


def test_a_ruleset_has_one_source(tmp_path: Path, client: sparrowhall.Client) -> None:
    text, file = 'base = "mcr_2006"', tmp_path / "mine.toml"
    file.write_text(text)
    for arguments, name in (({}, "ema_2016"), ({"ruleset": file}, "mine"), ({"toml": text}, "")):
        with client.open(**arguments) as tables:
            assert (tables.ruleset.name == "ema_2016") == (name == "ema_2016")
    for make in (client.open, sparrowhall.make, sparrowhall.make_vec, sparrowhall.make_selfplay):
        for ruleset in ("ema_2016", file):
            with pytest.raises(ValueError, match="and toml is given; allowed: one of them"):
                make(ruleset, toml=text)


@pytest.mark.parametrize("observation", ["planes", "events", "features", "advice", "oracle"])
@pytest.mark.parametrize("transport", ["inprocess", "shared", "grpc"])
@pytest.mark.parametrize("tables", [1, 33])
def test_a_batch_may_be_empty(
    tables: int, transport: sparrowhall.Transport, observation: str, server: sparrowhall.Client
) -> None:
    """While players of a table are still to answer there is nothing new."""
    with (
        over(server, transport) as other,
        other.open("ema_2016", tables, seed=1, observation=observation) as t,
    ):
        assert t.spec is not None
        batch = t.recv()
        while len(np.unique(batch.table)) == len(batch):
            batch = t.act(batch, batch.mask.argmax(axis=1))
        number, counts = np.unique(batch.table, return_counts=True)
        first, *rest = np.flatnonzero(batch.table == number[counts > 1][0])
        answers = batch.mask.argmax(axis=1)
        one = slice(first, first + 1)
        t.send(batch.table[one], batch.player[one], batch.step[one], answers[one])
        empty = t.recv()
        assert len(empty) == 0
        for tensor, raw in zip(t.spec.tensors, empty.raw, strict=True):
            assert empty.observation[tensor.name].shape == (0, *tensor.shape)
            assert raw.shape == (0, tensor.row_bytes)
            shown = empty.packed[tensor.name]
            if tensor.packed:
                shown = sparrowhall.unpack(shown, tensor.shape[-1])
            assert shown.shape == (0, *tensor.shape)
        assert empty.mask.shape == (0, sparrowhall.NUM_ACTIONS)
        assert sparrowhall.sample(empty.mask_words).shape == (0,)
        t.send(batch.table[rest], batch.player[rest], batch.step[rest], answers[rest])
        assert len(t.recv()) > 0


def test_own_rulesets(client: sparrowhall.Client, tmp_path: Path) -> None:
    file = tmp_path / "short.toml"
    file.write_text('base = "ema_2016"\nmax_hands = 1\n')
    with client.open(file, seats=["external", "greedy", "greedy", "greedy"]) as t:
        assert t.ruleset.family == "riichi"
        batch = t.recv()
        while not len(batch.last.row):
            batch = t.act(batch, batch.mask.argmax(axis=1))
        assert batch.truncated[batch.last.row].all()


@pytest.mark.parametrize("values", [[-1], [2**32], [0.5]])
def test_columns_are_checked(values: list[float], client: sparrowhall.Client) -> None:
    with client.open("zung_jung") as t:
        t.recv()
        with pytest.raises((ValueError, TypeError)):
            t.snapshot(values)


def test_small_and_large_seeds_go_together(client: sparrowhall.Client) -> None:
    """NumPy reads such a list as float64."""
    seeds = [1, 2**63 + 5]
    with client.open("zung_jung", 2, seeds=seeds, observation="") as t:
        t.recv()
        assert t.reset([0, 1], seeds) is not None
        with pytest.raises(TypeError, match="seed has dtype float64; allowed: integers"):
            t.reset([0, 1], [1, 0.5])


def test_fields_of_tensors(client: sparrowhall.Client) -> None:
    with client.open("ema_2016", 3, observation="features") as t:
        batch = t.recv()
        assert t.spec is not None
        for tensor in t.spec.tensors:
            low, high = tensor.bounds()
            values = batch.observation[tensor.name]
            assert values.shape == (3, *tensor.shape)
            assert (values >= low).all()
            assert (values <= high).all()
        hand = batch.observation["planes"][t.spec["planes"].field("hand")]
        assert hand.shape == (3, 4, 34)
        assert list(hand.sum(axis=(1, 2))) == [14] * 3
        shanten = batch.observation["discarding"][t.spec["discarding"].field("shanten")]
        assert ((shanten[..., 0] > 0) == (hand[:, 0] > 0)).all()
        with pytest.raises(KeyError, match="no field 'hands'"):
            t.spec["planes"].field("hands")


def test_token(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("open-sesame\n")
    with sparrowhall.local(arguments=["--token-file", str(token)], token="open-sesame") as c:
        assert sparrowhall.connect(c.address, token="open-sesame").rulesets == c.rulesets
        for wrong in (None, "open"):
            with pytest.raises(sparrowhall.ServerError, match="UNAUTHENTICATED"):
                sparrowhall.connect(c.address, token=wrong)


def test_certificates(tmp_path: Path) -> None:
    authority, stranger = trustme.CA(), trustme.CA()
    paths = {name: tmp_path / f"{name}.pem" for name in ("ca", "other", "cert", "key", "mine")}
    authority.cert_pem.write_to_path(str(paths["ca"]))
    stranger.cert_pem.write_to_path(str(paths["other"]))
    server = authority.issue_cert("localhost")
    server.cert_chain_pems[0].write_to_path(str(paths["cert"]))
    server.private_key_pem.write_to_path(str(paths["key"]))
    authority.issue_cert("me@localhost").private_key_and_cert_chain_pem.write_to_path(
        str(paths["mine"])
    )
    flags = ["--listen", "localhost:0", "--tls-cert", str(paths["cert"])]
    flags += ["--tls-key", str(paths["key"]), "--client-ca", str(paths["ca"])]
    with sparrowhall.local(arguments=flags) as c:
        address = f"localhost:{c.address.rpartition(':')[2]}"
        mine = {"cert": paths["mine"], "key": paths["mine"]}
        with sparrowhall.connect(address, tls=sparrowhall.TLS(paths["ca"], **mine)) as known:
            assert "ema_2016" in known.rulesets
        for tls in (
            sparrowhall.TLS(paths["ca"]),
            sparrowhall.TLS(paths["other"], **mine),
            True,
            None,
        ):
            with pytest.raises(sparrowhall.ServerError, match="UNAVAILABLE"):
                sparrowhall.connect(address, tls=tls)


def test_a_server_of_another_version_is_refused(
    server: sparrowhall.LocalClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = sparrowhall.__version__
    monkeypatch.setattr("sparrowhall.client.__version__", "9.8.7")
    both = rf"is of version {re.escape(ours)}, and this package is of version 9\.8\.7"
    with pytest.raises(sparrowhall.ServerError, match=both):
        sparrowhall.connect(server.address)
    monkeypatch.setattr("sparrowhall.client.NUM_ACTIONS", 181)
    with pytest.raises(sparrowhall.ServerError, match="has action table 1; this package is newer"):
        sparrowhall.connect(server.address)


def test_no_server_there() -> None:
    with pytest.raises(sparrowhall.ServerError, match=r"127\.0\.0\.1:1: UNAVAILABLE"):
        sparrowhall.connect("127.0.0.1:1")


def test_a_server_that_does_not_start() -> None:
    with pytest.raises(sparrowhall.ServerError, match="--no-such-flag"):
        sparrowhall.local(arguments=["--no-such-flag"])
    with pytest.raises(sparrowhall.ServerError, match="cannot start /no/such/program"):
        sparrowhall.local("/no/such/program")


def test_binary_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPARROWHALL_BIN", str(tmp_path))
    with pytest.raises(sparrowhall.ServerError, match="is not a program"):
        sparrowhall.find_binary()


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    state = Path(f"/proc/{pid}/stat")
    # Nobody may be there to reap it.
    return state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def stopped(pid: int) -> bool:
    """Return whether no thread of a process runs, by what the system reports."""
    tasks = Path(f"/proc/{pid}/task").glob("*/stat")
    return all(task.read_text().rsplit(")", 1)[1].split()[0] == "T" for task in tasks)


def test_the_server_ends_with_its_client() -> None:
    c = sparrowhall.local(transport="shared")
    t = c.open("ema_2016")
    t.recv()
    assert not gone(c.pid)
    c.close()
    assert wait_until(lambda: gone(c.pid))
    with pytest.raises(sparrowhall.ServerError):
        t.recv()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_the_server_ends_when_its_process_is_killed() -> None:
    script = (
        "import sparrowhall, sys\n"
        "c = sparrowhall.local(transport='shared')\n"
        "print(c.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        assert wait_until(lambda: gone(pid))


def test_an_answer_that_nothing_asks_for_is_refused(server: sparrowhall.LocalClient) -> None:
    transports: list[sparrowhall.Transport] = ["inprocess", "shared", "grpc"]
    for transport in transports:
        with (
            over(server, transport) as other,
            other.open("zung_jung", 3) as tables,
        ):
            batch = tables.recv()
            for _ in range(3):
                with pytest.raises(sparrowhall.SparrowhallError, match="no batch to wait for"):
                    tables.recv()
                tables.send_answers(batch, sparrowhall.sample(batch.mask))
                tables.snapshot([])
                batch = tables.recv()
            assert tables.reset([1]) is not None
            with pytest.raises(sparrowhall.RequestError):
                tables.drop([99])
            tables.send([9], [0], [0], [0])
            with pytest.raises(sparrowhall.RequestError):
                tables.recv()
            with pytest.raises(sparrowhall.SparrowhallError, match="no batch to wait for"):
                tables.recv()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="there is no SIGSTOP")
@pytest.mark.parametrize("transport", ["shared", "grpc"])
def test_a_server_that_does_not_respond_is_named(transport: sparrowhall.Transport) -> None:
    with sparrowhall.local(transport=transport, timeout=24) as server:
        tables = server.open("zung_jung", 3)
        batch = tables.recv()
        os.kill(server.pid, signal.SIGSTOP)
        try:
            # Each thread of the server may work on until the signal reaches it.
            assert wait_until(lambda: stopped(server.pid))
            silent = re.escape(f"{server.address} did not respond within 24 s")
            with pytest.raises(sparrowhall.ServerError, match=silent):
                tables.act(batch, sparrowhall.sample(batch.mask))
        finally:
            os.kill(server.pid, signal.SIGCONT)
    with pytest.raises(ValueError, match="timeout is 3; allowed: finite numbers from 24"):
        sparrowhall.connect(server.address, timeout=3)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_server_is_not_alive() -> None:
    for _ in range(5):
        with sparrowhall.local(transport="shared") as server:
            tables = server.open("ema_2016", 256)
            tables.recv()
            assert server.alive
            os.kill(server.pid, signal.SIGKILL)
            assert not server.alive


def test_gradients_may_share_the_memory_of_observations(server: sparrowhall.LocalClient) -> None:
    """PyTorch warns of arrays that are read-only."""
    transports: list[sparrowhall.Transport] = ["inprocess", "shared", "grpc"]
    for transport in transports:
        with over(server, transport) as other:
            for n in (2, 60):
                with other.open(tables=n, observation="features") as tables:
                    batch = tables.recv()
                    arrays = [*batch.raw, *batch.packed.values(), *batch.observation.values()]
                    assert all(array.flags.writeable for array in arrays)
                    columns = (batch.table, batch.reward, batch.owed, batch.mask_bits)
                    assert not any(array.flags.writeable for array in columns)


def test_points_have_one_unit(client: sparrowhall.LocalClient) -> None:
    """The rewards of a hand add up to what playout returns, in points, halves included."""
    halves = False
    for ruleset in ("hkma_hktw", "hkma_league_a"):
        with client.open(ruleset, 4, seed=3, episode="hand", auto_reset=False) as tables:
            assert tables.ruleset.units_per_point in (1, 2)
            batch = tables.recv()
            start = tables.ruleset.starting_points / tables.ruleset.units_per_point
            total = np.full((4, 4), start)
            while batch.asked.any():
                batch = tables.act(batch, sparrowhall.sample(batch.mask, np.random.default_rng(1)))
                total[batch.table, batch.player] += batch.reward
                last = batch.last
                rows = batch.table[last.row], batch.player[last.row]
                assert (total[rows] == last.points).all()
            halves |= bool((total % 1).any())


def test_unknown_observation(client: sparrowhall.LocalClient) -> None:
    with pytest.raises(ValueError, match="unknown observation 'pixels'; allowed: planes"):
        client.observation("pixels")


def test_a_wall_is_that_of_the_first_hand(tmp_path: Path) -> None:
    file = tmp_path / "lesson.txt"
    file.write_text("E 123m456p789s1122z\ndraws 9m\n")
    with sparrowhall.local() as client:
        with client.open("ema_2016", seats=["external"] * 4, wall=file) as tables:
            tables.recv()
            hand = json.loads(tables.inspect(0, 0))["hand"]
        with client.open("ema_2016", seats=["external"] * 4, wall=file.read_text()) as tables:
            tables.recv()
            assert json.loads(tables.inspect(0, 0))["hand"] == hand
        with pytest.raises(sparrowhall.RequestError, match="wall: line 1"):
            client.open("ema_2016", wall="E 11111m")
    assert hand == "1239m456p789s1122z"
    env = sparrowhall.make("ema_2016", seat=0, wall=file)
    env.reset(seed=3)
    env.close()
    envs = sparrowhall.make_vec("ema_2016", num_envs=2, wall=file)
    envs.reset(seed=3)
    envs.close()
