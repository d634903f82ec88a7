"""Gymnasium environments: one learner's seat against other players.

Importing this module registers them: ``gymnasium.make("sparrowhall.gym:sparrowhall/ema_2016-v1")``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from sparrowhall.actions import NUM_ACTIONS, legal_of
from sparrowhall.batch import ASKED, FIRST, TERMINATED, TRUNCATED, Batch
from sparrowhall.client import Client, EpisodeName, Tables
from sparrowhall.opponents import Guests, Opponents, Pool, check_seat, seats, served, three
from sparrowhall.picture import Window, picture, png
from sparrowhall.rendering import RENDER_MODES, check_render_mode, table_text
from sparrowhall.reward import Reward, Rewarder, reward_function
from sparrowhall.server import shared
from sparrowhall.spaces import (
    MASK,
    Arrays,
    Illegal,
    action_space,
    check_choice,
    check_illegal,
    legal,
    observation_space,
    observations,
)

PRESETS = (
    "botzone",
    "ema_2016",
    "ema_2016_en",
    "hkma_hktw",
    "hkma_league_a",
    "hkma_league_a_body",
    "hkma_league_b",
    "hkma_league_b_body",
    "mahjong_soul",
    "mcr_2006",
    "mleague",
    "tenhou",
    "universal",
    "wrc",
    "zung_jung",
)
"""The presets; importing this module registers them as ``sparrowhall/<preset>-v1``."""

Actions = NDArray[np.integer[Any]]


class SparrowhallVectorEnv(VectorEnv[Arrays, Actions, NDArray[Any]]):
    """Tables at each of which the learner plays one seat against other players.

    Observations are dictionaries: the tensors of the chosen observation by name, each of shape
    ``(num_envs, *shape)``, and ``"action_mask"``, int8 of 0 and 1, shape ``(num_envs, 180)``.
    The mask is also in ``info["action_mask"]`` and, as bool, what ``action_masks`` returns.
    Rewards are what happened to the learner since the last decision or, in the first step,
    since the start of the episode; float64, shape ``(num_envs,)``.

    With ``AutoresetMode.SAME_STEP`` an environment is reset in the step that ends its episode,
    and ``info["final_obs"]`` is then an object array with the last observation, whose mask is
    all 0. With ``AutoresetMode.NEXT_STEP`` that step returns the last observation, and the next
    step, whose action there is ignored, the first one of the next episode with reward 0. With
    ``AutoresetMode.DISABLED`` it must be reset with a ``reset_mask`` instead. In all of them
    ``info["final_info"]`` of the step that ends an episode holds the arrays

    - ``points`` at the end of the episode, float64;
    - ``rank`` 1..4 and ``placement`` in placement points where the match is over, else 0;
    - ``player``, the seat the learner had, and ``seed`` of the match.

    ``info["illegal"]`` tells which actions were illegal and replaced. Under rulesets with debts
    ``info["owed"]`` holds the change of what others owe the learner less what he owes, in
    points. ``info["unplayed"]`` holds the rewards of episodes that ended before the learner
    was ever asked; nothing else is told of these.

    A copy, and one that was pickled, is an environment of the same arguments that has not been
    reset. In a process forked from the one that made it, ``reset`` opens new tables.
    """

    def __init__(
        self,
        ruleset: str = "ema_2016",
        num_envs: int = 1,
        *,
        opponents: Opponents = "greedy",
        seat: int | None = None,
        seed: int | None = None,
        observation: str = "planes",
        episode: EpisodeName = "match",
        reward: Reward = "points",
        shaping: float = 0.0,
        discount: float = 1.0,
        illegal: Illegal = "default",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        client: Client | None = None,
        toml: str | None = None,
    ) -> None:
        """Open the tables.

        Args:
            ruleset: Name of a preset, or the path of a ruleset file ending in ``.toml``.
            num_envs: How many tables.
            opponents: Who plays the others: one for all three, the three in turn order after
                the learner, or a ``Pool`` of which each table draws three. Each is the name of
                a built-in player, ``"grpc:ADDRESS"`` of a policy that is served elsewhere, or
                a function from ``Decisions`` to actions.
            seat: The learner's player, 0..3. None to move on by one from match to match as in
                ``sparrowhall play``; where functions, served policies or a pool play, the learner
                then sits at ``i % 4`` of table i.
            seed: Seed of a reset that is given none.
            observation: Name of an observation.
            episode: ``"match"`` or ``"hand"``.
            reward: ``"points"`` moved; ``"placement"`` points or ``"rank"`` at the end of the
                match (1, 1/3, -1/3, -1 for rank 1 to 4) and 0 before; or a function from
                ``Moves`` to numbers.
            shaping: How much the potential counts that is added to the reward: an estimate of
                the final rank in units of ``"rank"``, see docs/python.md. 0 for none.
            discount: The learner's discount factor, which shaping needs.
            illegal: ``"default"`` answers an illegal action with the default one (pass, noten,
                or the discard of the drawn tile), ``"raise"`` raises IllegalActionError.
            autoreset_mode: When an environment whose episode has ended is reset: SAME_STEP,
                NEXT_STEP or DISABLED.
            client: Where to play; this process's own server if None.
            toml: Text of a ruleset file, in place of ruleset.
        """
        arguments = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._arguments = arguments
        check_illegal(illegal)
        check_seat(seat)
        reward_function(reward)
        if not isinstance(num_envs, int | np.integer) or num_envs < 1:
            raise ValueError(f"num_envs is {num_envs!r}; at least 1")
        modes = {m.value: m for m in AutoresetMode}
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        check_choice("autoreset_mode", mode, list(modes))
        self.metadata = {"autoreset_mode": modes[mode], "render_modes": []}
        self.autoreset_mode = modes[mode]
        self.num_envs = int(num_envs)
        self._same_step = modes[mode] is AutoresetMode.SAME_STEP
        self._disabled = modes[mode] is AutoresetMode.DISABLED
        self._seed = seed
        self._illegal = illegal
        self._given = client
        self._reward = (reward_function(reward), float(shaping), float(discount))
        self._opponents, self._seat = opponents, seat
        self._guests: Guests | None = None
        self._open: dict[str, Any] = {
            "ruleset": ruleset,
            "tables": self.num_envs,
            "observation": observation,
            "episode": episode,
            "auto_reset": not self._disabled,
            "toml": toml,
        }
        if not isinstance(opponents, Pool):
            three(opponents)
        if served(opponents):
            names = [o for o in three(opponents) if isinstance(o, str)]
            self._open["seats"] = seats(names, 0 if seat is None else int(seat))
            self._open["rotate_seats"] = seat is None
        self._tables: Tables | None = None
        self._current: Arrays = {}
        self._player = np.zeros(self.num_envs, np.uint8)
        self._step = np.zeros(self.num_envs, np.uint32)
        self._before = np.zeros(self.num_envs)
        self._held = np.zeros(self.num_envs, np.bool_)
        self._resting = np.zeros(self.num_envs, np.bool_)
        self._every = np.ones(self.num_envs, np.bool_)
        self._calm = bytes((ASKED,)) * self.num_envs
        # The batch that is to be answered, if it is a decision at each table and no more.
        self._decisions: Batch | None = None
        spec = (client or shared()).observation(observation)
        self.single_observation_space = observation_space(spec)
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._arguments)

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Arrays, dict[str, Any]]:
        """Start new matches.

        Args:
            seed: A number opens all tables anew: table i then plays matches i, i + num_envs, ...
                of ``sparrowhall play`` with that seed. A sequence gives the seeds of the tables'
                next matches. Without a seed every table goes on to its next match.
            options: ``reset_mask``, bool, shape ``(num_envs,)``, limits the reset to some
                tables.

        Returns:
            Observations and info of all tables.
        """
        mask = self._reset_mask(options)
        if self._tables is not None and not self._tables.usable:
            self._tables = None  # those of the process that this one was forked from
        if seed is not None and not isinstance(seed, Sequence | np.ndarray):
            seed = int(seed)
        elif seed is not None and len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds for {self.num_envs} environments")
        if self._tables is None or (isinstance(seed, int) and mask is None):
            if seed is None:
                seed = self._seed
            if seed is None:
                seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
            if isinstance(seed, int):
                super().reset(seed=seed)
            self._start(seed)
        else:
            tables = np.arange(self.num_envs) if mask is None else np.flatnonzero(mask)
            seeds: ArrayLike | None = None
            if isinstance(seed, int):
                seeds = np.array([seed + i for i in tables], np.uint64)
            elif seed is not None:
                seeds = np.asarray(seed, np.uint64)[tables]
            again = self._tables.reset(tables, seeds)
            assert again is not None
            self._held[tables] = False
            if self._guests is not None:
                self._guests.begin(tables)
            self._current = {key: array.copy() for key, array in self._current.items()}
            self._play(again)
            self._rouse()
        return self._observe(), self._info()

    def step(
        self, actions: Actions
    ) -> tuple[Arrays, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Answer at every table; actions has shape ``(num_envs,)``."""
        if self._tables is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        n = self.num_envs
        given = np.asarray(actions)
        if given.shape != (n,) or given.dtype.kind not in "ui":
            raise ValueError(
                f"actions are {given.dtype} of shape {given.shape}; integers of shape ({n},) are "
                "wanted"
            )
        if self._disabled and self._held.any():
            raise gymnasium.error.ResetNeeded(
                f"the episode of environment {int(self._held.argmax())} has ended: call reset with "
                "a reset_mask before step"
            )
        batch: Batch | None = None
        if self._decisions is not None:
            chosen, wrong = legal(given, self._current[MASK], self._illegal)
            batch = self._tables.act(self._decisions, chosen)
            if batch.flags.tobytes() == self._calm:
                return self._go_on(batch, wrong)
            played = np.arange(n)
        else:
            played = np.flatnonzero(~self._held)
            chosen, wrong = legal(given[played], self._current[MASK][played], self._illegal)
        players = self._player.copy()
        rewards = np.where(self._held, 0.0, self._before)
        self._before = np.where(self._held, self._before, 0.0)
        held = self._held
        self._held = np.zeros(n, np.bool_)
        ends = _Ends(n)
        if batch is None and played.size:
            self._tables.send(played, self._player[played], self._step[played], chosen)
            batch = self._tables.recv()
        if batch is not None:
            self._play(batch, rewards, ends)
        info = self._info()
        info["illegal"] = np.zeros(n, np.bool_)
        info["illegal"][played] = wrong
        info["_illegal"] = ~held
        if self._tables.ruleset.has_debts:
            info["owed"], info["_owed"] = ends.owed, ~held
        observed = self._observe()
        if ends.which.any():
            if not self._same_step:
                self._held = ends.which
                for key, array in ends.observation.items():
                    observed[key] = observed[key].copy()
                    observed[key][ends.which] = array[ends.which]
                info[MASK] = observed[MASK].copy()
                info["player"] = np.where(ends.which, players, info["player"])
            else:
                final_obs = np.full(n, None, dtype=object)
                for table in np.flatnonzero(ends.which):
                    final_obs[table] = {k: a[table].copy() for k, a in ends.observation.items()}
                info["final_obs"], info["_final_obs"] = final_obs, ends.which.copy()
            final = {"player": np.where(ends.which, players, 0), **ends.details}
            info["final_info"] = {
                name: array
                for key, values in final.items()
                for name, array in ((key, values), (f"_{key}", ends.which.copy()))
            }
            info["_final_info"] = ends.which.copy()
        if ends.skipped.any():
            info["unplayed"], info["_unplayed"] = ends.unplayed, ends.skipped
        return observed, rewards, ends.terminated, ends.truncated, info

    def _go_on(
        self, batch: Batch, wrong: NDArray[np.bool_]
    ) -> tuple[Arrays, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Return a step that neither ends nor begins an episode: what nearly all do, sooner."""
        assert self._tables is not None
        n = self.num_envs
        rewards = self._before + self._rewarder(batch)
        self._before = np.zeros(n)
        self._current = observations(batch)
        self._player, self._step = batch.player.copy(), batch.step.copy()
        self._decisions = batch
        info = self._info()
        info["illegal"], info["_illegal"] = wrong, self._every.copy()
        if self._tables.ruleset.has_debts:
            info["owed"], info["_owed"] = batch.owed / self._unit, self._every.copy()
        return self._observe(), rewards, np.zeros(n, np.bool_), np.zeros(n, np.bool_), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool, shape ``(num_envs, 180)``."""
        if self._tables is None:
            raise gymnasium.error.ResetNeeded("call reset before action_masks")
        masks: NDArray[np.bool_] = self._current[MASK] != 0
        return masks

    def close_extras(self, **kwargs: Any) -> None:
        """End the stream."""
        if self._tables is not None:
            self._tables.close()
            self._tables = None
        if self._guests is not None:
            self._guests.close()
            self._guests = None

    def _reset_mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_] | None:
        for name in options or {}:
            check_choice("an option of reset", name, ["reset_mask"])
        given = (options or {}).get("reset_mask")
        if given is None:
            return None
        mask = np.asarray(given)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise ValueError(
                f"reset_mask is {mask.dtype} of shape {mask.shape}; bool of shape "
                f"({self.num_envs},) is wanted"
            )
        return mask

    def _start(self, seed: int | Sequence[int]) -> None:
        self.close_extras()
        seeding = {"seed": seed} if isinstance(seed, int) else {"seeds": seed}
        seating: dict[str, Any] = {}
        if not served(self._opponents):
            dealt = seed if isinstance(seed, int) else int(seed[0])
            self._guests = Guests(self._opponents, self._seat, self.num_envs, dealt)
            seating["seats"] = self._guests.seats
        self._tables = (self._given or shared()).open(**self._open, **seeding, **seating)
        self._unit = float(self._tables.ruleset.units_per_point)
        self._rewarder = Rewarder(self._tables, *self._reward)
        self._current = {}
        self._before = np.zeros(self.num_envs)
        self._held = np.zeros(self.num_envs, np.bool_)
        self._resting = np.zeros(self.num_envs, np.bool_)
        self._play(self._tables.recv())
        self._rouse()

    def _rouse(self) -> None:
        """Start episodes until the learner is asked: one may end before that."""
        assert self._tables is not None
        while (idle := np.flatnonzero(self._resting & ~self._held)).size:
            again = self._tables.reset(idle)
            assert again is not None
            self._play(again)

    def _play(
        self,
        batch: Batch,
        rewards: NDArray[np.float64] | None = None,
        ends: _Ends | None = None,
    ) -> None:
        """Take a batch, and let guests answer until the learner is asked at every table."""
        assert self._tables is not None
        while True:
            due = self._take(batch, rewards, ends)
            if due is None:
                return
            batch = due

    def _take(
        self, batch: Batch, rewards: NDArray[np.float64] | None, ends: _Ends | None
    ) -> Batch | None:
        """Take the rows of a batch, and return the next one if guests have been asked."""
        assert self._tables is not None
        rows = np.arange(len(batch))
        if self._guests is not None:
            mine = batch.player == self._guests.learner[batch.table]
            rows = np.flatnonzero(mine)
        value = self._rewarder(batch)
        everything = observations(batch)
        self._resting[batch.table[rows[~batch.asked[rows]]]] = True
        asked, first = batch.asked[rows], (batch.flags[rows] & FIRST) != 0
        ask = rows[asked]
        table = batch.table[ask]
        self._resting[table] = False
        # What moved before the first decision of an episode counts with its first step.
        self._before[table] = np.where(first[asked], value[ask], 0.0)
        self._player[table], self._step[table] = batch.player[ask], batch.step[ask]
        if len(ask) == self.num_envs:
            self._current = {
                k: a if len(ask) == len(batch) else a[ask] for k, a in everything.items()
            }
        elif not self._current:
            self._current = {
                k: np.zeros((self.num_envs, *a.shape[1:]), a.dtype) for k, a in everything.items()
            }
        if len(ask) != self.num_envs:
            if rewards is not None:  # what was handed out belongs to the caller
                self._current = {k: a.copy() for k, a in self._current.items()}
            for key, array in everything.items():
                self._current[key][table] = array[ask]
        if rewards is not None and ends is not None:
            later = rows[~first]
            np.add.at(rewards, batch.table[later], value[later])
            ends.owed[batch.table[later]] += batch.owed[later] / self._unit
            ends.take(batch, rows, everything, value, self._unit)
        if self._guests is None:
            calm = len(ask) == len(batch) == self.num_envs
            self._decisions = batch if calm else None
            return None
        return self._ask_guests(self._guests, batch, ~mine & batch.asked)

    def _ask_guests(self, guests: Guests, batch: Batch, theirs: NDArray[np.bool_]) -> Batch | None:
        assert self._tables is not None
        guests.ended(batch)
        rows = np.flatnonzero(theirs)
        if not rows.size:
            return None
        answers = guests.answer(self._tables, batch, rows)
        self._tables.send(batch.table[rows], batch.player[rows], batch.step[rows], answers)
        return self._tables.recv()

    def _observe(self) -> Arrays:
        # What is handed out belongs to the caller; the mask is still needed for the next step.
        return {**self._current, MASK: self._current[MASK].copy()}

    def _info(self) -> dict[str, Any]:
        return {
            MASK: self._current[MASK].copy(),
            f"_{MASK}": self._every.copy(),
            "player": self._player.copy(),
            "_player": self._every.copy(),
        }


class _Ends:
    """How episodes end in a step, an entry for each of n tables."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.which = np.zeros(n, np.bool_)
        self.terminated = np.zeros(n, np.bool_)
        self.truncated = np.zeros(n, np.bool_)
        self.owed = np.zeros(n)
        self.unplayed = np.zeros(n)
        self.skipped = np.zeros(n, np.bool_)
        self.observation: Arrays = {}
        self.details: Arrays = {
            "points": np.zeros(n),
            "rank": np.zeros(n, np.uint8),
            "placement": np.zeros(n),
            "seed": np.zeros(n, np.uint64),
        }

    def take(
        self,
        batch: Batch,
        rows: NDArray[np.intp],
        everything: Arrays,
        value: NDArray[np.float64],
        unit: float,
    ) -> None:
        """Take the learner's rows that end episodes out of some rows of a batch."""
        ended = rows[~batch.asked[rows]]
        first = (batch.flags[ended] & FIRST) != 0
        unplayed, final = ended[first], ended[~first]
        np.add.at(self.unplayed, batch.table[unplayed], value[unplayed])
        self.skipped[batch.table[unplayed]] = True
        if not final.size:
            return
        table = batch.table[final]
        self.which[table] = True
        self.terminated[table] = batch.terminated[final]
        self.truncated[table] = batch.truncated[final]
        if not self.observation:
            self.observation = {
                k: np.zeros((self.n, *a.shape[1:]), a.dtype) for k, a in everything.items()
            }
        for key, array in everything.items():
            self.observation[key][table] = array[final]
        entry = np.searchsorted(batch.last.row, final)
        self.details["points"][table] = batch.last.points[entry] / unit
        self.details["rank"][table] = batch.last.rank[entry]
        self.details["placement"][table] = batch.last.placement[entry] / 120
        self.details["seed"][table] = batch.last.seed[entry]


class SparrowhallEnv(gymnasium.Env[Arrays, np.integer[Any]]):
    """One table at which the learner plays a seat against built-in players.

    Observations, rewards and infos are those of SparrowhallVectorEnv without the first dimension;
    at the end of an episode info holds the fields of ``final_info``. ``render`` shows what the
    learner sees: as text with ``render_mode`` ``"ansi"``, as a picture with ``"rgb_array"``
    (uint8, shape ``(height, width, 3)``), in a window with ``"human"``. Notebooks show an
    environment as that picture.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}

    def __init__(
        self,
        ruleset: str = "ema_2016",
        *,
        opponents: str | Sequence[str] = "greedy",
        seat: int | None = None,
        observation: str = "planes",
        episode: EpisodeName = "match",
        reward: Reward = "points",
        shaping: float = 0.0,
        discount: float = 1.0,
        illegal: Illegal = "default",
        render_mode: str | None = None,
        client: Client | None = None,
        toml: str | None = None,
    ) -> None:
        """Open the table; see SparrowhallVectorEnv for the arguments.

        The opponents are built-in players; make_vec also takes functions, served policies and
        pools. ``render_mode`` is ``"ansi"``, ``"rgb_array"``, ``"human"`` or None.
        """
        self._arguments = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        check_illegal(illegal)
        check_seat(seat)
        check_render_mode(render_mode)
        if not served(opponents):
            raise ValueError(
                "make takes built-in players as opponents; functions, 'grpc:ADDRESS' and pools "
                "are for make_vec, with num_envs=1 too"
            )
        self.render_mode = render_mode
        self._illegal = illegal
        self._given = client
        self._reward = (reward_function(reward), float(shaping), float(discount))
        names = [o for o in three(opponents) if isinstance(o, str)]
        self._open: dict[str, Any] = {
            "ruleset": ruleset,
            "seats": seats(names, 0 if seat is None else int(seat)),
            "rotate_seats": seat is None,
            "observation": observation,
            "episode": episode,
            "auto_reset": False,
            "toml": toml,
        }
        self._tables: Tables | None = None
        self._window: Window | None = None
        spec = (client or shared()).observation(observation)
        self.observation_space = observation_space(spec)
        self.action_space = action_space()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._arguments)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Arrays, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: A number from which the seeds of this match and of those after it follow.
            options: None are known.
        """
        for name in options or {}:
            check_choice("an option of reset", name, [])
        super().reset(seed=seed)
        if self._tables is not None and not self._tables.usable:
            self._tables = None  # that of the process that this one was forked from
        if seed is not None or self._tables is None:
            self._end_stream()
            self._tables = (self._given or shared()).open(**self._open, seeds=[self._next_seed()])
            self._rewarder = Rewarder(self._tables, *self._reward)
            self._unit = self._tables.ruleset.units_per_point
            self._debts = self._tables.ruleset.has_debts
            batch: Batch | None = self._tables.recv()
        elif self._open["episode"] == "hand" and self._ended and not self._match_over:
            batch = self._tables.reset(0)
        else:
            batch = self._tables.reset(0, [self._next_seed()])
        # An episode may end before the learner is asked.
        while batch is not None and not batch.asked.any():
            batch = self._tables.reset(0)
        assert batch is not None
        observation, self._before, info = self._take(batch)
        return observation, info

    def step(self, action: Any) -> tuple[Arrays, float, bool, bool, dict[str, Any]]:
        """Answer with an action id."""
        if self._tables is None or self._ended:
            raise gymnasium.error.ResetNeeded("call reset before step")
        if type(action) is not int:
            given = np.asarray(action)
            if given.size != 1 or given.dtype.kind not in "ui":
                raise ValueError(
                    f"the action is {given.dtype} of shape {given.shape}; one integer is wanted"
                )
            action = given.item()
        wrong = not (0 <= action < NUM_ACTIONS and self._mask[action >> 3] >> (action & 7) & 1)
        if wrong:
            masks = self._batch.mask.view(np.int8)
            action = legal(np.array([action]), masks, self._illegal)[0].item()
        batch = self._tables.act(self._batch, bytes((action,)))
        observation, reward, info = self._take(batch)
        reward += self._before
        self._before = 0.0
        info["illegal"] = wrong
        unit = self._unit
        if self._debts:
            info["owed"] = int(batch.owed[0]) / unit
        if self._ended:
            info.update(
                points=int(batch.last.points[0]) / unit,
                rank=int(batch.last.rank[0]),
                placement=int(batch.last.placement[0]) / 120,
                seed=int(batch.last.seed[0]),
            )
        flags = self._flags
        return observation, reward, bool(flags & TERMINATED), bool(flags & TRUNCATED), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool, shape ``(180,)``, as sb3-contrib asks for them."""
        if self._tables is None:
            raise gymnasium.error.ResetNeeded("call reset before action_masks")
        return legal_of(self._mask).view(np.bool_)

    def render(self) -> Any:
        """Return or show what the learner sees, by the render mode; None without one."""
        if self.render_mode is None:
            allowed = ", ".join(map(repr, RENDER_MODES))
            gymnasium.logger.warn(f"render was called without a render_mode; allowed: {allowed}")
            return None
        seen = self._seen()
        if self.render_mode == "ansi":
            return table_text(seen)
        if self.render_mode == "rgb_array":
            return picture(seen)
        self._window = self._window or Window(self.metadata["render_fps"])
        self._window.show(picture(seen))
        return None

    def close(self) -> None:
        """End the stream."""
        self._end_stream()
        if self._window is not None:
            self._window.close()
            self._window = None

    def _repr_png_(self) -> bytes | None:
        return None if self._tables is None or not self._tables.usable else png(self._seen())

    def _seen(self) -> str:
        if self._tables is None:
            raise gymnasium.error.ResetNeeded("call reset before render")
        return self._tables.inspect(0, int(self._batch.player[0]))

    def _end_stream(self) -> None:
        if self._tables is not None:
            self._tables.close()
            self._tables = None

    def _next_seed(self) -> int:
        return int(self.np_random.integers(0, 2**64, dtype=np.uint64))

    def _take(self, batch: Batch) -> tuple[Arrays, float, dict[str, Any]]:
        # Without automatic resets the table has one row: a decision or the end.
        self._batch = batch
        player, self._flags, moved, self._mask = batch.glance(0)
        arrays = batch.observation_of(0)
        arrays[MASK] = legal_of(self._mask)
        self._ended = not self._flags & ASKED
        self._match_over = self._ended and bool(batch.last.rank[0])
        info = {MASK: arrays[MASK].copy(), "player": player}
        reward = self._rewarder.of_few(batch, [moved])[0]
        if self.render_mode == "human":
            self.render()
        return arrays, reward, info


def _rebuild(kind: Any, arguments: dict[str, Any]) -> Any:
    return kind(**arguments)


make = SparrowhallEnv
"""A Gymnasium environment: one table."""

make_vec = SparrowhallVectorEnv
"""A Gymnasium vector environment: many tables."""

for _preset in PRESETS:
    gymnasium.register(
        id=f"sparrowhall/{_preset}-v1",
        entry_point="sparrowhall.gym:SparrowhallEnv",
        vector_entry_point="sparrowhall.gym:SparrowhallVectorEnv",
        kwargs={"ruleset": _preset},
    )
