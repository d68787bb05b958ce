"""What a layer is: one class has its public parameters, its shapes, its values in floating point and on shares, and how far
rounding takes it off."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._words import Range
from ..errors import ParamError, ShapeError
from ..gated import Precision
from ..share import Share
from .weights import Weights

if TYPE_CHECKING:
    from ..embedding import Embedding

Array = NDArray[Any]
Shape = tuple[int, ...]

# The owner's numbers of a layer by name, in floating point.
Own = Mapping[str, Array]

# The largest size of a result, and of inner tensors by name.
Sizes = tuple[float, dict[str, float]]

# Most entries of a tensor, and of the owner's numbers.
MOST = 1 << 28

# Every layer by its name in a description.
LAYERS: dict[str, type[Layer]] = {}


@dataclass(frozen=True)
class Format:
    """How the numbers of a layer are held: all is public.

    Results lie in `-2^out <= y < 2^out`; the `inner` tensors of the layer likewise. The owner's factors are whole multiples
    of `2^-digits`, and lie below `2^largest`. `precision`: how accurate softmax and what bends are.
    """

    out: int
    inner: Mapping[str, int]
    digits: int
    largest: int
    precision: Precision = "fine"


@dataclass(frozen=True)
class Off:
    """Of a tensor: a bound of its numbers, how far those of the parties may lie from the exact ones, and its shape; the range
    of its shares, in steps, and their width."""

    size: float
    error: float
    shape: Shape
    limits: Range = (0, 1)
    bits: int = 64


@dataclass(frozen=True)
class Run:
    """One evaluation of a layer on shares."""

    owner: int
    bits: int
    fraction: int
    format: Format
    shapes: Mapping[str, Shape]
    own: Own | None
    embedding: Embedding | None = None

    @property
    def limits(self) -> Range:
        """Where the results lie, in steps."""
        return self.steps(self.format.out)

    def inner(self, name: str) -> Range:
        """Where an inner tensor lies, in steps."""
        return self.steps(self.format.inner[name])

    def steps(self, exponent: int) -> Range:
        """The numbers below a power of two, in steps."""
        most = 1 << max(exponent + self.fraction, 0)
        return -most, most

    def weights(self, name: str, digits: int | None = None, largest: int | None = None) -> Weights:
        """Factors that the owner knows: with the digits of the layer, unless others are given."""
        digits = self.format.digits if digits is None else digits
        own = None if self.own is None else np.rint(np.ldexp(self.own[name], digits)).astype(np.int64)
        most = self.format.largest if largest is None else largest
        # Factors far below their digits are all 0.
        return Weights(self.owner, self.shapes[name], digits, max(digits + most, 0), own)

    def numbers(self, like: Share, name: str, limits: Range | None = None) -> Share:
        """Numbers of the owner, as shares of the type of `like`: limited to a range, in steps, if one is given."""
        step = 2.0**-like.fraction
        ends = None if limits is None else (limits[0] * step, limits[1] * step)
        own = None if self.own is None else self.own[name]
        if own is not None and limits is not None:
            own = np.clip(own, limits[0] * step, (limits[1] - 1) * step)
        shape = self.shapes[name]
        return like.party.input(own, self.owner, shape=shape, bits=like.bits, fraction=like.fraction, range=ends)


@dataclass(frozen=True)
class Layer:
    """A layer. Its fields are public parameters: whole numbers, tuples of such, truth values, texts or floats."""

    op: ClassVar[str] = ""
    # What the results are: "number", "index" (whole numbers), or "bit".
    gives: ClassVar[str] = "number"

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        if cls.op:
            LAYERS[cls.op] = cls

    def owned(self) -> dict[str, Shape]:
        """Shapes of the owner's numbers by name."""
        return {}

    def shape(self, *of: Shape) -> Shape:
        """The shape of the result. Raises `ShapeError` for shapes that the layer does not take. Allocates nothing."""
        return of[0]

    def inside(self, *of: Shape) -> int:
        """How many numbers it holds besides operands, results and the owner's, where these may be more."""
        return 0

    def plain(self, own: Own, *x: Array) -> Array:
        """The result in floating point."""
        raise NotImplementedError

    def nearly(self, own: Own, step: float, format: Format, *x: Array) -> Array:
        """The result where numbers inside of the layer are rounded to nearest steps, as far as that shows in it; it is not
        rounded itself."""
        return self.plain(own, *x)

    def inner(self, own: Own, *x: Array) -> dict[str, Array]:
        """Tensors inside of the layer whose ranges have to be known."""
        return {}

    def ranges(self) -> tuple[str, ...]:
        """The names of these tensors."""
        return ()

    def worst(self, own: Own, *sizes: float) -> Sizes:
        """The largest sizes that results, and inner tensors by name, can have where operands are of these sizes at most;
        infinite where that is not known."""
        return math.inf, {}

    def implied(self, inner: Mapping[str, int], *sizes: float) -> float:
        """How large results are for operands of these sizes and inner tensors below these powers of two, where a format holds
        all of them; 0 where what was seen counts."""
        return 0.0

    def rounded(self, own: Own, fraction: int, format: Format) -> dict[str, Array]:
        """The owner's numbers as the parties hold them: factors to the digits of the layer, others to steps."""
        factors = self.factors()
        return {name: nearest(a, format.digits if name in factors else fraction) for name, a in own.items()}

    def factors(self) -> tuple[str, ...]:
        """Which of the owner's numbers are factors."""
        return ()

    def bounded(self) -> tuple[str, ...]:
        """Of which of the owner's numbers the largest is told, as a power of two."""
        return self.factors() or tuple(self.owned())

    def terms(self) -> int:
        """How many products are added up in a result."""
        return 1

    def private(self, run: Run, *x: Share) -> Share:
        """The result on shares: a protocol, the same calls at both parties."""
        raise NotImplementedError

    def absorbed(self, own: Own, exponents: Sequence[int], centres: Sequence[float] = ()) -> Own | None:
        """The owner's numbers for inputs less a centre, if there are some, that are divided by powers of two, one for each
        place along the last axis; none if there are no such numbers."""
        return None

    def turned(self, own: Own) -> float:
        """How much farther results may lie off where a number lies so near a threshold that rounding takes it to the other
        side: see `unsure`."""
        return 0.0

    def unsure(self, own: Own, step: float, error: float, direct: bool, *x: Array) -> Array:
        """For each row whether that may happen, in exact numbers, of which those of the parties lie within `error`; or, if
        `direct`, are rounded to nearest steps."""
        return np.zeros(len(x[0]), dtype=np.bool_)

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        """How far results may lie from the exact ones, where the operands lie as far from theirs as `of` says. `held`: the
        owner's numbers as they were rounded."""
        return max((each.error for each in of), default=0.0)

    def public(self) -> dict[str, Any]:
        """The public parameters."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def checked(self, own: Own) -> None:
        """Raises unless the owner's numbers have the shapes of the layer, and are finite."""
        for name, shape in self.owned().items():
            if own[name].shape != shape:
                raise ShapeError(f"{name} of shape {own[name].shape} where {shape} is expected")
            bad = np.argwhere(~np.isfinite(own[name]))
            if len(bad):
                at = tuple(bad[0].tolist())
                raise ParamError(f"{name} has {own[name][at]} at {at}; accepted: finite numbers")


def nearest(x: Array, digits: int) -> Array:
    """Rounded to nearest multiples of `2^-digits`, ties away from zero, as inputs of a party are."""
    steps = np.ldexp(x, digits)
    return np.asarray(np.ldexp(np.copysign(np.floor(np.abs(steps) + 0.5), steps), -digits))


def largest(x: Array) -> float:
    """The largest size of a number."""
    return float(np.abs(x).max()) if x.size else 0.0


def columns(matrix: Array) -> float:
    """The largest sum of sizes in a column: how much a product by it takes errors up."""
    return float(np.abs(matrix).sum(axis=-2).max()) if matrix.size else 0.0


def axis_of(axis: int, shape: Shape) -> int:
    """An axis from 0. Raises `ShapeError` if there is none."""
    if not -len(shape) <= axis < len(shape):
        raise ShapeError(f"axis {axis} of shape {shape}")
    return axis % len(shape)


def broadcast(*of: Shape) -> Shape:
    """The shape of what NumPy broadcasts."""
    try:
        return np.broadcast_shapes(*of)
    except ValueError:
        raise ShapeError(f"shapes {' and '.join(map(str, of))} do not fit together") from None


def count(shape: Sequence[int]) -> int:
    """How many numbers a shape has, without overflow."""
    product = 1
    for size in shape:
        product *= int(size)
    return product
