"""Decisions: the place of the greatest, whether a number is positive, the k greatest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ... import _words, arithmetic, history
from ...errors import ParamError, ShapeError
from ...share import Share
from ..comparing import less, narrow, positive
from ..imports import Builder, Op, Value, converter
from ..layer import Array, Format, Layer, Off, Own, Run, Shape, axis_of, count

# Most numbers of which the greatest are chosen: each is compared with each.
MOST_RANKED = 128


class Decision(Layer):
    """What is right where numbers lie farther apart than twice the error that they have."""

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        return of[0].error


@dataclass(frozen=True)
class ArgMax(Decision):
    """The place of the greatest along an axis, of equal ones the first: whole numbers."""

    axis: int = -1
    keep: bool = False
    op: ClassVar[str] = "argmax"
    gives: ClassVar[str] = "index"

    def shape(self, *of: Shape) -> Shape:
        axis = axis_of(self.axis, of[0])
        return (*of[0][:axis], *((1,) if self.keep else ()), *of[0][axis + 1 :])

    def plain(self, own: Own, *x: Array) -> Array:
        found = np.argmax(x[0], axis=self.axis)
        return np.expand_dims(found, self.axis) if self.keep else np.asarray(found)

    def private(self, run: Run, *x: Share) -> Share:
        (short,) = narrow(x[0])
        return arithmetic.argmax(short, axis_of(self.axis, x[0].shape)).reshape(self.shape(x[0].shape))


@dataclass(frozen=True)
class Positive(Decision):
    """Whether numbers, one in a row, lie above 0: shared bits, without the last axis."""

    op: ClassVar[str] = "positive"
    gives: ClassVar[str] = "bit"

    def shape(self, *of: Shape) -> Shape:
        if not of[0] or of[0][-1] != 1:
            raise ShapeError(f"shape {of[0]} where one number in each row is expected")
        return of[0][:-1]

    def plain(self, own: Own, *x: Array) -> Array:
        return np.asarray(x[0][..., 0] > 0).astype(np.int64)

    def private(self, run: Run, *x: Share) -> Share:
        return positive(x[0][..., 0])


@dataclass(frozen=True)
class Top(Decision):
    """The `size` greatest along the last axis, the greatest first, or their places: each number is compared with each."""

    size: int
    places: bool
    op: ClassVar[str] = "top"

    @property
    def gives(self) -> str:  # type: ignore[override]
        return "index" if self.places else "number"

    def shape(self, *of: Shape) -> Shape:
        if not of[0] or not 1 <= self.size <= of[0][-1] or of[0][-1] > MOST_RANKED:
            raise ParamError(f"the {self.size} greatest of shape {of[0]}; accepted: 1 or more of at most {MOST_RANKED}")
        return (*of[0][:-1], self.size)

    def inside(self, *of: Shape) -> int:
        pairs = of[0][-1] * (of[0][-1] - 1) // 2
        return count(of[0][:-1]) * (pairs + self.size * of[0][-1])

    def plain(self, own: Own, *x: Array) -> Array:
        order = np.argsort(-x[0], axis=-1, kind="stable")[..., : self.size]
        return order if self.places else np.take_along_axis(x[0], order, axis=-1)

    def private(self, run: Run, *x: Share) -> Share:
        size = x[0].shape[-1]
        first, second = np.triu_indices(size, 1)
        whole = np.zeros((len(first), size), dtype=np.int64)
        whole[np.arange(len(first)), first], whole[np.arange(len(first)), second] = 1, -1
        if size == 1:
            return _whole(x[0], np.zeros(1, dtype=np.int64)) if self.places else x[0]
        # Of two equal ones the first is ahead. So many are ahead of each:
        bits = less(x[0][..., first], x[0][..., second])
        behind = arithmetic.where(bits, _whole(x[0], np.ones(len(first), dtype=np.int64)), 0)
        rank = (behind @ whole + np.arange(size))._within((0, size))
        here = rank.reshape(*rank.shape[:-1], 1, size) == np.arange(self.size)[:, None]
        numbers = _whole(x[0], np.arange(size)) if self.places else x[0]
        chosen = arithmetic.where(here, numbers.reshape(*numbers.shape[:-1], 1, size), 0)
        return _only(chosen)


def _whole(like: Share, numbers: Array) -> Share:
    """Public whole numbers along the last axis, for each row of a share."""
    words = like._mine(_words.words_of(numbers.astype(np.int64), like.bits))
    wide = np.broadcast_to(words, (*like.shape[:-1], len(numbers)))
    return Share(like.party, wide, like.bits, 0, "additive", _words.extremes(numbers))


@history.operation("only", ("x",))
def _only(x: Share) -> Share:
    """The sums along the last axis, of which one number is not 0 at most."""
    total = _words.reduce(x._words.astype(np.uint64).sum(axis=-1), x.bits)
    return x._like(total, (min(x._range[0], 0), max(x._range[1], 1)))._off_by(0.0)


@converter("ArgMax")
def _argmax(to: Builder, op: Op) -> Value:
    x = op.var(0)
    if op.int("select_last_index", 0):
        raise ParamError("select_last_index=1 is not supported; accepted: 0")
    return to.add(ArgMax(axis_of(op.int("axis", 0), x.shape) - len(x.shape), op.int("keepdims", 1) == 1), x)


@converter("TopK")
def _top(to: Builder, op: Op) -> list[Value]:
    x, size = op.var(0), op.ints("k", 1, None)
    if axis_of(op.int("axis", -1), x.shape) != len(x.shape) - 1 or not op.int("largest", 1) or size is None:
        raise ParamError("the least, or along another axis, is not supported; accepted: the greatest along the last axis")
    return [to.add(Top(size[0], False), x), to.add(Top(size[0], True), x)]
