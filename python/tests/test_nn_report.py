"""What a report says that a call takes: what is sent, or nothing."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest
from hushtable.nn import measuring
from hushtable.nn.graph import Graph, Input
from hushtable.nn.layers.arrange import Reshape
from hushtable.nn.layers.choice import ArgMax, Top
from hushtable.nn.layers.elementwise import Add, Clip, Curve, Multiply, Relu
from hushtable.nn.layers.embedding import Embed
from hushtable.nn.layers.linear import Convolution, Linear, Offset, Scale
from hushtable.nn.layers.norm import LayerNorm, RmsNorm, Softmax
from hushtable.nn.layers.pool import AveragePool, MaxPool, Sum
from hushtable.nn.model import Model
from networks import perceptron, small


def taken(model, inputs, owner=0, giver=1, net="loopback", how=None):
    """Bytes of both parties and rounds of the first call of a session, up to the last message; the other party's report too."""
    rows = len(inputs[0])

    def party(p):
        shared = ht.nn.share(p, model if p.role == owner else None, owner=owner, **(how or {}))
        shares = [shared.input(x if p.role == giver else None, giver, shape=x.shape, which=i) for i, x in enumerate(inputs)]
        p.barrier()
        before = p.cost
        shared(*shares)
        after = p.cost - before
        before = p.cost
        p.barrier()  # with what was announced last
        pending = p.cost - before
        before = p.cost
        p.barrier()
        alone = p.cost - before
        return sent(after) + sent(pending) - sent(alone), rounds(after), shared.report(rows)

    (size, steps, _), (_, _, theirs) = ht.run_pair(party, net=net)
    return size, steps, theirs


def near(foretold, size, steps):
    """Predictions leave out headers and names; what is chosen by counts of OTs may be another way of the same."""
    assert foretold.predicted and "as predicted" in str(foretold)
    assert abs(foretold.bytes - size) <= 0.1 * size + 1000 + 100 * steps
    assert abs(foretold.rounds - steps) <= 0.1 * steps + 6


def sent(cost):
    return sum(phase.sent + phase.received for phase in (cost.setup, cost.offline, cost.online))


def rounds(cost):
    return sum(phase.rounds for phase in (cost.setup, cost.offline, cost.online))


def random_model(rng):
    """A graph of a few random layers, and examples."""
    kind = str(rng.choice(["rows", "rows", "images", "ids", "two"]))
    inputs, first = {
        "rows": ([Input("x", (-1, 5))], (5,)),
        "images": ([Input("x", (-1, 2, 5, 4))], (2, 5, 4)),
        "ids": ([Input("x", (-1, 3), "ids")], (3,)),
        "two": ([Input("a", (-1, 5)), Input("b", (-1, 5))], (5,)),
    }[kind]
    graph, value, shape = Graph(inputs), 0, first
    if kind == "ids":
        value, shape = graph.add(Embed(9, 4), 0, own={"weight": rng.normal(size=(9, 4))}), (3, 4)
    if kind == "two":
        value = graph.add(Add(), 0, 1)

    def add(layer, *of, **own):
        nonlocal value, shape
        shape = layer.shape(*[(3, *shape)] * max(1, len(of)))[1:]
        value = graph.add(layer, *(of or (value,)), own=own)

    for _ in range(int(rng.integers(1, 5))):
        n = shape[-1]
        choices = ["curve", "relu", "add", "multiply", "scale", "clip"]
        choices += ["convolution", "max", "average", "flat"] if len(shape) == 3 else ["linear", "softmax", "norm", "rms", "sum", "top"]
        match str(rng.choice(choices)):
            case "curve":
                add(Curve(str(rng.choice(["tanh", "sigmoid", "gelu", "gelu_tanh", "silu", "softplus"]))))
            case "relu":
                add(Relu(float(rng.choice([0.0, 0.25]))))
            case "add":
                add(Add(), value, value)
            case "multiply":
                add(Multiply(), value, value)
            case "scale":
                add(Scale((n,)), weight=rng.normal(size=n), bias=rng.normal(size=n))
            case "clip":
                add(Clip(-1.0, 1.0))
            case "convolution":
                add(Convolution(shape[0], 3, (2, 2)), weight=rng.normal(size=(3, shape[0], 2, 2)), bias=rng.normal(size=3))
            case "max":
                add(MaxPool((2, 1), (1, 1)))
            case "average":
                add(AveragePool((2, 2), (2, 2)))
            case "flat":
                add(Reshape((-1, int(np.prod(shape)))))
            case "linear":
                m = int(rng.integers(1, 6))
                bias = {"bias": rng.normal(size=m)} if rng.integers(2) else {}
                add(Linear(n, m, bool(bias)), weight=rng.normal(size=(n, m)) / n, **bias)
            case "softmax":
                add(Softmax())
            case "norm":
                add(LayerNorm(n, 0.1), weight=np.ones(n), bias=np.ones(n))
            case "rms":
                add(RmsNorm(n, 0.1), weight=np.ones(n))
            case "sum":
                add(Sum((-1,)))
            case _:
                add(Top(1, False))
        if len(shape) == 3 and min(shape) < 2:
            add(Reshape((-1, int(np.prod(shape)))))
        if value and graph.nodes[-1].layer.op in ("multiply",):
            add(Clip(-4.0, 4.0))
    if rng.integers(2):
        value = graph.add(ArgMax(), value)
    graph.outputs = [value]
    examples = [rng.integers(0, 9, (20, *first)) if kind == "ids" else rng.normal(size=(20, *first)) for _ in inputs]
    return Model(graph).calibrate(*examples, precision=str(rng.choice(["fine", "network"]))), examples


@pytest.mark.parametrize("seed", [*range(25), *(pytest.param(s, marks=pytest.mark.long) for s in range(25, 200))])
def test_a_report_says_what_is_sent(seed):
    rng = np.random.default_rng(seed)
    model, examples = random_model(rng)
    rows, owner = int(rng.integers(1, 20)), seed % 2
    report = model.report(rows, owner=owner)
    size, steps, theirs = taken(model, [x[:rows] for x in examples], owner, int(rng.integers(2)))
    assert (report.bytes, report.rounds) == (size, steps)
    assert (theirs.bytes, theirs.rounds) == (size, steps), "as the other party's says"
    assert (report.link, report.cipher, theirs.link) == ("loopback", "aes-128", "loopback")
    assert "over loopback" in str(report) and not report.predicted
    foretold = model.report(rows, owner=owner, measure=False)
    near(foretold, size, steps)
    assert [row.memory for row in foretold] == [row.memory for row in report]


@pytest.mark.parametrize(("net", "cipher"), [("loopback", "lowmc-128-42-13"), ("wan", "aes-128"), ("200:2ms", "aes-128")])
def test_a_report_is_about_the_session_that_is_asked_for(net, cipher):
    rng = np.random.default_rng(1)
    graph = Graph([Input("x", (-1, 3), "ids")])
    value = graph.add(Embed(9, 4), 0, own={"weight": rng.normal(size=(9, 4))})
    graph.outputs = [graph.add(Linear(4, 30), value, own={"weight": rng.normal(size=(4, 30)), "bias": np.ones(30)})]
    ids = rng.integers(0, 9, (40, 3))
    model = Model(graph).calibrate(ids)
    here, there = model.report(40), model.report(40, link=net, cipher=cipher)
    assert here.bytes != there.bytes, "another link, or another cipher"
    size, steps, theirs = taken(model, [ids], net=net, how={"cipher": cipher})
    assert (there.bytes, there.rounds) == (size, steps)
    near(model.report(40, link=net, cipher=cipher, measure=False), size, steps)
    assert theirs.cipher == cipher and theirs.bytes == model.report(40, cipher=cipher).bytes, "of the session, but over loopback"
    assert there.copy_bytes == theirs.copy_bytes > 0 and f"under {cipher} sent once" in str(there)


def test_a_forest_and_what_comes_after_it():
    sk = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(2)
    x = rng.normal(size=(100, 4))
    fitted = sk.RandomForestClassifier(3, max_depth=4, random_state=0).fit(x, x[:, 0] > x[:, 1])
    for output in ("label", "probability"):
        model = ht.nn.from_sklearn(fitted, output=output).calibrate(x)
        report = model.report(7)
        assert (report.bytes, report.rounds) == taken(model, [x[:7]])[:2]
        near(model.report(7, measure=False), report.bytes, report.rounds)


def test_a_report_tells_layers_errors_and_memory():
    model = small()
    report = model.report(20)
    assert [row.layer for row in report] == ["linear 0", "relu 1", "linear 2"] and report[0].shape == (20, 4)
    assert report.error >= report.seen > 0 and report.seconds > 0 and report.rounds > 5 and report.memory > 0
    assert report.bytes == sum(row.bytes for row in report) and report.copy_bytes == 0
    assert "linear 0" in str(report) and "?" not in str(report) and "sent once" not in str(report)
    theirs = taken(model, [np.zeros((20, 5))])[2]
    assert theirs.error is None and [row.bytes for row in theirs] == [row.bytes for row in report]


def test_what_would_take_long_is_predicted_unless_it_is_asked_for():
    model = small()
    for report in (model.report(100_000), model.report(20, measure=False)):
        assert report.predicted and min(report.bytes, report.seconds, report.rounds, report.error) > 0
        assert "measure=True" in str(report) and "as predicted" in str(report) and "?" not in str(report)
    assert model.report(20, measure=True).bytes == model.report(20).bytes
    many = model.report(100_000)
    near(many, *taken(model, [np.zeros((100_000, 5))])[:2])


def test_what_is_too_large_for_a_dry_run_shows_nothing():
    report = small().report(1 << 24)
    assert report.bytes is report.seconds is report.rounds is report[0].memory is None and report.memory > 0
    assert "?" in str(report) and "over loopback" not in str(report)


def test_memory_is_that_of_shares_and_of_products():
    model = small()
    report = model.report(2000)
    assert report.memory == max(row.memory for row in report)
    # Numbers of 31 bits: those of the inputs and of the layer, and 16 bytes for each correlated OT and more.
    for row, held in zip(report, (5 + 4, 4 + 4, 4 + 3), strict=True):
        assert row.memory > 2000 * (4 * held + 16 * row.shape[1])
    # A product by a lattice takes its ciphertexts, however few rows there are.
    wide = perceptron(np.random.default_rng(0), [256, 256]).calibrate(np.random.default_rng(1).normal(size=(9, 256)))
    assert wide.report(64, measure=False).memory > 4 * (64 * 512 + 257 * 256) + (1 << 20)


def test_a_network_that_refuses_zeros_is_predicted(monkeypatch):
    def refuse(*given):
        raise ht.ParamError("layer 'root': zeros are outside of the domain")

    model = small()
    monkeypatch.setattr(measuring, "_run", refuse)
    assert model.report().predicted and model.report().bytes > 0
    with pytest.raises(ht.ParamError, match="zeros are outside"):
        model.report(measure=True)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"rows": 0}, "rows=0 is not supported; accepted: 1 to 2.28, a whole number"),
        ({"rows": 2.5}, "rows=2.5"),
        ({"rows": True}, "rows=True"),
        ({"owner": 2}, "owner=2 is not supported; accepted: 0 or 1"),
        ({"cipher": "des"}, "cipher='des' is not supported; accepted: 'aes-128' or"),
        ({"measure": "yes"}, "measure='yes'"),
        ({"link": "moon"}, '"moon" is not supported; accepted: loopback'),
    ],
)
def test_what_a_report_refuses(how, message):
    with pytest.raises(ht.ParamError, match=message):
        small().report(**how)


def test_a_network_of_one_size_has_a_report_for_that():
    graph = Graph([Input("x", (4, 5))])
    graph.outputs = [graph.add(Offset((5,)), 0, own={"bias": np.ones(5)})]
    model = Model(graph).calibrate(np.ones((4, 5)))
    assert model.report().bytes == model.report(4).bytes
    with pytest.raises(ht.ShapeError, match="3 rows; accepted: 4, for which the model was exported"):
        model.report(3)
