"""Pooling of images, and means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ... import _constants, _words, history
from ...errors import ParamError, ShapeError
from ...products import _rounded
from ...share import Share
from .. import weights
from ..comparing import maximum
from ..imports import Builder, Op, Value, axes_of, converter
from ..layer import Array, Format, Layer, Off, Own, Run, Shape, Sizes, axis_of, count
from .arrange import Reshape
from .linear import flat, imaged, kernel_of, lined, seen


class Pool(Layer):
    """What is made of each place that a kernel sees; images are (rows, channels, height, width)."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]

    def shape(self, *of: Shape) -> Shape:
        if len(of[0]) != 4:
            raise ShapeError(f"shape {of[0]} where images (rows, channels, height, width) are expected")
        if len(self.padding) == 4 and any(p >= k for p, k in zip(self.padding, (*self.kernel, *self.kernel), strict=False)):
            raise ShapeError(f"padding {self.padding} of a kernel {self.kernel}; accepted: less than the kernel")
        return (*of[0][:2], *seen(of[0][2:], self.kernel, self.stride, self.padding, self.dilation))

    def inside(self, *of: Shape) -> int:
        return count(self.shape(*of)) * count(self.kernel)

    def windows(self, x: Array) -> Array:
        """What the kernel sees, along a last axis."""
        found = weights.windows(x, self.kernel, self.stride, self.padding, self.dilation)
        return found.reshape(*found.shape[:4], -1)

    def worst(self, own: Own, *sizes: float) -> Sizes:
        return sizes[0], {}


@dataclass(frozen=True)
class MaxPool(Pool):
    """The greatest that each kernel sees: a knockout of `log2` rounds of comparisons. Padding never wins."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...] = (0, 0, 0, 0)
    dilation: tuple[int, ...] = (1, 1)
    op: ClassVar[str] = "max_pool"

    def plain(self, own: Own, *x: Array) -> Array:
        up, left, down, right = self.padding
        low = np.pad(x[0], ((0, 0), (0, 0), (up, down), (left, right)), constant_values=-np.inf)
        bare = MaxPool(self.kernel, self.stride, (0, 0, 0, 0), self.dilation)
        return np.asarray(bare.windows(low).max(axis=-1))

    def private(self, run: Run, *x: Share) -> Share:
        seen_here = _gathered(x[0], self)
        return greatest(seen_here)


@dataclass(frozen=True)
class AveragePool(Pool):
    """The mean of what each kernel sees: a local sum, and a product with a public number. `padded`: padding counts."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...] = (0, 0, 0, 0)
    dilation: tuple[int, ...] = (1, 1)
    padded: bool = True
    op: ClassVar[str] = "average_pool"

    def counts(self, size: Shape) -> Array:
        """How many numbers are in each mean."""
        ones = np.ones((1, 1, *size))
        return self.windows(ones).sum(axis=-1) if not self.padded else np.full(1, float(np.prod(self.kernel)))

    def plain(self, own: Own, *x: Array) -> Array:
        return np.asarray(self.windows(x[0]).sum(axis=-1) / self.counts(x[0].shape[2:]))

    def private(self, run: Run, *x: Share) -> Share:
        return _averaged(x[0], self)

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        return of[0].error + step


class Reduced(Layer):
    """What is left of axes, which stay with length 1 if `keep`."""

    axes: tuple[int, ...]
    keep: bool

    def shape(self, *of: Shape) -> Shape:
        axes = {axis_of(axis, of[0]) for axis in self.axes}
        if len(axes) < len(self.axes):
            raise ShapeError(f"axes {self.axes} of shape {of[0]}, one of them twice")
        return tuple(1 if i in axes else size for i, size in enumerate(of[0]) if self.keep or i not in axes)

    def rows(self, x: Share) -> Share:
        """The numbers of these axes along the last one."""
        axes = sorted(axis_of(axis, x.shape) for axis in self.axes)
        rest = [axis for axis in range(x.ndim) if axis not in axes]
        return x.transpose(*rest, *axes).reshape(*(x.shape[axis] for axis in rest), -1)


@dataclass(frozen=True)
class Sum(Reduced):
    """The sum over axes. Local."""

    axes: tuple[int, ...]
    keep: bool = True
    op: ClassVar[str] = "sum"

    def plain(self, own: Own, *x: Array) -> Array:
        return np.asarray(x[0].sum(axis=self.axes, keepdims=self.keep))

    def private(self, run: Run, *x: Share) -> Share:
        return _total(self.rows(x[0]), run.limits).reshape(self.shape(x[0].shape))

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        return of[0].error * count(of[0].shape) / count(self.shape(of[0].shape))


@dataclass(frozen=True)
class Mean(Reduced):
    """The mean over axes, which stay with length 1 if `keep`."""

    axes: tuple[int, ...]
    keep: bool = True
    op: ClassVar[str] = "mean"

    def plain(self, own: Own, *x: Array) -> Array:
        return np.asarray(x[0].mean(axis=self.axes, keepdims=self.keep))

    def private(self, run: Run, *x: Share) -> Share:
        rows = self.rows(x[0])
        return rows.mean(axis=rows.ndim - 1).reshape(self.shape(x[0].shape))

    def worst(self, own: Own, *sizes: float) -> Sizes:
        return sizes[0], {}

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        return of[0].error + step


def greatest(x: Share) -> Share:
    """The greatest along the last axis."""
    while (size := x.shape[-1]) > 1:
        half = size // 2
        won = maximum(x[..., :half], x[..., half : 2 * half])
        # The one that met no other goes on.
        x = _beside(won, x[..., 2 * half :]) if size % 2 else won
    return x[..., 0]


@history.operation("total", ("x",))
def _total(x: Share, limits: tuple[int, int]) -> Share:
    """The sums along the last axis, in a range that is promised."""
    return x._like(_words.reduce(x._words.astype(np.uint64).sum(axis=-1), x.bits), limits)._off_by(0.0)


@history.operation("beside", ("a", "b"))
def _beside(a: Share, b: Share) -> Share:
    limits = (min(a._range[0], b._range[0]), max(a._range[1], b._range[1]))
    return a._like(np.concatenate([a._words, b._words], axis=-1), limits)


@history.operation("gathered", ("x",), ("pool",))
def _gathered(x: Share, pool: MaxPool) -> Share:
    """What the kernel sees along a last axis; padding has the least number that can be."""
    up, left, down, right = pool.padding
    least = x._mine(_words.word(x._range[0], x.bits))
    low = np.pad(x._words, ((0, 0), (0, 0), (up, down), (left, right)), constant_values=least)
    return x._like(MaxPool(pool.kernel, pool.stride, (0, 0, 0, 0), pool.dilation).windows(low))


@history.operation("averaged", ("x",), ("pool",))
def _averaged(x: Share, pool: AveragePool) -> Share:
    seen_here = pool.windows(x._words.astype(np.uint64))
    total = x._like(_words.reduce(seen_here.sum(axis=-1), x.bits))
    most = seen_here.shape[-1]
    limits = (most * min(x._range[0], 0), most * max(x._range[1] - 1, 0) + 1)
    counts = np.ascontiguousarray(pool.counts(x.shape[2:]))
    return _rounded("mean", total, limits, _constants.reciprocal("mean", x, limits, counts))


@converter("MaxPool", "AveragePool")
def _pool(to: Builder, op: Op) -> Value:
    x = op.var(0)
    kernel = op.ints("kernel_shape", None, ()) or ()
    if len(kernel) not in (1, 2) or op.outputs > 1:
        raise ParamError(f"a kernel {kernel} with {op.outputs} outputs is not supported; accepted: one or two axes, one output")
    stride, padding, dilation = kernel_of(op, x.shape[2:], kernel)
    images, kernel = imaged(to, x), flat(kernel)
    if op.int("ceil_mode", 0):
        size = enumerate(images.shape[2:])
        over = [(n + padding[i] + padding[i + 2] - (kernel[i] - 1) * dilation[i] - 1) % stride[i] for i, n in size]
        if any(over):
            raise ParamError("ceil_mode=1 is not supported for these sizes; accepted: 0")
    if op.kind == "MaxPool":
        return lined(to, to.add(MaxPool(kernel, stride, padding, dilation), images), x)
    counted = bool(op.int("count_include_pad", 0))
    return lined(to, to.add(AveragePool(kernel, stride, padding, dilation, counted), images), x)


@converter("GlobalMaxPool")
def _global_max(to: Builder, op: Op) -> Value:
    x = op.var(0)
    if len(x.shape) == 4:
        return to.add(MaxPool(x.shape[2:], (1, 1)), x)
    size = count(x.shape[2:])
    line = to.add(Reshape((*x.shape[:2], 1, size)), x)
    return to.add(Reshape((*x.shape[:2], *(1,) * (len(x.shape) - 2))), to.add(MaxPool((1, size), (1, 1)), line))


@converter("GlobalAveragePool")
def _global_mean(to: Builder, op: Op) -> Value:
    x = op.var(0)
    return to.add(Mean(tuple(range(2, len(x.shape)))), x)


@converter("ReduceMean", "ReduceSum")
def _reduce(to: Builder, op: Op) -> Value:
    x = op.var(0)
    asked = op.ints("axes", 1, None) or None
    if asked is None and op.int("noop_with_empty_axes", 0):
        return x
    axes = axes_of(asked, x.shape)
    layer = Mean if op.kind == "ReduceMean" else Sum
    return to.add(layer(tuple(axis - len(x.shape) for axis in axes), op.int("keepdims", 1) == 1), x)
