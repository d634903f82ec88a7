"""What a learner plays and has played, in memory that it shares with the library."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._library import text
from sparrowhall._transports import InProcess
from sparrowhall.actions import NUM_ACTIONS
from sparrowhall.errors import ServerError
from sparrowhall.tables import Tables

KINDS = 34

REWARDS = {"points": 0, "points_clipped": 1, "rank": 2, "placement": 3, "luck_adjusted": 4}
"""The rewards of a learner, and their numbers among ``experience.Reward`` of the library."""


@dataclass(frozen=True)
class Figures:
    """Means over the decisions of a gradient.

    Attributes:
        entropy: Entropy of the policy, in nats.
        value_error: Squared error of the predicted sum of rewards.
        kl: Estimate of the divergence from the policy that has acted, in nats.
        clipped: Share of decisions whose ratio of probabilities is out of bounds.
        drift: Divergence from the policy that takes the advice, or else from the uniform one, in
            nats.
    """

    entropy: float
    value_error: float
    kl: float
    clipped: float
    drift: float


class Experience:
    """Plays tables of this process for a learner, and keeps its decisions until they are learned.

    Attributes:
        asked: The decisions to be made, places in the columns, int32.
        ready: Number of decisions of ended episodes.
        episodes: Number of ended episodes.
        reward: Sum of their rewards.
        trace: Decay of the eligibility of earlier decisions, the lambda of advantages.
        potential: Weight of the shanten as a potential.
        numbers: Inputs that belong to no kind of tile, float32, shape ``(places, numbers)``.
        results: For each table the opponents in matches that have ended, and how many of them the
            learner finished ahead of, a tie counting half, float64, shape ``(tables, 2)``.
        kinds: Inputs by kind, uint8, shape ``(places, 34, channels)``.
        advised: 1 + the action of each candidate of an adviser, 0 for none, uint8, shape
            ``(places, candidates)``. The last numbers are what it adds to the logits.
    """

    def __init__(
        self,
        tables: Tables,
        columns: NDArray[np.int16],
        width: int,
        *,
        reward: str = "points_clipped",
        spread: float = 1.0,
    ) -> None:
        """Begin to play.

        Args:
            tables: The tables, just opened within this process, for ``"luck_adjusted"`` so.
            columns: The output that is the logit of each action, by 1 + the kind of the tile
                that was drawn or may be claimed, 0 without one, shape ``(35, 180)``.
            width: Number of outputs of a decision; the last is the predicted sum of rewards.
            reward: One of REWARDS.
            spread: Points that a reward of 1 stands for.

        Raises:
            ServerError: the tables cannot be learned from.
        """
        assert isinstance(tables._transport, InProcess)
        assert tables.spec is not None
        self._tables, self._stream, self._width = tables, tables._transport._stream, width
        self._functions = self._stream._library.releasing
        self.results = np.zeros((tables.num_tables, 2))
        columns = np.ascontiguousarray(columns, np.int16)
        assert columns.shape == (1 + KINDS, NUM_ACTIONS)
        sizes = self._call(
            "learner",
            tables.spec.name.encode(),
            tables.num_tables,
            width,
            REWARDS[reward],
            spread * tables.ruleset.units_per_point,
            columns.ctypes.data,
            columns.size,
            self.results.ctypes.data,
        )
        self._channels, self._numbers = sizes & 0xFFFFFFFF, sizes >> 32
        named = [t.name for t in tables.spec.tensors]
        self._candidates = tables.spec["candidates"].shape[0] if "candidates" in named else 0
        self._places = self._free = 0
        self._columns: list[NDArray[Any]] = []
        self._figures = np.zeros(6)
        # A hand may ask all players at once, and an end of a hand is followed by another hand.
        self._most = 8 * tables.num_tables
        self._asked = np.zeros(self._most, np.int32)
        self.trace, self.potential = 1.0, 0.0
        self._grow(16 * self._most)
        self.asked = self._asked[:0]
        self._step(None, None)

    def _call(self, name: str, *arguments: Any) -> int:
        self._stream.check()
        result: int = self._functions[name](self._stream._handle, *arguments)
        if result < 0:
            why = text(self._functions["failure"], self._stream._handle)
            raise ServerError(f"the tables of the learner have ended: {why.decode()}")
        return result

    def _grow(self, places: int) -> None:
        shapes: list[tuple[Any, Sequence[int]]] = [
            (np.float32, (self._numbers,)),
            (np.uint64, (3,)),
            *[(np.float32, ())] * 4,
            *[(np.uint8, ())] * 2,
            (np.uint8, (KINDS, self._channels)),
            (np.uint8, (self._candidates,)),
        ]
        columns = [np.zeros((places, *shape), dtype) for dtype, shape in shapes]
        for new, old in zip(columns, self._columns, strict=False):
            new[: self._places] = old
        pointers = (ctypes.c_void_p * len(columns))(*(c.ctypes.data for c in columns))
        self._call("learn_memory", ctypes.addressof(pointers), places)
        self._free += places - self._places
        self._columns, self._places = columns, places  # the memory that was attached is freed here
        self.numbers, self.legal, self.log_prob, self.value = columns[:4]
        self.advantage, self.outcome, self.action, self.latest_tile, self.kinds = columns[4:9]
        self.advised = columns[9]

    def step(self, outputs: NDArray[np.float32], uniform: NDArray[np.float64]) -> None:
        """Decide, and play until there are other decisions to be made.

        Args:
            outputs: What the network makes of the inputs of ``asked``, shape ``(n, width)``.
            uniform: A random number for each, at least 0 and below 1, shape ``(n,)``.
        """
        assert outputs.shape == (len(self.asked), self._width)
        if self._free < self._most:
            self._grow(self._places * 3 // 2)
        self._step(
            np.ascontiguousarray(outputs, np.float32), np.ascontiguousarray(uniform, np.float64)
        )

    def _step(
        self, outputs: NDArray[np.float32] | None, uniform: NDArray[np.float64] | None
    ) -> None:
        self._figures[:2] = self.trace, self.potential
        n = self._call(
            "learn",
            None if outputs is None else outputs.ctypes.data,
            None if uniform is None else uniform.ctypes.data,
            len(self.asked),
            self._figures.ctypes.data,
            self._asked.ctypes.data,
            self._most,
        )
        self.asked = self._asked[:n]
        self.ready, self._free = int(self._figures[2]), int(self._figures[3])
        self.episodes, self.reward = int(self._figures[4]), float(self._figures[5])

    def take(self, n: int) -> NDArray[np.int32]:
        """Return decisions of ended episodes, those that ended first; n must be ready.

        The places are used again after the next call.
        """
        assert n <= self.ready
        taken = np.empty(n, np.int32)
        self._call("learn_take", taken.ctypes.data, n)
        self.ready -= n
        return taken

    def gradient(
        self,
        decisions: NDArray[np.int32],
        outputs: NDArray[np.float32],
        *,
        clip: float,
        entropy: float,
        value: float,
        mean: float,
        deviation: float,
        anchor: float = 0.0,
    ) -> tuple[NDArray[np.float32], Figures]:
        """Return the gradient of the mean loss of taken decisions, and figures.

        Args:
            decisions: The decisions, int32, shape ``(n,)``.
            outputs: What the network makes of them now, shape ``(n, width)``.
            clip: Largest change of the ratio of probabilities that is rewarded.
            entropy: Weight of the entropy of the policy.
            value: Weight of the squared error of the predicted sum of rewards.
            mean: Mean of the advantages.
            deviation: Their standard deviation.
            anchor: Weight of the divergence from the policy that takes the advice.
        """
        n = len(decisions)
        assert outputs.shape == (n, self._width)
        decisions = np.ascontiguousarray(decisions, np.int32)
        outputs = np.ascontiguousarray(outputs, np.float32)
        gradient = np.empty_like(outputs)
        figures = np.array([clip, entropy, value, mean, deviation, anchor, 0, 0, 0, 0, 0])
        self._call(
            "learn_gradient",
            decisions.ctypes.data,
            n,
            outputs.ctypes.data,
            gradient.ctypes.data,
            figures.ctypes.data,
        )
        return gradient, Figures(*(figures[6:] / n).tolist())

    def close(self) -> None:
        """End the tables."""
        self._tables.close()
