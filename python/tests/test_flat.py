"""Observations as one array."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import jansou
from jansou.flat import FlatObservation


@pytest.mark.filterwarnings("ignore")
def test_check_env(ruleset: str, client: jansou.Client) -> None:
    check_env(FlatObservation(jansou.make(ruleset, client=client)))


def test_it_holds_all_tensors(client: jansou.Client) -> None:
    plain = jansou.make("ema_2016", client=client)
    flat = FlatObservation(jansou.make("ema_2016", client=client), "obs", "mask")
    one, two = plain.reset(seed=3)[0], flat.reset(seed=3)[0]
    assert set(two) == {"obs", "mask"}
    assert two["obs"].dtype == np.float32
    planes = one["planes"].ravel()
    assert (two["obs"][: planes.size] == planes).all()
    points = one["amounts"][:4] / 10_000
    assert np.isin(points.astype(np.float32), two["obs"]).all()
    assert (two["mask"] == one["action_mask"]).all()
    assert (flat.action_masks() == (one["action_mask"] == 1)).all()
    plain.close()
    flat.close()
