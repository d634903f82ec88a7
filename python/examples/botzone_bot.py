"""A small player for Chinese Standard Mahjong on Botzone, to show the protocol.

It never claims, and gives up the tile with the fewest neighbors. Let it play with

    sparrowhall play --ruleset botzone --matches 10 \
        --agent "botzone:python3 python/examples/botzone_bot.py" \
        --agent greedy --agent greedy --agent greedy

It keeps running: after the first line, which has all requests so far, each line is
one request. With --once it ends after each response and is started anew with all
requests and responses, as Botzone does with a program that does not ask to be kept.
"""

import json
import sys

KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"


def neighbors(tile, hand):
    """How many tiles of the hand can be in a set with the tile."""
    near = 2 if tile[0] in "WBT" else 0
    return sum(
        1 for other in hand if other[0] == tile[0] and abs(int(other[1]) - int(tile[1])) <= near
    )


class Bot:
    """One seat at a table."""

    def __init__(self):
        self.seat = None
        self.hand = []

    def react(self, request):
        """The response to a request."""
        words = request.split()
        if words[0] == "0":
            self.seat = words[1]
        elif words[0] == "1":
            self.hand = words[5:18]
        elif words[0] == "2":
            self.hand.append(words[1])
            return "PLAY " + min(self.hand, key=lambda tile: neighbors(tile, self.hand))
        elif words[1] == self.seat and words[2] == "PLAY":
            self.hand.remove(words[3])
        return "PASS"


def main():
    bot = Bot()
    for line in sys.stdin:
        message = json.loads(line)
        requests = message["requests"] if isinstance(message, dict) else [message]
        for request in requests:
            response = bot.react(request)
        print(json.dumps({"response": response}))
        if "--once" in sys.argv:
            return
        print(KEEP_RUNNING, flush=True)


if __name__ == "__main__":
    main()
