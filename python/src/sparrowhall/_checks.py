"""Checks of arguments, and what they say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

INTERRUPTED = (
    "an exception ended the last call in the middle: call reset; or another thread is in a call: "
    "use an environment in one thread"
)
"""What a step raises after an exception of a policy or a signal handler, such as Ctrl-C."""


def check_choice(what: str, given: object, allowed: Sequence[object]) -> None:
    """Raise ValueError, which lists what is allowed, unless given is."""
    if given not in allowed:
        names = ", ".join(map(repr, allowed)) or "none"
        raise ValueError(f"{what} is {given!r}; allowed: {names}")


def check_integer(what: str, given: object, least: int, most: int | None = None) -> None:
    """Raise ValueError unless given is an integer from least to most."""
    if (
        not isinstance(given, int | np.integer)
        or given < least
        or (most is not None and given > most)
    ):
        allowed = f"integers from {least}" + ("" if most is None else f" to {most}")
        raise ValueError(f"{what} is {given!r}; allowed: {allowed}")


def check_seed(seed: object) -> None:
    """Raise ValueError unless seed is None or a seed of tables."""
    if seed is not None:
        check_integer("seed", seed, 0, 2**64 - 1)


def check_number(
    what: str, given: object, least: float = -math.inf, most: float = math.inf
) -> None:
    """Raise ValueError unless given is a finite number from least to most."""
    if (
        not isinstance(given, int | float | np.number)
        or not math.isfinite(given)
        or not least <= given <= most
    ):
        allowed = "finite numbers" + ("" if least == -math.inf else f" from {least:g}")
        raise ValueError(
            f"{what} is {given!r}; allowed: {allowed}"
            + ("" if most == math.inf else f" to {most:g}")
        )


def one_integer(what: str, given: Any) -> int:
    """Return an integer, or the one of an array.

    Raises:
        ValueError: it is something else.
    """
    array = np.asarray(given)
    if array.size != 1 or array.dtype.kind not in "ui":
        raise ValueError(f"{what} is {array.dtype} of shape {array.shape}; required: one integer")
    number: int = array.item()
    return number
