"""A network as a graph of layers: what is evaluated, in which order, and on what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import numpy as np

from ..errors import ParamError, ShapeError
from .layer import MOST, Array, Format, Layer, Own, Shape, count

T = TypeVar("T")

# Most layers of a network, and the longest name of a feature.
MOST_LAYERS = 10_000
LONGEST_NAME = 256


@dataclass(frozen=True)
class Input:
    """What the network takes: numbers, or ids of rows of an embedding. -1 is the axis of the batch. `features`: the names of
    the places along the last axis, if they have some."""

    name: str
    shape: Shape
    kind: Literal["number", "ids"] = "number"
    features: tuple[str, ...] = ()

    def of(self, batch: int) -> Shape:
        """The shape for a batch of rows."""
        return tuple(batch if size == -1 else size for size in self.shape)

    def batch(self, shape: Shape) -> int:
        """How many rows are in a shape. Raises `ShapeError` for another shape."""
        fits = len(shape) == len(self.shape) and all(a in (b, -1) for a, b in zip(self.shape, shape, strict=True))
        if not fits or 0 in shape:
            raise ShapeError(f"input {self.name!r}: shape {shape} where {self.shape} is expected; -1 is the rows, 1 at least")
        return next((b for a, b in zip(self.shape, shape, strict=True) if a == -1), 1)


def listed(values: Iterable[Any], what: str) -> tuple[Any, ...]:
    """What is given in an order. Raises `TypeError` for a text, and for what has none."""
    if isinstance(values, Iterable) and not isinstance(values, str | bytes | Set | Mapping):
        try:
            return tuple(values)
        except TypeError:
            pass  # an array without axes
    raise TypeError(f"{what} in their order, as a list, are expected, got {type(values).__name__} {values!r:.60}")


def one_of(name: str, value: Any, accepted: Sequence[Any]) -> None:
    """Raises `ParamError` that names an argument which is none of these."""
    try:
        known = value in frozenset(accepted)
    except TypeError:
        known = False  # an array, or something else that cannot be one of them
    if not known:
        raise ParamError(f"{name}={value!r:.60} is not supported; accepted: {', '.join(map(repr, accepted[:-1]))} or {accepted[-1]!r}")


def named(given: Input, names: Iterable[str] | None) -> Input:
    """The input with names of its features, or without. Raises `ParamError` for names that it cannot have."""
    features = listed(() if names is None else names, "names")
    if features and (len(given.shape) != 2 or given.kind != "number" or given.shape[1] != len(features)):
        raise ParamError(f"input {given.name!r} of shape {given.shape}: {len(features)} names are not supported; accepted: a name for each feature of rows")
    for i, name in enumerate(features):
        if not isinstance(name, str) or len(name) > LONGEST_NAME:
            raise ParamError(f"input {given.name!r}: name {name!r:.80} of feature {i} is not supported; accepted: a text of up to {LONGEST_NAME} characters")
    return replace(given, features=tuple(map(str, features)))


@dataclass(frozen=True)
class Node:
    """A layer and what it is applied to: numbers of values, inputs first, then the results of the nodes in order.

    `own` has the owner's numbers; at the other party it is empty.
    """

    layer: Layer
    of: tuple[int, ...]
    name: str
    own: dict[str, Array] = field(default_factory=dict, repr=False)

    def plain(self, own: Own, *x: Array) -> Array:
        """The layer's result in floating point, of these numbers of the owner. Errors name the layer."""
        return self._named(lambda: self.layer.plain(own, *x))

    def nearly(self, own: Own, step: float, format: Format, *x: Array) -> Array:
        """As `Layer.nearly`. Errors name the layer."""
        return self._named(lambda: self.layer.nearly(own, step, format, *x))

    def _named(self, result: Callable[[], Array]) -> Array:
        try:
            return result()
        except ParamError as error:
            raise ParamError(f"layer {self.name!r} ({self.layer.op}): {error}") from None


@dataclass
class Graph:
    """Inputs, layers, and which values are the results. `batch`: the only number of rows that it takes, if not any."""

    inputs: list[Input]
    nodes: list[Node] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    batch: int | None = None

    def add(self, layer: Layer, *of: int, name: str = "", own: dict[str, Array] | None = None) -> int:
        """Appends a layer with a copy of the owner's numbers; the number of its result. Raises what names the layer unless the owner's numbers fit it."""
        own = {key: np.array(value, dtype=np.float64) for key, value in (own or {}).items()}
        node = Node(layer, of, name or f"{layer.op} {len(self.nodes)}", own)
        try:
            layer.checked(own)
        except (ParamError, ShapeError) as error:
            raise type(error)(f"layer {node.name!r} ({layer.op}): {error}") from None
        self.nodes.append(node)
        return len(self.inputs) + len(self.nodes) - 1

    def run(self, inputs: Sequence[T], apply: Callable[[Node, list[T]], T]) -> list[T]:
        """The results, where `apply` makes the result of a node of those before it. Values are dropped once used up."""
        last = {value: i for i, node in enumerate(self.nodes) for value in node.of}
        values: dict[int, T] = dict(enumerate(inputs))
        for i, node in enumerate(self.nodes):
            values[len(self.inputs) + i] = apply(node, [values[value] for value in node.of])
            for value in set(node.of):
                if last[value] == i and value not in self.outputs:
                    del values[value]
        return [values[value] for value in self.outputs]

    def shapes(self, batch: int) -> dict[int, Shape]:
        """The shapes of all values. Raises `ShapeError` that names the layer."""
        found = {i: given.of(batch) for i, given in enumerate(self.inputs)}
        for i, node in enumerate(self.nodes, len(self.inputs)):
            try:
                shape = node.layer.shape(*(found[value] for value in node.of))
                if count(shape) > MOST or min(shape, default=1) < 1:
                    raise ShapeError(f"a result of shape {shape}; accepted: 1 to 2^28 numbers")
            except (ShapeError, ParamError) as error:
                raise type(error)(f"layer {node.name!r} ({node.layer.op}): {error}") from None
            found[i] = shape
        return found

    def plain(self, *inputs: Array) -> list[Array]:
        """The results in floating point."""
        with np.errstate(all="ignore"):
            return self.run(list(inputs), lambda node, x: node.plain(node.own, *x))

    def check_inputs(self, shapes: Sequence[Shape]) -> int:
        """The batch of inputs of these shapes. Raises `ShapeError` for others."""
        if len(shapes) != len(self.inputs):
            raise ShapeError(f"{len(self.inputs)} inputs are expected ({', '.join(i.name for i in self.inputs)}), got {len(shapes)}")
        batches = {given.batch(shape) for given, shape in zip(self.inputs, shapes, strict=True) if -1 in given.shape}
        for given, shape in zip(self.inputs, shapes, strict=True):
            given.batch(shape)
        if len(batches) > 1:
            raise ShapeError(f"inputs of {' and '.join(map(str, sorted(batches)))} rows; accepted: as many in each")
        batch = batches.pop() if batches else 1
        if self.batch not in (None, batch):
            raise ShapeError(f"{batch} rows; accepted: {self.batch}, for which the model was exported")
        return batch

    def rows(self, rows: int | None) -> int:
        """How many rows are meant, one by default. Raises `ParamError` for what is no number of rows that it takes."""
        if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int | np.integer) or not 1 <= rows <= MOST):
            raise ParamError(f"rows={rows!r:.60} is not supported; accepted: 1 to 2^28, a whole number of rows")
        given = self.inputs[0].shape
        only = self.batch or (None if any(-1 in each.shape for each in self.inputs) else given[0])
        if only is not None and rows not in (None, only):
            raise ShapeError(f"{rows} rows; accepted: {only}, for which the model was exported")
        return int(rows or only or 1)

    def without(self, unused: set[int], merged: dict[int, int]) -> Graph:
        """This graph without some nodes; `merged` says which value stands in for a result of theirs."""
        number: dict[int, int] = {i: i for i in range(len(self.inputs))}
        kept: list[Node] = []
        for i, node in enumerate(self.nodes, len(self.inputs)):
            if i in unused:
                continue
            kept.append(replace(node, of=tuple(number[_final(value, merged)] for value in node.of)))
            number[i] = len(self.inputs) + len(kept) - 1
        outputs = [number[_final(value, merged)] for value in self.outputs]
        return Graph(self.inputs, kept, outputs, self.batch)

    def used(self) -> Graph:
        """This graph without what no result depends on."""
        needed = set(self.outputs)
        for i, node in reversed(list(enumerate(self.nodes, len(self.inputs)))):
            if i in needed:
                needed.update(node.of)
        everything = set(range(len(self.inputs), len(self.inputs) + len(self.nodes)))
        return self.without(everything - needed, {})


def _final(value: int, merged: dict[int, int]) -> int:
    while value in merged:
        value = merged[value]
    return value
