"""Rewards: what a learner is told a step was worth.

By name: ``"points"`` moved, ``"placement"`` points of the match, or the ``"rank"`` in it; or any
function from ``Moves`` to numbers. To each the change of a potential can be added (shaping), an
estimate of the final rank, which tells early what the match will bring and leaves the best
policy what it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparrowhall._proto import env_pb2 as pb
from sparrowhall.batch import FIRST, Batch
from sparrowhall.client import Tables

RewardName = Literal["points", "placement", "rank"]


@dataclass(frozen=True)
class Moves:
    """What happened to n players since each of them decided last.

    Attributes:
        points: Points moved to the player, float64, shape ``(n,)``.
        over: Whether the match is over, bool, shape ``(n,)``.
        rank: 1..4 where the match is over, else 0, uint8, shape ``(n,)``.
        placement: Placement points of the ruleset where the match is over, else 0, float64,
            shape ``(n,)``.
    """

    points: NDArray[np.float64]
    over: NDArray[np.bool_]
    rank: NDArray[np.uint8]
    placement: NDArray[np.float64]


RewardFunction = Callable[[Moves], ArrayLike]
"""Returns a number for each player: shape ``(n,)``."""

Reward = RewardName | RewardFunction


def _points(moves: Moves) -> ArrayLike:
    return moves.points


def _placement(moves: Moves) -> ArrayLike:
    return moves.placement


def _rank(moves: Moves) -> ArrayLike:
    return np.where(moves.rank > 0, (5.0 - 2.0 * moves.rank) / 3.0, 0.0)


_NAMED: dict[str, RewardFunction] = {"points": _points, "placement": _placement, "rank": _rank}


def reward_function(reward: Reward) -> RewardFunction:
    """Return the function of a reward.

    Raises:
        ValueError: no reward has this name.
    """
    if callable(reward):
        return reward
    if reward not in _NAMED:
        allowed = ", ".join(map(repr, _NAMED))
        raise ValueError(f"reward is {reward!r}; allowed: {allowed}, or a function of Moves")
    return _NAMED[reward]


# By how many points two players' gains in a hand differ, as a standard deviation: matches of
# greedy under ema_2016, mcr_2006, zung_jung and hkma_hktw.
_SPREAD = {"riichi": 6700.0, "mcr": 50.0, "zungjung": 40.0, "hktw": 150.0}
# A logistic curve that is close to the normal distribution.
_LOGISTIC = 1.702


def expected_rank(
    points: NDArray[np.float64], round_: NDArray[np.int64], rules: pb.Ruleset
) -> NDArray[np.float64]:
    """Estimate the final rank of the first of four players from points alone.

    The gap to each other player is taken to move by a normal step in each hand that is left:
    with h hands left the viewer ends ahead of player j with the probability
    ``1 / (1 + exp(-1.702 gap / (spread sqrt(h))))``, and the expected rank is 4 less the sum of
    the three. Of the hands left, h, two of the round in play are taken as played.

    Args:
        points: Points of the viewer and the three others, shape ``(n, 4)``.
        round_: Number of the wind round from 0, shape ``(n,)``.
        rules: The ruleset, as the server describes it.

    Returns:
        1.0 to 4.0, shape ``(n,)``.
    """
    rounds = next((int(k.value) for k in rules.knobs if k.key == "rounds"), 1)
    left = np.maximum(4 * (rounds - round_) - 2, 1)
    scale = _SPREAD[rules.family] * np.sqrt(left)
    gap = points[:, :1] - points[:, 1:]
    ahead = 1 / (1 + np.exp(np.clip(-_LOGISTIC * gap / scale[:, None], -50, 50)))
    rank: NDArray[np.float64] = 4 - ahead.sum(axis=1)
    return rank


class Rewarder:
    """Rewards of all rows of a stream's batches, which it must be shown in order."""

    def __init__(
        self, tables: Tables, reward: RewardFunction, shaping: float, discount: float
    ) -> None:
        """Make one.

        Args:
            tables: The tables that the batches come from.
            reward: The reward without shaping.
            shaping: What the potential of rank 1 is; 0 for no shaping.
            discount: The learner's discount factor, which the potentials need.
        """
        self._rules = tables.ruleset
        self._unit = float(tables.ruleset.units_per_point)
        self._reward = reward
        self._shaping, self._discount = shaping, discount
        # Whether nothing counts but the points of a row.
        self.plain = reward is _points and shaping == 0
        self._last = np.zeros((tables.num_tables, 4))

    def __call__(self, batch: Batch) -> NDArray[np.float64]:
        """Return the reward of each row since its player decided last, shape ``(n,)``."""
        n = len(batch)
        if self.plain:
            return batch.reward / self._unit
        rank, placement = np.zeros(n, np.uint8), np.zeros(n)
        rank[batch.last.row] = batch.last.rank
        placement[batch.last.row] = batch.last.placement / 120
        moves = Moves(batch.reward / self._unit, rank > 0, rank, placement)
        rewards = np.array(self._reward(moves), dtype=np.float64)
        if rewards.shape != (n,):
            raise ValueError(
                f"the reward function returned shape {rewards.shape} for {n} rows; ({n},) is wanted"
            )
        if self._shaping != 0:
            rewards += self._shape(batch, moves.over)
        return rewards

    def of_few(self, batch: Batch, moved: list[int]) -> list[float]:
        """Return the same as a list, sooner where there are few rows.

        Args:
            batch: The batch.
            moved: Units moved in each of its rows.
        """
        if self.plain:
            return [units / self._unit for units in moved]
        values: list[float] = self(batch).tolist()
        return values

    def _shape(self, batch: Batch, over: NDArray[np.bool_]) -> NDArray[np.float64]:
        assert batch.spec is not None
        seen = batch.observation
        round_ = batch.spec["state"].field("round")
        points = seen["amounts"][batch.spec["amounts"].field("points")] / self._unit
        rank = expected_rank(points, seen["state"][round_][:, 0].astype(np.int64), self._rules)
        # After the match there is nothing to come.
        potential = np.where(over, 0.0, self._shaping * (5 - 2 * rank) / 3)
        first = (batch.flags & FIRST) != 0
        before = self._last[batch.table, batch.player]
        self._last[batch.table, batch.player] = potential
        return np.where(first, 0.0, self._discount * potential - before)
