"""Observations as one array."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import sparrowhall
from sparrowhall.flat import FlatObservation


@pytest.mark.filterwarnings("ignore")
def test_check_env(ruleset: str, client: sparrowhall.Client) -> None:
    check_env(FlatObservation(sparrowhall.make(ruleset, client=client)))


def test_it_holds_all_tensors(client: sparrowhall.Client) -> None:
    plain = sparrowhall.make("ema_2016", client=client)
    flat = FlatObservation(sparrowhall.make("ema_2016", client=client), "obs", "mask")
    one, two = plain.reset(seed=3)[0], flat.reset(seed=3)[0]
    assert set(two) == {"obs", "mask"}
    assert two["obs"].dtype == np.float32
    sizes = np.cumsum([one[name].size for name in sorted(set(one) - {"action_mask"})])
    parts = dict(zip(sorted(set(one) - {"action_mask"}), np.split(two["obs"], sizes), strict=False))
    assert (parts["planes"] == one["planes"].ravel()).all()
    points = one["amounts"][:4] / 10_000
    assert parts["amounts"][:4] == pytest.approx(points)
    assert (two["mask"] == one["action_mask"]).all()
    assert (flat.action_masks() == (one["action_mask"] == 1)).all()
    plain.close()
    flat.close()
