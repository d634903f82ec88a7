"""Observations as bounded numbers without codes."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import sparrowhall
from sparrowhall import FACES
from sparrowhall.decoded import Decoder


@pytest.mark.filterwarnings("ignore")
def test_check_env(ruleset: str, client: sparrowhall.Client) -> None:
    """Random matches stay within the space, in which all is between -1 and 1."""
    env = sparrowhall.make(ruleset, client=client, observation="features", decoded=True)
    check_env(env)
    rng = np.random.default_rng(1)
    obs, _ = env.reset(seed=2)
    for _ in range(300):
        assert env.observation_space.contains(obs)
        assert all(np.abs(a).max() <= 1 for a in obs.values())
        obs, _, terminated, _, _ = env.step(int(rng.choice(np.flatnonzero(obs["action_mask"]))))
        if terminated:
            obs, _ = env.reset()
    env.close()


def test_codes_are_decoded(client: sparrowhall.Client) -> None:
    with client.open("tenhou", 4, seed=3, observation="planes") as tables:
        assert tables.spec is not None
        decoder = Decoder(tables.spec, points=25_000)
        rng, batch = np.random.default_rng(2), tables.recv()
        melds = drawn = 0
        for _ in range(400):
            raw, got = batch.observation, decoder(batch.observation)
            for row in range(len(batch)):
                for code, number in zip(raw["discards"][row], got["discards"][row], strict=True):
                    assert _discard(number) == _code(int(code))
                types = raw["melds"][row, ..., 0].ravel()
                melds += types.any()
                assert (got["melds"][row, :, :5].sum(1) == (types > 0)).all()
                assert (got["melds"][row, types > 0, :5].argmax(1) + 1 == types[types > 0]).all()
                state, numbers = raw["state"][row], got["state"][row]
                assert numbers[:9].argmax() == state[0]  # phase
                assert numbers[9:13].sum() == (state[1] > 0)  # turn
                assert numbers[13:18].argmax() == state[2]  # cause
                if state[3]:
                    drawn += 1
                    assert _tile(numbers[18:25]) == FACES[state[3] - 1]
                else:
                    assert not numbers[18:25].any()
            amounts = np.tanh(raw["amounts"][:, :4] / 25_000)
            assert got["amounts"][:, :4] == pytest.approx(amounts, abs=1e-6)
            batch = tables.act(batch, sparrowhall.sample(batch.mask, rng))
        assert melds
        assert drawn


def _code(code: int) -> tuple[int, str]:
    return (code >> 6, FACES[(code & 63) - 1]) if code else (-1, "")


def _discard(numbers: np.ndarray) -> tuple[int, str]:
    if not numbers.any():
        return -1, ""
    return int(numbers[:4].argmax()), _tile(numbers[4:])


def _tile(numbers: np.ndarray) -> str:
    suit = "mpszf"[int(numbers[:5].argmax())]
    return f"{0 if numbers[6] else round(float(numbers[5]) * 9)}{suit}"


def test_what_cannot_be_decoded_is_refused(client: sparrowhall.Client) -> None:
    with pytest.raises(ValueError, match="'events' cannot be decoded; allowed: planes, features"):
        Decoder(client.observation("events"), points=1)
    with pytest.raises(ValueError, match="points is 0; allowed: numbers above 0"):
        Decoder(client.observation("planes"), points=0)


def test_every_environment_decodes_alike(client: sparrowhall.Client) -> None:
    """So do functions among the opponents, and those that are evaluated."""
    seen: list[dict[str, np.ndarray]] = []

    def policy(decisions: sparrowhall.Decisions) -> np.ndarray:
        seen.append(decisions.observation)
        return np.asarray(decisions.mask.argmax(axis=1))

    with sparrowhall.make_selfplay("tenhou", 2, seed=1, decoded=True, client=client) as players:
        seen.append(players.reset().observation)
    one = sparrowhall.make("tenhou", seed=1, decoded=True, client=client, opponents=policy)
    seen.append({k: a[None] for k, a in one.reset()[0].items()})
    one.close()
    many = sparrowhall.make_vec(
        "tenhou", 2, seed=1, decoded=True, client=client, opponents=policy, episode="hand"
    )
    obs, _ = many.reset()
    ended = False
    while not ended:
        seen.append(obs)
        obs, _, terminated, _, info = many.step(sparrowhall.sample(obs["action_mask"]))
        ended = bool(terminated.any())
    last = info["final_obs"][terminated.argmax()]
    assert many.single_observation_space.contains(last)
    many.close()
    aec = sparrowhall.env("tenhou", decoded=True, client=client)
    aec.reset(seed=1)
    last = aec.last()[0]
    assert aec.observation_space("player_0").contains(last)
    seen.append({k: a[None] for k, a in last["observation"].items()})
    aec.close()
    sparrowhall.evaluate(policy, "tenhou", "random", 4, decoded=True, progress=False)
    for tensors in seen:
        assert tensors["melds"].dtype == np.float32
        assert all(np.abs(a).max() <= 1 for a in tensors.values())
