"""Shares side by side: NumPy's `concatenate` and `stack`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import bits, history
from ._words import Words
from .bits import BitShare
from .errors import ShapeError
from .share import Share


@history.operation("concatenate", ("shares",), ("axis",))
def concatenate(shares: Sequence[Share | ArrayLike], axis: int = 0) -> Share:
    """Joins shares of one type, and arrays of public numbers, along an axis, as `numpy.concatenate`.

    Raises `ParamError` if the width does not hold all their ranges, `ShapeError` for shapes that do not fit together.
    """
    return _join(np.concatenate, shares, axis)


@history.operation("stack", ("shares",), ("axis",))
def stack(shares: Sequence[Share | ArrayLike], axis: int = 0) -> Share:
    """Joins shares of one type and shape, and arrays of public numbers, along a new axis, as `numpy.stack`.

    Raises as `concatenate`.
    """
    return _join(np.stack, shares, axis)


def _join(join: Callable[..., Words], parts: Sequence[Share | ArrayLike], axis: int) -> Share:
    if any(isinstance(part, BitShare) for part in parts):
        return bits.join(join, parts, axis)  # type: ignore[return-value]
    name = join.__name__
    like = next((part for part in parts if isinstance(part, Share)), None)
    if like is None:
        raise TypeError(f"{name}: at least one share is expected")
    shares = [like._known(part, name) for part in parts]
    for other in shares:
        like._same(other, name)
    try:
        words = join([s._words for s in shares], axis=axis)
    except ValueError as error:
        raise ShapeError(f"{name}: {', '.join(str(s.shape) for s in shares)}: {error}") from None
    either = (min(s._range[0] for s in shares), max(s._range[1] for s in shares))
    off = max(s._off for s in shares)
    return like._like(words, also=next((s for s in shares if s.wrap), None))._off_by(off)._room(either, name)
