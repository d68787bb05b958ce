"""Noise on statistics: how an epsilon is shared out, the room it takes, and what is left to chance."""

import hushtable as ht
import numpy as np
import pytest
from hushtable import statistics


def numbers(**how):
    """A join of 300 rows with a column of each party, as each party asks for it."""

    def party(p):
        table = {"id": list(range(300)), "xy"[p.role]: np.full(300, 39 - 20 * p.role), "gh"[p.role]: ["a", "b"] * 150}
        return ht.join(p, table, "id", ["xy"[p.role]], groups={"gh"[p.role]: ["a", "b"]}, **{"fraction": 0, "range": (-30, 40), **how})

    return party


def test_an_epsilon_is_of_count_and_sums_together(monkeypatch):
    asked = []
    real = statistics.native.Sums

    def sums(*args):
        asked.append(real(*args).noise)
        return real(*args)

    monkeypatch.setattr(statistics.native, "Sums", sums)

    def party(p):
        t = numbers(bits=40, fraction=2)(p)
        most = 40 * 4 - 1  # -30 to 40, in quarters
        for ask, largest in [
            (lambda **how: t.count(**how), []),
            (lambda **how: t.sum("x", **how), [most]),
            (lambda **how: t.mean("y", **how), [most]),
            (lambda **how: t.variance("x", **how), [most, most**2]),
            (lambda **how: t.covariance("x", "y", **how), [most, most, most**2]),
            (lambda **how: t.groupby("g").count(**how), []),
            (lambda **how: t.groupby("g").sum("x", **how), [most]),
            (lambda **how: t.groupby("h").mean("x", **how), [most]),
            (lambda **how: t.groupby("g").variance("y", **how), [most, most**2]),
        ]:
            asked.clear()
            p.barrier()
            ask(noise=3.0)
            for counts, *columns in asked:
                if not largest:  # zeros are added up: their noise says nothing
                    columns = []
                assert counts[0] + sum(eps for eps, _ in columns) == pytest.approx(3.0, rel=1e-12)
                assert counts[1] >= 1 and len(columns) == len(largest)
                assert all(of >= at_least for (_, of), at_least in zip(columns, largest, strict=True))
            assert asked
            p.barrier()
        asked.clear()
        p.barrier()
        t.sum("x")
        assert asked and not any(asked)

    ht.run_pair(party)


def test_noise_that_might_not_fit_is_refused():
    def party(p):
        t = numbers(bits=17)(p)
        assert t.sum("x") == 300 * 39
        before = p.cost
        with pytest.raises(ht.ParamError, match=r"width of a sum with noise: 17 bits, .* accepted: \d+ bits or more") as error:
            t.sum("x", noise=0.02)
        bits = int(str(error.value).split("accepted: ")[1].split()[0])
        with pytest.raises(ht.ParamError, match="width of a sum with noise"):
            t.groupby("g").mean("x", noise=0.02)
        assert p.cost == before  # refused before anything was sent
        return bits

    def another(p):
        with pytest.raises(ht.ParamError, match="width of a sum with noise"):
            numbers(bits=bits - 1)(p).sum("x", noise=0.02)
        t = numbers(bits=bits)(p)
        assert all(abs(t.sum("x", least=0, noise=0.02) - 300 * 39) < 1 << 17 for _ in range(20))
        t = numbers(bits=23)(p)  # of squares too, but for their noise
        three, before = t["x"] * 3, p.cost
        with pytest.raises(ht.ParamError, match=r"width of a sum with noise: 23 bits, .* up to 1521 "):
            t.variance("x", noise=0.03)
        with pytest.raises(ht.ParamError, match=r"sums of .* not supported in 23 bits; accepted: bits=\d+, a smaller"):
            t.variance(three)
        assert p.cost == before

    bits, _ = ht.run_pair(party)
    ht.run_pair(another)


def test_a_session_adds_up_what_its_calls_leave_to_chance():
    def party(p):
        assert p.chance == 0
        ht.psi(p, ["a", "b"])
        first = p.chance
        ht.psi(p, ["a", "b"])
        assert 0 < first < 2**-40 and p.chance == pytest.approx(2 * first)
        t = numbers(bits=17)(p)
        before = p.chance
        assert 2**-45 < before - 2 * first < 2**-41
        p.barrier()
        t.count(), t.sum("x")  # exact: nothing is left to chance
        assert p.chance == before
        # Noise that leaves the width with most of what a call may leave to chance.
        room, low, high = (1 << 16) - len(t) * 39, 0.0, 1.0
        for _ in range(200):
            rate = (low + high) / 2
            little = (1 + rate * room / 2) * np.exp(-rate * room) < 0.7 * 2**-40
            low, high = (low, rate) if little else (rate, high)
        for calls in (1, 2):
            t.sum("x", noise=2 * 39 * high)
            assert p.chance - before == pytest.approx(calls * 0.7 * 2**-40, rel=0.01)

    ht.run_pair(party)
