"""Products with numbers that one party knows, and of shares, in a range that is promised: the only place that knows how these
are made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _hushtable as native
from .. import _words, history
from .._words import Range
from ..arithmetic import name_of, pair, wide
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
        half = 1 << (like.bits - 1)
        steps = None if self.steps is None else (self.steps + half) % (2 * half) - half if like.bits < 63 else self.steps
        return like.party.input(steps, self.owner, shape=self.shape, bits=like.bits, fraction=0)


@history.operation("linear", ("x",))
def linear(x: Share, weights: Weights, limits: Range) -> Share:
    """`x @ W`, rounded to the scale of `x`, to nearest and within a step. `W` is a matrix, or a batch of them with as many
    axes as `x`. The results lie in `limits`, in steps of `x`: that is promised, not checked."""
    w = weights.shared(x)
    if w.ndim == 2:
        flat = _matrices(x._like(wide(x).reshape(1, -1, x.shape[-1])), w._like(w._words[None]))
        product = flat._like(flat._words.reshape(*x.shape[:-1], w.shape[-1]))
    else:
        product = _matrices(x, w)
    return _to_scale("linear", product, limits, weights.digits)


@history.operation("convolve", ("x",), ("stride", "padding", "dilation", "groups"))
def convolve(
    x: Share,
    weights: Weights,
    limits: Range,
    *,
    stride: tuple[int, int],
    padding: tuple[int, int, int, int],
    dilation: tuple[int, int],
    groups: int,
) -> Share:
    """The convolution of images (batch, channels, height, width) with `W` (outputs, channels of a group, height, width).

    `padding` is by zeros: above, left, below, right. As `linear` otherwise.
    """
    outputs, channels, *kernel = weights.shape
    patches = windows(wide(x), (kernel[0], kernel[1]), stride, padding, dilation)
    batch, _, high, broad = patches.shape[:4]
    rows = patches.reshape(batch, groups, channels, high * broad, -1).transpose(1, 0, 3, 2, 4)
    rows = rows.reshape(groups, batch * high * broad, -1)
    w = weights.shared(x)
    factors = w._words.reshape(groups, outputs // groups, -1).transpose(0, 2, 1)
    product = _matrices(x._like(rows), w._like(factors))
    words = product._words.reshape(groups, batch, high * broad, outputs // groups).transpose(1, 0, 3, 2)
    return _to_scale("convolve", x._like(words.reshape(batch, outputs, high, broad)), limits, weights.digits)


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


@history.operation("times", ("x", "y"))
def times(x: Share, y: Share, limits: Range) -> Share:
    """The products of shares, element by element and broadcast. As `between` otherwise."""
    x._same(y, "*")
    return _to_scale("*", _multiplied(x, y), limits, x.fraction)


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


def windows(
    images: NDArray[np.uint64],
    kernel: tuple[int, int],
    stride: tuple[int, int],
    padding: tuple[int, int, int, int],
    dilation: tuple[int, int],
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
    a, b = pair(x, y)
    words = x.party._run(name_of("times", x, y), native.Operation.multiply(x.bits), a, b, a.shape)
    return x._like(_words.reduce(words, x.bits))


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
