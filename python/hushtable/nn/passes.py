"""What makes a graph smaller without another result: factors and offsets go into the layers before and behind them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .graph import Graph, Node
from .layer import Array
from .layers.forest import Forest
from .layers.linear import Convolution, Linear, Offset, Scale


def folded(graph: Graph) -> Graph:
    """The graph with scales and offsets folded in, until there is no more to fold."""
    graph = graph.used()
    while (smaller := _fold_one(graph)) is not None:
        graph = smaller
    return graph


def _fold_one(graph: Graph) -> Graph | None:
    first = len(graph.inputs)
    users: dict[int, int] = {value: 1 for value in graph.outputs}
    for node in graph.nodes:
        for value in node.of:
            users[value] = users.get(value, 0) + 1
    for i, node in enumerate(graph.nodes, first):
        if len(node.of) != 1 or node.of[0] < first or users[node.of[0]] != 1:
            continue
        before = graph.nodes[node.of[0] - first]
        made = _after(before, node) or _ahead(before, node)
        if made is not None:
            nodes = list(graph.nodes)
            nodes[i - first] = replace(made, of=before.of)
            return Graph(graph.inputs, nodes, graph.outputs, graph.batch).without({node.of[0]}, {})
    return None


def _after(before: Node, node: Node) -> Node | None:
    """A layer with weights that takes up the scale or the offset behind it."""
    layer = before.layer
    if not isinstance(layer, (Linear, Convolution, Scale)):
        return None
    axis = -3 if isinstance(layer, Convolution) else layer.axis if isinstance(layer, Scale) else -1
    size = layer.size if isinstance(layer, Scale) else layer.outputs
    affine = _affine(node, axis, size)
    if affine is None:
        return None
    factors, offsets = affine
    weight = before.own["weight"]
    along = factors[:, None, None, None] if isinstance(layer, Convolution) else factors
    bias = (before.own["bias"] if layer.bias else np.zeros(size)) * factors + offsets
    return replace(before, layer=replace(layer, bias=True), own={"weight": weight * along, "bias": bias})


def _ahead(before: Node, node: Node) -> Node | None:
    """A layer that takes up the scale or the offset before it."""
    layer = node.layer
    if isinstance(layer, (Linear, Forest)):
        affine = _affine(before, -1, layer.inputs)
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
        return replace(node, layer=replace(layer, single=False), own={**node.own, "threshold": threshold})
    return None


def _affine(node: Node, axis: int, size: int) -> tuple[Array, Array] | None:
    """Factors and offsets of a layer that has one for each of `size` places along an axis, or one for all."""
    layer = node.layer
    if isinstance(layer, Scale) and ((layer.axis == axis and layer.size == size) or layer.size == 1):
        offsets = node.own["bias"] if layer.bias else np.zeros(layer.size)
        return np.broadcast_to(node.own["weight"], (size,)), np.broadcast_to(offsets, (size,))
    if isinstance(layer, Offset):
        places = (size,) + (1,) * (-1 - axis)
        trimmed = layer.size[next((i for i, length in enumerate(layer.size) if length != 1), len(layer.size)) :]
        if trimmed in ((), places) or (len(trimmed) == len(places) and trimmed == places):
            return np.ones(size), np.broadcast_to(node.own["bias"].reshape(-1), (size,))
    return None
