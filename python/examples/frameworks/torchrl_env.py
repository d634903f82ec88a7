"""TorchRL: one table, many in one process, and one in each process."""

import torch
from torchrl.envs import GymWrapper, ParallelEnv, check_env_specs
from torchrl.modules import MaskedCategorical

import sparrowhall


def policy(td):
    """Draw any legal action."""
    mask = td["action_mask"].bool()
    action = MaskedCategorical(logits=torch.zeros(mask.shape), mask=mask).sample()
    td["action"] = torch.nn.functional.one_hot(action, 180)
    return td


def one():
    """Return a table."""
    return GymWrapper(sparrowhall.make("zung_jung", episode="hand"))


if __name__ == "__main__":
    env = one()
    check_env_specs(env)
    print("torchrl, single:", env.rollout(20, policy, auto_reset=True).batch_size)
    env.close()
    tables = sparrowhall.make_vec("zung_jung", 4, episode="hand", autoreset_mode="Disabled")
    many = GymWrapper(tables)
    print("torchrl, vector:", many.rollout(20, policy, break_when_any_done=False).batch_size)
    many.close()
    apart = ParallelEnv(2, one)
    print("torchrl, parallel:", apart.rollout(20, policy, break_when_any_done=False).batch_size)
    apart.close()
