"""Comparisons of numbers in a known range: in no more bits than their differences take, which is a local step."""

from __future__ import annotations

from .. import arithmetic
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


def maximum(a: Share, b: Share) -> Share:
    """The greater of both."""
    limits = (max(a._range[0], b._range[0]), max(a._range[1], b._range[1]))
    return arithmetic.where(less(a, b), b, a)._within(limits)
