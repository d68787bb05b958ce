"""What makes a graph smaller without another result: factors and offsets go into the layers before and behind them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .graph import Graph, Node
from .layer import Array, Shape
from .layers.forest import Forest
from .layers.linear import Convolution, Linear, Offset, Scale
from .layers.norm import LayerNorm, RmsNorm

# How far a number that went through a scaler may lie off in floating point, of its size and of that of the offset.
ROUNDED = 2.0**-50


def folded(graph: Graph, rows: int) -> Graph:
    """The graph, as it is for so many rows, with scales and offsets folded in, until there is no more to fold."""
    graph = graph.used()
    while (smaller := _fold_one(graph, graph.shapes(rows))) is not None:
        graph = smaller
    return graph


def _fold_one(graph: Graph, shapes: dict[int, Shape]) -> Graph | None:
    first = len(graph.inputs)
    users: dict[int, int] = {value: 1 for value in graph.outputs}
    for node in graph.nodes:
        for value in node.of:
            users[value] = users.get(value, 0) + 1
    for i, node in enumerate(graph.nodes, first):
        if _nothing(node) and (node.of[0] >= first or i not in graph.outputs):
            return graph.without({i}, {i: node.of[0]})
        if len(node.of) != 1 or node.of[0] < first or users[node.of[0]] != 1:
            continue
        before = graph.nodes[node.of[0] - first]
        made = _after(before, node)
        if made is None and shapes[before.of[0]] == shapes[node.of[0]]:  # it does not make more numbers of one
            made = _ahead(before, node)
        if made is not None:
            nodes = list(graph.nodes)
            nodes[i - first] = replace(made, of=before.of)
            return Graph(graph.inputs, nodes, graph.outputs, graph.batch).without({node.of[0]}, {})
    return None


def _nothing(node: Node) -> bool:
    """Whether a layer gives what it gets."""
    scale = isinstance(node.layer, Scale) and node.layer.size in ((), (1,)) and (node.own["weight"] == 1).all()
    offset = isinstance(node.layer, Offset) and node.layer.size in ((), (1,))
    return (scale or offset) and not ("bias" in node.own and node.own["bias"].any())


def _after(before: Node, node: Node) -> Node | None:
    """A layer with weights that takes up the scale or the offset behind it."""
    layer = before.layer
    if isinstance(layer, LayerNorm | RmsNorm):
        return _norm_after(before, node)
    if not isinstance(layer, Linear | Convolution | Scale):
        return None
    size = (layer.outputs, 1, 1) if isinstance(layer, Convolution) else layer.size if isinstance(layer, Scale) else (layer.outputs,)
    affine = _affine(node, size)
    if affine is None:
        return None
    factors, offsets = (numbers.reshape(before.own["bias"].shape if layer.bias else -1) for numbers in affine)
    weight = before.own["weight"]
    along = factors.reshape(-1, 1, 1, 1) if isinstance(layer, Convolution) else factors.reshape(size if isinstance(layer, Scale) else -1)
    bias = (before.own["bias"] if layer.bias else np.zeros(factors.shape)) * factors + offsets
    bias = bias.reshape(size) if isinstance(layer, Scale) else bias.reshape(-1)
    return replace(before, layer=replace(layer, bias=True), own={"weight": weight * along, "bias": bias})


def _norm_after(before: Node, node: Node) -> Node | None:
    """A norm that takes up gains behind it, and offsets where it has some."""
    layer = before.layer
    assert isinstance(layer, LayerNorm | RmsNorm)
    affine = _affine(node, (layer.size,))
    if affine is None or (isinstance(layer, RmsNorm) and affine[1].any()):
        return None
    own = {"weight": before.own["weight"] * affine[0]}
    if isinstance(layer, LayerNorm):
        own["bias"] = before.own["bias"] * affine[0] + affine[1]
    return replace(before, own=own)


def _ahead(before: Node, node: Node) -> Node | None:
    """A layer that takes up the scale or the offset before it."""
    layer = node.layer
    if isinstance(layer, (Linear, Forest)):
        affine = _affine(before, (layer.inputs,))
        if affine is None:
            return None
        factors, offsets = affine
        if isinstance(layer, Linear):
            weight = node.own["weight"]
            bias = (node.own["bias"] if layer.bias else 0) + offsets @ weight
            return replace(node, layer=replace(layer, bias=True), own={"weight": weight * factors[:, None], "bias": bias})
        if (factors <= 0).any():
            return None
        at = np.argmax(node.own["feature"], axis=0)
        threshold = (node.own["threshold"] - offsets[at]) / factors[at]
        # Thresholds may be numbers of the training data, which stay at their left however the scaler rounds them.
        doubt = ROUNDED * (np.abs(threshold) + np.abs(offsets[at] / factors[at]))
        return replace(node, own={**node.own, "threshold": threshold + doubt})
    return None


def _affine(node: Node, size: tuple[int, ...]) -> tuple[Array, Array] | None:
    """Factors and offsets of a layer that has one for each place of `size`, or one for all."""
    layer = node.layer
    if not isinstance(layer, Scale | Offset) or layer.size not in (size, (), (1,)):
        return None
    factors = node.own["weight"] if isinstance(layer, Scale) else np.ones(layer.size)
    offsets = node.own["bias"] if "bias" in node.own else np.zeros(layer.size)
    return np.broadcast_to(factors, size), np.broadcast_to(offsets, size)
