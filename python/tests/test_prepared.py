"""Functions prepared: what they serve, in which order, and what is refused."""

from __future__ import annotations

import threading

import hushtable as ht
import numpy as np
import pytest
from parties import differ

SMALL = ht.Like(3, bits=8, fraction=4)


def zeros(p):
    return p.share(np.zeros(3), bits=8, fraction=4)


def test_what_is_prepared_serves_what_it_was_made_for():
    def party(p):
        with pytest.raises(ht.ParamError, match="offline"):
            ht.prepare(ht.sigmoid, 3)
        with p.offline():
            prepared = ht.prepare(ht.sigmoid, ht.Like(3, bits=8, fraction=4))
        with pytest.raises(ht.ShapeError, match=r"prepared for Share\(shape=\(3,\).*got Share\(shape=\(4,\)"):
            prepared(p.share(np.zeros(4), bits=8, fraction=4))
        return p.open(prepared(p.share(np.zeros(3), bits=8, fraction=4)))

    assert np.array_equal(ht.run_pair(party)[0], [0.5, 0.5, 0.5])


def test_a_function_that_does_not_do_the_same_twice_is_noticed():
    calls = {0: 0, 1: 0}

    def fickle(s):
        calls[s.party.role] += 1
        return ht.sigmoid(s) if calls[s.party.role] == 1 else ht.tanh(s)

    def party(p):
        with p.offline():
            prepared = ht.prepare(fickle, ht.Like(3, bits=8, fraction=4))
        with pytest.raises(ht.ShapeError, match=r"prepared for sigmoid\(.*got tanh\("):
            prepared(p.share(np.zeros(3), bits=8, fraction=4))

    ht.run_pair(party)


def test_what_is_prepared_with_other_gains_of_one_party_is_noticed():
    """Nothing that the peer sees tells them apart; the material has the first ones."""
    gains = {0: None, 1: np.ones(16)}

    def normalised(s):
        return ht.layer_norm(s, gains[s.party.role], owner=1, most=2.0, variance=(0.5, 16))

    def party(p):
        with p.offline():
            prepared = ht.prepare(normalised, ht.Like((4, 16), bits=24, fraction=10, range=(-4, 4)))
        s = p.share(np.zeros((4, 16)), bits=24, fraction=10, range=(-4, 4))
        if p.role == 1:
            gains[1] = np.full(16, 2.0)
            with pytest.raises(ht.ShapeError, match="other numbers of this party"):
                prepared(s)

    ht.run_pair(party)


NUMBERS = ht.Like(3, bits=24, fraction=8, range=(-4, 4))


def square(s):
    return s * s


def two_squares(order):
    """Prepares two functions, and calls them in this order."""

    def party(p):
        with p.offline():
            made = [ht.prepare(square, NUMBERS) for _ in range(2)]
        s = p.input([1, 2, 3] if p.role == 0 else None, 0, shape=3, bits=24, fraction=8, range=(-4, 4))
        return [p.open(made[i](s)) for i in order]

    return party


def test_functions_prepared_are_called_in_the_same_order():
    for order in ((0, 1), (1, 0)):
        for opened in ht.run_pair(two_squares(order))[0]:
            assert np.array_equal(opened, [1, 4, 9])
    error = differ(two_squares((0, 1)), two_squares((1, 0)))
    assert "prepared as 1.1" in error.ours and "prepared as 2.1" in error.theirs


def test_functions_are_prepared_in_the_same_order():
    def prepares(*functions):
        def party(p):
            with p.offline():
                for f in functions:
                    ht.prepare(f, NUMBERS)

        return party

    error = differ(prepares(square, ht.sigmoid), prepares(ht.sigmoid, square))
    assert error.ours.startswith("prepare multiply(") and error.theirs.startswith("prepare sigmoid(")


def test_shares_of_others_are_refused():
    ours: list = [None, None]
    ht.run_pair(lambda p: ours.__setitem__(p.role, zeros(p)))

    def party(p):
        with p.offline():
            prepared = ht.prepare(ht.sigmoid, SMALL)
        with pytest.raises(ht.ShapeError, match="another session or party"):
            prepared(ours[p.role])
        s = zeros(p)
        with pytest.raises(ht.ShapeError, match="different sessions or parties"):
            ht.where(s < 0, ours[p.role], ours[p.role])
        return p.open(prepared(s))

    assert np.array_equal(ht.run_pair(party)[0], [0.5, 0.5, 0.5])


def test_the_peer_of_a_party_that_does_something_else_is_told():
    """Before that party ends."""
    calls, told = [], threading.Event()

    def fickle(s):
        calls.append(s.party.role)
        return ht.tanh(s) if calls.count(0) == 2 and s.party.role == 0 else ht.sigmoid(s)

    def party(p):
        with p.offline():
            prepared = ht.prepare(fickle, SMALL)
        if p.role == 1:
            with pytest.raises(ht.PeerError, match="options contradict each other"):
                p.open(prepared(zeros(p)))
            told.set()
            return
        with pytest.raises(ht.ShapeError, match=r"prepared for sigmoid\(.*got tanh\("):
            prepared(zeros(p))
        assert told.wait(20)
        with pytest.raises(ht.PeerError, match="this session is over: what this party was asked for"):
            p.barrier()

    ht.run_pair(party)


def test_public_numbers_may_depend_on_what_was_opened():
    """In the dry run everything opened is 0."""

    def above_first(s):
        first = s.party.open(s[0])
        return s > first, s * int(first)

    def party(p):
        with p.offline():
            prepared = ht.prepare(above_first, ht.Like(3, bits=24, fraction=8, range=(-8, 8)))
        s = p.input([2, 1, 3] if p.role == 0 else None, 0, shape=3, bits=24, fraction=8, range=(-8, 8))
        return [p.open(y) for y in prepared(s)]

    above, products = ht.run_pair(party)[0]
    assert above.tolist() == [False, False, True] and products.tolist() == [4, 2, 6]
