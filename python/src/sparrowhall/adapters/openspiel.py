"""OpenSpiel: importing this module registers the game ``sparrowhall``.

Load it with ``pyspiel.load_game("sparrowhall(ruleset=ema_2016,seed=1)")``. A state is a position in
a server, a clone is a snapshot there, and a serialized state is its game and its history. The seed
determines all tiles, so there are no chance nodes; ``resample_from_infostate`` deals again what a
player cannot see. Where several players must answer they act in turn, and no player sees another's
answer before all have answered.
"""

from __future__ import annotations

import copy
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from sparrowhall._extras import needs
from sparrowhall.actions import action_text
from sparrowhall.batch import Batch
from sparrowhall.server import shared
from sparrowhall.tables import Tables

with needs("sparrowhall.adapters.openspiel", "openspiel"):
    import pyspiel

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
        self._own = threading.local()

    def new_initial_state(self) -> State:
        """Return the first decision of the match with the game's seed."""
        return State(self)

    def observation_tensor_shape(self) -> list[int]:
        """Return the shape of the observation: its tensors one after another."""
        return [sum(int(np.prod(t.shape)) for t in self.spec.tensors)]

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return an observer with the attribute ``tensor``."""
        return _Observer(self)

    def __deepcopy__(self, memo: Any) -> Game:
        return self

    @property
    def _table(self) -> _Table:
        """The table of the thread: a stream is for one."""
        if not hasattr(self._own, "table"):
            self._own.table = _Table(self)
        table: _Table = self._own.table
        return table


class _Table:
    """The table of a stream on which the positions of a game take turns, and one for new deals."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.tables: Tables = shared().open(
            game.ruleset, 2, seeds=[game.seed] * 2, episode=game.episode, auto_reset=False
        )
        self._unused: list[int] = []
        self.tables.recv()
        first = self._stored(0)
        batch = self.tables.restore([0], [first.number])
        assert batch is not None
        self.first = _Position(self, (), batch, [0.0] * game.num_players())
        self.first.handle = first
        self._on = weakref.ref(self.first)

    def put(self, position: _Position) -> None:
        """Put a position on the table."""
        on = self._on()
        if on is position:
            return
        if on is not None and not on.over:
            self.store(on)
        if position.over:
            # The server stores no table whose episode is over: play it again.
            position.batch = self.replay(position.moves).batch
            self._on = weakref.ref(position)
            return
        batch = self.tables.restore([0], [self.store(position).number])
        assert batch is not None
        position.batch = batch  # the same rows, at another step of the stream
        self._on = weakref.ref(position)

    def store(self, position: _Position) -> _Handle:
        """Store a position that is on the table, unless it is stored already."""
        if position.handle is None:
            position.handle = self._stored(0)
        return position.handle

    def after(self, position: _Position, move: _Move) -> _Position:
        """Return the position after a move: the answers of all, or a new deal."""
        self.put(position)
        path, points = (position.path, move), list(position.points)
        if isinstance(move[0], str):
            _, player, seed = move
            batch = self.tables.redeal([0], [player], [seed], [1])
            assert batch is not None
            new = _Position(self, path, batch, points)
            new.handle = self._stored(1)
            return new
        if position.shared:
            self.store(position)
        batch = self.tables.act(position.batch, np.array(move, np.uint8))
        for row, player in enumerate(batch.player):
            points[player] += float(batch.reward[row])
        new = _Position(self, path, batch, points)
        self._on = weakref.ref(new)
        return new

    def replay(self, moves: list[_Move]) -> _Position:
        """Return the position after moves from the beginning."""
        position = self.first
        for move in moves:
            position = self.after(position, move)
        return position

    def _stored(self, table: int) -> _Handle:
        if self._unused:
            self.tables.drop(self._unused)
            self._unused.clear()
        return _Handle(self._unused, int(self.tables.snapshot([table])[0]))


class _Handle:
    """A stored position, deleted when no position refers to it."""

    def __init__(self, unused: list[int], number: int) -> None:
        self._unused = unused
        self.number = number

    def __del__(self) -> None:
        self._unused.append(self.number)


class _Position:
    """A decision of one or several players, or the end of the episode.

    Attributes:
        path: The moves that led to it, as a pair of the path before and the last one.
        batch: The rows of the players.
        points: What each player has won.
        asked: The players who must answer, in the order in which they do.
        over: Whether the episode is over.
        shared: Whether other states may refer to it.
        handle: Where it is stored, if it is.
    """

    def __init__(self, table: _Table, path: Any, batch: Batch, points: list[float]) -> None:
        self.table, self.path, self.batch, self.points = table, path, batch, points
        self.over = not bool(batch.asked.any())
        self.asked = [] if self.over else [int(p) for p in batch.player]
        if path and isinstance(path[1][0], str):  # the player whose view is kept is first
            self.asked.sort(key=lambda p: p != path[1][1])
        self.shared = False
        self.handle: _Handle | None = None

    def __deepcopy__(self, memo: Any) -> _Position:
        # OpenSpiel copies what a state refers to.
        self.shared = True
        return self

    def __reduce__(self) -> Any:
        return _replayed, (str(self.table.game), self.moves)

    @property
    def moves(self) -> list[_Move]:
        """The moves of its path."""
        moves, path = [], self.path
        while path:
            path, move = path
            moves.append(move)
        return moves[::-1]


_Move = tuple[Any, ...]


def _replayed(game: str, moves: list[_Move]) -> _Position:
    position: _Position = pyspiel.load_game(game)._table.replay(moves)
    return position


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
        self._position = game._table.first
        self._answers: dict[int, int] = {}

    def current_player(self) -> int:
        """Return the player who must answer, or OpenSpiel's id for a game that is over."""
        if self._position.over:
            return int(pyspiel.PlayerId.TERMINAL)
        return self._position.asked[len(self._answers)]

    def _legal_actions(self, player: int) -> list[int]:
        batch, asked = self._position.batch, self._position.asked
        if player not in asked:
            return []
        (row,) = np.flatnonzero(batch.player == player)
        return [int(a) for a in np.flatnonzero(batch.mask[row])]

    def _apply_action(self, action: int) -> None:
        position = self._position
        self._answers[self.current_player()] = action
        if len(self._answers) == len(position.asked):
            answers = tuple(self._answers[int(p)] for p in position.batch.player)
            self._position, self._answers = position.table.after(position, answers), {}

    def _action_to_string(self, player: int, action: int) -> str:
        return action_text(action)

    def is_terminal(self) -> bool:
        """Whether the episode is over."""
        return self._position.over

    def returns(self) -> list[float]:
        """Return the points that each player has won, 0 before the end."""
        return [x if self._position.over else 0.0 for x in self._position.points]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> State:
        """Return a state that the player cannot distinguish from this one.

        All tiles that the player cannot see are dealt again, and the answers that others have
        given at this decision are open again.

        Args:
            player: A player who must answer now.
            sampler: Returns random numbers from 0 to 1.
        """
        other = self.clone()
        move = ("redeal", int(player), int(sampler() * 2**53))
        other._position = self._position.table.after(copy.deepcopy(self._position), move)
        other._answers = {}
        return other  # type: ignore[no-any-return]

    def observation_string(self, player: int | None = None) -> str:
        """Return what a player, by default the current one, sees as JSON."""
        return self._tables.inspect(0, self._viewer(player))

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """Return the observation ``planes`` of a player, by default the current one.

        The tensors stand one after another.
        """
        tensors = self._tables.show(0, self._viewer(player), "planes").values()
        parts = [t.ravel().astype(np.float32) for t in tensors]
        flat: list[float] = np.concatenate(parts).tolist()
        return flat

    def _viewer(self, player: int | None) -> int:
        if player is None and self._position.over:
            raise ValueError("the game is over, so there is no current player; name one")
        return self.current_player() if player is None else player

    @property
    def _tables(self) -> Tables:
        """The tables, with the position on the first one."""
        table = self._position.table
        table.put(self._position)
        return table.tables

    def __str__(self) -> str:
        position = self._position
        return "over" if position.over else f"player {self.current_player()} of {position.asked}"


class _Observer:
    def __init__(self, game: Game) -> None:
        self.tensor = np.zeros(game.observation_tensor_shape(), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: State, player: int) -> None:
        self.tensor[:] = state.observation_tensor(player)

    def string_from(self, state: State, player: int) -> str:
        return state.observation_string(player)


pyspiel.register_game(_TYPE, Game)
