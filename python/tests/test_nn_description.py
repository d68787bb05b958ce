"""What the owner of a network tells, and what the other party accepts."""

from __future__ import annotations

import contextlib
import json
import resource

import hushtable as ht
import numpy as np
import pytest
from hushtable.nn import description, memory
from hushtable.nn.graph import Graph, Input
from hushtable.nn.layers.arrange import Expand, Reshape, Slice, Take, Transpose
from hushtable.nn.layers.choice import ArgMax
from hushtable.nn.layers.elementwise import Add, MatMul, Multiply, Relu
from hushtable.nn.layers.embedding import Embed
from hushtable.nn.layers.linear import Convolution, Linear, Scale
from hushtable.nn.layers.norm import LayerNorm, Softmax
from hushtable.nn.layers.pool import AveragePool, MaxPool
from hushtable.nn.model import Model
from hushtable.nn.ranges import refusal
from networks import small


def test_no_number_of_the_model_is_told():
    """Two models with numbers of the same sizes have the same description."""
    rng = np.random.default_rng(5)
    examples = rng.normal(size=(50, 4))

    def model(factor, seed):
        change = np.random.default_rng(seed)
        graph = Graph([Input("x", (-1, 4))])
        weight = np.full((4, 4), 0.6) * change.choice([-1, 1], (4, 4)) * factor
        value = graph.add(Linear(4, 4), 0, own={"weight": weight, "bias": change.uniform(-0.1, 0.1, 4)}, name=f"secret {seed}")
        value = graph.add(Relu(), value)
        graph.outputs = [graph.add(LayerNorm(4, 0.1), value, own={"weight": change.uniform(0.6, 0.9, 4), "bias": np.zeros(4)})]
        return Model(graph).calibrate(examples, margin=8)

    texts = {description.described(model(factor, seed)) for factor, seed in ((1.0, 1), (0.97, 2), (0.93, 3), (0.96, 4))}
    assert len(texts) <= 2, "ranges may fall on either side of a power of two"
    whole = json.loads(texts.pop())
    assert set(whole) == {"format", "bits", "fraction", "batch", "inputs", "layers", "outputs", "classes"}
    numbers = [layer for layer in whole["layers"] for layer in (layer["out"], layer["digits"], layer["largest"], *layer["inner"].values())]
    assert all(isinstance(number, int) for number in numbers)
    assert "secret" not in json.dumps(whole)


def full():
    """A model with a layer of most kinds."""
    rng = np.random.default_rng(6)
    graph = Graph([Input("x", (-1, 2, 4, 4))])
    value = graph.add(Convolution(2, 3, (2, 2)), 0, own={"weight": rng.normal(size=(3, 2, 2, 2)), "bias": np.ones(3)})
    value = graph.add(Relu(0.25), value)
    value = graph.add(MaxPool((2, 2), (1, 1)), value)
    value = graph.add(AveragePool((2, 1), (1, 1)), value)
    value = graph.add(Reshape((-1, 6)), value)
    value = graph.add(Scale((6,)), value, own={"weight": rng.normal(size=6), "bias": np.ones(6)})
    value = graph.add(Multiply(), value, value)
    value = graph.add(LayerNorm(6, 0.1), value, own={"weight": np.ones(6), "bias": np.ones(6)})
    value = graph.add(Take(-1, (0, 2, 1, 1), (4,)), graph.add(Slice(-1, 1, 1, 4), value))
    graph.outputs = [graph.add(ArgMax(), graph.add(Softmax(), value))]
    return Model(graph, ["a", 2, 0.5, True]).calibrate(rng.normal(size=(30, 2, 4, 4)))


def test_a_description_is_what_it_was_when_it_was_told():
    model = full()
    graph, formats, classes = description.read(description.described(model))
    assert [node.layer for node in graph.nodes] == [node.layer for node in model.graph.nodes]
    assert (formats, classes, graph.outputs) == (model.formats, model.classes, model.graph.outputs)
    assert not any(node.own for node in graph.nodes)


def test_a_field_more_is_refused():
    text = description.described(full())
    assert text.count("{") > 20
    for at in range(text.count("{")):
        parts = text.split("{")
        more = "{".join(parts[: at + 1]) + '{"more": 1' + (", " if not parts[at + 1].startswith("}") else "") + "{".join(parts[at + 1 :])
        with pytest.raises(ht.PeerError, match="fields .* are expected"):
            description.read(more)


def mutated(rng, value):
    """The same description with one thing changed."""
    value = json.loads(json.dumps(value))
    spots = []

    def walk(at):
        for key, each in at.items() if isinstance(at, dict) else enumerate(at):
            spots.append((at, key))
            if isinstance(each, dict | list):
                walk(each)

    walk(value)
    at, key = spots[int(rng.integers(len(spots)))]
    new = [None, True, -1, 0, 1, 7, 2**31, 2**70, -(2**62), 1.5, float("nan"), "", "linear", "x" * 100, [], {}, [0], [-1, -1], [2**28] * 3, {"a": 1}]
    how = rng.integers(0, 3)
    if how == 0 and isinstance(at, dict):
        del at[key]
    elif how == 1 and isinstance(at, list):
        at.append(at[key])
    else:
        at[key] = new[int(rng.integers(len(new)))]
    return value


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(s, marks=pytest.mark.long) for s in range(3, 30))])
def test_malformed_descriptions_are_refused(seed):
    """Whatever one thing is changed, a network is read whose shapes fit, or it is said that it is malformed."""
    rng = np.random.default_rng(seed)
    whole = json.loads(description.described(full()))
    refused = 0
    for _ in range(400):
        try:
            graph, formats, _ = description.read(json.dumps(mutated(rng, whole)))
            graph.shapes(3)
            refusal(graph, formats)  # what a layer does not take is refused as such, or nothing is
        except ht.PeerError as error:
            refused += 1
            assert "description of its network is malformed" in str(error)
        except ht.ShapeError:
            pass  # for another number of rows
    assert refused > 200
    text = json.dumps(whole)
    for cut in range(0, len(text), 61):
        with pytest.raises(ht.PeerError):
            description.read(text[:cut])
    for text in ("[" * 100_000, "9" * 10_000, '{"format": NaN}', "null", "\0"):
        with pytest.raises(ht.PeerError):
            description.read(text)


@pytest.mark.parametrize("told", ["", "{}", "[1]", '{"format": 1}', "x" * 200_000])
def test_a_malformed_description_of_the_peer_ends_in_an_error(told, monkeypatch):
    model = small()
    monkeypatch.setattr(description, "described", lambda model: told)

    def party(p):
        if p.role == 0:
            ht.nn.share(p, model, owner=0)
            return None
        with pytest.raises(ht.PeerError, match="malformed"):
            ht.nn.share(p, None, owner=0)
        return True

    assert ht.run_pair(party)[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda whole: whole["inputs"][0].update(kind="ids", scale=[]), "ids go into an embedding only"),
        (lambda whole: whole["layers"][0].update({"op": "embedding", "is": {"rows": 5, "columns": 4}, "inner": {}}), "ids go into an embedding only"),
        (lambda whole: whole["layers"].append({**whole["layers"][1], "of": [4]}), "of what is no number"),
        (lambda whole: whole["inputs"][0].update(scale=[1, 2]), "scales of input 0"),
        (lambda whole: whole["inputs"][0].update(features=["a", "b"]), r"input 'x' of shape \(-1, 5\): 2 names"),
        (lambda whole: whole["inputs"][0].update(features=["a", "b", 3, "d", "e"]), "name 3 of feature 2"),
        (lambda whole: whole["inputs"][0].update(features=["a", "b", "c" * 257, "d", "e"]), "up to 256 characters"),
        (lambda whole: whole["inputs"][0].update(features="abcde"), "features: a list"),
        (lambda whole: whole.update(format=2), "format 2; this version reads 1"),
        (lambda whole: whole["inputs"][0].update(centre=[1.0, 2.0]), "centres of input 0"),
        (lambda whole: whole["inputs"][0].update(centre=["1"]), "centres of input 0: a number"),
        (lambda whole: whole["layers"][0].update(of=[1]), "layer 0"),
        (lambda whole: whole.update(outputs=[9]), "outputs"),
        (lambda whole: whole.update(bits=65), "bits"),
        (lambda whole: whole["layers"][1].update(precision="exact"), "layer 1: precision"),
        (lambda whole: whole["layers"][1].update(precision=["fine"]), "layer 1: precision"),
        (lambda whole: whole["layers"][2]["is"].update(outputs=2**28), r"weight of shape \(4, 268435456\)"),
        (lambda whole: whole["layers"][2].update({"op": "nothing"}), "no layer 'nothing'"),
        (lambda whole: whole["layers"][2]["is"].update(bias=1), "true or false"),
    ],
)
def test_what_does_not_fit_together_is_refused(change, message):
    whole = json.loads(description.described(small(classes=["a", "b", "c"])))
    change(whole)
    with pytest.raises(ht.PeerError, match=message):
        description.read(json.dumps(whole))


def test_axes_that_are_named_twice_are_refused():
    for op, axes in (("sum", [1, -1]), ("mean", [0, 0])):
        layer = {"op": op, "of": [0], "is": {"axes": axes, "keep": True}, "out": 1, "inner": {}, "digits": 0, "largest": 1, "precision": "fine"}
        whole = {
            **{"format": 1, "bits": 32, "fraction": 12, "batch": None, "outputs": [1], "classes": None, "layers": [layer]},
            "inputs": [{"shape": [-1, 3], "kind": "number", "features": [], "exponent": 0, "scale": [], "centre": []}],
        }
        with pytest.raises(ht.PeerError, match="one of them twice"):
            description.read(json.dumps(whole))


def test_matrices_that_are_too_large_are_refused():
    layer = {"op": "embedding", "of": [0], "is": {"rows": 2**27, "columns": 64}, "out": 1, "inner": {}, "digits": 0, "largest": 1, "precision": "fine"}
    whole = {
        **{"format": 1, "bits": 32, "fraction": 12, "batch": None, "outputs": [1], "classes": None, "layers": [layer]},
        "inputs": [{"shape": [-1, 3], "kind": "ids", "features": [], "exponent": 0, "scale": [], "centre": []}],
    }
    with pytest.raises(ht.PeerError, match=r"weight of shape \(134217728, 64\)"):
        description.read(json.dumps(whole))
    layer["is"]["rows"] = 1000
    assert description.read(json.dumps(whole))[0].nodes[0].layer.rows == 1000


def test_the_width_of_the_largest_factor_holds_it_when_it_was_rounded():
    for size in (0.999999, 1.0, 0.5 - 1e-9, 3.99999, 2.0**-20, 1000.3):
        graph = Graph([Input("x", (-1, 1, 2))])
        graph.outputs = [graph.add(Linear(2, 1, False), 0, own={"weight": np.array([[size], [-size]])})]
        model = Model(graph).calibrate(np.ones((3, 1, 2)))
        (form,) = model.formats.layers
        assert np.abs(model.held[0]["weight"]).max() < 2.0**form.largest


def described(inputs, layers, outputs, bits=40, batch=None):
    """A description of a network with these layers, as an owner may make one by hand."""
    nodes = [
        {"op": layer.op, "of": list(of), "is": {key: list(value) if isinstance(value, tuple) else value for key, value in layer.public().items()},
         "out": 6, "inner": dict.fromkeys(layer.ranges(), 4), "digits": 14, "largest": 0, "precision": "network"}
        for layer, of in layers
    ]  # fmt: skip
    given = [{"shape": list(shape), "kind": kind, "features": [], "exponent": 3, "scale": [], "centre": []} for shape, kind in inputs]
    return json.dumps(
        {"format": 1, "bits": bits, "fraction": 12, "batch": batch, "inputs": given, "layers": nodes, "outputs": outputs, "classes": None}
    )


def transformer(vocabulary, words, width=768, heads=12):
    """The shapes of a block of BERT-base or GPT-2, its embedding before it, and behind it the words that come next."""
    linear = [(Linear(width, width), (1,)) for _ in range(3)]
    split = [(Reshape((-1, words, heads, width // heads)), (i,)) for i in (2, 3, 4)]
    turned = [(Transpose((0, 2, 1, 3)), (5,)), (Transpose((0, 2, 3, 1)), (6,)), (Transpose((0, 2, 1, 3)), (7,))]
    attention = [(MatMul(), (8, 9)), (Softmax(), (11,)), (MatMul(), (12, 10)), (Transpose((0, 2, 1, 3)), (13,))]
    rest = [(Reshape((-1, words, width)), (14,)), (Linear(width, 4 * width), (15,)), (Linear(4 * width, width), (16,)), (Linear(width, vocabulary), (17,))]
    layers = [(Embed(vocabulary, width), (0,)), *linear, *split, *turned, *attention, *rest]
    return described([((-1, words), "ids")], layers, [18])


@pytest.mark.parametrize("text", [transformer(30522, 128), transformer(50257, 128)], ids=["BERT-base", "GPT-2"])
def test_networks_that_people_have_are_allowed(text):
    graph, formats, _ = description.read(text)
    memory.check(graph, formats, memory.LIMIT)
    assert max(memory.held(graph, formats, 1)) < memory.LIMIT // 2


FAR_TOO_LARGE = {
    "a matrix": described([((-1, 1 << 14), "number")], [(Linear(1 << 14, 1 << 14), (0,)), (Linear(1 << 14, 1 << 14), (1,))], [2], bits=64),
    "a result": described([((-1, 1), "number")], [(Expand((-1, 1 << 28)), (0,)), (Expand((-1, 1 << 28)), (0,)), (Add(), (1, 2))], [3]),
    "an input": described([((-1, 1 << 14, 1 << 14), "number")], [(Relu(), (0,)), (Relu(), (1,))], [2]),
    "a batch": described([((-1, 64), "number")], [(Relu(), (0,)), (Relu(), (1,))], [2], batch=1 << 22),
    "windows": described([((-1, 1, 1 << 13, 1 << 13), "number")], [(MaxPool((64, 64), (1, 1)), (0,))], [1]),
    "a copy": described([((-1, 1), "ids")], [(Embed(1 << 18, 1 << 10), (0,)), (Embed(1 << 18, 1 << 10), (0,)), (Embed(1 << 18, 1 << 10), (0,))], [1]),
    "factors in common": described([((-1, 1, 1 << 10, 1 << 10), "number"), ((1 << 10, 1 << 10, 1), "number")], [(MatMul(), (0, 1))], [2]),
}  # fmt: skip


@pytest.mark.parametrize("what", list(FAR_TOO_LARGE))
def test_what_would_take_all_memory_is_refused(what, monkeypatch):
    """With the layer, the sizes, and how to allow it; nothing is allocated for it."""
    monkeypatch.setattr(description, "described", lambda model: FAR_TOO_LARGE[what])
    model = small()

    def party(p):
        if p.role == 0:
            with contextlib.suppress(ht.HushtableError):
                ht.nn.share(p, model, owner=0)
            return None
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(ht.ParamError, match=r"nn.share: .* would hold .*B here with .* layer '\d+ \(\w+\)' .* memory=2147483648 .*; accepted: memory=\d+") as error:
            ht.nn.share(p, None, owner=0)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10
        return str(error.value)

    needed = int(ht.run_pair(party)[1].split("accepted: memory=")[1].split(" ")[0])
    graph, formats, _ = description.read(FAR_TOO_LARGE[what])
    memory.check(graph, formats, needed)
    with pytest.raises(ht.ParamError, match="accepted"):
        memory.check(graph, formats, needed - 1)


def test_the_limit_can_be_set():
    model = small()

    def party(p):
        if p.role == 0:
            with contextlib.suppress(ht.HushtableError):
                ht.nn.share(p, model, owner=0)
                ht.nn.share(p, model, owner=0)
            return
        ht.nn.share(p, None, owner=0, memory=1 << 20)
        with pytest.raises(ht.ParamError, match=r"memory=10 allows 10 B"):
            ht.nn.share(p, None, owner=0, memory=10)
        for wrong in (0, -1, True, 1.5, "4 GiB", None):
            with pytest.raises(ht.ParamError, match="memory="):
                ht.nn.share(p, None, owner=0, memory=wrong)

    ht.run_pair(party)


def test_another_matrix_than_told_is_refused():
    def party(p):
        if p.role == 0:
            with contextlib.suppress(ht.HushtableError):
                ht.Embedding(p, np.ones((4, 3)), owner=0)
            return
        with pytest.raises(ht.PeerError, match=r"4 x 3 numbers; accepted: 4 x 2, as it told before"):
            ht.Embedding(p, None, owner=0, expected=(4, 2))

    ht.run_pair(party)
