"""One party of a session."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
from . import _words, history
from ._words import Kind, Range, Words
from .bits import BitShare
from .bits import bits as bits_of
from .cost import Cost, write_trace
from .errors import ParamError, ShapeError, StoreError
from .history import History
from .share import Share

if TYPE_CHECKING:
    from .store import Store

# The material of an operation that was prepared; nothing: the call makes it.
Ahead = native.Material | native.Store | None

# The operations that a function prepared has left: number, name, what of it this party alone knows, material.
Left = Iterator[tuple[str, str, object, Ahead]]

# Longest name of an operation that is announced as it is; of a longer one the end is hashed.
LONGEST = 360

# What to do instead with an operation that no store serves.
NOT_STORED = "its material cannot be stored: call it outside of `with p.spending(...)`"

_offline: ContextVar[Party | None] = ContextVar("hushtable_offline", default=None)


class Party:
    """One end of a session; `role` is 0 or 1.

    Made by `run_pair`, `listen` and `connect`. After an error the session is over, at both parties.
    """

    # Of the operation that runs: whether there is one, how the shares that go into it were made, digests of the public
    # numbers that met shares in it.
    _inside = False
    _using: Sequence[History] = ()
    _met_here: Sequence[bytes] = ()
    # What was announced, and shares that were made of no others.
    _announcements = 0
    _roots = 0

    def __init__(self, native_party: native.Party) -> None:
        self._native = native_party
        self._prepared: Left | None = None
        self._prepared_before = 0
        self._stores: tuple[Store, ...] = ()
        self._numbers = hashlib.sha256()
        self._any_numbers = False

    @property
    def role(self) -> int:
        """0 for the party that listens, 1 for the one that connects."""
        return self._native.role

    @property
    def peer(self) -> str:
        """Who the peer is: the name under which it is trusted, or its address without TLS."""
        return self._native.peer

    @property
    def peer_fingerprint(self) -> str | None:
        """The fingerprint of the peer's certificate; `None` without TLS."""
        return self._native.peer_fingerprint

    @property
    def id(self) -> str:
        """The session in 64 hexadecimal digits, the same at both parties."""
        return bytes(self._native.id).hex()

    @property
    def chance(self) -> float:
        """How likely chance alone spoiled something in this session so far, at most: a wrong result, or an error.

        The calls are added up, of which each has 2^-40 at most: one with more raises `ParamError` before anything is sent.
        """
        return self._native.chance

    @property
    def cost(self) -> Cost:
        """What the session took so far."""
        return Cost(tuple(self._native.records()))

    def trace(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes a timeline of the session so far, which Perfetto (ui.perfetto.dev) opens: times in microseconds,
        bytes and rounds of every step. Raises `IoError` if the file is there already, unless `overwrite`."""
        write_trace(path, self.role, self._native.records(), overwrite)

    def share(
        self,
        values: ArrayLike,
        bits: int = 16,
        fraction: int = 8,
        *,
        range: tuple[float, float] | None = None,
        kind: Kind = "additive",
        wrap: bool = False,
    ) -> Share:
        """Shares of the sums of both parties' numbers: each party contributes an addend. No message.

        `values` is anything array-like of numbers: an array, a list, a column of pandas, Polars or Arrow; the share
        has its shape. `bits`, 1 to 64, is the width of a number, `fraction`, 0 to 52, its digits after the point.
        Each is rounded to the nearest multiple of `2^-fraction`, ties away from zero. The sum lies in `range`
        (`lo <= x < hi`, whose ends are rounded outward; default: the signed numbers of `bits` bits, which leave no room
        for sums and products), and each party's own numbers in its half, `lo/2 <= x < hi/2`, so that no sum wraps
        around. With `kind="xor"` the numbers are unsigned and XORed. With `wrap=True`, for whole numbers, what is
        computed of the share is so mod `2^bits`, where it would be refused otherwise.

        Raises `ParamError` that names the first number outside, or that is not finite; `TypeError` for values
        that are no numbers. Shapes or types that differ between the parties raise `HandshakeError` at the
        next operation that waits for the peer.
        """
        numbers = _words.numbers(values)
        limits = self._limits(bits, fraction, range, kind, wrap)
        part = 2 if kind == "additive" else 1
        words = native.encode(numbers, bits, fraction, limits, part)
        self._announce(_describe("share", numbers.shape, bits, fraction, limits, kind, wrap))
        made = Share(self, words, bits, fraction, kind, limits, wrap, made=self._root("share"))
        return made._off_by(0.5 * part * 2.0**-fraction)

    bits = bits_of

    def input(
        self,
        values: ArrayLike | None,
        owner: int,
        *,
        shape: int | tuple[int, ...] | None = None,
        bits: int = 16,
        fraction: int = 8,
        range: tuple[float, float] | None = None,
        kind: Kind = "additive",
        wrap: bool = False,
    ) -> Share:
        """Shares of the numbers of one party, `owner`; the other passes `None` and the shape. No message.

        The share has the shape of `values`, which is `shape` at the other party. As `share` otherwise; the numbers
        may use the whole `range`. Raises `ParamError` if values or the shape are missing or given by the wrong party,
        `ShapeError` if both are given and differ.
        """
        limits = self._limits(bits, fraction, range, kind, wrap)
        if self.role == owner:
            if values is None:
                raise ParamError(f"input: party {owner} owns it and has to give the values")
            words = native.encode(_words.numbers(values), bits, fraction, limits, 1)
            if shape is not None and words.shape != np.empty(shape, dtype=np.bool_).shape:
                raise ShapeError(f"input: values of shape {words.shape} where shape={shape}")
        else:
            if values is not None or shape is None:
                raise ParamError(f"input: party {owner} owns it; this party passes None and shape=")
            words = np.zeros(shape, dtype=_words.dtype(bits))
        name = f"input of party {owner}"
        self._announce(_describe(name, words.shape, bits, fraction, limits, kind, wrap))
        made = Share(self, words, bits, fraction, kind, limits, wrap, made=self._root("input"))
        return made._off_by(0.5 * 2.0**-fraction)

    @overload
    def open(self, share: Share | BitShare, to: None = None) -> NDArray[Any]: ...

    @overload
    def open(self, share: Share | BitShare, to: int) -> NDArray[Any] | None: ...

    def open(self, share: Share | BitShare, to: int | None = None) -> NDArray[Any] | None:
        """The values, at both parties, or at party `to` only; the other gets `None`. 1 round.

        An array of the share's shape: `float64` if there are fraction bits, else `int64`, or `uint64` for a range
        without a sign that goes beyond it; for one that goes beyond both, Python's integers if `int64` does not hold all
        the numbers; `bool` for shares of single bits by XOR. Of a `BitShare` what its type says: `float32`, integers as wide,
        Python's beyond 64 bits, `bool` for `u1`, rows of bytes for bits. This is the only method that reveals.

        Raises `HandshakeError` if the peer opens something else, `PeerError` if it is gone, `ShapeError` for a
        share of another session.
        """
        if share.party is not self:
            raise ShapeError("open: a share of another session or party")
        if to not in (None, 0, 1):
            raise ParamError(f"open: to={to!r} is not supported; accepted: None, 0 or 1")
        if isinstance(share, BitShare):
            return share._open(to)
        who = "both" if to is None else f"party {to}"
        operation = f"open({_shape(share.shape)}, {share._type()}, to {who})"
        words = np.ascontiguousarray(share._words).reshape(share.shape)
        lo, hi = share._range
        bit = share.kind == "xor" and share.bits == 1
        beyond = share.fraction == 0 and not (-(1 << 63) <= lo and hi <= 1 << 63)
        view = None if bit or beyond else (share.fraction, lo)
        self._using = [share._history]
        opened = self._open(operation, words, share.bits, share.kind, to, view)
        if opened is None or view is not None:
            return opened
        return opened.astype(np.bool_) if bit else _words.beyond(opened, share.bits, share._range)

    def barrier(self) -> None:
        """Waits until the peer is at the same point: 1 round. Raises `PeerError` if it is gone."""
        self._native.barrier()

    def agree(self, **values: object) -> None:
        """Compares named public values with the peer's, as text. 1 round.

        At most 64 values of 256 characters. Raises `HandshakeError` at both parties if one differs; its `field`,
        `ours` and `theirs` say which, and what it is here and there.
        """
        self._native.agree([(name, str(value)) for name, value in values.items()])

    @contextmanager
    def offline(self) -> Iterator[Party]:
        """In this block `hushtable.prepare` prepares with this party. Both parties enter one."""
        token = _offline.set(self)
        try:
            yield self
        finally:
            _offline.reset(token)

    @contextmanager
    def spending(self, *stores: Store) -> Iterator[Party]:
        """In this block an operation takes its material from the first of these stores that serves it, and makes what
        is missing there. Both parties enter one, with their halves of the same stores in the same order; else the
        next operation raises `HandshakeError`. What was prepared with `hushtable.prepare` goes before.

        Lookups in tables are given their store as `store=`. What has nothing in a store, as joins, `psi` and statistics,
        makes its material now; where a store says `no_offline` it is refused, before anything is sent.
        """
        around, self._stores = self._stores, stores
        try:
            yield self
        finally:
            self._stores = around

    def close(self) -> None:
        """Ends the session. A peer that waits for more gets an error."""
        self._native.close(True)

    def __enter__(self) -> Party:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._native.close(kind is None)

    def __repr__(self) -> str:
        return f"Party(role={self.role}, peer={self.peer!r})"

    def _met(self, how: str, fraction: int, steps: NDArray[np.int64]) -> None:
        """Public numbers met a share, in steps of `2^-fraction`: the peer hears of them with the next operation."""
        met = hashlib.sha256(f"{how} {fraction} {steps.shape} ".encode())
        met.update(steps.astype("<i8").tobytes())
        self._numbers.update(met.digest())
        self._any_numbers = True
        if self._inside:
            self._met_here = [*self._met_here, met.digest()]

    def _root(self, name: str) -> History:
        """Of a share that is made of no other one, after both parties announced that."""
        self._roots += 1
        return history.root(f"{name} {self._roots}", f"{name} {self._roots}")

    def _announced(self, name: str) -> str:
        """What is announced of an operation: its name, how the shares that go into it were made, and a digest of the
        public numbers since the last one."""
        self._announcements += 1
        if self._using:
            name, self._using = name + history.announced(self._using), ()
        if self._any_numbers:
            name = f"{name}; public numbers {self._numbers.hexdigest()[:32]}"
            self._numbers, self._any_numbers = hashlib.sha256(), False
        return name if len(name) <= LONGEST else f"{name[:LONGEST - 34]}..{_words.digest(name)}"

    def _live(self, operation: str) -> native.Party:
        """The native half, for an operation that depends on what the peer has: it is not prepared."""
        if self._prepared is not None:
            self._native.fail()
            raise ParamError(f"{operation}: not supported in a function that is prepared")
        return self._native

    def _announce(self, operation: str) -> None:
        self._native.announce(self._announced(operation))

    def _open(
        self, operation: str, words: Words, bits: int, kind: Kind, to: int | None, view: tuple[int, int] | None
    ) -> NDArray[Any] | None:
        return self._native.open(self._announced(operation), words, bits, kind, to, view)

    def _look_up(self, name: str, lookup: native.Lookup, index: NDArray[np.uint32], store: Store | None) -> Words:
        """Words of shares of the entries; from what was prepared while that runs."""
        words = np.ascontiguousarray(index).reshape(index.shape)
        if store is not None:
            name = self._announced(name)
            return native.look_up_stored(self._native, name, lookup, words, store._native, store.no_offline)
        self._may_make(name, "give the lookup a store of lookups as store=")
        announced, material = self._next(name)
        if isinstance(material, native.Store):
            return native.look_up_stored(self._native, announced, lookup, words, material, True)
        return native.look_up(self._native, announced, lookup, words, material)

    def _run(
        self, name: str, operation: native.Operation, x: Words, y: Words, shape: tuple[int, ...], own: object = None
    ) -> NDArray[np.uint64]:
        """Words of shares of what the operation gives, in this shape; from what was prepared while that runs.

        `own` is what of the operation this party alone knows.
        """
        columns = self._columns(name, operation, [x, y] if y.size else [x], (), own)
        return (columns[0] if len(columns) == 1 else np.stack(columns, axis=-1)).reshape(shape)

    def _columns(
        self, name: str, operation: native.Operation, operands: Sequence[Words], sizes: Sequence[int], own: object = None
    ) -> list[NDArray[np.uint64]]:
        """As `_run`, of any number of columns: `sizes` are their words in a dry run."""
        store = next((store for store in self._stores if store._native.serves(operation)), None)
        if store is not None and self._prepared is None:
            name = self._announced(name)
            return native.run_stored(self._native, name, operation, operands, store._native, store.no_offline)
        self._may_make(name, "open a store that was made for it, by Store.make_for with the same widths and shape")
        announced, material = self._next(name, own)
        if isinstance(material, native.Store):
            return native.run_stored(self._native, announced, operation, operands, material, True)
        return native.run(self._native, announced, operation, operands, material)

    def _may_make(self, name: str, instead: str) -> None:
        """Refuses an operation whose material would be made now, where a store says that none may be."""
        if self._prepared is None and any(store.no_offline for store in self._stores):
            self._using = ()
            there = f"lets nothing be made now: {', '.join(map(repr, self._stores))}"
            raise StoreError(f"{name}: none of the stores serves it, and no_offline {there}; {instead}")

    def _next(self, name: str, own: object = None) -> tuple[str, Ahead]:
        """What is announced of the operation `name`, which comes next, and its material if it was prepared.

        Anything else than what was prepared ends the session: the peer may have gone on.
        """
        if self._prepared is None:
            return self._announced(name), None
        number, prepared, known, material = next(self._prepared, ("", "nothing more", None, None))
        if prepared != name:
            self._native.fail()
            raise ShapeError(f"prepared for {prepared}, got {name}: the function does not do the same twice")
        if known != own:
            self._native.fail()
            raise ShapeError(f"prepared for other numbers of this party than those now in {name}")
        return self._announced(f"{name}, prepared as {number}"), material

    def _limits(
        self, bits: int, fraction: int, range: tuple[float, float] | None, kind: Kind, wrap: bool
    ) -> Range:
        """The public range of a new share, as integers at its scale."""
        _words.check_bits(bits)
        if kind not in ("additive", "xor"):
            raise ParamError(f"kind: {kind!r} is not supported; accepted: 'additive' or 'xor'")
        if not 0 <= fraction <= 52:
            raise ParamError(f"fraction bits: {fraction} is not supported; accepted: 0 to 52")
        if wrap and (fraction or kind != "additive"):
            raise ParamError("wrap: True is not supported here; accepted: with fraction=0 and kind='additive'")
        if range is None:
            return _words.signed(bits) if kind == "additive" else (0, 1 << bits)
        limits = _words.outward(range, fraction)
        if limits is None or not _words.fits(*limits, bits):
            need = 65 if limits is None else _words.need(*limits)
            more = "" if need > 64 else f"; these take bits={need}"
            raise ParamError(
                f"range: {range} is not supported in {bits} bits with {fraction} digits after the point; accepted: "
                f"lo < hi between -2^64 and 2^64 that hold at most 2^{bits} multiples of 2^-{fraction}{more}"
            )
        return limits


def offline_party() -> Party:
    """The party of the `with p.offline():` block around."""
    party = _offline.get()
    if party is None:
        raise ParamError("prepare: call it inside `with p.offline():`")
    return party


def _shape(shape: tuple[int, ...]) -> str:
    return f"shape {shape}"


def _describe(
    name: str, shape: tuple[int, ...], bits: int, fraction: int, limits: Range, kind: Kind, wrap: bool
) -> str:
    lo, hi = limits
    how = f"bits={bits}, fraction={fraction}, kind={kind!r}, range {lo}:{hi}{', wrap=True' if wrap else ''}"
    return f"{name}({_shape(shape)}, {how})"
