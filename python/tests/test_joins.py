"""Joins beside those of plain tables."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hushtable import frames, joins
from parties import differ

BANK = pd.DataFrame(
    {
        "customer": ["ann", "bob", " cleo", "dan", "eve", "fay"],
        "income": [1000, 2500, 800.5, 4000, 3000, 1250.25],
        "debt": [10, 20, 30, 40, 50, 60],
        "region": ["north", "south", "south", "north", "west", "north"],
    }
)
TELECOM = pd.DataFrame(
    {
        "msisdn": ["zoe", "dan", "cleo", "bob", "ann"],
        "late": [9, -3, 2, 0, 1.5],
        "plan": ["a", "b", "a", "a", None],
    }
)
FORMS = [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas, lambda frame: dict(frame.items())]


def joined(p, form=lambda frame: frame, owner=0, **more):
    """The join of both tables, as each party asks for it."""
    if p.role == 0:
        return ht.join(p, form(BANK), "customer", ["income", "debt"], groups={"region": ["north", "south"]}, owner=owner, **more)
    return ht.join(p, form(TELECOM), "msisdn", groups={"plan": ["a", "b"]}, owner=owner, **more)


def pairs():
    bank = BANK.assign(customer=BANK["customer"].str.strip())
    return bank.merge(TELECOM, left_on="customer", right_on="msisdn")


@pytest.mark.parametrize("form", FORMS, ids=["pandas", "polars", "arrow", "dict"])
@pytest.mark.parametrize("owner", [0, 1])
def test_tables_side_by_side(form, owner):
    def party(p):
        t = joined(p, form, owner)
        assert t.sizes == (6, 5) and len(t) >= 512 and t.owner == owner
        assert set(t.columns) == {"income", "debt", "late"}
        assert t.groups == {"region": ("north", "south"), "plan": ("a", "b")}
        assert t.matched.shape == t["income"].shape == (len(t),)
        both = ht.stack([t[name] for name in ("income", "debt", "late")], axis=1)
        return p.open(both), p.open(t.matched), p.open(t["income"] * t["late"]), t.by_row(both, -1)

    (values, matched, products, p0), (_, _, _, p1) = ht.run_pair(party)
    want = pairs()[["income", "debt", "late"]].to_numpy()
    rows = lambda table: sorted(map(tuple, table))  # noqa: E731
    assert rows(values[matched]) == rows(want) and not values[~matched].any()
    assert np.allclose(products, values[:, 0] * values[:, 2], atol=2**-7)
    mine, other = (p0, p1) if owner == 0 else (p1, p0)
    assert other is None
    ids = (BANK["customer"].str.strip(), TELECOM["msisdn"])[owner]
    plain = pairs().set_index("customer")[["income", "debt", "late"]].reindex(ids).fillna(-1).to_numpy()
    assert np.array_equal(mine, plain)


def test_statistics_are_those_of_the_pairs():
    def party(p):
        t = joined(p, range={"income": (0, 10_000), "debt": (0, 100), "late": (-10, 10)})
        assert t.count() is None and t.mean("late") is None and t.groupby("region").count() == {}
        few = {"least": 1}
        by = t.groupby("region")
        doubled = t["income"] + t["debt"] + 1  # not 0 where there is no pair
        assert t.asked[0].startswith("count(), 1 groups") and len(t.asked) == 3
        return [
            t.count(**few),
            t.sum("late", **few),
            t.mean("income", **few),
            t.variance("late", **few),
            t.covariance("income", "late", **few),
            t.mean(doubled, **few),
            by.count(**few),
            by.sum("debt", **few),
            by.mean("income", **few),
            by.variance("debt", **few),
            by.count(least=3),
            t.groupby("plan").mean("debt", **few),
        ]

    (a, b), all_ = ht.run_pair(party), pairs()
    assert a == b
    regions = all_.groupby("region")
    wanted = [
        len(all_),
        all_["late"].sum(),
        all_["income"].mean(),
        all_["late"].var(ddof=0),
        all_[["income", "late"]].cov(ddof=0).iloc[0, 1],
        (all_["income"] + all_["debt"] + 1).mean(),
        regions.size().to_dict(),
        regions["debt"].sum().to_dict(),
        regions["income"].mean().to_dict(),
        regions["debt"].var(ddof=0).to_dict(),
        {},
        all_.groupby("plan")["debt"].mean().to_dict(),
    ]
    for found, want in zip(a, wanted, strict=True):
        assert found == (pytest.approx(want) if want != {} else {})


def test_decisions_go_to_the_owner_in_its_order():
    def party(p):
        t = joined(p, owner=1)
        score = t["income"] - 1000 * t["late"]
        return t.by_row(score > 2000), t.by_row(score > 2000, default=True), t.by_row("late", 0.5)

    (none, _, _), (no, yes, late) = ht.run_pair(party)
    assert none is None and no.dtype == bool
    # zoe, dan, cleo, bob, ann: the first has no partner.
    assert no.tolist() == [False, True, False, True, False]
    assert yes.tolist() == [True, True, False, True, False]
    assert late.tolist() == [0.5, -3, 2, 0, 1.5]


def test_what_is_refused():
    table = {"id": ["a", "b"], "x": [1, 2]}

    def refused(error, says, **how):
        def party(p):
            with pytest.raises(error, match=says):
                ht.join(p, **{"table": table, "on": "id", **how})
            return True

        assert ht.run_pair(party) == (True, True)

    refused(ht.ParamError, "no column 'who'", on="who")
    refused(ht.ParamError, "no column 'y'", columns=["y"])
    refused(ht.ParamError, "normalise", normalise=["upper"])
    refused(ht.ParamError, "owner=2", owner=2)
    refused(ht.ParamError, "size: 1 for 2 rows", size=1)
    refused(ht.ParamError, "column 'x': .*2 at index 1", range=(0, 2))
    refused(ht.ParamError, "range", range=(3, 2))
    refused(ht.ParamError, "in 8 bits", bits=8, range=(0, 2))
    refused(ht.ParamError, "columns of 1 bits", bits=1)
    refused(ht.ParamError, "fraction bits: 53", fraction=53)
    refused(ht.ShapeError, "1 to 64 different groups", columns=[], groups={"x": []})
    refused(TypeError, "a table is expected", table=[1, 2])
    refused(TypeError, "numbers", table={"id": ["a"], "x": ["b"]})
    refused(ht.ShapeError, "a column of 2 numbers", table={"id": ["a", "b"], "x": [1]})
    # Known only with the peer's: the same at both.
    refused(ht.ParamError, "columns named \\['x'\\] at both")


def test_what_parties_disagree_on():
    def names(p):
        return ("x", "y")[p.role]

    def ask(**how):
        return lambda p: ht.join(p, {"id": ["a"], names(p): [1]}, "id", **how)

    differ(ask(), ask(owner=1))
    differ(ask(), ask(normalise=["trim", "lower"]))
    differ(ask(), ask(normalise=["none", "trim"]))
    differ(ask(), lambda p: ht.psi(p, ["a"]))
    differ(lambda p: ht.psi(p, ["a"]), lambda p: ht.psi(p, ["a"], learns=1))
    differ(lambda p: ht.psi(p, ["a"]), lambda p: ht.psi(p, ["a"], normalise="lower"))
    both = ask()
    differ(lambda p: both(p).count(), lambda p: both(p).count(least=3))
    differ(lambda p: both(p).count(least=1, noise=0.5), lambda p: both(p).count(least=1))
    differ(lambda p: both(p).sum("x", least=1), lambda p: both(p).sum("y", least=1))


def test_queries_that_are_refused():
    def party(p):
        t = joined(p)
        for ask, says in [
            (lambda: t["none"], "no column 'none'"),
            (lambda: t.groupby("income"), "no groups 'income'"),
            (lambda: t.variance("income"), "sums of .* not supported in 64 bits"),
            (lambda: t.mean(t["income"].low_bits(33)), "sums of .* not supported in 33 bits"),
        ]:
            with pytest.raises(ht.ParamError, match=says):
                ask()
        with pytest.raises(ht.ShapeError):
            t.sum(t["income"][:5])
        with pytest.raises(TypeError):
            t.sum(t.matched)
        with pytest.raises(ht.ParamError, match="not supported in a function that is prepared"), p.offline():
            ht.prepare(joined)
        return t.count(least=1)

    assert ht.run_pair(party) == (4, 4)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"rows": -1}', '{"rows": 1.5}', '{"rows": true}', '{"rows": "2"}', "[" * 9000, '{"rows": NaN}']
)
def test_what_the_peer_says_of_its_table_is_checked(text, monkeypatch):
    monkeypatch.setattr(joins.native, "tell", lambda *_: text)

    def party(p):
        with pytest.raises(ht.PeerError):
            ht.psi(p, ["a"])
        return True

    assert ht.run_pair(party) == (True, True)


@pytest.mark.parametrize(
    "columns",
    [
        None,
        [["x"]],
        [["x", 64, 8, 0, 1], ["x", 64, 8, 0, 1]],
        [["x", 65, 8, 0, 1]],
        [["x", True, 8, 0, 1]],
        [["x", 64, 53, 0, 1]],
        [["x", 64, 8, 1, 1]],
        [["x", 8, 0, 0, 1000]],
        [[1, 8, 0, 0, 1]],
        [["x", 64, 8, 0.0, 1]],
    ],
)
def test_what_the_peer_says_of_its_columns_is_checked(columns):
    with pytest.raises(ht.PeerError):
        joins._described({"columns": columns, "groups": []})
    for groups in [[["g", []]], [["g", ["a", "a"]]], [["g", "ab"]], [["g", [1]]], [["g", ["a"]], ["g", ["b"]]], [[]], 3]:
        with pytest.raises(ht.PeerError):
            joins._described({"columns": [], "groups": groups})
    assert joins._described({"columns": [["x", 64, 8, -5, 5]], "groups": [["g", ["a"]]]}).labels == {"g": ["a"]}


def test_noise_moves_what_is_opened():
    def party(p):
        table = {"id": list(range(300)), ("x", "y")[p.role]: np.full(300, 3)}
        t = ht.join(p, table, "id", fraction=0, range=(0, 4))
        return [t.count(noise=0.1) for _ in range(6)], t.sum("x", noise=0.2), t.sum("y")

    (counts, total, exact), other = ht.run_pair(party)
    assert (counts, total, exact) == other and exact == 900
    assert len(set(counts)) > 1 and all(abs(count - 300) < 400 for count in counts)
    assert total != 900 or counts[0] != 300


def test_frames_are_read_alike():
    for form in FORMS:
        frame = form(BANK)
        assert frames.names(frame) == list(BANK.columns)
        assert frames.cells(frames.column(frame, "customer")) == BANK["customer"].tolist()
    with pytest.raises(TypeError):
        frames.cells("text")


def mess(numbers, seed):
    """Ids of numbers as people write them: other forms of letters, blanks, capitals, in any order."""
    rng = np.random.default_rng(seed)
    forms = [str, str.upper, lambda s: f" {s}", lambda s: f"{s}\t\r", lambda s: s.replace("é", "e\u0301"), lambda s: f"\ufeff{s}".strip("\ufeff")]
    which = rng.integers(0, len(forms), len(numbers))
    ids = [forms[w](f"josé-{n:07}") for w, n in zip(which, numbers, strict=True)]
    return ids


def test_a_hundred_thousand_rows_are_those_of_pandas():
    rng, n = np.random.default_rng(14), 100_000
    numbers = [rng.permutation(150_000)[:n], rng.permutation(150_000)[:n]]
    plain = [
        pd.DataFrame({"n": numbers[0], "x": rng.integers(-1000, 1000, n), "g": rng.choice(["a", "b", "rare"], n, p=[0.6, 0.39999, 0.00001])}),
        pd.DataFrame({"n": numbers[1], "y": np.round(rng.normal(size=n), 2)}),
    ]
    rules = ["nfc", "trim", "lower"]

    def party(p):
        mine = plain[p.role].assign(id=mess(numbers[p.role], p.role)).drop(columns="n")
        table = mine if p.role == 0 else pa.Table.from_pandas(mine)
        groups = {"g": ["a", "b", "rare"]} if p.role == 0 else None
        t = ht.join(p, table, "id", groups=groups, range=(-1024, 1024), normalise=rules)
        common = ht.psi(p, mine, "id", normalise=rules)
        rows = t.by_row("y", -99.0)
        by = t.groupby("g")
        return t.count(), t.mean("x"), t.variance("y"), by.count(), by.mean("y"), rows, numbers[p.role][common]

    (count, mean, variance, counts, means, rows, common), other = ht.run_pair(party)
    both = plain[0].merge(plain[1], on="n")
    assert (count, mean, variance, counts, means) == other[:5] and other[5] is None
    assert count == len(both) and mean == pytest.approx(both["x"].mean())
    assert variance == pytest.approx(both["y"].var(ddof=0), abs=1e-2)
    sizes = both.groupby("g").size()
    assert counts == sizes[sizes >= 10].to_dict() and "rare" not in counts
    for label, found in means.items():
        assert found == pytest.approx(both[both["g"] == label]["y"].mean(), abs=1e-2)
    partner = plain[0]["n"].map(plain[1].set_index("n")["y"]).fillna(-99.0).to_numpy()
    assert np.abs(rows - partner).max() <= 2**-9
    assert np.array_equal(common, other[6]) and set(common) == set(both["n"])
