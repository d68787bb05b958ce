"""Products, comparisons and selections of shares. Each is a protocol; what it takes is in `p.cost`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
from . import _words
from ._words import Range, Words
from .errors import ParamError, ShapeError
from .share import Share

# Where an operation has no second argument.
NOTHING = np.empty(0, dtype=np.uint64)


def multiply(a: Share, b: Share | ArrayLike) -> Share:
    """The products, element by element and broadcast; of fixed-point numbers rounded down to their scale.

    A public whole number multiplies locally. Raises `ParamError` if the width cannot hold the product at
    twice the scale, `ShapeError` for shapes or types that do not fit together.
    """
    if not isinstance(b, Share):
        numbers = _words.numbers(b)
        if numbers.dtype == np.int64:
            return a._times_whole(numbers)
        if a.fraction == 0:
            raise TypeError(f"*: numbers that are not whole and a share without fraction bits: {a!r}")
        steps = np.round(numbers * 2.0**a.fraction).astype(np.int64)
        _room(a, _product(a._range, (int(steps.min()), int(steps.max()) + 1) if steps.size else (0, 1)))
        return _shifted(a._times_whole(steps), a.fraction)
    a._additive("*")
    a._same(b, "*")
    x, y = _pair(a, b)
    limits = _room(a, _product(a._range, b._range))
    words = a.party._run(_name("multiply", a, b), native.Operation.multiply(a.bits), x, y, x.shape)
    return _shifted(a._like(_words.reduce(words, a.bits), limits), a.fraction)


def matmul(a: Share | ArrayLike, b: Share | ArrayLike) -> Share:
    """The matrix product, as `numpy.matmul`: of the last two axes, the others are broadcast.

    Entries of fixed-point numbers are rounded down to their scale, once. Raises `ShapeError` for shapes that do
    not fit together, `ParamError` if the width cannot hold the sums at twice the scale.
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


def _matrix(a: Share, b: Share | NDArray[Any], batch: tuple[int, ...]) -> Share:
    (rows, inner), columns = a.shape[-2:], b.shape[-1]
    if isinstance(b, Share):
        a._same(b, "@")
        lo, hi = _product(a._range, b._range)
        limits = _room(a, (inner * lo, inner * (hi - 1) + 1))
        operation = native.Operation.matrix_product(a.bits, math.prod(batch), rows, inner, columns)
        x, y = (wide(s._like(np.broadcast_to(s._words, batch + s.shape[-2:]))) for s in (a, b))
        words = a.party._run(_name("matmul", a, b), operation, x, y, (*batch, rows, columns))
        return _shifted(a._like(_words.reduce(words, a.bits), limits), a.fraction)
    numbers = _words.numbers(b)
    whole = numbers.dtype == np.int64
    if not whole and a.fraction == 0:
        raise TypeError(f"@: numbers that are not whole and a share without fraction bits: {a!r}")
    steps = numbers.astype(np.int64) if whole else np.round(numbers * 2.0**a.fraction).astype(np.int64)
    bound = int(np.abs(steps).sum(axis=-2).max()) if steps.size else 0
    most = max(abs(a._range[0]), abs(a._range[1] - 1)) * bound
    limits = (-most, most + 1) if whole else _room(a, (-most, most + 1))
    words = _words.reduce(wide(a) @ steps.view(np.uint64), a.bits)  # local: a public factor
    product = a._like(words, limits)
    return product if whole else _shifted(product, a.fraction)


def mean(x: Share, axis: int | None = None) -> Share:
    """Means over an axis, or of all: the sum times a reciprocal, off by at most half a step and rounded down."""
    total = x.sum(axis)
    if total.size == 0 or x.size == 0:
        raise ShapeError(f"mean: at least one value is expected, got shape {x.shape}")
    count = x.size // total.size
    most, quarter = max(abs(total._range[0]), abs(total._range[1] - 1)), 1 << max(x.bits - 2, 0)
    digits = next((k for k in range(40, -1, -1) if most * round(2**k / count) < quarter), 0)
    factor = round(2**digits / count)
    if most * abs(factor - 2**digits / count) > 0.5 * 2**digits:
        raise ParamError(f"mean: {count} values in {x.range} do not fit {x.bits} bits; share with more bits")
    product = total._times_whole(factor)
    return _shifted(product, digits)


def less(a: Share, b: Share | ArrayLike) -> Share:
    """Bits, shared by XOR, that are 1 where `a < b`; broadcast.

    Raises `ParamError` if the width holds neither the difference nor both numbers with one sign.
    """
    a._additive("<")
    other = b if isinstance(b, Share) else known(a, b)
    a._same(other, "<")
    x, y = _pair(a, other)
    lo, hi = a._range[0] - other._range[1] + 1, a._range[1] - other._range[0]
    half = 1 << (a.bits - 1)
    if -half <= lo and hi <= half and a.bits >= 2:
        domain = "near"
    else:
        domain = "unsigned" if a._range[0] >= 0 and other._range[0] >= 0 else "signed"
        ends = (min(a._range[0], other._range[0]), max(a._range[1], other._range[1]))
        fits = (0, 1 << a.bits) if domain == "unsigned" else (-half, half)
        if ends[0] < fits[0] or ends[1] > fits[1]:
            raise ParamError(f"<: ranges {a.range} and {other.range} do not fit {a.bits} bits of one sign")
    operation = native.Operation.less(a.bits, domain)
    words = a.party._run(f"{_name('less', a, other)}, {domain}", operation, x, y, x.shape)
    return Share(a.party, _words.reduce(words, 1), 1, 0, "xor", (0, 2))


def where(condition: Share, a: Share | ArrayLike, b: Share | ArrayLike) -> Share:
    """`a` where the shared bits of a comparison are 1, else `b`; broadcast. At least one of both is a share.

    Raises `TypeError` if the condition is no comparison of shares, `ShapeError` for shapes that do not fit.
    """
    like = a if isinstance(a, Share) else b
    if not isinstance(condition, Share) or (condition.kind, condition.bits) != ("xor", 1):
        raise TypeError(f"where: the bits of a comparison are expected, got {condition!r}")
    if not isinstance(like, Share):
        raise TypeError("where: at least one of both values is to be a share")
    first = a if isinstance(a, Share) else known(like, a)
    second = b if isinstance(b, Share) else known(like, b)
    difference = first - second
    shape = _shape(condition, difference)
    bits = np.ascontiguousarray(np.broadcast_to(condition._words, shape)).astype(np.uint64)
    wide = np.ascontiguousarray(np.broadcast_to(difference._words, shape)).astype(np.uint64)
    operation = native.Operation.select(like.bits)
    words = like.party._run(_name("where", condition, difference), operation, bits, wide, shape)
    lo, hi = min(first._range[0], second._range[0]), max(first._range[1], second._range[1])
    chosen = second + like._like(_words.reduce(words, like.bits), difference._range)
    return chosen._within((lo, hi))


def maximum(a: Share, b: Share | ArrayLike) -> Share:
    """The greater of both, element by element and broadcast. Raises as `where` and comparisons do."""
    other = b if isinstance(b, Share) else known(a, b)
    (lo, hi), (b_lo, b_hi) = a._range, other._range
    return where(less(a, other), other, a)._within((max(lo, b_lo), max(hi, b_hi)))


def minimum(a: Share, b: Share | ArrayLike) -> Share:
    """The smaller of both, element by element and broadcast. Raises as `where` and comparisons do."""
    other = b if isinstance(b, Share) else known(a, b)
    (lo, hi), (b_lo, b_hi) = a._range, other._range
    return where(less(a, other), a, other)._within((min(lo, b_lo), min(hi, b_hi)))


def clip(x: Share, lo: float | None, hi: float | None) -> Share:
    """What is below `lo` becomes `lo`, what is above `hi` becomes `hi`; the range is then that small.

    A comparison and a selection for each limit that the share's `range` does not keep already.
    """
    first, last = x._range[0] * 2.0**-x.fraction, (x._range[1] - 1) * 2.0**-x.fraction
    raised = x if lo is None or lo <= first else maximum(x, lo)
    return raised if hi is None or hi >= last else minimum(raised, hi)


def largest(x: Share, axis: int | None = None) -> Share:
    """The greatest along an axis, or of all: a knockout of comparisons, `log2` of them one after the other.

    The result lacks the axis. Raises `ShapeError` if there is no such axis, or nothing along it.
    """
    return _knockout(x, axis)[0]


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
    none = np.zeros(values.shape, _words.dtype(width))
    indices = Share(x.party, none, width, 0, "additive", (0, 1)) + places
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


def known(like: Share, values: ArrayLike) -> Share:
    """Public values as a share of the same type."""
    words = like._public(values, "a public value")
    numbers = native.decode(np.ascontiguousarray(words), like.bits, 0, -(1 << (like.bits - 1)))
    mine = words if like.party.role == 0 else np.zeros_like(words)
    limits = (int(numbers.min()), int(numbers.max()) + 1) if numbers.size else (0, 1)
    return Share(like.party, mine, like.bits, like.fraction, "additive", limits)


def _shifted(product: Share, digits: int) -> Share:
    """Rounded down after division by `2^digits`; a protocol."""
    if digits == 0:
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


def _product(a: Range, b: Range) -> Range:
    ends = [x * y for x in (a[0], a[1] - 1) for y in (b[0], b[1] - 1)]
    return min(ends), max(ends) + 1


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
