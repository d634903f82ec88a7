"""RLlib: PPO with its own example of action masking."""

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

import sparrowhall
from sparrowhall.flat import FlatObservation

register_env(
    "sparrowhall",
    lambda config: FlatObservation(sparrowhall.make("zung_jung", episode="hand"), "observations"),
)
ray.init(num_cpus=2, include_dashboard=False)
config = (
    PPOConfig()
    .environment("sparrowhall")
    .env_runners(num_env_runners=0)
    .training(train_batch_size_per_learner=128, minibatch_size=64, num_epochs=1)
    .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
)
algorithm = config.build_algo()
print("rllib: trained,", algorithm.train()["training_iteration"], "iteration")
algorithm.stop()
ray.shutdown()
