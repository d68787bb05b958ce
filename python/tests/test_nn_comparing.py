"""Comparisons in as few bits as differences take: right at the ends of every range."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest
from hushtable.nn import comparing


@pytest.mark.parametrize("seed", range(12))
def test_comparisons_are_right_up_to_the_ends_of_ranges(seed):
    rng = np.random.default_rng(seed)
    bits, fraction = int(rng.integers(8, 50)), int(rng.integers(0, 5))
    ends = np.sort(rng.integers(-(1 << (bits - 4)), 1 << (bits - 4), 4))
    lo, low, high, hi = (int(end) for end in ends)
    hi = max(hi, lo + 2)
    ranges = [(lo, hi), (low, max(high, low + 1)), (0, max(abs(hi), 1)), (-max(abs(lo), 1), 0)]
    first, second = (ranges[int(i)] for i in rng.integers(0, 4, 2))

    def numbers(limits):
        inside = rng.integers(limits[0], limits[1], 20)
        return np.concatenate([inside, [limits[0], limits[1] - 1, limits[0], limits[1] - 1]])

    a, b = numbers(first), numbers(second)
    b[-2:] = b[-2:][::-1]
    step = 2.0**-fraction

    def party(p):
        def given(values, limits):
            ends = (limits[0] * step, limits[1] * step)
            mine = values * step if fraction else values
            return p.input(mine if p.role == 0 else None, owner=0, shape=24, bits=bits, fraction=fraction, range=ends)

        x, y = given(a, first), given(b, second)
        assert comparing.narrow(x, y)[0].bits <= bits
        greater = comparing.maximum(x, y)
        assert greater.range == (max(x.range[0], y.range[0]), max(x.range[1], y.range[1]))
        kept = comparing.relu(x)
        assert kept.range == (0, max(x.range[1], step))
        return p.open(comparing.less(x, y)), p.open(comparing.positive(x)), p.open(greater), p.open(kept)

    for below, above, greater, kept in ht.run_pair(party):
        assert np.array_equal(below, a < b)
        assert np.array_equal(above, a > 0)
        assert np.array_equal(greater, np.maximum(a, b) * step)
        assert np.array_equal(kept, np.maximum(a, 0) * step)
