"""What a party does to its own shares is compared: a difference ends both, and names what it was."""

from __future__ import annotations

import inspect
import os
import re

import hushtable as ht
import numpy as np
import pytest
from hushtable import history
from parties import differ

LONG = os.environ.get("LONG") == "1"
FORMAT = {"bits": 56, "fraction": 4, "range": (-64, 64)}
X = np.arange(9).reshape(3, 3)
MASK = X % 2 == 0


def shared(p, x=X):
    return p.input(x if p.role == 0 else None, 0, shape=x.shape, **FORMAT)


def opening(f):
    return lambda p: p.open(f(shared(p)))


def multiplying(f):
    """A protocol between two shares, of which one is seen through `f`."""

    def party(p):
        s, t = shared(p), shared(p, X + 1)
        return p.open(f(s) * f(t).sum())

    return party


def buried(f):
    """So many views later that only the digest tells."""

    def party(p):
        s = f(shared(p))
        for _ in range(16):
            s = s[None]
        return p.open(s)

    return party


IDENTITY = {
    "nothing": lambda s: s,
    "all": lambda s: s[:],
    "same shape": lambda s: s.reshape(3, 3),
    "copy": lambda s: s.copy(),
}
# What one party does, and the other: every way to see other numbers, or in other places.
PAIRS = {
    "index": (lambda s: s[0], lambda s: s[1]),
    "rows": (lambda s: s[:2], lambda s: s[1:]),
    "steps": (lambda s: s[::2], lambda s: s[:2]),
    "backwards": (lambda s: s[::-1], lambda s: s),
    "columns": (lambda s: s[:, 0], lambda s: s[0]),
    "ellipsis": (lambda s: s[..., 0], lambda s: s[..., 1]),
    "new axis": (lambda s: s[None, :, 0], lambda s: s[None, 0, :]),
    "order": (lambda s: s[[2, 0, 1]], lambda s: s[[0, 1, 2]]),
    "array": (lambda s: s[np.array([0, 1])], lambda s: s[np.array([0, 2])]),
    "array at one": (lambda s: s[np.array([0, 1, 2])], lambda s: s),
    "two arrays": (lambda s: s[[0, 1], [1, 0]], lambda s: s[[1, 0], [0, 1]]),
    "mask": (lambda s: s[MASK], lambda s: s[~MASK][[0, 1, 2, 3, 3]]),
    "mask of rows": (lambda s: s[np.array([True, False, True])], lambda s: s[np.array([True, True, False])]),
    "transposed": (lambda s: s.T, lambda s: s),
    "axes": (lambda s: s[None].transpose(0, 2, 1), lambda s: s[None].transpose(0, 1, 2)),
    "reshaped": (lambda s: s.reshape(9), lambda s: s.T.ravel()),
    "twice": (lambda s: s[1:][:1], lambda s: s[:1]),
    "iterated": (lambda s: list(s)[0], lambda s: list(s)[2]),
    "sum": (lambda s: s.sum(axis=0), lambda s: s.sum(axis=1)),
    "mean": (lambda s: s.mean(axis=0), lambda s: s.mean(axis=1)),
    "max": (lambda s: s.max(axis=0), lambda s: s.max(axis=1)),
    "sign": (lambda s: -s, lambda s: s),
    "plus and minus": (lambda s: s + s, lambda s: s - s),
    "operands": (lambda s: s[0] - s[1], lambda s: s[1] - s[0]),
    "concatenate": (lambda s: ht.concatenate([s[:1], s[1:]]), lambda s: ht.concatenate([s[1:], s[:1]])),
    "concatenate numbers": (lambda s: ht.concatenate([s, X]), lambda s: ht.concatenate([X, s])),
    "axis": (lambda s: ht.concatenate([s, s]).reshape(18), lambda s: ht.concatenate([s, s], axis=1).reshape(18)),
    "stack": (lambda s: ht.stack([s[0], s[1]]), lambda s: ht.stack([s[1], s[0]])),
    "NumPy": (lambda s: np.transpose(s), lambda s: np.reshape(s, (3, 3))),
    "where": (lambda s: ht.where(s < 4, s, 4), lambda s: ht.where(s < 4, 4, s)),
    "condition": (lambda s: ht.where((s < 4)[::-1], s, 4), lambda s: ht.where(s < 4, s, 4)),
    "matrices": (lambda s: s @ s.T, lambda s: s.T @ s),
    "numbers on the left": (lambda s: s - 1, lambda s: 1 - s),
}


@pytest.mark.parametrize("use", [opening, multiplying, buried])
@pytest.mark.parametrize("name", PAIRS)
def test_a_view_of_one_party_is_noticed_by_both(name, use):
    for here, there in (PAIRS[name], PAIRS[name][::-1]):
        error = differ(use(here), use(there))
        assert error.field == "operation", error
        if use is buried and error.ours.startswith("open("):
            text, digest = error.ours.split("made as ")
            assert text == error.theirs.split("made as ")[0] and digest not in error.theirs
        for f in (here, there):
            a, b = ht.run_pair(use(f))
            assert np.array_equal(a, b)


@pytest.mark.parametrize("name", IDENTITY)
def test_what_changes_nothing_is_no_difference(name):
    a, b = ht.run_pair(opening(IDENTITY[name]), opening(lambda s: s))
    assert np.array_equal(a, b) and np.array_equal(a, X)


@pytest.mark.parametrize(
    ("f", "g"),
    [
        (lambda s: s[0:2], lambda s: s[:-1]),
        (lambda s: s[-1], lambda s: s[2]),
        (lambda s: s[[0, -1]], lambda s: s[np.array([0, 2], dtype=np.uint8)]),
        (lambda s: s[MASK], lambda s: s[np.nonzero(MASK)]),
        (lambda s: s.T, lambda s: s.transpose(1, 0)),
        (lambda s: s.ravel(), lambda s: s.reshape(-1)),
        (lambda s: s[0, ...], lambda s: s[0]),
        (lambda s: s[2:3:7], lambda s: s[2:]),
        (lambda s: s[:0], lambda s: s[2:1]),
    ],
)
def test_what_is_the_same_may_be_written_in_two_ways(f, g):
    assert np.array_equal(*ht.run_pair(opening(f), opening(g)))


def test_the_error_shows_what_was_done():
    error = differ(opening(lambda s: s[[2, 0, 1]]), opening(lambda s: s[1:].T))
    assert "of input 1[array (3,) " in error.ours + error.theirs, error
    assert "of input 1[1:3:1, :].transpose(1, 0), made as " in error.ours + error.theirs, error
    assert error.ours.startswith("open(")


def test_views_that_are_not_used_are_not_compared():
    def party(p):
        s = shared(p)
        if p.role == 0:
            assert s[0].shape == (3,) and len(list(s.T)) == 3
        return p.open(s), p.open(s[1])

    for whole, row in ht.run_pair(party):
        assert np.array_equal(whole, X) and np.array_equal(row, X[1])


def test_another_share_of_the_same_type_is_noticed():
    def party(p):
        a, b = shared(p), shared(p, X + 1)
        return p.open((a, b)[p.role])

    differ(party, party)

    def results(p):
        s = shared(p)
        a, b = s * s[0], s * s[1]
        return p.open((a, b)[p.role])

    differ(results, results)


def test_tables_that_begin_elsewhere_are_noticed():
    def look_up(lo):
        def party(p):
            s = p.share([1, 1], bits=8, fraction=0, range=(0, 4))
            return p.open(ht.lookup(ht.Table(range(8), lo=lo), s))

        return party

    differ(look_up(0), look_up(-4))


def test_what_is_asked_of_joined_rows_is_compared():
    def joined(p):
        table = {"id": list(range(30)), ("x", "y")[p.role]: [1.0] * 30, ("u", "v")[p.role]: [2.0] * 30}
        return ht.join(p, table, "id")

    differ(lambda p: p.open(joined(p)["x"]), lambda p: p.open(joined(p)["u"]))
    differ(lambda p: (t := joined(p)).sum(t["x"] + 1), lambda p: (t := joined(p)).sum(t["x"][::-1] + 1))
    differ(lambda p: (t := joined(p)).by_row(t["x"]), lambda p: (t := joined(p)).by_row(t["x"][::-1]))


def test_what_was_prepared_is_compared_when_it_is_called():
    order = {0: [0, 1, 2], 1: [0, 1, 2]}

    def rows(s):
        return s[order[s.party.role]] * s

    def party(p):
        with p.offline():
            prepared = ht.prepare(rows, ht.Like((3, 3), **FORMAT))
        order[1] = [2, 1, 0]
        return p.open(prepared(shared(p)))

    differ(party, party)


# --- any sequence of views

def view(rng, shape):
    """Some view of an array of this shape, as a function."""
    ndim = len(shape)
    axis = int(rng.integers(ndim)) if ndim else 0
    size = shape[axis] if ndim else 1

    def at(key):
        return (slice(None),) * axis + (key,)

    kinds = [lambda: ("new axis", lambda s: s[None])]
    if ndim and size:
        index = rng.integers(-size, size, int(rng.integers(1, 5)))
        mask = rng.random(size) < 0.5
        whole = rng.random(shape) < 0.7
        start, stop = sorted(rng.integers(0, size + 1, 2).tolist())
        kinds += [
            lambda: ("index", lambda s, i=int(rng.integers(-size, size)): s[at(i)]),
            lambda: ("slice", lambda s: s[at(slice(start, max(stop, start + 1)))]),
            lambda: ("backwards", lambda s: s[at(slice(None, None, -1))]),
            lambda: ("array", lambda s: s[at(index)]),
            lambda: ("sum", lambda s: s.sum(axis=axis)),
        ]
        if mask.any():
            kinds.append(lambda: ("mask", lambda s: s[at(mask)]))
        if whole.any():
            kinds.append(lambda: ("mask of all", lambda s: s[whole]))
    if ndim > 1:
        order = tuple(int(a) for a in rng.permutation(ndim))
        kinds += [
            lambda: ("transpose", lambda s: s.transpose(*order)),
            lambda: ("ravel", lambda s: s.reshape(-1)),
            lambda: ("reshape", lambda s: s.reshape((shape[1], shape[0], *shape[2:]))),
        ]
    return kinds[int(rng.integers(len(kinds)))]()


def sequence(rng, shape):
    """A few views after each other, and what they are."""
    x, taken = np.zeros(shape), []
    for _ in range(int(rng.integers(1, 6))):
        if not 0 < x.size < 200 or x.ndim > 4:
            break
        name, f = view(rng, x.shape)
        x = f(x)
        taken.append((name, f))
    return taken


def applied(views, x):
    for _, f in views:
        x = f(x)
    return x


def test_any_deviation_in_any_sequence_of_views_is_noticed():
    """Both do the same, and one thing else at one party: noticed if and only if other numbers come to other places."""
    for seed in range(400 if LONG else 40):
        rng = np.random.default_rng(seed)
        shape = tuple(rng.integers(1, 5, int(rng.integers(1, 4))).tolist())
        x = rng.permutation(int(np.prod(shape))).reshape(shape)
        views = sequence(rng, shape)
        place = int(rng.integers(len(views)))
        before = applied(views[:place], np.zeros(shape)).shape
        other = [*views[:place], view(rng, before), *views[place + 1 :]]
        who = int(rng.integers(2))

        def party(p, mine):
            return p.open(applied(mine, shared(p, x)))

        text = f"seed {seed}: {[name for name, _ in views]}, at party {who} {other[place][0]} at {place}"
        a, b = ht.run_pair(lambda p: party(p, views))
        assert np.array_equal(a, applied(views, x)) and np.array_equal(a, b), text
        try:
            want = applied(other, x)
        except (IndexError, ValueError):
            continue  # no such view of what comes before
        mine = [views, other] if who else [other, views]
        if want.shape == a.shape and np.array_equal(want, a):
            continue
        try:
            differ(lambda p: party(p, mine[0]), lambda p: party(p, mine[1]))
        except AssertionError as error:
            raise AssertionError(text) from error


# Methods that only call what is marked.
THROUGH = {
    "T", "__iter__", "__mul__", "__rmul__", "__matmul__", "__rmatmul__", "__lt__", "__le__", "__ge__", "__eq__", "__ne__",
    "__and__", "__or__", "__rxor__", "mean", "__truediv__", "with_fraction", "max", "argmax", "clip",
}  # fmt: skip


def test_everything_that_makes_shares_of_shares_is_marked():
    """What neither is marked, by `history.view` or `history.operation`, nor calls what is, would not be compared."""

    def unmarked(f):
        return inspect.isfunction(f) and not hasattr(f, "__wrapped__")

    def makes(f):
        return re.search(r"\bShare\b", str(inspect.signature(f).return_annotation))

    methods = {name for name, f in vars(ht.Share).items() if unmarked(f) and makes(f) and not re.match("_[a-z]", name)}
    assert methods <= THROUGH, methods - THROUGH
    functions = {name for name in ht.__all__ if unmarked(getattr(ht, name)) and makes(getattr(ht, name))}
    assert not functions, functions
    assert hasattr(ht.Function.__call__, "__wrapped__")


def test_digests_are_of_all_of_it():
    one = history._digest("ab", "c")
    assert len({one, history._digest("a", "bc"), history._digest("abc"), history._digest("ab", "c", "")}) == 4
    assert len(history._short("x" * 500)) == history.LONGEST
