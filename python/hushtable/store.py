"""Material on disk: made ahead with the peer, spent later, each piece once, whatever crashes in between."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import TracebackType
from typing import Any

from . import _hushtable as native
from . import _words
from ._words import Kind
from .errors import ParamError
from .party import Party
from .prepared import Like, count

# The library sees a fork by the process id; told of it, also one whose child has its parent's.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=native.forked)


class Store:
    """An open store. Lookups get it as `store=`, everything else by `with p.spending(store):`. The program reads it too.

    One process has it at a time, and once: until `close`, or the end of `with ht.Store(...) as store:`.

    `identity` is the folder of the party that made it. With `no_offline` an operation raises `StoreError` if too
    little is left; without it the rest is made at once. Both parties pass their halves of the same store, over
    TLS. A store that was restored from a backup is refused, and one that was opened before a fork.
    """

    def __init__(
        self, folder: str | os.PathLike[str], identity: str | os.PathLike[str], no_offline: bool = False
    ) -> None:
        self._native = native.Store(folder, identity)
        self.no_offline = no_offline

    @classmethod
    def make(
        cls,
        p: Party,
        folder: str | os.PathLike[str],
        identity: str | os.PathLike[str],
        lookups: int,
        index_bits: int,
        bits: int,
        *,
        index_kind: Kind = "additive",
        kind: Kind = "additive",
        protocol: str = "auto",
    ) -> Store:
        """Makes material for lookups in tables of `2^index_bits` entries, in a new folder; the peer does too.

        `bits` is the width of the results. `protocol` is one of `hushtable.protocols()` that can be stored;
        `"auto"` chooses as the program's `prepare` does. Needs TLS: a store belongs to the identities of both.
        """
        _words.check_bits(bits)
        name = p._announced(f"store({lookups} lookups, {index_bits} bits {index_kind}, {bits} bits {kind})")
        return cls._of(
            native.Store.make(
                p._native, name, folder, identity, index_bits, index_kind, bits, kind, protocol, lookups
            )
        )

    @classmethod
    def make_for(
        cls,
        p: Party,
        folder: str | os.PathLike[str],
        identity: str | os.PathLike[str],
        items: int,
        f: Callable[..., Any],
        *shares: Like | int | tuple[int, ...],
    ) -> Store:
        """Makes material for `items` items of the one operation that `f` does, in a new folder; the peer does too.

        `f` and the types of its shares are given as to `hushtable.prepare`, as in
        `Store.make_for(p, "sigmoid.store", "bank.id", 10**6, ht.sigmoid, ht.Like(1, bits=32, fraction=12, range=(-8, 8)))`.
        An item is a number, a row of softmax or layer norm, or a product of matrices. The store serves every operation of
        the same shape: other functions by tables as long, other comparisons of numbers as wide. Needs TLS.

        Raises `ParamError` if `f` does more than one operation, or a lookup, which `make` is for; `StoreError` for
        what cannot be stored.
        """
        needs = count(f, *shares)
        if len(needs) != 1 or isinstance(needs[0]._what, native.Lookup):
            raise ParamError(
                f"store: {', '.join(need.operation for need in needs) or 'nothing'} is not supported; accepted: one "
                "operation that is no lookup: `Store.make` is for lookups, a store each for several operations"
            )
        name = p._announced(f"store({items} of {needs[0].operation})")
        return cls._of(native.Store.make_for(p._native, name, folder, identity, needs[0]._what, items))

    @classmethod
    def _of(cls, made: native.Store) -> Store:
        store = cls.__new__(cls)
        store._native = made
        store.no_offline = False
        return store

    @property
    def left(self) -> int:
        """Items that are left, before the peer is asked: lookups, numbers, rows."""
        return self._native.left

    @property
    def protocol(self) -> str:
        """The protocol of the lookups that it is for, or nothing: the program makes stores of other material."""
        return self._native.about[0]

    def close(self) -> None:
        """Ends the use of the store, which can then be opened again, here or elsewhere. What is left of it stays."""
        self._native.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def verify(self) -> int:
        """Reads all that is left: how many items are missing. Raises `StoreError` that names what is damaged."""
        return self._native.verify()

    def __repr__(self) -> str:
        if self._native.closed:
            return "Store(closed)"
        _, material, peer, planned = self._native.about
        return f"Store({self.left} of {planned} left, {material}, with {peer})"
