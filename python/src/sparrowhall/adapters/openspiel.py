"""OpenSpiel: importing this module registers the game ``sparrowhall``.

Load it with ``pyspiel.load_game("sparrowhall(ruleset=ema_2016,seed=1)")``. A state is a table in a
server, and a clone is a snapshot there. The seed determines all tiles, so there are no chance
nodes. Where several players must answer they act in turn, and no player sees another's answer
before all have answered.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from sparrowhall.actions import action_text
from sparrowhall.server import shared
from sparrowhall.tables import Tables

_TYPE = pyspiel.GameType(
    short_name="sparrowhall",
    long_name="Mahjong by sparrowhall",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.GENERAL_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=4,
    min_num_players=3,
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"ruleset": "ema_2016", "seed": 0, "episode": "match"},
)


class Game(pyspiel.Game):  # type: ignore[misc]
    """The game.

    Attributes:
        ruleset: Name of a preset.
        seed: Seed of the match.
        episode: ``"match"`` or ``"hand"``.
        spec: The observation ``planes``.

    Examples:
        >>> import pyspiel
        >>> import sparrowhall.adapters.openspiel
        >>> game = pyspiel.load_game("sparrowhall(ruleset=ema_2016,seed=1)")
        >>> game.num_players()
        4
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Read the parameters ``ruleset``, ``seed`` and ``episode``."""
        given = params or {}
        self.ruleset = given.get("ruleset", "ema_2016")
        self.seed = int(given.get("seed", 0))
        self.episode = given.get("episode", "match")
        with shared().open(self.ruleset) as tables:
            assert tables.spec is not None
            self.spec, players = tables.spec, tables.seats
        super().__init__(
            _TYPE,
            pyspiel.GameInfo(
                num_distinct_actions=self.spec.actions,
                max_chance_outcomes=0,
                num_players=players,
                min_utility=-1e7,
                max_utility=1e7,
                max_game_length=20_000,
            ),
            given,
        )

    def new_initial_state(self) -> State:
        """Return the first decision of the match with the game's seed."""
        return State(self)

    def observation_tensor_shape(self) -> list[int]:
        """Return the shape of the observation: its tensors one after another."""
        return [sum(int(np.prod(t.shape)) for t in self.spec.tensors)]

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return an observer with the attribute ``tensor``."""
        return _Observer(self)


class _SharedTable:
    """The one table of a stream, on which the states of a game take turns.

    Attributes:
        tables: The stream.
        batch: The rows of the position on the table.
        current: The state whose position is on the table, or None.
        unused: Handles of positions that no state refers to.
    """

    def __init__(self, game: Game) -> None:
        self.tables: Tables = shared().open(
            game.ruleset, 1, seeds=[game.seed], episode=game.episode, auto_reset=False
        )
        self.batch = self.tables.recv()
        self.current: State | None = None
        self.unused: list[int] = []

    def snapshot(self) -> _Handle:
        """Store the position on the table."""
        if self.unused:
            self.tables.drop(self.unused)
            self.unused.clear()
        return _Handle(self, int(self.tables.snapshot([0])[0]))


class _Handle:
    """A stored position, deleted when no state refers to it."""

    def __init__(self, table: _SharedTable, number: int) -> None:
        self._table = table
        self.number = number

    def __del__(self) -> None:
        self._table.unused.append(self.number)


class State(pyspiel.State):  # type: ignore[misc]
    """A decision or the end of the episode, stored in the server.

    Examples:
        >>> import pyspiel
        >>> import sparrowhall.adapters.openspiel
        >>> state = pyspiel.load_game("sparrowhall(ruleset=ema_2016,seed=1)").new_initial_state()
        >>> state.apply_action(state.legal_actions()[0])
    """

    def __init__(self, game: Game) -> None:
        """Start the match."""
        super().__init__(game)
        self._game = game
        self._table = _SharedTable(game)
        self._table.current = self
        self._handle: _Handle | None = None
        self._answers: dict[int, int] = {}
        self._points: list[float] = [0.0] * game.num_players()
        self._read()

    def _read(self) -> None:
        """Read the rows of the position on the table."""
        batch = self._table.batch
        self._batch = batch
        self._over = not bool(batch.asked.any())
        self._asked = [] if self._over else [int(p) for p in batch.player]
        self._handle = None
        for row, player in enumerate(batch.player):
            self._points[player] += float(batch.reward[row])

    def _store(self) -> _Handle:
        """Store the position, unless it is stored already, and return its handle."""
        if self._handle is None:
            assert self._table.current is self
            self._handle = self._table.snapshot()
        return self._handle

    def _restore(self) -> None:
        """Put the position on the table."""
        table = self._table
        if table.current is self:
            return
        if table.current is not None and not table.current._over:
            table.current._store()
        restored = table.tables.restore([0], [self._store().number])
        assert restored is not None
        table.batch = self._batch = restored
        table.current = self

    def clone(self) -> State:
        """Return a copy, which is a snapshot in the server."""
        other = State.__new__(State)
        pyspiel.State.__init__(other, self._game)
        if not self._over:
            self._store()
        other.__dict__.update(self.__dict__)
        other._answers, other._points = dict(self._answers), list(self._points)
        return other

    def __deepcopy__(self, memo: Any) -> State:
        return self.clone()

    def current_player(self) -> int:
        """Return the player who must answer, or OpenSpiel's id for a game that is over."""
        if self._over:
            return int(pyspiel.PlayerId.TERMINAL)
        return self._asked[len(self._answers)]

    def _legal_actions(self, player: int) -> list[int]:
        if self._over or player not in self._asked:
            return []
        return [int(a) for a in np.flatnonzero(self._batch.mask[self._asked.index(player)])]

    def _apply_action(self, action: int) -> None:
        self._answers[self.current_player()] = action
        if len(self._answers) < len(self._asked):
            return
        self._restore()
        self._batch = self._table.batch
        answers = np.array([self._answers[p] for p in self._asked], np.uint8)
        self._table.batch = self._table.tables.act(self._table.batch, answers)
        self._answers = {}
        self._read()

    def _action_to_string(self, player: int, action: int) -> str:
        return action_text(action)

    def is_terminal(self) -> bool:
        """Whether the episode is over."""
        return self._over

    def returns(self) -> list[float]:
        """Return the points that each player has won, 0 before the end."""
        return list(self._points) if self._over else [0.0] * len(self._points)

    def observation_string(self, player: int) -> str:
        """Return what a player sees as JSON."""
        if not self._over:
            self._restore()
        return self._table.tables.inspect(0, player)

    def observation_tensor(self, player: int) -> list[float]:
        """Return the observation ``planes`` of a player, its tensors one after another."""
        if not self._over:
            self._restore()
        tensors = self._table.tables.show(0, player, "planes").values()
        parts = [t.ravel().astype(np.float32) for t in tensors]
        flat: list[float] = np.concatenate(parts).tolist()
        return flat

    def __str__(self) -> str:
        return f"{self._game.ruleset}: " + ("over" if self._over else f"player {self._asked}")


class _Observer:
    def __init__(self, game: Game) -> None:
        self.tensor = np.zeros(game.observation_tensor_shape(), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: State, player: int) -> None:
        self.tensor[:] = state.observation_tensor(player)

    def string_from(self, state: State, player: int) -> str:
        return state.observation_string(player)


pyspiel.register_game(_TYPE, Game)
