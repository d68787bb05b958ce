"""A network on shares: layer by layer, each result in the range that was recorded for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _words
from .._words import Range
from ..errors import ParamError, ShapeError
from ..prepared import Dry
from ..share import Share
from .graph import Graph, Node
from .inputs import InputFormat
from .layer import Array, Format, Own, Run, nearest

if TYPE_CHECKING:
    from ..embedding import Embedding


@dataclass(frozen=True)
class Formats:
    """How all numbers of a network are held; the same at both parties."""

    bits: int
    fraction: int
    inputs: tuple[InputFormat, ...]
    layers: tuple[Format, ...]

    @property
    def step(self) -> float:
        """The resolution of results."""
        return 2.0**-self.fraction

    def entry_bits(self, layer: int) -> int:
        """The width of the numbers of an embedding."""
        return self.fraction + max(self.layers[layer].largest, 0) + 1


Watch = Callable[[int, Node, Share], None]


def evaluate(
    graph: Graph,
    formats: Formats,
    owns: Sequence[Own] | None,
    owner: int,
    inputs: Sequence[Share],
    embeddings: Mapping[int, Embedding] | None = None,
    watch: Watch | None = None,
) -> list[Share]:
    """The results on shares. `owns`: the owner's numbers, as they are held. Errors name the layer."""
    place = {id(node): i for i, node in enumerate(graph.nodes)}

    def apply(node: Node, x: list[Share]) -> Share:
        i = place[id(node)]
        mine = None if owns is None else owns[i]
        table = None if embeddings is None else embeddings.get(i)
        form = formats.layers[i]
        run = Run(owner, formats.bits, formats.fraction, form, node.layer.owned(), mine, table)
        try:
            made = node.layer.private(run, *x)
        except (ParamError, ShapeError) as error:
            raise type(error)(f"layer {node.name!r} ({node.layer.op}): {error}") from error
        if node.layer.gives == "number":
            made = made._within(_both(made._range, run.limits))
        if watch is not None:
            watch(i, node, made)
        return made

    return graph.run(list(inputs), apply)


def fixed(graph: Graph, formats: Formats, owns: Sequence[Own], inputs: Sequence[Array]) -> list[Array]:
    """The results in the numbers of the parties: each result is rounded to nearest, where theirs may be a step off.

    Raises `ParamError` where theirs would wrap around: it names the layer, the first number beyond, and the range.
    """
    place = {id(node): i for i, node in enumerate(graph.nodes)}

    def apply(node: Node, x: list[Array]) -> Array:
        i = place[id(node)]
        form, what = formats.layers[i], f"layer {node.name!r} ({node.layer.op})"
        for name, inner in node.layer.inner(owns[i], *x).items():
            if name == "precision":
                _above(what, inner, form.inner[name])
            else:
                _inside(f"{what}: {name}", inner, form.inner[name], 0.0 if name == "spread" else formats.step)
        made = node.nearly(owns[i], formats.step, form, *x)
        if node.layer.gives != "number":
            return made
        _inside(f"{what}: result", made, form.out, formats.step)
        return nearest(made, formats.fraction)

    with np.errstate(all="ignore"):
        return graph.run(list(inputs), apply)


def scaled(graph: Graph, inputs: Sequence[InputFormat]) -> list[Own]:
    """The owner's numbers of each layer, for inputs that are divided by powers of two."""
    owns: list[Own] = []
    for node in graph.nodes:
        own: Own = node.own
        for value in node.of[:1]:
            if value < len(inputs) and inputs[value].scale and own:
                absorbed = node.layer.absorbed(own, inputs[value].scale, inputs[value].centre)
                assert absorbed is not None
                own = absorbed
        owns.append(own)
    return owns


def refusal(graph: Graph, made: Formats) -> str | None:
    """What a dry run of one batch refuses in these formats, with the layer's name."""
    try:
        types(graph, made)
    except (ParamError, ShapeError) as error:
        return str(error)
    return None


def types(graph: Graph, made: Formats) -> dict[int, Share]:
    """Shares of the types that a network's inputs and results of layers have: those of a dry run of one batch. Raises
    `ParamError` that names the layer which the formats do not hold."""
    given = dry_inputs(Dry(0), graph, made, graph.batch or 1)
    found = dict(enumerate(given))

    def watch(i: int, node: Node, made: Share) -> None:
        found[len(given) + i] = made

    evaluate(graph, made, None, 1, given, watch=watch)
    return found


def dry_inputs(party: Dry, graph: Graph, made: Formats, rows: int) -> list[Share]:
    """Inputs of a dry run."""
    given: list[Share] = []
    for how, kind in zip(made.inputs, graph.inputs, strict=True):
        if kind.kind == "ids":
            given.append(Share(party, np.zeros(kind.of(rows), dtype=np.uint32), 32, 0, "xor", (0, 1 << 32)))
            continue
        words = np.zeros(kind.of(rows), dtype=_words.dtype(made.bits))
        given.append(Share(party, words, made.bits, made.fraction, "additive", how.limits(made.fraction)))
    return given


def _inside(what: str, numbers: Array, exponent: int, step: float) -> None:
    """Raises `ParamError` for the first number that may wrap around once it is rounded."""
    most = 2.0**exponent
    # A number below a step is no matter of range, but of rounding.
    bad = np.argwhere(~((numbers >= -most) & (numbers <= max(most - step, 0.5 * most))))
    if len(bad):
        at = tuple(bad[0].tolist())
        raise ParamError(
            f"{what} {float(numbers[at])!r} at {at} is not supported; accepted: -{most!r} to {most!r}, less a step, as calibrated: "
            f"beyond it the parties' numbers wrap around"
        )


def _above(what: str, inverse: Array, exponent: int) -> None:
    """Raises `ParamError` for the first number below the lower end of a range; numbers are given by their inverses."""
    bad = np.argwhere(~(inverse <= 2.0**exponent))
    if len(bad):
        at = tuple(bad[0].tolist())
        raise ParamError(
            f"{what}: {float(1 / inverse[at])!r} at {at} is below the lower end of its range; accepted: from {2.0**-exponent!r} on, as "
            f"calibrated: beyond it the parties' numbers are wrong"
        )


def _both(known: Range, promised: Range) -> Range:
    """Where both say that numbers lie."""
    lo, hi = max(known[0], promised[0]), min(known[1], promised[1])
    return (lo, hi) if lo < hi else known
