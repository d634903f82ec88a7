"""RLlib on a cluster: the environment runners of a node share one server.

It makes a cluster of two nodes here. On a real one, ray.init(address="auto") is all.
"""

import ray
from ray.cluster_utils import Cluster
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env


def table(config):
    """Make an environment on the server of the node."""
    import sparrowhall
    from sparrowhall.adapters.ray import client
    from sparrowhall.flat import FlatObservation

    env = sparrowhall.make("zung_jung", episode="hand", client=client())
    return FlatObservation(env, "observations")


if __name__ == "__main__":
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    cluster.add_node(num_cpus=2)
    cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    register_env("sparrowhall", table)
    algorithm = (
        PPOConfig()
        .environment("sparrowhall")
        .env_runners(num_env_runners=4, num_cpus_per_env_runner=1)
        .training(train_batch_size_per_learner=128, minibatch_size=64, num_epochs=1)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
    ).build_algo()
    print("rllib: trained,", algorithm.train()["training_iteration"], "iteration")
    servers = [a for a in ray.util.list_named_actors(all_namespaces=True) if "server" in a["name"]]
    print(f"{len(servers)} servers on 3 nodes")
    algorithm.stop()
    ray.shutdown()
    cluster.shutdown()
