"""Reinforcement learning: what is rewarded is learned, and a killed run is continued."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparrowhall

torch = pytest.importorskip("torch", reason="torch is not installed")
torch.set_num_threads(1)

from sparrowhall.gym import SparrowhallVectorEnv  # noqa: E402
from sparrowhall.learn import PPO, Network  # noqa: E402
from sparrowhall.learn.__main__ import Run, main  # noqa: E402


class FirstPays(SparrowhallVectorEnv):
    """Rewards the legal action with the least number by 1, and everything else by 0."""

    def step(self, actions: Any) -> Any:
        first = self.action_masks().argmax(axis=1)
        observation, _, *rest = super().step(actions)
        return observation, (actions == first).astype(np.float64), *rest


def environment(client: sparrowhall.Client, tables: int = 16) -> FirstPays:
    return FirstPays("ema_2016", tables, episode="hand", client=client)


def small(client: sparrowhall.Client, observation: str = "planes") -> Network:
    torch.manual_seed(1)
    return Network(client.observation(observation), width=4, whole=16, blocks=0)


def test_what_is_rewarded_is_learned(server: sparrowhall.Client) -> None:
    env = environment(server)
    learner = PPO(small(server), env, steps=16, batch=64, rate=3e-3, trace=0.0, discount=0.0)
    learner.reset(seed=1)
    before = learner.update()
    for _ in range(12):
        after = learner.update()
    env.close()
    assert before.decisions == 256
    assert before.anchor == 0  # without an imitator
    assert after.reward > 2 * before.reward
    assert after.entropy < before.entropy
    assert 0 < after.clipped < 1


def test_the_anchor_keeps_a_network_near_its_imitator(server: sparrowhall.Client) -> None:
    moved = []
    for anchor in (0.0, 10.0):
        env = environment(server)
        network, imitator = small(server), small(server)
        learner = PPO(network, env, imitator=imitator, anchor=anchor, steps=16, batch=64, rate=3e-3)
        learner.reset(seed=1)
        moved.append([learner.update() for _ in range(6)][-1].anchor)
        env.close()
    assert 0 < moved[1] < 0.2 * moved[0]


def test_advantages_add_up_the_rewards_of_an_episode(server: sparrowhall.Client) -> None:
    """With lambda 1 and a critic that predicts 0, they are the rewards still to come."""
    env = environment(server, tables=2)
    learner = PPO(small(server), env, steps=40, trace=1.0)
    learner.reset(seed=3)
    rewards, over = [], []
    step = env.step

    def watched(actions: Any) -> Any:
        result = step(actions)
        rewards.append(result[1])
        over.append(result[2])
        return result

    env.step = watched  # type: ignore[method-assign]
    rows, advantage, ended = learner._play()
    env.close()
    left = np.zeros(2)
    expected = np.zeros((40, 2))
    for i in reversed(range(40)):
        left = rewards[i] + np.where(over[i], 0, left)
        expected[i] = left
    assert np.array(over).any()
    assert np.allclose(advantage.numpy().reshape(40, 2), expected)
    assert len(ended) == np.sum(over)
    assert (rows["mask"].gather(1, rows["chosen"][:, None]) == 1).all()


def test_nearer_is_a_potential(server: sparrowhall.Client) -> None:
    """What it adds to an episode is the shanten at its first decision."""
    env = FirstPays("ema_2016", 2, episode="hand", client=server, observation="features")
    learner = PPO(small(server, "features"), env, steps=40, trace=1.0, nearer=100.0)
    learner.reset(seed=3)
    first = learner._observation["summary"][:, 0].astype(float)
    _, advantage, _ = learner._play()
    env.close()
    extra = advantage.numpy()[:2] - 100 * first
    assert ((extra >= 0) & (extra <= 40)).all()  # the other rewards


def test_what_does_not_fit(server: sparrowhall.Client) -> None:
    env = environment(server, tables=1)
    with pytest.raises(ValueError, match="reads the observation 'features' of four players"):
        PPO(small(server, "features"), env)
    with pytest.raises(ValueError, match="nearer requires the observation features or advice"):
        PPO(small(server), env, nearer=1.0)
    with pytest.raises(ValueError, match="steps is 0; allowed: integers from 1"):
        PPO(small(server), env, steps=0)
    with pytest.raises(ValueError, match="the imitator reads the observation 'features'"):
        PPO(small(server), env, imitator=small(server, "features"))
    three = sparrowhall.make_vec("tenhou_sanma", 1, client=server)
    with pytest.raises(ValueError, match="of four players"):
        PPO(small(server), three)
    later = sparrowhall.make_vec("ema_2016", 1, client=server, autoreset_mode="NextStep")
    with pytest.raises(ValueError, match="env has the mode NEXT_STEP; required: SAME_STEP"):
        PPO(small(server), later)
    network = small(server)
    network.family = "mcr"
    with pytest.raises(ValueError, match="of the family 'mcr'; ema_2016 is of 'riichi'"):
        PPO(network, env)


def test_the_first_update_resets(server: sparrowhall.Client) -> None:
    env = FirstPays("ema_2016", 2, episode="hand", client=server, seed=3)
    network = small(server)
    learner = PPO(network, env, steps=4)
    assert learner.update().decisions == 8
    assert network.family == "riichi"
    env.close()


def test_what_a_run_refuses_is_named(tmp_path: Path, server: sparrowhall.Client) -> None:
    wrong = ["ppo", "--out", str(tmp_path / "third"), "--against", "nobody", *TINY]
    with pytest.raises(SystemExit, match='learn: --against: unknown agent "nobody"; nearest'):
        main(wrong)
    with pytest.raises(SystemExit, match="--matches is 0; allowed: integers from 1"):
        main([*wrong[:3], *TINY, "--matches", "0"])
    assert not (tmp_path / "third" / "log.csv").exists()
    with pytest.raises(SystemExit, match="for four players; tenhou_sanma is for 3"):
        main(["ppo", "--ruleset", "tenhou_sanma", "--out", str(tmp_path / "run")])
    (tmp_path / "network.pt").write_bytes(b"x" * 100)
    with pytest.raises(SystemExit, match=r"network\.pt is damaged or not a network: it is not one"):
        main(["ppo", str(tmp_path / "network.pt"), "--out", str(tmp_path / "other")])
    network = small(server)
    network.family = "riichi"
    league = sparrowhall.League({"old one": network})
    with pytest.raises(sparrowhall.RequestError, match=r"0-old_one\.safetensors is for the family"):
        sparrowhall.make_vec("mcr_2006", 1, opponents=league, client=server)


TINY = ["--width", "4", "--whole", "16", "--blocks", "0", "--tables", "4", "--steps", "4"]
TINY += ["--updates", "2", "--batch", "16", "--matches", "4", "--observation", "planes"]


def interrupted(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


def test_a_killed_run_comes_to_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["ppo", "--ruleset", "zung_jung", *TINY]
    networks = []
    logs = []
    for kill in (False, True):
        out = tmp_path / str(kill)
        if kill:
            with monkeypatch.context() as m:
                m.setattr(Run, "save", interrupted)  # after the row of the first stage
                with pytest.raises(KeyboardInterrupt):
                    main([*command, "--out", str(out), "--stages", "2"])
            update = PPO.update
            left = iter([1, 1, 1])  # in the second stage

            def stop(learner: PPO, update: Any = update, left: Any = left) -> Any:
                if next(left, None) is None:
                    raise KeyboardInterrupt
                return update(learner)

            with monkeypatch.context() as m:
                m.setattr(PPO, "update", stop)
                with pytest.raises(KeyboardInterrupt):
                    main([*command, "--out", str(out), "--stages", "2"])
            with (out / "log.csv").open("a") as log:
                log.write("2,32")  # a row of which a part was written
        main([*command, "--out", str(out), "--stages", "2"])
        logs.append((out / "log.csv").read_text())
        assert logs[-1] == logs[0]
        assert logs[-1].count("\n") == 3
        networks.append(Network.load(out / "network.pt"))
    for a, b in zip(networks[0].parameters(), networks[1].parameters(), strict=True):
        assert torch.equal(a, b)
    with pytest.raises(SystemExit, match=r"other settings \(rate was 0\.0003\); use the same"):
        main([*command, "--out", str(tmp_path / "True"), "--rate", "1"])
    begin = [str(tmp_path / "True" / "network.pt"), "--out", str(tmp_path / "other")]
    with pytest.raises(SystemExit, match="of the family 'zungjung'; ema_2016 is of 'riichi'"):
        main(["ppo", *begin, "--ruleset", "ema_2016", *TINY])


def test_a_league_of_the_imitator_and_earlier_stages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: sparrowhall.Client
) -> None:
    network = small(server)
    network.family = "zungjung"
    network.save(tmp_path / "network.pt")
    members: list[list[str]] = []
    log = Run.log

    def noted(run: Run, figures: dict[str, float]) -> None:
        state = run.load("cpu")
        members.append([] if state is None else list(state["records"]))
        log(run, figures)

    monkeypatch.setattr(Run, "log", noted)
    out = tmp_path / "out"
    begin = ["ppo", str(tmp_path / "network.pt"), "--ruleset", "zung_jung", "--out", str(out)]
    main([*begin, "--stages", "2", *TINY])
    main([*begin, "--stages", "3", *TINY])
    assert members == [[], ["greedy", "imitator", "stage-1"], [*members[1], "stage-2"]]
    assert sorted(f.name for f in out.glob("*.safetensors")) == [
        "imitator.safetensors",
        *(f"stage-{i}.safetensors" for i in (1, 2, 3)),
    ]
