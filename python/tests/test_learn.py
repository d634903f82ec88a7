"""Networks, and datasets as PyTorch takes them."""

from __future__ import annotations

import importlib
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparrowhall
from sparrowhall.server import find_binary

torch = pytest.importorskip("torch", reason="torch is not installed")
torch.set_num_threads(1)

from safetensors.torch import save_file  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402

from sparrowhall.learn import (  # noqa: E402
    Network,
    evaluate_pairs,
    export,
    imitate,
    improve,
    read_pairs,
    unit_of,
)
from sparrowhall.learn.commands import Run, main, program  # noqa: E402


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("learn") / "played"
    command = [str(find_binary()), "play", "--matches", "20", "--quiet", "--out", str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return out


@pytest.fixture(scope="module", autouse=True)
def seeded() -> None:
    torch.manual_seed(1)


def test_old_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version that may run the code of a file of weights is refused, however it was installed."""
    monkeypatch.setattr(torch, "__version__", torch.torch_version.TorchVersion("2.9.1+cpu"))
    with pytest.raises(ImportError, match=r"PyTorch 2\.10 or newer.*2\.9\.1.*pip install"):
        importlib.reload(sparrowhall.learn)


def test_imitation(played: Path, tmp_path: Path, client: sparrowhall.Client) -> None:
    network = Network()
    data = sparrowhall.dataset(played, batch=128, shuffle=4000)
    told = list(imitate(network, data, every=10))
    steps = sum(1 for _ in data)
    assert told[-1].step == steps
    assert 0.8 < told[-1].rows / sum(len(b) for b in data) < 1
    assert told[-1].loss < 0.88 * told[0].loss
    assert told[-1].right > 0.38  # of some ten legal actions

    network.save(tmp_path / "network.pt")
    same = Network.load(tmp_path / "network.pt")
    batch = next(iter(data))
    logits = network.of(batch.observation, batch.mask)
    assert torch.equal(logits, same.of(batch.observation, batch.mask))
    best = logits.argmax(dim=1).numpy()
    assert (batch.mask[np.arange(len(best)), best] == 1).all()

    # The rate goes down to the last one; with none left nothing is learned.
    optimizer = torch.optim.Adam(same.parameters())
    list(imitate(same, data, rate=1e-9, last=0, steps=steps, optimizer=optimizer))
    assert 0 < optimizer.param_groups[0]["lr"] < 1e-9 / (steps - 1)
    assert torch.allclose(logits, same.of(batch.observation, batch.mask), atol=1e-3)

    # It plays, as an opponent here, which answers must be legal for.
    env = sparrowhall.make_vec("ema_2016", num_envs=4, opponents=same.act, seed=1, client=client)
    obs, _ = env.reset()
    for _ in range(30):
        obs, *_ = env.step(obs["action_mask"].argmax(axis=1))
    env.close()


def test_the_family_is_that_of_the_datasets(played: Path, tmp_path: Path) -> None:
    network = Network(width=2, whole=2, blocks=0)
    next(imitate(network, sparrowhall.dataset(played, batch=512)))
    assert network.family == "riichi"
    export(network, tmp_path / "net")
    other = tmp_path / "other"
    other.mkdir()
    (other / "manifest.json").write_text('{"ruleset": {"family": "mcr"}}')
    with pytest.raises(ValueError, match=r"of the family 'riichi'; \S*other is of 'mcr'"):
        next(imitate(network, sparrowhall.dataset(other)))
    with pytest.raises(ValueError, match="of different families: "):
        next(imitate(network, sparrowhall.dataset([played, other])))
    with pytest.raises(ValueError, match="family is 'richi'; allowed: 'riichi', 'mcr', "):
        export(network, tmp_path / "net", family="richi")


@pytest.mark.parametrize(
    ("reads", "given", "named"),
    [
        ("features", "planes", "its shape, .*, but planes, .*='features' or 'advice'$"),
        ("planes", "events", "its planes, .*='planes' or 'features' or 'advice'$"),
        ("advice:value", "", "but no tensors; pass observation='advice:value'$"),
    ],
)
def test_another_observation_is_named(reads: str, given: str, named: str, played: Path) -> None:
    network = Network(reads, width=2, whole=2, blocks=0)
    with pytest.raises(ValueError, match=f"the observation '{reads}'.*{named}"):
        next(imitate(network, sparrowhall.dataset(played, observation=given)))
    if given:
        env = sparrowhall.make_vec("ema_2016", 4, opponents=network.act, observation=given)
        with pytest.raises(ValueError, match=f"the observation '{reads}'.*{named}"):
            env.reset(seed=1)
        env.close()


def test_imitation_with_nothing_to_learn_from(played: Path) -> None:
    network = Network(width=8)
    before = [p.clone() for p in network.parameters()]
    assert list(imitate(network, sparrowhall.dataset(played, batch=512), held_out=1)) == []
    assert all(torch.equal(a, b) for a, b in zip(before, network.parameters(), strict=True))


@pytest.mark.parametrize("observation", ["planes", "features", "advice:expert:net=off"])
def test_an_exported_network_plays_as_it_does_here(
    observation: str, tmp_path: Path, client: sparrowhall.Client
) -> None:
    """The program's integers choose as PyTorch's fractions do, but for actions nearly equal."""
    network = Network(client.observation(observation))
    with torch.no_grad():
        network.other.weight *= 10
        network.per_kind.weight *= 10
    network.margin = 0.5
    file, out = tmp_path / "net.safetensors", tmp_path / "played"
    export(network, file, "riichi")
    command = [str(find_binary()), "play", "--ruleset", "tenhou", "--matches", "4", "--quiet"]
    for agent in (f"net:{file}", "value", "value", "value"):
        command += ["--agent", agent]
    subprocess.run([*command, "--out", str(out)], check=True, stdout=subprocess.DEVNULL)
    decisions = same = 0
    for batch in sparrowhall.dataset(out, observation=observation, players=[f"net:{file}"]):
        with torch.no_grad():
            logits = network.of(batch.observation, batch.mask).numpy()
        played = logits[np.arange(len(batch)), batch.action]
        assert (logits.max(axis=1) - played < 0.05).all()
        same += int((logits.argmax(axis=1) == batch.action).sum())
        decisions += len(batch)
    assert decisions > 300
    assert same > 0.95 * decisions


def test_a_network_is_exported_to_the_same_bytes(tmp_path: Path) -> None:
    network = Network(width=2, whole=2, blocks=0)
    for name in "ab":
        export(network, tmp_path / name, "riichi")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_weights_too_large_to_export(tmp_path: Path) -> None:
    network = Network(width=2, whole=2, blocks=0)
    with torch.no_grad():
        network.join.weight[0, 0] = 9
    with pytest.raises(ValueError, match=r"a weight of join is 9\.0; required: below 8"):
        export(network, tmp_path / "net", "riichi")


def test_what_is_not_a_number_is_neither_exported_nor_played(tmp_path: Path) -> None:
    network = Network(width=2, whole=2, blocks=0)
    for parameter, said in (
        (network.other.bias, "a bias of other is not a number"),
        (network.other.weight, "a weight of other is nan"),
    ):
        with torch.no_grad():
            parameter.fill_(torch.nan)
        with pytest.raises(ValueError, match=said):
            export(network, tmp_path / "net", "riichi")
    env = sparrowhall.make_vec("ema_2016", 4, opponents=network.policy("ema_2016"), seed=1)
    with pytest.raises(sparrowhall.SparrowhallError, match="not a number"):
        env.reset()
    env.close()


def test_what_networks_do_not_read(client: sparrowhall.Client) -> None:
    with pytest.raises(ValueError, match="do not read the observation 'events'"):
        Network(client.observation("events"))
    with pytest.raises(ValueError, match="width is 3; allowed: even"):
        Network(client.observation("planes"), width=3)
    with pytest.raises(ValueError, match=r"blocks is 1\.5; allowed: integers from 0 to 16"):
        Network(client.observation("planes"), blocks=1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("workers", [0, 2])
def test_iterable_dataset(played: Path, workers: int) -> None:
    """A DataLoader gives every row once, whatever the number of its workers."""
    steps = sparrowhall.dataset(played, batch=500)
    assert isinstance(steps.torch(), torch.utils.data.IterableDataset)
    loader = DataLoader(steps.torch(), batch_size=None, num_workers=workers)
    batches = list(loader)
    first = batches[0]
    assert first["planes"].dtype == torch.uint8
    assert first["planes"].shape == (500, 62, 34)
    assert first["mask"].dtype == torch.bool
    assert first["action"].dtype == torch.int64
    assert first["return_match"].dtype == torch.float32
    want = list(steps)
    if workers == 0:
        assert len(batches) == len(want)
        for got, plain in zip(batches, want, strict=True):
            assert (got["planes"].numpy() == plain.observation["planes"]).all()
            assert (got["action"].numpy() == plain.action).all()
            assert np.allclose(got["return_match"].numpy(), plain.returns.match)
    actions = np.sort(np.concatenate([b["action"].numpy() for b in batches]))
    assert (actions == np.sort(np.concatenate([b.action for b in want]))).all()
    total = sum(int(b["planes"].sum()) for b in batches)
    assert total == sum(int(b.observation["planes"].sum()) for b in want)


@pytest.fixture(scope="module")
def paired(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pairs of two families."""
    files = {}
    for ruleset in ("tenhou", "universal"):
        files[ruleset] = tmp_path_factory.mktemp("learn") / f"{ruleset}.pairs"
        command = [str(find_binary()), "train", "pairs", "--quiet", "--ruleset", ruleset]
        command += ["--agents", "expert:net=off,greedy,greedy,greedy", "--matches", "12"]
        subprocess.run([*command, "--out", str(files[ruleset])], check=True, capture_output=True)
    return files


def test_improvement(paired: dict[str, Path], client: sparrowhall.Client, tmp_path: Path) -> None:
    """A network learns what came of actions, and the same again."""
    network = Network(client.observation("advice:expert:net=off"), width=8, whole=16, blocks=1)
    network.family = "riichi"
    pairs = read_pairs([paired["tenhou"], paired["tenhou"]], network)
    n = len(pairs) // 2
    assert n > 200
    rows = np.arange(len(pairs))
    played, other = pairs.columns["played"], pairs.columns["other"]
    assert (played != other).all()
    assert (pairs.mask[rows, played] == 1).all()
    assert (pairs.mask[rows, other] == 1).all()
    assert (pairs.more[:n] == pairs.more[n:]).all()
    assert pairs.more.any()
    assert not set(pairs.columns["match"][:n]) & set(pairs.columns["match"][n:])

    stored = read_pairs([paired["tenhou"], paired["tenhou"]], network, tmp_path)
    for name, column in pairs.columns.items():
        assert (stored.columns[name] == column).all(), name

    # It sees what the one who played thought: the first candidate is what he played.
    first = pairs.observation["candidates"][:, 0, 0].astype(int) - 1
    assert (first == played).mean() > 0.99

    told = list(improve(network, pairs, unit=1000, epochs=20, rate=1e-2, held_out=20, batch=64))
    assert len(told) == 20
    everything = evaluate_pairs(network, pairs, rows, unit=1000, trained=0)
    # What was learned by heart is what was told, as far as a small network can.
    assert everything.explained > 10
    assert everything.gain > 0
    unit = unit_of(network, pairs)
    assert 500 < unit < 2000

    # By a margin fewer actions are preferred to what is advised.
    list(improve(network, pairs, unit=1000, epochs=1, rate=0.0, margin=500))
    assert network.margin == 0.5
    sure = evaluate_pairs(network, pairs, rows, unit=1000, trained=0)
    assert abs(sure.explained - everything.explained) < 0.1
    assert 0 < sure.changed < 0.8 * everything.changed
    assert 0 < sure.error < everything.error
    network.save(tmp_path / "network.pt")
    assert Network.load(tmp_path / "network.pt").margin == 0.5
    assert 500 < unit_of(network, pairs) < 2000
    pairs.columns["observation.candidates"][:, 0] = 0
    with pytest.raises(ValueError, match="margin requires a network with the advice of the player"):
        next(improve(network, pairs, unit=1000, margin=500))
    with torch.no_grad():
        for name in ("other", "per_kind", "score"):
            getattr(network, name).weight *= -1
    with pytest.raises(ValueError, match="nothing is left to learn from"):
        next(improve(network, pairs, unit=1000, held_out=1))
    assert np.isnan(evaluate_pairs(network, pairs, rows[:0], unit=1000, trained=0).explained)
    with pytest.raises(ValueError, match="gain nothing: set --unit"):
        unit_of(network, pairs)


def test_pairs_that_do_not_fit(paired: dict[str, Path], tmp_path: Path) -> None:
    network = Network("advice", width=2, whole=2, blocks=0)
    network.family = "riichi"
    with pytest.raises(
        sparrowhall.SparrowhallError, match=r"universal\.pairs: its family is zungjung; .*riichi"
    ):
        read_pairs([paired["universal"]], network)
    with pytest.raises(sparrowhall.SparrowhallError, match="ruleset is tenhou; required: ema_2016"):
        read_pairs([paired["tenhou"]], network, ruleset="ema_2016")
    whole = paired["tenhou"].read_bytes()
    for at, said in ((9, "no file of pairs"), (len(whole) - 3, "match 11: .*file ends within")):
        cut = tmp_path / "cut.pairs"
        cut.write_bytes(whole[:at])
        with pytest.raises(sparrowhall.SparrowhallError, match=rf"cut\.pairs: .*{said}"):
            read_pairs([cut], network)
    with pytest.raises(sparrowhall.SparrowhallError, match=r"none\.pairs"):
        read_pairs([tmp_path / "none.pairs"], network)


def test_networks_that_are_none(tmp_path: Path, client: sparrowhall.Client) -> None:
    """What is wrong with a file is told with its name."""
    file = tmp_path / "network.pt"
    network = Network(client.observation("planes"), width=2, whole=2, blocks=0)
    network.save(file)
    whole = file.read_bytes()
    state = network.state()
    for damage, said in (
        (whole[: len(whole) // 2], ""),
        (b"something else", ""),
        ({**state, "version": 2}, "it is of version 2, this package reads version 1"),
        ({"weights": {}}, "not a network of sparrowhall.learn"),
        ({**state, "shape": {"width": 4, "whole": 2, "blocks": 0}}, "size mismatch"),
    ):
        if isinstance(damage, bytes):
            file.write_bytes(damage)
        else:
            torch.save(damage, file)
        with pytest.raises(
            ValueError, match=rf"(?s)network\.pt is damaged or not a network: .*{said}"
        ):
            Network.load(file)
    with pytest.raises(ValueError, match="trained with no family of rulesets"):
        export(network, tmp_path / "net")
    assert not (tmp_path / "net").exists()


def test_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A run that has ended goes on with more of the same settings alone, and is exported."""
    out, better, file = tmp_path / "a", tmp_path / "b", tmp_path / "net.safetensors"
    small = ["--matches", "4", "--width", "8", "--whole", "16", "--batch", "256"]
    learning = ["imitate", "--out", str(out), "--epochs", "1", "--agent", "greedy", *small]
    main(learning)
    assert (out / "log.csv").read_text().startswith("epoch,step,rows,loss,right")
    before = (out / "network.pt").read_bytes()
    capfd.readouterr()
    main(learning)
    assert f"{out} is complete; another --out begins a new run" in capfd.readouterr().out
    assert (out / "network.pt").read_bytes() == before
    with pytest.raises(SystemExit, match="started with other settings"):
        main([*learning, "--rate", "0.5"])
    improving = ["improve", str(out / "network.pt"), "--out", str(better), "--unit", "100"]
    improving += ["--agents", "expert:net=off", "value", "value", "value", "--matches", "2"]
    main(improving)
    assert (better / "log.csv").read_text().count("\n") == 3
    before = (better / "network.pt").read_bytes()
    main(improving)
    assert f"{better} is complete" in capfd.readouterr().out
    assert (better / "network.pt").read_bytes() == before
    save_file({}, better / "state.safetensors", {"run": '{"settings": {}}'})
    with pytest.raises(SystemExit, match="started by another version of this package"):
        main(improving)
    (better / "state.safetensors").write_bytes(b"half of it")
    with pytest.raises(SystemExit, match=r"state\.safetensors is damaged"):
        main(improving)
    picture = tmp_path / "curves.svg"
    main(["curves", str(better), str(picture)])
    assert "explained" in picture.read_text()
    with pytest.raises(SystemExit, match="the logs of the runs have nothing in common"):
        main(["curves", str(better), str(out), str(picture)])
    with pytest.raises(SystemExit, match=r"no.log\.csv; name the folder of a run"):
        main(["curves", str(tmp_path / "no"), str(picture)])
    main(["export", str(better / "network.pt"), str(file)])
    capfd.readouterr()
    main(["evaluate", str(file), "--against", "greedy", "--matches", "4"])
    assert "luck-adjusted" in capfd.readouterr().out
    with pytest.raises(SystemExit, match=r"sparrowhall.learn: .*no-file"):
        main(["export", "no-file", str(file)])
    with pytest.raises(SystemExit, match=r"sparrowhall.learn: .*no-file"):
        main(["improve", "no-file", "--out", str(tmp_path / "c")])
    assert not list((tmp_path / "c").glob("*.pairs*"))  # no match is played for it
    capfd.readouterr()
    for name in ("cudax", "cuda:99", "meta"):
        with pytest.raises(SystemExit):
            main(["imitate", "--out", str(tmp_path / "d"), "--device", name])
        assert f"argument --device: '{name}': " in capfd.readouterr().err


def test_what_commands_refuse_is_named(played: Path, tmp_path: Path) -> None:
    """Before anything is played or written, and without a loss of what there is."""
    out, network = tmp_path / "run", tmp_path / "network.pt"
    Network(width=8, whole=16).save(network)
    before = network.read_bytes()
    imitating, improving = ["imitate", "--out", str(out)], ["improve", "--out", str(out)]
    for command, said in (
        ([*imitating, "--epochs", "0"], "--epochs is 0; allowed: integers from 1"),
        ([*imitating, "--batch", "0"], "--batch is 0; allowed: integers from 1"),
        ([*imitating, "--rate", "nan"], "--rate is nan; allowed: finite numbers from 0 to 1"),
        ([*imitating, "--rate", "1e30"], "--rate is 1e[+]30; allowed: finite numbers from 0 to 1"),
        ([*imitating, "--seed", "-1"], "--seed is -1; allowed: integers from 0"),
        ([*imitating, "--observation", "missing"], "missing"),
        ([*improving, str(network), "--batch", "-3"], "--batch is -3; allowed: integers from 1"),
        ([*improving, str(network), "--unit", "nan"], "--unit is nan; allowed: finite numbers"),
        ([*improving, str(network), "--anchor", "-1"], r"--anchor is -1\.0; allowed: finite"),
        (["improve", str(network), "--out", str(tmp_path)], "lies in --out, where the run writes"),
        (["export", str(network), str(network)], r"use one in \.safetensors"),
        (
            [*imitating, str(played), "--agent", "greedy"],
            "--agent is for matches that the run plays",
        ),
        (
            [*imitating, str(played), "--matches", "7"],
            "--matches is for matches that the run plays",
        ),
        ([*imitating, "--whole", "1024"], "whole is 1024; allowed: integers from 2 to 512"),
        (
            [*improving, str(network), "mine.pairs", "--agents", *["value"] * 4],
            r"--agents is for matches that the run plays; leave it out with mine\.pairs",
        ),
    ):
        with pytest.raises(SystemExit, match=f"learn: .*{said}"):
            main(command)
    assert network.read_bytes() == before
    assert not out.exists()
    one = ["--matches", "1", "--agent", "greedy", "--width", "8", "--whole", "16"]
    with pytest.raises(SystemExit, match="nothing is left to learn from"):
        main([*imitating, *one, "--observation", "planes"])
    with pytest.raises(SystemExit, match=r"is of the ruleset .*, not of universal; leave that out"):
        main(["imitate", str(played), "--ruleset", "universal", "--out", str(tmp_path / "other")])
    (tmp_path / "data").mkdir()
    for text in ("{}", "[]", "half", '{"ruleset": []}'):
        (tmp_path / "data" / "manifest.json").write_text(text)
        with pytest.raises(SystemExit, match=r"manifest\.json is damaged or of no dataset"):
            main(["imitate", str(tmp_path / "data"), "--out", str(tmp_path / "other")])
    for text in ("epoch,loss\n0,1\n1", "epoch,loss\n1,2,3\n", "epoch,loss\nx,y\n"):
        (out / "log.csv").write_text(text)
        with pytest.raises(SystemExit, match=r"log\.csv is damaged after [01] rows"):
            main(["curves", str(out), str(tmp_path / "picture.svg")])


def test_an_evaluation_that_is_interrupted_has_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Network, "load", interrupted)
    with pytest.raises(SystemExit, match=r"^sparrowhall\.learn: interrupted$"):
        main(["evaluate", "network.pt"])


def test_matches_of_held_out_walls_are_held_out(tmp_path: Path) -> None:
    """A duplicate set has four matches with the same walls."""
    command = ["tournament", "run", "--agents", "greedy,random", "--rounds", "12", "--seed", "3"]
    command += ["--record", "matches", "--quiet", "--ruleset", "ema_2016", "--out", str(tmp_path)]
    program(command)
    batches = list(sparrowhall.dataset(tmp_path, observation="", batch=1 << 20))
    sets = np.concatenate([b.wall_set for b in batches])
    matches = np.concatenate([b.match for b in batches])
    walls = {n: set(sets[matches == n]) for n in np.unique(matches)}
    assert all(len(w) == 1 for w in walls.values())
    assert len(walls) == 4 * len(set(sets))
    network = Network("features", width=2, whole=2, blocks=0)
    rows = sparrowhall.dataset(tmp_path, observation="features", batch=512)
    *_, last = imitate(network, rows)
    assert last.rows == (sets % 10 != 0).sum()


def test_a_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed run comes to the weights of one that was not."""
    networks = []
    for kill in (False, True):
        out = tmp_path / str(kill)
        command = ["imitate", "--out", str(out), "--matches", "6", "--agent", "greedy"]
        command += ["--epochs", "2", "--width", "8", "--whole", "16", "--batch", "16"]
        if kill:
            log = Run.log

            def stop(run: Run, figures: dict[str, float], log: Any = log) -> None:
                if figures["epoch"] == 0 and figures["step"] > 50:
                    raise KeyboardInterrupt
                log(run, figures)

            with monkeypatch.context() as m:
                m.setattr(Run, "log", stop)
                with pytest.raises(SystemExit, match="interrupted; the same command goes on"):
                    main(command)
        main(command)
        networks.append(Network.load(out / "network.pt"))
    for a, b in zip(networks[0].parameters(), networks[1].parameters(), strict=True):
        assert torch.equal(a, b)
