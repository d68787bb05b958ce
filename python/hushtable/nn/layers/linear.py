"""Layers with weights: matrices, convolutions, factors and offsets for each place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...errors import ParamError, ShapeError
from ...share import Share
from .. import weights
from ..imports import MASKED, UNSEEN, Builder, Op, Value, Var, converter, trimmed
from ..layer import Array, Format, Layer, Off, Own, Run, Shape, broadcast, columns, largest
from .arrange import Negate, Transpose
from .elementwise import Add, MatMul, Multiply, Steep, Subtract


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

    def absorbed(self, own: Own, exponents: Sequence[int]) -> Own | None:
        return {**own, "weight": np.ldexp(own["weight"], np.asarray(exponents)[:, None])}


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

    def absorbed(self, own: Own, exponents: Sequence[int]) -> Own | None:
        fits = self.size in ((len(exponents),), (1,), ()) and len(set(exponents if self.size != (len(exponents),) else (0,))) == 1
        powers = np.asarray(exponents if self.size == (len(exponents),) else exponents[:1]).reshape(self.size)
        return {**own, "weight": np.ldexp(own["weight"], powers)} if fits else None


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
        return (of[0][0], self.outputs, *seen(of[0][2:], self.kernel, self.stride, self.padding, self.dilation))

    def products(self, own: Own, x: Array) -> Array:
        patches = weights.windows(x, self.kernel, self.stride, self.padding, self.dilation)  # type: ignore[arg-type]
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
        how = {"stride": self.stride, "padding": self.padding, "dilation": self.dilation, "groups": self.groups}
        return weights.convolve(x, run.weights("weight"), limits, **how)  # type: ignore[arg-type]

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
        own["bias"] = np.broadcast_to(trimmed(bias), (weight.shape[1],))
    inputs, outputs = weight.shape
    return to.add(Linear(inputs, outputs, bias is not None), x, own=own)


@converter("Conv")
def _conv(to: Builder, op: Op) -> Value:
    weight, x = op.constant(1), op.var(0)
    if weight.ndim != 4:
        raise ParamError(f"a kernel of shape {weight.shape} is not supported; accepted: two axes, images")
    kernel = weight.shape[2:]
    stride, padding, dilation = kernel_of(op, x.shape[2:], kernel)
    groups = op.int("group", 1)
    own = {"weight": weight} | ({"bias": op.constant(2)} if op.has(2) else {})
    layer = Convolution(weight.shape[1] * groups, weight.shape[0], kernel, stride, padding, dilation, groups, op.has(2))
    return to.add(layer, x, own=own)


def kernel_of(op: Op, size: Shape, kernel: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Stride, padding and dilation of a convolution or a pool."""
    stride = op.ints("strides", None, (1, 1)) or (1, 1)
    dilation = op.ints("dilations", None, (1, 1)) or (1, 1)
    how = op.text("auto_pad", "NOTSET")
    if how in ("NOTSET", ""):
        return stride, op.ints("pads", None, (0, 0, 0, 0)) or (0, 0, 0, 0), dilation
    if how == "VALID":
        return stride, (0, 0, 0, 0), dilation
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    more = [max((-(-n // s) - 1) * s + r - n, 0) for n, s, r in zip(size, stride, reach, strict=True)]
    small, large = [n // 2 for n in more], [n - n // 2 for n in more]
    return stride, (*small, *large) if how == "SAME_UPPER" else (*large, *small), dilation


@converter("BatchNormalization")
def _batch_norm(to: Builder, op: Op) -> Value:
    x = op.var(0)
    gain, offset, mean, variance = (op.constant(i).astype(np.float64) for i in (1, 2, 3, 4))
    if op.outputs > 1 or op.int("training_mode", 0):
        raise ParamError("a norm in training is not supported; accepted: a model in evaluation mode")
    factors = gain / np.sqrt(variance + op.float("epsilon", 1e-5))
    size = (len(gain), *(1,) * (len(x.shape) - 2))
    own = {"weight": factors.reshape(size), "bias": (offset - mean * factors).reshape(size)}
    return to.add(Scale(size), x, own=own)


def scale(to: Builder, x: Var, factors: Array, offsets: Array | None = None) -> Var:
    """`x * factors + offsets` by constants."""
    factors = trimmed(factors)
    if offsets is None:
        return to.add(Scale(factors.shape, False), x, own={"weight": factors})
    factors, offsets = np.broadcast_arrays(factors, trimmed(offsets))
    return to.add(Scale(factors.shape), x, own={"weight": factors, "bias": offsets})


def offset(to: Builder, x: Var, numbers: Array, masked: bool) -> Var:
    """`x + numbers`, constants; `masked`: a softmax comes next, so that minus infinity can be a number."""
    numbers = trimmed(numbers)
    if masked:
        numbers = np.where(numbers <= MASKED, UNSEEN, numbers)
    return to.add(Offset(numbers.shape), x, own={"bias": numbers})


@converter("Add", "Sum")
def _add(to: Builder, op: Op) -> Value:
    total = op.inputs[0]
    for i, other in enumerate(op.inputs[1:], 1):
        if isinstance(total, Var) and isinstance(other, Var):
            total = to.add(Add(), total, other)
        elif isinstance(total, Var):
            total = offset(to, total, op.constant(i), op.to_softmax)
        else:
            assert total is not None
            total = offset(to, op.var(i), total, op.to_softmax)
    assert total is not None
    return total


@converter("Sub")
def _sub(to: Builder, op: Op) -> Value:
    if not isinstance(op.inputs[1], Var):
        return offset(to, op.var(0), -op.constant(1), op.to_softmax)
    if not isinstance(op.inputs[0], Var):
        return offset(to, to.add(Negate(), op.var(1)), op.constant(0), op.to_softmax)
    return to.add(Subtract(), op.var(0), op.var(1))


@converter("Neg")
def _neg(to: Builder, op: Op) -> Value:
    return to.add(Negate(), op.var(0))


@converter("Mul")
def _mul(to: Builder, op: Op) -> Value:
    if isinstance(op.inputs[0], Var) and isinstance(op.inputs[1], Var):
        return to.add(Multiply(), op.var(0), op.var(1))
    i = 0 if isinstance(op.inputs[0], Var) else 1
    return scale(to, op.var(i), op.constant(1 - i))


@converter("Div")
def _div(to: Builder, op: Op) -> Value:
    if not isinstance(op.inputs[1], Var):
        if (op.constant(1) == 0).any():
            raise ParamError("division by 0; accepted: other numbers")
        return scale(to, op.var(0), 1 / op.constant(1).astype(np.float64))
    inverse = to.add(Steep("reciprocal"), op.var(1))
    if isinstance(op.inputs[0], Var):
        return to.add(Multiply(), op.var(0), inverse)
    return inverse if (op.constant(0) == 1).all() else scale(to, inverse, op.constant(0))


@converter("Where")
def _where(to: Builder, op: Op) -> Value:
    keep = np.broadcast_to(op.constant(0), op.constant(0).shape) != 0
    i = 1 if isinstance(op.inputs[1], Var) else 2
    keep = keep if i == 1 else ~keep
    x, other = op.var(i), op.constant(3 - i).astype(np.float64)
    if op.to_softmax and (other <= MASKED).all():
        return offset(to, x, np.where(keep, 0.0, UNSEEN), True)
    return scale(to, x, keep.astype(np.float64), np.where(keep, 0.0, other))
