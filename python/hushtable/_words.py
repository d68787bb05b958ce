"""Words of shares: NumPy arrays of the narrowest unsigned type, reduced to the width."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
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


def fits(lo: int, hi: int, bits: int) -> bool:
    """Whether all of `lo <= x < hi` can be told apart in `bits` bits."""
    return hi - lo <= 1 << bits and lo >= -(1 << 63) and hi <= 1 << 64


def fit(lo: int, hi: int, bits: int) -> Range:
    """`lo <= x < hi`, or what is left of it mod `2^bits`: any signed number."""
    return (lo, hi) if fits(lo, hi, bits) else signed(bits)


def numbers(values: ArrayLike) -> NDArray[np.int64] | NDArray[np.float64]:
    """Anything array-like as contiguous `int64` or `float64`: without a copy where that can be."""
    array = np.asarray(values)
    large = array.dtype == np.uint64 or (array.dtype == object and all(type(v) is int for v in array.flat))
    if large and array.size:
        for number in (int(array.min()), int(array.max())):
            if not -(1 << 63) <= number < 1 << 63:
                raise ParamError(f"number: {number} is not supported; accepted: -2^63 (included) to 2^63 (excluded)")
    if array.dtype.kind in "bui":
        return np.ascontiguousarray(array, dtype=np.int64).reshape(array.shape)
    if array.dtype.kind == "f":
        return np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    raise TypeError(
        f"values of dtype {array.dtype}: numbers (integers, floats or booleans, nothing missing) are expected"
    )


def steps(operation: str, values: ArrayLike, fraction: int, limits: Range) -> NDArray[np.int64]:
    """Public numbers that meet a share, in steps of `2^-fraction`: rounded to nearest, and within `limits`, in steps.

    Raises `ParamError` that names the first number outside, or that is not finite.
    """
    array = numbers(values)
    lo, hi = limits[0], min(limits[1], 1 << 63)
    try:
        words = native.encode(array, 64, fraction, (lo, hi), 1)
    except ParamError as error:
        raise ParamError(f"{operation} with a public {error}") from None
    return words.view(np.int64)


def extremes(whole: NDArray[np.int64]) -> Range:
    """The range of whole numbers: the least, and what all are below."""
    return (int(whole.min()), int(whole.max()) + 1) if whole.size else (0, 1)


def product(a: Range, b: Range) -> Range:
    """The range of the products of numbers of both."""
    ends = [x * y for x in (a[0], a[1] - 1) for y in (b[0], b[1] - 1)]
    return min(ends), max(ends) + 1


def words_of(whole: NDArray[np.int64], bits: int) -> Words:
    """Whole numbers as words: two's complement."""
    return reduce(whole.view(np.uint64), bits)


def digest(text: str) -> str:
    """A name of public parameters, which the parties compare: 128 bits."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
