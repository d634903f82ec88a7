from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.test.max_cycles_test import max_cycles_test

import jansou


@pytest.fixture(autouse=True)
def _quiet() -> None:
    # PettingZoo warns of every observation that is not one array.
    warnings.filterwarnings("ignore", category=UserWarning, module="pettingzoo")


def test_api(ruleset: str, client: jansou.Client) -> None:
    api_test(jansou.env(ruleset, client=client), num_cycles=100)


def test_parallel_api(ruleset: str, client: jansou.Client) -> None:
    parallel_api_test(jansou.parallel_env(ruleset, client=client), num_cycles=200)


def test_seed(ruleset: str, client: jansou.Client) -> None:
    seed_test(lambda: jansou.env(ruleset, client=client), num_cycles=40)
    parallel_seed_test(lambda: jansou.parallel_env(ruleset, client=client), num_cycles=40)


def test_api_to_the_end_of_an_episode(ruleset: str, client: jansou.Client) -> None:
    api_test(jansou.env(ruleset, episode="hand", client=client), num_cycles=300)
    parallel_api_test(jansou.parallel_env(ruleset, episode="hand", client=client), num_cycles=600)


@pytest.mark.parametrize("ruleset", ["ema_2016", "hkma_hktw"])
def test_both_kinds_play_the_same_hand(ruleset: str, client: jansou.Client) -> None:
    rng = np.random.default_rng(1)
    aec = jansou.env(ruleset, episode="hand", client=client)
    parallel = jansou.parallel_env(ruleset, episode="hand", client=client)
    aec.reset(seed=4)
    obs, infos = parallel.reset(seed=4)
    totals = {a: [0.0, 0.0] for a in parallel.possible_agents}
    while parallel.agents:
        actions = {}
        for agent in [a for a in parallel.agents if infos[a]["asked"]]:
            assert aec.agent_selection == agent
            seen, reward, *_ = aec.last()
            totals[agent][0] += reward
            for key in seen:
                assert (seen[key] == obs[agent][key]).all()
            actions[agent] = int(rng.choice(np.flatnonzero(seen["action_mask"])))
            aec.step(actions[agent])
        actions |= {a: 0 for a in parallel.agents if a not in actions}
        obs, rewards, *_, infos = parallel.step(actions)
        for agent, reward in rewards.items():
            totals[agent][1] += reward
    for agent in aec.agent_iter():
        _, reward, terminated, truncated, info = aec.last()
        assert terminated or truncated
        totals[agent][0] += reward
        assert info["points"] == infos[agent]["points"]
        aec.step(None)
    assert all(a == b for a, b in totals.values())


def test_max_cycles(ruleset: str, client: jansou.Client) -> None:
    class Module:
        """What PettingZoo takes for the module of an environment."""

        @staticmethod
        def env(**arguments: Any) -> Any:
            return jansou.env(ruleset, client=client, **arguments)

        @staticmethod
        def parallel_env(**arguments: Any) -> Any:
            return jansou.parallel_env(ruleset, client=client, **arguments)

    max_cycles_test(Module)
    api_test(jansou.env(ruleset, max_cycles=30, client=client), num_cycles=200)
    parallel_api_test(jansou.parallel_env(ruleset, max_cycles=30, client=client), num_cycles=60)


def test_players_who_are_not_asked_can_only_pass(client: jansou.Client) -> None:
    env = jansou.parallel_env("zung_jung", client=client)
    obs, infos = env.reset(seed=2)
    asked = [a for a in env.agents if infos[a]["asked"]]
    assert len(asked) == 1
    for agent in env.agents:
        legal = np.flatnonzero(obs[agent]["action_mask"])
        if agent in asked:
            assert len(legal) > 1
        else:
            assert [jansou.action_text(a) for a in legal] == ["pass"]


def test_render(client: jansou.Client) -> None:
    env = jansou.env("zung_jung", render_mode="ansi", client=client)
    env.reset(seed=1)
    assert env.render().startswith("zung_jung")
    env.close()
