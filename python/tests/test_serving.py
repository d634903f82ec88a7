from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import sparrowhall
from sparrowhall import Decisions, ServerError, find_binary, serve_agent


def choose(d: Decisions) -> NDArray[np.uint64]:
    """Take any legal action, as the built-in agent random does: by the row's random number."""
    count = d.mask.sum(axis=1).astype(np.uint64)
    # The high word of a 64 x 8 bit product, by halves.
    half = np.uint64(32)
    low, high = d.random & np.uint64(0xFFFFFFFF), d.random >> half
    nth = (high * count + (low * count >> half)) >> half
    return np.argmax(np.cumsum(d.mask, axis=1) > nth[:, None].astype(np.int64), axis=1)


def tournament(*arguments: str, status: int = 0) -> dict[str, Any]:
    command = [str(find_binary()), "tournament", "run", "--json", "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    del result["speed"]
    return result


@pytest.mark.parametrize("observation", ["planes", "features", "events", ""])
def test_a_function_plays_a_tournament(observation: str, tmp_path: Path) -> None:
    """It plays the matches of the built-in agent that does the same."""
    rows = []

    def policy(d: Decisions) -> NDArray[np.uint64]:
        assert d.mask.shape == (len(d), 180)
        assert d.mask.sum(axis=1).min() >= 2
        assert d.ruleset == "ema_2016"
        assert len(d.ruleset_hash) == 32
        assert len(np.unique(d.asker)) == len(d)
        assert set(d.player) <= {0, 1, 2, 3}
        assert bool(d.observation) == (observation != "")
        for tensor in d.observation.values():
            assert len(tensor) == len(d)
        rows.append(len(d))
        return choose(d)

    played = "--rounds", "2", "--out"
    with serve_agent(policy, f"unix:{tmp_path}/policy.sock", observation) as server:
        agents = f"random=grpc:{server.address},tsumogiri"
        got = tournament("--agents", agents, *played, str(tmp_path / "outside"))
    want = tournament("--agents", "random,tsumogiri", *played, str(tmp_path / "inside"))
    assert got == want
    for file in (tmp_path / "inside").iterdir():
        assert (tmp_path / "outside" / file.name).read_bytes() == file.read_bytes()
    assert max(rows) > 4


def test_faults_forfeit() -> None:
    def policy(d: Decisions) -> NDArray[np.int64]:
        if np.any(d.decision == 7):
            raise ValueError("no idea")
        return np.argmax(d.mask, axis=1)

    with serve_agent(policy, "localhost:0", "") as server:
        agents = f"mine=grpc:{server.address},tsumogiri"
        # An agent that forfeits every match is no tournament.
        result = tournament("--agents", agents, "--rounds", "1", status=1)
    assert {a["agent"]: a["forfeits"] > 0 for a in result["agents"]} == {
        "mine": True,
        "tsumogiri": False,
    }


def test_an_observation_that_is_not_offered() -> None:
    with serve_agent(choose, "localhost:0", "colors") as server:
        command = ["tournament", "run", "--agents", f"grpc:{server.address},greedy"]
        done = subprocess.run(
            [str(find_binary()), *command], capture_output=True, text=True, timeout=60
        )
    assert done.returncode == 1
    assert "requires the observation 'colors'; offered: planes, events, features" in done.stderr


def test_tables_of_three_and_four_players_take_turns(client: sparrowhall.Client) -> None:
    widths = []

    def policy(d: Decisions) -> NDArray[np.intp]:
        widths.append(d.mask.shape[1])
        return d.mask.argmax(axis=1)

    with serve_agent(policy, "localhost:0") as server:
        same = {"opponents": f"grpc:{server.address}", "seat": 1, "client": client}
        four, three = (
            sparrowhall.make_vec(name, 1, **same)  # type: ignore[arg-type]
            for name in ("zung_jung", "tenhou_sanma")
        )
        for env in (four, three):
            env.reset(seed=1)  # the player before the learner begins
        for _ in range(3):
            for env, actions in ((four, 180), (three, 181)):
                widths.clear()
                env.step(env.action_masks().argmax(axis=1))
                assert set(widths) == {actions}
        for env in (four, three):
            env.close()


def test_an_address_in_use() -> None:
    with serve_agent(choose, "localhost:0") as server, pytest.raises(ServerError):
        serve_agent(choose, server.address)
