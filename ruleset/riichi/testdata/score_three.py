"""Scores hands of three players, one JSON object a line, with riichienv."""

import json
import sys

from riichienv import Meld, MeldType
from riichienv.hand import Conditions, HandEvaluator3P

TYPES = {"pon": MeldType.Pon, "open_kan": MeldType.Daiminkan, "added_kan": MeldType.Kakan, "closed_kan": MeldType.Ankan, "chi": MeldType.Chi}


def score(hand):
    # Tile 4 * kind + copy; copy 0 of a five is red.
    free = {}
    for kind in range(34):
        five = kind in (4, 13, 22)
        red = five and kind in hand["reds"]
        free[kind] = ([4 * kind] if red else []) + [4 * kind + i for i in (1, 2, 3)] + ([4 * kind] if not five else [])

    def take(kind):
        return free[kind].pop(0)

    win = take(hand["tile"])
    held = [take(k) for k in hand["concealed"]]
    melds = [Meld(TYPES[m["type"]], [take(k) for k in m["tiles"]], m["type"] != "closed_kan", 1) for m in hand["melds"]]
    result = HandEvaluator3P(held, melds).calc(
        win,
        dora_indicators=[4 * k + 1 for k in hand["dora"]],
        ura_indicators=[4 * k + 1 for k in hand["ura"]],
        conditions=Conditions(
            player_wind=hand["seat"], round_wind=hand["round"], kita_count=hand["norths"], is_sanma=True, num_players=3, **hand["conditions"]
        ),
    )
    if hand["conditions"]["tsumo"]:
        points = 2 * result.tsumo_agari_ko if hand["seat"] == 0 else result.tsumo_agari_oya + result.tsumo_agari_ko
    else:
        points = result.ron_agari
    yaku = [y.name_en for y in result.yaku_list()]
    return {"win": result.is_win, "han": result.han, "fu": result.fu, "yakuman": result.yakuman, "points": points, "yaku": yaku}


for line in sys.stdin:
    print(json.dumps(score(json.loads(line))))
