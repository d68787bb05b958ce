"""Networks of ONNX: as its own package evaluates them, and on shares."""

from __future__ import annotations

import math
import re

import hushtable as ht
import numpy as np
import pytest
from networks import between, holds, private, some

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402
from onnx_models import as_the_package_has_it, network, node  # noqa: E402

RNG = np.random.default_rng(11)
IMAGES = RNG.normal(size=(40, 3, 8, 7))
ROWS = RNG.normal(size=(1000, 8))
POSITIVE = np.abs(ROWS) + 0.25
WEIGHT = RNG.normal(size=(4, 3, 3, 3)) * 0.3
NORM = {"gain": RNG.uniform(0.5, 2, 4), "off": RNG.normal(size=4), "mean": RNG.normal(size=4), "var": RNG.uniform(0.5, 2, 4)}
BATCH_NORM = node("BatchNormalization", ["c", "gain", "off", "mean", "var"], ["d"])
ERF = [node("Div", ["x", "root"], ["a"]), node("Erf", ["a"], ["b"]), node("Add", ["b", "one"], ["c"]), node("Mul", ["x", "c"], ["d"])]
MEAN = [node("ReduceMean", ["x"], ["m"], axes=[-1]), node("Sub", ["x", "m"], ["s"]), node("Pow", ["s", "two"], ["p"])]
SPREAD = [node("ReduceMean", ["p"], ["v"], axes=[-1]), node("Add", ["v", "eps"], ["e"]), node("Sqrt", ["e"], ["r"])]

# Name: nodes, inputs, constants, and the layers that are left.
NETWORKS = {
    "gemm": ([node("Gemm", ["x", "w", "b"], ["y"], transB=1, alpha=0.5, beta=2.0)], ROWS, {"w": RNG.normal(size=(5, 8)), "b": RNG.normal(size=5)}, "linear"),
    "matmul": ([node("MatMul", ["x", "w"], ["a"]), node("Add", ["b", "a"], ["y"])], ROWS, {"w": RNG.normal(size=(8, 3)), "b": RNG.normal(size=3)}, "linear"),
    "matmul left": ([node("MatMul", ["w", "x"], ["y"])], RNG.normal(size=(5, 4, 6)), {"w": RNG.normal(size=(3, 4))}, "transpose linear transpose"),
    "convolution": ([node("Conv", ["x", "w", "b"], ["c"], strides=[2, 1], pads=[1, 0, 1, 2]), BATCH_NORM, node("Relu", ["d"], ["y"])], IMAGES, {"w": WEIGHT, "b": RNG.normal(size=4), **NORM}, "convolution relu"),
    "no bias": ([node("Conv", ["x", "w"], ["c"], dilations=[2, 2]), BATCH_NORM, node("LeakyRelu", ["d"], ["y"], alpha=0.2)], IMAGES, {"w": WEIGHT, **NORM}, "convolution relu"),
    "groups": ([node("Conv", ["x", "w"], ["y"], group=3, auto_pad="SAME_UPPER", strides=[2, 2])], IMAGES, {"w": RNG.normal(size=(6, 1, 3, 3))}, "convolution"),
    "norm alone": ([node("BatchNormalization", ["x", *("g", "o", "m", "v")], ["y"])], IMAGES, {"g": NORM["gain"][:3], "o": NORM["off"][:3], "m": NORM["mean"][:3], "v": NORM["var"][:3]}, "scale"),
    "max pool": ([node("MaxPool", ["x"], ["y"], kernel_shape=[3, 2], strides=[2, 1], pads=[1, 1, 0, 0])], IMAGES, {}, "max_pool"),
    "average pool": ([node("AveragePool", ["x"], ["y"], kernel_shape=[3, 2], strides=[2, 1], pads=[1, 1, 1, 0])], IMAGES, {}, "average_pool"),
    "average of padding": ([node("AveragePool", ["x"], ["y"], kernel_shape=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1)], IMAGES, {}, "average_pool"),
    "global": ([node("GlobalAveragePool", ["x"], ["a"]), node("GlobalMaxPool", ["x"], ["b"]), node("Sub", ["a", "b"], ["y"])], IMAGES, {}, "mean max_pool subtract"),
    "gelu": ([*ERF, node("Mul", ["d", "half"], ["y"])], ROWS, {"root": np.sqrt(2.0), "one": 1.0, "half": 0.5}, "curve"),
    "gelu of a factor": ([node("Mul", ["x", "half"], ["h"]), *ERF[:3], node("Mul", ["c", "h"], ["y"])], ROWS, {"root": np.sqrt(2.0), "one": 1.0, "half": 0.5}, "curve"),
    "no gelu": ([*ERF, node("Mul", ["d", "half"], ["y"])], ROWS, {"root": 1.25, "one": 1.0, "half": 0.5}, "scale curve offset multiply scale"),
    "silu": ([node("Sigmoid", ["x"], ["s"]), node("Mul", ["s", "x"], ["y"])], ROWS, {}, "curve"),
    "layer norm spelt out": ([*MEAN, *SPREAD, node("Div", ["s", "r"], ["n"]), node("Mul", ["n", "g"], ["q"]), node("Add", ["q", "b"], ["y"])], ROWS, {"two": 2.0, "eps": 1e-5, "g": RNG.normal(size=8), "b": RNG.normal(size=8)}, "layer_norm"),
    "rms norm spelt out": ([node("Mul", ["x", "x"], ["p"]), *SPREAD, node("Reciprocal", ["r"], ["i"]), node("Mul", ["x", "i"], ["n"]), node("Mul", ["g", "n"], ["y"])], ROWS, {"eps": 1e-5, "g": RNG.normal(size=8)}, "rms_norm"),
    "layer norm": ([node("LayerNormalization", ["x", "g", "b"], ["y"])], ROWS, {"g": RNG.normal(size=8), "b": RNG.normal(size=8)}, "layer_norm"),
    "softmax": ([node("Softmax", ["x"], ["y"])], ROWS, {}, "softmax"),
    "softmax elsewhere": ([node("Softmax", ["x"], ["y"], axis=1)], IMAGES, {}, "transpose softmax transpose"),
    "mask": ([node("Where", ["keep", "x", "low"], ["m"]), node("Softmax", ["m"], ["y"])], ROWS, {"keep": np.arange(8) % 3 > 0, "low": -np.inf}, "offset softmax"),
    "mask added": ([node("Add", ["x", "low"], ["m"]), node("Softmax", ["m"], ["y"])], ROWS, {"low": np.where(np.arange(8) % 3 > 0, 0, -3e38)}, "offset softmax"),
    "where": ([node("Where", ["keep", "other", "x"], ["y"])], ROWS, {"keep": np.arange(8) % 3 > 0, "other": 2.5}, "scale"),
    "curves": ([node(op, [x], [y]) for op, x, y in (("Tanh", "x", "a"), ("Sigmoid", "a", "b"), ("Softplus", "b", "c"), ("Erf", "c", "d"), ("Exp", "d", "y"))], ROWS, {}, "curve curve curve curve curve"),
    "clip": ([node("Clip", ["x", "lo", "hi"], ["y"])], ROWS, {"lo": -0.5, "hi": 1.25}, "clip"),
    "arithmetic": ([node("Mul", ["x", "x"], ["a"]), node("Sub", ["k", "a"], ["b"]), node("Div", ["b", "d"], ["c"]), node("Neg", ["c"], ["e"]), node("Pow", ["e", "three"], ["f"]), node("Sum", ["f", "x", "k"], ["y"])], ROWS * 0.5, {"k": 1.5, "d": np.arange(1.0, 9), "three": 3.0}, None),
    "steep": ([node("Sqrt", ["x"], ["a"]), node("Reciprocal", ["a"], ["b"]), node("Log", ["x"], ["c"]), node("Div", ["c", "x"], ["d"]), node("Sum", ["a", "b", "d"], ["y"])], POSITIVE, {}, None),
    "moves": (
        [node("Split", ["x"], ["a", "b"], axis=1), node("Concat", ["b", "a"], ["c"], axis=1), node("Unsqueeze", ["c", "first"], ["d"]), node("Transpose", ["d"], ["e"], perm=[0, 2, 1]), node("Slice", ["e", "from", "to", "first", "by"], ["f"]), node("Squeeze", ["f", "second"], ["g"]), node("Gather", ["g", "places"], ["h"], axis=1), node("Pad", ["h", "pads"], ["y"])],
        ROWS, {"first": [1], "second": [2], "from": [6], "to": [-100], "by": [-2], "places": [[0, 1], [2, -1]], "pads": [0, 1, 0, 0, 0, 2]}, None,
    ),
    "one becomes many": ([node("MatMul", ["x", "w"], ["a"]), node("Mul", ["a", "k"], ["b"]), node("Add", ["b", "k"], ["c"]), node("MatMul", ["c", "v"], ["y"])], ROWS, {"w": RNG.normal(size=(8, 1)), "k": RNG.normal(size=5), "v": RNG.normal(size=(5, 2))}, "linear scale linear"),
    "gelu by tanh": ([node("Pow", ["x", "three"], ["p"]), node("Mul", ["p", "k"], ["a"]), node("Add", ["x", "a"], ["b"]), node("Mul", ["b", "root"], ["c"]), node("Tanh", ["c"], ["t"]), node("Add", ["t", "one"], ["u"]), node("Mul", ["x", "u"], ["v"]), node("Mul", ["v", "half"], ["y"])], ROWS, {"three": 3.0, "k": 0.044715, "root": math.sqrt(2 / math.pi), "one": 1.0, "half": 0.5}, "curve"),
    "a line": ([node("Conv", ["x", "w", "b"], ["c"], strides=[2], pads=[2, 1]), node("MaxPool", ["c"], ["d"], kernel_shape=[2]), node("AveragePool", ["d"], ["y"], kernel_shape=[2], pads=[1, 0])], RNG.normal(size=(30, 2, 12)), {"w": RNG.normal(size=(3, 2, 4)) * 0.4, "b": RNG.normal(size=3)}, None),
    "sums": ([node("ReduceSum", ["x", "axis"], ["a"], keepdims=0), node("ReduceSum", ["x", "axes"], ["b"]), node("ReduceMean", ["b"], ["c"], axes=[1], keepdims=0), node("Sub", ["a", "c"], ["y"])], IMAGES[:, 0], {"axis": [2], "axes": [1, 2]}, "sum sum mean subtract"),
    "constants beside": (
        [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"])]
        + [part for k in "ab" for part in (node("Concat", ["n", f"size {k}"], [f"to {k}"], axis=0), node("Expand", [k, f"to {k}"], [f"{k}1"]))]
        + [node("Concat", ["a1", "x", "b1", "a1", "x", "b1"], ["y"], axis=1)],
        ROWS, {"zero": [0], "a": RNG.normal(size=(1, 2)), "size a": [2], "b": RNG.normal(size=(1, 3)), "size b": [3]}, "pad pad concatenate offset",
    ),
    "hard": ([node("HardSigmoid", ["x"], ["a"], alpha=0.3), node("HardSwish", ["x"], ["b"]), node("Elu", ["x"], ["c"], alpha=0.75), node("PRelu", ["x", "slope"], ["d"]), node("Sum", ["a", "b", "c", "d"], ["y"])], ROWS, {"slope": RNG.normal(size=8)}, None),
    "flatten": ([node("Flatten", ["x"], ["a"]), node("Identity", ["a"], ["b"]), node("Dropout", ["b"], ["y"])], IMAGES, {}, "reshape"),
    "own shape": ([node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"]), node("Unsqueeze", ["n", "axis"], ["u"]), node("Concat", ["u", "rest"], ["t"], axis=0), node("Reshape", ["x", "t"], ["y"])], IMAGES, {"zero": 0, "axis": [0], "rest": [-1, 7]}, "reshape"),
}


# 7000 rows take 4 s.
SLOW = ("softmax elsewhere",)


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_are_as_the_package_has_them_and_on_shares_too(name):
    nodes, x, constants, layers = NETWORKS[name]
    model = as_the_package_has_it(network(nodes, x.shape, **constants), x)
    if layers is not None:
        assert [layer.layer.op for layer in model.graph.nodes] == layers.split()
    model.calibrate(x)
    assert model.graph.inputs[0].shape[0] == -1, "any number of rows"
    many = between(x, 1).astype(np.float32).astype(np.float64)
    holds(model, some(many, 100) if name in SLOW else many)
    assert all(row.bytes is not None for row in model.report(2, measure=True))


def test_choices():
    nodes = [node("TopK", ["x", "k"], ["v", "i"]), node("ArgMax", ["x"], ["a"], axis=1, keepdims=0), node("ArgMax", ["x"], ["b"], axis=-1)]
    x = np.round(RNG.normal(size=(30, 9)), 1)  # some are equal
    content = network(nodes, x.shape, ("v", "i", "a", "b"), k=[4])
    model = as_the_package_has_it(content, x).calibrate(x)
    values, places, first, kept = private(model, x[:12])
    for got, want in zip((values, places, first, kept), model.plain(x[:12]), strict=True):
        assert np.abs(got - want).max() <= 2.0**-12
    assert places.dtype == np.int64 and first.dtype == np.int64


def test_an_embedding():
    matrix = RNG.normal(size=(20, 6))
    nodes = [node("Gather", ["e", "x"], ["a"]), node("Add", ["a", "p"], ["b"]), node("ReduceMean", ["b"], ["y"], axes=[1], keepdims=0)]
    x = RNG.integers(0, 20, (7, 5))
    model = as_the_package_has_it(network(nodes, x.shape, ids=True, e=matrix, p=RNG.normal(size=(5, 6))), x)
    holds(model.calibrate(x), x)
    said = model.report(7, measure=True).bytes

    def party(p):
        net = ht.nn.share(p, model if p.role == 1 else None, owner=1)
        before = p.cost
        net(net.input(x if p.role == 0 else None, owner=0, shape=7))
        cost = p.cost - before
        assert sum(phase.sent + phase.received for phase in (cost.setup, cost.offline, cost.online)) == pytest.approx(said, rel=0.01)
        prepared = net.prepare(7)
        opened = p.open(prepared(net.input(x if p.role == 0 else None, owner=0, shape=7)))
        assert np.abs(opened - model.plain(x)).max() <= model.report().error
        with pytest.raises(ht.ParamError, match=r"input 'x': id 20 at \(0, 0\) is not supported; accepted: 0 to 19"):
            net.input(np.full((2, 5), 20), owner=p.role)
        with pytest.raises(TypeError, match="whole numbers"):
            net.input(np.full((2, 5), 0.5), owner=p.role)

    ht.run_pair(party)


def attention(size, heads, causal=True):
    """The nodes of one head or several over rows of `size` numbers, as exporters write them."""
    nodes = [node("MatMul", ["x", "w"], ["a"]), node("Add", ["a", "b"], ["qkv"]), node("Split", ["qkv"], ["q", "k", "v"], axis=-1)]
    for name in "qkv":
        nodes += [node("Reshape", [name, "parts"], [f"{name}1"]), node("Transpose", [f"{name}1"], [f"{name}2"], perm=[0, 2, 1, 3])]
    nodes += [node("Transpose", ["k2"], ["kt"], perm=[0, 1, 3, 2]), node("MatMul", ["q2", "kt"], ["s"]), node("Div", ["s", "root"], ["sd"])]
    nodes += [node("Where", ["mask", "sd", "low"], ["sm"])] if causal else [node("Identity", ["sd"], ["sm"])]
    nodes += [node("Softmax", ["sm"], ["c"]), node("MatMul", ["c", "v2"], ["o"]), node("Transpose", ["o"], ["o1"], perm=[0, 2, 1, 3])]
    return [*nodes, node("Reshape", ["o1", "whole"], ["o2"]), node("MatMul", ["o2", "out"], ["o3"]), node("Add", ["x", "o3"], ["y"])]


@pytest.mark.parametrize("causal", [False, True])
def test_attention_with_its_root_in_the_weights(causal):
    tokens, size, heads = 5, 8, 2
    x = RNG.normal(size=(4, tokens, size))
    constants = {
        "w": RNG.normal(size=(size, 3 * size)) * 0.4, "b": RNG.normal(size=3 * size), "parts": [0, 0, heads, size // heads],
        "root": math.sqrt(size / heads), "whole": [0, 0, size], "out": RNG.normal(size=(size, size)) * 0.3,
        "mask": np.tril(np.ones((tokens, tokens))), "low": -np.inf,
    }  # fmt: skip
    model = as_the_package_has_it(network(attention(size, heads, causal), x.shape, **constants), x).calibrate(x)
    assert "scale" not in [layer.layer.op for layer in model.graph.nodes], "the factor is in the columns of the queries"
    holds(model, x)
    off = np.abs(private(model, x)[0] - model.plain(x)).max()
    assert off <= 8 * max(model.report().seen, 2.0**-12), "the differences on the examples tell how large they are"


def random_network(rng, depth):
    """Nodes of layers that fit one another, from rows or images on."""
    nodes, constants, name = [], {}, "x"
    images = bool(rng.integers(0, 2))
    shape = (2, int(rng.integers(1, 4)), int(rng.integers(4, 7)), int(rng.integers(4, 7))) if images else (2, int(rng.integers(2, 9)))
    first = shape
    for i in range(depth):
        new, own = f"t{i}", {}
        kinds = ["Conv", "MaxPool", "AveragePool", "Flatten"] if len(shape) == 4 else ["Gemm", "Softmax", "LayerNormalization", "Concat"]
        kind = str(rng.choice([*kinds, "Relu", "Tanh", "Add", "Mul", "Sigmoid"]))
        how, inputs = {}, [name]
        if kind == "Conv":
            kernel = [int(rng.integers(1, min(4, size + 1))) for size in shape[2:]]
            groups = int(rng.choice([g for g in range(1, shape[1] + 1) if shape[1] % g == 0]))
            outputs = groups * int(rng.integers(1, 3))
            how = {"strides": rng.integers(1, 3, 2).tolist(), "pads": rng.integers(0, 2, 4).tolist(), "group": groups}
            own = {f"w{i}": rng.normal(size=(outputs, shape[1] // groups, *kernel)) * 0.4, f"b{i}": rng.normal(size=outputs)}
        elif kind in ("MaxPool", "AveragePool"):
            how = {"kernel_shape": [min(2, size) for size in shape[2:]], "strides": rng.integers(1, 3, 2).tolist()}
        elif kind == "Gemm":
            own = {f"w{i}": rng.normal(size=(shape[1], int(rng.integers(1, 7)))) * 0.5, f"b{i}": rng.normal(size=1)}
        elif kind == "LayerNormalization":
            own = {f"w{i}": rng.normal(size=shape[-1]), f"b{i}": rng.normal(size=shape[-1])}
            how = {"epsilon": 0.1}
        elif kind in ("Add", "Mul"):
            other = rng.choice(["self", "number", "row"])
            inputs = [name, name] if other == "self" else inputs
            own = {} if other == "self" else {f"k{i}": rng.normal(size=() if other == "number" else shape[-1])}
        elif kind == "Concat":
            inputs, how = [name, name], {"axis": 1}
        nodes.append(node(kind, [*inputs, *own], [new], **how))
        constants.update(own)
        content = network(nodes, first, (new,), **constants)
        evaluator = ReferenceEvaluator(onnx.load_model_from_string(content))
        shape, name = evaluator.run(None, {"x": np.zeros(first, dtype=np.float32)})[0].shape, new
        if 0 in shape:
            return random_network(rng, depth)
    return content, first


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(12, 120))])
def test_random_networks(seed):
    rng = np.random.default_rng(seed)
    content, shape = random_network(rng, int(rng.integers(1, 7)))
    x = rng.normal(size=(60, *shape[1:])) * 2.0 ** rng.integers(-2, 3)
    model = as_the_package_has_it(content, x)
    fraction = int(rng.integers(8, 15))
    model.calibrate(x, margin=float(rng.choice([1.0, 1.5, 4.0])), fraction=fraction)
    assert np.abs(model.fixed(x) - model.plain(x)).max() <= model.report().error
    holds(model, x, owner=seed % 2, giver=1 - seed % 2)


@pytest.mark.parametrize("opset", [11, 13, 18])
def test_axes_as_attributes_and_as_inputs(opset):
    x = RNG.normal(size=(6, 3, 4))
    if opset >= 18:
        nodes = [node("ReduceMean", ["x", "a"], ["m"], keepdims=0), node("Unsqueeze", ["m", "b"], ["y"])]
        content = network(nodes, x.shape, opset=opset, a=[2], b=[1])
    elif opset == 13:
        nodes = [node("ReduceMean", ["x"], ["m"], axes=[2], keepdims=0), node("Unsqueeze", ["m", "b"], ["y"])]
        content = network(nodes, x.shape, opset=opset, b=[1])
    else:
        nodes = [node("ReduceMean", ["x"], ["m"], axes=[2], keepdims=0), node("Unsqueeze", ["m"], ["y"], axes=[1])]
        content = network(nodes, x.shape, opset=opset)
    assert np.allclose(ht.nn.from_onnx(content).plain(x), x.mean(axis=2)[:, None])


def test_a_fixed_number_of_rows_becomes_any_where_nothing_depends_on_it():
    w = RNG.normal(size=(8, 2))
    loose = ht.nn.from_onnx(network([node("Gemm", ["x", "w"], ["y"])], (1, 8), rows=1, w=w))
    assert np.allclose(loose.plain(ROWS), ROWS @ w, atol=1e-6)
    fixed = network([node("Reshape", ["x", "to"], ["a"]), node("Gemm", ["a", "w"], ["y"])], (2, 2, 4), rows=2, w=w, to=[2, 8])
    model = ht.nn.from_onnx(fixed)
    assert model.graph.inputs[0].shape == (2, 2, 4)
    with pytest.raises(ht.ShapeError, match=r"shape \(3, 2, 4\) where \(2, 2, 4\)"):
        model.plain(np.zeros((3, 2, 4)))
    x = RNG.normal(size=(2, 2, 4))
    holds(model.calibrate(x), x)


def test_files_that_are_cut_short_or_something_else(tmp_path):
    content = network([node("Gemm", ["x", "w"], ["y"])], (1, 8), w=RNG.normal(size=(8, 30)))
    for cut in range(0, len(content), 7):
        with pytest.raises(ht.ParamError, match="from_onnx"):
            ht.nn.from_onnx(content[:cut])
    rng = np.random.default_rng(5)
    for _ in range(200):
        damaged = bytearray(content)
        damaged[int(rng.integers(len(content)))] = int(rng.integers(256))
        try:
            ht.nn.from_onnx(bytes(damaged))
        except (ht.ParamError, ht.ShapeError):
            pass
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    assert np.allclose(ht.nn.from_onnx(path).plain(ROWS), ht.nn.from_onnx(content).plain(ROWS))
    path.write_text("no model")
    with pytest.raises(ht.ParamError, match=re.escape(str(path))):
        ht.nn.from_onnx(path)
    with pytest.raises(ht.IoError, match="nothere"):
        ht.nn.from_onnx(tmp_path / "nothere.onnx")


def test_what_a_file_may_be():
    content = network([node("Gemm", ["x", "w"], ["y"])], (1, 8), w=RNG.normal(size=(8, 3)))
    want = ht.nn.from_onnx(content).plain(ROWS)
    for source in (bytearray(content), memoryview(content), onnx.load_model_from_string(content)):
        assert np.array_equal(ht.nn.from_onnx(source).plain(ROWS), want)
    for source in (None, 5, [content], np.ones(3)):
        with pytest.raises(TypeError, match=f"from_onnx: the name of a file, its content or a ModelProto is expected, got {type(source).__name__}"):
            ht.nn.from_onnx(source)
    for sizes, error, message in (
        ({"M": 3}, ht.ParamError, "sizes= names 'M', which is no open axis; accepted: 'N'"),
        ({"N": 0}, ht.ParamError, r"sizes\['N'\]=0 is not supported; accepted: a whole number, 1 to"),
        ({"N": 2.5}, ht.ParamError, r"sizes\['N'\]=2.5"),
        ({"N": "3"}, ht.ParamError, r"sizes\['N'\]='3'"),
        ([3], TypeError, "sizes= is a dict of lengths by the names of axes, got list"),
    ):
        with pytest.raises(error, match=message):
            ht.nn.from_onnx(content, sizes=sizes)
    proto = onnx.load_model_from_string(content)
    del proto.graph.output[:]
    with pytest.raises(ht.ParamError, match="it has no outputs"):
        ht.nn.from_onnx(proto)


def test_ids_of_which_nothing_depends():
    ids, mask = (helper.make_tensor_value_info(name, TensorProto.INT64, ["N", 3]) for name in ("ids", "mask"))
    held = [numpy_helper.from_array(np.ones((5, 2), dtype=np.float32), "w")]
    graph = helper.make_graph([node("Gather", ["w", "ids"], ["y"])], "g", [ids, mask], [helper.make_empty_tensor_value_info("y")], held)
    with pytest.raises(ht.ParamError, match="input 'mask' of whole numbers, of which no result depends"):
        ht.nn.from_onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]))


def test_open_axes_are_named():
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", "tokens", 4])
    y = helper.make_empty_tensor_value_info("y")
    graph = helper.make_graph([node("Relu", ["x"], ["y"])], "network", [x], [y])
    content = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()
    with pytest.raises(ht.ParamError, match=r"lengths of \['rows', 'tokens'\] are open"):
        ht.nn.from_onnx(content)
    assert ht.nn.from_onnx(content, sizes={"tokens": 3}).graph.inputs[0].shape == (-1, 3, 4)
