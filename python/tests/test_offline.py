"""Offline first: what is prepared, and predictions."""

from __future__ import annotations

import json
import re

import hushtable as ht
import numpy as np
import pytest
from hushtable import _hushtable as native

RNG = np.random.default_rng(5)
X = RNG.uniform(-3, 3, 40)
LIKE = ht.Like(40, bits=12, fraction=6, range=(-4, 4))


def two_layers(s):
    return ht.tanh(ht.sigmoid(s, protocol="auto") - 0.5, protocol="auto")


def arithmetic(s):
    """Every operation that has material: products, truncations, comparisons, selections."""
    square = s.reshape(8, 5) @ s.reshape(8, 5).T
    chosen = [ht.maximum(s, s[::-1]), ht.argmax(s), ht.clip(s, -1, 1), ht.where(s < 0, s, 1)]
    return [s * s, square, *chosen, (s * s < 1.5), s.mean()]


def both(s):
    return ht.where(s < 0, ht.sigmoid(s, protocol="auto"), s)


def evaluated(s):
    """Functions that are no single table."""
    rows = s.reshape(5, 8)
    functions = [ht.gelu(s), ht.tanh(s, method="table"), ht.sigmoid(s, method=(2, 16)), ht.sqrt(s + 5)]
    refusing = ht.reciprocal(s + 5, domain=(0.5, 16), outside="strict")
    return [*functions, refusing, ht.softmax(rows), ht.layer_norm(rows, variance=(0.5, 16)), ht.softmax(rows)]


TYPES = {
    evaluated: ht.Like(40, bits=24, fraction=8, range=(-4, 4)),
    two_layers: LIKE,
    arithmetic: ht.Like(40, bits=32, fraction=6, range=(-4, 4)),
    both: LIKE,
}


@pytest.mark.parametrize("f", TYPES)
def test_what_is_prepared_leaves_the_online_phase(f):
    like = TYPES[f]

    def opened(p, made):
        return [p.open(y) for y in (made if isinstance(made, list) else [made])]

    def party(p):
        with p.offline():
            prepared = ht.prepare(f, like)
        s = p.input(X if p.role == 0 else None, 0, shape=40, bits=like.bits, fraction=like.fraction, range=(-4, 4))
        before = p.cost
        y = prepared(s)
        spent = p.cost - before
        with pytest.raises(ht.SpentError, match="spent"):
            prepared(s)
        return opened(p, y), opened(p, f(s)), spent, p.cost

    (ahead, direct, spent, everything), _ = ht.run_pair(party)
    assert len(ahead) == len(direct)
    for a, b in zip(ahead, direct, strict=True):
        # Rounding within functions that are no single table depends on the shares.
        assert np.allclose(a, b, rtol=0, atol=2 / 256) if f is evaluated else np.array_equal(a, b)
    # Correlated OTs are drawn offline alone, and no operation has anything left to do there.
    assert spent.by_operation and all(set(phases) == {"online"} for phases in spent.by_operation.values())
    assert spent.online.sent > 0 and everything.offline.sent > 0


def test_prepared_arithmetic_takes_online_what_its_pages_say():
    """No correlated OT is made online: the bytes are those of the openings alone."""
    n, bits = 1000, 32

    def product(s):
        return s * s[...]

    def square(s):
        return s * s

    def choice(s):
        return ht.where(s < 0, s, 0)

    def choices(s):
        return [choice(s) for _ in range(3)]

    def party(p):
        costs = []
        for f in (product, square, choice, choices):
            like = ht.Like(n, bits=bits, fraction=0, wrap=True)
            with p.offline():
                prepared = ht.prepare(f, like)
            s = p.share(np.zeros(n), bits=bits, fraction=0, wrap=True)
            before = p.cost
            prepared(s)
            costs.append((p.cost - before).by_operation)
        return costs

    (first, itself, second, third), _ = ht.run_pair(party)
    # Two openings of 32 bits; an operation's name and frames are what is left.
    assert 0 <= first["multiply"]["online"].sent - 2 * n * bits / 8 < 300
    assert first["multiply"]["online"].rounds == 1
    # One, since both factors are the same.
    assert 0 <= itself["multiply"]["online"].sent - n * bits / 8 < 300
    # Choice bits and a word each way.
    assert 0 <= second["where"]["online"].sent - n * (bits + 1) / 8 < 300
    assert 0 <= third["where"]["online"].sent - 3 * n * (bits + 1) / 8 < 900
    assert "offline" not in second["where"]


def owned(s):
    """Layer norm whose gains party 1 knows."""
    gains = np.linspace(-2, 2, 16) if s.party.role == 1 else None
    return ht.layer_norm(s, gains, owner=1, most=2.0, variance=(0.5, 16))


@pytest.mark.parametrize(
    ("f", "card"),
    [
        # Over a link its form is chosen: its card is that of the usual one.
        (ht.softmax, None),
        (owned, native.Operation.layer_norm(24, 10, 64, [0] * 16, [0] * 16, 1, 0, 2, 4, (0.5, 16), 1e-5).card),
    ],
)
def test_rows_take_online_what_their_cards_say(f, card):
    """Whatever was run since they were prepared, no correlated OT is made online, and they take what they take unprepared."""
    like, x = ht.Like((64, 16), bits=24, fraction=10, range=(-4, 4)), RNG.uniform(-4, 4, (64, 16))

    def party(p):
        with p.offline():
            made = [ht.prepare(f, like) for _ in range(2)]
        s = p.input(x if p.role == 0 else None, 0, shape=x.shape, bits=24, fraction=10, range=(-4, 4))
        ht.where(s < 0, s, 0)
        spent = []
        for run in (f, *made):
            before = p.cost
            run(s)
            spent.append(p.cost - before)
        return spent

    for unprepared, *costs in ht.run_pair(party)[0], ht.run_pair(party)[1]:
        for cost in costs:
            spent, usual = cost.online, unprepared.online
            assert cost.offline == cost.setup == ht.Phase()
            # Prepared material is named.
            assert spent.rounds == usual.rounds and 0 <= spent.sent - usual.sent < 300
            if card:
                said = re.search(r"\(([0-9]+) online\).* ([0-9]+) rounds online", card)
                assert spent.rounds == int(said[2])
                # Beside what the card counts there are headers.
                assert abs((spent.sent + spent.received) / x.size - int(said[1])) < 0.05 * int(said[1])


def test_a_dry_run_counts_without_a_peer():
    needs = ht.count(two_layers, ht.Like((3, 5), bits=12, fraction=6))
    assert [(n.operation.split("(")[0], n.count) for n in needs] == [("sigmoid", 15), ("tanh", 15)]
    wide, rows = ht.Like((2, 3), type="b128"), ht.Like((4, 8), bits=32, fraction=12, range=(-8, 8))
    assert [n.count for n in ht.count(ht.circuits.aes128, wide, wide)] == [6], "evaluations, not words"
    assert [n.count for n in ht.count(ht.softmax, rows)] == [4], "rows, not numbers"
    names = [need.operation.split("(")[0] for need in ht.count(arithmetic, TYPES[arithmetic])]
    assert {"multiply", "matmul", "truncate", "lt", "max", "min", "where"} == set(names)


def test_a_whole_party_is_prepared():
    def party(p):
        s = p.share(X / 2, bits=12, fraction=6, range=(-8, 8))
        p.barrier()
        return p.open(ht.sigmoid(s, protocol="auto")), p.open(s < 0, to=0)

    def ahead(p):
        with p.offline():
            prepared = ht.prepare(party)
        before = p.cost
        outcome = prepared()
        return outcome, (p.cost - before).offline

    (first, offline), (second, _) = ht.run_pair(ahead)
    assert offline.sent == offline.received == 0
    want = ht.run_pair(party)
    assert np.array_equal(first[0], want[0][0]) and np.array_equal(first[1], want[0][1])
    assert np.array_equal(second[0], first[0]) and second[1] is None
    assert [n.count for n in ht.count(party)] == [40, 40]


def test_predictions_are_a_table(tmp_path):
    table = ht.plan(8, 64, 100_000, net="wan")
    names = [row.protocol for row in table]
    assert set(names) <= set(ht.protocols()) and len(names) == len(set(names)) == len(table)
    assert [row.seconds for row in table] == sorted(row.seconds for row in table)
    assert table["rotl"].online.bytes / 100_000 * 8 == pytest.approx(142, rel=0.01)
    assert table[0] is table[names[0]] and len(table[:2]) == 2
    text = str(table)
    assert text.splitlines()[0].split()[:3] == ["protocol", "set-up", "offline"]
    assert all(name in text and f"<td>{name}</td>" in table._repr_html_() for name in names)
    by_bytes = ht.plan(8, 64, 100_000, optimise="bytes")
    assert [row.bytes for row in by_bytes] == sorted(row.bytes for row in by_bytes)
    columns = table.columns()
    assert columns["protocol"] == names and columns["online_rounds"][names.index("ar")] == 1
    with pytest.raises(KeyError, match="does not serve"):
        table["nosuch"]
    for bad in ({"net": "fast"}, {"optimise": "luck"}):
        with pytest.raises(ht.ParamError, match="accepted"):
            ht.plan(8, 64, 10, **bad)
    with pytest.raises(ht.ParamError):
        ht.plan(8, 64, 0)


def test_predictions_rest_on_a_calibration(tmp_path):
    machine = dict(start=0.015, round=4e-5, iknp_ot=80.0, soft2_ot=75.0, soft4_ot=73.0, soft8_ot=120.0)
    machine |= dict(small_ot=29.6, large_ot=29.3, largest_ot=29.0)
    machine |= dict(small_start=1e-3, large_start=2e-3, largest_start=5e-3, hash=1.13, word=2.0, byte=0.05, wire=0.8)
    file = tmp_path / "calibration.json"

    def setup(start):
        file.write_text(json.dumps({"machine": {**machine, "start": start}, "link": None}))
        return ht.plan(8, 64, 1000, calibration=file).columns()["setup_seconds"]

    assert setup(1.015) == pytest.approx([seconds + 1 for seconds in setup(0.015)])
    slow = {**machine, "start": 5.0}
    file.write_text(json.dumps({"machine": slow, "link": {"mbit_per_s": 100, "rtt_ms": 50}}))
    assert ht.plan(8, 64, 1000, calibration=file)[0].setup.seconds > 5
    file.write_text("{}")
    with pytest.raises(ht.ParamError, match="calibrate"):
        ht.plan(8, 64, 1000, calibration=file)
