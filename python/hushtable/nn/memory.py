"""What a network makes a party hold, from its shapes alone: before anything of it is computed."""

from __future__ import annotations

from .. import _words
from ..cost import format_bytes
from ..errors import ParamError
from .evaluation import Formats
from .graph import Graph
from .layer import count

# Bytes that a call with the least rows may hold, unless the caller says otherwise.
LIMIT = 2 << 30

# Bytes of a number while it is computed with.
WORD = 8


def held(graph: Graph, formats: Formats, rows: int) -> list[int]:
    """Bytes of shares while each layer is computed: values that are still needed, and shares of the owner's numbers."""
    shapes = graph.shapes(rows)
    last = {value: i for i, node in enumerate(graph.nodes) for value in node.of}
    word = _words.dtype(formats.bits).itemsize
    live = {i: count(shapes[i]) for i in range(len(graph.inputs))}
    found = []
    for i, node in enumerate(graph.nodes):
        live[len(graph.inputs) + i] = count(shapes[len(graph.inputs) + i])
        found.append((sum(live.values()) + sum(map(count, node.layer.owned().values()))) * word)
        live = {value: size for value, size in live.items() if value in graph.outputs or last.get(value, -1) > i}
    return found


def check(graph: Graph, formats: Formats, limit: int) -> None:
    """Raises `ParamError` where a call with the least rows that the network takes holds more bytes than `limit`, copies of
    embeddings among them: it names the layer that holds the most."""
    rows = graph.rows(None)
    shapes = graph.shapes(rows)
    copies = sum(count(shape) for node in graph.nodes if node.layer.op == "embedding" for shape in node.layer.owned().values())
    within = [
        shares + WORD * (copies + node.layer.inside(*(shapes[value] for value in node.of)))
        for node, shares in zip(graph.nodes, held(graph, formats, rows), strict=True)
    ]
    most = max(within, default=0)
    if most <= limit:
        return
    node = graph.nodes[within.index(most)]
    sizes = [f"{name} of shape {shape}" for name, shape in node.layer.owned().items()]
    sizes += [f"an operand of shape {shapes[value]}" for value in node.of[:2]]
    raise ParamError(
        f"nn.share: the peer's network would hold {format_bytes(most)} here with {rows} {'row' if rows == 1 else 'rows'}, the most in "
        f"layer {node.name!r} ({', '.join(sizes)}), and memory={limit} allows {format_bytes(limit)}; accepted: memory={most} or "
        f"more, if this machine has that"
    )
