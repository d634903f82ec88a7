"""The action table: version 1, 180 ids, for four players; version 2, one more, for three.

A packed mask takes 23 bytes a row: action ``a`` is bit ``a % 8`` of byte ``a // 8``. Ids never
change; new actions are added at the end.
"""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

TABLE_VERSION: Final = 1
"""Version of the table of four players, as ``Describe`` returns it."""

_KINDS: Final = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)] + [
    f"{rank}z" for rank in range(1, 8)
]
_REDS: Final = ["0m", "0p", "0s"]
_FLOWERS: Final = [f"{n}f" for n in range(1, 9)]

FACES: Final[tuple[str, ...]] = (*_KINDS, *_REDS, *_FLOWERS)
"""The 45 tile faces: 34 kinds, three red fives, eight flowers."""

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
"""The text of every action of four players, by id."""

NUM_ACTIONS: Final = len(ACTIONS)
"""Size of the table of four players."""

_ALL: Final = (*ACTIONS, "kita")


def action_table(seats: int) -> tuple[int, tuple[str, ...]]:
    """Return the version of the table where so many play, and the text of every action, by id."""
    return (2, _ALL) if seats == 3 else (TABLE_VERSION, ACTIONS)


MASK_BYTES: Final = (NUM_ACTIONS + 7) // 8
"""Bytes of one packed mask."""

MASK_WORDS: Final = (NUM_ACTIONS + 63) // 64
"""64-bit words of one mask."""

_RNG: Final = np.random.default_rng()
_ONE_RNG: Final = random.Random()  # ten times as fast as _RNG for one number
_random: Final = _ONE_RNG.random


def _draw_anew() -> None:
    """Draw other numbers than the process from which this one was forked."""
    _ONE_RNG.seed()
    _RNG.bit_generator.state = np.random.default_rng().bit_generator.state


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_draw_anew)

_WORD: Final = np.dtype("<u8")
# Number of rows up to which sample is faster row by row.
_FEW: Final = 16
# Constants as arrays of the type of the other operand, which numpy reads faster than scalars.
# _ONES and _HIGH have the same number in each byte.
_THREE = np.array(3, np.uint8)
_PLACE: Final = np.array(3, np.intp)
_ONES, _HIGH = (np.array(n, _WORD) for n in (0x0101010101010101, 0x8080808080808080))
# A rank in each byte, with the highest bit set: it stays set after subtracting a number that is
# not greater.
_RANKS: Final = np.arange(64, dtype=_WORD) * _ONES + _HIGH
# Index of a bit in a byte, at 8 * byte + the number of set bits from it upwards, itself included.
_SELECT: Final = np.zeros(8 * 256 + 1, np.uint8)
for _byte in range(256):
    _places = [i for i in range(7, -1, -1) if _byte >> i & 1]
    _SELECT[8 * _byte + 1 : 8 * _byte + 1 + len(_places)] = _places
_BITS: Final = np.array([b.bit_count() for b in range(256)], np.uint8)
# The bits of each byte value, as a word of eight bytes.
_SPREAD: Final = np.unpackbits(np.arange(256, dtype=np.uint8), bitorder="little").view(np.uint64)
_SIZES: Final = (NUM_ACTIONS, len(_ALL))
_ONE_MASK: Final = tuple((size,) for size in _SIZES)
_ONE_ROWS: Final = tuple((1, size) for size in _SIZES)
_ONE_ROW_OF_WORDS: Final = (1, MASK_WORDS)
_unpack_words: Final = struct.Struct(f"<{MASK_WORDS}Q").unpack
# An array of each action.
_ONE: Final[list[NDArray[np.uint8]]] = [np.array([action], np.uint8) for action in range(len(_ALL))]
_IDS: Final = {text: i for i, text in enumerate(_ALL)}


def action_text(action: int) -> str:
    """Return the text of an action id, such as ``"discard 5m"``.

    Raises:
        ValueError: the id is not in the table.

    Examples:
        >>> import sparrowhall
        >>> sparrowhall.action_text(45)
        'discard drawn'
    """
    if not 0 <= action < len(_ALL):
        raise ValueError(f"action {action} is not in 0..{len(_ALL) - 1}")
    return _ALL[action]


def action_id(text: str) -> int:
    """Return the id of the action with the given text.

    Raises:
        ValueError: there is no action with this text.

    Examples:
        >>> import sparrowhall
        >>> sparrowhall.action_id("discard drawn")
        45
    """
    try:
        return _IDS[text]
    except KeyError:
        raise ValueError(f"there is no action {text!r}; see sparrowhall.ACTIONS") from None


def unpack_mask(packed: NDArray[np.uint8], actions: int = NUM_ACTIONS) -> NDArray[np.uint8]:
    """Unpack legal-action masks.

    Args:
        packed: uint8, shape ``(..., 23)``.
        actions: Size of the action table: 180, or 181 where three play.

    Returns:
        uint8 of 0 and 1, shape ``(..., actions)``.

    Examples:
        >>> import numpy as np
        >>> import sparrowhall
        >>> packed = np.zeros((1, 23), np.uint8)
        >>> packed[0, 0] = 2
        >>> int(sparrowhall.unpack_mask(packed)[0].argmax())
        1
    """
    return np.unpackbits(packed, axis=-1, count=actions, bitorder="little")


def unpack_one_mask(mask: bytes, actions: int = NUM_ACTIONS) -> NDArray[np.int8]:
    """Unpack one mask, faster than ``unpack_mask``.

    Args:
        mask: At least 23 packed bytes, as ``Batch.summary_of`` returns them.
        actions: Size of the action table.

    Returns:
        int8 of 0 and 1, shape ``(actions,)``.
    """
    return _SPREAD.take(np.frombuffer(mask, np.uint8)).view(np.int8)[:actions]


def mask_words(mask: NDArray[Any]) -> NDArray[np.uint64]:
    """Return masks as words: action ``a`` is bit ``a % 64`` of word ``a // 64``.

    Args:
        mask: One of: words, shape ``(n, 3)``, which are returned; packed bytes, uint8, shape
            ``(n, 23)``; an array of 0 and 1 or of bool, shape ``(n, 180)`` or ``(n, 181)``.

    Returns:
        uint64, shape ``(n, 3)``.

    Raises:
        ValueError: the mask is none of these, or has other numbers than 0 and 1.
    """
    shape = mask.shape
    if (mask.dtype is _WORD or mask.dtype == _WORD) and shape[1:] == (MASK_WORDS,):
        return mask
    if mask.ndim == 2 and shape[1] in _SIZES:
        one = mask.itemsize == 1 and mask.dtype.kind in "bui"  # a view takes a sixth of the time
        if not (mask.view(np.uint8) <= 1 if one else (mask == 0) | (mask == 1)).all():
            raise ValueError("the mask has other numbers than 0 and 1, as logits have")
        bits = np.zeros((len(mask), 64 * MASK_WORDS), np.bool_)
        bits[:, : shape[1]] = mask
        packed = np.packbits(bits.reshape(-1), bitorder="little")
        return packed.view(_WORD).reshape(-1, MASK_WORDS)
    if mask.dtype != np.uint8 or mask.ndim != 2 or mask.shape[1] != MASK_BYTES:
        raise ValueError(
            f"the mask is {mask.dtype} of shape {mask.shape}; required: 0 and 1 of shape "
            f"(n, {_SIZES[0]}) or (n, {_SIZES[1]}), uint8 of shape (n, {MASK_BYTES}), or uint64 "
            f"of shape (n, {MASK_WORDS})"
        )
    padded = np.zeros((len(mask), 8 * MASK_WORDS), np.uint8)
    padded[:, :MASK_BYTES] = mask
    return padded.view(_WORD)


def sample(mask: NDArray[Any], rng: np.random.Generator | None = None) -> NDArray[np.uint8]:
    """Draw one legal action per row, with equal probabilities.

    Args:
        mask: Legal actions: ``Batch.mask_words``, which is the fastest, ``Batch.mask_bits``, or
            an array of 0 and 1 or of bool, shape ``(n, 180)`` or ``(n, 181)``, without ``n`` for
            a single table.
        rng: Source of randomness, from which one number per row is drawn; a generator with a
            random seed if None.

    Returns:
        Action ids, uint8, shape ``(n,)``, or ``()`` for a mask without ``n``.

    Raises:
        ValueError: the mask has another shape or other numbers, or a row no legal action.

    Examples:
        >>> import numpy as np
        >>> import sparrowhall
        >>> mask = np.zeros((2, 180), np.int8)
        >>> mask[:, 45] = 1
        >>> sparrowhall.sample(mask, np.random.default_rng(1)).tolist()
        [45, 45]
    """
    given = mask if type(mask) is np.ndarray else np.asarray(mask)
    shape = given.shape
    only: NDArray[np.uint8]
    if shape == _ONE_ROW_OF_WORDS and given.dtype is _WORD:
        only = _ONE[_pick(given.tobytes(), _random() if rng is None else rng.random())].copy()
        return only
    if shape in _ONE_ROWS and given.itemsize == 1:
        cells = given.tobytes()
        allowed = cells.count(1)
        if 0 < allowed == len(cells) - cells.count(0):  # others are refused below
            number = _random() if rng is None else rng.random()
            after = cells.split(b"\1", int(number * allowed) + 1)[-1]
            only = _ONE[len(cells) - 1 - len(after)].copy()
            return only
    if shape in _ONE_MASK:
        return sample(given[np.newaxis], rng).reshape(())
    words = mask_words(given)
    if shape[0] == 1:  # draws the same number as an array of one
        number = _random() if rng is None else rng.random()
        only = _ONE[_pick(words.tobytes(), number)].copy()
        return only
    n = len(words)
    drawn = (rng or _RNG).random(n)
    if n <= _FEW:
        each, size = words.tobytes(), 8 * MASK_WORDS
        picked = [_pick(each[size * i :][:size], x, i) for i, x in enumerate(drawn.tolist())]
        return np.array(picked, np.uint8)
    masks = words.view(np.uint8)
    # The number of set bits up to each byte of its word, the byte included.
    ones = _count(masks).view(_WORD) * _ONES
    upto = ones.view(np.uint8)
    low, high = upto[:, 7], upto[:, 15]
    middle = low + high
    legal = middle + upto[:, 23]
    if not legal.all():
        raise _empty(int(legal.argmin()))
    rank = (drawn * legal).astype(np.uint8)
    # Find the word, then the byte, then the bit with that rank.
    second, third = (rank >= low).view(np.uint8), (rank >= middle).view(np.uint8)
    actions: NDArray[np.uint8] = second + third
    at = np.arange(0, MASK_WORDS * n, MASK_WORDS)
    at += actions
    second *= low
    third *= high
    rank -= second
    rank -= third
    # The number of bytes up to which there are no more set bits than the rank.
    passed = _RANKS.take(rank)
    passed -= ones.take(at)
    passed &= _HIGH
    byte = _count(passed)
    actions <<= _THREE
    actions += byte
    at <<= _PLACE
    at += byte
    chosen = masks.take(at).astype(np.intp)
    left = upto.take(at)
    left -= rank
    chosen <<= _PLACE
    chosen += left
    actions <<= _THREE
    actions += _SELECT.take(chosen)
    return actions


def _empty(row: int | None) -> ValueError:
    where = "the mask" if row is None else f"row {row} of the mask"
    return ValueError(f"{where} has no legal action; a table that must be answered has two or more")


def _count_by_table(numbers: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the number of set bits of each number."""
    bits: NDArray[np.uint8] = _BITS[numbers[..., None].view(np.uint8)].sum(-1, dtype=np.uint8)
    return bits


# numpy has bitwise_count from version 2 on.
_count: Callable[[NDArray[Any]], NDArray[np.uint8]] = getattr(np, "bitwise_count", _count_by_table)


def _pick(mask: bytes, number: float, row: int | None = None) -> int:
    """Return the action that sample draws from one mask with a number in [0, 1)."""
    low, middle, high = _unpack_words(mask)
    below_middle = low.bit_count()
    below_high = below_middle + middle.bit_count()
    legal = below_high + high.bit_count()
    if not legal:
        raise _empty(row)
    rank = int(number * legal)
    if rank >= below_high:
        word, before, rank = high, 127, rank - below_high
    elif rank >= below_middle:
        word, before, rank = middle, 63, rank - below_middle
    else:
        word, before = low, -1
    while rank:
        word &= word - 1
        rank -= 1
    return int(before + (word & -word).bit_length())


def default_action(mask: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the action that replaces an illegal one.

    It is the first legal one of pass, noten, the discard of the drawn tile, and all actions.

    Args:
        mask: Array of 0 and 1, shape ``(n, 180)`` or ``(n, 181)``.

    Returns:
        Action ids, uint8, shape ``(n,)``.
    """
    chosen: NDArray[np.uint8] = mask.argmax(axis=1).astype(np.uint8)
    for text in ("discard drawn", "noten", "pass"):
        chosen[mask[:, _IDS[text]] != 0] = _IDS[text]
    return chosen
