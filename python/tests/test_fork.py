"""A fork has its parent's sockets, random numbers and stores: nothing of it may be used twice."""

from __future__ import annotations

import multiprocessing
import threading
import warnings

import hushtable as ht
import numpy as np
import pytest
from test_stores import over_tls

X = np.linspace(-3, 3, 10)

pytestmark = pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no forks")


def forked(*works):
    """What each function returns, or the error it raises, each in a fork of its own, all at the same time."""
    context = multiprocessing.get_context("fork")
    start = context.Barrier(len(works))

    def run(work, answer):
        start.wait(60)
        try:
            answer.send(work())
        except Exception as error:
            answer.send(f"{type(error).__name__}: {error}")

    children = []
    with warnings.catch_warnings():
        # Other threads of this process hold nothing that the children need.
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        for work in works:
            here, there = context.Pipe()
            child = context.Process(target=run, args=(work, there))
            child.start()
            children.append((child, here))
    answers = []
    for child, here in children:
        answers.append(here.recv() if here.poll(60) else "silent")
        child.join(60)
        assert child.exitcode == 0
    return answers


def make_stores(tmp_path, lookups):
    def make(p, identity):
        ht.Store.make(p, identity / "store", identity, lookups, 10, 12)

    over_tls(tmp_path, make)


def spend(tmp_path, stores):
    """Both parties look ten numbers up with material of their stores; how much is left."""

    def look_up(p, identity):
        s = p.input(X if p.role == 0 else None, 0, shape=10, bits=12, fraction=7, range=(-4, 4))
        store = stores[p.role] if stores else ht.Store(identity / "store", identity)
        y = p.open(ht.sigmoid(s, store=store))
        assert np.abs(y - 1 / (1 + np.exp(-X))).max() <= 2**-7
        return store.left

    return over_tls(tmp_path, look_up)


def test_two_workers_never_spend_the_same_piece_of_a_store(tmp_path):
    make_stores(tmp_path, 100)
    stores = [ht.Store(tmp_path / name / "store", tmp_path / name) for name in ("p0", "p1")]
    first, second = forked(*[lambda: spend(tmp_path, stores)] * 2)
    for answer in (first, second):
        assert answer.startswith("ForkedError: a store of process"), answer
    # Nor do they get it by opening it themselves: the parent has it.
    assert all("is in use: by another process" in answer for answer in forked(*[lambda: spend(tmp_path, None)] * 2))
    assert spend(tmp_path, stores) == [90, 90], "nothing was spent, and the parent goes on"
    stores.clear()
    # Whoever opens it first has it; the other is refused or comes later.
    answers = forked(*[lambda: spend(tmp_path, None)] * 2)
    left = sorted(answer[0] for answer in answers if isinstance(answer, list))
    assert left in ([], [80], [70, 80]), answers
    for answer in answers:
        assert isinstance(answer, list) or "in use" in answer or "Error" in answer, answers


def test_a_session_is_its_process_own(tmp_path):
    done = threading.Barrier(2, timeout=120)

    def party(p, identity):
        s = p.share(np.ones(3), bits=12, fraction=4)
        done.wait()
        if p.role == 0:
            works = [lambda: p.open(s), lambda: p.share(X, bits=12, fraction=4), lambda: ht.sigmoid(s)]
            for answer in forked(*works, p.close):
                assert answer is None or answer.startswith("ForkedError: a session of process"), answer
        done.wait()
        return p.open(s)

    for opened in over_tls(tmp_path, party):
        assert np.array_equal(opened, [2, 2, 2]), "the parent's session goes on"
