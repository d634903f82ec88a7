"""Ratings of policies against a frozen pool.

``rate`` plays a suite of the program with a policy; docs/rating.md describes suites and results.
"""

from __future__ import annotations

import hashlib
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sparrowhall._checks import check_integer
from sparrowhall._rulesets import SUITES
from sparrowhall.evaluation import Players
from sparrowhall.policy import Contestant, Policy
from sparrowhall.server import shared


class Interval(NamedTuple):
    """An estimate and its 95 % interval.

    Attributes:
        value: The estimate.
        low: Lower end of the interval; NaN if there are too few matches.
        high: Upper end of the interval.
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        digits = 1 if abs(self.value) < 100 else 0
        text = f"{self.value:,.{digits}f}"
        if math.isnan(self.low):
            return text
        return f"{text} [{self.low:,.{digits}f}, {self.high:,.{digits}f}]"


@dataclass(frozen=True)
class Against:
    """The result against one opponent.

    Attributes:
        opponent: Name of the opponent, which has all other seats.
        ruleset: Name of the ruleset.
        matches: Number of matches.
        forfeits: Number of matches that the policy forfeited.
        points_luck_adjusted: Mean points at the end of a match, luck-adjusted.
        placement_luck_adjusted: Mean placement points, luck-adjusted; None if the ruleset has
            none.
        rank: Mean rank, from 1.
        places: Shares of the places, from the first.
    """

    opponent: str
    ruleset: str
    matches: int
    forfeits: int
    points_luck_adjusted: Interval
    placement_luck_adjusted: Interval | None
    rank: Interval
    places: tuple[float, ...]

    def __str__(self) -> str:
        figure = self.placement_luck_adjusted
        text = f"{self.points_luck_adjusted} points" if figure is None else f"{figure} placement"
        return f"against {self.opponent}, {self.ruleset}: {text}"


@dataclass(frozen=True)
class Rating:
    """How a policy plays against the pool of a suite.

    Attributes:
        name: Name of the policy in the result.
        suite: Name of the suite.
        rating: The rating in Elo points, where the player ``value`` has 1500; None for a suite
            without one.
        against: The results against each opponent, under each ruleset.
        worst: The worst of them: the lowest luck-adjusted placement points, or points; in a suite
            of several rulesets the highest mean rank.
        matches: Number of all matches.

    Examples:
        >>> rating = sparrowhall.rate("random", "mcr-2")  # doctest: +SKIP
        >>> for result in rating.against:  # doctest: +SKIP
        ...     print(result.opponent, result.rank)
    """

    name: str
    suite: str
    rating: Interval | None
    against: tuple[Against, ...]
    worst: Against

    @property
    def matches(self) -> int:  # noqa: D102
        return sum(a.matches for a in self.against)

    def __str__(self) -> str:
        title = f"{self.name} in {self.suite}: {self.matches} matches"
        if self.rating is not None:
            title += f", rating {self.rating}"
        return "\n".join([title, *map(str, self.against)])


def rate(
    policy: Contestant,
    suite: str,
    *,
    matches: int | None = None,
    transfer: bool = False,
    observation: str | None = None,
    name: str | None = None,
    season: str | Path | None = None,
    sign: str | Path | None = None,
    out: str | Path | None = None,
    progress: bool = True,
) -> Rating:
    """Rate a policy against the frozen pool of a suite.

    The matches and figures are those of ``sparrowhall rate`` for the same agent, and those
    against one opponent are what ``evaluate`` returns for the same seed and number of matches.

    Args:
        policy: Whom to rate: a ``Policy``, a function, a network, or an agent's name such as
            ``"net:FILE"``.
        suite: Name of the suite, such as ``"riichi-2"``, which has its own ruleset.
        matches: Matches against each opponent at most; None for those of the suite.
        transfer: Whether a ``Policy`` may play that is made for another ruleset than the suite's.
            Suites of drawn rulesets need it.
        observation: Name of the observation of a function, ``"planes"`` if None; ``""`` for the
            legal actions alone. A ``Policy`` has its own.
        name: Name of the policy in the result; by default the agent's name, that of a network
            with a digest of its file, or ``"policy"``.
        season: File with the secret seed of a season; it needs out.
        sign: PEM file of the ed25519 key that signs the result file; it needs out.
        out: Folder for the matches and the result file. The same call continues a rating that
            was interrupted. A policy that is no network needs a name for it: what is there under
            its name counts as its play.
        progress: Show the progress on standard error.

    Returns:
        The rating and the results against each opponent.

    Raises:
        ValueError: an argument is not allowed, or a ``Policy`` is made for another ruleset.
        IllegalActionError: a function returned an action that is not legal.
        SparrowhallError: the program refuses the suite, the agent or the folder.
        Exception: what a function raised in a match.

    Examples:
        >>> import sparrowhall
        >>> rating = sparrowhall.rate("greedy", "zungjung-2", matches=4, progress=False)
        >>> rating.matches
        16
    """
    if matches is not None:
        check_integer("matches", matches, 1)
    if isinstance(policy, Policy):
        policy.check_alone(observation=observation)
        if not transfer and suite in SUITES:
            _check_ruleset(policy, SUITES[suite])
    players = Players(observation, transfer)
    known = players.add(policy, "policy")
    options: dict[str, object] = {"suite": suite, "matches": matches}
    options |= {"season": season, "sign": sign, "out": out}
    with (
        tempfile.TemporaryDirectory(prefix="sparrowhall-") as folder,
        players.serve(folder) as run,
    ):
        agent = players.agents[known]
        own = policy.agent if isinstance(policy, Policy) else policy
        if name is None and agent != own:
            name = _name_of(known, agent, out is not None)
        options["name"] = name
        given = {option: value for option, value in options.items() if value is not None}
        flags = [text for option, value in given.items() for text in (f"--{option}", str(value))]
        result = run(["rate", agent, *flags], progress)
    against = tuple(_against(p) for p in result["parts"])
    named = (result["worst"]["opponent"], result["worst"]["ruleset"])
    return Rating(
        name=result["name"],
        suite=result["suite"],
        rating=_interval(result.get("rating")),
        against=against,
        worst=next(a for a in against if (a.opponent, a.ruleset) == named),
    )


def _name_of(known: str, agent: str, kept: bool) -> str:
    """Return the name of a policy without one, which no other has if its matches are kept.

    Raises:
        ValueError: its matches are kept, and there is no file by which it differs from others.
    """
    kind, _, file = agent.removeprefix(f"{known}=").partition(":")
    if kind == "net" and Path(file).is_file():
        return f"{known}-{hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12]}"
    if kept:
        raise ValueError(
            "name is None, and out keeps matches by it; allowed: a name that no other policy in "
            "that folder has"
        )
    return known


def _check_ruleset(policy: Policy, ruleset: str) -> None:
    """Raise ValueError unless a policy is made for a preset; ``""`` is that of no policy."""
    if not ruleset:
        policy.check_ruleset("drawn rulesets", b"", transfer=False)
        return
    with shared().open(ruleset, observation="") as tables:
        policy.check_ruleset(ruleset, tables.ruleset.hash, transfer=False)


def _against(part: dict[str, Any]) -> Against:
    points, rank = _interval(part["points_luck_adjusted"]), _interval(part["rank"])
    assert points is not None
    assert rank is not None
    return Against(
        opponent=part["opponent"],
        ruleset=part["ruleset"],
        matches=part["matches"],
        forfeits=part["forfeits"],
        points_luck_adjusted=points,
        placement_luck_adjusted=_interval(part.get("placement_luck_adjusted")),
        rank=rank,
        places=tuple(part["places"]),
    )


def _interval(figure: dict[str, Any] | None) -> Interval | None:
    if figure is None:
        return None
    low, high = (math.nan if figure[end] is None else figure[end] for end in ("low", "high"))
    return Interval(figure["value"], low, high)
