"""Rows of a matrix at token ids."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ... import _words
from ...errors import ParamError, ShapeError
from ...share import Share
from ..imports import Builder, Op, Value, Var, converter
from ..layer import Array, Format, Layer, Off, Own, Run, Shape, Sizes, axis_of, largest
from .arrange import Take


@dataclass(frozen=True)
class Embed(Layer):
    """Rows of the owner's matrix at ids that are shared: see `hushtable.Embedding`."""

    rows: int
    columns: int
    op: ClassVar[str] = "embedding"

    def owned(self) -> dict[str, Shape]:
        return {"weight": (self.rows, self.columns)}

    def shape(self, *of: Shape) -> Shape:
        if min(self.rows, self.columns) < 1:
            raise ShapeError(f"a matrix of {self.rows} rows and {self.columns} columns")
        return (*of[0], self.columns)

    def plain(self, own: Own, *x: Array) -> Array:
        return own["weight"][x[0].astype(np.int64)]

    def private(self, run: Run, *x: Share) -> Share:
        if run.embedding is None:  # a dry run that looks for the width
            words = np.zeros((*x[0].shape, self.columns), dtype=_words.dtype(run.bits))
            return Share(x[0].party, words, run.bits, run.fraction, "additive", run.limits)
        table = copy.copy(run.embedding)
        table.party = x[0].party  # that of a dry run, where one is made
        return table(x[0], bits=run.bits, fraction=run.fraction)

    def worst(self, own: Own, *sizes: float) -> Sizes:
        return largest(own["weight"]), {}

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        return 0.5 * step


@converter("Gather")
def _gather(to: Builder, op: Op) -> Value:
    table, ids = op.inputs[0], op.inputs[1]
    if isinstance(table, Var):
        x, places = op.var(0), op.constant(1).astype(np.int64)
        axis = axis_of(op.int("axis", 0), x.shape)
        if ((places < -x.shape[axis]) | (places >= x.shape[axis])).any():
            raise ParamError(f"places beyond axis {axis} of shape {x.shape}; accepted: {-x.shape[axis]} to {x.shape[axis] - 1}")
        chosen = tuple(int(place) % x.shape[axis] for place in places.ravel())
        return to.add(Take(axis - len(x.shape), chosen, places.shape), x)
    if not isinstance(ids, Var) or not ids.ids:
        raise ParamError("rows at numbers that were computed are not supported; accepted: at an input of whole numbers")
    matrix = op.constant(0)
    if matrix.ndim != 2 or op.int("axis", 0) != 0:
        raise ParamError(f"a table of shape {matrix.shape} is not supported; accepted: rows of a matrix")
    return to.add(Embed(*matrix.shape), ids, own={"weight": matrix})
