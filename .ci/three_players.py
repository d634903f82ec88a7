"""Plays games of riichienv's three-player mode and writes them as mjai logs.

    python .ci/three_players.py tenhou 0 1000 FOLDER

plays seeds 0 to 999 by its rules of Tenhou; mjsoul plays by those of Mahjong Soul. Players
win, declare riichi and kans, and set Norths aside most of the time, so that rare events
happen; otherwise they lower their shanten. docs/rules/riichi.md has what importing shows.
"""

import json
import pathlib
import random
import sys

from riichienv import ActionType, GameRule, RiichiEnv, calculate_shanten_3p

OFTEN = (
    (ActionType.TSUMO, 0.9),
    (ActionType.RON, 0.9),
    (ActionType.KYUSHU_KYUHAI, 0.9),
    (ActionType.RIICHI, 0.9),
    (ActionType.KITA, 0.6),
    (ActionType.ANKAN, 0.8),
    (ActionType.KAKAN, 0.8),
    (ActionType.DAIMINKAN, 0.5),
    (ActionType.PON, 0.3),
)


def choose(rng, observation):
    """Returns the action of a player, None without a choice."""
    legal = observation.legal_actions()
    if not legal:
        return None
    by_type = {}
    for action in legal:
        by_type.setdefault(action.action_type, []).append(action)
    for kind, probability in OFTEN:
        if kind in by_type and rng.random() < probability:
            return rng.choice(by_type[kind])
    discards = by_type.get(ActionType.DISCARD)
    if not discards or rng.random() >= 0.97:
        calm = [a for a in legal if a.action_type not in (ActionType.PON, ActionType.DAIMINKAN)]
        return rng.choice(calm or legal)
    hand = list(observation.hand)
    rng.shuffle(discards)

    def shanten(action):
        rest = hand[:]
        if action.tile in rest:
            rest.remove(action.tile)
        return calculate_shanten_3p(rest)

    return min(discards, key=shanten)


def play(seed, rule):
    """Returns the log of a game."""
    rng = random.Random(seed)
    rules = GameRule.default_mjsoul() if rule == "mjsoul" else GameRule.default_tenhou()
    env = RiichiEnv(game_mode="3p-red-half", seed=seed, rule=rules)
    observations = env.reset()
    while not env.is_done:
        actions = {p: choose(rng, o) for p, o in observations.items()}
        observations = env.step({p: a for p, a in actions.items() if a is not None})
    return env.mjai_log


def main(rule, first, end, folder):
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    for seed in range(int(first), int(end)):
        lines = [json.dumps(message) + "\n" for message in play(seed, rule)]
        (out / f"{rule}-{seed:05d}.mjson").write_text("".join(lines))


main(*sys.argv[1:])
