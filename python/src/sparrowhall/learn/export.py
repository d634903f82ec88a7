"""Export of networks for the player ``net:FILE`` of the program."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save

from sparrowhall._checks import check_choice
from sparrowhall.actions import TABLE_VERSION
from sparrowhall.learn.network import Network
from sparrowhall.reward import SPREAD

FORMAT_VERSION = 1
"""Version of the file format."""

WEIGHT_BITS, VALUE_BITS = 12, 8
"""Fractional bits of weights, and of the values between layers."""


def export(network: Network, path: str | os.PathLike[str], family: str = "") -> None:
    """Write a network in fixed-point integers as safetensors.

    Weights become int16 in 1/4096, biases int32 in 1/2^20. The program checks the metadata:
    version, family, observation, action table, sizes and a digest of all tensors. The same
    network makes the same bytes.

    Args:
        network: The network.
        path: The file to write.
        family: The family of rulesets it is for, such as ``"riichi"``; the one it was trained
            with if empty.

    Raises:
        ValueError: a weight is 8 or more and does not fit, or the family is unknown.

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
        if scaled.size and np.abs(scaled).max() > 32767:
            raise ValueError(
                f"a weight of {name} is {np.abs(scaled).max() / 4096:.1f}; required: below 8"
            )
        # Transposed: the program adds the outputs of each input.
        tensors[f"{name}.weight"] = np.ascontiguousarray(np.round(scaled).astype("<i2"))

    def biases(name: str, bias: torch.Tensor) -> None:
        scaled = bias.detach().cpu().double().numpy() * (1 << WEIGHT_BITS + VALUE_BITS)
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
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(name.encode() + tensors[name].tobytes())
    metadata = {
        "format": "jansou net",
        "version": str(FORMAT_VERSION),
        "family": family,
        "observation": network.observation,
        "observation_version": str(network.spec.version),
        "action_table_version": str(TABLE_VERSION),
        "width": str(network.width),
        "whole": str(network.whole),
        "blocks": str(network.blocks),
        "margin": str(round(network.margin * (1 << WEIGHT_BITS + VALUE_BITS))),
        "sha256": digest.hexdigest(),
    }
    new = Path(f"{os.fspath(path)}.new")
    new.write_bytes(_in_order(save(tensors, metadata)))
    os.replace(new, path)


def _in_order(data: bytes) -> bytes:
    """Return a file with its metadata sorted: safetensors writes them in a random order."""
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data[end:]
