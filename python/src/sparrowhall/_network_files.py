"""Files of networks: safetensors whose metadata say what the network is for."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._files import replacing

MODULE_VERSION = 1
"""Version of the files of modules; those of ``sparrowhall.learn`` have their own."""

_JSON = ("training", "results")


def write_network(
    path: str | os.PathLike[str], tensors: dict[str, NDArray[Any]], metadata: Mapping[str, str]
) -> None:
    """Write a file by renaming a complete one. The same arguments make the same bytes.

    Args:
        path: The file.
        tensors: The tensors by name.
        metadata: The metadata; the digest of the tensors is added.
    """
    from safetensors.numpy import save

    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(name.encode() + tensors[name].tobytes())
    data = save(tensors, {**metadata, "sha256": digest.hexdigest()})
    with replacing(path) as new:
        new.write_bytes(in_order(data))


def in_order(data: bytes) -> bytes:
    """Return a file with its metadata sorted: safetensors writes them in a random order."""
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data[end:]


def card(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what the file of a network says about it.

    Args:
        path: A file that ``Policy.save`` or ``sparrowhall.learn.export`` has written.

    Returns:
        Texts by name, such as ``"ruleset"``, ``"observation"`` and ``"family"``;
        ``"training"`` and ``"results"`` as they were given to ``save``, None for NaN.

    Raises:
        ValueError: the file is none of a network.

    Examples:
        >>> import sparrowhall
        >>> sparrowhall.card("mine.safetensors")["ruleset"]  # doctest: +SKIP
        'ema_2016'
    """
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        # A header of more than 100 MB is none, by the definition of the format.
        text = file.read(length) if length <= 100_000_000 else b""
    try:
        metadata = json.loads(text)["__metadata__"]
        known = {k: v for k, v in metadata.items() if k != "graph"}
        if not str(known["format"]).startswith("sparrowhall "):
            raise KeyError("format")
        return {k: json.loads(v) if k in _JSON else v for k, v in known.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{os.fspath(path)} is not the file of a network") from None


def card_of(**given: object) -> dict[str, str]:
    """Return the metadata of a card: texts as they are, all else as JSON, None left out."""
    return {
        name: value if isinstance(value, str) and name not in _JSON else _json(name, value)
        for name, value in given.items()
        if value is not None
    }


def _json(name: str, value: object) -> str:
    def plain(x: Any) -> Any:
        if hasattr(x, "__dataclass_fields__"):
            return {f: plain(getattr(x, f)) for f in x.__dataclass_fields__}
        if isinstance(x, np.generic | np.ndarray):
            return plain(x.tolist())
        if isinstance(x, Mapping):
            return {k: plain(v) for k, v in x.items()}
        if isinstance(x, list | tuple):
            return [plain(v) for v in x]
        if isinstance(x, float) and not math.isfinite(x):
            return None  # JSON has no such numbers, and its readers refuse what Python writes
        if x is None or isinstance(x, str | int | float):
            return x
        raise ValueError(f"{name} has {x!r}; allowed: what JSON can hold, and results of evaluate")

    return json.dumps(plain(value))
