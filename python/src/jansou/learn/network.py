"""A network from what a player sees to what he does."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from jansou.actions import NUM_ACTIONS
from jansou.policy import Decisions

PLANES, KINDS = 62, 34
"""Shape of the tensor ``planes`` that a player sees: see docs/observations.md."""


class Network(nn.Module):  # type: ignore[misc]
    """Scores the actions of a player who sees ``planes``.

    The planes go through residual blocks of convolutions along the kinds of tiles, then through
    a layer over all of them.

    Attributes:
        width: Channels of the blocks.
        blocks: Number of blocks.
    """

    def __init__(self, width: int = 128, blocks: int = 1, *, planes: int = PLANES) -> None:
        """Make a network with weights drawn at random.

        Args:
            width: Channels of the blocks.
            blocks: Number of blocks.
            planes: Planes of the observation.
        """
        super().__init__()
        self.width, self.blocks = width, blocks
        self.first = nn.Conv1d(planes, width, 3, padding=1)
        self.body = nn.ModuleList(
            nn.Sequential(
                nn.ReLU(),
                nn.Conv1d(width, width, 3, padding=1),
                nn.ReLU(),
                nn.Conv1d(width, width, 3, padding=1),
            )
            for _ in range(blocks)
        )
        self.head = nn.Sequential(
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(width * KINDS, 512),
            nn.ReLU(),
            nn.Linear(512, NUM_ACTIONS),
        )

    def forward(self, planes: Tensor, mask: Tensor) -> Tensor:
        """Return logits of shape ``(n, 180)``, very low where the mask is 0.

        Args:
            planes: The observation, shape ``(n, planes, 34)``, of any type.
            mask: Legal actions, shape ``(n, 180)``, of any type.
        """
        x = self.first(planes.float())
        for block in self.body:
            x = x + block(x)
        scores: Tensor = self.head(x)
        return scores.masked_fill(mask == 0, -1e9)

    def policy(self, decisions: Decisions) -> NDArray[np.intp]:
        """Return the best action of each row: a policy for opponents and tournaments."""
        device = next(self.parameters()).device
        planes = torch.from_numpy(decisions.observation["planes"]).to(device)
        mask = torch.from_numpy(decisions.mask).to(device)
        with torch.no_grad():
            best: NDArray[np.intp] = self(planes, mask).argmax(dim=1).cpu().numpy()
        return best

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the weights, and what they are the weights of, to a file."""
        shape = {"width": self.width, "blocks": self.blocks, "planes": self.first.in_channels}
        torch.save({"shape": shape, "weights": self.state_dict()}, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], device: Any = None) -> Network:
        """Return the network of a file that ``save`` has written."""
        saved = torch.load(path, map_location=device, weights_only=True)
        network = cls(**saved["shape"])
        network.load_state_dict(saved["weights"])
        if device is not None:
            network.to(device)
        return network
