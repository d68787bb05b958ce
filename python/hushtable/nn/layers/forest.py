"""Decision trees: all nodes of all trees are compared at once, and a leaf is where no comparison went another way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ... import _words, arithmetic
from ...errors import ParamError, ShapeError
from ...share import Share
from ...tables import Table, lookup
from .. import weights
from ..comparing import less
from ..layer import Array, Format, Layer, Off, Own, Run, Shape, Sizes, largest

# Deepest tree.
MOST_DEPTH = 60


@dataclass(frozen=True)
class Forest(Layer):
    """The sum of what trees give, plus an offset.

    Public are the number of trees, of features and outputs; the most nodes of a tree, to which all are filled up; and the
    depth of the deepest. Private are which feature a node asks for, its threshold, the shape of a tree, and its leaves.

    The owner's numbers: `feature`, by which a node takes one of the inputs; `threshold`, above which an input goes to the
    right; `path`, +1 where a leaf lies left of a node, -1 where right; `away`, how many times a leaf lies right of a node;
    `leaf`, what leaves give, 0 at places without a leaf. Where an input went another way than to the leaf, `bits @ path + away`
    counts that, so it is 0 at one leaf of each tree. Thresholds are rounded as inputs are: an input that is equal to a
    threshold, or below, goes to the left; one that is above it by less than a step may do so too.
    """

    inputs: int
    trees: int
    nodes: int
    depth: int
    outputs: int
    op: ClassVar[str] = "forest"

    @property
    def _leaves(self) -> int:
        return self.nodes + 1

    @property
    def _width(self) -> int:
        """The bits of a count of nodes on a path."""
        return max(self.depth.bit_length(), 1)

    def owned(self) -> dict[str, Shape]:
        return {
            "feature": (self.inputs, self.trees * self.nodes),
            "threshold": (self.trees * self.nodes,),
            "path": (self.trees, self.nodes, self._leaves),
            "away": (self.trees, 1, self._leaves),
            "leaf": (self.trees * self._leaves, self.outputs),
            "bias": (self.outputs,),
        }

    def factors(self) -> tuple[str, ...]:
        return ("leaf",)

    def terms(self) -> int:
        return self.trees

    def shape(self, *of: Shape) -> Shape:
        if len(of[0]) != 2 or of[0][1] != self.inputs:
            raise ShapeError(f"shape {of[0]} where rows of {self.inputs} numbers are expected")
        if min(self.trees, self.nodes, self.depth, self.outputs) < 1 or self.depth > MOST_DEPTH:
            raise ParamError(f"{self.trees} trees of {self.nodes} nodes and depth {self.depth}; accepted: depth 1 to {MOST_DEPTH}")
        return (of[0][0], self.outputs)

    def _bits(self, own: Own, x: Array) -> Array:
        """Which nodes are left to the right."""
        at = np.argmax(own["feature"], axis=0)
        above = np.asarray(x[:, at] > own["threshold"])
        return np.asarray(above.reshape(len(x), self.trees, self.nodes).transpose(1, 0, 2))

    def plain(self, own: Own, *x: Array) -> Array:
        reached = self._bits(own, x[0]) @ own["path"] + own["away"] == 0
        return np.asarray(reached.transpose(1, 0, 2).reshape(len(x[0]), -1) @ own["leaf"] + own["bias"])

    def inner(self, own: Own, *x: Array) -> dict[str, Array]:
        return {"products": self.plain(own, *x) - own["bias"]}

    def ranges(self) -> tuple[str, ...]:
        return ("products",)

    def private(self, run: Run, *x: Share) -> Share:
        asked = weights.linear(x[0], run.weights("feature", 0, 1), x[0]._range)
        above = run.numbers(asked, "threshold", (x[0]._range[0] - 1, x[0]._range[1]))
        bits = less(above, asked)
        ones = Share(x[0].party, x[0]._mine(np.ones(1, dtype=np.uint8)), self._width, 0, "additive", (0, 2))
        went = arithmetic.where(bits, ones, 0)  # mod 2^width
        rows = len(x[0])
        went = went.reshape(rows, self.trees, self.nodes).transpose(1, 0, 2)
        anything = (0, 1 << self._width)
        paths = weights.linear(went, run.weights("path", 0, 1), anything)
        missed = weights.plus(paths, run.weights("away", 0, self._width).shared(paths), anything)
        counts = missed.transpose(1, 0, 2).reshape(rows, self.trees * self._leaves)
        reached = lookup(_zero(self._width), counts, bits=x[0].bits)
        scaled = Share(x[0].party, _words.reduce(reached._words, x[0].bits), x[0].bits, 0, "additive", (0, 2))
        return self._given(run, scaled)

    def _given(self, run: Run, reached: Share) -> Share:
        """What the leaves give that were reached: whole factors, so that nothing is rounded but the leaves."""
        digits = run.format.digits
        lo, hi = run.inner("products")
        more = digits - run.fraction
        made = run.weights("leaf")
        exact = weights.Weights(made.owner, made.shape, 0, made.bits, made.steps)
        limits = (lo << more, hi << more) if more >= 0 else (lo >> -more, hi >> -more)
        sums = weights.linear(reached, exact, limits)
        held = Share(sums.party, sums._words, sums.bits, digits, "additive", sums._range, made=sums._history)
        scaled = held.with_fraction(run.fraction)
        return weights.plus(scaled, run.numbers(scaled, "bias"), run.limits)

    def error(self, own: Own, held: Own, step: float, format: Format, *of: Off) -> float:
        off = np.abs(own["leaf"] - held["leaf"]).reshape(self.trees, self._leaves, self.outputs)
        return float(off.max(axis=1).sum(axis=0).max()) + 1.5 * step

    def worst(self, own: Own, *sizes: float) -> Sizes:
        leaves = np.abs(own["leaf"]).reshape(self.trees, self._leaves, self.outputs)
        products = float(leaves.max(axis=1).sum(axis=0).max())
        return products + largest(own["bias"]), {"products": products}

    def turned(self, own: Own) -> float:
        used = (own["path"] != 0).any(axis=1)[:, :, None]
        leaves = own["leaf"].reshape(self.trees, self._leaves, self.outputs)
        most, least = (np.where(used, leaves, end).max(axis=1) for leaves, end in ((leaves, -np.inf), (-leaves, -np.inf)))
        apart = np.where(np.isfinite(most), most + least, 0.0)  # a tree of one leaf has no other
        return float(apart.sum(axis=0).max())

    def unsure(self, own: Own, step: float, error: float, direct: bool, *x: Array) -> Array:
        above = x[0][:, np.argmax(own["feature"], axis=0)] - own["threshold"]
        # What is rounded as thresholds are stays on their left; to their right a step is enough.
        near = (above > 0) & (above < step) if direct else np.abs(above) <= error + 0.5 * step
        right, sure = (
            bits.reshape(len(x[0]), self.trees, self.nodes).transpose(1, 0, 2).astype(np.float64) for bits in (above > 0, ~near)
        )
        # Leaves from whose path no sure comparison turns away.
        away = (right * sure) @ own["path"] + sure @ (own["path"] < 0).astype(np.float64)
        possible = (away == 0) & (own["path"] != 0).any(axis=1)[:, None, :]
        return np.asarray((possible.sum(axis=2) > 1).any(axis=0))

    def absorbed(self, own: Own, exponents: Sequence[int], centres: Sequence[float] = ()) -> Own | None:
        at = np.argmax(own["feature"], axis=0)
        threshold = own["threshold"] - np.asarray(centres)[at] if centres else own["threshold"]
        return {**own, "threshold": np.ldexp(threshold, -np.asarray(exponents)[at])}


def _zero(width: int) -> Table:
    """1 at 0, else 0."""
    return Table([1] + [0] * ((1 << width) - 1))


def grown(trees: Sequence[tuple[Array, Array, Array, Array, Array]], inputs: int, bias: Array) -> tuple[Forest, Own]:
    """A forest of trees, each given by the children at the left of its nodes (-1: none), those at the right, features,
    thresholds, and what a node gives if it is a leaf. Nodes of an infinite threshold, which let missing values go to the right
    and all numbers to the left, are left out."""
    paths = [_paths(left, right, threshold) for left, right, _, threshold, _ in trees]
    asked = [sorted({node for path in leaves.values() for node, _ in path}) for leaves in paths]
    nodes = max(1, *map(len, asked))
    depth = max(1, *(max(map(len, leaves.values())) for leaves in paths))
    outputs = trees[0][4].shape[1]
    forest = Forest(inputs, len(trees), nodes, depth, outputs)
    own = {name: np.zeros(shape) for name, shape in forest.owned().items()}
    own["bias"] = np.broadcast_to(np.asarray(bias, dtype=np.float64), (outputs,)).copy()
    for t, ((_, _, feature, threshold, value), leaves) in enumerate(zip(trees, paths, strict=True)):
        inside = {node: i for i, node in enumerate(asked[t])}
        for node, i in inside.items():
            own["feature"][feature[node], t * nodes + i] = 1
            own["threshold"][t * nodes + i] = threshold[node]
        for i, (leaf, path) in enumerate(leaves.items()):
            own["leaf"][t * forest._leaves + i] = value[leaf]
            own["away"][t, 0, i] = sum(right for _, right in path)
            for node, right in path:
                own["path"][t, inside[node], i] = -1 if right else 1
    return forest, own


def _paths(left: Array, right: Array, threshold: Array) -> dict[int, list[tuple[int, bool]]]:
    """For each leaf that numbers reach the nodes above it, and whether it lies to their right."""
    found: dict[int, list[tuple[int, bool]]] = {}
    ahead: list[tuple[int, list[tuple[int, bool]]]] = [(0, [])]
    while ahead:
        node, path = ahead.pop()
        if left[node] < 0:
            found[node] = path
            continue
        if threshold[node] == np.inf:
            ahead.append((int(left[node]), path))
            continue
        ahead.append((int(right[node]), [*path, (node, True)]))
        ahead.append((int(left[node]), [*path, (node, False)]))
    return found
