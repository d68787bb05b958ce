"""Trees whose features are far from 0, tiny, or at their thresholds: right, or said to be unsure."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest
from networks import holds, private

pytest.importorskip("sklearn")

from sklearn import decomposition, ensemble, linear_model, tree  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler  # noqa: E402

KINDS = {
    "tree": lambda: tree.DecisionTreeRegressor(max_depth=4, random_state=0),
    "forest": lambda: ensemble.RandomForestRegressor(4, max_depth=4, random_state=0),
    "boosting": lambda: ensemble.GradientBoostingRegressor(n_estimators=4, random_state=0),
    "histograms": lambda: ensemble.HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=5, random_state=0),
}


def target(x):
    return np.sin(3 * x[:, 0]) + x[:, 1] * (x[:, -1] > 0.2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", ["x + 1e6", "x * 1e-6", "x * 1e-6 + 1", "all", "x * 1e7 - 1e9", "scaled", "1e-13"])
def test_features_far_from_zero_and_tiny_ones(kind, change):
    rng = np.random.default_rng(len(change))
    plain = rng.normal(size=(300, 4))
    move = {
        "x + 1e6": lambda x: x + 1e6,
        "x * 1e-6": lambda x: x * 1e-6,
        "x * 1e-6 + 1": lambda x: x * 1e-3 + 1,
        "all": lambda x: x * [1e-6, 1.0, 1e5, 1.0] + [0.0, 1e6, -1e8, 0.0],
        "x * 1e7 - 1e9": lambda x: x * 1e7 - 1e9,
        "scaled": lambda x: x + 1e6,
        "1e-13": lambda x: x * 1e-13,
    }[change]
    x = move(plain)
    fitted = KINDS[kind]()
    fitted = (make_pipeline(StandardScaler(), fitted) if change == "scaled" else fitted).fit(x, target(plain))
    model = ht.nn.from_sklearn(fitted).calibrate(x)
    new = move(rng.normal(size=(40, 4)))
    new = np.clip(new, x.min(axis=0), x.max(axis=0))
    assert np.abs(model.plain(new)[:, 0] - fitted.predict(new)).max() < 1e-9
    assert model.unsure(new).mean() < 0.2, "a step is small beside what features differ by"
    assert holds(model, new) <= model.report(measure=False).sure < 0.1


MISSING = {
    "tree": lambda: tree.DecisionTreeRegressor(max_depth=4, random_state=0),
    "tree of classes": lambda: tree.DecisionTreeClassifier(random_state=0),
    "forest": lambda: ensemble.RandomForestRegressor(4, max_depth=5, random_state=0),
    "extra trees": lambda: ensemble.ExtraTreesRegressor(4, max_depth=5, random_state=0),
    "histograms": lambda: ensemble.HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=2, random_state=0),
}


@pytest.mark.parametrize("kind", MISSING)
def test_trees_that_were_fitted_with_missing_values_take_rows_without(kind):
    """Some nodes ask only whether a value is missing: none of an input is."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(150, 3))
    gaps = np.where(rng.random(x.shape) < 0.4, np.nan, x)
    y = np.where(np.isnan(gaps[:, 0]), 3.0, target(x) + 0.1 * rng.normal(size=150))
    fitted = MISSING[kind]().fit(gaps, (y > 1).astype(int) if kind == "tree of classes" else y)
    trees = fitted._predictors if kind == "histograms" else getattr(fitted, "estimators_", [fitted])
    asked = [each[0].nodes["num_threshold"] for each in trees] if kind == "histograms" else [each.tree_.threshold for each in trees]
    assert kind == "extra trees" or any(np.isinf(of).any() for of in asked), "what this test is about does happen"
    model = ht.nn.from_sklearn(fitted)
    assert np.abs(np.ravel(model.plain(x)) - fitted.predict(x)).max() < 1e-9
    holds(model.calibrate(x), x[:30])
    with pytest.raises(ht.ParamError, match=r"input 'x': nan at \(\d+, \d\) is not supported; accepted: finite numbers"):
        model.plain(gaps)


def test_a_tree_that_asks_only_for_missing_values_is_one_leaf():
    x = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    fitted = tree.DecisionTreeRegressor(max_depth=1).fit(x, [5.0, 5.0, 7.0, 7.0])
    assert np.isinf(fitted.tree_.threshold).any()
    model = ht.nn.from_sklearn(fitted).calibrate(x[:2])
    assert private(model, np.array([[1.5], [1.9]]))[0].tolist() == [[5.0], [5.0]]


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(s, marks=pytest.mark.long) for s in range(6, 40))])
def test_numbers_about_their_thresholds_are_said_to_be_unsure(seed):
    """What goes another way than in exact numbers is unsure, and within the bound that says so."""
    rng = np.random.default_rng(seed)
    move, size = float(rng.choice([0.0, 1.0, 1e6, -3e4])), float(2.0 ** rng.integers(-12, 6))
    x = rng.normal(size=(200, 3)) * size + move
    fitted = KINDS[str(rng.choice(list(KINDS)))]().fit(x, target((x - move) / size))
    model = ht.nn.from_sklearn(fitted).calibrate(x, fraction=int(rng.integers(6, 14)))
    how, step = model.formats.inputs[0], model.formats.step
    own = model.graph.nodes[0].own
    rows = x[rng.integers(0, 200, 60)]
    # One number of each row is put beside a threshold, by parts of a step.
    chosen = rng.integers(0, own["threshold"].size, 60)
    at = np.argmax(own["feature"], axis=0)[chosen]
    steps = rng.choice([-1.5, -1, -0.5, -0.1, 0, 1e-6, 0.1, 0.5, 0.9, 0.999, 1, 1.001, 1.5, 3], 60) * step / how.factors()[at]
    rows[np.arange(60), at] = own["threshold"][chosen] + steps
    rows = np.clip(rows, x.min(axis=0), x.max(axis=0))
    holds(model, rows)
    assert np.abs(model.fixed(rows) - private(model, rows)[0]).max() <= max(0.01, 2 * step), "rounded numbers turn the same way"


def test_rounding_takes_some_rows_another_way():
    """What the test above is about does happen."""
    turned = 0
    for seed in range(5):
        x = np.random.default_rng(seed).normal(size=(200, 2))
        model = ht.nn.from_sklearn(tree.DecisionTreeRegressor(max_depth=4, random_state=0).fit(x, target(x))).calibrate(x, fraction=6)
        own, how = model.graph.nodes[0].own, model.formats.inputs[0]
        threshold, at = own["threshold"][0], int(np.argmax(own["feature"][:, 0]))
        rows = np.repeat(x[:30], 3, axis=0)
        rows[:, at] = threshold + np.resize([0.3, 0.6, 1.2], 90) * model.formats.step / how.factors()[at]
        off = np.abs(model.fixed(rows) - model.plain(rows)).max(axis=1)
        unsure, report = model.unsure(rows), model.report(measure=False)
        assert (off[~unsure] <= report.sure).all() and (off <= report.error).all() and report.error > report.sure
        assert not unsure.reshape(-1, 3)[:, 2].all()
        assert f"model.unsure leaves out: {report.sure:.2g}" in str(report)
        turned += (off > report.sure).sum()
    assert turned > 0


@pytest.mark.parametrize("seed", range(4))
def test_trees_behind_components(seed):
    """Numbers that were computed are off by more than half a step."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(200, 6)) * 2.0 ** rng.integers(-3, 4, 6)
    fitted = make_pipeline(decomposition.PCA(3), KINDS["forest"]()).fit(x, target(x))
    model = ht.nn.from_sklearn(fitted).calibrate(x, fraction=8)
    assert [node.layer.op for node in model.graph.nodes] == ["linear", "forest"]
    holds(model, x[:60])
    assert model.unsure(x).mean() < 0.5
    # Components that lie beside a threshold, by steps.
    own = model.graph.nodes[1].own
    chosen = rng.integers(0, own["threshold"].size, 60)
    components = fitted[0].transform(x[:60])
    components[np.arange(60), np.argmax(own["feature"], axis=0)[chosen]] = own["threshold"][chosen] + rng.integers(-3, 4, 60) * 2.0**-8
    holds(model, np.clip(fitted[0].inverse_transform(components), x.min(axis=0), x.max(axis=0)))


def test_centres_are_public_and_shares_made_elsewhere_are_brought_to_them():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3)) + [1e4, 0.0, -1e4]
    model = ht.nn.from_sklearn(KINDS["tree"]().fit(x, target(x - x.mean(axis=0)))).calibrate(x, bits=40)
    centre = model.formats.inputs[0].centre
    assert abs(centre[0] - 1e4) <= 4 and centre[1] == 0 and all(c == round(c) for c in centre)
    with pytest.raises(ht.ParamError, match=r"input 'x': 0.0 at \(0, 0\) is not supported; accepted: 99[89]\d.* to 100"):
        model.fixed(np.zeros((1, 3)))
    rows = x[~model.unsure(x)][:20]
    apart = rows[np.abs(rows[:, None] - model.graph.nodes[0].own["threshold"][None, :, None]).min(axis=(1, 2)) > 2.0**-10]

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        made = p.input(apart if p.role == 1 else None, owner=1, shape=apart.shape, bits=40, fraction=12, range=(-20000, 20000))
        columns = [net.input(rows[:, c] if p.role == 1 else None, owner=1, shape=(20, len(c)), columns=c) for c in ([2], [0, 1])]
        return p.open(net(net.adapt(made))), p.open(net(net.join(*columns)))

    for adapted, given in ht.run_pair(party):
        assert np.abs(adapted - model.plain(apart)).max() <= model.report(measure=False).sure
        assert np.abs(given - model.plain(rows)).max() <= model.report(measure=False).sure


def test_a_network_without_trees_is_sure_of_all_rows():
    x = np.random.default_rng(0).normal(size=(20, 3))
    model = ht.nn.from_sklearn(linear_model.Ridge().fit(x, x[:, 0])).calibrate(x)
    report = model.report(measure=False)
    assert not model.unsure(x).any() and report.sure == report.error and "unsure" not in str(report)


@pytest.mark.parametrize("scaler", (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler))
def test_thresholds_behind_scalers_that_are_numbers_of_the_training_data(scaler):
    """Histograms of more rows than bins split at such numbers: the scaler rounds these rows as it rounded the threshold."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(500, 4)) * [1, 10, 0.1, 3] + [0, 5, 1, 0]
    trained = make_pipeline(scaler(), ensemble.HistGradientBoostingRegressor(max_iter=6, random_state=0)).fit(x, x[:, 0] * x[:, 1])
    model = ht.nn.from_sklearn(trained).calibrate(x)
    assert np.abs(model.plain(x)[:, 0] - trained.predict(x)).max() <= 1e-9
    assert model.unsure(x).mean() <= 0.01
    assert holds(model, x[:100]) <= 0.01
