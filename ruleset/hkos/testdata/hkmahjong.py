"""Scores hands with the hk-mahjong package.

Reads one hand a line, a JSON object with concealed tiles, melds, flowers and circumstances,
and answers each with a JSON list of the names and faan of its best reading. Tiles are
numbered 0 to 33: characters, dots, bamboo, winds, white, green and red.
"""

import json
import sys

from hk_mahjong.core import meld, scoring, tiles, win_check

SUITS = [tiles.Suit[name] for name in tiles.Suit.__members__]
WINDS = [tiles.Wind.EAST, tiles.Wind.SOUTH, tiles.Wind.WEST, tiles.Wind.NORTH]
DRAGONS = [tiles.Dragon.WHITE, tiles.Dragon.GREEN, tiles.Dragon.RED]
MELDS = {
    "chi": meld.MeldType.CHOW,
    "pon": meld.MeldType.PONG,
    "open_kan": meld.MeldType.KONG,
    "added_kan": meld.MeldType.KONG,
    "closed_kan": meld.MeldType.CONCEALED_KONG,
}


def tile(kind):
    if kind < 27:
        return tiles.make_suited(SUITS[kind // 9], kind % 9 + 1)
    if kind < 31:
        return tiles.Tile(wind=WINDS[kind - 27])
    return tiles.Tile(dragon=DRAGONS[kind - 31])


def bonus(flower):
    kind = tiles.BonusType.SEASON if flower < 4 else tiles.BonusType.FLOWER
    return tiles.Tile(bonus_type=kind, bonus_number=flower % 4 + 1)


def score(hand):
    melds = [meld.Meld(MELDS[m["type"]], tuple(map(tile, m["tiles"]))) for m in hand["melds"]]
    concealed = list(map(tile, hand["concealed"]))
    best = None
    for reading in win_check.check_win(concealed, melds):
        result = scoring.score_hand(
            scoring.ScoringContext(
                reading,
                melds,
                concealed,
                list(map(bonus, hand["flowers"])),
                tile(hand["tile"]),
                hand["self_draw"],
                WINDS[hand["seat"]],
                WINDS[hand["round"]],
                hand["last_tile"],
                hand["after_kan"],
                hand["robbing"],
            )
        )
        # The total is cut at 13, which would hide the better of two readings.
        items = [[item.name, item.faan] for item in result.items]
        if best is None or sum(faan for _, faan in items) > sum(faan for _, faan in best):
            best = items
    return best or []


for line in sys.stdin:
    print(json.dumps(score(json.loads(line))))
