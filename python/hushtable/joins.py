"""Two tables side by side by their ids, and sets of ids: what is not in common is shown to nobody."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _hushtable as native
from . import _words, frames
from . import labels as naming
from ._words import Range
from .arithmetic import where
from .columns import fraction_bits
from .errors import ParamError, PeerError, ShapeError
from .party import NOT_STORED, Party
from .share import Share
from .statistics import Statistics

Value = TypeVar("Value")
logger = logging.getLogger("hushtable")

# Widths of columns: a narrow one leaves no room for sums.
LEAST_BITS = 2


def psi(
    p: Party,
    ids: Any,
    on: str | Sequence[str] | None = None,
    *,
    learns: int | None = None,
    size: int | None = None,
    normalise: Sequence[str] = ("trim", "nfc"),
    tell_form: bool = False,
) -> NDArray[np.int64] | None:
    """The rows of this party's ids that the peer has too, from 0; in the same order at both: the i-th is the i-th there.

    `ids` is a column of texts, whole numbers or dates, or a table with `on`, the name of such a column or of several.
    Both learn the intersection, or party `learns` only; the other gets `None`. Numbers of ids are public; with `size`,
    a bound for this party's, only that is.

    `normalise` says what does not matter in ids, besides blanks around them (`"trim"`) and the way accents were typed
    (`"nfc"`): some of `"lower"` (capital and small letters), `"alnum"` (all but letters and digits), `"digits"` (all but
    digits), `"zeros"` (at the beginning), `"e164:+47"` (notations of telephone numbers, with the country code of those
    without one), `"date"`, `"date:dmy"` and `"date:mdy"` (notations of dates; a timestamp at midnight is its day, one at
    another time an error). `"none"` takes ids as they are. The form that results is the same at both parties. Ids that a
    rule would bring together are a warning of the logger `"hushtable"`, before anything is sent.

    With `tell_form=True` at both parties, each tells the other the pattern that more than half of its ids have, if ten or
    more have it, such as `A999999` (`A` a capital letter, `a` a small one, `x` another, `9` a digit, signs as they are),
    or without lengths `A*9*`, for each column. If the patterns do not go together, both get a `HandshakeError` that
    names the rule that might help, and nothing of the ids is used; a doubt is a warning.

    **What it tells**: whoever enters all telephone numbers learns the other's list. Limit the numbers, see them before.

    Raises `ParamError` that names the row of an id that is empty, twice, or no text; `HandshakeError` if the parties ask
    for different things.
    """
    if learns not in (None, 0, 1):
        raise ParamError(f"psi: learns={learns!r} is not supported; accepted: None, 0 or 1")
    given = _ids("psi", ids, on, normalise)
    who = "both learn" if learns is None else f"party {learns} learns"
    sizes = _sizes(p, f"psi({who}", given, size, {}, tell_form)[0]
    name = p._announced(f"psi({sizes[0]} and {sizes[1]} ids, {who})")
    return native.intersect(p._live("psi"), name, given, sizes, learns)


def join(
    p: Party,
    table: Any,
    on: str | Sequence[str],
    columns: Sequence[str] | None = None,
    *,
    owner: int = 0,
    groups: Mapping[str, Sequence[str]] | None = None,
    bits: int = 64,
    fraction: int | Mapping[str, int] = 8,
    range: tuple[float, float] | Mapping[str, tuple[float, float]] | None = None,
    size: int | None = None,
    normalise: Sequence[str] = ("trim", "nfc"),
    tell_form: bool = False,
) -> Joined:
    """Joins this party's table with the peer's by their ids: both parties' columns as shares, in rows that nobody can
    tell apart. **Nobody learns which ids match, nor how many.**

    `table` is a table of pandas, Polars or Arrow, or a dict of columns. `on` names the column of ids, or several of which
    an id is composed; both parties name as many. `columns` are the numbers that this party brings (default: all others
    but those in `groups`), each with `fraction` digits after the point (default: 8), in `range` (`lo <= x < hi`;
    default: 31 bits with a sign), in shares of `bits` bits, which leave room for sums. `groups` are columns of labels
    for `Joined.groupby`, with the labels: each row counts to one of them, or to none. Labels compare as values: 1, 1.0 and
    "1" are the same, and blanks around a text do not count.

    Party `owner` alone can be shown results by row, in the order of its rows. For results of both, join twice. Public are
    the parties' numbers of rows, or bounds on them, `size`; names, types and ranges of columns; labels.
    `normalise` and `tell_form` are as for `psi`; the same at both parties.

    Raises `ParamError` that names the row of an id that is empty, twice, or no text, and of a number outside its range,
    and for a label that no row has, with the labels there are; `TypeError` for a column of texts that is not in `groups`;
    `HandshakeError` if the parties ask for different things.
    """
    if owner not in (0, 1):
        raise ParamError(f"join: owner={owner!r} is not supported; accepted: 0 or 1")
    keys = [on] if isinstance(on, str) else list(on)
    given = _ids("join", table, keys, normalise)
    rows = given.rows
    labels = {str(name): naming.forms(of, f"join: {name}") for name, of in (groups or {}).items()}
    if columns is None:
        columns = [name for name in frames.names(table) if name not in keys and name not in labels]
    types = {name: _type(name, bits, fraction, range) for name in columns}
    words = [_encoded(table, name, rows, types[name]) for name in columns]
    bits_of = [naming.members(frames.column(table, name), labels[name], f"join: column {name!r}") for name in labels]
    described = {
        "columns": [[name, *types[name].fields] for name in columns],
        "groups": [[name, of] for name, of in labels.items()],
        "fields": len(keys),
    }
    sizes, theirs = _sizes(p, f"join(rows of party {owner}", given, size, described, tell_form)
    peer = _described(theirs)
    if theirs.get("fields") != len(keys):
        raise ShapeError(f"join: an id of {len(keys)} columns here, of {theirs.get('fields')!r} at the peer")
    twice = {*types, *labels} & {*peer.types, *peer.labels}
    if twice or len({*types, *labels}) < len(types) + len(labels):
        raise ParamError(f"join: columns named {sorted(twice)!r} at both parties, or twice; accepted: different names")
    mine = _Table(types, labels)
    owned, other = (mine, peer) if p.role == owner else (peer, mine)
    if p.role == owner:
        # One column of a bit for each group.
        words += [bits_of[i] >> np.uint64(k) & np.uint64(1) for i, of in enumerate(labels.values()) for k in _places(of)]
    else:
        words += bits_of
    both = json.dumps([owned.text(), other.text()])
    name = p._announced(f"join({sizes[0]} and {sizes[1]} rows, those of party {owner}, {_words.digest(both)})")
    widths = [type_.bits for type_ in owned.types.values()]
    widths += [1 for of in owned.labels.values() for _ in of]
    shapes = [(type_.bits, False) for type_ in other.types.values()]
    shapes += [(len(of), True) for of in other.labels.values()]
    matched, additive, bitwise, own, order = native.join(
        p._live("join"), name, given, owner, sizes, shapes, widths, words
    )
    pairs = _bit(p, matched, "matched")
    shares = {name: type_.share(p, w, name) for (name, type_), w in zip(other.types.items(), additive, strict=True)}
    numbers, single = own[: len(owned.types)], iter(own[len(owned.types) :])
    shares |= {name: type_.share(p, w, name) for (name, type_), w in zip(owned.types.items(), numbers, strict=True)}
    members = {
        name: [_bit(p, word >> np.uint64(k), f"{name} {label!r}") for k, label in enumerate(of)]
        for (name, of), word in zip(other.labels.items(), bitwise, strict=True)
    }
    members |= {name: [_bit(p, next(single), f"{name} {label!r}") for label in of] for name, of in owned.labels.items()}
    together = {**owned.labels, **other.labels}
    places = None if order is None else np.asarray(order)
    return Joined(p, owner, sizes, rows, pairs, shares, {n: (together[n], b) for n, b in members.items()}, places)


class Joined(Statistics):
    """Rows of two tables side by side, as shares: one for each place where there may be a pair, in no order.

    `table["income"]` is the shared column, which is 0 where there is no pair, as any function of shares takes it;
    `matched` the shared bits of where there is one. Statistics count pairs only. **They are opened to both parties; each
    tells something, and differences of several tell more**: `asked` lists what was.
    """

    def __init__(
        self,
        party: Party,
        owner: int,
        sizes: tuple[int, int],
        rows: int,
        matched: Share,
        columns: Mapping[str, Share],
        groups: Mapping[str, tuple[list[str], list[Share]]],
        places: NDArray[np.int64] | None,
    ) -> None:
        super().__init__(party, matched, columns, groups)
        self._rows = rows
        self._places = places
        self.owner = owner
        self.sizes = sizes

    def by_row(self, values: Share | str, default: float = 0) -> NDArray[Any] | None:
        """The values in the order of the owner's rows, to the owner; the other party gets `None`.

        `values` has one for each place of this table along its first axis. Rows without a partner get `default`, which
        is public: rounded to the scale, and put in before the values are shown. That a row has no partner shows only
        where no value can be the default. **But values tell**: a number that no other row would get says that it matches,
        and whose it is.

        Raises `ShapeError` for a share of another length or session, `ParamError` for a column that is not there and a
        default that the share's width does not hold, `TypeError` for what is neither a share nor a name.
        """
        share = self._share("by_row", values)
        bit = share.kind == "xor" and share.bits == 1
        if bit:
            zero = Share(self._party, np.zeros(share.shape, dtype=np.uint8), 2, 0, "additive", (0, 1))
            share, default = where(share, zero + 1, zero), int(bool(default))
        matched = self.matched.reshape((-1,) + (1,) * (share.ndim - 1))
        try:
            chosen = where(matched, share, default)
        except ParamError as error:
            raise ParamError(f"by_row: default={default!r}: {error}") from None
        opened = self._party.open(chosen, to=self.owner)
        if opened is None or self._places is None:
            return None
        out = np.full((self._rows, *opened.shape[1:]), default, dtype=opened.dtype)
        there = self._places >= 0
        out[self._places[there]] = opened[there]
        return out.astype(np.bool_) if bit else out

    def __repr__(self) -> str:
        return f"Joined({self.sizes[0]} and {self.sizes[1]} rows, columns {list(self.columns)}, groups {list(self.groups)})"


@dataclass(frozen=True)
class _Type:
    """How a column is shared."""

    bits: int
    fraction: int
    range: Range

    @property
    def fields(self) -> list[int]:
        return [self.bits, self.fraction, *self.range]

    def share(self, p: Party, words: NDArray[np.uint64], name: str) -> Share:
        """The shares of the column `name`: 0 where there is no pair."""
        lo, hi = min(self.range[0], 0), max(self.range[1], 1)
        made = p._root(f"column {name!r}")
        words = _words.reduce(words, self.bits)
        share = Share(p, words, self.bits, self.fraction, "additive", (lo, hi), made=made)
        return share._off_by(0.5 * 2.0**-self.fraction)


@dataclass(frozen=True)
class _Table:
    """A party's columns: public."""

    types: dict[str, _Type]
    labels: dict[str, list[str]]

    def text(self) -> list[Any]:
        return [[[name, *type_.fields] for name, type_ in self.types.items()], list(self.labels.items())]


def _bit(p: Party, words: NDArray[np.uint64], name: str) -> Share:
    """Shares of single bits, which are called `name`."""
    return Share(p, _words.reduce(words, 1), 1, 0, "xor", (0, 2), made=p._root(name))


def _places(labels: Sequence[str]) -> list[int]:
    return list(np.arange(len(labels)).tolist())


def _ids(operation: str, ids: Any, on: str | Sequence[str] | None, normalise: Sequence[str]) -> native.Ids:
    rules = [normalise] if isinstance(normalise, str) else list(normalise)
    keys = [on] if isinstance(on, str) else list(on or ())
    columns = [frames.column(ids, key) for key in keys] if keys else [ids]
    fields = [
        frames.texts(column, f"{operation}: {key}")
        for key, column in zip(keys or ["ids"], columns, strict=True)
    ]
    if len({len(field) for field in fields}) != 1:
        raise ShapeError(f"{operation}: columns of one length are expected, got {[len(field) for field in fields]}")
    made = native.Ids(fields, ",".join(rules) or "none")
    for hint in made.hints:
        logger.warning("%s: %s", operation, hint)
    return made


def _sizes(
    p: Party, begin: str, ids: native.Ids, size: int | None, more: Mapping[str, Any], tell_form: bool
) -> tuple[tuple[int, int], dict[str, Any]]:
    """The public numbers of rows, of party 0 and of party 1, and what else the peer says; with `tell_form` how most ids
    look is compared."""
    rows = ids.rows
    if size is not None and size < rows:
        raise ParamError(f"size: {size} for {rows} rows is not supported; accepted: a bound on the rows of this party")
    mine = rows if size is None else size
    text = json.dumps({"rows": mine, **more})
    operation = begin.split("(")[0]
    p._may_make(operation, NOT_STORED)
    told = ", tell_form=True" if tell_form else ""
    found = native.tell(p._live(operation), p._announced(f"{begin}, {ids.columns} columns of ids{told})"), text)
    try:
        theirs = json.loads(found)
        other = theirs["rows"]
        if type(other) is not int or other < 0:
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PeerError("the peer's description of its table is malformed") from None
    if tell_form:
        name = p._announced(f"{operation}(how most ids look)")
        for doubt in native.tell_form(p._live(operation), name, ids):
            logger.warning("%s: %s", operation, doubt)
    return ((mine, other) if p.role == 0 else (other, mine)), theirs


def _described(theirs: Mapping[str, Any]) -> _Table:
    """What the peer says of its columns, which is checked here."""
    try:
        types, labels = {}, {}
        for name, bits, fraction, lo, hi in theirs["columns"]:
            whole = all(type(number) is int for number in (bits, fraction, lo, hi))
            if not (type(name) is str and whole and LEAST_BITS <= bits <= 64 and 0 <= fraction <= 52):
                raise ValueError
            if name in types or not (lo < hi and _words.fits(lo, hi, bits)):
                raise ValueError
            types[name] = _Type(bits, fraction, (lo, hi))
        for name, of in theirs["groups"]:
            whole = type(name) is str and type(of) is list and all(type(label) is str for label in of)
            if not whole or name in labels or not 1 <= len(of) <= 64 or len(set(of)) != len(of):
                raise ValueError
            labels[name] = of
    except (ValueError, KeyError, TypeError):
        raise PeerError("the peer's description of its columns is malformed") from None
    return _Table(types, labels)


def _type(
    name: str,
    bits: int,
    fraction: int | Mapping[str, int],
    range: tuple[float, float] | Mapping[str, tuple[float, float]] | None,
) -> _Type:
    if not LEAST_BITS <= bits <= 64:
        raise ParamError(f"join: columns of {bits} bits are not supported; accepted: {LEAST_BITS} to 64")
    digits = _of(fraction, name, 8)
    ends = _of(range, name, None)
    if not 0 <= digits <= 52:
        raise ParamError(f"join: fraction bits: {digits} is not supported; accepted: 0 to 52")
    if ends is None:
        return _Type(bits, digits, _words.signed(min(bits, 31)))
    lo, hi = (end * (1 << digits) for end in ends)
    if not (math.isfinite(lo) and math.isfinite(hi) and lo < hi):
        raise ParamError(f"join: {name}: range {ends} is not supported; accepted: lo < hi")
    least, end = _words.signed(bits)
    whole = (math.floor(lo), math.ceil(hi))
    if whole[0] < least or whole[1] > end:
        raise ParamError(f"join: {name}: range {ends} is not supported in {bits} bits with {digits} behind the point")
    return _Type(bits, digits, whole)


def _of(given: Value | Mapping[str, Value] | None, name: str, default: Value) -> Value:
    """What is given for all columns, or for this one."""
    if isinstance(given, Mapping):
        return given.get(name, default)
    return default if given is None else given


def _encoded(table: Any, name: str, rows: int, type_: _Type) -> NDArray[np.uint64]:
    numbers = naming.numbers(frames.column(table, name), f"join: column {name!r}")
    if numbers.shape != (rows,):
        raise ShapeError(f"join: a column of {rows} numbers is expected, {name!r} has shape {numbers.shape}")
    try:
        words = native.encode(numbers, type_.bits, type_.fraction, type_.range, 1)
    except ParamError as error:
        raise ParamError(f"join: column {name!r}: {error}") from None
    steps = np.ldexp(numbers.astype(np.float64), type_.fraction)
    rounded, digits = int((steps != np.rint(steps)).sum()), fraction_bits(numbers)
    if rounded and digits > type_.fraction:
        logger.warning(
            "join: column %r: %s of %s numbers are rounded to multiples of 2^-%s, which does not tell their decimals apart%s",
            name, rounded, rows, type_.fraction, f"; fraction={digits} does" if digits <= 32 else "",
        )
    return np.asarray(words, dtype=np.uint64)
