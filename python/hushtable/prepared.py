"""Offline first: what a function will need is counted by a dry run, prepared, and spent by one call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _hushtable as native
from . import _values, _words
from ._words import Kind, Words
from .bits import BitShare
from .cost import Cost
from .errors import ParamError, ShapeError, SpentError
from .party import Ahead, Party, offline_party
from .share import Share

if TYPE_CHECKING:
    from .store import Store

Result = TypeVar("Result")


@dataclass(frozen=True)
class Like:
    """The public type of a share that a function prepared will get: as the arguments of `Party.share`. `read`: how many
    rounded numbers are added up in each, for comparisons with public numbers; 1 for `Party.input`, 0 for results. With
    `type` that of a `BitShare`, as of `Party.bits` with this `owner`; then only the shape counts besides."""

    shape: int | tuple[int, ...]
    bits: int = 16
    fraction: int = 8
    range: tuple[float, float] | None = None
    kind: Kind = "additive"
    wrap: bool = False
    read: int = 2
    type: str | None = None
    owner: int | None = None


@dataclass(frozen=True)
class Need:
    """One call inside the function: which operation, and for how many items: numbers, rows of softmax or layer norm, products
    of matrices, evaluations of a circuit."""

    operation: str
    count: int
    _what: native.Lookup | native.Operation = field(repr=False)
    _own: object = field(default=None, repr=False)


class Prepared(Generic[Result]):
    """A function with material for one call. Call it with the shares; a second call raises `SpentError`.

    Each has a number, the same at both parties, which call theirs in the same order: another one at the peer raises
    `HandshakeError` at both.
    """

    def __init__(
        self,
        party: Party,
        f: Callable[..., Result],
        types: list[Share | BitShare],
        needs: list[Need],
        materials: Sequence[Ahead],
        number: int | str,
    ) -> None:
        self._party = party
        self._f = f
        self._types = tuple(repr(share) for share in types)
        self._offs = tuple(share._off if isinstance(share, Share) else 0.0 for share in types)
        self._materials: Sequence[Ahead] | None = materials
        self._number = number
        self.needs = tuple(needs)

    def __call__(self, *shares: Share | BitShare) -> Result:
        """The function of these shares, with the material prepared. Only the online phase is left.

        A function of the party was prepared without shares, and is called without. Raises `SpentError` at the second
        call, `ShapeError` for shares of other types or of another session or party; also if the function does
        something else than in the dry run, which ends the session at both parties.
        """
        if self._materials is None:
            raise SpentError("what was prepared is spent: one-time material serves one call")
        got = tuple(repr(share) for share in shares)
        if got != self._types:
            raise ShapeError(f"prepared for {', '.join(self._types)}, got {', '.join(got)}")
        if any(share.party is not self._party for share in shares):
            raise ShapeError("prepared for shares of another session or party")
        materials, self._materials = self._materials, None
        needs = enumerate(zip(self.needs, materials, strict=True))
        left = [(_number(self._number, i), need.operation, need._own, material) for i, (need, material) in needs]
        around, self._party._prepared = self._party._prepared, iter(left)
        # As in the dry run.
        given = [
            share._like(share._words)._off_by(off) if isinstance(share, Share) else share
            for share, off in zip(shares, self._offs, strict=True)
        ]
        try:
            return self._f(*(given or (self._party,)))
        finally:
            self._party._prepared = around

    def __repr__(self) -> str:
        state = "spent" if self._materials is None else f"{len(self.needs)} operations"
        return f"Prepared({state})"


def _number(prepared: int | str, operation: int) -> str:
    """How an operation of what was prepared is called, in what the parties announce."""
    return f"{prepared}.{operation + 1}"


def count(f: Callable[..., Any], *shares: Like | int | tuple[int, ...]) -> list[Need]:
    """What a call of `f` needs, without a peer: see `prepare`."""
    return dry_run(f, shares, 0)[1]


def prepare(f: Callable[..., Result], *shares: Like | int | tuple[int, ...]) -> Prepared[Result]:
    """Prepares one call of `f`: its lookups and its arithmetic. Inside `with p.offline():`.

    `f` takes shares of these types, a shape or a `Like` each; or, if none are given, the party, as the functions
    of `run_pair` do. A dry run finds what it needs: `f` runs without the peer, every value that it opens is 0. It
    must do the same whatever the values are.

    Returns a `Prepared`: call it once, with the shares. Raises `ParamError` outside of such a block, `HandshakeError`
    if the peer prepares something else.
    """
    party = offline_party()
    dry, needs = dry_run(f, shares, party.role)
    party._prepared_before = number = party._prepared_before + 1
    materials = [_material(party, need, _number(number, i)) for i, need in enumerate(needs)]
    return Prepared(party, f, dry, needs, materials, number)


def _material(party: Party, need: Need, number: str) -> native.Material:
    name = party._announced(f"prepare {need.operation} as {number}")
    if isinstance(need._what, native.Lookup):
        return native.prepare_lookup(party._native, name, need._what, need.count)
    return native.prepare_operation(party._native, name, need._what, need.count)


class Dry(Party):
    """A party without a peer: it notes what is asked for, and all that it opens is 0."""

    def __init__(self, role: int) -> None:
        self._role = role
        self._prepared = None
        self._stores = ()
        self.needs: list[Need] = []

    @property
    def role(self) -> int:
        return self._role

    @property
    def peer(self) -> str:
        return "nobody: a dry run"

    @property
    def id(self) -> str:
        return ""

    @property
    def cost(self) -> Cost:
        return Cost(())

    def barrier(self) -> None:
        pass

    def agree(self, **values: object) -> None:
        pass

    def _met(self, how: str, fraction: int, steps: NDArray[np.int64]) -> None:
        pass

    def _live(self, operation: str) -> native.Party:
        raise ParamError(f"{operation}: not supported in a function that is prepared")

    def _announce(self, operation: str) -> None:
        pass

    def _open(
        self, operation: str, words: Words, bits: int, kind: Kind, to: int | None, view: tuple[int, int] | None
    ) -> NDArray[Any] | None:
        if to is not None and to != self._role:
            return None
        zeros = np.zeros_like(words)
        return zeros if view is None else native.decode(zeros, bits, *view)

    def _look_up(self, name: str, lookup: native.Lookup, index: NDArray[np.uint32], store: Store | None) -> Words:
        if store is None:
            self.needs.append(Need(name, index.size, lookup))
        return np.zeros(index.shape, dtype=_words.dtype(lookup.bits))

    def _run(
        self, name: str, operation: native.Operation, x: Words, y: Words, shape: tuple[int, ...], own: object = None
    ) -> NDArray[np.uint64]:
        self._columns(name, operation, [x, y] if y.size else [x], (), own)
        return np.zeros(shape, dtype=np.uint64)

    def _columns(
        self, name: str, operation: native.Operation, operands: Sequence[Words], sizes: Sequence[int], own: object = None
    ) -> list[NDArray[np.uint64]]:
        self.needs.append(Need(name, operation.items(self._role, operands), operation, own))
        return [np.zeros(size, dtype=np.uint64) for size in sizes]


def dry_run(
    f: Callable[..., Any], types: Sequence[Like | int | tuple[int, ...]], role: int
) -> tuple[list[Share | BitShare], list[Need]]:
    """Shares of these types, and what `f` of them needs."""
    party = Dry(role)
    shares: list[Share | BitShare] = []
    for each in types:
        t = each if isinstance(each, Like) else Like(each)
        if t.type is not None:
            meant = _values.of(t.type)
            zeros = np.zeros((*np.empty(t.shape, dtype=np.bool_).shape, meant.words), dtype=np.uint64)
            shares.append(BitShare(party, zeros, meant, t.owner))
            continue
        limits = party._limits(t.bits, t.fraction, t.range, t.kind, t.wrap)
        words = np.zeros(t.shape, dtype=_words.dtype(t.bits))
        made = Share(party, words, t.bits, t.fraction, t.kind, limits, t.wrap)
        shares.append(made._off_by(0.5 * t.read * 2.0**-t.fraction))
    if inspect.isawaitable(result := f(*(shares or (party,)))):
        if inspect.iscoroutine(result):
            result.close()
        raise TypeError("prepare: the function is asynchronous: calling it runs nothing; accepted: a plain function")
    return shares, party.needs
