"""Evaluations: the matches are those of a tournament, and bad players are refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

import sparrowhall
from sparrowhall import Decisions, evaluate
from sparrowhall.evaluation import EVALUATION_SEED, Figure, _join


def first(decisions: Decisions) -> NDArray[np.intp]:
    return decisions.mask.argmax(axis=1)


def test_figures_are_those_of_the_report(tmp_path: Path) -> None:
    program, out = str(sparrowhall.find_binary()), str(tmp_path / "cup")
    cup = "tournament run --single --agents value,random --rounds 12 --seed 5 --quiet --out"
    subprocess.run([program, *cup.split(), out], check=True, stdout=subprocess.DEVNULL)
    report = subprocess.run(
        [program, "report", "--luck=fast", "--json", "--quiet", out], check=True, stdout=-1
    )
    want = {
        f["name"]: f
        for f in json.loads(report.stdout)["datasets"][0]["figures"]
        if f.get("of") == "value"
    }
    got = evaluate("value", "ema_2016", "random", 46, seed=5, progress=False)
    assert got.matches == 48
    assert set(got.figures) == set(want)
    assert got.rank.value == want["rank"]["value"]
    assert got.points_luck_adjusted.low == want["points_less_luck"]["low"]
    assert got.placement_luck_adjusted.value == want["placement_less_luck"]["value"]
    assert got.places[0].value == want["first"]["value"]
    assert set(got.rates) == {"win", "deal_in", "ready", "call"}
    assert got.points.count == 48
    assert "value against random: 48 matches of ema_2016" in str(got)
    assert got._repr_html_().count("<tr>") == 10


def test_a_function_plays_as_the_same_agent() -> None:
    """With functions as opponents too; the same function is one player."""

    def tsumogiri(d: Decisions) -> NDArray[np.intp]:
        drawn, skip = sparrowhall.action_id("discard drawn"), sparrowhall.action_id("pass")
        other = np.where(d.mask[:, skip], skip, d.mask.argmax(axis=1))
        return np.where(d.mask[:, drawn], drawn, other)

    one = evaluate(first, "zung_jung", [tsumogiri, tsumogiri], 8, observation="", progress=False)
    assert one.against == ("opponent-1",)
    assert one == evaluate(first, "zung_jung", tsumogiri, 8, observation="", progress=False)
    two = evaluate(first, "zung_jung", ["random", "greedy"], 1, observation="", progress=False)
    assert two.matches == 16  # four lineups


def test_it_stops_when_the_interval_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparrowhall.evaluation._FIRST_PART", 64)
    wide = evaluate("value", "botzone", "random", 400, until=100, progress=False)
    assert wide.matches == 64
    close = evaluate("value", "botzone", "random", 400, until=0.1, progress=False)
    assert 64 < close.matches < 400
    figure = close.placement_luck_adjusted
    assert figure.high - figure.low <= 0.2
    assert evaluate("value", "botzone", "random", 98, until=1e-9, progress=False).matches == 100


def test_no_part_is_one_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """One set has no interval, and would count as exact."""
    monkeypatch.setattr("sparrowhall.evaluation._FIRST_PART", 8)
    joined = []
    monkeypatch.setattr("sparrowhall.evaluation._join", lambda p: joined.append(p) or _join(p))
    evaluate("tsumogiri", "zung_jung", "random", 20, until=1e-9, progress=False)
    assert [p.matches for p in joined[-1]] == [8, 12]


def test_the_default_walls_are_not_those_of_the_usual_seeds() -> None:
    one, two, usual = (
        evaluate("tsumogiri", "zung_jung", "random", 4, progress=False, **seed)  # type: ignore[arg-type]
        for seed in ({}, {"seed": EVALUATION_SEED}, {"seed": 1})
    )
    assert one == two != usual


def test_parts_are_joined_by_their_counts() -> None:
    parts = [
        sparrowhall.Evaluation("a", ("b",), "r", n, {"rank": Figure(v, 0, 0, n, e)})
        for n, v, e in ((100, 2.0, 0.3), (300, 3.0, 0.1))
    ]
    whole = _join(parts)
    assert whole.matches == whole.rank.count == 400
    assert whole.rank.value == pytest.approx(2.75)
    assert whole.rank.error == pytest.approx(np.hypot(0.3 * 100, 0.1 * 300) / 400)
    # A part without an interval makes nothing more certain than the others have it.
    unknown = Figure(2.75, np.nan, np.nan, 100, 0.0)
    parts.append(sparrowhall.Evaluation("a", ("b",), "r", 100, {"rank": unknown}))
    assert _join(parts).rank.error == pytest.approx(whole.rank.error * np.sqrt(400 / 500))
    alone = _join([parts[2], parts[2]]).rank
    assert np.isnan([alone.low, alone.high, alone.error]).all()


def test_what_a_function_raises_is_raised() -> None:
    def failing(d: Decisions) -> NDArray[np.intp]:
        if (d.decision == 9).any():
            raise KeyError("no such tile")
        return first(d)

    with pytest.raises(KeyError, match="no such tile"):
        evaluate(failing, "ema_2016", "random", 8, observation="")
    with pytest.raises(sparrowhall.IllegalActionError, match="is not among"):
        evaluate(lambda d: d.mask.argmin(axis=1), "ema_2016", "random", 8, observation="")
    with pytest.raises(sparrowhall.SparrowhallError, match=r"float64 of shape \(1,\)"):
        evaluate(lambda d: np.zeros(1), "ema_2016", "random", 4, observation="")


def test_three_players() -> None:
    result = evaluate(first, "tenhou_sanma", "random", 3, observation="", progress=False)
    assert result.matches == 3
    assert len(result.places) == 3
    assert sum(p.value for p in result.places) == pytest.approx(1)
    network = SimpleNamespace(observation="planes", family="riichi", export=print, act=print)
    with pytest.raises(ValueError, match="for four players; tenhou_sanma is for 3"):
        evaluate(network, "tenhou_sanma")


def test_external_agents_have_names() -> None:
    named = evaluate("mine@2=net", "tenhou", ["net", "greedy"], 4, progress=False)
    assert (named.policy, named.against) == ("mine@2", ("net", "greedy"))
    assert named.rank.count == named.matches
    with pytest.raises(ValueError, match="'mine' cannot be measured against itself"):
        evaluate("mine=net:a", "tenhou", "net:a")
    with pytest.raises(ValueError, match="two players have the name 'mine'"):
        evaluate("mine=net:a", "tenhou", "mine=net:b")
    with pytest.raises(sparrowhall.SparrowhallError, match="only external agents have names"):
        evaluate("mine=value", "tenhou", matches=4)


def test_bad_arguments_are_named() -> None:
    network = SimpleNamespace(observation="planes", family="mcr", export=print, act=print)
    with pytest.raises(ValueError, match="family 'mcr'; ema_2016 is of 'riichi'"):
        evaluate(network, "ema_2016")
    with pytest.raises(ValueError, match="a player is 5; allowed"):
        evaluate(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="against is empty"):
        evaluate(first, against=[])
    with pytest.raises(ValueError, match="measured against itself"):
        evaluate("value", against="value")
    with pytest.raises(ValueError, match="matches is 0"):
        evaluate(first, matches=0)
    with pytest.raises(ValueError, match="until is -1"):
        evaluate(first, until=-1)
    with pytest.raises(ValueError, match="until is 'soon'"):
        evaluate(first, until="soon")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a player is <sparrowhall"):
        evaluate(first, against=sparrowhall.League(["value"]))  # type: ignore[arg-type]
    with pytest.raises(sparrowhall.SparrowhallError, match=r"^the policy requires .* 'none'; off"):
        evaluate(first, "ema_2016", "random", 4, observation="none")
    with pytest.raises(sparrowhall.RequestError, match="nothing"):
        evaluate(first, "nothing")
    with pytest.raises(sparrowhall.SparrowhallError, match=r"no such file or directory$"):
        evaluate("net:none", "ema_2016", matches=4)
    with pytest.raises(sparrowhall.SparrowhallError, match='unknown agent "nobody"'):
        evaluate("nobody", "ema_2016", matches=4)
