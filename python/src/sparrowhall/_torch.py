"""Datasets and policies of PyTorch, imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import IterableDataset, get_worker_info

from sparrowhall.errors import SparrowhallError
from sparrowhall.spec import MASK, Arrays

Shard = Callable[[int, int], Iterator[dict[str, NDArray[Any]]]]
"""Returns the batches that worker i of n reads."""


class TorchSteps(IterableDataset):  # type: ignore[misc, type-arg, unused-ignore]
    """The batches of a dataset as dictionaries of tensors; see ``StepDataset.torch``."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    def __iter__(self) -> Iterator[dict[str, Any]]:
        info = get_worker_info()
        i, n = (0, 1) if info is None else (info.id, info.num_workers)
        for arrays in self._shard(i, n):
            yield {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}


def best_actions(module: torch.nn.Module, observation: Arrays, mask: NDArray[Any]) -> NDArray[Any]:
    """Return the legal action with the highest logit of each row.

    Args:
        module: From a dictionary of tensors, the observation and the mask, to logits of shape
            ``(n, actions)``. It is called in evaluation mode.
        observation: The tensors by name, each of shape ``(n, *shape)``.
        mask: Legal actions, bool, shape ``(n, actions)``.

    Raises:
        SparrowhallError: the module returned something else.
    """
    device = next((p.device for p in module.parameters()), None)
    arrays = {**observation, MASK: mask.astype(np.int8)}
    seen = {name: torch.from_numpy(np.array(a)).to(device) for name, a in arrays.items()}
    modes = [(m, m.training) for m in module.modules()]  # a part may be frozen in evaluation mode
    module.eval()
    try:
        with torch.no_grad():
            logits = module(seen)
    finally:
        for m, training in modes:
            m.training = training
    if not isinstance(logits, torch.Tensor) or logits.shape != mask.shape:
        shape = tuple(logits.shape) if isinstance(logits, torch.Tensor) else type(logits).__name__
        raise SparrowhallError(f"the module returned {shape}; required: logits {mask.shape}")
    logits = logits.float().masked_fill(seen[MASK] == 0, -torch.inf)
    if logits.isnan().any():  # else the first of them would be played
        raise SparrowhallError("the module returned a logit that is not a number (NaN)")
    best: NDArray[Any] = logits.argmax(1).cpu().numpy()
    return best
