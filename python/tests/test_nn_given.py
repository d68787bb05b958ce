"""What people give as inputs and labels: frames, sparse matrices, ids, and what is none of these."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import hushtable as ht
import numpy as np
import pytest
from hushtable.nn import description
from hushtable.nn.graph import Graph, Input
from hushtable.nn.layers.choice import ArgMax, Top
from hushtable.nn.layers.elementwise import Relu
from hushtable.nn.layers.embedding import Embed
from hushtable.nn.model import Model
from networks import private, small

pd, pl, pa = pytest.importorskip("pandas"), pytest.importorskip("polars"), pytest.importorskip("pyarrow")

NAMES = ["age", "bmi", "dose", "sex", "weight"]
ROWS = np.random.default_rng(3).uniform(-1, 1, (6, 5))
FRAMES = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "polars": lambda columns: pl.DataFrame(columns),
    "arrow": lambda columns: pa.table(columns),
    "dict": lambda columns: columns,
}


def framed(kind, names=NAMES, rows=ROWS):
    return FRAMES[kind]({name: rows[:, i] for i, name in enumerate(names)})


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_are_the_features_of_the_model_in_its_order(kind):
    model = small().name_features(NAMES)
    assert model.features == [tuple(NAMES)]
    assert np.array_equal(model.plain(framed(kind)), model.plain(ROWS))
    rng = np.random.default_rng(4)
    for _ in range(20):
        names = list(NAMES)
        if rng.integers(2):
            names[int(rng.integers(5))] = "other"
        names = [names[i] for i in rng.permutation(5)[: int(rng.integers(3, 6))]]
        wrong = [i for i in range(5) if i >= len(names) or names[i] != NAMES[i]]
        if not wrong:
            continue
        got = f"'{names[wrong[0]]}'" if wrong[0] < len(names) else "missing"
        message = f"input 'x': column {wrong[0]} is {got} where the model has '{NAMES[wrong[0]]}'; accepted: the 5 features"
        for call in (model.plain, model.fixed, model.calibrate):
            with pytest.raises(ht.ParamError, match=message):
                call(framed(kind, names, ROWS))
    with pytest.raises(ht.ParamError, match="column 5 is 'more' where the model has nothing"):
        model.plain(framed(kind, [*NAMES, "more"], np.ones((2, 6))))
    for message, names in (("there is no 'age'", ["AGE", *NAMES[1:]]), (r"put them in order by frame\[", NAMES[::-1])):
        with pytest.raises(ht.ParamError, match=message):
            model.plain(framed(kind, names))


@pytest.mark.parametrize("giver", [0, 1])
def test_the_party_that_gives_the_inputs_compares_them(giver):
    model = small().name_features(NAMES)

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        assert net.features == [tuple(NAMES)]
        if p.role == giver:
            with pytest.raises(ht.ParamError, match="column 0 is 'weight' where the model has 'age'"):
                net.input(framed("pandas", NAMES[::-1]), owner=giver)
        return p.open(net(net.input(framed("polars") if p.role == giver else None, owner=giver, shape=6)))

    for got in ht.run_pair(party):
        assert np.abs(got - model.plain(ROWS)).max() <= model.report(measure=False).error


def test_names_come_from_the_estimator_and_may_be_left_out():
    sk = pytest.importorskip("sklearn.linear_model")
    pipeline, scaler = pytest.importorskip("sklearn.pipeline"), pytest.importorskip("sklearn.preprocessing")
    frame, y = framed("pandas"), ROWS @ np.arange(5.0)
    for fitted in (sk.Ridge().fit(frame, y), pipeline.make_pipeline(scaler.StandardScaler(), sk.Ridge()).fit(frame, y)):
        model = ht.nn.from_sklearn(fitted).calibrate(frame)
        assert model.features == [tuple(NAMES)] and NAMES[0] in description.described(model)
        with pytest.raises(ht.ParamError, match="column 0 is 'weight'"):
            model.plain(frame[NAMES[::-1]])
        assert np.allclose(model.plain(frame)[:, 0], fitted.predict(frame))
        model.name_features(None)
        assert model.features == [()] and not any(name in description.described(model) for name in NAMES)
        model.plain(frame[NAMES[::-1]])
    assert ht.nn.from_sklearn(sk.Ridge().fit(ROWS, y)).features == [()]


def test_frames_without_names_of_their_own_are_arrays():
    model = small().name_features(NAMES)
    want = model.plain(ROWS)
    assert np.array_equal(model.plain(pd.DataFrame(ROWS)), want) and np.array_equal(model.plain(ROWS.tolist()), want)
    assert np.array_equal(small().plain(framed("pandas", NAMES[::-1])), small().plain(ROWS)), "the model has no names"


def test_columns_of_several_kinds_are_numbers():
    model = small().name_features(NAMES)
    mixed = pd.DataFrame({"age": [True, False], "bmi": [0.5, 1], "dose": [1, 0], "sex": pd.array([1, 0], dtype="Int64"), "weight": np.float32([0, 1])})
    assert np.asarray(mixed).dtype == object
    mixed["bmi"] = [Decimal("0.5"), Fraction(1)]
    assert np.array_equal(model.plain(mixed), model.plain([[1, 0.5, 1, 1, 0], [0, 1, 0, 0, 1]]))
    for column, value, message in (
        ("sex", ["m", "f"], r"numbers are expected, got 'm' at \(0, 3\), column 'sex'"),
        ("sex", [1, None], r"nan at \(1, 3\), column 'sex' is not supported; accepted: finite numbers"),
        ("dose", pd.array([None, 1], dtype="Int64"), r"numbers are expected, got <NA> at \(0, 2\), column 'dose'"),
        ("age", pd.to_datetime(["2020-01-01", "2020-01-02"]), r"numbers are expected, got Timestamp.* at \(0, 0\), column 'age'"),
    ):
        with pytest.raises((ht.ParamError, TypeError), match=message):
            model.plain(mixed.assign(**{column: value}))


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "coo_array"])
def test_sparse_matrices_are_arrays(kind):
    sparse = pytest.importorskip("scipy.sparse")
    rows = np.where(ROWS > 0.3, ROWS, 0)
    model = small()
    made = getattr(sparse, kind)(rows)
    assert np.array_equal(model.plain(made), model.plain(rows))

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        return p.open(net(net.input(made if p.role == 1 else None, owner=1, shape=6)))

    assert np.abs(ht.run_pair(party)[0] - model.plain(rows)).max() <= model.report(measure=False).error
    with pytest.raises(ht.ParamError, match=r"a sparse matrix of shape \(100000, 100000\) is not supported; accepted: up to"):
        model.plain(sparse.csr_array((100_000, 100_000)))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (None, "input 'x': numbers are expected, got None"),
        ("text", "numbers are expected, got 'text'"),
        ([[1, 2, 3, 4, 5], [1]], "an array of numbers is expected, got list that is none"),
        ([["1.5"] * 5], r"numbers are expected, got '1.5' at \(0, 0\)"),
        (np.ones((2, 5), dtype=complex), "numbers are expected, got complex128"),
        (np.ma.masked_array(np.ones((2, 5)), [[0] * 5, [0, 0, 1, 0, 0]]), r"nothing at \(1, 2\), which is masked"),
        (np.full((2, 5), np.inf), r"inf at \(0, 0\) is not supported; accepted: finite numbers"),
        ([[10**400] * 5], "numbers beyond those of 64 bits"),
        (np.ones(5), r"shape \(5,\) where \(-1, 5\) is expected"),
        (np.ones((0, 5)), r"shape \(0, 5\) where"),
        (small, "numbers are expected, got <function small"),
        ({"a": [1]}, r"shape \(1, 1\) where"),
    ],
)
def test_what_is_no_input(values, message):
    model = small()
    for call in (model.plain, model.fixed, model.calibrate):
        with pytest.raises((ht.ParamError, ht.ShapeError, TypeError), match=message):
            call(values)
    if values is not None:

        def party(p):
            net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
            with pytest.raises((ht.ParamError, ht.ShapeError, TypeError), match=message):
                net.input(values, owner=p.role)

        ht.run_pair(party)


def embedded(rows=9):
    graph = Graph([Input("x", (-1, 3), "ids")])
    graph.outputs = [graph.add(Embed(rows, 2), 0, own={"weight": np.arange(2.0 * rows).reshape(rows, 2) / 32})]
    return Model(graph)


def test_ids_are_rows_of_the_table():
    model = embedded()
    model.calibrate(np.arange(9).reshape(3, 3))
    for ids, error, message in (
        ([[0, -1, 2]], ht.ParamError, r"input 'x': id -1 at \(0, 1\) is not supported; accepted: 0 to 8, a row of the table"),
        ([[0, 9, 2]], ht.ParamError, r"id 9 at \(0, 1\)"),
        ([[0, 1.0, 2]], TypeError, "whole numbers are expected, ids of rows, got float64"),
        ([["a", "b", "c"]], TypeError, "numbers are expected"),
    ):
        for call in (model.plain, model.fixed, model.calibrate):
            with pytest.raises(error, match=message):
                call(ids)

        def party(p, ids=ids, error=error, message=message):
            net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
            with pytest.raises(error, match=message):
                net.input(ids, owner=p.role)

        ht.run_pair(party)
    assert np.array_equal(private(model, np.array([[8, 0, 8]]))[0], model.plain([[8, 0, 8]]))


def test_what_net_input_refuses():
    model = small()

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        for shape in (-2, 0, 2.5, "3", (2, -5), (2, 5.0), True, 2**40, ()):
            with pytest.raises(ht.ParamError, match="input 'x': shape=.* is not supported; accepted: rows, 1 to 2.28, or a whole shape"):
                net.input(None, owner=1 - p.role, shape=shape)
        for shape in ((2, 4), (2, 5, 1), [5]):
            with pytest.raises(ht.ShapeError, match=r"where \(-1, 5\) is expected"):
                net.input(None, owner=1 - p.role, shape=shape)
        for which in (3, -1, 1.0, None, "x", True):
            with pytest.raises(ht.ParamError, match=r"which=.* is not supported; accepted: the place of an input: 0 \(x\)"):
                net.input(None, owner=0, shape=3, which=which)
        for owner in (2, None, "0", -1, ROWS):
            with pytest.raises(ht.ParamError, match="input 'x': owner=.* is not supported; accepted: 0 or 1"):
                net.input(None, owner=owner, shape=3)
        share = net.input(ROWS if p.role == 0 else None, owner=0, shape=6)
        with pytest.raises(ht.ShapeError, match="1 inputs are expected"):
            net(share, share)
        with pytest.raises(TypeError, match="a share .* is expected, got ndarray|a share is expected, got ndarray"):
            net.adapt(ROWS)
        with pytest.raises(ht.ParamError, match="which=4 is not supported"):
            net.adapt(share, which=4)
        with pytest.raises(ht.ShapeError, match=r"shape \(6, 5\) where shape=\(4, 5\)"):
            net.input(ROWS, owner=p.role, shape=4)
        with pytest.raises(ht.ShapeError, match=r"values of shape \(2,\) where shape=\(4, 5\)"):
            net.input([1, 2], owner=p.role, shape=4)
        whole = np.int64(6)
        return p.open(net(net.input(ROWS if p.role == 1 else None, owner=1, shape=[whole, 5] if p.role else whole)))

    assert np.abs(ht.run_pair(party)[0] - model.plain(ROWS)).max() < 0.1


def test_an_input_of_one_size_takes_no_other_number_of_rows():
    graph = Graph([Input("x", (4, 5))])
    graph.outputs = [graph.add(Relu(), 0)]
    model = Model(graph).calibrate(np.ones((4, 5)))

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        with pytest.raises(ht.ShapeError, match=r"shape \(3,\) where \(4, 5\)"):
            net.input(None, owner=1 - p.role, shape=3)
        net.input(np.ones((4, 5)) if p.role == 0 else None, owner=0, shape=4)

    ht.run_pair(party)


def test_what_calibrate_refuses():
    model = small()
    for how, message in (
        ({"fraction": 12.5}, "fraction=12.5 is not supported; accepted: a whole number, 6 to 24"),
        ({"fraction": "12"}, "fraction='12'"),
        ({"fraction": None}, "fraction=None"),
        ({"bits": 32.0}, "bits=32.0 is not supported; accepted: a whole number, 16 to 64"),
        ({"bits": True}, "bits=True"),
        ({"margin": "2"}, "margin='2' is not supported; accepted: a number from 1 to"),
        ({"margin": None}, "margin=None"),
        ({"margin": np.nan}, "margin=nan"),
    ):
        with pytest.raises(ht.ParamError, match=message):
            model.calibrate(ROWS, **how)
    assert model.calibrate(ROWS, fraction=np.int64(10), bits=np.int32(40), margin=np.float32(2)).formats.bits == 40


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (NAMES[:4], r"input 'x' of shape \(-1, 5\): 4 names are not supported; accepted: a name for each feature"),
        ([*NAMES[:4], 3], "name 3 of feature 4 is not supported; accepted: a text of up to 256 characters"),
        ([*NAMES[:4], "x" * 257], "of feature 4"),
    ],
)
def test_names_that_features_cannot_have(names, message):
    with pytest.raises(ht.ParamError, match=message):
        small().name_features(names)
    for what in ("abcde", 3, set(NAMES), np.array(2)):
        with pytest.raises(TypeError, match="names in their order, as a list, are expected, got"):
            small().name_features(what)
    with pytest.raises(ht.ParamError, match="which=1"):
        small().name_features(NAMES, which=1)


@pytest.mark.parametrize(
    "label", [np.datetime64("2020-01-01"), np.datetime64(5, "ns"), datetime.date(2020, 1, 1), np.nan, 2**63, None, "x" * 65, b"a", (1, 2), 1j]
)
def test_labels_that_cannot_be_told(label):
    with pytest.raises(ht.ParamError, match="classes: label .* is not supported; accepted: texts of up to 64 characters, whole numbers"):
        small(classes=["a", label, "c"])


def test_as_many_labels_as_the_network_tells_apart():
    for classes in (["a", "b"], list("abcd"), []):
        with pytest.raises(ht.ParamError, match=f"classes: {len(classes)} labels are not supported; accepted: 3, which is how many"):
            Model(small(classes=["a", "b", "c"]).graph, classes)
        with pytest.raises(ht.ParamError, match="accepted: 3, which"):
            Model(small().graph, classes)  # scores of three
    for classes in ("abc", 3, {"a", "b", "c"}, {"a": 0, "b": 1, "c": 2}):
        with pytest.raises(TypeError, match="classes: labels in their order, as a list, are expected, got"):
            Model(small(classes=["a", "b", "c"]).graph, classes)
    graph = Graph([Input("x", (-1, 4))])
    graph.outputs = [graph.add(Top(2, True), 0), graph.add(ArgMax(), 0)]
    assert Model(graph, iter("abcd")).classes == list("abcd")
    with pytest.raises(TypeError, match="Model: made by from_sklearn"):
        Model(ROWS)


def test_labels_of_opened_results():
    model = small(classes=["a", 2, True])

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        assert net.labels([0, 2.0, 1]).tolist() == ["a", True, 2] and net.labels([]).tolist() == []
        share = net(net.input(ROWS if p.role == 1 else None, owner=1, shape=6))
        for opened, message in (
            (None, "labels: None is not supported; .*only who results are opened to has them"),
            ([0, 3], r"labels: 3 at \(1,\) is not supported, of 3 classes; accepted: opened results of a network"),
            ([0, -1], r"labels: -1 at \(1,\)"),
            ([0.5], r"labels: 0.5 at \(0,\)"),
            ([np.nan], r"labels: nan at \(0,\)"),
            (["a"], r"labels: list \['a'\]"),
            ([[1], [1, 2]], "labels: list"),
            (share, "labels: Share"),
        ):
            with pytest.raises(ht.ParamError, match=message):
                net.labels(opened)

    ht.run_pair(party)


def test_what_share_refuses():
    model = small()

    def party(p):
        with pytest.raises(TypeError, match="nn.share: a party is expected first, got Model"):
            ht.nn.share(model, p, owner=0)
        with pytest.raises(ht.ParamError, match="nn.share: cipher='des' is not supported; accepted: 'aes-128' or"):
            ht.nn.share(p, model if p.role == 0 else None, owner=0, cipher="des")

    ht.run_pair(party)
