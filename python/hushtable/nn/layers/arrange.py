"""What moves numbers to other places: local, and exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ... import joining
from ...errors import ParamError, ShapeError
from ...share import Share
from ..layer import Array, Layer, Own, Run, Shape, axis_of, count


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
    """Repeated along axes of length 1, and along new ones in front."""

    to: tuple[int, ...]
    op: ClassVar[str] = "expand"

    def shape(self, *of: Shape) -> Shape:
        size = (1,) * (len(self.to) - len(of[0])) + of[0]
        if len(size) != len(self.to) or any(a not in (1, b) or b < 1 for a, b in zip(size, self.to, strict=True)):
            raise ShapeError(f"shape {of[0]} expanded to {self.to}")
        return self.to

    def moved(self, x: Any) -> Any:
        if not isinstance(x, Share):
            return np.broadcast_to(x, self.to)
        x = x.reshape((1,) * (len(self.to) - x.ndim) + x.shape)
        for axis, size in enumerate(self.to):
            if x.shape[axis] != size:
                index = (*(slice(None),) * axis, np.zeros(size, dtype=np.int64))
                x = x[index]
        return x


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


def slices(start: int, stop: int, step: int, size: int) -> tuple[int, int, int]:
    """`start`, step and count of what Python's slice takes of `size` places. Raises `ParamError` if that is nothing."""
    rows = range(*slice(start, stop, step).indices(size))
    if not rows:
        raise ParamError(f"a slice from {start} to {stop} of {size} is empty; accepted: at least one place")
    return rows.start, rows.step, len(rows)


def squeezed(shape: Sequence[int], axes: Sequence[int] | None) -> tuple[int, ...]:
    """A shape without axes of length 1. Raises `ShapeError` for others."""
    drop = [i for i, size in enumerate(shape) if size == 1] if axes is None else [axis_of(a, tuple(shape)) for a in axes]
    if any(shape[axis] != 1 for axis in drop):
        raise ShapeError(f"shape {tuple(shape)} without axes {tuple(drop)}; accepted: axes of length 1")
    return tuple(size for i, size in enumerate(shape) if i not in drop)
