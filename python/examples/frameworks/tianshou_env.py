"""Tianshou: a policy sees obs.obs, and obs.mask says what is legal."""

import numpy as np
from tianshou.data import Batch
from tianshou.env import DummyVectorEnv

import sparrowhall
from sparrowhall.flat import FlatObservation


def make():
    """Return a table in Tianshou's form."""
    return FlatObservation(sparrowhall.make("zung_jung", episode="hand"), "obs", "mask")


envs = DummyVectorEnv([make for _ in range(3)])
obs, info = envs.reset()
for _ in range(50):
    batch = Batch(list(obs))
    assert batch.obs.shape[0] == batch.mask.shape[0] == 3
    obs, reward, terminated, truncated, info = envs.step(sparrowhall.sample(np.asarray(batch.mask)))
    ended = np.flatnonzero(terminated | truncated)
    if ended.size:
        obs[ended] = envs.reset(ended)[0]
envs.close()
print("tianshou: played")
