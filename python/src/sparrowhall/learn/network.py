"""A network from what a player sees to what he does."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparrowhall.actions import NUM_ACTIONS, action_id, action_text
from sparrowhall.learn.inputs import CANDIDATE, KINDS, ONE, Inputs
from sparrowhall.policy import Decisions
from sparrowhall.spec import Observation, observation_from

MOST = 32 - 1 / ONE
"""The most that a value between two layers may be: what an exported network has room for."""

PER_KIND = ("discard", "ready", "closed_kan", "added_kan", "discard_red", "ready_red")
"""What is scored for each kind of tile; the last two are what a red five adds."""

STATE_VERSION = 1
"""Version of what ``state`` returns."""

SCORED = 32
"""Hidden values of a candidate."""


def bounded(x: Tensor) -> Tensor:
    """Cut off what is below zero, and above what an exported network has room for."""
    return x.clamp(0, MOST)


class Network(nn.Module):  # type: ignore[misc, unused-ignore]
    """Scores the actions of a player.

    The kinds of tiles go through convolutions along each suit, with the same weights for all
    three; the mean and the most over all kinds, the tile that may be claimed and the numbers go
    through two layers. From these together come scores of discards, ready and kans kind by
    kind, of all other actions, and of each candidate where a built-in player advises.

    Attributes:
        observation: Name of the observation it reads.
        family: Family of rulesets it has learnt, such as ``"riichi"``; empty of one that has
            learnt nothing.
        width: Channels of the convolutions.
        whole: Values of the layers over the whole.
        blocks: Number of convolutions.
        margin: By how much another candidate, or declaring ready, must promise more to be
            preferred to what a built-in player advises; nothing else is then, and where he
            names one action alone, that is. 0 for a network that is free. It is not learnt.
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
        """Make a network with weights drawn at random.

        Args:
            observation: What it reads: ``"planes"``, ``"features"``, or ``"advice"`` of a
                built-in player; a name is looked up in this process's server.
            width: Channels of the convolutions, an even number.
            whole: Values of the layers over the whole, an even number.
            blocks: Number of convolutions.

        Raises:
            ValueError: networks do not read this observation, or a number is out of range.
        """
        super().__init__()
        if isinstance(observation, str):
            from sparrowhall.server import shared

            observation = shared().observation(observation)
        for name, n, most in (("width", width, 128), ("whole", whole, 512)):
            if n % 2 or not 2 <= n <= most:
                raise ValueError(f"{name} is {n}; allowed: even numbers from 2 to {most}")
        if not 0 <= blocks <= 16:
            raise ValueError(f"blocks is {blocks}; allowed: 0 to 16")
        self.spec, self.inputs = observation, Inputs(observation)
        self.observation = observation.name
        self.family = ""
        self.width, self.whole, self.blocks = width, whole, blocks
        self.margin = 0.0
        self.embed = nn.Conv1d(self.inputs.kinds, width, 1)
        # What sets terminals and honors apart for weights that all places share.
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
        """Return logits of shape ``(n, 180)``, very low where the mask is 0.

        Args:
            inputs: What ``self.inputs`` makes of an observation.
            mask: Legal actions, shape ``(n, 180)``, of any type.
        """
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
            # Of what is no candidate the score goes to a place that is cut off.
            logits = nn.functional.pad(logits, (1, 0))
            logits = logits.scatter_add(1, inputs["action"], scores)[:, 1:]
            if self.margin:
                logits = self._near_advice(logits, inputs["action"])
        return logits.masked_fill(mask == 0, -1e9)

    def _near_advice(self, logits: Tensor, candidates: Tensor) -> Tensor:
        """Return logits with the margin: very low for what may not be preferred."""
        named = torch.zeros(len(logits), 1 + NUM_ACTIONS, device=logits.device)
        named = named.scatter(1, candidates, 1.0)[:, 1:]
        several = (candidates > 0).sum(1, keepdim=True) > 1
        first = nn.functional.one_hot(candidates[:, 0], 1 + NUM_ACTIONS)[:, 1:]
        kept = (named > 0) | (self.ready & several) | (candidates[:, :1] == 0)
        return (logits + self.margin * first).masked_fill(~kept, -1e9)

    def of(self, observation: dict[str, NDArray[Any]], mask: NDArray[Any]) -> Tensor:
        """Return the logits of decisions as environments and datasets give them."""
        device = next(self.parameters()).device
        inputs = {name: t.to(device) for name, t in self.inputs(observation).items()}
        logits: Tensor = self(inputs, torch.from_numpy(mask).to(device))
        return logits

    def policy(self, decisions: Decisions) -> NDArray[np.intp]:
        """Return the best action of each row: a policy for opponents and tournaments."""
        with torch.no_grad():
            logits = self.of(decisions.observation, decisions.mask)
        best: NDArray[np.intp] = logits.argmax(dim=1).cpu().numpy()
        return best

    def state(self) -> dict[str, Any]:
        """Return all that ``restored`` needs: tensors, numbers and texts."""
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
        """Return the network of a ``state``.

        Raises:
            ValueError: it is none, or of another version.
        """
        if not isinstance(state, dict) or "version" not in state:
            raise ValueError("it is no network of sparrowhall.learn, or of before they had versions")
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
        """Write the weights, and what they are the weights of, to a file, whole or not at all."""
        new = f"{os.fspath(path)}.new"
        torch.save(self.state(), new)
        os.replace(new, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], device: Any = None) -> Network:
        """Return the network of a file that ``save`` has written.

        Raises:
            ValueError: the file is damaged, no such file, or of another version.
        """
        try:
            network = cls.restored(torch.load(path, map_location=device, weights_only=True))
        except (FileNotFoundError, IsADirectoryError, PermissionError):
            raise
        except Exception as e:  # what torch.load raises depends on where the damage is
            said = "it is none of sparrowhall.learn" if isinstance(e, KeyError) else e
            raise ValueError(f"{os.fspath(path)} is damaged or no network: {said}") from e
        if device is not None:
            network.to(device)
        return network
