"""Trees, forests and boosted trees of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ParamError
from .graph import Graph
from .layer import Array
from .layers.choice import ArgMax
from .layers.forest import grown
from .sklearn import Asked, decided, importer, linear, name_of, numbers_only

Tree = tuple[Array, Array, Array, Array, Array]


@importer("DecisionTreeRegressor", "DecisionTreeClassifier")
def _tree(graph: Graph, value: int, model: Any, output: Asked | None) -> int:
    return _averaged(graph, value, model, [model], output)


@importer("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor")
def _forest(graph: Graph, value: int, model: Any, output: Asked | None) -> int:
    return _averaged(graph, value, model, model.estimators_, output)


@importer("GradientBoostingClassifier", "GradientBoostingRegressor")
def _boosted(graph: Graph, value: int, model: Any, output: Asked | None) -> int:
    if model.init_ != "zero" and not name_of(model.init_).startswith("Dummy"):
        raise ParamError(f"from_sklearn: {name_of(model)} with init={name_of(model.init_)} is not supported; accepted: init=None or 'zero'")
    start = model._raw_predict_init(np.zeros((1, model.n_features_in_)))[0]
    trees = []
    for row in model.estimators_:
        trees += [_grown(each.tree_, model.learning_rate, i, len(row)) for i, each in enumerate(row)]
    return _scored(graph, value, model, trees, start, output, getattr(model, "loss", ""))


@importer("HistGradientBoostingClassifier", "HistGradientBoostingRegressor")
def _histograms(graph: Graph, value: int, model: Any, output: Asked | None) -> int:
    trees = []
    for row in model._predictors:
        for i, each in enumerate(row):
            nodes = each.nodes
            if nodes["is_categorical"].any():
                raise ParamError(f"from_sklearn: {name_of(model)} with categorical features is not supported; accepted: numbers")
            inside = nodes["is_leaf"] == 0
            left = np.where(inside, nodes["left"].astype(np.int64), -1)
            right = np.where(inside, nodes["right"].astype(np.int64), -1)
            given = np.zeros((len(nodes), len(row)))
            given[:, i] = nodes["value"]
            threshold = np.where(inside, nodes["num_threshold"], 0)
            trees.append((left, right, nodes["feature_idx"].astype(np.int64), threshold, given))
    start = np.ravel(model._baseline_prediction)
    if name_of(model).endswith("Regressor") and model.loss not in ("squared_error", "absolute_error", "quantile"):
        raise ParamError(f"from_sklearn: {name_of(model)} with loss={model.loss!r} is not supported; accepted: 'squared_error'")
    return _scored(graph, value, model, trees, start, output, "log_loss")


def _averaged(graph: Graph, value: int, model: Any, trees: list[Any], output: Asked | None) -> int:
    """The mean of trees: numbers, or shares of the classes."""
    classifier = hasattr(model, "classes_")
    if classifier and getattr(model, "n_outputs_", 1) != 1:
        raise ParamError(f"from_sklearn: {name_of(model)} with several labels a row is not supported; accepted: one label")
    if not classifier:
        numbers_only(model, output)
    # Of votes the greatest sum counts, which is exact where leaves are of one class.
    share = 1 if classifier and output in (None, "label") else len(trees)
    made = []
    for each in trees:
        given = np.asarray(each.tree_.value, dtype=np.float64)
        given = given[:, 0, :] if classifier else given[:, :, 0]
        if classifier:
            given = given / given.sum(axis=1, keepdims=True)
        made.append((*_shape(each.tree_), given / share))
    outputs = made[0][4].shape[1]
    layer, own = grown(made, int(model.n_features_in_), np.zeros(outputs))
    value = graph.add(layer, value, name=name_of(model), own=dict(own))
    if not classifier or output == "probability":
        return value
    if output == "score":
        raise ParamError(f"from_sklearn: {name_of(model)} with output='score' is not supported; accepted: 'label' or 'probability'")
    return graph.add(ArgMax(), value, name="label")


def _scored(
    graph: Graph, value: int, model: Any, trees: list[Tree], start: Array, output: Asked | None, loss: str
) -> int:
    """A sum of trees: numbers, or scores of the classes."""
    layer, own = grown(trees, int(model.n_features_in_), start)
    value = graph.add(layer, value, name=name_of(model), own=dict(own))
    if not hasattr(model, "classes_"):
        numbers_only(model, output)
        return value
    if loss == "exponential" and output == "probability":
        value = linear(graph, value, np.full((1, 1), 2.0), np.zeros(1), "exponential loss")
    return decided(graph, value, model, output, len(model.classes_), len(model.classes_) == 2)


def _shape(tree: Any) -> tuple[Array, Array, Array, Array]:
    left = np.asarray(tree.children_left)
    return left, np.asarray(tree.children_right), np.asarray(tree.feature), _of_single(np.asarray(tree.threshold))


def _of_single(threshold: Array) -> Array:
    """Thresholds for numbers that are rounded to 32 bits before they are compared, as ones for the numbers themselves: half
    way to the next number of 32 bits, which itself goes to the even one of both."""
    below = threshold.astype(np.float32)
    below = np.where(below > threshold, np.nextafter(below, np.float32(-np.inf)), below)
    middle = 0.5 * (below.astype(np.float64) + np.nextafter(below, np.float32(np.inf)).astype(np.float64))
    odd = below.view(np.int32) & 1 == 1
    return np.asarray(np.where(odd, np.nextafter(middle, -np.inf), middle))


def _grown(tree: Any, rate: float, place: int, outputs: int) -> Tree:
    """A tree that gives a number to one of the outputs."""
    given = np.zeros((tree.node_count, outputs))
    given[:, place] = rate * np.asarray(tree.value)[:, 0, 0]
    return (*_shape(tree), given)
