"""Opponents of a learner: built-in players, functions, and policies served elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sparrowhall.client import EXTERNAL
from sparrowhall.policy import Policy

Opponent = str | Policy
"""The name of a built-in player with its options, ``"grpc:ADDRESS"`` of a policy served
elsewhere, or a function from ``Decisions`` to actions."""


@dataclass(frozen=True)
class Pool:
    """Opponents from which three are drawn for each table, with replacement.

    They are drawn when the tables are opened, and stay until tables are opened again.

    Attributes:
        members: The opponents. A function may change from step to step, like a learner that
            plays against itself.
        weights: Relative frequency of each member, 0 or more; all equal if None.
    """

    members: Sequence[Opponent]
    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.members, str) or not len(self.members):
            raise ValueError(f"members is {self.members!r}; allowed: one or more opponents")
        check_opponents(self.members)
        if self.weights is not None:
            if len(self.weights) != len(self.members):
                raise ValueError(f"{len(self.weights)} weights for {len(self.members)} members")
            total = math.fsum(self.weights)
            if not (min(self.weights) >= 0 and 0 < total < math.inf):
                raise ValueError(
                    f"weights are {self.weights}; allowed: finite numbers of 0 or more, "
                    "at least one above 0"
                )


Opponents = Opponent | Sequence[Opponent] | Pool
"""One opponent for all three seats, three in turn order after the learner, or a pool."""


def three_opponents(opponents: Opponent | Sequence[Opponent]) -> list[Opponent]:
    """Return the opponents of the three seats in turn order after the learner.

    Raises:
        ValueError: they are not one or three, or one is not an opponent.
    """
    if isinstance(opponents, str) or callable(opponents):
        others: list[Opponent] = [opponents] * 3
    else:
        others = list(opponents)
    if len(others) != 3:
        raise ValueError(f"opponents has {len(others)} players; allowed: one or three")
    check_opponents(others)
    return others


def check_opponents(opponents: Sequence[Opponent]) -> None:
    """Raise ValueError unless all are opponents."""
    for o in opponents:
        if o == EXTERNAL:
            raise ValueError(
                "opponents may not be 'external': allowed are built-in players, 'grpc:ADDRESS', "
                "and functions from sparrowhall.Decisions to actions; to play all seats yourself "
                "use sparrowhall.env, sparrowhall.parallel_env or Client.open"
            )
        if not isinstance(o, str) and not callable(o):
            raise ValueError(
                f"an opponent is {o!r}; allowed: a built-in player's name, 'grpc:ADDRESS', or a "
                "function from sparrowhall.Decisions to actions"
            )


def is_built_in(opponent: Opponent) -> bool:
    """Return whether the server itself plays an opponent."""
    return isinstance(opponent, str) and not opponent.startswith("grpc:")


def all_built_in(opponents: Opponents) -> bool:
    """Return whether the server itself plays all opponents, and none is drawn from a pool."""
    return not isinstance(opponents, Pool) and all(map(is_built_in, three_opponents(opponents)))


def seat_names(others: Sequence[str], seat: int) -> list[str]:
    """Return who plays for players 0 to 3.

    Args:
        others: Names of the opponents in turn order after the learner.
        seat: The learner's player.
    """
    around = [EXTERNAL, *others]
    return [around[(p - seat) % 4] for p in range(4)]
