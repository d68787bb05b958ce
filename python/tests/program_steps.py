"""Support: the steps of random programs over shares, and what each gives in exact arithmetic."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import hushtable as ht
import numpy as np

SHAPES = [(2, 3), (2, 3), (3,), (2, 1), (1,), ()]
AWKWARD = [0.1, 0.4, -0.4, 0.5, 2.5, -0.25, 1 / 3, 0.001, -0.001, 1e-6, 2.7, 99.99, 127.999, -128.001]
Exact = Any  # an array of Fraction, dtype object
Check = Callable[..., tuple[Exact, Any]]


@dataclass
class Step:
    """A step of a program: what it does to shares, and what that is: exactly, and by how much it may be off."""

    text: str
    operands: tuple[int, ...]
    run: Callable[..., ht.Share]
    check: Check
    refused: str | None = None
    result: int | None = None


def exact(values: Any) -> Exact:
    """Numbers as fractions."""
    array = np.asarray(values, dtype=object)
    return np.vectorize(lambda v: Fraction(int(v) if isinstance(v, np.integer | np.bool_) else v), otypes=[object])(array)


def _constant(rng: random.Random, share: ht.Share) -> Any:
    """A public number, or a few of them."""

    def one() -> Any:
        lo, hi = share.range
        kind = rng.random()
        if kind < 0.25:
            return rng.choice([0, 1, -1, 2, 3, -7, 10, 100, 1000, -1000])
        if kind < 0.5:
            return rng.choice(AWKWARD)
        if kind < 0.75:
            return rng.randint(-8, 8) / 2**rng.randint(0, share.fraction or 0)
        value = rng.choice([lo, hi, rng.uniform(lo, hi)])
        return float(value) if rng.random() < 0.5 else math.floor(max(min(value, 2.0**62), -(2.0**62)))

    if rng.random() < 0.7:
        return one()
    return np.array([one() for _ in range(share.shape[-1] if share.ndim else 2)])


class Steps:
    """Chooses steps for the shares that there are."""

    def __init__(self, rng: random.Random, live: list[ht.Share]) -> None:
        self.rng = rng
        self.live = live

    def next(self) -> Step:
        rng = self.rng
        numbers = [i for i, s in enumerate(self.live) if s.kind == "additive"]
        bits = [i for i, s in enumerate(self.live) if s.kind == "xor"]
        if bits and rng.random() < 0.3:
            return self._of_bits(rng.choice(bits), bits, numbers)
        i, j = rng.choice(numbers), rng.choice(numbers)
        a = self.live[i]
        choice = rng.choice([
            self._two, self._two, self._two, self._with_constant, self._with_constant, self._with_constant,
            self._with_constant, self._one, self._one, self._matrix, self._joined,
        ])  # fmt: skip
        return choice(i, j, a)

    def _two(self, i: int, j: int, a: ht.Share) -> Step:
        step, wrap = _step(a), a.wrap or self.live[j].wrap
        name, run, check = self.rng.choice([
            ("a + b", lambda x, y: x + y, lambda x, y: (x + y, 0)),
            ("a - b", lambda x, y: x - y, lambda x, y: (x - y, 0)),
            ("a * b", lambda x, y: x * y, lambda x, y: (x * y, step)),
            ("maximum", ht.maximum, lambda x, y: (np.maximum(x, y), 0)),
            ("minimum", ht.minimum, lambda x, y: (np.minimum(x, y), 0)),
            *_comparisons(),
        ])
        return Step(name, (i, j), run, _mod(a, check) if wrap and name in ("a + b", "a - b", "a * b") else check)

    def _with_constant(self, i: int, j: int, a: ht.Share) -> Step:
        rng, c = self.rng, _constant(self.rng, a)
        step, e = _step(a), exact(c)
        off = _off(e, a)
        choices = [
            ("s + c", lambda x: x + c, lambda x: (x + e, off)),
            ("c + s", lambda x: c + x, lambda x: (e + x, off)),
            ("s - c", lambda x: x - c, lambda x: (x - e, off)),
            ("c - s", lambda x: c - x, lambda x: (e - x, off)),
            ("s * c", lambda x: x * c, lambda x: (x * e, _factor_error(x * e, step))),
            ("c * s", lambda x: c * x, lambda x: (x * e, _factor_error(x * e, step))),
        ]
        if np.all(e != 0):
            choices += [("s / c", lambda x: x / c, lambda x: (x / e, _quotient_error(x / e, step)))] * 2
        if rng.random() < 0.4:
            choices = choices[:0]
            for name, run, check in _comparisons():
                choices.append((name + " c", lambda x, run=run: run(x, c), lambda x, check=check: check(x, e)))
                choices.append(("c " + name, lambda x, run=run: run(c, x), lambda x, check=check: check(e, x)))
            choices += [
                ("maximum c", lambda x: ht.maximum(x, c), lambda x: (np.maximum(x, e), off)),
                ("minimum c", lambda x: ht.minimum(c, x), lambda x: (np.minimum(x, e), off)),
            ]
            d = _constant(rng, a)
            if np.ndim(c) == np.ndim(d) == 0 and c <= d:
                f = exact(d)
                both = max(np.max(off), np.max(_off(f, a)))
                choices.append(("clip", lambda x: x.clip(c, d), lambda x: (np.minimum(np.maximum(x, e), f), both)))
            intervals = [(float(v), float(v) + 3) for v in np.ravel(c)]
            choices.append((
                "inside", lambda x: ht.inside(x, intervals),
                lambda x: (exact(np.stack([(x >= exact(lo)) & (x < exact(hi)) for lo, hi in intervals], -1)), 0),
            ))
        name, run, check = rng.choice(choices)
        sums = a.wrap and name in ("s + c", "c + s", "s - c", "c - s", "s * c", "c * s", "s / c")
        return Step(f"{name}, c = {c!r}", (i,), run, _mod(a, check) if sums else check)

    def _one(self, i: int, j: int, a: ht.Share) -> Step:
        rng, step = self.rng, _step(a)
        axis = rng.choice([None, *range(a.ndim)])
        low, digits = rng.randint(1, a.bits), rng.randint(0, min(a.bits, 20))
        unsigned, scale = a._range[0] >= 0, 1 << a.fraction

        def low_bits(x: Exact) -> tuple[Exact, Any]:
            mod = (x * scale) % (1 << low)
            if unsigned:
                return mod / scale, 0
            return np.vectorize(lambda v: v - (1 << low) if v >= 1 << low - 1 else v, otypes=[object])(mod) / scale, 0

        name, run, check = rng.choice([
            ("-s", lambda x: -x, lambda x: (-x, 0)),
            (f"sum({axis})", lambda x: x.sum(axis), lambda x: (np.asarray(x.sum(axis=axis)), 0)),
            (f"mean({axis})", lambda x: x.mean(axis), lambda x: _mean(x, axis, step)),
            (f"max({axis})", lambda x: x.max(axis), lambda x: (np.asarray(x.max(axis=axis)), 0)),
            (f"argmax({axis})", lambda x: x.argmax(axis), lambda x: (exact(np.argmax(x, axis=axis)), 0)),
            (f"low_bits({low})", lambda x: x.low_bits(low), low_bits),
            (f"with_fraction({digits})", lambda x: x.with_fraction(digits),
             lambda x: (x, 0 if digits >= a.fraction else Fraction(1, 1 << digits + 1))),
            ("reshape", lambda x: x.reshape(-1), lambda x: (x.reshape(-1), 0)),
        ])  # fmt: skip
        return Step(name, (i,), run, _mod(a, check) if a.wrap and name[:3] in ("-s", "sum") else check)

    def _matrix(self, i: int, j: int, a: ht.Share) -> Step:
        step, most = _step(a), max(abs(end) for end in a._range) * _step(a)
        if self.rng.random() < 0.5 or a.ndim == 0:
            check: Check = lambda x, y: (np.asarray(x @ y.T), step)  # noqa: E731
            wrap = a.wrap or self.live[j].wrap
            return Step("a @ b.T", (i, j), lambda x, y: x @ y.T, _mod(a, check) if wrap else check)
        c = np.array([[self._number() for _ in range(2)] for _ in range(a.shape[-1])])
        e = exact(c)

        def by_constant(x: Exact) -> tuple[Exact, Any]:
            return x @ e, np.maximum(step, step / 2 + most * np.abs(e).sum(axis=0) / 100)

        return Step(f"s @ c, c = {c.tolist()}", (i,), lambda x: x @ c, _mod(a, by_constant) if a.wrap else by_constant)

    def _number(self) -> float:
        return self.rng.choice([0, 1, -2, 0.5, 0.1, -0.001, 3.3])

    def _joined(self, i: int, j: int, a: ht.Share) -> Step:
        c = _constant(self.rng, a)
        e, off = exact(c), _off(exact(c), a)
        public = np.broadcast_to(c, a.shape) if np.shape(c) in ((), a.shape[-1:]) else c
        wide = exact(np.broadcast_to(e, public.shape)) if np.ndim(public) else e
        worst = max(np.max(off), 0)
        name, operands, run, check = self.rng.choice([
            ("concatenate", (i, j), lambda x, y: ht.concatenate([x, y]), lambda x, y: (np.concatenate([x, y]), 0)),
            ("stack", (i, j), lambda x, y: ht.stack([x, y]), lambda x, y: (np.stack([x, y]), 0)),
            ("concatenate c", (i,), lambda x: ht.concatenate([x, public]),
             lambda x: (np.concatenate([x, wide]), worst)),
            ("stack c", (i,), lambda x: ht.stack([public, x], axis=-1), lambda x: (np.stack([wide, x], axis=-1), worst)),
        ])  # fmt: skip
        wrap = any(self.live[k].wrap for k in operands)
        return Step(f"{name}, c = {c!r}", operands, run, _mod(a, check) if wrap else check)

    def _of_bits(self, k: int, bits: list[int], numbers: list[int]) -> Step:
        rng = self.rng
        i, j, other = rng.choice(numbers), rng.choice(numbers), rng.choice(bits)
        a = self.live[i]
        c = _constant(rng, a)
        e, off = exact(c), _off(exact(c), a)
        single = self.live[k].bits == self.live[other].bits == 1
        name, operands, run, check = rng.choice([
            ("where", (k, i, j), ht.where, lambda b, x, y: (np.where(b != 0, x, y), 0)),
            ("where", (k, i, j), ht.where, lambda b, x, y: (np.where(b != 0, x, y), 0)),
            ("where c", (k, i), lambda b, x: ht.where(b, x, c), lambda b, x: (np.where(b != 0, x, e), off)),
            ("c where", (k, i), lambda b, x: ht.where(b, c, x), lambda b, x: (np.where(b != 0, e, x), off)),
            *([
                ("^", (k, other), lambda x, y: x ^ y, lambda x, y: (exact((x != y).astype(int)), 0)),
                ("&", (k, other), lambda x, y: x & y, lambda x, y: (x * y, 0)),
                ("|", (k, other), lambda x, y: x | y, lambda x, y: (np.maximum(x, y), 0)),
                ("~", (k,), lambda x: ~x, lambda x: (1 - x, 0)),
            ] if single else []),
        ])  # fmt: skip
        wrap = any(self.live[k].wrap for k in operands)
        return Step(f"{name}, c = {c!r}", operands, run, _mod(a, check) if wrap else check)


def _comparisons() -> list[tuple[str, Callable[..., Any], Check]]:
    def bit(f: Callable[[Any, Any], Any]) -> Check:
        return lambda x, y: (exact(np.asarray(f(x, y)).astype(int)), 0)

    return [(name, f, bit(f)) for name, f in {
        "<": lambda x, y: x < y, "<=": lambda x, y: x <= y, ">": lambda x, y: x > y,
        ">=": lambda x, y: x >= y, "==": lambda x, y: x == y, "!=": lambda x, y: x != y,
    }.items()]  # fmt: skip


def _step(a: ht.Share) -> Fraction:
    """By how much a product may be off: a step; nothing for whole numbers."""
    return Fraction(1, 1 << a.fraction) if a.fraction else Fraction(0)


def _off(e: Exact, a: ht.Share) -> Any:
    """A public number is rounded to nearest; a whole one of whole numbers is not."""
    if a.fraction == 0:
        return Fraction(0)
    return np.vectorize(lambda v: Fraction(0) if (v * 2**a.fraction).denominator == 1 else _step(a) / 2, otypes=[object])(e)


def _factor_error(product: Exact, step: Fraction) -> Any:
    return np.maximum(step, step / 2 + np.abs(product) / 100) if step else Fraction(0)


def _quotient_error(quotient: Exact, step: Fraction) -> Any:
    """Nothing where the quotient is a multiple of the step."""
    if not step:
        return Fraction(0)
    return np.vectorize(lambda v: Fraction(0) if (v / step).denominator == 1 else step, otypes=[object])(quotient)


def _mean(x: Exact, axis: int | None, step: Fraction) -> tuple[Exact, Any]:
    total = np.asarray(x.sum(axis=axis), dtype=object)
    mean = exact(total * Fraction(total.size, x.size))
    return mean, _quotient_error(mean, step)


def _mod(a: ht.Share, check: Check) -> Check:
    """Mod `2^bits`, as a signed number."""
    size, half = 1 << a.bits, 1 << a.bits - 1

    def wrapped(*operands: Exact) -> tuple[Exact, Any]:
        want, _ = check(*operands)
        return np.vectorize(lambda v: ("mod", v % size if v.denominator == 1 else v, half), otypes=[object])(want), 0

    return wrapped
