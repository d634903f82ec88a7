"""Gymnasium spaces of actions and observations, and legal actions, for all environments."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sparrowhall._shared_memory import FEW
from sparrowhall.actions import action_id, default_action
from sparrowhall.batch import Batch
from sparrowhall.options import Illegal, Options
from sparrowhall.policy import refuse_illegal, refuse_unknown
from sparrowhall.spec import MASK, Arrays, Observation


@cache
def pass_alone(actions: int) -> NDArray[np.int8]:
    """Return a mask in which only ``pass`` is legal, for players whose action is ignored."""
    mask = np.zeros(actions, np.int8)
    mask[action_id("pass")] = 1
    mask.flags.writeable = False
    return mask


def action_space(spec: Observation) -> spaces.Discrete:
    """Return the space of action ids of a player with an observation."""
    return spaces.Discrete(spec.actions)


def observation_space(options: Options) -> spaces.Space[Any]:
    """Return the space of one player's observation: the tensors by name and the mask."""
    if options.decoder is not None:
        return options.decoder.space
    spec = options.spec
    boxes: dict[str, spaces.Space[Any]] = {}
    for tensor in spec.tensors:
        low, high = tensor.bounds()
        boxes[tensor.name] = spaces.Box(low, high, dtype=tensor.dtype.type)
    boxes[MASK] = spaces.Box(0, 1, (spec.actions,), np.int8)
    return spaces.Dict(boxes)


def observations(batch: Batch) -> Arrays:
    """Return copies of the tensors and masks of all rows, each of shape ``(n, ...)``."""
    arrays = batch.copy_observation()
    mask = batch.mask
    arrays[MASK] = (mask if mask.flags.owndata else mask.copy()).view(np.int8)
    return arrays


def legalize(
    actions: NDArray[Any], mask: NDArray[np.int8], illegal: Illegal
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Replace or refuse illegal actions, and refuse numbers that are no actions.

    Args:
        actions: Action ids, shape ``(n,)``.
        mask: Legal actions, shape ``(n, actions)``.
        illegal: ``"default"`` to replace illegal actions, ``"raise"`` to refuse them.

    Returns:
        Legal action ids, uint8, and which of them were replaced, bool, both of shape ``(n,)``.

    Raises:
        IllegalActionError: a number is no action, or an action is illegal and illegal is
            ``"raise"``.
    """
    n = len(actions)
    if n <= FEW and _all_legal(actions.tolist(), mask.tobytes(), mask.shape[1]):
        return actions.astype(np.uint8), np.zeros(n, np.bool_)
    refuse_unknown(actions, mask.shape[1])
    wrong = mask[np.arange(n), actions] == 0
    if not wrong.any():
        return actions.astype(np.uint8), wrong
    if illegal == "raise":
        refuse_illegal(actions, mask)
    return np.where(wrong, default_action(mask), actions).astype(np.uint8), wrong


def _all_legal(actions: list[int], cells: bytes, width: int) -> bool:
    """Return whether all actions are legal, faster than numpy for a few of them."""
    row = 0
    for action in actions:
        if not (0 <= action < width and cells[row + action]):
            return False
        row += width
    return True
