"""Which formats numbers have: ranges seen on examples of the owner, and the least width in which nothing wraps around."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import _words
from ..errors import ParamError
from ..gated import Precision
from .accuracy import strays
from .evaluation import Formats, refusal, scaled
from .graph import Graph, Node
from .inputs import InputFormat
from .layer import Array, Format, Own, Sizes, largest, nearest

# Inputs of their own scales that are compared are brought below this power of two.
COMPARED = 6

# Inputs at different places that lie within so many powers of two of each other have one scale, and the range of the largest:
# pixels that are dark in all examples may be bright. No number is wrong for that. The first weights hold every input in the
# range that is told, not only those that were seen; each input is rounded within half a step, which the bound of errors counts;
# and what a smaller one does further inside, in its larger range, is as for any input beyond the examples.
ALIKE = 4

# Fewest digits of a factor.
LEAST_DIGITS = 4

# Ranges have room for so many times what the parties' numbers are off on examples.
ROOM = 4

# Inner tensors that say of rows how large they are, and are not rounded.
ROWS = ("spread", "precision")

# What helps where numbers are too large for any width.
SMALLER = "a smaller fraction= or margin=, or examples in a smaller range, as behind a scaler"

# Digits after the point that the library's softmax and norms take.
FRACTIONS = (8, 14)


@dataclass
class Seen:
    """Numbers on examples: the least and the greatest of inputs (by place), the largest sizes of results and inner tensors."""

    inputs: list[tuple[Array, Array]]
    results: list[float]
    inner: list[dict[str, float]]


def observed(graph: Graph, examples: Sequence[Array]) -> Seen:
    """Runs a network in floating point. Raises `ParamError` where a number is not finite, naming the layer."""
    axes = [0 if x.ndim == 2 else None for x in examples]
    seen = Seen([(np.asarray(x.min(axis=axis)), np.asarray(x.max(axis=axis))) for x, axis in zip(examples, axes, strict=True)], [], [])

    def apply(node: Node, x: list[Array]) -> Array:
        y = node.plain(node.own, *x)
        if not np.isfinite(y).all():
            raise ParamError(f"layer {node.name!r} ({node.layer.op}) gives numbers that are not finite on the examples")
        seen.results.append(largest(y))
        seen.inner.append({name: largest(inner) for name, inner in node.layer.inner(node.own, *x).items()})
        for name, size in seen.inner[-1].items():
            if not np.isfinite(size):
                raise ParamError(f"layer {node.name!r} ({node.layer.op}): its {name} is not finite on the examples")
        return y

    with np.errstate(all="ignore"):
        graph.run(list(examples), apply)
    return seen


def calibrated(
    graph: Graph, examples: Sequence[Array], margin: float, bits: int | None, fraction: int, precision: Precision = "fine"
) -> tuple[Formats, list[Own]]:
    """Formats for ranges `margin` times as wide as on examples, with room for what the parties' numbers are off; and the owner's
    numbers as they are held. Raises `ParamError` that names the layer for which the width, or any, does not do."""
    seen = observed(graph, examples)
    room = [dict.fromkeys(("result", *inner), 0.0) for inner in seen.inner]
    before: Formats | None = None
    # A range depends on those of earlier layers, so this ends.
    while True:
        made = formats(graph, seen, room, margin, bits, fraction, precision)
        layers = zip(graph.nodes, scaled(graph, made.inputs), made.layers, strict=True)
        held: list[Own] = [node.layer.rounded(own, fraction, form) for node, own, form in layers]
        if made == before:
            return made, held
        before = made
        for more, found in zip(room, strays(graph, made, held, examples), strict=True):
            more.update({name: max(more[name], ROOM * size) for name, size in found.items()})


def formats(
    graph: Graph,
    seen: Seen,
    room: Sequence[Mapping[str, float]],
    margin: float,
    bits: int | None,
    fraction: int,
    precision: Precision,
) -> Formats:
    """Formats for ranges `margin` times as wide as those seen, and `room` more, unless it is known how large numbers can be."""
    inputs = [_input(graph, i, *ends, margin, fraction) for i, ends in enumerate(seen.inputs)]
    owns = scaled(graph, inputs)
    sizes = _sizes(graph, inputs, owns)
    found: list[Format] = []
    rounding = 2 * 2.0**-fraction  # results lie in their ranges when they were rounded up, too
    for i, own in enumerate(owns):
        most = max((largest(own[name]) for name in graph.nodes[i].layer.bounded()), default=0.0)
        node = graph.nodes[i]
        worst, known = _worst(node, own, sizes[i])
        inner = {
            name: exponent((known.get(name) or size * margin + room[i][name]) + (0 if name in ROWS else rounding), 40)
            for name, size in seen.inner[i].items()
        }
        first = len(inputs)
        below = [2.0 ** (inputs[v].exponent if v < first else found[v - first].out) for v in node.of]
        size = worst or max(seen.results[i] * margin + room[i]["result"], node.layer.implied(inner, *below))
        digits = fraction if node.layer.factors() else 0
        found.append(Format(exponent(size + rounding, fraction), inner, digits, exponent(most, fraction), precision))
    least = max([_need(format, fraction) for format in found] + [how.exponent + fraction + 2 for how in inputs])
    width = min(max(least, fraction + 2, 16), 64) if bits is None else bits
    _check_sizes(graph, inputs, found, width, fraction)
    while True:
        layers = [_digits(graph.nodes[i], owns[i], sizes[i], format, width, fraction) for i, format in enumerate(found)]
        made = Formats(width, fraction, tuple(inputs), tuple(layers))
        refused = refusal(graph, made)
        if refused is None:
            return made
        if bits is None and width < 64 and (always := refusal(graph, replace(made, bits=64))) is not None:
            raise ParamError(_advised(always, 64, fraction))
        if bits is not None or width == 64:
            raise ParamError(_advised(refused, width, fraction))
        width += 1


def _advised(refused: str, width: int, fraction: int) -> str:
    """What a layer refuses, with what whoever calibrates can do: what is accepted of shares does not help there."""
    what, _, accepted = refused.partition("; accepted: ")
    if accepted and "shares" not in accepted and width == 64:
        return refused
    more = "more bits=, or " if width < 64 else ""
    return f"{what}: {width} bits with {fraction} digits after the point do not do; accepted: {more}{SMALLER}"


def _sizes(graph: Graph, inputs: Sequence[InputFormat], owns: Sequence[Own]) -> list[list[float]]:
    """How large the operands of each layer can be for inputs in their ranges, up to the first weights; infinite behind them,
    where what was seen counts."""
    reach = [2.0**how.exponent for how in inputs]
    found = []
    for node, own in zip(graph.nodes, owns, strict=True):
        found.append([reach[value] for value in node.of])
        known = not node.layer.factors() and math.isfinite(max(found[-1]))
        reach.append(node.layer.worst(own, *found[-1])[0] if known else math.inf)
    return found


def _worst(node: Node, own: Own, sizes: Sequence[float]) -> Sizes:
    """How large results and inner tensors of a layer can be; 0 where that is not known."""
    result, inner = node.layer.worst(own, *sizes)
    return (result, inner) if math.isfinite(result) else (0.0, {})


def exponent(size: float, digits: int) -> int:
    """The least power of two above a size, at least two steps of `2^-digits`."""
    return max(math.frexp(size)[1] if size > 0 else -digits, 1 - digits)


def _input(graph: Graph, i: int, least: Array, most: Array, margin: float, fraction: int) -> InputFormat:
    """The format of an input, with a power of two for each place where what comes next can take it up, and a centre."""
    if graph.inputs[i].kind == "ids":
        return InputFormat(0, ())
    after = [node for node in graph.nodes if i in node.of]
    able = all(node.of == (i,) for node in after) and i not in graph.outputs
    sizes = np.maximum(np.abs(least), np.abs(most)) * margin
    for centres in (_centres(least, most, margin), ()) if sizes.ndim == 1 and able and after else ():
        around = np.abs(0.5 * (least + most) - centres) + 0.5 * (most - least) * margin if centres else sizes
        powers = _powers(around)
        tried = [node.layer.absorbed(node.own, powers, centres) for node in after]
        if all(own is not None for own in tried):
            # Inputs and factors are about as large then, so that rounding either does as much.
            factor = max((largest(own["weight"]) for own in tried if own is not None and "weight" in own), default=0.0)
            common = min(max((exponent(factor, fraction) + 1) // 2, 0), fraction) if factor else COMPARED
            return InputFormat(common, tuple(power - common for power in powers), centres)
    return InputFormat(exponent(float(sizes.max(initial=0)), fraction), ())


def _centres(least: Array, most: Array, margin: float) -> tuple[float, ...]:
    """For each place about the middle of its numbers, where these are far from 0 and near each other: a multiple of a power of
    two as large as they are apart. Nothing if there is no such place."""
    apart = 0.5 * (most - least) * margin
    units = np.array([2.0 ** exponent(float(size), 40) for size in apart])
    far = (apart > 0) & (np.maximum(np.abs(least), np.abs(most)) >= units * 2.0**ALIKE)
    found = np.where(far, np.rint(0.5 * (least + most) / units) * units, 0.0)
    return tuple(found.tolist()) if far.any() else ()


def _powers(sizes: Array) -> list[int]:
    """A power of two for each place of an input: the same for all, unless some are far smaller than others."""
    powers = [exponent(float(size), 40) for size in sizes]
    some = [power for power, size in zip(powers, sizes, strict=True) if size > 0] or [0]
    most = max(some)
    apart = most - min(some) > ALIKE
    return [power if apart and size > 0 else most for power, size in zip(powers, sizes, strict=True)]


def _check_sizes(graph: Graph, inputs: Sequence[InputFormat], found: Sequence[Format], bits: int, fraction: int) -> None:
    """Raises `ParamError` for numbers that no width holds, or not the one that is asked for, naming the first."""
    sizes: list[tuple[str, int]] = [(f"input {given.name!r}", how.exponent) for given, how in zip(graph.inputs, inputs, strict=True)]
    for node, form in zip(graph.nodes, found, strict=True):
        sizes.append((f"layer {node.name!r} ({node.layer.op})", form.out))
    for name, power in sizes:
        if power + fraction + 2 > bits:
            need = max(most for _, most in sizes) + fraction + 2
            enough = f"bits={need}, or " if need <= 64 else ""
            raise ParamError(
                f"{name}: numbers of up to 2^{power} with {fraction} digits are not supported in {bits} bits; accepted: {enough}{SMALLER}"
            )


def _need(format: Format, fraction: int) -> int:
    """Bits that hold the sums of a layer before they are rounded."""
    products = format.inner.get("products", format.out)
    return max(products, format.out) + fraction + format.digits + 2


def _digits(node: Node, own: Own, sizes: Sequence[float], format: Format, bits: int, fraction: int) -> Format:
    """The format with as many digits of factors as help, and as the width has room for."""
    if not format.digits:
        return format
    room = bits - (_need(format, fraction) - format.digits)
    if room < LEAST_DIGITS:
        enough = f"bits={bits - room + fraction}, or " if bits - room + fraction <= 64 else ""  # with as many digits as results
        raise ParamError(
            f"layer {node.name!r} ({node.layer.op}): sums of up to 2^{max(format.inner.get('products', format.out), format.out)} "
            f"with {fraction} digits are not supported in {bits} bits; accepted: {enough}{SMALLER}"
        )
    more = (node.layer.terms() - 1).bit_length() // 2
    digits = min(room, fraction + more, 62 - max(format.largest, 0) - 1)
    # Rounded up a factor may reach the next power of two.
    most = max(largest(nearest(own[name], digits)) for name in node.layer.factors())
    made = replace(format, digits=digits, largest=max(exponent(most, fraction), format.largest))
    # And what they make may leave its range.
    worst, inner = _worst(node, node.layer.rounded(own, fraction, made), sizes)
    step = 2.0**-fraction
    if worst + 2 * step >= 2.0**made.out or any(size + 2 * step >= 2.0 ** made.inner[name] for name, size in inner.items()):
        wider = replace(format, out=made.out + 1, inner={name: power + (name in inner) for name, power in made.inner.items()})
        return _digits(node, own, sizes, wider, bits, fraction)
    return made
