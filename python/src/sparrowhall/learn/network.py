"""The network: from an observation to logits of actions, and to the player ``net:FILE``."""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparrowhall._checks import check_choice, check_integer
from sparrowhall._files import replacing
from sparrowhall._network_files import write_network
from sparrowhall._rulesets import SPREAD
from sparrowhall.actions import NUM_ACTIONS, TABLE_VERSION, action_id, action_text
from sparrowhall.errors import SparrowhallError
from sparrowhall.learn.inputs import CANDIDATE, KINDS, ONE, Inputs
from sparrowhall.policy import Decisions, Policy
from sparrowhall.spec import Observation, observation_from

MOST = 32 - 1 / ONE
"""Upper bound of the values between layers, which exported networks can hold."""

PER_KIND = ("discard", "ready", "closed_kan", "added_kan", "discard_red", "ready_red")
"""The outputs for each kind of tile; the last two are added for a red five."""

STATE_VERSION = 1
"""Version of what ``state`` returns."""

SCORED = 32
"""Hidden values of a candidate."""

FORMAT_VERSION = 1
"""Version of the file format."""

WEIGHT_BITS, VALUE_BITS = 12, 8
"""Fractional bits of weights, and of the values between layers."""


def bounded(x: Tensor) -> Tensor:
    """Clamp to 0 and ``MOST``: a ReLU with an upper bound."""
    return x.clamp(0, MOST)


class Network(nn.Module):  # type: ignore[misc, unused-ignore]
    """Computes logits of a player's actions.

    The channels over kinds of tiles go through convolutions along each suit, which share their
    weights. Their mean and maximum over all kinds, those of the tile that may be claimed, and the
    other inputs go through two dense layers. Together they give logits of discards, ready and
    kans for each kind, of all other actions, and of each candidate of a built-in player's advice.

    Attributes:
        observation: Name of the observation it reads.
        family: Family of rulesets it was trained with, such as ``"riichi"``; empty if untrained.
        width: Channels of the convolutions.
        whole: Width of the dense layers.
        blocks: Number of convolutions.
        margin: Logit by which another candidate, or declaring ready, must exceed the action that
            a built-in player advises. With a margin all other actions are excluded; 0 for none.
            It is not trained.

    Examples:
        >>> import sparrowhall
        >>> from sparrowhall.learn import Network
        >>> network = Network("planes", width=8, whole=16, blocks=1)
        >>> env = sparrowhall.make_vec("ema_2016", 2, opponents=network.policy(), seed=1)
        >>> observations, info = env.reset()
        >>> network.of(observations, observations["action_mask"]).shape
        torch.Size([2, 180])
        >>> env.close()
    """

    where: Tensor
    inside: Tensor
    ready: Tensor
    five: Tensor

    def __init__(
        self,
        observation: str | Observation = "planes",
        *,
        width: int = 32,
        whole: int = 128,
        blocks: int = 2,
    ) -> None:
        """Create a network with random weights.

        Args:
            observation: The observation that it reads: ``"planes"``, ``"features"``, or
                ``"advice"`` of a built-in player. Names are those of this process's server.
            width: Channels of the convolutions, an even number from 2 to 128.
            whole: Width of the dense layers, an even number from 2 to 512.
            blocks: Number of convolutions, 0 to 16.

        Raises:
            ValueError: networks cannot read this observation, or a number is out of range.
        """
        super().__init__()
        if isinstance(observation, str):
            from sparrowhall.server import shared

            observation = shared().observation(observation)
        for name, n, most in (("width", width, 128), ("whole", whole, 512)):
            check_integer(name, n, 2, most)
            if n % 2:
                raise ValueError(f"{name} is {n}; allowed: even numbers from 2 to {most}")
        check_integer("blocks", blocks, 0, 16)
        self.spec, self.inputs = observation, Inputs(observation)
        self.observation = observation.name
        self.family = ""
        self.width, self.whole, self.blocks = width, whole, blocks
        self.margin = 0.0
        self.embed = nn.Conv1d(self.inputs.kinds, width, 1)
        # Marks terminals and honors, which the shared weights cannot tell from other tiles.
        self.place = nn.Conv1d(2, width, 1, bias=False)
        self.suits = nn.ModuleList(
            nn.Conv2d(width, width, (1, 3), padding=(0, 1)) for _ in range(blocks)
        )
        self.first = nn.Linear(self.inputs.numbers + 3 * width, whole)
        self.second = nn.Linear(whole, whole)
        self.join = nn.Linear(whole, width)
        self.per_kind = nn.Linear(width, len(PER_KIND))
        self.other = nn.Linear(whole, NUM_ACTIONS)
        if self.inputs.advised:
            self.candidate = nn.Linear(CANDIDATE, SCORED)
            self.situation = nn.Linear(whole, SCORED, bias=False)
            self.score = nn.Linear(SCORED, 1, bias=False)
        place = torch.zeros(1, 2, KINDS)
        place[0, 0, [0, 8, 9, 17, 18, 26]] = 1
        place[0, 1, 27:] = 1
        inside = torch.ones(1, 1, 4, 9)
        inside[..., 3, 7:] = 0
        self.register_buffer("where", place, persistent=False)
        self.register_buffer("inside", inside, persistent=False)
        ready = torch.tensor([action_text(a).startswith("ready") for a in range(NUM_ACTIONS)])
        self.register_buffer("ready", ready, persistent=False)
        self.register_buffer("five", torch.tensor([4, 13, 22]), persistent=False)
        with torch.no_grad():
            self.other.weight *= 0.1
            self.per_kind.weight *= 0.1

    def forward(self, inputs: dict[str, Tensor], mask: Tensor) -> Tensor:
        """Return the logits.

        Args:
            inputs: Tensors that ``self.inputs`` returned for an observation.
            mask: Legal actions, shape ``(n, 180)``, of any type.

        Returns:
            float32, shape ``(n, 180)``; -1e9 where the mask is 0.
        """
        return self.with_hidden(inputs, mask)[0]

    def with_hidden(self, inputs: dict[str, Tensor], mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits, and the second dense layer, float32, shape ``(n, whole)``."""
        n = len(mask)
        x = bounded(self.embed(inputs["kinds"]) + self.place(self.where))
        x = nn.functional.pad(x, (0, 2)).view(n, self.width, 4, 9)
        for layer in self.suits:
            x = torch.clamp(x + bounded(layer(x)) * self.inside, max=MOST)
        x = x.flatten(2)[..., :KINDS]
        window = (x * inputs["window"][:, None]).sum(2)
        whole = torch.cat([inputs["numbers"], x.mean(2), x.amax(2), window], dim=1)
        whole = bounded(self.second(bounded(self.first(whole))))
        each = self.per_kind(bounded(x + self.join(whole)[..., None]).transpose(1, 2))
        drawn = (each * inputs["drawn"][..., None]).sum(1)

        logits: Tensor = self.other(whole)
        spread = torch.zeros_like(logits)
        for i, text in enumerate(("discard 1m", "ready 1m", "closed_kan 1m", "added_kan 1m")):
            first = action_id(text)
            spread[:, first : first + KINDS] = each[..., i]
        for name, red in (("discard", 4), ("ready", 5)):
            first = action_id(f"{name} 0m")
            plain = each[:, self.five, red - 4]
            spread[:, first : first + 3] = plain + each[:, self.five, red]
        spread[:, action_id("discard drawn")] = drawn[:, 0]
        spread[:, action_id("ready drawn")] = drawn[:, 1]
        logits = logits + spread
        if self.inputs.advised:
            hidden = self.candidate(inputs["candidates"]) + self.situation(whole)[:, None]
            scores = self.score(bounded(hidden))[..., 0]
            # Unused candidates have action 0, whose column is cut off.
            logits = nn.functional.pad(logits, (1, 0))
            logits = logits.scatter_add(1, inputs["action"], scores)[:, 1:]
            if self.margin:
                logits = self._near_advice(logits, inputs["action"])
        return logits.masked_fill(mask == 0, -1e9), whole

    def _near_advice(self, logits: Tensor, candidates: Tensor) -> Tensor:
        """Add the margin to the advised action, and exclude all but candidates and ready."""
        named = torch.zeros(len(logits), 1 + NUM_ACTIONS, device=logits.device)
        named = named.scatter(1, candidates, 1.0)[:, 1:]
        several = (candidates > 0).sum(1, keepdim=True) > 1
        first = nn.functional.one_hot(candidates[:, 0], 1 + NUM_ACTIONS)[:, 1:]
        kept = (named > 0) | (self.ready & several) | (candidates[:, :1] == 0)
        return (logits + self.margin * first).masked_fill(~kept, -1e9)

    def of(self, observation: dict[str, NDArray[Any]], mask: NDArray[Any]) -> Tensor:
        """Return the logits for arrays of environments and datasets.

        Args:
            observation: The tensors by name, each of shape ``(n, *shape)``.
            mask: Legal actions, shape ``(n, 180)``.

        Returns:
            float32, shape ``(n, 180)``, on the network's device.

        Raises:
            ValueError: the decisions are of another observation or of tables of three players.
        """
        if mask.shape[1] != NUM_ACTIONS:
            raise ValueError(
                f"the network is for four players, whose masks have {NUM_ACTIONS} actions; these "
                f"have {mask.shape[1]}"
            )
        device = next(self.parameters()).device
        inputs = {name: t.to(device) for name, t in self.inputs(observation).items()}
        legal = mask if mask.flags.writeable else mask.copy()  # PyTorch warns of read-only memory
        logits: Tensor = self(inputs, torch.from_numpy(legal).to(device))
        return logits

    def set_family(self, family: str, what: str) -> None:
        """Set the family of rulesets that the network is trained with.

        Args:
            family: The family, such as ``"riichi"``.
            what: What is of this family, for the error.

        Raises:
            ValueError: the network was trained with another family.
        """
        if self.family not in ("", family):
            raise ValueError(
                f"the network was trained with rulesets of the family {self.family!r}; {what} is "
                f"of {family!r}"
            )
        self.family = family

    def policy(self, ruleset: str | Path | None = None, *, toml: str | None = None) -> Policy:
        """Return the network as a policy for a ruleset; see ``sparrowhall.Policy``."""
        return Policy(self, ruleset, toml=toml)

    def act(self, decisions: Decisions) -> NDArray[np.intp]:
        """Return the action with the highest logit of each row."""
        with torch.no_grad():
            logits = self.of(decisions.observation, decisions.mask)
        if logits.isnan().any():  # else the first of them would be played
            raise SparrowhallError("the network returned a logit that is not a number (NaN)")
        best: NDArray[np.intp] = logits.argmax(dim=1).cpu().numpy()
        return best

    def export(
        self,
        path: str | os.PathLike[str],
        family: str = "",
        card: Mapping[str, str] | None = None,
    ) -> None:
        """Write the file of the agent ``net:FILE``; see ``sparrowhall.learn.export``."""
        export(self, path, family, card)

    def state(self) -> dict[str, Any]:
        """Return the weights and settings, from which ``restored`` builds an equal network."""
        return {
            "version": STATE_VERSION,
            "observation": self.spec.json(),
            "family": self.family,
            "shape": {"width": self.width, "whole": self.whole, "blocks": self.blocks},
            "margin": self.margin,
            "weights": self.state_dict(),
        }

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Network:
        """Return the network that returned a ``state``.

        Raises:
            ValueError: state is not one, or of another version.
        """
        if not isinstance(state, dict) or "version" not in state:
            raise ValueError("it is not a network of sparrowhall.learn, or it has no version")
        if state["version"] != STATE_VERSION:
            raise ValueError(
                f"it is of version {state['version']}, this package reads version {STATE_VERSION}"
            )
        network = cls(observation_from(state["observation"]), **state["shape"])
        network.family = state["family"]
        network.margin = state.get("margin", 0.0)
        network.load_state_dict(state["weights"])
        return network

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the ``state`` to a file, by renaming a complete one."""
        # By a path torch.save would put the random name into the file.
        with replacing(path) as new, new.open("wb") as file:
            torch.save(self.state(), file)

    @classmethod
    def load(cls, path: str | os.PathLike[str], device: Any = None) -> Network:
        """Return the network in a file that ``save`` has written.

        Raises:
            ValueError: the file is damaged, not a network, or of another version.
        """
        try:
            network = cls.restored(torch.load(path, map_location=device, weights_only=True))
        except (FileNotFoundError, IsADirectoryError, PermissionError):
            raise
        except Exception as e:  # what torch.load raises depends on where the damage is
            foreign = isinstance(e, KeyError | pickle.UnpicklingError)
            said = "it is not one of sparrowhall.learn" if foreign else e
            raise ValueError(f"{os.fspath(path)} is damaged or not a network: {said}") from e
        if device is not None:
            network.to(device)
        return network


def export(
    network: Network,
    path: str | os.PathLike[str],
    family: str = "",
    card: Mapping[str, str] | None = None,
) -> None:
    """Write a network in fixed-point integers as safetensors.

    Weights become int16 in 1/4096, biases int32 in 1/2^20. The program checks the metadata:
    version, family, observation, action table, sizes and a digest of all tensors. The same
    network makes the same bytes.

    Args:
        network: The network.
        path: The file to write.
        family: The family of rulesets it is for, such as ``"riichi"``; the one it was trained
            with if empty.
        card: More metadata, which the program does not read.

    Raises:
        ValueError: a weight is 8 or more and does not fit, a number is NaN, or the family is
            unknown.

    Examples:
        >>> from sparrowhall.learn import Network, export
        >>> export(Network.load("network.pt"), "net.safetensors")  # doctest: +SKIP
    """
    family = family or network.family
    if not family:
        raise ValueError("the network was trained with no family of rulesets: pass family")
    check_choice("family", family, list(SPREAD))
    tensors: dict[str, NDArray[Any]] = {}

    def weights(name: str, weight: torch.Tensor) -> None:
        scaled = weight.detach().cpu().double().numpy() * (1 << WEIGHT_BITS)
        if scaled.size and not np.abs(scaled).max() <= 32767:  # NaN is not, either
            raise ValueError(
                f"a weight of {name} is {np.abs(scaled).max() / 4096:.1f}; required: below 8"
            )
        # Transposed: the program adds the outputs of each input.
        tensors[f"{name}.weight"] = np.ascontiguousarray(np.round(scaled).astype("<i2"))

    def biases(name: str, bias: torch.Tensor) -> None:
        scaled = bias.detach().cpu().double().numpy() * (1 << WEIGHT_BITS + VALUE_BITS)
        if np.isnan(scaled).any():
            raise ValueError(f"a bias of {name} is not a number")
        whole = np.round(scaled).clip(-(2**31), 2**31 - 1).astype("<i4")
        tensors[f"{name}.bias"] = np.ascontiguousarray(whole)

    with torch.no_grad():
        weights("embed", network.embed.weight[..., 0].T)
        place = network.place(network.where)[0].T
        biases("embed", network.embed.bias + place)
        for i in range(network.blocks):
            # Transposed for each of the three neighbors.
            weight = network.get_parameter(f"suits.{i}.weight")
            weights(f"suits.{i}", weight[:, :, 0].permute(2, 1, 0))
            biases(f"suits.{i}", network.get_parameter(f"suits.{i}.bias"))
        names = ["first", "second", "join", "per_kind", "other"]
        if network.inputs.advised:
            names += ["candidate", "situation", "score"]
        for name in names:
            layer = getattr(network, name)
            weights(name, layer.weight.T)
            if layer.bias is not None:
                biases(name, layer.bias)
    metadata = {
        "format": "sparrowhall net",
        "version": str(FORMAT_VERSION),
        "family": family,
        "observation": network.observation,
        "observation_version": str(network.spec.version),
        "action_table_version": str(TABLE_VERSION),
        "width": str(network.width),
        "whole": str(network.whole),
        "blocks": str(network.blocks),
        "margin": str(round(network.margin * (1 << WEIGHT_BITS + VALUE_BITS))),
        **(card or {}),
    }
    write_network(path, tensors, metadata)
