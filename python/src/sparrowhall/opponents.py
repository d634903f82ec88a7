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
    """Opponents from which those of each table are drawn, with replacement.

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
"""One opponent for all other seats, one for each in turn order after the learner, or a pool."""


def other_players(opponents: Opponent | Sequence[Opponent], seats: int) -> list[Opponent]:
    """Return the opponents of the other seats in turn order after the learner.

    Args:
        opponents: One, or one for each seat.
        seats: Number of players of the table.

    Raises:
        ValueError: they are of another number, or one is not an opponent.
    """
    if isinstance(opponents, str) or callable(opponents):
        others: list[Opponent] = [opponents] * (seats - 1)
    else:
        others = list(opponents)
    if len(others) != seats - 1:
        number, table = ("three", "four") if seats == 4 else ("two", "three")
        raise ValueError(
            f"opponents has {len(others)} players; allowed at a table of {table}: one or {number}"
        )
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
    if isinstance(opponents, Pool):
        return False
    if isinstance(opponents, str) or callable(opponents):
        return is_built_in(opponents)
    return all(map(is_built_in, opponents))


def seat_names(others: Sequence[str], seat: int) -> list[str]:
    """Return who plays for each player.

    Args:
        others: Names of the opponents in turn order after the learner.
        seat: The learner's player.
    """
    around = [EXTERNAL, *others]
    return [around[(p - seat) % len(around)] for p in range(len(around))]
