"""Public numbers that meet shares: as steps of their scale, as thresholds, and as factors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
from . import _words
from ._room import WHOLE, too_wide
from ._words import Range
from .errors import ParamError

if TYPE_CHECKING:
    from .share import Share

Numbers = NDArray[np.int64] | NDArray[np.float64]

# Most digits after the point of a factor.
MOST_DIGITS = 60

# What a factor may be off by, relative to it, where the width has no room for more digits.
NEAR = 0.01

# Factors are below.
LARGEST = 1 << 63

# Numbers of steps below it keep their halves in floating point.
MOST_EXACT = 1 << 51


def steps(operation: str, values: ArrayLike, fraction: int, limits: Range) -> NDArray[np.int64]:
    """Public numbers in steps of `2^-fraction`: rounded to nearest, and within `limits`, in steps.

    Raises `ParamError` that names the first number that is outside, not finite, or not whole beside whole numbers.
    """
    array = _words.numbers(values)
    rounded = _checked(operation, array, fraction, limits)
    if fraction == 0 and array.dtype == np.float64:
        _refuse(operation, array, rounded != array, WHOLE)
    return rounded


def same(operation: str, values: ArrayLike, fraction: int, limits: Range) -> NDArray[np.int64]:
    """As `steps`, of numbers that are not rounded: others are refused."""
    array = _words.numbers(values)
    rounded = _checked(operation, array, fraction, limits)
    if array.dtype == np.float64:
        other = np.ldexp(array, fraction) != rounded
        multiples = f"multiples of 2^-{fraction}, as the shares are," if fraction else "whole numbers, as the shares are,"
        _refuse(operation, array, other, f"{multiples} or < and >= for numbers between")
    return rounded


def threshold(
    operation: str, values: ArrayLike, fraction: int, limits: Range, up: bool, off: float = 0.0
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Public numbers that shares are compared with, rounded `up` or down to steps, so that the answer stays the same;
    and where the answer is yes whatever the share is, since the rounded number is the end of `limits`. Beside numbers
    that were rounded by up to `off` when they were read, as `beside` has it."""
    given = np.asarray(values)
    if given.dtype in (np.float16, np.float32):
        # As it is written: in 32 bits there is no 0.7 either.
        values = given.astype(str).astype(np.float64)
    array = _words.numbers(values)
    if array.dtype == np.float64:
        return _near(operation, array.astype(np.float64, copy=False), fraction, limits, up, off)
    exact, always = _checked(operation, array, fraction, limits), np.zeros(array.shape, dtype=np.bool_)
    if off * 2.0**fraction > 1:
        # Floating point does not hold the others; `beside` leaves them as they are.
        small = (exact < MOST_EXACT) & (exact > -MOST_EXACT)
        numbers = array[small].astype(np.float64)
        exact[small], always[small] = _near(operation, numbers, fraction, limits, up, off)
    return exact, always


def _near(
    operation: str, array: NDArray[np.float64], fraction: int, limits: Range, up: bool, off: float
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """`threshold`, of floating-point numbers."""
    scaled = beside(array, fraction, up, off, limits)
    try:
        below = _checked(operation, np.asarray(np.ldexp(np.floor(scaled), -fraction)), fraction, limits)
    except ParamError:
        _checked(operation, array, fraction, limits)  # names the number as it was given
        raise
    more = np.asarray(scaled > below) & up
    end = more & (below == min(limits[1], 1 << 63) - 1)
    return np.asarray(below + (more & ~end)), np.asarray(end)


def beside(numbers: NDArray[np.float64], fraction: int, up: bool, off: float, limits: Range) -> NDArray[np.float64]:
    """Public numbers in steps of `2^-fraction`, as shares in `limits` are compared with them of which each lies up to `off`
    from what was read.

    What was written with the same decimals stays equal: for `x < c`, which is `up`, the least number that can stand for
    `c`, and for `x > c` the greatest. They are as they are where the next decimals may stand for `c` too, and beside
    results, for which `off` is 0.
    """
    exact = np.asarray(np.ldexp(numbers, fraction))
    alike = np.zeros(numbers.shape, dtype=np.bool_)
    for decimals in range(16):
        if off and 10.0**-decimals >= 2 * off:
            alike |= np.round(numbers, decimals) == numbers
    alike &= np.abs(exact) < MOST_EXACT
    steps = off * 2.0**fraction
    equal = np.floor(exact - steps) + 1 if up else np.ceil(exact + steps) - 1
    lo, hi = limits
    return np.where(alike, np.clip(equal, np.minimum(exact, lo), np.maximum(exact, hi - 1)), exact)


@dataclass(frozen=True)
class Factor:
    """Factors in steps of `2^-digits`."""

    steps: NDArray[np.int64]
    digits: int


def factor(operation: str, share: Share, limits: Range, values: Numbers, *, column: bool = False) -> Factor:
    """Factors of numbers in `limits`, in steps of the share's scale, with as few digits as do.

    The products, or their sums by `column`, are right to half a step before they are rounded. Where the width has no
    room for that, each factor is kept to 1 %, but for those whose products, or sums of them, are off by less than half a
    step together. Raises `ParamError` if it has no room for that either.
    """
    return _factor(operation, share, limits, values, np.zeros(()), column, near=True)


def reciprocal(operation: str, share: Share, limits: Range, values: Numbers) -> Factor:
    """Factors `1 / values` of numbers in `limits`: products are right to less than half a step before they are rounded."""
    numbers = values.astype(np.float64)
    _checked(operation, numbers, 0, (-LARGEST, LARGEST))
    _refuse(operation, numbers, numbers == 0, "numbers other than 0")
    with np.errstate(over="ignore"):
        inverse = np.asarray(1 / numbers)
    power = (np.abs(np.frexp(numbers)[0]) == 0.5) & (np.abs(numbers) <= 1 << 53)
    if share.fraction == 0:
        _refuse(operation, numbers, ~power | (inverse != np.rint(inverse)), WHOLE)
    return _factor(operation, share, limits, inverse, np.where(power, 0, 2.0**-51), False, near=False)


def _factor(
    operation: str, share: Share, limits: Range, values: Numbers, doubt: NDArray[np.float64], column: bool, near: bool
) -> Factor:
    whole = _checked(operation, values, 0, (-LARGEST, LARGEST))
    if values.dtype == np.int64 or values.size == 0:  # NumPy takes nothing for floats
        return Factor(whole, 0)
    numbers = values.astype(np.float64, copy=False)
    if share.fraction == 0:
        _refuse(operation, numbers, whole != numbers, WHOLE)
        return Factor(whole, 0)
    best: _Kept | None = None
    need: int | None = None
    for kept in _kept(numbers, limits, doubt, column):
        if kept.right or (near and kept.near):
            need = kept.bits if need is None else need
            best = kept if kept.bits <= share.bits else best
        if kept.right or (kept.bits > share.bits and need is not None):
            break
    if best is None:
        raise too_wide(operation, share, 65 if need is None else need, "products before rounding")
    if limits != (0, 1) and numbers.any() and not best.steps.any():
        raise ParamError(
            f"{operation} with public numbers: results that all round to 0 are not supported; accepted: shares with more "
            f"than {share.fraction} digits after the point, by x.with_fraction(n), or fraction= where they are shared"
        )
    return Factor(best.steps.astype(np.int64), best.digits)


@dataclass(frozen=True)
class _Kept:
    """Numbers rounded to some digits."""

    steps: NDArray[np.float64]
    digits: int
    bits: int
    """The width that holds their products, before these are rounded."""
    right: bool
    """Whether products are off by less than half a step."""
    near: bool
    """Whether each factor is off by 1 % at most; of others all products together by less than half a step."""


def _kept(numbers: NDArray[np.float64], limits: Range, doubt: NDArray[np.float64], column: bool) -> Iterator[_Kept]:
    """The numbers rounded to more and more digits. Of a column of a matrix, the sum counts."""
    largest = max(abs(limits[0]), abs(limits[1] - 1))
    for digits in range(MOST_DIGITS + 1):
        scaled = np.ldexp(numbers, digits)
        steps = np.asarray(np.rint(scaled))
        # Of a float, what is rounded off is exact; `doubt` is what the number itself may be off by, relative to it.
        size = np.asarray(np.abs(scaled))
        off = np.abs(scaled - steps) + size * doubt
        rest = np.where(off <= NEAR * size, 0, off)
        if column:
            off, rest = off.sum(axis=-2), rest.sum(axis=-2)
            most = largest * int(np.abs(steps).sum(axis=-2).max())
            lo, hi = -most, most + 1
        else:
            lo, hi = _words.product(limits, (int(steps.min()), int(steps.max()) + 1))
        half = 1 << digits >> 1
        right, near = (2 * (1 + 1e-9) * float(largest) * sums < 2.0**digits for sums in (off, rest))
        bits = _words.need_to_round(lo + half, hi + half) if digits else 0
        yield _Kept(steps, digits, bits, bool(right.all()), bool(near.all()))


def _checked(operation: str, numbers: Numbers, fraction: int, limits: Range) -> NDArray[np.int64]:
    """The numbers in steps, rounded to nearest, if all are within limits."""
    try:
        words = native.encode(numbers, 64, fraction, (limits[0], min(limits[1], 1 << 63)), 1)
    except ParamError as error:
        raise ParamError(f"{operation} with a public {error}") from None
    return words.view(np.int64)


def _refuse(operation: str, numbers: Numbers, wrong: NDArray[np.bool_], accepted: str) -> None:
    """Names the first number that is wrong."""
    at = np.argwhere(wrong)
    if len(at):
        index = tuple(int(i) for i in at[0])
        where = f" at index {index if len(index) > 1 else index[0]}" if index else ""
        raise ParamError(
            f"{operation} with a public number: {numbers[index]}{where} is not supported; accepted: {accepted}"
        )
