"""How far the numbers of the parties lie from exact ones, which rounding and functions take off: bounds, and what examples show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .evaluation import Formats, scaled, types
from .graph import Graph, Node
from .layer import Array, Off, Own, Shape, largest, nearest

if TYPE_CHECKING:
    from .model import Model

def bounds(
    graph: Graph, formats: Formats, held: Sequence[Own], shapes: dict[int, Shape], turned: bool = True
) -> dict[int, Off]:
    """How far each value may lie from the exact one: worst cases, one after the other. `turned`: also where rounding takes a
    number to the other side of a threshold of a tree."""
    found = _held(graph, formats, shapes)
    owns = scaled(graph, formats.inputs)
    for i, (node, form) in enumerate(zip(graph.nodes, formats.layers, strict=True)):
        value = len(graph.inputs) + i
        of = [found[each] for each in node.of]
        error = node.layer.error(owns[i], held[i], formats.step, form, *of) + (node.layer.turned(owns[i]) if turned else 0.0)
        # Both lie in the range; so they do where no bound is known.
        found[value] = replace(found[value], error=error if error <= 2 * 2.0**form.out else 2 * 2.0**form.out)
    return found


def _held(graph: Graph, formats: Formats, shapes: dict[int, Shape]) -> dict[int, Off]:
    """How each value is held: inputs off by half a step, results of layers by nothing."""
    shares = types(graph, formats)
    sizes = [(0.0, 0.0) if given.kind == "ids" else (2.0**how.exponent, 0.5 * formats.step) for given, how in zip(graph.inputs, formats.inputs, strict=True)]
    sizes += [(2.0**form.out, 0.0) for form in formats.layers]
    return {value: Off(*size, shapes[value], shares[value]._range, shares[value].bits) for value, size in enumerate(sizes)}


def strays(graph: Graph, formats: Formats, held: Sequence[Own], examples: Sequence[Array]) -> list[dict[str, float]]:
    """How far the `result` of each layer, and its inner tensors by name, lie from exact ones on examples, where every layer is off
    by as much as it can be: always up, always down, and either by lot; and where numbers are held and rounded as the parties'
    are, which takes many of them to one side, or those of two layers to opposite ones. Nothing where that is not known."""
    rows = graph.check_inputs([x.shape for x in examples])
    of = _held(graph, formats, graph.shapes(rows))
    owns = scaled(graph, formats.inputs)
    alone = [
        node.layer.error(owns[i], held[i], formats.step, form, *(replace(of[value], error=0.0) for value in node.of))
        for i, (node, form) in enumerate(zip(graph.nodes, formats.layers, strict=True))
    ]
    lot = np.random.default_rng(len(alone))
    found: list[dict[str, float]] = []

    def moves(x: Array, by: float) -> list[Array]:
        """By how much these numbers are off."""
        up = np.full(x.shape, by)
        return [up, -up, up * lot.choice((-1.0, 1.0), x.shape)]

    def apply(node: Node, x: list[list[Array]]) -> list[Array]:
        i = len(found)
        exact, *off = zip(*x, strict=True)
        made = node.plain(owns[i], *exact)
        inner = node.layer.inner(owns[i], *exact)
        apart = dict.fromkeys(("result", *inner), 0.0)
        found.append(apart)
        results = [made]
        for operands, by in zip(off, [*moves(made, alone[i] if np.isfinite(alone[i]) else 0.0), None], strict=True):
            mine = held[i] if by is None else owns[i]
            there = node.layer.inner(mine, *operands)
            for name, tensor in inner.items():
                apart[name] = max(apart[name], _finite(there[name] - tensor))
            result = node.plain(mine, *operands)
            if node.layer.gives == "number":
                result = nearest(result, formats.fraction) if by is None else result + by
                apart["result"] = max(apart["result"], _finite(result - made))
            results.append(result)
        return results

    given = []
    for x, how, what in zip(examples, formats.inputs, graph.inputs, strict=True):
        if what.kind == "ids":
            given.append([x] * 5)
            continue
        exact = how.held(x, what.name)
        off = [exact + by for by in moves(exact, 0.5 * formats.step)]
        given.append([exact, *off, nearest(exact, formats.fraction)])
    with np.errstate(all="ignore"):
        graph.run(given, apply)
    return found


def _finite(x: Array) -> float:
    size = largest(x)
    return size if np.isfinite(size) else 0.0


def differences(model: Model) -> list[float]:
    """How far the results of each layer lie from the exact ones on the examples, where those of each, and what is inside of
    it, are rounded to nearest; of decisions the share that is another one."""
    found: list[float] = []
    form = model.formats

    def apply(node: Node, x: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        exact = node.plain(node.own, *(each for each, _ in x))
        i = len(found)
        held = node.nearly(model.held[i], form.step, form.layers[i], *(each for _, each in x))
        if node.layer.gives == "number":
            held = nearest(held, form.fraction)
            found.append(largest(exact - held))
        else:
            found.append(float((exact != held).mean()))
        return exact, held

    model.graph.run(list(zip(model.examples, model.as_held(model.examples), strict=True)), apply)
    return found


def unsure(model: Model, inputs: Sequence[Array]) -> Array:
    """For each row whether a number may lie on the other side of a threshold once it is rounded."""
    graph, formats = model.graph, model.formats
    rows = graph.check_inputs([array.shape for array in inputs])
    errors = bounds(graph, formats, model.held, graph.shapes(rows), turned=False)
    owns = iter(scaled(graph, formats.inputs))
    found = np.zeros(rows, dtype=np.bool_)

    def apply(node: Node, x: list[Array]) -> Array:
        own, first = next(owns), node.of[0]
        near = node.layer.unsure(own, formats.step, errors[first].error, first < len(graph.inputs), *x)
        np.logical_or(found, near if len(near) == rows else near.any(), out=found)
        return node.plain(own, *x)

    places = zip(inputs, formats.inputs, graph.inputs, strict=True)
    given = [how.held(x, what.name) if what.kind == "number" else x for x, how, what in places]
    with np.errstate(all="ignore"):
        graph.run(given, apply)
    return found
