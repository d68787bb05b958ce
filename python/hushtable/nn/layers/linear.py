"""Layers with weights: matrices, convolutions, factors and offsets for each place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...errors import ParamError, ShapeError
from ...share import Share
from .. import weights
from ..imports import Builder, Op, Value, Var, along, converter
from ..layer import MOST, Array, Format, Layer, Off, Own, Run, Shape, Sizes, broadcast, columns, count, largest
from .arrange import Reshape, Transpose
from .elementwise import MatMul


class Weighted(Layer):
    """What has factors and perhaps offsets, which are added after the products were rounded."""

    bias: bool

    def factors(self) -> tuple[str, ...]:
        return ("weight",)

    def products(self, own: Own, x: Array) -> Array:
        """The results without offsets, in floating point."""
        raise NotImplementedError

    def offsets(self, own: Own) -> Array:
        """The offsets in the shape of the results, to be broadcast."""
        return own["bias"]

    def plain(self, own: Own, *x: Array) -> Array:
        made = self.products(own, x[0])
        return made + self.offsets(own) if self.bias else made

    def inner(self, own: Own, *x: Array) -> dict[str, Array]:
        return {"products": self.products(own, x[0])} if self.bias else {}

    def ranges(self) -> tuple[str, ...]:
        return ("products",) if self.bias else ()

    def private(self, run: Run, *x: Share) -> Share:
        made = self.multiplied(run, x[0], run.inner("products") if self.bias else run.limits)
        if not self.bias:
            return made
        offsets = run.numbers(made, "bias")
        return weights.plus(made, self.placed(offsets), run.limits)

    def multiplied(self, run: Run, x: Share, limits: tuple[int, int]) -> Share:
        """The products, rounded, in `limits`."""
        raise NotImplementedError

    def placed(self, offsets: Share) -> Share:
        """The offsets in the shape of the results, to be broadcast."""
        return offsets

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        kept = self.gain(held["weight"]) * of[0].error
        left = self.gain(own["weight"] - held["weight"]) * of[0].size
        return kept + left + step * (1.5 if self.bias else 1)

    def gain(self, factors: Array) -> float:
        """How far results may move where each number moves by 1."""
        return largest(factors)

    def worst(self, own: Own, *sizes: float) -> Sizes:
        products = self.gain(own["weight"]) * sizes[0]
        return (products + largest(own["bias"]), {"products": products}) if self.bias else (products, {})


@dataclass(frozen=True)
class Linear(Weighted):
    """`x @ W`, and perhaps offsets: of the last axis, the others are rows."""

    inputs: int
    outputs: int
    bias: bool = True
    op: ClassVar[str] = "linear"

    def owned(self) -> dict[str, Shape]:
        weight: dict[str, Shape] = {"weight": (self.inputs, self.outputs)}
        return weight | {"bias": (self.outputs,)} if self.bias else weight

    def terms(self) -> int:
        return self.inputs

    def shape(self, *of: Shape) -> Shape:
        if not of[0] or of[0][-1] != self.inputs:
            raise ShapeError(f"shape {of[0]} where {self.inputs} numbers are expected along the last axis")
        return (*of[0][:-1], self.outputs)

    def products(self, own: Own, x: Array) -> Array:
        return np.asarray(x @ own["weight"])

    def multiplied(self, run: Run, x: Share, limits: tuple[int, int]) -> Share:
        return weights.linear(x, run.weights("weight"), limits)

    def gain(self, factors: Array) -> float:
        return columns(factors)

    def absorbed(self, own: Own, exponents: Sequence[int], centres: Sequence[float] = ()) -> Own | None:
        if centres and not self.bias:
            return None
        made = {**own, "weight": np.ldexp(own["weight"], np.asarray(exponents)[:, None])}
        return {**made, "bias": own["bias"] + np.asarray(centres) @ own["weight"]} if centres else made


@dataclass(frozen=True)
class Scale(Weighted):
    """`x * g`, and perhaps offsets of the same shape, broadcast."""

    size: tuple[int, ...]
    bias: bool = True
    op: ClassVar[str] = "scale"

    def owned(self) -> dict[str, Shape]:
        weight: dict[str, Shape] = {"weight": self.size}
        return weight | {"bias": self.size} if self.bias else weight

    def shape(self, *of: Shape) -> Shape:
        return broadcast(of[0], self.size)

    def products(self, own: Own, x: Array) -> Array:
        return x * own["weight"]

    def multiplied(self, run: Run, x: Share, limits: tuple[int, int]) -> Share:
        return weights.scaled(x, run.weights("weight"), limits)

    def absorbed(self, own: Own, exponents: Sequence[int], centres: Sequence[float] = ()) -> Own | None:
        alike = self.size == (len(exponents),) or len(set(exponents)) == 1
        if not alike or self.size not in ((len(exponents),), (1,), ()) or (centres and not (self.bias and self.size == (len(exponents),))):
            return None
        powers = np.asarray(exponents if self.size == (len(exponents),) else exponents[:1]).reshape(self.size)
        made = {**own, "weight": np.ldexp(own["weight"], powers)}
        return {**made, "bias": own["bias"] + np.asarray(centres) * own["weight"]} if centres else made


@dataclass(frozen=True)
class Convolution(Weighted):
    """A convolution of images (rows, channels, height, width) by zero padding: above, left, below, right."""

    inputs: int
    outputs: int
    kernel: tuple[int, ...]
    stride: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0, 0, 0)
    dilation: tuple[int, ...] = (1, 1)
    groups: int = 1
    bias: bool = True
    op: ClassVar[str] = "convolution"

    def owned(self) -> dict[str, Shape]:
        weight: dict[str, Shape] = {"weight": (self.outputs, self.inputs // max(self.groups, 1), *self.kernel)}
        return weight | {"bias": (self.outputs,)} if self.bias else weight

    def terms(self) -> int:
        return self.inputs // self.groups * self.kernel[0] * self.kernel[1]

    def shape(self, *of: Shape) -> Shape:
        if len(of[0]) != 4 or of[0][1] != self.inputs:
            raise ShapeError(f"shape {of[0]} where images (rows, {self.inputs} channels, height, width) are expected")
        if self.groups < 1 or self.inputs % self.groups or self.outputs % self.groups:
            raise ShapeError(f"{self.groups} groups of {self.inputs} and {self.outputs} channels")
        places = seen(of[0][2:], self.kernel, self.stride, self.padding, self.dilation)
        window = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True)]
        around = [n + self.padding[i] + self.padding[i + 2] for i, n in enumerate(of[0][2:])]
        for what, sizes in (
            ("a kernel with its dilation", (*window, self.inputs, self.outputs)),
            ("images with their padding", (of[0][0], self.inputs, *around)),
        ):
            if count(sizes) > MOST:
                raise ShapeError(f"{what} of {count(sizes)} numbers; at most {MOST} are supported")
        return (of[0][0], self.outputs, *places)

    def inside(self, *of: Shape) -> int:
        around = [n + self.padding[i] + self.padding[i + 2] for i, n in enumerate(of[0][2:])]
        return count((*of[0][:2], *around))

    def products(self, own: Own, x: Array) -> Array:
        patches = weights.windows(x, self.kernel, self.stride, self.padding, self.dilation)
        batch, _, high, broad = patches.shape[:4]
        rows = patches.reshape(batch, self.groups, -1, high * broad, self.kernel[0] * self.kernel[1])
        rows = rows.transpose(1, 0, 3, 2, 4).reshape(self.groups, batch * high * broad, -1)
        made = rows @ own["weight"].reshape(self.groups, self.outputs // self.groups, -1).transpose(0, 2, 1)
        made = made.reshape(self.groups, batch, high * broad, -1).transpose(1, 0, 3, 2)
        return np.asarray(made.reshape(batch, self.outputs, high, broad))

    def offsets(self, own: Own) -> Array:
        return own["bias"][:, None, None]

    def placed(self, offsets: Share) -> Share:
        return offsets.reshape(self.outputs, 1, 1)

    def multiplied(self, run: Run, x: Share, limits: tuple[int, int]) -> Share:
        factors, (stride, padding, dilation) = run.weights("weight"), (self.stride, self.padding, self.dilation)
        return weights.convolve(x, factors, limits, stride=stride, padding=padding, dilation=dilation, groups=self.groups)

    def gain(self, factors: Array) -> float:
        return columns(factors.reshape(len(factors), -1).T)


@dataclass(frozen=True)
class Offset(Layer):
    """Numbers of the owner are added, broadcast. Local."""

    size: tuple[int, ...]
    op: ClassVar[str] = "offset"

    def owned(self) -> dict[str, Shape]:
        return {"bias": self.size}

    def shape(self, *of: Shape) -> Shape:
        return broadcast(of[0], self.size)

    def plain(self, own: Own, *x: Array) -> Array:
        return x[0] + own["bias"]

    def private(self, run: Run, *x: Share) -> Share:
        return weights.plus(x[0], run.numbers(x[0], "bias"), run.limits)

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        return of[0].error + 0.5 * step


def seen(
    size: Shape, kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]
) -> Shape:
    """How many places a kernel has, along height and width. Raises `ShapeError` if it has none."""
    if (len(size), len(kernel), len(stride), len(padding), len(dilation)) != (2, 2, 2, 4, 2):
        raise ShapeError(f"a kernel of two axes is expected, got {tuple(kernel)} on {size}")
    if min(*kernel, *stride, *dilation) < 1 or min(padding) < 0:
        raise ShapeError(f"kernel {kernel}, stride {stride}, padding {padding}, dilation {dilation}")
    full = [size[i] + padding[i] + padding[i + 2] - (kernel[i] - 1) * dilation[i] - 1 for i in (0, 1)]
    if min(full) < 0:
        raise ShapeError(f"a kernel of {tuple(kernel)} on images of {size}")
    return tuple(room // step + 1 for room, step in zip(full, stride, strict=True))


@converter("MatMul")
def _matmul(to: Builder, op: Op) -> Value:
    left, right = op.inputs[0], op.inputs[1]
    if isinstance(left, Var) and isinstance(right, Var):
        return to.add(MatMul(), op.var(0), op.var(1))
    if isinstance(right, Var):
        # C X = (X^T C^T)^T
        order = (*range(len(right.shape) - 2), len(right.shape) - 1, len(right.shape) - 2)
        turned = _linear(to, to.add(Transpose(order), op.var(1)), op.constant(0).T, None)
        return to.add(Transpose(order), turned)
    return _linear(to, op.var(0), op.constant(1), None)


@converter("Gemm")
def _gemm(to: Builder, op: Op) -> Value:
    if op.int("transA", 0):
        raise ParamError("transA=1 is not supported; accepted: 0")
    weight = op.constant(1).T if op.int("transB", 0) else op.constant(1)
    bias = op.constant(2) * op.float("beta", 1.0) if op.has(2) else None
    return _linear(to, op.var(0), weight * op.float("alpha", 1.0), bias)


def _linear(to: Builder, x: Var, weight: Array, bias: Array | None) -> Var:
    if weight.ndim != 2:
        raise ParamError(f"a constant of shape {weight.shape} is not supported; accepted: a matrix")
    own = {"weight": weight}
    if bias is not None:
        own["bias"] = along(bias, weight.shape[1])
    inputs, outputs = weight.shape
    return to.add(Linear(inputs, outputs, bias is not None), x, own=own)


@converter("Conv")
def _conv(to: Builder, op: Op) -> Value:
    weight, x = op.constant(1), op.var(0)
    if weight.ndim not in (3, 4) or len(x.shape) != weight.ndim:
        raise ParamError(f"a kernel of shape {weight.shape} is not supported; accepted: one or two axes")
    kernel = weight.shape[2:]
    stride, padding, dilation = kernel_of(op, x.shape[2:], kernel)
    groups = op.int("group", 1)
    own = {"weight": weight.reshape(*weight.shape[:2], *flat(kernel))} | ({"bias": op.constant(2)} if op.has(2) else {})
    inputs, outputs = weight.shape[1] * groups, weight.shape[0]
    layer = Convolution(inputs, outputs, flat(kernel), stride, padding, dilation, groups, op.has(2))
    return lined(to, to.add(layer, imaged(to, x), own=own), x)


def flat(kernel: Sequence[int]) -> tuple[int, ...]:
    """A kernel of two axes, of which the first has length 1 if there was one only."""
    return tuple(kernel) if len(kernel) == 2 else (1, *kernel)


def imaged(to: Builder, x: Var) -> Var:
    """Rows of numbers (rows, channels, length) as images of height 1."""
    return x if len(x.shape) == 4 else to.add(Reshape((*x.shape[:2], 1, x.shape[2])), x)


def lined(to: Builder, made: Var, like: Var) -> Var:
    """What was made of such images, without their height."""
    return made if len(like.shape) == 4 else to.add(Reshape((*made.shape[:2], made.shape[3])), made)


def kernel_of(op: Op, size: Shape, kernel: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Stride, padding and dilation of a convolution or a pool, for a kernel of two axes."""
    axes = len(kernel)
    stride = op.ints("strides", None, (1,) * axes) or ()
    dilation = op.ints("dilations", None, (1,) * axes) or ()
    how = op.text("auto_pad", "NOTSET")
    padding = op.ints("pads", None, (0,) * (2 * axes)) or ()
    if not len(size) == axes == len(stride) == len(dilation) == len(padding) / 2:
        raise ShapeError(
            f"a kernel of {axes} axes, strides {stride}, dilations {dilation} and pads {padding} on {len(size)} axes; accepted: a "
            f"number for each axis, two for pads"
        )
    if how == "VALID":
        padding = (0,) * (2 * axes)
    elif how not in ("NOTSET", ""):
        reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
        more = [max((-(-n // s) - 1) * s + r - n, 0) for n, s, r in zip(size, stride, reach, strict=True)]
        small, large = [n // 2 for n in more], [n - n // 2 for n in more]
        padding = (*small, *large) if how == "SAME_UPPER" else (*large, *small)
    if axes == 1:
        return (1, *stride), (0, padding[0], 0, padding[1]), (1, *dilation)
    return stride, padding, dilation
