"""What would be wrong without a word: it is right, or refused with what would do."""

from __future__ import annotations

import datetime
import logging

import hushtable as ht
import numpy as np
import pandas as pd
import pytest


def refusal(f):
    with pytest.raises((ht.ParamError, ht.ShapeError)) as refused:
        f()
    return str(refused.value)


def joined(p, numbers, **more):
    """The join of as many rows as there are numbers, which party 0 has."""
    table = {"id": [f"k{i}" for i in range(len(numbers))], "x": numbers}
    return ht.join(p, table, "id", ["x"] if p.role == 0 else [], **more)


def test_sums_of_narrow_shares_are_exact_or_refused():
    """Of random numbers in every narrow width: those of one bit were added up mod 2."""
    rng = np.random.default_rng(3)
    x = rng.integers(0, 4, 40)

    def party(p):
        t, told = joined(p, x, fraction=0, range=(0, 4)), []
        for bits in range(1, 16):
            low = t["x"].low_bits(bits)
            try:
                told.append((bits, t.sum(low), int((x % 2**bits).sum())))
            except ht.ParamError as error:
                told.append((bits, str(error), None))
        return told, t.count()

    for told, count in ht.run_pair(party):
        assert count == 40 and [bits for bits, _, want in told if want is not None]
        for bits, got, want in told:
            assert got == want if want is not None else "accepted: bits=" in got, (bits, got)
        assert told[0][2] is None


def test_shares_of_more_axes_have_no_statistics():
    def party(p):
        t = joined(p, [1.0, 2.0])
        twice = ht.stack([t["x"], t["x"]], axis=1)
        return [refusal(lambda ask=ask: ask(twice)) for ask in (t.sum, t.mean, t.variance)]

    for told in ht.run_pair(party):
        assert all("one number for each place is expected" in text for text in told)


DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(days=int(i)) for i in np.random.default_rng(4).integers(0, 900, 12)]
DAYS = sorted(set(DAYS))
HELD = {
    "pandas": lambda days: pd.Series(pd.to_datetime([str(day) for day in days])),
    "days": lambda days: np.array([str(day) for day in days], dtype="M8[D]"),
    "nanoseconds": lambda days: np.array([str(day) for day in days], dtype="M8[ns]"),
    "datetimes": lambda days: [datetime.datetime(day.year, day.month, day.day) for day in days],
}


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("other", [list, lambda days: [str(day) for day in days]], ids=["dates", "texts"])
def test_days_are_equal_however_a_table_holds_them(held, other):
    mine, theirs = HELD[held](DAYS[:9]), other(DAYS[4:])
    found = ht.run_pair(lambda p: ht.psi(p, mine if p.role == 0 else theirs, normalise=["date"]).tolist())
    assert sorted(found[0]) == list(range(4, 9))
    assert ht.run_pair(lambda p: len(ht.psi(p, mine if p.role == 0 else theirs)))[0] == 5


def test_what_is_missing_is_no_id():
    for missing in (pd.NA, pd.NaT, None, float("nan")):
        assert "nothing in row 1" in ht.run_pair(lambda p, m=missing: refusal(lambda: ht.psi(p, ["a", m])))[0]


@pytest.mark.parametrize("kind", [float, np.float32, int])
def test_what_is_masked_is_no_number(kind):
    rng = np.random.default_rng(5)
    for _ in range(10):
        mask = rng.integers(0, 2, (3, 4)).astype(bool)
        mask[tuple(rng.integers(0, 3, 2))] = True
        array = np.ma.array(np.arange(12).reshape(3, 4).astype(kind), mask=mask)
        at = tuple(np.argwhere(mask)[0].tolist())

        def party(p, array=array):
            return refusal(lambda: p.share(array)), refusal(lambda: p.share(np.zeros((3, 4))) + array), refusal(
                lambda: joined(p, array.ravel()) if p.role == 0 else p.share(array))

        for told in ht.run_pair(party):
            assert all("masked" in text for text in told) and str(at) in told[0]
    whole = np.ma.array([1.0, 2.0], mask=[False, False])
    assert np.array_equal(ht.run_pair(lambda p: p.open(p.share(whole)))[0], [2.0, 4.0])


@pytest.mark.parametrize("name", ["asin", "acos"])
def test_arc_sines_have_no_value_beyond_1(name):
    f, plain = getattr(ht, name), {"asin": np.arcsin, "acos": np.arccos}[name]
    x = np.array([-1, -0.5, 0, 0.25, 1])

    def party(p):
        told = [refusal(lambda: ht.Table.function(name, (-4, 4), 8, 8))]
        for limits in ((-4, 4), (-1, 1.25), (-2, 1)):
            wrong = p.share([0.125], bits=16, fraction=8, range=limits)
            told += [refusal(lambda s=wrong: f(s)), refusal(lambda s=wrong: f(s, bits=16))]
        fine = [p.input(x if p.role == 0 else None, 0, shape=5, bits=bits, fraction=8, range=limits)
                for bits, limits in ((16, None), (32, None), (16, (-1, 1 + 2**-8)))]
        far = p.input([1.25, -9.0] if p.role == 0 else None, 0, shape=2, bits=16, fraction=8)
        return told, [p.open(f(s)) for s in fine], p.open(f(far, outside="saturate"))

    for told, got, held in ht.run_pair(party):
        assert all("no value below -1 and above 1" in text for text in told)
        assert np.abs(np.array(got) - plain(x)).max() <= 2**-8 and np.abs(held - plain([1, -1])).max() <= 2**-8


@pytest.mark.parametrize("name", ["asin", "acos"])
@pytest.mark.parametrize("outside", [None, "strict"])
def test_numbers_beyond_1_end_an_arc_sine(name, outside):
    """Also next to 1, and with nothing said of the numbers; what only roundings make of 1 has a value."""

    def party(p, x):
        s = p.input([0.5, x] if p.role == 0 else None, 0, shape=2, bits=32, fraction=8)
        return p.open(getattr(ht, name)(s, outside=outside))

    for sign in (-1, 1):
        ht.run_pair(lambda p, x=sign * (1 + 4 * 2**-8): party(p, x))
        for x in (1 + 5 * 2**-8, 2, 1000):
            ht.run_pair(lambda p, x=sign * x: refusal(lambda: party(p, x)))


def test_fraction_bits_that_are_named_are_accepted():
    """Of numbers with random many decimals: what is named for them is taken by the next call."""
    rng = np.random.default_rng(6)
    for scale in (1, 1e-3, 1e-7, 1e-12):
        x = rng.random(5) * scale

        def party(p, x=x):
            return p.share(x, bits=62, fraction=ht.fraction_bits(x)).fraction

        assert max(ht.run_pair(party)) <= 52
        assert "52 suits these" in ht.run_pair(lambda p, x=x: refusal(
            lambda: ht.Embedding(p, x.reshape(1, 5), owner=0) if p.role == 0 else p.share(np.ma.masked_all(1))
        ))[0] or ht.fraction_bits(x) < 52


def test_wrapping_is_not_named_where_nothing_wraps():
    def party(p):
        s = p.share([1], bits=8, fraction=0)
        far = p.share([1], bits=8, fraction=0, range=(0, 256))
        return [refusal(f) for f in (lambda: s < far, lambda: ht.maximum(s, far), lambda: s.with_fraction(4))], refusal(lambda: s + s)

    for told, sums in ht.run_pair(party):
        assert all("wrap=True" not in text and "bits=" in text for text in told) and "wrap=True" in sums


def test_a_width_that_evaluates_a_range_without_sign_is_named():
    def party(p):
        told = refusal(lambda: ht.sigmoid(p.share([0.5], bits=32, fraction=16, range=(0, 65536))))
        assert "bits=33 and the same range=" in told
        return p.open(ht.sigmoid(p.share([0.5], bits=33, fraction=16, range=(0, 65536))))

    assert abs(ht.run_pair(party)[0][0] - 1 / (1 + np.exp(-1))) < 1e-3


def test_no_range_without_numbers_is_named():
    told = ht.run_pair(lambda p: refusal(
        lambda: ht.gelu(p.input([9.0] if p.role == 0 else None, 0, shape=1, bits=14, fraction=8, range=(8, 12)), fraction=10)))
    assert all("range=(8.0, 8.0)" not in text and "accepted: " in text for text in told)


def test_a_join_says_when_its_numbers_are_rounded(caplog):
    with caplog.at_level(logging.WARNING, "hushtable"):
        ht.run_pair(lambda p: joined(p, [0.001, 0.001]).sum("x", least=0))
        assert "2 of 2 numbers are rounded to multiples of 2^-8" in caplog.text and "fraction=10 does" in caplog.text
        caplog.clear()
        ht.run_pair(lambda p: joined(p, [0.01, 0.25]).sum("x", least=0))
        assert "rounded" not in caplog.text
