"""Evaluation of policies: matches on duplicate walls against other players.

``evaluate`` plays a tournament of the program in which the policy has one seat, and reads its
luck-adjusted report. docs/luck.md and docs/contests.md describe the statistics.
"""

from __future__ import annotations

import contextlib
import html
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._checks import check_integer, check_seed
from sparrowhall._program import find_binary
from sparrowhall._proto import env_pb2 as pb
from sparrowhall.client import PRESET
from sparrowhall.errors import SparrowhallError
from sparrowhall.policy import (
    Contestant,
    Decisions,
    Exportable,
    Policy,
    PolicyFunction,
    check_network,
    decide,
    refuse_illegal,
)
from sparrowhall.server import shared
from sparrowhall.serving import serve_agent

# Matches of the first part of an evaluation that may stop early. Each later part is half as long
# as all before it, so that few of the matches are played beyond what is needed.
_FIRST_PART = 512
EVALUATION_SEED = 3_000_001
"""Default seed of the walls of evaluations, far from those that trainings usually have."""

RULESET_FILE = "ruleset.toml"
"""Name of the file for the text of a ruleset."""

# An external agent with a name, which the program checks.
_NAMED = re.compile(r"([\w.-]+(?:@\d+)?)=(\w+(?::.*)?)")
_RATES = ("win", "deal_in", "ready", "call")
_SHOWN = {
    "rank": "rank",
    "points": "points",
    "points_less_luck": "points, luck-adjusted",
    "placement": "placement points",
    "placement_less_luck": "placement points, luck-adjusted",
    "win": "hands won",
    "deal_in": "hands dealt into",
    "ready": "hands declared ready (riichi)",
    "call": "hands with a call",
}


@dataclass(frozen=True)
class Figure:
    """An estimate.

    Attributes:
        value: The estimate.
        low: Lower end of the 95 % interval; NaN if there are too few matches.
        high: Upper end of the 95 % interval.
        count: Number of matches, or of hands for a rate.
        error: The standard error, where there is an interval.
    """

    value: float
    low: float
    high: float
    count: int
    error: float

    def __str__(self) -> str:
        return " ".join(self._cells())

    def _cells(self) -> tuple[str, str]:
        digits = 3 if abs(self.value) < 10 else 2 if abs(self.value) < 100 else 0
        return (
            f"{self.value:,.{digits}f}",
            f"[{self.low:,.{digits}f}, {self.high:,.{digits}f}]",
        )


@dataclass(frozen=True)
class Evaluation:
    """How a policy plays against others. Notebooks show it as a table.

    Attributes:
        policy: Name of the policy.
        against: Names of the other players.
        ruleset: Name of the ruleset.
        matches: Number of matches that were played, in each of which the policy has one seat.
        figures: All estimates by name, those of the report of the program.
        places: Shares of first to last places.
        rank: Mean rank, from 1.
        points: Mean points at the end of a match.
        points_luck_adjusted: The same, luck-adjusted.
        placement: Mean placement points of a match.
        placement_luck_adjusted: The same, luck-adjusted.
        rates: Shares of hands: ``"win"``, ``"deal_in"``, ``"ready"`` (riichi) where the ruleset
            has it, and ``"call"``.

    Examples:
        >>> import sparrowhall
        >>> result = sparrowhall.evaluate("tsumogiri", "zung_jung", "random", 8, progress=False)
        >>> len(result.places)
        4
    """

    policy: str
    against: tuple[str, ...]
    ruleset: str
    matches: int
    figures: dict[str, Figure] = field(repr=False)

    @property
    def places(self) -> list[Figure]:  # noqa: D102
        return [self.figures[p] for p in ("first", "second", "third", "last") if p in self.figures]

    @property
    def rank(self) -> Figure:  # noqa: D102
        return self.figures["rank"]

    @property
    def points(self) -> Figure:  # noqa: D102
        return self.figures["points"]

    @property
    def points_luck_adjusted(self) -> Figure:  # noqa: D102
        return self.figures["points_less_luck"]

    @property
    def placement(self) -> Figure:  # noqa: D102
        return self.figures["placement"]

    @property
    def placement_luck_adjusted(self) -> Figure:  # noqa: D102
        return self.figures["placement_less_luck"]

    @property
    def rates(self) -> dict[str, Figure]:  # noqa: D102
        return {name: self.figures[name] for name in _RATES if name in self.figures}

    def _rows(self) -> list[tuple[str, str, str]]:
        found = {_SHOWN[name]: self.figures[name] for name in _SHOWN if name in self.figures}
        return [(text, *figure._cells()) for text, figure in found.items()]

    def _title(self) -> str:
        others = ", ".join(self.against)
        return f"{self.policy} against {others}: {self.matches:,} matches of {self.ruleset}"

    def __str__(self) -> str:
        rows = self._rows()
        text, value, interval = (max(len(r[i]) for r in rows) for i in range(3))
        lines = [f"{r[0]:{text}}  {r[1]:>{value}}  {r[2]:>{interval}}" for r in rows]
        return "\n".join([self._title(), *lines])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td style='text-align:left'>{html.escape(text)}</td><td>{value}</td>"
            f"<td>{interval}</td></tr>"
            for text, value, interval in self._rows()
        )
        return (
            f"<table><caption>{html.escape(self._title())}</caption><thead><tr><th></th>"
            f"<th>mean</th><th>95 % interval</th></tr></thead><tbody>{rows}</tbody></table>"
        )


def evaluate(
    policy: Contestant,
    ruleset: str | Path | None = None,
    against: Contestant | Sequence[Contestant] = "value",
    matches: int = 2000,
    *,
    transfer: bool = False,
    seed: int = EVALUATION_SEED,
    observation: str | None = None,
    decoded: bool = False,
    until: float | None = None,
    progress: bool = True,
) -> Evaluation:
    """Play matches of a policy against other players, and measure its play.

    In every match the policy has one seat. A set of matches has the same walls, with the policy
    once in each seat. With fewer other players than seats, some of them have several seats; with
    more, each selection of them plays as often as any other. The matches follow from ruleset,
    seed and players alone.

    Args:
        policy: Whom to evaluate: a ``Policy``, a function, a network, or an agent's name such as
            ``"net:FILE"``. A network is exported and played by the program.
        ruleset: A preset, or the path of a ruleset file ending in ``.toml``. By default that of a
            ``Policy`` or of the card of a network's file, else ``"ema_2016"``.
        against: The other players, of the same kinds.
        matches: Number of matches, rounded up to whole sets of one for each seat and selection of
            others: 7 are 8 at a table of four. With until, the largest number.
        transfer: Whether a ``Policy`` that is made for another ruleset may play.
        seed: Seed of the walls. A seed that the policy was trained with gives walls that it has
            met: ``make_vec`` of the same seed plays them.
        observation: Name of the observation of all functions, ``"planes"`` if None; ``""`` for
            the legal actions alone. A ``Policy`` has its own.
        decoded: Whether the observations of functions are bounded numbers without codes, as in
            environments; see ``sparrowhall.decoded.Decoder``.
        until: Stop when half the 95 % interval of ``placement_luck_adjusted`` is at most this.
            It is looked at after 512 matches, then whenever there are half as many again.
        progress: Show the progress on standard error.

    Returns:
        The estimates and their 95 % intervals.

    Raises:
        ValueError: an argument is not allowed, or a ``Policy`` is made for another ruleset, or a
            network for another family of rulesets.
        RequestError: the ruleset is refused.
        IllegalActionError: a function returned an action that is not legal.
        SparrowhallError: the program refuses an agent.
        Exception: what a function raised in a match.

    Examples:
        >>> import sparrowhall
        >>> def discard_first(decisions):
        ...     return decisions.mask.argmax(axis=1)
        >>> result = sparrowhall.evaluate(discard_first, "ema_2016", "random", matches=40)
        >>> result.matches
        40
    """
    check_integer("matches", matches, 1)
    check_seed(seed)
    contest = Contest(policy, against, ruleset, observation, decoded, transfer)
    if until is not None and not (isinstance(until, int | float | np.number) and until > 0):
        raise ValueError(f"until is {until!r}; allowed: numbers above 0, in placement points")
    parts: list[Evaluation] = []
    with tempfile.TemporaryDirectory(prefix="sparrowhall-") as folder, contest.serve(folder) as run:
        done = 0
        while True:
            left = contest.rounds(matches - done)
            rounds = left
            if until is not None:
                rounds = min(left, contest.rounds(max(_FIRST_PART, done // 2)))
            if left - rounds == 1:  # one set has no interval
                rounds = left
            walls = np.random.SeedSequence([seed, len(parts)]).generate_state(1, np.uint64)
            flags = ["--seed", str(int(walls[0]) if parts else seed)]
            flags += ["--rounds", str(rounds)]
            out = Path(folder) / str(len(parts))
            run([*contest.command, *flags, "--record", "matches", "--out", str(out)], progress)
            parts.append(contest.result(run(["report", "--luck=fast", str(out)], progress)))
            done += parts[-1].matches
            whole = _join(parts)
            figure = whole.placement_luck_adjusted
            if done >= matches or (until is not None and figure.high - figure.low <= 2 * until):
                return whole


def _of_file(player: Contestant) -> Policy | None:
    """Return the policy in the file that an agent ``net:FILE`` names."""
    if not isinstance(player, str):
        return None
    named = _NAMED.fullmatch(player)
    kind, _, file = (named.group(2) if named else player).partition(":")
    return Policy(Path(file)) if kind == "net" and Path(file).is_file() else None


class Players:
    """Players as agents of the program.

    Attributes:
        agents: The text of each agent for a command, by the name of the player; that of functions
            and networks while they are served.
    """

    def __init__(self, observation: str | None, transfer: bool) -> None:
        """Begin with no players; the observation is that of functions."""
        self.agents: dict[str, str] = {}
        self._observation, self._transfer = observation, transfer
        self._specs: dict[str, str] = {}
        self._functions: dict[str, PolicyFunction] = {}
        # The same, as they see the observation.
        self._seeing: dict[str, PolicyFunction] = {}
        self._networks: dict[str, Exportable] = {}

    def add(self, player: Contestant, name: str, rules: pb.Ruleset | None = None) -> str:
        """Return the name of a player in the results; name is for those that have none.

        Raises:
            ValueError: it is no player, a policy for another ruleset, or a network for another
                family than that of the rules.
        """
        if isinstance(player, Policy):
            if rules is not None:
                player.check_ruleset(rules.name, rules.hash, self._transfer)
            if player.agent is not None:
                player = player.agent
            elif isinstance(player.network, Exportable):
                player = player.network
        name = self._add(player, name, rules)
        spec = self._specs.get(name)
        self.agents.setdefault(name, name if spec is None else f"{name}={spec}")
        return name

    def _add(self, player: Contestant, name: str, rules: pb.Ruleset | None) -> str:
        players: dict[str, Any] = self._specs
        if isinstance(player, str):
            if named := _NAMED.fullmatch(player):
                name, player = named.groups()
            elif not player.startswith(("net:", "grpc:")):
                return player
        if isinstance(player, Exportable):
            if rules is not None:
                check_network(player, rules)
            players = self._networks
        elif callable(player):
            players = self._functions
        elif not isinstance(player, str):
            raise ValueError(
                f"a player is {player!r}; allowed: an agent's name, a function from "
                "sparrowhall.Decisions to actions, a sparrowhall.learn.Network or a "
                "sparrowhall.Policy"
            )
        for known, other in players.items():
            if other is player or (isinstance(player, str) and other == player):
                return known
        if name in self.agents:
            raise ValueError(f"two players have the name {name!r}")
        players[name] = player
        if callable(player) and players is self._functions:
            self._seeing[name] = self._see(player)
        return name

    def _see(self, function: PolicyFunction) -> PolicyFunction:
        """Return a function as it sees the observation."""
        return function

    @contextlib.contextmanager
    def serve(self, folder: str) -> Iterator[Any]:
        """Make the functions and networks available to the program.

        Args:
            folder: A folder for temporary files.

        Yields:
            A function that runs the program with a command, and returns the JSON it prints. It
            raises what a function raised in a match.
        """
        watch = _Watch(folder)
        with contextlib.ExitStack() as stack:
            for i, (name, network) in enumerate(self._networks.items()):
                file = f"{folder}/network-{i}.safetensors"
                network.export(file)
                self.agents[name] = f"{name}=net:{file}"
            for i, (name, function) in enumerate(self._seeing.items()):
                place = "localhost:0" if sys.platform == "win32" else f"unix:{folder}/{i}.sock"
                seen = function.observation if isinstance(function, Policy) else self._observation
                server = serve_agent(watch.over(function), place, seen, name)
                stack.enter_context(server)
                self.agents[name] = f"{name}=grpc:{server.address}"
            yield watch.run


class Contest(Players):
    """A policy and its opponents, as agents of the program.

    Attributes:
        rules: The ruleset.
        ruleset: Its name or file, None for that of toml.
        toml: Text of a ruleset file, None for that of ruleset.
        command: The command of their tournament, without seed, rounds and folder.
    """

    def __init__(
        self,
        policy: Contestant,
        against: Contestant | Sequence[Contestant],
        ruleset: str | Path | None,
        observation: str | None,
        decoded: bool,
        transfer: bool,
        name: str = "policy",
    ) -> None:
        """Check the players.

        Raises:
            ValueError: a player is not one, or for another ruleset or family of rulesets.
            RequestError: the ruleset is refused.
        """
        if callable(against) or isinstance(against, str) or not isinstance(against, Iterable):
            against = [against]
        if not against:
            raise ValueError("against is empty; allowed: one player or more")
        self.toml: str | None = None
        if isinstance(policy, Policy):
            policy.check_alone(observation=observation, decoded=decoded)
        made = policy if isinstance(policy, Policy) else _of_file(policy)
        if ruleset is None and made is not None:
            ruleset, self.toml = made.ruleset, made.toml
        if ruleset is None and self.toml is None:
            ruleset = PRESET
        self.ruleset = ruleset
        with shared().open(ruleset, observation="", toml=self.toml) as tables:
            self.rules: pb.Ruleset = tables.ruleset
        super().__init__(observation, transfer)
        self._decoded = decoded
        self.name = self.add(policy, name, self.rules)
        others = [self.add(a, f"opponent-{i}", self.rules) for i, a in enumerate(against, 1)]
        self.against = tuple(dict.fromkeys(others))
        if self.name in self.against:
            raise ValueError(f"{self.name!r} cannot be measured against itself")
        self.command = ["tournament", "run", "--single"]

    def _see(self, function: PolicyFunction) -> PolicyFunction:
        if not self._decoded or isinstance(function, Policy):
            return function
        policy = Policy(
            function, self.ruleset, observation=self._observation, decoded=True, toml=self.toml
        )
        policy.check_decoding()
        return policy

    @property
    def _seats(self) -> int:
        return self.rules.seats

    def matches(self, rounds: int) -> int:
        """Return the number of matches of a tournament."""
        others, free = len(self.against), self._seats - 1
        lineups = math.comb(others if others >= free else others + free - 1, free)
        return rounds * lineups * self._seats

    def rounds(self, matches: int) -> int:
        """Return the number of rounds of a tournament with at least some matches."""
        return -(-matches // self.matches(1))

    @contextlib.contextmanager
    def serve(self, folder: str) -> Iterator[Any]:
        """Serve the players, and complete the command; see ``Players.serve``."""
        file = self.ruleset
        if self.toml is not None:
            file = Path(folder) / RULESET_FILE
            file.write_text(self.toml, encoding="utf-8")
        self.command += ["--ruleset", str(file)]
        with super().serve(folder) as run:
            self.command += [a for agent in self.agents.values() for a in ("--agent", agent)]
            yield run

    def result(self, report: dict[str, Any]) -> Evaluation:
        """Return the figures of the policy in a report."""
        (dataset,) = report["datasets"]
        figures = {
            f["name"]: Figure(
                f["value"],
                math.nan if f["low"] is None else f["low"],
                math.nan if f["high"] is None else f["high"],
                f["count"],
                f["error"],
            )
            for f in dataset["figures"]
            if f["section"] == "agent" and f["of"] == self.name
        }
        return Evaluation(self.name, self.against, dataset["ruleset"], dataset["matches"], figures)


class _Watch:
    """Runs the program, and stops it when a policy that it calls has raised an exception."""

    def __init__(self, folder: str) -> None:
        # Removed with the caller's folder, also if the program is stopped.
        self._environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)
        self._error: BaseException | None = None
        self._process: subprocess.Popen[str] | None = None

    def over(self, policy: PolicyFunction) -> PolicyFunction:
        """Return the policy, watched."""

        def watched(decisions: Decisions) -> NDArray[np.uint8]:
            try:
                actions = decide(policy, decisions)
                refuse_illegal(actions, decisions.mask)
            except BaseException as e:
                if self._error is None:
                    self._error = e
                if self._process is not None:
                    self._process.kill()
                raise
            return actions

        return watched

    def run(self, command: Sequence[str], progress: bool) -> dict[str, Any]:
        """Run the program, and return the JSON it prints."""
        quiet = [] if progress else ["--quiet"]
        self._process = process = subprocess.Popen(
            [str(find_binary()), *command, "--json", *quiet],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=self._environment,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        said: list[str] = []
        reader = threading.Thread(target=_show, args=(process.stderr, said), daemon=True)
        reader.start()
        try:
            printed = process.stdout.read()
            process.wait()
        finally:
            process.kill()
            reader.join()
            process.stdout.close()
            process.stderr.close()
        if self._error is not None:
            raise self._error
        if process.returncode != 0:
            reason = "".join(said).strip().removeprefix("sparrowhall: ")
            # The caller has written no command.
            reason = re.sub(r"^(--agent|AGENT): (agents: )?", "", reason)
            # Nor does the caller know the address of a function.
            own = r"^agents: grpc:unix:\S+ no policy answers: rpc error: .* desc = "
            reason = re.sub(own, "", reason)
            # The folder is temporary, so no command continues there.
            reason = re.sub(r"; \S+ holds \d+ of \d+ matches.*", "", reason)
            raise SparrowhallError(reason or f"the program ended with status {process.returncode}")
        answer: dict[str, Any] = json.loads(printed)
        return answer


def _show(lines: Any, others: list[str]) -> None:
    """Show the lines of progress as a bar on standard error, and keep the other lines."""
    last = ""
    for line in lines:
        found = re.match(r"(\d+) of (\d+) matches", line)
        if found is None:
            others.append(line)
            continue
        filled = 20 * int(found[1]) // int(found[2])
        last = f"[{'#' * filled}{'.' * (20 - filled)}] {line.strip()}"
        print(f"\r{last:<78}", end="", file=sys.stderr, flush=True)
    if last:
        print(f"\r{'':<78}\r", end="", file=sys.stderr, flush=True)


def _join(parts: Sequence[Evaluation]) -> Evaluation:
    """Return the estimates of all parts, which are independent, together."""
    if len(parts) == 1:
        return parts[0]
    figures = {}
    for name in parts[0].figures:
        each = [p.figures[name] for p in parts if name in p.figures and p.figures[name].count]
        count = sum(f.count for f in each)
        if not count:
            continue
        value = math.fsum(f.value * f.count for f in each) / count
        # A part without an interval counts as if its matches varied as those of the others.
        known = [f for f in each if not math.isnan(f.low)]
        error = math.nan
        if known:
            squares = math.fsum((f.error * f.count) ** 2 for f in known)
            error = math.sqrt(squares / sum(f.count for f in known) / count)
        figures[name] = Figure(value, value - 1.96 * error, value + 1.96 * error, count, error)
    one = parts[0]
    return Evaluation(one.policy, one.against, one.ruleset, sum(p.matches for p in parts), figures)
