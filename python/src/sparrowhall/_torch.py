"""Datasets for PyTorch, imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import IterableDataset, get_worker_info

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
