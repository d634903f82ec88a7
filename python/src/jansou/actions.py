"""The action table: one for all rulesets, version 1, 180 ids.

A mask over it is 23 packed bytes a row: action ``a`` is bit ``a % 8`` of byte ``a // 8``.
The table never moves; additions come at the end and raise ``TABLE_VERSION``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

TABLE_VERSION: Final = 1
"""Version of the table, as ``Describe`` gives it."""

_KINDS: Final = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)] + [
    f"{rank}z" for rank in range(1, 8)
]
_REDS: Final = ["0m", "0p", "0s"]
_FLOWERS: Final = [f"{n}f" for n in range(1, 9)]

FACES: Final[tuple[str, ...]] = (*_KINDS, *_REDS, *_FLOWERS)
"""The 45 tile faces by number: 34 kinds, three red fives, eight flowers."""

ACTIONS: Final[tuple[str, ...]] = (
    *(f"discard {face}" for face in FACES),
    "discard drawn",
    *(f"ready {face}" for face in _KINDS + _REDS),
    "ready drawn",
    "chi low",
    "chi mid",
    "chi high",
    "chi low red",
    "chi mid red",
    "chi high red",
    "pon",
    "pon red",
    "pon red2",
    "open_kan",
    *(f"closed_kan {kind}" for kind in _KINDS),
    *(f"added_kan {kind}" for kind in _KINDS),
    "win",
    "pass",
    "ready",
    "nine_kinds",
    "tenpai",
    "noten",
    *(f"flower {face}" for face in _FLOWERS),
    "flower_win",
    "flower_award",
    "cut_debt",
    "end_match",
)
"""The text of every action, by id."""

NUM_ACTIONS: Final = len(ACTIONS)
"""Size of the table."""

MASK_BYTES: Final = (NUM_ACTIONS + 7) // 8
"""Bytes of one packed mask."""

_RNG: Final = np.random.default_rng()
_IDS: Final = {text: i for i, text in enumerate(ACTIONS)}


def action_text(action: int) -> str:
    """Return the text of an action id, such as ``"discard 5m"``.

    Raises:
        ValueError: the id is not in the table.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action} is not in 0..{NUM_ACTIONS - 1}")
    return ACTIONS[action]


def action_id(text: str) -> int:
    """Return the id of the action with the given text.

    Raises:
        ValueError: no action has this text.
    """
    try:
        return _IDS[text]
    except KeyError:
        raise ValueError(f"no action is called {text!r}; see jansou.ACTIONS") from None


def unpack_mask(packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Unpack legal-action masks.

    Args:
        packed: uint8, shape ``(..., 23)``.

    Returns:
        uint8 of 0 and 1, shape ``(..., 180)``.
    """
    return np.unpackbits(packed, axis=-1, count=NUM_ACTIONS, bitorder="little")


def sample(mask: NDArray[Any], rng: np.random.Generator | None = None) -> NDArray[np.uint8]:
    """Draw one legal action a row, each as likely as the others.

    Args:
        mask: Array of 0 and 1 or of bool, shape ``(n, 180)``, at least one 1 in each row.
        rng: Source of randomness, of which one number a row is drawn; if None one that differs
            from run to run.

    Returns:
        Action ids, uint8, shape ``(n,)``.
    """
    ranks = np.cumsum(mask, axis=1, dtype=np.uint8)
    drawn = (rng or _RNG).random(len(mask))
    wanted = (drawn * ranks[:, -1]).astype(np.uint8)
    chosen: NDArray[np.uint8] = (ranks > wanted[:, None]).argmax(axis=1).astype(np.uint8)
    return chosen


def default_action(mask: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the answer given for players who answer illegally.

    It is pass, else noten, else the discard of the drawn tile, else the first legal action.

    Args:
        mask: Array of 0 and 1, shape ``(n, 180)``.

    Returns:
        Action ids, uint8, shape ``(n,)``.
    """
    chosen: NDArray[np.uint8] = mask.argmax(axis=1).astype(np.uint8)
    for text in ("discard drawn", "noten", "pass"):
        chosen[mask[:, _IDS[text]] != 0] = _IDS[text]
    return chosen
