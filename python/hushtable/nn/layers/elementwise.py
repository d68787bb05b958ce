"""Functions of single numbers, sums and products of two tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ... import arithmetic, functions
from ..._words import Range
from ...errors import ParamError, ShapeError
from ...gated import FORMULAS, Form, forms, ulps
from ...share import Share
from .. import weights
from ..comparing import positive, relu
from ..imports import Builder, Op, Value, converter
from ..layer import Array, Format, Layer, Off, Own, Run, Shape, Sizes, broadcast, count

_erf: Callable[[Array], Array] = np.vectorize(math.erf, otypes=[np.float64])


def _sigmoid(x: Array) -> Array:
    return np.asarray(np.exp(-np.logaddexp(0.0, -x)))


def _gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + _erf(x * 2**-0.5)))


def _gelu_tanh(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh((2 / math.pi) ** 0.5 * (x + CUBE * x**3))))


# In GELU by tanh.
CUBE = 0.044715

# Steps that a form of GELU or SiLU may be off, where results are to be fine: those of the library at 12 digits, and the
# difference between both formulas of GELU there.
FINE = 4.0

# Most digits with which both formulas of GELU are one.
MOST_ALIKE = 12

# How far functions may be off in networks.
NETWORK = 2.0**-8


# By name: the function in floating point, and how much it takes errors up at most.
CURVES: dict[str, tuple[Callable[[Array], Array], float]] = {
    "sigmoid": (_sigmoid, 0.25),
    "tanh": (lambda x: np.asarray(np.tanh(x)), 1.0),
    "gelu": (_gelu, 1.13),
    "gelu_tanh": (_gelu_tanh, 1.13),
    "silu": (lambda x: x * _sigmoid(x), 1.1),
    "erf": (_erf, 1.13),
    "softplus": (lambda x: np.asarray(np.logaddexp(0.0, x)), 1.0),
    "exp": (lambda x: np.asarray(np.exp(x)), math.inf),  # as large as its largest result
}


@dataclass(frozen=True)
class Curve(Layer):
    """A function of each number, by name: sigmoid, tanh, gelu, gelu_tanh, silu, erf, softplus, exp.

    GELU and SiLU take the form with the fewest bytes that is off by `FINE` steps at most, or any in networks; GELU the form
    of either formula, whose difference counts: with 13 digits and more that keeps them apart.
    """

    name: str
    op: ClassVar[str] = "curve"

    def shape(self, *of: Shape) -> Shape:
        if self.name not in CURVES:
            raise ParamError(f"function {self.name!r} is not supported; accepted: {', '.join(CURVES)}")
        return of[0]

    def plain(self, own: Own, *x: Array) -> Array:
        return CURVES[self.name][0](x[0])

    def private(self, run: Run, *x: Share) -> Share:
        if self.name == "exp":
            return functions.exp(x[0], domain=self._ends(run.format, x[0].range), outside="clamp")
        form = self._form(x[0].bits, run.fraction, x[0]._range, run.format)
        if form is not None:
            return form(x[0])
        return functions._ALL[self._usual()](x[0], max_ulp=self._most(run.format, run.fraction))

    def _usual(self) -> str:
        """The function of the library that is near."""
        return "gelu" if self.name == "gelu_tanh" else self.name

    def _most(self, format: Format, fraction: int) -> float | None:
        """The largest error that is asked of that function, in steps, if one is."""
        most = NETWORK * 2.0**fraction
        return most if format.precision == "network" and most >= FINE else None

    def _form(self, bits: int, fraction: int, limits: Range, format: Format) -> Form | None:
        """The form of GELU or SiLU that is taken, if one is."""
        most = math.inf if format.precision == "network" else FINE
        ends = (limits[0] * 2.0**-fraction, limits[1] * 2.0**-fraction)
        if self.name != "gelu_tanh" or fraction <= MOST_ALIKE:
            limit = self._most(format, fraction)
            return functions._form(self.name, bits, fraction, range=ends, allowed=most, max_ulp=limit)
        found = forms(self.name, bits, fraction, limits)
        if not found:
            raise ParamError(
                f"gelu by tanh of numbers in {ends[0]} to {ends[1]} is not supported with {bits} bits and {fraction} digits "
                f"after the point; accepted: more bits="
            )
        return min([form for form in found if form.ulps <= most] or found[:1], key=lambda form: form.bytes)

    def _ends(self, format: Format, limits: tuple[float, float]) -> tuple[float, float]:
        """Of exp: results are below 2^out, and below a step it does not matter how far."""
        return max(limits[0], -16.0), min(limits[1], max(1.0, math.ceil(format.out * math.log(2))))

    def worst(self, own: Own, *sizes: float) -> Sizes:
        bounded = 1.0 if self.name in ("sigmoid", "tanh", "erf") else math.inf
        return min(bounded, math.inf if self.name == "exp" else sizes[0] + 1.0), {}

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        # As it is evaluated.
        limits, digits = (of[0].limits[0] * step, of[0].limits[1] * step), _digits(step)
        how = functions.How(max_ulp=self._most(format, digits))
        if self.name == "exp":
            how = functions.How(domain=self._ends(format, limits), outside="clamp")
        form = self._form(of[0].bits, digits, of[0].limits, format)
        if form is None:
            off = ulps(functions._evaluation(self._usual(), of[0].bits, digits, **how, range=limits).card)
            off += FORMULAS / step if self.name == "gelu_tanh" else 0.0
        else:
            off = form.ulps
        # A function saturates within the card's error, and half a step more where numbers are rounded.
        gain = min(CURVES[self.name][1], float(2.0**format.out))
        return gain * of[0].error + (off + 0.5) * step


@dataclass(frozen=True)
class Relu(Layer):
    """What is below 0 becomes 0, or is multiplied by `slope`, a public number from 0 to 1."""

    slope: float = 0.0
    op: ClassVar[str] = "relu"

    def shape(self, *of: Shape) -> Shape:
        if not 0 <= self.slope < 1:
            raise ParamError(f"a slope of {self.slope} is not supported; accepted: 0 to 1")
        return of[0]

    def plain(self, own: Own, *x: Array) -> Array:
        return np.maximum(x[0], self.slope * x[0])

    def private(self, run: Run, *x: Share) -> Share:
        if not self.slope:
            return relu(x[0])
        digits = self._digits(x[0].bits, run.fraction, x[0]._range)
        return arithmetic.where(positive(x[0]), x[0], weights.scaled_by(x[0], round(math.ldexp(self.slope, digits)), digits))

    def _digits(self, bits: int, fraction: int, limits: Range) -> int:
        """Those of the slope: as many as bring products to half a step, or as many as the width has room for. Raises
        `ParamError` for fewer than results have."""
        size = max(-limits[0], limits[1]).bit_length()
        digits = min(size, bits - size - 2)
        exact = next((few for few in range(size) if math.ldexp(self.slope, few).is_integer()), size)
        if digits < min(exact, fraction):
            raise ParamError(f"a slope of {self.slope} with {fraction} digits is not supported in {bits} bits; accepted: more bits")
        return min(digits, exact)

    def worst(self, own: Own, *sizes: float) -> Sizes:
        return sizes[0], {}

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        if not self.slope:
            return of[0].error
        digits = self._digits(of[0].bits, _digits(step), of[0].limits)
        off = abs(self.slope - math.ldexp(round(math.ldexp(self.slope, digits)), -digits))
        return of[0].error + off * of[0].size + step


@dataclass(frozen=True)
class Clip(Layer):
    """Limits numbers to `lo <= y <= hi`, public ones."""

    lo: float
    hi: float
    op: ClassVar[str] = "clip"

    def shape(self, *of: Shape) -> Shape:
        if not self.lo <= self.hi or max(abs(self.lo), abs(self.hi)) > 2.0**32:
            raise ParamError(f"limits {self.lo} and {self.hi} are not supported; accepted: numbers below 2^32, in order")
        return of[0]

    def plain(self, own: Own, *x: Array) -> Array:
        return np.clip(x[0], self.lo, self.hi)

    def private(self, run: Run, *x: Share) -> Share:
        return arithmetic.clip(x[0], self.lo, self.hi)

    def worst(self, own: Own, *sizes: float) -> Sizes:
        return max(abs(self.lo), abs(self.hi)), {}

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        return of[0].error + 0.5 * step


class Two(Layer):
    """What is made of two tensors."""

    def shape(self, *of: Shape) -> Shape:
        if len(of) != 2:
            raise ShapeError(f"two tensors are expected, got {len(of)}")
        return broadcast(*of)


@dataclass(frozen=True)
class Add(Two):
    """The sum. Local."""

    op: ClassVar[str] = "add"

    def plain(self, own: Own, *x: Array) -> Array:
        return x[0] + x[1]

    def private(self, run: Run, *x: Share) -> Share:
        return weights.plus(x[0], x[1], run.limits)

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        return of[0].error + of[1].error


@dataclass(frozen=True)
class Subtract(Two):
    """The difference. Local."""

    op: ClassVar[str] = "subtract"

    def plain(self, own: Own, *x: Array) -> Array:
        return x[0] - x[1]

    def private(self, run: Run, *x: Share) -> Share:
        return weights.plus(x[0], -x[1], run.limits)

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        return of[0].error + of[1].error


@dataclass(frozen=True)
class Multiply(Two):
    """The product of two shared tensors."""

    op: ClassVar[str] = "multiply"

    def plain(self, own: Own, *x: Array) -> Array:
        return x[0] * x[1]

    def private(self, run: Run, *x: Share) -> Share:
        return weights.times(x[0], x[1], run.limits)

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        return _product(1, *of) + step


@dataclass(frozen=True)
class MatMul(Layer):
    """The matrix products of two shared tensors."""

    op: ClassVar[str] = "matmul"

    def shape(self, *of: Shape) -> Shape:
        if len(of) != 2 or min(map(len, of)) < 2 or of[0][-1] != of[1][-2]:
            raise ShapeError(f"matrices of shapes {' and '.join(map(str, of))}")
        return (*broadcast(of[0][:-2], of[1][:-2]), of[0][-2], of[1][-1])

    def inside(self, *of: Shape) -> int:
        batch = count(broadcast(of[0][:-2], of[1][:-2]))
        return batch * of[0][-1] * (of[0][-2] + of[1][-1])

    def plain(self, own: Own, *x: Array) -> Array:
        return np.asarray(x[0] @ x[1])

    def private(self, run: Run, *x: Share) -> Share:
        return weights.between(x[0], x[1], run.limits)

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        return _product(of[0].shape[-1], *of) + step


def _product(terms: int, a: Off, b: Off) -> float:
    return terms * (a.size * b.error + b.size * a.error + a.error * b.error)


def _digits(step: float) -> int:
    return 1 - math.frexp(step)[1]


@converter("Sigmoid", "Tanh", "Erf", "Softplus", "Exp")
def _curve(to: Builder, op: Op) -> Value:
    return to.add(Curve(op.kind.lower()), op.var(0))




@converter("Relu", "LeakyRelu")
def _relu(to: Builder, op: Op) -> Value:
    return to.add(Relu(op.float("alpha", 0.01) if op.kind == "LeakyRelu" else 0.0), op.var(0))


