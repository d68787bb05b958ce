"""A network that two parties run: one knows the numbers of the layers, both hold shares of what goes in and comes out."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..copies import Cipher
from ..embedding import Embedding
from ..errors import ParamError, ShapeError
from ..party import Party
from ..prepared import Like, Prepared, prepare
from ..share import Share
from . import given, labels
from .description import tell
from .evaluation import Formats, evaluate
from .graph import Graph, one_of
from .layer import Own
from .layers.embedding import Embed
from .measuring import Setting
from .model import Model, within
from .report import Report, reported
from .weights import multiplied


def share(party: Party, model: Model | None, *, owner: int, cipher: Cipher = "aes-128") -> Net:
    """A network of party `owner`, which gives its calibrated model; the other party gives `None`.

    Both call this. The owner tells what is public: the layers, their shapes and order, widths, and ranges as powers of two;
    the labels of a classifier. Of the numbers of layers only the width of the largest is told. Matrices of embeddings are
    sent encrypted, under `cipher`; see `hushtable.Embedding`.

    Raises `ParamError` if the model is missing, given by the wrong party, or not calibrated; `PeerError` for a description
    that is malformed.
    """
    if not isinstance(party, Party):
        raise TypeError(f"nn.share: a party is expected first, got {type(party).__name__}")
    one_of("nn.share: cipher", cipher, get_args(Cipher))
    one_of("nn.share: owner", owner, (0, 1))
    if (model is not None) != (party.role == owner):
        who = "has to give it" if party.role == owner else "passes None"
        raise ParamError(f"nn.share: party {owner} owns the model; this party {who}")
    if model is not None and not isinstance(model, Model):
        raise TypeError(f"nn.share: a Model is expected, as of from_sklearn, got {type(model).__name__}")
    graph, formats, classes = tell(party, model, owner)
    owns = None if model is None else model.held
    embeddings = {
        i: Embedding(
            party,
            None if owns is None else owns[i]["weight"],
            owner=owner,
            fraction=formats.fraction,
            entry_bits=formats.entry_bits(i),
            cipher=cipher,
        )
        for i, node in enumerate(graph.nodes)
        if isinstance(node.layer, Embed)
    }
    return Net(party, owner, model, graph, formats, classes, owns, embeddings, cipher)


class Net:
    """A network of party `owner`. Call it with shares, at both parties alike."""

    def __init__(
        self,
        party: Party,
        owner: int,
        model: Model | None,
        graph: Graph,
        formats: Formats,
        classes: list[Any] | None,
        owns: list[Own] | None,
        embeddings: dict[int, Embedding],
        cipher: Cipher,
    ) -> None:
        self.party, self.owner, self.formats, self.classes = party, owner, formats, classes
        self._model, self._graph, self._owns, self._embeddings = model, graph, owns, embeddings
        self._cipher = cipher

    @property
    def features(self) -> list[tuple[str, ...]]:
        """The names of the features of each input, as the owner told them; `()` where there are none. Columns of data frames
        that are given to `input` have these names, in this order."""
        return [each.features for each in self._graph.inputs]

    @property
    def inputs(self) -> list[tuple[int, ...]]:
        """The shapes of the inputs; -1 is the rows of a batch."""
        return [each.shape for each in self._graph.inputs]

    def input(self, values: ArrayLike | None, owner: int, *, shape: int | tuple[int, ...] | None = None, which: int = 0) -> Share:
        """Shares of the inputs of one party, `owner`; the other passes `None` and the shape, or a number of rows. No message.

        Numbers are rounded to the network's scale, or are ids of an embedding's rows. Raises `ParamError` that names the
        first one beyond the calibrated range, `ShapeError` for another shape.
        """
        which = given.place(which, self._graph)
        what, how = self._graph.inputs[which], self.formats.inputs[which]
        one_of(f"input {what.name!r}: owner", owner, (0, 1))
        if values is None and shape is None:
            raise ParamError(f"input {what.name!r}: party {owner} gives the values, the other one shape=, a number of rows")
        array = None if values is None else given.array(values, self._graph, which)
        full = given.shape(what, shape, array)
        if what.kind == "ids":
            return self._table(which).input(array, owner=owner, shape=full)
        if array is not None:
            array = within(array, how.factors() if how.scale else None, how.exponent, what.name)
        limits = how.limits(self.formats.fraction)
        step = self.formats.step
        ends = (limits[0] * step, limits[1] * step)
        form = self.formats
        return self.party.input(array, owner, shape=full, bits=form.bits, fraction=form.fraction, range=ends)

    def like(self, rows: int | None = None, which: int = 0) -> Like:
        """The public type of what `input` gives, for `prepare` and `count`."""
        which = given.place(which, self._graph)
        what, how = self._graph.inputs[which], self.formats.inputs[which]
        shape = what.of(self._graph.rows(rows))
        if what.kind == "ids":
            bits = self._table(which)._form.key_bits
            return Like(shape, bits=bits, fraction=0, kind="xor")
        limits = how.limits(self.formats.fraction)
        step = self.formats.step
        ends = (limits[0] * step, limits[1] * step)
        return Like(shape, bits=self.formats.bits, fraction=self.formats.fraction, range=ends, read=1)

    def __call__(self, *inputs: Share) -> Any:
        """The network of these shares: of `input`, or numbers shared with the network's `bits` and `fraction` and a `range`
        within the calibrated one. A share, or a tuple of several.

        Raises `ShapeError` for other shapes and types, `ParamError` for a range that is not within; `adapt` makes shares
        of other scales fit.
        """
        if len(inputs) != len(self._graph.inputs):
            self._graph.check_inputs([()] * len(inputs))
        shares = [self._checked(x, i) for i, x in enumerate(inputs)]
        self._graph.check_inputs([x.shape for x in shares])
        made = evaluate(self._graph, self.formats, self._owns, self.owner, shares, self._embeddings)
        return made[0] if len(made) == 1 else tuple(made)

    def adapt(self, x: Share, which: int = 0) -> Share:
        """A share that was made elsewhere, with the network's `bits` and `fraction`, as an input: each place is multiplied by
        its public scale. That all numbers lie in the calibrated range is promised, and not checked."""
        which = given.place(which, self._graph)
        what, how, form = self._graph.inputs[which], self.formats.inputs[which], self.formats
        if not isinstance(x, Share):
            raise TypeError(f"input {what.name!r}: a share is expected, got {type(x).__name__}")
        what.batch(x.shape)
        if (x.bits, x.fraction, x.kind) != (form.bits, form.fraction, "additive"):
            raise ShapeError(f"input {what.name!r}: shares of bits={form.bits}, fraction={form.fraction} are expected, got {x!r}")
        limits = how.limits(form.fraction)
        return multiplied(x, how.scale, limits) if how.scale else x._within(limits)

    def prepare(self, rows: int | None = None) -> Prepared[Any]:
        """What one call with so many rows needs, made ahead: call the result once, with shares of `input`. Both parties call
        this at the same time."""
        likes = [self.like(rows, i) for i in range(len(self._graph.inputs))]
        with self.party.offline():
            return prepare(self.__call__, *likes)

    def labels(self, opened: ArrayLike | None) -> np.ndarray[Any, Any]:
        """The labels of opened results of a classifier. Raises `ParamError` for a network without classes."""
        return labels.of(opened, self.classes)

    def report(self, rows: int | None = None, *, measure: bool | None = None, net: str = "loopback") -> Report:
        """What a call with so many rows takes, layer by layer; see `Model.report`. The other party has no bound of errors,
        which depends on the numbers of layers."""
        setting = Setting(self.owner, net, self._cipher, measure)
        return reported(self._graph, self.formats, self._graph.rows(rows), self._model, setting)

    def _table(self, which: int) -> Embedding:
        return next(self._embeddings[i] for i, node in enumerate(self._graph.nodes) if which in node.of and i in self._embeddings)

    def _checked(self, x: Share, which: int) -> Share:
        what, how, form = self._graph.inputs[which], self.formats.inputs[which], self.formats
        if not isinstance(x, Share):
            raise TypeError(f"input {what.name!r}: a share is expected, as net.input gives, got {type(x).__name__}")
        if what.kind == "ids":
            return x
        if (x.bits, x.fraction, x.kind) != (form.bits, form.fraction, "additive"):
            raise ShapeError(f"input {what.name!r}: shares of bits={form.bits}, fraction={form.fraction} are expected, got {x!r}")
        limits = how.limits(form.fraction)
        if x._range[0] < limits[0] or x._range[1] > limits[1]:
            ends = (limits[0] * form.step, limits[1] * form.step)
            raise ParamError(f"input {what.name!r}: a share with range={x.range} is not supported; accepted: within {ends}")
        return x

    def __repr__(self) -> str:
        form = self.formats
        return f"Net({len(self._graph.nodes)} layers of party {self.owner}, inputs {self.inputs}, bits={form.bits}, fraction={form.fraction})"
