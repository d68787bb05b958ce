"""Sines, cosines and tangents of shares, and NumPy's own functions and operators with shares."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest
from test_functions import REFERENCE, halves

UFUNCS = [np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.exp, np.tanh]


@pytest.mark.parametrize("ufunc", UFUNCS)
def test_numpys_functions_are_those_of_shares(ufunc):
    x = np.arange(-0.75, 0.75, 1 / 64)
    parts = halves(x, 12)

    def party(p):
        s = p.share(parts[p.role], bits=32, fraction=12, range=(-1, 1))
        return p.open(ufunc(s))

    assert np.abs(ht.run_pair(party)[0] - ufunc(x)).max() <= 3 / 4096


def test_operators_with_an_array_on_the_left():
    x = np.array([0.5, -1.25, 3.0])
    parts = halves(x, 8)

    def party(p):
        s = p.share(parts[p.role], bits=24, fraction=8, range=(-8, 8))
        made = [x + s, x - s, np.float64(2) * s, np.add(s, s), x[:, None] < s]
        return [p.open(share) for share in made]

    want = [x + x, x - x, 2 * x, x + x, x[:, None] < x]
    assert all(np.array_equal(y, w) for y, w in zip(ht.run_pair(party)[0], want, strict=True))


@pytest.mark.parametrize(("name", "period"), [("sinpi", 2), ("cospi", 2), ("sin2pi", 1), ("cos2pi", 1)])
@pytest.mark.parametrize(("method", "most"), [("table", 0.5), ("angle", 1.3)])
def test_sines_of_turns_repeat(name, period, method, most):
    x = np.arange(-6, 6, 1 / 32)
    parts = halves(x, 10)

    def party(p):
        s = p.share(parts[p.role], bits=32, fraction=10, range=(-8, 8))
        return p.open(ht.functions()[name](s, method=method))

    assert np.abs(ht.run_pair(party)[0] - np.vectorize(REFERENCE[name])(x)).max() <= most / 1024
    assert "repeats" in ht.card(name, 32, 10, method=method)
