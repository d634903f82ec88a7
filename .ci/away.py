"""Plays matches of sparrowhall's players in the loops of other programs.

``away.py riichienv3|riichienv4|mjai MATCHES PROGRAM`` needs the package riichienv or mjai. Every
seat is ``PROGRAM bot play``. It prints the answers, those that were refused, and what the players
wrote to standard error; the exit status is 1 if there is either.
"""

import json
import subprocess
import sys
import tempfile

AGENTS = ("value", "expert", "value", "greedy")


class Player:
    """A player that reads arrays of messages."""

    def __init__(self, program, number, agent):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [program, "bot", "play", agent, "--seed", str(number)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
        )
        self.answers = 0
        self.last = ""  # the type of the last event

    def react(self, text):
        self.last = json.loads(text)[-1]["type"]
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        self.answers += 1
        return self.process.stdout.readline().strip()

    def close(self):
        self.process.stdin.close()
        status = self.process.wait()
        self.log.seek(0)
        return status, self.log.read()


def riichienv(players, matches):
    """Play by the loop of riichienv; return the number of answers that it refuses."""
    from riichienv import GameRule, RiichiEnv

    refused = 0
    for match in range(matches):
        env = RiichiEnv(f"{len(players)}p-red-half", rule=GameRule.default_tenhou(), seed=match)
        seen = env.reset()
        while not env.done():
            actions = {}
            for player, observation in seen.items():
                actions[player] = choose(players[player], player, observation)
                if actions[player] is None:
                    refused += 1
                    actions[player] = observation.legal_actions()[0]
            seen = env.step(actions)
        for number, player in enumerate(players):
            events = [json.loads(e) for e in env.get_observation(number).new_events()]
            # Some matches end with the last event of play, others with one or both of these.
            ends = ["end_kyoku", "end_game"]
            last = events[-1]["type"] if events else player.last
            if last in ends:
                ends = ends[ends.index(last) + 1 :]
            if events or ends:
                player.react(json.dumps([*events, *({"type": t} for t in ends)]))
    return refused


def choose(player, number, observation):
    """Return the action of a player, None if it is refused."""
    events = [json.loads(e) for e in observation.new_events()]
    for event in events:
        if event["type"] == "start_game":
            event["id"] = number
    if events[-1]["type"] != "reach":  # its discard has no offer
        offer = [json.loads(a.to_mjai()) for a in observation.legal_actions()]
        events[-1]["possible_actions"] = [a for a in offer if a["type"] != "dahai"]
    return observation.select_action_from_mjai(player.react(json.dumps(events)))


def mjai(players, matches):
    """Play by the arena of the package mjai, without its containers."""
    from mjai.engine import DockerMjaiLogEngine
    from mjai.game import Match

    for match in range(matches):
        with tempfile.TemporaryDirectory() as folder:
            engines = [DockerMjaiLogEngine(str(i), p) for i, p in enumerate(players)]
            Match(log_dir=folder).py_match(*engines, seed_start=(match, 2000))
    return 0  # an illegal answer ends it with an exception


def main():
    kind, matches, program = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    agents = AGENTS[:3] if kind == "riichienv3" else AGENTS
    players = [Player(program, i, agent) for i, agent in enumerate(agents)]
    refused = (mjai if kind == "mjai" else riichienv)(players, matches)
    results = [p.close() for p in players]
    log = "".join(text for _, text in results)
    answers = sum(p.answers for p in players)
    print(f"{kind}: {matches} matches, {answers} answers, {refused} refused")
    print(log, end="")
    sys.exit(1 if refused or log or any(status for status, _ in results) else 0)


main()
