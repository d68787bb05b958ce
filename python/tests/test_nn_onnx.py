"""Networks of ONNX: as its own package evaluates them, and on shares."""

from __future__ import annotations

import math
import re

import hushtable as ht
import numpy as np
import pytest
from networks import holds, listed, private

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

node = helper.make_node


def network(nodes, shape, outputs=("y",), opset=17, rows="N", ids=False, **constants):
    """A network of the input "x", whose first axis is open unless `rows` is a number."""
    whole = {name: np.asarray(value) for name, value in constants.items()}
    held = [numpy_helper.from_array(a.astype(np.float32 if a.dtype.kind == "f" else np.int64), name) for name, a in whole.items()]
    kind = TensorProto.INT64 if ids else TensorProto.FLOAT
    x = helper.make_tensor_value_info("x", kind, [rows, *shape[1:]])
    outs = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph(nodes, "network", [x], outs, held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8).SerializeToString()


def as_the_package_has_it(content, x):
    """The model, if its results are those of the package on these inputs."""
    model = ht.nn.from_onnx(content)
    given = x.astype(np.float32) if x.dtype.kind == "f" else x
    with np.errstate(all="ignore"):
        wanted = ReferenceEvaluator(onnx.load_model_from_string(content)).run(None, {"x": given})
    for got, want in zip(listed(model.plain(given)), wanted, strict=True):
        assert got.shape == want.shape
        assert np.abs(got - want).max() <= 2e-5 * max(1.0, float(np.abs(want).max()))
    return model


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
    "gelu by tanh": ([node("Pow", ["x", "three"], ["p"]), node("Mul", ["p", "k"], ["a"]), node("Add", ["x", "a"], ["b"]), node("Mul", ["b", "root"], ["c"]), node("Tanh", ["c"], ["t"]), node("Add", ["t", "one"], ["u"]), node("Mul", ["x", "u"], ["v"]), node("Mul", ["v", "half"], ["y"])], ROWS, {"three": 3.0, "k": 0.044715, "root": math.sqrt(2 / math.pi), "one": 1.0, "half": 0.5}, None),
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


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_are_as_the_package_has_them_and_on_shares_too(name):
    nodes, x, constants, layers = NETWORKS[name]
    model = as_the_package_has_it(network(nodes, x.shape, **constants), x)
    if layers is not None:
        assert [layer.layer.op for layer in model.graph.nodes] == layers.split()
    model.calibrate(x)
    assert model.graph.inputs[0].shape[0] == -1, "any number of rows"
    holds(model, x[:4].astype(np.float32).astype(np.float64))
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
    holds(model, x[:3], owner=seed % 2, giver=1 - seed % 2)


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


@pytest.mark.parametrize(
    ("nodes", "shape", "constants", "message"),
    [
        ([node("LSTM", ["x", "w", "w"], ["y"], name="cell")], (1, 4), {"w": np.ones(3)}, r"node 'cell' \(LSTM\): this operation is not supported; accepted: Add, ArgMax"),
        ([node("Relu", ["z"], ["y"])], (1, 4), {}, "takes 'z', which nothing gives"),
        ([node("Gemm", ["x", "w"], ["y"], name="head")], (1, 4), {"w": np.ones((3, 2))}, r"node 'head' \(Gemm\): shape \(2, 4\) where 3 numbers"),
        ([node("Gemm", ["x", "w"], ["y"], name="head")], (1, 2), {"w": np.array([[1, np.nan], [1, 1]])}, r"'head' \(linear\): weight has nan at \(0, 1\)"),
        ([node("Add", ["x", "b"], ["y"], name="shift")], (1, 2), {"b": np.array([np.inf, 0])}, r"'shift' \(offset\): bias has inf"),
        ([node("Conv", ["x", "w"], ["y"], name="conv")], (1, 3, 2, 2), {"w": np.ones((1, 3, 3, 3))}, r"'conv' \(Conv\): a kernel of \(3, 3\) on images of \(2, 2\)"),
        ([node("Conv", ["x", "w"], ["y"])], (1, 3, 9, 9, 9), {"w": np.ones((1, 3, 3, 3, 3))}, "accepted: one or two axes"),
        ([node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)], (1, 1, 5, 5), {}, "ceil_mode=1"),
        ([node("Div", ["x", "z"], ["y"])], (1, 2), {"z": np.array([1.0, 0])}, "division by 0"),
        ([node("Pow", ["x", "z"], ["y"])], (1, 2), {"z": 2.5}, "exponent 2.5"),
        ([node("Expand", ["x"], ["y"], name="wide")], (1, 2), {}, r"node 'wide' \(Expand\) has 1 inputs; accepted: 2"),
        ([node("Clip", ["x", "z", "z", "z"], ["y"])], (1, 2), {"z": 1.0}, r"node 'Clip 0' \(Clip\) has 4 inputs; accepted: 1 to 3"),
        ([node("Gemm", ["x", ""], ["y"], name="head")], (1, 2), {}, r"node 'head' \(Gemm\) has no input 1, 'B'"),
        ([node("Softmax", ["x"], ["y"], axes=[1], name="s")], (1, 2), {}, r"node 's' \(Softmax\) has an attribute 'axes', which opset 17 does not know; accepted: axis"),
        ([node("Softmax", ["x"], ["y"], axis=[1])], (1, 2), {}, "attribute 'axis' is of type INTS; accepted: INT"),
        ([node("MaxPool", ["x"], ["y"], name="pool")], (1, 1, 2, 2), {}, r"node 'pool' \(MaxPool\) lacks the attribute 'kernel_shape'"),
        ([node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], strides=[1])], (1, 1, 4, 4), {}, r"strides \(1,\), .* accepted: a number for each axis"),
        ([node("LayerNormalization", ["x", "w"], ["y"])], (1, 4), {"w": np.ones(3)}, r"a constant of shape \(3,\); accepted: 4 numbers"),
        ([node("Gemm", ["x", "w", "z"], ["y"])], (1, 2), {"w": np.ones((2, 3)), "z": np.ones(2)}, r"a constant of shape \(2,\); accepted: 3 numbers"),
        ([node("ReduceSum", ["x", "z"], ["y"])], (1, 2), {"z": [1, -1]}, r"axes \(1, -1\) of shape \(2, 2\); accepted: each once"),
        ([node("Concat", ["x", "z"], ["y"], axis=1)], (1, 2), {"z": [1.0]}, r"a constant of shape \(1,\) beside \(2, 2\)"),
        ([node("Where", ["z", "x", "w"], ["y"])], (1, 2), {"z": [1, 0], "w": np.ones(3)}, r"shapes \(2,\) and \(3,\) do not fit"),
        ([node("Slice", ["x", "a", "b"], ["y"])], (1, 2), {"a": [0], "b": [1, 2]}, r"starts \(0,\), ends \(1, 2\), .* accepted: as many of each"),
        ([node("Slice", ["x", "a", "b", "a"], ["y"], name="cut")], (1, 2), {"a": [0], "b": [-1]}, "layer 'cut' .* does something else for each number of rows; accepted: a fixed number, as sizes="),
        ([node("Gather", ["x", "a"], ["y"], name="second")], (1, 2), {"a": [1]}, r"layer 'second' \(take\): .*, which one row alone has"),
        ([node("Clip", ["x", "", "z"], ["y"])], (1, 2), {"z": [1.0, 2.0]}, r"a limit max=\[1.0, 2.0\]"),
        ([node("Clip", ["x", "z"], ["y"])], (1, 2), {"z": np.nan}, r"a limit min=\[nan\]"),
        ([node("Clip", ["x", "z", "w"], ["y"])], (1, 2), {"z": 1.0, "w": 0.0}, "limits 1.0 and 0.0"),
        ([node("Gelu", ["x"], ["y"], approximate="other")], (1, 2), {"opset": 20}, "approximate='other' is not supported; accepted: 'none' or 'tanh'"),
        ([node("Pad", ["x", "b", "z"], ["y"], name="frame")], (1, 2), {"b": [0, 1, 0, 0], "z": -np.inf}, r"'frame' \(Pad\): padding by -inf .* finite"),
        ([node("Pad", ["x", "b"], ["y"], mode="mirror")], (1, 2), {"b": [0, 1, 0, 0]}, "mode='mirror' is not supported; accepted: constant, edge"),
        ([node("Pad", ["x", "b"], ["y"])], (1, 2), {"b": [0, 1, 0]}, "3 numbers of places for 2 axes"),
        ([node("Pad", ["x", "b"], ["y"])], (1, 2), {"b": [0, -1, 0, -1]}, "0 from 1 on by 1 along axis 1"),
        ([node("TopK", ["x", "z"], ["y", "i"])], (1, 2), {"z": [3]}, "the 3 greatest"),
        ([node("Slice", ["x", "a", "a", "b"], ["y"])], (1, 4), {"a": [2], "b": [1]}, "is empty"),
        ([node("Gather", ["x", "a"], ["y"], axis=1)], (1, 4), {"a": [9]}, "accepted: -4 to 3"),
        ([node("Gather", ["w", "x"], ["y"])], (1, 4), {"w": np.ones((3, 2))}, "at an input of whole numbers"),
    ],
)  # fmt: skip
def test_what_is_not_supported_names_the_node(nodes, shape, constants, message):
    with pytest.raises((ht.ParamError, ht.ShapeError), match=message):
        ht.nn.from_onnx(network(nodes, shape, **constants)).calibrate(np.ones((2, *shape[1:])))


def test_a_factor_that_makes_rows_longer():
    content = network([node("Mul", ["x", "w"], ["y"])], (20, 1), w=RNG.normal(size=4))
    x = RNG.normal(size=(20, 1)) * 2.0**7
    holds(as_the_package_has_it(content, x).calibrate(x), x)


def random_clip(rng):
    lo, hi = np.sort(rng.normal(size=2))
    limits = [lo, hi, None, None, -np.inf, np.inf, np.finfo(np.float32).max, -np.finfo(np.float32).max, 0.0]
    lo, hi = lo if rng.integers(2) else limits[int(rng.choice([2, 4, 7, 8]))], hi if rng.integers(2) else limits[int(rng.choice([3, 5, 6]))]
    lo, hi = (lo, hi) if None in (lo, hi) or lo <= hi else (hi, lo)
    own = {name: value for name, value in (("lo", lo), ("hi", hi)) if value is not None}
    return node("Clip", ["x0", "lo" if "lo" in own else "", "hi" if "hi" in own else ""], ["y"]), (30, 4), own, {}


def random_pad(rng):
    shape = (6, *(int(n) for n in rng.integers(3, 6, rng.integers(1, 4))))
    mode, axes = str(rng.choice(["constant", "edge", "reflect"])), sorted(rng.permutation(np.arange(1, len(shape)))[:2])
    by = rng.integers(-1 if mode == "constant" else 0, 3, 2 * len(axes))
    own = {"by": by, **({"k": rng.normal()} if mode == "constant" else {}), "axes": np.array(axes)}
    return node("Pad", ["x0", "by", "k" if "k" in own else "", "axes"], ["y"], mode=mode), shape, own, {"opset": 18}


def random_gelu(rng):
    how = {"approximate": str(rng.choice(["tanh", "none"]))} if rng.integers(3) else {}
    return node("Gelu", ["x0"], ["y"], **how), (30, 5), {}, {"opset": 20}


def random_global(rng):
    shape = (8, 3, *(int(n) for n in rng.integers(1, 4, rng.integers(1, 5))))
    return node(str(rng.choice(["GlobalMaxPool", "GlobalAveragePool"])), ["x0"], ["y"]), shape, {}, {}


def random_split(rng):
    sizes = [int(n) for n in rng.integers(1, 4, rng.integers(1, 5))]
    axis = int(rng.integers(1, 3))
    shape = [6, 2, 2]
    shape[axis] = sum(sizes)
    return node("Split", ["x0", "sizes"], [f"y{i}" for i in range(len(sizes))], axis=axis), tuple(shape), {"sizes": sizes}, {}


def random_take(rng):
    shape = (6, *(int(n) for n in rng.integers(1, 5, rng.integers(1, 4))))
    axis = int(rng.integers(1, len(shape)))
    places = rng.integers(-shape[axis], shape[axis], tuple(int(n) for n in rng.integers(1, 4, rng.integers(0, 3))))
    return node("Gather", ["x0", "places"], ["y"], axis=axis - len(shape) * int(rng.integers(2))), shape, {"places": places}, {}


def by_hand(kind, x, own, attributes):
    if kind == "GlobalMaxPool":
        return x.max(axis=tuple(range(2, x.ndim)), keepdims=True)
    (mode,) = [each.s.decode() for each in attributes if each.name == "mode"]
    pairs = [(0, 0)] * x.ndim
    for i, axis in enumerate(own["axes"]):
        pairs[axis] = (int(own["by"][i]), int(own["by"][len(own["axes"]) + i]))
    x = x[tuple(slice(max(-a, 0), size + min(b, 0)) for size, (a, b) in zip(x.shape, pairs, strict=True))]
    return np.pad(x, np.maximum(pairs, 0), mode=mode, **({"constant_values": own["k"]} if mode == "constant" else {}))


OPERATIONS = [random_clip, random_pad, random_gelu, random_global, random_split, random_take]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(6, 60))])
def test_random_operations(operation, seed):
    rng = np.random.default_rng(seed)
    made, shape, own, how = operation(rng)
    x = rng.normal(size=shape) * 2.0 ** rng.integers(-1, 3)
    content = network([node("Neg", ["x"], ["x0"]), made], shape, tuple(made.output), **how, **own)
    if made.op_type in ("Pad", "GlobalMaxPool"):  # which the package does not do for all of these
        model = ht.nn.from_onnx(content)
        assert np.allclose(model.plain(x), by_hand(made.op_type, -x, own, made.attribute), rtol=1e-6, atol=1e-6)
    else:
        model = as_the_package_has_it(content, x)
    names = [each.name for each in model.graph.nodes]
    assert len(set(names)) == len(names)
    holds(model.calibrate(x), x[:3].astype(np.float32).astype(np.float64))


def test_parts_of_a_split_have_names_of_their_own():
    content = network([node("Split", ["x"], ["a", "b", "c"], axis=1, name="cut"), node("Add", ["b", "c"], ["d"], name="sum")], (20, 6), ("a", "d"))
    model = as_the_package_has_it(content, ROWS[:, :6]).calibrate(ROWS[:, :6])
    assert [row.layer for row in model.report()] == ["cut", "cut (2)", "cut (3)", "sum"]


def test_as_many_classes_as_there_are_results():
    content = network([node("ArgMax", ["x"], ["y"], axis=1, keepdims=0)], (20, 5))
    for classes in (["a", "b"], list("abcdef")):
        with pytest.raises(ht.ParamError, match=f"classes: {len(classes)} labels are not supported; accepted: 5"):
            ht.nn.from_onnx(content, classes=classes)
    assert ht.nn.from_onnx(content, classes=list("abcde")).classes == list("abcde")


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


def test_open_axes_are_named():
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", "tokens", 4])
    y = helper.make_empty_tensor_value_info("y")
    graph = helper.make_graph([node("Relu", ["x"], ["y"])], "network", [x], [y])
    content = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()
    with pytest.raises(ht.ParamError, match=r"lengths of \['rows', 'tokens'\] are open"):
        ht.nn.from_onnx(content)
    assert ht.nn.from_onnx(content, sizes={"tokens": 3}).graph.inputs[0].shape == (-1, 3, 4)
