"""Learning by imitation: do what the players of a dataset did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from sparrowhall.dataset import StepDataset
from sparrowhall.learn.network import Network


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
    skip: int = 0,
    last: float | None = None,
    steps: int = 0,
    optimizer: torch.optim.Optimizer | None = None,
) -> Iterator[Progress]:
    """Learn from a dataset once through, and tell every so many batches how it goes.

    Args:
        network: What learns, on the device where it is.
        data: What to learn from: ``sparrowhall.dataset`` with the observation that the network reads;
            shuffle it.
        rate: Learning rate at the beginning.
        last: Learning rate after ``steps`` batches, to which it goes down evenly; it stays if
            None.
        held_out: Every so many-th match is not learnt from, but tried.
        every: Batches between two reports.
        skip: Batches at the beginning that have been learnt from before.
        steps: Batches that there are; the number is needed with ``last`` alone.
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
        trying = batch.match % held_out == 0
        if trying.all():
            continue
        if step < skip:
            step += 1
            rows += int((~trying).sum())
            continue
        action = torch.from_numpy(batch.action.astype(np.int64)).to(device)
        logits = network.of(batch.observation, batch.mask)
        tried = torch.from_numpy(trying).to(device)
        error = nn.functional.cross_entropy(logits[~tried], action[~tried])
        for group in optimizer.param_groups:
            group["lr"] = rate if last is None else rate + (last - rate) * min(1.0, step / steps)
        optimizer.zero_grad()
        error.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        loss += error.detach()
        right += int((logits[tried].argmax(dim=1) == action[tried]).sum())
        held += int(trying.sum())
        rows += int((~trying).sum())
        step += 1
        if step % every == 0:
            yield progress()
            loss.zero_()
            right = held = 0
    if step % every and step > skip:
        yield progress()
