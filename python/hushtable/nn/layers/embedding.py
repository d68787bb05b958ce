"""Rows of a matrix at token ids."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ... import _words
from ...errors import ShapeError
from ...share import Share
from ..layer import Array, Format, Layer, Off, Own, Run, Shape


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

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        return 0.5 * step
