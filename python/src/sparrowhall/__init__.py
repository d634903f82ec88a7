"""Mahjong as a reinforcement-learning environment, for many rulesets.

``make`` and ``make_vec`` are Gymnasium environments, ``env`` and ``parallel_env`` PettingZoo ones.
``local`` starts a server and ``connect`` connects to a running one; ``Client.open`` opens tables
that are driven with arrays. ``dataset`` reads datasets as batches of arrays. ``evaluate`` measures
how a policy plays, ``rate`` rates it against a frozen pool, ``serve_agent`` serves it to the
program, and ``make_selfplay`` gives the learner all seats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparrowhall._network_files import card
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
from sparrowhall.client import EXTERNAL, TLS, Client, Transport, connect
from sparrowhall.datasets import Returns, StepDataset, Steps, dataset
from sparrowhall.errors import IllegalActionError, RequestError, ServerError, SparrowhallError
from sparrowhall.evaluation import Evaluation, evaluate
from sparrowhall.following import Decision, Follower
from sparrowhall.opponents import League
from sparrowhall.policy import Decisions, Policy, PolicyFunction
from sparrowhall.rating import Rating, rate
from sparrowhall.reward import Moves
from sparrowhall.selfplay import SelfPlay, make_selfplay
from sparrowhall.server import LocalClient, find_binary, local
from sparrowhall.serving import PolicyServer, serve_agent
from sparrowhall.spec import Field, Observation, Tensor, unpack
from sparrowhall.tables import Playouts, Tables
from sparrowhall.version import __version__

if TYPE_CHECKING:
    from sparrowhall.gym import SparrowhallEnv, SparrowhallVectorEnv, make, make_vec
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
    "Decision",
    "Decisions",
    "Evaluation",
    "Field",
    "Follower",
    "IllegalActionError",
    "LastRows",
    "League",
    "LocalClient",
    "Moves",
    "Observation",
    "ParallelTable",
    "Playouts",
    "Policy",
    "PolicyFunction",
    "PolicyServer",
    "Rating",
    "RequestError",
    "Returns",
    "SelfPlay",
    "ServerError",
    "SparrowhallEnv",
    "SparrowhallError",
    "SparrowhallVectorEnv",
    "StepDataset",
    "Steps",
    "Tables",
    "Tensor",
    "Transport",
    "__version__",
    "action_id",
    "action_text",
    "card",
    "connect",
    "dataset",
    "env",
    "evaluate",
    "find_binary",
    "local",
    "make",
    "make_selfplay",
    "make_vec",
    "parallel_env",
    "rate",
    "sample",
    "serve_agent",
    "unpack",
    "unpack_mask",
]

# The extras Gymnasium and PettingZoo are imported on first use.
_LAZY = {
    "SparrowhallEnv": "gym",
    "SparrowhallVectorEnv": "gym",
    "make": "gym",
    "make_vec": "gym",
    "AECTable": "zoo",
    "ParallelTable": "zoo",
    "env": "zoo",
    "parallel_env": "zoo",
}
_EXTRAS = {"gym": "gymnasium", "zoo": "pettingzoo"}


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'sparrowhall' has no attribute {name!r}")
    import importlib

    from sparrowhall._extras import needs

    with needs(f"sparrowhall.{name}", _EXTRAS[module]):
        found = importlib.import_module(f"sparrowhall.{module}")
    return getattr(found, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
