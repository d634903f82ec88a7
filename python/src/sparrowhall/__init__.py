"""Mahjong as a reinforcement-learning environment, for many rulesets.

``local`` starts a server, ``connect`` reaches a running one; ``Client.open`` gives tables to
drive with arrays. ``make`` and ``make_vec`` are Gymnasium environments, ``env`` and
``parallel_env`` PettingZoo ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparrowhall.actions import (
    ACTIONS,
    FACES,
    NUM_ACTIONS,
    action_id,
    action_text,
    sample,
    unpack_mask,
)
from sparrowhall.batch import Batch, LastRows
from sparrowhall.client import EXTERNAL, TLS, Client, Tables, Transport, connect
from sparrowhall.dataset import Returns, StepDataset, Steps, dataset
from sparrowhall.errors import SparrowhallError, RequestError, ServerError
from sparrowhall.policy import Decisions, Policy
from sparrowhall.reward import Moves
from sparrowhall.server import LocalClient, find_binary, local
from sparrowhall.spec import Field, Observation, Tensor, unpack
from sparrowhall.version import __version__

if TYPE_CHECKING:
    from sparrowhall.gym import SparrowhallEnv, SparrowhallVectorEnv, make, make_vec
    from sparrowhall.opponents import Pool
    from sparrowhall.zoo import AECTable, ParallelTable, env, parallel_env

__all__ = [
    "ACTIONS",
    "EXTERNAL",
    "FACES",
    "NUM_ACTIONS",
    "TLS",
    "AECTable",
    "Batch",
    "Client",
    "Decisions",
    "Field",
    "SparrowhallEnv",
    "SparrowhallError",
    "SparrowhallVectorEnv",
    "LastRows",
    "LocalClient",
    "Moves",
    "Observation",
    "ParallelTable",
    "Policy",
    "Pool",
    "RequestError",
    "Returns",
    "ServerError",
    "StepDataset",
    "Steps",
    "Tables",
    "Tensor",
    "Transport",
    "__version__",
    "action_id",
    "action_text",
    "connect",
    "dataset",
    "env",
    "find_binary",
    "local",
    "make",
    "make_vec",
    "parallel_env",
    "sample",
    "unpack",
    "unpack_mask",
]

# Gymnasium and PettingZoo are extras: what needs them is imported on first use.
_LAZY = {
    "SparrowhallEnv": "gym",
    "SparrowhallVectorEnv": "gym",
    "Pool": "opponents",
    "make": "gym",
    "make_vec": "gym",
    "AECTable": "zoo",
    "ParallelTable": "zoo",
    "env": "zoo",
    "parallel_env": "zoo",
}
_EXTRAS = {"gym": "gymnasium", "opponents": "gymnasium", "zoo": "pettingzoo"}


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'sparrowhall' has no attribute {name!r}")
    import importlib

    try:
        found = importlib.import_module(f"sparrowhall.{module}")
    except ModuleNotFoundError as e:
        extra = _EXTRAS[module]
        raise ImportError(
            f"sparrowhall.{name} needs {e.name}: pip install 'sparrowhall[{extra}]'", name=e.name
        ) from e
    return getattr(found, name)
