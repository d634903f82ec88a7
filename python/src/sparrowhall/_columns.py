"""Columns of integers as bytes of the protocol."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray


def to_column(name: str, values: ArrayLike, dtype: DTypeLike) -> bytes:
    """Return integers as bytes.

    Args:
        name: Name of the argument, for errors.
        values: An integer, or integers of shape ``(n,)``.
        dtype: Type of an element.

    Raises:
        TypeError: values are not integers.
        ValueError: a value does not fit into dtype.
    """
    array = np.atleast_1d(np.asarray(values))
    if array.dtype.kind == "f" and not isinstance(values, np.ndarray):
        # NumPy reads small integers together with some from 2**63 as float64.
        exact = np.atleast_1d(np.asarray(values, object))
        if all(isinstance(v, int | np.integer) and 0 <= v < 2**64 for v in exact.flat):
            array = exact.astype(np.uint64)
    return to_integers(name, array, dtype).tobytes()


def to_integers(name: str, array: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    """Return an array of integers as another type; see ``to_column`` for the errors."""
    if array.dtype == dtype:
        return array
    if array.size and array.dtype.kind not in "ui":
        raise TypeError(f"{name} has dtype {array.dtype}; allowed: integers")
    limits = np.iinfo(np.dtype(dtype))
    if array.size and (array.min() < limits.min or array.max() > limits.max):
        raise ValueError(
            f"{name} has values from {array.min()} to {array.max()}; "
            f"allowed: {limits.min} to {limits.max}"
        )
    return array.astype(dtype)


def from_column(data: bytes, dtype: DTypeLike) -> NDArray[Any]:
    """Return a column as a read-only array."""
    return np.frombuffer(data, dtype)
