"""Gymnasium environments: one learner's seat against built-in players.

Importing this module registers them: ``gymnasium.make("jansou.gym:jansou/ema_2016-v1")``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from jansou.client import EXTERNAL, FIRST, Batch, Client, EpisodeName, Tables
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
"""The presets; importing this module registers them as ``jansou/<preset>-v1``."""


class JansouVectorEnv(VectorEnv[Arrays, NDArray[np.int64], NDArray[Any]]):
    """Tables at each of which the learner plays one seat against built-in players.

    Observations are dictionaries: the tensors of the chosen observation by name, each of shape
    ``(num_envs, *shape)``, and ``"action_mask"``, int8 of 0 and 1, shape ``(num_envs, 180)``.
    The mask is also in ``info["action_mask"]``. Rewards are the points moved to the learner
    since the last decision or, in the first step, since the start of the episode; float64,
    shape ``(num_envs,)``.

    An environment is reset in the step that ends its episode (``AutoresetMode.SAME_STEP``);
    ``info["final_obs"]`` is then an object array with the last observation, whose mask is all
    0, and ``info["final_info"]`` holds the arrays

    - ``points`` at the end of the episode, float64;
    - ``rank`` 1..4 and ``placement`` in placement points where the match is over, else 0;
    - ``player``, the seat the learner had, and ``seed`` of the match.

    ``info["illegal"]`` tells which actions were illegal and replaced. Under rulesets with debts
    ``info["owed"]`` holds the change of what others owe the learner less what he owes, in
    points. ``info["unplayed"]`` holds the points moved in episodes that ended before the
    learner was ever asked; nothing else is told of these.
    """

    metadata = {
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": [],
    }

    def __init__(
        self,
        num_envs: int = 1,
        ruleset: str = "ema_2016",
        *,
        seed: int | None = None,
        opponents: str | Sequence[str] = "greedy",
        seat: int | None = None,
        observation: str = "planes",
        episode: EpisodeName = "match",
        illegal: Illegal = "default",
        client: Client | None = None,
        toml: str | None = None,
    ) -> None:
        """Open the tables.

        Args:
            num_envs: How many.
            ruleset: Name of a preset, or the path of a ruleset file ending in ``.toml``.
            seed: Seed of the first reset, if that is given none.
            opponents: A built-in player, or three: those in turn order after the learner.
            seat: The player 0..3 whom the learner plays; None to move on from match to match.
            observation: Name of an observation.
            episode: ``"match"`` or ``"hand"``.
            illegal: ``"default"`` answers an illegal action with the default one (pass, noten,
                or the discard of the drawn tile), ``"raise"`` raises IllegalActionError.
            client: Where to play; this process's own server if None.
            toml: Text of a ruleset file, in place of ruleset.
        """
        self.num_envs = num_envs
        self._seed = seed
        self._illegal = illegal
        self._client = client or shared()
        self._open: dict[str, Any] = {
            "ruleset": ruleset,
            "tables": num_envs,
            "seats": seats(opponents, seat),
            "rotate_seats": seat is None,
            "observation": observation,
            "episode": episode,
            "toml": toml,
        }
        self._tables: Tables | None = None
        spec = self._client.observation(observation)
        self.single_observation_space = observation_space(spec)
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Arrays, dict[str, Any]]:
        """Start new matches.

        Args:
            seed: A number opens all tables anew: table i then plays matches i, i + num_envs, ...
                of ``jansou play`` with that seed. A sequence gives the seeds of the tables'
                next matches. Without a seed every table goes on to its next match.
            options: ``reset_mask``, bool, shape ``(num_envs,)``, limits the reset to some
                tables.

        Returns:
            Observations and info of all tables.
        """
        if seed is not None and not isinstance(seed, Sequence):
            seed = int(seed)
        mask = (options or {}).get("reset_mask")
        if self._tables is None or (isinstance(seed, int) and mask is None):
            if seed is None:
                seed = self._seed
            if seed is None:
                seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
            if isinstance(seed, int):
                super().reset(seed=seed)
            batch = self._start(seed)
            self._take(batch)
        else:
            tables = np.arange(self.num_envs) if mask is None else np.flatnonzero(mask)
            seeds: ArrayLike | None = None
            if isinstance(seed, int):
                seeds = np.array([seed + i for i in tables], np.uint64)
            elif seed is not None:
                seeds = np.asarray(seed, np.uint64)[tables]
            again = self._tables.reset(tables, seeds)
            assert again is not None
            self._merge(again)
        return self._observe(), self._info()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Arrays, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Answer at every table; actions has shape ``(num_envs,)``."""
        if self._tables is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        chosen, wrong = legal(np.asarray(actions), self._current[MASK], self._illegal)
        self._tables.send(self._table, self._player, self._step, chosen)
        players = self._player
        batch = self._tables.recv()

        n, first = self.num_envs, (batch.flags & FIRST) != 0
        ended = ~batch.asked
        final = np.flatnonzero(ended & ~first)
        # The row that ends the episode carries the reward of the step, not the one after it.
        step = np.concatenate([final, np.flatnonzero(batch.asked & ~first)])
        table = batch.table[step]
        rewards = self._before
        rewards[table] += batch.reward[step] / self._unit
        terminated, truncated = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        terminated[batch.table[final]] = batch.terminated[final]
        truncated[batch.table[final]] = batch.truncated[final]

        everything = self._take(batch)
        info = self._info()
        info["illegal"] = wrong
        info["_illegal"] = np.ones(n, np.bool_)
        if self._tables.ruleset.has_debts:
            info["owed"] = np.zeros(n)
            info["owed"][table] = batch.owed[step] / self._unit
            info["_owed"] = np.ones(n, np.bool_)
        if final.size:
            self._add_final(info, batch, final, everything, players)
        unplayed = np.flatnonzero(ended & first)
        if unplayed.size:
            info["unplayed"] = np.zeros(n)
            np.add.at(info["unplayed"], batch.table[unplayed], batch.reward[unplayed] / self._unit)
            info["_unplayed"] = np.isin(np.arange(n), batch.table[unplayed])
        return self._observe(), rewards, terminated, truncated, info

    def close_extras(self, **kwargs: Any) -> None:
        """End the stream."""
        if self._tables is not None:
            self._tables.close()
            self._tables = None

    def _start(self, seed: int | Sequence[int]) -> Batch:
        self.close_extras()
        seeding = {"seed": seed} if isinstance(seed, int) else {"seeds": seed}
        self._tables = self._client.open(**self._open, **seeding)
        self._unit = float(self._tables.ruleset.units_per_point)
        return self._tables.recv()

    def _take(self, batch: Batch) -> Arrays:
        """Make the rows of a batch that must be answered, one for each table, the current ones.

        Returns:
            The observations of all rows.
        """
        everything = observations(batch)
        rows = np.flatnonzero(batch.asked)
        self._table = batch.table[rows]
        self._player = batch.player[rows]
        self._step = batch.step[rows]
        # What moved before the first decision of an episode counts with the first step.
        first = (batch.flags[rows] & FIRST) != 0
        self._before = np.where(first, batch.reward[rows], 0) / self._unit
        whole = len(rows) == len(batch)
        self._current = everything if whole else {k: a[rows] for k, a in everything.items()}
        return everything

    def _merge(self, batch: Batch) -> None:
        """Put the rows of some tables in place of the current ones."""
        rows = np.flatnonzero(batch.asked)
        at = batch.table[rows]
        self._player, self._step = self._player.copy(), self._step.copy()
        self._player[at], self._step[at] = batch.player[rows], batch.step[rows]
        self._before[at] = batch.reward[rows] / self._unit
        for key, array in observations(batch).items():
            self._current[key] = self._current[key].copy()
            self._current[key][at] = array[rows]

    def _observe(self) -> Arrays:
        # What is handed out belongs to the caller; the mask is still needed for the next step.
        return {**self._current, MASK: self._current[MASK].copy()}

    def _info(self) -> dict[str, Any]:
        every = np.ones(self.num_envs, np.bool_)
        return {
            MASK: self._current[MASK].copy(),
            f"_{MASK}": every,
            "player": self._player.copy(),
            "_player": every.copy(),
        }

    def _add_final(
        self,
        info: dict[str, Any],
        batch: Batch,
        final: NDArray[np.intp],
        everything: Arrays,
        players: NDArray[np.uint8],
    ) -> None:
        table = batch.table[final]
        which = np.zeros(self.num_envs, np.bool_)
        which[table] = True
        final_obs = np.full(self.num_envs, None, dtype=object)
        for t, row in zip(table, final, strict=True):
            final_obs[t] = {key: array[row].copy() for key, array in everything.items()}
        details: dict[str, NDArray[Any]] = {
            "points": batch.last.points / self._unit,
            "rank": batch.last.rank,
            "placement": batch.last.placement / 120,
            "seed": batch.last.seed,
        }
        entry = np.searchsorted(batch.last.row, final)
        final_info: dict[str, Any] = {"player": np.where(which, players, 0), "_player": which}
        for key, values in details.items():
            final_info[key] = np.zeros(self.num_envs, values.dtype)
            final_info[key][table] = values[entry]
            final_info[f"_{key}"] = which.copy()
        info["final_obs"], info["_final_obs"] = final_obs, which.copy()
        info["final_info"], info["_final_info"] = final_info, which.copy()


class JansouEnv(gymnasium.Env[Arrays, np.int64]):
    """One table at which the learner plays a seat against built-in players.

    Observations, rewards and infos are those of JansouVectorEnv without the first dimension;
    at the end of an episode info holds the fields of ``final_info``. With ``render_mode``
    ``"ansi"``, ``render`` returns what the learner sees as JSON.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        ruleset: str = "ema_2016",
        *,
        opponents: str | Sequence[str] = "greedy",
        seat: int | None = None,
        observation: str = "planes",
        episode: EpisodeName = "match",
        illegal: Illegal = "default",
        render_mode: str | None = None,
        client: Client | None = None,
        toml: str | None = None,
    ) -> None:
        """Open the table; see JansouVectorEnv for the arguments."""
        self.render_mode = render_mode
        self._illegal = illegal
        self._client = client or shared()
        self._open: dict[str, Any] = {
            "ruleset": ruleset,
            "seats": seats(opponents, seat),
            "rotate_seats": seat is None,
            "observation": observation,
            "episode": episode,
            "auto_reset": False,
            "toml": toml,
        }
        self._tables: Tables | None = None
        spec = self._client.observation(observation)
        self.observation_space = observation_space(spec)
        self.action_space = action_space()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Arrays, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: A number from which the seeds of this match and of those after it follow.
            options: None are known.
        """
        super().reset(seed=seed)
        if seed is not None or self._tables is None:
            self.close()
            self._tables = self._client.open(**self._open, seeds=[self._next_seed()])
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
        chosen, wrong = legal(np.atleast_1d(action), self._mask, self._illegal)
        batch = self._tables.act(self._batch, chosen)
        observation, reward, info = self._take(batch)
        reward += self._before
        self._before = 0.0
        info["illegal"] = bool(wrong[0])
        unit = self._tables.ruleset.units_per_point
        if self._tables.ruleset.has_debts:
            info["owed"] = int(batch.owed[0]) / unit
        if self._ended:
            info.update(
                points=int(batch.last.points[0]) / unit,
                rank=int(batch.last.rank[0]),
                placement=int(batch.last.placement[0]) / 120,
                seed=int(batch.last.seed[0]),
            )
        return observation, reward, bool(batch.terminated[0]), bool(batch.truncated[0]), info

    def render(self) -> str | None:
        """Return what the learner sees as JSON, None without a render mode."""
        if self.render_mode is None:
            gymnasium.logger.warn("render was called without a render_mode; use 'ansi'")
            return None
        if self._tables is None:
            raise gymnasium.error.ResetNeeded("call reset before render")
        return self._tables.inspect(0, int(self._batch.player[0]))

    def close(self) -> None:
        """End the stream."""
        if self._tables is not None:
            self._tables.close()
            self._tables = None

    def _next_seed(self) -> int:
        return int(self.np_random.integers(0, 2**64, dtype=np.uint64))

    def _take(self, batch: Batch) -> tuple[Arrays, float, dict[str, Any]]:
        assert self._tables is not None
        # Without automatic resets the table has one row: a decision or the end.
        self._batch = batch
        arrays = observations(batch)
        self._mask = arrays[MASK].copy()
        self._ended = not batch.asked[0]
        self._match_over = bool(len(batch.last.rank) and batch.last.rank[0])
        info = {MASK: arrays[MASK][0].copy(), "player": int(batch.player[0])}
        reward = int(batch.reward[0]) / self._tables.ruleset.units_per_point
        return {key: array[0] for key, array in arrays.items()}, reward, info


def seats(opponents: str | Sequence[str], seat: int | None) -> list[str]:
    """Return who plays for players 0 to 3.

    Args:
        opponents: A built-in player, or the three in turn order after the learner.
        seat: The learner's, 0..3; None for 0.
    """
    others = [opponents] * 3 if isinstance(opponents, str) else list(opponents)
    if len(others) != 3:
        raise ValueError(f"opponents names {len(others)} players; one or three are wanted")
    at = 0 if seat is None else seat
    if not 0 <= at < 4:
        raise ValueError(f"seat is {seat}; allowed: 0, 1, 2, 3 or None")
    around = [EXTERNAL, *others]
    return [around[(p - at) % 4] for p in range(4)]


def make(ruleset: str = "ema_2016", **arguments: Any) -> JansouEnv:
    """Return a Gymnasium environment; see JansouEnv for the arguments."""
    return JansouEnv(ruleset, **arguments)


def make_vec(ruleset: str = "ema_2016", num_envs: int = 1, **arguments: Any) -> JansouVectorEnv:
    """Return a Gymnasium vector environment; see JansouVectorEnv for the arguments."""
    return JansouVectorEnv(num_envs, ruleset, **arguments)


for _preset in PRESETS:
    gymnasium.register(
        id=f"jansou/{_preset}-v1",
        entry_point="jansou.gym:JansouEnv",
        vector_entry_point="jansou.gym:JansouVectorEnv",
        kwargs={"ruleset": _preset},
    )
