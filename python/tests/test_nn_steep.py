"""Roots, reciprocals and logarithms: over ranges of any width, at both ends, or refused by the owner before anything is told."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest
from hushtable.gated import ulps
from hushtable.nn.graph import Graph, Input
from hushtable.nn.layers.elementwise import Curve, Multiply
from hushtable.nn.layers.linear import Linear, Scale
from hushtable.nn.layers.norm import LayerNorm, RmsNorm
from hushtable.nn.layers.steep import Steep, parts
from hushtable.nn.model import Model
from networks import holds

NAMES = ("sqrt", "rsqrt", "reciprocal", "ln")


def alone(name):
    graph = Graph([Input("x", (-1, 1, 8))])
    graph.outputs = [graph.add(Steep(name), 0)]
    return Model(graph)


def points(rng, least, most, step, count=200):
    """Numbers of all sizes between these, most of them small; the ends, powers of two, and their neighbours."""
    some = np.exp(rng.uniform(np.log(least), np.log(most), count))
    powers = 2.0 ** np.arange(np.ceil(np.log2(least)), np.log2(most) + 0.1)
    bends = np.concatenate([powers, powers - step, powers + step, powers - 0.5 * step, powers + 0.49 * step])
    ends = [least, least, least + 0.5 * step, least + step, least * 1.01, most, most - step]
    found = np.concatenate([some, bends, ends])
    found = found[(found >= least) & (found <= most)]
    return np.resize(found, (-(-len(found) // 8), 1, 8))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(s, marks=pytest.mark.long) for s in range(5, 40))])
def test_functions_over_ranges_of_any_width(name, seed):
    rng = np.random.default_rng(seed)
    fraction = int(rng.integers(8, 15))
    low = int(rng.integers(-min(fraction - 1, 10), 4))
    wide = int(rng.integers(1, 21 - max(low, 0)))
    least, most = 2.0**low, 2.0 ** (low + wide)
    examples = np.resize([least * 1.001, most * 0.999], (2, 1, 8))
    model = alone(name)
    try:
        model.calibrate(examples, margin=1, fraction=fraction)
    except ht.ParamError as error:
        assert f"layer 'steep 0' (steep): {name}" in str(error) and "accepted" in str(error)
        assert most * 2.0**fraction > 2.0**24, "only far beyond what tables and pieces hold"
        return
    step = model.formats.step
    low, high = 2.0 ** -model.formats.layers[0].inner["precision"], 2.0 ** model.formats.inputs[0].exponent
    assert low <= least and high >= most
    x = points(rng, low, high, step)
    holds(model, x, owner=seed % 2)
    assert np.abs(model.fixed(x) - model.plain(x)).max() <= model.report(measure=False).error


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(s, marks=pytest.mark.long) for s in range(6, 40))])
def test_functions_of_what_is_off_already(seed):
    """Behind a layer that rounds: numbers near the lower end move across it."""
    rng = np.random.default_rng(seed)
    graph = Graph([Input("x", (-1, 1, 8))])
    value = graph.add(Scale((), False), 0, own={"weight": np.asarray(float(rng.uniform(0.1, 3.0)))})
    graph.outputs = [graph.add(Steep(str(rng.choice(NAMES))), value)]
    model = Model(graph)
    least, most = 2.0 ** rng.integers(-6, 2), 2.0 ** rng.integers(3, 8)
    model.calibrate(np.resize([least, most], (2, 1, 8)), margin=1)
    factor = float(graph.nodes[0].own["weight"])
    low = 2.0 ** -model.formats.layers[1].inner["precision"] / factor
    holds(model, points(rng, low, most, 2.0**-12 / factor))


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(s, marks=pytest.mark.long) for s in range(6, 30))])
def test_norms_by_the_root_of_rows_of_any_size(seed):
    rng = np.random.default_rng(seed)
    sizes = 2.0 ** rng.uniform(-4, 5, (60, 1))
    graph = Graph([Input("x", (-1, 6))])
    graph.outputs = [graph.add(RmsNorm(6, float(rng.choice([0.0, 1e-5, 0.1]))), 0, own={"weight": rng.normal(size=6)})]
    model = Model(graph).calibrate(rng.normal(size=(60, 6)) * sizes)
    holds(model, rng.normal(size=(60, 6)) * np.sort(sizes)[::-1] * 0.9)


@pytest.mark.parametrize("epsilon", (0.0, 1e-6, 1e-3))
@pytest.mark.parametrize("fraction", (8, 12, 16))
@pytest.mark.parametrize("power", range(-6, 14, 2))
def test_norms_are_as_near_for_large_and_small_rows_as_for_usual_ones(power, fraction, epsilon):
    """Of large rows the inverse root has no digits left in the network's scale, and of small ones the mean square."""
    rng = np.random.default_rng(power + 6)
    x = rng.uniform(0.5, 1, (200, 6)) * np.where(rng.integers(2, size=(200, 6)), 1, -1) * 2.0**power
    graph = Graph([Input("x", (-1, 6))])
    graph.outputs = [graph.add(RmsNorm(6, epsilon), 0, own={"weight": np.ones(6)})]
    try:
        model = Model(graph).calibrate(x, margin=1, fraction=fraction)
    except ht.ParamError as error:
        assert power * 2 + fraction * 2 > 46 and "64 bits" in str(error)
        return
    # Inputs are rounded to half a step, which is part of a small row.
    assert holds(model, x) <= (8 + 2.0**-power) * 2.0**-fraction


@pytest.mark.parametrize("fraction", (10, 12, 14))
@pytest.mark.parametrize("seed", range(3))
def test_norms_of_equal_numbers_do_not_wrap_around(seed, fraction):
    """They are 0, and those of the parties off by more steps than a range of two has room for."""
    rng = np.random.default_rng(seed)
    graph = Graph([Input("x", (-1, 6))])
    graph.outputs = [graph.add(LayerNorm(6, 1e-5), 0, own={"weight": np.ones(6), "bias": np.zeros(6)})]
    x = np.repeat(rng.normal(size=(100, 1)), 6, axis=1)
    assert holds(Model(graph).calibrate(x, fraction=fraction), x) <= 0.5


@pytest.mark.parametrize("name", ("sigmoid", "tanh", "gelu", "silu", "softplus", "erf", "exp"))
@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(s, marks=pytest.mark.long) for s in range(2, 12))])
def test_curves_have_the_error_of_the_range_that_they_are_evaluated_in(name, seed):
    rng = np.random.default_rng(seed)
    most = float(2.0 ** rng.integers(-2, 8)) if name != "exp" else float(rng.uniform(0.5, 5.0))
    graph = Graph([Input("x", (-1, 1, 8))])
    graph.outputs = [graph.add(Curve(name), graph.add(Multiply(), 0, 0) if seed % 2 and name != "exp" else 0)]
    model = Model(graph).calibrate(np.resize([most, -most], (2, 1, 8)), margin=1, fraction=int(rng.integers(8, 15)))
    holds(model, np.concatenate([rng.uniform(-most, most, (300, 1, 8)), np.resize([most, -most, 0], (3, 1, 8))]))


def test_the_bound_is_of_the_card_of_the_range():
    """Between -2 and 2, silu is wrong by up to 3 steps of 2^-14, and by 1.55 over its own domain."""
    graph = Graph([Input("x", (-1, 1, 8))])
    graph.outputs = [graph.add(Curve("silu"), 0)]
    model = Model(graph).calibrate(np.full((1, 1, 8), 1.9), margin=1, fraction=14, bits=24)
    card = ht.silu.card(24, 14, range=(-2, 2 + 2.0**-14))
    assert ulps(card) > ulps(ht.silu.card(48, 14)) + 1 and model.report(measure=False).error >= ulps(card) * 2.0**-14


@pytest.mark.parametrize("name", NAMES)
def test_parts_are_next_to_each_other_and_all_served(name):
    rng = np.random.default_rng(1)
    for _ in range(20):
        fraction = int(rng.integers(6, 15))
        low = int(rng.integers(1, 1 << int(rng.integers(1, fraction + 2))))
        high = int(low * 2.0 ** rng.uniform(0.5, 18)) + 1
        try:
            found = parts(name, 40, fraction, low, high)
        except ht.ParamError as error:
            assert "accepted" in str(error)
            continue
        assert found[0].low == low and found[-1].high == high
        assert all(a.high == b.low for a, b in zip(found, found[1:], strict=False))


def test_what_no_digits_hold_is_refused_by_the_owner():
    model = alone("reciprocal")
    message = r"layer 'steep 0' \(steep\): reciprocal of numbers from .* on .* accepted: .*fraction="
    with pytest.raises(ht.ParamError, match=message):
        model.calibrate(np.full((2, 1, 8), 2.0**-12))
    model.calibrate(np.full((2, 1, 8), 2.0**-12), fraction=16)
    for bad in (0.0, -(2.0**-12), 2.0**-20):
        with pytest.raises(ht.ParamError, match=r"layer 'steep 0' \(steep\): .*(positive|lower end)"):
            model.fixed(np.full((1, 1, 8), bad))
    graph = Graph([Input("x", (-1, 2))])
    value = graph.add(Linear(2, 1, False), 0, own={"weight": np.ones((2, 1))})
    graph.outputs = [graph.add(Steep("ln"), value, name="the log")]
    with pytest.raises(ht.ParamError, match=r"layer 'the log' \(steep\): ln: -1.0 .*accepted: positive"):
        Model(graph).calibrate(np.array([[1.0, -2.0]]))


def test_many_parts_are_prepared_and_measured():
    model = alone("rsqrt").calibrate(np.resize([0.01, 2000.0], (2, 1, 8)), margin=1)
    least, most = 2.0 ** -model.formats.layers[0].inner["precision"], 2.0 ** model.formats.inputs[0].exponent
    assert len(parts("rsqrt", model.formats.bits, 12, int(least * 2**11), int(most * 2**12) + 1)) > 1
    x = np.resize(np.geomspace(least, most, 16), (2, 1, 8))

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        prepared = net.prepare(2)
        before = p.cost
        found = p.open(prepared(net.input(x if p.role == 1 else None, owner=1, shape=2)))
        assert (p.cost - before).offline.sent == 0
        return found

    for got in ht.run_pair(party):
        assert np.abs(got - model.plain(x)).max() <= model.report(measure=False).error
    assert model.report(2, measure=True).bytes > 0


def test_numbers_beyond_a_range_end_no_session():
    """What is below the lower end gives a wrong number, as anything beyond a range: it is told to nobody."""
    model = alone("rsqrt").calibrate(np.resize([0.25, 64.0], (2, 1, 8)), margin=1)

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        x = net.input(np.resize([-3.0, 0.0, 0.01, 1.0], (1, 1, 8)) if p.role == 1 else None, owner=1, shape=1)
        found = p.open(net(x))
        assert abs(found[0, 0, 3] - 1.0) < 0.01
        return True

    assert all(ht.run_pair(party))
    with pytest.raises(ht.ParamError, match=r"layer 'steep 0' \(steep\): 0.10009.* at \(0, 0, 0\) is below the lower end of its range; accepted: from 0.125 on"):
        model.fixed(np.full((1, 1, 8), 0.1))
