"""Comparisons and selections of shares. Each is a protocol; what it takes is in `p.cost`."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
from . import _constants, _words, history
from ._room import too_wide
from ._words import Range, Words
from .errors import ParamError, RoundingWarning, ShapeError
from .share import Share

# Where an operation has no second argument.
NOTHING = np.empty(0, dtype=np.uint64)

# Most bits of numbers whose intervals are asked for.
MOST_INSIDE = 20


@history.operation("<", ("a", "b"))
def less(a: Share | ArrayLike, b: Share | ArrayLike) -> Share:
    """Bits, shared by XOR, that are 1 where `a < b`; broadcast. For public numbers see `Share`.

    Raises `ParamError` if the width holds neither the difference nor the numbers of both ranges.
    """
    if isinstance(a, Share) and isinstance(b, Share):
        return _bits("lt", "<", a, b)
    if isinstance(a, Share):
        a._additive("<")
        steps, always = a._threshold("<", b, up=True)
        found = _bits("lt", "<", a, steps)
    else:
        assert isinstance(b, Share)
        b._additive(">")
        steps, always = b._threshold(">", a, up=False)
        found = _bits("lt", ">", steps, b)
    if always.any():
        words = np.where(always, found._mine(np.ones_like(found._words)), found._words)
        return found._like(words)
    return found


@history.operation("!=", ("a", "b"))
def differ(a: Share, b: Share | ArrayLike) -> Share:
    """Bits, shared by XOR, that are 1 where `a` and `b` differ; broadcast. Raises as `less`, and for a public number that
    is no number of the share's scale: whether they are equal is no question of rounding. Warns with `RoundingWarning` of
    sums of numbers that were rounded: those that are equal as they were written may be a step apart. Both parties do; who
    turns the warning into an error does so at both, or the other waits."""
    a._additive("==")
    if isinstance(b, Share):
        _warn_of_sums(a, b)
    return _bits("ne", "==", a, b if isinstance(b, Share) else a._known(b, "==", same=True))


def _warn_of_sums(a: Share, b: Share) -> None:
    step = 2.0**-a.fraction
    if a.fraction and a is not b and max(a._off, b._off) > 0.5 * step:
        frame, level = sys._getframe(), 1
        while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith("hushtable."):
            frame, level = frame.f_back, level + 1
        text = (
            f"== of sums of numbers that were each rounded to multiples of {step}: sums that are equal as they were written, "
            "as 0.1 + 0.2 and 0.3, may differ here. Share whole numbers, as cents, with fraction=0; or ask whether they are "
            "near: (a - b < m) & (b - a < m)"
        )
        warnings.warn(text, RoundingWarning, stacklevel=level)


def _bits(relation: str, sign: str, a: Share, b: Share) -> Share:
    a._additive(sign)
    words = _compared(relation, sign, a, b)
    return Share(a.party, _words.reduce(words, 1), 1, 0, "xor", (0, 2))


def _compared(relation: str, sign: str, a: Share, b: Share) -> NDArray[np.uint64]:
    """What the comparison called `relation` gives of each pair."""
    a._same(b, sign)
    ends = [(s._range[0], s._range[1] - 1) for s in (a, b)]
    least, most = min(lo for lo, _ in ends), max(hi for _, hi in ends)
    middle = least + (1 << (a.bits - 1))
    operation = native.Operation.compare(relation, a.bits, *ends)
    x, y = pair(a, b)
    if operation is not None:
        return a.party._run(name_of(relation, a, b), operation, x, y, x.shape)
    if not _words.fits(least, most + 1, a.bits):
        together = f"{_words.between((least, most + 1), a.fraction)}, both together,"
        raise too_wide(sign, a, _words.need(least, most + 1), together, wraps=False)
    # Around 0 the width holds both.
    operation = native.Operation.compare(relation, a.bits, *((lo - middle, hi - middle) for lo, hi in ends))
    assert operation is not None
    offset = a._mine(_words.word(middle, a.bits)).astype(np.uint64)
    x, y = (_words.reduce64(np.asarray(s - offset), a.bits) for s in (x, y))
    words = a.party._run(name_of(relation, a, b), operation, x, y, x.shape)
    return words + offset if relation in ("max", "min") else words


@history.operation("&", ("a", "b"))
def both(a: Share, b: Share) -> Share:
    """Shared bits that are 1 where those of `a` and `b` are both 1; broadcast. `a & b` is the same.

    Raises `TypeError` for what is not shared bits, `ShapeError` for shapes that do not fit, or another session.
    """
    for bit in (a, b):
        if not isinstance(bit, Share) or (bit.kind, bit.bits) != ("xor", 1):
            raise TypeError(f"&: shared bits, as of a comparison, are expected, got {bit!r}")
    a._same(b, "&")
    x, y = pair(a, b)
    # Of single bits, additive shares are shares by XOR.
    words = a.party._run(name_of("and", a, b), native.Operation.select(1), x, y, x.shape)
    return Share(a.party, _words.reduce(words, 1), 1, 0, "xor", (0, 2))


@history.operation("inside", ("x",))
def inside(x: Share, intervals: Sequence[tuple[float, float]]) -> Share:
    """Bits, shared by XOR, that are 1 where `lo <= x < hi`, for each of 1 to 64 public intervals: along a last axis more.

    One opening for all of them, of as many bits as the numbers in `x.range` have, 20 at most. Ends are compared as by `<`
    and `>=`. An interval that does not begin before its end is empty. Raises `ParamError` for more numbers, for other
    counts of intervals, and for bounds that are no numbers; `TypeError` for shares by XOR.
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
    ends = [_ends(interval, x.fraction, lo, lo + (1 << bits), x._off) for interval in intervals]
    operation = native.Operation.intervals(bits, [(a - middle, b - middle) for a, b in ends])
    # Exactly one party subtracts.
    words = _words.reduce(wide(x) - np.uint64((middle if x.party.role == 0 else 0) % (1 << 64)), bits)
    name = f"inside(shape {x.shape}, bits={x.bits} of {lo} to {hi}, {_words.digest(str(ends))})"
    found = x.party._run(name, operation, words.astype(np.uint64), NOTHING, (*x.shape, len(ends)))
    return Share(x.party, _words.reduce(found, 1), 1, 0, "xor", (0, 2))


def _ends(interval: tuple[float, float], fraction: int, least: int, most: int, off: float = 0.0) -> Range:
    """An interval in steps of `2^-fraction`, as numbers that are off by up to `off` are compared with it, cut to `least` and
    `most`."""

    def step(end: float) -> int:
        if isinstance(end, float | np.floating) and not math.isfinite(end):
            if math.isnan(end):
                raise ParamError(f"inside: {interval} is not supported; accepted: two numbers")
            return most if end > 0 else least
        steps = _words.exactly(end) * (1 << fraction)
        if off and least <= steps < most and abs(steps) < _constants.MOST_EXACT:
            steps = Fraction(float(_constants.beside(np.asarray(float(end)), fraction, True, off, (least, most))))
        return min(max(math.ceil(steps), least), most)

    # Those of 32 bits as they are written, as elsewhere.
    lo, hi = (float(str(end)) if isinstance(end, np.float16 | np.float32) else end for end in interval)
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
    either = (min(first._range[0], second._range[0]), max(first._range[1], second._range[1]))
    first._like(first._words, also=second)._room(either, "where")
    difference, _ = first._plus(second, -1, "where")
    shape = _shape(condition, difference)
    bits = np.ascontiguousarray(np.broadcast_to(condition._words, shape)).astype(np.uint64)
    wide = np.ascontiguousarray(np.broadcast_to(difference._words, shape)).astype(np.uint64)
    operation = native.Operation.select(first.bits)
    words = first.party._run(name_of("where", condition, difference), operation, bits, wide, shape)
    chosen, _ = second._plus(first._like(_words.reduce(words, first.bits)), 1, "where")
    return chosen._within(either)._off_by(max(first._off, second._off))


@history.operation("maximum", ("a", "b"))
def maximum(a: Share | ArrayLike, b: Share | ArrayLike) -> Share:
    """The greater of both, element by element and broadcast. Raises as `where` and comparisons do."""
    first, second = _both("maximum", a, b)
    (lo, hi), (b_lo, b_hi) = first._range, second._range
    words = _compared("max", "maximum", first, second)
    made = first._like(_words.reduce(words, first.bits), (max(lo, b_lo), max(hi, b_hi)), also=second)
    return made._off_by(max(first._off, second._off))


@history.operation("minimum", ("a", "b"))
def minimum(a: Share | ArrayLike, b: Share | ArrayLike) -> Share:
    """The smaller of both, element by element and broadcast. Raises as `where` and comparisons do."""
    first, second = _both("minimum", a, b)
    (lo, hi), (b_lo, b_hi) = first._range, second._range
    words = _compared("min", "minimum", first, second)
    made = first._like(_words.reduce(words, first.bits), (min(lo, b_lo), min(hi, b_hi)), also=second)
    return made._off_by(max(first._off, second._off))


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

    A comparison for each limit that the share's `range` does not keep already. Raises `ParamError`
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


def pair(a: Share, b: Share) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
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


def products(name: str, a: Share, b: Share) -> Words:
    """The products of whole words mod `2^bits`, element by element and broadcast; of a share with itself by squares, which
    take half as much."""
    if a is b:
        square = f"{name}(shape {a.shape}, with itself, bits={a.bits}, fraction={a.fraction})"
        return a.party._run(square, native.Operation.symmetric_product(a.bits, 1, 1), wide(a), NOTHING, a.shape)
    x, y = pair(a, b)
    return a.party._run(name_of(name, a, b), native.Operation.multiply(a.bits), x, y, x.shape)


def name_of(name: str, a: Share, b: Share) -> str:
    return f"{name}(shapes {a.shape} and {b.shape}, bits={a.bits} and {b.bits}, fraction={a.fraction})"
