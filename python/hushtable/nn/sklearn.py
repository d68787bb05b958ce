"""Models of scikit-learn as graphs. Estimators are told by the names of their classes: nothing is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..errors import ParamError
from .graph import Graph, Input
from .layer import Array
from .layers.choice import ArgMax, Positive
from .layers.elementwise import Curve, Relu
from .layers.linear import Linear, Scale
from .layers.norm import Softmax
from .model import Model

Output = Literal["label", "probability", "score"]

# What appends an estimator to a graph: the number of its scores, and classes if it is a classifier.
Importer = Callable[[Graph, int, Any, "Output | None"], int]

IMPORTERS: dict[str, Importer] = {}


def importer(*names: str) -> Callable[[Importer], Importer]:
    """Enters an importer under the names of classes."""

    def enter(f: Importer) -> Importer:
        IMPORTERS.update(dict.fromkeys(names, f))
        return f

    return enter


def from_sklearn(estimator: Any, *, output: Output | None = None) -> Model:
    """A fitted estimator, or a `Pipeline` of such, as a model.

    Classifiers give the place of a label in `classes` ("label", the default: a shared bit where there are two), a
    "probability" for each class, as `predict_proba` (its only column is that of the second of two), or a "score" for each, as
    `decision_function`, where there is one. Others give numbers, as `predict`, or `transform`. `KMeans` gives the place of a
    centre.

    Raises `ParamError` for estimators that are not supported, naming them and those that are, and for ones that are not
    fitted.
    """
    if output not in (None, "label", "probability", "score"):
        raise ParamError(f"output={output!r} is not supported; accepted: 'label', 'probability' or 'score'")
    steps = [step for _, step in estimator.steps] if _name(estimator) == "Pipeline" else [estimator]
    steps = [step for step in steps if not isinstance(step, str) and step is not None]
    if not steps:
        raise ParamError("from_sklearn: an empty pipeline; accepted: at least one estimator")
    features = getattr(estimator, "n_features_in_", None) or getattr(steps[0], "n_features_in_", None)
    if features is None:
        raise ParamError(f"from_sklearn: {_name(steps[0])} is not fitted; call fit first")
    graph = Graph([Input("x", (-1, int(features)))])
    value = 0
    for i, step in enumerate(steps):
        called = _supported(step)
        last = i == len(steps) - 1
        try:
            value = called(graph, value, step, output if last else None)
        except AttributeError as error:
            raise ParamError(f"from_sklearn: {_name(step)} is not fitted, or of a version that is not supported: {error}") from None
    graph.outputs = [value]
    labels = getattr(steps[-1], "classes_", None)
    return Model(graph, list(labels) if labels is not None and output in (None, "label", "probability") else None)


def _supported(step: Any) -> Importer:
    for kind in type(step).__mro__:
        if kind.__name__ in IMPORTERS and kind.__module__.startswith("sklearn."):
            return IMPORTERS[kind.__name__]
    raise ParamError(f"from_sklearn: {_name(step)} is not supported; accepted: {', '.join(sorted(IMPORTERS))}, Pipeline")


def _name(estimator: Any) -> str:
    return type(estimator).__name__


def linear(graph: Graph, value: int, weight: Array, bias: Array, name: str) -> int:
    """Appends `x @ weight + bias`."""
    weight = np.asarray(weight, dtype=np.float64)
    layer = Linear(*weight.shape)
    return graph.add(layer, value, name=name, own={"weight": weight, "bias": np.broadcast_to(bias, (weight.shape[1],))})


def decided(graph: Graph, value: int, estimator: Any, output: Output | None, classes: int, sigmoids: bool | None) -> int:
    """What a classifier gives of its scores: one for two classes, else one for each. `sigmoids`: probabilities are made each
    by itself, rather than by softmax; `None`: there are none."""
    if output == "score":
        return value
    if output in (None, "label"):
        return graph.add(Positive() if classes == 2 else ArgMax(), value, name="label")
    if sigmoids is None or (sigmoids and classes > 2):
        raise ParamError(f"from_sklearn: {_name(estimator)} with output='probability' is not supported; accepted: 'label' or 'score'")
    layer = Curve("sigmoid") if classes == 2 else Softmax()
    return graph.add(layer, value, name="probability")


@importer("LinearRegression", "Ridge", "Lasso", "ElasticNet", "SGDRegressor", "LinearSVR")
def _regression(graph: Graph, value: int, model: Any, output: Output | None) -> int:
    _numbers_only(model, output)
    weight = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    return linear(graph, value, weight.T, np.ravel(model.intercept_), _name(model))


@importer("LogisticRegression", "SGDClassifier", "LinearSVC", "RidgeClassifier")
def _classifier(graph: Graph, value: int, model: Any, output: Output | None) -> int:
    name, classes = _name(model), len(model.classes_)
    value = linear(graph, value, np.atleast_2d(model.coef_).T, np.ravel(model.intercept_), name)
    if name == "LogisticRegression":
        single = getattr(model, "multi_class", None) == "ovr" or (model.solver == "liblinear" and classes > 2)
        sigmoids: bool | None = classes == 2 or single
    else:
        sigmoids = True if name == "SGDClassifier" and model.loss == "log_loss" else None
    return decided(graph, value, model, output, classes, sigmoids)


@importer("MLPClassifier", "MLPRegressor")
def _perceptron(graph: Graph, value: int, model: Any, output: Output | None) -> int:
    for i, (weight, bias) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        value = linear(graph, value, weight, bias, f"{_name(model)} layer {i + 1}")
        if i < len(model.coefs_) - 1 and model.activation != "identity":
            bend = Relu() if model.activation == "relu" else Curve({"logistic": "sigmoid"}.get(model.activation, "tanh"))
            value = graph.add(bend, value, name=f"{_name(model)} {model.activation} {i + 1}")
    if _name(model) == "MLPRegressor":
        _numbers_only(model, output)
        return value
    if model.out_activation_ == "logistic" and model.n_outputs_ > 1:
        raise ParamError("from_sklearn: MLPClassifier with several labels a row is not supported; accepted: one label")
    return decided(graph, value, model, output, len(model.classes_), model.out_activation_ == "logistic")


@importer("KMeans", "MiniBatchKMeans")
def _centres(graph: Graph, value: int, model: Any, output: Output | None) -> int:
    if output not in (None, "label"):
        raise ParamError(f"from_sklearn: {_name(model)} with output={output!r} is not supported; accepted: 'label'")
    centres = np.asarray(model.cluster_centers_, dtype=np.float64)
    # The nearest has the greatest x c - c^2 / 2.
    value = linear(graph, value, centres.T, -0.5 * (centres**2).sum(axis=1), _name(model))
    return graph.add(ArgMax(), value, name="label")


@importer("PCA")
def _components(graph: Graph, value: int, model: Any, output: Output | None) -> int:
    _numbers_only(model, output)
    components = np.asarray(model.components_, dtype=np.float64)
    if model.whiten:
        components = components / np.sqrt(model.explained_variance_)[:, None]
    return linear(graph, value, components.T, -components @ model.mean_, _name(model))


@importer("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler")
def _scaler(graph: Graph, value: int, model: Any, output: Output | None) -> int:
    _numbers_only(model, output)
    name, size = _name(model), int(model.n_features_in_)
    if getattr(model, "clip", False):
        raise ParamError(f"from_sklearn: {name} with clip=True is not supported; accepted: clip=False")
    if name == "MinMaxScaler":
        factors, offsets = model.scale_, model.min_
    else:
        centre = getattr(model, "mean_", None) if name == "StandardScaler" else getattr(model, "center_", None)
        factors = np.ones(size) if model.scale_ is None else 1 / np.asarray(model.scale_)
        offsets = -factors * centre if centre is not None and _centred(model) else np.zeros(size)
    return graph.add(Scale(size), value, name=name, own={"weight": factors, "bias": offsets})


def _centred(model: Any) -> bool:
    return bool(getattr(model, "with_mean", getattr(model, "with_centering", False)))


def _numbers_only(model: Any, output: Output | None) -> None:
    if output is not None:
        raise ParamError(f"from_sklearn: {_name(model)} with output={output!r} is not supported; it gives numbers: leave output out")


from . import forests  # noqa: E402, F401
