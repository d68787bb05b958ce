"""Distances of rows from the owner's points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...errors import ParamError, ShapeError
from ...share import Share
from .. import weights
from ..comparing import relu
from ..layer import Array, Format, Layer, Off, Own, Run, Shape, largest, nearest
from .steep import domain, evaluated, off


@dataclass(frozen=True)
class Distances(Layer):
    """How far rows lie from points of the owner's; where that is less than its least distance, the least one.

    The owner's numbers: `weight`, minus twice the points, one a column; `bias`, their squares, less that of the least distance;
    `floor`, that square. `|x|^2 + x @ weight + bias` is the square of a distance, less the least one. `least` is public: a power
    of two that no square lies below.
    """

    inputs: int
    outputs: int
    least: float
    op: ClassVar[str] = "distances"

    def owned(self) -> dict[str, Shape]:
        return {"weight": (self.inputs, self.outputs), "bias": (self.outputs,), "floor": (1,)}

    def factors(self) -> tuple[str, ...]:
        return ("weight",)

    def terms(self) -> int:
        return self.inputs

    def shape(self, *of: Shape) -> Shape:
        if len(of[0]) != 2 or of[0][1] != self.inputs:
            raise ShapeError(f"shape {of[0]} where rows of {self.inputs} numbers are expected")
        if not 0 < self.least < math.inf:
            raise ParamError(f"least={self.least!r} is not supported; accepted: a positive number")
        return (of[0][0], self.outputs)

    def plain(self, own: Own, *x: Array) -> Array:
        return np.asarray(np.sqrt(self.inner(own, *x)["squared"] + own["floor"]))

    def inner(self, own: Own, *x: Array) -> dict[str, Array]:
        squares, products = (x[0] ** 2).sum(axis=1, keepdims=True), x[0] @ own["weight"]
        squared = np.maximum(squares + (products + own["bias"]), 0.0)
        precision = np.full(1, 1 / self.least)
        return {"squares": squares, "products": products, "crossed": products + own["bias"], "squared": squared, "precision": precision}

    def ranges(self) -> tuple[str, ...]:
        return ("squares", "products", "crossed", "squared", "precision")

    def nearly(self, own: Own, step: float, format: Format, *x: Array) -> Array:
        inner, digits = self.inner(own, *x), 1 - math.frexp(step)[1]
        squared = nearest(inner["squares"], digits) + nearest(inner["products"], digits) + own["bias"]
        return np.asarray(np.sqrt(np.maximum(squared, 0.0) + own["floor"]))

    def private(self, run: Run, *x: Share) -> Share:
        rows = x[0].reshape(len(x[0]), 1, self.inputs)
        squares = weights.between(rows, rows.transpose(0, 2, 1), run.inner("squares")).reshape(len(x[0]), 1)
        products = weights.linear(x[0], run.weights("weight"), run.inner("products"))
        crossed = weights.plus(products, run.numbers(products, "bias"), run.inner("crossed"))
        above = relu(weights.plus(squares, crossed, run.inner("squared")))
        whole = weights.plus(above, run.numbers(above, "floor"), (0, 2 * run.inner("squared")[1]))
        return evaluated("sqrt", whole, *self._ends(run.fraction, run.format))

    def _ends(self, fraction: int, format: Format) -> tuple[int, int]:
        """Where the root is evaluated, in steps."""
        return domain("sqrt", fraction, format.inner["precision"], 2 << max(format.inner["squared"] + fraction, 0))

    def rounded(self, own: Own, fraction: int, format: Format) -> dict[str, Array]:
        weight = nearest(own["weight"], format.digits)
        # The square of a distance from a point that was rounded, so that it is about 0 there.
        return {
            "weight": weight,
            "bias": nearest(own["bias"] + 0.25 * (weight**2 - own["weight"] ** 2).sum(axis=0), fraction),
            "floor": nearest(own["floor"], fraction),
        }

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        # A distance moves by no more than the row and the point do.
        moved = float(self.inputs**0.5) * (of[0].error + 0.5 * largest(own["weight"] - held["weight"]))
        digits = 1 - math.frexp(step)[1]
        limits = (0, self._ends(digits, format)[1])
        # Squares, products, and the owner's offset and least square are rounded.
        whole = Off(limits[1] * step, 3 * step, of[0].shape, limits, of[0].bits)
        return moved + off("sqrt", digits, format.inner["precision"], whole)


def distances(points: Array, least: float) -> tuple[Distances, Own]:
    """Distances from points, one a row, that are at least `least`."""
    squares, floor = (points**2).sum(axis=1), least**2
    own = {"weight": -2 * points.T, "bias": squares - floor, "floor": np.full(1, floor)}
    return Distances(points.shape[1], len(points), 2.0 ** (math.frexp(floor)[1] - 1)), own
