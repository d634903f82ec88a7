from __future__ import annotations

import subprocess
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.test.max_cycles_test import max_cycles_test
from pettingzoo.test.state_test import state_test

import sparrowhall
from sparrowhall._proto import env_pb2 as pb


@pytest.fixture(autouse=True)
def _quiet() -> None:
    # PettingZoo warns of every observation that is not one array.
    warnings.filterwarnings("ignore", category=UserWarning, module="pettingzoo")


def test_api(ruleset: str, client: sparrowhall.Client) -> None:
    api_test(sparrowhall.env(ruleset, client=client), num_cycles=100)


def test_parallel_api(ruleset: str, client: sparrowhall.Client) -> None:
    parallel_api_test(sparrowhall.parallel_env(ruleset, client=client), num_cycles=200)


def test_seed(ruleset: str, client: sparrowhall.Client) -> None:
    seed_test(lambda: sparrowhall.env(ruleset, client=client), num_cycles=40)
    parallel_seed_test(lambda: sparrowhall.parallel_env(ruleset, client=client), num_cycles=40)


def test_api_to_the_end_of_an_episode(ruleset: str, client: sparrowhall.Client) -> None:
    api_test(sparrowhall.env(ruleset, episode="hand", client=client), num_cycles=300)
    parallel_api_test(
        sparrowhall.parallel_env(ruleset, episode="hand", client=client), num_cycles=600
    )


@pytest.mark.parametrize("ruleset", ["ema_2016", "hkma_hktw"])
def test_both_kinds_play_the_same_hand(ruleset: str, client: sparrowhall.Client) -> None:
    rng = np.random.default_rng(1)
    aec = sparrowhall.env(ruleset, episode="hand", client=client)
    parallel = sparrowhall.parallel_env(ruleset, episode="hand", client=client)
    aec.reset(seed=4)
    obs, infos = parallel.reset(seed=4)
    totals = {a: [0.0, 0.0] for a in parallel.possible_agents}
    while parallel.agents:
        actions = {}
        for agent in [a for a in parallel.agents if infos[a]["asked"]]:
            assert aec.agent_selection == agent
            seen, reward, *_ = aec.last()
            totals[agent][0] += reward
            assert (seen["action_mask"] == obs[agent]["action_mask"]).all()
            for key, tensor in seen["observation"].items():
                assert (tensor == obs[agent]["observation"][key]).all()
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


@pytest.mark.parametrize("ruleset", ["ema_2016", "universal"])
def test_rewards_and_infos_are_of_the_last_step(ruleset: str, client: sparrowhall.Client) -> None:
    rng = np.random.default_rng(3)
    env = sparrowhall.env(ruleset, episode="hand", client=client)
    waiting = 0
    for seed in range(40):
        env.reset(seed=seed)
        owed = dict(env.rewards)
        answered: list[str] = []
        while not any(env.terminations.values()):
            agent = env.agent_selection
            seen, reward, *_ = env.last()
            assert reward == owed[agent]
            owed[agent] = 0.0
            before = env.unwrapped._table.batch
            action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
            if rng.random() < 0.1:
                action = int(np.flatnonzero(seen["action_mask"] == 0)[0])
            env.step(action)
            answered.append(agent)
            if env.unwrapped._table.batch is before:  # others are asked at the same time
                assert set(env.rewards.values()) == {0.0}
                waiting += 1
                continue
            for a, r in env.rewards.items():
                owed[a] += r
            told = {a for a, info in env.infos.items() if "illegal" in info}
            assert told == set(answered)
            answered = []
        assert owed == env._cumulative_rewards
    assert waiting


def test_an_illegal_answer_is_refused_when_it_is_given(client: sparrowhall.Client) -> None:
    """Also of a player after whom others answer at the same time."""
    env = sparrowhall.env("ema_2016", illegal="raise", client=client)
    env.reset(seed=2)
    rng, refused = np.random.default_rng(1), 0
    while refused < 3:
        legal = env.last()[0]["action_mask"]
        if env.unwrapped._turns or refused:
            before = env.agent_selection
            with pytest.raises(sparrowhall.IllegalActionError, match="is not among"):
                env.step(int(legal.argmin()))
            assert env.agent_selection == before
            refused += 1
        env.step(int(rng.choice(np.flatnonzero(legal))))
    env.close()


def test_max_cycles(ruleset: str, client: sparrowhall.Client) -> None:
    class Module:
        """What PettingZoo takes for the module of an environment."""

        @staticmethod
        def env(**arguments: Any) -> Any:
            return sparrowhall.env(ruleset, client=client, **arguments)

        @staticmethod
        def parallel_env(**arguments: Any) -> Any:
            return sparrowhall.parallel_env(ruleset, client=client, **arguments)

    max_cycles_test(Module)
    api_test(sparrowhall.env(ruleset, max_cycles=30, client=client), num_cycles=200)
    parallel_api_test(
        sparrowhall.parallel_env(ruleset, max_cycles=30, client=client), num_cycles=60
    )


def test_state(ruleset: str, client: sparrowhall.Client) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # points have no bounds
        state_test(
            sparrowhall.env(ruleset, client=client),
            sparrowhall.parallel_env(ruleset, client=client),
            20,
        )


def test_the_state_shows_what_the_players_see(client: sparrowhall.Client) -> None:
    env = sparrowhall.parallel_env("ema_2016", client=client)
    obs, infos = env.reset(seed=3)
    spec = client.observation("oracle")
    sizes = np.cumsum([np.prod(t.shape) for t in spec.tensors])
    parts = dict(zip([t.name for t in spec.tensors], np.split(env.state(), sizes), strict=False))
    hands = parts["hands"].reshape(spec["hands"].shape)
    for p in range(1, 4):
        own = env._table.tables.show(0, p, "planes")["planes"][:4]
        assert (hands[4 * p - 4 : 4 * p] == own).all()
    # What is said to come next comes next.
    wall = parts["hidden"][spec["hidden"].field("wall")[1:]]
    asked = next(a for a in env.agents if infos[a]["asked"])
    while True:
        obs, _, _, _, infos = env.step(
            {
                a: sparrowhall.action_id("pass" if a != asked else "discard drawn")
                for a in env.agents
            }
        )
        if infos["player_1"]["asked"] and not obs["player_1"]["action_mask"][163]:
            break
    drawn = obs["player_1"]["observation"]["state"][
        client.observation("planes")["state"].field("drawn")[1:]
    ]
    assert drawn[0] == wall[0]
    env.close()


def test_the_oracle_must_be_allowed() -> None:
    from sparrowhall.server import find_binary

    serve = [str(find_binary()), "serve", "--listen", "127.0.0.1:0", "--stop-with-stdin"]
    with subprocess.Popen(
        serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        with sparrowhall.connect(address) as stranger:
            with pytest.raises(ValueError, match="only with --allow-hidden"):
                sparrowhall.make_vec("ema_2016", observation="oracle", client=stranger)
            with pytest.raises(sparrowhall.RequestError, match=r"BAD_OBSERVATION.*--allow-hidden"):
                stranger.open("ema_2016", observation="oracle")
            tables = stranger.open("ema_2016")
            tables.recv()
            with pytest.raises(sparrowhall.RequestError, match=r"BAD_OBSERVATION.*--allow-hidden"):
                tables._call(
                    "inspected", inspect=pb.Inspect(table=0, player=0, observation="oracle")
                )
        assert process.stdin is not None
        process.stdin.close()


def test_players_who_are_not_asked_can_only_pass(client: sparrowhall.Client) -> None:
    env = sparrowhall.parallel_env("zung_jung", client=client)
    obs, infos = env.reset(seed=2)
    asked = [a for a in env.agents if infos[a]["asked"]]
    assert len(asked) == 1
    for agent in env.agents:
        legal = np.flatnonzero(obs[agent]["action_mask"])
        if agent in asked:
            assert len(legal) > 1
        else:
            assert [sparrowhall.action_text(a) for a in legal] == ["pass"]


@pytest.mark.parametrize("ruleset", ["zung_jung", "hkma_hktw"])
def test_infos_of_the_parallel_environment_have_the_same_keys(
    ruleset: str, client: sparrowhall.Client
) -> None:
    """TorchRL stacks them over the players and takes their keys from the first step."""
    for episode in ("hand", "match"):
        env = sparrowhall.parallel_env(ruleset, episode=episode, client=client)
        obs, infos = env.reset(seed=2)
        keys = {"asked", "illegal", "points", "rank", "placement", "seed"}
        keys |= {"owed"} if ruleset == "hkma_hktw" else set()
        while env.agents:
            assert [set(infos[a]) for a in env.possible_agents] == [keys] * 4
            assert [infos[a]["seed"] for a in env.agents] == [0] * 4
            actions = {a: int(obs[a]["action_mask"].argmax()) for a in env.agents}
            obs, _, _, _, infos = env.step(actions)
        assert [set(infos[a]) for a in env.possible_agents] == [keys] * 4
        seeds = {infos[a]["seed"] for a in env.possible_agents}
        assert len(seeds) == 1
        # The seed is only known when the match is over. PyTorch needs it within 63 bits.
        assert 0 < seeds.pop() < 2**63 if episode == "match" else seeds == {0}
        env.close()


def test_render(client: sparrowhall.Client) -> None:
    env = sparrowhall.env("zung_jung", render_mode="ansi", client=client)
    env.reset(seed=1)
    assert env.render().startswith("zung_jung")
    env.close()


def test_actions_that_are_none_are_refused(client: sparrowhall.Client) -> None:
    """The table stays as it was."""
    env = sparrowhall.parallel_env("zung_jung", client=client)
    obs, infos = env.reset(seed=1)
    actions = {a: int(o["action_mask"].argmax()) for a, o in obs.items()}
    asked = next(a for a in actions if infos[a]["asked"])
    with pytest.raises(ValueError, match="'player_9', who is not at the table; allowed: player_0"):
        env.step(actions | {"player_9": 0})
    with pytest.raises(ValueError, match=f"no action of {asked}"):
        env.step({a: n for a, n in actions.items() if a != asked})
    for agent in actions:
        with pytest.raises(ValueError, match=f"action 180 of {agent} is no action"):
            env.step(actions | {agent: 180})
    with pytest.raises(ValueError, match="actions is None; allowed: a dictionary"):
        env.step(None)
    env.step(actions)
    env.close()
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset before step"):
        env.step(actions)
    aec = sparrowhall.env("zung_jung", client=client)
    aec.reset(seed=1)
    with pytest.raises(ValueError, match="action -1 of player_0 is no action; allowed: 0 to 179"):
        aec.step(-1)
    aec.step(int(aec.last()[0]["action_mask"].argmax()))
    aec.close()
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset before step"):
        aec.step(0)
