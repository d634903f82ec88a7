"""The options of environments, each defined, documented and checked once.

A constructor with ``@takes(Kind)`` has the arguments of the options of that kind.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeVar, get_args

import numpy as np

from sparrowhall._checks import check_choice, check_integer, check_number, check_seed
from sparrowhall._proto import env_pb2 as pb
from sparrowhall.client import EXTERNAL, Client, EpisodeName, Transport, check_client
from sparrowhall.opponents import (
    League,
    Opponent,
    Opponents,
    all_built_in,
    is_built_in,
    other_players,
    seat_names,
)
from sparrowhall.policy import Policy
from sparrowhall.reward import Reward, Rewarder, measured_spread, reward_function
from sparrowhall.server import LocalClient, shared
from sparrowhall.spec import Observation
from sparrowhall.tables import Tables

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode

    from sparrowhall.decoded import Decoder

Illegal = Literal["default", "raise"]
"""What an environment does with an illegal action: replace it, or raise IllegalActionError."""

RENDER_MODES = ("ansi", "rgb_array", "human", "browser")
"""The render modes of environments of one table."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of all environments.

    Attributes:
        ruleset: Name of a preset, or the path of a ruleset file ending in ``.toml``;
            ``"ema_2016"`` if there is no toml either. Or a ``Policy``, which has ruleset,
            observation and decoding for itself.
        observation: Name of an observation, ``"planes"`` if not given.
        decoded: Whether observations, those of functions among the opponents as well, are
            bounded numbers without codes; see ``sparrowhall.decoded.Decoder``.
        episode: ``"match"`` or ``"hand"``.
        reward: ``"points"`` moved, or these in the ruleset's spread and bounded by 3,
            ``"points_clipped"``, or less what tiles have brought, ``"luck_adjusted"``. Or
            ``"placement"`` points or ``"rank"`` at the end of the match and 0 before. Or a function
            from ``Moves`` to numbers. Ranks 1 to 4 pay 1, 1/3, -1/3 and -1, those of three players
            1, 0 and -1; tied players share the mean.
        shaping: Weight of the potential whose change is added to the reward, an estimate of the
            final rank in units of ``"rank"``; see ``sparrowhall.reward``. 0 for none.
        discount: The learner's discount factor, for shaping.
        client: Client to play with; this process's own if None.
        transport: That of this process's own client: ``"auto"``, ``"inprocess"``, ``"shared"`` or
            ``"grpc"``; see ``sparrowhall.local``.
        toml: Text of a ruleset file, instead of ruleset.
        wall: Wall of the first hand of each match; see ``Client.open``.
    """

    ruleset: str | Path | Policy | None = field(default=None, kw_only=False)
    observation: str | None = None
    decoded: bool = False
    episode: EpisodeName = "match"
    reward: Reward = "points"
    shaping: float = 0.0
    discount: float = 1.0
    client: Client | None = None
    transport: Transport = "auto"
    toml: str | None = None
    wall: str | Path | None = None
    # The resolved ruleset, and the observation for it.
    rules: pb.Ruleset = field(init=False, repr=False, compare=False)
    spec: Observation = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raise ValueError or RequestError unless tables can be opened with these options."""
        if isinstance(policy := self.ruleset, Policy):
            policy.check_alone(observation=self.observation, decoded=self.decoded, toml=self.toml)
            for name in ("ruleset", "observation", "decoded", "toml"):
                object.__setattr__(self, name, getattr(policy, name))
        elif self.observation is None:
            object.__setattr__(self, "observation", "planes")
        check_choice("episode", self.episode, get_args(EpisodeName))
        reward_function(self.reward)
        for name in ("shaping", "discount"):
            check_number(name, getattr(self, name))
        check_client(self.client, self.transport)
        assert self.observation is not None
        self.connection().observation(self.observation)
        # The server checks the ruleset and then the names of built-in players.
        with self.open_tables(1) as opened:
            assert opened.spec is not None
            object.__setattr__(self, "rules", opened.ruleset)
            object.__setattr__(self, "spec", opened.spec)
        if self.decoded:
            assert self.decoder is not None
        agents, others = self._agents(), self.seats - 1
        if agents:
            agents += [EXTERNAL] * (-len(agents) % others)
            tables = len(agents) // others
            first = range(0, len(agents), others)
            seats = [a for t in first for a in (EXTERNAL, *agents[t : t + others])]
            self.open_tables(tables, seats=seats).close()

    @property
    def seats(self) -> int:
        """The number of players of the ruleset."""
        return int(self.rules.seats)

    @cached_property
    def decoder(self) -> Decoder | None:
        """The decoder of observations; None if they are not decoded."""
        if not self.decoded:
            return None
        from sparrowhall.decoded import decoder_of

        return decoder_of(self.spec, self.rules)

    @cached_property
    def spread(self) -> float:
        """The ruleset's spread, 1 for named rewards without one."""
        if self.reward != "points_clipped" and not callable(self.reward):
            return 1.0
        # A wall of the user's would make all hands that are measured alike.
        drawn = functools.partial(self.open_tables, wall=None)
        return measured_spread(self.connection(), self.rules, drawn)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that an environment like this one's takes."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    def _agents(self) -> list[str]:
        """Return the names of all built-in players among the opponents, once rules is set."""
        return []

    def connection(self) -> Client:
        """Return the client to play with: the given one or this process's own."""
        return self.client or shared(self.transport)

    def open_tables(self, tables: int, **arguments: Any) -> Tables:
        """Open tables with these options and further arguments of ``Client.open``."""
        assert not isinstance(self.ruleset, Policy)
        assert self.observation is not None
        return self.connection().open(
            self.ruleset,
            tables,
            observation=self.observation,
            episode=self.episode,
            toml=self.toml,
            luck_adjusted=self.reward == "luck_adjusted",
            **{"wall": self.wall, **arguments},
        )

    def rewarder(self, tables: Tables) -> Rewarder:
        """Return what computes the rewards of tables with these options."""
        function = reward_function(self.reward)
        return Rewarder(tables, function, float(self.shaping), float(self.discount), self.spread)


@dataclass(frozen=True, kw_only=True)
class SelfPlayOptions(Options):
    """Options of ``sparrowhall.make_selfplay``.

    Attributes:
        num_envs: Number of tables.
        seed: Table i of n plays matches i, i + n, ... of ``sparrowhall play`` with that seed;
            None for a random one.
    """

    num_envs: int = field(default=1, kw_only=False)
    seed: int | None = None

    def __post_init__(self) -> None:
        """Check the options."""
        check_integer("num_envs", self.num_envs, 1)
        check_seed(self.seed)
        super().__post_init__()


@dataclass(frozen=True, kw_only=True)
class LegalOptions(Options):
    """Options of environments that replace or refuse illegal actions.

    Attributes:
        illegal: ``"default"`` replaces an illegal action by the default one (pass, noten, or the
            discard of the drawn tile); ``"raise"`` raises IllegalActionError.
    """

    illegal: Illegal = "default"

    def __post_init__(self) -> None:
        """Check the options."""
        check_choice("illegal", self.illegal, get_args(Illegal))
        super().__post_init__()


@dataclass(frozen=True, kw_only=True)
class SeatOptions(LegalOptions):
    """Options of environments in which the learner plays one seat.

    Attributes:
        opponents: Who plays the other seats: one for all, one for each in turn order after the
            learner, or a ``League`` from which they are drawn for each match. Each is the name of
            a built-in player, ``"net:FILE"`` of an exported network, ``"grpc:ADDRESS"`` of a
            policy served elsewhere, a function from ``Decisions`` to actions, or a ``Policy``.
        transfer: Whether a ``Policy`` among the opponents may be made for another ruleset.
        seat: The learner's player, from 0. None to move on by one from match to match as in
            ``sparrowhall play``, also with a league. Where functions or served policies play, the
            learner then sits at ``i % players`` of table i.
        seed: Seed of the first reset that has none; None for a random one.
        autoreset_mode: ``"SameStep"``, ``"NextStep"``, ``"Disabled"``, or the ``AutoresetMode``
            of Gymnasium of that name: when an environment is reset after an episode.
    """

    opponents: Opponents = "greedy"
    transfer: bool = False
    seat: int | None = None
    seed: int | None = None
    autoreset_mode: AutoresetMode | str = "SameStep"

    def __post_init__(self) -> None:
        """Check the options, and convert ``autoreset_mode``."""
        from gymnasium.vector import AutoresetMode

        if isinstance(self.opponents, League):
            self.opponents.weights()
        check_seed(self.seed)
        mode = self.autoreset_mode
        name = mode.value if isinstance(mode, AutoresetMode) else mode
        check_choice("autoreset_mode", name, [m.value for m in AutoresetMode])
        object.__setattr__(self, "autoreset_mode", AutoresetMode(name))
        super().__post_init__()

    def _agents(self) -> list[str]:
        given, seats = self.opponents, range(self.seats)
        if isinstance(given, League):
            opponents = self.seated(list(given.members.values()))
        else:
            opponents = self.seated(other_players(given, self.seats))
            object.__setattr__(self, "opponents", opponents)
        if self.seat is not None and not (
            isinstance(self.seat, int | np.integer) and self.seat in seats
        ):
            allowed = ", ".join(map(str, seats))
            raise ValueError(f"seat is {self.seat!r}; allowed: {allowed} or None")
        return [o for o in opponents if isinstance(o, str) and is_built_in(o)]

    def seated(self, opponents: Sequence[Opponent]) -> list[Opponent]:
        """Return opponents; policies that the program plays become agents.

        Raises:
            ValueError: a policy is made for another ruleset or observation.
        """
        for o in opponents:
            if isinstance(o, Policy):
                o.check_ruleset(self.rules.name, self.rules.hash, self.transfer)
                o.check_observation(self.spec)
        return [o.agent or o if isinstance(o, Policy) else o for o in opponents]

    def built_in_seats(self) -> dict[str, Any]:
        """Return ``seats`` and ``rotate_seats`` of tables if all opponents are built-in players."""
        if isinstance(self.opponents, League) or not all_built_in(self.opponents):
            return {}
        names = [o for o in other_players(self.opponents, self.seats) if isinstance(o, str)]
        return {
            "seats": seat_names(names, 0 if self.seat is None else int(self.seat)),
            "rotate_seats": self.seat is None,
        }


@dataclass(frozen=True, kw_only=True)
class VectorOptions(SeatOptions):
    """Options of ``sparrowhall.make_vec``.

    Attributes:
        num_envs: Number of tables.
    """

    num_envs: int = field(default=1, kw_only=False)

    def __post_init__(self) -> None:
        """Check the options."""
        check_integer("num_envs", self.num_envs, 1)
        super().__post_init__()
        # The spaces of too many environments would not fit into memory.
        most = self.connection().description.limits.tables
        if self.num_envs > most:
            raise ValueError(
                f"num_envs is {self.num_envs}; the server plays at most {most} tables of a client, "
                "sparrowhall.local(arguments=['--max-tables', ...]) more"
            )


@dataclass(frozen=True, kw_only=True)
class RenderOptions(LegalOptions):
    """Options of environments of one table.

    Attributes:
        render_mode: ``"ansi"`` for text of what the selected player sees, ``"rgb_array"`` for a
            picture, ``"human"`` for a window, ``"browser"`` for the address of a page that shows
            the table while it is played, or None.
    """

    render_mode: str | None = None

    def __post_init__(self) -> None:
        """Check the options."""
        check_choice("render_mode", self.render_mode, [*RENDER_MODES, None])
        if self.render_mode == "browser":
            if self.transport == "inprocess":
                raise ValueError(
                    "render_mode 'browser' shows the tables of a server, and transport "
                    "'inprocess' has none; allowed: 'auto', 'shared', 'grpc'"
                )
            if self.client is not None and self.page() is None:
                raise ValueError(
                    "render_mode is 'browser', and client has no page; leave client out, or pass "
                    "sparrowhall.local(arguments=['--watch'])"
                )
        super().__post_init__()

    def connection(self) -> Client:
        """Return the client to play with: the given one or this process's own."""
        return self.client or shared(self.transport, watch=self.render_mode == "browser")

    def page(self) -> str | None:
        """Return the address of the page of the client's server, None if it has none."""
        client = self.connection()
        return client.page if isinstance(client, LocalClient) else None


@dataclass(frozen=True, kw_only=True)
class EnvOptions(RenderOptions, SeatOptions):
    """Options of ``sparrowhall.make``, whose ``autoreset_mode`` is ``"Disabled"`` if not given."""

    autoreset_mode: AutoresetMode | str = "Disabled"


@dataclass(frozen=True, kw_only=True)
class TableOptions(RenderOptions):
    """Options of ``sparrowhall.env`` and ``sparrowhall.parallel_env``.

    Attributes:
        max_cycles: Truncate the episode after this number of decision points, at least 1. In the
            AEC environment all players then take a turn at each decision point; those who need
            not answer have ``pass`` alone in the mask.
    """

    max_cycles: int | None = None

    def __post_init__(self) -> None:
        """Check the options."""
        if self.max_cycles is not None:
            check_integer("max_cycles", self.max_cycles, 1)
        super().__post_init__()


def rebuild(kind: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Return a new environment: what a copy is made of."""
    return kind(**arguments)


_Self = TypeVar("_Self")
_Kind = TypeVar("_Kind", bound=Options)
_P = ParamSpec("_P")


def takes(
    kind: Callable[_P, _Kind],
) -> Callable[[Callable[[_Self, _Kind], None]], Callable[Concatenate[_Self, _P], None]]:
    """Have a constructor take the options of a kind as its arguments, and document them."""
    signature = inspect.signature(kind)

    def decorate(
        initialize: Callable[[_Self, _Kind], None],
    ) -> Callable[Concatenate[_Self, _P], None]:
        def constructor(self: _Self, /, *args: _P.args, **kwargs: _P.kwargs) -> None:
            initialize(self, kind(*args, **kwargs))

        functools.update_wrapper(constructor, initialize)
        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        parameters = [own, *signature.parameters.values()]
        constructor.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        first, _, rest = inspect.cleandoc(initialize.__doc__ or "").partition("\n\n")
        described = _descriptions(kind)
        lines = "\n".join(f"    {described[name]}" for name in signature.parameters)
        constructor.__doc__ = f"{first}\n\nArgs:\n{lines}\n\n{rest}"
        return constructor

    return decorate


def _descriptions(kind: Any) -> dict[str, str]:
    """Return the lines that describe each option, by its name."""
    found: dict[str, str] = {}
    for base in kind.__mro__:
        # Python 3.13 takes the indentation off docstrings.
        attributes = inspect.cleandoc(base.__doc__ or "").partition("Attributes:\n")[2]
        for text in re.split(r"\n    (?=\w+: )", "\n" + attributes)[1:]:
            name, _, _ = text.partition(":")
            found.setdefault(name, text.rstrip())
    return found
