"""Models of scikit-learn: as it evaluates them, and on shares."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest
from networks import between, holds, private

sk = pytest.importorskip("sklearn")

from sklearn import cluster, datasets, decomposition, ensemble, linear_model, model_selection, neural_network, svm, tree  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.pipeline import Pipeline, make_pipeline  # noqa: E402
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
assert ConvergenceWarning

BREAST = datasets.load_breast_cancer(return_X_y=True)
IRIS = datasets.load_iris(return_X_y=True)
DIABETES = datasets.load_diabetes(return_X_y=True)


def scaled(estimator):
    return make_pipeline(StandardScaler(), estimator)


def perceptron(kind, **how):
    return kind(hidden_layer_sizes=(8, 6), max_iter=60, random_state=0, **how)


CLASSIFIERS = {
    "logistic of two": (linear_model.LogisticRegression(max_iter=300), scaled, BREAST, ("label", "probability", "score")),
    "logistic of three": (linear_model.LogisticRegression(max_iter=300), None, IRIS, ("label", "probability", "score")),
    "sgd": (linear_model.SGDClassifier(loss="log_loss", random_state=0), scaled, BREAST, ("label", "probability", "score")),
    "svc": (svm.LinearSVC(), scaled, IRIS, ("label", "score")),
    "ridge": (linear_model.RidgeClassifier(), scaled, BREAST, ("label", "score")),
    "perceptron relu": (perceptron(neural_network.MLPClassifier), scaled, IRIS, ("label", "probability")),
    "perceptron tanh": (perceptron(neural_network.MLPClassifier, activation="tanh"), scaled, BREAST, ("label", "probability")),
    "perceptron logistic": (perceptron(neural_network.MLPClassifier, activation="logistic"), scaled, IRIS, ("probability",)),
    "tree": (tree.DecisionTreeClassifier(max_depth=5, random_state=0), None, IRIS, ("label", "probability")),
    "forest": (ensemble.RandomForestClassifier(5, random_state=0), scaled, IRIS, ("label", "probability")),
    "extra trees": (ensemble.ExtraTreesClassifier(3, max_depth=5, random_state=0), None, BREAST, ("probability",)),
    "boosting of two": (ensemble.GradientBoostingClassifier(n_estimators=8, random_state=0), None, BREAST, ("label", "probability", "score")),
    "boosting of three": (ensemble.GradientBoostingClassifier(n_estimators=4, random_state=0), None, IRIS, ("label", "probability", "score")),
    "boosting exponential": (ensemble.GradientBoostingClassifier(loss="exponential", n_estimators=4, random_state=0), None, BREAST, ("probability",)),
    "histograms": (ensemble.HistGradientBoostingClassifier(max_iter=4, random_state=0), None, IRIS, ("label", "probability")),
}
NUMBERS = {
    "linear": (linear_model.LinearRegression(), "predict"),
    "ridge": (linear_model.Ridge(), "predict"),
    "lasso": (linear_model.Lasso(), "predict"),
    "elastic": (linear_model.ElasticNet(), "predict"),
    "sgd": (linear_model.SGDRegressor(random_state=0), "predict"),
    "svr": (svm.LinearSVR(random_state=0), "predict"),
    "perceptron": (perceptron(neural_network.MLPRegressor), "predict"),
    "perceptron identity": (perceptron(neural_network.MLPRegressor, activation="identity"), "predict"),
    "tree": (tree.DecisionTreeRegressor(max_depth=5, random_state=0), "predict"),
    "forest": (ensemble.RandomForestRegressor(4, max_depth=4, random_state=0), "predict"),
    "extra trees": (ensemble.ExtraTreesRegressor(3, max_depth=4, random_state=0), "predict"),
    "boosting": (ensemble.GradientBoostingRegressor(n_estimators=5, random_state=0), "predict"),
    "boosting zero": (ensemble.GradientBoostingRegressor(n_estimators=5, init="zero", random_state=0), "predict"),
    "histograms": (ensemble.HistGradientBoostingRegressor(max_iter=3, random_state=0), "predict"),
    "components": (decomposition.PCA(4), "transform"),
    "whitened": (decomposition.PCA(3, whiten=True), "transform"),
    "standard": (StandardScaler(), "transform"),
    "no mean": (StandardScaler(with_mean=False), "transform"),
    "no deviation": (StandardScaler(with_std=False), "transform"),
    "min max": (MinMaxScaler((-1, 3)), "transform"),
    "max abs": (MaxAbsScaler(), "transform"),
    "robust": (RobustScaler(), "transform"),
    "two scalers": (make_pipeline(MinMaxScaler(), StandardScaler()), "transform"),
    "pipeline": (make_pipeline(StandardScaler(), decomposition.PCA(5), MaxAbsScaler(), linear_model.Ridge()), "predict"),
    "scaled forest": (make_pipeline(RobustScaler(), ensemble.RandomForestRegressor(3, max_depth=4, random_state=0)), "predict"),
}


def by_framework(fitted, x, output):
    if output == "score":
        return fitted.decision_function(x)
    return fitted.predict(x) if output == "label" else fitted.predict_proba(x)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers_are_as_scikit_learn_has_them(name):
    estimator, wrap, (x, y), outputs = CLASSIFIERS[name]
    fitted = (wrap(estimator) if wrap else estimator).fit(x, y)
    many = between(x)
    for output in outputs:
        model = ht.nn.from_sklearn(fitted, output=output)
        want, got = by_framework(fitted, many, output), model.plain(many)
        if output == "label":
            assert model.classes == list(fitted.classes_)
            assert np.array_equal(np.asarray(model.classes)[got], want)
            continue
        if got.shape[1] == 1:
            want = want[:, 1:] if output == "probability" else want[:, None]
        assert np.abs(got - want).max() <= 1e-9 * max(1, np.abs(want).max())


@pytest.mark.parametrize("name", NUMBERS)
def test_models_that_give_numbers_are_as_scikit_learn_has_them(name):
    estimator, how = NUMBERS[name]
    x, y = DIABETES
    fitted = estimator.fit(x, y)
    many = between(x)
    want = getattr(fitted, how)(many)
    got = ht.nn.from_sklearn(fitted).plain(many)
    assert got.shape == (want.shape if want.ndim == 2 else (1000, 1))
    assert np.abs(got - want.reshape(got.shape)).max() <= 1e-9 * max(1, np.abs(want).max())


def sure(scores, bound):
    """Where a bound leaves no doubt about the greatest score, or about the sign of a single one."""
    if scores.shape[1] == 1:
        return np.abs(scores[:, 0]) > bound
    ordered = np.sort(scores, axis=1)
    return ordered[:, -1] - ordered[:, -2] > 2 * bound


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers_on_shares(name):
    estimator, wrap, (x, y), outputs = CLASSIFIERS[name]
    fitted = (wrap(estimator) if wrap else estimator).fit(x, y)
    for output in outputs:
        model = ht.nn.from_sklearn(fitted, output=output).calibrate(x)
        some = between(x, 1)
        if output != "label":
            holds(model, some)
            continue
        (got,), bound, unsure = private(model, some), model.report(measure=False).sure, model.unsure(some)
        last = len(model.graph.nodes)
        model.graph.outputs = [last - 1]  # the scores that are decided about
        clearly = sure(model.plain(some), bound) & ~unsure
        found = np.asarray(model.classes)[got.astype(int)]
        assert np.array_equal(found[clearly], fitted.predict(some)[clearly])
        assert (found == fitted.predict(some)).mean() > 0.9 and clearly.any()


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_on_shares(name):
    estimator, _ = NUMBERS[name]
    x, y = DIABETES
    model = ht.nn.from_sklearn(estimator.fit(x, y)).calibrate(x)
    some = between(x, 2)
    assert model.unsure(some).mean() < 0.3
    holds(model, some, owner=1, giver=0)


def test_centres_and_their_labels_as_text():
    x, y = IRIS
    fitted = make_pipeline(StandardScaler(), cluster.KMeans(4, n_init=1, random_state=0)).fit(x)
    model = ht.nn.from_sklearn(fitted)
    many = between(x)
    assert np.array_equal(model.plain(many), fitted.predict(many))
    (got,) = private(model.calibrate(x), x[::5])
    assert (got == fitted.predict(x[::5])).mean() > 0.95
    named = linear_model.LogisticRegression(max_iter=300).fit(x, np.array(["setosa", "versicolor", "virginica"])[y])
    model = ht.nn.from_sklearn(named).calibrate(x)

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        opened = p.open(net(net.input(x if p.role == 1 else None, owner=1, shape=len(x))))
        return net.labels(opened)

    for labels in ht.run_pair(party):
        assert (labels == named.predict(x)).mean() > 0.98


def test_distances_from_centres():
    x, y = DIABETES
    for kind in (cluster.KMeans, cluster.MiniBatchKMeans):
        fitted = make_pipeline(StandardScaler(), kind(6, n_init=1, random_state=0), linear_model.Ridge()).fit(x, y)
        model = ht.nn.from_sklearn(fitted)
        assert np.abs(model.plain(x)[:, 0] - fitted.predict(x)).max() < 1e-9
        holds(model.calibrate(x), x[:20])
    inner = make_pipeline(cluster.KMeans(3, n_init=1, random_state=0), linear_model.LogisticRegression(max_iter=500))
    fitted = make_pipeline(StandardScaler(), inner).fit(*IRIS)
    assert np.array_equal(ht.nn.from_sklearn(fitted).plain(between(IRIS[0])), fitted.predict(between(IRIS[0])))
    # At a centre the distance is a 16th of the usual one.
    fitted = make_pipeline(cluster.KMeans(3, n_init=1, random_state=0), StandardScaler(with_mean=False, with_std=False)).fit(x)
    found = ht.nn.from_sklearn(fitted).plain(fitted[0].cluster_centers_)
    assert np.allclose(np.diag(found), np.sqrt(fitted[0].inertia_ / len(x)) / 16)
    assert np.allclose(found[0, 1:], fitted.transform(fitted[0].cluster_centers_)[0, 1:])


@pytest.mark.parametrize("kind", [tree.DecisionTreeClassifier, ensemble.RandomForestClassifier, ensemble.HistGradientBoostingClassifier])
def test_a_classifier_of_one_class(kind):
    """It has no probabilities to give, and always the same label."""
    x = np.random.default_rng(0).normal(size=(30, 2))
    fitted = kind().fit(x, ["only"] * 30)
    model = ht.nn.from_sklearn(fitted).calibrate(x)
    assert model.classes == ["only"] and private(model, x[:3])[0].tolist() == [0, 0, 0]
    message = rf"{kind.__name__} that was fitted with one class, .*'only'.*, .*output='probability'; accepted: 'label', or two classes"
    with pytest.raises(ht.ParamError, match=message):
        ht.nn.from_sklearn(fitted, output="probability")


def test_sparse_coefficients():
    x, y = IRIS
    for estimator in (linear_model.LogisticRegression(max_iter=300), linear_model.SGDClassifier(random_state=0)):
        fitted = estimator.fit(x, y)
        want = fitted.decision_function(x)
        assert np.allclose(ht.nn.from_sklearn(fitted.sparsify(), output="score").plain(x), want)


def test_labels_that_are_dates():
    x, y = IRIS
    fitted = linear_model.LogisticRegression(max_iter=300).fit(x, np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="M8[D]")[y])
    with pytest.raises(ht.ParamError, match="classes: label .*2020-01-01.* is not supported; accepted: texts of up to 64"):
        ht.nn.from_sklearn(fitted)
    assert ht.nn.from_sklearn(fitted, output="score").classes is None


def test_pipelines_in_pipelines():
    x, y = IRIS
    inner = make_pipeline(decomposition.PCA(3), Pipeline([("nothing", "passthrough"), ("scale", MaxAbsScaler())]))
    logistic = linear_model.LogisticRegression(max_iter=300)
    for fitted in (
        make_pipeline(StandardScaler(), inner, logistic),
        make_pipeline(inner, make_pipeline(StandardScaler(), logistic)),
        Pipeline([("none", None), ("inner", make_pipeline(StandardScaler(), cluster.KMeans(4, n_init=1, random_state=0)))]),
    ):
        fitted.fit(x, y)
        model = ht.nn.from_sklearn(fitted)
        assert np.array_equal(model.plain(between(x)), fitted.predict(between(x)))
        assert (private(model.calibrate(x), x[::5])[0] == fitted.predict(x[::5])).mean() > 0.95
        assert model.classes == (None if "inner" in dict(fitted.steps) else [0, 1, 2])


def test_trees_with_numbers_at_their_thresholds():
    """An input that is equal to a threshold goes to the left, whatever both are rounded to."""
    rng = np.random.default_rng(3)
    x = rng.integers(-40, 40, (300, 3)) * 0.1 + 0.05
    fitted = tree.DecisionTreeRegressor(max_depth=6, random_state=0).fit(x, np.sin(x[:, 0]) + x[:, 1])
    model = ht.nn.from_sklearn(fitted)
    at = model.graph.nodes[0].own["threshold"]
    points = np.repeat(at[at != 0], 3).astype(np.float32).astype(np.float64)[: 3 * 10].reshape(-1, 3)
    model.calibrate(x)
    assert not model.unsure(points).any()
    holds(model, points)


def test_a_tree_of_one_leaf_and_a_forest_with_trees_of_all_sizes():
    x = np.random.default_rng(0).normal(size=(60, 2))
    alone = tree.DecisionTreeRegressor().fit(x, np.full(60, 2.5))
    model = ht.nn.from_sklearn(alone).calibrate(x)
    assert np.abs(private(model, x[:5])[0] - 2.5).max() <= model.report().error
    uneven = ensemble.GradientBoostingRegressor(n_estimators=3, max_depth=None, max_leaf_nodes=7, random_state=0).fit(x, x[:, 0] ** 2)
    model = ht.nn.from_sklearn(uneven).calibrate(x)
    holds(model, x)


@pytest.mark.parametrize(
    ("estimator", "how", "message"),
    [
        (svm.SVC(), {}, "SVC is not supported; accepted: DecisionTreeClassifier, .*Pipeline"),
        (linear_model.LinearRegression(), {"output": "label"}, "LinearRegression with output='label'"),
        (svm.LinearSVC(), {"output": "probability"}, "LinearSVC with output='probability'"),
        (tree.DecisionTreeClassifier(), {"output": "score"}, "DecisionTreeClassifier with output='score'"),
        (linear_model.LogisticRegression(), {"output": "logits"}, "output='logits'"),
        (MinMaxScaler(clip=True), {}, "clip=True"),
        (make_pipeline(StandardScaler(), svm.SVC()), {}, "SVC is not supported"),
        (make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), svm.SVC())), {}, "SVC is not supported"),
        (make_pipeline(cluster.KMeans(100, n_init=1), linear_model.Ridge()), {}, "KMeans with a centre at each row, .* accepted: fewer centres"),
        (model_selection.GridSearchCV(linear_model.Ridge(), {"alpha": [1.0, 2.0]}), {}, "GridSearchCV is not supported; .*; give its best_estimator_"),
    ],
)
def test_what_is_not_supported_is_named(estimator, how, message):
    x, y = IRIS
    with pytest.raises(ht.ParamError, match=message):
        ht.nn.from_sklearn(estimator.fit(x[:100], y[:100]), **how)


def test_estimators_that_are_not_fitted_or_not_finite():
    with pytest.raises(ht.ParamError, match="Ridge is not fitted"):
        ht.nn.from_sklearn(linear_model.Ridge())
    with pytest.raises(ht.ParamError, match="StandardScaler is not fitted"):
        ht.nn.from_sklearn(make_pipeline(StandardScaler(), linear_model.Ridge()))
    with pytest.raises(ht.ParamError, match=r"the class Ridge is not supported; accepted: an estimator, as Ridge\(\).fit"):
        ht.nn.from_sklearn(linear_model.Ridge)
    for other in (None, [linear_model.Ridge()], np.ones(3), "Ridge"):
        with pytest.raises(ht.ParamError, match=f"from_sklearn: {type(other).__name__} is not supported; accepted: DecisionTree"):
            ht.nn.from_sklearn(other)
    fitted = linear_model.Ridge().fit(*DIABETES)
    fitted.coef_[3] = np.nan
    with pytest.raises(ht.ParamError, match=r"layer 'Ridge' \(linear\): weight has nan at \(3, 0\)"):
        ht.nn.from_sklearn(fitted)


class Doubled(linear_model.Ridge):
    """An estimator of one's own, with another result."""

    def predict(self, x):
        return 2 * super().predict(x)


class Bent:
    """What changes an estimator that comes behind it."""

    def decision_function(self, x):
        return -super().decision_function(x)


class BentClassifier(Bent, linear_model.LogisticRegression):
    pass


class Named(linear_model.Ridge):
    """One that computes the same."""

    def fit(self, x, y):
        self.fitted_on = len(x)
        return super().fit(x, y)

    def about(self):
        return "a ridge"


def test_subclasses_that_compute_something_else_are_refused():
    x, y = DIABETES
    with pytest.raises(ht.ParamError, match=r"Doubled, which has a predict of its own, is not supported; accepted: Ridge as it is"):
        ht.nn.from_sklearn(Doubled().fit(x, y))
    with pytest.raises(ht.ParamError, match=r"Doubled, which has a predict of its own"):
        ht.nn.from_sklearn(make_pipeline(StandardScaler(), Doubled()).fit(x, y))
    with pytest.raises(ht.ParamError, match=r"BentClassifier, which has a decision_function of its own, is not supported; accepted: LogisticRegression"):
        ht.nn.from_sklearn(BentClassifier(max_iter=300).fit(*IRIS))
    single = linear_model.Ridge().fit(x, y)
    single.predict = lambda x: 0 * x[:, 0]
    with pytest.raises(ht.ParamError, match=r"Ridge, which has a predict of its own"):
        ht.nn.from_sklearn(single)
    same = Named().fit(x, y)
    assert np.abs(ht.nn.from_sklearn(same).plain(x)[:, 0] - same.predict(x)).max() < 1e-9


def test_a_model_does_not_change_with_its_estimator():
    x, y = DIABETES
    for fitted in (linear_model.Ridge().fit(x, y), tree.DecisionTreeRegressor(max_depth=3).fit(x, y), perceptron(neural_network.MLPRegressor).fit(x, y)):
        model = ht.nn.from_sklearn(fitted)
        before = model.plain(x)
        for name in ("coef_", "coefs_"):
            for array in np.atleast_1d(getattr(fitted, name, [])) if name == "coef_" else getattr(fitted, name, []):
                array *= 0.5
        if hasattr(fitted, "tree_"):
            fitted.tree_.value[:] = 0
        assert np.array_equal(model.plain(x), before)
