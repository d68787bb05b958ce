"""What both parties choose is compared: public numbers, protocols, digits."""

from __future__ import annotations

import re

import hushtable as ht
import numpy as np
import pytest
from parties import differ

FORMAT = {"bits": 24, "fraction": 8, "range": (-8, 8)}
X = np.array([[1, -2.5], [0, 3]])
M, N = np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 5]])


def shared(p):
    return p.input(X if p.role == 0 else None, 0, shape=X.shape, **FORMAT)


def with_numbers(f, c):
    """Opens what `f` makes of shares and public numbers."""
    return lambda p: p.open(f(shared(p), c))


@pytest.mark.parametrize(
    ("f", "a", "b"),
    [
        (lambda s, c: s + c, 5, 6),
        (lambda s, c: c + s, 0.5, 0.25),
        (lambda s, c: s - c, 5, 6),
        (lambda s, c: c - s, 5, 6),
        (lambda s, c: s * c, 2, 3),
        (lambda s, c: c * s, 1.5, 1.25),
        (lambda s, c: s @ c, M, N),
        (lambda s, c: s @ c, M / 2, N / 2),
        (lambda s, c: c @ s, M, N),
        (lambda s, c: s < c, 1, 2),
        (lambda s, c: s > c, 1, 2),
        (lambda s, c: s <= c, M, N),
        (lambda s, c: s >= c, 1, 2),
        (lambda s, c: s == c, 1, 2),
        (lambda s, c: s != c, 1, 2),
        (lambda s, c: s.clip(-1, c), 2, 3),
        (lambda s, c: ht.clip(s, c, 3), -1, 0),
        (lambda s, c: s.clip(-c, c), 1, 20),  # the second has nothing to do
        (lambda s, c: ht.where(s < 0, s, c), 1, 2),
        (lambda s, c: ht.where(s < 0, c, s), 1, 2),
        (lambda s, c: ht.maximum(s, c), 1, 2),
        (lambda s, c: ht.minimum(c, s), 1, 2),
        (lambda s, c: ht.concatenate([s, c]), M, N),
        (lambda s, c: ht.stack([c, s]), M, N),
        (lambda s, c: s + c, 5, [5, 5]),  # the same sums
        (lambda s, c: ht.sigmoid(s * c), 2, 3),
    ],
)
def test_public_numbers_that_differ_are_noticed_by_both(f, a, b):
    error = differ(with_numbers(f, a), with_numbers(f, b))
    assert error.field == "operation"
    digests = [re.search(r"public numbers ([0-9a-f]{32})", text) for text in (error.ours, error.theirs)]
    assert all(digests) and digests[0][1] != digests[1][1], error
    for opened in (ht.run_pair(with_numbers(f, c)) for c in (a, b)):
        assert np.array_equal(*opened)


def test_public_bits_that_differ_are_noticed():
    def party(c):
        return lambda p: p.open(p.share([1, 2], bits=4, fraction=0, kind="xor") ^ c)

    assert "public numbers" in differ(party(3), party(4)).ours
    assert ht.run_pair(party(3))[0].tolist() == [3, 3]


def test_public_numbers_are_compared_once_and_as_encoded():
    """What rounds to the same is the same, on whatever machine it was computed."""
    opened = ht.run_pair(with_numbers(lambda s, c: s + c, 0.1), with_numbers(lambda s, c: s + c, 0.1 + 1e-9))
    assert np.array_equal(*opened)

    def later(c):
        def party(p):
            s = shared(p)
            p.open(s + 1)
            return p.open(s), p.open(s - c)

        return party

    assert differ(later(1), later(2)).ours.startswith("open(")
    error = differ(later(1), lambda p: [p.open(shared(p) + 1), p.open(shared(p) < 1)])
    assert "public numbers" not in error.ours, "those of before were compared"


def test_long_names_differ_at_their_ends():
    def party(p):
        a, b = (p._announced("x" * 500 + end) for end in "ab")
        return a, b, len(a)

    (a, b, length), _ = ht.run_pair(party)
    assert a != b and a.startswith("xxx") and length <= 400


def test_what_auto_resolves_to_is_compared():
    def numbers(p):
        return p.share(np.zeros(40), bits=12, fraction=6, range=(-4, 4))

    def looked_up(protocol):
        return lambda p: p.open(ht.sigmoid(numbers(p), protocol=protocol))

    name = differ(looked_up("auto"), lambda p: p.open(numbers(p))).ours.rsplit(", by ", 1)[1]
    opened = ht.run_pair(looked_up("auto"), looked_up(name))
    assert np.array_equal(*opened) and opened[0][0] == 0.5
    another = next(other for other in ("rotl", "splut") if other != name)
    assert differ(looked_up("auto"), looked_up(another)).theirs.endswith(f", by {another}")


@pytest.mark.parametrize("f", [lambda s: s < 1, lambda s: s * 1.5, ht.softmax])
def test_digits_of_comparisons_are_compared(f):
    error = differ(lambda p: f(shared(p)), lambda p: p.open(shared(p)))
    assert re.search(r", by .*(thermometer|lookup) in digits of [1-6]", error.ours), error.ours
