"""The arguments of environments, checked when they are passed."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from gymnasium.vector import AutoresetMode

from sparrowhall._checks import check_choice, check_integer, check_number, check_seed
from sparrowhall.client import EXTERNAL, Client, EpisodeName, Transport, check_client
from sparrowhall.opponents import (
    League,
    Opponents,
    all_built_in,
    is_built_in,
    other_players,
    seat_names,
)
from sparrowhall.reward import Reward, reward_function
from sparrowhall.server import LocalClient, shared
from sparrowhall.spec import Observation
from sparrowhall.tables import Tables

Illegal = Literal["default", "raise"]
"""What an environment does with an illegal action: replace it, or raise IllegalActionError."""

RENDER_MODES = ("ansi", "rgb_array", "human", "browser")
"""The render modes of environments of one table."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Arguments of all environments; see ``SparrowhallVectorEnv``."""

    ruleset: str | Path | None = None
    observation: str = "planes"
    episode: EpisodeName = "match"
    reward: Reward = "points"
    shaping: float = 0.0
    discount: float = 1.0
    illegal: Illegal = "default"
    client: Client | None = None
    transport: Transport = "auto"
    toml: str | None = None
    wall: str | Path | None = None
    # Family and number of players of the ruleset, and the observation for it.
    family: str = field(init=False, repr=False, compare=False)
    seats: int = field(init=False, repr=False, compare=False)
    spec: Observation = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raise ValueError or RequestError unless tables can be opened with these arguments."""
        check_choice("episode", self.episode, get_args(EpisodeName))
        check_choice("illegal", self.illegal, get_args(Illegal))
        reward_function(self.reward)
        for name in ("shaping", "discount"):
            check_number(name, getattr(self, name))
        check_client(self.client, self.transport)
        self.connection().observation(self.observation)
        # The server checks the ruleset and then the names of built-in players.
        with self.open_tables(1) as opened:
            assert opened.spec is not None
            object.__setattr__(self, "family", opened.ruleset.family)
            object.__setattr__(self, "seats", opened.seats)
            object.__setattr__(self, "spec", opened.spec)
        agents, others = self._agents(), self.seats - 1
        if agents:
            agents += [EXTERNAL] * (-len(agents) % others)
            tables = len(agents) // others
            first = range(0, len(agents), others)
            seats = [a for t in first for a in (EXTERNAL, *agents[t : t + others])]
            self.open_tables(tables, seats=seats).close()

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that an environment like this one's takes."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    def _agents(self) -> list[str]:
        """Return the names of all built-in players among the opponents, once seats is set."""
        return []

    def connection(self) -> Client:
        """Return the client to play with: the given one or this process's own."""
        return self.client or shared(self.transport)

    def open_tables(self, tables: int, **arguments: Any) -> Tables:
        """Open tables with these options and further arguments of ``Client.open``."""
        return self.connection().open(
            self.ruleset,
            tables,
            observation=self.observation,
            episode=self.episode,
            toml=self.toml,
            wall=self.wall,
            **arguments,
        )


@dataclass(frozen=True, kw_only=True)
class SeatOptions(Options):
    """Arguments of environments in which the learner plays one seat."""

    opponents: Opponents = "greedy"
    seat: int | None = None
    seed: int | None = None
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP

    def __post_init__(self) -> None:
        """Check the arguments, and convert ``autoreset_mode``."""
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
            opponents = list(given.members.values())
        else:
            opponents = other_players(given, self.seats)
        if self.seat is not None and not (
            isinstance(self.seat, int | np.integer) and self.seat in seats
        ):
            allowed = ", ".join(map(str, seats))
            raise ValueError(f"seat is {self.seat!r}; allowed: {allowed} or None")
        return [o for o in opponents if isinstance(o, str) and is_built_in(o)]

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
    """Arguments of ``SparrowhallVectorEnv``."""

    num_envs: int = 1

    def __post_init__(self) -> None:
        """Check the arguments."""
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
class RenderOptions(Options):
    """Arguments of environments of one table."""

    render_mode: str | None = None

    def __post_init__(self) -> None:
        """Check the arguments."""
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
    """Arguments of ``SparrowhallEnv``."""


@dataclass(frozen=True, kw_only=True)
class TableOptions(RenderOptions):
    """Arguments of the PettingZoo environments."""

    max_cycles: int | None = None

    def __post_init__(self) -> None:
        """Check the arguments."""
        if self.max_cycles is not None:
            check_integer("max_cycles", self.max_cycles, 1)
        super().__post_init__()
