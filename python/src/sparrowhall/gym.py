"""Gymnasium environments: one learner's seat against other players.

Importing this module registers one for each of PRESETS as ``sparrowhall/<preset>-v1``:
``gymnasium.make("sparrowhall.gym:sparrowhall/ema_2016-v1")``.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from sparrowhall._checks import INTERRUPTED, check_choice, check_seed, one_integer
from sparrowhall._client_opponents import ClientOpponents
from sparrowhall._picture import png
from sparrowhall._process import Fork
from sparrowhall._rendering import FPS, Renderer, warn_without_mode
from sparrowhall._rulesets import PRESETS
from sparrowhall._spaces import action_space, legalize, observation_space
from sparrowhall._vector_env import SparrowhallVectorEnv
from sparrowhall.actions import unpack_one_mask
from sparrowhall.batch import ASKED, TERMINATED, TRUNCATED, Batch
from sparrowhall.errors import IllegalActionError
from sparrowhall.opponents import all_built_in
from sparrowhall.options import RENDER_MODES, EnvOptions, rebuild, takes
from sparrowhall.spec import MASK, Arrays
from sparrowhall.tables import Tables

__all__ = ["PRESETS", "SparrowhallEnv", "SparrowhallVectorEnv", "make", "make_vec"]

_Step = tuple[Arrays, float, bool, bool, dict[str, Any]]


class SparrowhallEnv(gymnasium.Env[Arrays, np.integer[Any]]):
    """One table at which the learner plays one seat against other players.

    Observations, rewards and infos are those of SparrowhallVectorEnv without the first dimension;
    at the end of an episode info holds the fields of ``final_info``. ``render`` shows what the
    learner sees: as text with ``render_mode`` ``"ansi"``, as a picture with ``"rgb_array"``
    (uint8, shape ``(height, width, 3)``), in a window with ``"human"``. With ``"browser"`` it
    returns the address of a page that shows the table while it is played, as spectators see it;
    a server then plays the table. Notebooks show an environment as the picture.

    Examples:
        >>> import sparrowhall
        >>> env = sparrowhall.make("ema_2016", opponents="value", seed=1)
        >>> observation, info = env.reset()
        >>> observation, reward, terminated, truncated, info = env.step(
        ...     int(observation["action_mask"].argmax())
        ... )
        >>> env.close()
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": FPS}

    @takes(EnvOptions)
    def __init__(self, options: EnvOptions) -> None:
        """Check the options; ``reset`` opens the table.

        Raises:
            ValueError: an option is not allowed.
            RequestError: the server refuses the ruleset or an opponent.
            ServerError: the server cannot be reached.
        """
        self._options = options
        self.autoreset_mode = AutoresetMode(options.autoreset_mode)
        self.render_mode = options.render_mode
        self._renderer = Renderer(options.render_mode)
        self._fork = Fork()
        self._tables: Tables | None = None
        self._client_opponents: ClientOpponents | None = None
        self._ended = False
        self._playing = False  # still True if an exception has ended a call
        self._reward = self._owed = self._early = 0.0
        self._actions = options.spec.actions
        self._decoder = options.decoder
        self.observation_space = observation_space(options)
        self.action_space = action_space(options.spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (type(self), self._options.arguments())

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Arrays, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: A number that determines the seeds of this match and of those after it.
            options: No options are allowed.

        Returns:
            The observation and info.

        Raises:
            ValueError: an argument is not allowed.
        """
        for name in options or {}:
            check_choice("an option of reset", name, [])
        check_seed(seed)
        if self._fork():
            self._tables = self._np_random = None  # those of the other process
        elif self._playing:
            self._close_tables()
        if self._tables is None and seed is None:
            seed = self._options.seed
        super().reset(seed=seed)
        self._playing = True
        if seed is not None or self._tables is None:
            batch = self._open()
        elif self._options.episode == "hand" and self._ended and not self._match_over:
            batch = self._again()
        else:
            if self._client_opponents is not None:
                self._client_opponents.begin(np.zeros(1, np.intp))
            batch = self._again([self._next_seed()])
        self._read(batch)
        while self._ended:  # before the learner had a decision
            self._read(self._again())
        self._early, self._reward = self._reward, 0.0
        self._playing = False
        return self._observe()

    def step(self, action: Any) -> _Step:
        """Answer with an action id.

        Args:
            action: The id, one integer.

        Returns:
            Observation, reward, whether the episode terminated and was truncated, and info.

        Raises:
            ResetNeeded: reset has not been called, or in mode DISABLED the episode has ended, or
                an exception, of a policy or by Ctrl-C, has ended the last call.
            ValueError: action is not one integer.
            IllegalActionError: it is no id of the action space or, with ``illegal="raise"``,
                illegal.
        """
        if self._tables is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        if self._playing:
            raise gymnasium.error.ResetNeeded(INTERRUPTED)
        if self._ended and self.autoreset_mode is AutoresetMode.DISABLED:
            raise gymnasium.error.ResetNeeded("the episode has ended: call reset before step")
        if type(action) is not int:
            action = one_integer("the action", action)
        self._playing = True
        wrong = not (0 <= action < self._actions and self._mask[action >> 3] >> (action & 7) & 1)
        if wrong:
            action = self._legalize(action)
        if self._ended:  # in mode NEXT_STEP
            self._playing = False
            observation, info = self.reset()
            return observation, 0.0, False, False, info
        if self._client_opponents is None:
            batch = self._tables.act(self._batch, bytes((action,)))
        else:
            step = self._batch.step[self._row]
            batch = self._tables.act_rows(0, self._player, step, action)
        self._read(batch)
        reward, self._early = self._reward + self._early, 0.0
        observation, info = self._observe()
        info["illegal"] = wrong
        if self._debts:
            info["owed"] = self._owed
        terminated, truncated = bool(self._flags & TERMINATED), bool(self._flags & TRUNCATED)
        if self._ended:
            last = self._batch.last
            entry = int(np.searchsorted(last.row, self._row))
            info.update(
                points=float(last.points[entry]),
                rank=last.rank[entry],
                placement=float(last.placement[entry]),
                seed=last.seed[entry],  # an int would overflow in the arrays of Gymnasium
            )
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                final_obs, final_info = observation, info
                self._playing = False
                observation, info = self.reset()
                info["final_obs"], info["final_info"] = final_obs, final_info
        self._playing = False
        return observation, reward, terminated, truncated, info

    def _legalize(self, action: int) -> int:
        """Return what replaces an action that is not legal, or raise IllegalActionError."""
        masks = self._batch.mask[self._row][None].view(np.int8)
        illegal = "default" if self._ended else self._options.illegal
        try:
            legal: int = legalize(np.array([action]), masks, illegal)[0].item()
        except IllegalActionError:
            self._playing = False
            raise
        return legal

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool, shape ``(actions,)``, as sb3-contrib requires."""
        if self._tables is None:
            raise gymnasium.error.ResetNeeded("call reset before action_masks")
        return self._action_mask().view(np.bool_)

    def render(self) -> Any:
        """Return or show what the learner sees, by the render mode; None without one.

        Examples:
            >>> import sparrowhall
            >>> env = sparrowhall.make("ema_2016", render_mode="browser")
            >>> observation, info = env.reset(seed=1)
            >>> page = env.render()  # open it in a browser
            >>> page.startswith("http://127.0.0.1:")
            True
            >>> env.close()
        """
        if self.render_mode is None:
            warn_without_mode()
            return None
        if self.render_mode == "browser":
            return self._options.page()
        return self._renderer.render(self._view(), self.metadata["render_fps"])

    def close(self) -> None:
        """End the stream and close the window."""
        self._close_tables()
        self._renderer.close()

    def _repr_png_(self) -> bytes | None:
        return None if self._tables is None or not self._tables.usable else png(self._view())

    def _view(self) -> str:
        if self._tables is None:
            raise gymnasium.error.ResetNeeded("call reset before render")
        return self._tables.inspect(0, self._player)

    def _open(self) -> Batch:
        """Open the table and return its first batch."""
        self._close_tables()
        o, seed = self._options, self._next_seed()
        seats = o.built_in_seats()
        if not all_built_in(o.opponents):
            self._client_opponents = ClientOpponents(o, 1, seed)
            seats = {"seats": self._client_opponents.entries()}
        self._tables = o.open_tables(1, auto_reset=False, seeds=[seed], **seats)
        self._rewarder = o.rewarder(self._tables)
        self._debts = self._tables.ruleset.has_debts
        return self._tables.recv()

    def _again(self, seeds: list[int] | None = None) -> Batch:
        """Start the next episode, or a match with a seed, and return its first batch."""
        assert self._tables is not None
        opponents = self._client_opponents
        league = opponents is not None and opponents.league is not None
        batch = self._tables.reset(0, seeds, opponents.entries() if league and opponents else [])
        assert batch is not None
        return batch

    def _close_tables(self) -> None:
        if self._tables is not None:
            self._tables.close()
            self._tables = None
        if self._client_opponents is not None:
            self._client_opponents.close()
            self._client_opponents = None

    def _next_seed(self) -> int:
        return int(self.np_random.integers(0, 2**64, dtype=np.uint64))

    def _read(self, batch: Batch) -> None:
        """Read a batch, and answer for opponents until the learner decides or the episode ends."""
        self._reward = self._owed = 0.0
        opponents = self._client_opponents
        if opponents is None:
            # Without automatic resets the table has one row: a decision or the end.
            moved = self._read_row(batch, 0)
            self._reward = moved if self._rewarder.plain else float(self._rewarder(batch)[0])
            if self._debts:
                self._owed = float(batch.owed[0])
        else:
            self._read_with_opponents(batch, opponents)
        if self.render_mode == "human":
            self.render()

    def _read_with_opponents(self, batch: Batch, opponents: ClientOpponents) -> None:
        assert self._tables is not None
        while True:
            rewards = self._rewarder(batch)
            mine = batch.player == opponents.learner[0]
            for row in np.flatnonzero(mine).tolist():
                self._read_row(batch, row)
                self._reward += float(rewards[row])
                self._owed += float(batch.owed[row])
            opponents.end(batch)
            rows = np.flatnonzero(batch.asked & ~mine)
            if not rows.size:
                return
            answers = opponents.answer(self._tables, batch, rows)
            batch = self._tables.act_rows(
                batch.table[rows], batch.player[rows], batch.step[rows], answers
            )

    def _read_row(self, batch: Batch, row: int) -> float:
        """Read the learner's row, and return the points moved."""
        self._batch, self._row = batch, row
        self._player, self._flags, moved, self._mask = batch.summary_of(row)
        self._ended = not self._flags & ASKED
        self._match_over = self._ended and bool(batch.last.rank.any())
        return moved

    def _action_mask(self) -> NDArray[np.int8]:
        """Return the legal actions, int8, shape ``(actions,)``."""
        return unpack_one_mask(self._mask, self._actions)

    def _observe(self) -> tuple[Arrays, dict[str, Any]]:
        """Return the observation and info, in arrays that the caller may keep."""
        arrays = self._batch.observation_of(self._row)
        if self._decoder is not None:
            arrays = self._decoder.one(arrays)
        mask = arrays[MASK] = self._action_mask()
        info = {MASK: mask.copy(), "player": self._player}
        if self._client_opponents is not None and self._client_opponents.names is not None:
            info["opponents"] = self._client_opponents.names[0]
        return arrays, info


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
