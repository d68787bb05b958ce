"""Softmax and norms: functions of rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ... import functions
from ...errors import ParamError, ShapeError
from ...gated import Precision, ulps
from ...products import mean
from ...share import Share
from .. import weights
from ..imports import Builder, Op, Value, along, converter
from ..layer import Array, Format, Layer, Off, Own, Run, Shape, Sizes, axis_of, count, largest, nearest
from .arrange import Transpose
from .steep import domain, evaluated, off


# How far the variances of rows of a layer norm may lie apart, with epsilon.
MOST_APART = 2.0**16

# Fewest digits after the point of a softmax with the precision of networks.
LEAST_OF_NETWORKS = 10


@dataclass(frozen=True)
class Softmax(Layer):
    """Softmax along the last axis."""

    op: ClassVar[str] = "softmax"

    def shape(self, *of: Shape) -> Shape:
        if not of[0]:
            raise ShapeError("rows of numbers are expected, got a single one")
        return of[0]

    def plain(self, own: Own, *x: Array) -> Array:
        raised = np.exp(x[0] - x[0].max(axis=-1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=-1, keepdims=True))

    def private(self, run: Run, *x: Share) -> Share:
        return functions.softmax(x[0], precision=self._precision(run.format, run.fraction))

    def worst(self, own: Own, *sizes: float) -> Sizes:
        return 1.0, {}

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        digits, (*rows, length) = 1 - math.frexp(step)[1], of[0].shape
        how = self._precision(format, digits)
        made, _ = functions._softmax(of[0].bits, digits, (count(rows), length), of[0].limits, how)
        return 0.5 * of[0].error + ulps(made.card) * step

    def _precision(self, format: Format, fraction: int) -> Precision:
        """As it is asked for, if so few digits have a choice."""
        return format.precision if fraction >= LEAST_OF_NETWORKS else "fine"


class Norm(Layer):
    """What divides rows by their size."""

    size: int
    epsilon: float

    def owned(self) -> dict[str, Shape]:
        return {"weight": (self.size,)}

    def factors(self) -> tuple[str, ...]:
        return ("weight",)

    def shape(self, *of: Shape) -> Shape:
        if not of[0] or of[0][-1] != self.size:
            raise ShapeError(f"shape {of[0]} where {self.size} numbers are expected along the last axis")
        if not 0 <= self.epsilon < 1e6:
            raise ParamError(f"epsilon {self.epsilon} is not supported; accepted: 0 to 10^6")
        return of[0]

    def spread(self, x: Array) -> Array:
        """What the rows are divided by the square root of."""
        raise NotImplementedError

    def inner(self, own: Own, *x: Array) -> dict[str, Array]:
        spread = self.spread(x[0]) + self.epsilon
        return {"spread": spread, "precision": 1 / spread}

    def ranges(self) -> tuple[str, ...]:
        return ("spread", "precision")


@dataclass(frozen=True)
class LayerNorm(Norm):
    """Rows less their mean, divided by their standard deviation; times a gain, plus an offset for each place."""

    size: int
    epsilon: float
    op: ClassVar[str] = "layer_norm"

    def owned(self) -> dict[str, Shape]:
        return {"weight": (self.size,), "bias": (self.size,)}

    def factors(self) -> tuple[str, ...]:
        return ()  # the library's own

    def bounded(self) -> tuple[str, ...]:
        return ("weight", "bias")

    def spread(self, x: Array) -> Array:
        return np.asarray(x.var(axis=-1, keepdims=True))

    def plain(self, own: Own, *x: Array) -> Array:
        centred = x[0] - x[0].mean(axis=-1, keepdims=True)
        return np.asarray(centred / np.sqrt(self.spread(x[0]) + self.epsilon) * own["weight"] + own["bias"])

    def private(self, run: Run, *x: Share) -> Share:
        mine = () if run.own is None or x[0].party.role != run.owner else (run.own["weight"], run.own["bias"])
        variance = (2.0 ** -run.format.inner["precision"], 2.0 ** run.format.inner["spread"])
        if variance[1] + self.epsilon > MOST_APART * variance[0]:
            raise ParamError(
                f"rows whose variances lie from {variance[0]!r} to {variance[1]!r} are not supported; accepted: a factor of 2^15 between "
                f"them: a smaller margin=, or examples without rows of nearly equal, or of very large numbers"
            )
        most = 2.0**run.format.largest
        return functions.layer_norm(x[0], *mine, variance=variance, epsilon=self.epsilon, owner=run.owner, most=most)

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        # Where numbers of a row move by e, its deviation s does by e, and y = (x - mean) / s by (2 + |y|) e / s.
        least = float(2.0 ** (-0.5 * format.inner["precision"]))
        most = largest(own["weight"])
        rise = (2 + self.size**0.5) * of[0].error / max(least - of[0].error, step)
        # Gains and offsets are rounded; and what the library is off, of a number of the size of y at most.
        size = self.size**0.5
        rounded = 0.5 * (1 + size) * step
        library = (1 + most / 4 * (1 + 1 / least)) * step + (2e-5 + (step / least) ** 2) * most * size
        return float(most * rise + rounded + library)


@dataclass(frozen=True)
class RmsNorm(Norm):
    """Rows divided by the root of their mean square, times a gain for each place."""

    size: int
    epsilon: float
    op: ClassVar[str] = "rms_norm"

    def spread(self, x: Array) -> Array:
        return np.asarray((x**2).mean(axis=-1, keepdims=True))

    def normed(self, x: Array) -> Array:
        """Without the gain."""
        return np.asarray(x / np.sqrt(self.spread(x) + self.epsilon))

    def plain(self, own: Own, *x: Array) -> Array:
        return self.normed(x[0]) * own["weight"]

    def nearly(self, own: Own, step: float, format: Format, *x: Array) -> Array:
        digits = 1 - math.frexp(step)[1]
        scale = self._scale(format, digits)
        squares = nearest(np.ldexp(x[0] ** 2, -2 * scale), digits)
        spread = nearest(squares.mean(axis=-1, keepdims=True), digits) + nearest(np.asarray(self._added(step, scale)), digits)
        # Evaluated from there on; in the middle of a step below it.
        inverse = nearest(1 / np.sqrt(np.maximum(spread, 0.5 * step)), digits)
        return nearest(np.ldexp(x[0] * inverse, -scale), digits) * own["weight"]

    def inner(self, own: Own, *x: Array) -> dict[str, Array]:
        return {**super().inner(own, *x), "squares": x[0] ** 2, "normed": self.normed(x[0])}

    def ranges(self) -> tuple[str, ...]:
        return (*super().ranges(), "squares", "normed")

    def _scale(self, format: Format, fraction: int) -> int:
        """The power of two by which the parties divide the square of rows twice: their mean squares lie about 1 then. Of large
        ones the inverse root, and of small ones the mean square itself, would have no digits left."""
        scale = max(round((format.inner["spread"] / 2 - format.inner["precision"]) / 3), -(fraction // 2))
        return scale if scale != -1 else 0  # which takes a wider mean for little

    def _ends(self, fraction: int, format: Format) -> tuple[int, tuple[int, int]]:
        """Of mean squares in that scale: minus the power of two at the lower end, and where their inverse root is evaluated, in
        steps."""
        scale = self._scale(format, fraction)
        precision, high = format.inner["precision"] + 2 * scale, format.inner["spread"] - 2 * scale
        return precision, domain("rsqrt", fraction, precision, 1 << max(high + fraction, 0), 2 * scale)

    def private(self, run: Run, *x: Share) -> Share:
        scale = self._scale(run.format, run.fraction)
        squares = weights.times(x[0], x[0], run.steps(run.format.inner["squares"] - 2 * scale), x[0].fraction + 2 * scale)
        spread = mean(squares, axis=squares.ndim - 1) + self._added(2.0**-run.fraction, scale)
        inverse = evaluated("rsqrt", spread, *self._ends(run.fraction, run.format)[1])
        inverse = inverse.reshape(*inverse.shape, 1)
        normed = weights.times(x[0], inverse, run.inner("normed"), x[0].fraction + scale)
        return weights.scaled(normed, run.weights("weight"), run.limits)

    def _added(self, step: float, scale: int) -> float:
        """The epsilon that is added to mean squares in that scale: a step at least."""
        return max(float(np.ldexp(self.epsilon, -2 * scale)), step)

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        least = float(2.0 ** (-0.5 * format.inner["precision"]))
        digits = 1 - math.frexp(step)[1]
        scale = self._scale(format, digits)
        # How far the mean square is off, and how far that moves its inverse root; both in their scale.
        added = self._added(step, scale)
        spread = float(np.ldexp(2 * of[0].size * of[0].error, -2 * scale)) + 3 * step
        spread += abs(added - float(np.ldexp(self.epsilon, -2 * scale)))
        precision, limits = self._ends(digits, format)
        mean_square = Off(limits[1] * step, spread, of[0].shape, (0, limits[1]), of[0].bits)
        inverse = float(np.ldexp(off("rsqrt", digits, precision, mean_square, 2 * scale), -scale))
        normed = of[0].error / least + of[0].size * inverse + step
        most = float(2.0 ** format.inner["normed"])
        return largest(held["weight"]) * normed + most * largest(own["weight"] - held["weight"]) + step


@converter("Softmax")
def _softmax(to: Builder, op: Op) -> Value:
    x = op.var(0)
    axis, last = axis_of(op.int("axis", -1 if op.opset >= 13 else 1), x.shape), len(x.shape) - 1
    if axis == last:
        return to.add(Softmax(), x)
    if op.opset < 13:
        raise ParamError(f"axis {axis} of {x.shape} in opset {op.opset} is not supported; accepted: the last axis, or opset 13")
    order = (*(i for i in range(last + 1) if i != axis), axis)
    back = tuple(int(i) for i in np.argsort(order))
    return to.add(Transpose(back), to.add(Softmax(), to.add(Transpose(order), x)))


@converter("LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization")
def _norm(to: Builder, op: Op) -> Value:
    x = op.var(0)
    if axis_of(op.int("axis", -1), x.shape) != len(x.shape) - 1 or op.outputs > 1:
        raise ParamError("a norm over more axes than the last is not supported; accepted: axis=-1 and one output")
    size, epsilon = x.shape[-1], op.float("epsilon", 1e-5)
    own = {"weight": along(op.constant(1), size)}
    if op.kind != "LayerNormalization":
        return to.add(RmsNorm(size, epsilon), x, own=own)
    own["bias"] = along(op.constant(2), size) if op.has(2) else np.zeros(size)
    return to.add(LayerNorm(size, epsilon), x, own=own)
