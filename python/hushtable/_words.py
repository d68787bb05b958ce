"""Words of shares: NumPy arrays of the narrowest unsigned type, reduced to the width."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ParamError

Kind = Literal["additive", "xor"]
Words = NDArray[Any]
Range = tuple[int, int]


def dtype(bits: int) -> np.dtype[Any]:
    """The type of words of `bits` bits."""
    return np.dtype(np.uint8 if bits <= 8 else np.uint16 if bits <= 16 else np.uint32 if bits <= 32 else np.uint64)


def reduce(words: Words, bits: int) -> Words:
    """The low `bits` bits of each word, in words of that width."""
    narrow = words.astype(dtype(bits), copy=False)
    if bits == narrow.dtype.itemsize * 8:
        return narrow
    reduced: Words = narrow & narrow.dtype.type((1 << bits) - 1)
    return reduced


def word(value: int, bits: int) -> Any:
    """One word."""
    return dtype(bits).type(value & ((1 << bits) - 1))


def check_bits(bits: int) -> None:
    """A width is 1 to 64."""
    if not 1 <= bits <= 64:
        raise ParamError(f"width of a share: {bits} is not supported; accepted: 1 to 64 bits")


def signed(bits: int) -> Range:
    """The numbers of two's complement."""
    return (-(1 << (bits - 1)), 1 << (bits - 1))


def fit(lo: int, hi: int, bits: int) -> Range:
    """`lo <= x < hi`, or what is left of it mod `2^bits`: any signed number."""
    fits = hi - lo <= 1 << bits and lo >= -(1 << 63) and hi <= 1 << 64
    return (lo, hi) if fits else signed(bits)


def numbers(values: ArrayLike) -> NDArray[np.int64] | NDArray[np.float64]:
    """Anything array-like as contiguous `int64` or `float64`: without a copy where that can be."""
    array = np.asarray(values)
    if array.dtype.kind in "bui":
        if array.dtype == np.uint64 and array.size and int(array.max()) >= 1 << 63:
            raise ParamError(f"value to share: {int(array.max())} is not supported; accepted: below 2^63")
        return np.ascontiguousarray(array, dtype=np.int64).reshape(array.shape)
    if array.dtype.kind == "f":
        return np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    raise TypeError(
        f"values of dtype {array.dtype}: numbers (integers, floats or booleans, nothing missing) are expected"
    )


def digest(text: str) -> str:
    """A name of public parameters, which the parties compare: 128 bits."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
