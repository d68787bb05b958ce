"""Public numbers that meet a share, and results that its width does not hold: right, or refused, at every door."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest

# Every way in which a public number meets the share `s` of shape (3,).
DOORS = {
    "+": lambda s, v: s + v,
    "reflected +": lambda s, v: v + s,
    "-": lambda s, v: s - v,
    "reflected -": lambda s, v: v - s,
    "*": lambda s, v: s * v,
    "reflected *": lambda s, v: v * s,
    "@": lambda s, v: s @ np.broadcast_to(v, (3, 2)),
    "reflected @": lambda s, v: np.broadcast_to(v, (2, 3)) @ s,
    "<": lambda s, v: s < v,
    "<=": lambda s, v: s <= v,
    ">": lambda s, v: s > v,
    ">=": lambda s, v: s >= v,
    "==": lambda s, v: s == v,
    "!=": lambda s, v: s != v,
    "maximum": lambda s, v: ht.maximum(s, v),
    "reflected maximum": lambda s, v: ht.maximum(v, s),
    "minimum": lambda s, v: ht.minimum(s, v),
    "reflected minimum": lambda s, v: ht.minimum(v, s),
    "where": lambda s, v: ht.where(s < 0, s, v),
    "reflected where": lambda s, v: ht.where(s < 0, v, s),
    "clip below": lambda s, v: ht.clip(s, v, None),
    "clip above": lambda s, v: s.clip(None, v),
    "concatenate": lambda s, v: ht.concatenate([s, np.broadcast_to(v, 2)]),
    "reflected concatenate": lambda s, v: np.concatenate([np.broadcast_to(v, 2), s]),
    "stack": lambda s, v: ht.stack([s, np.broadcast_to(v, 3)]),
}
BAD = [200.0, 200, -129.0, 1e30, -1e300, float("nan"), float("inf"), -float("inf"), 2**62, 2**63, 2**70,
       np.uint64(2**63), np.array([1.0, float("nan"), 0.0])[1]]
X = np.array([1.0, -2.5, 0.75])


def share(p, x=X, **kind):
    kind = {"bits": 16, "fraction": 8, **kind}
    return p.input(x if p.role == 0 else None, 0, shape=np.shape(x), **kind)


@pytest.mark.parametrize("door", DOORS)
def test_a_public_number_outside_the_format_is_refused(door):
    def party(p):
        s = share(p)
        # Where a number is added, only the result has to fit.
        for value in BAD[3:] if "+" in door or "-" in door else BAD:
            with pytest.raises(ht.ParamError):
                DOORS[door](s, value)
        with pytest.raises(TypeError, match="dtype"):
            DOORS[door](s, "1")
        return True

    assert ht.run_pair(party) == (True, True)


# The format of these holds what they give.
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("value", [0, 3, -7, 0.5, -2.5])
def test_a_public_number_inside_meets_a_share_as_numpy_has_it(door, value):
    numpy = {
        "maximum": np.maximum(X, value), "minimum": np.minimum(X, value),
        "where": np.where(X < 0, X, value), "clip below": np.maximum(X, value), "clip above": np.minimum(X, value),
        "concatenate": np.append(X, [value] * 2), "stack": np.stack([X, np.full(3, value)]),
    }
    name = door.removeprefix("reflected ")
    want = numpy[name] if name in numpy else DOORS[door](X, value)
    if door == "reflected where":
        want = np.where(X < 0, value, X)
    if door == "reflected concatenate":
        want = np.append([value] * 2, X)

    def party(p):
        return p.open(DOORS[door](share(p, bits=40, range=(-8, 8)), value))

    for got in ht.run_pair(party):
        assert np.array_equal(got, want)


def test_a_number_that_is_added_may_be_outside_the_format():
    far = np.array([-300.0, 1000.0, 127.5])

    def party(p):
        s, small = share(p), share(p, range=(-4, 4))
        assert (s + 200).range == (72, 328) and (small - 1000).range == (-1004, -996)
        with pytest.raises(ht.ParamError, match=r"\+: results that may be -304 <= x < 1004.*accepted: shares with bits=19"):
            small + far
        moved = small + 1000
        return p.open(s + 200), p.open(200 - s), p.open((s + 200) - 200.5), p.open(moved > 1000), p.open(moved * 1)

    for more, less, back, above, same in ht.run_pair(party):
        assert np.array_equal(more, X + 200) and np.array_equal(less, 200 - X) and np.array_equal(back, X - 0.5)
        assert np.array_equal(above, X > 0) and np.array_equal(same, X + 1000)


def test_the_refusal_names_the_number_and_what_is_accepted():
    def party(p):
        s = share(p)
        with pytest.raises(ht.ParamError, match=r"< with a public number: 200 .*accepted: -128 .*to 128 \(excluded\)"):
            s < 200
        with pytest.raises(ht.ParamError, match="maximum with a public number: NaN at index 1"):
            ht.maximum(s, [0, float("nan"), 1])
        with pytest.raises(ht.ParamError, match=r"number: 18446744073709551615 .*below 2\^63|2\^63 \(excluded\)"):
            s + np.array([2**64 - 1], dtype=np.uint64)

    ht.run_pair(party)


def test_numbers_without_sign_meet_public_ones_of_their_range():
    x = np.array([0, 199, 200, 255])

    def party(p):
        s = share(p, x, bits=8, fraction=0, range=(0, 256))
        with pytest.raises(ht.ParamError, match="-128 .*to 256"):
            s < 256
        return p.open(s < 200), p.open(ht.maximum(s, 200)), p.open(ht.clip(s, 10, 250))

    for less, most, clipped in ht.run_pair(party):
        assert np.array_equal(less, x < 200)
        assert np.array_equal(most, np.maximum(x, 200)) and np.array_equal(clipped, np.clip(x, 10, 250))


def test_results_that_the_width_may_not_hold_are_refused():
    def party(p):
        s, small = share(p), share(p, range=(-32, 32))
        for overflows in (lambda: s + s, lambda: s - s, lambda: s * 3, lambda: s.sum(), lambda: small.sum() * 3,
                          lambda: s @ np.array([1, 1, 1]), lambda: s * s, lambda: s * 0.5, lambda: s @ s):
            with pytest.raises(ht.ParamError, match="accepted: shares with bits=.* with a smaller range="):
                overflows()
        # A shifted range is as wide as before, and its numbers come out right.
        return p.open(s + 100), p.open(100 - s), p.open(small + small), p.open(small * 3), p.open(small.sum())

    for more, less, twice, thrice, total in ht.run_pair(party):
        assert np.array_equal(more, X + 100) and np.array_equal(less, 100 - X)
        assert np.array_equal(twice, X + X) and np.array_equal(thrice, 3 * X) and total == X.sum()


def test_ranges_of_large_integers_do_not_overflow():
    def party(p):
        s = share(p, np.array([1.0, 2.0]), bits=64, fraction=8)
        huge = np.full((2, 2), 2**62)  # int64 does not hold the sum of two
        for overflows in (lambda: s * 2**54, lambda: s @ huge, lambda: s + s, lambda: s @ -huge):
            with pytest.raises(ht.ParamError):
                overflows()
        n = share(p, np.array([3, -4]), bits=64, fraction=0, wrap=True)
        return p.open(n * 2**62), p.open(~share(p, np.array([5, 0]), bits=64, fraction=0, kind="xor"))

    for product, inverted in ht.run_pair(party):
        assert np.array_equal(product, (np.array([3, -4], dtype=object) * 2**62 + 2**63) % 2**64 - 2**63)
        assert np.array_equal(inverted, ~np.array([5, 0], dtype=np.uint64))


@pytest.mark.parametrize("fraction", [0, 8])
def test_products_with_nothing(fraction):
    def party(p):
        kind = {"bits": 32, "fraction": fraction, "range": (-8, 8)}
        none, some = share(p, np.zeros((2, 0)), **kind), share(p, np.zeros((0, 3)), **kind)
        empty = share(p, np.zeros(0), **kind)
        return [p.open(y) for y in (none @ np.zeros((0, 3)), np.zeros((2, 0)) @ some, none @ some, empty @ [],
                                    empty @ empty, some @ np.zeros((3, 2), dtype=int), empty * [], empty + [])]

    shapes = [(2, 3), (2, 3), (2, 3), (), (), (0, 2), (0,), (0,)]
    for results in ht.run_pair(party):
        assert [y.shape for y in results] == shapes and not any(y.any() for y in results)


def test_what_has_no_share_is_refused():
    for nothing in (lambda: ht.maximum(0, 1), lambda: ht.minimum([1], 2), lambda: ht.concatenate([[1], [2]])):
        with pytest.raises(TypeError, match="share"):
            nothing()


@pytest.mark.parametrize(("bits", "fraction"), [(34, 8), (40, 8), (34, 4)])
@pytest.mark.parametrize("count", [1, 3, 7, 20, 64])
def test_means_are_rounded_to_nearest(bits, fraction, count):
    rng = np.random.default_rng(count)
    rows = np.stack([np.ones(count), -np.ones(count), rng.integers(-16, 16, count) / 4, np.full(count, 63.75)])

    def party(p):
        return p.open(share(p, rows, bits=bits, fraction=fraction, range=(-64, 64)).mean(axis=1))

    for got in ht.run_pair(party):
        assert np.abs(got - rows.mean(axis=1)).max() <= 2.0**-fraction
        assert got[0] == 1 and got[1] == -1


def test_a_mean_that_does_not_fit_says_how_many_bits_do():
    def party(p):
        kind = {"fraction": 8, "range": (-64, 64)}
        with pytest.raises(ht.ParamError, match=r"mean: .* which 24 bits .*accepted: shares with bits=(\d+)") as refused:
            share(p, np.ones(20), bits=24, **kind).mean()
        need = int(str(refused.value).split("with bits=")[1].split()[0])
        with pytest.raises(ht.ParamError, match=f"accepted: shares with bits={need} "):
            share(p, np.ones(20), bits=need - 1, **kind).mean()
        return p.open(share(p, np.ones(20), bits=need, **kind).mean())

    assert ht.run_pair(party) == (1.0, 1.0)


def test_parameters_that_are_not_finite_are_refused():
    nan, inf = float("nan"), float("inf")

    def party(p):
        s = share(p, np.zeros((2, 3)), bits=32, range=(-4, 4))
        for refused in (
            lambda: ht.sigmoid(s, domain=(nan, 4)),
            lambda: ht.sigmoid(s, domain=(-4, inf)),
            lambda: ht.layer_norm(s, [1, nan, 1], variance=(0.5, 16)),
            lambda: ht.layer_norm(s, None, [0, inf, 0], variance=(0.5, 16)),
            lambda: ht.Table([1.0, nan]),
            lambda: p.share([0.0], range=(nan, 1)),
            lambda: p.share([0.0], range=(0, inf)),
        ):
            with pytest.raises(ht.ParamError):
                refused()

    ht.run_pair(party)


def test_the_version_is_that_of_the_package():
    assert ht.__version__.count(".") == 2


def test_as_many_fraction_bits_as_a_column_needs():
    assert ht.fraction_bits([0.5, 3, -0.125]) == 3
    assert ht.fraction_bits([19.99, 5.0]) == 7
    assert ht.fraction_bits([]) == 0


@pytest.mark.parametrize("seed", range(20))
def test_each_factor_of_a_public_matrix_is_kept(seed):
    """Small ones beside large ones too: each product alone is right to a step and 1 %, or refused."""
    rng = np.random.default_rng(seed)
    bits, fraction = int(rng.integers(16, 40)), int(rng.integers(2, 12))
    end = 2 ** min(8, bits - 2 - fraction)
    # Products alone, and sums of all.
    x = np.vstack([np.diag(rng.uniform(-end, end, 4)), rng.uniform(-end, end, (4, 4))])
    factors = rng.choice([-1, 1], (4, 2)) * 10.0 ** rng.uniform(-5, 1, (4, 2))

    def party(p):
        s = p.input(x if p.role == 0 else None, 0, shape=(8, 4), bits=bits, fraction=fraction, range=(-end, end))
        try:
            return p.open(s @ factors)
        except ht.ParamError as error:
            assert "bits" in str(error)
            return None

    for got in ht.run_pair(party):
        if got is not None:
            exact = np.rint(x * 2**fraction) / 2**fraction
            assert (abs(got - exact @ factors) <= 2.0**-fraction + 0.01 * (abs(exact) @ abs(factors))).all()


def test_a_factor_is_not_lost_beside_a_large_one():
    def party(p):
        s = p.input([[199.0, 0, 0]] if p.role == 0 else None, 0, shape=(1, 3), bits=28, fraction=8, range=(-200, 200))
        for c in (1e-4, 0.001, 0.01, 0.015):
            with pytest.raises(ht.ParamError, match="bits"):
                s @ np.array([c, 1.0, 1.0])
        return p.open(s.with_fraction(8) @ np.array([0.25, 1.0, 1.0]))

    assert ht.run_pair(party) == ([49.75], [49.75])


def test_many_small_factors_are_not_lost_together():
    factors = np.zeros((1000, 2))
    factors[0, 0], factors[:, 1] = 1, 9e-6

    def party(p):
        x = np.full((1, 1000), 199.0)
        s = p.input(x if p.role == 0 else None, 0, shape=x.shape, bits=28, fraction=8, range=(-200, 200))
        with pytest.raises(ht.ParamError, match="bits"):
            s @ factors
        s = p.input(x if p.role == 0 else None, 0, shape=x.shape, bits=48, fraction=8, range=(-200, 200))
        return p.open(s @ factors)

    for got in ht.run_pair(party):
        assert abs(got - [199, 1.791]).max() < 2.0**-8
