"""How a share was made: both parties compare it when the share is used.

What a party does to its own shares sends nothing: it takes rows out, transposes, adds. If the other party does something
else, numbers of different rows would meet. So each share has a digest of the operations that made it, and an operation
that sends something is announced with the digests of the shares that go into it.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .share import Share

F = TypeVar("F", bound=Callable[..., Any])

# Longest text of how a share was made; of a longer one the end is kept.
LONGEST = 60

# Most shares of which an announcement has the texts; it has a digest of all.
SHOWN = 3


class History(NamedTuple):
    """How a share was made: for the parties to compare, and for people to read."""

    digest: bytes
    text: str


UNKNOWN = History(b"", "a share")


def root(name: str, text: str) -> History:
    """Of a share that was made of no other one; `name` tells it from all others of the session."""
    return History(_digest("root", name), _short(text))


def announced(using: Sequence[History]) -> str:
    """What is announced of the shares that go into an operation."""
    texts = ", ".join(history.text for history in using[:SHOWN])
    rest = f" and {len(using) - SHOWN} more" if len(using) > SHOWN else ""
    return f" of {texts}{rest}, made as {_digest('used', *(history.digest for history in using)).hex()[:32]}"


def view(describe: Callable[..., str]) -> Callable[[F], F]:
    """Marks what takes numbers of one share out, or arranges them. `describe`, called with the share, the result and the
    arguments, says what was done, in the same words for the same rows in the same places; nothing if nothing was."""

    def mark(f: F) -> F:
        @functools.wraps(f)
        def run(self: Share, *args: Any, **kwargs: Any) -> Share:
            result: Share = f(self, *args, **kwargs)
            if not self._party._inside and result is not self:
                result._history = _after(self._history, describe(self, result, *args, **kwargs))
            return result

        return run  # type: ignore[return-value]

    return mark


def operation(
    name: str | Callable[[dict[str, Any]], str], operands: Sequence[str], also: Sequence[str] = ()
) -> Callable[[F], F]:
    """Marks what makes shares of shares. `operands` are the arguments that may be shares, or sequences of such; `also`
    those of which the result depends besides. What is announced while it runs tells of its operands."""

    def mark(f: F) -> F:
        signature = inspect.signature(f)

        @functools.wraps(f)
        def run(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs).arguments
            parts = [part for operand in operands if operand in given for part in _parts(given[operand])]
            shares = [part for part in parts if _is_share(part)]
            if not shares or shares[0]._party._inside:
                return f(*args, **kwargs)
            party = shares[0]._party
            party._inside, party._met_here, before = True, [], party._announcements
            party._using = [share._history for share in shares]
            try:
                result = f(*args, **kwargs)
            finally:
                party._inside, party._using = False, ()
            called = name if isinstance(name, str) else name(given)
            more = [f"{which}={given.get(which, signature.parameters[which].default)!r}" for which in also]
            # Where public numbers stand among the shares, and which they are.
            more.append("".join("s" if _is_share(part) else "n" for part in parts))
            if party._announcements > before:
                more.append(str(party._announcements))  # the same at both: announcements are compared
            made = _digest(called, *more, *party._met_here, *(share._history.digest for share in shares))
            texts = ", ".join(share._history.text if _is_share(share) else "numbers" for share in parts)
            for i, found in enumerate(result if isinstance(result, tuple) else [result]):
                if _is_share(found) and not any(found is share for share in shares):
                    found._history = History(_digest("result", str(i), made), _short(f"{called}({texts})"))
            return result

        return run  # type: ignore[return-value]

    return mark


def indexed(share: Share, result: Share, key: Any) -> str:
    """Which numbers an index takes."""
    keys = list(key) if isinstance(key, tuple) else [key]
    shape, taken, changed = share.shape, [], False
    dims = iter(shape)
    for part in _whole(keys, share.ndim):
        if part is None:
            taken.append("None")
        elif isinstance(part, slice):
            size = next(dims)
            rows = range(*part.indices(size))
            first, step = (rows.start if rows else 0), (rows.step if len(rows) > 1 else 1)
            stop = first + step * len(rows)
            taken.append(":" if rows == range(size) else f"{first}:{stop if stop >= 0 else ''}:{step}")
        elif isinstance(part, np.ndarray):
            taken += [f"array {_array(places, size)}" for places, size in _places(part, dims)]
        else:
            taken.append(str(int(part) % next(dims)))
        changed |= taken[-1] != ":"
    return f"[{', '.join(taken)}]" if changed else ""


def reshaped(share: Share, result: Share, *shape: Any, **how: Any) -> str:
    """Into which shape."""
    return "" if result.shape == share.shape else f".reshape{result.shape}"


def transposed(share: Share, result: Share, *axes: Any) -> str:
    """Which axes come in which order."""
    turned = order(share, axes)
    return "" if turned == tuple(range(share.ndim)) else f".transpose{turned}"


def order(share: Share, axes: Sequence[Any]) -> tuple[int, ...]:
    """In which order `share.transpose(*axes)` has the axes."""
    given = axes[0] if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))) else axes
    return tuple(int(axis) % share.ndim for axis in given) if given else tuple(range(share.ndim))[::-1]


def copied(share: Share, result: Share) -> str:
    """Nothing."""
    return ""


def _whole(keys: Sequence[Any], ndim: int) -> Iterator[Any]:
    """An index for each axis: without an ellipsis, arrays as such."""
    keys = [key if key is None or key is Ellipsis or isinstance(key, slice) else _index(key) for key in keys]
    used = sum(
        key.ndim if isinstance(key, np.ndarray) and key.dtype == bool else 1
        for key in keys
        if key is not None and key is not Ellipsis
    )
    rest = [slice(None)] * (ndim - used)
    if not any(key is Ellipsis for key in keys):
        keys.append(Ellipsis)
    for key in keys:
        if key is Ellipsis:
            yield from rest
        else:
            yield key


def _index(key: Any) -> Any:
    """A whole number, or an array of places or of a mask."""
    array = np.asarray(key)
    if array.dtype != bool and array.ndim == 0:
        return int(array)
    return array if array.dtype == bool else array.astype(np.int64)


def _places(index: NDArray[Any], dims: Iterator[int]) -> list[tuple[NDArray[np.int64], int]]:
    """The places that an array chooses, from 0, for each axis that it is for, with the length of that."""
    if index.dtype != bool:
        size = next(dims)
        return [(index % size if size else index, size)]
    if index.ndim == 0:
        return [(index.astype(np.int64), 2)]
    return [(places, next(dims)) for places in np.nonzero(index)]


def _array(places: NDArray[np.int64], size: int) -> str:
    content = places.astype("<i8").tobytes()
    return f"{places.shape} {_digest('places', str(places.shape), str(size), content).hex()[:32]}"


def _after(history: History, what: str) -> History:
    """Of a view; of `what` text and digest have all."""
    if not what:
        return history
    seen = re.sub(r"(?<=\b[0-9a-f]{8})[0-9a-f]{24}\b", "", what)  # the beginning of a digest
    return History(_digest("view", what, history.digest), _short(history.text + seen))


def _parts(value: Any) -> list[Any]:
    """A value, or those of a sequence that has shares."""
    several = isinstance(value, (list, tuple)) and any(_is_share(part) for part in value)
    return list(value) if several else [value]


def _is_share(value: Any) -> bool:
    return hasattr(type(value), "_history")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"..{text[2 - LONGEST:]}"


def _digest(*parts: str | bytes) -> bytes:
    """Of texts and bytes, which cannot be cut in another way."""
    hashed = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        hashed.update(len(content).to_bytes(8, "little") + content)
    return hashed.digest()
