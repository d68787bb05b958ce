"""Shares of an array: shape and width are public, the values are not known here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _words, history
from ._words import Kind, Range, Words
from .errors import ParamError, ShapeError
from .history import History

if TYPE_CHECKING:
    from .party import Party

SECRET = "is not known here: a share is one party's part of it; compute on shares, or show it with p.open(share)"


class Share:
    """One party's shares of an array of numbers.

    `shape`, `bits` (width of a number), `fraction` (binary digits after the point), `kind` (`"additive"` or
    `"xor"`) and `range` (`lo <= x < hi`) are public and the same at both parties. Indexing, slicing,
    reshaping and joining are NumPy's; so is broadcasting. What is added to, multiplied with or compared with a
    share may be another one, an array or a number. Such numbers are public: both parties give the same, and compare a
    digest of them at their next operation, which raises `HandshakeError` at both if they differ. Nothing here reveals a
    value: that is `p.open`.

    Whole numbers wrap around mod `2^bits`, as NumPy's do. With digits after the point nothing wraps: what the width
    may not hold, as far as `range` tells, is refused with `ParamError`, and so is a public number that is not
    finite, or outside the numbers of the share's width and scale.
    """

    __slots__ = ("_history", "_party", "_range", "_words", "bits", "fraction", "kind")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        party: Party,
        words: Words,
        bits: int,
        fraction: int,
        kind: Kind,
        range: Range,
        made: History | None = None,
    ) -> None:
        self._history = made or history.UNKNOWN
        self._party = party
        self._words = words
        self._range = range
        self.bits = bits
        self.fraction = fraction
        self.kind = kind

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
        return self._like(self._words.transpose(*axes))

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
        whole = (0, 1 << self.bits)
        if isinstance(other, Share):
            self._same(other, "^")
            return self._like(_broadcast(np.bitwise_xor, self, other), whole)
        words = _words.words_of(self._public("^", other, self.fraction, whole), self.bits)
        return self._like(_broadcast(np.bitwise_xor, self, self._mine(words)), whole)

    __rxor__ = __xor__

    @history.operation("~", ("self",))
    def __invert__(self) -> Share:
        self._is("xor", "~")
        ones = np.full(self.shape, (1 << self.bits) - 1, dtype=self._words.dtype)
        return self._like(np.bitwise_xor(self._words, self._mine(ones)), (0, 1 << self.bits))

    @history.operation("sum", ("self",), ("axis",))
    def sum(self, axis: int | tuple[int, ...] | None = None) -> Share:
        """Sums over one axis, several, or all. Raises `ParamError` if the width may not hold them."""
        total, range = self._total(axis)
        return total._room(range, "sum")

    @history.operation("low_bits", ("self",), ("bits",))
    def low_bits(self, bits: int) -> Share:
        """Shares of each value mod `2^bits`: the width only shrinks."""
        if not 1 <= bits <= self.bits:
            raise ShapeError(f"width of the low bits: expected 1 to {self.bits}, got {bits}")
        return Share(self._party, _words.reduce(self._words, bits), bits, self.fraction, self.kind,
                     _words.fit(*self._range, bits))

    # --- protocols, of `arithmetic`

    def __mul__(self, other: Any) -> Share:
        from .arithmetic import multiply

        return multiply(self, other)

    __rmul__ = __mul__

    def __matmul__(self, other: Any) -> Share:
        from .arithmetic import matmul

        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Share:
        from .arithmetic import matmul

        return matmul(other, self)

    def __lt__(self, other: Any) -> Share:
        from .arithmetic import less

        return less(self, other)

    @history.operation(">", ("self", "other"))
    def __gt__(self, other: Any) -> Share:
        return self._known(other, ">").__lt__(self)

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
        """Means over an axis, or of all, within a step of the scale."""
        from .arithmetic import mean

        return mean(self, axis)

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

    # --- refused, because the values are secret

    def __bool__(self) -> NoReturn:
        raise TypeError(f"the truth of a share {SECRET}")

    def __float__(self) -> NoReturn:
        raise TypeError(f"the value of a share {SECRET}")

    __int__ = __index__ = __complex__ = __float__

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise TypeError(f"the value of a share {SECRET}")

    def __contains__(self, value: object) -> NoReturn:
        raise TypeError(f"what a share contains {SECRET}")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a share belongs to its session and is not copied out of it")

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        ours = _numpy_functions().get(func)
        return NotImplemented if ours is None else ours(*args, **kwargs)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from .ufuncs import apply

        return apply(ufunc, method, inputs, kwargs)

    # --- inside

    def _type(self) -> str:
        return f"bits={self.bits}, fraction={self.fraction}, kind={self.kind!r}"

    def _mine(self, words: Words) -> Words:
        """This party's part of public words: exactly one party has them."""
        return words if self._party.role == 0 else np.zeros_like(words)

    def _room(self, range: Range, operation: str) -> Share:
        """This share with the range of a result, if the width holds it; whole numbers wrap."""
        if self.fraction and not _words.fits(*range, self.bits):
            need = (range[1] - range[0] - 1).bit_length()
            raise ParamError(
                f"{operation}: results of up to {need} bits are not supported; accepted: {self.bits}, the width: "
                f"share with more bits, or a smaller range="
            )
        return self._within(range)

    def _total(self, axis: int | tuple[int, ...] | None) -> tuple[Share, Range]:
        """Sums mod `2^bits`, and the range of what they would be without."""
        self._additive("sum")
        words = np.asarray(self._words.sum(axis=axis, dtype=self._words.dtype))
        count = self.size // max(words.size, 1)
        lo, hi = self._range
        return self._like(_words.reduce(words, self.bits)), (count * lo, count * (hi - 1) + 1)

    def _like(self, words: Words, range: Range | None = None) -> Share:
        fitted = self._range if range is None else _words.fit(*range, self.bits)
        return Share(self._party, words, self.bits, self.fraction, self.kind, fitted, self._history)

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

    def _public(self, operation: str, values: ArrayLike, fraction: int, limits: Range) -> NDArray[np.int64]:
        """Public numbers that meet this share, in steps of `2^-fraction`. Here alone they come in: both parties are to
        have the same, which they compare."""
        steps = _words.steps(operation, values, fraction, limits)
        self._party._met(f"{operation} {self._type()}", fraction, steps)
        return steps

    def _known(self, other: Any, operation: str) -> Share:
        """Another share, or public numbers as one of the same type."""
        if isinstance(other, Share):
            return other
        steps = self._public(operation, other, self.fraction, self._limits())
        words = self._mine(_words.words_of(steps, self.bits))
        return Share(self._party, words, self.bits, self.fraction, "additive", _words.extremes(steps))

    def _sum(self, other: Any, sign: int) -> Share:
        operation = "+" if sign == 1 else "-"
        total, range = self._plus(other, sign, operation)
        return total._room(range, operation)

    def _plus(self, other: Any, sign: int, operation: str) -> tuple[Share, Range]:
        """The sum or the difference mod `2^bits`, and the range of what it would be without."""
        self._additive(operation)
        b = self._known(other, operation)
        self._same(b, operation)
        words = _words.reduce(_broadcast(np.add if sign == 1 else np.subtract, self, b), self.bits)
        (lo, hi), (b_lo, b_hi) = self._range, b._range
        range = (lo + b_lo, hi + b_hi - 1) if sign == 1 else (lo - b_hi + 1, hi - b_lo)
        return self._like(words), range

    def _times_whole(self, factors: NDArray[np.int64]) -> tuple[Share, Range]:
        """The product with public whole numbers mod `2^bits`, and the range of what it would be without: local."""
        self._additive("*")
        words = _broadcast(np.multiply, self, _words.words_of(factors, self.bits))
        product = self._like(_words.reduce(words, self.bits))
        return product, _words.product(self._range, _words.extremes(factors))


@history.operation("concatenate", ("shares",), ("axis",))
def concatenate(shares: Sequence[Share | ArrayLike], axis: int = 0) -> Share:
    """Joins shares of one type, and arrays of public numbers, along an axis, as `numpy.concatenate`."""
    return _join(np.concatenate, shares, axis)


@history.operation("stack", ("shares",), ("axis",))
def stack(shares: Sequence[Share | ArrayLike], axis: int = 0) -> Share:
    """Joins shares of one type and shape, and arrays of public numbers, along a new axis, as `numpy.stack`."""
    return _join(np.stack, shares, axis)


def _join(join: Callable[..., Words], parts: Sequence[Share | ArrayLike], axis: int) -> Share:
    name = join.__name__
    like = next((part for part in parts if isinstance(part, Share)), None)
    if like is None:
        raise TypeError(f"{name}: at least one share is expected")
    shares = [like._known(part, name) for part in parts]
    for other in shares:
        like._same(other, name)
    try:
        words = join([s._words for s in shares], axis=axis)
    except ValueError as error:
        raise ShapeError(f"{name}: {', '.join(str(s.shape) for s in shares)}: {error}") from None
    return like._like(words, (min(s._range[0] for s in shares), max(s._range[1] for s in shares)))


def _broadcast(ufunc: np.ufunc, a: Share, b: Share | Words) -> Words:
    right = b._words if isinstance(b, Share) else b
    try:
        return np.asarray(ufunc(a._words, right))
    except ValueError:
        raise ShapeError(f"shapes {a.shape} and {right.shape} do not fit together") from None


def _numpy_functions() -> dict[Callable[..., Any], Callable[..., Any]]:
    """NumPy's functions that shares understand."""
    return {
        np.concatenate: concatenate,
        np.stack: stack,
        np.reshape: lambda a, shape: a.reshape(shape),
        np.ravel: lambda a: a.ravel(),
        np.transpose: lambda a, axes=None: a.transpose(*(axes or ())),
        np.sum: lambda a, axis=None: a.sum(axis),
        np.clip: lambda a, a_min=None, a_max=None: a.clip(a_min, a_max),
        np.shape: lambda a: a.shape,
        np.size: lambda a: math.prod(a.shape),
        np.ndim: lambda a: a.ndim,
    }
