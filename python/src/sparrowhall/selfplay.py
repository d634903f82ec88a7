"""Self-play: the learner in all seats of many tables.

``make_selfplay`` returns one batch of decisions after another. Rewards and
returns are kept for each actor, which is a player of a table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparrowhall._checks import INTERRUPTED, check_seed
from sparrowhall._closing import Closing
from sparrowhall._process import Fork
from sparrowhall.batch import FIRST, Batch, ended_rows, reward_units
from sparrowhall.errors import RequestError
from sparrowhall.options import SelfPlayOptions, rebuild, takes
from sparrowhall.policy import refuse_unknown
from sparrowhall.spec import Arrays


class Ends:
    """Actors whose episodes have ended, an entry for each, in no order.

    Attributes:
        actor: The actor, uint32, shape ``(m,)``.
        reward: Reward since the actor's last decision, float64.
        returns: Sum of the rewards of the episode, float64.
        played: Whether the actor had a decision in the episode, bool.
        truncated: Whether the episode was cut off, bool.
        points: Points at the end, float64.
        rank: 1 and up where the match is over, else 0, uint8.
        placement: Placement points where the match is over, else 0, float64.
        seed: Seed of the match where it is over, else 0, uint64.
        shared_rank: The rank, the mean of their ranks for players who are tied, where the match
            is over, else 0, float64.
        observation: The last observations by name, each of shape ``(m, ...)``.
    """

    def __init__(
        self,
        batch: Batch,
        rows: NDArray[np.intp],
        actor: NDArray[np.uint32],
        reward: NDArray[np.float64],
        returns: NDArray[np.float64],
        decode: Callable[[Arrays], Arrays],
    ) -> None:
        self.actor, self.reward, self.returns, self._decode = actor, reward, returns, decode
        self._batch, self._rows = batch, rows

    @property
    def played(self) -> NDArray[np.bool_]:  # noqa: D102
        played: NDArray[np.bool_] = (self._batch.flags[self._rows] & FIRST) == 0
        return played

    @property
    def truncated(self) -> NDArray[np.bool_]:  # noqa: D102
        return self._batch.truncated[self._rows]

    @property
    def points(self) -> NDArray[np.float64]:  # noqa: D102
        return self._batch.last.points

    @property
    def rank(self) -> NDArray[np.uint8]:  # noqa: D102
        return self._batch.last.rank

    @property
    def placement(self) -> NDArray[np.float64]:  # noqa: D102
        return self._batch.last.placement

    @property
    def seed(self) -> NDArray[np.uint64]:  # noqa: D102
        return self._batch.last.seed

    @property
    def shared_rank(self) -> NDArray[np.float64]:  # noqa: D102
        return self._batch.last.shared_rank

    @cached_property
    def observation(self) -> dict[str, NDArray[Any]]:  # noqa: D102
        return self._decode(self._batch.observations_of(self._rows))


class Turn:
    """Decisions to be made, one row for each, and the actors whose episodes have just ended.

    Arrays are computed on first access, as those of ``Batch``.

    Attributes:
        actor: ``table * players + player`` of each row, uint32, shape ``(n,)``. The rows of an
            actor follow each other in time; no two rows of a turn have the same actor.
        reward: Reward since the actor's last decision, or since the start of the episode,
            float64, shape ``(n,)``.
        first: Whether it is the actor's first decision in the episode, bool, shape ``(n,)``.
        ends: The actors whose episodes have ended since the last turn; None if there are none.
        batch: All rows as the client received them.
    """

    def __init__(
        self,
        batch: Batch,
        rows: NDArray[np.intp] | None,
        seats: int,
        rewards: NDArray[np.float64] | None,
        ends: Ends | None,
        decode: Callable[[Arrays], Arrays],
    ) -> None:
        self.batch, self.ends, self._decode = batch, ends, decode
        self._rows = rows  # of the batch, None for all
        self._seats = seats
        self._rewards = rewards  # of all rows of the batch, None for their points

    def __len__(self) -> int:
        return len(self.batch) if self._rows is None else len(self._rows)

    @cached_property
    def actor(self) -> NDArray[np.uint32]:  # noqa: D102
        return self._of(self.batch.table * np.uint32(self._seats) + self.batch.player)

    @cached_property
    def reward(self) -> NDArray[np.float64]:  # noqa: D102
        return self._of(self.batch.reward if self._rewards is None else self._rewards)

    @property
    def first(self) -> NDArray[np.bool_]:  # noqa: D102
        first: NDArray[np.bool_] = (self._of(self.batch.flags) & FIRST) != 0
        return first

    @property
    def player(self) -> NDArray[np.uint8]:
        """Player of each row, uint8, shape ``(n,)``."""
        return self._of(self.batch.player)

    @property
    def table(self) -> NDArray[np.uint32]:
        """Table of each row, uint32, shape ``(n,)``."""
        return self._of(self.batch.table)

    @property
    def mask(self) -> NDArray[np.uint8]:
        """Legal actions, uint8 of 0 and 1, shape ``(n, actions)``."""
        return self._of(self.batch.mask)

    @property
    def mask_words(self) -> NDArray[np.uint64]:
        """Legal actions as words, uint64, shape ``(n, 3)``, for ``sparrowhall.sample``."""
        return self._of(self.batch.mask_words)

    @property
    def observation(self) -> dict[str, NDArray[Any]]:
        """The tensors by name, each of shape ``(n, ...)``, bits unpacked to uint8 or decoded."""
        return self._decode({name: self._of(t) for name, t in self.batch.observation.items()})

    @property
    def packed(self) -> dict[str, NDArray[Any]]:
        """The tensors with bits packed, 8 a byte; see ``sparrowhall.unpack``."""
        return {name: self._of(t) for name, t in self.batch.packed.items()}

    def _of(self, column: NDArray[Any]) -> NDArray[Any]:
        return column if self._rows is None else column[self._rows]


class SelfPlay(Closing):
    """Tables whose players are all the learner. Close it, or use it as a context manager.

    A copy, and one that was pickled, is an environment of the same arguments that has not been
    reset. In a process forked from the one that made it, ``reset`` opens new tables.

    Attributes:
        num_envs: Number of tables.
        num_actors: Number of players of all tables.
        returns: Rewards of each actor in its episode so far, float64, shape ``(num_actors,)``.

    Examples:
        >>> import numpy as np
        >>> import sparrowhall
        >>> rng = np.random.default_rng(1)
        >>> with sparrowhall.make_selfplay("ema_2016", num_envs=4, seed=1) as env:
        ...     turn = env.reset()
        ...     for _ in range(100):
        ...         turn = env.step(sparrowhall.sample(turn.mask_words, rng))
        >>> env.num_actors
        16
    """

    @takes(SelfPlayOptions)
    def __init__(self, options: SelfPlayOptions) -> None:
        """Open the tables.

        Raises:
            ValueError: an option is not allowed.
            RequestError: the server refuses the ruleset.
            ServerError: the server cannot be reached.
        """
        self._options, self._seed = options, options.seed
        self._fork = Fork()
        self.num_envs = int(options.num_envs)
        self._decode = options.decoder or _as_they_are
        self._open()

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (type(self), self._options.arguments())

    def _open(self) -> None:
        seed = self._seed
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self._tables = self._options.open_tables(self.num_envs, seed=seed)
        self._seats = self._options.seats
        self.num_actors = self.num_envs * self._seats
        self.returns = np.zeros(self.num_actors)
        self._rewarder = self._options.rewarder(self._tables)
        self._turn: Turn | None = None
        self._fresh = True  # no matches have been started

    def reset(self, seed: int | None = None) -> Turn:
        """Start new matches at all tables, and return the first decisions.

        Args:
            seed: The seed; that of the environment if None, and after that a random one.

        Raises:
            ValueError: seed is not allowed.
        """
        check_seed(seed)
        if not self._fresh or seed is not None:
            self._seed = seed
        if self._fork() or not self._fresh or seed is not None:
            self._tables.close()
            self._open()
        self._fresh = False
        self._turn = self._read(self._tables.recv())
        return self._turn

    def step(self, actions: ArrayLike) -> Turn:
        """Answer all decisions of the last turn, and return the next ones.

        Args:
            actions: Action ids, integers of shape ``(n,)``.

        Raises:
            RequestError: an action is illegal. No table has changed.
            IllegalActionError: an action is no id of the action space. No table has changed.
            ValueError: actions have another shape; or reset has not been called, at first or
                after an exception, such as by Ctrl-C, ended a call.
        """
        turn = self._turn
        if turn is None:
            raise ValueError("call reset before step" if self._fresh else INTERRUPTED)
        given = np.asarray(actions)
        if given.shape != (len(turn),):
            raise ValueError(f"actions have shape {given.shape}, not ({len(turn)},)")
        refuse_unknown(given, self._tables.actions)
        if turn._rows is not None:
            actions = np.zeros(len(turn.batch), given.dtype)
            actions[turn._rows] = given
        self._turn = None  # for exceptions that end the call in the middle
        try:
            batch = self._tables.act(turn.batch, actions)
        except (RequestError, TypeError, ValueError):
            self._turn = turn
            raise
        self._turn = self._read(batch)
        return self._turn

    def _read(self, batch: Batch) -> Turn:
        rewards = None if self._rewarder.plain else self._rewarder(batch)
        # Few rows move points, so that numbers take less time than arrays.
        amounts, unit = reward_units(batch) if rewards is None else (rewards, 1)
        moved: list[int] = amounts.nonzero()[0].tolist()
        table, player, seats, returns = batch.table, batch.player, self._seats, self.returns
        if not batch._last_rows:
            for row in moved:  # no actor has two rows
                returns[table[row] * seats + player[row]] += amounts[row] / unit
            return Turn(batch, None, seats, rewards, None, self._decode)
        ended, rows = ended_rows(batch), batch.asked.nonzero()[0]
        actor = table[ended] * np.uint32(seats) + player[ended]
        reward = amounts[ended] / unit
        # An actor may have several ends: episodes in which it had no decision.
        sums = np.zeros(len(ended))
        for i, (a, r) in enumerate(zip(actor.tolist(), reward.tolist(), strict=True)):
            sums[i] = returns[a] + r
            returns[a] = 0.0
        for row in moved:
            if batch.asked[row]:
                returns[table[row] * seats + player[row]] += amounts[row] / unit
        ends = Ends(batch, ended, actor, reward, sums, self._decode)
        return Turn(batch, rows, seats, rewards, ends, self._decode)

    def close(self) -> None:
        """End the stream."""
        self._tables.close()


def _as_they_are(arrays: Arrays) -> Arrays:
    return arrays


make_selfplay = SelfPlay
"""An environment in which the learner has all seats."""
