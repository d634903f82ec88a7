"""PettingZoo environments: all players of one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, ParamSpec

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from sparrowhall._checks import INTERRUPTED, check_seed, one_integer
from sparrowhall._picture import png
from sparrowhall._process import Fork
from sparrowhall._rendering import FPS, Renderer, warn_without_mode
from sparrowhall._spaces import action_space, legalize, observation_space, pass_alone
from sparrowhall.actions import unpack_one_mask
from sparrowhall.batch import ASKED, Batch
from sparrowhall.errors import IllegalActionError
from sparrowhall.options import RENDER_MODES, TableOptions, rebuild, takes
from sparrowhall.spec import MASK, Arrays
from sparrowhall.tables import Tables

__all__ = ["AGENTS", "AECTable", "ParallelTable", "env", "parallel_env"]

AGENTS = tuple(f"player_{p}" for p in range(4))
"""Names of four players; three have the first of them."""

OBSERVATION = "observation"
"""Key of the tensors in observations."""

_Seen = dict[str, Any]  # the tensors by name under OBSERVATION, and the array MASK
_PLAYER = {agent: p for p, agent in enumerate(AGENTS)}
_NO_END: dict[str, Any] = {"points": 0.0, "rank": 0, "placement": 0.0, "seed": 0}
_NO_END_WITH_DEBTS: dict[str, Any] = {"owed": 0.0, **_NO_END}


class _Table:
    """A table at which the environment answers for all players.

    Attributes:
        agents: The names of the players.
        no_rewards: Rewards of 0 for all players.
        rows: The packed masks of the players with a row in the current batch, in its order:
            those who must answer, or all at the end.
        infos: Entries of infos for these players.
        rewards: Rewards of all players; no_rewards itself if all are 0.
        over: Whether the episode is over.
    """

    def __init__(self, options: TableOptions) -> None:
        self.options = options
        self.renderer = Renderer(options.render_mode)
        spec = options.spec
        self.agents = AGENTS[: options.seats]
        self.no_rewards: Sequence[float] = (0.0,) * len(self.agents)
        self._actions = spec.actions
        self._refuses = options.illegal == "raise"
        self._decoder = options.decoder
        cells = observation_space(options)
        assert isinstance(cells, spaces.Dict)
        self._tensor_space = spaces.Dict({k: v for k, v in cells.items() if k != MASK})
        self.observation_space = spaces.Dict({OBSERVATION: self._tensor_space, MASK: cells[MASK]})
        self.action_spaces: dict[str, spaces.Space[Any]] = {
            a: action_space(spec) for a in self.agents
        }
        self.random = np.random.default_rng()
        self._fork = Fork()
        self.tables: Tables | None = None
        self.rewards: Sequence[float] = self.no_rewards
        self.match_over = False
        self._playing = False  # still True if an exception has ended a call

    def reset(self, seed: int | None) -> None:
        """Start an episode. Without a seed, its seed follows from the last one given."""
        check_seed(seed)
        o = self.options
        forked = self._fork()
        if forked:
            self.tables = None  # those of the other process
        elif self._playing:
            self.close_tables()
        if forked or seed is not None:
            self.random = np.random.default_rng(seed)
        self._playing = True
        if seed is not None or self.tables is None:
            self.close_tables()
            self.tables = o.open_tables(1, auto_reset=False, seeds=[self._next_seed()])
            self._rewarder = o.rewarder(self.tables)
            self.debts = self.tables.ruleset.has_debts
            batch = self.tables.recv()
        elif o.episode == "hand" and self.over and not self.match_over:
            batch = self._again()
        else:
            batch = self._again([self._next_seed()])
        while not batch.asked.any():  # an episode may end before any decision
            batch = self._again()
        self.cycles = 0
        # The row that each player saw last; none before the first decision.
        self._last_row: dict[str, tuple[Batch, int]] = {}
        self._tensors: dict[str, Arrays | None] = dict.fromkeys(self.agents)
        self.infos: dict[str, dict[str, Any]] = {}
        self.rows: dict[str, bytes] = {}
        self._early = self.no_rewards
        self._read(batch)
        # What moved before the first decision counts with the first step.
        self._early, self.rewards = self.rewards, self._early
        self._playing = False

    def known(self, agent: str, action: Any) -> int:
        """Return the id of a player's action.

        Raises:
            ValueError: there is no such player, or the action is not one integer.
            IllegalActionError: it is no id of the action space or, with ``illegal="raise"``,
                illegal.
        """
        if agent not in self.action_spaces:
            raise ValueError(
                f"an action is of {agent!r}, who is not at the table; "
                f"allowed: {', '.join(self.agents)}"
            )
        number = action if type(action) is int else one_integer(f"the action of {agent}", action)
        if not 0 <= number < self._actions:
            raise IllegalActionError(
                f"action {number} of {agent} is no action; allowed: 0 to {self._actions - 1}"
            )
        mask = self.rows.get(agent) if self._refuses else None
        if mask is not None and not mask[number >> 3] >> (number & 7) & 1:
            legalize(np.array([number]), unpack_one_mask(mask, self._actions)[None], "raise")
        return number

    def answer(self, actions: dict[str, int]) -> dict[str, bool]:
        """Answer all rows of the current batch, and return whose answers were illegal.

        Args:
            actions: Those of the players who must answer, each of which ``known`` has returned.

        Raises:
            ResetNeeded: the table is closed, or an exception has ended the last call.
            ValueError: there is no action of a player.
        """
        if self.tables is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        if self._playing:
            raise gymnasium.error.ResetNeeded(INTERRUPTED)
        self._playing = True
        wrong, chosen = {}, []
        for agent, mask in self.rows.items():
            if agent not in actions:
                self._playing = False
                raise ValueError(f"there is no action of {agent}, who must answer")
            number = actions[agent]
            wrong[agent] = not mask[number >> 3] >> (number & 7) & 1
            chosen.append(number)
        if True in wrong.values():
            given = np.array(chosen, dtype=np.int64)
            chosen = legalize(given, self.batch.mask.view(np.int8), "default")[0].tolist()
        self._read(self.tables.act(self.batch, bytes(chosen)))
        self.cycles += 1
        self._playing = False
        return wrong

    @property
    def cut(self) -> bool:
        """Whether max_cycles truncates the episode here."""
        most = self.options.max_cycles
        return most is not None and self.cycles >= most and not self.over

    def render(self, agent: str, fps: float) -> Any:
        """Return or show what a player sees, by the render mode; None without one."""
        if self.renderer.mode is None:
            warn_without_mode()
            return None
        if self.renderer.mode == "browser":
            return self.options.page()
        return self.renderer.render(self._view(agent), fps)

    def png(self, agent: str) -> bytes | None:
        """Return what a player sees as a PNG file, None without a table."""
        return None if self.tables is None or not self.tables.usable else png(self._view(agent))

    def _view(self, agent: str) -> str:
        if self.tables is None:
            raise gymnasium.error.ResetNeeded("call reset before render")
        return self.tables.inspect(0, _PLAYER[agent])

    @cached_property
    def state_space(self) -> spaces.Box:
        """The space of ``state``."""
        spec = self.options.connection().observation("oracle", self.options.seats)
        bounds = [tensor.bounds() for tensor in spec.tensors]
        low, high = (
            np.concatenate([b[side].ravel().astype(np.float32) for b in bounds]) for side in (0, 1)
        )
        return spaces.Box(low, high, dtype=np.float32)

    def state(self) -> NDArray[np.float32]:
        """Return the observation ``oracle`` of the first player, float32, one dimension."""
        if self.tables is None:
            raise gymnasium.error.ResetNeeded("call reset before state")
        tensors = self.tables.show(0, 0, "oracle").values()
        return np.concatenate([t.ravel().astype(np.float32) for t in tensors])

    def close(self) -> None:
        """End the stream and close the window."""
        self.close_tables()
        self.renderer.close()

    def close_tables(self) -> None:
        """End the stream."""
        if self.tables is not None:
            self.tables.close()
            self.tables = None

    def _again(self, seeds: list[int] | None = None) -> Batch:
        """Start the next episode, or a match with a seed, and return its first batch."""
        assert self.tables is not None
        batch = self.tables.reset(0, seeds)
        assert batch is not None
        return batch

    def _read(self, batch: Batch) -> None:
        """Read a batch. Every decision passes here, so it creates no arrays."""
        self.batch = batch
        masks, moved, flags = {}, [], 0
        for row in range(len(batch)):
            p, flags, points, mask = batch.summary_of(row)
            agent = AGENTS[p]
            masks[agent] = mask
            moved.append(points)
            self._last_row[agent] = batch, row
            self._tensors[agent] = None
        self.rows = masks
        self.over = not flags & ASKED  # without automatic resets rows are all asked or none
        self.rewards, self._early = self._early, self.no_rewards
        if any(moved) or not self._rewarder.plain:
            values = zip(masks, self._rewarder.few(batch, moved), strict=True)
            self.rewards = list(self.rewards)
            for agent, value in values:
                self.rewards[_PLAYER[agent]] += value
        self.infos = {}
        if self.debts:
            self.infos = {agent: {"owed": float(batch.owed[r])} for r, agent in enumerate(masks)}
        self.match_over = False
        if self.over:
            self.match_over = bool(len(batch.last.rank) and batch.last.rank[0])
            for row, agent in enumerate(masks):
                self.infos[agent] = self.infos.get(agent, {}) | self._end(row)

    def observe(self, agent: str) -> _Seen:
        """Return what a player sees, or saw last, in arrays that the caller may keep."""
        tensors = self._tensors[agent]
        if tensors is None:
            if agent in self._last_row:
                batch, row = self._last_row[agent]
                tensors = batch.observation_of(row)
                if self._decoder is not None:
                    tensors = self._decoder.one(tensors)
            else:
                tensors = self._zeros()
            self._tensors[agent] = tensors
        mask = self.rows.get(agent)
        actions = self._actions
        cells = pass_alone(actions).copy() if mask is None else unpack_one_mask(mask, actions)
        return {OBSERVATION: dict(tensors), MASK: cells}

    def _end(self, row: int) -> dict[str, Any]:
        """Return the infos of a player at the end of an episode."""
        last = self.batch.last
        return {
            "points": float(last.points[row]),
            "rank": int(last.rank[row]),
            "placement": float(last.placement[row]),
            "seed": int(last.seed[row]),
        }

    def _zeros(self) -> Arrays:
        return {k: np.zeros(s.shape or (), s.dtype) for k, s in self._tensor_space.items()}

    def _next_seed(self) -> int:
        return int(self.random.integers(0, 2**63))  # infos hold it: PyTorch takes no uint64


class _TableEnv:
    """The constructor, the spaces and the state of both PettingZoo environments."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "sparrowhall_v1",
        "render_modes": list(RENDER_MODES),
        "render_fps": FPS,
        "is_parallelizable": False,
    }

    @takes(TableOptions)
    def __init__(self, options: TableOptions) -> None:
        """Check the options; ``reset`` opens the table.

        Raises:
            ValueError: an option is not allowed.
            RequestError: the server refuses the ruleset.
            ServerError: the server cannot be reached.
        """
        super().__init__()
        self._options = options
        self._table = _Table(options)
        self.render_mode = options.render_mode
        self.possible_agents = list(self._table.agents)
        self.agents: list[str] = []
        self.agent_selection = AGENTS[0]

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
        """Return the whole table with all hidden tiles, for central critics.

        It is the observation ``oracle`` of ``player_0``, its tensors one after another, so it
        needs a server with ``--allow-hidden``, as a local one is.
        """
        return self._table.state()

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (type(self), self._options.arguments())

    def close(self) -> None:
        """End the stream and close the window."""
        self._table.close()


class AECTable(_TableEnv, AECEnv):  # type: ignore[misc]
    """One table whose players ``player_0`` to ``player_3`` act one after another.

    Under a ruleset of three players the last is ``player_2``. Observations are dictionaries:
    ``"observation"`` has the tensors of the chosen observation by name, and ``"action_mask"`` is
    int8 of 0 and 1, shape ``(180,)``, where three play ``(181,)``. Where several players must
    answer at the same time they act in turn; the table goes on when all have answered, and no
    player sees another's answer before that. For other players ``observe`` returns what they saw
    last, with a mask of ``pass`` alone.

    ``infos`` holds ``illegal``, whether the player's last answer was illegal and replaced, for
    the players who answered last. Under rulesets with debts it holds ``owed``, the change of what
    others owe the player less what the player owes, in points. At the end it holds the player's
    ``points``, ``rank`` and ``placement`` points and the ``seed`` of the match, the last three 0
    if the match is not over.

    Examples:
        >>> import sparrowhall
        >>> env = sparrowhall.env("mcr_2006")
        >>> env.reset(seed=1)
        >>> observation, *_ = env.last()
        >>> env.step(int(observation["action_mask"].argmax()))
        >>> env.close()
    """

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode; without a seed, its seed follows from the last one given.

        PettingZoo lets callers pass any options; they are ignored.
        """
        self._table.reset(seed)
        players = self._table.agents
        self.agents = list(players)
        self.rewards = dict.fromkeys(players, 0.0)
        self._cumulative_rewards = dict.fromkeys(players, 0.0)
        self.terminations = dict.fromkeys(players, False)
        self.truncations = dict.fromkeys(players, False)
        self.infos: dict[str, dict[str, Any]] = {a: {} for a in players}
        self._informed: Iterable[str] = []  # players whose infos are not empty
        self._rewarded, self._over = True, False
        self._next()

    def observe(self, agent: str) -> _Seen:
        """Return what a player sees, or saw at the last decision."""
        return self._table.observe(agent)

    def last(self, observe: bool = True) -> tuple[_Seen | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since the last turn, ends and info of the selected player."""
        agent = self.agent_selection
        return (
            self._table.observe(agent) if observe else None,
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
        action = self._table.known(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._answers[agent] = action
        if self._turns:
            self.agent_selection = self._turns.pop()
            if self._rewarded:
                self._set_rewards(self._table.no_rewards)
            return
        wrong = self._table.answer(self._answers)
        for a in self._informed:
            self.infos[a] = {}
        for a, w in wrong.items():
            self.infos[a] = {"illegal": w}
        self._informed = wrong
        self._next()
        if self._rewarded:
            for a, r in self.rewards.items():
                self._cumulative_rewards[a] += r

    def render(self) -> Any:
        """Return or show what the selected player sees, by the render mode; None without one."""
        return self._table.render(self.agent_selection, self.metadata["render_fps"])

    def _repr_png_(self) -> bytes | None:
        return self._table.png(self.agent_selection) if self.agents else None

    def _next(self) -> None:
        """Begin the turns of the next decision point."""
        table = self._table
        if table.rewards is not table.no_rewards or self._rewarded:
            self._set_rewards(table.rewards)
        self._answers: dict[str, int] = {}
        # Players who have yet to act, the next one last.
        turns = table.rows if table.options.max_cycles is None else table.agents
        self._turns = list(reversed(turns))
        self.agent_selection = self._turns.pop()
        if table.infos:
            for a, info in table.infos.items():
                self.infos[a].update(info)
            self._informed = table.agents
        self._over = table.over or table.cut
        if table.over:
            for row, a in enumerate(table.rows):
                self.terminations[a] = bool(table.batch.terminated[row])
                self.truncations[a] = bool(table.batch.truncated[row])
        elif self._over:
            self.truncations = dict.fromkeys(table.agents, True)

    def _set_rewards(self, rewards: Sequence[float]) -> None:
        """Set the rewards of this step; the caller skips it where old and new are all 0."""
        self.rewards = dict(zip(self._table.agents, rewards, strict=True))
        self._rewarded = rewards is not self._table.no_rewards


class ParallelTable(_TableEnv, ParallelEnv):  # type: ignore[misc]
    """One table whose players ``player_0`` to ``player_3`` step together.

    Under a ruleset of three players the last is ``player_2``. Observations and rewards are those
    of AECTable. All players take part in every step; one who need not answer sees the last
    observation again, has ``pass`` alone in the mask and False in ``info["asked"]``, and the
    action is ignored. ``info["illegal"]`` is whether the player's action was illegal and
    replaced, False if it was ignored.

    Infos have the same keys for all players and in all steps. ``points``, ``rank``, ``placement``
    and ``seed`` are those of AECTable at the end and 0 before. Under rulesets with debts there is
    ``owed`` as well.

    Examples:
        >>> import sparrowhall
        >>> env = sparrowhall.parallel_env("mcr_2006")
        >>> observations, infos = env.reset(seed=1)
        >>> masks = {agent: o["action_mask"] for agent, o in observations.items()}
        >>> answers = env.step({agent: int(mask.argmax()) for agent, mask in masks.items()})
        >>> env.close()
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, _Seen], dict[str, dict[str, Any]]]:
        """Start an episode; without a seed, its seed follows from the last one given.

        PettingZoo lets callers pass any options; they are ignored.
        """
        self._table.reset(seed)
        self.agents = list(self._table.agents)
        return self._observations(), self._infos({})

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, _Seen],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Answer for all players who must; actions of the others are ignored.

        Raises:
            ResetNeeded: reset has not been called, or an exception has ended the last call.
            ValueError: an action is not one integer, a player who must answer has none, or there
                is one of a player who is not at the table.
            IllegalActionError: an action is no id of the action space or, with
                ``illegal="raise"``, illegal.
        """
        if not self.agents:
            raise gymnasium.error.ResetNeeded("call reset before step")
        if not isinstance(actions, Mapping):
            raise ValueError(f"actions is {actions!r}; allowed: a dictionary from agents to ids")
        table = self._table
        numbers = {agent: table.known(agent, action) for agent, action in actions.items()}
        infos = self._infos(table.answer(numbers))
        terminated = dict.fromkeys(table.agents, False)
        truncated = dict.fromkeys(table.agents, False)
        if table.over:
            for row, a in enumerate(table.rows):
                terminated[a] = bool(table.batch.terminated[row])
                truncated[a] = bool(table.batch.truncated[row])
            self.agents = []
        elif table.cut:
            truncated = dict.fromkeys(table.agents, True)
            self.agents = []
        rewards = dict(zip(table.agents, table.rewards, strict=True))
        return self._observations(), rewards, terminated, truncated, infos

    def render(self) -> Any:
        """Return or show what the first player who must answer sees, by the render mode."""
        return self._table.render(next(iter(self._table.rows)), self.metadata["render_fps"])

    def _repr_png_(self) -> bytes | None:
        return self._table.png(next(iter(self._table.rows))) if self.agents else None

    def _observations(self) -> dict[str, _Seen]:
        return {a: self._table.observe(a) for a in self._table.agents}

    def _infos(self, wrong: dict[str, bool]) -> dict[str, dict[str, Any]]:
        """Return infos with the same keys in all steps; wrong is whose answers were illegal."""
        table = self._table
        asked = {} if table.over else table.rows
        infos: dict[str, dict[str, Any]] = {}
        for a in table.agents:
            infos[a] = {
                "asked": a in asked,
                "illegal": wrong.get(a, False),
                **(_NO_END_WITH_DEBTS if table.debts else _NO_END),
                **table.infos.get(a, {}),
            }
        return infos


_P = ParamSpec("_P")


class _OrderEnforced(wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    """PettingZoo's checks of the order of calls, without its cost in calls that pass them."""

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
            super().step(action)  # raises the error


def _order_enforced(table: Callable[_P, AECTable]) -> Callable[_P, AECEnv]:
    def make(*args: _P.args, **kwargs: _P.kwargs) -> AECEnv:
        return _OrderEnforced(table(*args, **kwargs))

    make.__doc__ = """Return a PettingZoo AEC environment; see AECTable for the arguments.

    Examples:
        >>> import sparrowhall
        >>> env = sparrowhall.env("zung_jung")
        >>> env.possible_agents
        ['player_0', 'player_1', 'player_2', 'player_3']
    """
    return make


env = _order_enforced(AECTable)

parallel_env = ParallelTable
"""A PettingZoo parallel environment."""
