"""Tables of three players: environments, opponents, observations and refusals."""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from conftest import over
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import sparrowhall
from sparrowhall import reward, serve_agent
from sparrowhall.decoded import Decoder

KITA = sparrowhall.action_id("kita")


@pytest.fixture(params=["tenhou_sanma", "mahjong_soul_sanma"])
def three(request: pytest.FixtureRequest) -> str:
    """A preset of three players."""
    return str(request.param)


TENHOU = "tenhou_sanma"


def choose(mask: NDArray[Any], seed: int = 1) -> NDArray[np.uint8]:
    """Return random legal actions."""
    return sparrowhall.sample(mask.view(np.uint8), np.random.default_rng(seed))


@pytest.mark.filterwarnings("ignore")
def test_check_env(three: str, client: sparrowhall.Client) -> None:
    for observation in ("planes", "events", "features", "advice"):
        env = sparrowhall.make(three, observation=observation, client=client)
        check_env(env, skip_render_check=True)
        env.close()
    decoded = sparrowhall.make(three, observation="features", decoded=True, client=client)
    check_env(decoded, skip_render_check=True)
    decoded.close()


@pytest.mark.filterwarnings("ignore")
def test_api(three: str, client: sparrowhall.Client) -> None:
    api_test(sparrowhall.env(three, client=client), num_cycles=100)
    api_test(sparrowhall.env(three, episode="hand", max_cycles=20, client=client), num_cycles=200)
    parallel_api_test(sparrowhall.parallel_env(three, client=client), num_cycles=200)
    seed_test(lambda: sparrowhall.env(three, client=client), num_cycles=40)
    parallel_seed_test(lambda: sparrowhall.parallel_env(three, client=client), num_cycles=40)


def test_three_players_sit_at_a_table(three: str, client: sparrowhall.Client) -> None:
    env = sparrowhall.parallel_env(three, reward="rank", client=client)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    obs, _ = env.reset(seed=4)
    total, kita = dict.fromkeys(env.agents, 0.0), 0
    while env.agents:
        for agent in env.agents:
            assert obs[agent] in env.observation_space(agent)
            assert obs[agent]["action_mask"].shape == (181,)
        actions = {a: int(choose(obs[a]["action_mask"][None])[0]) for a in env.agents}
        actions = {a: KITA if obs[a]["action_mask"][KITA] else n for a, n in actions.items()}
        kita += list(actions.values()).count(KITA)
        obs, rewards, _, _, infos = env.step(actions)
        for agent, worth in rewards.items():
            total[agent] += worth
    assert kita
    assert sum(total.values()) == 0
    points = {a: infos[a]["points"] for a in total}
    worth = {p: [w for a, w in total.items() if points[a] == p] for p in points.values()}
    assert all(len(set(same)) == 1 for same in worth.values())
    assert sorted(infos[a]["rank"] for a in total) == [1, 2, 3]
    assert sum(infos[a]["points"] for a in total) == 105_000
    env.close()


def test_a_single_table_plays_to_its_end(three: str, client: sparrowhall.Client) -> None:
    for mode in ("ansi", "rgb_array"):
        env = sparrowhall.make(
            three, opponents=["greedy", "random"], render_mode=mode, client=client
        )
        assert env.action_space == gymnasium.spaces.Discrete(181)
        obs, _ = env.reset(seed=3)
        total, ended, players = 0.0, False, set()
        while not ended:
            action = KITA if obs["action_mask"][KITA] else int(choose(obs["action_mask"][None])[0])
            obs, gained, terminated, truncated, info = env.step(action)
            players.add(info["player"])
            total += gained
            ended = terminated or truncated
        assert total == info["points"] - 35_000
        assert info["rank"] in (1, 2, 3)
        assert players <= {0, 1, 2}
        shown = env.render()
        assert "player +2" in shown if mode == "ansi" else shown.shape == (720, 720, 3)
        assert mode != "ansi" or "player +3" not in shown
        env.close()


def test_many_tables(three: str, client: sparrowhall.Client) -> None:
    env = sparrowhall.make_vec(three, 6, opponents="random", episode="hand", client=client)
    obs, info = env.reset(seed=2)
    assert info["player"].tolist() == [0, 2, 1, 0, 2, 1]
    ends = 0
    for step in range(80):
        assert obs in env.observation_space
        obs, _, terminated, truncated, info = env.step(choose(obs["action_mask"], step))
        ends += (terminated | truncated).sum()
        assert info["player"].max() <= 2
    assert ends
    env.close()


@pytest.mark.parametrize("transport", ["inprocess", "shared", "grpc"])
def test_rows_are_the_same_by_every_transport(
    transport: sparrowhall.Transport, server: sparrowhall.Client
) -> None:
    """The masks, observations and playouts of a transport are those of gRPC."""
    clients = [over(server, transport), over(server, "grpc")]
    both = [c.open(TENHOU, 5, seed=3, observation="features", episode="hand") for c in clients]
    for tables in both:
        assert (tables.seats, tables.actions, tables.action_table_version) == (3, 181, 2)
        assert tables.ruleset.seats == 3
        assert tables.spec is not None
        assert (tables.spec.seats, tables.spec.version) == (3, 2)
        assert tables.spec == tables._client.observation("features", 3)
    kita = 0
    rng = np.random.default_rng(1)
    batches = [tables.recv() for tables in both]
    for step in range(150):
        one, two = batches
        assert one.mask.shape == (len(one), 181)
        assert (one.mask == two.mask).all()
        assert (one.mask_words == two.mask_words).all()
        assert (one.player == two.player).all()
        assert one.player.max() <= 2
        for name, tensor in one.observation.items():
            assert (tensor == two.observation[name]).all()
        actions = sparrowhall.sample(one.mask_words, rng)
        may = one.mask[:, KITA] != 0
        kita += may.sum()
        actions[may] = KITA
        if step == 20:
            row = int(np.flatnonzero(one.asked)[0])
            at = (one.table[row], one.player[row])
            played = [t.playout(*at, [actions[row]], "greedy") for t in both]
            assert played[0].points.shape == (1, 3)
            assert (played[0].points == played[1].points).all()
        batches = [t.act(b, actions) for t, b in zip(both, batches, strict=True)]
    assert kita
    for tables in both:
        tables.close()


@pytest.mark.parametrize("believed", [False, True])
def test_a_view_does_not_depend_on_hidden_tiles(client: sparrowhall.Client, believed: bool) -> None:
    with client.open(TENHOU, 3, seed=6, observation="features") as tables:
        batch, others = tables.recv(), 0
        for step in range(40):
            row = int(np.flatnonzero(batch.asked & (batch.table == 0))[0])
            player = batch.player[row]
            seen = batch.observation_of(row)
            dealt = tables.redeal([0, 0], [player] * 2, [step, step + 1], [1, 2], believed=believed)
            assert dealt is not None
            for i in np.flatnonzero(dealt.player == player).tolist():
                assert (dealt.mask[i] == batch.mask[row]).all()
                for name, tensor in dealt.observation_of(i).items():
                    assert (tensor == seen[name]).all()
            oracles = [tables.show(t, int(player), "oracle")["hands"] for t in (0, 1)]
            others += (oracles[0] != oracles[1]).any()
            mine = np.flatnonzero(batch.table == 0)
            actions = sparrowhall.sample(batch.mask_words[mine])
            tables.send(batch.table[mine], batch.player[mine], batch.step[mine], actions)
            batch = tables.recv()
        assert others > 30


def test_opponents_are_two(client: sparrowhall.Client) -> None:
    def policy(d: sparrowhall.Decisions) -> NDArray[np.uint8]:
        assert d.mask.shape == (len(d), 181)
        assert d.player.max() <= 2
        assert d.observation["planes"].shape[1:] == (62, 34)
        return choose(d.mask)

    league = sparrowhall.League({"greedy": "greedy", "own": policy})
    with serve_agent(policy, "localhost:0") as server:
        for opponents in (policy, ["greedy", policy], [f"grpc:{server.address}", "value"], league):
            env = sparrowhall.make_vec(TENHOU, 7, opponents=opponents, client=client)
            obs, info = env.reset(seed=1)
            assert info["player"].tolist() == [0, 1, 2, 0, 1, 2, 0]
            for step in range(30):
                obs, *_ = env.step(choose(obs["action_mask"], step))
            env.close()


@pytest.mark.parametrize("make", [sparrowhall.make, sparrowhall.make_vec])
def test_another_number_of_players_is_refused(make: Any, client: sparrowhall.Client) -> None:
    for ruleset, number, words in (
        (TENHOU, 1, "opponents has 1 players; allowed at a table of three: one or two"),
        (TENHOU, 3, "opponents has 3 players; allowed at a table of three: one or two"),
        ("ema_2016", 2, "opponents has 2 players; allowed at a table of four: one or three"),
    ):
        with pytest.raises(ValueError, match=words):
            make(ruleset, opponents=["greedy"] * number, client=client)
    with pytest.raises(ValueError, match="seat is 3; allowed: 0, 1, 2 or None"):
        make(TENHOU, seat=3, client=client)
    for ruleset, seats, players in ((TENHOU, 4, 3), (TENHOU, 2, 3), ("ema_2016", 3, 4)):
        with pytest.raises(sparrowhall.RequestError, match=f"is for {players} players"):
            client.open(ruleset, seats=["external"] * seats)


def test_a_decoder_and_masks_are_of_one_number_of_players(client: sparrowhall.Client) -> None:
    with client.open(TENHOU, 4, seed=3) as tables:
        assert tables.spec is not None
        decoder = Decoder(tables.spec, points=35_000)
        batch, causes = tables.recv(), set()
        space = decoder.space["state"]
        for step in range(300):
            state = decoder(batch.observation)["state"]
            assert (state >= space.low).all()
            assert (state <= space.high).all()
            causes |= set(batch.observation["state"][:, 2].tolist())
            kita = batch.mask[:, KITA] != 0
            actions = choose(batch.mask, step)
            batch = tables.act(batch, np.where(kita, KITA, actions))
        assert 5 in causes
    with client.open("tenhou") as tables, pytest.raises(sparrowhall.RequestError, match="180"):
        tables.act(tables.recv(), [KITA])


def test_expected_rank_of_three(client: sparrowhall.Client) -> None:
    with client.open(TENHOU) as tables:
        rules = tables.ruleset
    points = np.array([[35_000.0] * 3, [80_000.0, 20_000.0, 5_000.0]])
    equal, ahead = reward.expected_rank(points, np.array([0, 1]), rules)
    assert equal == 2
    assert 1 < ahead < 1.3
    env = sparrowhall.make_vec(TENHOU, 4, reward="points", shaping=1000.0, client=client)
    obs, _ = env.reset(seed=1)
    moved = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for step in range(100):
            obs, rewards, *_ = env.step(choose(obs["action_mask"], step))
            moved += (rewards != 0).sum()
    assert moved
    env.close()


def test_networks_of_four_players_are_refused() -> None:
    pytest.importorskip("torch", reason="NO PYTORCH")
    from sparrowhall.learn import Network

    with sparrowhall.local() as client:
        with pytest.raises(ValueError, match="for four players; the observation 'planes' is for 3"):
            Network(client.observation("planes", 3))
        network = Network(client.observation("planes"))
        env = sparrowhall.make_vec(TENHOU, 2, opponents=network.act, client=client)
        with pytest.raises(ValueError, match="the network is for four players"):
            env.reset(seed=1)


@pytest.mark.parametrize("observation", ["", "features"])
def test_masks_of_datasets(observation: str, tmp_path: Path) -> None:
    """They have every action, with or without an observation."""
    out = tmp_path / "played"
    command = [sparrowhall.find_binary(), "play", "--ruleset", TENHOU, "--matches", "3"]
    subprocess.run([*command, "--out", out], check=True, capture_output=True)
    taken = set()
    for batch in sparrowhall.dataset(out, observation=observation):
        assert batch.mask.shape == (len(batch), 181)
        assert batch.mask[np.arange(len(batch)), batch.action].all()
        taken |= set(batch.action.tolist())
    assert KITA in taken
