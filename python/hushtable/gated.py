"""GELU and SiLU in forms of their own: for fewer bytes than by tables and splines, with an error of their own. Where material
is made before over a slow link, the library takes a table instead if that is predicted to be faster, within the same error."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from . import _hushtable as native
from . import _words, history
from ._words import Range
from .arithmetic import NOTHING, wide
from .errors import ParamError
from .share import Share

# How accurate results are: as of the library's `Precision`.
Precision = Literal["fine", "network"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)

# How far GELU by tanh lies from GELU by the error function, at most: 4.7324e-4, at 2.699.
FORMULAS = 4.74e-4

# By name: the function of the library's form, how far it lies from the function meant, and minus its least value.
FORMS = {"gelu": ("gelu", FORMULAS, 0.1701), "gelu_tanh": ("gelu", 0.0, 0.1701), "silu": ("silu", 0.0, 0.2785)}

# Items for which bytes are compared.
ITEMS = 1 << 10


@dataclass(frozen=True)
class Form:
    """One form for numbers of one type: off by `ulps` steps at most; `bytes` for each, of both parties."""

    text: str
    operation: native.Operation
    ulps: float
    bytes: float
    least: float

    @property
    def card(self) -> str:
        """What is known of it, with its error from the function that is meant."""
        found = self.operation.card or ""
        return re.sub(r"at most [0-9.]+ ulp", f"at most {math.ceil(self.ulps * 100) / 100} ulp", found, count=1)

    def __call__(self, x: Share) -> Share:
        """The function of shares of this type."""
        return _bent(self, x)


@lru_cache(maxsize=256)
def forms(name: str, bits: int, fraction: int, limits: Range) -> tuple[Form, ...]:
    """Those of GELU (`"gelu"`, or `"gelu_tanh"` by its formula with tanh) or SiLU (`"silu"`) for numbers in `limits`, in
    steps; none for other functions, and where the width or the scale suits none."""
    if name not in FORMS:
        return ()
    function, off, least = FORMS[name]
    before, found = magnitude(limits, fraction), []
    for precision in PRECISIONS:
        try:
            made = native.Operation.gated(function, bits, fraction, precision, before, (limits[0], limits[1] - 1))
        except ParamError:
            continue
        text = f"{name}, {precision}, {before} bits before the point"
        error = ulps(made.card) + off * 2.0**fraction
        found.append(Form(text, made, error, made.bytes(ITEMS) / ITEMS, least))
    return tuple(found)


def magnitude(limits: Range, fraction: int) -> int:
    """Bits m before the point of numbers in `limits`, in steps: `-2^m <= x < 2^m`."""
    return max((max(-limits[0], limits[1], 1) - 1).bit_length() - fraction, 0)


def ulps(card: str | None) -> float:
    """The largest error that a card names, in steps; a step where it names none."""
    found = re.search(r"(?:at most|less than) ([0-9.]+) ulp", card or "")
    return float(found[1]) if found else 1.0


@history.operation(lambda given: given["form"].text, ("x",))
def _bent(form: Form, x: Share) -> Share:
    name = f"{form.text} (shape {x.shape}, bits={x.bits} fraction={x.fraction})"
    words = x.party._run(name, form.operation, wide(x), NOTHING, x.shape)
    off, (lo, hi) = math.ceil(form.ulps), x._range
    least = math.floor(-form.least * 2.0**x.fraction) if lo < 0 else 0
    limits = _words.fit(least - off, max(hi, 1) + off, x.bits)
    return x._like(_words.reduce(np.asarray(words), x.bits), limits)._off_by(0.0)
