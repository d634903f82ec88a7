"""Text of what a player sees, from JSON of ``Tables.inspect`` or from an observation."""

from __future__ import annotations

import json
import re
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall.actions import action_text
from sparrowhall.spec import Arrays, Observation

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
    return text_of(json.loads(view))


def text_of(table: dict[str, Any]) -> str:
    """Return a table as lines of text; shanten and waits may be missing."""
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
    if "shanten" in table:
        hand += f"  shanten {table['shanten']}"
    if "waits" in table:
        # Of the shape: whether a tile of it would win is not among the tensors.
        hand += f"  shape waits {table['waits']}"
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


_READY = ("", "ordinary", "double", "human", "earth", "heaven")
_MELDS = ("", "chi", "pon", "open_kan", "added_kan", "closed_kan")


def table_of(spec: Observation, seen: Arrays, mask: NDArray[Any], units: int) -> dict[str, Any]:
    """Return what ``text_of`` shows of a decision.

    Args:
        spec: The observation ``features``, or ``planes`` if seen has no more.
        seen: Its tensors by name, of one row.
        mask: Legal actions, shape ``(actions,)``.
        units: Units of a point, 0 if unknown.
    """

    def field(tensor: str, name: str) -> Any:
        return _field(spec, seen, tensor, name)

    def number(tensor: str, name: str) -> int:
        return int(field(tensor, name)[0])

    def kinds(tensor: str, name: str) -> list[int]:
        rows: list[int] = field(tensor, name).sum(axis=0).tolist()
        return [kind for kind, count in enumerate(rows) for _ in range(count)]

    table: dict[str, Any] = {
        "round": number("state", "round"),
        "round_wind": "ESWN"[number("state", "round_wind")],
        "counter": number("amounts", "counter"),
        "deposits": number("amounts", "deposits"),
        "players": [_player(spec, seen, n, units) for n in range(spec.seats)],
        "discards": [],
        "hand": _faces(
            _with_reds(kinds("planes", "hand"), field("state", "reds").tolist())
            + _flowers(number("state", "held_flowers"))
        ),
        "legal": [{"text": action_text(int(a))} for a in np.flatnonzero(mask)],
    }
    if indicators := [c - 1 for c in field("state", "indicators").tolist() if c]:
        table["indicators"] = _faces(indicators)
    if turn := number("state", "turn"):
        table["turn"] = turn - 1
    for name in ("drawn", "window"):
        if code := number("state", name):
            table[name] = _faces([code - 1])
    marks = {name: field("discard_marks", name)[0] for name in ("drawn", "ready", "claimed")}
    for place, code in enumerate(seen["discards"].tolist()):
        if code & 63:
            discard: dict[str, Any] = {"player": code >> 6, "tile": _faces([(code & 63) - 1])}
            discard |= {name: bool(mark[place]) for name, mark in marks.items()}
            table["discards"].append(discard)
    if "summary" in seen:
        table["shanten"] = number("summary", "shanten") - 1
        if waits := kinds("shape", "waits"):
            table["waits"] = _faces(waits)
            if locked := set(kinds("planes", "locked")) & set(waits):
                table["furiten"] = _faces(sorted(locked))
    return table


def _field(spec: Observation, seen: Arrays, tensor: str, name: str) -> Any:
    """Return the elements of a field in the tensors of one row."""
    return seen[tensor][None][spec[tensor].field(name)][0]


def _player(spec: Observation, seen: Arrays, n: int, units: int) -> dict[str, Any]:
    """Return the player n places after the viewer."""

    def number(name: str) -> int:
        return int(_field(spec, seen, "state", name)[n])

    points = int(_field(spec, seen, "amounts", "points")[n]) / units if units else "?"
    wind = (int(_field(spec, seen, "state", "seat_wind")[0]) + n) % spec.seats
    player: dict[str, Any] = {
        "wind": "ESWN"[wind],
        "points": int(points) if isinstance(points, float) and points.is_integer() else points,
        "concealed": number("concealed"),
        "left": number("left"),
        "melds": [_meld_of(m) for m in seen["melds"][n].tolist() if m[0]],
    }
    if spec.seats == 3:
        if norths := number("norths"):
            player["norths"] = norths
    elif flowers := _flowers(number("flowers")):
        player["flowers"] = _faces(flowers)
    if ready := number("ready"):
        player["ready"] = _READY[ready]
    return player


def _meld_of(meld: list[int]) -> dict[str, Any]:
    """Return a meld of its type, kind, claimed place, giver and red fives."""
    form, kind, _, _, reds = meld
    if not kind:
        return {"type": _MELDS[form]}
    kind -= 1
    each = [kind, kind + 1, kind + 2] if form == 1 else [kind] * (3 if form == 2 else 4)
    return {"type": _MELDS[form], "tiles": _faces(_with_reds(each, [reds & 7] * 3))}


def _with_reds(kinds: list[int], reds: list[int]) -> list[int]:
    """Return the faces of kinds in order, so many fives of each suit red, which come first."""
    left, faces = list(reds), []
    for kind in kinds:
        suit = kind // 9
        if kind < 27 and kind % 9 == 4 and left[suit]:
            left[suit] -= 1
            kind = 34 + suit
        faces.append(kind)
    return faces


def _flowers(bits: int) -> list[int]:
    return [37 + i for i in range(8) if bits >> i & 1]


def _faces(faces: list[int]) -> str:
    """Return faces as text such as ``"1106m5z"``."""
    each = [_FACE[face] for face in faces]
    return "".join(
        "".join(text[0] for text in run) + suit for suit, run in groupby(each, lambda text: text[1])
    )


_FACE = [f"{i + 1}{suit}" for suit in "mps" for i in range(9)]
_FACE += [f"{i + 1}z" for i in range(7)] + ["0m", "0p", "0s"] + [f"{i + 1}f" for i in range(8)]
