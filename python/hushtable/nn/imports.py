"""What turns the operations of ONNX into layers: each layer's file says so for its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import ParamError, ShapeError
from .graph import Graph
from .layer import Array, Layer, Shape, axis_of

# Constants of masks below this one are minus infinity, for which this stands before a softmax.
MASKED = -1e4
UNSEEN = -1024.0


@dataclass(frozen=True)
class Var:
    """What depends on the inputs: its number in the graph, and its shape for the batch that is imported."""

    number: int
    shape: Shape
    ids: bool = False


Value = Var | Array


@dataclass(frozen=True)
class Op:
    """A node of ONNX. Inputs that are left out are `None`."""

    kind: str
    name: str
    attributes: Mapping[str, object]
    inputs: Sequence[Value | None]
    outputs: int
    opset: int
    to_softmax: bool

    def has(self, i: int) -> bool:
        """Whether an input is given."""
        return i < len(self.inputs) and self.inputs[i] is not None

    def var(self, i: int) -> Var:
        """An input that depends on those of the network."""
        found = self.inputs[i] if self.has(i) else None
        if not isinstance(found, Var):
            raise ParamError(f"input {i} is a constant, or missing, which is not supported here")
        if found.ids:
            raise ParamError("ids of rows go into an embedding (Gather of a matrix by ids) only")
        return found

    def constant(self, i: int) -> Array:
        """An input that does not."""
        found = self.inputs[i] if self.has(i) else None
        if found is None or isinstance(found, Var):
            raise ParamError(f"input {i} depends on the inputs of the network, or is missing; accepted: a constant")
        return found

    def ints(self, name: str, i: int | None, default: Sequence[int] | None) -> tuple[int, ...] | None:
        """Whole numbers: an attribute, or an input in later versions."""
        if i is not None and self.has(i):
            return tuple(int(each) for each in self.constant(i).ravel())
        found = self.attributes.get(name, default)
        return None if found is None else tuple(int(each) for each in np.ravel(found))  # type: ignore[call-overload]

    def int(self, name: str, default: int) -> int:
        """A whole number."""
        return int(self.attributes.get(name, default))  # type: ignore[call-overload, no-any-return]

    def float(self, name: str, default: float) -> float:
        """A number."""
        return float(self.attributes.get(name, default))  # type: ignore[arg-type]

    def text(self, name: str, default: str) -> str:
        """A text."""
        found = self.attributes.get(name, default)
        return found.decode() if isinstance(found, bytes) else str(found)


class Builder:
    """A graph that grows."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.name = ""
        self._used: dict[str, int] = {}

    def add(self, layer: Layer, *of: Var, own: dict[str, Array] | None = None) -> Var:
        """Appends a layer, under the name of the node that is imported; further ones of a node are numbered."""
        shape = layer.shape(*(each.shape for each in of))
        self._used[self.name] = times = self._used.get(self.name, 0) + 1
        name = self.name if times == 1 else f"{self.name} ({times})"
        number = self.graph.add(layer, *(each.number for each in of), name=name, own=own)
        return Var(number, shape)


Converter = Callable[[Builder, Op], "Value | list[Value]"]

CONVERTERS: dict[str, Converter] = {}


def converter(*kinds: str) -> Callable[[Converter], Converter]:
    """Enters a converter for operations of these names."""

    def enter(f: Converter) -> Converter:
        CONVERTERS.update(dict.fromkeys(kinds, f))
        return f

    return enter


def convert(builder: Builder, op: Op) -> list[Value]:
    """The results of a node. Raises what names it."""
    builder.name = op.name
    try:
        if op.kind not in CONVERTERS:
            raise ParamError(f"this operation is not supported; accepted: {', '.join(sorted(CONVERTERS))}")
        made = CONVERTERS[op.kind](builder, op)
    except (ParamError, ShapeError) as error:
        text = str(error)
        raise type(error)(text if repr(op.name) in text[:200] else f"node {op.name!r} ({op.kind}): {text}") from None
    except (ValueError, TypeError, IndexError, AssertionError) as error:
        raise ParamError(f"node {op.name!r} ({op.kind}) is malformed: {str(error)[:200] or type(error).__name__}") from None
    return made if isinstance(made, list) else [made]


def axes_of(axes: Sequence[int] | None, shape: Shape) -> tuple[int, ...]:
    """Axes from 0, all by default."""
    found = tuple(range(len(shape))) if axes is None else tuple(sorted(axis_of(axis, shape) for axis in axes))
    if len(set(found)) < len(found):
        raise ShapeError(f"axes {tuple(axes or ())} of shape {shape}; accepted: each once")
    return found


def trimmed(constant: Array) -> Array:
    """Without axes of length 1 in front."""
    array = np.asarray(constant, dtype=np.float64)
    while array.ndim and array.shape[0] == 1:
        array = array[0]
    return array


def along(constant: Array, size: int) -> Array:
    """A constant with a number for each place of an axis, or one for all. Raises `ShapeError` for another one."""
    made = trimmed(constant)
    if made.shape not in ((), (size,)):
        raise ShapeError(f"a constant of shape {np.shape(constant)}; accepted: {size} numbers, as the axis has, or one")
    return np.broadcast_to(made, (size,))
