"""Observations: their tensors, and how packed bytes become arrays."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._proto import env_pb2 as pb
from sparrowhall.actions import action_table

MASK = "action_mask"
"""Key of the legal-action mask in observations and infos."""

Arrays = dict[str, NDArray[Any]]
"""Arrays by name."""

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
    """A run of indices along one dimension of a tensor.

    Attributes:
        name: Unique within the tensor.
        first: The first index.
        count: Number of indices, at least 1.
        low: The smallest value of these elements; 0 with high 0 for the tensor's own bounds.
        high: The largest value of these elements.
        description: What the elements hold.

    Examples:
        >>> import sparrowhall
        >>> with sparrowhall.local() as client:
        ...     planes = client.observation("planes")["planes"]
        >>> planes.field("hand")[1]
        slice(0, 4, None)
    """

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
        packed: Whether the elements are sent as bits, 8 a byte, the lowest first.
        low: The smallest value of an element.
        high: The largest value of an element.
        row_bytes: Bytes of one row as sent.
        fields: Named runs of indices along one dimension.
        fields_last: Whether that dimension is the last one; otherwise it is the first.
        description: What the tensor holds.

    Examples:
        >>> import sparrowhall
        >>> with sparrowhall.local() as client:
        ...     planes = client.observation("planes")["planes"]
        >>> planes.row_bytes
        310
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
            Array of ``dtype``, shape ``(n, *shape)``; a view of raw unless bits are unpacked.
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
        """Unpack the bits of an array that ``shaped`` returned; return other arrays as they are."""
        if not self.packed:
            return shaped
        if not self.shape:
            return shaped & 1
        return _unpack(shaped, self.shape[-1])

    def pack(self, tensor: NDArray[Any]) -> NDArray[Any]:
        """Pack the bits of an array that ``unpack`` returned; return other arrays as they are."""
        if not self.packed or not self.shape:
            return tensor
        return np.packbits(tensor, axis=-1, bitorder="little")

    def field(self, name: str) -> tuple[Any, ...]:
        """Return an index that selects a field of every row of a decoded tensor.

        ``tensor.decode(raw)[tensor.field("hand")]`` is the field ``hand`` of every row.

        Raises:
            KeyError: the tensor has no such field.
        """
        for f in self.fields:
            if f.name == name:
                index = self._index(f)
                return index if self.fields_last else (slice(None), *index)
        names = ", ".join(f.name for f in self.fields) or "none"
        raise KeyError(f"tensor {self.name} has no field {name!r}; fields: {names}")

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
    """An encoding of one player's view: a fixed set of tensors, the same for all rulesets.

    Attributes:
        name: Its name, as ``Client.open`` takes it.
        version: Raised when the meaning of any byte changes; that of three players has another.
        description: What it is for.
        tensors: Its tensors, in the order in which they are sent.
        seats: Number of players of the tables: 3 or 4.

    Examples:
        >>> import sparrowhall
        >>> with sparrowhall.local() as client:
        ...     observation = client.observation("planes")
        >>> observation["planes"].shape
        (62, 34)
    """

    name: str
    version: int
    description: str
    tensors: tuple[Tensor, ...]
    seats: int = 4

    @property
    def actions(self) -> int:
        """Size of the action table: the width of the masks that go with the observation."""
        return len(action_table(self.seats)[1])

    def __getitem__(self, name: str) -> Tensor:
        for t in self.tensors:
            if t.name == name:
                return t
        names = ", ".join(t.name for t in self.tensors)
        raise KeyError(f"observation {self.name} has no tensor {name!r}; tensors: {names}")

    def json(self) -> str:
        """Return a JSON text from which ``observation_from`` builds an equal observation."""
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
                **({"seats": self.seats} if self.seats != 4 else {}),
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
            PyTorch tensor made from one, on any device.
        count: Number of bits: the last dimension of the tensor's shape.

    Returns:
        uint8 of 0 and 1, the last dimension count long; a PyTorch tensor if packed is one. An
        array of three or more dimensions is a view that leaves out the bits beyond count.

    Examples:
        >>> import numpy as np
        >>> import sparrowhall
        >>> sparrowhall.unpack(np.array([[5]], np.uint8), 4)
        array([[1, 0, 1, 0]], dtype=uint8)
    """
    if isinstance(packed, np.ndarray):
        return _unpack(packed, count)
    bits = packed.unsqueeze(-1) >> packed.new_tensor(range(8)) & 1
    return bits.flatten(-2)[..., :count]


# glibc gives freed memory back to the system beyond twice the largest block that it has mapped and
# freed (mallopt(3), M_MMAP_THRESHOLD), at first 256 KiB. The unpacked bits of hundreds of tables
# were paged in anew for each batch, which took twice as long as unpacking. Nothing is written here,
# so this costs no memory.
np.empty(31 << 20, np.uint8)


def _unpack(packed: NDArray[np.uint8], count: int) -> NDArray[np.uint8]:
    """Unpack bits along the last dimension."""
    if packed.ndim < 3:
        return np.unpackbits(packed, axis=-1, count=count, bitorder="little")
    # numpy is ten times slower along an axis of few bytes than over all bytes at once.
    bits = np.unpackbits(packed.reshape(-1), bitorder="little")
    *outer, last = packed.shape
    return bits.reshape(*outer, 8 * last)[..., :count]


def observation_of(message: pb.Observation, seats: int = 4) -> Observation:
    """Return the observation in a server's description, for tables of so many players."""
    return Observation(
        name=message.name,
        version=message.version,
        description=message.description,
        tensors=tuple(_tensor_of(t) for t in message.tensors),
        seats=seats,
    )


def observation_from(text: str) -> Observation:
    """Return the observation in a JSON text, as ``sparrowhall steps`` writes it."""
    spec = json.loads(text)
    tensors = tuple(map(_tensor_from, spec["tensors"]))
    seats = spec.get("seats", 4)
    return Observation(spec["name"], spec["version"], spec["doc"], tensors, seats)


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
