"""Models of features far from 0, and distances from centres: their bounds are near what they are off; and what is told of it."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest
from hushtable.nn.graph import Graph, Input
from hushtable.nn.layers.distances import Distances, distances
from hushtable.nn.layers.linear import Linear, Scale
from hushtable.nn.layers.norm import LayerNorm, RmsNorm
from hushtable.nn.model import Model
from networks import holds, private

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

EXACT = 1e-6


def far(kind):
    """What takes features, far from 0, to about 0 again."""
    rng = np.random.default_rng(3)
    move = np.array([1e6, -2000.0, 3e7])
    graph = Graph([Input("x", (-1, 3))])
    weight = rng.normal(size=(3, 2))
    if kind == "linear":
        graph.outputs = [graph.add(Linear(3, 2), 0, own={"weight": weight, "bias": -move @ weight})]
    elif kind == "scale":
        graph.outputs = [graph.add(Scale((3,)), 0, own={"weight": weight[:, 0], "bias": -move * weight[:, 0]})]
    else:  # two layers take the centre up
        one = graph.add(Linear(3, 2), 0, own={"weight": weight, "bias": -move @ weight})
        graph.outputs = [one, graph.add(Scale((3,)), 0, own={"weight": weight[:, 0], "bias": -move * weight[:, 0]})]
    return Model(graph), rng.normal(size=(100, 3)) * [1.0, 0.01, 40.0] + move


@pytest.mark.parametrize("kind", ["linear", "scale", "both"])
def test_layers_of_features_far_from_0_take_up_a_centre(kind):
    model, x = far(kind)
    model.calibrate(x)
    how = model.formats.inputs[0]
    assert len(how.centre) == 3 and how.exponent < 8 and model.formats.bits < 40
    assert holds(model, x) <= model.report(measure=False).error < 0.02


def test_a_matrix_without_offsets_takes_up_no_centre():
    graph = Graph([Input("x", (-1, 2))])
    graph.outputs = [graph.add(Linear(2, 1, bias=False), 0, own={"weight": np.array([[1.0], [-1.0]])})]
    model = Model(graph).calibrate(np.random.default_rng(0).normal(size=(20, 2)) + 1000)
    assert model.formats.inputs[0].centre == ()
    holds(model, model.examples[0])


@pytest.mark.parametrize("name", ["regression", "logistic", "components", "perceptron", "clusters"])
def test_estimators_of_features_far_from_0(name):
    pytest.importorskip("sklearn")
    from sklearn import cluster, decomposition, linear_model, neural_network
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(1)
    near = rng.normal(size=(120, 3))
    x, y = near + [1e6, 2015.0, -3e5], near @ [1.0, -2.0, 0.5]
    fitted, output = {
        "regression": (linear_model.LinearRegression(), None),
        "logistic": (make_pipeline(StandardScaler(), linear_model.LogisticRegression()), "probability"),
        "components": (decomposition.PCA(2), None),
        "perceptron": (make_pipeline(StandardScaler(), neural_network.MLPRegressor(hidden_layer_sizes=(6,), max_iter=20, random_state=0)), None),
        "clusters": (cluster.KMeans(3, n_init=1, random_state=0), "label"),
    }[name]
    fitted.fit(x, (y > 0) if name == "logistic" else y)
    model = ht.nn.from_sklearn(fitted, output=output).calibrate(x)
    assert model.formats.inputs[0].centre and model.report(measure=False).error < 0.02
    if name == "clusters":
        assert np.array_equal(private(model, x)[0], fitted.predict(x))
    else:
        holds(model, x)


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(s, marks=pytest.mark.long) for s in range(6, 40))])
def test_distances_from_points_are_within_a_bound_that_is_near(seed):
    """Of rows near the points, where the root is steep, and far from them; in any scale that has digits."""
    rng = np.random.default_rng(seed)
    size, count, scale = int(rng.integers(1, 12)), int(rng.integers(1, 6)), float(2.0 ** rng.uniform(-1, 5))
    points, fraction = rng.normal(size=(count, size)) * scale, int(rng.integers(10, 15))
    layer, own = distances(points, scale * 2.0 ** -float(rng.uniform(1, 4)))
    graph = Graph([Input("x", (-1, size))])
    graph.outputs = [graph.add(layer, 0, own=dict(own))]
    rows = points[rng.integers(count, size=80)] + rng.normal(size=(80, size)) * scale * 2.0 ** rng.uniform(-20, 1, (80, 1))
    model = Model(graph).calibrate(rows, fraction=fraction)
    least = float(own["floor"][0]) ** 0.5
    true = np.maximum(np.linalg.norm(rows[:, None] - points, axis=2), least)
    assert np.abs(model.plain(rows) - true).max() < EXACT
    error = model.report(measure=False).error
    assert holds(model, rows) <= error <= (2 + size**0.5 + 3 / least) * 4 * 2.0**-fraction


def test_distances_are_of_rows_and_their_least_one_is_positive():
    with pytest.raises(ht.ShapeError, match="rows of 3 numbers"):
        Distances(3, 2, 0.25).shape((4, 2))
    for least in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(ht.ParamError, match="least=.* accepted: a positive number"):
            Distances(3, 2, least).shape((4, 3))


@pytest.mark.parametrize("change", [lambda x: x, lambda x: x + 100, lambda x: 1e4 * x, lambda x: 1e-3 * x])
def test_a_bound_of_what_is_behind_distances(change):
    """Of the diabetes data, whose features are about 0.05: the bound was 1024 where results were off by 0.02."""
    pytest.importorskip("sklearn")
    from sklearn import cluster, datasets, linear_model
    from sklearn.pipeline import make_pipeline

    x, y = datasets.load_diabetes(return_X_y=True)
    for count in (2, 8):
        # Of distances in units of the data.
        x = change(x)
        fitted = make_pipeline(cluster.KMeans(count, n_init=1, random_state=0), linear_model.LinearRegression()).fit(x, y)
        model = ht.nn.from_sklearn(fitted)
        far = (fitted[0].transform(x) > np.sqrt(fitted[0].inertia_ / len(x)) / 16).all(axis=1)
        assert np.abs(model.plain(x)[:, 0] - fitted.predict(x))[far].max() < 1e-3
        error = model.calibrate(x).report(measure=False).error
        assert holds(model, x[:40]) <= error < 1
        x = datasets.load_diabetes(return_X_y=True)[0]


def test_rows_beside_a_centre_are_held_whatever_the_examples():
    """The least distance is known: no example has to show it."""
    pytest.importorskip("sklearn")
    from sklearn import cluster, linear_model
    from sklearn.pipeline import make_pipeline

    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2)) + 6 * rng.integers(0, 3, (60, 1))
    fitted = make_pipeline(cluster.KMeans(3, n_init=1, random_state=0), linear_model.LinearRegression()).fit(x, x[:, 0])
    away = x[(fitted[0].transform(x) > 0.5).all(axis=1)]
    model = ht.nn.from_sklearn(fitted).calibrate(away, margin=1)
    holds(model, fitted[0].cluster_centers_)


@pytest.mark.parametrize("fraction", (8, 12, 14))
@pytest.mark.parametrize("seed", range(3))
def test_what_is_seen_of_norms_of_rows_far_apart_in_size(seed, fraction):
    """Of the smaller rows inner numbers have few digits: what is seen counts them."""
    rng = np.random.default_rng(seed)
    graph = Graph([Input("x", (-1, 5))])
    graph.outputs = [graph.add(RmsNorm(5, float(rng.choice([0.0, 1e-5]))), 0, own={"weight": rng.normal(size=5)})]
    x = rng.normal(size=(80, 5)) * 2.0 ** rng.uniform(-2, 5, (80, 1))
    model = Model(graph).calibrate(x, fraction=fraction)
    off = np.abs(private(model, x)[0] - model.plain(x)).max()
    seen = model.report(measure=False).seen
    assert 0.25 * off <= seen + 2.0**-fraction <= 4 * off
    # And the numbers of `fixed` are such.
    assert 0.25 * off <= np.abs(model.fixed(x) - model.plain(x)).max() + 2.0**-fraction <= 4 * off


@pytest.mark.parametrize("bits", (None, 30, 64))
def test_what_no_width_holds_is_said_so(bits):
    graph = Graph([Input("x", (-1, 2))])
    graph.outputs = [graph.add(Linear(2, 1), 0, own={"weight": np.full((2, 1), 2.0**60), "bias": np.zeros(1)})]
    with pytest.raises(ht.ParamError) as raised:
        Model(graph).calibrate(np.ones((2, 2)), bits=bits)
    text = str(raised.value)
    assert "layer 'linear 0' (linear): numbers of up to 2^6" in text and text.endswith("accepted: a smaller fraction= or margin=, or examples in a smaller range, as behind a scaler")
    assert "bits=" not in text and text.count("accepted") == 1


def test_what_another_width_holds_is_said_with_it():
    graph = Graph([Input("x", (-1, 2))])
    graph.outputs = [graph.add(Linear(2, 1), 0, own={"weight": np.full((2, 1), 2.0**20), "bias": np.zeros(1)})]
    with pytest.raises(ht.ParamError, match=r"input 'x': numbers of up to 2\^11 .* in 20 bits; accepted: bits=37, or a smaller fraction="):
        Model(graph).calibrate(np.ones((2, 2)), bits=20)


def test_variances_too_far_apart_are_named():
    x = np.array([[-1.0, 1.0], [-300.0, 300.0]])
    graph = Graph([Input("x", (-1, 2))])
    graph.outputs = [graph.add(LayerNorm(2, 1e-5), 0, own={"weight": np.ones(2), "bias": np.zeros(2)})]
    with pytest.raises(ht.ParamError, match=r"layer 'layer_norm 0' .*variances lie from 0.5 to 262144.0 .*; accepted: a factor of 2\^15 between them: a smaller margin="):
        Model(graph).calibrate(x)
