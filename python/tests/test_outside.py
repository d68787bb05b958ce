"""Numbers outside a function's domain, and formats in which it would be wrong: refused with what would do, or right."""

from __future__ import annotations

import re

import hushtable as ht
import numpy as np
import pytest
from references import REFERENCE


@pytest.mark.parametrize(
    ("outside", "want"), [("saturate", [0, 1]), ("clamp", [1 / (1 + np.exp(4)), 1 / (1 + np.exp(-4))])]
)
def test_numbers_outside(outside, want):
    def party(p):
        s = p.input([-60, 50.0] if p.role == 0 else None, owner=0, shape=2, bits=24, fraction=8, range=(-64, 64))
        return p.open(ht.sigmoid(s, domain=(-4, 4), outside=outside))

    assert np.abs(ht.run_pair(party)[0] - want).max() <= 2 * 2**-8

    def strict(p):
        s = p.input([-60, 0.0] if p.role == 0 else None, owner=0, shape=2, bits=24, fraction=8, range=(-64, 64))
        with pytest.raises(ht.ParamError, match="outside|domain"):
            p.open(ht.sigmoid(s, domain=(-4, 4), outside="strict"))

    ht.run_pair(strict)


def test_a_bad_last_row_gives_nothing():
    """More rows than a batch holds, and only the last is refused."""
    rows = 140_000

    def strict(p):
        x = np.zeros(rows)
        x[-1] = -60
        s = p.input(x if p.role == 0 else None, owner=0, shape=rows, bits=24, fraction=8, range=(-64, 64))
        y = None
        with pytest.raises(ht.ParamError, match="outside|domain"):
            y = ht.sigmoid(s, domain=(-4, 4), outside="strict")
        assert y is None

    ht.run_pair(strict)


@pytest.mark.parametrize(
    ("name", "bad"),
    [("sqrt", [25.0, -3.0, 0.0]), ("reciprocal", [100.0, 0.0]), ("ln", [-3.0, 40.0]), ("log10", [0.0]),
     ("rsqrt", [17.0]), ("exp", [12.0])],
)
def test_numbers_outside_are_refused_where_a_function_has_no_limit(name, bad):
    function = ht.functions()[name]

    def of(p, x):
        s = p.input(x if p.role == 0 else None, owner=0, shape=2, bits=32, fraction=12)
        return p.open(function(s))

    def refused(x):
        def party(p):
            with pytest.raises(ht.ParamError, match="a number outside the domain") as error:
                of(p, [1.0, x])
            with pytest.raises(ht.PeerError, match="this session is over: .*a number outside the domain"):
                p.barrier()
            return str(error.value)

        return party

    for x in bad:  # the same at both, in the user's words, and of the numbers no more
        text, other = ht.run_pair(refused(x))
        assert text == other and "::" not in text and "1.0" not in text
    for y in ht.run_pair(lambda p: of(p, [1.0, 4.0])):
        assert np.abs(y - REFERENCE[name](np.array([1.0, 4.0]))).max() <= 3 / 4096


def test_a_range_that_is_inside_is_not_checked_and_one_outside_refused_at_once():
    def party(p):
        def of(function, x, range, **how):
            s = p.input(x if p.role == 0 else None, owner=0, shape=len(x), bits=32, fraction=12, range=range)
            before = p.cost
            y = p.open(function(s, **how))
            return y, (p.cost - before).online.rounds

        checked, more = of(ht.sqrt, [1.0, 4.0], (-8, 8), outside="strict")
        free, rounds = of(ht.sqrt, [1.0, 4.0], (1, 9))
        assert rounds < more and np.abs(free - checked).max() <= 4 / 4096
        # A domain that is larger than the usual one, as the range asks for.
        wide, _ = of(ht.sqrt, [25.0, 100.0], (1, 128))
        assert np.abs(wide - [5, 10]).max() <= 3 / 4096
        below, _ = of(ht.exp, [-90.0, 1.0], (-100, 2))
        assert np.abs(below - [0, np.e]).max() <= 3 / 4096
        before = p.cost
        for refused in (lambda: of(ht.ln, [-2.0], (-9, -1)), lambda: of(ht.sqrt, [5.0], (4, 9), domain=(0, 4))):
            with pytest.raises(ht.ParamError, match="domain|no value"):
                refused()
        after = p.cost - before
        assert (after.offline.rounds, after.online.rounds, after.online.sent) == (0, 0, 0)

    ht.run_pair(party)


def test_where_a_function_has_no_value_none_is_given_in_silence():
    def party(p):
        def of(function, x, range, **how):
            return function(p.input([x] if p.role == 0 else None, owner=0, shape=1, bits=32, fraction=12, range=range), **how)

        before = p.cost
        with pytest.raises(ht.ParamError, match=r"no value at 0 and below.*accepted: range=\(0\.25, 4\).*outside='strict'"):
            of(ht.ln, 2.0, (-3, 9))
        with pytest.raises(ht.ParamError, match=r"no value below -1 and above 1.*accepted: range=\(-1, 1\) or outside='saturate'"):
            of(ht.asin, 0.5, (-2, 2))
        with pytest.raises(ht.ParamError, match=r"softplus \(range.*accepted: range=\(-4, 4\).*bits=18"):
            ht.softplus(p.input([0.5] if p.role == 0 else None, owner=0, shape=1, bits=16, fraction=12))
        assert (p.cost - before).online.sent <= 64, "the inputs alone"
        return p.open(of(ht.ln, -2.0, (-3, 9), outside="clamp")), p.open(of(ht.asin, 1.5, (-2, 2), outside="saturate"))

    (ln, asin), _ = ht.run_pair(party)
    assert abs(ln[0] - np.log(0.25)) <= 3 / 4096 and abs(asin[0] - np.pi / 2) <= 1 / 4096
    for name, about, what in [
        ("ln", "of numbers above 0", "no value  at 0 and below: refused"),
        ("asin", "of numbers from -1 to 1", "no value  below -1 and above 1: refused"),
        ("tanpi", "at a pole what the ring holds", "no value  at its poles: the greatest or the least number of the ring"),
    ]:
        assert about in ht.functions()[name].about and what in ht.card(name)
    assert "has no value" in ht.asin.__call__.__doc__


@pytest.mark.parametrize(
    ("name", "bits", "fraction", "x"),
    [
        *[(name, bits, None, [-1, -0.5, 0, 0.5, 1]) for name in ("tanh", "erf") for bits in (24, 34, 37, 40)],
        ("sigmoid", 40, 4, [-1, 0, 1]),
        ("sigmoid", 24, None, [-1, 0, 1]),
        ("gelu", 17, None, [-1, 0, 1]),
        ("acos", 40, 10, [-1, 0, 0.5]),
        ("asin", 24, 2, [-1, -0.5, 0, 0.75, 1]),
        ("atan", 24, 2, [-3, 0, 0.5]),
        ("softplus", 9, 8, [-0.5, 0, 0.5]),
        ("gelu", 8, 3, [13.5, -13.5]),
        ("tanh", 40, 24, [3.5, 4, 6]),
    ],
)
def test_numbers_of_a_whole_ring_are_right_or_refused_with_what_would_do(name, bits, fraction, x):
    """Shared with no range: the functions bend in a small part of what the numbers may be."""
    x = np.array(x, dtype=float)
    how = {} if fraction is None else {"fraction": fraction}

    def party(p):
        s = p.input(x if p.role == 0 else None, owner=0, shape=x.shape, bits=bits, **how)
        try:
            return p.open(ht.functions()[name](s)), s.fraction
        except ht.ParamError as error:
            return str(error), s.fraction

    (y, digits), other = ht.run_pair(party)
    if isinstance(y, str):
        assert y == other[0] and re.search(r"range=\(|bits=|fraction=", y.split("accepted:")[1]), y
    else:
        assert np.abs(y - REFERENCE[name](x)).max() <= 3 * 2.0**-digits


def test_sigmoid_and_gelu_of_default_shares():
    """What everybody writes first: no range, more bits than a domain takes."""

    def party(p):
        return [
            p.open(function(p.input([-9.0, -0.5, 0.0, 2.0] if p.role == 0 else None, owner=0, shape=4, bits=bits, fraction=8)))
            for function in (ht.sigmoid, ht.gelu)
            for bits in (17, 23, 32)
        ]

    found, other = ht.run_pair(party)
    x = np.array([-9.0, -0.5, 0.0, 2.0])
    for i, y in enumerate(found):
        assert np.abs(y - REFERENCE["sigmoid" if i < 3 else "gelu"](x)).max() <= 3 / 256
        assert np.array_equal(y, other[i])


def test_what_would_do_is_named():
    def party(p):
        s = p.input([0.5] if p.role == 0 else None, owner=0, shape=1, bits=40, fraction=30)
        with pytest.raises(ht.ParamError) as error:
            ht.tanh(s)
        return str(error.value)

    text, _ = ht.run_pair(party)
    lo, hi = map(float, re.search(r"range=\((-?[\d.e-]+), ([\d.e-]+)\)", text).groups())
    assert lo < 0 < hi

    def again(p):
        s = p.input([0.0625] if p.role == 0 else None, owner=0, shape=1, bits=40, fraction=30, range=(lo, hi))
        return p.open(ht.tanh(s))

    y, _ = ht.run_pair(again)
    assert abs(y[0] - np.tanh(0.0625)) <= 3 * 2.0**-30
