"""PettingZoo environments: all four players of one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, ParamSpec

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from sparrowhall.actions import NUM_ACTIONS, action_id, legal_of
from sparrowhall.batch import ASKED, Batch
from sparrowhall.client import Client, EpisodeName, Tables
from sparrowhall.picture import Window, picture, png
from sparrowhall.rendering import RENDER_MODES, check_render_mode, table_text
from sparrowhall.reward import Reward, Rewarder, reward_function
from sparrowhall.server import shared
from sparrowhall.spaces import (
    MASK,
    Arrays,
    Illegal,
    action_space,
    check_illegal,
    legal,
    observation_space,
)

AGENTS = tuple(f"player_{p}" for p in range(4))
_PLAYER = {agent: p for p, agent in enumerate(AGENTS)}
_PASS_ALONE = np.zeros(NUM_ACTIONS, np.int8)
_PASS_ALONE[action_id("pass")] = 1
_NO_REWARDS: Sequence[float] = (0.0,) * len(AGENTS)
_FPS = 2


class _Table:
    """A table with four outside players, as both environments need it.

    Attributes:
        rows: The packed masks of those who have a row in the current batch, in its order: who
            are asked, or all at the end.
        told: What infos tell of them.
        rewards: Of all four players, _NO_REWARDS itself where nothing has moved.
        over: Whether the episode is over.
    """

    def __init__(
        self,
        ruleset: str,
        observation: str,
        episode: EpisodeName,
        reward: Reward,
        shaping: float,
        discount: float,
        illegal: Illegal,
        max_cycles: int | None,
        render_mode: str | None,
        client: Client | None,
        toml: str | None,
    ) -> None:
        check_illegal(illegal)
        check_render_mode(render_mode)
        if max_cycles is not None and max_cycles < 1:
            raise ValueError(f"max_cycles is {max_cycles}; at least 1, or None")
        self.given = client
        self.illegal = illegal
        self.max_cycles = max_cycles
        self.render_mode = render_mode
        self.window: Window | None = None
        self._reward = (reward_function(reward), float(shaping), float(discount))
        self.open: dict[str, Any] = {
            "ruleset": ruleset,
            "observation": observation,
            "episode": episode,
            "auto_reset": False,
            "toml": toml,
        }
        self.observation_space = observation_space((client or shared()).observation(observation))
        self.action_spaces: dict[str, spaces.Space[Any]] = {a: action_space() for a in AGENTS}
        self.random = np.random.default_rng()
        self.tables: Tables | None = None
        self.rewards = _NO_REWARDS
        self.match_over = False

    def reset(self, seed: int | None) -> None:
        """Start an episode. After one, seeds follow from the seed given last."""
        if self.tables is not None and not self.tables.usable:
            self.tables = None  # that of the process that this one was forked from
        if seed is not None:
            self.random = np.random.default_rng(seed)
        if seed is not None or self.tables is None:
            self.end_stream()
            self.tables = (self.given or shared()).open(**self.open, seeds=[self._next_seed()])
            self._rewarder = Rewarder(self.tables, *self._reward)
            self.unit = self.tables.ruleset.units_per_point
            self.debts = self.tables.ruleset.has_debts
            batch = self.tables.recv()
        elif self.open["episode"] == "hand" and self.over and not self.match_over:
            batch = self._again()
        else:
            batch = self._again([self._next_seed()])
        # An episode may end before anybody is asked.
        while not batch.asked.any():
            batch = self._again()
        self.cycles = 0
        # Seen before the first decision: nothing.
        self._shown: dict[str, tuple[Batch, int]] = {}
        self._tensors: dict[str, Arrays | None] = dict.fromkeys(AGENTS)
        self.told: dict[str, dict[str, Any]] = {}
        self.rows: dict[str, bytes] = {}
        self._before = _NO_REWARDS
        self._take(batch)
        # What moved before the first decision counts with the first step.
        self._before, self.rewards = self.rewards, self._before

    def answer(self, actions: dict[str, Any]) -> dict[str, bool]:
        """Answer all rows of the current batch, and tell whose answers were illegal."""
        assert self.tables is not None
        wrong, chosen = {}, []
        for agent, mask in self.rows.items():
            number = int(actions[agent])
            wrong[agent] = not (0 <= number < NUM_ACTIONS and mask[number >> 3] >> (number & 7) & 1)
            chosen.append(number)
        if True in wrong.values():
            given = np.array(chosen, dtype=np.int64)
            chosen = legal(given, self.batch.mask.view(np.int8), self.illegal)[0].tolist()
        self._take(self.tables.act(self.batch, bytes(chosen)))
        self.cycles += 1
        return wrong

    @property
    def cut(self) -> bool:
        """Whether the episode is cut off here by max_cycles."""
        return self.max_cycles is not None and self.cycles >= self.max_cycles and not self.over

    def render(self, agent: str) -> Any:
        """Return or show what a player sees, by the render mode; None without one."""
        if self.render_mode is None:
            allowed = ", ".join(map(repr, RENDER_MODES))
            gymnasium.logger.warn(f"render was called without a render_mode; allowed: {allowed}")
            return None
        seen = self._text(agent)
        if self.render_mode == "ansi":
            return table_text(seen)
        if self.render_mode == "rgb_array":
            return picture(seen)
        self.window = self.window or Window(_FPS)
        self.window.show(picture(seen))
        return None

    def png(self, agent: str) -> bytes | None:
        """Return what a player sees as a PNG file, if there is a table."""
        return None if self.tables is None or not self.tables.usable else png(self._text(agent))

    def _text(self, agent: str) -> str:
        if self.tables is None:
            raise gymnasium.error.ResetNeeded("call reset before render")
        return self.tables.inspect(0, _PLAYER[agent])

    @cached_property
    def state_space(self) -> spaces.Box:
        """The space of ``state``."""
        spec = (self.given or shared()).observation("oracle")
        bounds = [tensor.bounds() for tensor in spec.tensors]
        low, high = (
            np.concatenate([b[side].ravel().astype(np.float32) for b in bounds]) for side in (0, 1)
        )
        return spaces.Box(low, high, dtype=np.float32)

    def state(self) -> NDArray[np.float32]:
        """Return the whole table, as the first player would be shown it by the oracle."""
        if self.tables is None:
            raise gymnasium.error.ResetNeeded("call reset before state")
        tensors = self.tables.show(0, 0, "oracle").values()
        return np.concatenate([t.ravel().astype(np.float32) for t in tensors])

    def close(self) -> None:
        """End the stream."""
        self.end_stream()
        if self.window is not None:
            self.window.close()
            self.window = None

    def end_stream(self) -> None:
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
        # Every decision of a table alone comes by here: no arrays are made.
        self.batch = batch
        masks, moved, flags = {}, [], 0
        for row in range(len(batch)):
            p, flags, units, mask = batch.glance(row)
            agent = AGENTS[p]
            masks[agent] = mask
            moved.append(units)
            self._shown[agent] = batch, row
            self._tensors[agent] = None
        self.rows = masks
        self.over = not flags & ASKED  # without automatic resets all rows are asked or none
        self.rewards, self._before = self._before, _NO_REWARDS
        if any(moved) or not self._rewarder.plain:
            values = zip(masks, self._rewarder.of_few(batch, moved), strict=True)
            self.rewards = list(self.rewards)
            for agent, value in values:
                self.rewards[_PLAYER[agent]] += value
        self.told = {}
        if self.debts:
            self.told = {
                agent: {"owed": int(batch.owed[row]) / self.unit} for row, agent in enumerate(masks)
            }
        self.match_over = False
        if self.over:
            self.match_over = bool(len(batch.last.rank) and batch.last.rank[0])
            for row, agent in enumerate(masks):
                self.told[agent] = self.told.get(agent, {}) | self._end(row)

    def seen(self, agent: str) -> Arrays:
        """Return what a player sees or saw last, decoded once; the dictionary is the caller's."""
        tensors = self._tensors[agent]
        if tensors is None:
            if agent in self._shown:
                batch, row = self._shown[agent]
                tensors = batch.observation_of(row)
            else:
                tensors = self._nothing()
            self._tensors[agent] = tensors
        mask = self.rows.get(agent)
        return {**tensors, MASK: _PASS_ALONE.copy() if mask is None else legal_of(mask)}

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
            if key != MASK
        }

    def _next_seed(self) -> int:
        return int(self.random.integers(0, 2**64, dtype=np.uint64))


class _AtTable:
    """What both kinds of environment have: the spaces, the whole table, and an end."""

    _table: _Table
    _arguments: dict[str, Any]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of observations."""
        return self._table.observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of action ids."""
        return self._table.action_spaces[agent]

    @property
    def state_space(self) -> spaces.Box:
        """The space of ``state``: float32, one dimension."""
        return self._table.state_space

    def state(self) -> NDArray[np.float32]:
        """Return the whole table with all that is hidden, for central critics.

        It is the observation ``oracle`` of ``player_0``, its tensors one after the other, so it
        needs a server with ``--allow-hidden``, as a local one is.
        """
        return self._table.state()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._arguments)

    def close(self) -> None:
        """End the stream."""
        self._table.close()


class AECTable(_AtTable, AECEnv):  # type: ignore[misc]
    """One table whose four players ``player_0`` to ``player_3`` are asked one after another.

    Observations are dictionaries: the tensors of the chosen observation by name and
    ``"action_mask"``, int8 of 0 and 1, shape ``(180,)``. Where
    several players must answer at the same time they are asked in turn; the table goes on when
    all have answered, and no answer is visible to another player before that. Of a player who
    is not asked ``observe`` tells what that player saw last, with a mask of ``pass`` alone.

    ``infos`` tells ``illegal``, whether the player's last answer was illegal and replaced, and
    under rulesets with debts ``owed``, the change of what others owe the player less what he
    owes, in points. At the end it holds the player's ``points``, ``rank`` and ``placement``
    points (0 if the match is not over) and the ``seed`` of the match.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "sparrowhall_v1",
        "render_modes": list(RENDER_MODES),
        "render_fps": _FPS,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        ruleset: str = "ema_2016",
        *,
        observation: str = "planes",
        episode: EpisodeName = "match",
        reward: Reward = "points",
        shaping: float = 0.0,
        discount: float = 1.0,
        illegal: Illegal = "default",
        max_cycles: int | None = None,
        render_mode: str | None = None,
        client: Client | None = None,
        toml: str | None = None,
    ) -> None:
        """Open the table.

        Args:
            ruleset: Name of a preset, or the path of a ruleset file ending in ``.toml``.
            observation: Name of an observation.
            episode: ``"match"`` or ``"hand"``.
            reward: ``"points"``, ``"placement"``, ``"rank"`` or a function; see SparrowhallVectorEnv.
            shaping: How much the potential counts that is added to the reward.
            discount: The learner's discount factor, which shaping needs.
            illegal: ``"default"`` answers an illegal action with the default one (pass, noten,
                or the discard of the drawn tile), ``"raise"`` raises IllegalActionError.
            max_cycles: Truncate the episode after so many decision points. All four players
                then take a turn at each, as in the parallel environment; those who are not
                asked can only pass.
            render_mode: ``"ansi"`` for text of what the asked player sees, ``"rgb_array"`` for
                a picture, ``"human"`` for a window, or None.
            client: Where to play; this process's own server if None.
            toml: Text of a ruleset file, in place of ruleset.
        """
        super().__init__()
        self._arguments = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._table = _Table(**self._arguments)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.agent_selection = AGENTS[0]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode; without a seed, its seed follows from the last one given.

        PettingZoo lets callers pass any options; none has a meaning here.
        """
        self._table.reset(seed)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {a: {} for a in AGENTS}
        self._told: Iterable[str] = []  # those whose infos are not empty
        self._paid, self._over = True, False
        self._next()

    def observe(self, agent: str) -> Arrays:
        """Return what a player sees, or saw when asked last."""
        return self._table.seen(agent)

    def last(self, observe: bool = True) -> tuple[Arrays | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since the last turn, ends and info of the asked player."""
        agent = self.agent_selection
        return (
            self._table.seen(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def step(self, action: int | None) -> None:
        """Answer for ``agent_selection``."""
        if self._over:
            self._was_dead_step(action)
            return
        agent = self.agent_selection
        self._cumulative_rewards[agent] = 0.0
        self._answers[agent] = action
        if self._asked:
            self.agent_selection = self._asked.pop()
            if self._paid:
                self._pay(_NO_REWARDS)
            return
        wrong = self._table.answer(self._answers)
        for a in self._told:
            self.infos[a] = {}
        for a, w in wrong.items():
            self.infos[a] = {"illegal": w}
        self._told = wrong
        self._next()
        if self._paid:
            for a, r in self.rewards.items():
                self._cumulative_rewards[a] += r

    def render(self) -> Any:
        """Return or show what the asked player sees, by the render mode; None without one."""
        return self._table.render(self.agent_selection)

    def _repr_png_(self) -> bytes | None:
        return self._table.png(self.agent_selection) if self.agents else None

    def _next(self) -> None:
        table = self._table
        if table.rewards is not _NO_REWARDS or self._paid:
            self._pay(table.rewards)
        self._answers: dict[str, Any] = {}
        # The next one last.
        self._asked = list(reversed(table.rows if table.max_cycles is None else AGENTS))
        self.agent_selection = self._asked.pop()
        if table.told:
            for a, told in table.told.items():
                self.infos[a].update(told)
            self._told = AGENTS
        self._over = table.over or table.cut
        if table.over:
            for row, a in enumerate(table.rows):
                self.terminations[a] = bool(table.batch.terminated[row])
                self.truncations[a] = bool(table.batch.truncated[row])
        elif self._over:
            self.truncations = dict.fromkeys(AGENTS, True)

    def _pay(self, rewards: Sequence[float]) -> None:
        """Set the rewards of this step; those of the last one stay where both are none."""
        self.rewards = dict(zip(AGENTS, rewards, strict=True))
        self._paid = rewards is not _NO_REWARDS


class ParallelTable(_AtTable, ParallelEnv):  # type: ignore[misc]
    """One table whose four players ``player_0`` to ``player_3`` step together.

    Observations and rewards are those of AECTable. All players take part in every step; one
    who is not asked sees what he saw last, has ``pass`` alone in the mask and False in
    ``info["asked"]``, and what he answers is ignored. The other infos are those of AECTable.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "sparrowhall_v1",
        "render_modes": list(RENDER_MODES),
        "render_fps": _FPS,
    }

    def __init__(
        self,
        ruleset: str = "ema_2016",
        *,
        observation: str = "planes",
        episode: EpisodeName = "match",
        reward: Reward = "points",
        shaping: float = 0.0,
        discount: float = 1.0,
        illegal: Illegal = "default",
        max_cycles: int | None = None,
        render_mode: str | None = None,
        client: Client | None = None,
        toml: str | None = None,
    ) -> None:
        """Open the table; see AECTable for the arguments."""
        self._arguments = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._table = _Table(**self._arguments)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Arrays], dict[str, dict[str, Any]]]:
        """Start an episode; without a seed, its seed follows from the last one given.

        PettingZoo lets callers pass any options; none has a meaning here.
        """
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
        wrong = table.answer(actions)
        infos = self._infos()
        for a, w in wrong.items():
            infos[a]["illegal"] = w
        terminated, truncated = dict.fromkeys(AGENTS, False), dict.fromkeys(AGENTS, False)
        if table.over:
            for row, a in enumerate(table.rows):
                terminated[a] = bool(table.batch.terminated[row])
                truncated[a] = bool(table.batch.truncated[row])
            self.agents = []
        elif table.cut:
            truncated = dict.fromkeys(AGENTS, True)
            self.agents = []
        rewards = dict(zip(AGENTS, table.rewards, strict=True))
        return self._observations(), rewards, terminated, truncated, infos

    def render(self) -> Any:
        """Return or show what the first of the asked players sees, by the render mode."""
        return self._table.render(next(iter(self._table.rows)))

    def _repr_png_(self) -> bytes | None:
        return self._table.png(next(iter(self._table.rows))) if self.agents else None

    def _observations(self) -> dict[str, Arrays]:
        return {a: self._table.seen(a) for a in AGENTS}

    def _infos(self) -> dict[str, dict[str, Any]]:
        table = self._table
        asked = {} if table.over else table.rows
        return {a: {"asked": a in asked, **table.told.get(a, {})} for a in AGENTS}


def _rebuild(kind: Any, arguments: dict[str, Any]) -> Any:
    return kind(**arguments)


_P = ParamSpec("_P")


class _Ordered(wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    """The usual checks, without asking for each part of ``last`` through them."""

    @property
    def agents(self) -> Any:
        """The players of the episode."""
        return self.env.agents if self._has_reset else self.__getattr__("agents")

    def last(self, observe: bool = True) -> Any:
        return self.env.last(observe) if self._has_reset else super().last(observe)

    def step(self, action: int | None) -> None:
        if self._has_reset and self.env.agents:
            self._has_updated = True
            self.env.step(action)
        else:
            super().step(action)  # tells what is wrong


def _ordered(table: Callable[_P, AECTable]) -> Callable[_P, AECEnv]:
    def make(*args: _P.args, **kwargs: _P.kwargs) -> AECEnv:
        return _Ordered(table(*args, **kwargs))

    make.__doc__ = "Return a PettingZoo AEC environment; see AECTable for the arguments."
    return make


env = _ordered(AECTable)

parallel_env = ParallelTable
"""A PettingZoo parallel environment."""
