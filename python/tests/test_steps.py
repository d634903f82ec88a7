"""Datasets as batches of arrays."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparrowhall
from sparrowhall.server import find_binary

RULESETS = ("ema_2016", "hkma_hktw", "mcr_2006")
MATCHES = 6


def run(*arguments: str) -> None:
    subprocess.run([str(find_binary()), *arguments], check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("played")
    for name in RULESETS:
        command = ["play", "--ruleset", name, "--matches", str(MATCHES), "--seed", "3", "--quiet"]
        run(*command, "--agents", "greedy,random,greedy,value", "--out", str(root / name))
    return root


def whole(data: sparrowhall.StepDataset) -> dict[str, Any]:
    batches = list(data)
    return {k: np.concatenate([b.columns[k] for b in batches]) for k in batches[0].columns}


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("observation", ["planes", "features", "events", "advice:expert"])
def test_rows_are_what_the_environment_shows(
    ruleset: str, observation: str, played: Path, client: sparrowhall.Client
) -> None:
    """The actions of a dataset, played at a table, show each player the same bytes."""
    rows = whole(sparrowhall.dataset(played / ruleset, observation=observation))
    with client.open(ruleset, 1, seed=3, observation=observation) as tables:
        batch = tables.recv()
        unit = tables.ruleset.units_per_point
        at, due = 0, [dict[int, int]() for _ in range(4)]
        for _ in range(400):
            asked = np.flatnonzero(batch.asked)
            here = slice(at, at + len(asked))
            assert (rows["player"][here] == batch.player[asked]).all()
            assert (rows["mask"][here] == batch.mask_bits[asked]).all()
            assert tables.spec is not None
            for tensor, raw in zip(tables.spec.tensors, batch.raw, strict=True):
                assert (rows[f"observation.{tensor.name}"][here] == raw[asked]).all()
            for row in asked:
                due[batch.player[row]][at] = int(batch.reward[row] * unit)
                at += 1
            actions = np.zeros(len(batch), np.uint8)
            actions[asked] = rows["action"][here]
            batch = tables.act(batch, actions)
    for player in due:  # a return is the rest of the rewards
        steps = list(player)
        for step, later in pairwise(steps):
            if rows["match"][step] == rows["match"][later]:
                got = rows["match_return"][step] - rows["match_return"][later]
                assert got == player[later]
    assert unit


def test_another_layout_is_refused(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, module = find_binary(), sys.modules["sparrowhall.datasets"]
    monkeypatch.setattr(module, "LAYOUT_VERSION", 2)
    with pytest.raises(
        sparrowhall.SparrowhallError, match="of version 1; this package supports version 2"
    ):
        next(iter(sparrowhall.dataset(played / "ema_2016")))
    monkeypatch.undo()
    # A later program may write more columns under the same version.
    later = tmp_path / "sparrowhall"
    later.write_text(f"""#!{sys.executable}
import subprocess, sys, pyarrow as pa
made = subprocess.run([{str(real)!r}, *sys.argv[1:]], check=True, stdout=subprocess.PIPE).stdout
with pa.ipc.open_stream(made) as reader:
    table = reader.read_all()
table = table.append_column("advice", pa.array(range(len(table)), pa.int32()))
with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as writer:
    writer.write_table(table)
""")
    later.chmod(0o755)
    rows = whole(sparrowhall.dataset(played / "ema_2016"))
    monkeypatch.setattr(module, "find_binary", lambda: later)
    more = whole(sparrowhall.dataset(played / "ema_2016"))
    assert (more.pop("advice") == np.arange(len(rows["action"]))).all()
    assert rows.keys() == more.keys()
    assert all((rows[k] == more[k]).all() for k in rows)


def test_returns(played: Path) -> None:
    for batch in sparrowhall.dataset(played / "ema_2016", batch=100_000, shanten=True):
        assert len(batch) > 1000
        returns = batch.returns
        for match in range(MATCHES):
            mine = batch.match == match
            # Who was first has at the start what he won, and placement points that say so.
            for player in range(4):
                theirs = np.flatnonzero(mine & (batch.player == player))
                assert len(set(returns.placement[theirs])) == 1
                assert set(returns.rank[theirs]) <= {1, 2, 3, 4}
            firsts = [np.flatnonzero(mine & (batch.player == p))[0] for p in range(4)]
            best = max(firsts, key=lambda row: returns.placement[row])
            assert returns.rank[best] == 1
        assert batch.shanten.min() >= -1
        assert batch.shanten.max() <= 6
        assert (batch.mask[np.arange(len(batch)), batch.action] == 1).all()
        assert batch.observation["planes"].shape == (len(batch), 62, 34)


def test_workers_shards_and_shuffles_keep_every_row(played: Path) -> None:
    def keys(data: sparrowhall.StepDataset, sizes: int | None = None) -> list[tuple[int, int]]:
        found = []
        for batch in data:
            assert sizes is None or len(batch) <= sizes
            found += list(zip(batch.match.tolist(), batch.columns["step"].tolist(), strict=True))
        return found

    folder = played / "ema_2016"
    plain = keys(sparrowhall.dataset(folder, observation="", batch=500), 500)
    assert plain == sorted(plain)
    assert len(set(plain)) == len(plain)
    both = keys(sparrowhall.dataset(folder, observation="", workers=2))
    assert sorted(both) == plain
    for size in (100, 3000, 100_000):
        mixed = sparrowhall.dataset(folder, observation="", shuffle=size, batch=300, seed=1)
        one, two = keys(mixed, 300), keys(mixed, 300)
        assert one == two
        assert one != plain
        assert sorted(one) == plain
    other = sparrowhall.dataset(folder, observation="", shuffle=3000, batch=300, seed=2)
    assert keys(other) != keys(sparrowhall.dataset(folder, observation="", shuffle=3000, batch=300))
    parts = [sparrowhall.dataset(folder, observation="", rank=r, world=3) for r in range(3)]
    assert sorted(k for p in parts for k in keys(p)) == plain


def test_players(played: Path) -> None:
    folder = played / "ema_2016"
    every = whole(sparrowhall.dataset(folder, observation=""))
    third = whole(sparrowhall.dataset(folder, observation="", players=[2]))
    assert (third["step"] == every["step"][every["player"] == 2]).all()
    greedy = whole(sparrowhall.dataset(folder, observation="", players=["greedy"]))
    assert 0.3 < len(greedy["step"]) / len(every["step"]) < 0.7
    with pytest.raises(
        sparrowhall.SparrowhallError, match=r'no player has this name: "bob".*random'
    ):
        list(sparrowhall.dataset(folder, players=["greedy", "bob"]))


def test_hidden_hands_are_those_the_others_see(played: Path) -> None:
    (batch,) = sparrowhall.dataset(played / "ema_2016", batch=10**6, hidden=True)
    hands, planes = batch.hidden["hands"], batch.observation["planes"]
    discards = (batch.observation["discards"] > 0).sum(axis=1)
    found = 0
    for row in range(len(batch) - 1):
        other = row + 1
        # Both may claim the same tile, so nobody has drawn in between.
        if planes[row, 6].any() and planes[other, 6].any() and discards[row] == discards[other]:
            place = (int(batch.player[other]) - int(batch.player[row])) % 4
            assert (hands[row, 4 * place - 4 : 4 * place] == planes[other, :4]).all()
            found += 1
    assert found > 10
    with pytest.raises(AttributeError, match="hidden=True"):
        _ = next(iter(sparrowhall.dataset(played / "mcr_2006"))).hidden


def test_refusals(played: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is not a dataset"):
        sparrowhall.dataset(tmp_path)
    with pytest.raises(ValueError, match="batch is 0; allowed: integers from 1"):
        sparrowhall.dataset(played / "ema_2016", batch=0)
    with pytest.raises(ValueError, match="rank is 2; allowed: 0 to 1"):
        sparrowhall.dataset(played / "ema_2016", rank=2, world=2)
    for arguments, message in (
        ({"observation": "pixels"}, "observation is 'pixels'; allowed: 'planes'"),
        ({"batch": 2.5}, "batch is 2.5; allowed: integers from 1"),
        ({"seed": -1}, "seed is -1; allowed: integers from 0"),
        ({"players": "value"}, "players is 'value'; allowed: a sequence"),
        ({"players": [4]}, "a player is 4; allowed: names, and numbers 0 to 3"),
    ):
        with pytest.raises(ValueError, match=message):
            sparrowhall.dataset(played / "ema_2016", **arguments)  # type: ignore[arg-type]
    with pytest.raises(sparrowhall.SparrowhallError, match="different units"):
        list(sparrowhall.dataset([played / "ema_2016", played / "hkma_hktw"]))


def test_imported_matches(tmp_path: Path) -> None:
    """Matches written as records and imported again are shown as when they were played.

    Records do not tell what a player answered whom another one forestalled.
    """
    play = ["play", "--ruleset", "tenhou", "--matches", "4", "--seed", "3", "--quiet"]
    run(*play, "--out", str(tmp_path / "played"))
    run("export-log", str(tmp_path / "played"), "--format", "mjai", "--out", str(tmp_path / "logs"))
    run("import", "mjai", str(tmp_path / "logs"), "--out", str(tmp_path / "imported"), "--quiet")
    one = whole(sparrowhall.dataset(tmp_path / "played", shanten=True))
    two = whole(sparrowhall.dataset(tmp_path / "imported", shanten=True))
    assert 0.99 < (one["action"] == two["action"]).mean() <= 1
    for name in set(one) - {"action"}:
        assert (one[name] == two[name]).all(), name
