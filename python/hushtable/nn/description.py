"""What the owner of a network tells the other party, and what that accepts."""

from __future__ import annotations

import hashlib
import json
import math
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _hushtable as native
from ..errors import ParamError, PeerError, ShapeError
from ..gated import PRECISIONS
from ..party import Party
from .evaluation import Formats
from .graph import MOST_LAYERS, Graph, Input, Node, named
from .inputs import InputFormat
from .layer import LAYERS, MOST, Format, Layer, count

if TYPE_CHECKING:
    from .model import Model

# What is sent at once, and at most; a text of a description.
PIECE = 48_000
MOST_BYTES = 16 << 20
LONGEST = 64

# Most classes, axes, places, and largest exponent of a range.
MOST_CLASSES = 1 << 16
MOST_AXES = 8
MOST_PLACES = 1 << 20
MOST_EXPONENT = 64

FORMAT = 1


def tell(party: Party, model: Model | None, owner: int) -> tuple[Graph, Formats, list[Any] | None, bytes]:
    """The owner's network, at both parties, and the digest of what was told. Raises `PeerError` for what is none."""
    text = "" if model is None else described(model)
    pieces = [text[i : i + PIECE] for i in range(0, len(text), PIECE)]
    if len(text) > MOST_BYTES:
        raise ParamError(f"nn.share: a description of {len(text)} bytes; accepted: {MOST_BYTES}: fewer layers, or public masks")
    live = party._live("nn.share")
    name = party._announced(f"nn.share(of party {owner})")
    told = native.tell(live, name, str(len(pieces)) if party.role == owner else "")
    expected = len(pieces) if party.role == owner else _pieces(told)
    found = []
    for i in range(expected):
        piece = native.tell(live, party._announced(f"nn.share: part {i}"), pieces[i] if party.role == owner else "")
        found.append(piece)
    told = text or "".join(found)
    graph, formats, classes = read(told) if model is None else (model.graph, model.formats, model.classes)
    return graph, formats, classes, hashlib.sha256(told.encode()).digest()


def _pieces(told: str) -> int:
    if not (told.isascii() and told.isdigit() and len(told) < 6 and 1 <= int(told) <= MOST_BYTES // PIECE + 1):
        raise PeerError("nn.share: the peer's description of its network is malformed: its length")
    return int(told)


def described(model: Model) -> str:
    """The public part of a network, as JSON in ASCII."""
    graph, form = model.graph, model.formats
    inputs = [
        {
            "shape": list(given.shape),
            "kind": given.kind,
            "features": list(given.features),
            "exponent": how.exponent,
            "scale": list(how.scale),
            "centre": list(how.centre),
        }
        for given, how in zip(graph.inputs, form.inputs, strict=True)
    ]
    layers = [
        {
            "op": node.layer.op,
            "of": list(node.of),
            "is": {key: list(value) if isinstance(value, tuple) else value for key, value in node.layer.public().items()},
            "out": how.out,
            "inner": dict(how.inner),
            "digits": how.digits,
            "largest": how.largest,
            "precision": how.precision,
        }
        for node, how in zip(graph.nodes, form.layers, strict=True)
    ]
    whole = {
        "format": FORMAT,
        "bits": form.bits,
        "fraction": form.fraction,
        "batch": graph.batch,
        "inputs": inputs,
        "layers": layers,
        "outputs": graph.outputs,
        "classes": model.classes,
    }
    read(text := json.dumps(whole))  # what this version would not accept is not sent
    return text


def read(text: str) -> tuple[Graph, Formats, list[Any] | None]:
    """A network without its numbers. Raises `PeerError` that names what is wrong."""
    try:
        return _read(json.loads(text, parse_constant=_refuse))
    except (ValueError, KeyError, TypeError, RecursionError, ParamError, ShapeError, OverflowError, IndexError) as error:
        raise PeerError(f"nn.share: the peer's description of its network is malformed: {str(error)[:200]}") from None


def _read(whole: Any) -> tuple[Graph, Formats, list[Any] | None]:
    names = {"format", "bits", "fraction", "batch", "inputs", "layers", "outputs", "classes"}
    _keys(whole, names, "description")
    if _int(whole["format"], 0, 1 << 16, "format") != FORMAT:
        raise ValueError(f"format {whole['format']}; this version reads {FORMAT}")
    bits, fraction = _int(whole["bits"], 16, 64, "bits"), _int(whole["fraction"], 6, 24, "fraction")
    batch = whole["batch"] if whole["batch"] is None else _int(whole["batch"], 1, MOST, "batch")
    inputs, how = [], []
    for i, given in enumerate(_list(whole["inputs"], 1, 16, "inputs")):
        _keys(given, {"shape", "kind", "features", "exponent", "scale", "centre"}, "input")
        shape = _ints(given["shape"], -1, MOST, MOST_AXES, "shape")
        if given["kind"] not in ("number", "ids") or 0 in shape or shape.count(-1) > 1 or count([abs(n) for n in shape]) > MOST:
            raise ValueError(f"input {i}")
        scale = _ints(given["scale"], -MOST_EXPONENT, MOST_EXPONENT, MOST_PLACES, "scale")
        if scale and (given["kind"] != "number" or shape[1:] != (len(scale),)):
            raise ValueError(f"scales of input {i}")
        features = _list(given["features"], 0, MOST_PLACES, "features")
        centre = tuple(_float(each, f"centres of input {i}") for each in _list(given["centre"], 0, MOST_PLACES, "centre"))
        if centre and len(centre) != len(scale):
            raise ValueError(f"centres of input {i}")
        inputs.append(named(Input(f"x{i}" if i else "x", shape, given["kind"]), features))
        how.append(InputFormat(_exponent(given["exponent"]), scale, centre))
    graph = Graph(inputs, batch=batch)
    forms = []
    for i, layer in enumerate(_list(whole["layers"], 0, MOST_LAYERS, "layers")):
        _keys(layer, {"op", "of", "is", "out", "inner", "digits", "largest", "precision"}, f"layer {i}")
        of = _ints(layer["of"], 0, len(inputs) + i - 1, 1 << 12, f"layer {i}")
        made = _layer(layer["op"], layer["is"], f"layer {i}")
        if not of:
            raise ValueError(f"layer {i} of nothing")
        graph.nodes.append(Node(made, of, f"{i} ({made.op})"))
        forms.append(_format(layer, made, f"layer {i}"))
    graph.outputs = list(_ints(whole["outputs"], 0, len(inputs) + len(graph.nodes) - 1, 1 << 12, "outputs"))
    if not graph.outputs:
        raise ValueError("no outputs")
    _check_sizes(graph)
    _check_kinds(graph)
    classes = whole["classes"]
    if classes is not None:
        classes = [_class(label) for label in _list(classes, 1, MOST_CLASSES, "classes")]
    return graph, Formats(bits, fraction, tuple(how), tuple(forms)), classes


def _layer(op: Any, public: Any, where: str) -> Layer:
    """A layer by its name, with parameters of just its types."""
    if not isinstance(op, str) or op not in LAYERS:
        raise ValueError(f"{where}: no layer {str(op)[:LONGEST]!r}")
    kind = LAYERS[op]
    hints = {k: v for k, v in typing.get_type_hints(kind).items() if typing.get_origin(v) is not typing.ClassVar}
    _keys(public, set(hints), where)
    return kind(**{key: _TYPES[hint](public[key], f"{where}: {key}") for key, hint in hints.items()})


def _format(layer: Any, made: Layer, where: str) -> Format:
    _keys(layer["inner"], set(made.ranges()), f"{where}: ranges")
    exponents = {name: _exponent(value) for name, value in layer["inner"].items()}
    if layer["precision"] not in PRECISIONS:
        raise ValueError(f"{where}: precision")
    digits, largest = _int(layer["digits"], 0, 62, "digits"), _exponent(layer["largest"])
    return Format(_exponent(layer["out"]), exponents, digits, largest, layer["precision"])


def _check_sizes(graph: Graph) -> None:
    """Whether shapes fit together, and no array is beyond bounds."""
    graph.shapes(graph.batch or 1)
    for node in graph.nodes:
        for name, shape in node.layer.owned().items():
            if count(shape) > MOST or min(shape, default=1) < 1 or len(shape) > MOST_AXES:
                raise ValueError(f"layer {node.name}: {name} of shape {shape}")


def _check_kinds(graph: Graph) -> None:
    """Whether ids go into embeddings only, and what is decided goes nowhere."""
    first = len(graph.inputs)
    for node in graph.nodes:
        for value in node.of:
            ids = value < first and graph.inputs[value].kind == "ids"
            if ids != (node.layer.op == "embedding"):
                raise ValueError(f"layer {node.name}: ids go into an embedding only")
            if value >= first and graph.nodes[value - first].layer.gives != "number":
                raise ValueError(f"layer {node.name}: of what is no number")


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no number")


def _keys(value: Any, names: set[str], where: str) -> None:
    if not isinstance(value, dict) or set(value) != names:
        raise ValueError(f"{where}: fields {sorted(names)} are expected")


def _list(value: Any, least: int, most: int, where: str) -> list[Any]:
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise ValueError(f"{where}: a list of {least} to {most}")
    return value


def _int(value: Any, least: int, most: int, where: str) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{where}: {least} to {most}")
    return value


def _ints(value: Any, least: int, most: int, longest: int, where: str) -> tuple[int, ...]:
    return tuple(_int(each, least, most, where) for each in _list(value, 0, longest, where))


def _exponent(value: Any) -> int:
    return _int(value, -MOST_EXPONENT, MOST_EXPONENT, "exponent")


def _float(value: Any, where: str) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError(f"{where}: a number")
    return float(value)


def _bool(value: Any, where: str) -> bool:
    if type(value) is not bool:
        raise ValueError(f"{where}: true or false")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST:
        raise ValueError(f"{where}: a text of up to {LONGEST} characters")
    return value


def _class(label: Any) -> Any:
    if isinstance(label, str):
        return _text(label, "class")
    if type(label) is int and abs(label) < 1 << 63:
        return label
    return label if type(label) is bool else _float(label, "class")


_TYPES: dict[Any, Callable[[Any, str], Any]] = {
    int: lambda value, where: _int(value, -MOST, MOST, where),
    float: _float,
    bool: _bool,
    str: _text,
    tuple[int, ...]: lambda value, where: _ints(value, -MOST, MOST, MOST_PLACES, where),
}
