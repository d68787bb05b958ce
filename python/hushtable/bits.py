"""Shares by XOR of values that circuits take: floating-point numbers, whole ones, and bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
from . import _values, _words, history
from ._secret import Secret
from ._values import Type
from ._words import Kind
from .arithmetic import NOTHING
from .errors import ParamError, ShapeError
from .history import History
from .share import Share
from .ufuncs import functions

if TYPE_CHECKING:
    from .party import Party


class BitShare(Secret):
    """One party's shares of an array of values of a circuit's port: their bits are shared by XOR.

    `shape`, `type` (`"f32"`, `"f64"`, `"u32"`, `"i32"`, `"b128"`) and `owner` are public and the same at both parties.
    `owner` is the party that knows the values, or `None`: a circuit spends less on what a party knows. Indexing, reshaping
    and joining are NumPy's; `^` is the XOR of the bits. All else is a circuit's, as `ht.circuits.f32_add(x, y)`. Nothing
    here reveals a value: that is `p.open`.
    """

    __slots__ = ("_history", "_owner", "_packed", "_party", "_type")
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None

    def __init__(self, party: Party, words: _values.Words, type: Type, owner: int | None, made: History | None = None) -> None:
        self._history = made or history.UNKNOWN
        self._party = party
        self._packed = _packed(words)
        self._type = type
        self._owner = owner

    # --- what is public

    @property
    def party(self) -> Party:
        """The party that holds this share."""
        return self._party

    @property
    def type(self) -> str:
        """What the bits mean."""
        return self._type.name

    @property
    def owner(self) -> int | None:
        """The party that knows the values."""
        return self._owner

    @property
    def bits(self) -> int:
        """Bits of a value."""
        return self._type.bits

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self._packed.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._packed.ndim

    @property
    def size(self) -> int:
        """Number of values."""
        return self._packed.size

    def __len__(self) -> int:
        return len(self._packed)

    def __repr__(self) -> str:
        known = "" if self.owner is None else f", owner={self.owner}"
        return f"BitShare(shape={self.shape}, type={self.type!r}{known})"

    # --- rearranging

    @history.view(history.indexed)
    def __getitem__(self, key: Any) -> BitShare:
        return self._like(np.asarray(self._packed[key], dtype=self._packed.dtype))

    def __iter__(self) -> Iterator[BitShare]:
        return (self[i] for i in range(len(self)))

    @history.view(history.reshaped)
    def reshape(self, *shape: int | tuple[int, ...]) -> BitShare:
        """The same values in another shape, as `numpy.reshape`."""
        return self._like(self._packed.reshape(*shape))  # type: ignore[arg-type]

    @history.view(history.reshaped)
    def ravel(self) -> BitShare:
        """The same values in one axis."""
        return self._like(self._packed.ravel())

    @history.view(history.transposed)
    def transpose(self, *axes: int) -> BitShare:
        """The axes in another order, reversed by default."""
        return self._like(self._packed.transpose(*axes))

    @property
    def T(self) -> BitShare:
        """The axes reversed."""
        return self.transpose()

    @history.view(lambda share, result, type: f".view({result.type})")
    def view(self, type: str) -> BitShare:
        """The same bits with another meaning, as many bits: `x.view("u32")` of `f32`. Raises `ParamError` for others."""
        other = _values.of(type)
        if other.bits != self.bits:
            raise ParamError(f"view: {type!r} of {other.bits} bits is not supported for {self!r}; accepted: {self.bits} bits")
        return BitShare(self._party, self._words(), other, self.owner)

    # --- computing

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("== and != of values for circuits; accepted: a circuit, as ht.circuits.equal32 or f32_equal")

    __ne__ = __eq__

    @history.operation("^", ("self", "other"))
    def __xor__(self, other: BitShare) -> BitShare:
        if not isinstance(other, BitShare):
            return NotImplemented
        _same("^", [self, other])
        shape = _broadcast("^", [self, other])
        a, b = (share._words(shape) for share in (self, other))
        return BitShare(self._party, np.bitwise_xor(a, b), self._type, self.owner if self.owner == other.owner else None)

    @history.operation("to_share", ("self",), ("kind", "bits", "fraction"))
    def to_share(self, kind: Kind = "additive", *, bits: int | None = None, fraction: int = 0) -> Share:
        """Whole numbers as a `Share`, with `fraction` of their digits behind the point: `n` becomes `n * 2^-fraction`.

        Additive ones, of `bits` bits (default: those of the type), take a protocol; by XOR they are what they were, without
        one, and of one bit they are what `ht.where` takes. Raises `ParamError` for floating-point numbers, which
        `ht.circuits.i32_of_f32` makes whole, for bits of no number as additive ones, and for more than 64 bits.
        """
        width = self.bits if bits is None else bits
        accepted = "ui" if kind == "additive" else "uib"
        if kind not in ("additive", "xor") or self._type.letter not in accepted or self.bits > 64:
            raise ParamError(
                f"to_share: kind={kind!r} of {self!r} is not supported; accepted: 'additive' of u1 to u64 and i1 to i64, "
                f"'xor' of these and b1 to b64; view() says what bits mean, ht.circuits.i32_of_f32 rounds"
            )
        if not self.bits <= width <= 64 or (kind == "xor" and width != self.bits):
            raise ParamError(f"to_share: bits={bits} is not supported; accepted: {self.bits}" + (" to 64" * (kind == "additive")))
        if not 0 <= fraction <= _words.MOST_FRACTION:
            raise ParamError(f"to_share: fraction={fraction} is not supported; accepted: 0 to {_words.MOST_FRACTION}")
        words = self._words()[..., 0]
        if kind == "additive":
            operation = native.Operation.to_additive(self.bits, width, self._type.letter == "i", fraction)
            name = f"to_share(shape {self.shape}, {self.type}, bits={width} fraction={fraction})"
            words = self._party._run(name, operation, np.ascontiguousarray(words).reshape(self.shape), NOTHING, self.shape)
        return Share(self._party, _words.reduce(words, width), width, fraction, kind, self._type.limits)

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        ours = None if func in (np.sum, np.clip) else functions().get(func)
        return NotImplemented if ours is None else ours(*args, **kwargs)

    # --- inside

    def _words(self, shape: tuple[int, ...] | None = None) -> _values.Words:
        """The words, an axis of them behind the others; broadcast to a shape."""
        packed = self._packed if shape is None else np.broadcast_to(self._packed, shape)
        flat = np.ascontiguousarray(packed).reshape(-1)
        return flat.view(np.uint64).reshape(*packed.shape, self._type.words)

    def _like(self, packed: NDArray[Any]) -> BitShare:
        made = BitShare.__new__(BitShare)
        made._history, made._party, made._type, made._owner = self._history, self._party, self._type, self._owner
        made._packed = packed
        return made

    def _open(self, to: int | None) -> NDArray[Any] | None:
        """The values, as `Party.open` gives them."""
        who = "both" if to is None else f"party {to}"
        self._party._using = [self._history]
        bits = min(self.bits, 64)
        words = _words.reduce(self._words(), bits)
        opened = self._party._open(f"open(shape {self.shape}, {self.type}, to {who})", words, bits, "xor", to, None)
        return None if opened is None else _values.decode(opened.astype(np.uint64), self._type)


def bits(
    self: Party,
    values: ArrayLike | None,
    type: str | None = None,
    owner: int | None = None,
    *,
    shape: int | tuple[int, ...] | None = None,
) -> BitShare:
    """Values for circuits, shared by XOR. No message.

    With `owner` they are that party's; the other passes `None`, the type and `shape=`, and circuits spend less on what
    one party knows. Without, each party gives values whose bits are XORed: shares that were made elsewhere.

    `type` is `"f32"`, `"f64"`, `"u8"` or `"i32"` of any width, or `"b128"` for bits of no number; by default that of
    the array: `float32`, `float64`, integers, `bool` (`u1`), and bytes. Floating-point numbers are rounded to nearest.
    Bits are rows of bytes (`uint8`, or `bytes`), the highest first, or Python's integers.

    Raises `ParamError` that names the first value outside, `TypeError` for values of another kind, `ShapeError`
    for another shape. Types or shapes that differ between the parties raise `HandshakeError` at the next operation that
    waits for the peer.
    """
    if owner not in (None, 0, 1):
        raise ParamError(f"bits: owner={owner!r} is not supported; accepted: None, 0 or 1")
    if owner is None or owner == self.role:
        if values is None:
            raise ParamError("bits: no values are given; accepted: None at the party that is not the owner")
        meant = _values.natural(values) if type is None else _values.of(type)
        words = _values.encode(values, meant, "bits")
        if shape is not None and words.shape[:-1] != np.empty(shape, dtype=np.bool_).shape:
            raise ShapeError(f"bits: values of shape {words.shape[:-1]} where shape={shape}")
    else:
        if values is not None or shape is None or type is None:
            raise ParamError(f"bits: party {owner} owns the values; this party passes None, the type and shape=")
        meant = _values.of(type)
        words = np.zeros((*np.empty(shape, dtype=np.bool_).shape, meant.words), dtype=np.uint64)
    whose = "both" if owner is None else f"party {owner}"
    self._announce(f"bits(shape {words.shape[:-1]}, {meant.name}, of {whose})")
    return BitShare(self, words, meant, owner, made=self._root("bits"))


def join(how: Callable[..., NDArray[Any]], parts: Sequence[Any], axis: int) -> BitShare:
    """Shares of one type side by side; what one party knows all of it still knows."""
    name = how.__name__
    shares = _same(name, parts)
    first = shares[0]
    try:
        packed = how([share._packed for share in shares], axis=axis)
    except ValueError as error:
        raise ShapeError(f"{name}: {', '.join(str(share.shape) for share in shares)}: {error}") from None
    made = first._like(packed)
    made._owner = first.owner if all(share.owner == first.owner for share in shares) else None
    return made


def _same(operation: str, parts: Sequence[Any]) -> list[BitShare]:
    """All as shares of one type and party."""
    shares = [part for part in parts if isinstance(part, BitShare)]
    if len(shares) < len(parts):
        raise TypeError(f"{operation}: values for circuits are expected, as of p.bits(...)")
    if any(share.type != shares[0].type for share in shares):
        raise TypeError(f"{operation}: {', '.join(share.type for share in shares)}; accepted: one type, view() makes another")
    if any(share._party is not shares[0]._party for share in shares):
        raise ShapeError(f"{operation}: shares of different sessions or parties")
    return shares


def _broadcast(operation: str, shares: Sequence[BitShare]) -> tuple[int, ...]:
    """The shape of all together."""
    try:
        return np.broadcast_shapes(*(share.shape for share in shares))
    except ValueError:
        shapes = " and ".join(str(share.shape) for share in shares)
        raise ShapeError(f"{operation}: shapes {shapes} do not fit together") from None


def _packed(words: _values.Words) -> NDArray[Any]:
    """Words with an axis less: each value is one element."""
    *shape, each = words.shape
    dtype = np.dtype(np.uint64) if each == 1 else np.dtype((np.void, 8 * each))
    return np.ascontiguousarray(words).reshape(-1, each).view(dtype).reshape(shape)
