"""Functions that exporters spell out as several operations: GELU, SiLU, layer norm, RMS norm; and factors that move towards
the weights that can take them up."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from .graph import Graph, Node
from .layer import Array, Layer
from .layers.arrange import Expand, Negate, Reshape, Slice, Transpose
from .layers.elementwise import CUBE, Add, Curve, MatMul, Multiply, Subtract
from .layers.linear import Linear, Offset, Scale
from .layers.norm import LayerNorm, RmsNorm
from .layers.pool import Mean
from .layers.steep import Steep

NEAR = 1e-5

# Of what x is multiplied with by the function there: the name of the product, what the function is applied to as a polynomial
# of x, and the number that is added to it.
GATES = {
    "erf": ("gelu", (0, math.sqrt(0.5), 0, 0), 1),
    "tanh": ("gelu_tanh", (0, math.sqrt(2 / math.pi), 0, math.sqrt(2 / math.pi) * CUBE), 1),
    "sigmoid": ("silu", (0, 1, 0, 0), 0),
}


@dataclass(frozen=True)
class Affine:
    """A value as `factor * base + offset`, numbers."""

    base: int
    factor: float
    offset: float


class Matcher:
    """Looks backwards from a value."""

    def __init__(self, graph: Graph, batch: int) -> None:
        self.graph, self.batch = graph, batch
        self.first = len(graph.inputs)
        self.users: dict[int, list[int]] = {}
        for i, node in enumerate(graph.nodes, self.first):
            for value in node.of:
                self.users.setdefault(value, []).append(i)

    def node(self, value: int) -> Node | None:
        return self.graph.nodes[value - self.first] if value >= self.first else None

    def layer(self, value: int) -> Layer | None:
        node = self.node(value)
        return None if node is None else node.layer

    def of(self, value: int) -> tuple[int, ...]:
        node = self.node(value)
        return () if node is None else node.of

    def alone(self, value: int) -> bool:
        """Whether one node takes a value, and it is no result."""
        return len(self.users.get(value, [])) == 1 and value not in self.graph.outputs

    def affine(self, value: int) -> Affine:
        """A value behind factors and offsets that are single numbers."""
        factor, offset = 1.0, 0.0
        while (node := self.node(value)) is not None and isinstance(node.layer, Scale | Offset):
            if any(array.size != 1 for array in node.own.values()):
                break
            offset += factor * (float(node.own["bias"].ravel()[0]) if "bias" in node.own else 0.0)
            factor *= float(node.own["weight"].ravel()[0]) if "weight" in node.own else 1.0
            value = node.of[0]
        return Affine(value, factor, offset)

    def polynomial(self, value: int, base: int) -> Array | None:
        """The coefficients of a value as a polynomial of degree 3 of another one, if it is one."""
        if value == base:
            return np.array([0.0, 1.0, 0.0, 0.0])
        node, x = self.node(value), self.affine(value)
        if x.base != value:
            inner = self.polynomial(x.base, base)
            return None if inner is None else x.factor * inner + np.array([x.offset, 0, 0, 0])
        if node is None or not isinstance(node.layer, Add | Multiply):
            return None
        a, b = (self.polynomial(each, base) for each in node.of)
        if a is None or b is None or isinstance(node.layer, Add):
            return None if a is None or b is None else a + b
        product = np.convolve(a, b)
        return None if product[4:].any() else product[:4]


def recognised(graph: Graph, batch: int) -> Graph:
    """The graph, as it is for so many rows, with these functions as layers of their own."""
    changed = True
    while changed:
        changed = False
        match = Matcher(graph, batch)
        for i in range(match.first, match.first + len(graph.nodes)):
            nodes = _gate(match, i) or _norm(match, i) or _moved(match, i)
            better = _sliced(match, i) if nodes is None else _replaced(graph, i, nodes)
            if better is not None:
                graph, changed = better, True
                break
    return graph


# Nodes in place of one; -1, -2, .. stand for the results of the first, the second ..
New = list[Node]


def _replaced(graph: Graph, value: int, new: New) -> Graph:
    first, grown = len(graph.inputs), len(new) - 1

    def shifted(each: int) -> int:
        return each if each < value else each + grown

    nodes = list(graph.nodes[: value - first])
    for node in new:
        nodes.append(replace(node, of=tuple(each if each >= 0 else value - each - 1 for each in node.of)))
    for node in graph.nodes[value - first + 1 :]:
        nodes.append(replace(node, of=tuple(shifted(each) for each in node.of)))
    return Graph(graph.inputs, nodes, [shifted(each) for each in graph.outputs], graph.batch).used()


def _gate(match: Matcher, value: int) -> New | None:
    """`x (1 + erf(x / sqrt 2)) / 2`, `x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2` and `x sigmoid(x)`, with factors
    anywhere."""
    node = match.node(value)
    assert node is not None
    if not isinstance(node.layer, Multiply):
        return None
    sides = [match.affine(each) for each in node.of]
    for x, y in (sides, sides[::-1]):
        curve = match.layer(y.base)
        if x.offset or not isinstance(curve, Curve) or curve.name not in GATES:
            continue
        name, inner, beside = GATES[curve.name]
        found = match.polynomial(match.of(y.base)[0], x.base)
        if found is None or np.abs(found - inner).max() > NEAR or abs(y.offset - beside * y.factor) > NEAR:
            continue
        gain = x.factor * y.factor * (1 + beside)
        made = [replace(node, layer=Curve(name), of=(x.base,))]
        if gain != 1:
            made.append(Node(Scale((), False), (-1,), node.name, {"weight": np.asarray(gain)}))
        return made
    return None


def _norm(match: Matcher, value: int) -> New | None:
    """Rows divided by their deviation, or by the root of their mean square."""
    node = match.node(value)
    assert node is not None
    if not isinstance(node.layer, Multiply):
        return None
    for x, inverse in (node.of, node.of[::-1]):
        spread = _under_root(match, inverse)
        if spread is None:
            continue
        mean = match.node(spread.base)
        if spread.factor != 1 or mean is None or not isinstance(mean.layer, Mean) or mean.layer != Mean((-1,), True):
            continue
        square = match.node(mean.of[0])
        if square is None or not isinstance(square.layer, Multiply) or len(set(square.of)) != 1:
            continue
        size = match.graph.shapes(match.batch)[x][-1]
        if square.of[0] != x:
            continue
        centred, epsilon = match.node(x), spread.offset
        own = {"weight": np.ones(size)}
        if centred is not None and isinstance(centred.layer, Subtract):
            source, centre = centred.of
            if match.layer(centre) == Mean((-1,), True) and match.of(centre) == (source,):
                own["bias"] = np.zeros(size)
                return [replace(node, layer=LayerNorm(size, epsilon), of=(source,), own=own)]
        return [replace(node, layer=RmsNorm(size, epsilon), of=(x,), own=own)]
    return None


def _under_root(match: Matcher, value: int) -> Affine | None:
    """What a value is the inverse root of."""
    if match.layer(value) == Steep("rsqrt"):
        return match.affine(match.of(value)[0])
    if match.layer(value) != Steep("reciprocal"):
        return None
    root = match.of(value)[0]
    return match.affine(match.of(root)[0]) if match.layer(root) == Steep("sqrt") else None


def _moved(match: Matcher, value: int) -> New | None:
    """A factor that is one number goes before what moves numbers, or into one side of a product."""
    node = match.node(value)
    assert node is not None
    if not isinstance(node.layer, Scale) or node.layer.bias or node.own["weight"].size != 1:
        return None
    behind = match.node(node.of[0])
    if behind is None or not match.alone(node.of[0]):
        return None
    if isinstance(behind.layer, Reshape | Transpose | Expand | Negate | MatMul):
        return [replace(node, of=(behind.of[0],)), replace(behind, of=(-1, *behind.of[1:]))]
    return None


def _sliced(match: Matcher, value: int) -> Graph | None:
    """A factor behind a slice of what a matrix gives, as one of these columns: where no other slice has them."""
    node, graph = match.node(value), match.graph
    assert node is not None
    if not isinstance(node.layer, Scale) or node.layer.bias or node.own["weight"].size != 1:
        return None
    cut = match.layer(node.of[0])
    if not isinstance(cut, Slice) or cut.axis != -1 or not match.alone(node.of[0]):
        return None
    source = match.of(node.of[0])[0]
    made = match.node(source)
    if made is None or not isinstance(made.layer, Linear) or source in graph.outputs:
        return None
    taken = np.zeros(made.layer.outputs, dtype=np.int64)
    for user in match.users[source]:
        other = match.layer(user)
        if not isinstance(other, Slice) or other.axis != -1:
            return None
        taken[other.start + other.step * np.arange(other.size)] += 1
    if (taken > 1).any():
        return None
    factors = np.ones(made.layer.outputs)
    factors[cut.start + cut.step * np.arange(cut.size)] = float(node.own["weight"].ravel()[0])
    nodes = list(graph.nodes)
    nodes[source - match.first] = replace(made, own={name: array * factors for name, array in made.own.items()})
    return Graph(graph.inputs, nodes, graph.outputs, graph.batch).without({value}, {value: node.of[0]})
