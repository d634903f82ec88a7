"""Learning from what comes of actions: paired playouts.

At decisions of its own play a network's best action is compared with another one: a built-in
player finishes the hand after each, on the same walls, so that little of the difference is luck.
The network then learns to prefer one to the other by as much as it brought (the regression of
relative rewards: Gao and others, REBEL, 2024). With ``temper`` points to a unit of logits, what
it would learn from endless pairs is its old policy, changed as far as that pays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from jansou.client import Client
from jansou.learn.network import Network

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Pairs:
    """Decisions at each of which two actions were tried.

    Attributes:
        observation: What the players saw, shape ``(n, ...)``.
        mask: Legal actions, uint8, shape ``(n, 180)``.
        best: The network's action, int64.
        other: The one that it was compared with, int64.
        gain: Points that the other brought more, float32.
    """

    observation: Arrays
    mask: NDArray[np.uint8]
    best: NDArray[np.int64]
    other: NDArray[np.int64]
    gain: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.gain)

    def __getitem__(self, rows: Any) -> Pairs:
        seen = {name: a[rows] for name, a in self.observation.items()}
        return Pairs(seen, self.mask[rows], self.best[rows], self.other[rows], self.gain[rows])


@dataclass(frozen=True)
class Round:
    """What was learnt from a round of pairs.

    Attributes:
        pairs: How many there were.
        gain: Mean points that the other action brought more; below 0 where the network chose
            well.
        spread: Standard deviation of these points.
        explained: Part of their variance that the network explains in pairs that were held out.
        changed: Share of the decisions held out in which it now plays another action.
    """

    pairs: int
    gain: float
    spread: float
    explained: float
    changed: float


def collect(
    network: Network,
    client: Client,
    ruleset: str,
    *,
    pairs: int,
    tables: int = 256,
    seed: int = 1,
    seats: tuple[str, str, str] = ("value", "value", "value"),
    finish: str = "value",
    part: float = 0.3,
    heat: float = 2.0,
) -> Pairs:
    """Let a network play, and try another action at some of its decisions.

    Args:
        network: Who plays.
        client: Where to play.
        ruleset: Name of a preset.
        pairs: How many pairs to collect, at least.
        tables: Tables at a time.
        seed: Seed of the matches and of what is drawn by lot.
        seats: Built-in players who play the others; the network moves on from seat to seat.
        finish: The built-in player who finishes hands.
        part: Share of the decisions at which another action is tried.
        heat: The other action is drawn by the network's logits over this.
    """
    rng = np.random.default_rng(seed)
    parts: list[Pairs] = []
    count = 0
    with client.open(
        ruleset,
        tables,
        seed=seed,
        seats=["external", *seats],
        rotate_seats=True,
        observation=network.observation,
        auto_reset=True,
    ) as stream:
        batch = stream.recv()
        while count < pairs:
            rows = np.flatnonzero(batch.asked)
            seen = {name: a[rows] for name, a in batch.observation.items()}
            mask = batch.mask[rows].view(np.uint8)
            with torch.no_grad():
                logits = network.of(seen, mask).cpu().numpy()
            best = logits.argmax(axis=1)
            tried = np.flatnonzero(rng.random(len(rows)) < part)
            if len(tried):
                # The Gumbel-max trick draws by the logits, the best action left out.
                noise = rng.gumbel(size=(len(tried), logits.shape[1]))
                drawn = np.where(mask[tried] > 0, logits[tried] / heat + noise, -np.inf)
                drawn[np.arange(len(tried)), best[tried]] = -np.inf
                other = drawn.argmax(axis=1)
                table, player = batch.table[rows[tried]], batch.player[rows[tried]]
                both = stream.playout(
                    np.concatenate([table, table]),
                    np.concatenate([player, player]),
                    np.concatenate([best[tried], other]),
                    finish,
                )
                worth = both.reward + both.owed
                gain = worth[len(tried) :] - worth[: len(tried)]
                kept = {name: a[tried].copy() for name, a in seen.items()}
                parts.append(Pairs(kept, mask[tried], best[tried], other, gain.astype(np.float32)))
                count += len(tried)
            answers = np.zeros(len(batch), np.int64)
            answers[rows] = best
            batch = stream.act(batch, answers)
    names = parts[0].observation
    return Pairs(
        {name: np.concatenate([p.observation[name] for p in parts]) for name in names},
        np.concatenate([p.mask for p in parts]),
        np.concatenate([p.best for p in parts]),
        np.concatenate([p.other for p in parts]),
        np.concatenate([p.gain for p in parts]),
    )


def improve(
    network: Network,
    pairs: Pairs,
    *,
    temper: float,
    epochs: int = 2,
    batch: int = 512,
    rate: float = 3e-4,
    held_out: float = 0.1,
    seed: int = 1,
    optimizer: torch.optim.Optimizer | None = None,
) -> Iterator[Round]:
    """Learn from pairs, and tell after each time through them how it went.

    Args:
        network: What learns; its policy of now is what it stays near to.
        pairs: What ``collect`` has returned.
        temper: Points to a unit of logits: the more, the nearer it stays.
        epochs: How often to go through the pairs.
        batch: Pairs of a step.
        rate: Learning rate of the optimizer, if none is given.
        held_out: Share of the pairs that is not learnt from, but tried.
        seed: Seed of the order.
        optimizer: The optimizer; Adam if None.
    """
    optimizer = optimizer or torch.optim.Adam(network.parameters(), lr=rate)
    rng = np.random.default_rng(seed)
    before = np.concatenate(
        [_margins(network, pairs[at]).detach().cpu().numpy() for at in _chunks(len(pairs))]
    )
    order = rng.permutation(len(pairs))
    tests, order = np.split(order, [max(1, int(held_out * len(pairs)))])
    for _ in range(epochs):
        rng.shuffle(order)
        for first in range(0, len(order), batch):
            at = order[first : first + batch]
            some = pairs[at]
            margins = _margins(network, some)
            want = torch.from_numpy(before[at] + some.gain / temper).to(margins)
            error = nn.functional.mse_loss(margins, want)
            optimizer.zero_grad()
            error.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
        yield _tried(network, pairs, before, tests, temper)


def _chunks(n: int, size: int = 4096) -> Iterator[NDArray[np.intp]]:
    for first in range(0, n, size):
        yield np.arange(first, min(first + size, n))


def _margins(network: Network, pairs: Pairs) -> torch.Tensor:
    """Return by how much a network's logits prefer the other action."""
    logits = network.of(pairs.observation, pairs.mask)
    rows = torch.arange(len(pairs))
    return logits[rows, pairs.other] - logits[rows, pairs.best]


def _tried(
    network: Network,
    pairs: Pairs,
    before: NDArray[np.float32],
    tests: NDArray[np.intp],
    temper: float,
) -> Round:
    told, changed = [], 0
    with torch.no_grad():
        for rows in _chunks(len(tests)):
            some = pairs[tests[rows]]
            logits = network.of(some.observation, some.mask)
            at = torch.arange(len(some))
            margins = logits[at, some.other] - logits[at, some.best]
            told.append(margins.cpu().numpy() - before[tests[rows]])
            changed += int((logits.argmax(dim=1).cpu().numpy() != some.best).sum())
    gain = pairs.gain[tests]
    rest = gain - temper * np.concatenate(told)
    square = float((gain**2).mean()) or 1.0
    return Round(
        pairs=len(pairs),
        gain=float(pairs.gain.mean()),
        spread=float(pairs.gain.std()),
        explained=1 - float((rest**2).mean()) / square,
        changed=changed / len(tests),
    )
