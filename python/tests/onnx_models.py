"""Support: models of ONNX, made node by node, beside their evaluation by its own package."""

from __future__ import annotations

import hushtable as ht
import numpy as np
import onnx
from networks import listed
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

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
