"""The Gymnasium vector environment: many tables, one learner's seat at each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from sparrowhall._checks import INTERRUPTED, check_choice, check_integer, check_seed
from sparrowhall._client_opponents import ClientOpponents
from sparrowhall._process import Fork
from sparrowhall._spaces import (
    action_space,
    legalize,
    observation_space,
    observations,
    pass_alone,
)
from sparrowhall.batch import ASKED, FIRST, Batch
from sparrowhall.errors import IllegalActionError
from sparrowhall.opponents import League, all_built_in
from sparrowhall.options import VectorOptions, rebuild, takes
from sparrowhall.policy import refuse_unknown
from sparrowhall.spec import MASK, Arrays
from sparrowhall.tables import Tables

Actions = NDArray[np.integer[Any]]
_Step = tuple[Arrays, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class SparrowhallVectorEnv(VectorEnv[Arrays, Actions, NDArray[Any]]):
    """Tables at each of which the learner plays one seat against other players.

    Observations are dictionaries: the tensors of the chosen observation by name, each of shape
    ``(num_envs, *shape)``, and ``"action_mask"``, int8 of 0 and 1, shape ``(num_envs, 180)``,
    under a ruleset of three players ``(num_envs, 181)``.
    The mask is also in ``info["action_mask"]`` and, as bool, what ``action_masks`` returns.
    Rewards are those since the learner's last decision or, in the first step, since the start
    of the episode; float64, shape ``(num_envs,)``.

    ``autoreset_mode`` sets when an environment whose episode has ended is reset:

    - ``AutoresetMode.SAME_STEP``: in the step that ends the episode. ``info["final_obs"]`` is
      then an object array with the last observations.
    - ``AutoresetMode.NEXT_STEP``: in the next step, whose action is ignored there and whose
      reward is 0.
    - ``AutoresetMode.DISABLED``: by ``reset`` with a ``reset_mask``.

    The mask of a last observation has ``pass`` alone, so that no mask is ever empty.
    In all modes ``info["final_info"]`` of the step that ends an episode holds the arrays

    - ``points`` at the end of the episode, float64;
    - ``rank`` from 1, ``placement`` in placement points and ``seed`` of the match where the match
      is over, else 0;
    - ``player``, the learner's seat;
    - with a league ``opponents``, as in ``info["opponents"]``: the names of those at each table
      in turn order after the learner, an object array of shape ``(num_envs, players - 1)``.

    ``info["illegal"]`` marks the actions that were illegal and replaced. Under rulesets with
    debts ``info["owed"]`` holds the change of what others owe the learner less what the learner
    owes, in points. ``info["unplayed"]`` holds the rewards of episodes that ended before the
    learner had a decision; these have no other entry.

    A copy, and one that was pickled, is an environment of the same arguments that has not been
    reset. In a process forked from the one that made it, ``reset`` opens new tables; without any
    seed each such process plays other matches.

    Examples:
        >>> import numpy as np
        >>> import sparrowhall
        >>> env = sparrowhall.make_vec("ema_2016", num_envs=4, opponents="greedy", seed=1)
        >>> rng = np.random.default_rng(1)
        >>> observations, info = env.reset()
        >>> actions = sparrowhall.sample(observations["action_mask"], rng)
        >>> observations, rewards, terminated, truncated, info = env.step(actions)
        >>> rewards.shape
        (4,)
        >>> env.close()
    """

    @takes(VectorOptions)
    def __init__(self, options: VectorOptions) -> None:
        """Check the options; ``reset`` opens the tables.

        Raises:
            ValueError: an option is not allowed.
            RequestError: the server refuses the ruleset or an opponent.
            ServerError: the server cannot be reached.
        """
        self._options = options
        self.autoreset_mode = AutoresetMode(options.autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        n = self.num_envs = int(options.num_envs)
        self._fork = Fork()
        self._tables: Tables | None = None
        self._client_opponents: ClientOpponents | None = None
        self._playing = False  # still True if an exception has ended a call
        self._current: Arrays = {}
        self._player = np.zeros(n, np.uint8)
        self._step = np.zeros(n, np.uint32)
        # Rewards before the first decision of an episode, which count with its first step.
        self._early = np.zeros(n)
        # Tables whose last observation was returned, and tables without a running episode.
        self._ended = np.zeros(n, np.bool_)
        self._resting = np.zeros(n, np.bool_)
        self._all, self._every = np.ones(n, np.bool_), np.arange(n)
        self._all_asked = bytes((ASKED,)) * n
        # The batch to answer, if it has one decision at each table and no other rows.
        self._decisions: Batch | None = None
        self._decoder = options.decoder
        self.single_observation_space = observation_space(options)
        self.single_action_space = action_space(options.spec)
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (type(self), self._options.arguments())

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Arrays, dict[str, Any]]:
        """Start new matches.

        Args:
            seed: A number opens all tables again: table i then plays matches i, i + num_envs, ...
                of ``sparrowhall play`` with that seed. A sequence gives the seeds of the tables'
                next matches. Without a seed every table continues with its next match.
            options: ``reset_mask``, bool, shape ``(num_envs,)``, limits the reset to some
                tables.

        Returns:
            Observations and info of all tables. Those that an exception has left in the middle
            of a call are all opened again.

        Raises:
            ValueError: an argument is not allowed.
        """
        mask = self._reset_mask(options)
        if self._fork():
            self._tables = None  # those of the other process
        elif self._playing:
            self.close_extras()
        if seed is not None and not isinstance(seed, Sequence | np.ndarray):
            check_seed(seed)
            seed = int(seed)
        elif seed is not None:
            if len(seed) != self.num_envs:
                raise ValueError(f"{len(seed)} seeds for {self.num_envs} environments")
            for one in seed:
                check_integer("a seed", one, 0, 2**64 - 1)
        if self._tables is None or (isinstance(seed, int) and mask is None):
            if seed is None:
                seed = self._options.seed
            if seed is None:
                seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
            if isinstance(seed, int):
                super().reset(seed=seed)
            self._playing = True
            self._open(seed)
        else:
            tables = np.arange(self.num_envs) if mask is None else np.flatnonzero(mask)
            seeds: ArrayLike | None = None
            if isinstance(seed, int):
                seeds = np.array([(seed + int(i)) % 2**64 for i in tables], np.uint64)
            elif seed is not None:
                seeds = np.asarray(seed, np.uint64)[tables]
            self._playing = True
            self._ended[tables] = False
            batch = self._restart(tables, seeds)
            self._current = {key: array.copy() for key, array in self._current.items()}
            self._play(batch)
            self._skip_unplayed()
        self._playing = False
        return self._observe(), self._info()

    def step(self, actions: Actions) -> _Step:
        """Answer at every table.

        Args:
            actions: Action ids, integers of shape ``(num_envs,)``.

        Returns:
            Observations, rewards, which episodes terminated and were truncated, and info.

        Raises:
            ResetNeeded: reset has not been called, or in mode DISABLED an episode has ended, or
                an exception, of a policy or by Ctrl-C, has ended the last call.
            ValueError: actions are not integers of this shape.
            IllegalActionError: an action is no id of the action space or, with
                ``illegal="raise"``, illegal.
        """
        if self._tables is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        if self._playing:
            raise gymnasium.error.ResetNeeded(INTERRUPTED)
        n = self.num_envs
        given = np.asarray(actions)
        if given.shape != (n,) or given.dtype.kind not in "ui":
            raise ValueError(
                f"actions are {given.dtype} of shape {given.shape}; "
                f"required: integers of shape ({n},)"
            )
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise gymnasium.error.ResetNeeded(
                f"the episode of environment {int(self._ended.argmax())} has ended: call reset "
                "with a reset_mask before step"
            )
        batch: Batch | None = None
        self._playing = True
        played = np.flatnonzero(~self._ended) if self._decisions is None else self._every
        try:
            chosen, wrong = self._legalize(given, played)
        except IllegalActionError:
            self._playing = False
            raise
        if self._decisions is not None:
            batch = self._tables.act(self._decisions, chosen)
            if batch.flags.tobytes() == self._all_asked:
                return self._step_without_ends(batch, wrong)
        players, opponents = self._player.copy(), self._opponents()
        rewards = np.where(self._ended, 0.0, self._early)
        self._early = np.where(self._ended, self._early, 0.0)
        ended_before = self._ended
        self._ended = np.zeros(n, np.bool_)
        ends = _EpisodeEnds(n)
        if batch is None and played.size:
            batch = self._tables.act_rows(played, self._player[played], self._step[played], chosen)
        if batch is not None:
            self._play(batch, rewards, ends)
            if opponents is not None and self.autoreset_mode is not AutoresetMode.DISABLED:
                self._skip_unplayed(rewards, ends)
        info = self._info()
        info["illegal"] = np.zeros(n, np.bool_)
        info["illegal"][played] = wrong
        info["_illegal"] = ~ended_before
        if self._tables.ruleset.has_debts:
            info["owed"], info["_owed"] = ends.owed, ~ended_before
        observed = self._observe()
        if ends.which.any():
            if opponents is not None:
                ends.details["opponents"] = opponents
            self._add_ends(ends, players, observed, info)
        if ends.skipped.any():
            info["unplayed"], info["_unplayed"] = ends.unplayed, ends.skipped
        self._playing = False
        return observed, rewards, ends.terminated, ends.truncated, info

    def _legalize(
        self, given: NDArray[Any], played: NDArray[np.intp]
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return the legal actions of some tables, and which were replaced; check all."""
        mask, illegal = self._current[MASK], self._options.illegal
        if len(played) == len(given):
            return legalize(given, mask, illegal)
        refuse_unknown(given, mask.shape[1])
        return legalize(given[played], mask[played], illegal)

    def _add_ends(
        self,
        ends: _EpisodeEnds,
        players: NDArray[np.uint8],
        observed: Arrays,
        info: dict[str, Any],
    ) -> None:
        """Add the ends of episodes to what a step returns."""
        which, last = ends.which, self._decoded(ends.observation)
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            final_obs = np.full(self.num_envs, None, dtype=object)
            for table in np.flatnonzero(which):
                final_obs[table] = {k: a[table].copy() for k, a in last.items()}
            info["final_obs"], info["_final_obs"] = final_obs, which.copy()
        else:
            self._ended = which
            for key, array in last.items():
                observed[key] = observed[key].copy()
                observed[key][which] = array[which]
            info[MASK] = observed[MASK].copy()
            info["player"] = np.where(which, players, info["player"])
            if "opponents" in info:
                info["opponents"] = info["opponents"].copy()
                info["opponents"][which] = ends.details["opponents"][which]
        final = {"player": np.where(which, players, 0), **ends.details}
        info["final_info"] = {
            name: array
            for key, values in final.items()
            for name, array in ((key, values), (f"_{key}", which.copy()))
        }
        info["_final_info"] = which.copy()

    def _step_without_ends(self, batch: Batch, wrong: NDArray[np.bool_]) -> _Step:
        """Return a step in which no episode ends or begins, as nearly all do, faster."""
        assert self._tables is not None
        n = self.num_envs
        rewards = self._early + self._rewarder(batch)
        self._early = np.zeros(n)
        self._current = observations(batch)
        self._player, self._step = batch.player.copy(), batch.step.copy()
        self._decisions = batch
        info = self._info()
        info["illegal"], info["_illegal"] = wrong, self._all.copy()
        if self._tables.ruleset.has_debts:
            info["owed"], info["_owed"] = batch.owed.copy(), self._all.copy()
        self._playing = False
        return self._observe(), rewards, np.zeros(n, np.bool_), np.zeros(n, np.bool_), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool, shape ``(num_envs, actions)``."""
        if self._tables is None:
            raise gymnasium.error.ResetNeeded("call reset before action_masks")
        masks: NDArray[np.bool_] = self._current[MASK] != 0
        masks[self._ended] = pass_alone(masks.shape[1])
        return masks

    def close_extras(self, **kwargs: Any) -> None:
        """End the stream."""
        if self._tables is not None:
            self._tables.close()
            self._tables = None
        if self._client_opponents is not None:
            self._client_opponents.close()
            self._client_opponents = None

    def _reset_mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_] | None:
        for name in options or {}:
            check_choice("an option of reset", name, ["reset_mask"])
        given = (options or {}).get("reset_mask")
        if given is None:
            return None
        mask = np.asarray(given)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise ValueError(
                f"reset_mask is {mask.dtype} of shape {mask.shape}; "
                f"required: bool of shape ({self.num_envs},)"
            )
        return mask

    def _open(self, seed: int | Sequence[int]) -> None:
        """Open the tables, and play until the learner has a decision at each."""
        self.close_extras()
        o = self._options
        arguments: dict[str, Any] = {"seed": seed} if isinstance(seed, int) else {"seeds": seed}
        if all_built_in(o.opponents):
            arguments |= o.built_in_seats()
        else:
            first = seed if isinstance(seed, int) else int(seed[0])
            self._client_opponents = ClientOpponents(o, self.num_envs, first)
            arguments["seats"] = self._client_opponents.entries()
        # With a league the client starts matches, for each of which it deals opponents.
        league = isinstance(o.opponents, League)
        auto_reset = self.autoreset_mode is not AutoresetMode.DISABLED and not league
        self._tables = o.open_tables(self.num_envs, auto_reset=auto_reset, **arguments)
        self._rewarder = o.rewarder(self._tables)
        self._current = {}
        self._early = np.zeros(self.num_envs)
        self._ended = np.zeros(self.num_envs, np.bool_)
        self._resting = np.zeros(self.num_envs, np.bool_)
        self._play(self._tables.recv())
        self._skip_unplayed()

    def _skip_unplayed(
        self, rewards: NDArray[np.float64] | None = None, ends: _EpisodeEnds | None = None
    ) -> None:
        """Start episodes until the learner has a decision: one may end before that."""
        while (idle := np.flatnonzero(self._resting & ~self._ended)).size:
            self._play(self._restart(idle), rewards, ends)

    def _restart(self, tables: NDArray[np.intp], seeds: ArrayLike | None = None) -> Batch:
        """Start the next episodes of some tables, or matches with seeds."""
        assert self._tables is not None
        seats: list[str] = []
        if (opponents := self._client_opponents) is not None:
            # Others continue their matches with the next hand.
            new = tables[opponents.over[tables] | ~self._resting[tables]]
            opponents.begin(tables if seeds is not None else new)
            seats = [] if opponents.league is None else opponents.entries(tables.tolist())
        batch = self._tables.reset(tables, seeds, seats)
        assert batch is not None
        return batch

    def _opponents(self) -> NDArray[Any] | None:
        """Return the names of opponents at each table, None without a league."""
        return None if self._client_opponents is None else self._client_opponents.names

    def _play(
        self,
        batch: Batch,
        rewards: NDArray[np.float64] | None = None,
        ends: _EpisodeEnds | None = None,
    ) -> None:
        """Read a batch, and answer for opponents until none of them has a decision."""
        following: Batch | None = batch
        while following is not None:
            following = self._read(following, rewards, ends)

    def _read(
        self, batch: Batch, rewards: NDArray[np.float64] | None, ends: _EpisodeEnds | None
    ) -> Batch | None:
        """Read the rows of a batch; return the next batch if opponents have answered."""
        rows = np.arange(len(batch))
        if self._client_opponents is not None:
            learners = batch.player == self._client_opponents.learner[batch.table]
            rows = np.flatnonzero(learners)
        value = self._rewarder(batch)
        arrays = observations(batch)
        self._resting[batch.table[rows[~batch.asked[rows]]]] = True
        asked, first = batch.asked[rows], (batch.flags[rows] & FIRST) != 0
        decisions = rows[asked]
        table = batch.table[decisions]
        self._resting[table] = False
        self._early[table] = np.where(first[asked], value[decisions], 0.0)
        self._player[table] = batch.player[decisions]
        self._step[table] = batch.step[decisions]
        if len(decisions) == self.num_envs:
            self._current = {
                k: a if len(decisions) == len(batch) else a[decisions] for k, a in arrays.items()
            }
        elif not self._current:
            self._current = {
                k: np.zeros((self.num_envs, *a.shape[1:]), a.dtype) for k, a in arrays.items()
            }
        if len(decisions) != self.num_envs:
            if rewards is not None:  # the caller of step owns the arrays of the last one
                self._current = {k: a.copy() for k, a in self._current.items()}
            for key, array in arrays.items():
                self._current[key][table] = array[decisions]
        if rewards is not None and ends is not None:
            later = rows[~first]
            np.add.at(rewards, batch.table[later], value[later])
            np.add.at(ends.owed, batch.table[later], batch.owed[later])
            ends.read(batch, rows, arrays, value)
        if self._client_opponents is None:
            alone = len(decisions) == len(batch) == self.num_envs
            self._decisions = batch if alone else None
            return None
        return self._answer(self._client_opponents, batch, ~learners & batch.asked)

    def _answer(
        self, opponents: ClientOpponents, batch: Batch, asked: NDArray[np.bool_]
    ) -> Batch | None:
        """Answer the rows of opponents; return the next batch if there are any."""
        assert self._tables is not None
        opponents.end(batch)
        rows = np.flatnonzero(asked)
        if not rows.size:
            return None
        answers = opponents.answer(self._tables, batch, rows)
        return self._tables.act_rows(
            batch.table[rows], batch.player[rows], batch.step[rows], answers
        )

    def _observe(self) -> Arrays:
        # The caller owns what is returned; the next step still needs the mask.
        return {**self._decoded(self._current), MASK: self._current[MASK].copy()}

    def _decoded(self, arrays: Arrays) -> Arrays:
        return arrays if self._decoder is None else self._decoder(arrays)

    def _info(self) -> dict[str, Any]:
        info = {
            MASK: self._current[MASK].copy(),
            f"_{MASK}": self._all.copy(),
            "player": self._player.copy(),
            "_player": self._all.copy(),
        }
        if (names := self._opponents()) is not None:
            info["opponents"], info["_opponents"] = names, self._all.copy()
        return info


class _EpisodeEnds:
    """The episodes that end in a step, an entry for each of n tables."""

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

    def read(
        self,
        batch: Batch,
        rows: NDArray[np.intp],
        arrays: Arrays,
        value: NDArray[np.float64],
    ) -> None:
        """Read the last rows among the learner's rows of a batch."""
        last = rows[~batch.asked[rows]]
        first = (batch.flags[last] & FIRST) != 0
        unplayed, final = last[first], last[~first]
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
                k: np.zeros((self.n, *a.shape[1:]), a.dtype) for k, a in arrays.items()
            }
        for key, array in arrays.items():
            self.observation[key][table] = array[final]
        entry = np.searchsorted(batch.last.row, final)
        for name, column in self.details.items():
            column[table] = getattr(batch.last, name)[entry]
