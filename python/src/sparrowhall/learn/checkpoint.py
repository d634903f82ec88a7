"""Optimizers as tensors with names, for files of safetensors."""

from __future__ import annotations

import torch
from torch import Tensor

_PREFIX = "optimizer."


def optimizer_state(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return the state of an optimizer, but for the settings of its groups."""
    state = optimizer.state_dict()["state"]
    return {
        f"{_PREFIX}{i}.{name}": torch.as_tensor(value)
        for i, values in state.items()
        for name, value in values.items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """Give an optimizer what ``optimizer_state`` has returned, among other tensors."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        if key.startswith(_PREFIX):
            number, _, name = key.removeprefix(_PREFIX).partition(".")
            state.setdefault(int(number), {})[name] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
