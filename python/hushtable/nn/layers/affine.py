"""How ONNX writes sums, products and quotients with constants, and functions made of these."""

from __future__ import annotations

import numpy as np

from ...errors import ParamError, ShapeError
from ..imports import MASKED, UNSEEN, Builder, Op, Value, Var, converter, trimmed
from ..layer import Array, axis_of
from .arrange import Concatenate, Negate, Pad
from .elementwise import Add, Clip, Curve, Multiply, Relu, Subtract
from .linear import Offset, Scale
from .steep import Steep


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


@converter("Concat")
def _concat(to: Builder, op: Op) -> Value:
    of = [i for i, each in enumerate(op.inputs) if isinstance(each, Var)]
    shape = op.var(of[0]).shape
    axis = axis_of(op.int("axis", 0), shape)
    places: list[Array] = []
    parts: list[Var] = []
    before = 0
    for i in range(len(op.inputs)):
        if i not in of:
            places.append(op.constant(i).astype(np.float64))
            rest = [size for along, size in enumerate(places[-1].shape) if along != axis]
            if rest != [size for along, size in enumerate(shape) if along != axis]:
                raise ShapeError(
                    f"a constant of shape {places[-1].shape} beside {shape}; an exporter may have fixed the number of rows: "
                    f"in PyTorch x.size(0) stays open, and len(x) does not"
                )
            before += 0 if parts else places[-1].shape[axis]
            continue
        places.append(np.zeros(op.var(i).shape))
        behind = sum(op.constant(j).shape[axis] for j in range(i + 1, min([j for j in of if j > i], default=len(op.inputs))))
        by = [0] * (2 * len(shape))
        by[axis], by[len(shape) + axis] = 0 if parts else before, behind
        parts.append(to.add(Pad(tuple(by)), op.var(i)) if any(by) else op.var(i))
    made = to.add(Concatenate(axis), *parts) if len(parts) > 1 else parts[0]
    if len(of) == len(op.inputs):
        return made
    # Constants are added to zeros; where they are alike along an axis, as that of the rows, one stands for all.
    numbers = np.concatenate(places, axis=axis)
    for along in range(numbers.ndim):
        first = numbers[(slice(None),) * along + (slice(0, 1),)]
        numbers = first if along != axis and (numbers == first).all() else numbers
    return offset(to, made, numbers, False)


@converter("PRelu")
def _prelu(to: Builder, op: Op) -> Value:
    x = op.var(0)
    above = to.add(Relu(), x)
    return to.add(Add(), above, scale(to, to.add(Subtract(), x, above), op.constant(1)))


@converter("Elu")
def _elu(to: Builder, op: Op) -> Value:
    x = op.var(0)
    above = to.add(Relu(), x)
    raised = to.add(Curve("exp"), to.add(Subtract(), x, above))
    alpha = np.asarray(op.float("alpha", 1.0))
    return to.add(Add(), above, scale(to, raised, alpha, -alpha))


@converter("HardSigmoid", "HardSwish")
def _hard(to: Builder, op: Op) -> Value:
    x, swish = op.var(0), op.kind == "HardSwish"
    alpha, beta = (1 / 6, 0.5) if swish else (op.float("alpha", 0.2), op.float("beta", 0.5))
    made = to.add(Clip(0.0, 1.0), scale(to, x, np.asarray(alpha), np.asarray(beta)))
    return to.add(Multiply(), x, made) if swish else made
