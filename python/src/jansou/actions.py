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

MASK_WORDS: Final = (NUM_ACTIONS + 63) // 64
"""64-bit words of one mask."""

_RNG: Final = np.random.default_rng()
_WORD: Final = np.dtype("<u8")
# Rows up to which sample is faster one by one.
_FEW: Final = 16
# Numbers of the type of words: numpy would make others floats.
_U1, _U2, _U3, _U4, _U7, _U8, _U56, _U64, _U255 = np.array(
    [1, 2, 3, 4, 7, 8, 56, 64, 255], np.uint64
)
_PAIRS, _NIBBLES, _LOW_NIBBLES, _ONES, _HIGH = (
    np.uint64(b * 0x0101010101010101) for b in (0x55, 0x33, 0x0F, 0x01, 0x80)
)
# The place of the bit of a rank among those of a byte, at 8 * byte + rank.
_SELECT: Final = np.array(
    [([i for i in range(8) if b >> i & 1] + [0] * 8)[:8] for b in range(256)], np.uint8
).reshape(-1)
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


def mask_words(mask: NDArray[Any]) -> NDArray[np.uint64]:
    """Return masks as words: action ``a`` is bit ``a % 64`` of word ``a // 64``.

    Args:
        mask: One of: words, shape ``(n, 3)``, which are returned; packed bytes, uint8, shape
            ``(n, 23)``; an array of 0 and 1 or of bool, shape ``(n, 180)``.

    Returns:
        uint64, shape ``(n, 3)``.

    Raises:
        ValueError: the mask is none of these.
    """
    if mask.dtype == _WORD and mask.ndim == 2 and mask.shape[1] == MASK_WORDS:
        return mask
    if mask.ndim == 2 and mask.shape[1] == NUM_ACTIONS:
        mask = np.packbits(mask != 0, axis=1, bitorder="little")
    elif mask.dtype != np.uint8 or mask.ndim != 2 or mask.shape[1] != MASK_BYTES:
        raise ValueError(
            f"the mask is {mask.dtype} of shape {mask.shape}; wanted: 0 and 1 of shape "
            f"(n, {NUM_ACTIONS}), uint8 of shape (n, {MASK_BYTES}), or uint64 of shape "
            f"(n, {MASK_WORDS})"
        )
    padded = np.zeros((len(mask), 8 * MASK_WORDS), np.uint8)
    padded[:, :MASK_BYTES] = mask
    return padded.view(_WORD)


def sample(mask: NDArray[Any], rng: np.random.Generator | None = None) -> NDArray[np.uint8]:
    """Draw one legal action a row, each as likely as the others.

    Args:
        mask: Legal actions, at least one in each row: ``Batch.mask_words``, which is the
            fastest, ``Batch.mask_bits``, or an array of 0 and 1 or of bool, shape ``(n, 180)``.
        rng: Source of randomness, of which one number a row is drawn; if None one that differs
            from run to run.

    Returns:
        Action ids, uint8, shape ``(n,)``.

    Raises:
        ValueError: the mask has another shape.
    """
    words = mask_words(np.asarray(mask))
    n = len(words)
    if n == 1:  # the number is that of an array of one
        return np.array([_pick(words.tobytes(), (rng or _RNG).random())], np.uint8)
    drawn = (rng or _RNG).random(n)
    if n <= _FEW:
        rows = zip(words, drawn.tolist(), strict=True)
        return np.array([_pick(row.tobytes(), number) for row, number in rows], np.uint8)
    # How many bits there are up to each byte of its word, the byte included.
    ones = words - (words >> _U1 & _PAIRS)
    ones = (ones & _NIBBLES) + (ones >> _U2 & _NIBBLES)
    ones = (ones + (ones >> _U4) & _LOW_NIBBLES) * _ONES
    low = ones[:, 0] >> _U56
    middle = low + (ones[:, 1] >> _U56)
    legal = middle + (ones[:, 2] >> _U56)
    rank = (drawn * legal).astype(_WORD)
    # The word, then the byte, then the bit of that rank.
    above_low, above_middle = rank >= low, rank >= middle
    word = above_low.view(np.uint8) + above_middle.view(np.uint8)
    rank -= np.where(above_middle, middle, low * above_low)
    at = word + MASK_WORDS * np.arange(n)
    chosen, below = words.reshape(-1)[at], ones.reshape(-1)[at]
    # The bytes up to which there are more bits than the rank have their highest bit set.
    more = (below | _HIGH) - (rank + _U1) * _ONES
    shift = _U64 - ((more >> _U7 & _ONES) * _ONES >> _U56 << _U3)
    rank -= (below << _U8) >> shift & _U255
    bit = _SELECT[((chosen >> shift & _U255) << _U3) + rank]
    actions: NDArray[np.uint8] = (word << 6) + shift.astype(np.uint8) + bit
    actions *= legal != 0
    return actions


def _pick(mask: bytes, number: float) -> int:
    """Return what sample draws of one mask for a number from 0 to 1."""
    bits = int.from_bytes(mask, "little")
    if not bits:
        return 0  # a last row
    for _ in range(int(number * bits.bit_count())):
        bits &= bits - 1
    return (bits & -bits).bit_length() - 1


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
