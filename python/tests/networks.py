"""Support: models that two parties run, beside their evaluation in floating point."""

from __future__ import annotations

import os

import hushtable as ht
import numpy as np
from hushtable.nn.graph import Graph, Input
from hushtable.nn.layers.choice import ArgMax
from hushtable.nn.layers.elementwise import Curve, Relu
from hushtable.nn.layers.linear import Linear
from hushtable.nn.model import Model


def between(x, seed=0):
    """10^3 inputs between those of the data, with as many decimals."""
    rng = np.random.default_rng(seed)
    a, b = x[rng.integers(0, len(x), 1000)], x[rng.integers(0, len(x), 1000)]
    return a + rng.uniform(0, 1, (1000, *[1] * (x.ndim - 1))) * (b - a)


def some(inputs, fewer):
    """All of them in a long run, else fewer: of what takes longer than 2 seconds on shares."""
    return inputs if os.environ.get("LONG") else inputs[:fewer]


def private(model, *inputs, owner=0, giver=1):
    """The opened results of a calibrated model, as a list; party `owner` has the model and `giver` the inputs."""

    def party(p):
        net = ht.nn.share(p, model if p.role == owner else None, owner=owner)
        shares = [
            net.input(x if p.role == giver else None, owner=giver, shape=x.shape, which=i) for i, x in enumerate(inputs)
        ]
        made = net(*shares)
        return [p.open(y) for y in (made if isinstance(made, tuple) else (made,))]

    first, second = ht.run_pair(party)
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    return first


def listed(results):
    return list(results) if isinstance(results, tuple) else [results]


def holds(model, *inputs, owner=0, giver=1):
    """Runs a model of numbers: private results lie within the report's bounds of the plain ones. The largest difference of
    rows in which no number is so near a threshold that it may turn the other way."""
    report, unsure = model.report(measure=False), model.unsure(*inputs)
    sure = 0.0
    for got, want in zip(private(model, *inputs, owner=owner, giver=giver), listed(model.plain(*inputs)), strict=True):
        assert got.shape == want.shape
        off = np.abs(got - want)
        assert off.max() <= report.error, f"{off.max()} beyond {report.error}"
        if not unsure.all():
            sure = max(sure, float((off[~unsure] if unsure.any() else off).max()))
    assert sure <= report.sure, f"{sure} beyond {report.sure}"
    return sure


def perceptron(rng, sizes, bend="relu"):
    """A graph of random layers, as a model."""
    graph = Graph([Input("x", (-1, sizes[0]))])
    value = 0
    for i, (a, b) in enumerate(zip(sizes, sizes[1:], strict=False)):
        own = {"weight": rng.normal(size=(a, b)) / a**0.5, "bias": rng.normal(size=b)}
        value = graph.add(Linear(a, b), value, own=own)
        if i < len(sizes) - 2:
            value = graph.add(Relu() if bend == "relu" else Curve(bend), value)
    graph.outputs = [value]
    return Model(graph)


def small(seed=0, bits=None, classes=None):
    rng = np.random.default_rng(seed)
    model = perceptron(rng, (5, 4, 3))
    if classes:
        graph = model.graph
        graph.outputs = [graph.add(ArgMax(), graph.outputs[0])]
        model = Model(graph, classes)
    return model.calibrate(rng.normal(size=(50, 5)), bits=bits)
