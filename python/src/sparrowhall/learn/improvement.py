"""Policy improvement from paired rollouts (common random numbers).

``sparrowhall train pairs`` plays matches. At random decisions it rolls out another action at a copy
of the table, where the same players finish the hand on the same wall. The difference of the
luck-adjusted results is a pair. A network is fitted to pairs by regression: a difference of one
between two logits predicts a difference of ``unit`` points.
"""

from __future__ import annotations

import copy
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from sparrowhall.actions import unpack_mask
from sparrowhall.datasets import values
from sparrowhall.errors import SparrowhallError
from sparrowhall.learn.network import Network
from sparrowhall.server import find_binary
from sparrowhall.spec import Observation, observation_from

PAIRS_VERSION = 1
"""Version of the columns of ``sparrowhall train steps``."""

CHUNK = 4096
"""Pairs of a forward pass without training."""

BLOCK = 1 << 18
"""Pairs that are shuffled among one another, since those beyond memory are read in order."""


@dataclass(frozen=True)
class Pairs:
    """Decisions at each of which two actions were rolled out.

    Attributes:
        spec: Description of the observation.
        columns: The columns of ``sparrowhall train steps``, packed, an entry for each pair; the
            numbers in ``match`` differ between files.
        unit: Units of a point.

    Examples:
        >>> from sparrowhall.learn import Network, read_pairs
        >>> pairs = read_pairs(["played.pairs"], Network.load("network.pt"))  # doctest: +SKIP
        >>> pairs.more.mean()  # doctest: +SKIP
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
        """Luck-adjusted gain of the other action over the played one in points, float32."""
        points: NDArray[np.float32] = (self.columns["more"] / self.unit).astype(np.float32)
        return points

    @property
    def mask(self) -> NDArray[np.uint8]:
        """Legal actions, uint8 of 0 and 1, shape ``(n, 180)``."""
        return unpack_mask(self.columns["mask"])

    @property
    def observation(self) -> dict[str, NDArray[Any]]:
        """The tensors that networks read, by name, each of shape ``(n, *shape)``."""
        return {
            t.name: t.decode(self.columns[f"observation.{t.name}"])
            for t in self.spec.tensors
            if f"observation.{t.name}" in self.columns
        }


def read_pairs(
    files: Sequence[str | os.PathLike[str]],
    network: Network,
    folder: str | os.PathLike[str] | None = None,
    ruleset: str | None = None,
) -> Pairs:
    """Read files of ``sparrowhall train pairs`` with the observation of a network.

    Args:
        files: The files.
        network: The network.
        folder: Keep the columns in files of this folder instead of in memory; with advice they
            take 1 kB for each pair.
        ruleset: Name of the ruleset that they must be of; None for any.

    Raises:
        SparrowhallError: a file is damaged, of another version or ruleset, or of another family
            or observation than the network.

    Examples:
        >>> from sparrowhall.learn import Network, read_pairs
        >>> pairs = read_pairs(["played.pairs"], Network.load("network.pt"))  # doctest: +SKIP
    """
    units: set[int] = set()

    def parts() -> Iterator[dict[str, NDArray[Any]]]:
        for number, file in enumerate(files):
            for unit, part in _read(file, network, ruleset):
                units.add(unit)
                part["match"] = part["match"] + np.uint64(number << 40)
                yield part

    columns = _joined(parts()) if folder is None else _stored(parts(), Path(folder))
    if len(units) > 1:
        raise SparrowhallError(
            f"files with different units of points: {', '.join(map(str, files))}"
        )
    if not columns:
        raise SparrowhallError(f"there are no pairs in {', '.join(map(str, files))}")
    return Pairs(network.spec, columns, units.pop())


def _joined(parts: Iterator[dict[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """Return columns in memory."""
    all_parts = list(parts)
    names = all_parts[0] if all_parts else {}
    return {name: np.concatenate([p[name] for p in all_parts]) for name in names}


def _stored(parts: Iterator[dict[str, NDArray[Any]]], folder: Path) -> dict[str, NDArray[Any]]:
    """Return columns in a file each."""
    rows, first = 0, dict[str, NDArray[Any]]()
    with ExitStack() as stack:
        files: dict[str, Any] = {}
        for part in parts:
            first = first or part
            rows += len(part["match"])
            for name, column in part.items():
                if name not in files:
                    files[name] = stack.enter_context((folder / name).open("wb"))
                files[name].write(np.ascontiguousarray(column).data)
    return {
        name: np.memmap(folder / name, c.dtype, "r", shape=(rows, *c.shape[1:]))
        for name, c in first.items()
    }


def _read(
    file: str | os.PathLike[str], network: Network, ruleset: str | None
) -> Iterator[tuple[int, dict[str, NDArray[Any]]]]:
    """Yield chunks of pairs: the units of a point, and the columns that the network reads."""
    import pyarrow as pa

    wanted = {f"observation.{name}" for name in network.inputs.read}
    command = [str(find_binary()), "train", "steps", "--observation", network.observation]
    process = subprocess.Popen(
        [*command, os.fspath(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        with pa.ipc.open_stream(process.stdout) as reader:
            about = {k.decode(): v.decode() for k, v in reader.schema.metadata.items()}
            _check(file, about, network, ruleset)
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


def _check(
    file: str | os.PathLike[str], about: dict[str, str], network: Network, ruleset: str | None
) -> None:
    """Raise SparrowhallError unless a network can learn from the pairs of a file."""

    def named(o: Observation) -> str:
        return f"{o.name} of version {o.version}"

    for what, theirs, ours in (
        ("version of columns", about["version"], str(PAIRS_VERSION)),
        ("ruleset", about["ruleset"], ruleset or about["ruleset"]),
        ("family", about["family"], network.family or about["family"]),
        ("observation", named(observation_from(about["observation"])), named(network.spec)),
    ):
        if theirs != ours:
            raise SparrowhallError(f"{os.fspath(file)}: its {what} is {theirs}; required: {ours}")


@dataclass(frozen=True)
class Round:
    """Results on held-out pairs after an epoch, NaN without any.

    Attributes:
        pairs: Number of pairs used for training.
        explained: Explained variance of the gains in percent; below 0 if predicting 0 is better.
        changed: Pairs whose other action the network prefers, in percent.
        gain: Gain of these actions in points per hundred pairs.
        error: Standard error of ``gain``.

    Examples:
        >>> from sparrowhall.learn import improve
        >>> for now in improve(network, pairs, unit=100):  # doctest: +SKIP
        ...     print(now.explained, now.gain)
    """

    pairs: int
    explained: float
    changed: float
    gain: float
    error: float


def unit_of(network: Network, pairs: Pairs) -> float:
    """Return the points per unit of a network's logits: the least-squares slope over pairs.

    Raises:
        ValueError: the slope is not positive.

    Examples:
        >>> from sparrowhall.learn import unit_of
        >>> unit = unit_of(network, pairs)  # doctest: +SKIP
    """
    above = below = 0.0
    more = pairs.more
    for rows in _chunks(np.arange(len(pairs))):
        with torch.no_grad():
            margins = _margins(network, pairs[rows]).cpu().numpy()
        above += float((margins * more[rows]).sum())
        below += float((margins * margins).sum())
    if above <= 0:
        raise ValueError("the actions that the network prefers gain nothing: set --unit")
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
    batch: int = 512,
    rate: float = 3e-4,
    held_out: int = 10,
    seed: int = 1,
    optimizer: torch.optim.Optimizer | None = None,
    skip: int = 0,
) -> Iterator[Round]:
    """Train a network on pairs, and yield its results after each epoch.

    Args:
        network: The network.
        pairs: The pairs, as ``read_pairs`` returns them.
        unit: Points per unit of logits; see ``unit_of``.
        margin: Predicted gain in points that another action needs to be preferred to the advised
            one, since the maximum of many estimates is biased upwards. The pairs must be those
            of the player who advises.
        anchor: Weight of the penalty on changes of the logits of actions without a rollout,
            relative to the played action. Without it they drift.
        before: The network from which these changes are measured; a copy of network if None.
        epochs: Number of epochs.
        batch: Pairs of a step.
        rate: Initial learning rate; it decreases linearly to 0.
        held_out: One of this many matches is held out.
        seed: Seed of the order of pairs.
        optimizer: The optimizer; Adam if None.
        skip: Number of epochs done before.

    Yields:
        The results on held-out pairs.

    Raises:
        ValueError: margin is above 0 and the pairs are not those of the player who advises, or
            all pairs are held out.

    Examples:
        >>> from sparrowhall.learn import improve, unit_of
        >>> list(improve(network, pairs, unit=unit_of(network, pairs)))  # doctest: +SKIP
    """
    if margin and not _advised(pairs):
        raise ValueError(
            "margin requires a network with the advice of the player who made the pairs; "
            "set it to 0 for pairs of another player"
        )
    optimizer = optimizer or torch.optim.Adam(network.parameters(), lr=rate)
    before = copy.deepcopy(before or network).requires_grad_(False)
    before.margin = 0.0
    more = pairs.more
    everything = np.arange(len(pairs))
    held = pairs.columns["match"] % np.uint64(held_out) == 0
    tests, lessons = everything[held], everything[~held]
    if not lessons.size:
        raise ValueError(
            "nothing is left to learn from, since some matches are held out; use pairs of more "
            "matches"
        )
    steps = -(-len(lessons) // batch)
    for epoch in range(epochs):
        rng = np.random.default_rng([seed, epoch])
        blocks = np.array_split(lessons, -(-len(lessons) // BLOCK) or 1)
        order = np.concatenate([rng.permutation(blocks[i]) for i in rng.permutation(len(blocks))])
        if epoch < skip:
            continue
        network.margin = 0.0
        for step, rows in enumerate(np.array_split(order, steps)):
            for group in optimizer.param_groups:
                group["lr"] = rate * (1 - (epoch * steps + step) / (epochs * steps))
            rows.sort()
            some = pairs[rows]
            observation, mask = some.observation, some.mask
            logits = _relative(network.of(observation, mask), some)
            margins = logits.gather(1, _actions(some, "other", logits))[:, 0]
            error = nn.functional.mse_loss(margins, torch.from_numpy(more[rows] / unit).to(margins))
            if anchor:
                drift = logits - _relative(before.of(observation, mask), some)
                held = torch.from_numpy(mask).to(drift)
                held = held.scatter(1, _actions(some, "other", logits), 0)
                error = error + anchor * ((drift * held) ** 2).sum() / held.sum()
            optimizer.zero_grad()
            error.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
        network.margin = margin / unit
        yield evaluate_pairs(network, pairs, tests, unit=unit, trained=len(lessons))


def _advised(pairs: Pairs) -> bool:
    """Return whether the played actions are the advised ones."""
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


def _relative(logits: torch.Tensor, pairs: Pairs) -> torch.Tensor:
    """Return logits minus that of the played action."""
    return logits - logits.gather(1, _actions(pairs, "played", logits))


def _margins(network: Network, pairs: Pairs) -> torch.Tensor:
    """Return the logit of the other action minus that of the played one, without the margin."""
    margin, network.margin = network.margin, 0.0
    logits = _relative(network.of(pairs.observation, pairs.mask), pairs)
    network.margin = margin
    return logits.gather(1, _actions(pairs, "other", logits))[:, 0]


def evaluate_pairs(
    network: Network,
    pairs: Pairs,
    rows: NDArray[np.intp],
    *,
    unit: float,
    trained: int,
) -> Round:
    """Evaluate a network on some of the pairs.

    Args:
        network: The network.
        pairs: The pairs.
        rows: Numbers of the pairs to use, shape ``(n,)``.
        unit: Points per unit of logits.
        trained: Number of pairs used for training, for the result.

    Examples:
        >>> import numpy as np
        >>> from sparrowhall.learn import evaluate_pairs
        >>> rows = np.arange(len(pairs))  # doctest: +SKIP
        >>> evaluate_pairs(network, pairs, rows, unit=100, trained=0).gain  # doctest: +SKIP
    """
    square = rest = gain = noise = 0.0
    changed = 0
    more = pairs.more
    for some in _chunks(rows):
        with torch.no_grad():
            margins = _margins(network, pairs[some]).cpu().numpy()
        gains = more[some]
        square += float((gains**2).sum())
        rest += float(((gains - unit * margins) ** 2).sum())
        preferred = margins > network.margin
        gain += float(gains[preferred].sum())
        noise += float((gains[preferred] ** 2).sum())
        changed += int(preferred.sum())
    n = len(rows) or np.nan
    return Round(
        pairs=trained,
        explained=100 * (1 - rest / (square or np.nan)),
        changed=100 * changed / n,
        gain=100 * gain / n,
        error=100 * noise**0.5 / n,
    )
