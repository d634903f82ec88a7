"""TorchRL: one table, many in one process, one in each process, and all seats of a table."""

import torch
from torchrl.envs import GymWrapper, ParallelEnv, PettingZooWrapper, check_env_specs
from torchrl.modules import MaskedCategorical

import sparrowhall


def policy(td):
    """Draw any legal action."""
    mask = td["action_mask"].bool()
    action = MaskedCategorical(logits=torch.zeros(mask.shape), mask=mask).sample()
    td["action"] = torch.nn.functional.one_hot(action, 180)
    return td


def all_seats(td):
    """Draw any legal action for each player; those who need not answer can only pass."""
    mask = td["player", "action_mask"].bool()
    td["player", "action"] = MaskedCategorical(logits=torch.zeros(mask.shape), mask=mask).sample()
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
    table = PettingZooWrapper(sparrowhall.parallel_env("zung_jung", episode="hand"))
    played = table.rollout(150, all_seats, break_when_any_done=False)
    print("torchrl, all seats:", played.batch_size)
    table.close()
