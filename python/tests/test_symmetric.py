"""Products of a share with itself: found by themselves, right, and for half of what two shares take."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest
from parties import differ

RNG = np.random.default_rng(28)


def told(f, x, bits=40, fraction=8):
    """What `f` of a share gives, opened, and the bytes that both parties send for it."""

    def party(p):
        a = p.input(x if p.role == 0 else None, 0, shape=x.shape, bits=bits, fraction=fraction, range=(-4, 4))
        before = p.cost
        y = f(a)
        sent = sum(getattr(p.cost, when).sent - getattr(before, when).sent for when in ("offline", "online"))
        return p.open(y), sent

    (a, sent), (b, received) = ht.run_pair(party)
    assert np.array_equal(a, b)
    return a, sent + received


@pytest.mark.parametrize(
    ("f", "two"),
    [
        (lambda a: a @ a.T, lambda a: a @ a.copy().T),
        (lambda a: a.T @ a, lambda a: a.copy().T @ a),
        (lambda a: np.matmul(a, a.transpose(1, 0)), lambda a: np.matmul(a, a.copy().transpose(1, 0))),
        (lambda a: a.reshape(2, 10, 8) @ a.reshape(2, 10, 8).transpose(0, 2, 1), None),
        (lambda a: (lambda b: b @ b.transpose(0, 2, 1))(a.reshape(2, 10, 8)), None),
        (lambda a: (lambda b: b.transpose(0, -1, 1) @ b)(a.reshape(2, 10, 8)), None),
        (lambda a: (lambda b: b @ b)(a.ravel()), lambda a: a.ravel() @ a.ravel()),
        (lambda a: (lambda b: b @ b.T)(a[::2, 1:]), lambda a: a[::2, 1:] @ a[::2, 1:].T),
        (lambda a: a * a, lambda a: a * a.copy()),
        (lambda a: np.multiply(a, a), lambda a: np.multiply(a, a[...])),
    ],
)
def test_products_with_itself_are_right_and_take_half(f, two):
    x = RNG.integers(-600, 600, (20, 8)) / 256  # by correlated OTs in either way
    found, sent = told(f, x)
    exact = f(x)
    assert np.all((exact - found >= 0) & (exact - found < 2**-8))
    if two is not None:
        again, more = told(two, x)
        assert np.array_equal(found, again) or np.all(np.abs(found - again) <= 2**-8)
        assert sent < 0.75 * more, f"{sent} of {more} bytes, with the rounding of both"


def test_large_ones_go_by_a_lattice():
    x = RNG.integers(-600, 600, (100, 300)) / 256
    (a, sent), (b, more) = told(lambda a: a @ a.T, x), told(lambda a: a @ a.copy().T, x)
    assert np.all(np.abs(a - b) <= 2**-8) and sent < 0.8 * more


def test_other_products_are_as_before():
    """What only looks alike: another share, a part, the reversed axes of three, the same twice without turning."""
    x = RNG.integers(-600, 600, (6, 6)) / 256
    for f in (
        lambda a: a @ a,
        lambda a: a @ (a + 1).T,
        lambda a: a @ a[::-1].T,
        lambda a: a.T @ a.T,
        lambda a: a.T.T @ a,
        lambda a: a * a.T,
        lambda a: a[:3].T @ a[3:],
        lambda a: (lambda b: b @ b.T)(a.reshape(1, 6, 6)),
    ):
        try:
            exact = f(x)
        except ValueError:
            continue
        found, _ = told(f, x)
        assert np.all((exact - found >= 0) & (exact - found < 2**-8))


def test_whole_numbers_mod_the_width():
    x = RNG.integers(-(2**31), 2**31, (5, 7))

    def party(p):
        a = p.input(x if p.role == 0 else None, 0, shape=x.shape, bits=32, fraction=0, wrap=True)
        return [p.open(y) for y in (a @ a.T, a.T @ a, a * a)]

    for got, want in zip(ht.run_pair(party)[1], (x @ x.T, x.T @ x, x * x), strict=True):
        assert np.array_equal(got, want.astype(np.int64).astype(np.int32))


def test_they_are_prepared():
    x = RNG.integers(-600, 600, (4, 3)) / 256

    def party(p):
        a = p.input(x if p.role == 0 else None, 0, shape=x.shape, bits=40, fraction=8, range=(-4, 4))
        with p.offline():
            like = ht.Like((4, 3), bits=40, fraction=8, range=(-4, 4), read=1)
            made = ht.prepare(lambda a: a @ a.T + (a * a).sum(), like)
        before = p.cost.offline.sent
        y = made(a)
        assert p.cost.offline.sent == before
        return p.open(y)

    found, _ = ht.run_pair(party)
    assert np.all(np.abs(found - (x @ x.T + (x * x).sum())) <= 13 * 2**-8)


def test_parties_that_differ_are_told():
    def of(f):
        def party(p):
            a = p.input(np.ones((3, 3)) if p.role == 0 else None, 0, shape=(3, 3), bits=40, fraction=8, range=(-4, 4))
            return f(a)

        return party

    error = differ(of(lambda a: a @ a.T), of(lambda a: a @ a.copy().T))
    assert "with itself" in error.ours + error.theirs
