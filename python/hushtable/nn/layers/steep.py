"""Functions of positive numbers that are steep near 0: roots, reciprocals, logarithms, over ranges as wide as they were seen."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from ... import arithmetic, functions
from ...errors import ParamError
from ...gated import ulps
from ...share import Share
from ..comparing import narrow
from ..imports import Builder, Op, Value, converter
from ..layer import Array, Format, Layer, Off, Own, Run, Shape
from .elementwise import Multiply

# By name: a function of positive numbers, and its slope at the least of them at most.
STEEP: dict[str, tuple[Callable[[Array], Array], Callable[[float], float]]] = {
    "sqrt": (lambda x: np.asarray(np.sqrt(x)), lambda least: 0.5 * least**-0.5),
    "rsqrt": (lambda x: np.asarray(1 / np.sqrt(x)), lambda least: 0.5 * least**-1.5),
    "reciprocal": (lambda x: np.asarray(1 / x), lambda least: least**-2),
    "ln": (lambda x: np.asarray(np.log(x)), lambda least: 1 / least),
}


@dataclass(frozen=True)
class Part:
    """Where one table or spline serves a function: `low <= x < high`, in steps, within so many steps of a result."""

    low: int
    high: int
    ulps: float


@lru_cache(maxsize=256)
def parts(name: str, bits: int, fraction: int, low: int, high: int) -> tuple[Part, ...]:
    """The parts of `low <= x < high`, in steps, that one table or spline serves each: the same at both parties. They meet at
    powers of two. Raises `ParamError` where a part between two of these is not served."""
    step = 2.0**-fraction
    ends = (low * step, high * step)
    try:
        card = functions._evaluation(name, bits, fraction, range=ends).card
    except ParamError:
        card = ""
    served = re.search(r"domain +(\S+):(\S+)", card)
    if served and (float(served[1]), float(served[2])) == ends:
        return (Part(low, high, ulps(card)),)
    first, last = low.bit_length(), (high - 1).bit_length()  # powers of two above the lower end, and at or above the upper one
    if last - first < 1:
        raise ParamError(
            f"{name} of numbers from {ends[0]!r} to {ends[1]!r} is not supported with {fraction} digits after the point; accepted: "
            f"another fraction=, or examples in a smaller range"
        )
    middle = 1 << (first + last) // 2
    return parts(name, bits, fraction, low, middle) + parts(name, bits, fraction, middle, high)


def evaluated(name: str, x: Share, low: int, high: int) -> Share:
    """The function of numbers that are promised to lie in `low <= x < high`, in steps. Results of others are wrong, and
    nobody sees it."""
    found = parts(name, x.bits, x.fraction, low, high)
    function = functions._ALL[name]
    results = [function(x._within((part.low, part.high))) for part in found]
    made = results[0]
    if len(found) > 1:
        (short,) = narrow(x._within((low, high)))
        for part, result in zip(found[1:], results[1:], strict=True):
            made = arithmetic.where(arithmetic.less(short._off_by(0.0), part.low * 2.0**-x.fraction), made, result)
    return made


def domain(name: str, fraction: int, precision: int, high: int, divided: int = 0) -> tuple[int, int]:
    """Where a function is evaluated, in steps, whose numbers are `2^-precision` at least: from half of that on, since they may
    be off. Raises `ParamError` where rounding alone would take them to 0. `divided`: the power of two by which these were
    divided."""
    if precision > fraction - 1:
        raise ParamError(
            f"{name} of numbers from {2.0 ** (divided - precision)!r} on is not supported with {fraction} digits after the point; "
            f"accepted: from {2.0 ** (divided + 1 - fraction)!r} on, or fraction={min(precision + 2, 24)}, or a smaller margin="
        )
    low = max(1, 1 << max(fraction - precision - 1, 0))
    return low, max(low + 1, high)


def off(name: str, fraction: int, precision: int, of: Off, divided: int = 0) -> float:
    """How far results of `evaluated` may lie from the exact ones."""
    step = 2.0**-fraction
    low, high = domain(name, fraction, precision, of.limits[1], divided)
    least = 2.0**-precision - of.error
    if least < low * step:
        return math.inf  # they may lie below the domain
    most = max(part.ulps for part in parts(name, of.bits, fraction, low, high))
    return STEEP[name][1](least) * of.error + (most + 0.5) * step


@dataclass(frozen=True)
class Steep(Layer):
    """A function of positive numbers, of which the least is known: sqrt, rsqrt, reciprocal, ln."""

    name: str
    op: ClassVar[str] = "steep"

    def shape(self, *of: Shape) -> Shape:
        if self.name not in STEEP:
            raise ParamError(f"function {self.name!r} is not supported; accepted: {', '.join(STEEP)}")
        return of[0]

    def plain(self, own: Own, *x: Array) -> Array:
        if not (x[0] > 0).all():
            raise ParamError(f"{self.name}: {float(x[0].min())!r} is not supported; accepted: positive numbers")
        return STEEP[self.name][0](x[0])

    def inner(self, own: Own, *x: Array) -> dict[str, Array]:
        return {"precision": np.where(x[0] > 0, 1 / x[0], math.inf)}

    def ranges(self) -> tuple[str, ...]:
        return ("precision",)

    def implied(self, inner: Mapping[str, int], *sizes: float) -> float:
        # From half of the lower end on, as they are evaluated.
        ends = np.array([2.0 ** -(inner["precision"] + 1), sizes[0]])
        return float(np.abs(STEEP[self.name][0](ends)).max())

    def private(self, run: Run, *x: Share) -> Share:
        return evaluated(self.name, x[0], *domain(self.name, run.fraction, run.format.inner["precision"], x[0]._range[1]))

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        return off(self.name, 1 - math.frexp(step)[1], format.inner["precision"], of[0])


@converter("Sqrt", "Reciprocal", "Log")
def _steep(to: Builder, op: Op) -> Value:
    return to.add(Steep({"Log": "ln"}.get(op.kind, op.kind.lower())), op.var(0))


@converter("Pow")
def _pow(to: Builder, op: Op) -> Value:
    x, power = op.var(0), op.constant(1)
    exponent = float(power.ravel()[0]) if power.size == 1 else math.nan
    names = {0.5: "sqrt", -0.5: "rsqrt", -1.0: "reciprocal"}
    if exponent in names:
        return to.add(Steep(names[exponent]), x)
    if exponent not in (1.0, 2.0, 3.0, 4.0):
        raise ParamError(f"exponent {exponent} is not supported; accepted: 1 to 4, 0.5, -0.5 and -1")
    square = to.add(Multiply(), x, x) if exponent > 1 else x
    if exponent == 4:
        return to.add(Multiply(), square, square)
    return to.add(Multiply(), square, x) if exponent == 3 else square
