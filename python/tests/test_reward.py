"""Rewards by name, by function, and shaped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import seats_of

import sparrowhall
from sparrowhall.options import SelfPlayOptions
from sparrowhall.reward import expected_rank


def episodes(env: sparrowhall.SparrowhallVectorEnv, discount: float = 1.0) -> list[Any]:
    """Return the sum of rewards and the final info of the first episodes that end."""
    obs, _ = env.reset(seed=3)
    n, rng = env.num_envs, np.random.default_rng(1)
    total, weight, ends = np.zeros(n), np.ones(n), []
    for _ in range(2000):
        if len(ends) >= env.num_envs:
            break
        actions = sparrowhall.sample(obs["action_mask"], rng)
        obs, reward, terminated, truncated, info = env.step(actions)
        total += weight * reward
        weight *= discount
        for i in np.flatnonzero(terminated | truncated):
            final = {k: v[i] for k, v in info["final_info"].items()}
            ends.append((total[i], final))
            total[i], weight[i] = 0, 1
    env.close()
    assert len(ends) >= n
    return ends


def test_placement_and_rank_come_with_the_end_of_the_match(
    ruleset: str, client: sparrowhall.Client
) -> None:
    common: dict[str, Any] = {"num_envs": 6, "client": client}
    for got, final in episodes(sparrowhall.make_vec(ruleset, reward="placement", **common)):
        assert got == pytest.approx(final["placement"])
    worth = {4: (1, 1 / 3, -1 / 3, -1), 3: (1, 0, -1)}[seats_of(client, ruleset)]
    for got, final in episodes(sparrowhall.make_vec(ruleset, reward="rank", **common)):
        tied = worth[final["rank"] - 1 :]
        assert any(got == pytest.approx(np.mean(tied[:k])) for k in range(1, len(tied) + 1))


def worth_of(points: dict[str, float], agent: str) -> float:
    """Return the reward "rank" that follows from final points."""
    ahead = sum(p > points[agent] for p in points.values())
    tied = sum(p == points[agent] for p in points.values())
    return float(1 - 2 * (ahead + (tied - 1) / 2) / (len(points) - 1))


@pytest.mark.parametrize("ruleset", ["ema_2016", "mcr_2006", "hkma_hktw", "tenhou_sanma"])
def test_rank_follows_from_final_points(ruleset: str, client: sparrowhall.Client) -> None:
    """They sum to 0, and what is paid before the match is over is 0."""
    win = sparrowhall.action_id("win")
    env = sparrowhall.parallel_env(ruleset, episode="hand", reward="rank", client=client)
    rng, paid = np.random.default_rng(1), set()
    for seed in range(3 if ruleset == "ema_2016" else 1):
        obs, infos = env.reset(seed=seed)
        for _ in range(40):
            while env.agents:
                masks = {a: o["action_mask"] for a, o in obs.items()}
                drawn = {a: int(sparrowhall.sample(m, rng)) for a, m in masks.items()}
                actions = {a: win if masks[a][win] else n for a, n in drawn.items()}
                obs, rewards, _, _, infos = env.step(actions)
            assert sum(rewards.values()) == pytest.approx(0)
            points = {a: i["points"] for a, i in infos.items()}
            over = infos["player_0"]["rank"] > 0
            for agent, reward in rewards.items():
                assert reward == pytest.approx(worth_of(points, agent) if over else 0)
            paid |= set(rewards.values())
            if over:
                break
            obs, infos = env.reset()
    assert len(paid) > 1 or ruleset != "ema_2016"  # others rarely win at random
    env.close()


def test_what_is_owed_is_worth_its_points(client: sparrowhall.Client) -> None:
    """Under rulesets with debts a win moves nothing at first."""
    played = {}
    for reward in ("points", "points_clipped"):
        env = sparrowhall.make_vec(
            "hkma_hktw", 16, episode="hand", reward=reward, opponents="greedy", client=client
        )
        rng, (obs, _) = np.random.default_rng(3), env.reset(seed=5)
        rewards, owed = [], []
        for _ in range(100):
            obs, paid, _, _, info = env.step(sparrowhall.sample(obs["action_mask"], rng))
            rewards.append(paid)
            owed.append(info["owed"])
        env.close()
        played[reward] = np.array(rewards), np.array(owed)
    moved, owes = played["points"]
    assert owes.any()
    assert played["points_clipped"][0] == pytest.approx(np.clip((moved + owes) / 67, -3, 3))


def test_luck_is_that_of_what_is_owed_as_well(client: sparrowhall.Client) -> None:
    """Hands of players who take the advice of value vary less without it."""
    deviations = []
    for reward in ("points", "luck_adjusted"):
        opened = client.open(
            "hkma_hktw",
            128,
            seed=3,
            episode="hand",
            observation="advice:value",
            luck_adjusted=reward == "luck_adjusted",
        )
        with opened as tables:
            batch, sums, hands = tables.recv(), np.zeros(512), list[float]()
            assert batch is not None
            while len(hands) < 2000:
                best = batch.observation["candidates"][:, 0, 0].astype(int)
                action = np.where(
                    best > 0, best - 1, sparrowhall.actions.default_action(batch.mask)
                )
                batch = tables.act(batch, action.astype(np.uint8))
                actor = batch.table.astype(int) * 4 + batch.player
                np.add.at(sums, actor, batch.reward + batch.owed)
                hands += sums[actor[batch.last.row]].tolist()
                sums[actor[batch.last.row]] = 0
            deviations.append(np.std(hands))
    assert deviations[1] < 0.8 * deviations[0]


@pytest.mark.parametrize("episode", ["match", "hand"])
@pytest.mark.parametrize("ruleset", ["mcr_2006", "tenhou_sanma"])
def test_tied_players_share_their_places(
    ruleset: str, episode: Any, client: sparrowhall.Client
) -> None:
    """The rewards of a match sum to 0, and equal final points have equal rewards."""
    seats = seats_of(client, ruleset)
    pass_, drawn = sparrowhall.action_id("pass"), sparrowhall.action_id("discard drawn")
    ended: dict[int, dict[float, float]] = {}
    with sparrowhall.make_selfplay(
        ruleset, 2, seed=1, episode=episode, reward="rank", client=client
    ) as env:
        turn = env.reset()
        while len(ended) < 2:
            mask = turn.mask.astype(bool)  # no player ever wins, so that all are tied
            actions = np.where(mask[:, drawn], drawn, mask.argmax(axis=1))
            turn = env.step(np.where(mask[:, pass_], pass_, actions))
            if (ends := turn.ends) is None:
                continue
            for table in np.unique(ends.actor // seats):
                rows = ends.actor // seats == table
                returns, points = ends.returns[rows], ends.points[rows]
                assert returns.sum() == pytest.approx(0)
                if (ends.rank[rows] == 0).all():  # a hand that does not end the match
                    assert not returns.any()
                    continue
                mean = {p: float(returns[points == p].mean()) for p in points.tolist()}
                assert returns == pytest.approx([mean[p] for p in points.tolist()])
                ended[int(table)] = mean


@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_shaping_adds_up_to_the_first_potential(
    discount: float, client: sparrowhall.Client
) -> None:
    """Over a match the discounted changes of the potential leave what it was at first."""
    env = sparrowhall.make_vec(
        "botzone",
        8,
        reward=lambda moves: np.zeros(len(moves.points)),
        shaping=2.0,
        discount=discount,
        client=client,
    )
    for got, _ in episodes(env, discount):
        assert got == pytest.approx(0, abs=1e-9)  # all have the same points at first
    shaped = sparrowhall.make_vec("ema_2016", 8, reward="rank", shaping=1.0, client=client)
    for got, final in episodes(shaped):
        assert got == pytest.approx((5 - 2 * int(final["rank"])) / 3, abs=0.3)


def test_a_function_sees_all_rows(client: sparrowhall.Client) -> None:
    def twice(moves: sparrowhall.Moves) -> Any:
        assert (moves.over == (moves.rank > 0)).all()
        return 2 * moves.points

    points = episodes(sparrowhall.make_vec("botzone", 8, client=client, opponents="greedy"))
    assert points
    for got, final in episodes(sparrowhall.make_vec("botzone", 8, reward=twice, client=client)):
        assert got == 2 * final["points"]
    wrong = sparrowhall.make_vec("botzone", 8, reward=lambda moves: 1.0, client=client)
    with pytest.raises(ValueError, match="shape"):
        wrong.reset(seed=1)
    wrong.close()


def test_expected_rank(client: sparrowhall.Client) -> None:
    (rules,) = (r for r in client.description.rulesets if r.name == "ema_2016")
    points = np.array([[25000.0] * 4, [40000, 20000, 20000, 20000], [0, 1e6, 1e6, 1e6]])
    early = expected_rank(points, np.array([0, 0, 0]), rules)
    late = expected_rank(points, np.array([1, 1, 1]), rules)
    assert early[0] == pytest.approx(2.5)
    assert 1 < late[1] < early[1] < 2.5
    assert late[2] == pytest.approx(4)


def test_both_kinds_of_table_give_the_same(client: sparrowhall.Client) -> None:
    env = sparrowhall.parallel_env(
        "botzone", reward="rank", shaping=1.0, illegal="default", client=client
    )
    env.reset(seed=1)
    total = dict.fromkeys(env.possible_agents, 0.0)
    infos: dict[str, Any] = {}
    while env.agents:
        _, rewards, _, _, infos = env.step(dict.fromkeys(env.agents, 45))
        for agent, reward in rewards.items():
            total[agent] += reward
    points = {agent: info["points"] for agent, info in infos.items()}
    for agent in points:
        assert total[agent] == pytest.approx(worth_of(points, agent), abs=0.1)
    env.close()


def test_a_given_wall_does_not_change_the_spread(client: sparrowhall.Client) -> None:
    same: dict[str, Any] = {"toml": 'base = "ema_2016"\nkuitan = false\n', "client": client}
    one, other = (
        SelfPlayOptions(**same, reward="points_clipped", wall=wall).spread
        for wall in (None, "E 123m456p789s1122z\ndraws 9m\n")
    )
    assert one == other


@pytest.mark.parametrize("toml", [None, 'base = "ema_2016"\nkuitan = false\n'])
def test_points_clipped(toml: str | None, client: sparrowhall.Client) -> None:
    """They are points in the spread: that of the family, or of a run for rules of one's own."""
    seen: list[sparrowhall.Moves] = []

    def reward(moves: sparrowhall.Moves) -> Any:
        seen.append(moves)
        return moves.points

    ruleset = None if toml else "ema_2016"
    common: dict[str, Any] = {"toml": toml, "episode": "hand", "seed": 2, "client": client}
    plain = sparrowhall.make_vec(ruleset, 8, reward=reward, **common)
    clipped = sparrowhall.make_vec(ruleset, 8, reward="points_clipped", **common)
    obs, _ = plain.reset()
    clipped.reset()
    rng, most = np.random.default_rng(1), 0.0
    for _ in range(400):
        actions = sparrowhall.sample(obs["action_mask"], rng)
        obs, points, *_ = plain.step(actions)
        got = clipped.step(actions)[1]
        spread = seen[0].spread
        assert got == pytest.approx(np.clip(points / spread, -3, 3))
        most = max(most, float(np.abs(points / spread).max()))
    assert most > 0.3
    assert spread == pytest.approx(6700, rel=0.15)
    assert (spread == 6700) == (toml is None)
    plain.close()
    clipped.close()


@pytest.mark.parametrize("ruleset", ["zung_jung", "tenhou_sanma"])
def test_luck_is_taken_off(ruleset: str, client: sparrowhall.Client) -> None:
    """Rewards differ, by numbers whose mean is near 0, and tables are not copied."""
    common: dict[str, Any] = {"episode": "hand", "seed": 2, "client": client}
    plain = sparrowhall.make_selfplay(ruleset, 32, **common)
    adjusted = sparrowhall.make_selfplay(ruleset, 32, reward="luck_adjusted", **common)
    turn, _ = plain.reset(), adjusted.reset()
    rng, luck = np.random.default_rng(1), []
    for _ in range(300):
        actions = sparrowhall.sample(turn.mask_words, rng)
        turn, other = plain.step(actions), adjusted.step(actions)
        luck += (turn.reward - other.reward).tolist()
        if turn.ends is not None:
            luck += (turn.ends.reward - other.ends.reward).tolist()
    adjusted.close()
    plain.close()
    assert np.count_nonzero(luck) > len(luck) / 4
    assert abs(np.mean(luck)) < 4 * np.std(luck) / np.sqrt(len(luck))
    with client.open(ruleset, 2, luck_adjusted=True) as tables:
        batch = tables.recv()
        with pytest.raises(sparrowhall.RequestError, match="luck-adjusted"):
            tables.snapshot([0])
        with pytest.raises(sparrowhall.RequestError, match="luck-adjusted"):
            tables.fork([0], [1])
        assert len(tables.act(batch, sparrowhall.sample(batch.mask_words)))
