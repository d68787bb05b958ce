"""Counts, sums, means and variances of shared rows, in all or by group; a shared bit says which rows count."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _hushtable as native
from . import _words
from .arithmetic import products, wide
from .errors import ParamError, ShapeError
from .party import NOT_STORED, Party
from .share import Share

# Fewer members than this, and nothing is told of a group, unless the caller says otherwise.
LEAST = 10

# A group's number, its members, and sums in steps of the columns.
Told = dict[int, tuple[int, list[int]]]


class Statistics:
    """Shared rows, each with a shared bit that says whether it counts.

    Each method takes `least` and `noise`. Of fewer rows than `least` nothing is told, not even how many they are; with
    `least=1` so of none, with `least=0` the count 0 is told too.
    `noise` is an epsilon: each party adds discrete Laplace noise of that epsilon to what is opened, shared out evenly
    among count and sums, so that one row more or less changes little; the result is off by more, the larger the
    column's `range` is. Under noise the noisy count is compared with `least`. Noise that could take a sum out of its width
    raises `ParamError`, which names the width that would do.
    """

    def __init__(
        self,
        party: Party,
        matched: Share,
        columns: Mapping[str, Share],
        groups: Mapping[str, tuple[list[str], list[Share]]],
    ) -> None:
        self._party = party
        self._matched = matched
        self._members = {name: bits for name, (_, bits) in groups.items()}
        self.columns: dict[str, Share] = dict(columns)
        self.groups: dict[str, tuple[str, ...]] = {name: tuple(labels) for name, (labels, _) in groups.items()}
        self.asked: list[str] = []

    @property
    def party(self) -> Party:
        """The party that holds these shares."""
        return self._party

    @property
    def matched(self) -> Share:
        """Shares of the bits that are 1 where there is a pair."""
        return self._matched

    def __len__(self) -> int:
        return len(self._matched)

    def __getitem__(self, name: str) -> Share:
        """A column as a share."""
        return self._share("column", name)

    def count(self, *, least: int = LEAST, noise: float | None = None) -> int | None:
        """How many pairs there are, to both parties; `None` if there are fewer than `least`."""
        return next((count for count, _ in self._all("count()", [], least, noise).values()), None)

    def sum(self, values: str | Share, *, least: int = LEAST, noise: float | None = None) -> float | None:
        """The sum of a column, or of a share with a value for each place, over the pairs; as `count` otherwise.

        Raises `ParamError` if it may not fit the width, by `range`.
        """
        share = self._share("sum", values)
        return _first(_sums(self._all(_asked("sum", values), [share], least, noise), share))

    def mean(self, values: str | Share, *, least: int = LEAST, noise: float | None = None) -> float | None:
        """The mean over the pairs. Tells how many there are, and the sum. As `sum` otherwise."""
        share = self._share("mean", values)
        return _first(_means(self._all(_asked("mean", values), [share], least, noise), share))

    def variance(self, values: str | Share, *, least: int = LEAST, noise: float | None = None) -> float | None:
        """The variance of the pairs there are. Tells how many, their sum and the sum of squares. As `sum` otherwise."""
        return self.covariance(values, values, least=least, noise=noise)

    def covariance(
        self, x: str | Share, y: str | Share, *, least: int = LEAST, noise: float | None = None
    ) -> float | None:
        """The covariance over the pairs. Tells how many, the sums and the sum of products. As `sum` otherwise."""
        columns = self._products("covariance", x, y, 1, least, noise)
        return _first(_covariances(self._all(_asked("covariance", x, y), columns, least, noise), columns))

    def groupby(self, name: str) -> Groups:
        """Statistics by the labels of a group column that one of the parties brought.

        **Do not ask for the same in all**: what is left of it tells of a single group that is too small.
        """
        if name not in self.groups:
            raise ParamError(f"groupby: no groups {name!r}; there are: {', '.join(self.groups)}")
        return Groups(self, name)

    def _all(self, what: str, columns: list[Share], least: int, noise: float | None) -> Told:
        return self._told(what, [self._matched], columns, least, noise)

    def _told(
        self, what: str, groups: list[Share], columns: list[Share], least: int, noise: float | None
    ) -> Told:
        """What is opened of groups that are large enough."""
        self._party._may_make(what, NOT_STORED)
        counted = not columns
        if counted:
            # The library adds up something.
            nothing = np.zeros(len(self), dtype=np.uint64)
            columns = [Share(self._party, nothing, 1, 0, "additive", (0, 1))]
        for share in columns:
            share._additive(what)
        sums = self._asked_for(what, len(groups), columns, least, noise)
        text = f"{what}, {len(groups)} groups, {[share._type() for share in columns]}, least {least}, noise {noise}"
        self._party._using = [share._history for share in [*columns, *groups]]
        name = self._party._announced(text)
        words = [wide(share) for share in columns]
        opened = sums.open(self._party._live(what), name, [wide(share) for share in groups], words)
        self.asked.append(text)
        out = {}
        for group, count, told in opened:
            signed = [_signed(word, share.bits) for word, share in zip(told, columns, strict=True)]
            out[group] = (count, [] if counted else signed)
        return out

    def _asked_for(
        self, what: str, groups: int, columns: Sequence[Share], least: int, noise: float | None
    ) -> native.Sums:
        """What is to be opened, unless a sum may not fit its width, with noise or without."""
        largest = []
        for share in columns:
            lo, hi = share._range
            largest.append(max(abs(lo), abs(hi - 1)))
            need = (len(self) * largest[-1]).bit_length() + 1
            if need > share.bits:
                enough = "" if need > 64 else f"bits={need}, "
                raise ParamError(
                    f"{what}: sums of {len(self)} numbers in {share.range}, with {share.fraction} digits after the point, "
                    f"are not supported in {share.bits} bits; accepted: {enough}a smaller range= or fewer digits"
                )
        widths = [share.bits for share in columns]
        noises = None if noise is None else (noise, [_at_least(most) for most in largest])
        return native.Sums(len(self), groups, widths, least, noises)

    def _share(self, what: str, values: str | Share) -> Share:
        if isinstance(values, Share):
            if values.party is not self._party:
                raise ShapeError(f"{what}: a share of another session or party")
            if values.shape[:1] != (len(self),):
                raise ShapeError(
                    f"{what}: a value for each of the {len(self)} places of this table is expected along the first axis, got "
                    f"a share of shape {values.shape}"
                )
            if values.ndim > 1 and what != "by_row":
                raise ShapeError(f"{what}: one number for each place is expected, got a share of shape {values.shape}")
            return values
        if not isinstance(values, str):
            raise TypeError(f"{what}: the name of a column or a share is expected, got {type(values).__name__}")
        if values not in self.columns:
            raise ParamError(f"{what}: no column {values!r}; there are: {', '.join(self.columns)}")
        return self.columns[values]

    def _products(
        self, what: str, x: str | Share, y: str | Share, groups: int, least: int, noise: float | None
    ) -> list[Share]:
        """Both columns, or the one that is taken twice, and their products at twice the scale."""
        self._party._may_make(what, NOT_STORED)
        a, b = self._share(what, x), self._share(what, y)
        a._additive(what)
        a._same(b, what)
        range = _words.product(a._range, b._range)
        product = Share(self._party, a._words, a.bits, 0, "additive", range, made=a._history)
        columns = [a, product] if a is b else [a, b, product]
        self._asked_for(what, groups, columns, least, noise)  # refused before there is work
        self._party._using = [a._history, b._history]
        product._words = _words.reduce(products(f"multiply for {what}", a, b), a.bits)
        return columns


class Groups:
    """Statistics by group: a dict by label, without the groups that are too small. See `Statistics` for `least` and
    `noise`."""

    def __init__(self, of: Statistics, name: str) -> None:
        self._of = of
        self.name = name

    def count(self, *, least: int = LEAST, noise: float | None = None) -> dict[str, int]:
        """How many pairs each group has."""
        return {label: count for label, (count, _) in self._told("count()", [], least, noise).items()}

    def sum(self, values: str | Share, *, least: int = LEAST, noise: float | None = None) -> dict[str, float]:
        """The sums of a column by group."""
        share = self._of._share("sum", values)
        return _sums(self._told(_asked("sum", values), [share], least, noise), share)

    def mean(self, values: str | Share, *, least: int = LEAST, noise: float | None = None) -> dict[str, float]:
        """The means by group. Tells counts and sums."""
        share = self._of._share("mean", values)
        return _means(self._told(_asked("mean", values), [share], least, noise), share)

    def variance(self, values: str | Share, *, least: int = LEAST, noise: float | None = None) -> dict[str, float]:
        """The variances by group. Tells counts, sums and sums of squares."""
        groups = len(self._of._members[self.name])
        columns = self._of._products("variance", values, values, groups, least, noise)
        return _covariances(self._told(_asked("variance", values), columns, least, noise), columns)

    def _told(
        self, what: str, columns: list[Share], least: int, noise: float | None
    ) -> dict[str, tuple[int, list[int]]]:
        labels, bits = self._of.groups[self.name], self._of._members[self.name]
        found = self._of._told(f"{what} by {self.name!r}", bits, columns, least, noise)
        return {labels[group]: told for group, told in found.items()}

    def __repr__(self) -> str:
        return f"Groups({self.name!r}, {list(self._of.groups[self.name])})"


def _asked(what: str, *values: str | Share) -> str:
    """What is asked for, as the parties compare it: columns by name, other shares by type."""
    names = [repr(value) if isinstance(value, str) else "another share" for value in values]
    return f"{what}({', '.join(names)})"


def _first(found: Mapping[Any, float]) -> float | None:
    return next(iter(found.values()), None)


def _at_least(most: int) -> float:
    """The whole number, or the next float above it."""
    near = float(most)
    return near if near >= most else math.nextafter(near, math.inf)


def _signed(word: int, bits: int) -> int:
    low = word & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) and bits > 1 else low


def _sums(told: Mapping[Any, tuple[int, list[int]]], share: Share) -> dict[Any, float]:
    return {group: sums[0] * 2.0**-share.fraction for group, (_, sums) in told.items()}


def _means(told: Mapping[Any, tuple[int, list[int]]], share: Share) -> dict[Any, float]:
    step = 2.0**-share.fraction
    return {group: sums[0] / count * step for group, (count, sums) in told.items() if count > 0}


def _covariances(told: Mapping[Any, tuple[int, list[int]]], columns: list[Share]) -> dict[Any, float]:
    """In whole numbers, so that nothing gets lost in the difference."""
    step = 4.0 ** -columns[0].fraction
    return {
        group: (count * sums[-1] - sums[0] * sums[-2]) / count**2 * step
        for group, (count, sums) in told.items()
        if count > 0
    }
