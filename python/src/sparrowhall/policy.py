"""Policies: functions from observations to actions, and what they are made for.

The same policy plays against a learner (``opponents`` of ``sparrowhall.make_vec``) and in
tournaments (``sparrowhall.serve_agent``).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparrowhall._network_files import MODULE_VERSION, card, card_of, write_network
from sparrowhall._proto import env_pb2 as pb
from sparrowhall._view import table_of, text_of
from sparrowhall.actions import NUM_ACTIONS, action_table, action_text
from sparrowhall.decoded import Decoder, decoder_of
from sparrowhall.errors import IllegalActionError, SparrowhallError
from sparrowhall.server import shared
from sparrowhall.spec import Observation


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

    def text(self, row: int) -> str:
        """Return a decision as text for people and language models.

        It has the hand, melds, discards, points and legal actions, as ``render`` of environments
        with ``render_mode="ansi"``; with the observation ``features`` also shanten and waits, both
        of the shape. Whether a wait would win, or lacks a yaku or the minimum, depends on more of
        the table than the tensors hold.

        Args:
            row: The row of the decision.

        Raises:
            ValueError: the decisions do not have the tensors of ``planes``, or are decoded.
        """
        state = self.observation.get("state")
        if state is None or state.dtype != np.uint8 or "planes" not in self.observation:
            raise ValueError(
                "the text of a decision needs an observation with the tensors of planes, not "
                "decoded; allowed: 'planes', 'features', 'advice', 'oracle'"
            )
        client, seats = shared(), 3 if self.mask.shape[1] > NUM_ACTIONS else 4
        name = "features" if "summary" in self.observation else "planes"
        presets = client.description.rulesets
        units = [r.units_per_point for r in presets if r.hash == self.ruleset_hash]
        seen = {name: tensor[row] for name, tensor in self.observation.items()}
        spec = client.observation(name, seats)
        # The points of rulesets of others are not known: they may have halves.
        table = table_of(spec, seen, self.mask[row], units[0] if units else 0)
        return text_of({"ruleset": self.ruleset, **table})


PolicyFunction = Callable[[Decisions], ArrayLike]
"""Returns a legal action for every row: integers of shape ``(n,)``."""


@runtime_checkable
class Exportable(Protocol):
    """A network that can be written as a file for the agent ``net:FILE``."""

    observation: str
    family: str

    def act(self, decisions: Decisions) -> ArrayLike:
        """Return a legal action for every row."""

    def export(
        self, path: str | os.PathLike[str], family: str = "", card: Mapping[str, str] | None = None
    ) -> None:
        """Write the file, for a family of rulesets."""


@dataclass(frozen=True)
class Policy:
    """A player, with the ruleset and the observation that it is made for.

    Environments take it in place of a ruleset and have its ruleset, observation and decoding;
    ``evaluate``, ``rate``, ``serve_agent`` and ``League`` take it as a player, ``opponents``
    too. Under another ruleset it plays only where ``transfer=True`` is given.

    Attributes:
        network: Who decides:

            - a function from ``Decisions`` to actions;
            - a ``torch.nn.Module`` from the observation with ``"action_mask"``, a dictionary of
              tensors of shape ``(n, ...)`` as environments return it, to logits of shape
              ``(n, actions)``; the legal action with the highest logit is played;
            - a ``sparrowhall.learn.Network``;
            - the ``Path`` of an exported network, or an agent's name such as ``"net:FILE"``.
        ruleset: Name of a preset, or the path of a ruleset file ending in ``.toml``. If there is
            no toml either, that which an exported network is for; else ``"ema_2016"``.
        observation: Name of the observation; by default that of a ``sparrowhall.learn.Network``,
            else ``"planes"``. ``""`` for the legal actions alone.
        decoded: Whether it sees bounded numbers without codes; see
            ``sparrowhall.decoded.Decoder``. Under another ruleset they are scaled as under its
            own.
        toml: Text of a ruleset file, instead of ruleset.

    Examples:
        >>> import sparrowhall
        >>> policy = sparrowhall.Policy(lambda d: d.mask.argmax(axis=1), "zung_jung")
        >>> env = sparrowhall.make(policy, seed=1)
        >>> result = sparrowhall.evaluate(policy, against="random", matches=4, progress=False)
        >>> result.ruleset
        'zung_jung'
    """

    network: str | Path | PolicyFunction | Exportable
    ruleset: str | Path | None = None
    _: KW_ONLY
    observation: str | None = None
    decoded: bool = False
    toml: str | None = None

    def __post_init__(self) -> None:
        """Raise ValueError unless the network is one and the others fit."""
        given = self.network
        exportable = isinstance(given, Exportable)
        if isinstance(given, Policy | type) or not (
            exportable or isinstance(given, str | Path) or callable(given)
        ):
            raise ValueError(
                f"network is {given!r}; allowed: a function from sparrowhall.Decisions to actions, "
                "a torch.nn.Module, a sparrowhall.learn.Network, the Path of an exported network "
                "or an agent's name"
            )
        if self.toml is not None and self.ruleset is not None:
            raise ValueError(
                f"ruleset is {str(self.ruleset)!r}, and toml is given; allowed: one of them"
            )
        file = given if isinstance(given, Path) else self._file
        if self.toml is None and self.ruleset is None and file is not None:
            known = card(file)
            object.__setattr__(self, "toml", known.get("toml"))
            if self.toml is None:
                object.__setattr__(self, "ruleset", known.get("ruleset"))
        if self.observation is None:
            own = given.observation if isinstance(given, Exportable) else "planes"
            object.__setattr__(self, "observation", own)
        if self.decoded and (exportable or not self.observation):
            what = "network is a Network, which reads codes" if exportable else "observation is ''"
            raise ValueError(f"decoded is True, and {what}; allowed: False")

    def __getstate__(self) -> dict[str, Any]:
        # Without what is cached: messages of the protocol cannot be pickled.
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def agent(self) -> str | None:
        """The name of the agent that the program plays; None if this process plays."""
        if isinstance(self.network, Path):
            return f"net:{self.network}"
        return self.network if isinstance(self.network, str) else None

    @property
    def _file(self) -> Path | None:
        """The file of the network that the program plays, if it is on this machine."""
        kind, _, file = (self.agent or "").partition(":")
        return Path(file) if kind == "net" and Path(file).is_file() else None

    @property
    def rules(self) -> pb.Ruleset:
        """The ruleset that it is made for."""
        return self._table[0]

    @cached_property
    def _table(self) -> tuple[pb.Ruleset, Observation | None]:
        """The ruleset, and the observation under it."""
        seen = self.observation if self.agent is None else ""
        with shared().open(self.ruleset, observation=seen or "", toml=self.toml) as tables:
            if isinstance(self.network, Exportable):
                check_network(self.network, tables.ruleset)
            return tables.ruleset, tables.spec

    @cached_property
    def _decoder(self) -> Decoder:
        rules, spec = self._table
        assert spec is not None
        return decoder_of(spec, rules)

    def save(
        self, path: str | os.PathLike[str], *, training: Any = None, results: Any = None
    ) -> None:
        """Write the network as a file that the program plays as ``net:FILE``.

        A ``torch.nn.Module`` is traced by ``torch.export``, with decoding if there is any, and
        computed in float32. A ``sparrowhall.learn.Network`` becomes integers. The file also has
        the ruleset, the observation and all versions; ``sparrowhall.card`` returns them.

        Args:
            path: The file to write.
            training: How it was trained, for the card: what JSON can hold.
            results: What it achieved, for the card: the same, or results of ``evaluate``.

        Raises:
            ValueError: the policy has no network, the program does not compute a layer of it, or
                it cannot be traced.

        Examples:
            >>> policy = sparrowhall.Policy(module, "ema_2016", decoded=True)  # doctest: +SKIP
            >>> policy.save("mine.safetensors", training={"updates": 500})  # doctest: +SKIP
            >>> sparrowhall.evaluate("net:mine.safetensors", "ema_2016")  # doctest: +SKIP
        """
        torch = sys.modules.get("torch")
        network = self.network
        module = torch is not None and isinstance(network, torch.nn.Module)
        if not module and not isinstance(network, Exportable):
            raise ValueError(
                f"network is {network!r}, which has no weights to write; allowed: a "
                "torch.nn.Module or a sparrowhall.learn.Network"
            )
        rules, spec = self._table
        assert spec is not None
        about = card_of(
            ruleset=rules.name,
            ruleset_hash=rules.hash.hex(),
            toml=self._text_of_rules(),
            engine_version=str(shared().description.engine_version),
            program_version=shared().description.program_version,
            training=training,
            results=results,
        )
        if isinstance(network, Exportable):
            network.export(path, rules.family, about)
            return
        from sparrowhall._export import graph_of

        decoder = self._decoder if self.decoded else None
        tensors, graph = graph_of(network, spec, decoder)  # type: ignore[arg-type, unused-ignore]
        write_network(
            path,
            tensors,
            {
                "format": "sparrowhall module",
                "version": str(MODULE_VERSION),
                "family": rules.family,
                "seats": str(rules.seats),
                "observation": spec.name,
                "observation_version": str(spec.version),
                "decoded": "true" if self.decoded else "false",
                "action_table_version": str(action_table(rules.seats)[0]),
                **graph,
                **about,
            },
        )

    def _text_of_rules(self) -> str | None:
        given = self.ruleset
        if given is not None and str(given).endswith(".toml"):
            return Path(given).read_text(encoding="utf-8")
        return self.toml

    def check_alone(self, **arguments: object) -> None:
        """Raise ValueError if an argument that the policy carries is given as well."""
        for name, given in arguments.items():
            if given:
                raise ValueError(f"{name} is {given!r}, and the policy has its own; leave it out")

    def check_ruleset(self, name: str, ruleset_hash: bytes, transfer: bool) -> None:
        """Raise ValueError if it would play under another ruleset without ``transfer=True``.

        What a file is made for is in its card, whatever ruleset it was given here.
        """
        if transfer:
            return
        known = card(self._file) if self._file is not None else {}
        made_for, own = known.get("ruleset"), known.get("ruleset_hash")
        if own is None:
            made_for, own = self.rules.name, self.rules.hash.hex()
        if ruleset_hash.hex() != own:
            raise ValueError(
                f"the policy is made for {made_for}, and would play under {name}; "
                "allowed: that ruleset, or transfer=True"
            )

    def check_decoding(self) -> None:
        """Raise ValueError if its observation is to be decoded and cannot be."""
        if self.decoded:
            _ = self._decoder

    def check_observation(self, spec: Observation) -> None:
        """Raise ValueError unless an environment's observation has what the policy sees."""
        own = self._table[1]
        if self.agent is not None or own is None or own.name == spec.name:
            return
        offered = {t.name: t.shape for t in spec.tensors}
        if own.name.startswith("advice") or any(
            offered.get(t.name) != t.shape for t in own.tensors
        ):
            raise ValueError(
                f"a policy among the opponents sees the observation {own.name!r}, and the "
                f"environment has {spec.name!r}; allowed: an environment with that observation"
            )

    def __call__(self, decisions: Decisions) -> NDArray[np.uint8]:
        """Return a legal action for every row, given observations that are not decoded.

        Raises:
            SparrowhallError: the network has not returned actions, or is played by the program.
        """
        network = self.network
        if isinstance(network, str | Path):
            raise SparrowhallError(f"the program plays {self.agent}, not this process")
        if (spec := self._table[1]) is not None:
            seen = {t.name: decisions.observation[t.name] for t in spec.tensors}
            decisions = replace(
                decisions, observation=self._decoder(seen) if self.decoded else seen
            )
        return decide(network.act if isinstance(network, Exportable) else network, decisions)


Contestant = str | PolicyFunction | Exportable | Policy
"""Who can be evaluated: a ``Policy``, an agent of the program such as ``"value"`` or
``"net:FILE"``, a function from ``Decisions`` to actions, or a ``sparrowhall.learn.Network``."""


def check_network(network: Exportable, rules: pb.Ruleset) -> None:
    """Raise ValueError unless a network can play under a ruleset."""
    if network.family not in ("", rules.family):
        raise ValueError(
            f"the network was trained with rulesets of the family {network.family!r}; "
            f"{rules.name} is of {rules.family!r}"
        )
    if rules.seats != 4:
        raise ValueError(f"networks are for four players; {rules.name} is for {rules.seats}")


def decide(policy: PolicyFunction, decisions: Decisions) -> NDArray[np.uint8]:
    """Call a policy, and check the form of its answer.

    Returns:
        Action ids, uint8, shape ``(n,)``; whether they are legal is not checked.

    Raises:
        SparrowhallError: the answer is not of this form.
    """
    n = len(decisions)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(policy, torch.nn.Module):
        from sparrowhall._torch import best_actions

        actions = best_actions(policy, decisions.observation, decisions.mask)
    else:
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
