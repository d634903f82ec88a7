"""Datasets for PyTorch, imported on first use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from sparrowhall.dataset import StepDataset, Steps


class TorchSteps(IterableDataset):  # type: ignore[misc, type-arg, unused-ignore]
    """The batches of a dataset as dictionaries of tensors; see ``StepDataset.torch``."""

    def __init__(self, steps: StepDataset) -> None:
        self._steps = steps

    def __iter__(self) -> Iterator[dict[str, Any]]:
        info = get_worker_info()
        i, n = (0, 1) if info is None else (info.id, info.num_workers)
        return map(_tensors, self._steps.shard(i, n))


def _tensors(steps: Steps) -> dict[str, Any]:
    arrays: dict[str, Any] = {
        **steps.observation,
        "mask": steps.mask.astype(bool),
        "action": steps.action.astype(np.int64),
        "player": steps.player,
        "return_hand": steps.returns.hand.astype(np.float32),
        "return_match": steps.returns.match.astype(np.float32),
        "return_placement": steps.returns.placement.astype(np.float32),
    }
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}
