"""Ratings: those of the program, with the figures of an evaluation."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import sparrowhall
from sparrowhall import Decisions, evaluate, rate
from sparrowhall.rating import Interval


def first(decisions: Decisions) -> NDArray[np.intp]:
    return decisions.mask.argmax(axis=1)


def test_the_figures_are_those_of_an_evaluation(tmp_path: Path) -> None:
    out = tmp_path / "first"
    same: dict[str, Any] = {"matches": 40, "observation": "", "out": out, "progress": False}
    with pytest.raises(ValueError, match="name is None, and out keeps matches by it"):
        rate(first, "zungjung-2", **same)
    rating = rate(first, "zungjung-2", name="policy", **same)
    assert (rating.name, rating.suite, rating.matches) == ("policy", "zungjung-2", 160)
    assert [a.opponent for a in rating.against] == ["random", "greedy", "value", "expert-1"]
    del same["out"]
    alone = evaluate(first, "zung_jung", "greedy", seed=2026, **same)
    greedy = rating.against[1]
    assert greedy.points_luck_adjusted == (
        alone.points_luck_adjusted.value,
        alone.points_luck_adjusted.low,
        alone.points_luck_adjusted.high,
    )
    assert greedy.rank.value == alone.rank.value
    assert greedy.places == pytest.approx([p.value for p in alone.places])
    assert rating.worst.opponent in {"greedy", "value", "expert-1"}
    assert rating.rating is not None
    assert rating.rating.low < rating.rating.value < 1500
    lines = str(rating).splitlines()
    assert lines[0].startswith("policy in zungjung-2: 160 matches, rating ")
    assert lines[2].startswith(f"against greedy, zung_jung: {greedy.points_luck_adjusted} points")
    program = str(sparrowhall.find_binary())
    check = [program, "rate", "--check", str(out / "result.json"), "--json", "--quiet"]
    assert json.loads(subprocess.run(check, check=True, stdout=-1).stdout)["ok"]


def test_few_matches_print_no_interval() -> None:
    assert str(Interval(3.25, math.nan, math.nan)) == "3.2"
    assert str(Interval(1500.0, 1490.0, 1510.0)) == "1,500 [1,490, 1,510]"


def test_bad_arguments_are_named() -> None:
    for matches in (0, 2.5, "4"):
        with pytest.raises(ValueError, match=f"matches is {matches!r}; allowed: integers from 1"):
            rate(first, "riichi-2", matches=matches)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a player is 5; allowed"):
        rate(5, "riichi-2")  # type: ignore[arg-type]
    with pytest.raises(sparrowhall.SparrowhallError, match='unknown suite "riichi"; nearest'):
        rate("value", "riichi")
    with pytest.raises(sparrowhall.SparrowhallError, match="name it with --out"):
        rate("value", "riichi-2", season="nothing")
    with pytest.raises(sparrowhall.IllegalActionError, match="is not among"):
        rate(lambda d: d.mask.argmin(axis=1), "zungjung-2", matches=4, observation="")


def test_no_folder_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(decisions: Decisions) -> NDArray[np.intp]:
        if (decisions.decision == 5).any():
            raise KeyError
        return first(decisions)

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with pytest.raises(KeyError):
        rate(failing, "zungjung-2", matches=4, observation="", progress=False)
    assert not list(tmp_path.glob("sparrowhall-rate-*"))


def test_networks_are_told_apart(tmp_path: Path) -> None:
    """Both would be "policy", and the second would get the rating of the first."""
    torch = pytest.importorskip("torch", reason="NO TORCH")
    from sparrowhall.learn import Network

    same: dict[str, Any] = {"matches": 4, "out": tmp_path / "net", "progress": False}
    names = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        network = Network("planes", width=2, whole=2, blocks=0)
        network.set_family("zungjung", "zung_jung")
        if seed == 1:
            names.append(rate(network.policy("zung_jung"), "zungjung-2", **same).name)
    assert names[0] == names[1]
    assert names[0].startswith("policy-")
    network.export(tmp_path / "other.safetensors")
    for other in (network, f"net:{tmp_path / 'other.safetensors'}"):
        with pytest.raises(sparrowhall.SparrowhallError, match=f"another run: .*{names[0]}"):
            rate(other, "zungjung-2", **same)
