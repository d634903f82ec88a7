"""OpenSpiel: the game sparrowhall, with clones that are snapshots in the server, and a search."""

import random
import time

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

from sparrowhall.adapters import openspiel

game = pyspiel.load_game("sparrowhall(ruleset=zung_jung,seed=3,episode=hand)")
state = game.new_initial_state()
rng = random.Random(1)
played = []
clones = 0
start = time.perf_counter()
while not state.is_terminal():
    other = state.clone()
    clones += 1
    if clones % 10 == 0:  # a clone goes its own way and leaves the state alone
        for _ in range(3):
            if not other.is_terminal():
                other.apply_action(rng.choice(other.legal_actions()))
        assert len(state.observation_tensor()) > 2000
    action = rng.choice(state.legal_actions())
    played.append(action)
    state.apply_action(action)
took = (time.perf_counter() - start) / clones
again = game.new_initial_state()
for action in played:
    again.apply_action(action)
assert again.is_terminal()
assert again.returns() == state.returns()
print(f"openspiel: returns {state.returns()}, {1000 * took:.2f} ms a step with a clone")
assert isinstance(game, openspiel.Game)

# Information-set MCTS: each simulation deals again what the player cannot see.
drawn = np.random.RandomState(1)
search = ISMCTSBot(
    game,
    RandomRolloutEvaluator(1, drawn),
    uct_c=1000.0,
    max_simulations=20,
    random_state=drawn,
    use_observation_string=True,
)
state = game.new_initial_state()
print("ismcts:", state.action_to_string(search.step(state)))
