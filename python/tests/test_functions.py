"""Functions and tables against NumPy."""

from __future__ import annotations

import math
import os
import re
import subprocess
from pathlib import Path

import hushtable as ht
import numpy as np
import pytest
from references import REFERENCE

# Tangents of turns are largest at their poles, where they saturate.
POLES = ("tanpi", "tan2pi")

# What is said of numbers at which a function has no value.
SAID = dict.fromkeys(["ln", "log10", "sqrt", "rsqrt", "reciprocal"], "strict") | dict.fromkeys(["asin", "acos"], "saturate")

# These have XOR outputs only.
ADDITIVE = [name for name in ht.protocols() if name not in ("flute", "ottt")]


def halves(values, fraction):
    """Two addends for each value, multiples of 2^-fraction, about as large."""
    steps = np.round(values * 2.0**fraction)
    first = np.floor(steps / 2)
    return first * 2.0**-fraction, (steps - first) * 2.0**-fraction


# The poles of the others saturate, which a table made on the way refuses.
@pytest.mark.parametrize("name", [name for name in ht.functions() if name not in POLES])
@pytest.mark.parametrize("protocol", [*ADDITIVE, "auto"])
def test_function_is_within_half_a_step_on_its_whole_domain(name, protocol):
    function = ht.functions()[name]
    lo, hi = function.default_domain
    digits = 8 - int(math.log2(hi - lo))  # 256 numbers
    x = np.arange(lo, hi - 2.0**-digits, 2.0**-digits)  # the last one has no halves
    parts = halves(x, digits)

    def party(p):
        s = p.share(parts[p.role], bits=12, fraction=digits, range=(lo, hi))
        return p.open(function(s, fraction=10, protocol=protocol)), p.open(s)

    (y, back), other = ht.run_pair(party)
    assert np.array_equal(back, x)
    assert np.array_equal(y, other[0])
    assert np.abs(y - REFERENCE[name](x)).max() <= 0.5 * 2.0**-10 * (1 + 1e-9)


def test_random_table_with_every_kind_of_sharing():
    rng = np.random.default_rng(7)
    values = rng.integers(-500, 500, 300)
    table = ht.Table(values)
    x = rng.integers(0, 300, 200)
    mask = rng.integers(0, 512, 200)

    def party(p):
        xor = p.share(mask if p.role == 0 else mask ^ x, bits=9, fraction=0, kind="xor")
        assert xor.range == (0, 512)
        wide = ht.Table(np.concatenate([values, np.zeros(212)]))
        add = p.input(x if p.role == 0 else None, owner=0, shape=200, bits=10, fraction=0, range=(0, 300))
        found = [ht.lookup(t, i, kind=kind) for t, i in ((wide, xor), (table, add)) for kind in ("additive", "xor")]
        bits = found[1]
        return [p.open(s) for s in (*found, bits ^ 3, ~bits, bits.low_bits(4), bits ^ bits[::-1])]

    for outcome in ht.run_pair(party):
        y = values[x]
        for found in outcome[:4]:
            assert np.array_equal(found, y)
        # Negative ones stay so; low bits have no sign.
        for got, want in zip(outcome[4:], (y ^ 3, ~y, y & 15, y ^ y[::-1]), strict=True):
            assert np.array_equal(got, want)


def test_tabulated_function_of_two_axes():
    table = ht.Table.tabulate(np.square, (-2, 2), index_fraction=6, fraction=12)
    x = np.linspace(-1.9, 1.9, 24).reshape(2, 3, 4).round(2)

    def party(p):
        s = p.input(x if p.role == 1 else None, owner=1, shape=x.shape, bits=16, fraction=6, range=(-2, 2))
        return p.open(ht.lookup(table, s))

    y, _ = ht.run_pair(party)
    rounded = np.round(x * 64) / 64
    assert y.shape == (2, 3, 4)
    assert np.abs(y - rounded**2).max() <= 2.0**-13


def test_results_keep_the_range_that_the_table_has():
    def party(p):
        s = p.share(np.zeros(3), bits=8, fraction=4)
        y = ht.sigmoid(s)
        z = ht.tanh(y)
        exact = ht.sigmoid(s, protocol="auto")
        assert exact.range == (0, 1 + 2**-4)
        assert -(2**-4) <= y.range[0] < y.range[1] <= 1 + 2 * 2**-4
        assert -(2**-3) <= z.range[0] < z.range[1] <= 1
        return p.open(z), p.open(exact)

    for z, y in ht.run_pair(party):
        assert np.abs(z - np.tanh(0.5)).max() <= 2 / 16  # a step of each
        assert np.array_equal(y, np.full(3, 0.5))


def test_an_index_outside_the_table_is_refused():
    def party(p):
        s = p.share(np.zeros(2), bits=16, fraction=8)
        with pytest.raises(ht.ParamError, match=r"-128 <= x < 128.*range="):
            ht.lookup(ht.Table.tabulate(np.sin, (-8, 8)), s)
        with pytest.raises(ht.ShapeError, match="8 fraction bits and a table for 0"):
            ht.lookup(ht.Table([1, 2, 3]), s)
        wide = p.share(np.zeros(2), bits=24, fraction=8)
        assert np.allclose(p.open(ht.sigmoid(wide)), 0.5, atol=0.01)
        with pytest.raises(ht.ParamError, match=r"accepted: range=\(-0\.5, 0\.5\)"):
            ht.asin(p.share(np.zeros(2), bits=40, fraction=16))
        with pytest.raises(ht.ParamError, match="protocol= and store= are for tables"):
            ht.sigmoid(wide, protocol="rotl")
        with pytest.raises(ht.ParamError, match="method='fast'"):
            ht.sigmoid(wide, method="fast")
        with pytest.raises(ht.ParamError, match="needs? 9 bits|need 9 bits"):
            ht.lookup(ht.Table([255, 0]), p.share([0], bits=8, fraction=0, range=(0, 2)), bits=8)
        with pytest.raises(TypeError, match="a share is expected, got ndarray"):
            ht.sigmoid(np.zeros(3))
        with pytest.raises(ht.ParamError, match="protocol: nosuch"):
            ht.sigmoid(p.share([0.0], bits=8), protocol="nosuch")

    ht.run_pair(party)


@pytest.mark.parametrize("name", [name for name in ht.functions() if name not in ("identity", *POLES)])
def test_function_of_wide_numbers_is_as_good_as_its_card_says(name):
    function = ht.functions()[name]
    lo, hi = function.default_domain
    x = np.linspace(lo, hi - 2.0**-12, 500)
    # It has no limits, so the range is its domain.
    limits = (lo, hi) if name == "atan" else (-100, 100)

    def party(p):
        s = p.input(x if p.role == 0 else None, owner=0, shape=500, bits=32, fraction=12, range=limits)
        y = function(s, outside=SAID.get(name))
        assert y.fraction == 12 and y.bits == 32
        return p.open(y), y.range

    (y, found), (other, _) = ht.run_pair(party)
    assert np.array_equal(y, other)
    allowed = float(re.search(r"(?:at most|less than) ([0-9.]+) ulp", function.card())[1])
    exact = REFERENCE[name](np.round(x * 4096) / 4096)
    # A result is rounded; the card counts that in.
    assert np.abs(y - exact).max() * 4096 <= allowed + 0.01
    assert found[0] <= y.min() and y.max() < found[1]


@pytest.mark.parametrize("name", [name for name in ht.functions() if name not in POLES])
def test_the_default_type_of_a_share_has_every_function_with_a_limit(name):
    x = np.array([-100.0, -3.0, 0.5, 1.0, 4.0, 100.0])
    inside = x[2:5] if name in ("sqrt", "rsqrt", "ln", "log10", "reciprocal") else x[1:4] if name == "exp" else x
    if name == "exp":
        limits = (-8, 2)  # e^4 is 54, e^5 more than 16 bits hold
    else:
        limits = None

    def party(p):
        s = p.input(inside if p.role == 0 else None, owner=0, shape=inside.shape, range=limits)
        how = {"outside": "saturate"} if name in ("asin", "acos") else {}
        return p.open(ht.functions()[name](s, **how))

    for y in ht.run_pair(party):
        assert np.abs(y - REFERENCE[name](inside)).max() <= 1.01 / 256


def program():
    """The program of this source tree, if it was built."""
    built = [Path(__file__).parents[2] / "target" / kind / "hushtable" for kind in ("debug", "release")]
    return max((path for path in built if path.exists()), key=lambda path: path.stat().st_mtime, default=None)


@pytest.mark.parametrize(("bits", "fraction"), [(16, 8), (24, 10), (32, 12), (40, 16)])
def test_the_program_and_the_package_evaluate_functions_alike(bits, fraction):
    path = program()
    if path is None:
        assert not os.environ.get("CI"), "CI builds the program first"
        pytest.skip("the program is not built")
    for name, function in ht.functions().items():
        args = ["--bits", bits, "--fraction-bits", fraction, "--output-fraction-bits", fraction]
        done = subprocess.run([path, "functions", name, *map(str, args)], capture_output=True, text=True)
        try:
            card = function.card(bits, fraction)
        except ht.ParamError as refused:
            why = str(refused).partition("(")[2].partition(") is not supported")[0]
            assert why and done.returncode == 2 and f"is not supported ({why})" in done.stderr
            continue
        assert done.stdout.rstrip() == card


@pytest.mark.parametrize("name", ["sigmoid", "exp", "sqrt", "gelu", "tanh"])
def test_a_call_is_what_its_card_says(name):
    """The call of a share takes the library's choice, as a named method does: not another one of its own."""
    card = ht.card(name, 32, 12)
    domain = tuple(float(end) for end in card.split("domain")[1].split()[0].split(":"))
    x = np.linspace(max(domain[0], -4), min(domain[1], 4) - 0.01, 60)
    limits = (0, 64) if name == "sqrt" else (-64, 64)

    def party(p):
        s = p.input(x if p.role == 0 else None, owner=0, shape=60, bits=32, fraction=12, range=limits)
        (need,) = ht.count(ht.functions()[name], ht.Like(60, bits=32, fraction=12, range=limits))
        (auto,) = ht.count(lambda s: ht.functions()[name](s, method="auto"), ht.Like(60, 32, 12, limits))
        assert need.operation == auto.operation
        y = ht.functions()[name](s)
        return p.open(y), y.range

    y, limits = ht.run_pair(party)[0]
    error = float(card.split("at most ")[1].split(" ulp")[0])
    assert np.abs(y - REFERENCE[name](np.round(x * 4096) / 4096)).max() * 4096 <= error + 0.01
    assert limits[0] <= y.min() and y.max() < limits[1]


def test_a_spline_is_a_method():
    card = ht.card("sigmoid", method=(2, 64), fraction_out=10)
    assert "sigmoid" in card and "spline of degree 2, 64 pieces" in card and "ulp" in card and "2^-10" in card

    def party(p):
        s = p.share(np.linspace(-3, 3, 50), bits=32, fraction=12, range=(-64, 64))
        return p.open(ht.sigmoid(s, method=(2, 64)))

    x = np.round(np.linspace(-3, 3, 50) * 4096) / 2048
    assert np.abs(ht.run_pair(party)[0] - 1 / (1 + np.exp(-x))).max() < 4 / 4096


def test_softmax_and_layer_norm_of_rows():
    x = np.random.default_rng(2).uniform(-3, 3, (4, 6))
    gain, offset = np.linspace(0.5, 1.5, 6), np.linspace(-1, 1, 6)

    def party(p):
        s = p.input(x if p.role == 0 else None, owner=0, shape=(4, 6), bits=24, fraction=10, range=(-4, 4))
        norm = ht.layer_norm(s, gain, offset, variance=(0.5, 16))
        with pytest.raises(ht.ShapeError, match="gain"):
            ht.layer_norm(s, gain[:3], variance=(0.5, 16))
        with pytest.raises(ht.ParamError, match="8 to 14"):
            ht.softmax(p.share(np.zeros(3), bits=24, fraction=4, range=(-4, 4)))
        soft = ht.softmax(s)
        assert soft.range == (-8 / 1024, 1 + 9 / 1024), "the library's, and the next number"
        return p.open(soft), p.open(norm)

    (soft, norm), _ = ht.run_pair(party)
    x = np.round(x * 1024) / 1024
    exps = np.exp(x)
    assert np.abs(soft - exps / exps.sum(1, keepdims=True)).max() <= 2 / 1024
    assert np.abs(norm - layer_norm(x, gain, offset)).max() <= 4 / 1024


def layer_norm(x, gain, offset):
    centred = x - x.mean(1, keepdims=True)
    return gain * centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) + offset


@pytest.mark.parametrize("owner", [0, 1])
def test_layer_norm_with_gains_that_one_party_knows(owner):
    x = np.round(np.random.default_rng(4).uniform(-3, 3, (5, 8)) * 1024) / 1024
    gain, offset = np.linspace(-1.5, 1.5, 8), np.linspace(-1, 1, 8)

    def party(p):
        s = p.input(x if p.role == 0 else None, owner=0, shape=x.shape, bits=24, fraction=10, range=(-4, 4))
        mine = (gain, offset) if p.role == owner else ()
        norm = ht.layer_norm(s, *mine, variance=(0.5, 16), owner=owner, most=1.5)
        assert norm.shape == s.shape and norm.range[0] <= -1.5 * 2 and norm.range[1] >= 1.5 * 2
        with pytest.raises(ht.ParamError, match="owner= and most="):
            ht.layer_norm(s, variance=(0.5, 16), owner=owner)
        if p.role != owner:
            with pytest.raises(ht.ParamError, match=f"party {owner} owns gain and offset"):
                ht.layer_norm(s, gain, variance=(0.5, 16), owner=owner, most=1.5)
        return p.open(norm)

    for norm in ht.run_pair(party):
        assert np.abs(norm - layer_norm(x, gain, offset)).max() <= 4 / 1024

    def too_large(p):
        s = p.input(x if p.role == 0 else None, owner=0, shape=x.shape, bits=24, fraction=10, range=(-4, 4))
        mine = (gain,) if p.role == owner else ()
        with pytest.raises(ht.ParamError) as refused:
            ht.layer_norm(s, *mine, variance=(0.5, 16), owner=owner, most=1.25)
            p.open(s)
        assert "1.5" not in str(refused.value), "a party's own gain is in no message"

    ht.run_pair(too_large)
