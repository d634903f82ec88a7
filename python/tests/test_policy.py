from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import in_process
from numpy.typing import NDArray

import sparrowhall
from sparrowhall import Decisions, Policy, ServerError, evaluate, rate, serve_agent
from sparrowhall._view import table_text


def first(decisions: Decisions) -> NDArray[np.intp]:
    actions: NDArray[np.intp] = decisions.mask.argmax(axis=1)
    return actions


class Seen:
    """A function that keeps the largest numbers and names of what it has seen."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.dtypes: set[str] = set()

    def __call__(self, decisions: Decisions) -> NDArray[np.intp]:
        self.names |= set(decisions.observation)
        self.dtypes |= {t.dtype.name for t in decisions.observation.values()}
        return first(decisions)


def test_environments_are_what_a_policy_is_made_for(client: sparrowhall.Client) -> None:
    policy = Policy(first, "zung_jung", observation="features", decoded=True)
    makes: list[Callable[..., Any]] = [
        sparrowhall.make,
        sparrowhall.make_vec,
        sparrowhall.env,
        sparrowhall.parallel_env,
    ]
    for make in makes:
        one = make(policy, client=client)
        other = make("zung_jung", observation="features", decoded=True, client=client)
        space = "single_observation_space"
        if make in (sparrowhall.env, sparrowhall.parallel_env):
            assert one.observation_space("player_0") == other.observation_space("player_0")
        else:
            name = space if make is sparrowhall.make_vec else "observation_space"
            assert getattr(one, name) == getattr(other, name)
        one.reset(seed=1)
        copy = pickle.loads(pickle.dumps(one))  # its arguments are plain
        for env in (one, other, copy):
            env.close()
        for more in ({"observation": "planes"}, {"decoded": True}, {"toml": 'base = "tenhou"'}):
            with pytest.raises(ValueError, match=f"{next(iter(more))} is .*policy has its own"):
                make(policy, client=client, **more)
    with sparrowhall.make_selfplay(policy, 2, seed=1, client=client) as tables:
        turn = tables.reset()
        assert {"summary", "planes"} <= set(turn.observation)
        assert turn.observation["state"].dtype == np.float32


def test_a_policy_sees_what_it_is_made_for_wherever_it_plays(client: sparrowhall.Client) -> None:
    """Also where the learner sees something else."""
    seen = Seen()
    policy = Policy(seen, "zung_jung", decoded=True)
    league = sparrowhall.League({"mine": policy})
    for opponents in (policy, ["greedy", policy, "greedy"], league):
        env = sparrowhall.make_vec(
            "zung_jung", 2, observation="features", opponents=opponents, seed=1, client=client
        )
        env.reset()
        env.close()
    evaluate(policy, against="random", matches=4, progress=False)
    evaluate("greedy", "zung_jung", policy, matches=4, progress=False)
    rate(policy, "zungjung-2", matches=4, progress=False)
    assert seen.names == {"planes", "discards", "discard_marks", "melds", "state", "amounts"}
    assert seen.dtypes == {"uint8", "float32"}
    wants_more = Policy(first, "zung_jung", observation="features")
    with pytest.raises(ValueError, match=r"sees the observation 'features', and .* has 'planes'"):
        sparrowhall.make_vec("zung_jung", opponents=wants_more, client=client)


def test_another_ruleset_needs_a_word(client: sparrowhall.Client) -> None:
    policy = Policy(first, "zung_jung", observation="")
    said = "made for zung_jung, and would play under mcr_2006; .*transfer=True"
    for refused in (
        lambda: evaluate(policy, "mcr_2006"),
        lambda: evaluate("greedy", "mcr_2006", policy),
        lambda: evaluate(Policy("value", "zung_jung"), "mcr_2006"),
        lambda: rate(policy, "mcr-2"),
        lambda: sparrowhall.make_vec("mcr_2006", opponents=policy, client=client),
        lambda: sparrowhall.make("mcr_2006", opponents=["greedy", policy, "greedy"], client=client),
        lambda: sparrowhall.make_vec(
            "mcr_2006", opponents=sparrowhall.League([policy]), client=client
        ),
    ):
        with pytest.raises(ValueError, match=said):
            refused()
    with pytest.raises(ValueError, match="would play under drawn rulesets"):
        rate(policy, "unfamiliar-2")
    result = evaluate(policy, "mcr_2006", "random", 4, transfer=True, progress=False)
    assert result.ruleset == "mcr_2006"
    env = sparrowhall.make_vec("mcr_2006", opponents=policy, transfer=True, seed=1, client=client)
    env.reset()
    env.close()
    # The same knobs are the same ruleset, whatever its name.
    same = Policy(first, toml='base = "zung_jung"', observation="")
    assert evaluate(same, "zung_jung", "random", 4, progress=False).ruleset == "zung_jung"
    assert evaluate(same, against="random", matches=4, progress=False).ruleset == "ruleset.toml"


def test_a_member_that_joins_late_is_refused_too(client: sparrowhall.Client) -> None:
    league = sparrowhall.League(["greedy"])
    env = sparrowhall.make_vec("zung_jung", 1, opponents=league, client=client)
    env.reset(seed=1)
    league.add("late", Policy(first, "mcr_2006"))
    with pytest.raises(ValueError, match="made for mcr_2006"):
        env.reset(seed=2)
    env.close()


def test_a_served_policy_refuses_another_ruleset(tmp_path: Path) -> None:
    policy = Policy(first, "zung_jung", observation="")
    for ruleset, transfer in (("zung_jung", False), ("mcr_2006", True), ("mcr_2006", False)):
        with serve_agent(policy, f"unix:{tmp_path}/socket", transfer=transfer) as server:
            env = sparrowhall.make_vec(ruleset, opponents=f"grpc:{server.address}", seed=1)
            observations, _ = env.reset()
            legal = sparrowhall.sample(observations["action_mask"])
            if ruleset == "zung_jung" or transfer:
                env.step(legal)
            else:
                with pytest.raises(ServerError, match="made for zung_jung, and would play under"):
                    env.step(legal)
            env.close()
    with pytest.raises(ValueError, match="the program plays 'value' itself"):
        serve_agent(Policy("value"))
    with pytest.raises(ValueError, match="observation is 'planes', and the policy has its own"):
        serve_agent(policy, observation="planes")


def test_agents_and_files_are_played_by_the_program(client: sparrowhall.Client) -> None:
    policy = Policy("greedy", "zung_jung")
    same: dict[str, Any] = {"matches": 8, "progress": False}
    one = evaluate(policy, against="random", **same)
    assert one == evaluate("greedy", "zung_jung", "random", **same)
    results = []
    for opponents in ("greedy", policy, [policy] * 3):
        env = sparrowhall.make("zung_jung", opponents=opponents, seed=3, client=client)
        observation, _ = env.reset()
        results.append(observation["planes"].sum())
        env.close()
    assert len(set(results)) == 1
    with pytest.raises(sparrowhall.SparrowhallError, match="no such file"):
        evaluate(Policy(Path("none.safetensors"), "tenhou"), against="random", **same)
    with pytest.raises(FileNotFoundError, match=r"none\.safetensors"):
        Policy(Path("none.safetensors"))


def test_a_policy_is_copied_after_it_has_played(client: sparrowhall.Client) -> None:
    policy = Policy(first, "zung_jung", decoded=True)
    env = sparrowhall.make_vec(policy, 2, opponents=policy, seed=1, client=client)
    env.step(sparrowhall.sample(env.reset()[0]["action_mask"]))
    assert policy.rules.name == "zung_jung"
    assert pickle.loads(pickle.dumps(policy)) == policy
    copy = pickle.loads(pickle.dumps(env))
    copy.reset()
    for one in (env, copy):
        one.close()


def test_what_is_no_policy_is_refused() -> None:
    for made, said in (
        (lambda: Policy(5), "network is 5; allowed: a function"),  # type: ignore[arg-type]
        (lambda: Policy(Policy(first)), "network is Policy"),
        (lambda: Policy(Seen), "network is <class"),
        (lambda: Policy(first, "tenhou", toml='base = "tenhou"'), "allowed: one of them"),
        (lambda: Policy(first, observation="", decoded=True), "observation is ''"),
        (lambda: evaluate(Policy(first), observation="planes"), "policy has its own"),
        (lambda: evaluate(Policy(first), decoded=True), "policy has its own"),
        (lambda: rate(Policy(first), "riichi-2", observation=""), "made for ema_2016"),
        (lambda: evaluate(first, decoded=True, observation="oracle"), "cannot be decoded"),
    ):
        with pytest.raises(ValueError, match=said):
            made()


def test_a_module_plays_by_its_logits() -> None:
    torch = pytest.importorskip("torch", reason="NO TORCH")

    class Last(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, actions: int = 180) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.arange(float(actions)))
            self.dropout = torch.nn.Dropout(0.9)

        def forward(self, seen: dict[str, Any]) -> Any:
            assert seen["state"].dtype == torch.float32
            assert seen["action_mask"].shape[1] == 180
            return self.dropout(self.weight.expand(len(seen["state"]), -1))

    def last(decisions: Decisions) -> NDArray[np.intp]:
        actions: NDArray[np.intp] = 179 - decisions.mask[:, ::-1].argmax(axis=1)
        return actions

    same: dict[str, Any] = {"against": "random", "matches": 4, "progress": False}
    module = Last()
    policy = Policy(module, "zung_jung", decoded=True)
    result = evaluate(policy, **same)
    assert result == evaluate(Policy(last, "zung_jung", observation=""), **same)
    assert result == evaluate(module, "zung_jung", decoded=True, **same)
    assert module.training
    with pytest.raises(
        sparrowhall.SparrowhallError, match=r"returned \(\d+, 7\); required: logits"
    ):
        evaluate(Policy(Last(7), "zung_jung", decoded=True), **same)
    with torch.no_grad():
        module.weight.fill_(torch.nan)
    with pytest.raises(sparrowhall.SparrowhallError, match="logit that is not a number"):
        evaluate(policy, **same)


def test_networks_of_learn_are_policies() -> None:
    pytest.importorskip("torch", reason="NO TORCH")
    from sparrowhall.learn import Network

    with in_process() as client:
        network = Network("features", width=8, whole=16, blocks=1)
        network.set_family("zungjung", "zung_jung")
        policy = network.policy("zung_jung")
        assert (policy.network, policy.ruleset, policy.observation) == (
            network,
            "zung_jung",
            "features",
        )
        with pytest.raises(ValueError, match="which reads codes"):
            Policy(network, "zung_jung", decoded=True)
        same: dict[str, Any] = {"against": "random", "matches": 4, "progress": False}
        assert evaluate(policy, **same) == evaluate(network, "zung_jung", **same)
        league = sparrowhall.League({"net": policy})
        for opponents in (policy, league):
            env = sparrowhall.make_vec(policy, 2, opponents=opponents, seed=1, client=client)
            env.reset()
            env.close()
        with pytest.raises(ValueError, match="made for zung_jung"):
            sparrowhall.make_vec("mcr_2006", opponents=league, client=client)


def test_the_text_of_a_decision_is_that_of_the_table(
    ruleset: str, server: sparrowhall.Client
) -> None:
    rng, seen = np.random.default_rng(1), 0
    with server.open(ruleset, 8, seed=2, observation="features") as tables:
        batch = tables.recv()
        for _ in range(250):
            rows = np.flatnonzero(batch.asked)
            if rows.size and seen % 3 == 0:
                row = int(rows[-1])
                numbers = np.zeros(len(batch), np.uint32)
                decisions = Decisions(
                    batch.observation,
                    batch.mask.astype(bool),
                    batch.player,
                    numbers,
                    numbers,
                    numbers.astype(np.uint64),
                    tables.ruleset.name,
                    tables.ruleset.hash,
                )
                view = tables.inspect(int(batch.table[row]), int(batch.player[row]))
                assert decisions.text(row) == table_text(view)
            seen += 1
            batch = tables.act(batch, sparrowhall.sample(batch.mask_words, rng))


def test_a_text_needs_what_it_shows() -> None:
    texts: list[str] = []

    def show(decisions: Decisions) -> NDArray[np.intp]:
        texts.append(decisions.text(0))
        return first(decisions)

    same: dict[str, Any] = {"against": "random", "matches": 4, "progress": False}
    evaluate(Policy(show, "zung_jung"), **same)
    assert "legal " in texts[0]
    assert "shanten" not in texts[0]
    for policy in (Policy(show, observation=""), Policy(show, decoded=True)):
        with pytest.raises(ValueError, match="needs an observation with the tensors of planes"):
            evaluate(policy, **same)
    # The points of rulesets of others are not known.
    evaluate(Policy(show, toml='base = "ema_2016"\nkuitan = false'), **same)
    assert "you             ?" in texts[-1]
