"""Linear models, perceptrons, centres, components and scalers of scikit-learn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import ParamError
from .graph import Graph
from .layer import Array
from .layers.choice import ArgMax
from .layers.distances import distances
from .layers.elementwise import Curve, Relu
from .layers.linear import Scale
from .sklearn import Asked, decided, importer, linear, name_of, numbers_only


# The least distance from a centre that is told from smaller ones, as a part of the usual one within a cluster; and the powers
# of two at which the usual one is held.
NEAREST = 1 / 16
USUAL = (4, 7)


@importer("LinearRegression", "Ridge", "Lasso", "ElasticNet", "SGDRegressor", "LinearSVR")
def _regression(graph: Graph, value: int, model: Any, output: Asked | None) -> int:
    numbers_only(model, output)
    weight = np.atleast_2d(_coefficients(model))
    return linear(graph, value, weight.T, np.ravel(model.intercept_), name_of(model))


def _coefficients(model: Any) -> Array:
    """Those of a linear model, which may be sparse."""
    found = model.coef_
    return np.asarray(found.toarray() if hasattr(found, "toarray") else found, dtype=np.float64)


@importer("LogisticRegression", "SGDClassifier", "LinearSVC", "RidgeClassifier")
def _classifier(graph: Graph, value: int, model: Any, output: Asked | None) -> int:
    name, classes = name_of(model), len(model.classes_)
    weight = np.atleast_2d(_coefficients(model))
    if weight.shape[0] != (1 if classes == 2 else classes) or getattr(model, "_label_binarizer", None) is not None and model._label_binarizer.y_type_.startswith("multilabel"):
        raise ParamError(f"from_sklearn: {name} with several labels a row is not supported; accepted: one label")
    value = linear(graph, value, weight.T, np.ravel(model.intercept_), name)
    if name == "LogisticRegression":
        single = getattr(model, "multi_class", None) == "ovr" or (model.solver == "liblinear" and classes > 2)
        sigmoids: bool | None = classes == 2 or single
    else:
        sigmoids = True if name == "SGDClassifier" and model.loss == "log_loss" else None
    return decided(graph, value, model, output, classes, sigmoids)


@importer("MLPClassifier", "MLPRegressor")
def _perceptron(graph: Graph, value: int, model: Any, output: Asked | None) -> int:
    for i, (weight, bias) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        value = linear(graph, value, weight, bias, f"{name_of(model)} layer {i + 1}")
        if i < len(model.coefs_) - 1 and model.activation != "identity":
            bend = Relu() if model.activation == "relu" else Curve({"logistic": "sigmoid"}.get(model.activation, "tanh"))
            value = graph.add(bend, value, name=f"{name_of(model)} {model.activation} {i + 1}")
    if name_of(model) == "MLPRegressor":
        numbers_only(model, output)
        if model.out_activation_ != "identity":
            raise ParamError(
                f"from_sklearn: MLPRegressor whose results are bent by {model.out_activation_!r} (loss={model.loss!r}) is not "
                f"supported; accepted: loss='squared_error'"
            )
        return value
    if model.out_activation_ == "logistic" and model.n_outputs_ > 1:
        raise ParamError("from_sklearn: MLPClassifier with several labels a row is not supported; accepted: one label")
    return decided(graph, value, model, output, len(model.classes_), model.out_activation_ == "logistic")


@importer("KMeans", "MiniBatchKMeans")
def _centres(graph: Graph, value: int, model: Any, output: Asked | None) -> int:
    if output == "transform":
        return _distances(graph, value, model)
    if output not in (None, "label"):
        raise ParamError(f"from_sklearn: {name_of(model)} with output={output!r} is not supported; accepted: 'label'")
    centres = np.asarray(model.cluster_centers_, dtype=np.float64)
    # The nearest has the greatest x c - c^2 / 2, where all may be less their middle.
    middle = centres.mean(axis=0)
    apart = centres - middle
    value = linear(graph, value, apart.T, -0.5 * (apart**2).sum(axis=1) - apart @ middle, name_of(model))
    return graph.add(ArgMax(), value, name="label")


def _distances(graph: Graph, value: int, model: Any) -> int:
    """From the centres, as steps behind get them. Those below a 16th of the usual one, of which the root is steep, are as that.

    They are computed in a scale in which the usual one is a few units, and less the middle of the centres: small ones have
    digits then, and squares are no larger than they have to be."""
    centres, name = np.asarray(model.cluster_centers_, dtype=np.float64), f"{name_of(model)} distance"
    usual = (float(model.inertia_) / len(model.labels_)) ** 0.5
    if not usual > 0:
        raise ParamError(f"from_sklearn: {name_of(model)} with a centre at each row, before other steps, is not supported; accepted: fewer centres")
    held = math.frexp(usual)[1]
    power, middle, size = 2.0 ** (min(max(held, USUAL[0]), USUAL[1]) - held), centres.mean(axis=0), centres.shape[1]
    own = {"weight": np.full(size, power), "bias": -power * middle}
    value = graph.add(Scale((size,)), value, name=f"{name} scale", own=own)
    layer, points = distances((centres - middle) * power, usual * power * NEAREST)
    value = graph.add(layer, value, name=name, own=dict(points))
    return graph.add(Scale((), bias=False), value, name=f"{name} in its own scale", own={"weight": np.asarray(1 / power)})


@importer("PCA")
def _components(graph: Graph, value: int, model: Any, output: Asked | None) -> int:
    numbers_only(model, output)
    components = np.asarray(model.components_, dtype=np.float64)
    if model.whiten:
        components = components / np.sqrt(model.explained_variance_)[:, None]
    return linear(graph, value, components.T, -components @ model.mean_, name_of(model))


@importer("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler")
def _scaler(graph: Graph, value: int, model: Any, output: Asked | None) -> int:
    numbers_only(model, output)
    name, size = name_of(model), int(model.n_features_in_)
    if getattr(model, "clip", False):
        raise ParamError(f"from_sklearn: {name} with clip=True is not supported; accepted: clip=False")
    if name == "MinMaxScaler":
        factors, offsets = model.scale_, model.min_
    else:
        centre = getattr(model, "mean_", None) if name == "StandardScaler" else getattr(model, "center_", None)
        factors = np.ones(size) if model.scale_ is None else 1 / np.asarray(model.scale_)
        offsets = -factors * centre if centre is not None and _centred(model) else np.zeros(size)
    return graph.add(Scale((size,)), value, name=name, own={"weight": factors, "bias": offsets})


def _centred(model: Any) -> bool:
    return bool(getattr(model, "with_mean", getattr(model, "with_centering", False)))
