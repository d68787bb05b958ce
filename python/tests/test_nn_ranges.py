"""Ranges of networks whose tensors are near 0 on all examples: they have room for what the parties' numbers are off."""

from __future__ import annotations

import os

import hushtable as ht
import numpy as np
from hushtable.nn.graph import Graph, Input
from hushtable.nn.layers.elementwise import Add, Clip, Curve, Multiply, Relu, Subtract
from hushtable.nn.layers.linear import Linear, Scale
from hushtable.nn.layers.norm import LayerNorm, RmsNorm
from hushtable.nn.layers.pool import Sum
from hushtable.nn.model import Model
from networks import holds, private

EPSILONS = (1e-5, 1e-2, 1.0)


def drawn(rng):
    """A model of random layers, of which many give 0 for rows of equal numbers, and such rows."""
    size = int(rng.integers(2, 9))
    graph, values = Graph([Input("x", (-1, size))]), [0]
    for _ in range(rng.integers(2, 7)):
        kind, value, other = rng.integers(0, 9), values[-1], int(rng.choice(values))
        normal = rng.normal(size=size)
        if kind == 0:
            own = {"weight": normal * rng.choice([1, 1e-3]), "bias": rng.normal(size=size) * rng.choice([0, 1])}
            values.append(graph.add(LayerNorm(size, float(rng.choice(EPSILONS))), value, own=own))
        elif kind == 1:
            factors = rng.normal(size=(size, size)) * 2.0 ** rng.uniform(-3, 4)
            factors = rng.choice([factors, factors - factors.mean(axis=0), 0 * factors])
            own = {"weight": factors, "bias": normal * rng.choice([0, 0, 1])}
            values.append(graph.add(Linear(size, size), value, own=own))
        elif kind == 2:
            values.append(graph.add(Relu(float(rng.choice([0, 0.2, 0.01]))), value))
        elif kind == 3:
            values.append(graph.add(Curve(str(rng.choice(["sigmoid", "tanh", "gelu", "silu", "erf", "softplus"]))), value))
        elif kind in (4, 5, 6):
            values.append(graph.add((Subtract, Add, Multiply)[kind - 4](), value, other))
        elif kind == 7:
            values.append(graph.add(RmsNorm(size, float(rng.choice(EPSILONS))), value, own={"weight": normal}))
        else:
            values.append(graph.add(Clip(-1.0, 1.0), value))
    graph.outputs = [values[-1]]
    x = rng.normal(size=(60, size)) * 2.0 ** rng.uniform(-3, 3)
    x = rng.choice([x, np.repeat(x[:, :1], size, axis=1), np.repeat(x[:1], len(x), axis=0)])
    return Model(graph), x


def test_nothing_wraps_around_where_tensors_are_near_0():
    ran = 0
    # Without room 192 and 260 wrap around.
    for seed in range(1000) if os.environ.get("LONG") else (*range(180, 215), 260):
        rng = np.random.default_rng(seed)
        model, x = drawn(rng)
        try:
            model.calibrate(x, fraction=int(rng.integers(7, 15)), margin=float(rng.choice([1.0, 1.5])))
        except ht.ParamError:
            continue  # the digits do not hold it
        off = np.abs(private(model, x)[0] - model.plain(x)).max()
        report = model.report(measure=False)
        assert off <= report.error, f"seed {seed}: {off} beyond {report.error}"
        assert off < 2.0 ** model.formats.layers[-1].out, f"seed {seed}: {off} in its range of {model.formats.layers[-1]}"
        ran += 1
    assert ran >= 25


def test_ranges_do_not_depend_on_what_is_off_by_lot():
    model, x = drawn(np.random.default_rng(3))
    assert model.calibrate(x).formats == model.calibrate(x).formats


def test_room_is_that_of_what_is_off():
    """The difference of a large product from itself is 0, and as far off as the product."""
    rng = np.random.default_rng(0)
    graph = Graph([Input("x", (-1, 4))])
    twice = [graph.add(Linear(4, 4), 0, own={"weight": 100 * np.eye(4), "bias": np.zeros(4)}) for _ in range(2)]
    graph.outputs = [graph.add(Subtract(), *twice)]
    model, x = Model(graph), rng.normal(size=(20, 4))
    step = 2.0**-8
    model.calibrate(x, fraction=8)
    assert not model.plain(x).any()
    assert 4 * 2 * step <= 2.0 ** model.formats.layers[-1].out <= 4 * 4 * 100 * step


def test_roundings_of_two_layers_that_go_opposite_ways():
    """A row of equal numbers is rounded down by one layer and up by the other, everywhere: their difference, added up, lies far
    beyond what it is on examples, and beyond what rounding by lot makes of it."""
    size, step = 1000, 2.0**-10
    graph = Graph([Input("x", (-1, size))])
    ours = graph.add(Relu(), 0)
    theirs = graph.add(Add(), ours, graph.add(Clip(step, step), 0))
    factors = {"weight": np.full(size, 0.09375)}
    both = [graph.add(Scale((size,), False), value, own=factors) for value in (ours, theirs)]
    total = graph.add(Sum((-1,)), graph.add(Subtract(), *both))
    graph.outputs = [graph.add(Relu(0.2), total), graph.add(Relu(), total), graph.add(Scale((1,), False), total, own={"weight": np.ones(1)})]
    x = np.full((3, size), 325 * step)  # 30.47 and 30.56 steps
    model = Model(graph).calibrate(x, fraction=10, margin=1)
    assert holds(model, x) > 0.8, "rounding takes them a step apart"
