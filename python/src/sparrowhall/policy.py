"""Policies: functions from observations to actions.

The same function plays against a learner (``opponents`` of ``sparrowhall.make_vec``) and in
tournaments (``sparrowhall.serve_agent``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparrowhall.actions import action_text
from sparrowhall.errors import IllegalActionError, SparrowhallError


@dataclass(frozen=True)
class Decisions:
    """A batch of n decisions, of many players in many matches.

    Attributes:
        observation: The tensors by name, each of shape ``(n, *shape)``; bits are unpacked to
            uint8. Empty if the policy has no observation.
        mask: Legal actions, bool, shape ``(n, 180)``, where three play ``(n, 181)``; at least
            two in each row.
        player: The player, 0 to 3, where three play 0 to 2, uint8, shape ``(n,)``.
        asker: Number of the player and match, uint32, shape ``(n,)``. Rows with the same number
            belong to one player of one match until a row with decision 0 begins the next, so it
            is the key for a policy with a memory.
        decision: Number of the player's earlier decisions in the match, uint32, shape ``(n,)``.
        random: A random number, uint64, shape ``(n,)``, which is the same whenever the match is
            repeated. A policy that draws its actions with it is reproducible.
        ruleset: The ruleset's name, the same for all rows.
        ruleset_hash: SHA-256 of the ruleset's family and knobs, 32 bytes.

    Examples:
        >>> import sparrowhall
        >>> def lowest(decisions: sparrowhall.Decisions):
        ...     return decisions.mask.argmax(axis=1)
        >>> env = sparrowhall.make_vec("ema_2016", num_envs=2, opponents=lowest, seed=1)
        >>> observations, info = env.reset()
        >>> env.close()
    """

    observation: dict[str, NDArray[Any]]
    mask: NDArray[np.bool_]
    player: NDArray[np.uint8]
    asker: NDArray[np.uint32]
    decision: NDArray[np.uint32]
    random: NDArray[np.uint64]
    ruleset: str
    ruleset_hash: bytes

    def __len__(self) -> int:
        return len(self.mask)


Policy = Callable[[Decisions], ArrayLike]
"""Returns a legal action for every row: integers of shape ``(n,)``."""


@runtime_checkable
class Exportable(Protocol):
    """A network that can be written as a file for the agent ``net:FILE``."""

    observation: str
    family: str

    def export(self, path: str) -> None:
        """Write the file."""


Contestant = str | Policy | Exportable
"""Who can be evaluated: an agent of the program such as ``"value"`` or ``"net:FILE"``, a
function from ``Decisions`` to actions, or a ``sparrowhall.learn.Network``."""


def decide(policy: Policy, decisions: Decisions) -> NDArray[np.uint8]:
    """Call a policy, and check the form of its answer.

    Returns:
        Action ids, uint8, shape ``(n,)``; whether they are legal is not checked.

    Raises:
        SparrowhallError: the answer is not of this form.
    """
    n = len(decisions)
    actions = np.asarray(policy(decisions))
    if actions.shape != (n,) or not np.issubdtype(actions.dtype, np.integer):
        raise SparrowhallError(
            f"the policy returned {actions.dtype} of shape {actions.shape} for {n} decisions; "
            f"required: integers of shape ({n},)"
        )
    if actions.size and not 0 <= actions.min() <= actions.max() <= 255:
        raise SparrowhallError(
            f"the policy returned actions from {actions.min()} to {actions.max()}; "
            "allowed: ids of sparrowhall.ACTIONS"
        )
    return actions.astype(np.uint8)


def refuse_illegal(actions: NDArray[Any], mask: NDArray[Any]) -> None:
    """Raise IllegalActionError if an action is not legal.

    Args:
        actions: Action ids, shape ``(n,)``.
        mask: Legal actions, shape ``(n, actions)``.
    """
    refuse_unknown(actions, mask.shape[1])
    wrong = mask[np.arange(len(mask)), actions] == 0
    if not wrong.any():
        return
    row = int(wrong.argmax())
    action = int(actions[row])
    allowed = ", ".join(action_text(int(a)) for a in np.flatnonzero(mask[row]))
    raise IllegalActionError(
        f"action {action} ({action_text(action)}) of row {row} is not among: {allowed}"
    )


def refuse_unknown(actions: NDArray[Any], size: int) -> None:
    """Raise IllegalActionError if a number of shape ``(n,)`` is no id of a table of some size."""
    unknown = (actions < 0) | (actions >= size)
    if unknown.any():
        row = int(unknown.argmax())
        raise IllegalActionError(
            f"action {int(actions[row])} of row {row} is no action; allowed: 0 to {size - 1}"
        )
