"""Functions of shares, as the library evaluates them or by a lookup in one table; softmax and layer norm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from . import _hushtable as native
from . import _words, gated, history
from .arithmetic import NOTHING, wide
from ._words import Range
from .errors import ParamError, ShapeError
from .gated import PRECISIONS, Precision, ulps
from .share import Share
from .store import Store
from .tables import Table, look_up

if TYPE_CHECKING:
    from typing_extensions import Unpack

# Most bits of an index in a table that is made on the way.
MOST_BITS = 16

# The narrowest numbers that the library evaluates functions of; of narrower ones there are tables.
LEAST_BITS = 8

Method = Literal["auto", "table", "angle"] | tuple[int, int]
Outside = Literal["saturate", "clamp", "wrap", "strict"]


class How(TypedDict, total=False):
    """How a function is evaluated: the options of its card.

    `domain`: an interval `lo <= x < hi`, default: the function's own. `range`: where all numbers are known to lie.
    `fraction_out`: bits behind the point of the results, default: as before. `method`, `outside`, `max_ulp`: as for
    `Function`.
    """

    domain: tuple[float, float] | None
    range: tuple[float, float] | None
    fraction_out: int | None
    method: Method | None
    outside: Outside | None
    max_ulp: float | None


@dataclass(frozen=True)
class Function:
    """A function of one number, by name. Call it with shares."""

    name: str
    about: str
    default_domain: tuple[float, float]

    @history.operation(lambda given: given["self"].name, ("x",))
    def __call__(
        self,
        x: Share,
        *,
        domain: tuple[float, float] | None = None,
        fraction: int | None = None,
        bits: int | None = None,
        protocol: str | None = None,
        store: Store | None = None,
        method: Method | None = None,
        outside: Outside | None = None,
        max_ulp: float | None = None,
    ) -> Share:
        """Shares of `f(x)`, with `fraction` binary digits after the point, by default those of `x`, unless these are whole
        numbers.

        It is evaluated as the library and the program do, in the width of `x`; `silu` and `gelu` by a form of their own
        where that takes fewer bytes and is as accurate, as `card` says for the share's `range`. `method` is `"auto"` (the default: the
        cheapest that is accurate enough), `"table"`, `"angle"` (a sine or cosine by angle addition), or degree and
        pieces of a spline, such as `(2, 64)`; `max_ulp` is the largest error allowed, in steps of the result. `card` tells domain, accuracy and cost.

        The domain is `domain` (`lo <= x < hi`), by default the share's `range` where a method serves all of it, else
        the function's own. Numbers outside become the function's limit where it has one (sigmoid, tanh, erf; exp
        below; atan of few digits) or the number itself (gelu, silu, softplus); where it has none (sqrt, ln, log10, rsqrt,
        reciprocal; asin and acos beyond -1 and 1; exp above), they raise `ParamError` at both parties, who learn that there
        are some, and end the session. What `range` rules out costs nothing. `outside` says otherwise: `"saturate"`, `"clamp"` (the value at the
        nearer end), `"strict"` (always refuse), or `"wrap"`: promised not to occur.

        A `range` with numbers at which the function has no value (ln, log10 and rsqrt at 0 and below, sqrt below 0,
        reciprocal at 0, asin and acos beyond -1 and 1) raises `ParamError` before any work, unless `outside` says what
        becomes of them. Of shares without a range such numbers are refused as above. Tangents give the greatest or the
        least number of the width within two steps of their poles.

        With `bits`, `protocol` or `store`, which are those of `hushtable.lookup`, this is a lookup in the table of all
        values instead: each is rounded to nearest, and the numbers in the share's `range`, which lies in `domain`, are
        at most 2^16. So it is for shares by XOR, of less than 8 bits, or of a range of numbers without sign.

        Raises `ParamError` for what is not supported, and says what is; `ShapeError` or `TypeError` for an argument
        that is no such share.
        """
        if not isinstance(x, Share):
            raise TypeError(f"{self.name}: a share is expected, got {type(x).__name__}")
        if x.fraction == 0 and fraction is None and self.name != "identity":
            raise ParamError(
                f"{self.name}: whole numbers have no digits after the point, and results need some; accepted: "
                f"fraction=, the digits of the results, such as fraction=8"
            )
        looked_up = (bits, protocol, store) != (None, None, None)
        how = How(domain=domain, fraction_out=fraction, method=method, outside=outside, max_ulp=max_ulp)
        if not looked_up and _evaluable(x):
            return self._evaluate(x, how)
        if (method, outside, max_ulp) != (None, None, None) or (domain is None and _index_bits(x) > MOST_BITS):
            lo, hi = x._range
            need = max(1 + max(-lo - 1, hi - 1, 0).bit_length(), LEAST_BITS, x.fraction + 1)
            wider = f", or shares with bits={need} and the same range=" if x.kind == "additive" and x.bits < need <= 64 else ""
            raise ParamError(
                f"{self.name} of {x!r} by a table: method=, outside= or max_ulp=, or numbers in {x.range}, are not "
                f"supported; accepted: at most 2^{MOST_BITS} numbers{wider}; bits=, protocol= and store= are for tables"
            )
        table = self.table(x, domain, fraction)
        return look_up(self.name, table, x, bits, "additive", protocol or "auto", store)

    def table(self, x: Share, domain: tuple[float, float] | None = None, fraction: int | None = None) -> Table:
        """The table that serves `x`: an entry for each number in its range, or in `domain`."""
        digits = x.fraction if fraction is None else fraction
        return Table.function(self.name, domain or _domain(x), x.fraction, digits)

    def card(self, bits: int = 32, fraction: int = 12, **how: Unpack[How]) -> str:
        """The function card in a ring of `bits` bits with `fraction` bits behind the point; see `How`.

        Raises `ParamError` for what is not supported.
        """
        return card(self.name, bits, fraction, **how)

    def _evaluate(self, x: Share, how: How) -> Share:
        (lo, hi) = x.range
        form = _form(self.name, x.bits, x.fraction, **how, range=(lo, hi))
        if form is not None:
            return form(x)
        made = _evaluation(self.name, x.bits, x.fraction, **how, range=(lo, hi))
        first, last = made.reach
        if lo < first or hi > last:
            first, last = max(first, lo), min(last, hi)
            within = f"range=({first!r}, {last!r}) where the numbers are shared, or " if first < last else ""
            raise ParamError(
                f"{self.name}: range=({lo!r}, {hi!r}) is not supported in {x.bits} bits with {x.fraction} after the "
                f"point; accepted: {within}more bits="
            )
        name = f"{self.name}(shape {x.shape}, bits={x.bits} fraction={x.fraction}, {made.digest[:32]})"
        words = x.party._run(name, native.Operation.evaluate(made), wide(x), NOTHING, x.shape)
        least, most = made.range(lo, hi)
        limits = _words.fit(least, most + 1, x.bits)
        return Share(x.party, _words.reduce(words, x.bits), x.bits, made.fraction, "additive", limits)


def card(name: str, bits: int = 32, fraction: int = 12, **how: Unpack[How]) -> str:
    """The function card: domain, method, largest error and cost of the function `name`; see `Function.card`."""
    form = _form(name, bits, fraction, **how)
    if form is not None:
        return form.card
    return _evaluation(name, bits, fraction, **how).card


def functions() -> dict[str, Function]:
    """The functions of the library by name."""
    return {name: Function(name, about, (lo, hi)) for name, about, lo, hi in native.functions()}


@history.operation("softmax", ("x",))
def softmax(x: Share, *, precision: Precision = "fine") -> Share:
    """Softmax along the last axis: in the shape, width and scale of `x`, measured to be wrong by 2 steps at most; with
    `precision="network"`, as networks need it, by `1.2 * 2^-8`, for fewer bytes.

    `x` has 8 to 14 binary digits after the point (10 to 14 for networks), 8 bits or more before it, and 3 bits of room above
    its `range`. A smaller range takes fewer bytes. Raises `ParamError` for another scale, width or range, and for rows of more than 2^14 numbers; `ShapeError`
    without an axis.
    """
    x._additive("softmax")
    rows, length = _rows(x, "softmax")
    reach = 2.0 ** (x.bits - 3 - x.fraction)
    if x.range[0] < -reach or x.range[1] > reach:
        raise ParamError(
            f"softmax: numbers in {x.range} are not supported in {x.bits} bits; accepted: -{reach!r} to {reach!r}: "
            f"shares with a smaller range=, such as range=(-8, 8), or with more bits= and the same range="
        )
    if precision not in PRECISIONS:
        raise ParamError(f"softmax: precision={precision!r} is not supported; accepted: 'fine' or 'network'")
    operation, before = _softmax(x.bits, x.fraction, (rows, length), x._range, precision)
    name = f"softmax(shape {x.shape}, bits={x.bits} fraction={x.fraction}, {precision}, {before} bits before the point)"
    words = x.party._run(name, operation, wide(x), NOTHING, x.shape)
    limits = operation.range
    assert limits is not None
    return x._like(_words.reduce(words, x.bits), (limits[0], limits[1] + 1))._off_by(0.0)


def _softmax(
    bits: int, fraction: int, shape: tuple[int, int], limits: Range, precision: Precision
) -> tuple[native.Operation, int]:
    """The operation for so many rows of numbers in `limits`, in steps, and their bits before the point."""
    before = max(gated.magnitude(limits, fraction), 4)
    return native.Operation.softmax(bits, fraction, *shape, precision, before), before


@history.operation("layer_norm", ("x",))
def layer_norm(
    x: Share,
    gain: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    *,
    variance: tuple[float, float],
    epsilon: float = 1e-5,
    owner: int | None = None,
    most: float | None = None,
) -> Share:
    """Layer norm along the last axis, with a gain and an offset for each place in it.

    These are public, by default 1 and 0; or, with `owner`, known to that party only, which gives them, and the
    other gives none: then `most`, which is public, bounds both, without their signs.

    `variance` bounds the variance of every row with epsilon, at most a factor of 2^15 apart, and `x.range` its
    numbers: a row beyond gives numbers without meaning. The result has the shape, width and scale of `x`.

    Raises `ShapeError` for gains that are not one for each place, `ParamError` for bounds that the width cannot
    hold, and for a gain beyond `most`.
    """
    x._additive("layer_norm")
    rows, length = _rows(x, "layer_norm")
    gains, offsets, most = _affine(x.party.role, length, gain, offset, owner, most)
    largest = max(abs(end) for end in x.range)
    operation = native.Operation.layer_norm(
        x.bits, x.fraction, rows, gains, offsets, owner, x.party.role, most, largest, variance, epsilon
    )
    whose = f"{gains} {offsets}" if owner is None else f"of party {owner}"
    public = _words.digest(f"{whose} {most} {largest} {variance} {epsilon}")
    name = f"layer_norm(shape {x.shape}, bits={x.bits} fraction={x.fraction}, {public})"
    words = x.party._run(name, operation, wide(x), NOTHING, x.shape, None if owner is None else (gains, offsets))
    limits = operation.range
    assert limits is not None
    return x._like(_words.reduce(words, x.bits), (limits[0], limits[1] + 1))._off_by(0.0)


def _affine(
    role: int, length: int, gain: ArrayLike | None, offset: ArrayLike | None, owner: int | None, most: float | None
) -> tuple[list[float], list[float], float]:
    """Gains, offsets, and the public bound of both."""
    if owner not in (None, 0, 1):
        raise ParamError(f"layer_norm: owner={owner!r} is not supported; accepted: None, 0 or 1")
    if (most is None) != (owner is None):
        raise ParamError("layer_norm: owner= and most= go together: the bound of gains that one party knows")
    if owner not in (None, role) and (gain is not None or offset is not None):
        raise ParamError(f"layer_norm: party {owner} owns gain and offset; this party gives none")
    gains = np.ones(length) if gain is None else np.asarray(gain, dtype=np.float64)
    offsets = np.zeros(length) if offset is None else np.asarray(offset, dtype=np.float64)
    if gains.shape != (length,) or offsets.shape != (length,):
        raise ShapeError(f"layer_norm: gain and offset of shape ({length},), got {gains.shape} and {offsets.shape}")
    if not (np.isfinite(gains).all() and np.isfinite(offsets).all()):
        raise ParamError("layer_norm: a gain or an offset that is not finite is not supported; accepted: numbers")
    if most is None:
        most = max(1.0, float(np.abs(gains).max()), float(np.abs(offsets).max()))
    return gains.tolist(), offsets.tolist(), most


def _rows(x: Share, name: str) -> tuple[int, int]:
    if x.ndim == 0 or x.size == 0:
        raise ShapeError(f"{name}: rows of numbers are expected, got shape {x.shape}")
    return x.size // x.shape[-1], x.shape[-1]


@lru_cache(maxsize=64)  # some take long to choose
def _evaluation(
    name: str,
    bits: int,
    fraction: int,
    *,
    domain: tuple[float, float] | None = None,
    range: tuple[float, float] | None = None,
    fraction_out: int | None = None,
    method: Method | None = None,
    outside: Outside | None = None,
    max_ulp: float | None = None,
) -> native.Evaluation:
    ways = {None: (0, 0), "auto": (0, 0), "table": (0, 1), "angle": (0, 2)}
    way = method if isinstance(method, tuple) else ways.get(method)
    if way is None or outside not in (None, "saturate", "clamp", "wrap", "strict"):
        raise ParamError(
            f"{name}: method={method!r}, outside={outside!r} is not supported; accepted: 'auto', 'table', 'angle' or (degree, "
            f"pieces); 'saturate', 'clamp', 'wrap' or 'strict'"
        )
    return native.Evaluation(name, bits, fraction, domain, range, way, outside or "usual", fraction_out, max_ulp)


@lru_cache(maxsize=64)
def _form(
    name: str,
    bits: int,
    fraction: int,
    *,
    range: tuple[float, float] | None = None,
    method: Method | None = None,
    max_ulp: float | None = None,
    allowed: float | None = None,
    **options: object,
) -> gated.Form | None:
    """A form of GELU or SiLU, for numbers in a range, that takes fewer bytes than what the library chooses otherwise, and is
    off by `allowed` steps at most, by default by what that promises; `None` if there is none, or the options ask for more."""
    if range is None or method not in (None, "auto") or any(option is not None for option in options.values()):
        return None
    lo, hi = (round(end * 2.0**fraction) for end in range)
    found = gated.forms(name, bits, fraction, (lo, hi))
    if not found:
        return None
    made = _evaluation(gated.FORMS[name][0], bits, fraction, range=range, max_ulp=max_ulp)
    most = allowed if allowed is not None else max_ulp if max_ulp is not None else ulps(made.card)
    size = native.Operation.evaluate(made).bytes(gated.ITEMS) / gated.ITEMS
    fitting = [form for form in found if form.ulps <= most and form.bytes < size]
    return min(fitting, key=lambda form: form.bytes, default=None)


def _evaluable(x: Share) -> bool:
    """Whether the library evaluates functions of such numbers."""
    (lo, hi), (least, end) = x._range, _words.signed(x.bits)
    return x.kind == "additive" and max(LEAST_BITS, x.fraction + 1) <= x.bits and least <= lo and hi <= end


def _index_bits(x: Share) -> int:
    lo, hi = x._range
    return max(1, (hi - lo - 1).bit_length())


def _domain(x: Share) -> tuple[float, float]:
    """The smallest interval of a power of two of numbers that holds the range."""
    lo = x._range[0]
    return lo * 2.0**-x.fraction, (lo + (1 << _index_bits(x))) * 2.0**-x.fraction


_ALL = functions()
acos = _ALL["acos"]
asin = _ALL["asin"]
atan = _ALL["atan"]
cos = _ALL["cos"]
cos2pi = _ALL["cos2pi"]
cospi = _ALL["cospi"]
erf = _ALL["erf"]
exp = _ALL["exp"]
gelu = _ALL["gelu"]
identity = _ALL["identity"]
ln = _ALL["ln"]
log10 = _ALL["log10"]
reciprocal = _ALL["reciprocal"]
rsqrt = _ALL["rsqrt"]
sigmoid = _ALL["sigmoid"]
silu = _ALL["silu"]
softplus = _ALL["softplus"]
sin = _ALL["sin"]
sin2pi = _ALL["sin2pi"]
sinpi = _ALL["sinpi"]
sqrt = _ALL["sqrt"]
tan = _ALL["tan"]
tan2pi = _ALL["tan2pi"]
tanh = _ALL["tanh"]
tanpi = _ALL["tanpi"]
