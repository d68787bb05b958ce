"""What a network takes, layer by layer, before it runs; and how far its results may be off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _words
from ..cost import format_bytes, format_time
from .accuracy import bounds, differences
from .evaluation import Formats
from .graph import Graph, Node
from .layer import Array, Off, Own, Shape, count, largest, nearest
from .memory import held
from .measuring import Setting, copy_bytes, measured, predicted

if TYPE_CHECKING:
    from .model import Model

COLUMNS = ("layer", "result", "bytes", "time", "rounds", "memory", "error", "seen")


@dataclass(frozen=True)
class Row:
    """A layer: `bytes` both parties send in all phases, `seconds` on this machine, `rounds` before and after the inputs
    together. `memory`: bytes at one party while the layer is computed, about: the shares that are needed then, and what its
    products by lattices, its correlated OTs and its messages hold. `None` where nothing is known of them. `error`: how far a result may lie from that of exact numbers, at most;
    `seen`: how far it lies on the examples, where each result is rounded to nearest; `None` where they are not known here."""

    layer: str
    shape: Shape
    bytes: int | None
    seconds: float | None
    rounds: int | None
    error: float | None
    seen: float | None
    memory: int | None

    def _cells(self) -> tuple[str, ...]:
        size = "?" if self.bytes is None else format_bytes(self.bytes)
        took = "?" if self.seconds is None else format_time(self.seconds)
        rounds = "?" if self.rounds is None else str(self.rounds)
        memory = "?" if self.memory is None else format_bytes(self.memory)
        errors = ("?" if error is None else f"{error:.2g}" for error in (self.error, self.seen))
        return (self.layer, "x".join(map(str, self.shape)) or "1", size, took, rounds, memory, *errors)


class Report(Sequence[Row]):
    """A row for each layer. Prints as a table. `bits`, `fraction`: of all numbers; `memory`: the most that
    a layer takes at one party, about, of shares alone where nothing else is known; `predicted`: whether bytes, times and rounds are predictions by the operations'
    bills, and not those of a run; `copy_bytes`: of the encrypted copies of embeddings,
    which are sent once, when the network is shared; `error` and `seen`: of the results; `sure`: the error of rows of which
    `Model.unsure` says that no tree may turn the other way. `bytes`, `seconds` and `rounds` are
    those of the first call of a session over `link`, with the model at party `owner`, embeddings under `cipher`, and
    what is to be least as `optimise` says.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        formats: Formats,
        memory: int,
        predicted: bool,
        copy_bytes: int,
        error: tuple[float, float] | None,
        seen: float | None,
        setting: Setting,
    ) -> None:
        self._rows = tuple(rows)
        self.bits, self.fraction, self.memory, self.copy_bytes = formats.bits, formats.fraction, memory, copy_bytes
        self.predicted = predicted
        self.error = None if error is None else error[0]
        self.sure = None if error is None else error[1]
        self.seen = seen
        self.owner, self.link, self.cipher, self.optimise = setting.owner, setting.link, setting.cipher, setting.optimise

    @property
    def bytes(self) -> int | None:
        """All layers together; `None` if one is not known."""
        sizes = [row.bytes for row in self if row.bytes is not None]
        return sum(sizes) if len(sizes) == len(self) else None

    @property
    def seconds(self) -> float | None:
        """All layers together."""
        times = [row.seconds for row in self if row.seconds is not None]
        return sum(times) if len(times) == len(self) else None

    @property
    def rounds(self) -> int | None:
        """All layers together."""
        rounds = [row.rounds for row in self if row.rounds is not None]
        return sum(rounds) if len(rounds) == len(self) else None

    def __getitem__(self, key: int) -> Row:  # type: ignore[override]
        return self._rows[key]

    def __len__(self) -> int:
        return len(self._rows)

    def __str__(self) -> str:
        whole = Row("all", (), self.bytes, self.seconds, self.rounds, self.error, self.seen, self.memory)._cells()
        rows = [COLUMNS, *(row._cells() for row in self), (whole[0], "", *whole[2:])]
        widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
        lines = ["  ".join(c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))) for row in rows]
        head = f"bits={self.bits}, fraction={self.fraction}, {format_bytes(self.memory)} of memory"
        if self.copy_bytes:
            head += f", {format_bytes(self.copy_bytes)} of embeddings under {self.cipher} sent once"
        if self.sure != self.error:
            head += f"; error of rows that model.unsure leaves out: {self.sure:.2g}"
        how = "as predicted: measure=True runs it here, on zeros" if self.predicted else "as run here on zeros"
        head += (
            f"; bytes, time and rounds of a session's first call over {self.link}, model at party {self.owner}, {how}"
            if self.bytes is not None
            else "; bytes, time and rounds show when the network runs: measure=True runs it here, on zeros"
        )
        return "\n".join([head, *(line.rstrip() for line in lines)])

    __repr__ = __str__


def reported(graph: Graph, formats: Formats, rows: int, model: Model | None, setting: Setting) -> Report:
    """The report for a batch of so many rows."""
    shapes = graph.shapes(rows)
    first = len(graph.inputs)
    errors = None if model is None else bounds(graph, formats, model.held, shapes)
    seen = None if model is None else differences(model)
    shares = held(graph, formats, rows)
    foretold, protocols = predicted(graph, formats, rows, setting)
    run = measured(graph, formats, rows, setting)
    memory = [None if more is None else of_shares + more for of_shares, more in zip(shares, protocols, strict=True)]
    made = [
        Row(
            node.name,
            shapes[first + i],
            *(foretold if run is None else run)[i],
            None if errors is None else errors[first + i].error,
            None if seen is None else seen[i],
            memory[i],
        )
        for i, node in enumerate(graph.nodes)
    ]
    most = max((of_shares if each is None else each for of_shares, each in zip(shares, memory, strict=True)), default=0)
    error = None
    if model is not None and errors is not None:
        turns = any(node.layer.turned(own) for node, own in zip(graph.nodes, model.held, strict=True))
        sure = bounds(graph, formats, model.held, shapes, turned=False) if turns else errors
        error = (max(errors[value].error for value in graph.outputs), max(sure[value].error for value in graph.outputs))
    off = None if seen is None else max((seen[value - first] for value in graph.outputs if value >= first), default=0.0)
    return Report(made, formats, most, run is None, copy_bytes(graph, formats, setting), error, off, setting)
