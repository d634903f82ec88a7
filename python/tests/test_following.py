from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import sparrowhall
from sparrowhall import Decisions, Follower, IllegalActionError, Policy

HIDDEN = ["?"] * 13
HAND = ["1m", "4m", "7m", "2p", "5p", "8p", "3s", "6s", "9s", "E", "S", "W", "N"]
BEGIN: list[dict[str, Any]] = [
    {"type": "start_game", "id": 0, "names": ["a", "b", "c", "d"]},
    {
        "type": "start_kyoku",
        "bakaze": "E",
        "dora_marker": "9s",
        "kyoku": 1,
        "honba": 0,
        "kyotaku": 0,
        "oya": 0,
        "scores": [25000] * 4,
        "tehais": [HAND, HIDDEN, HIDDEN, HIDDEN],
    },
    {"type": "tsumo", "actor": 0, "pai": "P"},
]


def last(decisions: Decisions) -> Any:
    return decisions.mask.shape[1] - 1 - decisions.mask[:, ::-1].argmax(axis=1)


def test_a_decision_is_asked_and_answered() -> None:
    with Follower("tenhou", observation="features") as follower:
        assert follower.feed(BEGIN[0]) is None
        assert follower.feed(json.dumps(BEGIN[1])) is None
        assert follower.message == '{"type":"none"}'
        asked = follower.feed(BEGIN[2])
        assert asked is not None
        assert follower.message == ""
        assert "hand 147m258p369s12345z" in asked.text()
        assert "drawn 5z" in asked.text()
        assert asked.observation["planes"].dtype == np.uint8
        assert asked.mask.sum() == 14
        assert asked.batch.ruleset == "tenhou"
        assert asked.batch.decision[0] == 0
        with pytest.raises(IllegalActionError, match="is not among"):
            follower.answer(200)
        with pytest.raises(ValueError, match="action is float64"):
            follower.answer(3.0)  # type: ignore[arg-type]
        assert follower.answer(int(np.flatnonzero(asked.mask)[0])) is None
        assert json.loads(follower.message)["pai"] == "1m"
        with pytest.raises(IllegalActionError, match="no decision"):
            follower.answer(0)


def test_a_policy_plays() -> None:
    policy = Policy(last, "tenhou")
    with Follower("tenhou") as follower:
        lines = [follower.play(event, policy) for event in BEGIN]
    drawn = {"type": "dahai", "actor": 0, "pai": "P", "tsumogiri": True}
    assert json.loads(lines[-1]) == drawn
    # It is refused where it would see or play something else than it is made for.
    for other, said in (
        (Policy(last, "tenhou", observation="features"), "sees the observation 'features'"),
        (Policy(last, "mcr_2006"), "is made for mcr_2006, and would play under tenhou"),
    ):
        with Follower("tenhou") as follower:
            for event in BEGIN[:-1]:
                follower.play(event, other)
            with pytest.raises(ValueError, match=said):
                follower.play(BEGIN[-1], other)
    with Follower("tenhou") as follower:
        lines = [follower.play(e, Policy(last, "mcr_2006"), transfer=True) for e in BEGIN]
    assert json.loads(lines[-1]) == drawn


def test_an_observation_that_is_none_is_named() -> None:
    def follow() -> None:
        with Follower("tenhou", observation="missing") as follower:
            for event in BEGIN:
                follower.feed(event)

    with pytest.raises(sparrowhall.SparrowhallError, match="'missing'; offered: "):
        follow()


def test_botzone_names_a_claim_and_its_discard() -> None:
    requests = [
        "0 1 0",
        "1 0 0 0 0 W1 W1 W2 W3 B1 B2 B3 T1 T2 T3 F1 F2 F3",
        "3 0 DRAW",
        "3 0 PLAY W1",
    ]
    with Follower(protocol="botzone", observation="") as follower:
        for request in requests[:-1]:
            assert follower.feed(json.dumps(request)) is None
        asked = follower.feed(json.dumps(requests[-1]))
        assert asked is not None
        pon = sparrowhall.action_id("pon")
        further = follower.answer(pon)
        assert further is not None
        assert further.mask.sum() == 11
        assert follower.answer(int(np.flatnonzero(further.mask)[0])) is None
        assert follower.message.startswith('{"response":"PENG ')


def test_slips_are_lines_of_the_log() -> None:
    with Follower() as follower:
        for event in BEGIN:
            follower.feed(event)
        assert follower.feed({"type": "tsumo", "actor": 3, "pai": "?"}) is None
        assert "it is the turn of player 0" in follower.log[0]
        assert follower.feed("{") is None
        assert follower.log
        with pytest.raises(ValueError, match="one line"):
            follower.feed("two\nlines")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ruleset": "nothing"}, "nothing"),
        ({"protocol": "chess"}, "botzone, majiang, mjai"),
        ({"player": 4}, "0 to 3"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with (
        Follower(**arguments) as follower,
        pytest.raises(sparrowhall.SparrowhallError, match=message),
    ):
        follower.feed(BEGIN[0])


def test_closed_followers_say_so() -> None:
    follower = Follower()
    follower.close()
    for _ in range(2):
        with pytest.raises(sparrowhall.SparrowhallError, match="ended: it was closed"):
            follower.feed(BEGIN[0])


def test_followers_end_with_the_process() -> None:
    code = "import sparrowhall; f = sparrowhall.Follower(); f.feed({'type': 'start_game', 'id': 1})"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
