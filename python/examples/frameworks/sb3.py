"""sb3-contrib: MaskablePPO finds the legal actions by itself, for one table and for many."""

from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

import sparrowhall
from sparrowhall.sb3 import make_vec_env

for env in (
    make_vec_env("zung_jung", 8, episode="hand"),
    DummyVecEnv([lambda: sparrowhall.make("zung_jung", episode="hand") for _ in range(2)]),
):
    model = MaskablePPO(
        "MultiInputPolicy", env, n_steps=64, batch_size=64, n_epochs=1, device="cpu"
    )
    model.learn(256)
    print("sb3-contrib: learned from", model.num_timesteps, "steps")
    env.close()
