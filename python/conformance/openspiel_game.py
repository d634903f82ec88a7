"""OpenSpiel: random_sim_test with serialization, ISMCTSBot, and random play to many ends."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyspiel
from common import ENDS, check
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

import sparrowhall.adapters.openspiel  # noqa: F401, registers the game


def game(ruleset: str) -> Any:
    """Return the game of one hand."""
    return pyspiel.load_game(f"sparrowhall(ruleset={ruleset},seed=1,episode=hand)")


def simulated(ruleset: str) -> None:
    """Hold the game to its test."""
    pyspiel.random_sim_test(game(ruleset), num_sims=1, serialize=True, verbose=False)


def searched(ruleset: str) -> None:
    """Play a hand by a search of few simulations."""
    of, drawn = game(ruleset), np.random.RandomState(1)
    bot = ISMCTSBot(
        of,
        RandomRolloutEvaluator(1, drawn),
        uct_c=1000.0,
        max_simulations=4,
        random_state=drawn,
        use_observation_string=True,
    )
    state = of.new_initial_state()
    while not state.is_terminal():
        state.apply_action(bot.step(state))


def played(ruleset: str) -> int:
    """Play by random legal actions."""
    of, rng = game(ruleset), random.Random(1)
    for _ in range(ENDS):
        state = of.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
        assert len(state.returns()) == of.num_players()
    return ENDS


if __name__ == "__main__":
    check("open_spiel", "random_sim_test, serialized", simulated)
    check("open_spiel", "ISMCTSBot", searched)
    check("open_spiel", "random play", played)
