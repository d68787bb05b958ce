"""Ids: intersections, forms in which they are written, and what is wrong with them."""

from __future__ import annotations

import datetime

import hushtable as ht
import numpy as np
import pandas as pd
import polars as pl
import pytest
from parties import differ


@pytest.mark.parametrize("learns", [None, 0, 1])
@pytest.mark.parametrize("size", [None, 50])
def test_ids_in_common(learns, size):
    numbers = [np.arange(30, 0, -1), pl.Series(range(12, 40)).cast(pl.Int32)]

    def party(p):
        return ht.psi(p, numbers[p.role], learns=learns, size=size)

    found = ht.run_pair(party)
    ids = [None if rows is None else np.asarray(numbers[role])[rows].tolist() for role, rows in enumerate(found)]
    for role, mine in enumerate(ids):
        assert (mine is None) == (learns not in (None, role))
        assert mine is None or sorted(mine) == list(range(12, 31))
    assert None in ids or ids[0] == ids[1]


def test_ids_of_several_columns():
    one = {"name": ["Ann", "Bo", "Cy"], "born": [datetime.date(1970, 1, 2), datetime.date(1980, 3, 4), datetime.date(1990, 5, 6)]}
    two = pd.DataFrame({"n": ["cy ", "ann", "bo"], "b": ["1990-05-06", "1970-01-02", "1980-03-05"]})

    def party(p):
        table, on = (one, ["name", "born"]) if p.role == 0 else (two, ["n", "b"])
        return ht.psi(p, table, on, normalise=["trim", "lower"]).tolist()

    a, b = ht.run_pair(party)
    assert (sorted(a), sorted(b)) == ([0, 2], [0, 1])


def test_ids_that_differ_in_form(caplog):
    composed, apart = ["\u00c4nne", " Bob", "Cy"], ["A\u0308nne", "Bob\u00a0", "cy"]

    def common(p0=("trim", "nfc"), p1=("trim", "nfc"), ids=(composed, apart)):
        caplog.clear()
        found = ht.run_pair(lambda p: ht.psi(p, ids[p.role], normalise=(p0, p1)[p.role]))[0]
        return len(found), caplog.text

    # What nobody sees makes no difference; what a rule settles is said before.
    found, said = common()
    assert found == 2 and 'normalise=["trim", "nfc", "lower"]' in said
    assert common(["lower"], ["lower"]) == (3, "")
    assert common(["none"], ["none"])[0] == 0
    # How a table is read is its owner's matter.
    phones = (["01 2345678", "+49 30 1234567"], ["+43 1 2345678", "030 1234567"])
    assert common(["e164:+43"], ["e164:+49"], phones) == (2, "")
    dates = (["3.4.1970"], [datetime.date(1970, 4, 3)])
    assert common(["date:dmy"], ["date"], dates)[0] == 1
    utc = datetime.datetime(1970, 4, 3, tzinfo=datetime.timezone.utc)
    for day in (utc, "1970-04-03 00:00:00", utc.replace(tzinfo=None)):
        assert common(["date:dmy"], ["date"], (["3.4.1970"], [day]))[0] == 1
    # The rules are those that these days allow; which is for their owner to say.
    assert 'normalise=["trim", "nfc", "date:mdy"] settles it' in common(ids=(["12/31/2024"], ["x"]))[1]
    both = 'normalise=["trim", "nfc", "date:dmy"] or normalise=["trim", "nfc", "date:mdy"] (as they are written here)'
    assert both in common(ids=(["1/2/2024"], ["x"]))[1]
    assert "no rule reads all (see row 1)" in common(ids=(["12/31/2024", "31/12/2024"], ["x"]))[1]


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        (["a", "", "c"], "nothing in row 1"),
        (["a", "b ", " b"], "the same in rows 1 and 2"),
        (["a", None], "nothing in row 1"),
        (pd.Series([1.0, 2.5]), "a float in row 0"),
        (pd.Series(["a", pd.NA]), "nothing in row 1"),
        (pd.Series([pd.Timestamp(0), pd.NaT]), "nothing in row 1"),
        ([True], "a bool in row 0"),
        ([b"a"], "a bytes in row 0"),
    ],
)
def test_bad_ids_are_named_by_their_row(ids, says):
    def party(p):
        if p.role == 0:
            with pytest.raises(ht.ParamError, match=says):
                ht.psi(p, ids)
            with pytest.raises(ht.ParamError, match="row 0 that has a time of day other than midnight"):
                ht.psi(p, [datetime.datetime(1970, 4, 3, 10)], normalise="date")
            return True
        with pytest.raises(ht.HushtableError):  # the end of the session
            ht.psi(p, ["a"])
        return True

    assert ht.run_pair(party) == (True, True)


def test_parties_can_tell_how_most_of_their_ids_look(caplog):
    def ids(form):
        return [form.format(100 + i) for i in range(12)]

    def ask(mine, *, join=False, **how):
        def party(p):
            if join:
                return ht.join(p, {"id": mine[p.role], "xy"[p.role]: range(len(mine[p.role]))}, "id", tell_form=True, **how).count()
            return len(ht.psi(p, mine[p.role], tell_form=True, **how))

        return party

    capital, small = ids("C{}"), ids("c{}")
    for join in (False, True):
        with pytest.raises(ht.HandshakeError, match=r"how most ids look: here [Cc]?.*999.*normalise=\[\"lower\"\] at both parties"):
            ht.run_pair(ask([capital, small], join=join))
        assert ht.run_pair(ask([capital, small], join=join, normalise="lower")) == (12, 12)
        with caplog.at_level("WARNING", "hushtable"):
            assert ht.run_pair(ask([ids("{}"), ids("{}") + ["7"]], join=join)) == (12, 12)
            assert "how ids look" not in caplog.text
            assert ht.run_pair(ask([ids("{}"), ids("0{}")], join=join)) in [(0, 0), (None, None)]
        assert "ids differ in length: here 999, at the peer 9999" in caplog.text and "normalise=[\"zeros\"]" in caplog.text
        caplog.clear()
    differ(lambda p: ht.psi(p, capital), lambda p: ht.psi(p, capital, tell_form=True))
