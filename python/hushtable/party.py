"""One party of a session."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
from . import _words
from ._words import Kind, Range, Words
from .cost import Cost, write_trace
from .errors import ParamError, ShapeError
from .share import Share

_offline: ContextVar[Party | None] = ContextVar("hushtable_offline", default=None)


class Party:
    """One end of a session; `role` is 0 or 1.

    Made by `run_pair`, `listen` and `connect`. After an error the session is over, at both parties.
    """

    def __init__(self, native_party: native.Party) -> None:
        self._native = native_party
        self._prepared: Iterator[native.Material] | None = None

    @property
    def role(self) -> int:
        """0 for the party that listens, 1 for the one that connects."""
        return self._native.role

    @property
    def peer(self) -> str:
        """Who the peer is, for people."""
        return self._native.peer

    @property
    def id(self) -> str:
        """The session, the same at both parties."""
        return bytes(self._native.id).hex()

    @property
    def cost(self) -> Cost:
        """What the session took so far."""
        return Cost(tuple(self._native.records()))

    def trace(self, path: str | os.PathLike[str]) -> None:
        """Writes a timeline of the session so far, which Perfetto (ui.perfetto.dev) opens."""
        write_trace(path, self.role, self._native.records())

    def share(
        self,
        values: ArrayLike,
        bits: int = 16,
        fraction: int = 8,
        *,
        range: tuple[float, float] | None = None,
        kind: Kind = "additive",
    ) -> Share:
        """Shares of the sums of both parties' numbers: each party contributes an addend. No message.

        `values` is anything array-like of numbers: an array, a list, a column of pandas, Polars or Arrow.
        Each is rounded to the nearest multiple of `2^-fraction`, ties away from zero. The sum lies in `range`
        (`lo <= x < hi`; default: the signed numbers of `bits` bits), and each party's own numbers in its half,
        `lo/2 <= x < hi/2`, so that no sum wraps around. With `kind="xor"` the numbers are unsigned and
        XORed.

        Raises `ParamError` that names the first number outside, or that is not finite; `TypeError` for values
        that are no numbers. Shapes or types that differ between the parties raise `HandshakeError` at the
        next operation that waits for the peer.
        """
        numbers = _words.numbers(values)
        limits = self._limits(bits, fraction, range, kind)
        part = 2 if kind == "additive" else 1
        words = native.encode(numbers, bits, fraction, limits, part)
        self._native.announce(_describe("share", numbers.shape, bits, fraction, limits, kind))
        return Share(self, words, bits, fraction, kind, limits)

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
    ) -> Share:
        """Shares of the numbers of one party, `owner`; the other passes `None` and the shape. No message.

        As `share` otherwise; the numbers may use the whole `range`.
        """
        limits = self._limits(bits, fraction, range, kind)
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
        self._native.announce(_describe(name, words.shape, bits, fraction, limits, kind))
        return Share(self, words, bits, fraction, kind, limits)

    def open(self, share: Share, to: int | None = None) -> NDArray[Any] | None:
        """The values, at both parties, or at party `to` only; the other gets `None`. 1 round.

        `float64` if there are fraction bits, else `int64`; `bool` for shares of single bits by XOR. This is
        the only method that reveals.
        """
        if share.party is not self:
            raise ShapeError("open: a share of another session or party")
        if to not in (None, 0, 1):
            raise ParamError(f"open: to={to!r} is not supported; accepted: None, 0 or 1")
        who = "both" if to is None else f"party {to}"
        operation = f"open({_shape(share.shape)}, {share._type()}, to {who})"
        words = np.ascontiguousarray(share._words).reshape(share.shape)
        opened = self._native.open(operation, words, share.bits, share.kind, to)
        if opened is None:
            return None
        if share.kind == "xor" and share.bits == 1:
            return opened.astype(np.bool_)
        lo, hi = share._range
        if share.fraction == 0 and hi > 1 << 63:
            return opened.astype(np.uint64)
        return native.decode(opened, share.bits, share.fraction, lo)

    def barrier(self) -> None:
        """Waits until the peer is at the same point: 1 round."""
        self._native.barrier()

    def agree(self, **values: object) -> None:
        """Compares named public values with the peer's: `HandshakeError` at both if one differs. 1 round."""
        self._native.agree([(name, str(value)) for name, value in values.items()])

    @contextmanager
    def offline(self) -> Iterator[Party]:
        """What `hushtable.prepare` prepares in this block is prepared by this party."""
        token = _offline.set(self)
        try:
            yield self
        finally:
            _offline.reset(token)

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

    def _lookup(
        self,
        operation: str,
        index: NDArray[np.uint32],
        index_kind: Kind,
        table: native.Table,
        bits: int,
        kind: Kind,
        protocol: str,
    ) -> Words:
        """Words of shares of the entries; from a plan's material while one runs."""
        words = np.ascontiguousarray(index).reshape(index.shape)
        if self._prepared is not None:
            material = next(self._prepared, None)
            if material is None:
                raise ShapeError(f"plan: {operation} is more than was prepared")
            return self._native.spend(operation, words, material)
        return self._native.lookup(operation, words, index_kind, table, bits, kind, protocol)

    def _multiply(self, operation: str, x: Words, y: Words, bits: int) -> Words:
        return native.multiply(self._native, operation, x, y, bits)

    def _matrix_product(
        self, operation: str, x: Words, y: Words, bits: int, shape: tuple[int, int, int]
    ) -> Words:
        return native.matrix_product(self._native, operation, x, y, bits, shape)

    def _truncate(self, operation: str, x: Words, bits: int, fraction: int) -> Words:
        return native.truncate(self._native, operation, x, bits, fraction)

    def _less(self, operation: str, x: Words, y: Words, bits: int, domain: str) -> Words:
        return native.less(self._native, operation, x, y, bits, domain)

    def _select(self, operation: str, b: Words, x: Words, bits: int) -> Words:
        return native.select(self._native, operation, b, x, bits)

    def _limits(
        self, bits: int, fraction: int, range: tuple[float, float] | None, kind: Kind
    ) -> Range:
        """The public range of a new share, as integers at its scale."""
        _words.check_bits(bits)
        if kind not in ("additive", "xor"):
            raise ParamError(f"kind: {kind!r} is not supported; accepted: 'additive' or 'xor'")
        if not 0 <= fraction <= 52:
            raise ParamError(f"fraction bits: {fraction} is not supported; accepted: 0 to 52")
        if range is None:
            return _words.signed(bits) if kind == "additive" else (0, 1 << bits)
        lo, hi = (end * (1 << fraction) for end in range)
        if lo != int(lo) or hi != int(hi) or not 0 < hi - lo <= 1 << bits:
            accepted = f"multiples of 2^-{fraction} that hold at most 2^{bits} numbers"
            raise ParamError(f"range: {range} is not supported; accepted: {accepted}")
        return int(lo), int(hi)


def offline_party() -> Party:
    """The party of the `with p.offline():` block around."""
    party = _offline.get()
    if party is None:
        raise ParamError("prepare: call it inside `with p.offline():`")
    return party


def _shape(shape: tuple[int, ...]) -> str:
    return f"shape {shape}"


def _describe(name: str, shape: tuple[int, ...], bits: int, fraction: int, limits: Range, kind: Kind) -> str:
    lo, hi = limits
    return f"{name}({_shape(shape)}, bits={bits}, fraction={fraction}, kind={kind!r}, range {lo}:{hi})"
