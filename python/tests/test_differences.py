"""Parties that differ, fail or end early: both are told."""

from __future__ import annotations

import threading
import time

import hushtable as ht
import numpy as np
import pytest
from parties import differ


def test_another_function_is_noticed_by_both():
    def calls(function):
        return lambda p: p.open(function(p.share(np.zeros(5), bits=12, fraction=8)))

    error = differ(calls(ht.sigmoid), calls(ht.tanh))
    assert error.ours.startswith("sigmoid(") and error.theirs.startswith("tanh(")


@pytest.mark.parametrize("protocol", list(ht.protocols()))
def test_another_table_is_noticed_in_every_protocol(protocol):
    kind = "xor" if protocol in ("flute", "ottt") else "additive"

    def calls(values):
        def party(p):
            index = p.share([1, 2], bits=3, fraction=0, kind="xor")
            ht.lookup(ht.Table(values), index, kind=kind, protocol=protocol)

        return party

    assert differ(calls(range(8)), calls(range(1, 9))).field == "operation"


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (lambda p: p.share(np.zeros(5)), lambda p: p.share(np.zeros(6)), "shape (6,)"),
        (lambda p: p.share(np.zeros(5)), lambda p: p.share(np.zeros(5), bits=12), "bits=12"),
        (lambda p: p.share(np.zeros(5)), lambda p: p.share(np.zeros(5), fraction=7), "fraction=7"),
        (lambda p: p.share([0]), lambda p: p.share([0], range=(-1, 1)), "range -256:256"),
        (lambda p: p.share([0]), lambda p: p.input(None, 0, shape=1), "input of party 0"),
        (lambda p: p.open(p.share([0])), lambda p: p.open(p.share([0]), to=0), "to party 0"),
    ],
)
def test_parties_that_differ_are_both_told(a, b, text):
    def then_open(f):
        def run(p):
            f(p)
            p.open(p.share(np.zeros(5)))

        return run

    error = differ(then_open(a), then_open(b))
    assert text in error.theirs and text not in error.ours


def test_a_party_that_ends_early_is_noticed():
    def party(p):
        s = p.share([1.0])
        if p.role == 0:
            with pytest.raises(ht.HandshakeError, match="at the peer end of the session"):
                p.open(s)

    ht.run_pair(party)


def test_a_party_that_raises_ends_the_other():
    def party(p):
        s = p.share([1.0])
        if p.role == 1:
            raise KeyError("no such column")
        p.open(s)

    start = time.monotonic()
    with pytest.raises(KeyError, match="no such column"):
        ht.run_pair(party)
    with pytest.raises(KeyError, match="no such column"):
        ht.run_pair(party, processes=True)
    assert time.monotonic() - start < 10


def test_a_panic_ends_both_parties():
    """A width that only the package's own code could ask for."""
    told = threading.Event()

    def party(p):
        opened = ("open", np.zeros(3, np.uint8))
        if p.role == 1:
            with pytest.raises(ht.PeerError, match="closed"):
                p._native.open(*opened, 8, "additive", None, None)
            told.set()
            return
        with pytest.raises(BaseException, match="divide by zero"):
            p._native.open(*opened, 0, "additive", None, None)
        assert told.wait(20), "before this party ends"
        for again in (p.barrier, lambda: p.share([1.0])):
            with pytest.raises(ht.HushtableError, match="failed earlier.*close it"):
                again()

    ht.run_pair(party)


def test_agree():
    def party(p):
        p.agree(rows=10, order="by id")
        with pytest.raises(ht.HandshakeError, match="parties disagree on rows"):
            p.agree(rows=p.role)
        with pytest.raises(ht.PeerError, match="this session is over: the parties disagree on rows"):
            p.barrier()

    ht.run_pair(party)
