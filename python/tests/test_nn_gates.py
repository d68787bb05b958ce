"""GELU, SiLU, ReLU and softmax of numbers in a range that is known: within the report's bound, for fewer bytes."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest
from hushtable import gated
from hushtable.nn.graph import Graph, Input
from hushtable.nn.layers.elementwise import CURVES, Curve, Relu
from hushtable.nn.layers.norm import Softmax
from hushtable.nn.model import Model
from networks import holds, perceptron

GATES = ("gelu", "gelu_tanh", "silu")


def alone(layer):
    graph = Graph([Input("x", (-1, 8))])
    graph.outputs = [graph.add(layer, 0)]
    return Model(graph)


def points(rng, most, step, beyond=0):
    """Numbers in a range: all over, near 0, about where the forms bend and end, and at both ends; `beyond`: steps from 2^m
    to the upper one, which inputs of a network may be."""
    bends = np.array([0.0, 0.5, 1.0, 2.7, 3.0, 4.0, 8.0, 8.0 / 3, 16.0 / 3, 32.0 / 3, 16.0, most])
    near = (bends[:, None] + np.arange(-3, 4) * step).ravel()
    found = np.concatenate([rng.uniform(-most, most, 120), rng.normal(size=120), rng.uniform(-64, 64, 60) * step, near, -near])
    return np.resize(np.clip(found, -most, most - step + beyond * step), (-(-len(found) // 8), 8))


def calibrated(rng, layer):
    """A model of one layer whose inputs lie below a power of two, in a random format."""
    power = int(rng.integers(-2, 9))
    low, high = (8, 15) if isinstance(layer, Softmax) else (6, 21)
    fraction, precision = int(rng.integers(low, high)), str(rng.choice(gated.PRECISIONS))
    bits = None if rng.integers(2) else int(rng.integers(max(power, 5) + fraction + 3, 60))
    examples = np.full((2, 8), 2.0**power * 0.999)
    return alone(layer).calibrate(examples, margin=1, fraction=fraction, bits=bits, precision=precision)


LAYERS = [*(Curve(name) for name in GATES), Relu(), Softmax()]


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: getattr(layer, "name", layer.op))
@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(s, marks=pytest.mark.long) for s in range(8, 80))])
def test_results_are_within_the_bound_in_any_format_up_to_the_ends_of_the_range(layer, seed):
    rng = np.random.default_rng(seed)
    model = calibrated(rng, layer)
    most, step = 2.0 ** model.formats.inputs[0].exponent, model.formats.step
    holds(model, points(rng, most, step, beyond=1), owner=seed % 2)


def test_magnitudes_are_the_least_that_hold_a_range():
    rng = np.random.default_rng(0)
    for _ in range(300):
        fraction, power = int(rng.integers(0, 20)), int(rng.integers(0, 30))
        ends = [int(e) for e in np.sort(rng.integers(-(1 << power), 1 << power, 2)) + rng.integers(-1, 2, 2)]
        for lo, hi in (ends, (-(1 << power), 1 << power), (-(1 << power) - 1, 1), (0, (1 << power) + 1)):
            m = gated.magnitude((lo, hi), fraction)
            assert -(1 << m + fraction) <= lo and hi <= 1 << m + fraction
            assert m == 0 or lo < -(1 << m - 1 + fraction) or hi > 1 << m - 1 + fraction


@pytest.mark.parametrize("name", GATES)
def test_a_bound_is_what_the_card_says_and_what_rounding_adds(name):
    """And no more than a few times what is met: it counts the difference of both formulas of GELU."""
    rng = np.random.default_rng(1)
    for precision, steps in (("fine", 2 + (1.95 if name == "gelu" else 0)), ("network", 16 + (1.95 if name == "gelu" else 0))):
        model = alone(Curve(name)).calibrate(np.full((2, 8), 7.9), margin=1, bits=37, precision=precision)
        bound = model.report(measure=False).error / model.formats.step
        assert steps + 0.5 <= bound <= steps + 0.5 * CURVES[name][1] + 0.6
        off = holds(model, points(rng, 8.0, 2.0**-12)) / model.formats.step
        assert off > 0.25 * bound


def bytes_of(name, precision="fine", fraction=12, usual=False):
    """Bytes that a number of the layer takes, of numbers below 8 in 37 bits."""
    if usual:
        (need,) = ht.count(ht.functions()[name], ht.Like(1, bits=37, fraction=fraction, range=(-8, 8)))
        return need._what.bytes(1 << 10) / (1 << 10)
    model = alone(Curve(name)).calibrate(np.full((2, 8), 7.9), margin=1, bits=37, fraction=fraction, precision=precision)
    (need,) = ht.count(lambda x: model.graph.nodes[0].layer.private(run(model), x), ht.Like(1, 37, fraction, (-8, 8)))
    return need._what.bytes(1 << 10) / (1 << 10)


def run(model):
    from hushtable.nn.layer import Run

    form = model.formats
    return Run(0, form.bits, form.fraction, form.layers[0], {}, None)


def test_a_layer_takes_the_form_with_the_fewest_bytes_that_is_accurate_enough():
    for name in GATES:
        assert bytes_of(name, "network") < 0.7 * bytes_of(name) < 0.7 * 0.6 * bytes_of(name.split("_")[0], usual=True) * 1.01
    # Of few numbers a table may take less.
    for name in GATES:
        model = alone(Curve(name)).calibrate(np.full((2, 8), 0.4), margin=1, fraction=7, bits=20)
        holds(model, points(np.random.default_rng(0), 0.5, 2.0**-7))
        for limits in ((-64, 64), (-64, 65), (-1024, 1024)):
            form = model.graph.nodes[0].layer._form(20, 7, limits, model.formats.layers[0])
            if name == "gelu_tanh":
                continue
            like = ht.Like(1, 20, 7, (limits[0] / 128, limits[1] / 128))
            (need,) = ht.count(lambda s, name=name: ht.functions()[name](s, outside="saturate"), like)
            usual = need._what.bytes(gated.ITEMS) / gated.ITEMS
            least = min(found.bytes for found in gated.forms(name, 20, 7, limits) if found.ulps <= 4)
            assert (usual if form is None else form.bytes) <= min(usual, least)
    # With more digits the difference of both formulas would be what is off most.
    assert bytes_of("gelu", fraction=13) == bytes_of("gelu", fraction=13, usual=True)
    assert bytes_of("gelu_tanh", fraction=13) < 0.6 * bytes_of("gelu", fraction=13)
    assert bytes_of("gelu", "network", fraction=16) < 0.3 * bytes_of("gelu", fraction=16)


def test_a_smaller_range_takes_fewer_bytes():
    sizes = {}
    # Over a link as fast as memory: elsewhere another extension of OTs may serve the smaller one.
    for kind, layer in (("relu", Relu()), ("softmax", Softmax()), ("gelu", Curve("gelu")), ("silu", Curve("silu"))):
        for most in (8.0, 500.0):
            model = alone(layer).calibrate(np.full((2, 8), most * 0.99), margin=1, bits=37)
            sizes[kind, most] = model.report(2000, link="100000:0.01ms").bytes
        assert sizes[kind, 8.0] < 0.95 * sizes[kind, 500.0]
        # And where bytes are to be least.
        least = [
            alone(layer).calibrate(np.full((2, 8), most * 0.99), margin=1, bits=37).report(2000, optimise="bytes").bytes
            for most in (8.0, 500.0)
        ]
        assert least[0] < least[1]


def test_precision_is_asked_for_at_calibration_and_told():
    model = perceptron(np.random.default_rng(3), (5, 6, 4), "gelu")
    x = np.random.default_rng(4).normal(size=(60, 5))
    reports = {precision: model.calibrate(x, precision=precision).report(60) for precision in gated.PRECISIONS}
    assert reports["network"].bytes < reports["fine"].bytes and reports["network"].error > reports["fine"].error
    holds(model, x)
    with pytest.raises(ht.ParamError, match="precision='exact' is not supported; accepted: 'fine' or 'network'"):
        model.calibrate(x, precision="exact")


@pytest.mark.parametrize("bits", [18, 19, 37])
def test_gelu_by_tanh_takes_the_width_that_it_needs(bits):
    """With many digits there is no other form for it, so the width grows."""
    model = alone(Curve("gelu_tanh")).calibrate(np.full((2, 8), 0.9), margin=1, fraction=14)
    assert model.formats.bits == 14 + 3 + 3
    if bits < 20:
        with pytest.raises(ht.ParamError, match=rf"layer 'curve 0' \(curve\): gelu by tanh .*{bits} bits and 14 .*accepted: more bits="):
            model.calibrate(np.full((2, 8), 0.9), margin=1, fraction=14, bits=bits)
    # With fewer the other formula is as near.
    few = alone(Curve("gelu_tanh")).calibrate(np.full((2, 8), 0.9), margin=1, fraction=12, bits=16)
    holds(few, points(np.random.default_rng(2), 1.0, 2.0**-12))


@pytest.mark.parametrize("seed", range(6))
def test_silu_of_shares_takes_its_form_where_that_is_as_accurate(seed):
    rng = np.random.default_rng(seed)
    fraction, most = int(rng.integers(6, 17)), 2.0 ** int(rng.integers(0, 8))
    like = {"bits": 40, "fraction": fraction, "range": (-most, most)}
    x = np.floor(points(rng, most, 2.0**-fraction) * 2.0**fraction) * 2.0**-fraction
    for name, plain in (("silu", CURVES["silu"][0]), ("gelu", CURVES["gelu"][0])):
        promised = gated.ulps(ht.card(name, 40, fraction, range=like["range"], method="auto", outside="saturate"))
        found = gated.ulps(ht.card(name, 40, fraction, range=like["range"]))
        assert found <= promised
        loose = gated.ulps(ht.card(name, 40, fraction, range=like["range"], max_ulp=2.0**fraction / 100 + 4))

        def party(p, name=name):
            s = p.input(x if p.role == 0 else None, 0, shape=x.shape, **like)
            y, z = ht.functions()[name](s), ht.functions()[name](s, max_ulp=2.0**fraction / 100 + 4)
            assert y.range[0] <= plain(x).min() and y.range[1] > plain(x).max() and z.range[1] > plain(x).max()
            return p.open(y), p.open(z)

        y, z = ht.run_pair(party)[0]
        assert np.abs(y - plain(x)).max() * 2.0**fraction <= found + 0.01
        assert np.abs(z - plain(x)).max() * 2.0**fraction <= loose + 0.01


@pytest.mark.parametrize(("name", "precision"), [(name, precision) for name in ("silu", "gelu_tanh") for precision in gated.PRECISIONS])
def test_what_is_made_before_takes_few_rounds_over_a_slow_link(name, precision):
    """As exact as it is over a fast one, up to the ends of the range."""
    like = {"bits": 37, "fraction": 12, "range": (-8.0, 8.0)}
    x = points(np.random.default_rng(5), 8.0, 2.0**-12)
    form = {form.text.split(", ")[1]: form for form in gated.forms(name, 37, 12, (-(8 << 12), 8 << 12))}[precision]

    def party(p):
        s = p.input(x if p.role == 0 else None, 0, shape=x.shape, **like)
        with p.offline():
            prepared = ht.prepare(form, ht.Like(x.shape, **like))
        found, rounds = [], []
        for f in (prepared, form):
            before = p.cost
            y = f(s)
            rounds.append((p.cost - before).online.rounds)
            found.append(p.open(y))
        return found, rounds

    for net, few in (("wan", True), ("100000:0.01ms", False)):
        found, (ahead, now) = ht.run_pair(party, net=net)[0]
        assert ahead <= 3 if few else ahead == now >= 8
        for y in found:
            assert np.abs(y - CURVES[name][0](x)).max() * 2.0**12 <= form.ulps


def test_which_form_silu_of_shares_takes():
    def size(name, fraction, most=32, **how):
        (need,) = ht.count(lambda s: ht.functions()[name](s, **how), ht.Like(1, 37, fraction, (-most, most)))
        return need._what.bytes(1 << 10) / (1 << 10)

    usual = size("silu", 12, outside="saturate")
    assert size("silu", 12) < 0.6 * usual, "off by 2 steps, where tables and splines may be off by 3"
    assert size("silu", 12, max_ulp=1) > size("silu", 12)
    assert size("silu", 8) == size("silu", 8, outside="saturate"), "which is off by less"
    assert size("silu", 4, 0.5, max_ulp=2) == size("silu", 4, 0.5, outside="saturate") < 20, "a small table"
    assert size("silu", 7, 0.5, max_ulp=2) < size("silu", 7, 0.5, outside="saturate"), "a larger one"
    assert size("gelu", 12) == size("gelu", 12, outside="saturate") and size("gelu", 12, max_ulp=4) < 0.6 * size("gelu", 12)


def test_softmax_with_the_precision_of_networks():
    x = np.random.default_rng(5).normal(size=(20, 30)) * 3

    def party(p):
        s = p.input(x if p.role == 0 else None, 0, shape=x.shape, bits=32, fraction=12, range=(-16, 16))
        with pytest.raises(ht.ParamError, match="precision='exact' is not supported; accepted: 'fine' or 'network'"):
            ht.softmax(s, precision="exact")
        return p.open(ht.softmax(s, precision="network")), p.open(ht.softmax(s))

    rough, fine = ht.run_pair(party)[0]
    want = Softmax().plain({}, np.round(x * 4096) / 4096)
    assert np.abs(rough - want).max() <= 1.2 * 2.0**-8 and np.abs(fine - want).max() <= 2 * 2.0**-12
