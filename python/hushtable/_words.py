"""Words of shares: NumPy arrays of the narrowest unsigned type, reduced to the width."""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction
from numbers import Rational
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
from .errors import ParamError, ShapeError

Kind = Literal["additive", "xor"]
Words = NDArray[Any]
Range = tuple[int, int]

# Most digits after the point of a share.
MOST_FRACTION = 52

# No range reaches beyond it, with or without a sign: that is what the widest words tell apart.
FARTHEST = 1 << 64


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


def reduce64(words: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    """The low `bits` bits of each word, in words of 64."""
    return np.asarray(words & np.uint64((1 << bits) - 1))


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


def of_bits(least: int, bits: int) -> Range:
    """The numbers of any bits: with a sign if the least of what they were made of has one."""
    return signed(bits) if least < 0 else (0, 1 << bits)


def fits(lo: int, hi: int, bits: int) -> bool:
    """Whether all of `lo <= x < hi` can be told apart in `bits` bits."""
    return hi - lo <= 1 << bits and -FARTHEST <= lo and hi <= FARTHEST


def need(lo: int, hi: int) -> int:
    """The least width that holds `lo <= x < hi`; more than 64 if none does."""
    return max((hi - lo - 1).bit_length(), 1) if fits(lo, hi, 64) else 65


def need_to_round(lo: int, hi: int) -> int:
    """The least width in which numbers `lo <= x < hi` are rounded: a bit more than what holds them."""
    return max((-lo - 1).bit_length() if lo < 0 else 0, (hi - 1).bit_length() if hi > 0 else 0) + 2


def fit(lo: int, hi: int, bits: int) -> Range:
    """`lo <= x < hi`, or what is left of it mod `2^bits`: any signed number."""
    return (lo, hi) if fits(lo, hi, bits) else signed(bits)


def numbers(values: ArrayLike) -> NDArray[np.int64] | NDArray[np.float64]:
    """Anything array-like as contiguous `int64` or `float64`: without a copy where that can be."""
    if isinstance(values, np.ma.MaskedArray) and (masked := np.argwhere(np.ma.getmaskarray(values))).size:
        at = tuple(masked[0].tolist())
        raise ParamError(f"number: nothing at index {at if len(at) > 1 else at[0]}, where the array is masked, is not supported; "
                         f"accepted: numbers, nothing missing")
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


def exactly(end: float) -> Fraction:
    """A finite number of any type, NumPy's too, without rounding."""
    if isinstance(end, Rational):
        return Fraction(int(end.numerator), int(end.denominator))
    return Fraction(float(end))


def outward(range: tuple[float, float], fraction: int) -> Range | None:
    """The ends of a range in steps of `2^-fraction`, rounded outward; `None` if that is no range of numbers."""
    try:
        lo, hi = (exactly(end) * (1 << fraction) for end in range)
    except (TypeError, ValueError, OverflowError):
        return None
    return (math.floor(lo), math.ceil(hi)) if lo < hi else None


def written(steps: int, fraction: int) -> str:
    """A number of steps of `2^-fraction`, for people, with all its digits."""
    return str(steps >> fraction) if steps % (1 << fraction) == 0 else repr(steps * 2.0**-fraction)


def between(range: Range, fraction: int) -> str:
    """A range in steps of `2^-fraction`, for people."""
    return f"{written(range[0], fraction)} <= x < {written(range[1], fraction)}"


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


def beyond(words: Words, bits: int, range: Range) -> NDArray[Any]:
    """The whole numbers that words stand for, of a range that `int64` does not hold."""
    lo, hi = range
    above = reduce64(np.asarray(words.astype(np.uint64) - np.uint64(lo % (1 << 64))), bits)
    moved: NDArray[np.uint64] = np.asarray(above + np.uint64(lo % (1 << 64)))
    if lo >= 0:
        return moved
    ends = (lo + int(above.min()), lo + int(above.max())) if above.size else (0, 0)
    if -(1 << 63) <= ends[0] and ends[1] < 1 << 63:
        return moved.view(np.int64)
    return np.asarray(above.astype(object) + lo, dtype=object)


def broadcast(ufunc: np.ufunc, a: Words, b: Words) -> Words:
    """What a function makes of words as NumPy broadcasts them. Raises `ShapeError` for shapes that do not go together."""
    try:
        return np.asarray(ufunc(a, b))
    except ValueError:
        raise ShapeError(f"shapes {a.shape} and {b.shape} do not fit together") from None


def digest(text: str) -> str:
    """A name of public parameters, which the parties compare: 128 bits."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
