"""Mahjong as a reinforcement-learning environment, for many rulesets.

``local`` starts a server, ``connect`` reaches a running one; ``Client.open`` gives tables to
drive with arrays. ``make`` and ``make_vec`` are Gymnasium environments, ``env`` and
``parallel_env`` PettingZoo ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jansou.actions import (
    ACTIONS,
    FACES,
    NUM_ACTIONS,
    action_id,
    action_text,
    sample,
    unpack_mask,
)
from jansou.batch import Batch, LastRows
from jansou.client import EXTERNAL, TLS, Client, Tables, Transport, connect
from jansou.dataset import Returns, StepDataset, Steps, dataset
from jansou.errors import JansouError, RequestError, ServerError
from jansou.policy import Decisions, Policy
from jansou.reward import Moves
from jansou.server import LocalClient, find_binary, local
from jansou.spec import Field, Observation, Tensor, unpack
from jansou.version import __version__

if TYPE_CHECKING:
    from jansou.gym import JansouEnv, JansouVectorEnv, make, make_vec
    from jansou.opponents import Pool
    from jansou.zoo import AECTable, ParallelTable, env, parallel_env

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
    "JansouEnv",
    "JansouError",
    "JansouVectorEnv",
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
    "JansouEnv": "gym",
    "JansouVectorEnv": "gym",
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
        raise AttributeError(f"module 'jansou' has no attribute {name!r}")
    import importlib

    try:
        found = importlib.import_module(f"jansou.{module}")
    except ModuleNotFoundError as e:
        extra = _EXTRAS[module]
        raise ImportError(
            f"jansou.{name} needs {e.name}: pip install 'jansou[{extra}]'", name=e.name
        ) from e
    return getattr(found, name)
