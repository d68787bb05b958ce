"""Products, comparisons and selections of shares. Each is a protocol; what it takes is in `p.cost`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
from . import _words, history
from ._words import Range, Words
from .errors import ParamError, ShapeError
from .share import Share

# Where an operation has no second argument.
NOTHING = np.empty(0, dtype=np.uint64)

# Most bits of numbers whose intervals are asked for.
MOST_INSIDE = 20


@history.operation("*", ("a", "b"))
def multiply(a: Share, b: Share | ArrayLike) -> Share:
    """The products, element by element and broadcast; of fixed-point numbers rounded down to their scale.

    A public whole number multiplies locally. Raises `ParamError` if the width cannot hold the product, with a factor
    that is shared or not whole at twice the scale; and for public numbers that are not finite, or outside those of
    the share's width and scale. `ShapeError` for shapes or types that do not fit together.
    """
    a._additive("*")
    if not isinstance(b, Share):
        factors, whole = _factors("*", a, b)
        product, limits = a._times_whole(factors)
        return product._room(limits, "*") if whole else _shifted(product._within(_room(a, limits)), a.fraction)
    a._same(b, "*")
    x, y = _pair(a, b)
    limits = _room(a, _words.product(a._range, b._range))
    words = a.party._run(_name("multiply", a, b), native.Operation.multiply(a.bits), x, y, x.shape)
    return _shifted(a._like(_words.reduce(words, a.bits), limits), a.fraction)


@history.operation("@", ("a", "b"))
def matmul(a: Share | ArrayLike, b: Share | ArrayLike) -> Share:
    """The matrix product, as `numpy.matmul`: of the last two axes, the others are broadcast.

    Entries of fixed-point numbers are rounded down to their scale, once. Raises `ShapeError` for shapes that do
    not fit together, `ParamError` as `multiply`, for the sums.
    """
    if not isinstance(a, Share):
        assert isinstance(b, Share)
        left = np.asarray(a)
        swapped = matmul(_swapped(b), left if left.ndim < 2 else left.swapaxes(-1, -2))
        return swapped if min(left.ndim, b.ndim) < 2 else _swapped(swapped)
    a._additive("@")
    right: Share | NDArray[Any] = b if isinstance(b, Share) else np.asarray(b)
    first = a if a.ndim >= 2 else a.reshape((1, -1))
    second = right if right.ndim >= 2 else right.reshape((-1, 1))
    try:
        batch = np.broadcast_shapes(first.shape[:-2], second.shape[:-2])
        fits = min(a.ndim, right.ndim) > 0 and first.shape[-1] == second.shape[-2]
    except ValueError:
        fits = False
    if not fits:
        raise ShapeError(f"@: shapes {a.shape} and {right.shape} do not fit together")
    product = _matrix(first, second, batch)
    outer = (a.shape[-2:-1], right.shape[-1:] if right.ndim >= 2 else ())
    return product.reshape(batch + outer[0] + outer[1])


def _swapped(a: Share) -> Share:
    """The last two axes of matrices in the other order."""
    return a if a.ndim < 2 else a._like(a._words.swapaxes(-1, -2))


def _factors(operation: str, a: Share, b: ArrayLike) -> tuple[NDArray[np.int64], bool]:
    """Public factors, and whether they are whole numbers; others are in steps of the scale."""
    numbers = _words.numbers(b)
    whole = numbers.dtype == np.int64 or numbers.size == 0  # NumPy takes nothing for floats
    if not whole and a.fraction == 0:
        raise TypeError(f"{operation}: numbers that are not whole and a share without fraction bits: {a!r}")
    return a._public(operation, numbers, 0 if whole else a.fraction, a._limits()), whole


def _matrix(a: Share, b: Share | NDArray[Any], batch: tuple[int, ...]) -> Share:
    (rows, inner), columns = a.shape[-2:], b.shape[-1]
    if isinstance(b, Share):
        a._same(b, "@")
        if 0 in (*batch, rows, inner, columns):
            none = np.zeros((*batch, rows, columns), dtype=_words.dtype(a.bits))  # sums of nothing
            return a._like(none, (0, 1))
        lo, hi = _words.product(a._range, b._range)
        limits = _room(a, (inner * lo, inner * (hi - 1) + 1))
        operation = native.Operation.matrix_product(a.bits, math.prod(batch), rows, inner, columns)
        x, y = (wide(s._like(np.broadcast_to(s._words, batch + s.shape[-2:]))) for s in (a, b))
        words = a.party._run(_name("matmul", a, b), operation, x, y, (*batch, rows, columns))
        return _shifted(a._like(_words.reduce(words, a.bits), limits), a.fraction)
    factors, whole = _factors("@", a, b)
    most = max(abs(a._range[0]), abs(a._range[1] - 1)) * _heaviest(factors)
    limits = (-most, most + 1)
    product = a._like(_words.reduce(wide(a) @ factors.view(np.uint64), a.bits))  # local: a public factor
    return product._room(limits, "@") if whole else _shifted(product._within(_room(a, limits)), a.fraction)


def _heaviest(factors: NDArray[np.int64]) -> int:
    """The largest sum of sizes in a column; more, where `int64` might not hold it."""
    lo, hi = _words.extremes(factors)
    inner: int = factors.shape[-2]
    most = max(-lo, hi - 1, 0)
    if most * inner >= 1 << 62 or factors.size == 0:
        return most * inner
    return int(np.abs(factors).sum(axis=-2).max())


@history.operation("mean", ("x",), ("axis",))
def mean(x: Share, axis: int | None = None) -> Share:
    """Means over an axis, or of all, wrong by at most a step: the sum times a reciprocal, rounded to nearest.

    Raises `ParamError` that says how many bits would do, if the width does not; `ShapeError` if there are no values.
    """
    total, limits = x._total(axis)
    if total.size == 0 or x.size == 0:
        raise ShapeError(f"mean: at least one value is expected, got shape {x.shape}")
    count = x.size // total.size
    digits = _mean_digits(limits, count, x.bits)
    if digits is None:
        need = next((bits for bits in range(x.bits + 1, 65) if _mean_digits(limits, count, bits) is not None), None)
        accepted = "share with a smaller range=" if need is None else f"{need} and more, or a smaller range="
        raise ParamError(
            f"mean: {x.bits} bits for {count} values in {x.range} is not supported; accepted: {accepted}"
        )
    product, limits = total._within(limits)._times_whole(np.array(round(2**digits / count)))
    half = 1 << digits >> 1  # to round to nearest
    words = _words.reduce(product._words + product._mine(_words.word(half, x.bits)), x.bits)
    return _shifted(product._like(words, (limits[0] + half, limits[1] + half)), digits)


def _mean_digits(sums: Range, count: int, bits: int) -> int | None:
    """Digits behind the point of the reciprocal of `count`, at most 40: the most for which its products with the sums
    fit a quarter of the width and are right to half a step; `None` if there are none."""
    room, (lo, hi) = 1 << max(bits - 2, 0), sums
    for digits in range(40, -1, -1):
        factor, half = round(2**digits / count), 1 << digits >> 1
        if -room <= lo * factor + half and (hi - 1) * factor + half < room:
            error = max(abs(lo), abs(hi - 1)) * abs(factor * count - (1 << digits))
            return digits if 2 * error <= count << digits else None
    return None


@history.operation("<", ("a", "b"))
def less(a: Share, b: Share | ArrayLike) -> Share:
    """Bits, shared by XOR, that are 1 where `a < b`; broadcast.

    Raises `ParamError` if the width holds neither the difference nor both numbers with one sign.
    """
    return _bits("lt", "<", a, b)


@history.operation("!=", ("a", "b"))
def differ(a: Share, b: Share | ArrayLike) -> Share:
    """Bits, shared by XOR, that are 1 where `a` and `b` differ; broadcast. Raises as `less`."""
    return _bits("ne", "==", a, b)


def _bits(relation: str, sign: str, a: Share, b: Share | ArrayLike) -> Share:
    a._additive(sign)
    other = a._known(b, sign)
    words = _compared(relation, sign, a, other)
    return Share(a.party, _words.reduce(words, 1), 1, 0, "xor", (0, 2))


def _compared(relation: str, sign: str, a: Share, b: Share) -> NDArray[np.uint64]:
    """What the comparison called `relation` gives of each pair."""
    a._same(b, sign)
    x, y = _pair(a, b)
    ends = [(s._range[0], s._range[1] - 1) for s in (a, b)]
    operation = native.Operation.compare(relation, a.bits, *ends)
    if operation is None:
        raise ParamError(f"{sign}: ranges {a.range} and {b.range} do not fit {a.bits} bits of one sign")
    return a.party._run(_name(relation, a, b), operation, x, y, x.shape)


@history.operation("&", ("a", "b"))
def both(a: Share, b: Share) -> Share:
    """Shared bits that are 1 where those of `a` and `b` are both 1; broadcast. `a & b` is the same.

    Raises `TypeError` for what is not shared bits, `ShapeError` for shapes that do not fit, or another session.
    """
    for bit in (a, b):
        if not isinstance(bit, Share) or (bit.kind, bit.bits) != ("xor", 1):
            raise TypeError(f"&: shared bits, as of a comparison, are expected, got {bit!r}")
    a._same(b, "&")
    x, y = _pair(a, b)
    # Of single bits, additive shares are shares by XOR.
    words = a.party._run(_name("and", a, b), native.Operation.select(1), x, y, x.shape)
    return Share(a.party, _words.reduce(words, 1), 1, 0, "xor", (0, 2))


@history.operation("inside", ("x",))
def inside(x: Share, intervals: Sequence[tuple[float, float]]) -> Share:
    """Bits, shared by XOR, that are 1 where `lo <= x < hi`, for each of 1 to 64 public intervals: along a last axis more.

    One opening for all of them, of as many bits as the numbers in `x.range` have, 20 at most; an interval that does not
    begin before its end is empty. Raises `ParamError` for more numbers, for other counts of intervals, and for bounds
    that are no numbers; `TypeError` for shares by XOR.
    """
    x._additive("inside")
    lo, hi = x._range
    bits = max(1, (hi - lo - 1).bit_length())
    if bits > MOST_INSIDE:
        raise ParamError(
            f"inside: numbers in {x.range}, 2^{bits} of them, are not supported; accepted: at most 2^{MOST_INSIDE}: "
            f"share with a smaller range="
        )
    middle = lo + (1 << (bits - 1))
    ends = [_ends(interval, x.fraction, lo, lo + (1 << bits)) for interval in intervals]
    operation = native.Operation.intervals(bits, [(a - middle, b - middle) for a, b in ends])
    # Exactly one party subtracts.
    words = _words.reduce(wide(x) - np.uint64((middle if x.party.role == 0 else 0) % (1 << 64)), bits)
    name = f"inside(shape {x.shape}, bits={x.bits} of {lo} to {hi}, {_words.digest(str(ends))})"
    found = x.party._run(name, operation, words.astype(np.uint64), NOTHING, (*x.shape, len(ends)))
    return Share(x.party, _words.reduce(found, 1), 1, 0, "xor", (0, 2))


def _ends(interval: tuple[float, float], fraction: int, least: int, most: int) -> Range:
    """An interval in steps of `2^-fraction`, cut to `least` and `most`."""

    def step(end: float) -> int:
        if isinstance(end, Rational):
            # Whole numbers and fractions of any size, NumPy's too.
            exact = Fraction(int(end.numerator), int(end.denominator))
        elif math.isnan(end):
            raise ParamError(f"inside: {interval} is not supported; accepted: two numbers")
        elif math.isinf(end):
            return most if end > 0 else least
        else:
            exact = Fraction(float(end))
        return min(max(math.ceil(exact * (1 << fraction)), least), most)

    lo, hi = interval
    return step(lo), step(hi)


@history.operation("where", ("condition", "a", "b"))
def where(condition: Share, a: Share | ArrayLike, b: Share | ArrayLike) -> Share:
    """`a` where the shared bits of a comparison are 1, else `b`; broadcast. At least one of both is a share.

    Raises `TypeError` if the condition is no comparison of shares, `ShapeError` for shapes that do not fit and shares
    of different sessions, `ParamError` for public numbers as `+` does.
    """
    if not isinstance(condition, Share) or (condition.kind, condition.bits) != ("xor", 1):
        raise TypeError(f"where: the bits of a comparison are expected, got {condition!r}")
    first, second = _both("where", a, b)
    if condition.party is not first.party:
        raise ShapeError("where: shares of different sessions or parties")
    difference, _ = first._plus(second, -1, "where")
    shape = _shape(condition, difference)
    bits = np.ascontiguousarray(np.broadcast_to(condition._words, shape)).astype(np.uint64)
    wide = np.ascontiguousarray(np.broadcast_to(difference._words, shape)).astype(np.uint64)
    operation = native.Operation.select(first.bits)
    words = first.party._run(_name("where", condition, difference), operation, bits, wide, shape)
    lo, hi = min(first._range[0], second._range[0]), max(first._range[1], second._range[1])
    chosen, _ = second._plus(first._like(_words.reduce(words, first.bits)), 1, "where")
    return chosen._within((lo, hi))


@history.operation("maximum", ("a", "b"))
def maximum(a: Share | ArrayLike, b: Share | ArrayLike) -> Share:
    """The greater of both, element by element and broadcast. Raises as `where` and comparisons do."""
    first, second = _both("maximum", a, b)
    (lo, hi), (b_lo, b_hi) = first._range, second._range
    words = _compared("max", "maximum", first, second)
    return first._like(_words.reduce(words, first.bits), (max(lo, b_lo), max(hi, b_hi)))


@history.operation("minimum", ("a", "b"))
def minimum(a: Share | ArrayLike, b: Share | ArrayLike) -> Share:
    """The smaller of both, element by element and broadcast. Raises as `where` and comparisons do."""
    first, second = _both("minimum", a, b)
    (lo, hi), (b_lo, b_hi) = first._range, second._range
    words = _compared("min", "minimum", first, second)
    return first._like(_words.reduce(words, first.bits), (min(lo, b_lo), min(hi, b_hi)))


def _both(operation: str, a: Share | ArrayLike, b: Share | ArrayLike) -> tuple[Share, Share]:
    """Both values as shares of one type."""
    like = a if isinstance(a, Share) else b
    if not isinstance(like, Share):
        raise TypeError(f"{operation}: at least one of both values is to be a share")
    like._additive(operation)
    return like._known(a, operation), like._known(b, operation)


@history.operation("clip", ("x", "lo", "hi"))
def clip(x: Share, lo: ArrayLike | None, hi: ArrayLike | None) -> Share:
    """What is below `lo` becomes `lo`, what is above `hi` becomes `hi`; the range is then that small.

    A comparison and a selection for each limit that the share's `range` does not keep already. Raises `ParamError`
    for a limit that is not finite, or outside the numbers of the share's width and scale.
    """
    x._additive("clip")
    least, most = (None if end is None else x._known(end, "clip") for end in (lo, hi))
    raised = x if least is None or least._range[1] - 1 <= x._range[0] else maximum(x, least)
    return raised if most is None or most._range[0] >= raised._range[1] - 1 else minimum(raised, most)


@history.operation("max", ("x",), ("axis",))
def largest(x: Share, axis: int | None = None) -> Share:
    """The greatest along an axis, or of all: a knockout of comparisons, `log2` of them one after the other.

    The result lacks the axis. Raises `ShapeError` if there is no such axis, or nothing along it.
    """
    return _knockout(x, axis)[0]


@history.operation("argmax", ("x",), ("axis",))
def argmax(x: Share, axis: int | None = None) -> Share:
    """The index of the greatest along an axis, or of all, as shares without fraction bits.

    Of equal ones the first. The result lacks the axis. Raises `ShapeError` as `max`.
    """
    return _knockout(x, axis)[1]


def _knockout(x: Share, axis: int | None) -> tuple[Share, Share]:
    flat = x.ravel() if axis is None else x
    try:
        values = flat._like(np.moveaxis(flat._words, axis or 0, 0))
    except ValueError:
        raise ShapeError(f"max: axis {axis} of shape {x.shape}") from None
    count = len(values)
    if count == 0:
        raise ShapeError(f"max: an axis with at least one value is expected, got shape {x.shape}")
    width = max(x.bits, count.bit_length() + 1)
    places = np.arange(count).reshape((-1,) + (1,) * (values.ndim - 1)) + np.zeros(values.shape, dtype=np.int64)
    indices = Share(x.party, x._mine(_words.words_of(places, width)), width, 0, "additive", (0, count))
    while (count := len(values)) > 1:
        half, odd = count // 2, count % 2
        # Neighbours meet, so that of equal values the first stays.
        a, b = values[0 : 2 * half : 2], values[1 : 2 * half : 2]
        i, j = indices[0 : 2 * half : 2], indices[1 : 2 * half : 2]
        second = less(a, b)
        winners, best = where(second, b, a), where(second, j, i)
        values = _append(winners, values[-1:]) if odd else winners
        indices = _append(best, indices[-1:]) if odd else best
    return values[0], indices[0]


def _append(a: Share, b: Share) -> Share:
    lo, hi = min(a._range[0], b._range[0]), max(a._range[1], b._range[1])
    return a._like(np.concatenate([a._words, b._words]), (lo, hi))


def _shifted(product: Share, digits: int) -> Share:
    """Rounded down after division by `2^digits`; a protocol."""
    if digits == 0 or product.size == 0:
        return product
    name = f"truncate(shape {product.shape}, bits={product.bits} by {digits})"
    operation = native.Operation.truncate(product.bits, digits)
    words = product.party._run(name, operation, wide(product), NOTHING, product.shape)
    lo, hi = product._range
    return product._like(_words.reduce(words, product.bits), (lo >> digits, ((hi - 1) >> digits) + 1))


def _room(a: Share, limits: Range) -> Range:
    """The range of a product, if the width holds it at twice the scale; without fraction bits any."""
    quarter = 1 << (a.bits - 2) if a.bits > 1 else 0
    if a.fraction and not (-quarter <= limits[0] and limits[1] <= quarter):
        need = max(-limits[0], limits[1] - 1).bit_length() + 2
        raise ParamError(
            f"*: a product of up to {need} bits at twice the scale is not supported; accepted: {a.bits}: share with "
            f"more bits, or a smaller range="
        )
    return limits


def _pair(a: Share, b: Share) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    shape = _shape(a, b)
    return tuple(  # type: ignore[return-value]
        np.ascontiguousarray(np.broadcast_to(s._words, shape)).astype(np.uint64).reshape(shape) for s in (a, b)
    )


def _shape(a: Share, b: Share) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        raise ShapeError(f"shapes {a.shape} and {b.shape} do not fit together") from None


def wide(a: Share) -> Words:
    """The words of a share as `uint64`, contiguous."""
    return np.ascontiguousarray(a._words).astype(np.uint64).reshape(a.shape)


def _name(name: str, a: Share, b: Share) -> str:
    return f"{name}(shapes {a.shape} and {b.shape}, bits={a.bits} and {b.bits}, fraction={a.fraction})"
