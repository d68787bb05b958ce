"""Private tables: embeddings and joins beside plain NumPy and pandas."""

from __future__ import annotations

import os
import stat

import hushtable as ht
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hushtable import copies
from hushtable import embedding as embeddings
from parties import differ

LOWMC = "lowmc-128-42-13"
RNG = np.random.default_rng(15)
MATRIX = RNG.integers(-128, 128, (100, 12)).astype(np.int8)


def embedding(p, matrix=MATRIX, owner=1, **how):
    return ht.Embedding(p, matrix if p.role == owner else None, owner=owner, **{"cipher": LOWMC, **how})


def test_rows_of_a_private_matrix():
    ids = np.array([[3, 99, 3], [0, 50, 1]])

    def party(p):
        e = embedding(p, cipher="aes-128")
        assert e.shape == (100, 12) and e.entry_bits == 8 and e.received and e.copy_bytes == 128 * 12
        mine = e(ids if p.role == 0 else None, owner=0, shape=ids.shape)
        assert mine.shape == (2, 3, 12) and mine.range == (-128, 128) and mine.kind == "additive"
        # Shares that nobody knows the values of: XOR of both parties' numbers.
        mask = np.array([[77, 5, 1], [8, 9, 100]])
        shared = p.share(mask if p.role == 0 else ids ^ mask, bits=7, fraction=0, kind="xor")
        sums = e.sum(np.array([[5, 6, -1, -1], [7, 7, 7, -1]]) if p.role == 1 else None, owner=1, shape=(2, 4), bits=16)
        one = e.sum(np.array([[5], [7]]) if p.role == 1 else None, owner=1, shape=(2, 1))
        assert one.shape == (2, 12) and np.array_equal(p.open(one), MATRIX[[5, 7]])
        nothing = e(np.zeros((0, 2), dtype=int) if p.role == 0 else None, owner=0, shape=(0, 2))
        assert nothing.shape == (0, 2, 12)
        return p.open(mine), p.open(e(shared)), p.open(sums), e.digest

    (rows, shared, sums, digest), (_, _, _, other) = ht.run_pair(party)
    wide = MATRIX.astype(int)
    assert np.array_equal(rows, wide[ids]) and np.array_equal(shared, wide[ids]) and digest == other
    assert np.array_equal(sums, [wide[5] + wide[6], 3 * wide[7]])


def test_functions_take_what_comes_out():
    matrix = RNG.normal(size=(20, 6))

    def party(p):
        e = embedding(p, matrix, owner=0, fraction=12)
        assert e.fraction == 12
        x = e.sum(np.array([[1, 2], [19, -1]]) if p.role == 1 else None, owner=1, shape=(2, 2))
        finer = e.sum(np.array([[1, 2]]) if p.role == 1 else None, owner=1, shape=(1, 2), fraction=14)
        assert finer.fraction == 14 and np.array_equal(p.open(finer), p.open(x)[:1])
        with pytest.raises(ht.ParamError, match="fraction bits: 11 .*accepted: 12 and more"):
            e(np.array([1]) if p.role == 1 else None, owner=1, shape=1, fraction=11)
        with pytest.raises(ht.ParamError, match="fraction bits: 40"):
            e(np.array([1]) if p.role == 1 else None, owner=1, shape=1, fraction=40)
        return p.open(x), p.open(ht.softmax(x)), p.open(x @ np.ones((6, 2)))

    (x, soft, product), _ = ht.run_pair(party)
    plain = np.array([matrix[1] + matrix[2], matrix[19]])
    assert np.abs(x - plain).max() <= 2 * 2**-13
    e = np.exp(plain)
    assert np.abs(soft - e / e.sum(axis=1, keepdims=True)).max() <= 2**-10
    assert np.abs(product - plain.sum(axis=1, keepdims=True)).max() <= 2**-8


def test_a_copy_is_kept_and_used_again(tmp_path):
    paths = [tmp_path / "copy", tmp_path / "key"]

    def run(matrix=MATRIX, **how):
        def party(p):
            e = embedding(p, matrix, path=paths[p.role], **how)
            found = p.open(e(np.array([4]) if p.role == 0 else None, owner=0, shape=1))
            return e.received, e.digest, found

        (received, digest, found), other = ht.run_pair(party)
        assert (received, digest) == other[:2]
        assert np.array_equal(found[0], matrix[4])
        return received, digest

    first = run()
    assert first[0] and [stat.S_IMODE(path.stat().st_mode) for path in paths] == [0o600, 0o600]
    kept = [path.read_bytes() for path in paths]
    assert run() == (False, first[1]), "nothing is sent again"
    # Another matrix is another version, under another key: also if one number differs.
    other = MATRIX.copy()
    other[50, 3] ^= 1
    second = run(other)
    assert second[0] and second[1] != first[1]
    assert all(before != path.read_bytes() for before, path in zip(kept, paths, strict=True))
    assert run(other)[0] is False
    # A copy that is of another version, cut short or altered is fetched anew; so is one of another cipher.
    for bad in (kept[0], kept[0][:-1], kept[0][:9], kept[0][:-1] + b"\x00", b"hushcpy1" + kept[0][8:]):
        paths[0].write_bytes(bad)
        assert run(other)[0] is True and run(other)[0] is False
    paths[1].write_bytes(kept[1])
    assert run(other)[0] is True
    assert run(other, cipher="aes-128")[0] is True
    paths[0].unlink()
    assert run(other, cipher="aes-128")[0] is True


def test_a_foreign_file_is_not_written_over(tmp_path):
    """At either party, whatever it is: an error before anything is sent, and the file stays."""
    paths = [tmp_path / "copy", tmp_path / "key"]
    asked = [
        lambda p: embedding(p, path=paths[p.role]),
        lambda p: orders(p, path=paths[p.role]),
    ]
    for ask in asked:
        ht.run_pair(ask)
        copy, key = (path.read_bytes() for path in paths)
        foreign = [b"", b"letters", b"hushcp", key[8:], bytes(48), b"x" * len(copy)]
        for role, others in ((0, [*foreign, key]), (1, [*foreign, copy, key[:-1], key + b"x"])):
            for content in others:
                paths[0].write_bytes(copy)
                paths[1].write_bytes(key)
                paths[role].write_bytes(content)

                def party(p, role=role, ask=ask):
                    if p.role == role:
                        with pytest.raises(ht.ParamError, match=r"path: .* is no .* of a private table, and is not written over"):
                            ask(p)
                    else:
                        with pytest.raises(ht.HushtableError):  # the end of the session
                            ask(p)
                    return p.cost.setup.sent

                ht.run_pair(party)
                assert paths[role].read_bytes() == content
        for path in paths:
            path.unlink()

    folder, fifo = tmp_path / "folder", tmp_path / "fifo"
    folder.mkdir()
    os.mkfifo(fifo)
    for path, error, says in [
        (folder, ht.ParamError, "folder is no file"),
        (fifo, ht.ParamError, "fifo is no file"),
        (tmp_path / "none" / "copy", ht.IoError, "no such folder"),
    ]:
        for key in (True, False):
            with pytest.raises(error, match=says):
                copies._read(path, key)


def test_a_file_that_comes_meanwhile_stays(tmp_path, monkeypatch):
    path, late = tmp_path / "copy", b"somebody's"
    read = copies._read

    def then_written(where, key):
        found = read(where, key)
        path.write_bytes(late)
        return found

    def party(p):
        if p.role == 1:
            return embedding(p).received
        with pytest.raises(ht.IoError, match="came there meanwhile, and is not written over"):
            embedding(p, path=path)
        return True

    monkeypatch.setattr(copies, "_read", lambda where, key: read(where, key) if key else then_written(where, key))
    assert ht.run_pair(party) == (True, True) and path.read_bytes() == late


def test_fractions_are_not_dropped_unasked():
    """The error names digits that hold the numbers."""

    def party(p):
        if p.role == 1:
            with pytest.raises(ht.ParamError, match=r"Embedding: 0.25 at index \(0, 1\) is not whole; .*fraction=.*: 2 suits these"):
                embedding(p, np.array([[1.0, 0.25], [2.0, -3.0]]))
            with pytest.raises(ht.ParamError, match=r"PrivateTable: column 'total': 10.5 at index 0 is not whole; .*: 2 suits"):
                orders(p, fraction=None)
            with pytest.raises(ht.ParamError, match="column 'total': 10.5"):
                orders(p, fraction={"other": 3})
        return True

    assert ht.run_pair(party) == (True, True)

    def rounded(p):
        t = embedding(p, np.array([[1.0, 0.25], [2.0, -3.75]]), fraction=0)
        assert t.fraction == 0
        whole = embedding(p, np.array([[1.0, 2.0]]))
        found = orders(p, fraction={"total": 0}).join(orders(p).input([3] if p.role == 0 else None, owner=0, shape=1))
        assert found.columns["total"].fraction == 0
        return p.open(t([0, 1] if p.role == 0 else None, owner=0, shape=2)), p.open(whole([0] if p.role == 0 else None, owner=0, shape=1))

    for rows, row in ht.run_pair(rounded):
        assert rows.tolist() == [[1, 0], [2, -4]] and row.tolist() == [[1, 2]]


def test_bad_matrices_and_ids_are_refused():
    def refused(error, says, matrix=MATRIX, ids=(1,), **how):
        def party(p):
            # At the other party: the end of the session.
            with pytest.raises(error if p.role == 1 else ht.HushtableError, match=says if p.role == 1 else "."):
                e = embedding(p, matrix, **how)
                e(np.array(ids) if p.role == 1 else None, owner=1, shape=np.shape(ids))
            return True

        assert ht.run_pair(party) == (True, True)

    refused(ht.ShapeError, "a matrix is expected", matrix=np.zeros(3, dtype=int))
    refused(ht.ShapeError, "a matrix is expected", matrix=np.zeros((0, 3), dtype=int))
    refused(ht.ParamError, "-128 in row 0, column 0 .*accepted: -64 to 63", matrix=np.full((2, 2), -128), entry_bits=7)
    refused(ht.ParamError, "NaN at index", matrix=np.array([[np.nan]]))
    refused(ht.ParamError, "fraction bits: 53", fraction=53)
    refused(ht.ParamError, "cipher: aes-256", cipher="aes-256")
    refused(ht.ParamError, "token id: 100 at index 1 .*accepted: 0 to 99", ids=[0, 100])
    refused(ht.ParamError, r"token id: -2 at index \(1, 0\)", ids=[[0], [-2]])
    refused(ht.ParamError, "-1 is not supported with 64 rows", matrix=MATRIX[:64], ids=[-1])
    refused(TypeError, "whole numbers", ids=[0.5])

    def both(p):
        with pytest.raises(ht.ParamError, match="party 1 owns it"):
            ht.Embedding(p, MATRIX if p.role == 0 else None, owner=1)
        with pytest.raises(ht.ParamError, match="owner=2"):
            ht.Embedding(p, None, owner=2)
        e = embedding(p)
        with pytest.raises(TypeError, match="7 bits, shared by xor"):
            e(p.share([1, 2], bits=7, fraction=0))
        with pytest.raises(ht.ParamError, match="owner=None of token ids"):
            e([1])
        with pytest.raises(ht.ParamError, match="bits of an embedding's results: 7"):
            e([1] if p.role == 0 else None, owner=0, shape=1, bits=7)
        with pytest.raises(ht.ShapeError, match="rows of token ids"):
            e.sum(np.int64(1) if p.role == 0 else None, owner=0, shape=())
        return True

    assert ht.run_pair(both) == (True, True)


FIELDS = '{"rows": %s, "columns": 2, "entry_bits": 8, "fraction": 0}'


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 9000, *(FIELDS % bad for bad in ("-1", "1.5", "true", "4294967296", '"2"'))])
def test_what_the_peer_says_of_its_matrix_is_checked(text, monkeypatch):
    monkeypatch.setattr(embeddings.native, "tell", lambda *_: text)

    def party(p):
        if p.role == 0:
            with pytest.raises(ht.PeerError, match="description"):
                ht.Embedding(p, None, owner=1)
        return True

    assert ht.run_pair(party) == (True, True)


def test_what_parties_disagree_on():
    def ask(**how):
        return lambda p: embedding(p, **how)

    differ(ask(), lambda p: embedding(p, cipher="aes-128"))
    differ(ask(), lambda p: ht.psi(p, ["a"]))


ORDERS = pd.DataFrame(
    {
        "customer": [7, 7, 9, 1000, 3, 3, 3],
        "order": [70, 71, 90, 91, 30, 31, 32],
        "total": [10.5, -2.25, 100.0, 3.0, 7.75, 1.0, 2.0],
        "year": ["1995", "1996", "1995", "1995", "1996", "1997", "1996"],
    }
)
HOW = {"columns": {"total": (-8, 128)}, "fraction": 2, "groups": {"year": ["1995", "1996"]}, "codes": {"order": 40}}


def orders(p, table=ORDERS, **how):
    mine = table if p.role == 1 else None
    return ht.PrivateTable(p, mine, "customer", owner=1, cipher=LOWMC, **{"key_bits": 10, "per_key": 3, **HOW, **how})


@pytest.mark.parametrize("form", [lambda frame: frame, pl.from_pandas, lambda frame: dict(frame.items())])
@pytest.mark.parametrize("keys", [None, 20])
def test_joined_rows(form, keys):
    customers = np.array([3, 8, 7, 9, 3])

    def party(p):
        t = orders(p, form(ORDERS), keys=keys)
        found = t.join(t.input(customers if p.role == 0 else None, owner=0, shape=5))
        assert len(found) == 15 and found.groups == {"year": ("1995", "1996")}
        total = found["total"]
        ids = p.input(customers if p.role == 0 else None, 0, shape=5, bits=64, fraction=0)
        some = found.where(found.of_keys(ids) < 8)
        late = some.where(total > 2, {"late": {"yes": found.of_keys(ids) > 5}})
        few = {"least": 1}
        return (
            p.open(found.matched),
            p.open(total),
            p.open(found.codes["order"]),
            found.groupby("year").sum("total", **few),
            some.groupby("year").count(**few),
            late.count(**few),
            late.groupby("late").sum("total", **few),
        )

    (matched, total, order, sums, counts, late, by), other = ht.run_pair(party)
    assert sums == other[3]
    both = pd.DataFrame({"customer": customers}).merge(ORDERS, on="customer")
    assert matched.sum() == len(both) == 9
    assert np.array_equal(matched.reshape(5, 3).sum(axis=1), [3, 0, 2, 1, 3])
    assert np.array_equal(total[matched], both["total"]) and np.array_equal(order[matched], both["order"])
    plain = lambda rows, by: rows.groupby(by)["total"]  # noqa: E731
    years = both[both["year"] != "1997"]
    assert sums == plain(years, "year").sum().to_dict()
    few = years[years["customer"] < 8]
    assert counts == plain(few, "year").size().to_dict()
    above = both[(both["customer"] < 8) & (both["total"] > 2)]
    assert late == len(above)
    assert by == {"yes": above[above["customer"] > 5]["total"].sum()}


def test_rows_of_rows():
    lines = pd.DataFrame({"o": [30, 30, 71, 90, 5], "price": [1, 2, 4, 8, 16]})

    def party(p):
        t = orders(p, codes={"order": 30})
        u = ht.PrivateTable(
            p, lines if p.role == 1 else None, "o", {"price": (0, 20)}, owner=1, key_bits=30, keys=9, per_key=2, cipher=LOWMC
        )
        first = t.join(t.input([3, 7, 8] if p.role == 0 else None, owner=0, shape=3))
        second = u.join(first.codes["order"], first.matched)
        assert len(second) == 18
        # A key that does not count has rows in no group.
        third = t.join(t.input([3, 7] if p.role == 0 else None, owner=0, shape=2), p.share([0, p.role], fraction=0) > 0)
        assert third.groupby("year").count(least=1) == {"1995": 1, "1996": 1}
        return second.sum("price", least=1), second.count(least=1)

    assert ht.run_pair(party) == ((7.0, 3), (7.0, 3))


def test_bits_are_joined_by_and_and_or():
    x = np.array([0, 0, 1, 1])
    y = np.array([0, 1, 0, 1])

    def party(p):
        a, b = p.share(x * p.role, fraction=0) > 0, p.share(y * p.role, fraction=0) > 0
        with pytest.raises(TypeError, match="shared bits"):
            a & p.share([1, 2, 3, 4])
        before.append(a)
        if len(before) > 2:
            with pytest.raises(ht.ShapeError, match="different sessions"):
                a & before[0]
        return p.open(a & b), p.open(a | b)

    before = []
    ht.run_pair(party)
    (both, either), _ = ht.run_pair(party)
    assert both.tolist() == [False, False, False, True] and either.tolist() == [False, True, True, True]


def test_bad_tables_are_refused():
    def refused(error, says, table=ORDERS, **how):
        def party(p):
            # At the other party: the end of the session.
            with pytest.raises(error if p.role == 1 else ht.HushtableError, match=says if p.role == 1 else "."):
                orders(p, table, **how)
            return True

        assert ht.run_pair(party) == (True, True)

    refused(ht.ParamError, "rows of a key: 3 of key 3.*accepted: up to 2", per_key=2)
    refused(ht.ParamError, "1000 in row 3 of 'customer' .*accepted: 0 to 511", key_bits=9)
    refused(ht.ParamError, "column 'total': .*100 at index 2", columns={"total": (-8, 16)})
    refused(ht.ParamError, "range .* is not supported", columns={"total": (3, 3)})
    refused(ht.ParamError, "take keys=", key_bits=30)
    refused(ht.ParamError, "up to 2|2 keys|rows", key_bits=30, keys=2)
    refused(ht.ParamError, "named twice", codes={"total": 20})
    refused(ht.ParamError, "codes 'order' of 64 bits", codes={"order": 64})
    refused(ht.ParamError, "no column 'none'", codes={"none": 20})
    refused(TypeError, "whole numbers are expected in 'total'", codes={"total": 20}, columns={})
    refused(ht.ParamError, "rows of a table", table=ORDERS[:0])
    refused(ht.ShapeError, "beside", table={**dict(ORDERS.items()), "total": [1.0]})

    def party(p):
        t = orders(p)
        with pytest.raises(TypeError, match="keys of 10 bits, shared by xor"):
            t.join(p.share([1], bits=10, fraction=0))
        keys = t.input([1] if p.role == 0 else None, owner=0, shape=1)
        with pytest.raises(ht.ShapeError, match="1 shared bits"):
            t.join(keys, p.share([1, 2]) > 0)
        with pytest.raises(ht.ParamError, match="does not fit 4 bits"):
            t.join(keys, bits=4)
        return True

    assert ht.run_pair(party) == (True, True)
