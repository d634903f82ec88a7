"""Opponents of a learner: built-in players, functions, and policies served elsewhere."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparrowhall._checks import check_choice
from sparrowhall._files import OwnFolder
from sparrowhall.client import EXTERNAL
from sparrowhall.policy import Contestant, Exportable, Policy, PolicyFunction

Opponent = str | PolicyFunction | Policy
"""The name of a built-in player with its options, ``"net:FILE"`` of an exported network,
``"grpc:ADDRESS"`` of a policy served elsewhere, a function from ``Decisions`` to actions, or a
``Policy``."""


_ALLOWED = (
    "allowed: a built-in player's name, 'net:FILE' of an exported network, 'grpc:ADDRESS', a "
    "function from sparrowhall.Decisions to actions, a sparrowhall.Policy, or a "
    "sparrowhall.League of such opponents"
)

Sampling = Literal["uniform", "hard", "even"] | Callable[[NDArray[np.float64]], ArrayLike]
"""How a league draws: each member as often; those that beat the learner more often, by the
square of their win rate; those of about its strength; or weights from the win rates."""


@dataclass
class Record:
    """Results of the learner against a member of a league.

    Attributes:
        met: Number of seats that the member had in matches that are over.
        ahead: Number of them in which the learner finished with more points; with equal points
            half of one, also where the ruleset breaks the tie.
    """

    met: int = 0
    ahead: float = 0.0

    @property
    def win_rate(self) -> float:
        """Share of matches that the learner finished ahead of the member; 0.5 before the first.

        One win and one loss are added, so that few matches decide little.
        """
        return (self.ahead + 1) / (self.met + 2)


class League:
    """Opponents that are drawn again for each match, with replacement.

    ``info["opponents"]`` of an environment holds the names of those at each table. Members may be
    added while matches are played: the next matches draw from them as well. Networks are exported
    when they are added and then played by the program; other functions are called with one batch.
    A copy has members, records and networks of its own.

    Attributes:
        records: The learner's results against each member, by name.

    Examples:
        >>> import sparrowhall
        >>> league = sparrowhall.League({"greedy": "greedy"}, sampling="hard")
        >>> league.add("first", lambda decisions: decisions.mask.argmax(axis=1))
        >>> env = sparrowhall.make_vec("ema_2016", num_envs=4, opponents=league, seed=1)
        >>> observations, info = env.reset()
        >>> len(info["opponents"][0])
        3
        >>> env.close()
    """

    def __init__(
        self,
        members: Mapping[str, Contestant] | Sequence[Contestant] = (),
        *,
        sampling: Sampling = "uniform",
    ) -> None:
        """Add the members.

        Args:
            members: Opponents by name. In a sequence, agents have their own names and the others
                those of their places, such as ``"member-2"``.
            sampling: ``"uniform"``, ``"hard"``, ``"even"``, or a function from the learner's win
                rates against all members, in their order, to weights of 0 or more.

        Raises:
            ValueError: a member is not an opponent or is named twice, or sampling is unknown.
        """
        if not callable(sampling) and sampling not in ("uniform", "hard", "even"):
            raise ValueError(
                f"sampling is {sampling!r}; allowed: 'uniform', 'hard', 'even', or a function"
            )
        if isinstance(members, str):
            raise ValueError(f"members is {members!r}; allowed: a mapping or a sequence")
        self.sampling = sampling
        self.records: dict[str, Record] = {}
        self._members: dict[str, Opponent] = {}
        self._folder: OwnFolder | None = None
        if isinstance(members, Mapping):
            named: Iterable[tuple[str, Contestant]] = members.items()
        else:
            named = [
                (m if isinstance(m, str) else f"member-{i}", m) for i, m in enumerate(members, 1)
            ]
        for name, member in named:
            self.add(name, member)

    @property
    def members(self) -> dict[str, Opponent]:
        """The opponents by name; networks as ``net:FILE``."""
        return dict(self._members)

    def add(self, name: str, member: Contestant) -> None:
        """Add a member, from the next matches on.

        Raises:
            ValueError: the name is taken, or the member is not an opponent.
        """
        if name in self._members:
            raise ValueError(f"the league has a member {name!r} already")
        made = member if isinstance(member, Policy) else None
        if made is not None and isinstance(made.network, Exportable):
            member = made.network
        if isinstance(member, Exportable):
            if self._folder is None:
                self._folder = OwnFolder()
            # Errors of the server name the file, and so the member. No process that was forked
            # writes the same one.
            safe = re.sub(r"[^\w.-]", "_", name)
            file = f"{self._folder.path}/{uuid.uuid4().hex[:8]}-{safe}.safetensors"
            member.export(file)
            member = f"net:{file}" if made is None else replace(made, network=f"net:{file}")
        check_opponents([member])
        self._members[name] = member
        self.records[name] = Record()

    def remove(self, name: str) -> None:
        """Remove a member and its record, from the next matches on.

        Raises:
            ValueError: there is no such member.
        """
        check_choice("a member", name, list(self._members))
        del self._members[name], self.records[name]

    def __getstate__(self) -> dict[str, Any]:
        # The files go along: those of the original end with it.
        folder = None if self._folder is None else Path(self._folder.path)
        files = {} if folder is None else {f: f.read_bytes() for f in folder.iterdir()}
        return {**self.__dict__, "_folder": None, "files": files}

    def __setstate__(self, state: dict[str, Any]) -> None:
        files: dict[Path, bytes] = state.pop("files")
        self.__dict__.update(state)
        self.records = {name: replace(record) for name, record in self.records.items()}
        moved: dict[Any, str] = {}
        if files:
            self._folder = OwnFolder()
        for file, data in files.items():
            assert self._folder is not None
            new = Path(self._folder.path) / file.name
            new.write_bytes(data)
            moved[f"net:{file}"] = f"net:{new}"

        def here(agent: Any) -> Any:
            return moved.get(agent, agent) if isinstance(agent, str) else agent

        self._members = {
            name: replace(m, network=here(m.network)) if isinstance(m, Policy) else here(m)
            for name, m in self._members.items()
        }

    def weights(self) -> NDArray[np.float64]:
        """Return the probability of each member, which add up to 1.

        Raises:
            ValueError: the league is empty, or the function returned no weights.
        """
        if not self._members:
            raise ValueError("the league is empty: add a member first")
        rates = np.array([r.win_rate for r in self.records.values()])
        if callable(self.sampling):
            weights = np.asarray(self.sampling(rates), np.float64)
        else:
            weights = {
                "uniform": np.ones(len(rates)),
                "hard": (1 - rates) ** 2,
                "even": rates * (1 - rates),
            }[self.sampling]
        total = weights.sum()
        if weights.shape != rates.shape or not (weights >= 0).all() or not 0 < total < np.inf:
            raise ValueError(
                f"sampling returned {weights} for {len(rates)} members; required: a number of 0 "
                "or more for each, at least one above 0"
            )
        probabilities: NDArray[np.float64] = weights / total
        return probabilities


Opponents = Opponent | Sequence[Opponent] | League
"""One opponent for all other seats, one for each in turn order after the learner, or a league."""


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
    elif isinstance(opponents, Iterable):
        others = list(opponents)
    else:
        check_opponents([opponents])
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
                f"an opponent is 'external'; {_ALLOWED}; to play all seats yourself use "
                "sparrowhall.make_selfplay, sparrowhall.env, sparrowhall.parallel_env or "
                "Client.open"
            )
        if isinstance(o, Exportable):
            raise ValueError(
                "an opponent is a network itself; allowed: network.policy(ruleset), "
                "'net:FILE' after network.export(FILE), or a sparrowhall.League, which exports it"
            )
        if isinstance(o, League):
            raise ValueError(
                "an opponent is a league, which has all other seats; allowed: opponents=league"
            )
        if not isinstance(o, str) and not callable(o):
            raise ValueError(f"an opponent is {o!r}; {_ALLOWED}")


def is_built_in(opponent: Opponent) -> bool:
    """Return whether the server itself plays an opponent."""
    return isinstance(opponent, str) and not opponent.startswith("grpc:")


def all_built_in(opponents: Opponents) -> bool:
    """Return whether the server itself plays all opponents, and none is drawn from a league."""
    if isinstance(opponents, League):
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
