"""Private tables: one party's rows, joined with rows that nobody knows. The other party keeps an encrypted copy."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
from . import _words, frames
from . import labels as naming
from ._words import Range
from .arithmetic import NOTHING, both, wide
from .copies import Cipher, Make, owned, transferred
from .errors import ParamError, ShapeError
from .party import Party
from .share import Share
from .statistics import Statistics

# Bits of a key for which there is a place in a copy, whether the table has it or not.
MOST_DENSE = 24


class PrivateTable:
    """A table of one party, `owner`, which both join with rows that nobody knows.

    Both parties call this. The owner gives `table`, one of pandas, Polars or Arrow or a dict of columns, and the other
    `None`; `on` names its column of keys, whole numbers without sign. The other party receives a copy that is encrypted
    under a key of the owner's. All other arguments are public, and the same at both:

    `columns`: the range `(lo, hi)` of each column of numbers (`lo <= x < hi`); `fraction`: the binary digits after the
    point to which they are rounded; those for which none are given have to be whole. `groups`: columns of labels, each with
    its labels, which compare as those of `hushtable.join`. `codes`: columns of keys of further tables, each with
    its bits. `per_key`: most rows of a key: a table with more is refused. `key_bits`: keys are less than `2^key_bits`.
    Up to 24 bits the copy has a place for every key; with more, or with `keys=`, for so many keys as `keys` says, at
    most. `cipher` and `path` are as for `Embedding`.
    """

    def __init__(
        self,
        party: Party,
        table: Any,
        on: str,
        columns: Mapping[str, tuple[float, float]] | None = None,
        *,
        owner: int,
        key_bits: int,
        keys: int | None = None,
        fraction: int | Mapping[str, int] | None = None,
        groups: Mapping[str, Sequence[str]] | None = None,
        codes: Mapping[str, int] | None = None,
        per_key: int = 1,
        cipher: Cipher = "aes-128",
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        owned("PrivateTable", party, owner, table)
        given = {name: fraction.get(name) if isinstance(fraction, Mapping) else fraction for name in columns or {}}
        digits = {name: bits or 0 for name, bits in given.items()}
        self._exact = {name for name, bits in given.items() if bits is None}
        self._numbers = {name: _steps(name, ends, digits[name]) for name, ends in (columns or {}).items()}
        self._digits = digits
        self._groups = {name: naming.forms(of, f"PrivateTable: {name}") for name, of in (groups or {}).items()}
        self._codes = dict(codes or {})
        self.party, self.owner, self.per_key, self.key_bits, self.cipher = party, owner, per_key, key_bits, cipher
        widths = [_width(ends) for ends in self._numbers.values()]
        widths += [1 for labels in self._groups.values() for _ in labels]
        widths += [_code_bits(name, bits) for name, bits in self._codes.items()]
        names = [*self._numbers, *self._groups, *self._codes]
        if len(set(names)) < len(names):
            raise ParamError(f"PrivateTable: columns {names} are named twice; accepted: different names")
        if keys is None and key_bits > MOST_DENSE:
            raise ParamError(f"PrivateTable: keys of {key_bits} bits take keys=, how many there are at most")
        form = native.PrivateForm.join(owner, cipher, key_bits, keys, widths, per_key)
        self._form, self._widths = form, widths
        what = _words.digest(json.dumps([on, self._numbers, digits, self._groups, self._codes, keys]))
        make: Make | None = None
        if table is not None:
            keys_of, values = self._words_of(table, on)
            make = lambda secret: form.of_rows(keys_of, values, secret)  # noqa: E731
        party._announce(f"PrivateTable({key_bits} bits of a key, {per_key} rows of one, party {owner}, {what}, {cipher})")
        self._table, self.received = transferred("PrivateTable", party, form, make, path)

    @property
    def copy_bytes(self) -> int:
        """Bytes of the encrypted copy."""
        return self._form.copy_bytes

    @property
    def digest(self) -> str:
        """Which version of which table it is, the same at both parties."""
        return self._table.digest

    def input(
        self, keys: ArrayLike | None, *, owner: int, shape: int | tuple[int, ...] | None = None
    ) -> Share:
        """Shares of the keys of one party, `owner`; the other passes `None` and the shape. No message."""
        limits = (0, 1 << self.key_bits)
        return self.party.input(keys, owner, shape=shape, bits=self.key_bits, fraction=0, range=limits, kind="xor")

    def join(self, keys: Share, matched: Share | None = None, *, bits: int = 64) -> Found:
        """The rows of each key: `per_key` places for each, in the order of the keys.

        `keys` are shared by XOR, as `self.input` makes them, or the codes of rows that were found before; they may be
        equal, or absent. `matched`, shared bits, says which of them count; default: all. Numbers are in shares of `bits`
        bits, which leave room for sums.
        """
        if keys.party is not self.party:
            raise ShapeError("join: keys of another session or party")
        if keys.kind != "xor" or keys.fraction or keys.bits != self.key_bits:
            raise TypeError(f"join: keys of {self.key_bits} bits, shared by xor, are expected, got {keys!r}")
        count = keys.size
        if matched is None:
            counts = np.full(count, 1 if self.party.role == 0 else 0, dtype=np.uint64)
            used = [keys]
        elif (matched.party, matched.kind, matched.bits) != (self.party, "xor", 1) or matched.size != count:
            raise ShapeError(f"join: {count} shared bits are expected, got {matched!r}")
        else:
            counts = wide(matched).ravel()
            used = [keys, matched]
        width = 1 + len(self._widths)
        name = f"join with a private table({count} keys of {self.key_bits} bits, {self.per_key} rows of one, {self._widths})"
        if count == 0:
            raise ShapeError("join: at least one key is expected")
        self.party._using = [share._history for share in used]
        words = self.party._run(name, self._table.joined(), wide(keys).ravel(), counts, (count * self.per_key, width))
        found = iter(words.T[1:])
        numbers = {name: next(found) for name in self._numbers}
        members = {name: [next(found) for _ in labels] for name, labels in self._groups.items()}
        codes = {name: next(found) for name in self._codes}
        return self._found(words[:, 0], numbers, members, codes, bits)

    def _found(
        self,
        matched: NDArray[np.uint64],
        numbers: Mapping[str, NDArray[np.uint64]],
        members: Mapping[str, list[NDArray[np.uint64]]],
        codes: Mapping[str, NDArray[np.uint64]],
        bits: int,
    ) -> Found:
        p = self.party
        additive = {}
        for name, words in numbers.items():
            lo, hi = self._numbers[name]
            width, digits = _width((lo, hi)), self._digits[name]
            if not _words.fits(min(lo, 0), max(hi, 1), bits) or bits < width:
                raise ParamError(f"join: column {name!r} of {width} bits does not fit {bits} bits")
            operation = native.Operation.to_additive(width, bits, lo < 0, digits)
            made = p._run(f"to additive({name}, {len(words)} of {width} bits, bits={bits})", operation,
                          np.ascontiguousarray(words), NOTHING, words.shape)
            limits = (min(lo, 0), max(hi, 1))
            root = p._root(f"column {name!r}")
            share = Share(p, _words.reduce(made, bits), bits, digits, "additive", limits, made=root)
            additive[name] = share._off_by(0.5 * 2.0**-digits)
        count = _bits(p, matched, "matched")
        groups = {}
        for name, columns in members.items():
            # A row that does not count is in no group.
            found = both(_bits(p, np.stack(columns), name), count)
            groups[name] = (self._groups[name], list(found))
        shares = {}
        for name, words in codes.items():
            width = self._codes[name]
            limits, root = (0, 1 << width), p._root(f"code {name!r}")
            shares[name] = Share(p, _words.reduce(words, width), width, 0, "xor", limits, made=root)
        return Found(p, count, additive, groups, shares, self.per_key)

    def _words_of(self, table: Any, on: str) -> tuple[NDArray[np.uint64], list[NDArray[np.uint64]]]:
        keys = _whole(table, on, self.key_bits)
        columns = []
        for name, (lo, hi) in self._numbers.items():
            numbers = naming.numbers(frames.column(table, name), f"PrivateTable: column {name!r}")
            if name in self._exact:
                frames.check_whole(numbers, f"PrivateTable: column {name!r}")
            try:
                words = native.encode(numbers, 64, self._digits[name], (lo, hi), 1)
            except ParamError as error:
                raise ParamError(f"PrivateTable: column {name!r}: {error}") from None
            columns.append(_words.reduce(words, _width((lo, hi))).astype(np.uint64))
        for name, labels in self._groups.items():
            word = naming.members(frames.column(table, name), labels, f"PrivateTable: column {name!r}")
            columns += [word >> np.uint64(k) & np.uint64(1) for k, _ in enumerate(labels)]
        columns += [_whole(table, name, bits) for name, bits in self._codes.items()]
        for name, column in zip([*self._numbers, *self._groups, *self._codes], columns, strict=False):
            if column.shape != keys.shape:
                raise ShapeError(f"PrivateTable: column {name!r} of shape {column.shape} beside {keys.shape} keys")
        return keys, [np.ascontiguousarray(column, dtype=np.uint64) for column in columns]

    def __repr__(self) -> str:
        names = [*self._numbers, *self._groups, *self._codes]
        return f"PrivateTable(columns {names} of party {self.owner}, keys of {self.key_bits} bits)"


class Found(Statistics):
    """Rows of a private table as shares, `per_key` places for each key; those count where `matched` is 1.

    Statistics count those only, and are opened to both parties. `found["price"]` is a shared column, whatever it holds
    where no row counts; `found.codes["order"]` the shared keys of a further table.
    """

    def __init__(
        self,
        party: Party,
        matched: Share,
        columns: Mapping[str, Share],
        groups: Mapping[str, tuple[list[str], list[Share]]],
        codes: Mapping[str, Share],
        per_key: int,
    ) -> None:
        super().__init__(party, matched, columns, groups)
        self.codes: dict[str, Share] = dict(codes)
        self.per_key = per_key

    def of_keys(self, values: Share) -> Share:
        """What the keys have, for each of their rows: each value `per_key` times. Local."""
        if values.shape[:1] != (len(self) // self.per_key,):
            raise ShapeError(f"of_keys: {len(self) // self.per_key} values are expected, got shape {values.shape}")
        return values[np.repeat(np.arange(len(values)), self.per_key)]

    def members(self, group: str) -> dict[str, Share]:
        """Of each label of a group column, the shared bits of the rows that count and have it."""
        if group not in self.groups:
            raise ParamError(f"members: no groups {group!r}; there are: {', '.join(self.groups)}")
        return dict(zip(self.groups[group], self._members[group], strict=True))

    def where(self, condition: Share, groups: Mapping[str, Mapping[str, Share]] | None = None) -> Found:
        """The rows that count and whose shared bit is 1. `groups`: further ones, of each label its shared bits."""
        keep = both(self.matched, self._bit("where", condition))
        every = {name: self.members(name) for name in self.groups}
        every |= {name: dict(labels) for name, labels in (groups or {}).items()}
        made = {}
        for name, labels in every.items():
            made[name] = (list(labels), [both(keep, self._bit(name, bit)) for bit in labels.values()])
        return Found(self._party, keep, self.columns, made, self.codes, self.per_key)

    def _bit(self, what: str, bit: Share) -> Share:
        if (bit.kind, bit.bits, bit.shape) != ("xor", 1, (len(self),)):
            raise ShapeError(f"{what}: {len(self)} shared bits are expected, got {bit!r}")
        return bit

    def __repr__(self) -> str:
        return f"Found({len(self)} rows, columns {list(self.columns)}, groups {list(self.groups)}, codes {list(self.codes)})"


def _bits(p: Party, words: NDArray[np.uint64], name: str) -> Share:
    """Shares of single bits, which are called `name`."""
    return Share(p, _words.reduce(words, 1), 1, 0, "xor", (0, 2), made=p._root(name))


def _steps(name: str, ends: tuple[float, float], fraction: int) -> Range:
    lo, hi = (end * (1 << fraction) for end in ends)
    if not 0 <= fraction <= 52 or lo != int(lo) or hi != int(hi) or not lo < hi or not _words.fits(int(lo), int(hi), 63):
        raise ParamError(
            f"PrivateTable: column {name!r}: range {ends} with {fraction} digits after the point is not supported; "
            f"accepted: lo < hi, multiples of 2^-{fraction} that hold at most 2^63 numbers"
        )
    return int(lo), int(hi)


def _width(ends: Range) -> int:
    """Bits that hold all numbers of a range: in two's complement if there are negative ones."""
    lo, hi = ends
    if lo < 0:
        return max((-lo - 1).bit_length(), (hi - 1).bit_length() if hi > 0 else 0) + 1
    return max((hi - 1).bit_length(), 1)


def _code_bits(name: str, bits: int) -> int:
    if not 1 <= bits <= 63:
        raise ParamError(f"PrivateTable: codes {name!r} of {bits} bits are not supported; accepted: 1 to 63")
    return bits


def _whole(table: Any, name: str, bits: int) -> NDArray[np.uint64]:
    """Whole numbers without sign."""
    numbers = _words.numbers(frames.column(table, name))
    if numbers.dtype != np.int64:
        raise TypeError(f"PrivateTable: whole numbers are expected in {name!r}, got {numbers.dtype}")
    whole = numbers.astype(np.int64, copy=False)
    wrong = np.flatnonzero((whole < 0) | (whole >> min(bits, 63) > 0))
    if len(wrong):
        raise ParamError(
            f"PrivateTable: {whole[wrong[0]]} in row {wrong[0]} of {name!r} is not supported; accepted: 0 to {(1 << bits) - 1}"
        )
    return whole.view(np.uint64)
