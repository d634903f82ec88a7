"""PettingZoo environments: all four players of one table."""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from jansou.actions import NUM_ACTIONS, action_id
from jansou.client import Batch, Client, EpisodeName, Tables
from jansou.server import shared
from jansou.spaces import (
    MASK,
    Arrays,
    Illegal,
    action_space,
    legal,
    observation_space,
    observations,
)

AGENTS = tuple(f"player_{p}" for p in range(4))
_PASS = action_id("pass")


class _Table:
    """A table with four outside players, as both environments need it."""

    def __init__(
        self,
        ruleset: str,
        observation: str,
        episode: EpisodeName,
        illegal: Illegal,
        client: Client | None,
        toml: str | None,
    ) -> None:
        self.client = client or shared()
        self.illegal = illegal
        self.open: dict[str, Any] = {
            "ruleset": ruleset,
            "observation": observation,
            "episode": episode,
            "auto_reset": False,
            "toml": toml,
        }
        self.observation_space = observation_space(self.client.observation(observation))
        self.action_spaces: dict[str, spaces.Space[Any]] = {a: action_space() for a in AGENTS}
        self.random = np.random.default_rng()
        self.tables: Tables | None = None
        self.rewards = [0.0] * len(AGENTS)

    def reset(self, seed: int | None) -> None:
        """Start an episode. After one, seeds follow from the seed given last."""
        if seed is not None:
            self.random = np.random.default_rng(seed)
        if seed is not None or self.tables is None:
            self.close()
            self.tables = self.client.open(**self.open, seeds=[self._next_seed()])
            batch = self.tables.recv()
        elif self.open["episode"] == "hand" and self.over and not self.match_over:
            batch = self._again()
        else:
            batch = self._again([self._next_seed()])
        # An episode may end before anybody is asked.
        while not batch.asked.any():
            batch = self._again()
        # Seen before the first decision: nothing.
        self.seen = [self._nothing() for _ in AGENTS]
        self._before = [0.0] * len(AGENTS)
        self._take(batch)
        # What moved before the first decision counts with the first step.
        self._before, self.rewards = self.rewards, self._before

    def answer(self, actions: NDArray[Any]) -> NDArray[np.bool_]:
        """Answer all rows of the current batch, and tell which answers were illegal."""
        assert self.tables is not None
        chosen, wrong = legal(actions, self.batch.mask.view(np.int8), self.illegal)
        self._take(self.tables.act(self.batch, chosen))
        return wrong

    def show(self, player: int) -> str:
        """Return what a player sees as JSON."""
        if self.tables is None:
            raise gymnasium.error.ResetNeeded("call reset before render")
        return self.tables.inspect(0, player)

    def close(self) -> None:
        """End the stream."""
        if self.tables is not None:
            self.tables.close()
            self.tables = None

    def _again(self, seed: list[int] | None = None) -> Batch:
        assert self.tables is not None
        batch = self.tables.reset(0, seed)
        assert batch is not None
        return batch

    def _take(self, batch: Batch) -> None:
        assert self.tables is not None
        self.batch = batch
        self.unit = self.tables.ruleset.units_per_point
        self.over = not batch.asked.any()
        self.match_over = bool(len(batch.last.rank) and batch.last.rank[0])
        self.players = [int(p) for p in batch.player]
        self.rewards, self._before = self._before, [0.0] * len(AGENTS)
        self.told: list[dict[str, Any]] = [{} for _ in AGENTS]
        # Who is not asked cannot do anything.
        for seen in self.seen:
            seen[MASK] = np.zeros(NUM_ACTIONS, np.int8)
            seen[MASK][_PASS] = 1
        arrays = observations(batch)
        for row, p in enumerate(self.players):
            self.seen[p] = {key: array[row] for key, array in arrays.items()}
            self.rewards[p] += int(batch.reward[row]) / self.unit
            if self.tables.ruleset.has_debts:
                self.told[p]["owed"] = int(batch.owed[row]) / self.unit
            if self.over:
                self.told[p].update(self._end(row))

    def _end(self, row: int) -> dict[str, Any]:
        last = self.batch.last
        return {
            "points": int(last.points[row]) / self.unit,
            "rank": int(last.rank[row]),
            "placement": int(last.placement[row]) / 120,
            "seed": int(last.seed[row]),
        }

    def _nothing(self) -> Arrays:
        assert isinstance(self.observation_space, spaces.Dict)
        return {
            key: np.zeros(space.shape or (), space.dtype)
            for key, space in self.observation_space.items()
        }

    def _next_seed(self) -> int:
        return int(self.random.integers(0, 2**64, dtype=np.uint64))


class AECTable(AECEnv):  # type: ignore[misc]
    """One table whose four players ``player_0`` to ``player_3`` are asked one after another.

    Observations are dictionaries: the tensors of the chosen observation by name and
    ``"action_mask"``, int8 of 0 and 1, shape ``(180,)``. Rewards are points moved. Where
    several players must answer at the same time they are asked in turn; the table goes on when
    all have answered, and no answer is visible to another player before that. Of a player who
    is not asked ``observe`` tells what that player saw last, with a mask of ``pass`` alone.

    ``infos`` tells ``illegal``, whether the player's last answer was illegal and replaced, and
    under rulesets with debts ``owed``, the change of what others owe the player less what he
    owes, in points. At the end it holds the player's ``points``, ``rank`` and ``placement``
    points (0 if the match is not over) and the ``seed`` of the match.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "jansou_v1",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        ruleset: str = "ema_2016",
        *,
        observation: str = "planes",
        episode: EpisodeName = "match",
        illegal: Illegal = "default",
        render_mode: str | None = None,
        client: Client | None = None,
        toml: str | None = None,
    ) -> None:
        """Open the table.

        Args:
            ruleset: Name of a preset, or the path of a ruleset file ending in ``.toml``.
            observation: Name of an observation.
            episode: ``"match"`` or ``"hand"``.
            illegal: ``"default"`` answers an illegal action with the default one (pass, noten,
                or the discard of the drawn tile), ``"raise"`` raises IllegalActionError.
            render_mode: ``"ansi"`` for JSON of what the asked player sees, or None.
            client: Where to play; this process's own server if None.
            toml: Text of a ruleset file, in place of ruleset.
        """
        super().__init__()
        self._table = _Table(ruleset, observation, episode, illegal, client, toml)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.agent_selection = AGENTS[0]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of observations."""
        return self._table.observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of action ids."""
        return self._table.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode; without a seed, its seed follows from the last one given."""
        self._table.reset(seed)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {a: {} for a in AGENTS}
        self._next()

    def observe(self, agent: str) -> Arrays:
        """Return what a player sees, or saw when asked last."""
        return dict(self._table.seen[AGENTS.index(agent)])

    def step(self, action: int | None) -> None:
        """Answer for ``agent_selection``."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._answers.append(action)
        self._asked.popleft()
        if self._asked:
            self.agent_selection = self._asked[0]
        else:
            players = self._table.players
            wrong = self._table.answer(np.array(self._answers, dtype=np.int64))
            self.infos = {a: {} for a in AGENTS}
            for p, w in zip(players, wrong, strict=True):
                self.infos[AGENTS[p]]["illegal"] = bool(w)
            self._next()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return what the asked player sees as JSON, None without a render mode."""
        if self.render_mode is None:
            gymnasium.logger.warn("render was called without a render_mode; use 'ansi'")
            return None
        return self._table.show(AGENTS.index(self.agent_selection))

    def close(self) -> None:
        """End the stream."""
        self._table.close()

    def _next(self) -> None:
        table = self._table
        self.rewards = dict(zip(AGENTS, table.rewards, strict=True))
        self._answers: list[Any] = []
        self._asked = deque(AGENTS[p] for p in table.players)
        self.agent_selection = self._asked[0]
        for agent, told in zip(AGENTS, table.told, strict=True):
            self.infos[agent].update(told)
        if table.over:
            for row, agent in enumerate(self._asked):
                self.terminations[agent] = bool(table.batch.terminated[row])
                self.truncations[agent] = bool(table.batch.truncated[row])


class ParallelTable(ParallelEnv):  # type: ignore[misc]
    """One table whose four players ``player_0`` to ``player_3`` step together.

    Observations and rewards are those of AECTable. All players take part in every step; one
    who is not asked sees what he saw last, has ``pass`` alone in the mask and False in
    ``info["asked"]``, and what he answers is ignored. The other infos are those of AECTable.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "jansou_v1", "render_modes": ["ansi"]}

    def __init__(
        self,
        ruleset: str = "ema_2016",
        *,
        observation: str = "planes",
        episode: EpisodeName = "match",
        illegal: Illegal = "default",
        render_mode: str | None = None,
        client: Client | None = None,
        toml: str | None = None,
    ) -> None:
        """Open the table; see AECTable for the arguments."""
        self._table = _Table(ruleset, observation, episode, illegal, client, toml)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of observations."""
        return self._table.observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of action ids."""
        return self._table.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Arrays], dict[str, dict[str, Any]]]:
        """Start an episode; without a seed, its seed follows from the last one given."""
        self._table.reset(seed)
        self.agents = list(AGENTS)
        return self._observations(), self._infos()

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Arrays],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Answer for all players who are asked."""
        if not self.agents:
            raise gymnasium.error.ResetNeeded("call reset before step")
        table = self._table
        players = table.players
        wrong = table.answer(np.array([actions[AGENTS[p]] for p in players], dtype=np.int64))
        infos = self._infos()
        for p, w in zip(players, wrong, strict=True):
            infos[AGENTS[p]]["illegal"] = bool(w)
        terminated, truncated = dict.fromkeys(AGENTS, False), dict.fromkeys(AGENTS, False)
        if table.over:
            for row, p in enumerate(table.players):
                terminated[AGENTS[p]] = bool(table.batch.terminated[row])
                truncated[AGENTS[p]] = bool(table.batch.truncated[row])
            self.agents = []
        rewards = dict(zip(AGENTS, table.rewards, strict=True))
        return self._observations(), rewards, terminated, truncated, infos

    def render(self) -> str | None:
        """Return what the first of the asked players sees as JSON, None without a render mode."""
        if self.render_mode is None:
            gymnasium.logger.warn("render was called without a render_mode; use 'ansi'")
            return None
        return self._table.show(self._table.players[0])

    def close(self) -> None:
        """End the stream."""
        self._table.close()

    def _observations(self) -> dict[str, Arrays]:
        return {a: dict(seen) for a, seen in zip(AGENTS, self._table.seen, strict=True)}

    def _infos(self) -> dict[str, dict[str, Any]]:
        table = self._table
        asked = [] if table.over else table.players
        return {a: {"asked": p in asked, **table.told[p]} for p, a in enumerate(AGENTS)}


def env(ruleset: str = "ema_2016", **arguments: Any) -> AECEnv:
    """Return a PettingZoo AEC environment; see AECTable for the arguments."""
    return wrappers.OrderEnforcingWrapper(AECTable(ruleset, **arguments))


def parallel_env(ruleset: str = "ema_2016", **arguments: Any) -> ParallelTable:
    """Return a PettingZoo parallel environment; see AECTable for the arguments."""
    return ParallelTable(ruleset, **arguments)
