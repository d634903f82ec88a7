"""Text of what a player sees, from the JSON that ``Tables.inspect`` returns."""

from __future__ import annotations

import json
import re
from typing import Any

_WIND = {"E": "East", "S": "South", "W": "West", "N": "North"}
_TILES = re.compile(r"(\d+)([mpszf])")


def tiles(text: str) -> list[str]:
    """Return the tiles of a text such as ``"234m5z"``: ``["2m", "3m", "4m", "5z"]``."""
    return [rank + suit for ranks, suit in _TILES.findall(text) for rank in ranks]


def discards_of(table: dict[str, Any], player: int) -> list[dict[str, Any]]:
    """Return a player's discards, oldest first."""
    return [d for d in table["discards"] if d["player"] == player]


def table_text(view: str) -> str:
    """Return a table as lines of text.

    Args:
        view: What a player sees as JSON, as ``Tables.inspect`` returns it. The player comes
            first, then the others in turn order.
    """
    table = json.loads(view)
    lines = [headline(table)]
    for number, player in enumerate(table["players"]):
        mark = ">" if table.get("turn") == number else " "
        name = "you" if number == 0 else f"player +{number}"
        parts = [f"{mark} {player['wind']} {name:9} {player['points']:>7}"]
        parts.append(f"{player['concealed']:>2} tiles")
        parts += [_meld(m) for m in player.get("melds", [])]
        if "flowers" in player:
            parts.append(f"flowers {player['flowers']}")
        if "norths" in player:
            parts.append(f"norths {player['norths']}")
        if "ready" in player:
            parts.append(f"ready ({player['ready']})")
        lines.append("  ".join(parts))
        lines.append("    " + " ".join(_discard(d) for d in discards_of(table, number)))
    lines.append("")
    hand = f"hand {table['hand']}"
    if "drawn" in table:
        hand += f"  drawn {table['drawn']}"
    if "window" in table:
        hand += f"  to claim {table['window']}"
    hand += f"  shanten {table['shanten']}"
    if "waits" in table:
        hand += f"  waits {table['waits']}"
    if "furiten" in table:
        hand += f"  furiten {table['furiten']}"
    lines.append(hand)
    if table["legal"]:
        lines.append("legal " + ", ".join(a["text"] for a in table["legal"]))
    return "\n".join(lines)


def headline(table: dict[str, Any]) -> str:
    """Return a line about the current hand."""
    parts = [table["ruleset"], f"{_WIND[table['round_wind']]} round {table['round']}"]
    if table["counter"]:
        parts.append(f"counter {table['counter']}")
    if table["deposits"]:
        parts.append(f"deposits {table['deposits']}")
    if "indicators" in table:
        parts.append(f"dora indicators {table['indicators']}")
    parts.append(f"{table['players'][0]['left']} left")
    return "  ".join(parts)


def _discard(d: dict[str, Any]) -> str:
    """Return a discard: ' if just drawn, ! if ready was declared, in brackets if claimed."""
    text: str = d["tile"] + "'" * bool(d.get("drawn")) + "!" * bool(d.get("ready"))
    return f"({text})" if d.get("claimed") else text


def _meld(m: dict[str, Any]) -> str:
    return f"[{m['type']} {m.get('tiles', '?')}]"
