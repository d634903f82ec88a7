"""Networks that learn to play, with PyTorch."""

from __future__ import annotations

try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as e:
    raise ImportError("jansou.learn needs torch: pip install 'jansou[torch]'", name=e.name) from e

from jansou.learn.export import export
from jansou.learn.imitate import Progress, imitate
from jansou.learn.improve import Pairs, Round, improve, read_pairs, tried, unit_of
from jansou.learn.network import Network

__all__ = [
    "Network",
    "Pairs",
    "Progress",
    "Round",
    "export",
    "imitate",
    "improve",
    "read_pairs",
    "tried",
    "unit_of",
]
