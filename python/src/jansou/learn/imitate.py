"""Learning by imitation: do what the players of a dataset did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from jansou.dataset import StepDataset
from jansou.learn.network import Network


@dataclass(frozen=True)
class Progress:
    """How far the learning has come.

    Attributes:
        step: Batches learnt from.
        rows: Decisions learnt from.
        loss: Mean cross entropy of the last batches, in nats.
        right: Share of the decisions of matches that are held out, among the last batches, in
            which the network's best action is the player's; NaN if there were none.
    """

    step: int
    rows: int
    loss: float
    right: float


def imitate(
    network: Network,
    data: StepDataset,
    *,
    rate: float = 5e-4,
    held_out: int = 10,
    every: int = 50,
    optimizer: torch.optim.Optimizer | None = None,
) -> Iterator[Progress]:
    """Learn from a dataset once through, and tell every so many batches how it goes.

    Args:
        network: What learns, on the device where it is.
        data: What to learn from: ``jansou.dataset`` with the observation ``planes``; shuffle it.
        rate: Learning rate of the optimizer, if none is given.
        held_out: Every so many-th match is not learnt from, but tried.
        every: Batches between two reports.
        optimizer: The optimizer; Adam if None. Give one to go through the data several times.
    """
    optimizer = optimizer or torch.optim.Adam(network.parameters(), lr=rate)
    device = next(network.parameters()).device
    step = rows = right = held = 0
    loss = torch.zeros((), device=device)

    def progress() -> Progress:
        return Progress(
            step, rows, loss.item() / ((step - 1) % every + 1), right / held if held else np.nan
        )

    for batch in data:
        planes = torch.from_numpy(batch.observation["planes"]).to(device)
        mask = torch.from_numpy(batch.mask).to(device)
        action = torch.from_numpy(batch.action.astype(np.int64)).to(device)
        trying = torch.from_numpy(batch.match % held_out == 0).to(device)
        if trying.all():
            continue
        error = nn.functional.cross_entropy(
            network(planes[~trying], mask[~trying]), action[~trying]
        )
        optimizer.zero_grad()
        error.backward()
        optimizer.step()
        with torch.no_grad():
            best = network(planes[trying], mask[trying]).argmax(dim=1)
        loss += error.detach()
        right += int((best == action[trying]).sum())
        held += len(best)
        rows += len(batch) - len(best)
        step += 1
        if step % every == 0:
            yield progress()
            loss.zero_()
            right = held = 0
    if step % every:
        yield progress()
