"""Rewards of environments.

A reward is named (``"points"`` moved, as they are, clipped or adjusted for luck, ``"placement"``
points of the match, or the ``"rank"`` in it), or a function from ``Moves`` to numbers. Shaping
adds the change of a potential, an estimate of the final rank. Potential-based shaping does not
change the optimal policy (Ng, Harada and Russell, ICML 1999).

``shaping=w`` adds ``discount * potential(now) - potential(before)`` to any reward, with the
learner's own discount factor, 1 if not given:

- The potential is the reward ``"rank"`` times w at the estimated final rank R, for four players
  ``w * (5 - 2 R) / 3``. After the match it is 0.
- R is the number of players less the sum, over the others, of the probability to end ahead of
  them, ``1 / (1 + exp(-1.702 gap / (spread * sqrt(h))))``.
- gap is the difference in points, and spread that of the presets of the family.
- h is the number of hands left, at least 1: ``4 (rounds - round) - 2``, where three play
  ``3 (rounds - round) - 2``.

With ``episode="hand"`` a hand is worth what it has changed in the expected rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparrowhall._proto import env_pb2 as pb
from sparrowhall._rulesets import SPREAD
from sparrowhall.actions import default_action
from sparrowhall.batch import FIRST, Batch
from sparrowhall.client import Client
from sparrowhall.tables import Tables

RewardName = Literal["points", "points_clipped", "luck_adjusted", "placement", "rank"]
"""The named rewards."""


@dataclass(frozen=True)
class Moves:
    """What happened to n players since the last decision of each.

    Attributes:
        points: Points moved to the player, float64, shape ``(n,)``.
        over: Whether the match is over, bool, shape ``(n,)``.
        rank: From 1 where the match is over, else 0, uint8, shape ``(n,)``.
        placement: The ruleset's placement points where the match is over, else 0, float64,
            shape ``(n,)``.
        shared_rank: The rank where the match is over, the mean of their ranks for players who
            are tied, else 0, float64, shape ``(n,)``.
        seats: Number of players of a table.
        spread: The ruleset's spread: standard deviation of the difference of two players' points
            gained in a hand of ``greedy``, float.
        owed: Points by which what others owe the player, less what the player owes, has grown,
            float64, shape ``(n,)``; 0 under rulesets without debts.

    Examples:
        >>> import sparrowhall
        >>> def win_or_lose(moves: sparrowhall.Moves):
        ...     return (moves.points > 0) * 1.0 - (moves.points < 0) * 1.0
        >>> env = sparrowhall.make_vec("ema_2016", num_envs=2, reward=win_or_lose, seed=1)
        >>> env.close()
    """

    points: NDArray[np.float64]
    over: NDArray[np.bool_]
    rank: NDArray[np.uint8]
    placement: NDArray[np.float64]
    shared_rank: NDArray[np.float64]
    seats: int = 4
    spread: float = 1.0
    owed: NDArray[np.float64] | float = 0.0


RewardFunction = Callable[[Moves], ArrayLike]
"""Returns a number for each player: shape ``(n,)``."""

Reward = RewardName | RewardFunction
"""A named reward or a function."""


def _points(moves: Moves) -> ArrayLike:
    return moves.points


def _points_owed(moves: Moves) -> ArrayLike:
    return moves.points + moves.owed


def _points_clipped(moves: Moves) -> ArrayLike:
    return np.clip((moves.points + moves.owed) / moves.spread, -_CLIP, _CLIP)


def _placement(moves: Moves) -> ArrayLike:
    return moves.placement


def _rank(moves: Moves) -> ArrayLike:
    return np.where(moves.over, _worth(moves.shared_rank, moves.seats), 0.0)


def _worth(rank: NDArray[np.float64], seats: int) -> NDArray[np.float64]:
    """Return the reward ``"rank"``: 1 for the first, -1 for the last, evenly spaced between."""
    worth: NDArray[np.float64] = (seats + 1.0 - 2.0 * rank) / (seats - 1.0)
    return worth


_NAMED: dict[str, RewardFunction] = {
    "points": _points,
    "points_clipped": _points_clipped,
    "luck_adjusted": _points_owed,  # the tables take the luck off
    "placement": _placement,
    "rank": _rank,
}


def reward_function(reward: Reward) -> RewardFunction:
    """Return the function that computes a reward.

    Raises:
        ValueError: reward is neither a function nor the name of a reward.
    """
    if callable(reward):
        return reward
    if not isinstance(reward, str) or reward not in _NAMED:
        allowed = ", ".join(map(repr, _NAMED))
        raise ValueError(f"reward is {reward!r}; allowed: {allowed}, or a function of Moves")
    return _NAMED[reward]


# Standard deviation of the difference of two players' points gained in first hands, in matches of
# greedy under tenhou_sanma.
SPREAD_OF_THREE = 13_000.0
# Bound of "points_clipped".
_CLIP = 3.0
# With this scale the logistic function approximates the normal distribution function.
_LOGISTIC = 1.702


def spread_of(rules: pb.Ruleset) -> float:
    """Return the spread of the presets of a family: see ``Moves``."""
    return SPREAD_OF_THREE if rules.seats == 3 else SPREAD[rules.family]


def measured_spread(client: Client, rules: pb.Ruleset, open_tables: Callable[..., Tables]) -> float:
    """Return the spread of a ruleset, of one that is no preset by 1,024 hands of ``greedy``.

    Args:
        client: The client of the tables.
        rules: The ruleset.
        open_tables: Opens so many tables with that ruleset and a seed.
    """
    if any(r.hash == rules.hash for r in client.description.rulesets):
        return spread_of(rules)
    count, seats, gains = 64, rules.seats, []
    with open_tables(count, seed=1) as tables:
        batch: Batch | None = tables.recv()
        for run in range(1, 17):
            assert batch is not None
            table, rows = np.unique(batch.table, return_index=True)
            first = default_action(batch.mask[rows])
            played = tables.playout(table, batch.player[rows], first, "greedy")
            gains.append(played.reward + played.owed)
            batch = tables.reset(np.arange(count), np.arange(count) + run * count)
    # The gains of a hand sum to 0, so those of two players have the covariance -variance / (n - 1).
    return max(float(np.std(gains)) * math.sqrt(2 * seats / (seats - 1)), 1.0)


def expected_rank(
    points: NDArray[np.float64], round_: NDArray[np.int64], rules: pb.Ruleset
) -> NDArray[np.float64]:
    """Estimate the final rank of the first player from points alone.

    The gap to each other player is modeled as a random walk with a normal step in each
    remaining hand. With h hands left the first player finishes ahead of another with the
    probability ``1 / (1 + exp(-1.702 gap / (spread sqrt(h))))``, and the expected rank is the
    number of players minus the sum of these probabilities. Two hands of the current round count
    as played.

    Args:
        points: Points of the first player and the others, shape ``(n, seats)``.
        round_: Number of the wind round from 0, shape ``(n,)``.
        rules: The ruleset, as the server describes it.

    Returns:
        Ranks from 1.0 to the number of players, float64, shape ``(n,)``.
    """
    seats = points.shape[1]
    rounds = next((int(k.value) for k in rules.knobs if k.key == "rounds"), 1)
    left = np.maximum(seats * (rounds - round_) - 2, 1)
    scale = spread_of(rules) * np.sqrt(left)
    gap = points[:, :1] - points[:, 1:]
    ahead = 1 / (1 + np.exp(np.clip(-_LOGISTIC * gap / scale[:, None], -50, 50)))
    rank: NDArray[np.float64] = seats - ahead.sum(axis=1)
    return rank


class Rewarder:
    """Computes the rewards of all rows of a stream's batches, which must be passed in order."""

    def __init__(
        self,
        tables: Tables,
        reward: RewardFunction,
        shaping: float,
        discount: float,
        spread: float,
    ) -> None:
        """Initialize it.

        Args:
            tables: The tables from which the batches come.
            reward: The reward without shaping.
            shaping: The potential of rank 1; 0 for no shaping.
            discount: The learner's discount factor, for shaping.
            spread: That of the ruleset, for ``Moves``.
        """
        self._rules, self._spread = tables.ruleset, spread
        self._reward = reward
        self._shaping, self._discount = shaping, discount
        # Whether the rewards are the points of the rows.
        moved = reward is _points or (reward is _points_owed and not self._rules.has_debts)
        self.plain = moved and shaping == 0
        self._potential = np.zeros((tables.num_tables, 4))

    def __call__(self, batch: Batch) -> NDArray[np.float64]:
        """Return the reward of each row since its player's last decision.

        Returns:
            float64, shape ``(n,)``.

        Raises:
            ValueError: the reward function returned another shape.
        """
        n = len(batch)
        if self.plain:
            return batch.reward
        last = batch.last
        rank, placement, shared = np.zeros(n, np.uint8), np.zeros(n), np.zeros(n)
        rank[last.row], placement[last.row] = last.rank, last.placement
        shared[last.row] = last.shared_rank
        moves = Moves(
            batch.reward,
            rank > 0,
            rank,
            placement,
            shared,
            self._rules.seats,
            self._spread,
            batch.owed if self._rules.has_debts else 0.0,
        )
        rewards = np.array(self._reward(moves), dtype=np.float64)
        if rewards.shape != (n,):
            raise ValueError(
                f"the reward function returned shape {rewards.shape} for {n} rows; required: ({n},)"
            )
        if self._shaping != 0:
            rewards += self._shaping_term(batch, moves.over)
        return rewards

    def few(self, batch: Batch, points: list[float]) -> list[float]:
        """Return the rewards as a list, faster for few rows.

        Args:
            batch: The batch.
            points: Points moved, for each of its rows.
        """
        if self.plain:
            return points
        values: list[float] = self(batch).tolist()
        return values

    def _shaping_term(self, batch: Batch, over: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return ``discount * potential(now) - potential(before)`` of each row."""
        assert batch.spec is not None
        tensors = batch.observation
        seats, round_ = self._rules.seats, batch.spec["state"].field("round")
        units = tensors["amounts"][batch.spec["amounts"].field("points")][:, :seats]
        points = units / self._rules.units_per_point
        rank = expected_rank(points, tensors["state"][round_][:, 0].astype(np.int64), self._rules)
        potential = np.where(over, 0.0, self._shaping * _worth(rank, seats))
        first = (batch.flags & FIRST) != 0
        before = self._potential[batch.table, batch.player]
        self._potential[batch.table, batch.player] = potential
        return np.where(first, 0.0, self._discount * potential - before)
