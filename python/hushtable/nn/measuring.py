"""What a network takes: as predicted by what its operations are billed for; or it is run between two threads, on zeros, since
what is sent does not depend on values."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import get_args

import numpy as np

from .. import _hushtable as native
from ..copies import Cipher
from ..cost import Cost
from ..embedding import Embedding
from ..errors import ParamError
from ..party import Party
from ..plan import Optimise
from ..prepared import Dry
from ..session import run_pair
from ..share import Share
from . import tables
from .evaluation import Formats, dry_inputs, evaluate
from .graph import Graph, Node, one_of
from .layer import Layer, Shape, count
from .layers.choice import Top
from .layers.elementwise import MatMul
from .layers.embedding import Embed
from .layers.forest import Forest
from .layers.norm import LayerNorm, RmsNorm, Softmax
from .layers.pool import MaxPool

# The work of a second or two, in products that are added up and in numbers that functions are made of, for which a network is
# run to see what it takes.
QUICK_PRODUCTS = 1 << 26
QUICK_NUMBERS = 1 << 17

# Numbers of the largest tensor of which a dry run is made.
MOST_PREDICTED = 1 << 24


@dataclass(frozen=True)
class Setting:
    """In which session a report is about: the party that has the model, the link (as `net=` of `run_pair`), the cipher of embeddings,
    whether the network is run here, or predicted (`None`: run if that takes a second or two), and what operations make least."""

    owner: int = 0
    link: str = "loopback"
    cipher: Cipher = "aes-128"
    measure: bool | None = None
    optimise: Optimise | None = None

    def __post_init__(self) -> None:
        one_of("report: owner", self.owner, (0, 1))
        one_of("report: cipher", self.cipher, get_args(Cipher))
        one_of("report: measure", self.measure, (None, True, False))
        one_of("report: optimise", self.optimise, (None, *get_args(Optimise)))
        if not isinstance(self.link, str):
            raise ParamError(f"report: link={self.link!r:.60} is not supported; accepted: a link, as net= of run_pair, such as 'lan'")


Figures = tuple["int | None", "float | None", "int | None"]

NOTHING: Figures = (None, None, None)

# What is done in a layer: of rows of a private table the results' bits and fraction, and how many are added up.
Step = native.Operation | native.Lookup | tuple[native.PrivateForm, int, int, int]


def measured(graph: Graph, formats: Formats, rows: int, setting: Setting) -> list[Figures] | None:
    """Bytes, seconds and rounds of each layer; nothing if the network is not run."""
    if setting.measure:
        return _run(graph, formats, rows, setting)
    if setting.measure is None and _quick(graph, graph.shapes(rows), rows):
        try:
            return _run(graph, formats, rows, setting)
        except ParamError as error:
            if not str(error).startswith("layer "):
                raise
            # Zeros are outside of the layer's domain.
    return None


def predicted(graph: Graph, formats: Formats, rows: int, setting: Setting) -> tuple[list[Figures], list[int | None]]:
    """Bytes, seconds and rounds of each layer, and the memory of a batch of it at a party, by the bills of the operations that a
    dry run asks for; nothing of a network of larger tensors."""
    if max(map(count, graph.shapes(rows).values())) > MOST_PREDICTED:
        return [NOTHING] * len(graph.nodes), [None] * len(graph.nodes)
    party = Dry(1 - setting.owner)
    layers: list[list[tuple[Step, int]]] = []
    forms = tables.forms(graph, formats, setting.owner, setting.cipher)

    def watch(i: int, node: Node, made: Share) -> None:
        steps: list[tuple[Step, int]] = [(need._what, need.count) for need in party.needs]
        if isinstance(node.layer, Embed):
            steps.append(((forms[i], formats.bits, formats.fraction, 1), made.size // node.layer.columns))
        party.needs.clear()
        layers.append(steps)

    evaluate(graph, formats, None, setting.owner, dry_inputs(party, graph, formats, rows), watch=watch)
    found = native.predict_layers(layers, setting.link, setting.optimise)
    return [(round(size), seconds, rounds) for seconds, size, rounds, _ in found], [memory for *_, memory in found]


def copy_bytes(graph: Graph, formats: Formats, setting: Setting) -> int:
    """Bytes of the encrypted copies of all embeddings."""
    return sum(form.copy_bytes for form in tables.forms(graph, formats, setting.owner, setting.cipher).values())


def _quick(graph: Graph, shapes: dict[int, Shape], rows: int) -> bool:
    """Whether a run takes a second or two."""
    products = numbers = 0
    for i, node in enumerate(graph.nodes, len(graph.inputs)):
        layer, of, made = node.layer, shapes[node.of[0]], count(shapes[i])
        inner = of[-1] if isinstance(layer, MatMul) else layer.terms()
        products += max(made * inner, rows * sum(map(count, layer.owned().values())))
        numbers += max(sum(count(shapes[value]) for value in node.of), made) * _weight(layer, of, made)
    return products <= QUICK_PRODUCTS and numbers <= QUICK_NUMBERS


def _weight(layer: Layer, of: Shape, made: int) -> int:
    """About how many functions of one number a layer is for each number."""
    if isinstance(layer, MaxPool):
        return -(-made * count(layer.kernel) // count(of))
    if isinstance(layer, Forest):
        return -(-2 * layer.trees * layer.nodes // layer.inputs)
    return {Top: of[-1], RmsNorm: 4, LayerNorm: 2, Softmax: 2}.get(type(layer), 1)


def _run(graph: Graph, formats: Formats, rows: int, setting: Setting) -> list[Figures]:
    """What each layer takes in a new session."""
    owner = setting.owner

    def party(p: Party) -> list[Figures]:
        owns = [{name: np.zeros(shape) for name, shape in node.layer.owned().items()} for node in graph.nodes]
        mine = owns if p.role == owner else None
        embeddings = tables.sent(p, graph, formats, mine, owner, setting.cipher)
        given = _zeros(p, graph, formats, rows, embeddings)
        found: list[Figures] = []
        p.barrier()
        before, start = p.cost, time.perf_counter()

        def watch(i: int, node: Node, made: Share) -> None:
            nonlocal before, start
            now, after = time.perf_counter(), p.cost
            found.append((_sent(after - before), now - start, _rounds(after - before)))
            before, start = after, now

        evaluate(graph, formats, mine, owner, given, embeddings, watch)
        # What was announced last is counted with the next message.
        p.barrier()
        with_it, before = p.cost - before, p.cost
        p.barrier()
        size, seconds, rounds = found[-1]
        assert size is not None
        return [*found[:-1], (size + _sent(with_it) - _sent(p.cost - before), seconds, rounds)]

    return run_pair(party, net=setting.link, optimise=setting.optimise)[0]


def _sent(cost: Cost) -> int:
    """Bytes of both parties."""
    return sum(phase.sent + phase.received for phase in (cost.setup, cost.offline, cost.online))


def _rounds(cost: Cost) -> int:
    return sum(phase.rounds for phase in (cost.setup, cost.offline, cost.online))


def _zeros(party: Party, graph: Graph, formats: Formats, rows: int, embeddings: dict[int, Embedding]) -> list[Share]:
    """Inputs of party 0, as `Net.input` shares them."""
    made = []
    for i, (given, how) in enumerate(zip(graph.inputs, formats.inputs, strict=True)):
        shape = given.of(rows)
        mine = np.zeros(shape, dtype=np.int64) if party.role == 0 else None
        if given.kind == "ids":
            made.append(tables.of_input(graph, embeddings, i).input(mine, owner=0, shape=shape))
            continue
        lo, hi = how.limits(formats.fraction)
        ends = (lo * formats.step, hi * formats.step)
        made.append(party.input(mine, 0, shape=shape, bits=formats.bits, fraction=formats.fraction, range=ends))
    return made
