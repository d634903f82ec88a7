"""Training of networks that play, with PyTorch."""

from __future__ import annotations

try:
    import safetensors as _safetensors  # noqa: F401
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as e:
    raise ImportError(
        f"sparrowhall.learn needs {e.name}: pip install 'sparrowhall[torch]'", name=e.name
    ) from e

from sparrowhall.learn.imitation import Progress, imitate
from sparrowhall.learn.improvement import (
    Pairs,
    Round,
    evaluate_pairs,
    improve,
    read_pairs,
    unit_of,
)
from sparrowhall.learn.network import Network, export
from sparrowhall.learn.ppo import PPO, Update
from sparrowhall.learn.tiles import Player, TileNetwork

__all__ = [
    "PPO",
    "Network",
    "Pairs",
    "Player",
    "Progress",
    "Round",
    "TileNetwork",
    "Update",
    "evaluate_pairs",
    "export",
    "imitate",
    "improve",
    "read_pairs",
    "unit_of",
]
