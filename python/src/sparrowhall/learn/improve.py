"""Learning from what comes of actions: paired playouts.

``sparrowhall train pairs`` plays matches and at decisions drawn by lot takes another action at a copy
of the table, where the same players finish the hand on the same wall; by how much more or less
that brings, with the luck of the tiles taken off, is a pair. A network learns from them what
actions bring beside each other: its logits, of which one more is ``unit`` more points, begin as
a guess of that and become better ones.
"""

from __future__ import annotations

import copy
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from sparrowhall.actions import unpack_mask
from sparrowhall.dataset import values
from sparrowhall.errors import SparrowhallError
from sparrowhall.learn.network import Network
from sparrowhall.server import find_binary
from sparrowhall.spec import Observation, observation_from

PAIRS_VERSION = 1
"""Version of the columns of ``sparrowhall train steps``."""

CHUNK = 4096
"""Pairs that a network is asked about at a time where nothing is learnt."""


@dataclass(frozen=True)
class Pairs:
    """Decisions at each of which two actions were tried.

    Attributes:
        spec: Description of what the players saw.
        columns: What ``sparrowhall train steps`` writes, packed, an entry for each pair; ``match`` is
            made different in different files.
        unit: Units of a point.
    """

    spec: Observation
    columns: dict[str, NDArray[Any]]
    unit: int

    def __len__(self) -> int:
        return len(self.columns["match"])

    def __getitem__(self, rows: Any) -> Pairs:
        return Pairs(self.spec, {n: c[rows] for n, c in self.columns.items()}, self.unit)

    @property
    def more(self) -> NDArray[np.float32]:
        """Points that the other action brought more, less luck."""
        points: NDArray[np.float32] = (self.columns["more"] / self.unit).astype(np.float32)
        return points

    @property
    def mask(self) -> NDArray[np.uint8]:
        """Legal actions, uint8 of 0 and 1, shape ``(n, 180)``."""
        return unpack_mask(self.columns["mask"])

    @property
    def observation(self) -> dict[str, NDArray[Any]]:
        """What the players saw, of that which networks read."""
        return {
            t.name: t.decode(self.columns[f"observation.{t.name}"])
            for t in self.spec.tensors
            if f"observation.{t.name}" in self.columns
        }


def read_pairs(files: Sequence[str | os.PathLike[str]], network: Network) -> Pairs:
    """Read files of ``sparrowhall train pairs`` as a network sees them.

    Raises:
        SparrowhallError: a file is damaged, of another version, or not what the network can learn from.
    """
    parts: list[dict[str, NDArray[Any]]] = []
    units: set[int] = set()
    for number, file in enumerate(files):
        for unit, part in _read(file, network):
            units.add(unit)
            part["match"] = part["match"] + np.uint64(number << 40)
            parts.append(part)
    if len(units) > 1:
        raise SparrowhallError(f"files that count in different units: {', '.join(map(str, files))}")
    if not parts:
        raise SparrowhallError(f"there are no pairs in {', '.join(map(str, files))}")
    columns = {name: np.concatenate([p[name] for p in parts]) for name in parts[0]}
    return Pairs(network.spec, columns, units.pop())


def _read(
    file: str | os.PathLike[str], network: Network
) -> Iterator[tuple[int, dict[str, NDArray[Any]]]]:
    """Give the units of a point, and the columns that are needed of some pairs at a time."""
    import pyarrow as pa

    wanted = {f"observation.{name}" for name in network.inputs.read}
    command = [str(find_binary()), "train", "steps", "--observation", network.observation]
    process = subprocess.Popen(
        [*command, os.fspath(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        with pa.ipc.open_stream(process.stdout) as reader:
            about = {k.decode(): v.decode() for k, v in reader.schema.metadata.items()}
            _check(file, about, network)
            for record in reader:
                named = zip(record.schema.names, record.columns, strict=True)
                yield (
                    int(about["units_per_point"]),
                    {
                        name: values(column)
                        for name, column in named
                        if name in wanted or not name.startswith("observation.")
                    },
                )
        said = process.communicate()[1]
        if process.returncode:
            raise SparrowhallError(said.decode(errors="replace").strip())
    except (OSError, pa.ArrowInvalid) as e:  # the program ended in the middle
        said = process.communicate()[1]
        raise SparrowhallError(said.decode(errors="replace").strip() or f"{file}: {e}") from e
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def _check(file: str | os.PathLike[str], about: dict[str, str], network: Network) -> None:
    """Raise an error if pairs are not what a network can learn from."""

    def named(o: Observation) -> str:
        return f"{o.name} of version {o.version}"

    for what, theirs, ours in (
        ("version of columns", about["version"], str(PAIRS_VERSION)),
        ("family", about["family"], network.family or about["family"]),
        ("observation", named(observation_from(about["observation"])), named(network.spec)),
    ):
        if theirs != ours:
            raise SparrowhallError(
                f"{os.fspath(file)}: its {what} is {theirs}; the network wants {ours}"
            )


@dataclass(frozen=True)
class Round:
    """What was learnt from pairs, as those of matches that were held out have it.

    Attributes:
        pairs: Pairs learnt from.
        explained: Part of the variance of points that the network tells, in percent; below 0 if
            it would be better to say nothing.
        changed: Pairs whose other action it now prefers, in percent.
        gain: Points a hundred pairs that these bring more.
        error: Standard error of ``gain``.
    """

    pairs: int
    explained: float
    changed: float
    gain: float
    error: float


def unit_of(network: Network, pairs: Pairs) -> float:
    """Return how many points a unit of a network's logits stands for, as pairs have it.

    Raises:
        ValueError: what it prefers brings no more than the other.
    """
    above = below = 0.0
    more = pairs.more
    for rows in _chunks(np.arange(len(pairs))):
        with torch.no_grad():
            margins = _margins(network, pairs[rows]).cpu().numpy()
        above += float((margins * more[rows]).sum())
        below += float((margins * margins).sum())
    if above <= 0:
        raise ValueError("what the network prefers brings no more than the other: give --unit")
    return above / below


def improve(
    network: Network,
    pairs: Pairs,
    *,
    unit: float,
    margin: float = 0.0,
    anchor: float = 1.0,
    before: Network | None = None,
    epochs: int = 2,
    batch: int = 1024,
    rate: float = 5e-4,
    held_out: int = 10,
    seed: int = 1,
    optimizer: torch.optim.Optimizer | None = None,
    skip: int = 0,
) -> Iterator[Round]:
    """Learn from pairs, and tell after each time through them how it went.

    Args:
        network: What learns.
        pairs: What ``read_pairs`` has returned.
        unit: Points to a unit of logits; see ``unit_of``.
        margin: Points that another action must bring more to be preferred to what is advised:
            of many estimates those that are too high stand out. The pairs must be those of
            the player who advises.
        anchor: How strongly the logits of other actions are held where they were beside that
            of what was played. Pairs say nothing of them, and without it they drift.
        before: The network that says where they were; as it is now if None.
        epochs: How often to go through the pairs.
        batch: Pairs of a step.
        rate: Learning rate at the beginning; it goes down to 0.
        held_out: Every so many-th match is not learnt from, but tried.
        seed: Seed of the order.
        optimizer: The optimizer; Adam if None.
        skip: Epochs that have been learnt from before.

    Raises:
        ValueError: a margin is asked for and it is not the player who advises that played.
    """
    if margin and not _advised(pairs):
        raise ValueError(
            "a margin is for networks with the advice of the player who made the pairs; "
            "give none for those of another player"
        )
    optimizer = optimizer or torch.optim.Adam(network.parameters(), lr=rate)
    before = copy.deepcopy(before or network).requires_grad_(False)
    before.margin = 0.0
    more = pairs.more
    everything = np.arange(len(pairs))
    held = pairs.columns["match"] % np.uint64(held_out) == 0
    tests, lessons = everything[held], everything[~held]
    steps = -(-len(lessons) // batch)
    for epoch in range(epochs):
        order = np.random.default_rng([seed, epoch]).permutation(lessons)
        if epoch < skip:
            continue
        network.margin = 0.0
        for step, rows in enumerate(np.array_split(order, steps)):
            for group in optimizer.param_groups:
                group["lr"] = rate * (1 - (epoch * steps + step) / (epochs * steps))
            rows.sort()
            some = pairs[rows]
            observation, mask = some.observation, some.mask
            logits = _beside(network.of(observation, mask), some)
            margins = logits.gather(1, _actions(some, "other", logits))[:, 0]
            error = nn.functional.mse_loss(margins, torch.from_numpy(more[rows] / unit).to(margins))
            if anchor:
                drift = logits - _beside(before.of(observation, mask), some)
                held = torch.from_numpy(mask).to(drift)
                held = held.scatter(1, _actions(some, "other", logits), 0)
                error = error + anchor * ((drift * held) ** 2).sum() / held.sum()
            optimizer.zero_grad()
            error.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
        network.margin = margin / unit
        yield tried(network, pairs, tests, unit=unit, lessons=len(lessons))


def _advised(pairs: Pairs) -> bool:
    """Report whether what was played is what the network was advised."""
    candidates = pairs.columns.get("observation.candidates")
    if candidates is None:
        return False
    first = pairs.observation["candidates"][:, 0, 0]
    return bool((first == pairs.columns["played"].astype(np.int64) + 1).mean() > 0.99)


def _chunks(rows: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    for first in range(0, len(rows), CHUNK):
        yield rows[first : first + CHUNK]


def _actions(pairs: Pairs, name: str, like: torch.Tensor) -> torch.Tensor:
    """Return the played or the other action of pairs, int64, shape ``(n, 1)``."""
    return torch.from_numpy(pairs.columns[name].astype(np.int64)).to(like.device)[:, None]


def _beside(logits: torch.Tensor, pairs: Pairs) -> torch.Tensor:
    """Return logits less those of what was played."""
    return logits - logits.gather(1, _actions(pairs, "played", logits))


def _margins(network: Network, pairs: Pairs) -> torch.Tensor:
    """Return by how much a network's logits prefer the other action, whatever its margin."""
    margin, network.margin = network.margin, 0.0
    logits = _beside(network.of(pairs.observation, pairs.mask), pairs)
    network.margin = margin
    return logits.gather(1, _actions(pairs, "other", logits))[:, 0]


def tried(
    network: Network,
    pairs: Pairs,
    rows: NDArray[np.intp],
    *,
    unit: float,
    lessons: int,
) -> Round:
    """Tell how a network does at some of the pairs."""
    square = rest = gain = noise = 0.0
    changed = 0
    more = pairs.more
    for some in _chunks(rows):
        with torch.no_grad():
            margins = _margins(network, pairs[some]).cpu().numpy()
        came = more[some]
        square += float((came**2).sum())
        rest += float(((came - unit * margins) ** 2).sum())
        preferred = margins > network.margin
        gain += float(came[preferred].sum())
        noise += float((came[preferred] ** 2).sum())
        changed += int(preferred.sum())
    n = max(1, len(rows))
    return Round(
        pairs=lessons,
        explained=100 * (1 - rest / (square or 1.0)),
        changed=100 * changed / n,
        gain=100 * gain / n,
        error=100 * noise**0.5 / n,
    )
