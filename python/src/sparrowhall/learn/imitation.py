"""Imitation learning (behavioral cloning) from datasets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from sparrowhall.datasets import StepDataset
from sparrowhall.learn.network import Network


@dataclass(frozen=True)
class Progress:
    """The state of a training.

    Attributes:
        step: Number of batches so far.
        rows: Number of decisions used for training so far.
        loss: Mean cross entropy since the last report, in nats.
        right: Accuracy on decisions of held-out matches since the last report, 0 to 1; NaN if
            there were none.

    Examples:
        >>> from sparrowhall.learn import imitate
        >>> for now in imitate(network, data):  # doctest: +SKIP
        ...     print(now.step, now.loss, now.right)
    """

    step: int
    rows: int
    loss: float
    right: float


def imitate(
    network: Network,
    data: StepDataset,
    *,
    rate: float = 1e-3,
    held_out: int = 10,
    every: int = 50,
    skip: int = 0,
    last: float | None = None,
    steps: int = 0,
    optimizer: torch.optim.Optimizer | None = None,
) -> Iterator[Progress]:
    """Train a network for one epoch, and yield reports.

    Args:
        network: The network, on its device; its family becomes that of the datasets.
        data: ``sparrowhall.dataset`` with the observation that the network reads; shuffle it.
        rate: Initial learning rate.
        held_out: One of this many matches is held out, with all others of the same walls.
        every: Number of batches between two reports.
        skip: Number of batches at the beginning done before.
        last: Learning rate after ``steps`` batches, to which it decreases linearly; constant if
            None.
        steps: Number of batches of the epoch; required with ``last``.
        optimizer: The optimizer; Adam if None. Pass one to train for several epochs.

    Yields:
        A report after every ``every`` batches and at the end.

    Raises:
        ValueError: the datasets are of another observation or number of players, or their
            rulesets of different families or of another one than the network's.

    Examples:
        >>> import sparrowhall
        >>> from sparrowhall.learn import Network, imitate
        >>> data = sparrowhall.dataset("runs/first", batch=512, shuffle=10_000)  # doctest: +SKIP
        >>> curve = list(imitate(Network(), data))  # doctest: +SKIP
    """
    network.set_family(family_of(data.folders), ", ".join(data.folders))
    optimizer = optimizer or torch.optim.Adam(network.parameters(), lr=rate)
    device = next(network.parameters()).device
    step = rows = right = held = 0
    loss = torch.zeros((), device=device)

    def progress() -> Progress:
        return Progress(
            step, rows, loss.item() / ((step - 1) % every + 1), right / held if held else np.nan
        )

    for batch in data:
        trying = batch.wall_set % held_out == 0
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


def family_of(folders: Sequence[str]) -> str:
    """Return the family of rulesets of datasets, which must be the same for all."""
    families = _rulesets(folders, "family")
    if len(set(families.values())) > 1:
        raise ValueError(f"the datasets have rulesets of different families: {families}")
    return families[folders[0]]


def check_rulesets(folders: Sequence[str], name: str) -> None:
    """Raise ValueError unless all datasets are of the ruleset of a name."""
    for folder, other in _rulesets(folders, "name").items():
        if other != name:
            raise ValueError(f"{folder} is of the ruleset {other}, not of {name}; leave that out")


def _rulesets(folders: Sequence[str], what: str) -> dict[str, str]:
    """Return what the manifests of datasets say about their rulesets, by folder."""
    said: dict[str, str] = {}
    for folder in folders:
        manifest = Path(folder) / "manifest.json"
        try:
            said[folder] = json.loads(manifest.read_text())["ruleset"][what]
        except (ValueError, TypeError, KeyError) as e:
            raise ValueError(f"{manifest} is damaged or of no dataset: {e!r}") from e
    return said
