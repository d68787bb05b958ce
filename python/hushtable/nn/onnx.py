"""Models in ONNX as graphs: what depends on constants alone is folded, the rest become layers."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import IoError, ParamError, ShapeError
from . import layers
from .graph import Graph, Input, Node
from .given import whole
from .imports import CONVERTERS, Builder, Op, Value, Var, convert
from .layer import MOST, Array, Shape
from .layers.arrange import Expand, Reshape
from .model import Model
from .passes import folded
from .patterns import recognised

assert layers

# Batches for which a model is imported: what is alike in both holds for any.
BATCHES = (2, 3)


def from_onnx(
    source: str | os.PathLike[str] | bytes | Any, *, sizes: Mapping[str, int] | None = None, classes: Sequence[Any] | None = None
) -> Model:
    """A model of ONNX: the name of a file, its content, or a `ModelProto` of the package onnx.

    `sizes`: lengths of axes that the file leaves open, by their names there. One axis may stay open: the rows of a batch.
    A file with fixed lengths only serves any number of rows, too, if the first axis of each input is one, and nothing in it
    depends on it. `classes`: the labels that its indices stand for, of which `Net.labels` knows.

    Raises `ParamError` that names the node for operations and forms that are not supported, for files that are no model of
    ONNX or cut short, and weights that are not finite; `ShapeError` for shapes that disagree; `IoError` for a file that
    cannot be read. Takes the package onnx.
    """
    onnx = _package()
    if hasattr(source, "SerializeToString"):
        source = source.SerializeToString()
    elif isinstance(source, bytearray | memoryview):
        source = bytes(source)
    if not isinstance(source, str | bytes | os.PathLike):
        raise TypeError(f"from_onnx: the name of a file, its content or a ModelProto is expected, got {type(source).__name__}")
    proto = _loaded(onnx, source)
    found = _inputs(onnx, proto, _sizes(proto, sizes))
    graph = _any_batch(onnx, proto, found)
    for i, given in enumerate(graph.inputs):
        if given.kind == "ids" and not any(i in node.of for node in graph.nodes):
            raise ParamError(f"from_onnx: input {given.name!r} of whole numbers, of which no result depends, is not supported; accepted: models without it")
    return Model(graph, classes)


def _sizes(proto: Any, sizes: Mapping[str, int] | None) -> dict[str, int]:
    """Lengths of open axes. Raises `ParamError` for one that is none, or of an axis that is not there; `TypeError` for no mapping."""
    sizes = {} if sizes is None else sizes
    if not isinstance(sizes, Mapping):
        raise TypeError(f"from_onnx: sizes= is a dict of lengths by the names of axes, got {type(sizes).__name__}")
    there = [
        dim.dim_param or f"axis {axis} of {given.name}"
        for given in proto.graph.input
        for axis, dim in enumerate(given.type.tensor_type.shape.dim)
        if not dim.HasField("dim_value")
    ]
    for name, size in sizes.items():
        if name not in there:
            raise ParamError(f"from_onnx: sizes= names {name!r}, which is no open axis; accepted: {', '.join(map(repr, there)) or 'none, all are known'}")
        whole(f"from_onnx: sizes[{name!r}]", size, 1, MOST)
    return {name: int(size) for name, size in sizes.items()}


def _package() -> Any:
    try:
        return importlib.import_module("onnx")
    except ImportError:
        raise ParamError("from_onnx: the package onnx is not installed; install hushtable[nn]") from None


def _loaded(onnx: Any, source: str | os.PathLike[str] | bytes) -> Any:
    name = "the model" if isinstance(source, bytes) else str(source) or "''"
    try:
        content = source if isinstance(source, bytes) else Path(source).read_bytes()
    except OSError as error:
        raise IoError(f"from_onnx: {name}: {error.strerror or error}") from None
    try:
        proto = onnx.load_model_from_string(content)
        if not isinstance(source, bytes):
            onnx.load_external_data_for_model(proto, str(Path(source).parent))
        if not proto.graph.node or not proto.opset_import:
            raise ValueError("it has no nodes")
        if not proto.graph.output:
            raise ValueError("it has no outputs")
    except Exception as error:
        first = str(error).strip().splitlines() or [type(error).__name__]
        raise ParamError(f"from_onnx: {name} is no model of ONNX, or cut short: {first[0][:200]}") from None
    if proto.functions:
        raise ParamError(f"from_onnx: {name} has functions of its own, which are not supported; accepted: operations of ONNX")
    return proto


def _inputs(onnx: Any, proto: Any, sizes: dict[str, int]) -> list[Input]:
    """What the model takes. The open axis, if there is one, is -1."""
    constants = {each.name for each in proto.graph.initializer}
    found, open_axes = [], set()
    for given in proto.graph.input:
        if given.name in constants:
            continue
        kind = given.type.tensor_type
        whole = kind.elem_type in (onnx.TensorProto.INT64, onnx.TensorProto.INT32)
        if not whole and kind.elem_type not in (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16):
            raise ParamError(f"from_onnx: input {given.name!r} is not supported; accepted: numbers, or ids of rows (int64)")
        shape = []
        for axis, dim in enumerate(kind.shape.dim):
            name = dim.dim_param or f"axis {axis} of {given.name}"
            known = dim.dim_value if dim.HasField("dim_value") else sizes.get(name, -1)
            if known == -1:
                open_axes.add(name)
            shape.append(int(known))
        if shape.count(-1) > 1 or len(open_axes) > 1:
            raise ParamError(f"from_onnx: lengths of {sorted(open_axes)} are open; accepted: one, the rows of a batch; give others as sizes=")
        if not shape or 0 in shape:
            raise ParamError(f"from_onnx: input {given.name!r} of shape {tuple(shape)} is not supported; accepted: at least one axis")
        found.append(Input(given.name, tuple(shape), "ids" if whole else "number"))
    if not found:
        raise ParamError("from_onnx: the model has no inputs")
    return found


def _any_batch(onnx: Any, proto: Any, inputs: list[Input]) -> Graph:
    """The graph for any number of rows, if there is one."""
    if any(-1 in given.shape for given in inputs):
        graphs = [_imported(onnx, proto, inputs, [given.of(batch) for given in inputs]) for batch in BATCHES]
        merged = _merged(graphs[0], graphs[1])
        if merged is None:
            raise ParamError(
                f"from_onnx: {_differing(graphs[0], graphs[1])} does something else for each number of rows; accepted: a fixed "
                f"number, as sizes={{'name of the axis': rows}}"
            )
        try:
            merged.shapes(1)
        except (ParamError, ShapeError) as error:
            raise ParamError(f"from_onnx: {error}, which one row alone has; accepted: networks of any number of rows") from None
        return merged
    fixed = _imported(onnx, proto, inputs, [given.shape for given in inputs])
    if len({given.shape[0] for given in inputs}) > 1:
        return fixed
    loose = [replace(given, shape=(-1, *given.shape[1:])) for given in inputs]
    try:
        graphs = [_imported(onnx, proto, loose, [given.of(batch) for given in loose]) for batch in BATCHES]
    except Exception:
        return fixed  # it has the length of the first axis in it
    merged = _merged(graphs[0], graphs[1])
    return merged if merged is not None and _by_rows(merged) else fixed


def _by_rows(graph: Graph) -> bool:
    """Whether three rows together give what each gives alone."""
    model, draw = Model(graph), np.random.default_rng(3)
    rows = [draw.integers(0, 2, given.of(3)) if given.kind == "ids" else draw.normal(size=given.of(3)) for given in graph.inputs]

    def results(inputs: list[Any]) -> list[Any]:
        made = model.plain(*inputs)
        return list(made) if isinstance(made, tuple) else [made]

    try:
        alone = [results([x[i : i + 1] for x in rows]) for i in range(3)]
        together = results(rows)
        pairs = [(whole, np.concatenate([each[k] for each in alone])) for k, whole in enumerate(together)]
        return all(a.shape == b.shape and np.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True) for a, b in pairs)
    except Exception:
        return False  # as it does not take other numbers of rows


def _imported(onnx: Any, proto: Any, inputs: list[Input], shapes: list[Shape]) -> Graph:
    """The graph for inputs of these shapes."""
    graph = Graph(list(inputs))
    builder = Builder(graph)
    values: dict[str, Value | None] = {"": None}
    for i, (given, shape) in enumerate(zip(inputs, shapes, strict=True)):
        values[given.name] = Var(i, shape, given.kind == "ids")
    for each in proto.graph.initializer:
        try:
            values[each.name] = onnx.numpy_helper.to_array(each)
        except Exception as error:
            raise ParamError(f"from_onnx: constant {each.name!r} is cut short or malformed: {str(error)[:200]}") from None
    opset = next((int(each.version) for each in proto.opset_import if each.domain in ("", "ai.onnx")), 1)
    users: dict[str, list[str]] = {}
    for node in proto.graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node.op_type)
    for i, node in enumerate(proto.graph.node):
        called = node.name or f"{node.op_type} {i}"
        missing = [name for name in node.input if name not in values]
        if missing:
            raise ParamError(f"from_onnx: node {called!r} ({node.op_type}) takes {missing[0]!r}, which nothing gives")
        given_values = [values[name] for name in node.input]
        if node.domain not in ("", "ai.onnx"):
            raise ParamError(f"from_onnx: node {called!r} ({node.domain}.{node.op_type}) is not supported; accepted: operations of ONNX")
        constant = not any(isinstance(value, Var) for value in given_values)
        if constant or node.op_type in CONVERTERS:
            _check_form(onnx, node, called, opset)
        made: list[Value]
        if node.op_type == "Shape" and isinstance(given_values[0], Var):
            made = [np.asarray(given_values[0].shape, dtype=np.int64)[_attribute(onnx, node, "start", 0) : _attribute(onnx, node, "end", None)]]
        elif constant:
            made = _folded(onnx, node, called, given_values, opset)
        else:
            softmax = [users.get(name, []) == ["Softmax"] for name in node.output]
            outputs = sum(name in users or any(name == out.name for out in proto.graph.output) for name in node.output)
            attributes = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
            outputs = len(node.output) if node.op_type == "Split" else outputs
            made = convert(builder, Op(node.op_type, called, attributes, given_values, outputs, opset, all(softmax)))
        values.update(zip(node.output, made, strict=False))
    for out in proto.graph.output:
        found = values.get(out.name)
        if not isinstance(found, Var) or found.number < len(inputs):
            raise ParamError(f"from_onnx: output {out.name!r} depends on no input by any operation")
        graph.outputs.append(found.number)
    rows = next((shape[axis] for given, shape in zip(inputs, shapes, strict=True) for axis in range(len(shape)) if given.shape[axis] == -1), 1)
    return recognised(folded(recognised(graph.used(), rows), rows), rows)


def _check_form(onnx: Any, node: Any, called: str, opset: int) -> None:
    """Raises `ParamError` for a node whose inputs and attributes are not those of its operation."""
    try:
        known = onnx.defs.get_schema(node.op_type, opset, "")
    except Exception:
        return  # of no operation of ONNX, which is refused for that, or is one of an exporter's
    where, has = f"from_onnx: node {called!r} ({node.op_type})", len(node.input)
    if not known.min_input <= has <= known.max_input:
        most = f" to {known.max_input}" if known.max_input != known.min_input else ""
        raise ParamError(f"{where} has {has} inputs; accepted: {known.min_input}{most}")
    missing = next((i for i in range(known.min_input) if not node.input[i]), None)
    if missing is not None:
        raise ParamError(f"{where} has no input {missing}, {known.inputs[min(missing, len(known.inputs) - 1)].name!r}, which it has to have")
    given = {each.name: each.type for each in node.attribute}
    for name, kind in given.items():
        if name not in known.attributes:
            raise ParamError(f"{where} has an attribute {name!r}, which opset {opset} does not know; accepted: {', '.join(known.attributes) or 'none'}")
        wanted = known.attributes[name].type.name
        if onnx.AttributeProto.AttributeType.Name(kind) != wanted:
            raise ParamError(f"{where}: attribute {name!r} is of type {onnx.AttributeProto.AttributeType.Name(kind)}; accepted: {wanted}")
    for name, attribute in known.attributes.items():
        if attribute.required and name not in given:
            raise ParamError(f"{where} lacks the attribute {name!r}, which it has to have")


def _attribute(onnx: Any, node: Any, name: str, default: Any) -> Any:
    return next((onnx.helper.get_attribute_value(each) for each in node.attribute if each.name == name), default)


def _folded(onnx: Any, node: Any, called: str, given: Sequence[Value | None], opset: int) -> list[Value]:
    """The results of a node of constants, by the package's own evaluation in NumPy."""
    helper, names = onnx.helper, [f"x{i}" if value is not None else "" for i, value in enumerate(given)]
    alone = onnx.NodeProto()
    alone.CopyFrom(node)
    del alone.input[:]
    alone.input.extend(names)
    feeds: dict[str, Array] = {name: value for name, value in zip(names, given, strict=True) if isinstance(value, np.ndarray | np.generic)}
    ins = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.asarray(x).dtype), np.shape(x)) for name, x in feeds.items()]
    outs = [helper.make_empty_tensor_value_info(name) for name in node.output]
    model = helper.make_model(helper.make_graph([alone], "constants", ins, outs), opset_imports=[helper.make_opsetid("", opset)])
    try:
        evaluator = importlib.import_module("onnx.reference").ReferenceEvaluator(model)
        return [np.asarray(value) for value in evaluator.run(None, feeds)]
    except Exception as error:
        raise ParamError(f"from_onnx: node {called!r} ({node.op_type}) of constants: {str(error)[:200]}") from None


def _merged(a: Graph, b: Graph) -> Graph | None:
    """One graph for two batches; none if they differ in more than lengths that are left open."""
    nodes = [_node(x, y) for x, y in zip(a.nodes, b.nodes, strict=False)]
    if len(a.nodes) != len(b.nodes) or a.outputs != b.outputs or None in nodes:
        return None
    merged = Graph(a.inputs, [node for node in nodes if node is not None], a.outputs)
    try:
        for batch, graph in zip(BATCHES, (a, b), strict=True):
            if list(merged.shapes(batch).values())[len(a.inputs) :] != list(graph.shapes(batch).values())[len(a.inputs) :]:
                return None
    except Exception:
        return None
    return merged


def _differing(a: Graph, b: Graph) -> str:
    """The first layer that is another one for another batch, for people."""
    pairs = zip(a.nodes, b.nodes, strict=False)
    return next((f"layer {x.name!r} ({x.layer.op})" for x, y in pairs if _node(x, y) is None), "the model")


def _node(x: Node, y: Node) -> Node | None:
    """One node for two batches, if there is one."""
    layer = x.layer
    if type(layer) is not type(y.layer) or x.of != y.of or x.own.keys() != y.own.keys():
        return None
    if any(not np.array_equal(x.own[name], y.own[name]) for name in x.own):
        return None
    if isinstance(layer, Reshape | Expand) and isinstance(y.layer, Reshape | Expand) and len(layer.to) == len(y.layer.to):
        to = tuple(m if m == n else -1 for m, n in zip(layer.to, y.layer.to, strict=True))
        if isinstance(layer, Reshape) and to.count(-1) > 1:
            return None
        return replace(x, layer=replace(layer, to=to))
    return x if layer == y.layer else None
