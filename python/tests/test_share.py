"""Shares as arrays: NumPy's rules, nothing revealed, both sides named in refusals."""

from __future__ import annotations

import copy
import pickle

import hushtable as ht
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

RNG = np.random.default_rng(3)
A = RNG.integers(-2000, 2000, (2, 3, 4)) / 16
B = RNG.integers(-2000, 2000, (3, 1)) / 16


def on_shares(f, *inputs, bits=24, fraction=4):
    """What `f` gives on shares of the inputs, opened; the same at both parties."""

    limits = (-256, 256) if fraction else None

    def party(p):
        shares = [
            p.input(x if p.role == i % 2 else None, i % 2, shape=x.shape, bits=bits, fraction=fraction, range=limits)
            for i, x in enumerate(inputs)
        ]
        return p.open(f(*shares))

    a, b = ht.run_pair(party)
    assert np.array_equal(a, b)
    return a


@pytest.mark.parametrize(
    "f",
    [
        lambda a: a[1],
        lambda a: a[..., ::-2],
        lambda a: a[:, [2, 0, 0]],
        lambda a: a[np.array([[True, False, True], [False, True, True]])],
        lambda a: a[0, 1, 2],
        lambda a: a[None, ..., 0],
        lambda a: a.reshape(4, -1),
        lambda a: a.reshape((6, 4)).T,
        lambda a: a.ravel(),
        lambda a: a.transpose(2, 0, 1),
        lambda a: a.copy()[-1],
        lambda a: np.reshape(a, (12, 2)),
        lambda a: np.transpose(a),
        lambda a: a.sum(),
        lambda a: a.sum(axis=1),
        lambda a: np.sum(a, axis=(0, 2)),
        lambda a: -a,
        lambda a: a + 3,
        lambda a: 3.25 - a,
        lambda a: a - np.array([1.0, 2, 3, 4]),
        lambda a: np.ones((3, 1)) + a,
        lambda a: a + a - a[0],
    ],
)
def test_one_share_follows_numpy(f):
    assert np.array_equal(on_shares(f, A), f(A))


@pytest.mark.parametrize("f", [lambda a, b: a + b, lambda a, b: b - a])
def test_two_shares_broadcast_as_numpy(f):
    assert np.array_equal(on_shares(f, A, B), f(A, B))


def test_joining():
    c = A[:, :2]
    assert np.array_equal(on_shares(lambda a, b: ht.concatenate([a, b], axis=1), A, c), np.concatenate([A, c], 1))
    assert np.array_equal(on_shares(lambda a: ht.stack([a, a], axis=1), A), np.stack([A, A], 1))
    assert np.array_equal(on_shares(lambda a, b: np.concatenate([a, b], 1), A, c), np.concatenate([A, c], 1))


def test_xor_shares():
    x = RNG.integers(0, 2**11, 50)

    def party(p):
        s = p.input(x if p.role == 0 else None, 0, shape=50, bits=11, fraction=0, kind="xor")
        bit = s.low_bits(1)
        assert s.low_bits(4).range == (0, 16)
        return p.open(s ^ 5), p.open(~s), p.open(s ^ s[::-1]), p.open(bit)

    for plus, inverted, both, bit in ht.run_pair(party):
        assert np.array_equal(plus, x ^ 5)
        assert np.array_equal(inverted, 2047 - x)
        assert np.array_equal(both, x ^ x[::-1])
        assert bit.dtype == np.bool_ and np.array_equal(bit, x & 1 == 1)


@pytest.mark.parametrize("bits", [1, 7, 8, 9, 16, 31, 32, 33, 63, 64])
def test_every_width_comes_back(bits):
    lo, hi = -(2 ** (bits - 1)), 2 ** (bits - 1)
    x = np.array([lo, hi - 1, 0, -1 if bits > 1 else 0])
    assert np.array_equal(on_shares(lambda a: a, x, bits=bits, fraction=0), x)


def test_rounding_is_to_nearest_ties_away_from_zero():
    x = np.array([0.5, -0.5, 1.5, 2.5, 0.49999999999999994, -0.49999999999999994, 1e9 + 0.5])
    want = np.array([1, -1, 2, 3, 0, 0, 1e9 + 1])
    assert np.array_equal(on_shares(lambda a: a, x, bits=40, fraction=0), want)


def test_nothing_but_open_reveals():
    secret = 13.0625

    def party(p):
        s = p.input(np.full(4, secret) if p.role == 0 else None, 0, shape=4)
        for shown in (repr(s), str(s), f"{s}", repr([s]), repr(s[0])):
            assert "13" not in shown and "3344" not in shown, shown
        assert repr(s) == "Share(shape=(4,), bits=16, fraction=8, kind='additive')"
        for reveals in (
            lambda: bool(s[0]),
            lambda: float(s[0]),
            lambda: int(s[0]),
            lambda: complex(s[0]),
            lambda: [1, 2][s[0]],
            lambda: np.asarray(s),
            lambda: 13.0625 in s,
            lambda: hash(s),
            lambda: pickle.dumps(s),
            lambda: copy.deepcopy(s),
            lambda: np.cbrt(s),
        ):
            with pytest.raises(TypeError) as caught:
                reveals()
            assert "13" not in str(caught.value) or "reveals" in str(caught.value)
        with pytest.raises(AttributeError):
            s.value = 3

    ht.run_pair(party)


def test_what_does_not_fit_together_names_both():
    def party(p):
        a = p.share(np.zeros(3), bits=16, fraction=8)
        x = p.share(np.zeros(3), bits=16, fraction=0, kind="xor")
        with pytest.raises(TypeError, match=r"additive and xor shares do not mix: Share\(.*additive.*xor"):
            a + x
        with pytest.raises(ht.ShapeError, match=r"scale: Share\(.*fraction=8.*fraction=7"):
            a + p.share(np.zeros(3), bits=16, fraction=7)
        with pytest.raises(ht.ShapeError, match=r"width or scale.*bits=16.*bits=12"):
            a - p.share(np.zeros(3), bits=12, fraction=8)
        with pytest.raises(ht.ShapeError, match=r"shapes \(3,\) and \(4,\)"):
            a + np.zeros(4)
        with pytest.raises(TypeError, match="xor shares are expected"):
            a ^ 1
        with pytest.raises(ht.ShapeError, match="concatenate: .*width or scale"):
            ht.concatenate([a, p.share(np.zeros(3), bits=12)])
        # Beyond its format, and it fits the width: numbers of a range that is elsewhere.
        assert p.open(a + 400).tolist() == [400] * 3

    ht.run_pair(party)


@pytest.mark.parametrize(
    ("values", "error", "text"),
    [
        ([[1.0, 2.0], [3.0, float("nan")]], ht.ParamError, r"NaN at index \(1, 1\)"),
        ([0.0, float("inf")], ht.ParamError, "inf at index 1"),
        ([0, 1, 64], ht.ParamError, r"64 at index 2 .*accepted: -64 \(included\) to 64 \(excluded\), this"),
        ([-64.01], ht.ParamError, "-64.01 at index 0"),
        (["a"], TypeError, "dtype <U1"),
        ([None, 1.0], TypeError, "dtype object"),
        (np.zeros(2, dtype=complex), TypeError, "complex128"),
        (np.array(["2020-01-01"], dtype="M8[D]"), TypeError, "datetime64"),
        (np.array([2**63], dtype=np.uint64), ht.ParamError, "9223372036854775808"),
        (pd.Series([1.0, None]), ht.ParamError, "NaN at index 1"),
        (pl.Series([1.0, None]), ht.ParamError, "NaN at index 1"),
    ],
)
def test_bad_values_are_named(values, error, text):
    def party(p):
        with pytest.raises(error, match=text):
            p.share(values)

    ht.run_pair(party)


@pytest.mark.parametrize("bad", [{"bits": 0}, {"bits": 65}, {"fraction": -1}, {"kind": "other"},
                                 {"range": (0, 1e6)}, {"range": (2, 1)}, {"range": (1, 1)}])
def test_bad_parameters(bad):
    def party(p):
        with pytest.raises(ht.ParamError, match="accepted"):
            p.share([0.0], **bad)

    ht.run_pair(party)


def test_ranges_are_rounded_outward():
    def party(p):
        s = p.share([0.2], range=(0.001, 1.999), fraction=8)
        whole = p.share([np.int64(1)], range=(np.float32(0.5), np.int64(100)), fraction=0)
        with pytest.raises(ht.ParamError, match="range: .* these take bits=24"):
            p.share([0.0], range=(0, 65535.5), bits=16, fraction=8)
        return s.range, whole.range

    assert ht.run_pair(party)[0] == ((0, 2), (0, 100))


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        lambda x: x.tolist(),
        lambda x: x.astype(np.float32),
        lambda x: x[::-1][::-1],
        pd.Series,
        pl.Series,
        pa.array,
        lambda x: pa.chunked_array([x[:3], x[3:]]),
        lambda x: pd.DataFrame({"a": x})["a"],
        lambda x: x.astype(np.int8),
    ],
)
def test_columns_of_every_library(make):
    x = np.arange(-4.0, 6.0)

    def party(p):
        return p.open(p.share(make(x)))

    assert np.array_equal(ht.run_pair(party)[0], 2 * x)


def test_files(tmp_path):
    x = np.array([1.5, -2.0, 0.25])
    for name in ("a.csv", "a.parquet"):
        ht.write_column(tmp_path / name, "score", x, ids=["x", "y", "z"])
        assert np.array_equal(ht.read_column(tmp_path / name, "score"), x)
        with pytest.raises(ht.ParamError, match="no column 'other'; its columns are: id, score"):
            ht.read_column(tmp_path / name, "other")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.csv", "a.parquet"]
    assert (tmp_path / "a.csv").read_bytes() == b"id,score\r\nx,1.5\r\ny,-2.0\r\nz,0.25\r\n"
    (tmp_path / "b.csv").write_text("id,score\na,1\nb,two\n")
    with pytest.raises(ht.ParamError, match=r"b.csv: line 3, column 'score': 'two' is not a number"):
        ht.read_column(tmp_path / "b.csv", "score")
