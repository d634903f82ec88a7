"""What observations are made of, and how packed bytes become arrays."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._proto import env_pb2 as pb

_DTYPES: dict[int, np.dtype[Any]] = {
    pb.DTYPE_BIT: np.dtype("u1"),
    pb.DTYPE_UINT8: np.dtype("u1"),
    pb.DTYPE_INT8: np.dtype("i1"),
    pb.DTYPE_UINT16: np.dtype("<u2"),
    pb.DTYPE_INT16: np.dtype("<i2"),
    pb.DTYPE_UINT32: np.dtype("<u4"),
    pb.DTYPE_INT32: np.dtype("<i4"),
}


@dataclass(frozen=True)
class Field:
    """A run of indices of a tensor's first dimension, or last one (``fields_last``)."""

    name: str
    first: int
    count: int
    low: int
    high: int
    description: str


@dataclass(frozen=True)
class Tensor:
    """One tensor of an observation.

    Attributes:
        name: Unique within the observation.
        shape: Dimensions without that of the rows.
        dtype: Type of the decoded elements; packed bits decode to uint8.
        packed: Whether the elements are sent as bits.
        low: The smallest value of an element.
        high: The largest value of an element.
        row_bytes: Bytes of one row as sent.
        fields: Names for runs along one dimension.
        fields_last: Whether that is the last dimension, not the first.
        description: What the tensor holds.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    packed: bool
    low: int
    high: int
    row_bytes: int
    fields: tuple[Field, ...]
    fields_last: bool
    description: str

    def decode(self, raw: NDArray[np.uint8]) -> NDArray[Any]:
        """Return the tensor of every row.

        Args:
            raw: Bytes as sent, uint8, shape ``(n, row_bytes)``.

        Returns:
            Array of ``dtype``, shape ``(n, *shape)``: a view of raw unless bits are unpacked.
        """
        return self.unpack(self.shaped(raw))

    def shaped(self, raw: NDArray[np.uint8]) -> NDArray[Any]:
        """Return the tensor of every row, bits still packed along the last dimension.

        Args:
            raw: Bytes as sent, uint8, shape ``(n, row_bytes)``.

        Returns:
            A view of raw: of ``dtype`` and shape ``(n, *shape)``, or of bits uint8 with
            ``(shape[-1] + 7) // 8`` in place of the last dimension.
        """
        if self.packed:
            *outer, last = self.shape or (1,)
            return raw.reshape(len(raw), *outer, (last + 7) // 8)
        return np.ascontiguousarray(raw).view(self.dtype).reshape(len(raw), *self.shape)

    def unpack(self, shaped: NDArray[Any]) -> NDArray[Any]:
        """Unpack what ``shaped`` returns, or some rows of it, if it is bits."""
        if not self.packed:
            return shaped
        if not self.shape:
            return shaped & 1
        return _unpack(shaped, self.shape[-1])

    def pack(self, tensor: NDArray[Any]) -> NDArray[Any]:
        """Undo ``unpack``."""
        if not self.packed or not self.shape:
            return tensor
        return np.packbits(tensor, axis=-1, bitorder="little")

    def field(self, name: str) -> tuple[Any, ...]:
        """Return the index of the field with the given name into a decoded tensor.

        ``tensor.decode(raw)[tensor.field("hand")]`` holds that field of every row.

        Raises:
            KeyError: the tensor has no such field.
        """
        for f in self.fields:
            if f.name == name:
                index = self._index(f)
                return index if self.fields_last else (slice(None), *index)
        raise KeyError(f"tensor {self.name} has no field {name!r}: {[f.name for f in self.fields]}")

    def bounds(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the smallest and the largest value of every element.

        Returns:
            Two arrays of ``dtype`` and ``shape``.
        """
        low = np.full(self.shape, self.low).astype(self.dtype)
        high = np.full(self.shape, self.high).astype(self.dtype)
        for f in self.fields:
            if (f.low, f.high) != (0, 0):
                low[self._index(f)] = f.low
                high[self._index(f)] = f.high
        return low, high

    def _index(self, f: Field) -> tuple[Any, ...]:
        run = slice(f.first, f.first + f.count)
        return (..., run) if self.fields_last else (run,)


@dataclass(frozen=True)
class Observation:
    """What a player is shown: a fixed set of tensors, the same for all rulesets."""

    name: str
    version: int
    description: str
    tensors: tuple[Tensor, ...]

    def __getitem__(self, name: str) -> Tensor:
        for t in self.tensors:
            if t.name == name:
                return t
        raise KeyError(f"observation {self.name} has no tensor {name!r}")

    def json(self) -> str:
        """Return the text from which ``observation_from`` makes it again."""
        tensors = [
            {
                "name": t.name,
                "dtype": "bit" if t.packed else t.dtype.name,
                "shape": t.shape,
                "low": t.low,
                "high": t.high,
                "doc": t.description,
                "fields": [
                    {
                        "name": f.name,
                        "first": f.first,
                        "count": f.count,
                        "low": f.low,
                        "high": f.high,
                        "doc": f.description,
                    }
                    for f in t.fields
                ],
                "last": t.fields_last,
            }
            for t in self.tensors
        ]
        return json.dumps(
            {
                "name": self.name,
                "version": self.version,
                "doc": self.description,
                "tensors": tensors,
            }
        )

    def decode(self, raw: Sequence[NDArray[np.uint8]]) -> dict[str, NDArray[Any]]:
        """Return the tensors by name, each of shape ``(n, *shape)``.

        Args:
            raw: For each tensor its bytes as sent, shape ``(n, row_bytes)``.
        """
        return {t.name: t.decode(r) for t, r in zip(self.tensors, raw, strict=True)}


def unpack(packed: Any, count: int) -> Any:
    """Unpack bits along the last dimension.

    Args:
        packed: uint8, 8 bits a byte, the lowest first: an array of ``Batch.packed``, or a
            PyTorch tensor made of one, on any device.
        count: How many bits there are: the last dimension of the tensor's shape.

    Returns:
        uint8 of 0 and 1, of what packed is, the last dimension count long. Of numpy's arrays
        with many dimensions it is a view that leaves out the bits beyond count.
    """
    if isinstance(packed, np.ndarray):
        return _unpack(packed, count)
    bits = packed.unsqueeze(-1) >> packed.new_tensor(range(8)) & 1
    return bits.flatten(-2)[..., :count]


def _unpack(packed: NDArray[np.uint8], count: int) -> NDArray[np.uint8]:
    """Unpack bits along the last dimension."""
    if packed.ndim < 3:
        return np.unpackbits(packed, axis=-1, count=count, bitorder="little")
    # Along an axis of a few bytes numpy takes ten times as long as over all bytes at once.
    bits = np.unpackbits(packed.reshape(-1), bitorder="little")
    return bits.reshape(*packed.shape[:-1], -1)[..., :count]


def observation_of(message: pb.Observation) -> Observation:
    """Return an observation as the server describes it."""
    return Observation(
        name=message.name,
        version=message.version,
        description=message.description,
        tensors=tuple(_tensor_of(t) for t in message.tensors),
    )


def observation_from(text: str) -> Observation:
    """Return an observation as ``sparrowhall steps`` describes it, in JSON."""
    spec = json.loads(text)
    return Observation(
        spec["name"], spec["version"], spec["doc"], tuple(map(_tensor_from, spec["tensors"]))
    )


def _tensor_from(tensor: dict[str, Any]) -> Tensor:
    packed = tensor["dtype"] == "bit"
    dtype = np.dtype("u1" if packed else tensor["dtype"]).newbyteorder("<")
    *outer, last = tensor["shape"]
    return Tensor(
        name=tensor["name"],
        shape=tuple(tensor["shape"]),
        dtype=dtype,
        packed=packed,
        low=tensor["low"],
        high=tensor["high"],
        row_bytes=math.prod(outer) * ((last + 7) // 8 if packed else last * dtype.itemsize),
        fields=tuple(
            Field(f["name"], f["first"], f["count"], f["low"], f["high"], f["doc"])
            for f in tensor.get("fields", [])
        ),
        fields_last=tensor.get("last", False),
        description=tensor["doc"],
    )


def _tensor_of(message: pb.Tensor) -> Tensor:
    return Tensor(
        name=message.name,
        shape=tuple(message.shape),
        dtype=_DTYPES[message.dtype],
        packed=message.dtype == pb.DTYPE_BIT,
        low=message.low,
        high=message.high,
        row_bytes=message.row_bytes,
        fields_last=message.fields_last,
        fields=tuple(
            Field(f.name, f.first, f.count, f.low, f.high, f.description) for f in message.fields
        ),
        description=message.description,
    )
