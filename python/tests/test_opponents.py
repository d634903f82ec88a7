"""Opponents that the client plays itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import over
from numpy.typing import NDArray

import sparrowhall
from sparrowhall import IllegalActionError
from sparrowhall.serve_agent import serve_agent


def lowest(d: sparrowhall.Decisions) -> NDArray[np.intp]:
    """Take the legal action with the lowest id."""
    return d.mask.argmax(axis=1)


def play(env: sparrowhall.SparrowhallVectorEnv, steps: int, seed: int = 5) -> list[bytes]:
    obs, _ = env.reset(seed=seed)
    told = []
    for _ in range(steps):
        assert (obs["action_mask"].sum(axis=1) >= 2).all()
        obs, reward, terminated, _, info = env.step(obs["action_mask"].argmax(axis=1))
        told.append(obs["planes"].tobytes() + reward.tobytes() + terminated.tobytes())
        assert (info["player"] == np.arange(env.num_envs) % 4).all()
    env.close()
    return told


@pytest.mark.parametrize("ruleset", ["ema_2016", "hkma_hktw"])
def test_a_function_plays_as_the_client_would(ruleset: str, client: sparrowhall.Client) -> None:
    """A table of functions shows the learner what the raw client sees at the same table."""
    env = sparrowhall.make_vec(ruleset, 3, opponents=lowest, episode="hand", client=client)
    obs, _ = env.reset(seed=9)
    with client.open(ruleset, 3, seed=9, episode="hand") as tables:
        batch = tables.recv()
        seen: list[list[bytes]] = [[], [], []]
        for _ in range(120):
            mine = batch.player == batch.table % 4
            for row in np.flatnonzero(mine & batch.asked):
                seen[batch.table[row]].append(batch.observation["planes"][row].tobytes())
            batch = tables.act(batch, batch.mask.argmax(axis=1))
    for step in range(25):
        for table in range(3):
            assert obs["planes"][table].tobytes() == seen[table][step]
        obs, *_ = env.step(obs["action_mask"].argmax(axis=1))
    env.close()


@pytest.mark.parametrize("episode", ["match", "hand"])
@pytest.mark.parametrize("transport", ["inprocess", "shared", "grpc"])
@pytest.mark.parametrize("observation", ["planes", "events", "features", "advice", "oracle"])
@pytest.mark.parametrize("tables", [1, 33, 64, 256])
def test_functions_play_at_any_number_of_tables(
    tables: int,
    observation: str,
    transport: sparrowhall.Transport,
    episode: Any,
    server: sparrowhall.Client,
) -> None:
    """Also where a batch has no rows, as the learner and a function are asked at once."""
    opponents = lowest if tables % 2 else sparrowhall.Pool([lowest, "greedy"], weights=[9, 1])
    rng = np.random.default_rng(1)
    with over(server, transport) as other:
        env = sparrowhall.make_vec(
            "tenhou",
            tables,
            opponents=opponents,
            observation=observation,
            episode=episode,
            seed=1,
            client=other,
        )
        obs, _ = env.reset()
        for _ in range(200 if tables == 1 else 1280 // tables):
            obs, *_ = env.step(sparrowhall.sample(obs["action_mask"], rng))
            assert (obs["action_mask"].sum(axis=1) >= 2).all()
        env.close()


def test_rewards_add_up_to_the_points(client: sparrowhall.Client) -> None:
    env = sparrowhall.make_vec("botzone", 4, opponents=[lowest, "greedy", "random"], client=client)
    obs, _ = env.reset(seed=2)
    total, ends = np.zeros(4), 0
    for _ in range(150):
        obs, reward, terminated, truncated, info = env.step(obs["action_mask"].argmax(axis=1))
        total += reward
        for i in np.flatnonzero(terminated | truncated):
            assert total[i] == info["final_info"]["points"][i]
            total[i], ends = 0, ends + 1
    assert ends > 2
    env.close()


def test_a_served_policy_plays_as_the_function(tmp_path: Path, client: sparrowhall.Client) -> None:
    def by_chance(d: sparrowhall.Decisions) -> NDArray[np.intp]:
        assert len(d.observation["planes"]) == len(d)
        count = d.mask.sum(axis=1).astype(np.uint64)
        nth = (d.random % count).astype(np.int64)
        return np.argmax(np.cumsum(d.mask, axis=1) > nth[:, None], axis=1)

    with serve_agent(by_chance, f"unix:{tmp_path}/policy.sock") as server:
        name = f"grpc:{server.address}"
        there = play(sparrowhall.make_vec("ema_2016", 4, opponents=name, client=client), 30)
        features = sparrowhall.make_vec(
            "ema_2016", 4, opponents=name, observation="features", client=client
        )
        with pytest.raises(sparrowhall.ServerError, match="features"):
            features.reset(seed=1)
        features.close()
    here = play(sparrowhall.make_vec("ema_2016", 4, opponents=by_chance, client=client), 30)
    assert there == here


def test_a_pool_is_dealt_by_the_seed(client: sparrowhall.Client) -> None:
    pool = sparrowhall.Pool([lowest, "greedy", "tsumogiri"], weights=[2, 1, 1])
    one, two, three = (
        play(sparrowhall.make_vec("zung_jung", 8, opponents=pool, client=client), 20, seed)
        for seed in (1, 1, 2)
    )
    assert one == two
    assert one != three
    with pytest.raises(ValueError, match=r"members is \[\]; allowed: one or more"):
        sparrowhall.Pool([])
    with pytest.raises(ValueError, match="1 weights for 2"):
        sparrowhall.Pool(["greedy", "value"], weights=[1])


def test_an_illegal_answer_is_told(client: sparrowhall.Client) -> None:
    env = sparrowhall.make_vec(
        "ema_2016", 2, opponents=lambda d: np.full(len(d), 179), client=client
    )
    with pytest.raises(IllegalActionError, match="end_match"):
        play(env, 3)
    env.close()
    wrong = sparrowhall.make_vec("ema_2016", 2, opponents=lambda d: [0.5], seat=3, client=client)
    with pytest.raises(sparrowhall.SparrowhallError, match="integers of shape"):
        wrong.reset(seed=1)
    wrong.close()
