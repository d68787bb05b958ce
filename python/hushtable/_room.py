"""What is said of results that a width does not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import ParamError

if TYPE_CHECKING:
    from .share import Share

# What is accepted where whole numbers meet others.
WHOLE = (
    "whole numbers, as the shares are, or shares with digits after the point, by x.with_fraction(8), or fraction= where "
    "they are shared"
)


def too_wide(operation: str, share: Share, need: int, what: str, *, wraps: bool = True) -> ParamError:
    """The error for results that need `need` bits, more than the share's: which width would do, and what else; `wraps`: that
    it can be computed mod `2^bits`."""
    smaller = "a smaller range=, such as range=(-8, 8)"
    if share.wrap:
        takes, accepted = f"{need} bits", "shares without wrap=True, whose ranges are narrower"
    elif need > 64:
        takes, accepted = "more than 64 bits", f"shares with {smaller}"
    else:
        takes = f"{need} bits"
        accepted = f"shares with bits={need} and the same range= (by default it grows with bits=); with {smaller}, fewer bits do"
    whole = share.fraction == 0 and share.kind == "additive" and not share.wrap and wraps
    wrap = f"; or wrap=True, to compute mod 2^{share.bits}" if whole else ""
    return ParamError(
        f"{operation}: {what} take {takes}, which {share.bits} bits may not hold; accepted: "
        f"{accepted}{wrap}"
    )
