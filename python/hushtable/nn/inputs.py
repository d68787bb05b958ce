"""What goes into a network: how its places are held, and shares that are known to be held so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import joining
from .._secret import Secret
from .._words import Range
from ..errors import ParamError, ShapeError
from ..share import Share
from .layer import Array, Shape


@dataclass(frozen=True)
class InputFormat:
    """How an input is held: below `2^exponent`, after `centre[place]` was taken from the number at each place, if there are
    centres, and it was divided by `2^scale[place]`."""

    exponent: int
    scale: tuple[int, ...]
    centre: tuple[float, ...] = ()

    def limits(self, fraction: int) -> Range:
        """The range, in steps."""
        most = 1 << max(self.exponent + fraction, 0)
        return -most, most + 1

    def factors(self) -> Array:
        """What the places are multiplied by."""
        return np.ldexp(1.0, -np.asarray(self.scale, dtype=np.int64))

    def held(self, array: Array, name: str, columns: Sequence[int] | None = None) -> Array:
        """Numbers, of some places only if `columns` says so, in the scale of the network. Raises `ParamError` that names the
        first one beyond the range."""
        factors = self.factors() if self.scale else np.ones(())
        centres = np.asarray(self.centre) if self.centre else np.zeros(())
        if columns is not None:
            factors, centres = (each[list(columns)] if each.ndim else each for each in (factors, centres))
        scaled = (array - centres) * factors
        bad = np.argwhere(~(np.abs(scaled) <= 2.0**self.exponent))
        if len(bad):
            at = tuple(bad[0].tolist())
            most = 2.0**self.exponent / float(np.broadcast_to(factors, array.shape)[at])
            middle = float(np.broadcast_to(centres, array.shape)[at])
            where = f"{at}" if columns is None else f"{at}, column {columns[at[1]]},"
            raise ParamError(
                f"input {name!r}: {array[at]} at {where} is not supported; accepted: {middle - most!r} to {middle + most!r} there, as calibrated: "
                f"beyond it numbers would wrap around"
            )
        return np.asarray(scaled)


@dataclass(frozen=True)
class InputType:
    """All that makes numbers an input of a network: two networks with equal ones take the same inputs. `places`: rows of the
    matrix that ids are for."""

    which: int
    shape: Shape
    kind: Literal["number", "ids"]
    bits: int
    fraction: int
    how: InputFormat
    places: int | None

    def unlike(self, other: InputType) -> str:
        """What differs, in words."""
        pairs = [
            (f"input {other.which} where {self.which} is expected", self.which, other.which),
            (f"shape {other.shape} where {self.shape} is expected", self.shape, other.shape),
            (f"{other.kind} where {self.kind} is expected", self.kind, other.kind),
            (f"bits={other.bits} where {self.bits} is expected", self.bits, other.bits),
            (f"fraction={other.fraction} where {self.fraction} is expected", self.fraction, other.fraction),
            ("other scales or ranges", self.how, other.how),
            (f"ids of {other.places} rows where {self.places} are expected", self.places, other.places),
        ]
        return ", ".join(text for text, mine, theirs in pairs if mine != theirs)


class Inputs(Secret):
    """Inputs of a network as shares: made by `Net.input`, put together by `Net.join`, or made of other shares by `Net.adapt`.

    They are in scales of the network's own, so they are no numbers to compute with. A network takes no other ones, and only
    those of its own formats. Indexing with a slice or a list takes rows. `columns`: which places along the last axis these
    are, all if `None`.
    """

    __slots__ = ("_type", "_share", "columns")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, input_type: InputType, share: Share, columns: tuple[int, ...] | None = None) -> None:
        self._type, self._share, self.columns = input_type, share, columns

    @property
    def shape(self) -> Shape:
        """Lengths of the axes."""
        return self._share.shape

    def __len__(self) -> int:
        return len(self._share)

    def __getitem__(self, rows: Any) -> Inputs:
        if not isinstance(rows, slice | list | np.ndarray) or not self._type.shape or self._type.shape[0] != -1:
            raise TypeError("inputs of a network: a slice or a list of rows is expected")
        return Inputs(self._type, self._share[rows], self.columns)

    def __repr__(self) -> str:
        some = "" if self.columns is None else f", columns {list(self.columns)}"
        return f"Inputs(shape={self.shape}{some}, of a network of bits={self._type.bits}, fraction={self._type.fraction})"


def chosen(columns: Sequence[int] | None, shape: Shape, kind: str, name: str) -> tuple[int, ...] | None:
    """Columns of an input, checked. Raises `ParamError` for what are none."""
    if columns is None:
        return None
    if kind != "number" or len(shape) != 2 or shape[0] != -1:
        raise ParamError(f"input {name!r}: columns= of shape {shape} is not supported; accepted: for rows of numbers")
    listed = [int(c) if isinstance(c, int | np.integer) and not isinstance(c, bool) else c for c in columns]
    if not listed or len(set(listed)) < len(listed) or not all(type(c) is int and 0 <= c < shape[1] for c in listed):
        raise ParamError(f"input {name!r}: columns={listed} is not supported; accepted: places from 0 to {shape[1] - 1}, each once")
    return tuple(listed)


def joined(parts: Sequence[Inputs], name: str) -> Inputs:
    """Inputs of one type as one: columns side by side, in the order of their places, or rows one after the other."""
    expected, shares = parts[0]._type, [part._share for part in parts]
    if all(part.columns is None for part in parts):
        if -1 not in expected.shape:
            raise ParamError(f"input {name!r} of shape {expected.shape} has no axis of rows to join")
        return Inputs(expected, joining.concatenate(shares, axis=expected.shape.index(-1)))
    if any(part.columns is None for part in parts):
        raise ParamError(f"input {name!r}: some columns beside whole rows; accepted: columns of all parts, or of none")
    places = [place for part in parts for place in part.columns or ()]
    if sorted(places) != list(range(expected.shape[1])):
        raise ParamError(f"input {name!r}: columns {places} are joined; accepted: each of 0 to {expected.shape[1] - 1} once")
    if len({len(share) for share in shares}) > 1:
        raise ShapeError(f"input {name!r}: columns of {', '.join(str(len(share)) for share in shares)} rows; accepted: as many in each")
    beside = joining.concatenate(shares, axis=1)
    return Inputs(expected, beside if places == sorted(places) else beside[:, [places.index(i) for i in range(len(places))]])

