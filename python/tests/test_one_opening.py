"""Intervals, and lookups in tables that are shared."""

from __future__ import annotations

import math
from fractions import Fraction

import hushtable as ht
import numpy as np
import pytest
from hushtable.arithmetic import _ends
from test_functions import halves


@pytest.mark.parametrize(
    ("bits", "fraction", "limits"), [(8, 0, (-128, 128)), (40, 6, (-8, 8)), (16, 3, (100, 117)), (12, 2, (0, 0.25))]
)
def test_numbers_in_their_intervals(bits, fraction, limits):
    lo, hi = limits
    x = np.arange(lo, hi, 2.0**-fraction)
    middle = (lo + hi) / 2
    intervals = [(lo, hi), (lo, middle), (middle, hi), (-math.inf, lo + 0.625), (middle, lo), (-1.5, 101.3), (0.0, math.inf)]

    def party(p):
        s = p.input(x if p.role == 0 else None, 0, shape=x.shape, bits=bits, fraction=fraction, range=limits)
        inside = ht.inside(s, intervals)
        assert (inside.bits, inside.kind, inside.shape) == (1, "xor", (*x.shape, len(intervals)))
        return p.open(inside), p.open(ht.where(inside[..., 1], s, -s) if bits == 40 else s)

    found, chosen = ht.run_pair(party)[0]
    want = np.array([[a <= v < b for a, b in intervals] for v in x])
    assert np.array_equal(found, want)
    assert bits != 40 or np.array_equal(chosen, np.where(want[:, 1], x, -x))


def test_ends_of_intervals_are_exact():
    least, most = 2**53, 2**53 + 2**20
    for interval, want in [
        ((2**53 + 1, 2**53 + 3), (2**53 + 1, 2**53 + 3)),
        ((np.int64(2**53 + 1), np.uint64(2**53 + 3)), (2**53 + 1, 2**53 + 3)),
        ((-(10**400), 10**400), (least, most)),
        ((-math.inf, math.inf), (least, most)),
        ((1e300, 0.5), (most, least)),
        ((Fraction(2**54 + 1, 2), 2.0**53 + 2), (2**53 + 1, 2**53 + 2)),
    ]:
        assert _ends(interval, 0, least, most) == want
    assert _ends((0.25, np.float32(0.3)), 3, -100, 100) == (2, 3)
    with pytest.raises(ht.ParamError):
        _ends((10**400, math.nan), 0, 0, 9)


def test_intervals_that_are_refused():
    def party(p):
        large, small = p.share(np.zeros(3), bits=32, fraction=8), p.share(np.zeros(3), bits=8, fraction=2)
        for x, intervals in [(large, [(0, 1)]), (small, []), (small, [(0, 1)] * 65), (small, [(0, math.nan)])]:
            with pytest.raises(ht.ParamError):
                ht.inside(x, intervals)
        with pytest.raises(TypeError):
            ht.inside(p.share(np.zeros(3), bits=8, fraction=0, kind="xor"), [(0, 1)])
        return True

    assert ht.run_pair(party) == (True, True)


@pytest.mark.parametrize("kind", ["additive", "xor"])
@pytest.mark.parametrize("index", ["additive", "xor"])
def test_entries_of_a_shared_table(kind, index):
    entries = np.arange(16) * 3 if kind == "xor" else np.arange(16) * 0.75 - 4
    fraction = 0 if kind == "xor" else 4
    x = np.arange(32).reshape(4, 8) % 16

    def party(p):
        mine = entries if p.role == 0 else None
        table = p.input(mine, 0, shape=16, bits=12, fraction=fraction, kind=kind)
        at = p.input(x if p.role == 1 else None, 1, shape=x.shape, bits=8, fraction=0, kind=index, range=(0, 16))
        found = ht.lookup_shared(table, at)
        assert (found.bits, found.kind, found.shape) == (12, kind, x.shape)
        return p.open(found)

    a, b = ht.run_pair(party)
    assert np.array_equal(a, b) and np.array_equal(a, entries[x])


def test_shared_tables_that_are_refused():
    def party(p):
        table, at = p.share(np.zeros(8)), p.share(np.zeros(3), bits=8, fraction=0, range=(0, 8))
        for wrong in [table[:7], table.reshape(2, 4), p.share(np.zeros(2048)), table[:1]]:
            with pytest.raises(ht.ShapeError):
                ht.lookup_shared(wrong, at)
        with pytest.raises(ht.ShapeError):
            ht.lookup_shared(table, p.share(np.zeros(3), bits=8, fraction=2, range=(0, 8)))
        with pytest.raises(ht.ParamError):
            ht.lookup_shared(table, p.share(np.zeros(3), bits=8, fraction=0, range=(0, 10)))
        with pytest.raises(TypeError):
            ht.lookup_shared(np.zeros(8), at)
        return True

    assert ht.run_pair(party) == (True, True)


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "sinpi", "cospi", "tanpi", "sin2pi", "cos2pi", "tan2pi", "asin", "acos", "atan"])
def test_every_trigonometric_function_is_there(name):
    x = np.arange(-0.2, 0.2, 1 / 32)
    parts = halves(x, 12)
    turns = {"pi": math.pi, "2pi": 2 * math.pi}
    base, unit = next(((name.removesuffix(end), turns[end]) for end in ("2pi", "pi") if name.endswith(end)), (name, 1))
    reference = getattr(np, {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(base, base))
    steep = 40 if base == "tan" else 3

    def party(p):
        return p.open(getattr(ht, name)(p.share(parts[p.role], bits=32, fraction=12, range=(-1, 1))))

    rounded = np.round(x * 4096) / 4096
    assert np.abs(ht.run_pair(party)[0] - reference(unit * rounded)).max() <= steep / 4096
