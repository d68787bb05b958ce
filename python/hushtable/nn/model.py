"""A model of one party: a graph with its numbers, and how these are held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParamError, ShapeError
from .evaluation import Formats, fixed
from .graph import Graph
from .layer import Array, Own, nearest
from .passes import folded
from .ranges import formats as formats_of
from .ranges import observed, scaled
from .report import Report, reported, unsure


class Model:
    """A network with its numbers, which its owner alone has. Made by `from_sklearn`, `from_onnx` and `from_torch`.

    `classes`: what the indices stand for that a classifier gives, or `None`.
    """

    def __init__(self, graph: Graph, classes: Sequence[Any] | None = None) -> None:
        self.graph = folded(graph, graph.batch or 2)
        self.classes = None if classes is None else [_plain(label) for label in classes]
        self._formats: Formats | None = None
        self.examples: list[Array] = []
        self._held: list[Own] = []

    @property
    def formats(self) -> Formats:
        """How numbers are held. Raises `ParamError` before `calibrate`."""
        if self._formats is None:
            raise ParamError("model: ranges are not known yet; call model.calibrate(examples) with inputs of the usual kind")
        return self._formats

    @property
    def held(self) -> list[Own]:
        """The owner's numbers of each layer, as the parties hold them."""
        assert self.formats is not None
        return self._held

    def plain(self, *inputs: ArrayLike) -> Any:
        """The results in floating point, as the framework has them. An array, or a tuple of several."""
        return _one(self.graph.plain(*self._arrays(inputs)))

    def fixed(self, *inputs: ArrayLike) -> Any:
        """The results in the fixed-point numbers of the parties: factors and results are rounded as theirs are.

        Theirs may differ by the steps that `report` says. Of use to look at accuracy without a peer, and at whether examples
        were large enough: raises `ParamError` for inputs beyond the calibrated range, and where a number inside of the network
        leaves the range of its layer, which it names: there the parties' numbers wrap around, and nobody sees it. A number
        within the rounding of an end may pass here and wrap there, or the other way round.
        """
        return _one(fixed(self.graph, self.formats, self._held, self.as_held(self._arrays(inputs))))

    def as_held(self, arrays: Sequence[Array]) -> list[Array]:
        """Inputs as the parties hold them: in the scales of their places, and rounded. Raises `ParamError` beyond the range."""
        given = []
        for array, how, what in zip(arrays, self.formats.inputs, self.graph.inputs, strict=True):
            if what.kind == "ids":
                given.append(array)
                continue
            given.append(nearest(how.held(array, what.name), self.formats.fraction))
        return given

    def unsure(self, *inputs: ArrayLike) -> Array:
        """For each row whether a number lies so near a threshold of a tree that rounding may take it to the other side. Such
        rows may get what other leaves give: they are off by `report().error` at most, the others by `report().sure`."""
        return unsure(self, self._arrays(inputs))

    def calibrate(
        self, *examples: ArrayLike, margin: float = 1.5, bits: int | None = None, fraction: int = 12
    ) -> Model:
        """Records in which ranges the numbers of each layer lie on example inputs, one array for each input, and chooses
        formats.

        Ranges are made `margin` times as wide, and rounded up to powers of two. `fraction`: binary digits after the point of
        every tensor, 6 to 24; softmax takes 8 to 14. `bits`: the width of all numbers; default: the least in which no sum
        wraps around. **Numbers beyond their ranges wrap around, and nobody sees that**: examples are to be as large as
        inputs will be, which `fixed` tells of others. The first weights hold every input in its range. Raises `ParamError` that names the layer which a width does not hold; for examples that are not
        finite. Returns the model.
        """
        if not 1 <= margin <= 1e6:
            raise ParamError(f"margin={margin} is not supported; accepted: 1 to 10^6")
        if not 6 <= fraction <= 24:
            raise ParamError(f"fraction={fraction} is not supported; accepted: 6 to 24")
        if bits is not None and not 16 <= bits <= 64:
            raise ParamError(f"bits={bits} is not supported; accepted: 16 to 64")
        arrays = self._arrays(examples)
        self._formats = formats_of(self.graph, observed(self.graph, arrays), margin, bits, fraction)
        self.examples = arrays
        layers = zip(self.graph.nodes, scaled(self.graph, self._formats.inputs), self._formats.layers, strict=True)
        self._held = [node.layer.rounded(own, fraction, form) for node, own, form in layers]
        return self

    def report(self, rows: int | None = None, *, measure: bool = False) -> Report:
        """What a call with so many rows takes, layer by layer, and how far its results may be off.

        `error` is a worst case: factors, inputs and results that were rounded, one layer after the other, for numbers that
        `fixed` takes; results of decisions, as places of the greatest, are right where numbers lie farther apart than twice
        that. Trees may give what any of their leaves has; `sure` is the bound of rows that `unsure` leaves out. Without `measure` bytes and
        rounds are those of the functions' cards; what products and comparisons take is left out. With it the network runs
        here on zeros, between two threads, which takes as long as it takes: bytes and rounds are exact, times are of this
        machine, of which each party had a part.
        """
        return reported(self.graph, self.formats, self.graph.rows(rows), self, measure)

    def _arrays(self, inputs: Sequence[ArrayLike]) -> list[Array]:
        if len(inputs) != len(self.graph.inputs):
            self.graph.check_inputs([np.shape(given) for given in inputs])
        arrays = []
        for given, what in zip(inputs, self.graph.inputs, strict=True):
            array = np.asarray(given)
            if array.dtype.kind not in "buif":
                raise ShapeError(f"input {what.name!r}: numbers are expected, got {array.dtype}")
            bad = np.argwhere(~np.isfinite(array))
            if len(bad):
                at = tuple(bad[0].tolist())
                raise ParamError(f"input {what.name!r}: {array[at]} at {at} is not supported; accepted: finite numbers")
            arrays.append(array.astype(np.int64 if what.kind == "ids" else np.float64))
        self.graph.check_inputs([array.shape for array in arrays])
        return arrays

    def __repr__(self) -> str:
        how = "not calibrated" if self._formats is None else f"bits={self._formats.bits}, fraction={self._formats.fraction}"
        return f"Model({len(self.graph.nodes)} layers, inputs {[given.shape for given in self.graph.inputs]}, {how})"


def _one(results: list[Any]) -> Any:
    return results[0] if len(results) == 1 else tuple(results)


def _plain(label: Any) -> Any:
    """A label as Python's own number or text."""
    return label.item() if isinstance(label, np.generic) else label
