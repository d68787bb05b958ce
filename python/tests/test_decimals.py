"""Public numbers beside shares of decimals: what is written alike is on the same side."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest

ORDERS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}

# How a share came about, and how many rounded numbers are added up in each of its numbers.
WAYS = {
    "one owner": 1, "both owners": 2, "two inputs": 2, "seven inputs": 7, "finer": 1, "coarser": 2, "a table's row": 1,
    "times -3": 3, "looked up": 1, "low bits": 1,
}


def written(n, decimals):
    """Whole numbers of the last decimal, as they are written."""
    return np.array([float(f"{int(i)}e-{decimals}") for i in np.ravel(n)]).reshape(np.shape(n))


def shared(p, way, n, decimals, fraction, rng):
    """Shares of `n`, in the last decimal, made in several ways of numbers with as many decimals."""
    kind = {"bits": 48, "fraction": fraction, "range": (-(2**12), 2**12)}

    def given(n, **more):
        return p.input(written(n, decimals) if p.role == 0 else None, 0, shape=n.shape, **kind | more)

    if way == "both owners":
        part = rng.integers(-500, 500, n.shape)
        return p.share(written([n - part, part][p.role], decimals), **kind)
    if way in ("two inputs", "seven inputs"):
        parts = rng.integers(-50, 50, (WAYS[way] - 1, *n.shape))
        return given(np.vstack([[n - parts.sum(axis=0)], parts])).sum(axis=0)
    if way == "coarser":
        return given(n, fraction=fraction + 3).with_fraction(fraction)
    if way == "times -3":
        return given(n // -3) * -3
    if way == "looked up":
        index = p.input(np.arange(n.size) if p.role == 0 else None, 0, shape=n.size, bits=8, fraction=0, range=(0, n.size))
        return ht.lookup(ht.Table(written(n, decimals), fraction), index, bits=48)
    s = given(n)
    ways = {
        "finer": lambda: s.with_fraction(fraction + 5), "a table's row": lambda: np.stack([s, s])[1],
        "low bits": lambda: s.low_bits(40),
    }
    return ways.get(way, lambda: s)()


@pytest.mark.parametrize("way", WAYS)
def test_numbers_written_with_the_same_decimals_are_on_their_side(way):
    """At random decimals, scales that tell them apart, and constants that the numbers lie at and beside."""
    seed = np.random.default_rng(list(WAYS).index(way))
    least = np.log2(WAYS[way])
    drawn = [(int(d), max(int(np.ceil(d * np.log2(10) + least)) + int(more), 1), int(seed.integers(-900, 900)))
             for d in (0, 1, 2, 3) for more in seed.integers(0, 6, 3)]

    def party(p):
        rng, found = np.random.default_rng(7), []
        for decimals, fraction, c in drawn:
            n = c + rng.integers(-2, 3, 40)
            if way == "times -3":
                n = 3 * n
                c = 3 * c
            s = shared(p, way, n, decimals, fraction, rng)
            constant = float(written(c, decimals)) if decimals else c
            for sign, order in ORDERS.items():
                got = p.open(order(s, constant))
                found.append((got != order(n, c), sign, n, c, decimals, fraction))
        return [(sign, n[wrong], c, decimals, fraction) for wrong, sign, n, c, decimals, fraction in found if wrong.any()]

    assert ht.run_pair(party) == ([], [])


def test_large_whole_numbers_meet_sums_exactly():
    constants = [2**53 + 1, -(2**55) - 1, 2**61 - 3]

    def party(p):
        found = []
        for c in constants:
            x = np.array([c - 1, c, c + 1])
            s = p.share([x // 2, x - x // 2][p.role], bits=64, fraction=0, range=(-(2**62), 2**62))
            s = s + p.share(np.zeros(3, dtype=np.int64), bits=64, fraction=0, range=(-2, 2))
            found.append([p.open(order(s, c)) for order in ORDERS.values()])
        return found

    for got in ht.run_pair(party):
        for c, orders in zip(constants, got, strict=True):
            x = np.array([-1, 0, 1])
            assert [list(one) for one in orders] == [list(order(x, 0)) for order in ORDERS.values()], c


def test_constants_of_32_bits_are_what_they_are_written_as():
    x = np.float32([0.7, 0.3, 0.71])

    def party(p):
        s = p.input(x if p.role == 0 else None, 0, shape=3, bits=32, fraction=12)
        # In 32 bits 8.87 is rounded up.
        near = p.input([8.87] if p.role == 0 else None, 0, shape=1, bits=40, fraction=15, range=(8, 10))
        inside = ht.inside(near, [(np.float32(8.87), 9), (8, np.float32(8.87)), *np.float32([[8.87, 9]])])
        return p.open(s >= np.float32(0.7)), p.open(s > np.float32(0.3)), p.open(s <= x), p.open(inside)

    for ge, gt, le, inside in ht.run_pair(party):
        assert list(ge) == [1, 0, 1] and list(gt) == [1, 0, 1] and list(le) == [1, 1, 1]
        assert list(inside[0]) == [1, 0, 1]


def test_results_of_exact_tables_are_compared_as_they_are():
    values = np.arange(16) / 16

    def party(p):
        index = p.input(np.arange(16) if p.role == 0 else None, 0, shape=16, bits=8, fraction=0, range=(0, 16))
        found = ht.lookup(ht.Table(values, 4), index, bits=16)
        return p.open(found >= 0.4), p.open(found > 0.4)

    for ge, gt in ht.run_pair(party):
        assert np.array_equal(ge, values >= 0.4) and np.array_equal(gt, values > 0.4)


def test_a_function_that_is_prepared_compares_as_its_type_says():
    """Its numbers are sums of two that were rounded, unless the type says otherwise."""
    n = np.random.default_rng(3).integers(-20, 20, 60)

    def party(p):
        kinds = [{}, {"read": 1}, {"read": 0}]
        with p.offline():
            made = [ht.prepare(lambda s: (s >= 0.7) ^ (s > 0.9), ht.Like(60, 32, 12, (-8, 8), **kind)) for kind in kinds]
        both = p.share(written(n - 3, 1) if p.role == 0 else np.full(60, 0.3), bits=32, fraction=12, range=(-8, 8))
        one = p.input(written(n, 1) if p.role == 0 else None, 0, shape=60, bits=32, fraction=12, range=(-8, 8))
        return [p.open(f(s)) for f, s in zip(made, (both, one, one), strict=True)]

    want = (n >= 7) ^ (n > 9)
    for both, one, exact in ht.run_pair(party):
        assert np.array_equal(both, want) and np.array_equal(one, want)
        held = np.round(n / 10 * 4096) / 4096
        assert np.array_equal(exact, (held >= 0.7) ^ (held > 0.9)) and not np.array_equal(exact, want)


def test_intervals_end_where_their_numbers_are_written():
    rng = np.random.default_rng(5)
    drawn = [(d, int(np.ceil(d * np.log2(10))) + 1 + int(more), int(c))
             for d, more, c in zip(rng.integers(1, 4, 12), rng.integers(0, 4, 12), rng.integers(-90, 90, 12), strict=True)]

    def party(p):
        random, found = np.random.default_rng(7), []
        for d, fraction, c in drawn:
            n = c + random.integers(-3, 4, 30)
            ends = (float(written(c - 1, d)), float(written(c + 2, d)))
            kind = {"bits": 32, "fraction": fraction, "range": (-9.5, 9.5)}
            s = p.input(written(n, d) if p.role == 0 else None, 0, shape=n.shape, **kind)
            got = p.open(ht.inside(s, [ends]))[:, 0]
            found.append(np.array_equal(got, (n >= c - 1) & (n < c + 2)))
        return all(found)

    assert ht.run_pair(party) == (True, True)


@pytest.mark.parametrize("fraction", [0, 1, 2, 4])
def test_constants_finer_than_the_scale_are_compared_as_they_are(fraction):
    """Multiples of the scale beside numbers between them, with more decimals than it tells apart."""
    decimals = int((fraction + 1) / np.log2(10)) + 1
    rng = np.random.default_rng(fraction)
    constants = [float(written(c, decimals)) for c in rng.integers(-300, 300, 20)]
    x = np.arange(-60, 60) / 2.0**fraction

    def party(p):
        s = p.share(x * (p.role == 0), bits=32, fraction=fraction)
        return all(np.array_equal(p.open(order(s, c)), order(x, c)) for c in constants for order in ORDERS.values())

    assert ht.run_pair(party) == (True, True)


@pytest.mark.parametrize("way", ["a product", "a function", "a mean"])
def test_results_are_compared_as_they_are(way):
    """They were rounded otherwise than numbers that are written."""
    made = {"a product": lambda s: s * s, "a function": ht.sqrt, "a mean": lambda s: s.mean(axis=1)}[way]

    def party(p):
        x = np.array([[0.3, 0.5], [0.75, 0.8]])
        s = p.input(x if p.role == 0 else None, 0, shape=x.shape, bits=32, fraction=12, range=(0.125, 2))
        y = made(s)
        opened = p.open(y)
        at = float(np.ravel(opened)[0])
        return all(np.array_equal(p.open(y >= c), opened >= c) for c in (at, at + 1e-9, at - 1e-9, 0.3, 0.7))

    assert ht.run_pair(party) == (True, True)


@pytest.mark.parametrize("seed", range(20))
def test_equality_of_sums_of_rounded_numbers_says_so(seed):
    rng = np.random.default_rng(seed)
    fraction = int(rng.integers(0, 20))
    x = rng.integers(-50, 50, 4) / (1 if fraction == 0 else 100)

    def party(p):
        kind = {"bits": 40, "fraction": fraction, "range": (-1000, 1000)}
        own = [p.input(x if p.role == owner else None, owner, shape=4, **kind) for owner in (0, 1)]
        # Each rounded once: equal as they were written is equal.
        assert all(p.open(own[0] == own[1])) and not any(p.open(own[0] != own[1]))
        for a, b in [(own[0] + own[1], own[0]), (own[1], own[0] - own[1]), (p.share(x, **kind), own[0]), (3 * own[0], own[1])]:
            for asked in (lambda: a == b, lambda: a != b):  # noqa: B023
                if fraction == 0:
                    p.open(asked())
                    continue
                # Warnings are errors here.
                with pytest.raises(ht.RoundingWarning, match="as 0.1"):
                    asked()
        # What is not the order of sums, or is beside a public number, has rules of its own.
        p.open(own[0] + own[1] < own[0])
        p.open(own[0] + own[1] == 1)
        return True

    assert ht.run_pair(party) == (True, True)
