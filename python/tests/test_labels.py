"""Labels of groups compare as values; what cannot be counted by is said before anything is sent."""

from __future__ import annotations

import datetime
import decimal
import os
from pathlib import Path

import hushtable as ht
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hushtable import frames, labels

LONG = os.environ.get("LONG") == "1"
LOWMC = "lowmc-128-42-13"


@pytest.mark.parametrize(
    ("values", "form"),
    [
        ([1, 1.0, "1", " 1.0 ", np.int8(1), np.float32(1), decimal.Decimal("1.00"), np.uint64(1)], "1"),
        (["north", " north\t", np.str_("north ")], "north"),
        ([0.1, "0.1", "0.10", np.float32(0.1), decimal.Decimal("0.1")], "0.1"),
        ([-0.0, 0, "-0", "0.000"], "0"),
        ([1e16, 10**16, "10000000000000000"], "10000000000000000"),
        ([1e-7, "0.0000001"], "0.0000001"),
        (["S\u00fcd", "Su\u0308d"], "S\u00fcd"),
        ([datetime.date(2026, 11, 24), pd.Timestamp("2026-11-24"), datetime.datetime(2026, 11, 24), "2026-11-24"], "2026-11-24"),
        ([True, np.bool_(True), "True"], "True"),
        (["01"], "01"),
        (["1e3"], "1e3"),
        ([None, float("nan"), pd.NA, pd.NaT, "", "  ", np.float64("nan")], None),
    ],
)
def test_equal_labels_have_one_form(values, form):
    assert [labels.form(value) for value in values] == [form] * len(values)


def test_forms_are_those_of_the_program():
    listed = Path(__file__).parents[2] / "crates" / "apps" / "tests" / "data" / "labels.txt"
    lines = listed.read_text(encoding="utf-8").splitlines()
    for line in lines:
        label, want = line[1:-1].split('" is "')
        assert labels.form(label) == (want or None), line
    assert len(lines) > 20


def test_cells_of_every_kind_of_column():
    days = np.array(["2026-11-24"], dtype="M8[ns]")
    for column in (days, pd.Series(days), pl.Series(days), pd.Series(["2026-11-24 "])):
        assert [labels.form(cell) for cell in frames.cells(column)] == ["2026-11-24"]
    with pytest.raises(ht.ShapeError, match="1 to 64 different groups"):
        labels.forms([], "g")
    with pytest.raises(ht.ShapeError, match=r"the labels 1 and '1.0' are equal"):
        labels.forms([1, 2, "1.0"], "g")
    with pytest.raises(ht.ShapeError, match="the label ' ' is blank"):
        labels.forms(["a", " "], "g")
    with pytest.raises(TypeError, match="a list of labels"):
        labels.forms("ab", "g")


def counted(table, groups, **more):
    """The counts by `g` of a table that is joined with one of the same ids."""

    def party(p):
        if p.role == 1:
            return ht.join(p, {"id": list(range(len(table["g"])))}, "id").groupby("g").count(**more)
        return ht.join(p, table, "id", groups={"g": groups}).groupby("g").count(**more)

    a, b = ht.run_pair(party)
    assert a == b
    return a


@pytest.mark.parametrize(
    "column",
    [
        [1, 2, 3, 1],
        [1.0, 2.0, 3.0, 1.0],
        pd.Series([1, 2, 3, 1, None]),
        ["1", " 2", "3.0", "1 "],
        pl.Series([1, 2, 3, 1]),
        np.array([1, 2, 3, 1], dtype=np.float32),
    ],
)
@pytest.mark.parametrize("groups", [[1, 2], ["1", "2"], [1.0, "2 "]])
def test_groups_are_counted_whatever_holds_them(column, groups):
    table = {"id": list(range(len(column))), "g": column}
    assert counted(table, groups, least=1) == {"1": 2, "2": 1}


def refused(error, says, ask):
    """Party 0 is refused before it says anything: the other then waits for the first word in vain."""

    def party(p):
        if p.role == 1:
            with pytest.raises(ht.HandshakeError, match="at the peer end of the session"):
                p.barrier()
            return
        with pytest.raises(error, match=says):
            ask(p)

    ht.run_pair(party)


def test_a_label_that_no_row_has_is_an_error_of_its_owner():
    table = {"id": [1, 2, 3, 4], "g": ["north ", "south", None, "west"]}
    there = r"no row has the label 'nord', 'ost'; the labels there are: 'north', 'south', 'west'"
    refused(ht.ParamError, f"join: column 'g': {there}", lambda p: ht.join(p, table, "id", groups={"g": ["nord", "south", "ost"]}))
    many = {"id": list(range(100)), "g": [f"{i:03}" + "x" * 100 for i in range(100)]}
    with pytest.raises(ht.ParamError) as error:
        labels.members(many["g"], ["none"], "g")
    assert "and 80 more" in str(error.value) and len(str(error.value)) < 1200

    def private(p):
        ht.PrivateTable(p, {"k": [1, 2], "g": [1.0, 2.0]}, "k", owner=0, key_bits=4, groups={"g": ["1", "3"]}, cipher=LOWMC)

    refused(ht.ParamError, r"PrivateTable: column 'g': no row has the label '3'; the labels there are: '1', '2'", private)


def test_a_column_of_texts_lists_its_labels():
    table = {"id": [1, 2, 3], "g": ["north", "south", "north "]}
    says = r"join: column 'g' has texts, and numbers are expected: 'north', 'south'. .* groups="
    refused(TypeError, says, lambda p: ht.join(p, table, "id"))
    refused(TypeError, "join: column 'g': .*nothing missing", lambda p: ht.join(p, {"id": [1], "g": [None]}, "id"))

    def private(p):
        ht.PrivateTable(p, {"k": [1, 2], "x": ["a", "b"]}, "k", {"x": (0, 2)}, owner=0, key_bits=4, cipher=LOWMC)

    refused(TypeError, "PrivateTable: column 'x' has texts.*'a', 'b'", private)


def test_both_may_name_the_labels_of_a_private_table_in_their_way():
    def party(p):
        groups = {"g": [[1, 2.5], ["1.0", " 2.5"]][p.role]}
        table = {"k": [1, 2, 3], "g": [1.0, 2.5, 2.5]} if p.role == 1 else None
        t = ht.PrivateTable(p, table, "k", owner=1, key_bits=4, groups=groups, cipher=LOWMC)
        return t.join(t.input([1, 2, 3] if p.role == 0 else None, owner=0, shape=3)).groupby("g").count(least=1)

    assert ht.run_pair(party) == ({"1": 1, "2.5": 2},) * 2


def test_what_groups_of_none_look_like():
    def party(p):
        table = {"id": [[1, 2], [3, 1]][p.role]} | ({"g": ["a", "b"]} if p.role == 0 else {})
        t = ht.join(p, table, "id", groups={"g": ["a", "b"]} if p.role == 0 else None)
        none = ht.join(p, {"id": [p.role]}, "id")
        by = t.groupby("g")
        return by.count(least=1), by.count(least=0), by.count(least=2), none.count(least=1), none.count(least=0)

    assert ht.run_pair(party) == (({"a": 1}, {"a": 1, "b": 0}, {}, None, 0),) * 2


# --- any joins of any labels, beside pandas

def messy(rng, value):
    """A label as people and programs write it."""
    if isinstance(value, str):
        forms = [value, f" {value}", f"{value}\t", value.replace("\u00fc", "u\u0308")]
    else:
        forms = [value, float(value), np.float64(value), str(value), f"{float(value)}", f" {value} ", f"{value}.00"]
    return forms[int(rng.integers(len(forms)))]


MISSING = [None, float("nan"), "", "  ", pd.NA]
VALUES = ["north", "S\u00fcd", "01", "x,y", 'a"b', "1e3", 1, 2, -3, 10, 0, 1000]


def test_any_groups_are_those_of_pandas():
    """Labels of any form, some missing, some that nobody asks for, ids of which some match."""
    for seed in range(150 if LONG else 15):
        rng = np.random.default_rng(seed)
        asked = [VALUES[i] for i in rng.permutation(len(VALUES))[: int(rng.integers(1, 6))]]
        plain, tables = [], []
        for role in (0, 1):
            n = int(rng.integers(1, 40))
            # All that is asked for is there.
            values = [*asked, *(VALUES[i] for i in rng.integers(0, len(VALUES), n))]
            lost = [False] * len(asked) + (rng.random(n) < 0.2).tolist()
            ids = rng.permutation(60)[: len(values)].tolist()
            name = ("g", "h")[role]
            cells = [MISSING[int(rng.integers(len(MISSING)))] if gone else messy(rng, value) for value, gone in zip(values, lost, strict=True)]
            numbers = rng.integers(-50, 50, len(values)) / 4
            tables.append({"id": ids, name: cells, ("x", "y")[role]: numbers})
            keys = [None if gone else str(value) for value, gone in zip(values, lost, strict=True)]
            plain.append(pd.DataFrame({"id": ids, name: keys, ("x", "y")[role]: numbers}))
        owner, groups = int(rng.integers(2)), [messy(rng, value) for value in asked]
        forms = [dict, lambda table: pd.DataFrame({name: pd.Series(column, dtype=object) if name in "gh" else column for name, column in table.items()})]

        def party(p):
            name = ("g", "h")[p.role]
            t = ht.join(p, forms[seed % 2](tables[p.role]), "id", groups={name: groups}, owner=owner, fraction=2, range=(-16, 16))
            return [(t.groupby(name).count(least=1), t.groupby(name).sum(value, least=1)) for name in "gh" for value in "xy"]

        a, b = ht.run_pair(party)
        both = plain[0].merge(plain[1], on="id")
        wanted = []
        for name in "gh":
            rows = both[both[name].isin([str(value) for value in asked])]
            wanted += [(rows.groupby(name).size().to_dict(), rows.groupby(name)[value].sum().to_dict()) for value in "xy"]
        assert a == b == wanted, f"seed {seed}"
