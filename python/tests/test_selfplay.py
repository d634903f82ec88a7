"""Self-play: what ends, for every seat, is what the recorded matches say."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import sparrowhall
from sparrowhall import action_id


def tsumogiri(mask: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Play as the built-in agent of that name does."""
    n = len(mask)
    choice = np.full(n, -1)
    for name in ("win", "discard drawn", "pass"):
        legal = mask[:, action_id(name)] != 0
        choice = np.where((choice < 0) & legal, action_id(name), choice)
    return np.where(choice < 0, mask.argmax(axis=1), choice)


@pytest.mark.parametrize("ruleset", ["ema_2016", "zung_jung"])
def test_ends_are_those_of_recorded_matches(ruleset: str, tmp_path: Path) -> None:
    """The same players in a tournament's program write the same points and places."""
    tables, matches = 2, 4
    out = tmp_path / "played"
    play = ["play", "--ruleset", ruleset, "--matches", str(matches), "--seed", "11", "--quiet"]
    agents = [f for _ in range(4) for f in ("--agent", "tsumogiri")]
    command = [str(sparrowhall.find_binary()), *play, *agents, "--out", str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    pa = pytest.importorskip("pyarrow")
    recorded: dict[tuple[int, int], tuple[float, int]] = {}
    for file in sorted(out.glob("matches-*.arrow")):
        with pa.ipc.open_file(str(file)) as reader:
            for row in reader.read_all().to_pylist():
                recorded[row["match"], row["player"]] = row["points"], row["rank"]
    with sparrowhall.make_selfplay(ruleset, tables, seed=11) as env:
        per_point = env._tables.ruleset.units_per_point
        turn = env.reset()
        begun = np.zeros(env.num_actors, int)
        seen: dict[tuple[int, int], tuple[float, int]] = {}
        while len(seen) < 4 * matches:
            turn = env.step(tsumogiri(turn.mask))
            assert len(np.unique(turn.actor)) == len(turn)
            if turn.ends is None:
                continue
            for i, actor in enumerate(turn.ends.actor.tolist()):
                match = actor // 4 + int(begun[actor]) * tables
                begun[actor] += 1
                if match < matches:
                    points = float(turn.ends.points[i]) * per_point
                    seen[match, actor % 4] = points, int(turn.ends.rank[i])
    assert seen == recorded


@pytest.mark.parametrize("episode", ["match", "hand"])
def test_rewards_of_every_seat_add_up(episode: Any, client: sparrowhall.Client) -> None:
    rng = np.random.default_rng(4)
    with sparrowhall.make_selfplay("tenhou", 5, episode=episode, seed=3, client=client) as env:
        turn = env.reset()
        assert turn.first.all()
        total, count = np.zeros(20), 0
        total[turn.actor] += turn.reward
        before = np.full(20, 25_000.0)
        for _ in range(600 if episode == "hand" else 2500):
            turn = env.step(sparrowhall.sample(turn.mask_words, rng))
            ends = turn.ends
            if ends is not None:
                np.add.at(total, ends.actor, ends.reward)
                for i, actor in enumerate(ends.actor.tolist()):
                    if ends.played[i]:
                        assert ends.returns[i] == total[actor]
                        assert total[actor] == ends.points[i] - before[actor]
                        total[actor] = 0
                        count += 1
                    else:
                        total[actor] = 0
                    over = ends.rank[i] > 0
                    before[actor] = 25_000.0 if over else ends.points[i]
                if (ends.rank > 0).all():
                    assert ends.points.reshape(-1, 4).sum(axis=1) == pytest.approx(100_000)
                assert ends.observation["planes"].shape[0] == len(ends.actor)
            total[turn.actor] += turn.reward
            assert turn.observation["planes"].shape[0] == len(turn) == len(turn.mask)
            assert (env.returns == total).all()
        assert count >= 4


def test_what_is_wrong_is_refused(client: sparrowhall.Client) -> None:
    with sparrowhall.make_selfplay("ema_2016", 2, seed=1, client=client) as env:
        with pytest.raises(ValueError, match="call reset"):
            env.step([0])
        turn = env.reset()
        with pytest.raises(sparrowhall.RequestError, match="ILLEGAL_ACTION"):
            env.step(np.full(len(turn), 179))
        for unknown in (180, 500, -1):
            with pytest.raises(sparrowhall.IllegalActionError, match=f"action {unknown} of row 0"):
                env.step(np.full(len(turn), unknown))
        with pytest.raises(ValueError, match="actions have shape"):
            env.step(np.zeros(5, np.uint8))
        again = env.step(turn.mask.argmax(axis=1))
        assert len(again)
        first = env.reset(seed=1)
        assert (first.mask == turn.mask).all()
    with pytest.raises(ValueError, match="reward is 'nothing'"):
        sparrowhall.make_selfplay(reward="nothing")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown observation"):
        sparrowhall.make_selfplay(observation="nothing")
