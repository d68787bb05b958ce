"""How ONNX writes sums, products and quotients with constants, and functions made of these."""

from __future__ import annotations

import numpy as np

from ...errors import ParamError, ShapeError
from ..imports import MASKED, UNSEEN, Builder, Op, Value, Var, converter, trimmed
from ..layer import Array, axis_of, broadcast
from .arrange import Concatenate, Negate, Pad, Slice, Take
from .elementwise import Add, Clip, Curve, Multiply, Relu, Subtract
from .linear import Offset, Scale
from .steep import Steep


# Limits farther out are none, as exporters write them; and what the places around may be filled with.
FARTHEST = 2.0**32
PADDED = ("constant", "edge", "reflect", "wrap")


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
    keep = op.constant(0) != 0
    i = 1 if isinstance(op.inputs[1], Var) else 2
    keep = keep if i == 1 else ~keep
    x, other = op.var(i), op.constant(3 - i).astype(np.float64)
    broadcast(keep.shape, other.shape)
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
    for i in set(range(len(op.inputs))) - set(of):
        beside = op.constant(i).shape
        if len(beside) != len(shape) or any(a != b for along, (a, b) in enumerate(zip(beside, shape, strict=True)) if along != axis):
            raise ShapeError(
                f"a constant of shape {beside} beside {shape}; an exporter may have fixed the number of rows: in PyTorch "
                f"x.size(0) stays open, and len(x) does not"
            )
    for i in range(len(op.inputs)):
        if i not in of:
            places.append(op.constant(i).astype(np.float64))
            before += 0 if parts else places[-1].shape[axis]
            continue
        axis_of(axis, op.var(i).shape)
        places.append(np.zeros(op.var(i).shape))
        behind = sum(op.constant(j).shape[axis] for j in range(i + 1, min([j for j in of if j > i], default=len(op.inputs))))
        by = [0] * (2 * len(shape))
        by[axis], by[len(shape) + axis] = 0 if parts else before, behind
        parts.append(to.add(Pad(tuple(by)), op.var(i)) if any(by) else op.var(i))
    made = to.add(Concatenate(axis), *parts) if len(parts) > 1 else parts[0]
    if len(of) == len(op.inputs):
        return made
    # Constants are added to zeros.
    return offset(to, made, _alike(np.concatenate(places, axis=axis), axis), False)


@converter("Clip")
def _clip(to: Builder, op: Op) -> Value:
    x, lo, hi = op.var(0), _limit(op, 1, "min", -np.inf), _limit(op, 2, "max", np.inf)
    if np.isfinite([lo, hi]).all():
        return to.add(Clip(lo, hi), x)
    if np.isfinite(lo):  # lo + max(x - lo, 0)
        return _shifted(to, to.add(Relu(), _shifted(to, x, -lo)), lo)
    if np.isfinite(hi):  # hi - max(hi - x, 0)
        return _shifted(to, to.add(Negate(), to.add(Relu(), _shifted(to, to.add(Negate(), x), hi))), hi)
    return x


def _limit(op: Op, i: int, name: str, none: float) -> float:
    """A limit; one that no number in the ranges of a network reaches is none."""
    given: Array = op.constant(i).ravel() if op.has(i) else np.asarray([op.float(name, none)])
    if len(given) != 1 or np.isnan(given[0]):
        raise ParamError(f"a limit {name}={given.tolist()} is not supported; accepted: a number")
    limit = float(given[0])
    beyond = limit < -FARTHEST if name == "min" else limit > FARTHEST
    return none if beyond else limit


def _shifted(to: Builder, x: Var, by: float) -> Var:
    return offset(to, x, np.asarray(by), False) if by else x


@converter("Gelu")
def _gelu(to: Builder, op: Op) -> Value:
    x, how = op.var(0), op.text("approximate", "none")
    if how not in ("none", "tanh"):
        raise ParamError(f"approximate={how!r} is not supported; accepted: 'none' or 'tanh'")
    return to.add(Curve("gelu" if how == "none" else "gelu_tanh"), x)


@converter("Pad")
def _pad(to: Builder, op: Op) -> Value:
    x, by = op.var(0), list(op.ints("pads", 1, None) or ())
    size, how = len(x.shape), op.text("mode", "constant")
    if how not in PADDED:
        raise ParamError(f"mode={how!r} is not supported; accepted: {', '.join(PADDED)}")
    axes = [axis_of(int(axis), x.shape) for axis in op.constant(3).ravel()] if op.has(3) else list(range(size))
    if len(by) != 2 * len(axes):
        raise ParamError(f"{len(by)} numbers of places for {len(axes)} axes are not supported; accepted: two for each")
    around = [(0, 0)] * size
    for i, axis in enumerate(axes):
        around[axis] = (by[i], by[len(axes) + i])
    for axis, (before, after) in enumerate(around):
        if min(before, after) < 0:  # places that are cut off
            start, left = max(-before, 0), x.shape[axis] - max(-before, 0) - max(-after, 0)
            x = to.add(Slice(axis - size, start, 1, left), x)
    around = [(max(before, 0), max(after, 0)) for before, after in around]
    if how != "constant":
        for axis, pair in enumerate(around):
            if any(pair):
                places = np.pad(np.arange(x.shape[axis]), pair, mode=how)  # type: ignore[call-overload]
                x = to.add(Take(axis - size, tuple(map(int, places)), (len(places),)), x)
        return x
    if not np.any(around):
        return x
    number = float(np.ravel(op.constant(2))[0]) if op.has(2) else op.float("value", 0.0)
    if not np.isfinite(number):
        raise ParamError(f"padding by {number} is not supported; accepted: finite numbers")
    made = to.add(Pad((*(before for before, _ in around), *(after for _, after in around))), x)
    return made if number == 0 else offset(to, made, _alike(np.pad(np.zeros(x.shape), around, constant_values=number)), False)


def _alike(numbers: Array, but: int | None = None) -> Array:
    """Numbers that are alike along an axis, as that of the rows, once for all; not along the axis `but`."""
    for along in range(numbers.ndim):
        first = numbers[(slice(None),) * along + (slice(0, 1),)]
        numbers = first if along != but and (numbers == first).all() else numbers
    return numbers


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
