"""Networks between two parties: what is told, what is refused, what is prepared, and what it takes."""

from __future__ import annotations

import subprocess
import sys

import hushtable as ht
import numpy as np
import pytest
from hushtable.nn.graph import Graph, Input
from hushtable.nn.layers.elementwise import Add, Curve, Relu
from hushtable.nn.layers.linear import Linear, Scale
from hushtable.nn.layers.norm import Softmax
from hushtable.nn.model import Model
from networks import holds, perceptron, private, small


def test_importing_the_package_imports_no_framework():
    code = "import sys, hushtable; print([m for m in ('sklearn', 'onnx', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("owner", [0, 1])
@pytest.mark.parametrize("giver", [0, 1])
def test_either_party_has_the_model_and_either_gives_the_inputs(owner, giver):
    holds(small(), np.random.default_rng(1).uniform(-1, 1, (7, 5)), owner=owner, giver=giver)


def test_inputs_of_both_parties_and_results_to_one():
    model = small(classes=["low", "mid", "high"])
    rows = np.random.default_rng(2).uniform(-1, 1, (6, 5))

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        mine = net.input(rows[:2] if p.role == 0 else None, owner=0, shape=(2, 5))
        theirs = net.input(rows[2:] if p.role == 1 else None, owner=1, shape=4)
        opened = p.open(net(net.join(mine, theirs)), to=1)
        return None if opened is None else net.labels(opened).tolist()

    nothing, labels = ht.run_pair(party)
    assert nothing is None and labels == np.asarray(model.classes)[model.plain(rows)].tolist()


def test_shares_made_elsewhere_are_brought_to_the_scales_of_their_places():
    rng = np.random.default_rng(3)
    size = 2.0 ** np.array([9, -6, 0, 3, -2])
    rows = rng.normal(size=(40, 5)) * size
    graph = Graph([Input("x", (-1, 5))])
    graph.outputs = [graph.add(Linear(5, 2), 0, own={"weight": rng.normal(size=(5, 2)) / size[:, None], "bias": np.ones(2)})]
    model = Model(graph).calibrate(rows, bits=48)
    assert len(set(model.formats.inputs[0].scale)) > 2

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        form = net.formats
        made = p.share(rows / 2, bits=form.bits, fraction=form.fraction, range=(-4096, 4096))
        with pytest.raises(ht.ShapeError, match="shares of bits=48, fraction=12 are expected"):
            net.adapt(p.share(rows / 2, bits=40, fraction=12))
        return p.open(net(net.adapt(made)))

    for got in ht.run_pair(party):
        # Of numbers in 2^-12, of which the smallest place has few.
        assert np.abs(got - model.plain(rows)).max() <= 5 * 4 * 2.0**-5


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(s, marks=pytest.mark.long) for s in range(8, 60))])
def test_random_formats(seed):
    rng = np.random.default_rng(seed)
    sizes = [int(n) for n in rng.integers(1, 9, rng.integers(2, 5))]
    model = perceptron(rng, sizes, str(rng.choice(["relu", "tanh", "sigmoid", "gelu", "silu", "softplus"])))
    examples = rng.normal(size=(60, sizes[0])) * 2.0 ** rng.integers(-5, 8)
    fraction, margin = int(rng.integers(6, 20)), float(rng.choice([1.0, 1.5, 3.0]))
    least = model.calibrate(examples, margin=margin, fraction=fraction).formats.bits
    model.calibrate(examples, margin=margin, fraction=fraction, bits=min(64, least + int(rng.integers(0, 9))))
    assert np.abs(model.fixed(examples) - model.plain(examples)).max() <= model.report().error
    # The examples are the farthest that results were seen to lie.
    farthest = examples[np.argsort(np.abs(model.plain(examples)).max(axis=1))[-4:]]
    holds(model, farthest, owner=seed % 2)


def test_numbers_may_be_larger_than_the_examples_by_the_margin():
    rng = np.random.default_rng(8)
    examples = rng.normal(size=(30, 6))
    for margin in (1.0, 3.9, 30.0):
        graph = Graph([Input("x", (-1, 6))])
        value = graph.add(Linear(6, 4, False), 0, own={"weight": rng.normal(size=(6, 4))})
        graph.outputs = [graph.add(Linear(4, 2, False), graph.add(Relu(), value), own={"weight": rng.normal(size=(4, 2))})]
        model = Model(graph).calibrate(examples, margin=margin)
        assert 2.0 ** model.formats.layers[0].out > margin * np.abs(examples @ graph.nodes[0].own["weight"]).max()
        holds(model, examples * margin * 0.999)


@pytest.mark.parametrize("exponent", [-3, 0, 6])
def test_numbers_at_the_ends_of_their_range_do_not_wrap(exponent):
    most = 2.0**exponent
    graph = Graph([Input("x", (-1, 1, 2))])
    value = graph.add(Linear(2, 2, False), 0, own={"weight": np.array([[1.0, 0.5], [0, 0.5]])})
    graph.outputs = [graph.add(Add(), value, value)]
    model = Model(graph).calibrate(np.array([[[most * 0.999, -most * 0.999]]]), margin=1)
    ends = np.array([[[most, most]], [[-most, -most]], [[most, -most]], [[2.0**-13, 0]]])
    holds(model, ends)
    with pytest.raises(ht.ParamError, match=r"input 'x': .* at \(0, 0, 1\) is not supported; accepted: .* there, as calibrated"):
        private(model, np.array([[[0, most * 1.001]]]))


def test_the_least_width_is_the_least_and_a_narrower_one_names_the_layer():
    rng = np.random.default_rng(4)
    model = perceptron(rng, (6, 5, 2), "sigmoid")
    examples = rng.normal(size=(40, 6)) * 50
    least = model.calibrate(examples).formats.bits
    assert least == max(layer.inner.get("products", layer.out) for layer in model.formats.layers) + 12 + 12 + 2
    narrower = model.calibrate(examples, bits=least - 3).formats
    assert min(layer.digits for layer in narrower.layers if layer.digits) == 9, "fewer digits of factors"
    with pytest.raises(ht.ParamError, match=rf"layer 'linear 0' \(linear\): sums of up to .* not supported in {least - 9} bits; accepted: bits={least}"):
        model.calibrate(examples, bits=least - 9)
    with pytest.raises(ht.ParamError, match=r"layer 'softmax 0' \(softmax\): .*8 to 14"):
        graph = Graph([Input("x", (-1, 3))])
        graph.outputs = [graph.add(Softmax(), 0)]
        Model(graph).calibrate(np.ones((2, 3)), fraction=20)


@pytest.mark.parametrize("size", [1e12, 1e30, 1e300])
def test_numbers_that_no_width_holds_name_the_layer(size):
    for layer, own in ((Linear(2, 2, False), {"weight": np.full((2, 2), size)}), (Add(), None), (Scale((), False), {"weight": size})):
        graph = Graph([Input("x", (-1, 1, 2))])
        value = graph.add(Relu(), 0)
        graph.outputs = [graph.add(layer, value, *([value] if own is None else []), own=own, name="the large one")]
        examples = np.full((2, 1, 2), size if own is None else 1.0)
        with pytest.raises(ht.ParamError, match=r"(layer|input) .*(accepted|not finite)") as refused:
            Model(graph).calibrate(examples, fraction=24)
        assert "relu" in str(refused.value) or "the large one" in str(refused.value) or "input" in str(refused.value)


def test_what_calibration_refuses():
    model = perceptron(np.random.default_rng(0), (3, 2))
    with pytest.raises(ht.ParamError, match="ranges are not known yet"):
        model.report()
    for how, message in (
        ({"margin": 0.5}, "margin=0.5"),
        ({"fraction": 5}, "fraction=5"),
        ({"fraction": 25}, "fraction=25"),
        ({"bits": 15}, "bits=15"),
        ({"bits": 65}, "bits=65"),
    ):
        with pytest.raises(ht.ParamError, match=f"{message} is not supported; accepted"):
            model.calibrate(np.ones((2, 3)), **how)
    for examples, message in (
        (np.array([[1, np.nan, 2]]), r"input 'x': nan at \(0, 1\)"),
        (np.ones((2, 4)), r"shape \(2, 4\) where \(-1, 3\) is expected"),
        (np.ones((0, 3)), r"shape \(0, 3\)"),
        (np.array([["a", "b", "c"]]), "numbers are expected"),
    ):
        with pytest.raises((ht.ParamError, ht.ShapeError, TypeError), match=message):
            model.calibrate(examples)
    with pytest.raises(ht.ShapeError, match="1 inputs are expected"):
        model.calibrate(np.ones((2, 3)), np.ones((2, 3)))
    graph = Graph([Input("x", (-1, 3))])
    graph.outputs = [graph.add(Curve("exp"), 0)]
    with pytest.raises(ht.ParamError, match=r"layer 'exp 0' \(curve\) gives numbers that are not finite|layer 'curve 0'"):
        Model(graph).calibrate(np.full((1, 3), 1e4))
    with pytest.raises(ht.ShapeError, match=r"layer 'linear 1' \(linear\): weight of shape \(2, 2\) where \(3, 2\)"):
        Graph([Input("x", (-1, 3))], [object()]).add(Linear(3, 2, False), 0, own={"weight": np.ones((2, 2))})


def test_who_gives_the_model_is_checked():
    model = small()

    def party(p):
        for given, message in ((None if p.role == 0 else model, "party 0 owns the model; this party"),):
            with pytest.raises(ht.ParamError, match=message):
                ht.nn.share(p, given, owner=0)
        with pytest.raises(ht.ParamError, match="owner=2"):
            ht.nn.share(p, None, owner=2)
        if p.role == 0:
            with pytest.raises(ht.ParamError, match="call model.calibrate"):
                ht.nn.share(p, perceptron(np.random.default_rng(0), (2, 2)), owner=0)
            with pytest.raises(TypeError, match="a Model is expected"):
                ht.nn.share(p, np.ones(3), owner=0)
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        assert net.inputs == [(-1, 5)]
        with pytest.raises(ht.ShapeError, match=r"shape \(4,\) where \(-1, 5\)"):
            net.input(np.zeros(4), owner=p.role)
        with pytest.raises(ht.ParamError, match="a number of rows"):
            net.input(None, owner=1 - p.role)
        with pytest.raises(ht.ShapeError, match="1 inputs are expected"):
            net()
        with pytest.raises(TypeError, match="inputs are expected"):
            net(np.zeros((2, 5)))
        with pytest.raises(ht.ParamError, match="has no classes"):
            net.labels([0])
        assert "Net(3 layers of party 0" in repr(net)

    ht.run_pair(party)


def test_a_difference_in_what_the_parties_do_is_noticed():
    model = small()

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        with pytest.raises(ht.HandshakeError):
            x = net.input(np.zeros((3, 5)) if p.role == 0 else None, owner=0, shape=(4, 5) if p.role else None)
            p.open(net(x))

    ht.run_pair(party)


def test_a_call_is_prepared_and_spent_once():
    model = small(classes=[3, 5, 9])
    rows = np.random.default_rng(7).uniform(-1, 1, (4, 5))

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        prepared = net.prepare(4)
        before = p.cost
        x = net.input(rows if p.role == 1 else None, owner=1, shape=4)
        opened = p.open(prepared(x))
        after = p.cost - before
        with pytest.raises(ht.SpentError):
            prepared(x)
        more = net.prepare(3)
        with pytest.raises(ht.ShapeError, match="prepared for"):
            more(x)
        return net.labels(opened).tolist(), after.offline.sent, net.labels(p.open(net(x))).tolist()

    for labels, offline, again in ht.run_pair(party):
        assert labels == again == np.asarray([3, 5, 9])[model.plain(rows)].tolist()
        assert offline == 0, "nothing is left but the online phase"


def test_a_report_is_of_some_rows():
    model = small()
    graph = Graph([Input("x", (-1, 5))], batch=4)
    graph.outputs = [graph.add(Relu(), 0)]
    fixed_batch = Model(graph).calibrate(np.ones((4, 5)))

    def party(p):
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        for call in (model.report, net.report, net.prepare):
            for rows in (0, -1, 2.5, True, 1 << 40):
                with pytest.raises(ht.ParamError, match=f"rows={rows} is not supported; accepted: 1 to"):
                    call(rows)
            assert call(2) is not None and call() is not None and call(np.int64(2)) is not None

    ht.run_pair(party)
    assert fixed_batch.report()[0].shape == (4, 5)
    with pytest.raises(ht.ShapeError, match="3 rows; accepted: 4, for which the model was exported"):
        fixed_batch.report(3)


def test_a_model_keeps_its_own_numbers():
    """What becomes of the arrays that it was made of does not matter, nor of the examples."""
    rng = np.random.default_rng(0)
    own = {"weight": rng.normal(size=(3, 2)), "bias": rng.normal(size=2)}
    examples, x = rng.normal(size=(9, 3)), rng.normal(size=(4, 3))
    graph = Graph([Input("x", (-1, 3))])
    graph.outputs = [graph.add(Linear(3, 2), 0, own=own)]
    model = Model(graph).calibrate(examples)
    before, seen = model.plain(x), model.report(measure=False).seen
    for array in (*own.values(), examples):
        array[:] = 7.0
    assert np.array_equal(model.plain(x), before) and model.report(measure=False).seen == seen
    model.calibrate(rng.normal(size=(9, 3)))
    assert np.abs(model.fixed(np.clip(x, -1, 1)) - model.plain(np.clip(x, -1, 1))).max() <= model.report(measure=False).error
