"""Lets readers of the mjai protocol that were written elsewhere read a folder of logs.

riichienv replays each log and names its winners; the state of a player in the mjai
package follows each log from all four seats. Prints what they refuse, and exits
with 1 if there is any of it. What riichienv makes of the value of a hand is not
compared: in mjai logs it takes every win for one on the last tile.
"""

import json
import pathlib
import sys

import riichienv
from mjai.mlibriichi.state import PlayerState


def winners(lines):
    """Returns who wins each hand, as the log tells."""
    hands = []
    for line in lines:
        message = json.loads(line)
        if message["type"] == "start_kyoku":
            hands.append([])
        elif message["type"] == "hora":
            hands[-1].append(message["actor"])
    return hands


def replay(path, lines):
    """Replays a log in riichienv and compares who wins."""
    got = []
    for hand in riichienv.MjaiReplay.from_jsonl(str(path)).take_kyokus():
        list(hand.steps())
        got.append([win.seat for win in hand.take_win_result_contexts()])
    want = winners(lines)
    assert got == want, f"it has the winners {got}; the log has {want}"


def follow(lines):
    """Follows a log as each player."""
    for player in range(4):
        state = PlayerState(player)
        for line in lines:
            state.update(line)


def main(folder):
    paths = sorted(pathlib.Path(folder).iterdir())
    refused = 0
    for path in paths:
        lines = path.read_text().splitlines()
        try:
            replay(path, lines)
            follow(lines)
        except BaseException as e:  # a panic of Rust is not an Exception
            refused += 1
            print(f"{path.name}: {e}")
    print(f"{len(paths) - refused} of {len(paths)} logs read")
    sys.exit(refused > 0 or not paths)


main(sys.argv[1])
