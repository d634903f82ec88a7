"""Training of networks that play, with PyTorch."""

from __future__ import annotations

from sparrowhall._extras import needs as _needs

with _needs("sparrowhall.learn", "torch"):
    import safetensors as _safetensors  # noqa: F401
    import torch as _torch

# Before, a file of weights could run code: CVE-2025-32434, CVE-2026-24747.
if _torch.torch_version.TorchVersion(_torch.__version__) < "2.10":
    raise ImportError(
        f"sparrowhall.learn needs PyTorch 2.10 or newer, which reads weights of others safely; "
        f"{_torch.__version__} is installed: pip install 'sparrowhall[torch]'",
        name="torch",
    )

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
from sparrowhall.learn.team import Team
from sparrowhall.learn.tiles import Player, TileNetwork

__all__ = [
    "PPO",
    "Network",
    "Pairs",
    "Player",
    "Progress",
    "Round",
    "Team",
    "TileNetwork",
    "Update",
    "evaluate_pairs",
    "export",
    "imitate",
    "improve",
    "read_pairs",
    "unit_of",
]
