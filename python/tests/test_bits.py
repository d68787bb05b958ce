"""Values of ports: what is accepted, what comes back, and the ways to additive shares and from them."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest
from parties import differ

RNG = np.random.default_rng(11)


def opened(values, type=None, **how):
    """What both parties open of P1's values."""

    def party(p):
        meant = type or ("i64" if type is None and p.role == 0 else None)
        s = p.bits(values if p.role == 1 else None, meant, 1, shape=np.shape(values) if how.get("shape") is None else how["shape"])
        return s.type, p.open(s)

    first, second = ht.run_pair(party)
    assert first[0] == second[0] and np.array_equal(first[1], second[1], equal_nan=first[1].dtype.kind == "f")
    return second[1]


def whole(bits, count):
    return [int.from_bytes(RNG.bytes(-(-bits // 8)), "big") >> -bits % 8 for _ in range(count)]


@pytest.mark.parametrize("bits", [1, 2, 7, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000])
def test_whole_numbers_of_any_width(bits):
    ends = [0, (1 << bits) - 1, 1 << bits - 1]
    unsigned = ends + whole(bits, 20)
    signed = [v - (1 << bits) if v >> bits - 1 else v for v in unsigned]
    for type, values in ((f"u{bits}", unsigned), (f"i{bits}", signed)):
        found = opened(values, type)
        assert found.tolist() == values
        assert found.dtype == (object if bits > 64 else bool if type == "u1" else found.dtype)
        lo, hi = (min(ends), max(ends) + 1) if type[0] == "u" else (-(1 << bits - 1), 1 << bits - 1)
        for wrong in (lo - 1, hi):
            with pytest.raises(ht.ParamError, match=r"at index 1 is not supported"):
                ht.run_pair(lambda p, wrong=wrong, type=type: p.bits([0, wrong], type))
    rows = opened(unsigned, f"b{bits}")
    assert rows.dtype == np.uint8 and rows.shape == (23, -(-bits // 8))
    assert [int.from_bytes(bytes(row), "big") for row in rows] == unsigned
    assert np.array_equal(opened(rows, f"b{bits}", shape=23), rows)
    if bits % 8:
        high = rows.copy()
        high[2, 0] |= 1 << bits % 8
        with pytest.raises(ht.ParamError, match="at index 2"):
            ht.run_pair(lambda p: p.bits(high, f"b{bits}"))


@pytest.mark.parametrize("type", ["f32", "f64"])
def test_floating_point_numbers_keep_their_bits(type):
    size, dtype = (4, np.float32) if type == "f32" else (8, np.float64)
    values = np.frombuffer(RNG.bytes(200 * size), dtype)
    assert np.array_equal(opened(values, type).view(f"u{size}"), values.view(f"u{size}"))
    assert opened([0.1, 3], type).tolist() == [dtype(0.1), 3]
    assert opened(7, type).shape == ()
    most = 1 << (24 if type == "f32" else 53)
    assert opened([most, -most], type).tolist() == [most, -most]
    for wrong, match in (([0, most + 1], "at index 1.*whole numbers from"), (["a"], None), ([None], None)):
        with pytest.raises((ht.ParamError, TypeError), match=match):
            ht.run_pair(lambda p, wrong=wrong: p.bits(wrong, type))
    with pytest.raises(ht.ParamError, match=r"1e\+39 at index 1 is not supported; accepted: numbers that 32 bits hold"):
        ht.run_pair(lambda p: p.bits([1.0, 1e39], "f32"))


def test_arrays_say_their_types():
    of = {
        "f32": np.float32([1]), "f64": [1.5], "i64": [1], "u8": np.uint8([1]), "u16": np.uint16([1]), "u32": np.uint32([1]),
        "u64": np.uint64([1 << 63]), "i8": np.int8([-1]), "i16": np.int16([1]), "i32": np.int32([1]), "u1": [True], "b24": b"abc",
    }

    def party(p):
        for type, values in of.items():
            assert p.bits(values).type == type
        for wrong in (["a"], np.float16([1]), np.array([1 + 2j]), [1 << 70], [1 << 63, -1]):
            with pytest.raises(TypeError, match="say no type of a port"):
                p.bits(wrong)

    ht.run_pair(party)


def test_values_that_are_none_are_refused():
    def party(p):
        for error, match, values, type in [
            (ht.ParamError, "type: 'u0' is not supported; accepted: 'f32'", [1], "u0"),
            (ht.ParamError, "type: 'u1048577'", [1], "u1048577"),
            (ht.ParamError, "type: 'f16'", [1], "f16"),
            (ht.ParamError, "type: 8", [1], 8),
            (TypeError, "dtype float64; accepted for u8: whole numbers", [1.0], "u8"),
            (TypeError, "accepted for b16: whole numbers or rows of 2 bytes", [1.0], "b16"),
            (ht.ShapeError, r"bytes of shape \(2, 3\); accepted for b16: rows of 2", np.zeros((2, 3), np.uint8), "b16"),
            (ht.ShapeError, r"bytes of shape \(\)", np.uint8(3), "b8"),
            (ht.ShapeError, "different numbers of bytes", [b"ab", b"a"], "b16"),
            (ht.ParamError, "masked", np.ma.masked_array([1, 2], mask=[0, 1]), "u8"),
            (ht.ParamError, "no values", None, "u8"),
        ]:
            with pytest.raises(error, match=match):
                p.bits(values, type)
        with pytest.raises(ht.ParamError, match="party 0 owns|no values"):
            p.bits([1] if p.role == 1 else None, "u8", 0, shape=1)
        with pytest.raises(ht.ParamError, match="owner=2"):
            p.bits([1], "u8", 2)
        if p.role == 0:
            with pytest.raises(ht.ShapeError, match="shape=2"):
                p.bits([1], "u8", 0, shape=2)

    ht.run_pair(party)


def test_arrangements_are_numpys_and_keep_who_knows():
    rows = RNG.integers(0, 256, (3, 4, 16), dtype=np.uint8)
    mask = RNG.random((3, 4)) < 0.5

    def party(p):
        s = p.bits(rows if p.role == 0 else None, "b128", 0, shape=(3, 4))
        other = p.bits(rows if p.role == 1 else None, "b128", 1, shape=(3, 4))
        views = [s[1], s[..., 2], s[::-1, 1:3], s[mask], s[[2, 0]], s.T, s.reshape(2, 6), s.ravel(), s[1, 2], s[None], np.concatenate([s, s]),
                 np.stack([s[0], s[1]], axis=1), np.reshape(s, (12,)), next(iter(s))]
        assert all(view.owner == 0 for view in views) and (len(s), s.size, s.ndim, s.bits) == (3, 12, 2, 128)
        with pytest.raises(AttributeError):
            s.owner = 1
        assert np.concatenate([s, other]).owner is None and (s ^ other).owner is None and (s ^ s[0]).owner == 0
        return [p.open(view) for view in (*views, s ^ other, s ^ s[0], np.concatenate([s, other]))]

    expected = [rows[1], rows[:, 2], rows[::-1, 1:3], rows[mask], rows[[2, 0]], rows.transpose(1, 0, 2), rows.reshape(2, 6, 16),
                rows.reshape(12, 16), rows[1, 2], rows[None], np.concatenate([rows, rows]), np.stack([rows[0], rows[1]], axis=1),
                rows.reshape(12, 16), rows[0], 0 * rows, rows ^ rows[0], np.concatenate([rows, rows])]
    for found, right in zip(ht.run_pair(party)[0], expected, strict=True):
        assert np.array_equal(found, right) and found.shape == right.shape


def test_what_has_no_meaning_is_refused():
    def party(p):
        f, u = p.bits([1.0], "f32"), p.bits([1], "u8")
        for error, call in [
            (TypeError, lambda: f ^ u), (TypeError, lambda: f + f), (TypeError, lambda: f == f), (TypeError, lambda: f != 1),
            (TypeError, lambda: f < f), (TypeError, lambda: bool(f)), (TypeError, lambda: float(f)), (TypeError, lambda: np.asarray(f)),
            (TypeError, lambda: np.add(f, 1.0)), (TypeError, lambda: np.sum(f)), (TypeError, lambda: np.concatenate([f, u])),
            (TypeError, lambda: np.concatenate([f, np.ones(1)])), (ht.ParamError, lambda: f.view("u8")),
            (ht.ShapeError, lambda: p.bits([1, 2], "u8") ^ p.bits([1, 2, 3], "u8")), (TypeError, lambda: ht.to_bits(f)),
            (ht.ParamError, lambda: f.to_share()), (ht.ParamError, lambda: u.to_share(bits=7)), (ht.ParamError, lambda: u.to_share(bits=65)),
            (ht.ParamError, lambda: u.to_share("xor", bits=9)), (ht.ParamError, lambda: u.to_share(fraction=53)),
            (ht.ParamError, lambda: u.view("b8").to_share()), (ht.ParamError, lambda: p.bits([1], "u65").to_share()),
            (ht.ParamError, lambda: ht.to_bits(p.share([0], bits=8, fraction=0, range=(-3, 250)))),
        ]:
            with pytest.raises(error):
                call()
        assert "BitShare(shape=(1,), type='f32')" in repr(f)

    ht.run_pair(party)


@pytest.mark.parametrize("bits", [2, 3, 7, 8, 15, 31, 32, 33, 63, 64])
def test_additive_shares_and_back(bits):
    lo, hi = -(1 << bits - 1), 1 << bits - 1
    mine = [lo // 2, (hi - 1) // 2, 0] + [v % hi // 2 for v in whole(bits, 20)]
    theirs = [lo // 2, (hi - 1) // 2, -1] + [-(v % hi // 2) for v in whole(bits, 20)]
    total = [a + b for a, b in zip(mine, theirs, strict=True)]
    most = (1 << min(bits, 63)) - 1

    def party(p):
        s = p.share((mine, theirs)[p.role], bits=bits, fraction=0)
        b = ht.to_bits(s)
        assert b.type == f"i{bits}" and b.owner is None
        more = min(bits + 3, 64)
        positive = p.input([0, most] if p.role == 0 else None, 0, shape=2, bits=bits, fraction=0, range=(0, 1 << bits))
        unsigned = ht.to_bits(positive)
        assert unsigned.type == f"u{bits}"
        half = p.input([1] if p.role == 0 else None, 0, shape=1, bits=bits, fraction=0, range=(0, 2))
        assert ht.to_bits(half).type == f"u{bits}"
        xor = b.to_share("xor")
        again = ht.to_bits(xor)
        assert again.type == b.type
        return [p.open(x).tolist() for x in (b, b.to_share(), b.to_share(bits=more), xor, again, unsigned, unsigned.to_share(bits=more))]

    for found in ht.run_pair(party):
        assert found == [total, total, total, total, total, [0, most], [0, most]]


def test_fixed_point_goes_through_a_circuit():
    """Numbers with digits after the point keep their steps."""
    x = np.array([1.5, -2.25, 0.125])

    def party(p):
        s = p.input(x if p.role == 0 else None, 0, shape=3, bits=32, fraction=4, range=(-100, 100))
        least = ht.circuits.minimum_i32(ht.to_bits(s), np.int32(-3))  # in steps of 1/16
        y = least.to_share(bits=34, fraction=4) * 2
        positive = ht.circuits.less_i32(np.int32(0), ht.to_bits(s)).to_share("xor")
        return p.open(y), p.open(ht.where(positive, s, 0))

    low, positive = ht.run_pair(party)[0]
    assert low.tolist() == [-0.375, -4.5, -0.375] and positive.tolist() == [1.5, 0, 0.125]


def two(p):
    return p.bits([1], "u8"), p.bits([2], "u8")


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (lambda p: p.bits([1], "u8"), lambda p: p.bits([1], "i8"), "i8"),
        (lambda p: p.bits([1], "u8"), lambda p: p.bits([1, 2], "u8"), "shape (2,)"),
        (lambda p: p.bits([1], "u8"), lambda p: p.bits(None, "u8", 0, shape=1), "of party 0"),
        (lambda p: p.open(p.bits([1], "u8")), lambda p: p.open(p.bits([1], "u8"), to=0), "to party 0"),
        (lambda p: p.open(p.bits([1, 2], "u8")[:1]), lambda p: p.open(p.bits([1, 2], "u8")[1:]), "[1:2:1]"),
        (lambda p: p.open(two(p)[0].view("i8")), lambda p: p.open(two(p)[1].view("i8")), "bits 2"),
        (lambda p: p.open(p.bits([1], "u8").view("i8")), lambda p: p.open(p.bits([1], "u8").view("b8")), "b8"),
    ],
)
def test_parties_that_differ_are_both_told(a, b, text):
    def then_open(f):
        def run(p):
            f(p)
            p.open(p.share([0]))

        return run

    # P1 is the one that does not own.
    error = differ(then_open(a), then_open(b))
    assert text in error.theirs


def test_one_party_alone_gets_the_values():
    def party(p):
        s = p.bits([1.5] if p.role == 1 else None, "f32", 1, shape=1)
        return p.open(s, to=0), p.open(s, to=1)

    assert ht.run_pair(party) == (([1.5], None), (None, [1.5]))


def test_what_is_opened_is_as_wide_as_its_type():
    def party(p):
        s = p.bits(np.zeros(1000, np.uint8))
        before = p.cost
        p.open(s)
        return (p.cost - before).online.sent

    assert all(1000 <= sent < 1200 for sent in ht.run_pair(party))
