"""Models of scikit-learn as graphs. Estimators are told by the names of their classes: nothing is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args

import numpy as np

from ..errors import ParamError
from .graph import Graph, Input, named, one_of
from .layer import Array
from .layers.choice import ArgMax, Positive
from .layers.elementwise import Curve
from .layers.linear import Linear
from .layers.norm import Softmax
from .model import Model

Output = Literal["label", "probability", "score"]

# What is asked of a step: "transform" of all but the last one.
Asked = Literal["label", "probability", "score", "transform"]

# What appends an estimator to a graph: the number of its scores, and classes if it is a classifier.
Importer = Callable[[Graph, int, Any, "Asked | None"], int]

IMPORTERS: dict[str, Importer] = {}

# Methods that a subclass may have of its own, besides what is set or got, and `__init__`: they do not change what a fitted
# estimator computes.
HARMLESS = ("fit", "partial_fit", "score")


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
    `decision_function`, where there is one. Others give numbers, as `predict`, or `transform`. `KMeans` gives
    the place of a centre, and distances to steps behind it. The names of features that an estimator was fitted with are those of the model: `Model.features`.

    Raises `ParamError` for estimators that are not supported, naming them and those that are, and for ones that are not
    fitted.
    """
    one_of("from_sklearn: output", output, (None, *get_args(Output)))
    if isinstance(estimator, type):
        raise ParamError(f"from_sklearn: the class {estimator.__name__} is not supported; accepted: an estimator, as {estimator.__name__}().fit(x, y)")
    steps = list(_steps(estimator))
    if not steps:
        raise ParamError("from_sklearn: an empty pipeline; accepted: at least one estimator")
    called = [_supported(step) for step in steps]
    features = getattr(estimator, "n_features_in_", None) or getattr(steps[0], "n_features_in_", None)
    if features is None:
        raise ParamError(f"from_sklearn: {name_of(steps[0])} is not fitted; call fit first")
    graph = Graph([named(Input("x", (-1, int(features))), getattr(steps[0], "feature_names_in_", None))])
    value = 0
    for i, (step, appended) in enumerate(zip(steps, called, strict=True)):
        try:
            value = appended(graph, value, step, output if i == len(steps) - 1 else "transform")
        except AttributeError as error:
            raise ParamError(f"from_sklearn: {name_of(step)} is not fitted, or of a version that is not supported: {error}") from None
    graph.outputs = [value]
    labels = getattr(steps[-1], "classes_", None)
    if labels is not None and len(labels) == 1 and output not in (None, "label"):
        raise ParamError(
            f"from_sklearn: {name_of(steps[-1])} that was fitted with one class, {labels[0]!r:.60}, is not supported with "
            f"output={output!r}; accepted: 'label', or two classes at least"
        )
    return Model(graph, list(labels) if labels is not None and output != "score" else None)


def _steps(estimator: Any) -> Iterator[Any]:
    """The estimators of a pipeline, and of pipelines in it, but those that let through what they get."""
    if name_of(estimator) != "Pipeline":
        yield estimator
        return
    for _, step in estimator.steps:
        if step is not None and not isinstance(step, str):
            yield from _steps(step)


def _supported(step: Any) -> Importer:
    for kind in type(step).__mro__:
        if kind.__name__ in IMPORTERS and kind.__module__.startswith("sklearn."):
            _unchanged(step, kind)
            return IMPORTERS[kind.__name__]
    best = "; give its best_estimator_" if hasattr(step, "best_estimator_") else ""
    raise ParamError(f"from_sklearn: {name_of(step)} is not supported; accepted: {', '.join(sorted(IMPORTERS))}, Pipeline{best}")


def _unchanged(step: Any, kind: type) -> None:
    """Raises `ParamError` for an estimator that computes something else than the class of scikit-learn that it derives from."""
    below = type(step).__mro__[: type(step).__mro__.index(kind)]
    own = [vars(step), *(vars(each) for each in below if not each.__module__.startswith("sklearn."))]
    for name in [name for names in own for name in names]:
        if callable(getattr(kind, name, None)) and not name.startswith(("__", "set_", "get_")) and name not in HARMLESS:
            raise ParamError(
                f"from_sklearn: {name_of(step)}, which has a {name} of its own, is not supported; accepted: {kind.__name__} as it is "
                f"in scikit-learn"
            )


def name_of(estimator: Any) -> str:
    return type(estimator).__name__


def linear(graph: Graph, value: int, weight: Array, bias: Array, name: str) -> int:
    """Appends `x @ weight + bias`."""
    weight = np.asarray(weight, dtype=np.float64)
    layer = Linear(*weight.shape)
    return graph.add(layer, value, name=name, own={"weight": weight, "bias": np.broadcast_to(bias, (weight.shape[1],))})


def decided(graph: Graph, value: int, estimator: Any, output: Asked | None, classes: int, sigmoids: bool | None) -> int:
    """What a classifier gives of its scores: one for two classes, else one for each. `sigmoids`: probabilities are made each
    by itself, rather than by softmax; `None`: there are none."""
    if output == "score":
        return value
    if output in (None, "label"):
        return graph.add(Positive() if classes == 2 else ArgMax(), value, name="label")
    if sigmoids is None or (sigmoids and classes > 2):
        raise ParamError(f"from_sklearn: {name_of(estimator)} with output='probability' is not supported; accepted: 'label' or 'score'")
    layer = Curve("sigmoid") if classes == 2 else Softmax()
    return graph.add(layer, value, name="probability")


def numbers_only(model: Any, output: Asked | None) -> None:
    if output not in (None, "transform"):
        raise ParamError(f"from_sklearn: {name_of(model)} with output={output!r} is not supported; it gives numbers: leave output out")
