"""Gymnasium spaces of actions and observations, shared by both kinds of environment."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sparrowhall.actions import NUM_ACTIONS, action_text, default_action
from sparrowhall.batch import Batch
from sparrowhall.errors import SparrowhallError
from sparrowhall.spec import Observation
from sparrowhall.transport import FEW

Illegal = Literal["default", "raise"]
"""What an environment does with an illegal action."""

MASK = "action_mask"
"""Key of the legal-action mask in observations and infos."""

Arrays = dict[str, NDArray[Any]]


def check_choice(what: str, given: object, allowed: list[str]) -> None:
    """Raise ValueError, which says what is allowed, unless given is."""
    if given not in allowed:
        names = ", ".join(map(repr, allowed)) or "none"
        raise ValueError(f"{what} is {given!r}; allowed: {names}")


def check_illegal(illegal: object) -> None:
    """Raise ValueError unless illegal is a choice of what to do with illegal actions."""
    check_choice("illegal", illegal, ["default", "raise"])


class IllegalActionError(SparrowhallError, ValueError):
    """An environment that shall raise on illegal actions was given one."""


def action_space() -> spaces.Discrete:
    """Return the space of action ids."""
    return spaces.Discrete(NUM_ACTIONS)


def observation_space(spec: Observation) -> spaces.Space[Any]:
    """Return the space of one player's observation: the tensors by name and the mask."""
    boxes: dict[str, spaces.Space[Any]] = {}
    for tensor in spec.tensors:
        low, high = tensor.bounds()
        boxes[tensor.name] = spaces.Box(low, high, dtype=tensor.dtype.type)
    boxes[MASK] = spaces.Box(0, 1, (NUM_ACTIONS,), np.int8)
    return spaces.Dict(boxes)


def observations(batch: Batch) -> Arrays:
    """Return the tensors and masks of all rows of a batch, writable, shape ``(n, ...)``."""
    arrays = {
        name: tensor if tensor.flags.writeable else tensor.copy()
        for name, tensor in batch.observation.items()
    }
    arrays[MASK] = batch.mask.view(np.int8)
    return arrays


def legal(
    actions: NDArray[Any], mask: NDArray[np.int8], illegal: Illegal
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Replace or refuse illegal actions.

    Args:
        actions: Action ids, shape ``(n,)``.
        mask: Legal actions, shape ``(n, 180)``.
        illegal: What to do with the others.

    Returns:
        Legal action ids, uint8, and which of them were replaced, bool, both of shape ``(n,)``.

    Raises:
        IllegalActionError: there is one, and illegal is ``"raise"``.
    """
    n = len(actions)
    if n <= FEW and _all_legal(actions.tolist(), mask.tobytes()):
        return actions.astype(np.uint8), np.zeros(n, np.bool_)
    rows = np.arange(len(mask))
    known = (actions >= 0) & (actions < NUM_ACTIONS)
    wrong = ~known | (mask[rows, np.where(known, actions, 0)] == 0)
    if not wrong.any():
        return actions.astype(np.uint8), wrong
    if illegal == "raise":
        row = int(wrong.argmax())
        action = int(actions[row])
        name = action_text(action) if known[row] else "no action"
        allowed = ", ".join(action_text(int(a)) for a in np.flatnonzero(mask[row]))
        raise IllegalActionError(f"action {action} ({name}) of row {row} is not among: {allowed}")
    return np.where(wrong, default_action(mask), actions).astype(np.uint8), wrong


def _all_legal(actions: list[int], cells: bytes) -> bool:
    """Return whether all actions are legal, sooner than numpy does for a few of them."""
    row = 0
    for action in actions:
        if not (0 <= action < NUM_ACTIONS and cells[row + action]):
            return False
        row += NUM_ACTIONS
    return True
