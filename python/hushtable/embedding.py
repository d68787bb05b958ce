"""Embeddings: rows of one party's matrix, or sums of rows, at token ids that are shared."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _hushtable as native
from . import _words, frames, history
from .arithmetic import NOTHING, wide
from .copies import Cipher, Make, owned, transferred
from .errors import ParamError, PeerError, ShapeError
from .party import Party
from .share import Share


class Embedding:
    """A matrix of one party, `owner`, whose rows both look up: at token ids that one of them has, or that are shared.

    Both parties call this. The owner gives `matrix`, of whole numbers, or of others that are rounded to `fraction`
    binary digits after the point; without `fraction` others are refused. The other party gives `None` and receives a copy
    that is encrypted under a key of the owner's, 25 MB for 30522 rows of 768 numbers of 8 bits. Public are the numbers of
    rows and columns, `fraction`, and `entry_bits`, the width of a number (default: the least that holds all of them).
    Nobody learns which rows are looked up, nor whether they are the same.

    `path` is a file where the owner keeps the key and the other party its copy. If both have theirs, of this very matrix,
    nothing is sent: `received` is then false. Otherwise a copy is sent, and the file is written anew. A file that is no such
    key or copy is not written over: `ParamError`, before anything is sent. **Keep the owner's file as secret as the
    matrix**.

    `expected`, rows and columns, is for the other party, if it knows them: another matrix is refused before anything of it
    is sent.

    `cipher` is `"aes-128"`, or `"lowmc-128-42-13"`, which takes less than half of the bytes and is less studied.
    """

    def __init__(
        self,
        party: Party,
        matrix: ArrayLike | None,
        *,
        owner: int,
        fraction: int | None = None,
        entry_bits: int | None = None,
        cipher: Cipher = "aes-128",
        path: str | os.PathLike[str] | None = None,
        expected: tuple[int, ...] | None = None,
    ) -> None:
        owned("Embedding", party, owner, matrix)
        entries, mine = None, {}
        if matrix is not None:
            numbers = _words.numbers(matrix)
            if numbers.ndim != 2 or 0 in numbers.shape:
                raise ShapeError(f"Embedding: a matrix is expected, got shape {numbers.shape}")
            if fraction is None:
                frames.check_whole(numbers, "Embedding")
            digits = fraction or 0
            if not 0 <= digits <= 52:
                raise ParamError(f"fraction bits: {fraction} is not supported; accepted: 0 to 52")
            entries = native.encode(numbers, 64, digits, _words.signed(64), 1).view(np.int64)
            lo, hi = _words.extremes(entries)
            width = entry_bits or max((-lo - 1).bit_length(), (hi - 1).bit_length(), 0) + 1
            mine = {"rows": numbers.shape[0], "columns": numbers.shape[1], "entry_bits": width, "fraction": digits}
        found = _described("Embedding", party, owner, mine, ("rows", "columns", "entry_bits", "fraction"), cipher)
        if expected is not None and (found["rows"], found["columns"]) != tuple(expected):
            sizes = f"{found['rows']} x {found['columns']}"
            raise PeerError(f"Embedding: the peer has a matrix of {sizes} numbers; accepted: {expected[0]} x {expected[1]}, as it told before")
        self.party, self.owner, self.cipher = party, owner, cipher
        self.rows, self.columns, self.entry_bits, self.fraction = (int(value) for value in found.values())
        form = native.PrivateForm.embedding(owner, cipher, self.rows, self.columns, self.entry_bits)
        self._form = form
        make: Make | None = None
        if entries is not None:
            flat = np.ascontiguousarray(entries).ravel()
            make = lambda secret: form.of_matrix(flat, secret)  # noqa: E731
        self._table, self.received = transferred("Embedding", party, form, make, path)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.columns

    @property
    def copy_bytes(self) -> int:
        """Bytes of the encrypted copy."""
        return self._form.copy_bytes

    @property
    def digest(self) -> str:
        """Which version of which matrix it is, the same at both parties."""
        return self._table.digest

    def __call__(
        self,
        ids: ArrayLike | Share | None,
        *,
        owner: int | None = None,
        shape: int | tuple[int, ...] | None = None,
        bits: int = 32,
        fraction: int | None = None,
    ) -> Share:
        """Shares of the rows: of shape `ids.shape + (columns,)`, of `bits` bits, with `fraction` digits after the point:
        those of the matrix, the default, or more, for what is done next.

        `ids` is a share by XOR, as `self.input` makes it; or the ids of party `owner`, and `None` with `shape` at the
        other. Raises `ParamError` that names the first id without a row, if this party knows it; shared ids beyond the
        matrix, and -1, give rows of zeros.
        """
        share = ids if isinstance(ids, Share) else self.input(ids, owner=owner, shape=shape)
        return self._looked_up(share, share.shape, bits, 1, fraction)

    def sum(
        self,
        ids: ArrayLike | Share | None,
        *,
        owner: int | None = None,
        shape: int | tuple[int, ...] | None = None,
        bits: int = 32,
        fraction: int | None = None,
    ) -> Share:
        """Shares of the sums of rows over the last axis of `ids`: a bag of words. As a call otherwise.

        -1 is no token: rows of fewer ids are filled with it.
        """
        share = ids if isinstance(ids, Share) else self.input(ids, owner=owner, shape=shape)
        if share.ndim == 0 or share.size == 0:
            raise ShapeError(f"sum: rows of token ids are expected, got shape {share.shape}")
        return self._looked_up(share, share.shape[:-1], bits, share.shape[-1], fraction)

    def input(
        self, ids: ArrayLike | None, *, owner: int | None, shape: int | tuple[int, ...] | None = None
    ) -> Share:
        """Shares of the token ids of one party, `owner`; the other passes `None` and the shape. No message."""
        if owner not in (0, 1):
            raise ParamError(f"Embedding: owner={owner!r} of token ids is not supported; accepted: 0 or 1")
        if ids is not None:
            numbers = _words.numbers(ids)
            if numbers.dtype != np.int64 and numbers.size:
                raise TypeError(f"token ids: whole numbers are expected, got {numbers.dtype}")
            numbers = numbers.astype(np.int64)
            wrong = np.argwhere((numbers < -1) | (numbers >= self.rows))
            if len(wrong):
                at = tuple(wrong[0].tolist())
                place = at[0] if len(at) == 1 else at
                raise ParamError(f"token id: {numbers[at]} at index {place} is not supported; accepted: 0 to {self.rows - 1}")
            if self.rows >= 1 << self._form.key_bits and (numbers == -1).any():
                raise ParamError(f"token id: -1 is not supported with {self.rows} rows; add one of zeros to the matrix")
            ids = np.where(numbers == -1, self.rows, numbers)
        return self.party.input(ids, owner, shape=shape, bits=self._form.key_bits, fraction=0, kind="xor")

    @history.operation("embedding", ("ids",), ("bag", "fraction"))
    def _looked_up(
        self, ids: Share, results: tuple[int, ...], bits: int, bag: int, fraction: int | None
    ) -> Share:
        if ids.party is not self.party:
            raise ShapeError("Embedding: token ids of another session or party")
        if ids.kind != "xor" or ids.fraction or ids.bits != self._form.key_bits:
            raise TypeError(f"Embedding: token ids of {self._form.key_bits} bits, shared by xor, are expected, got {ids!r}")
        operation = self._table.rows(bits, self.fraction, bag)
        limits = operation.range
        out = (*results, self.columns)
        least, most = _words.signed(bits) if limits is None else (limits[0], limits[1] + 1)
        digits = self.fraction if fraction is None else fraction
        more = digits - self.fraction
        if not 0 <= more <= 52 - self.fraction or not _words.fits(least << more, most << more, bits):
            raise ParamError(
                f"fraction bits: {digits} is not supported for results of {bits} bits; accepted: {self.fraction} and "
                f"more, if the width holds the results"
            )
        range = (least << more, most << more)
        name = f"embedding(shape {ids.shape}, {self.rows} x {self.columns} of {self.entry_bits} bits, bits={bits}, sums of {bag})"
        if ids.size == 0:
            return Share(self.party, np.zeros(out, dtype=_words.dtype(bits)), bits, digits, "additive", range)
        words = self.party._run(name, operation, wide(ids).ravel(), NOTHING, out)
        made = Share(self.party, _words.reduce(words << np.uint64(more), bits), bits, digits, "additive", range)
        return made._off_by(0.5 * bag * 2.0**-self.fraction)

    def __repr__(self) -> str:
        return f"Embedding({self.rows} x {self.columns} numbers of {self.entry_bits} bits of party {self.owner})"


def _described(
    what: str, party: Party, owner: int, mine: Mapping[str, int], names: Sequence[str], cipher: str
) -> dict[str, int]:
    """The owner's description of its table, checked here where the library does not check it."""
    name = party._announced(f"{what}(of party {owner}, {cipher})")
    told = native.tell(party._live(what), name, json.dumps(mine))
    if party.role == owner:
        return dict(mine)
    try:
        theirs = json.loads(told)
        found = {name: theirs[name] for name in names}
        if not all(type(value) is int and 0 <= value < 1 << 32 for value in found.values()):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PeerError(f"{what}: the peer's description of its table is malformed") from None
    return found
