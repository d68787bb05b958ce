"""What moves numbers to other places: local, and exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ... import history, joining
from ...errors import ParamError, ShapeError
from ...share import Share
from ..imports import Builder, Op, Value, Var, converter
from ..layer import Array, Layer, Own, Run, Shape, Sizes, axis_of, broadcast, count


class Moved(Layer):
    """The same numbers elsewhere: NumPy's rule serves shares too."""

    def moved(self, x: Any) -> Any:
        """An array or a share."""
        raise NotImplementedError

    def plain(self, own: Own, *x: Array) -> Array:
        return np.asarray(self.moved(x[0]))

    def private(self, run: Run, *x: Share) -> Share:
        made: Share = self.moved(x[0])
        return made

    def worst(self, own: Own, *sizes: float) -> Sizes:
        return sizes[0], {}


@dataclass(frozen=True)
class Reshape(Moved):
    """Another shape of as many numbers; of one axis, -1, the length is what is left."""

    to: tuple[int, ...]
    op: ClassVar[str] = "reshape"

    def shape(self, *of: Shape) -> Shape:
        rest = count([size for size in self.to if size != -1])
        open_axes = self.to.count(-1)
        size = count(of[0])
        if open_axes > 1 or rest < 1 or size % rest or (not open_axes and size != rest):
            raise ShapeError(f"shape {of[0]} as {self.to}")
        return tuple(size // rest if length == -1 else length for length in self.to)

    def moved(self, x: Any) -> Any:
        return x.reshape(self.to)


@dataclass(frozen=True)
class Negate(Moved):
    """The same sizes with the other sign."""

    op: ClassVar[str] = "negate"

    def moved(self, x: Any) -> Any:
        return -x


@dataclass(frozen=True)
class Transpose(Moved):
    """The axes in another order."""

    order: tuple[int, ...]
    op: ClassVar[str] = "transpose"

    def shape(self, *of: Shape) -> Shape:
        if sorted(self.order) != list(range(len(of[0]))):
            raise ShapeError(f"axes of shape {of[0]} in the order {self.order}")
        return tuple(of[0][axis] for axis in self.order)

    def moved(self, x: Any) -> Any:
        return x.transpose(*self.order) if self.order else x


@dataclass(frozen=True)
class Slice(Moved):
    """Every `step`-th from `start` on, `size` in all, along an axis."""

    axis: int
    start: int
    step: int
    size: int
    op: ClassVar[str] = "slice"

    def shape(self, *of: Shape) -> Shape:
        axis = axis_of(self.axis, of[0])
        last = self.start + self.step * (self.size - 1)
        if self.size < 1 or self.step == 0 or not 0 <= self.start < of[0][axis] or not 0 <= last < of[0][axis]:
            raise ShapeError(f"{self.size} from {self.start} on by {self.step} along axis {axis} of shape {of[0]}")
        return (*of[0][:axis], self.size, *of[0][axis + 1 :])

    def moved(self, x: Any) -> Any:
        stop = self.start + self.step * self.size
        whole = (slice(None),) * axis_of(self.axis, x.shape)
        index = (*whole, slice(self.start, stop if stop >= 0 else None, self.step))
        return x[index]


@dataclass(frozen=True)
class Take(Moved):
    """Public places along an axis, which becomes `size`: () drops it."""

    axis: int
    places: tuple[int, ...]
    size: tuple[int, ...]
    op: ClassVar[str] = "take"

    def shape(self, *of: Shape) -> Shape:
        axis = axis_of(self.axis, of[0])
        if count(self.size) != len(self.places) or not all(0 <= place < of[0][axis] for place in self.places):
            raise ShapeError(f"{len(self.places)} places as {self.size} along axis {axis} of shape {of[0]}")
        return (*of[0][:axis], *self.size, *of[0][axis + 1 :])

    def moved(self, x: Any) -> Any:
        whole = (slice(None),) * axis_of(self.axis, x.shape)
        index = (*whole, np.asarray(self.places, dtype=np.int64).reshape(self.size))
        return x[index]


@dataclass(frozen=True)
class Expand(Moved):
    """Repeated along axes of length 1, and along new ones in front; -1: an axis stays as it is."""

    to: tuple[int, ...]
    op: ClassVar[str] = "expand"

    def shape(self, *of: Shape) -> Shape:
        size = (1,) * (len(self.to) - len(of[0])) + of[0]
        if len(size) != len(self.to) or any(b != -1 and (a not in (1, b) or b < 1) for a, b in zip(size, self.to, strict=True)):
            raise ShapeError(f"shape {of[0]} expanded to {self.to}")
        return tuple(a if b == -1 else b for a, b in zip(size, self.to, strict=True))

    def moved(self, x: Any) -> Any:
        to = self.shape(x.shape)
        if not isinstance(x, Share):
            return np.broadcast_to(x, to)
        x = x.reshape((1,) * (len(to) - x.ndim) + x.shape)
        for axis, size in enumerate(to):
            if x.shape[axis] != size:
                index = (*(slice(None),) * axis, np.zeros(size, dtype=np.int64))
                x = x[index]
        return x


@dataclass(frozen=True)
class Pad(Layer):
    """Zeros around: so many before each axis, then so many behind each."""

    by: tuple[int, ...]
    op: ClassVar[str] = "pad"

    def _pairs(self) -> list[tuple[int, int]]:
        half = len(self.by) // 2
        return list(zip(self.by[:half], self.by[half:], strict=True))

    def shape(self, *of: Shape) -> Shape:
        if len(self.by) != 2 * len(of[0]) or min(self.by, default=0) < 0:
            raise ShapeError(f"padding {self.by} of shape {of[0]}")
        return tuple(size + a + b for size, (a, b) in zip(of[0], self._pairs(), strict=True))

    def plain(self, own: Own, *x: Array) -> Array:
        return np.pad(x[0], self._pairs())

    def private(self, run: Run, *x: Share) -> Share:
        return _padded(x[0], self._pairs())

    def worst(self, own: Own, *sizes: float) -> Sizes:
        return sizes[0], {}


@history.operation("pad", ("x",), ("pairs",))
def _padded(x: Share, pairs: list[tuple[int, int]]) -> Share:
    limits = (min(x._range[0], 0), max(x._range[1], 1))
    return x._like(np.pad(x._words, pairs), limits)


@dataclass(frozen=True)
class Concatenate(Layer):
    """Tensors side by side along an axis."""

    axis: int
    op: ClassVar[str] = "concatenate"

    def shape(self, *of: Shape) -> Shape:
        axis = axis_of(self.axis, of[0])
        rests = {(*shape[:axis], *shape[axis + 1 :]) for shape in of}
        if len(rests) > 1 or any(len(shape) != len(of[0]) for shape in of):
            raise ShapeError(f"shapes {', '.join(map(str, of))} along axis {axis}")
        return (*of[0][:axis], sum(shape[axis] for shape in of), *of[0][axis + 1 :])

    def plain(self, own: Own, *x: Array) -> Array:
        return np.concatenate(x, axis=self.axis)

    def private(self, run: Run, *x: Share) -> Share:
        return joining.concatenate(list(x), axis=axis_of(self.axis, x[0].shape))

    def worst(self, own: Own, *sizes: float) -> Sizes:
        return max(sizes), {}


def slices(start: int, stop: int, step: int, size: int) -> tuple[int, int, int]:
    """`start`, step and count of what Python's slice takes of `size` places. Raises `ParamError` if that is nothing."""
    rows = range(*slice(start, stop, step).indices(size))
    if not rows:
        raise ParamError(f"a slice from {start} to {stop} of {size} is empty; accepted: at least one place")
    return rows.start, rows.step, len(rows)


@converter("Identity", "Dropout", "Cast")
def _identity(to: Builder, op: Op) -> Value:
    found = op.inputs[0]
    assert found is not None
    return found if isinstance(found, Var) and found.ids else op.var(0)


@converter("Reshape")
def _reshape(to: Builder, op: Op) -> Value:
    x, asked = op.var(0), op.ints("shape", 1, None)
    assert asked is not None
    zero = bool(op.int("allowzero", 0))
    sizes = [x.shape[i] if size == 0 and not zero and i < len(x.shape) else size for i, size in enumerate(asked)]
    return to.add(Reshape(Reshape(tuple(sizes)).shape(x.shape)), x)


@converter("Flatten")
def _flatten(to: Builder, op: Op) -> Value:
    x = op.var(0)
    axis = op.int("axis", 1)
    axis = axis if axis == len(x.shape) else axis_of(axis, x.shape)
    return to.add(Reshape((count(x.shape[:axis]), count(x.shape[axis:]))), x)


@converter("Squeeze")
def _squeeze(to: Builder, op: Op) -> Value:
    x, axes = op.var(0), op.ints("axes", 1, None)
    drop = [i for i, size in enumerate(x.shape) if size == 1] if axes is None else [axis_of(a, x.shape) for a in axes]
    if any(x.shape[axis] != 1 for axis in drop):
        raise ShapeError(f"shape {x.shape} without axes {tuple(drop)}; accepted: axes of length 1")
    return to.add(Reshape(tuple(size for i, size in enumerate(x.shape) if i not in drop)), x)


@converter("Unsqueeze")
def _unsqueeze(to: Builder, op: Op) -> Value:
    x, axes = op.var(0), op.ints("axes", 1, None)
    assert axes is not None
    size = list(x.shape)
    for axis in sorted(a % (len(x.shape) + len(axes)) for a in axes):
        size.insert(axis, 1)
    return to.add(Reshape(tuple(size)), x)


@converter("Transpose")
def _transpose(to: Builder, op: Op) -> Value:
    x = op.var(0)
    return to.add(Transpose(op.ints("perm", None, range(len(x.shape))[::-1]) or ()), x)


@converter("Expand")
def _expand(to: Builder, op: Op) -> Value:
    x, asked = op.var(0), op.ints("shape", 1, None)
    assert asked is not None
    return to.add(Expand(broadcast(x.shape, asked)), x)


@converter("Slice")
def _slice(to: Builder, op: Op) -> Value:
    x = op.var(0)
    starts, ends = op.ints("starts", 1, None) or (), op.ints("ends", 2, None) or ()
    axes = op.ints("axes", 3, range(len(starts))) or ()
    steps = op.ints("steps", 4, (1,) * len(starts)) or ()
    if not len(starts) == len(ends) == len(axes) == len(steps):
        raise ParamError(f"starts {starts}, ends {ends}, axes {axes} and steps {steps} are not supported; accepted: as many of each")
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        at = axis_of(axis, x.shape)
        rows = range(*slice(start, end if abs(end) < 1 << 31 else (None if end > 0 or step < 0 else end), step).indices(x.shape[at]))
        if not rows:
            raise ParamError(f"a slice from {start} to {end} of {x.shape[at]} is empty; accepted: at least one place")
        if rows != range(x.shape[at]):
            x = to.add(Slice(at - len(x.shape), rows.start, rows.step, len(rows)), x)
    return x


@converter("Split")
def _split(to: Builder, op: Op) -> list[Value]:
    x = op.var(0)
    axis = axis_of(op.int("axis", 0), x.shape)
    sizes = op.ints("split", 1, None)
    if sizes is None:
        each = -(-x.shape[axis] // op.outputs)
        sizes = tuple(min(each, x.shape[axis] - i * each) for i in range(op.outputs))
    made: list[Value] = []
    start = 0
    for size in sizes:
        made.append(to.add(Slice(axis - len(x.shape), start, 1, size), x))
        start += size
    return made
