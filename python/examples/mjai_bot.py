"""A small player that speaks mjai lines, to show what a bot has to do.

It keeps its hand closed, gives up the tile with the fewest neighbors, and wins
by self-draw with four sets and a pair. Let it play with

    sparrowhall play --ruleset tenhou --matches 1 \
        --agent "mjai:python3 python/examples/mjai_bot.py" \
        --agent greedy --agent greedy --agent greedy

Every line that is read is answered by one line, "none" where there is nothing to
do. The player's number comes with start_game.
"""

import json
import sys

HONORS = "ESWNPFC"


def kind(tile):
    """The tile as (suit, rank); a red five is a five."""
    if tile in HONORS:
        return "z", HONORS.index(tile) + 1
    return tile[1], int(tile[0])


def neighbors(tile, hand):
    """How many tiles of the hand can be in a set with the tile."""
    suit, rank = kind(tile)
    near = 0 if suit == "z" else 2
    return sum(1 for other in hand if kind(other)[0] == suit and abs(kind(other)[1] - rank) <= near)


def sets(kinds):
    """Whether the kinds, in order, are all triplets and sequences."""
    if not kinds:
        return True
    suit, rank = kinds[0]
    if kinds[:3] == [(suit, rank)] * 3 and sets(kinds[3:]):
        return True
    rest = list(kinds)
    for tile in [(suit, rank), (suit, rank + 1), (suit, rank + 2)]:
        if suit == "z" or tile not in rest:
            return False
        rest.remove(tile)
    return sets(rest)


def complete(hand):
    """Whether the hand is four sets and a pair."""
    kinds = sorted(kind(tile) for tile in hand)
    for pair in set(kinds):
        if kinds.count(pair) >= 2:
            rest = list(kinds)
            rest.remove(pair)
            rest.remove(pair)
            if sets(rest):
                return True
    return False


class Bot:
    """One seat at a table."""

    def __init__(self):
        self.seat = None
        self.hand = []

    def react(self, event):
        """The answer to an event."""
        name = event["type"]
        if name == "start_game":
            self.seat = event["id"]
        elif name == "start_kyoku":
            self.hand = list(event["tehais"][self.seat])
        elif name == "tsumo" and event["actor"] == self.seat:
            return self.turn(event["pai"])
        elif name == "dahai" and event["actor"] == self.seat:
            self.hand.remove(event["pai"])
        return {"type": "none"}

    def turn(self, drawn):
        """What to do with the drawn tile."""
        self.hand.append(drawn)
        if complete(self.hand):
            return {"type": "hora", "actor": self.seat, "target": self.seat, "pai": drawn}
        tile = min(self.hand, key=lambda tile: neighbors(tile, self.hand))
        return {"type": "dahai", "actor": self.seat, "pai": tile, "tsumogiri": tile == drawn}


def main():
    bot = Bot()
    for line in sys.stdin:
        print(json.dumps(bot.react(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
