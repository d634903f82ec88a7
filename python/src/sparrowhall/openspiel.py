"""OpenSpiel: importing this module registers the game ``sparrowhall``.

``pyspiel.load_game("sparrowhall(ruleset=ema_2016,seed=1)")``. A state is a table in a server: a clone
is a snapshot there, and applies nothing again. All tiles follow from the seed, so there are no
chance nodes; where several players must answer they are asked one after the other and see
nothing of each other's answers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from sparrowhall.actions import NUM_ACTIONS, action_text
from sparrowhall.client import Tables
from sparrowhall.server import shared

_PLAYERS = 4

_TYPE = pyspiel.GameType(
    short_name="sparrowhall",
    long_name="Mahjong by sparrowhall",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.GENERAL_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=_PLAYERS,
    min_num_players=_PLAYERS,
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"ruleset": "ema_2016", "seed": 0, "episode": "match"},
)


class Game(pyspiel.Game):  # type: ignore[misc]
    """The game; its parameters are ``ruleset``, ``seed`` and ``episode`` (match or hand)."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Make it."""
        given = params or {}
        self.ruleset = given.get("ruleset", "ema_2016")
        self.seed = int(given.get("seed", 0))
        self.episode = given.get("episode", "match")
        self.spec = shared().observation("planes")
        super().__init__(
            _TYPE,
            pyspiel.GameInfo(
                num_distinct_actions=NUM_ACTIONS,
                max_chance_outcomes=0,
                num_players=_PLAYERS,
                min_utility=-1e7,
                max_utility=1e7,
                max_game_length=20_000,
            ),
            given,
        )

    def new_initial_state(self) -> State:
        """Return the first decision of the match of the seed."""
        return State(self)

    def observation_tensor_shape(self) -> list[int]:
        """Return the shape of the observation: its tensors one after the other."""
        return [sum(int(np.prod(t.shape)) for t in self.spec.tensors)]

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return an observer with the attribute ``tensor``."""
        return _Observer(self)


class _Pool:
    """The tables of one stream that states take turns at; one is enough, as all are kept."""

    def __init__(self, game: Game) -> None:
        self.tables: Tables = shared().open(
            game.ruleset, 1, seeds=[game.seed], episode=game.episode, auto_reset=False
        )
        self.batch = self.tables.recv()
        self.at: State | None = None  # whose position lies on the table
        self.unit = float(self.tables.ruleset.units_per_point)
        self.unused: list[int] = []  # handles that no state has any longer

    def keep(self) -> _Handle:
        """Keep what lies on the table."""
        if self.unused:
            self.tables.drop(self.unused)
            self.unused.clear()
        return _Handle(self, int(self.tables.snapshot([0])[0]))


class _Handle:
    """A kept position, forgotten when no state has it any longer."""

    def __init__(self, pool: _Pool, number: int) -> None:
        self._pool = pool
        self.number = number

    def __del__(self) -> None:
        self._pool.unused.append(self.number)


class State(pyspiel.State):  # type: ignore[misc]
    """A decision, kept in the server."""

    def __init__(self, game: Game) -> None:
        """Begin the match."""
        super().__init__(game)
        self._game = game
        self._pool = _Pool(game)
        self._pool.at = self
        self._handle: _Handle | None = None
        self._answers: dict[int, int] = {}
        self._told: list[float] = [0.0] * _PLAYERS
        self._look()

    def _look(self) -> None:
        """Take in what lies on the table."""
        batch = self._pool.batch
        self._batch = batch
        self._over = not bool(batch.asked.any())
        self._asked = [] if self._over else [int(p) for p in batch.player]
        self._handle = None
        for row, player in enumerate(batch.player):
            self._told[player] += int(batch.reward[row]) / self._pool.unit

    def _keep(self) -> _Handle:
        """Return the kept position."""
        if self._handle is None:
            assert self._pool.at is self
            self._handle = self._pool.keep()
        return self._handle

    def _sit(self) -> None:
        """Put the position on the table."""
        pool = self._pool
        if pool.at is self:
            return
        if pool.at is not None and not pool.at._over:
            pool.at._keep()
        restored = pool.tables.restore([0], [self._keep().number])
        assert restored is not None
        pool.batch = self._batch = restored
        pool.at = self

    def clone(self) -> State:
        """Return a copy, which is a snapshot in the server."""
        other = State.__new__(State)
        pyspiel.State.__init__(other, self._game)
        if not self._over:
            self._keep()
        other.__dict__.update(self.__dict__)
        other._answers, other._told = dict(self._answers), list(self._told)
        return other

    def __deepcopy__(self, memo: Any) -> State:
        return self.clone()

    def current_player(self) -> int:
        """Return who is asked, or that the game is over."""
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
        self._sit()
        self._batch = self._pool.batch
        answers = np.array([self._answers[p] for p in self._asked], np.uint8)
        self._pool.batch = self._pool.tables.act(self._pool.batch, answers)
        self._answers = {}
        self._look()

    def _action_to_string(self, player: int, action: int) -> str:
        return action_text(action)

    def is_terminal(self) -> bool:
        """Whether the episode is over."""
        return self._over

    def returns(self) -> list[float]:
        """Return the points each player has won, 0 before the end."""
        return list(self._told) if self._over else [0.0] * _PLAYERS

    def observation_string(self, player: int) -> str:
        """Return what a player sees as JSON."""
        if not self._over:
            self._sit()
        return self._pool.tables.inspect(0, player)

    def observation_tensor(self, player: int) -> list[float]:
        """Return what a player sees, its tensors one after the other."""
        if not self._over:
            self._sit()
        seen = self._pool.tables.show(0, player, "planes").values()
        flat: list[float] = np.concatenate([t.ravel().astype(np.float32) for t in seen]).tolist()
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
