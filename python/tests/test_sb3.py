"""The vector environment of Stable-Baselines3, where that is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparrowhall

pytest.importorskip("stable_baselines3", reason="NO STABLE-BASELINES3")
import torch

from sparrowhall.sb3 import EvaluationCallback, make_vec_env, policy_of


def play(env: Any, steps: int) -> list[Any]:
    rng, seen = np.random.default_rng(1), []
    env.reset()
    for _ in range(steps):
        masks = np.stack(env.env_method("action_masks"))
        seen.append(env.step(np.array([rng.choice(np.flatnonzero(m)) for m in masks])))
    return seen


@pytest.mark.parametrize("decoded", [True, False])
def test_steps_are_what_the_framework_expects(client: sparrowhall.Client, decoded: bool) -> None:
    env = make_vec_env(
        "ema_2016", 4, seed=1, episode="hand", client=client, decoded=decoded, monitor=False
    )
    twin = sparrowhall.make_vec("ema_2016", 4, seed=1, episode="hand", client=client)
    assert env.num_envs == 4
    assert env.has_attr("action_masks")
    rng = np.random.default_rng(1)
    obs, (other, _) = env.reset(), twin.reset()
    ends = 0
    for _ in range(200):
        masks = np.stack(env.env_method("action_masks"))
        assert (masks == twin.action_masks()).all()
        actions = np.array([rng.choice(np.flatnonzero(m)) for m in masks])
        obs, rewards, done, infos = env.step(actions)
        other, expected, terminated, truncated, info = twin.step(actions)
        assert (rewards == expected).all()
        assert rewards.dtype == np.float32
        assert (done == (terminated | truncated)).all()
        for i in range(4):
            row = {k: a[i] for k, a in obs.items()}
            assert env.observation_space.contains(row)
            if not decoded:
                assert all((row[k] == other[k][i]).all() for k in other)
            assert ("terminal_observation" in infos[i]) == done[i]
            if done[i]:
                ends += 1
                last = infos[i]["terminal_observation"]
                assert env.observation_space.contains(last)
                if not decoded:
                    assert all((last[k] == info["final_obs"][i][k]).all() for k in last)
                assert infos[i]["points"] == info["final_info"]["points"][i]
                assert not infos[i]["TimeLimit.truncated"]
    assert ends
    env.close()


def test_seeds_and_episodes(client: sparrowhall.Client) -> None:
    """The monitor logs episodes, a seed repeats the matches, and wrong calls are named."""
    env = make_vec_env("zung_jung", 3, episode="hand", client=client)
    env.seed(5)
    first = play(env, 60)
    env.seed(5)
    second = play(env, 60)
    for a, b in zip(first, second, strict=True):
        assert (a[1] == b[1]).all()
        assert all((a[0][k] == b[0][k]).all() for k in a[0])
    assert any("episode" in info for step in first for info in step[3])
    with pytest.raises(AttributeError, match="no method 'render'"):
        env.env_method("render")
    with pytest.raises(AttributeError, match="pass it to make_vec_env"):
        env.set_attr("seat", 1)
    with pytest.raises(ValueError, match="autoreset_mode is SAME_STEP"):
        make_vec_env(autoreset_mode="Disabled")
    env.close()


def test_masks_reach_the_learner(client: sparrowhall.Client) -> None:
    contrib = pytest.importorskip("sb3_contrib", reason="NO SB3-CONTRIB")
    env = make_vec_env("ema_2016", 2, seed=1, episode="hand", client=client, illegal="raise")
    model = contrib.MaskablePPO(
        "MultiInputPolicy", env, n_steps=64, batch_size=64, n_epochs=1, device="cpu", seed=1
    )
    model.learn(256)
    assert len(model.ep_info_buffer) > 0
    env.close()


def test_a_callback_evaluates_the_model(client: sparrowhall.Client) -> None:
    contrib = pytest.importorskip("sb3_contrib", reason="NO SB3-CONTRIB")
    env = make_vec_env("zung_jung", 2, seed=1, episode="hand", client=client)
    model = contrib.MaskablePPO("MultiInputPolicy", env, n_steps=64, device="cpu", seed=1)
    callback = EvaluationCallback(100, "random", 8)
    model.learn(256, callback=callback)
    assert [steps for steps, _ in callback.evaluations] == [100, 200]
    assert {e.matches for _, e in callback.evaluations} == {8}
    with pytest.raises(ValueError, match="every is 0"):
        EvaluationCallback(0)
    env.close()


def test_a_callback_evaluates_under_the_text_of_a_ruleset(client: sparrowhall.Client) -> None:
    contrib = pytest.importorskip("sb3_contrib", reason="NO SB3-CONTRIB")
    rules = 'base = "zung_jung"'
    env = make_vec_env(n_envs=2, toml=rules, seed=1, episode="hand", client=client)
    model = contrib.MaskablePPO("MultiInputPolicy", env, n_steps=64, device="cpu", seed=1)
    callback = EvaluationCallback(100, "random", 8)
    model.learn(128, callback=callback)
    assert callback.evaluations[0][1].ruleset == "ruleset.toml"
    env.close()


def test_the_program_plays_an_actor(client: sparrowhall.Client, tmp_path: Path) -> None:
    contrib = pytest.importorskip("sb3_contrib", reason="NO SB3-CONTRIB")
    env = make_vec_env("zung_jung", 2, seed=1, episode="hand", client=client)
    model = contrib.MaskablePPO("MultiInputPolicy", env, n_steps=32, device="cpu", seed=1)
    model.learn(64)
    policy = policy_of(model)
    policy.save(tmp_path / "actor.safetensors")
    observations = env.reset()
    masks = np.stack(env.env_method("action_masks"))
    expected, _ = model.predict(observations, action_masks=masks, deterministic=True)
    with torch.no_grad():
        seen = {name: torch.from_numpy(array) for name, array in observations.items()}
        logits = policy.network(seen).numpy()
    assert (np.where(masks, logits, -np.inf).argmax(1) == expected).all()
    same: dict[str, Any] = {"against": "random", "matches": 4, "progress": False}
    file = sparrowhall.Policy(tmp_path / "actor.safetensors")
    assert (
        sparrowhall.evaluate(file, **same).figures == sparrowhall.evaluate(policy, **same).figures
    )
    env.close()


def test_three_players_sit_at_the_tables(client: sparrowhall.Client) -> None:
    env = make_vec_env("tenhou_sanma", 4, seed=1, episode="hand", client=client)
    assert env.action_space.n == 181
    assert env.observation_space["action_mask"].shape == (181,)
    ranks = [info for *_, infos in play(env, 60) for info in infos if "rank" in info]
    assert {info["player"] for info in ranks} <= {0, 1, 2}
    assert ranks
