"""Stores: made once, spent once, of the shape that is asked for."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import hushtable as ht
import numpy as np
import pytest

X = np.random.default_rng(5).uniform(-3, 3, 40)


def over_tls(tmp_path, work):
    """Runs `work(p, identity)` as both parties over TLS, each with an identity of its own."""
    identities = [tmp_path / "p0", tmp_path / "p1"]
    if not identities[0].exists():
        for path in identities:
            ht.identity_new(path, path.name)
        for mine, other in (identities, identities[::-1]):
            ht.identity_trust(mine, other / "cert.pem", fingerprint=ht.identity_fingerprint(other))
    address, ready, outcome = [], threading.Event(), [None, None]

    def run(role, p):
        try:
            with p:
                outcome[role] = work(p, identities[role])
        except Exception as error:
            outcome[role] = error

    def listening(where):
        address.append(where)
        ready.set()

    def serve():
        run(0, ht.listen("127.0.0.1:0", identity=identities[0], on_listening=listening))

    server = threading.Thread(target=serve)
    server.start()
    ready.wait()
    run(1, ht.connect(address[0], identity=identities[1]))
    server.join(60)
    for error in outcome:
        if isinstance(error, Exception):
            raise error
    return outcome


def test_a_store_is_made_once_and_spent_once(tmp_path):
    def make(p, identity):
        store = ht.Store.make(p, identity / "store", identity, 100, 10, 12)
        return repr(store), store.verify()

    for text, missing in over_tls(tmp_path, make):
        assert text.startswith("Store(100 of 100 left, lookups by dt: additive indices of 10 bits") and missing == 0

    def spend(p, identity):
        store = ht.Store(identity / "store", identity)
        s = p.input(X if p.role == 0 else None, 0, shape=40, bits=12, fraction=7, range=(-4, 4))
        y, z = ht.sigmoid(s, store=store), ht.tanh(s, store=store)
        assert store.left == 20
        w = ht.identity(s[:30], store=store)  # 10 of them are made now
        return p.open(y), p.open(z), p.open(w), store.left, p.cost.by_operation

    for y, z, w, left, cost in over_tls(tmp_path, spend):
        rounded = np.round(X * 128) / 128
        assert np.abs(y - 1 / (1 + np.exp(-rounded))).max() <= 2**-8
        assert np.abs(z - np.tanh(rounded)).max() <= 2**-8
        assert np.array_equal(w, rounded[:30]) and left == 0
        assert cost["tanh"]["offline"].sent < 400, "only its name: nothing is made while the store lasts"

    def too_much(p, identity):
        store = ht.Store(identity / "store", identity, no_offline=True)
        s = p.share(np.zeros(2), bits=12, fraction=7, range=(-4, 4))
        with pytest.raises(ht.StoreError, match="0 items are left.*2 are needed"):
            ht.sigmoid(s, store=store)
        with pytest.raises(ht.StoreError, match="not for"):
            ht.sigmoid(s, store=store, bits=16)
        return "refused"

    assert over_tls(tmp_path, too_much) == ["refused", "refused"]


def test_a_store_holds_any_operation(tmp_path):
    number = ht.Like(1, bits=32, fraction=12, range=(-8, 8))
    row = ht.Like((1, 8), bits=32, fraction=12, range=(-8, 8))

    def make(p, identity):
        sigmoid = ht.Store.make_for(p, identity / "sigmoid", identity, 50, ht.sigmoid, number)
        with pytest.raises(ht.ParamError, match="one operation that is no lookup"):
            ht.Store.make_for(p, identity / "both", identity, 3, lambda x: ht.sigmoid(x) * ht.sigmoid(x), number)
        softmax = ht.Store.make_for(p, identity / "softmax", identity, 3, ht.softmax, row)
        # Each store of the session has a mark of its own, by its id.
        assert len(list((identity / "spent").iterdir())) == 2
        return repr(sigmoid), sigmoid.verify(), softmax.left, softmax.protocol

    for text, *others in over_tls(tmp_path, make):
        assert text.startswith("Store(50 of 50 left") and others == [0, 3, ""]

    rows = np.linspace(-4, 4, 32).reshape(4, 8)

    def spend(p, identity):
        stores = [ht.Store(identity / name, identity) for name in ("sigmoid", "softmax")]
        s = p.input(X if p.role == 0 else None, 0, shape=40, bits=32, fraction=12, range=(-8, 8))
        r = p.input(rows if p.role == 0 else None, 0, shape=(4, 8), bits=32, fraction=12, range=(-8, 8))
        with p.spending(*stores):
            y, left = ht.sigmoid(s), stores[0].left
            z = ht.softmax(r)  # one row of it is made now
        assert (left, stores[0].left, stores[1].left) == (10, 10, 0)
        ht.sigmoid(s)
        assert stores[0].left == 10
        stores[0].no_offline = True
        with p.spending(*stores), pytest.raises(ht.StoreError, match="10 items are left.*40 are needed"):
            ht.sigmoid(s)
        return p.open(y), p.open(z), p.cost.by_operation

    e = np.exp(rows)
    for y, z, cost in over_tls(tmp_path, spend):
        assert np.abs(y - 1 / (1 + np.exp(-X))).max() <= 2**-8
        assert np.abs(z - e / e.sum(axis=1, keepdims=True)).max() <= 2**-9

    def alone(p, identity):
        store = ht.Store(identity / "sigmoid", identity)
        s = p.share(np.zeros(2), bits=32, fraction=12, range=(-8, 8))
        with p.spending(*[store][: 1 - p.role]), pytest.raises(ht.HandshakeError, match="from a store"):
            ht.sigmoid(s)
        return store.left

    assert over_tls(tmp_path, alone) == [10, 10], "nothing is spent before the peer says the same"


def test_a_store_serves_conversions(tmp_path):
    like = ht.Like(1, bits=20, fraction=0)

    def work(p, identity):
        store = ht.Store.make_for(p, identity / "store", identity, 50, ht.to_bits, like)
        store.no_offline = True
        s = p.input(range(-20, 20) if p.role == 0 else None, 0, shape=40, bits=20, fraction=0)
        with p.offline():
            prepared = ht.prepare(ht.to_bits, ht.Like(40, bits=20, fraction=0, read=1))
        with p.spending(store):
            found = p.open(ht.to_bits(s))
        return found.tolist(), p.open(prepared(s)).tolist(), store.left

    for found, again, left in over_tls(tmp_path, work):
        assert found == again == list(range(-20, 20)) and left == 10


def test_a_store_of_another_shape_is_not_passed_over(tmp_path):
    """What no store serves is made now only where none says `no_offline`."""
    number = ht.Like(1, bits=32, fraction=12, range=(-8, 8))

    def make(p, identity):
        ht.Store.make_for(p, identity / "sigmoid", identity, 50, ht.sigmoid, number).close()

    over_tls(tmp_path, make)

    def spend(p, identity):
        s = p.input(X if p.role == 0 else None, 0, shape=40, bits=32, fraction=12, range=(-8, 8))
        narrow = p.input(X if p.role == 0 else None, 0, shape=40, bits=24, fraction=8, range=(-8, 8))
        table = {"id": ["a", "b"], "x": [1, 2], "g": ["u", "v"]} if p.role == 0 else {"id": ["a", "b"]}
        rows = ht.join(p, table, "id", groups={"g": ["u", "v"]} if p.role == 0 else None, range=(0, 4))
        with ht.Store(identity / "sigmoid", identity, no_offline=True) as store, p.spending(store):
            for f, says in [
                (lambda: ht.sigmoid(narrow), r"sigmoid\(.*: none of the stores serves it, and no_offline .*Store\(50 of 50"),
                (lambda: narrow < 0, r"lt\(.*none of the stores serves it"),
                (lambda: ht.sigmoid(narrow, protocol="auto"), r"sigmoid\(.*give the lookup a store"),
            ]:
                with pytest.raises(ht.StoreError, match=says):
                    f()
            # What cannot be stored is refused before anything is sent, also of the peer.
            for f, what in [
                (lambda: ht.psi(p, ["a"]), "psi"),
                (lambda: ht.join(p, {"id": ["a"]}, "id"), "join"),
                (lambda: rows.count(), r"count\(\)"),
                (lambda: rows.groupby("g").count(), r"count\(\) by 'g'"),
                (lambda: rows.variance("x"), "covariance"),
            ]:
                with pytest.raises(ht.StoreError, match=rf"^{what}.*none of the stores serves it.*outside of `with p.spending"):
                    f()
            local = s[:3] + 1
            with p.offline():
                prepared = ht.prepare(lambda t: t < 0, ht.Like(40, bits=24, fraction=8, range=(-8, 8)))
            return p.open(ht.sigmoid(s)), p.open(prepared(narrow)), p.open(local), store.left

    for y, negative, local, left in over_tls(tmp_path, spend):
        assert np.abs(y - 1 / (1 + np.exp(-X))).max() <= 2**-8 and left == 10
        assert np.array_equal(negative, np.round(X * 256) < 0) and np.allclose(local, X[:3] + 1, atol=2**-12)


def test_a_store_is_closed(tmp_path):
    def make(p, identity):
        ht.Store.make(p, identity / "store", identity, 100, 10, 12).close()

    over_tls(tmp_path, make)
    folder, identity = tmp_path / "p0" / "store", tmp_path / "p0"
    with pytest.raises(KeyError), ht.Store(folder, identity) as first:
        with pytest.raises(ht.StoreError, match="is in use: by another process, or by this one"):
            ht.Store(folder, identity)
        raise KeyError("something else")
    # The name still holds it, and the exception its frame.
    assert repr(first) == "Store(closed)"
    for use in (lambda: first.left, first.verify, lambda: first.protocol):
        with pytest.raises(ht.StoreError, match="this store is closed: open it again"):
            use()
    first.close()
    with ht.Store(folder, identity) as again:
        assert again.left == again.verify() + 100 == 100

    def spend(p, identity):
        store = ht.Store(identity / "store", identity)
        s = p.share(X / 2, bits=12, fraction=7, range=(-4, 4))
        store.close()
        with pytest.raises(ht.StoreError, match="closed"):
            ht.sigmoid(s, store=store)
        with pytest.raises(ht.StoreError, match="closed"), p.spending(store):
            ht.sigmoid(s)
        with ht.Store(identity / "store", identity) as store:
            ht.sigmoid(s, store=store)
            return store.left

    assert over_tls(tmp_path, spend) == [60, 60]


def test_the_stores_of_the_tutorial_can_be_made(tmp_path):
    """Its line, and that of the docstring, as they are written, with less material."""
    written = (Path(__file__).parents[2] / "docs" / "site" / "pages" / "tutorial.md").read_text(encoding="utf-8")
    written += ht.Store.make_for.__doc__
    calls = re.findall(r"`(?:ht\.)?Store\.make_for\(([^`]*)\)`", written)
    assert len(calls) == 2
    for i, call in enumerate(calls):
        arguments = call.split(", ", 4)
        assert arguments[3] == "10**6"

        def make(p, identity, i=i, arguments=arguments):
            given = eval(f"[{arguments[4]}]", {"ht": ht})
            return ht.Store.make_for(p, identity / f"store{i}", identity, 10, *given).left

        assert over_tls(tmp_path, make) == [10, 10]


def test_a_store_needs_tls(tmp_path):
    ht.identity_new(tmp_path / "a", "a")

    def party(p):
        with pytest.raises(ht.StoreError, match="TLS"):
            ht.Store.make(p, tmp_path / f"store{p.role}", tmp_path / "a", 10, 4, 8)

    ht.run_pair(party)
    with pytest.raises(ht.StoreError, match="no store"):
        ht.Store(tmp_path, tmp_path / "a")
