"""RLlib: PPO with its example of action masking, until many episodes have ended."""

from __future__ import annotations

import ray
from common import ENDS, check
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

import sparrowhall
from sparrowhall.flat import FlatObservation


def trained(ruleset: str) -> int:
    """Train until enough episodes ended."""
    register_env(
        ruleset,
        lambda config: FlatObservation(sparrowhall.make(ruleset, episode="hand"), "observations"),
    )
    algorithm = (
        PPOConfig()
        .environment(ruleset)
        .env_runners(num_env_runners=0)
        .training(train_batch_size_per_learner=1024, minibatch_size=512, num_epochs=1)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
        .build_algo()
    )
    ends = 0
    while ends < ENDS:
        ends = int(algorithm.train()["env_runners"]["num_episodes_lifetime"])
    algorithm.stop()
    return ends


if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False)
    check("ray", "PPO with masks", trained)
    ray.shutdown()
