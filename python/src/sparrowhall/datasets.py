"""Datasets as batches of arrays: observations, actions and returns.

The program replays the matches (``sparrowhall steps``), so any dataset can be read, also one
imported from records of people. Every row is what an environment would have shown.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._extras import needs
from sparrowhall.actions import NUM_ACTIONS, unpack_mask
from sparrowhall.errors import SparrowhallError
from sparrowhall.server import find_binary
from sparrowhall.spec import Observation, observation_from

LAYOUT_VERSION = 1
"""Version of the columns of a batch. Columns may be added under the same version."""

OBSERVATIONS = ("planes", "events", "features", "advice", "")
"""The observations that a dataset can have; ``advice`` may name an agent: ``advice:value``."""

_MASK = "mask"

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Returns:
    """Returns of decisions, an entry for each row.

    Attributes:
        hand: Points moved to the player until the end of the hand, and owed by then, float64.
        match: Points moved to the player until the end of the match, float64.
        placement: Placement points of the match, float64; 0 if it was cut off.
        rank: Rank in the match, 1..4, int32; 0 if it was cut off.

    Examples:
        >>> import sparrowhall
        >>> for batch in sparrowhall.dataset("runs/first"):  # doctest: +SKIP
        ...     print(batch.returns.hand[:3], batch.returns.rank[:3])
    """

    hand: NDArray[np.float64]
    match: NDArray[np.float64]
    placement: NDArray[np.float64]
    rank: NDArray[np.int32]


class Steps:
    """A batch of n decisions.

    Attributes:
        columns: All columns as ``sparrowhall steps`` writes them, packed, by name.
        spec: The observation's description, None without an observation.

    Examples:
        >>> import sparrowhall
        >>> for batch in sparrowhall.dataset("runs/first", batch=512):  # doctest: +SKIP
        ...     print(batch.observation["planes"].shape, batch.action[:3])
    """

    def __init__(
        self,
        columns: dict[str, NDArray[Any]],
        spec: Observation | None,
        hidden: Observation | None,
        unit: int,
        actions: int,
    ) -> None:
        self.columns = columns
        self.spec = spec
        self._hidden = hidden
        self._unit = unit
        self._actions = actions

    def __len__(self) -> int:
        return len(self.columns["action"])

    @cached_property
    def observation(self) -> dict[str, NDArray[Any]]:
        """The tensors by name, each of shape ``(n, *shape)``, bits unpacked to uint8."""
        return self._decode("observation.", self.spec)

    @cached_property
    def hidden(self) -> dict[str, NDArray[Any]]:
        """The tensors of the oracle that show hidden tiles, by name."""
        if self._hidden is None:
            raise AttributeError(
                "hidden tiles were not read: use sparrowhall.dataset(..., hidden=True)"
            )
        return self._decode("hidden.", self._hidden)

    @cached_property
    def mask(self) -> NDArray[np.uint8]:
        """Legal actions, uint8 of 0 and 1, shape ``(n, 180)``, where three play ``(n, 181)``."""
        return unpack_mask(self.columns[_MASK], self._actions)

    @property
    def action(self) -> NDArray[np.int32]:
        """The player's actions: action ids, int32, shape ``(n,)``."""
        return self.columns["action"]

    @property
    def player(self) -> NDArray[np.int32]:
        """The player, 0..3, int32, shape ``(n,)``."""
        return self.columns["player"]

    @property
    def match(self) -> NDArray[np.int64]:
        """Number of the match in its dataset, int64, shape ``(n,)``."""
        return self.columns["match"]

    @property
    def wall_set(self) -> NDArray[np.int64]:
        """Number of its duplicate set, whose matches have the same walls, int64, shape ``(n,)``."""
        return self.columns["wall_set"]

    @property
    def shanten(self) -> NDArray[np.int8]:
        """Shanten of the hand, int8, shape ``(n,)``: 0 when ready, -1 when complete."""
        if "shanten" not in self.columns:
            raise AttributeError("shanten was not read: use sparrowhall.dataset(..., shanten=True)")
        return self.columns["shanten"]

    @cached_property
    def returns(self) -> Returns:
        """The returns of the decisions."""
        c = self.columns
        return Returns(
            hand=c["hand_return"] / self._unit,
            match=c["match_return"] / self._unit,
            placement=c["placement"] / 120,
            rank=c["rank"],
        )

    def _decode(self, prefix: str, spec: Observation | None) -> dict[str, NDArray[Any]]:
        if spec is None:
            return {}
        return {t.name: t.decode(self.columns[prefix + t.name]) for t in spec.tensors}


class StepDataset:
    """Batches of the decisions of datasets. It can be iterated over any number of times.

    Without a shuffle the rows of one worker are in the order of the matches; those of several
    workers alternate. The same arguments give the same batches.

    Attributes:
        folders: Folders of the datasets.
        batch: Rows of a batch.
        workers: Number of programs that replay matches.
        shuffle: Rows of the shuffle buffer.
        seed: Seed of the shuffle.
        rank: Number of this process among ``world``.
        world: Number of processes.

    Examples:
        >>> import sparrowhall
        >>> data = sparrowhall.dataset("runs/first", batch=512, shuffle=10_000)  # doctest: +SKIP
        >>> loader = torch.utils.data.DataLoader(data.torch(), batch_size=None)  # doctest: +SKIP
    """

    def __init__(
        self,
        folder: str | Path | Sequence[str | Path],
        *,
        observation: str = "planes",
        batch: int = 4096,
        players: Sequence[str | int] | None = None,
        hidden: bool = False,
        shanten: bool = False,
        workers: int = 1,
        shuffle: int = 0,
        seed: int = 0,
        rank: int = 0,
        world: int = 1,
    ) -> None:
        """Check the arguments; see ``dataset``."""
        for name, given, least in (
            ("batch", batch, 1),
            ("workers", workers, 1),
            ("shuffle", shuffle, 0),
            ("seed", seed, 0),
            ("world", world, 1),
            ("rank", rank, 0),
        ):
            if not isinstance(given, int | np.integer) or given < least:
                raise ValueError(f"{name} is {given!r}; allowed: integers from {least}")
        if not 0 <= rank < world:
            raise ValueError(f"rank is {rank}; allowed: 0 to {world - 1}")
        if not isinstance(observation, str) or observation.partition(":")[0] not in OBSERVATIONS:
            allowed = ", ".join(map(repr, OBSERVATIONS))
            raise ValueError(f"observation is {observation!r}; allowed: {allowed}")
        if isinstance(players, str):
            raise ValueError(f"players is {players!r}; allowed: a sequence of names and numbers")
        for player in players or ():
            if not isinstance(player, str) and player not in range(4):
                raise ValueError(f"a player is {player!r}; allowed: names, and numbers 0 to 3")
        one = isinstance(folder, str | Path)
        self.folders = [str(f) for f in ([folder] if one else folder)]  # type: ignore[union-attr]
        for f in self.folders:
            if not (Path(f) / "manifest.json").is_file():
                raise FileNotFoundError(f"{f} is not a dataset: it has no manifest.json")
        self.batch, self.workers, self.shuffle = batch, workers, shuffle
        self.seed, self.rank, self.world = seed, rank, world
        self._flags = ["--observation", observation]
        if players is not None:
            self._flags += ["--players", ",".join(map(str, players))]
        self._flags += ["--hidden"] * hidden + ["--shanten"] * shanten

    def __iter__(self) -> Iterator[Steps]:
        return self.shard(0, 1)

    def shard(self, i: int, n: int) -> Iterator[Steps]:
        """Return an iterator over part i of n, from 0; the parts divide the matches."""
        first = (self.rank * n + i) * self.workers
        parts = self.world * n * self.workers
        streams = [_Stream(self, first + w, parts) for w in range(self.workers)]
        try:
            yield from self._batches(streams)
        finally:
            for stream in streams:
                stream.close()

    def torch(self) -> Any:
        """Return a ``torch.utils.data.IterableDataset`` of dictionaries of tensors.

        A dictionary has the tensors of the observation by name, ``mask`` as bool, ``action`` as
        int64, ``player`` as int32, and ``return_hand``, ``return_match``, ``return_placement`` as
        float32. Use ``batch_size=None`` in a DataLoader; each of its workers reads a part.
        """
        with needs("torch()", "torch"):
            from sparrowhall._torch import TorchSteps

        return TorchSteps(self._arrays)

    def _arrays(self, i: int, n: int) -> Iterator[dict[str, NDArray[Any]]]:
        """Return the arrays of the batches that worker i of n reads."""
        for steps in self.shard(i, n):
            yield {
                **steps.observation,
                "mask": steps.mask.astype(bool),
                "action": steps.action.astype(np.int64),
                "player": steps.player,
                "return_hand": steps.returns.hand.astype(np.float32),
                "return_match": steps.returns.match.astype(np.float32),
                "return_placement": steps.returns.placement.astype(np.float32),
            }

    def _batches(self, streams: list[_Stream]) -> Iterator[Steps]:
        make = streams[0].make
        chunks = _alternate(streams)
        if self.shuffle:
            chunks = _shuffled(chunks, self.shuffle, np.random.default_rng(self.seed))
        parts: list[Columns] = []
        rows = 0
        for chunk in chunks:
            parts.append(chunk)
            rows += len(chunk["action"])
            if rows < self.batch:
                continue
            pool = _join(parts)
            whole = rows - rows % self.batch
            for done in range(0, whole, self.batch):
                yield make({k: c[done : done + self.batch] for k, c in pool.items()})
            parts = [{k: c[whole:] for k, c in pool.items()}]
            rows -= whole
        if rows:
            yield make(_join(parts))


def _alternate(streams: list[_Stream]) -> Iterator[Columns]:
    """Yield the chunks of streams in turn."""
    left = list(streams)
    while left:
        for stream in list(left):
            columns = stream.next()
            if columns is None:
                left.remove(stream)
            else:
                yield columns


def _shuffled(chunks: Iterator[Columns], size: int, rng: np.random.Generator) -> Iterator[Columns]:
    """Yield rows from a buffer, each replaced by a later row."""
    pool: Columns = {}
    filled = 0
    for chunk in chunks:
        if not pool:
            pool = {k: np.empty((size, *c.shape[1:]), c.dtype) for k, c in chunk.items()}
        rows = len(chunk["action"])
        first = min(rows, size - filled)
        for key, column in chunk.items():
            pool[key][filled : filled + first] = column[:first]
        filled += first
        for at in range(first, rows, size):
            new = {k: c[at : at + size] for k, c in chunk.items()}
            places = rng.permutation(size)[: len(new["action"])]
            yield {k: c[places] for k, c in pool.items()}
            for key, column in new.items():
                pool[key][places] = column
    if filled:
        order = rng.permutation(filled)
        yield {k: c[order] for k, c in pool.items()}


def _join(parts: list[Columns]) -> Columns:
    if len(parts) == 1:
        return parts[0]
    return {k: np.concatenate([p[k] for p in parts]) for k in parts[0]}


class _Stream:
    """A program that replays a part of the matches, and its output."""

    def __init__(self, dataset: StepDataset, shard: int, shards: int) -> None:
        with needs("sparrowhall.dataset", "data"):
            import pyarrow
        self._arrow: Any = pyarrow
        command = [str(find_binary()), "steps", *dataset.folders, *dataset._flags]
        self._process = subprocess.Popen(
            [*command, "--shard", f"{shard + 1}/{shards}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # One core each: the number of workers is the number of programs.
            env={**os.environ, "GOMAXPROCS": "1"},
        )
        self._reader: Any = None
        self._ended = False

    def next(self) -> Columns | None:
        """Return the columns of the next rows, None at the end."""
        if self._ended:
            return None
        try:
            if self._reader is None:
                self._open()
            record = self._reader.read_next_batch()
        except StopIteration:
            self._end()
            return None
        except (OSError, self._arrow.ArrowInvalid) as e:
            self._end(e)
            return None
        return {
            name: values(column)
            for name, column in zip(record.schema.names, record.columns, strict=True)
        }

    def make(self, columns: Columns) -> Steps:
        """Return a batch of these columns."""
        return Steps(columns, self._spec, self._hidden, self._unit, self._actions)

    def _open(self) -> None:
        self._reader = self._arrow.ipc.open_stream(self._process.stdout)
        metadata = {k.decode(): v.decode() for k, v in self._reader.schema.metadata.items()}
        if int(metadata["version"]) != LAYOUT_VERSION:
            raise SparrowhallError(
                f"the program writes columns of version {metadata['version']}; this package "
                f"supports version {LAYOUT_VERSION}"
            )
        self._unit = int(metadata["units_per_point"])
        # Three players have an action more, which sets a North aside.
        self._actions = NUM_ACTIONS + (metadata.get("seats") == "3")
        spec, hidden = metadata.get("observation"), metadata.get("hidden")
        self._spec = None if spec is None else observation_from(spec)
        self._hidden = None if hidden is None else observation_from(hidden)

    def _end(self, reason: Exception | None = None) -> None:
        self._ended = True
        said = self._process.communicate()[1].decode(errors="replace").strip()
        if self._process.returncode != 0 or reason is not None:
            raise SparrowhallError(said or str(reason))

    def close(self) -> None:
        """End the program."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()


def values(column: Any) -> NDArray[Any]:
    """Return a view of an Arrow array without nulls as numpy, binary values as rows of uint8."""
    width = column.type.byte_width if hasattr(column.type, "byte_width") else 0
    if width and str(column.type).startswith("fixed_size_binary"):
        data = np.frombuffer(column.buffers()[1], np.uint8)
        rows: NDArray[Any] = data[column.offset * width : (column.offset + len(column)) * width]
        return rows.reshape(len(column), width)
    values: NDArray[Any] = column.to_numpy(zero_copy_only=True)
    return values


def dataset(
    folder: str | Path | Sequence[str | Path],
    *,
    observation: str = "planes",
    batch: int = 4096,
    players: Sequence[str | int] | None = None,
    hidden: bool = False,
    shanten: bool = False,
    workers: int = 1,
    shuffle: int = 0,
    seed: int = 0,
    rank: int = 0,
    world: int = 1,
) -> StepDataset:
    """Return the decisions of datasets, played or imported, as batches of arrays.

    Args:
        folder: A dataset's folder, or several.
        observation: What the players saw: ``"planes"``, ``"events"``, ``"features"``,
            ``"advice"`` or ``"advice:AGENT"``, or ``""`` for none.
        batch: Rows of a batch; the last one may have fewer.
        players: Whose decisions to read, by the names of agents or people in the dataset, or by
            player 0..3; None for all.
        hidden: Also read the tiles that were hidden from the players.
        shanten: Also read the shanten of the hands.
        workers: Number of programs that replay matches at the same time.
        shuffle: Rows of the buffer from which rows are drawn at random; 0 for no shuffle. Only
            rows closer to each other than the size of the buffer are mixed.
        seed: Seed of the shuffle.
        rank: Number of this process, 0 to world - 1; each process reads a part of the matches.
        world: Number of processes.

    Returns:
        An iterable of ``Steps``.

    Raises:
        FileNotFoundError: a folder is not a dataset.
        ValueError: an argument is not allowed.

    Examples:
        >>> import sparrowhall
        >>> data = sparrowhall.dataset("runs/first", observation="features")  # doctest: +SKIP
        >>> batch = next(iter(data))  # doctest: +SKIP
    """
    return StepDataset(
        folder,
        observation=observation,
        batch=batch,
        players=players,
        hidden=hidden,
        shanten=shanten,
        workers=workers,
        shuffle=shuffle,
        seed=seed,
        rank=rank,
        world=world,
    )
