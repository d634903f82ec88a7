from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from conftest import seats_of
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import sparrowhall
from sparrowhall import IllegalActionError

PASS = sparrowhall.action_id("pass")


def rollout(env: sparrowhall.SparrowhallVectorEnv, steps: int, seed: int = 5) -> list[Any]:
    """Play random legal actions and return all that was told."""
    rng = np.random.default_rng(seed)
    obs, info = env.reset(seed=seed)
    told: list[Any] = [(obs, info)]
    for _ in range(steps):
        told.append(env.step(sparrowhall.sample(info["action_mask"].view(np.uint8), rng)))
        info = told[-1][4]
    return told


def test_check_env(ruleset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # It shows windows, which wait for the time of a frame.
    monkeypatch.setitem(sparrowhall.SparrowhallEnv.metadata, "render_fps", 1000)
    env = gymnasium.make(f"sparrowhall.gym:sparrowhall/{ruleset}-v1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # What the checker says of points, which have no bounds.
        warnings.filterwarnings("ignore", message=".*Box observation space.*")
        check_env(env.unwrapped)
    env.close()


def test_single_env_plays_a_match_to_its_end(ruleset: str, client: sparrowhall.Client) -> None:
    env = sparrowhall.make(ruleset, client=client)
    rng = np.random.default_rng(1)
    obs, _ = env.reset(seed=3)
    total, ended = 0.0, False
    while not ended:
        action = sparrowhall.sample(obs["action_mask"][None].view(np.uint8), rng)[0]
        obs, reward, terminated, truncated, info = env.step(action)
        assert obs in env.observation_space
        total += reward
        ended = terminated or truncated
    (rules,) = (r for r in client.description.rulesets if r.name == ruleset)
    assert total == info["points"] - rules.starting_points / rules.units_per_point
    assert info["rank"] in (1, 2, 3, 4)
    assert np.flatnonzero(obs["action_mask"]).tolist() == [PASS]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.close()


def test_vector_env(ruleset: str, client: sparrowhall.Client) -> None:
    env = sparrowhall.make_vec(
        ruleset, num_envs=6, opponents="random", episode="hand", client=client
    )
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    actions = {4: 180, 3: 181}[seats_of(client, ruleset)]
    assert env.single_action_space == gymnasium.spaces.Discrete(actions)
    ends = 0
    for obs, *rest in rollout(env, 60):
        assert obs in env.observation_space
        info = rest[-1]
        assert (info["action_mask"] == obs["action_mask"]).all()
        assert (obs["action_mask"].sum(axis=1) >= 2).all()
        if len(rest) == 1:
            continue
        _, terminated, truncated, _ = rest
        done = terminated | truncated
        ends += done.sum()
        assert ("final_obs" in info) == done.any()
        for i in np.flatnonzero(done):
            assert info["final_obs"][i] in env.single_observation_space
            assert np.flatnonzero(info["final_obs"][i]["action_mask"]).tolist() == [PASS]
            assert info["_final_info"][i]
    assert ends > 0
    env.close()


def test_vector_env_is_a_function_of_its_seed(ruleset: str, client: sparrowhall.Client) -> None:
    one, two, three = (
        rollout(sparrowhall.make_vec(ruleset, 4, client=client), 40, seed) for seed in (7, 7, 8)
    )
    assert data_equivalence(one, two)
    assert not data_equivalence(one, three)


@pytest.mark.parametrize("ruleset", ["ema_2016", "botzone", "hkma_hktw"])
def test_rewards_add_up_to_the_points(ruleset: str, client: sparrowhall.Client) -> None:
    env = sparrowhall.make_vec(ruleset, 8, client=client)
    (rules,) = (r for r in client.description.rulesets if r.name == ruleset)
    start = rules.starting_points / rules.units_per_point
    total, ends = np.zeros(8), 0
    for _, reward, terminated, truncated, info in rollout(env, 400)[1:]:
        total += reward
        for i in np.flatnonzero(terminated | truncated):
            assert total[i] == info["final_info"]["points"][i] - start
            total[i], ends = 0, ends + 1
    assert ends > 0
    env.close()


def test_vector_env_counts_episodes_with_gymnasiums_wrapper(client: sparrowhall.Client) -> None:
    env = RecordEpisodeStatistics(
        sparrowhall.make_vec("zung_jung", 8, episode="hand", opponents="random", client=client)
    )
    rng = np.random.default_rng(1)
    obs, _ = env.reset(seed=1)
    counted = False
    for _ in range(200):
        obs, _, terminated, _, info = env.step(
            sparrowhall.sample(obs["action_mask"].view(np.uint8), rng)
        )
        counted |= terminated.any()
        assert terminated.any() == ("episode" in info)
    assert counted
    env.close()


def test_next_step_autoreset_plays_the_same(client: sparrowhall.Client) -> None:
    """With the step between episodes left out, both modes tell the same."""
    arguments = {"num_envs": 5, "episode": "hand", "opponents": "random", "client": client}
    same = sparrowhall.make_vec("ema_2016", **arguments)
    after = sparrowhall.make_vec("ema_2016", autoreset_mode="NextStep", **arguments)
    assert after.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP

    def play(env: sparrowhall.SparrowhallVectorEnv, steps: int) -> list[list[Any]]:
        told: list[list[Any]] = [[] for _ in range(5)]
        obs, _ = env.reset(seed=3)
        idle = np.zeros(5, bool)
        for _ in range(steps):
            # The first legal action but for an idle table, where any number will do.
            actions = np.where(idle, 179, obs["action_mask"].argmax(axis=1))
            obs, reward, terminated, truncated, info = env.step(actions)
            ended = terminated | truncated
            for i in np.flatnonzero(~idle):
                last = info["final_obs"][i] if "final_obs" in info and ended[i] else None
                seen = last or {key: array[i] for key, array in obs.items()}
                told[i].append((reward[i], ended[i], seen["planes"].tobytes()))
            assert not reward[idle].any()
            assert not ended[idle].any()
            idle = ended if env is after else idle
        return told

    one, two = play(same, 90), play(after, 90)
    for a, b in zip(one, two, strict=True):
        assert any(ended for _, ended, _ in b)
        assert a[: len(b)] == b
    same.close()
    after.close()


def test_without_autoreset_it_plays_the_same(client: sparrowhall.Client) -> None:
    """Resets by hand lead to the same hands as those in the same step."""
    arguments = {"num_envs": 4, "episode": "hand", "client": client}
    same = sparrowhall.make_vec("ema_2016", **arguments)
    by_hand = sparrowhall.make_vec("ema_2016", autoreset_mode=AutoresetMode.DISABLED, **arguments)
    one, _ = same.reset(seed=3)
    two, _ = by_hand.reset(seed=3)
    ends = 0
    for _ in range(60):
        assert (one["planes"] == two["planes"]).all()
        actions = one["action_mask"].argmax(axis=1)
        one, _, terminated, truncated, info = same.step(actions)
        two, *_ = by_hand.step(actions)
        ended = terminated | truncated
        for i in np.flatnonzero(ended):
            assert (info["final_obs"][i]["planes"] == two["planes"][i]).all()
        if ended.any():
            with pytest.raises(gymnasium.error.ResetNeeded, match="reset_mask"):
                by_hand.step(actions)
            two, _ = by_hand.reset(options={"reset_mask": ended})
            ends += int(ended.sum())
    assert ends > 3
    same.close()
    by_hand.close()


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("ruleset", ["ema_2016", "botzone", "hkma_hktw"])
def test_steps_without_ends_tell_the_same_as_others(
    ruleset: str,
    mode: AutoresetMode,
    client: sparrowhall.Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    going_on = 0
    sooner = sparrowhall.SparrowhallVectorEnv._step_without_ends

    def counted(env: sparrowhall.SparrowhallVectorEnv, *rest: Any) -> Any:
        nonlocal going_on
        going_on += 1
        return sooner(env, *rest)

    monkeypatch.setattr(sparrowhall.SparrowhallVectorEnv, "_step_without_ends", counted)

    def play(*, plainly: bool) -> list[Any]:
        env = sparrowhall.make_vec(
            ruleset, 3, episode="hand", reward="rank", autoreset_mode=mode, client=client
        )
        rng = np.random.default_rng(4)
        told: list[Any] = [env.reset(seed=6)]
        mask = told[-1][1]["action_mask"]
        for i in range(150):
            actions = sparrowhall.sample(mask, rng).astype(np.int64)
            if i % 7 == 0:
                actions[i % 3] = (0, 162, 179)[i // 7 % 3]
            if plainly:
                env._decisions = None
            told.append(env.step(actions))
            mask, ended = told[-1][4]["action_mask"], told[-1][2] | told[-1][3]
            if mode is AutoresetMode.DISABLED and ended.any():
                told.append(env.reset(options={"reset_mask": ended}))
                mask = told[-1][1]["action_mask"]
        env.close()
        return told

    plain = play(plainly=True)
    assert going_on == 0
    assert data_equivalence(plain, play(plainly=False))
    assert going_on > 50


def test_wrappers_of_gymnasium_take_next_step(client: sparrowhall.Client) -> None:
    from gymnasium.wrappers.vector import NormalizeReward

    env = NormalizeReward(
        sparrowhall.make_vec("zung_jung", 4, client=client, autoreset_mode=AutoresetMode.NEXT_STEP)
    )
    obs, _ = env.reset(seed=1)
    for _ in range(20):
        obs, *_ = env.step(sparrowhall.sample(obs["action_mask"]))
    env.close()


def test_action_masks(client: sparrowhall.Client) -> None:
    one, many = (
        sparrowhall.make("ema_2016", client=client),
        sparrowhall.make_vec("ema_2016", 3, client=client),
    )
    obs, _ = one.reset(seed=1)
    assert (one.action_masks() == (obs["action_mask"] == 1)).all()
    obs, _ = many.reset(seed=1)
    assert (many.action_masks() == (obs["action_mask"] == 1)).all()
    one.close()
    many.close()


def test_reset_mask_resets_only_some(client: sparrowhall.Client) -> None:
    env = sparrowhall.make_vec("zung_jung", 4, client=client)
    before, _ = env.reset(seed=1)
    chosen = np.array([False, True, False, True])
    after, _ = env.reset(options={"reset_mask": chosen})
    for i in range(4):
        same = all((before[key][i] == after[key][i]).all() for key in before)
        assert same != chosen[i]
    env.close()


def test_the_same_matches_as_a_single_env(client: sparrowhall.Client) -> None:
    """Seeds given one by one lead to the same matches in both kinds of environment."""
    vec = sparrowhall.make_vec("ema_2016", 3, seat=2, client=client)
    obs, _ = vec.reset(seed=[11, 12, 13])
    for i, seed in enumerate((11, 12, 13)):
        with client.open(
            "ema_2016", seeds=[seed], seats=["greedy", "greedy", "external", "greedy"]
        ) as t:
            assert (t.recv().observation["planes"][0] == obs["planes"][i]).all()
    vec.close()


def test_make_vec_of_gymnasium() -> None:
    env = gymnasium.make_vec(
        "sparrowhall.gym:sparrowhall/zung_jung-v1", num_envs=3, opponents="random"
    )
    obs, _ = env.reset(seed=1)
    assert obs["planes"].shape[0] == 3
    env.close()


def test_what_is_no_action_is_refused(client: sparrowhall.Client) -> None:
    """Also where the action is ignored, and nothing changes."""
    for action in (-1, 180, 999):
        table = sparrowhall.make("botzone", client=client, autoreset_mode="NextStep")
        obs, _ = table.reset(seed=1)
        over = False
        for _ in range(500):
            with pytest.raises(IllegalActionError, match="allowed: 0 to 179"):
                table.step(action)
            if over:
                break
            obs, _, over, _, _ = table.step(int(sparrowhall.sample(obs["action_mask"])))
        assert over
        table.close()
        tables = sparrowhall.make_vec("botzone", 2, client=client)
        obs, _ = tables.reset(seed=1)
        with pytest.raises(IllegalActionError, match="of row 1 is no action; allowed: 0 to 179"):
            tables.step(np.array([obs["action_mask"][0].argmax(), action]))
        tables.step(obs["action_mask"].argmax(axis=1))
        tables.close()


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_containers_of_gymnasium(kind: str, mode: AutoresetMode) -> None:
    """They run through many ends of episodes, whose infos fit into arrays."""
    env = gymnasium.make_vec(
        "sparrowhall.gym:sparrowhall/ema_2016-v1",
        num_envs=2,
        vectorization_mode=kind,
        vector_kwargs={"autoreset_mode": mode},
        episode="hand",
    )
    obs, _ = env.reset(seed=1)
    ends = 0
    while ends < 100:
        obs, _, terminated, truncated, info = env.step(sparrowhall.sample(obs["action_mask"]))
        if not (done := terminated | truncated).any():
            continue
        ends += int(done.sum())
        final = info["final_info"] if mode is AutoresetMode.SAME_STEP else info
        assert final["seed"].dtype == np.uint64
        assert final["points"].dtype == np.float64
        if mode is AutoresetMode.DISABLED:
            sparrowhall.sample(obs["action_mask"])
            obs, _ = env.reset(options={"reset_mask": done})
    env.close()


@pytest.mark.parametrize("action", [0, 162])
def test_illegal_actions(action: int, client: sparrowhall.Client) -> None:
    env = sparrowhall.make("ema_2016", client=client)
    obs, _ = env.reset(seed=1)
    assert not obs["action_mask"][162]
    assert env.step(action)[4]["illegal"]
    env.close()
    strict = sparrowhall.make("ema_2016", illegal="raise", client=client)
    strict.reset(seed=1)
    with pytest.raises(IllegalActionError, match="is not among: discard"):
        strict.step(action)
    strict.step(np.flatnonzero(obs["action_mask"])[0])
    strict.close()


def test_opponents_and_seats_are_checked(client: sparrowhall.Client) -> None:
    with pytest.raises(ValueError, match="2 players"):
        sparrowhall.make_vec("ema_2016", opponents=["greedy", "random"], client=client)
    with pytest.raises(ValueError, match="seat is 4"):
        sparrowhall.make_vec("ema_2016", seat=4, client=client)
    for make in (sparrowhall.make, sparrowhall.make_vec):
        for opponents in ("gredy", sparrowhall.League(["greedy", "gredy"])):
            with pytest.raises(sparrowhall.RequestError, match="greedy"):
                make("ema_2016", opponents=opponents, client=client)
        with pytest.raises(sparrowhall.RequestError, match="ema_2016"):
            make("ema_2061", client=client)


@pytest.mark.parametrize("episode", ["match", "hand"])
def test_a_function_plays_at_one_table_as_at_many(episode: Any, client: sparrowhall.Client) -> None:
    """One table shows the learner what the raw client sees at the same table."""

    def lowest(d: sparrowhall.Decisions) -> Any:
        return d.mask.argmax(axis=1)

    for opponents in (lowest, [lowest, "greedy", lowest], sparrowhall.League([lowest])):
        env = sparrowhall.make(
            "botzone", opponents=opponents, seat=2, episode=episode, client=client
        )
        many = sparrowhall.make_vec(
            "botzone", 1, opponents=opponents, seat=2, episode=episode, client=client
        )
        one, _ = env.reset(seed=5)
        two, _ = many.reset(seed=[first_seed(5)])
        ended, total = False, 0.0
        while not ended:
            assert (one["planes"] == two["planes"][0]).all()
            action = one["action_mask"].argmax()
            one, reward, ended, _, info = env.step(action)
            two, rewards, ends, _, infos = many.step(np.array([action]))
            assert (reward, ended) == (rewards[0], ends[0])
            total += reward
        assert total == info["points"] == infos["final_info"]["points"][0]
        assert info["seed"] == first_seed(5)
        assert (one["planes"] == infos["final_obs"][0]["planes"]).all()
        env.reset()
        env.close()
        many.close()


def first_seed(seed: int) -> int:
    """Return the seed of the first match of an environment of one table."""
    return int(gymnasium.utils.seeding.np_random(seed)[0].integers(0, 2**64, dtype=np.uint64))


def test_the_seed_of_the_first_reset(client: sparrowhall.Client) -> None:
    given = sparrowhall.make("ema_2016", seed=7, client=client)
    plain = sparrowhall.make("ema_2016", client=client)
    assert (given.reset()[0]["planes"] == plain.reset(seed=7)[0]["planes"]).all()
    assert (given.reset()[0]["planes"] == plain.reset()[0]["planes"]).all()
    given.close()
    plain.close()


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_one_table_resets_like_a_vector_of_one(
    mode: AutoresetMode, client: sparrowhall.Client
) -> None:
    arguments: dict[str, Any] = {"episode": "hand", "autoreset_mode": mode, "client": client}
    one = sparrowhall.make("ema_2016", **arguments)
    many = sparrowhall.make_vec("ema_2016", 1, **arguments)
    a, _ = one.reset(seed=5)
    b, _ = many.reset(seed=[first_seed(5)])
    ends = 0
    while ends < 3:
        assert (a["planes"] == b["planes"][0]).all()
        assert (a["action_mask"] == b["action_mask"][0]).all()
        assert (one.action_masks() == many.action_masks()[0]).all()
        action = a["action_mask"].argmax()
        a, reward, terminated, truncated, info = one.step(action)
        b, rewards, ended, _, infos = many.step(np.array([action]))
        assert (reward, terminated) == (rewards[0], ended[0])
        ends += terminated or truncated
        if terminated and mode is AutoresetMode.SAME_STEP:
            assert info["final_info"]["points"] == infos["final_info"]["points"][0]
            assert (info["final_obs"]["planes"] == infos["final_obs"][0]["planes"]).all()
        elif terminated:
            assert info["points"] == infos["final_info"]["points"][0]
        if terminated and mode is AutoresetMode.DISABLED:
            a, _ = one.reset()
            b, _ = many.reset(options={"reset_mask": np.array([True])})
    one.close()
    many.close()


def test_masks_are_never_empty_with_next_step(client: sparrowhall.Client) -> None:
    """An empty mask would make the logits of a masked policy NaN."""
    for opponents in ("greedy", lambda d: d.mask.argmax(axis=1)):
        env = sparrowhall.make_vec(
            "zung_jung",
            4,
            episode="hand",
            opponents=opponents,
            autoreset_mode="NextStep",
            client=client,
        )
        obs, info = env.reset(seed=1)
        ends = 0
        for _ in range(100):
            mask = obs["action_mask"]
            assert mask.any(axis=1).all()
            assert (mask == info["action_mask"]).all()
            assert (mask == env.action_masks()).all()
            obs, _, terminated, truncated, info = env.step(mask.argmax(axis=1))
            for i in np.flatnonzero(terminated | truncated):
                legal = np.flatnonzero(obs["action_mask"][i])
                assert [sparrowhall.action_text(a) for a in legal] == ["pass"]
                ends += 1
        assert ends
        env.close()


def test_seats_follow_opponents_in_turn_order() -> None:
    from sparrowhall.opponents import seat_names

    assert seat_names(["a", "b", "c"], 2) == ["b", "c", "external", "a"]


def test_dm_env_has_its_own_resets() -> None:
    """With SAME_STEP the last step of an episode would hold the first observation of the next."""
    pytest.importorskip("dm_env", reason="NO DM-ENV")
    from sparrowhall.adapters.dm_env import Environment

    with pytest.raises(ValueError, match="autoreset_mode is DISABLED"):
        Environment("zung_jung", autoreset_mode="SameStep")
