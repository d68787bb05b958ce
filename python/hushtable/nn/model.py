"""A model of one party: a graph with its numbers, and how these are held."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..copies import Cipher
from ..errors import ParamError
from ..gated import PRECISIONS, Precision
from ..plan import Optimise
from . import given, labels
from .accuracy import unsure
from .evaluation import Formats, fixed
from .graph import Graph, named, one_of
from .layer import Array, Own, nearest
from .measuring import Setting
from .passes import folded
from .ranges import calibrated
from .report import Report, reported


class Model:
    """A network with its numbers, which its owner alone has. Made by `from_sklearn`, `from_onnx` and `from_torch`.

    `classes`: what the indices stand for that a classifier gives, or `None`.
    """

    def __init__(self, graph: Graph, classes: Iterable[Any] | None = None) -> None:
        if not isinstance(graph, Graph):
            raise TypeError(f"Model: made by from_sklearn, from_onnx and from_torch, got {type(graph).__name__} in place of a graph")
        self.graph = folded(graph, graph.batch or 2)
        self.classes = labels.checked(classes, self.graph)
        self._formats: Formats | None = None
        self.examples: list[Array] = []
        self._held: list[Own] = []

    @property
    def features(self) -> list[tuple[str, ...]]:
        """The names of the features of each input, with which columns of data frames are compared at both parties: of
        estimators that were fitted with a frame, and given by `name_features`; `()` where there are none."""
        return [given.features for given in self.graph.inputs]

    def name_features(self, names: Iterable[str] | None, which: int = 0) -> Model:
        """Gives the features of an input names, in their order: a frame with other columns is refused then, at both parties,
        to whom names are told. `None`: no names, so that none are told. Raises `ParamError` for another number of names, or
        such as are no texts of up to 256 characters. Returns the model."""
        i = given.place(which, self.graph)
        self.graph.inputs[i] = named(self.graph.inputs[i], names)
        return self

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
        held = []
        for array, how, what in zip(arrays, self.formats.inputs, self.graph.inputs, strict=True):
            if what.kind == "ids":
                held.append(array)
                continue
            held.append(nearest(how.held(array, what.name), self.formats.fraction))
        return held

    def unsure(self, *inputs: ArrayLike) -> Array:
        """For each row whether a number lies so near a threshold of a tree that rounding may take it to the other side. Such
        rows may get what other leaves give: they are off by `report().error` at most, the others by `report().sure`."""
        return unsure(self, self._arrays(inputs))

    def calibrate(
        self,
        *examples: ArrayLike,
        margin: float = 1.5,
        bits: int | None = None,
        fraction: int = 12,
        precision: Precision = "fine",
    ) -> Model:
        """Records in which ranges the numbers of each layer lie on example inputs, one array for each input, and chooses
        formats.

        Ranges are made `margin` times as wide, with room for what the parties' numbers are off, and rounded up to powers of two.
        `fraction`: binary digits after the point of
        every tensor, 6 to 24; softmax takes 8 to 14. `bits`: the width of all numbers; default: the least in which no sum
        wraps around. `precision`: `"fine"`, or `"network"`, in which softmax, GELU, SiLU, sigmoid and the like are off by about
        2^-8, for fewer bytes. **Numbers beyond their ranges wrap around, and nobody sees that**: examples are to be as large as
        inputs will be, which `fixed` tells of others. The first weights hold every input in its range. Raises `ParamError` that names the layer which a width does not hold; for examples that are not
        finite. Returns the model.
        """
        if isinstance(margin, bool) or not isinstance(margin, Real) or not 1 <= margin <= 1e6:
            raise ParamError(f"margin={margin!r} is not supported; accepted: a number from 1 to 10^6")
        fraction = given.whole("fraction", fraction, 6, 24)
        bits = None if bits is None else given.whole("bits", bits, 16, 64)
        one_of("precision", precision, PRECISIONS)
        arrays = self._arrays(examples)
        self._formats, self._held = calibrated(self.graph, arrays, margin, bits, fraction, precision)
        self.examples = arrays
        return self

    def report(
        self,
        rows: int | None = None,
        *,
        measure: bool | None = None,
        owner: int = 0,
        link: str = "loopback",
        cipher: Cipher = "aes-128",
        optimise: Optimise | None = None,
    ) -> Report:
        """What a call with so many rows takes, layer by layer, and how far its results may be off.

        The network runs here on zeros, between two threads: bytes and rounds are just those of the first call of a session
        in which party `owner` has the model, over `link` (as `net=` of `run_pair`), with embeddings under `cipher`, and
        `optimise` as of `run_pair`; what is
        sent once, as the start of the OT extension and keys of lattices, is part of it. Parties that meet over a network
        choose by the link that they measure: give one like it. Times are of this machine, of which each party had a
        part. By default only what takes a second or two is run; of others these are predictions
        by the bills of their operations, on machines of reference, unless `measure=True`. `measure=False` runs nothing.

        `error` is a worst case: factors, inputs and results that were rounded, one layer after the other; results of
        decisions, as places of the greatest, are right where numbers lie farther apart than twice that.
        """
        setting = Setting(owner, link, cipher, measure, optimise)
        return reported(self.graph, self.formats, self.graph.rows(rows), self, setting)

    def _arrays(self, inputs: Sequence[ArrayLike]) -> list[Array]:
        if len(inputs) != len(self.graph.inputs):
            self.graph.check_inputs([()] * len(inputs))
        arrays = [given.array(values, self.graph, i) for i, values in enumerate(inputs)]
        self.graph.check_inputs([array.shape for array in arrays])
        return arrays

    def __repr__(self) -> str:
        how = "not calibrated" if self._formats is None else f"bits={self._formats.bits}, fraction={self._formats.fraction}"
        return f"Model({len(self.graph.nodes)} layers, inputs {[each.shape for each in self.graph.inputs]}, {how})"


def _one(results: list[Any]) -> Any:
    return results[0] if len(results) == 1 else tuple(results)

