"""Products, comparisons and selections against NumPy."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest

RNG = np.random.default_rng(11)
A = RNG.integers(-64 * 16, 64 * 16, (4, 6)) / 16
B = RNG.integers(-64 * 16, 64 * 16, (4, 6)) / 16
SIGMOID = 1 / (1 + np.exp(-np.clip(A, -8, 7)))
TYPE = {"bits": 40, "fraction": 8, "range": (-64, 64)}


def on_shares(f, *inputs, **kind):
    """What `f` gives on shares of the inputs, opened; the same at both parties."""

    def party(p):
        shares = [
            p.input(x if p.role == i % 2 else None, i % 2, shape=x.shape, **{**TYPE, **kind})
            for i, x in enumerate(inputs)
        ]
        return p.open(f(*shares))

    a, b = ht.run_pair(party)
    assert np.array_equal(a, b)
    return a


def _numpy(f):
    """The same of arrays."""

    def of(x):
        with pytest.MonkeyPatch.context() as patch:
            for name in ("where", "concatenate", "stack", "maximum"):
                patch.setattr(ht, name, getattr(np, name))
            return f(x)

    return of


def down(x):
    """Rounded down to a multiple of 2^-8, as products of shares are."""
    return np.floor(x * 256) / 256


@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: a * b,
        lambda a, b: a * b[0],
        lambda a, b: a[:, :1] * b[2],
        lambda a, b: a * 3,
        lambda a, b: -5 * a,
        lambda a, b: a * 0.75,
        lambda a, b: a / 4,
        lambda a, b: np.array([0.5, -1.25, 2.0, 0.0, 3.0, -0.125]) * a,
        lambda a, b: a @ b.T,
        lambda a, b: a[0] @ b[1],
        lambda a, b: a @ b[1],
        lambda a, b: a @ np.arange(6),
        lambda a, b: a @ (np.arange(12).reshape(6, 2) / 4),
        lambda a, b: np.arange(8).reshape(2, 4) @ a,
        lambda a, b: np.arange(4) @ a,
        lambda a, b: a.reshape((2, 2, 6)) @ b.reshape((2, 6, 2)),
        lambda a, b: a.reshape((2, 1, 2, 6)) @ b.reshape((2, 6, 2)),
        lambda a, b: a.reshape((2, 2, 6)) @ b[0],
        lambda a, b: b[0] @ a.reshape((2, 6, 2)),
        lambda a, b: a.reshape((2, 2, 6)) @ (np.arange(24).reshape(2, 6, 2) / 8),
        lambda a, b: (np.arange(12).reshape(2, 3, 2) - 5) @ a.reshape((1, 2, 12)),
    ],
)
def test_products(f):
    assert np.array_equal(on_shares(f, A, B), down(f(A, B)))


def test_large_matrices():
    # By lattices, twice under the same keys, of two shapes.
    rng = np.random.default_rng(5)
    x, y = rng.integers(-500, 500, (60, 96)), rng.integers(-500, 500, (96, 130))

    def twice(a, b):
        return a @ b + (b.T @ a.T).T + (b.T[:64] @ a.T).sum()

    kind = {"bits": 48, "fraction": 0, "range": (-1000, 1000)}
    assert np.array_equal(on_shares(twice, x, y, **kind), twice(x, y))


def test_whole_numbers_wrap_around_only_when_asked():
    x = np.array([100, -100, 77, 0])
    got = on_shares(lambda a, b: a * b, x, x[::-1].copy(), bits=8, fraction=0, range=None, wrap=True)
    assert np.array_equal(got, (x * x[::-1]).astype(np.int8))
    with pytest.raises(ht.ParamError, match=r"\*: results .* take 15 bits, which 8 bits may not hold.*wrap=True"):
        on_shares(lambda a, b: a * b, x, x, bits=8, fraction=0, range=None)
    with pytest.raises(ht.ParamError, match=r"\*: results .* accepted: shares with bits=26 and the same range="):
        on_shares(lambda a: a * 1000, np.array([40]), bits=16, fraction=0, range=None)
    # What meets a share that wraps does too.
    assert on_shares(lambda a: a * 1000, np.array([40]), bits=16, fraction=0, range=None, wrap=True) == -25536
    with pytest.raises(ht.ParamError, match="wrap: True is not supported here; accepted: with fraction=0"):
        on_shares(lambda a: a, A, wrap=True)


def test_large_whole_numbers_have_their_sign():
    x = np.array([-5, 7, -(2**63) + 2])
    kind = {"bits": 64, "fraction": 0, "range": None}
    for f in (lambda a: a + 1, lambda a: -a, lambda a: 1 - a, lambda a: a * -1, lambda a: (a + 1) - 1):
        got = on_shares(f, x, **kind)
        assert got.dtype == np.int64 and np.array_equal(got, f(x))
    # Beyond int64 they are Python's.
    least = np.array([-(2**63), 3])
    assert list(on_shares(lambda a: -a, least, **kind)) == [2**63, -3]
    unsigned = on_shares(lambda a: a + 2**62, np.array([2**62, 2**63 - 1]), **{**kind, "range": (0, 2**63)})
    assert unsigned.dtype == np.uint64 and list(unsigned) == [2**63, 2**63 + 2**62 - 1]
    with pytest.raises(ht.ParamError, match=r"\+: .* more than 64 bits"):
        on_shares(lambda a: a + a, x, **kind)


def test_constant_factors_keep_their_digits():
    x = np.array([100.0, -64.0, 8.0, 0.5, 0.0])
    kind = {"bits": 40, "fraction": 8, "range": (-128, 128)}
    for f in (lambda a: a * 0.001, lambda a: a / 1000, lambda a: a.sum() * (1 / 1000), lambda a: a * 0.1,
              lambda a: a / 3, lambda a: a / -0.7, lambda a: a @ np.array([0.001, 0.1, -1e-5, 0.3, 2])):
        assert np.abs(on_shares(f, x, **kind) - f(x)).max() <= 2**-8
    # A product or a quotient that the scale has is exact.
    assert on_shares(lambda a: a * 0.1, np.array([100.0]), **kind) == 10
    thirds = np.arange(-99.0, 99, 3)
    assert np.array_equal(on_shares(lambda a: a / 3, thirds, **kind), thirds / 3)
    for refused in (lambda a: a * 1e-9, lambda a: a / 1e9):
        with pytest.raises(ht.ParamError, match="results that all round to 0 .*with_fraction"):
            on_shares(refused, x, **kind)
    with pytest.raises(ht.ParamError, match="/ with a public number: 0.0 at index 1"):
        on_shares(lambda a: a / [1, 0, 1, 1, 1], x, **kind)
    for refused in (lambda a: a / a, lambda a: 1 / a):
        with pytest.raises(TypeError, match="ht.reciprocal"):
            on_shares(refused, x, **kind)


WHOLE = np.array([0, 1, -2, 3])


@pytest.mark.parametrize(
    "f",
    [
        lambda a: a + 0.5,
        lambda a: 0.5 - a,
        lambda a: a * 0.5,
        lambda a: a / 2,
        lambda a: a @ [0.5, 1, 1, 1],
        lambda a: a == 0.4,
        lambda a: a != 0.4,
        lambda a: a.mean(),
        lambda a: ht.where(a < 1, a, 0.5),
        lambda a: ht.maximum(a, 0.5),
        lambda a: a.clip(0.5, 2),
        lambda a: ht.concatenate([a, [0.5]]),
        lambda a: ht.stack([a, np.full(4, 0.5)]),
    ],
)
def test_whole_numbers_meet_whole_ones_only(f):
    kind = {"bits": 40, "fraction": 0, "range": (-8, 8)}
    with pytest.raises(ht.ParamError, match=r"accepted: .*(with_fraction|< and >=)"):
        on_shares(f, WHOLE, **kind)


def test_whole_numbers_with_digits_meet_others():
    kind = {"bits": 40, "fraction": 0, "range": (-8, 8)}
    for f in (lambda a: a + 0.5, lambda a: a * 0.5, lambda a: a / 2, lambda a: a == 0.5, lambda a: a.mean()):
        assert np.array_equal(on_shares(lambda a, f=f: f(a.with_fraction(4)), WHOLE, **kind), f(WHOLE))


def test_functions_of_whole_numbers_say_their_digits():
    kind = {"bits": 24, "fraction": 0, "range": (-8, 8)}
    with pytest.raises(ht.ParamError, match="sigmoid: .*accepted: fraction="):
        on_shares(ht.sigmoid, WHOLE, **kind)
    got = on_shares(lambda a: ht.sigmoid(a, fraction=8), WHOLE, **kind)
    assert np.abs(got - 1 / (1 + np.exp(-WHOLE))).max() <= 2**-7


def test_comparisons_with_constants_are_exact():
    for x, kind in ((WHOLE, {"fraction": 0}), (np.array([0.0, 0.25, -0.25, 31.75]), {"fraction": 2})):
        for c in (0, 0.4, -0.4, 0.1, 0.25, -1.5, 31.9, -31.99, 1e-9, -1e-9, 0.9999999):
            for f in (lambda a, c=c: a < c, lambda a, c=c: a <= c, lambda a, c=c: c > a, lambda a, c=c: c <= a,
                      lambda a, c=c: a > c, lambda a, c=c: a >= c):
                for bits in (8, 16):
                    limits = None if bits == 8 else (-32, 32)
                    assert np.array_equal(on_shares(f, x, bits=bits, range=limits, **kind), f(x)), (c, kind)
    # 127.9 is above all of the format.
    assert on_shares(lambda a: a < [127.9, 127.9], np.array([127, -128]), bits=8, fraction=0, range=None).all()
    for f in (lambda a: a == 0.1, lambda a: 0.1 != a):
        with pytest.raises(ht.ParamError, match=r"0.1 is not supported; accepted: multiples of 2\^-2"):
            on_shares(f, np.zeros(1), fraction=2)


def test_ranges_that_meet_fit_the_width():
    x = np.array([200, 3])
    kind = {"bits": 8, "fraction": 0, "range": (0, 256)}
    for f in (lambda a: ht.where(a > 150, a, -1), lambda a: ht.concatenate([a, [-1]]), lambda a: ht.stack([a, a * 0 - 1]),
              lambda a: ht.maximum(a, -1), lambda a: a < -1):
        with pytest.raises(ht.ParamError, match="take 9 bits.*accepted: shares with bits=9"):
            on_shares(f, x, **kind)
        assert np.array_equal(on_shares(f, x, **{**kind, "bits": 9}), _numpy(f)(x))
    # A range that is moved is compared as any other.
    assert np.array_equal(on_shares(lambda a: (a - 250) < -150, x, **kind), x < 100)
    assert np.array_equal(on_shares(lambda a: ht.maximum(a + 100, 150), x, **kind), np.maximum(x + 100, 150))


def test_digits_after_the_point_are_given_and_taken():
    x = np.array([1.5, -2.25, 0.125, -0.125, 7.0])
    for digits, want in ((8, x), (3, x), (2, np.floor(x * 4 + 0.5) / 4), (0, np.floor(x + 0.5))):
        got = on_shares(lambda a, digits=digits: a.with_fraction(digits), x, bits=24, fraction=3, range=(-8, 8))
        assert np.array_equal(got, want) and got.dtype == (np.float64 if digits else np.int64)
    with pytest.raises(ht.ParamError, match="with_fraction: .* take 28 bits"):
        on_shares(lambda a: a.with_fraction(24), x, bits=24, fraction=3, range=(-8, 8))


@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: a < b,
        lambda a, b: a > b,
        lambda a, b: a <= b,
        lambda a, b: a >= b,
        lambda a, b: a == b,
        lambda a, b: a != b,
        lambda a, b: a < 3,
        lambda a, b: a >= b[0],
        lambda a, b: 0.5 > a,
        lambda a, b: (a < b) ^ (a < 0),
        lambda a, b: ~(a < b),
    ],
)
@pytest.mark.parametrize("kind", [{}, {"bits": 16, "range": None}, {"bits": 15}])
@pytest.mark.filterwarnings("ignore::hushtable.RoundingWarning")
def test_comparisons(f, kind):
    b = np.where(RNG.random(A.shape) < 0.3, A, B)
    got = on_shares(f, A, b, **kind)
    assert got.dtype == np.bool_ and np.array_equal(got, f(A, b))


@pytest.mark.parametrize("kind", [{"range": None}, {"range": (0, 256)}])
def test_comparisons_of_every_pair_of_a_width(kind):
    x, y = np.meshgrid(np.arange(0, 256, 5), np.arange(0, 256, 3))
    if kind["range"] is None:
        x, y = x - 128, y - 128
    assert np.array_equal(on_shares(lambda a, b: a < b, x, y, bits=8, fraction=0, **kind), x < y)


@pytest.mark.parametrize(
    ("f", "want"),
    [
        (lambda a, b: ht.where(a < b, a, b), np.minimum(A, B)),
        (lambda a, b: ht.where(a < b, 1.5, b), np.where(A < B, 1.5, B)),
        (lambda a, b: ht.where(a[0] < 0, a, 0), np.where(A[0] < 0, A, 0)),
        (lambda a, b: ht.maximum(a, b), np.maximum(A, B)),
        (lambda a, b: ht.maximum(a, 0), np.maximum(A, 0)),
        (lambda a, b: ht.minimum(a, b[0]), np.minimum(A, B[0])),
        (lambda a, b: ht.clip(a, -8, 3.5), np.clip(A, -8, 3.5)),
        (lambda a, b: np.clip(a, None, 7), np.clip(A, None, 7)),
        # By a table: results of a spline depend on the shares in the last digit.
        (lambda a, b: ht.sigmoid(a.clip(-8, 7), fraction=8, protocol="auto"), np.round(256 * SIGMOID) / 256),
        (lambda a, b: a.max(), A.max()),
        (lambda a, b: a.max(axis=0), A.max(0)),
        (lambda a, b: ht.max(a, axis=1), A.max(1)),
        (lambda a, b: a.argmax(), A.argmax()),
        (lambda a, b: ht.argmax(b, axis=-1), B.argmax(1)),
        (lambda a, b: ht.argmax(ht.concatenate([b, b]), axis=0), B.argmax(0)),
    ],
)
def test_selections(f, want):
    assert np.array_equal(on_shares(f, A, B), want)


def test_means():
    got = on_shares(lambda a: a.mean(axis=0), A)
    assert np.abs(got - A.mean(0)).max() <= 2 / 256
    assert np.abs(on_shares(lambda a: a.mean(), A) - A.mean()) <= 2 / 256


def test_refusals():
    def party(p):
        a = p.share(np.zeros(3), bits=16, fraction=8)
        with pytest.raises(ht.ParamError, match=r"\*: products before rounding take 33 bits, which 16 bits.*accepted: shares with bits=33"):
            a * a
        with pytest.raises(ht.ShapeError, match=r"shapes \(3,\) and \(4,\)"):
            a < p.share(np.zeros(4), bits=16, fraction=8)
        for other in (np.zeros(4), a.reshape((1, 1, 3)), np.float64(1.0)):
            with pytest.raises(ht.ShapeError, match="@: shapes"):
                a @ other
        with pytest.raises(TypeError, match="bits of a comparison"):
            ht.where(a, a, a)
        with pytest.raises(TypeError, match="truth of a share"):
            a == a and None
        with pytest.raises(ht.ParamError, match="mean"):
            p.share(np.zeros(1000), bits=16, fraction=8).mean()

    ht.run_pair(party)
