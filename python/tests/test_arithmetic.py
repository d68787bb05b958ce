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


def down(x):
    """Rounded down to a multiple of 2^-8, as products are."""
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


def test_products_without_fraction_wrap_around():
    x = np.array([100, -100, 77, 0])
    got = on_shares(lambda a, b: a * b, x, x[::-1].copy(), bits=8, fraction=0, range=None)
    assert np.array_equal(got, (x * x[::-1]).astype(np.int8))


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
        with pytest.raises(ht.ParamError, match="33 bits at twice the scale.*accepted: 16"):
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
        with pytest.raises(TypeError, match="not whole"):
            p.share([1], fraction=0) * 0.5
        with pytest.raises(ht.ParamError, match="mean"):
            p.share(np.zeros(1000), bits=16, fraction=8).mean()

    ht.run_pair(party)
