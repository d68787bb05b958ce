"""Products with numbers that one party knows, and of shares, in a range that is promised: the only place that knows how these
are made."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _hushtable as native
from .. import _words, history
from .._room import too_wide
from .._words import Range
from ..arithmetic import NOTHING, products, wide
from ..errors import ShapeError
from ..products import _nearest
from ..share import Share


@dataclass(frozen=True)
class Weights:
    """Whole numbers of party `owner`, in steps of `2^-digits`: `steps` at the owner, `None` at the other.

    Public are the shape, the digits, and that all lie below `2^bits` without their signs.
    """

    owner: int
    shape: tuple[int, ...]
    digits: int
    bits: int
    steps: NDArray[np.int64] | None

    def shared(self, like: Share) -> Share:
        """As shares of whole numbers mod `2^bits`, of the width of `like`."""
        steps = None if self.steps is None else self._signed(like.bits)
        return like.party.input(steps, self.owner, shape=self.shape, bits=like.bits, fraction=0)

    def _signed(self, bits: int) -> NDArray[np.int64]:
        """The numbers mod `2^bits`, with a sign."""
        assert self.steps is not None
        half = 1 << (bits - 1)
        return (self.steps + half) % (2 * half) - half if bits < 63 else self.steps


@history.operation("linear", ("x",))
def linear(x: Share, weights: Weights, limits: Range) -> Share:
    """`x @ W`, rounded to a neighbour in the scale of `x`, so wrong by less than a step. `W` is a matrix, or a batch of them
    with as many axes as `x`. The results, rounded up, lie in `limits`, in steps of `x`: that is promised, not checked."""
    *batch, inner, columns = weights.shape
    if x.shape[-1] != inner or (batch and x.shape[:-2] != tuple(batch)):
        raise ShapeError(f"@: shapes {x.shape} and {weights.shape} do not fit together")
    rows = math.prod(x.shape[:-1]) // max(math.prod(batch), 1)
    shape = native.MapShape.matrices(math.prod(batch), rows, inner, columns)
    return _mapped("linear", x, x, weights, lambda steps: steps, shape, (*x.shape[:-1], columns), limits)


@history.operation("convolve", ("x",), ("stride", "padding", "dilation", "groups"))
def convolve(
    x: Share,
    weights: Weights,
    limits: Range,
    *,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Share:
    """The convolution of images (batch, channels, height, width) with `W` (outputs, channels of a group, height, width).

    `padding` is by zeros: above, left, below, right. As `linear` otherwise.
    """
    outputs, _, *kernel = weights.shape
    window = [(side - 1) * apart + 1 for side, apart in zip(kernel, dilation, strict=True)]
    up, left, down, right = padding
    around = ((up, down), (left, right))
    words = x._words.transpose(0, 2, 3, 1)
    if any(max(zeros) >= side for zeros, side in zip(around, window, strict=True)):
        words, around = np.pad(words, ((0, 0), *around, (0, 0))), ((0, 0), (0, 0))

    def filters(steps: NDArray[np.int64]) -> NDArray[np.int64]:
        apart = np.zeros((*window, *steps.shape[1::-1]), dtype=np.int64)
        apart[:: dilation[0], :: dilation[1]] = steps.transpose(2, 3, 1, 0)
        return apart

    batch, high, broad, channels = words.shape
    sides, steps = (window[0], window[1]), (stride[0], stride[1])
    shape = native.MapShape.convolution(batch, (high, broad), channels, outputs, sides, steps, around, groups)
    result = [
        (size + sum(zeros) - side) // step + 1
        for size, zeros, side, step in zip((high, broad), around, window, stride, strict=True)
    ]
    made = _mapped("convolve", x, x._like(words), weights, filters, shape, (batch, *result, outputs), limits)
    return made._like(made._words.transpose(0, 3, 1, 2))


@history.operation("scaled", ("x",))
def scaled(x: Share, weights: Weights, limits: Range) -> Share:
    """`x * W`, element by element and broadcast. As `linear` otherwise."""
    return _to_scale("scaled", _multiplied(x, weights.shared(x)), limits, weights.digits)


@history.operation("between", ("x", "y"))
def between(x: Share, y: Share, limits: Range) -> Share:
    """The matrix products of shares, broadcast; `limits` are promised, and rounding is as of `linear`."""
    x._same(y, "@")
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    a, b = (np.broadcast_to(s._words, batch + s.shape[-2:]) for s in (x, y))
    return _to_scale("@", _matrices(x._like(a), y._like(b)), limits, x.fraction)


@history.operation("times", ("x", "y"), ("digits",))
def times(x: Share, y: Share, limits: Range, digits: int | None = None) -> Share:
    """The products of shares, element by element and broadcast. As `between` otherwise. `digits`: how many are cut off, where
    these are not as many as the shares have."""
    x._same(y, "*")
    return _to_scale("*", _multiplied(x, y), limits, x.fraction if digits is None else digits)


@history.operation("plus", ("x", "y"))
def plus(x: Share, y: Share, limits: Range) -> Share:
    """The sums of shares of one type, broadcast, in a range that is promised. Local."""
    x._same(y, "+")
    return x._like(_words.reduce(_words.broadcast(np.add, x._words, y._words), x.bits), limits)._off_by(0.0)


@history.operation("adapted", ("x",))
def multiplied(x: Share, exponents: Sequence[int], limits: Range) -> Share:
    """`x / 2^exponents`, public ones along the last axis, in a range that is promised: rounded to nearest, within a step."""
    digits = max(0, *exponents)
    steps = np.asarray([1 << (digits - exponent) for exponent in exponents], dtype=np.int64)
    x.party._met("adapted", digits, steps)
    return _to_scale("adapted", x._times_whole(steps), limits, digits)


@history.operation("scaled by", ("x",), ("factor", "digits"))
def scaled_by(x: Share, factor: int, digits: int) -> Share:
    """`x * factor / 2^digits`, a public factor from 0 to 1, rounded to nearest."""
    x.party._met("scaled by", digits, np.asarray(factor))
    return _to_scale("*", x._times_whole(np.asarray(factor, dtype=np.int64)), (min(x._range[0], 0), max(x._range[1], 1)), digits)


def windows(
    images: NDArray[np.uint64],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> NDArray[np.uint64]:
    """What a kernel sees at each place, (batch, channels, high, broad, kernel's height, width): views of padded images."""
    up, left, down, right = padding
    padded = np.pad(images, ((0, 0), (0, 0), (up, down), (left, right)))
    reach = tuple((k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True))
    seen = np.lib.stride_tricks.sliding_window_view(padded, reach, axis=(2, 3))
    found: NDArray[np.uint64] = seen[:, :, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
    return found


def _multiplied(x: Share, y: Share) -> Share:
    """Products of whole words mod `2^bits`, element by element and broadcast."""
    return x._like(_words.reduce(products("times", x, y), x.bits))


def _mapped(
    operation: str,
    x: Share,
    arranged: Share,
    weights: Weights,
    order: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    shape: native.MapShape,
    results: tuple[int, ...],
    limits: Range,
) -> Share:
    """What becomes of numbers in the order of the library, whose results are promised to lie in `limits`."""
    if 0 in (arranged.size, *results, *weights.shape):
        return x._like(np.zeros(results, dtype=_words.dtype(x.bits)), (0, 1))
    digits, bits = weights.digits, min(weights.bits + 1, x.bits, 63)
    # Rounded up, results are below the end: so are the numbers before, by a step.
    need = _words.need_to_round(limits[0] << digits, limits[1] << digits)
    if digits and need > x.bits:
        raise too_wide(operation, x, need, "numbers before rounding")
    # Nothing at the other party, where something says that the material is for one party's numbers.
    numbers, own = None, b""
    if weights.steps is not None:
        steps = np.ascontiguousarray(order(weights._signed(x.bits)))
        numbers, own = native.Numbers(steps, None), hashlib.sha256(steps.tobytes()).digest()
    how = f"weights {weights.shape} of {bits} bits of party {weights.owner}, {digits} cut off"
    name = f"{operation}(shape {arranged.shape}, bits={x.bits}, {how}, results {results})"
    made = native.known_map(shape, x.bits, bits, digits, weights.owner, numbers)
    words = x.party._run(name, made, wide(arranged), NOTHING, results, own)
    return x._like(_words.reduce(words, x.bits), limits)._off_by(0.0)


def _matrices(x: Share, w: Share) -> Share:
    """Products of matrices of whole words mod `2^bits`: of the last two axes, the others are the same."""
    *batch, rows, inner = x.shape
    columns = w.shape[-1]
    if w.shape != (*batch, inner, columns):
        raise ShapeError(f"@: shapes {x.shape} and {w.shape} do not fit together")
    shape = (*batch, rows, columns)
    if 0 in (*shape, inner):
        return x._like(np.zeros(shape, dtype=_words.dtype(x.bits)))
    operation = native.Operation.matrix_product(x.bits, math.prod(batch), rows, inner, columns)
    name = f"matrices({x.shape} and {w.shape}, bits={x.bits})"
    return x._like(_words.reduce(x.party._run(name, operation, wide(x), wide(w), shape), x.bits))


def _to_scale(operation: str, product: Share, limits: Range, digits: int) -> Share:
    """Products rounded to nearest, whose results are promised to lie in `limits`."""
    half = 1 << digits >> 1
    before = (limits[0] << digits, ((limits[1] - 1) << digits) + max(half, 1))
    return _nearest(operation, product, before, digits)._within(limits)._off_by(0.0)
