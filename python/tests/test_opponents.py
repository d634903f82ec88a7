"""Opponents that the client plays itself."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import over
from numpy.typing import NDArray

import sparrowhall
from sparrowhall import IllegalActionError, serve_agent


def lowest(d: sparrowhall.Decisions) -> NDArray[np.intp]:
    """Take the legal action with the lowest id."""
    return d.mask.argmax(axis=1)


def play(env: sparrowhall.SparrowhallVectorEnv, steps: int, seed: int = 5) -> list[bytes]:
    obs, _ = env.reset(seed=seed)
    rows = []
    for _ in range(steps):
        assert (obs["action_mask"].sum(axis=1) >= 2).all()
        obs, reward, terminated, _, info = env.step(obs["action_mask"].argmax(axis=1))
        rows.append(obs["planes"].tobytes() + reward.tobytes() + terminated.tobytes())
        assert (info["player"] == np.arange(env.num_envs) % 4).all()
    env.close()
    return rows


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
    opponents = lowest if tables % 2 else sparrowhall.League([lowest, "greedy"])
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


@pytest.mark.parametrize("episode", ["match", "hand"])
def test_a_league_is_dealt_for_each_match(client: sparrowhall.Client, episode: Any) -> None:
    def members() -> sparrowhall.League:
        return sparrowhall.League({"low": lowest, "greedy": "greedy", "tsumogiri": "tsumogiri"})

    def season(seed: int) -> tuple[list[Any], sparrowhall.League]:
        league = members()
        env = sparrowhall.make_vec(
            "botzone", 8, opponents=league, episode=episode, observation="planes", client=client
        )
        obs, info = env.reset(seed=seed)
        rows, total, ends = [], np.zeros(8), 0
        for step in range(120):
            before = info["opponents"]
            if step == 60:
                league.add("later", "random")
            obs, reward, terminated, truncated, info = env.step(obs["action_mask"].argmax(axis=1))
            total += reward
            for i in np.flatnonzero(terminated | truncated):
                final = info["final_info"]
                assert (final["opponents"][i] == before[i]).all()
                assert total[i] == final["points"][i]
                assert final["player"][i] != info["player"][i]  # it moves on
                total[i], ends = 0, ends + 1
            rows.append(
                (obs["planes"].tobytes(), reward.tobytes(), [*map(tuple, info["opponents"])])
            )
        env.close()
        assert sum(r.met for r in league.records.values()) == 3 * ends
        assert len({tuple(o) for _, _, o in rows}) > 5
        return rows, league

    (one, league), (two, _), (three, _) = (season(seed) for seed in (1, 1, 2))
    assert one == two
    assert one != three
    assert not any("later" in names for _, _, o in one[:60] for names in o)
    assert any("later" in names for names in one[-1][2])
    # The learner, who takes the lowest action as well, loses to greedy.
    assert league.records["greedy"].win_rate < 0.5
    assert 0.2 < league.records["low"].win_rate < 0.8


def test_the_step_that_ends_a_match_names_its_opponents(client: sparrowhall.Client) -> None:
    league = sparrowhall.League({str(i): (lambda d: d.mask.argmax(axis=1)) for i in range(9)})
    env = sparrowhall.make_vec(
        "botzone", 4, opponents=league, autoreset_mode="NextStep", seed=1, client=client
    )
    obs, info = env.reset()
    ends = others = 0
    for _ in range(80):
        before = info
        obs, _, terminated, _, info = env.step(obs["action_mask"].argmax(axis=1))
        for i in np.flatnonzero(terminated):
            assert (info["opponents"][i] == before["opponents"][i]).all()
            assert (info["opponents"][i] == info["final_info"]["opponents"][i]).all()
            ends += 1
        others += (info["opponents"] != before["opponents"]).any(axis=1).sum()
    assert 0 < others <= ends
    env.close()


def test_one_table_with_a_league(client: sparrowhall.Client) -> None:
    league = sparrowhall.League([lowest, "greedy"])
    env = sparrowhall.make("botzone", opponents=league, client=client, seed=3)
    dealt, players = set(), set()
    for _ in range(12):
        obs, info = env.reset()
        assert len(info["opponents"]) == 3
        dealt.add(tuple(info["opponents"]))
        players.add(info["player"])
        over = False
        while not over:
            obs, _, over, _, info = env.step(int(obs["action_mask"].argmax()))
    env.close()
    assert len(dealt) > 2
    assert players == {0, 1, 2, 3}
    assert sum(r.met for r in league.records.values()) == 36


def test_equal_points_are_half_a_win(client: sparrowhall.Client) -> None:
    """All have equal points after a drawn hand of botzone."""
    league = sparrowhall.League(["tsumogiri"])
    env = sparrowhall.make_vec("botzone", 1, opponents=league, client=client, seed=3)
    obs, _ = env.reset()
    record, before, draws = league.records["tsumogiri"], 0.0, 0
    while record.met < 12:
        obs, _, over, _, info = env.step(obs["action_mask"].argmax(axis=1))
        if over[0] and info["final_info"]["points"][0] == 0:
            draws += 1
            assert record.ahead - before == 1.5
        before = record.ahead
    env.close()
    assert draws
    assert record.win_rate == (record.ahead + 1) / 14


def test_sampling_follows_the_win_rates() -> None:
    league = sparrowhall.League({"a": "greedy", "b": "value"}, sampling="hard")
    assert league.weights().tolist() == [0.5, 0.5]
    league.records["a"].met, league.records["a"].ahead = 18, 15
    assert league.records["a"].win_rate == 0.8
    assert league.weights() == pytest.approx([0.04 / 0.29, 0.25 / 0.29])
    league.sampling = "even"
    assert league.weights() == pytest.approx([0.16 / 0.41, 0.25 / 0.41])
    league.sampling = lambda rates: rates > 0.6
    assert league.weights().tolist() == [1, 0]
    league.sampling = lambda rates: [1, 2, 3]
    with pytest.raises(ValueError, match="for 2 members"):
        league.weights()
    with pytest.raises(ValueError, match="a member 'a' already"):
        league.add("a", "random")
    with pytest.raises(ValueError, match="the league is empty"):
        sparrowhall.make_vec("ema_2016", 2, opponents=sparrowhall.League())
    with pytest.raises(ValueError, match="sampling is 'best'"):
        sparrowhall.League(["greedy"], sampling="best")  # type: ignore[arg-type]


def test_a_copy_of_a_league_has_its_own_networks() -> None:
    def network(text: str) -> Any:
        def export(path: str, family: str = "", card: Any = None) -> None:
            Path(path).write_text(text)

        return SimpleNamespace(observation="planes", family="", export=export, act=lowest)

    def file(league: sparrowhall.League, name: str) -> Path:
        member = league.members[name]
        return Path(str(member.agent if isinstance(member, sparrowhall.Policy) else member)[4:])

    league = sparrowhall.League({"greedy": "greedy", "first": network("first")})
    league.add("made", sparrowhall.Policy(network("made"), "ema_2016"))
    copies = copy.copy(league), copy.deepcopy(league), pickle.loads(pickle.dumps(league))
    for i, one in enumerate((league, *copies)):
        one.add("second", network(f"second {i}"))
        one.records["greedy"].met += 1
    for i, one in enumerate((league, *copies)):
        assert file(one, "second").read_text() == f"second {i}"
        assert one.records["greedy"].met == 1
    files = [file(league, name) for name in ("first", "made", "second")]
    del league, one
    assert not any(f.parent.exists() for f in files)
    for one in copies:
        assert [file(one, name).read_text() for name in ("first", "made")] == ["first", "made"]


def test_a_member_that_does_not_fit_can_be_removed(client: sparrowhall.Client) -> None:
    league = sparrowhall.League({"greedy": "greedy"})
    env = sparrowhall.make_vec("botzone", 4, opponents=league, seed=1, client=client)
    env.reset()
    league.add("other", sparrowhall.Policy(lowest, "mcr_2006"))
    with pytest.raises(ValueError, match="made for mcr_2006"):
        env.reset()
    league.remove("other")
    obs, info = env.reset()
    assert (info["opponents"] == "greedy").all()
    league.add("tsumogiri", "tsumogiri")
    league.remove("greedy")  # whose matches are not over
    assert list(league.records) == list(league.members) == ["tsumogiri"]
    for _ in range(60):
        obs, *_, info = env.step(obs["action_mask"].argmax(axis=1))
    assert (info["opponents"] == "tsumogiri").all()
    with pytest.raises(ValueError, match="a member is 'greedy'; allowed: 'tsumogiri'"):
        league.remove("greedy")
    env.close()


NETWORK = Path(__file__).parents[2] / "internal/agents/net/testdata/planes.safetensors"


@pytest.mark.parametrize("transport", ["inprocess", "shared"])
def test_networks_of_relative_paths_play_out(
    transport: sparrowhall.Transport,
    server: sparrowhall.Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As they play at tables: the path is that of this process, not of the server."""
    monkeypatch.chdir(NETWORK.parent)
    with over(server, transport) as client:
        local = client if transport == "inprocess" else server
        with local.open("ema_2016", 1, seed=1) as tables:
            batch = tables.recv()
            action = batch.mask.argmax(axis=1)
            near, far = (
                tables.playout(batch.table, batch.player, action, f"net:{file}")
                for file in (NETWORK.name, NETWORK)
            )
    assert near.points.tolist() == far.points.tolist()


@pytest.mark.parametrize("transport", ["inprocess", "shared"])
def test_networks_of_files_play(
    transport: sparrowhall.Transport, server: sparrowhall.Client, tmp_path: Path
) -> None:
    """They play as in tournaments; of a server elsewhere, below the folder that it names."""
    name = f"net:{NETWORK}"
    with over(server, transport) as client:
        local = client if transport == "inprocess" else server
        league = sparrowhall.League([name])
        play_once = sparrowhall.make_vec("ema_2016", 3, opponents=league, client=local)
        fixed = sparrowhall.make_vec("ema_2016", 3, opponents=name, seat=0, client=local)
        for env in (play_once, fixed):
            obs, _ = env.reset(seed=1)
            for _ in range(20):
                obs, *_ = env.step(obs["action_mask"].argmax(axis=1))
            env.close()
        with pytest.raises(sparrowhall.RequestError, match="for the family"):
            sparrowhall.make_vec("mcr_2006", 2, opponents=name, client=local)
        with pytest.raises(sparrowhall.RequestError, match="no such file"):
            sparrowhall.make_vec("ema_2016", 2, opponents="net:none", client=local)
    with sparrowhall.local(arguments=["--networks", str(NETWORK.parent)]) as strict:
        remote = sparrowhall.connect(strict.address)
        remote.open("ema_2016", 1, seats=["external", *["net:planes.safetensors"] * 3]).close()
        with pytest.raises(sparrowhall.RequestError, match="escapes"):
            remote.open("ema_2016", 1, seats=["external", *["net:../net.go"] * 3])
        remote.close()


@pytest.mark.parametrize("make", [sparrowhall.make, sparrowhall.make_vec])
def test_what_is_no_opponent_is_named(make: Any, client: sparrowhall.Client) -> None:
    """What would do instead is named as well, and nothing that is refused."""
    network = SimpleNamespace(observation="planes", family="riichi", export=print, act=print)
    taken = "a built-in player's name, 'net:FILE'.*, 'grpc:ADDRESS', a function .*League"
    for opponents, said in (
        (network, r"a network itself; allowed: .*network\.policy\(ruleset\), 'net:FILE' .*League"),
        ([network] * 3, "a network itself"),
        (5, f"an opponent is 5; allowed: {taken}"),
        (["greedy", None, "value"], f"an opponent is None; allowed: {taken}"),
        ("external", f"an opponent is 'external'; allowed: {taken}.*; to play all seats"),
        ([sparrowhall.League(["greedy"])] * 3, "opponents=league"),
    ):
        with pytest.raises(ValueError, match=said):
            make("ema_2016", opponents=opponents, client=client)
    with pytest.raises(sparrowhall.RequestError, match="expert-ppo, net:FILE"):
        make("ema_2016", opponents="nobody", client=client)
    with pytest.raises(sparrowhall.RequestError, match=r"no such file or directory$"):
        make("ema_2016", opponents="net:none", client=client)


def test_an_illegal_answer_is_refused(client: sparrowhall.Client) -> None:
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
