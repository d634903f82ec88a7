"""Runs on a Ray cluster: the same bytes as on one machine, whatever happens to its nodes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import wait_until

import sparrowhall
from sparrowhall.server import find_binary

ray = pytest.importorskip("ray", reason="ray is not installed")
pytest.importorskip("tqdm")

from ray.cluster_utils import Cluster  # noqa: E402

import sparrowhall.adapters.ray  # noqa: E402

PLAY = {"matches": 300, "file_matches": 64, "agents": ["greedy", "value", "random", "greedy"]}
CUP = {"agents": ["value", "greedy"], "rounds": 40, "file_matches": 64}


def contents(folder: Path) -> dict[str, bytes]:
    files = (f for f in folder.rglob("*") if f.is_file())
    return {str(f.relative_to(folder)): f.read_bytes() for f in files}


def program(out: Path, *arguments: str) -> dict[str, bytes]:
    """Do it on one machine."""
    command = [str(find_binary()), *arguments, "--quiet", "--file-matches", "64"]
    subprocess.run([*command, "--out", str(out)], check=True, stdout=subprocess.DEVNULL)
    return contents(out)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A head that plays nothing, and two nodes of one core each."""
    found = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
    )
    found.add_node(num_cpus=1)
    found.add_node(num_cpus=1)
    found.wait_for_nodes()
    ray.init(address=found.address, log_to_driver=False)
    yield found
    ray.shutdown()
    found.shutdown()


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("cup") / "alone"
    return program(out, "tournament", "run", "--agents", "value,greedy", "--rounds", "40")


def test_play(
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    agents = ",".join(PLAY["agents"])
    alone = program(tmp_path / "alone", "play", "--matches", "300", "--agents", agents)
    got = sparrowhall.adapters.ray.play(tmp_path / "many", **PLAY)
    assert contents(tmp_path / "many") == alone
    assert got["matches"] == 300
    assert "5/5" in capfd.readouterr().err  # as many shards as files
    # A second call finds all of it there, and waits for no shard.
    with monkeypatch.context() as patch:
        patch.delattr(ray, "wait")
        again = sparrowhall.adapters.ray.play(tmp_path / "many", **PLAY, progress=False)
    assert again["agents"] == got["agents"]
    assert sorted(f.name for f in tmp_path.iterdir()) == ["alone", "many"]
    with pytest.raises(
        sparrowhall.SparrowhallError, match="occupied by the dataset of another run"
    ):
        sparrowhall.adapters.ray.play(tmp_path / "many", **PLAY, seed=2)


def test_nothing_is_kept(cluster: Cluster, tmp_path: Path) -> None:
    kept = sparrowhall.adapters.ray.tournament(**CUP, out=tmp_path / "cup")
    lost = sparrowhall.adapters.ray.tournament(**CUP)
    assert lost["agents"] == kept["agents"]


@pytest.mark.parametrize(
    ("agents", "flags"),
    [(2, ""), (3, ""), (4, "repeats"), (5, ""), (5, "sampled"), (6, "")],
)
@pytest.mark.parametrize(("ruleset", "seats"), [("ema_2016", 4), ("tenhou_sanma", 3)])
def test_lineups(agents: int, flags: str, ruleset: str, seats: int) -> None:
    """The number of matches that decides on shards is the program's."""
    command = ["tournament", "run", "--agents", ",".join(["greedy"] * agents), "--rounds", "1"]
    command += [f"--{flags}"] * bool(flags) + ["--ruleset", ruleset, "--json", "--quiet"]
    said = subprocess.run([str(find_binary()), *command], check=True, capture_output=True)
    many = sparrowhall.adapters.ray._lineups(agents, seats, flags == "sampled", flags == "repeats")
    assert json.loads(said.stdout)["matches"] == seats * many


def test_three_players(cluster: Cluster) -> None:
    got = sparrowhall.adapters.ray.tournament(
        ["tsumogiri", "random"], ruleset="tenhou_sanma", rounds=1
    )
    assert got["matches"] == 6


def test_ruleset_file_is_sent(cluster: Cluster, tmp_path: Path) -> None:
    rules = tmp_path / "short.toml"
    rules.write_text('base = "ema_2016"\nkuitan = false\n')
    alone = program(tmp_path / "alone", "play", "--ruleset", str(rules), "--matches", "128")
    sparrowhall.adapters.ray.play(tmp_path / "many", ruleset=rules, matches=128, file_matches=64)
    assert contents(tmp_path / "many") == alone


def test_sweep(cluster: Cluster, tmp_path: Path) -> None:
    arguments = ["--knob", "kuitan=false", "--matches", "128"]
    out = tmp_path / "sweep"
    alone = program(out, "sweep", *arguments)
    shutil.rmtree(out)  # its report names the folder
    got = sparrowhall.adapters.ray.sweep(["kuitan=false"], out, matches=128, file_matches=64)
    together = contents(out)
    for files in (alone, together):  # the page names the command that made it
        for name in ("report.html", "sparrowhall-report.json"):
            del files[f"report/{name}"]
    assert together == alone
    assert got


def test_evaluate(cluster: Cluster, tmp_path: Path) -> None:
    def policy() -> sparrowhall.PolicyFunction:
        return lambda decisions: np.argmax(decisions.mask, axis=1)

    same: dict[str, Any] = {"against": "greedy", "matches": 192, "observation": ""}
    one = sparrowhall.adapters.ray.evaluate(
        policy, out=tmp_path / "one", file_matches=64, name="first", **same
    )
    two = sparrowhall.adapters.ray.evaluate(policy, file_matches=192, shards=1, **same)
    alone = sparrowhall.evaluate(policy(), **same)
    assert one.policy == "first"
    assert one.figures == two.figures == alone.figures
    made = sparrowhall.Policy(policy(), observation="")
    del same["observation"]
    sent = sparrowhall.adapters.ray.evaluate(made, file_matches=64, **same)
    assert sent.figures == alone.figures
    text = sparrowhall.Policy(policy(), toml='base = "ema_2016"', observation="")
    assert sparrowhall.adapters.ray.evaluate(text, **same).figures == alone.figures
    with sparrowhall.serve_agent(policy(), "localhost:0", observation="") as server:
        served: dict[str, Any] = same | {"against": f"grpc:{server.address}", "observation": ""}
        other = sparrowhall.adapters.ray.evaluate(policy, **served)
    assert other.against == ("opponent-1",)
    with pytest.raises(ValueError, match="name is None, and out keeps matches by it"):
        sparrowhall.adapters.ray.evaluate(policy, out=tmp_path / "two", **same)
    with pytest.raises(ValueError, match="made for ema_2016, and would play under mcr_2006"):
        sparrowhall.adapters.ray.evaluate(made, "mcr_2006", **same)
    same["observation"] = ""
    again = sparrowhall.adapters.ray.evaluate(
        policy, out=tmp_path / "one", file_matches=64, name="first", **same
    )
    assert again == one


def test_a_league_merges_a_tournament_once(cluster: Cluster, tmp_path: Path) -> None:
    """A bot of the league plays as an older version, by its label."""

    def league(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(find_binary()), "league", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    cup, bot = str(tmp_path / "cup"), tmp_path / "bot.py"
    shutil.copy(Path(__file__).parents[1] / "examples" / "mjai_bot.py", bot)
    spec = f"mjai:{sys.executable} {bot}"
    assert league("init", cup, "--ruleset", "tenhou").returncode == 0
    assert league("add", cup, "mine", spec).returncode == 0
    assert league("add", cup, "mine", f"{spec} second").returncode == 0
    out = tmp_path / "out"
    sparrowhall.adapters.ray.tournament(
        ["value", f"mine@1={spec}"], out, ruleset="tenhou", rounds=1
    )
    merged = league("merge", cup, str(out))
    assert "12 matches added" in merged.stdout, merged.stderr
    again = league("merge", cup, str(out))
    assert again.returncode != 0
    assert "the league has these matches already" in again.stderr
    standings = json.loads(league("standings", cup, "--json").stdout)
    assert standings["matches"] == 12


def test_errors_are_those_of_the_program(cluster: Cluster, tmp_path: Path) -> None:
    with pytest.raises(sparrowhall.SparrowhallError, match="nobody"):
        sparrowhall.adapters.ray.tournament(["greedy", "nobody"], tmp_path / "cup")
    with pytest.raises(sparrowhall.SparrowhallError, match="let fewer matches share a file"):
        sparrowhall.adapters.ray.play(matches=100, shards=2)
    assert not (tmp_path / "cup").exists()


def killing(cluster: Cluster, out: Path, kill: Callable[[], None]) -> threading.Thread:
    """Call a function as soon as a shard is whole."""

    def watch() -> None:
        assert wait_until(lambda: any(out.parent.glob(f"{out.name}.shards-*/*.json")))
        kill()

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def test_a_node_is_killed(cluster: Cluster, tmp_path: Path, cup: dict[str, bytes]) -> None:
    node = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    out = tmp_path / "cup"
    seen: list[Any] = []

    def kill() -> None:
        cluster.remove_node(node, allow_graceful=False)
        seen.append(len(list(tmp_path.glob("cup.shards-*/*.json"))))

    watch = killing(cluster, out, kill)
    sparrowhall.adapters.ray.tournament(**CUP, out=out)
    watch.join()
    assert contents(out) == cup
    assert seen[0] < 8  # of them were whole when the node was gone
    assert sorted(f.name for f in tmp_path.iterdir()) == ["cup", "cup.shards.json"]


def test_a_sequential_test_outlives_a_node(cluster: Cluster, tmp_path: Path) -> None:
    """The end and the bytes are those of one machine, and what is there is not played again."""
    flags = ["--accept", "value > greedy", "--elo0", "-40", "--elo1", "40"]
    alone = program(
        tmp_path / "alone",
        "tournament",
        "run",
        "--agents",
        "value,greedy",
        "--rounds",
        "400",
        *flags,
    )
    node = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    many = tmp_path / "many"

    def watch() -> None:
        assert wait_until(lambda: any(tmp_path.glob("many.shared-*/block-00000001.gob")))
        cluster.remove_node(node, allow_graceful=False)

    thread = threading.Thread(target=watch)
    thread.start()
    cup = {**CUP, "rounds": 400, "flags": flags}
    got = sparrowhall.adapters.ray.tournament(**cup, out=many)
    thread.join()
    assert contents(many) == alone
    assert got["accept"]["verdict"] in ("accepted", "rejected")
    assert sorted(f.name for f in tmp_path.iterdir()) == ["alone", "many"]
    assert sparrowhall.adapters.ray.tournament(**cup, out=many)["accept"] == got["accept"]
    with pytest.raises(ValueError, match="a folder that all nodes see"):
        sparrowhall.adapters.ray.tournament(**cup)


def test_whole_shards_are_not_played_again(
    cluster: Cluster,
    tmp_path: Path,
    cup: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A call that was interrupted goes on where it was."""
    out = tmp_path / "cup"
    wait = ray.wait
    ended: list[Any] = []

    def interrupted(tasks: list[Any], **arguments: Any) -> Any:
        ended.append(wait(tasks, **arguments))
        if len(ended) == 3:
            raise KeyboardInterrupt
        return ended[-1]

    monkeypatch.setattr(ray, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sparrowhall.adapters.ray.tournament(**CUP, out=out)
    monkeypatch.undo()
    assert len(list(tmp_path.glob("cup.shards-*/*.json"))) >= 3
    capfd.readouterr()
    sparrowhall.adapters.ray.tournament(**CUP, out=out)
    bar = capfd.readouterr().err
    assert "8/8" in bar
    assert "0/8" not in bar
    assert contents(out) == cup


def test_object_store(cluster: Cluster, tmp_path: Path, cup: dict[str, bytes]) -> None:
    """A bucket of a local S3 server holds the bytes that a folder does."""
    pytest.importorskip("moto", reason="moto is not installed")
    from moto.server import ThreadedMotoServer
    from pyarrow import fs

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        query = f"endpoint_override=http%3A%2F%2F{host}%3A{port}&allow_bucket_creation=true"
        uri = f"s3://key:secret@runs/cup?region=us-east-1&{query}"
        store, path = fs.FileSystem.from_uri(uri)
        store.create_dir("runs")
        first = sparrowhall.adapters.ray.tournament(**CUP, out=uri)
        copy = tmp_path / "copy"
        copy.mkdir()
        fs.copy_files(path, str(copy), source_filesystem=store)
        assert contents(copy) == cup
        assert [f.base_name for f in store.get_file_info(fs.FileSelector("runs"))] == ["cup"]
        # What is there is found, also by those who name the file system.
        again = sparrowhall.adapters.ray.tournament(**CUP, out="runs/cup", filesystem=store)
        assert again["agents"] == first["agents"]
    finally:
        server.stop()


def test_environments_share_the_server_of_their_node(cluster: Cluster) -> None:
    @ray.remote(num_cpus=0.5)
    class Runner:
        def play(self) -> tuple[str, str, float]:
            client = sparrowhall.adapters.ray.client()
            env = sparrowhall.make_vec("ema_2016", num_envs=4, seed=1, client=client)
            obs, _ = env.reset()
            total = 0.0
            for _ in range(20):
                obs, reward, *_ = env.step(obs["action_mask"].argmax(axis=1))
                total += float(reward.sum())
            env.close()
            return ray.get_runtime_context().get_node_id(), client.address, total

    runners = [Runner.remote() for _ in range(4)]
    got = ray.get([r.play.remote() for r in runners])
    assert len({node for node, _, _ in got}) == len({address for _, address, _ in got}) == 2
    assert len({total for _, _, total in got}) == 1
