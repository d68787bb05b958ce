"""Shares of an array: shape and width are public, the values are not known here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _constants, _words, history
from ._room import too_wide
from ._secret import Secret
from ._words import Kind, Range, Words
from .errors import ShapeError
from .history import History
from .ufuncs import Arrays

if TYPE_CHECKING:
    from .party import Party


class Share(Secret, Arrays):
    """One party's shares of an array of numbers.

    `shape`, `bits` (width of a number), `fraction` (binary digits after the point), `kind` (`"additive"` or `"xor"`) and
    `range` (`lo <= x < hi`) are public and the same at both parties. Indexing, slicing, reshaping, joining and
    broadcasting are NumPy's. What is added to, multiplied with or compared with a share may be another one, an array or a
    number. Such numbers are public: both parties give the same, and compare a digest of them at their next operation,
    which raises `HandshakeError` at both if they differ. Nothing here reveals a value: that is `p.open`.

    Nothing wraps around: what may not fit the width, by `range`, is refused with a `ParamError` that names
    the width that would do. Whole numbers shared with `wrap=True` are computed mod `2^bits` instead, and so is what they
    meet. Public numbers that are added are rounded to the share's scale; others are refused outside the numbers of its
    width. Whole numbers meet whole ones only, until `with_fraction` gives them digits after the point. `==` and `!=` refuse
    what is no multiple of the scale. Other comparisons take public numbers as they are, beside results. Numbers that were
    shared, and their sums, were rounded: they are equal to a public number with the same decimals, if these are a step
    apart for each number added up (two for `p.share`); others may fall on either side, if they differ by less. So may sums
    that are compared with other shares, of which `==` and `!=` warn.
    """

    __slots__ = ("_history", "_off", "_party", "_range", "_turned", "_words", "bits", "fraction", "kind", "wrap")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        party: Party,
        words: Words,
        bits: int,
        fraction: int,
        kind: Kind,
        range: Range,
        wrap: bool = False,
        made: History | None = None,
    ) -> None:
        self._history = made or history.UNKNOWN
        self._party = party
        self._words = words
        self._range = range
        self._off = 0.0
        self._turned: Share | None = None  # of which this is the transpose, in the last two axes
        self.bits = bits
        self.fraction = fraction
        self.kind = kind
        self.wrap = wrap

    # --- what is public

    @property
    def party(self) -> Party:
        """The party that holds this share."""
        return self._party

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self._words.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._words.ndim

    @property
    def size(self) -> int:
        """Number of values."""
        return self._words.size

    @property
    def range(self) -> tuple[float, float]:
        """All values are `lo <= x < hi`, as far as is known from how they were made."""
        lo, hi = self._range
        return lo * 2.0**-self.fraction, hi * 2.0**-self.fraction

    def __len__(self) -> int:
        return len(self._words)

    def __repr__(self) -> str:
        return f"Share(shape={self.shape}, {self._type()})"

    # --- rearranging

    @history.view(history.indexed)
    def __getitem__(self, key: Any) -> Share:
        return self._like(np.asarray(self._words[key]))

    def __iter__(self) -> Iterator[Share]:
        return (self[i] for i in range(len(self)))

    @history.view(history.reshaped)
    def reshape(self, *shape: int | tuple[int, ...]) -> Share:
        """The same values in another shape, as `numpy.reshape`."""
        return self._like(self._words.reshape(*shape))  # type: ignore[arg-type]

    @history.view(history.reshaped)
    def ravel(self) -> Share:
        """The same values in one axis."""
        return self._like(self._words.ravel())

    @history.view(history.transposed)
    def transpose(self, *axes: int) -> Share:
        """The axes in another order, reversed by default."""
        made, order = self._like(self._words.transpose(*axes)), history.order(self, axes)
        if self.ndim >= 2 and order == (*range(self.ndim - 2), self.ndim - 1, self.ndim - 2):
            made._turned = self
        return made

    @property
    def T(self) -> Share:
        """The axes reversed."""
        return self.transpose()

    @history.view(history.copied)
    def copy(self) -> Share:
        """A copy of its own."""
        return self._like(self._words.copy())

    # --- local arithmetic

    @history.operation("+", ("self", "other"))
    def __add__(self, other: Any) -> Share:
        return self._sum(other, 1)

    @history.operation("+", ("self", "other"))
    def __radd__(self, other: Any) -> Share:
        return self._sum(other, 1)

    @history.operation("-", ("self", "other"))
    def __sub__(self, other: Any) -> Share:
        return self._sum(other, -1)

    @history.operation("reflected -", ("self", "other"))
    def __rsub__(self, other: Any) -> Share:
        return (-self)._sum(other, 1)

    @history.operation("negative", ("self",))
    def __neg__(self) -> Share:
        self._additive("-")
        lo, hi = self._range
        return self._like(_words.reduce(np.negative(self._words), self.bits), (1 - hi, 1 - lo))

    @history.operation("^", ("self", "other"))
    def __xor__(self, other: Any) -> Share:
        self._is("xor", "^")
        if isinstance(other, Share):
            self._same(other, "^")
            range = _words.of_bits(min(self._range[0], other._range[0]), self.bits)
            return self._like(_words.broadcast(np.bitwise_xor, self._words, other._words), range)
        range = _words.of_bits(self._range[0], self.bits)
        words = _words.words_of(self._public("^", other, self.fraction, range), self.bits)
        return self._like(_words.broadcast(np.bitwise_xor, self._words, self._mine(words)), range)

    __rxor__ = __xor__

    @history.operation("~", ("self",))
    def __invert__(self) -> Share:
        self._is("xor", "~")
        ones = np.full(self.shape, (1 << self.bits) - 1, dtype=self._words.dtype)
        return self._like(np.bitwise_xor(self._words, self._mine(ones)), _words.of_bits(self._range[0], self.bits))

    @history.operation("sum", ("self",), ("axis",))
    def sum(self, axis: int | tuple[int, ...] | None = None) -> Share:
        """Sums over one axis, several, or all. Raises `ParamError` if the width may not hold them."""
        total, range = self._total(axis)
        return total._room(range, "sum")

    @history.operation("low_bits", ("self",), ("bits",))
    def low_bits(self, bits: int) -> Share:
        """Shares of each value mod `2^bits`, in steps of its scale. The width only shrinks. Without a sign, unless the share
        is additive and its `range` has one."""
        if not 1 <= bits <= self.bits:
            raise ShapeError(f"width of the low bits: expected 1 to {self.bits}, got {bits}")
        lo, hi = _words.of_bits(self._range[0] if self.kind == "additive" else 0, bits)
        range = self._range if lo <= self._range[0] and self._range[1] <= hi else (lo, hi)
        low = Share(self._party, _words.reduce(self._words, bits), bits, self.fraction, self.kind, range, self.wrap)
        return low._off_by(self._off)

    # --- protocols, of `products` and `arithmetic`

    def __mul__(self, other: Any) -> Share:
        from .products import multiply

        return multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Share:
        from .products import divide

        return divide(self, other)

    def __rtruediv__(self, other: Any) -> NoReturn:
        raise TypeError("/: division by a share; accepted: public numbers, or a product with ht.reciprocal(share)")

    def __matmul__(self, other: Any) -> Share:
        from .products import matmul

        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Share:
        from .products import matmul

        return matmul(other, self)

    def __lt__(self, other: Any) -> Share:
        from .arithmetic import less

        return less(self, other)

    @history.operation(">", ("self", "other"))
    def __gt__(self, other: Any) -> Share:
        from .arithmetic import less

        return less(other, self)

    def __le__(self, other: Any) -> Share:
        return ~self.__gt__(other)

    def __ge__(self, other: Any) -> Share:
        return ~self.__lt__(other)

    def __eq__(self, other: object) -> Share:  # type: ignore[override]
        return ~self.__ne__(other)

    def __ne__(self, other: object) -> Share:  # type: ignore[override]
        from .arithmetic import differ

        return differ(self, other)  # type: ignore[arg-type]

    def __and__(self, other: Share) -> Share:
        from .arithmetic import both

        return both(self, other)

    def __or__(self, other: Share) -> Share:
        return ~(~self & ~other)

    def mean(self, axis: int | None = None) -> Share:
        """Means over an axis, or of all, within a step of the scale; not of whole numbers, whose means need not be whole."""
        from .products import mean

        return mean(self, axis)

    def with_fraction(self, fraction: int) -> Share:
        """The same numbers with `fraction` digits after the point: exactly, or rounded to nearest if they are fewer."""
        from .products import with_fraction

        return with_fraction(self, fraction)

    def max(self, axis: int | None = None) -> Share:
        """The greatest over an axis, or of all; see `hushtable.max`."""
        from .arithmetic import largest

        return largest(self, axis)

    def argmax(self, axis: int | None = None) -> Share:
        """The index of the greatest over an axis, or of all; see `hushtable.argmax`."""
        from .arithmetic import argmax

        return argmax(self, axis)

    def clip(self, lo: float | None, hi: float | None) -> Share:
        """Limits the values; see `hushtable.clip`."""
        from .arithmetic import clip

        return clip(self, lo, hi)

    # --- inside

    def _type(self) -> str:
        return f"bits={self.bits}, fraction={self.fraction}, kind={self.kind!r}{', wrap=True' if self.wrap else ''}"

    def _mine(self, words: Words) -> Words:
        """This party's part of public words: exactly one party has them."""
        return words if self._party.role == 0 else np.zeros_like(words)

    def _room(self, range: Range, operation: str) -> Share:
        """This share with the range of a result, if the width holds it, or it wraps."""
        if not self.wrap and not _words.fits(*range, self.bits):
            results = f"results that may be {_words.between(range, self.fraction)}"
            raise too_wide(operation, self, _words.need(*range), results)
        return self._within(range)

    def _total(self, axis: int | tuple[int, ...] | None) -> tuple[Share, Range]:
        """Sums mod `2^bits`, and the range of what they would be without."""
        self._additive("sum")
        words = np.asarray(self._words.sum(axis=axis, dtype=self._words.dtype))
        count = self.size // max(words.size, 1)
        lo, hi = self._range
        total = self._like(_words.reduce(words, self.bits))._off_by(self._off * count)
        return total, (count * lo, count * (hi - 1) + 1)

    def _like(self, words: Words, range: Range | None = None, also: Share | None = None) -> Share:
        """A share of this type; what met one that wraps does too."""
        fitted = self._range if range is None else _words.fit(*range, self.bits)
        wrap = self.wrap or (also is not None and also.wrap)
        made = Share(self._party, words, self.bits, self.fraction, self.kind, fitted, wrap, self._history)
        return made._off_by(self._off)

    def _off_by(self, off: float) -> Share:
        """This share, of numbers that lie up to `off` from what was read, by rounding; 0 for results."""
        self._off = off
        return self

    def _within(self, range: Range) -> Share:
        """This share, whose values are known to be in a range."""
        return self._like(self._words, range)

    def _is(self, kind: Kind, operation: str) -> None:
        if self.kind != kind:
            raise TypeError(f"{operation}: {kind} shares are expected, got {self!r}")

    def _additive(self, operation: str) -> None:
        self._is("additive", operation)

    def _same(self, other: Share, operation: str) -> None:
        """Whether two shares may meet in a local operation."""
        if other._party is not self._party:
            raise ShapeError(f"{operation}: shares of different sessions or parties")
        if other.kind != self.kind:
            raise TypeError(f"{operation}: {self.kind} and {other.kind} shares do not mix: {self!r} and {other!r}")
        if (other.bits, other.fraction) != (self.bits, self.fraction):
            raise ShapeError(f"{operation}: shares of different width or scale: {self!r} and {other!r}")

    def _limits(self) -> Range:
        """What a public number may be that is held as this share's are: any signed one, or one of the range."""
        lo, hi = _words.signed(self.bits)
        return min(lo, self._range[0]), max(hi, self._range[1])

    def _public(
        self, operation: str, values: ArrayLike, fraction: int, limits: Range, same: bool = False
    ) -> NDArray[np.int64]:
        """Public numbers that meet this share, in steps of `2^-fraction`, rounded unless they are to be the same. Both
        parties are to have equal ones, which they compare."""
        steps = (_constants.same if same else _constants.steps)(operation, values, fraction, limits)
        self._party._met(f"{operation} {self._type()}", fraction, steps)
        return steps

    def _known(self, other: Any, operation: str, same: bool = False, limits: Range | None = None) -> Share:
        """Another share, or public numbers as one of the same type."""
        if isinstance(other, Share):
            return other
        steps = self._public(operation, other, self.fraction, limits or self._limits(), same)
        exact = bool(np.all(steps * 2.0**-self.fraction == other))
        return self._of_public(steps)._off_by(0.0 if exact else 0.5 * 2.0**-self.fraction)

    def _of_public(self, steps: NDArray[np.int64]) -> Share:
        """Public numbers as a share of the same type."""
        words = self._mine(_words.words_of(steps, self.bits))
        return Share(self._party, words, self.bits, self.fraction, "additive", _words.extremes(steps), self.wrap)

    def _threshold(self, operation: str, other: ArrayLike, up: bool) -> tuple[Share, NDArray[np.bool_]]:
        """Public numbers that this share is compared with, as one of the same type; and where the answer is yes anyway."""
        steps, always = _constants.threshold(operation, other, self.fraction, self._limits(), up, self._off)
        self._party._met(f"{operation} {self._type()}", self.fraction, steps + always)
        return self._of_public(steps), always

    def _sum(self, other: Any, sign: int) -> Share:
        operation = "+" if sign == 1 else "-"
        total, range = self._plus(other, sign, operation)
        return total._room(range, operation)

    def _plus(self, other: Any, sign: int, operation: str) -> tuple[Share, Range]:
        """The sum or the difference mod `2^bits`, and the range of what it would be without."""
        self._additive(operation)
        b = self._known(other, operation, limits=_words.signed(64))  # the result has to fit
        self._same(b, operation)
        words = _words.reduce(_words.broadcast(np.add if sign == 1 else np.subtract, self._words, b._words), self.bits)
        (lo, hi), (b_lo, b_hi) = self._range, b._range
        range = (lo + b_lo, hi + b_hi - 1) if sign == 1 else (lo - b_hi + 1, hi - b_lo)
        return self._like(words, also=b)._off_by(self._off + b._off), range

    def _times_whole(self, factors: NDArray[np.int64]) -> Share:
        """The product with public whole numbers mod `2^bits`: local."""
        self._additive("*")
        words = _words.broadcast(np.multiply, self._words, _words.words_of(factors, self.bits))
        lo, hi = _words.extremes(factors)
        return self._like(_words.reduce(words, self.bits))._off_by(self._off * max(-lo, hi - 1))
