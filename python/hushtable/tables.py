"""Public tables, and lookups of shares in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
from . import _words, history
from ._words import Kind
from .arithmetic import NOTHING, wide
from .errors import ParamError, ShapeError
from .share import Share
from .store import Store

# Most bits of an index in a table that is shared.
MOST_SHARED = 10


class Table:
    """A public table of numbers for indices `lo <= x < lo + length * 2^-index_fraction`.

    `values` is rounded to `fraction` binary digits after the point (default: the fewest that hold all values
    exactly, at most 16). The entry of `lo` comes first. The length is padded with zeros to a power of two.
    """

    def __init__(
        self,
        values: ArrayLike,
        fraction: int | None = None,
        *,
        lo: float = 0,
        index_fraction: int = 0,
        name: str = "table",
    ) -> None:
        array = np.asarray(values, dtype=np.float64)
        if array.ndim != 1 or not 2 <= array.size <= 1 << 20:
            raise ShapeError(f"table: one axis of 2 to 2^20 values is expected, got shape {array.shape}")
        self.size = array.size
        padded = np.zeros(1 << (array.size - 1).bit_length())
        padded[: array.size] = array
        digits = _exact_fraction(array) if fraction is None else fraction
        self._init(native.Table(padded, digits), lo, index_fraction, name)
        self._off = 0.5 * 2.0**-digits if np.modf(np.ldexp(array, digits))[0].any() else 0.0

    @classmethod
    def tabulate(
        cls,
        f: Callable[[NDArray[np.float64]], ArrayLike],
        domain: tuple[float, float],
        index_fraction: int = 8,
        fraction: int = 8,
        name: str | None = None,
    ) -> Table:
        """`f` at every multiple of `2^-index_fraction` in `lo <= x < hi`; `f` is called once, with all."""
        lo, hi = domain
        count = (hi - lo) * (1 << index_fraction)
        if count != int(count) or not 2 <= count <= 1 << 20:
            raise ParamError(f"domain: {domain} has {count} points; accepted: 2 to 2^20")
        points: NDArray[np.float64] = np.arange(int(count), dtype=np.float64)
        points = lo + points * 2.0**-index_fraction
        label = name or str(getattr(f, "__name__", "table"))
        return cls(f(points), fraction, lo=lo, index_fraction=index_fraction, name=label)

    @classmethod
    def function(cls, name: str, domain: tuple[float, float], index_fraction: int, fraction: int) -> Table:
        """A function of the library by name."""
        made = cls.__new__(cls)
        made.size = int((domain[1] - domain[0]) * (1 << index_fraction))
        made._init(
            native.Table.function(name, *domain, index_fraction, fraction), domain[0], index_fraction, name
        )
        return made

    def _init(self, table: native.Table, lo: float, index_fraction: int, name: str) -> None:
        self._native = table
        self._off = 0.0
        self.name = name
        self.index_fraction = index_fraction
        scaled = lo * (1 << index_fraction)
        if scaled != int(scaled):
            raise ParamError(f"table: lo={lo} is not supported; accepted: multiples of 2^-{index_fraction}")
        self._lo = int(scaled)

    @property
    def fraction(self) -> int:
        """Binary digits after the point of the values."""
        return self._native.fraction

    @property
    def bits(self) -> int:
        """Bits that hold every value in two's complement."""
        return self._native.bits

    @property
    def index_bits(self) -> int:
        """Base-2 logarithm of the padded length."""
        return (self.size - 1).bit_length()

    @property
    def domain(self) -> tuple[float, float]:
        """Indices are `lo <= x < hi`."""
        step = 2.0**-self.index_fraction
        return self._lo * step, (self._lo + self.size) * step

    @property
    def values(self) -> NDArray[np.float64]:
        """The values as rounded."""
        values: NDArray[np.float64] = self._native.entries()[: self.size] * np.float64(2.0**-self.fraction)
        return values

    def __repr__(self) -> str:
        lo, hi = self.domain
        return f"Table({self.name!r}, {self.size} values for {lo:g} <= x < {hi:g}, {self.bits} bits)"


@history.operation("lookup", ("index",))
def lookup(
    table: Table,
    index: Share,
    *,
    bits: int | None = None,
    kind: Kind = "additive",
    protocol: str = "auto",
    store: Store | None = None,
) -> Share:
    """Shares of `table[x]` for each shared index.

    The index has the table's `index_fraction`, and its `range` lies in the table's domain. `bits` is the width
    of the results (default: that of the index, or what the values need if that is more). `protocol` is one
    of `hushtable.protocols()`, or `"auto"`: the one predicted to take least time over the link, or that of
    `store`, from which the material is taken then.

    Cost: that of the protocol, see `p.cost`; the material is made on the way unless it was prepared.
    """
    return look_up("lookup", table, index, bits, kind, protocol, store)


@history.operation("lookup_shared", ("table", "index"))
def lookup_shared(table: Share, index: Share) -> Share:
    """Shares of `table[x]` for each shared index, where the table is shared too: nobody knows either.

    `table` has one axis of `2^k` entries, k from 1 to 10, the index no fraction bits and its `range` within them. The
    result is shared as the table is, in its width, scale and range. What is made offline depends on the table: with
    `prepare` the function is to make the table of the same numbers each time.

    Raises `ShapeError` for another table, an index of other bits, and shares of different sessions; `ParamError` for an
    index that may lie outside.
    """
    if not isinstance(table, Share) or not isinstance(index, Share):
        raise TypeError("lookup_shared: two shares are expected, a table and an index")
    if table.party is not index.party:
        raise ShapeError("lookup_shared: shares of different sessions or parties")
    size = table.size
    bits = max(size - 1, 1).bit_length()
    if table.ndim != 1 or not 2 <= size <= 1 << MOST_SHARED or size != 1 << bits:
        raise ShapeError(f"lookup_shared: a table of 2^1 to 2^{MOST_SHARED} entries is expected, got {table!r}")
    lo, hi = index._range
    if index.fraction != 0 or index.bits < bits:
        raise ShapeError(f"lookup_shared: an index of {bits} bits or more, none behind the point, is expected: {index!r}")
    if lo < 0 or hi > size:
        raise ParamError(f"lookup_shared: an index in {index.range} is not supported; accepted: 0 to {size}")
    entries = wide(table)
    operation = native.Operation.secret_table(index.kind, bits, table.kind, table.bits, table.fraction, entries)
    name = (
        f"lookup_shared({size} entries, bits={table.bits} fraction={table.fraction} {table.kind}, "
        f"index shape {index.shape} bits={index.bits} {index.kind})"
    )
    found = index.party._run(name, operation, wide(index), NOTHING, index.shape, entries.tobytes())
    words = _words.reduce(found, table.bits)
    made = Share(index.party, words, table.bits, table.fraction, table.kind, table._range, table.wrap)
    return made._off_by(table._off)


def look_up(
    name: str,
    table: Table,
    index: Share,
    bits: int | None,
    kind: Kind,
    protocol: str,
    store: Store | None,
) -> Share:
    """`lookup`, called `name`."""
    _check_index(name, table, index)
    width = max(index.bits, table.bits) if bits is None else bits
    _words.check_bits(width)
    if width < table.bits:
        raise ParamError(f"{name}: width {width} is not supported; the values need {table.bits} bits")
    words = _words.reduce(_shifted(table, index), table.index_bits).astype(np.uint32)
    lo, hi = table._native.range
    operation = (
        f"{name}(shape {index.shape}, index bits={index.bits} fraction={index.fraction} {index.kind}, "
        f"{table.size} values from {table._lo} on {table._native.digest[:32]}, bits={width} fraction={table.fraction} {kind})"
    )
    lookup = native.Lookup(table._native, index.kind, width, kind, protocol)
    found = index.party._look_up(operation, lookup, words, store)
    limits = (lo, hi + 1)
    return Share(index.party, found, width, table.fraction, kind, limits)._off_by(table._off)


def _check_index(name: str, table: Table, index: Share) -> None:
    if index.fraction != table.index_fraction:
        raise ShapeError(
            f"{name}: an index with {index.fraction} fraction bits and a table for {table.index_fraction}: "
            f"{index!r} and {table!r}"
        )
    lo, hi = index._range
    if lo < table._lo or hi > table._lo + table.size:
        a, b = index.range
        raise ParamError(
            f"{name}: an index that may be {a:g} <= x < {b:g} is not supported by {table!r}; give p.share a "
            f"smaller range=, or the table a larger domain"
        )
    if table.index_bits > index.bits:
        raise ShapeError(f"{name}: {index.bits} bits of index for 2^{table.index_bits} entries")


def _shifted(table: Table, index: Share) -> Any:
    """Words of shares of the position in the table."""
    if table._lo == 0:
        return index._words
    if index.kind != "additive":
        raise TypeError(f"an xor index and a table that does not begin at 0: {index!r} and {table!r}")
    # Exactly one party subtracts.
    mine = _words.word(table._lo, index.bits) if index.party.role == 0 else _words.word(0, index.bits)
    return index._words - mine


def protocols() -> dict[str, str]:
    """The lookup protocols by name, with a line about each."""
    return dict(native.protocols())


def _exact_fraction(values: NDArray[np.float64]) -> int:
    """The fewest binary digits after the point, at most 16, that hold every value."""
    exact = (f for f in range(17) if np.all(np.modf(values * (1 << f))[0] == 0))
    return next(exact, 16)
