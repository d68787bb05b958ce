"""Products, quotients and means of shares. What is no local step is a protocol; what it takes is in `p.cost`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _constants, _words, history
from . import _hushtable as native
from ._constants import Factor
from ._room import WHOLE, too_wide
from ._words import Range
from .arithmetic import NOTHING, name_of, products, wide
from .errors import ParamError, ShapeError
from .share import Share


@history.operation("*", ("a", "b"))
def multiply(a: Share, b: Share | ArrayLike) -> Share:
    """The products, element by element and broadcast. `x * x` takes half of what two shares take.

    Of two fixed-point numbers they are rounded down to the scale. With public numbers they are rounded to nearest, and
    wrong by a step at most; where the width has no room for so many digits of a public number, by half a step and 1 %.
    A public whole number multiplies locally.

    Raises `ParamError` if the width cannot hold the products, before they are rounded; for public numbers that are not
    finite, and for others than whole ones beside whole numbers. `ShapeError` for shapes or types that do not fit
    together.
    """
    a._additive("*")
    if not isinstance(b, Share):
        factor = _constants.factor("*", a, a._range, _words.numbers(b))
        return _rounded("*", a, a._range, factor)
    a._same(b, "*")
    made = a._like(a._words, also=b)
    limits = _twice("*", made, _words.product(a._range, b._range))
    words = products("multiply", a, b)
    return shifted(made._like(_words.reduce(words, a.bits), limits), a.fraction)._off_by(0.0)


@history.operation("/", ("a", "b"))
def divide(a: Share, b: ArrayLike) -> Share:
    """Quotients by public numbers, element by element and broadcast: wrong by a step at most, and exact where the
    quotient is a multiple of the step.

    Raises `ParamError` for 0, if the width has no room for a product with the reciprocal, and for whole numbers, unless
    the reciprocal is whole too; `TypeError` if `b` is a share: `ht.reciprocal` is of shares.
    """
    a._additive("/")
    if isinstance(b, Share):
        raise TypeError("/: division by a share; accepted: public numbers, or a product with ht.reciprocal(share)")
    return _rounded("/", a, a._range, _constants.reciprocal("/", a, a._range, _words.numbers(b)))


@history.operation("mean", ("x",), ("axis",))
def mean(x: Share, axis: int | None = None) -> Share:
    """Means over an axis, or of all, wrong by at most a step: the sum times a reciprocal, rounded to nearest.

    Raises `ParamError` that says how many bits would do, if the width does not, and for whole numbers, whose means are
    none; `ShapeError` if there are no values.
    """
    total, limits = x._total(axis)
    if total.size == 0 or x.size == 0:
        raise ShapeError(f"mean: at least one value is expected, got shape {x.shape}")
    count = x.size // total.size
    if x.fraction == 0 and count > 1:
        raise ParamError(f"mean: whole numbers are not supported; accepted: {WHOLE}")
    factor = _constants.reciprocal("mean", x, limits, np.asarray(count))
    return _rounded("mean", total, limits, factor)


@history.operation("@", ("a", "b"))
def matmul(a: Share | ArrayLike, b: Share | ArrayLike) -> Share:
    """The matrix product, as `numpy.matmul`: of the last two axes, the others are broadcast. `x @ x.T` and `x.T @ x`, and
    `x @ x` in one axis, take half of what two shares take: of the object `x` itself, not of a copy.

    Entries of fixed-point numbers are rounded to their scale, once: down, with a public matrix to nearest. They are
    wrong by a step at most; where the width has no room for so many digits of a public matrix, by a step and 1 % of the
    products. Raises `ShapeError` for shapes that do not fit together, `ParamError`
    as `multiply`, for the sums.
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
    # Told by what the program does, which is the same at both parties, and not by where the words are.
    symmetric = isinstance(b, Share) and (b._turned is a or a._turned is b or (a is b and a.ndim == 1))
    try:
        batch = np.broadcast_shapes(first.shape[:-2], second.shape[:-2])
        fits = min(a.ndim, right.ndim) > 0 and first.shape[-1] == second.shape[-2]
    except ValueError:
        fits = False
    if not fits:
        raise ShapeError(f"@: shapes {a.shape} and {right.shape} do not fit together")
    product = _matrix(first, second, batch, symmetric)
    outer = (a.shape[-2:-1], right.shape[-1:] if right.ndim >= 2 else ())
    return product.reshape(batch + outer[0] + outer[1])


def _swapped(a: Share) -> Share:
    """The last two axes of matrices in the other order."""
    return a if a.ndim < 2 else a._like(a._words.swapaxes(-1, -2))


def _matrix(a: Share, b: Share | NDArray[Any], batch: tuple[int, ...], symmetric: bool) -> Share:
    (rows, inner), columns = a.shape[-2:], b.shape[-1]
    if isinstance(b, Share):
        a._same(b, "@")
        made = a._like(a._words, also=b)
        if 0 in (*batch, rows, inner, columns):
            none = np.zeros((*batch, rows, columns), dtype=_words.dtype(a.bits))  # sums of nothing
            return made._like(none, (0, 1))
        lo, hi = _words.product(a._range, b._range)
        limits = _twice("@", made, (inner * lo, inner * (hi - 1) + 1))
        operation = native.Operation.matrix_product(a.bits, math.prod(batch), rows, inner, columns)
        x, y = (wide(s._like(np.broadcast_to(s._words, batch + s.shape[-2:]))) for s in (a, b))
        name = name_of("matmul", a, b)
        if symmetric:
            operation, y = native.Operation.symmetric_product(a.bits, rows, inner), NOTHING
            name = f"matmul(shape {a.shape}, with itself, bits={a.bits}, fraction={a.fraction})"
        words = a.party._run(name, operation, x, y, (*batch, rows, columns))
        return shifted(made._like(_words.reduce(words, a.bits), limits), a.fraction)._off_by(0.0)
    factor = _constants.factor("@", a, a._range, _words.numbers(b), column=True)
    a.party._met(f"@ {a._type()}", factor.digits, factor.steps)
    most = max(abs(a._range[0]), abs(a._range[1] - 1)) * _heaviest(factor.steps)
    product = a._like(_words.reduce(wide(a) @ factor.steps.view(np.uint64), a.bits))  # local: a public factor
    return _nearest("@", product._off_by(a._off * _heaviest(factor.steps)), (-most, most + 1), factor.digits)


def _heaviest(factors: NDArray[np.int64]) -> int:
    """The largest sum of sizes in a column; more, where `int64` might not hold it."""
    lo, hi = _words.extremes(factors)
    inner: int = factors.shape[-2]
    most = max(-lo, hi - 1, 0)
    if most * inner >= 1 << 62 or factors.size == 0:
        return most * inner
    return int(np.abs(factors).sum(axis=-2).max())


def _rounded(operation: str, a: Share, limits: Range, factor: Factor) -> Share:
    """The products of numbers in `limits`, which need not fit the width, with public factors."""
    a.party._met(f"{operation} {a._type()}", factor.digits, factor.steps)
    product = a._times_whole(factor.steps)
    return _nearest(operation, product, _words.product(limits, _words.extremes(factor.steps)), factor.digits)


def _nearest(operation: str, product: Share, limits: Range, digits: int) -> Share:
    """The product divided by `2^digits`, which is rounded to nearest."""
    if digits == 0:
        return product._room(limits, operation)
    half = 1 << (digits - 1)
    need = _words.need_to_round(limits[0] + half, limits[1] + half)
    if need > product.bits:
        raise too_wide(operation, product, need, "numbers before rounding")
    words = _words.reduce(product._words + product._mine(_words.word(half, product.bits)), product.bits)
    return shifted(product._like(words, (limits[0] + half, limits[1] + half)), digits)._off_by(0.0)


@history.operation("with_fraction", ("x",), ("fraction",))
def with_fraction(x: Share, fraction: int) -> Share:
    """The same numbers with another number of digits after the point: more of them are a local step; to fewer ones they
    are rounded to nearest, a protocol. Raises `ParamError` if the width does not hold them."""
    x._additive("with_fraction")
    if not 0 <= fraction <= 52:
        raise ParamError(f"with_fraction: {fraction} is not supported; accepted: 0 to 52")
    if fraction == x.fraction:
        return x
    more = fraction - x.fraction
    lo, hi = x._range
    if more > 0:
        limits = (lo << more, ((hi - 1) << more) + 1)
        if not _words.fits(*limits, x.bits):
            raise too_wide("with_fraction", x, _words.need(*limits), "results", wraps=False)
        words = _words.reduce(x._words << x._words.dtype.type(more) if more < x.bits else x._words * 0, x.bits)
        return Share(x.party, words, x.bits, fraction, "additive", limits)._off_by(x._off)
    made = _nearest("with_fraction", x, x._range, -more)
    off = x._off + 0.5 * 2.0**-fraction
    return Share(x.party, made._words, x.bits, fraction, "additive", made._range)._off_by(off)


def shifted(product: Share, digits: int) -> Share:
    """Rounded down after division by `2^digits`; a protocol."""
    if digits == 0 or product.size == 0:
        return product
    name = f"truncate(shape {product.shape}, bits={product.bits} by {digits})"
    operation = native.Operation.truncate(product.bits, digits)
    words = product.party._run(name, operation, wide(product), NOTHING, product.shape)
    lo, hi = product._range
    return product._like(_words.reduce(words, product.bits), (lo >> digits, ((hi - 1) >> digits) + 1))


def _twice(operation: str, a: Share, limits: Range) -> Range:
    """The range of a product at twice the scale, if the width holds it before it is rounded."""
    if a.fraction == 0:
        return a._room(limits, operation)._range
    need = _words.need_to_round(*limits)
    if need > a.bits:
        raise too_wide(operation, a, need, "products before rounding")
    return limits
