"""Offline first: what a function will need is counted by a dry run, prepared, and spent by one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
from . import _words
from ._words import Kind, Words
from .errors import ParamError, ShapeError, SpentError
from .party import Party, offline_party
from .share import Share

Result = TypeVar("Result")


@dataclass(frozen=True)
class Like:
    """The public type of a share that a plan will get: as the arguments of `Party.share`."""

    shape: int | tuple[int, ...]
    bits: int = 16
    fraction: int = 8
    range: tuple[float, float] | None = None
    kind: Kind = "additive"


@dataclass(frozen=True)
class Need:
    """Lookups of one call inside the function."""

    operation: str
    count: int
    index_kind: Kind
    table: native.Table
    bits: int
    kind: Kind
    protocol: str


class Plan(Generic[Result]):
    """Material for one call of a function. Call it with the shares; a second call raises `SpentError`."""

    def __init__(
        self,
        party: Party,
        f: Callable[..., Result],
        types: tuple[str, ...],
        needs: list[Need],
        materials: list[native.Material],
    ) -> None:
        self._party = party
        self._f = f
        self._types = types
        self._materials: list[native.Material] | None = materials
        self.needs = tuple(needs)

    def __call__(self, *shares: Share) -> Result:
        """The function of these shares, with the material prepared. Only the online phase is left."""
        if self._materials is None:
            raise SpentError("the plan is spent: one-time material serves one call")
        got = tuple(repr(share) for share in shares)
        if got != self._types:
            raise ShapeError(f"plan: expected {', '.join(self._types)}, got {', '.join(got)}")
        materials, self._materials = self._materials, None
        self._party._prepared = iter(materials)
        try:
            return self._f(*shares)
        finally:
            self._party._prepared = None

    def __repr__(self) -> str:
        state = "spent" if self._materials is None else f"{sum(n.count for n in self.needs)} lookups"
        return f"Plan({state})"


def count(f: Callable[..., Any], *shares: Like | int | tuple[int, ...]) -> list[Need]:
    """What a call of `f` on shares of these types needs. Runs `f` on shares of nothing, without a peer."""
    return _count(f, [_like(share) for share in shares])[1]


def prepare(f: Callable[..., Result], *shares: Like | int | tuple[int, ...]) -> Plan[Result]:
    """Prepares one call of `f` on shares of these types, a shape or a `Like` each; inside `with p.offline():`.

    `f` takes shares and returns shares. It must do the same whatever the values are, which it cannot see.
    Returns a `Plan`: call it once, with the shares.
    """
    party = offline_party()
    dry, needs = _count(f, [_like(share) for share in shares])
    materials = [
        party._native.prepare(
            f"prepare {n.operation}", n.count, n.index_kind, n.table, n.bits, n.kind, n.protocol
        )
        for n in needs
    ]
    return Plan(party, f, tuple(repr(share) for share in dry), needs, materials)


class _Counting(Party):
    """A party without a peer, whose shares are of nothing: it notes what is asked for."""

    def __init__(self) -> None:
        self.needs: list[Need] = []
        self._prepared = None

    @property
    def role(self) -> int:
        return 0

    @property
    def peer(self) -> str:
        return "nobody: a dry run"

    def open(self, share: Share, to: int | None = None) -> NoReturn:
        raise ParamError("plan: a dry run has no values to open; open the result of the plan")

    def share(self, values: ArrayLike, *args: Any, **kwargs: Any) -> NoReturn:
        raise ParamError("plan: a dry run has no inputs; pass the shares to the function")

    def input(self, values: ArrayLike | None, *args: Any, **kwargs: Any) -> NoReturn:
        raise ParamError("plan: a dry run has no inputs; pass the shares to the function")

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
        self.needs.append(Need(operation, index.size, index_kind, table, bits, kind, protocol))
        return np.zeros(index.shape, dtype=_words.dtype(bits))


    # Arithmetic makes its material on the way: a plan prepares lookups.

    def _multiply(self, operation: str, x: Words, y: Words, bits: int) -> Words:
        return np.zeros_like(x)

    def _matrix_product(
        self, operation: str, x: Words, y: Words, bits: int, shape: tuple[int, int, int]
    ) -> Words:
        return np.zeros((shape[0], shape[2]), dtype=np.uint64)

    def _truncate(self, operation: str, x: Words, bits: int, fraction: int) -> Words:
        return np.zeros_like(x)

    def _less(self, operation: str, x: Words, y: Words, bits: int, domain: str) -> Words:
        return np.zeros_like(x)

    def _select(self, operation: str, b: Words, x: Words, bits: int) -> Words:
        return np.zeros_like(x)


def _count(f: Callable[..., Any], types: list[Like]) -> tuple[list[Share], list[Need]]:
    party = _Counting()
    shares = []
    for t in types:
        limits = party._limits(t.bits, t.fraction, t.range, t.kind)
        words = np.zeros(t.shape, dtype=_words.dtype(t.bits))
        shares.append(Share(party, words, t.bits, t.fraction, t.kind, limits))
    f(*shares)
    return shares, party.needs


def _like(share: Like | int | tuple[int, ...]) -> Like:
    return share if isinstance(share, Like) else Like(share)
