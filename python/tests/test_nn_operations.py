"""Operations of ONNX: random forms of single ones, and what is refused, by the names of nodes."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import pytest
from networks import holds

pytest.importorskip("onnx")

from onnx_models import as_the_package_has_it, network, node  # noqa: E402

RNG = np.random.default_rng(12)
ROWS = RNG.normal(size=(1000, 8))


@pytest.mark.parametrize(
    ("nodes", "shape", "constants", "message"),
    [
        ([node("Sin", ["x"], ["y"], name="s")], (1, 4), {}, r"node 's' \(Sin\): this operation is not supported"),
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
@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(12, 60))])
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
