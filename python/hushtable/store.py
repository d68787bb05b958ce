"""Material on disk: made ahead with the peer, spent later, each piece once, whatever crashes in between."""

from __future__ import annotations

import os

from . import _hushtable as native
from . import _words
from ._words import Kind
from .party import Party

# The library sees a fork by the process id; told of it, also one whose child has its parent's.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=native.forked)


class Store:
    """An open store; give it to `hushtable.lookup` or a function as `store=`. The program reads it too.

    `identity` is the folder of the party that made it. With `no_offline` a lookup raises `StoreError` if too
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
        `"auto"` is that of the program's `prepare`. Needs TLS: a store belongs to the identities of both.
        """
        _words.check_bits(bits)
        name = p._announced(f"store({lookups} lookups, {index_bits} bits {index_kind}, {bits} bits {kind})")
        made = cls.__new__(cls)
        made._native = native.Store.make(
            p._native, name, folder, identity, index_bits, index_kind, bits, kind, protocol, lookups
        )
        made.no_offline = False
        return made

    @property
    def left(self) -> int:
        """Lookups that are left, before the peer is asked."""
        return self._native.left

    @property
    def protocol(self) -> str:
        """The protocol of the lookups that it is for, or nothing: the program makes stores of other material."""
        return self._native.about[0]

    def verify(self) -> int:
        """Reads all that is left: how many lookups are missing. Raises `StoreError` that names what is damaged."""
        return self._native.verify()

    def __repr__(self) -> str:
        _, material, peer, planned = self._native.about
        return f"Store({self.left} of {planned} left, {material}, with {peer})"
