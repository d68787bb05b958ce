"""Comparisons of numbers in a known range: in no more bits than their differences take, which is a local step."""

from __future__ import annotations

from functools import lru_cache

from .. import _hushtable as native
from .. import _words, arithmetic, history
from ..gated import ITEMS
from ..share import Share


def narrow(*shares: Share) -> list[Share]:
    """The same numbers in the fewest bits in which they can be compared with one another."""
    least, most = min(s._range[0] for s in shares), max(s._range[1] for s in shares)
    # Differences have a sign, and 0 may be met too.
    bits = min((max(most, 1) - min(least, 0)).bit_length() + 1, *(s.bits for s in shares))
    return [share.low_bits(bits) for share in shares]


def less(a: Share, b: Share) -> Share:
    """Shared bits that are 1 where `a < b`."""
    x, y = narrow(a, b)
    return arithmetic.less(x, y)


def positive(x: Share) -> Share:
    """Shared bits that are 1 where `x > 0`."""
    (short,) = narrow(x)
    return arithmetic.less(0, short._off_by(0.0))


@history.operation("relu", ("x",))
def relu(x: Share) -> Share:
    """What is below 0 becomes 0."""
    lo, hi = x._range
    within = _within(x.bits, max((-lo - 1).bit_length(), (hi - 1).bit_length()) + 1)
    name = f"relu(shape {x.shape}, bits={x.bits} fraction={x.fraction}, within {within} bits)"
    words = x.party._run(name, native.Operation.relu(x.bits, within), arithmetic.wide(x), arithmetic.NOTHING, x.shape)
    return x._like(_words.reduce(words, x.bits), (0, max(hi, 1)))._off_by(x._off)


@lru_cache(maxsize=256)
def _within(bits: int, fit: int) -> int:
    """The bits in which numbers that fit so many are compared and chosen: these, or all where that takes fewer bytes."""
    return min((max(min(fit, bits), 2), bits), key=lambda within: native.Operation.relu(bits, within).bytes(ITEMS))


def maximum(a: Share, b: Share) -> Share:
    """The greater of both."""
    limits = (max(a._range[0], b._range[0]), max(a._range[1], b._range[1]))
    return arithmetic.where(less(a, b), b, a)._within(limits)
