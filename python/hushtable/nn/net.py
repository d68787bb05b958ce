"""A network that two parties run: one knows the numbers of the layers, both hold shares of what goes in and comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from types import TracebackType
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..copies import Cipher
from ..embedding import Embedding
from ..errors import ParamError, ShapeError
from ..party import Party
from ..plan import Optimise
from ..prepared import Like, Need, Prepared, dry_run, prepare
from ..share import Share
from . import given, labels, storing, tables
from .description import tell
from .evaluation import Formats, evaluate
from .graph import Graph, one_of
from .inputs import Inputs, InputType, chosen, joined
from .layer import Own
from .measuring import Setting
from .memory import LIMIT, check
from .model import Model
from .report import Report, reported
from .weights import multiplied


def share(party: Party, model: Model | None, *, owner: int, cipher: Cipher = "aes-128", memory: int = LIMIT) -> Net:
    """A network of party `owner`, which gives its calibrated model; the other party gives `None`.

    Both call this. The owner tells what is public: the layers, their shapes and order, widths, and ranges as powers of two;
    the labels of a classifier. Of the numbers of layers only the width of the largest is told. Matrices of embeddings are
    sent encrypted, under `cipher`; see `hushtable.Embedding`.

    `memory` is how many bytes of shares and copies a call with the least rows may hold at the other party, 2 GiB by default:
    of a network that needs more, by its description, nothing is allocated. Calls with more rows, and protocols, take
    more: `report(rows).memory`.

    Raises `ParamError` if the model is missing, given by the wrong party, or not calibrated, and at the other party for a
    network beyond `memory`, which names the layer; `PeerError` for a description that is malformed.
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
    if isinstance(memory, bool) or not isinstance(memory, int) or memory < 1:
        raise ParamError(f"nn.share: memory={memory!r:.60} is not supported; accepted: a whole number of bytes, 1 or more")
    graph, formats, classes, digest = tell(party, model, owner)
    if model is None:
        check(graph, formats, memory)
    owns = None if model is None else model.held
    embeddings = tables.sent(party, graph, formats, owns, owner, cipher)
    return Net(party, owner, model, graph, formats, classes, owns, embeddings, cipher, digest)


class Net:
    """A network of party `owner`. Call it with inputs, at both parties alike; results are shares."""

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
        digest: bytes,
    ) -> None:
        self.party, self.owner, self.formats, self.classes = party, owner, formats, classes
        self._model, self._graph, self._owns, self._embeddings = model, graph, owns, embeddings
        self._cipher, self._digest = cipher, digest

    @property
    def features(self) -> list[tuple[str, ...]]:
        """The names of the features of each input, as the owner told them; `()` where there are none. Columns of data frames
        that are given to `input` have these names, in this order."""
        return [each.features for each in self._graph.inputs]

    @property
    def inputs(self) -> list[tuple[int, ...]]:
        """The shapes of the inputs; -1 is the rows of a batch."""
        return [each.shape for each in self._graph.inputs]

    def input(
        self,
        values: ArrayLike | None,
        owner: int,
        *,
        shape: int | tuple[int, ...] | None = None,
        which: int = 0,
        columns: Sequence[int] | None = None,
    ) -> Inputs:
        """Inputs of one party, `owner`; the other passes `None` and the shape, or a number of rows. No message.

        `columns`: the places along the last axis that `owner` has, of rows of numbers, where the other one has the rest;
        `values` are these columns alone. `join` puts them together:

            ours = net.input(a if p.role == 0 else None, owner=0, shape=rows, columns=[0, 1, 4])
            theirs = net.input(b if p.role == 1 else None, owner=1, shape=rows, columns=[2, 3])
            y = net(net.join(ours, theirs))

        Numbers are rounded to the network's scale, or are ids of an embedding's rows. Raises `ParamError` that names the
        first one beyond the calibrated range, `ShapeError` for another shape.
        """
        which = given.place(which, self._graph)
        what, how, expected = self._graph.inputs[which], self.formats.inputs[which], self._type(which)
        one_of(f"input {what.name!r}: owner", owner, (0, 1))
        if values is None and shape is None:
            raise ParamError(f"input {what.name!r}: party {owner} gives the values, the other one shape=, a number of rows")
        some = chosen(columns, what.shape, what.kind, what.name)
        part = what if some is None else replace(what, shape=(-1, len(some)), features=())
        array = None if values is None else given.array(values, self._graph, which, some)
        full = given.shape(part, shape, array)
        if what.kind == "ids":
            return Inputs(expected, self._table(which).input(array, owner=owner, shape=full))
        if array is not None:
            array = how.held(array, what.name, some)
        made = self.party.input(array, owner, shape=full, bits=expected.bits, fraction=expected.fraction, range=self._range(which))
        return Inputs(expected, made, some)

    def join(self, *parts: Inputs) -> Inputs:
        """Inputs as one: rows of several parties one after the other; or columns of the same rows, each given once by
        whoever has it, side by side in the order of their places. No message.

        Raises `ParamError` for columns that do not make up whole rows, `ShapeError` for shapes that do not fit together.
        """
        if not parts:
            raise ParamError("join: nothing to join; accepted: at least one part that net.input gave")
        which = parts[0]._type.which if isinstance(parts[0], Inputs) else 0
        for part in parts:
            self._fits(part, which)
        return joined(parts, self._graph.inputs[which].name)

    def adapt(self, x: Share, which: int = 0) -> Inputs:
        """A share that was made elsewhere, with the network's `bits` and `fraction`, as an input: the public
        centre of each place is taken from it, if there is one, and it is multiplied by its public scale. That all numbers lie in the calibrated range is promised, and not checked; how they were rounded
        before is not in the bound of errors, which counts half a step in the network's scale.

        Features of both parties, shared by each itself, can be put side by side so:

            how = {"bits": net.formats.bits, "fraction": net.formats.fraction, "range": (-16, 16)}
            ours = p.input(a if p.role == 0 else None, owner=0, shape=(rows, 3), **how)
            theirs = p.input(b if p.role == 1 else None, owner=1, shape=(rows, 2), **how)
            y = net(net.adapt(ht.concatenate([ours, theirs], axis=1)))
        """
        which = given.place(which, self._graph)
        what, how, expected = self._graph.inputs[which], self.formats.inputs[which], self._type(which)
        if not isinstance(x, Share):
            raise TypeError(f"adapt: a share of numbers in their own scale is expected, got {type(x).__name__}")
        what.batch(x.shape)
        kind = "xor" if what.kind == "ids" else "additive"
        if (x.bits, x.fraction, x.kind) != (expected.bits, expected.fraction, kind):
            raise ShapeError(f"input {what.name!r}: shares of bits={expected.bits}, fraction={expected.fraction} are expected, got {x!r}")
        if what.kind == "ids":
            return Inputs(expected, x)
        limits = how.limits(expected.fraction)
        centred = x - np.asarray(how.centre) if how.centre else x
        return Inputs(expected, multiplied(centred, how.scale, limits) if how.scale else centred._within(limits))

    def __call__(self, *inputs: Inputs) -> Any:
        """The network of these inputs, of `input`, `join` or `adapt`. A share, or a tuple of several.

        Raises `TypeError` for other shares, whose scale is not known, `ParamError` for inputs of a network that has other
        formats, and for a part of the columns, `ShapeError` for other shapes.
        """
        return self._evaluated(*self._shares(inputs))

    def prepare(
        self,
        rows: int | None = None,
        *,
        store: str | PathLike[str] | None = None,
        identity: str | PathLike[str] | None = None,
    ) -> PreparedNet:
        """What one call with so many rows needs, made ahead: call the result once, with inputs. Both parties call this at the
        same time.

        With `store`, a new folder, and `identity`, the folder of this party's, the material goes to disk, and `stored` takes
        it from there in a later session: over TLS, between the same identities in the same roles. Folders are to be left out
        of backups: one that was restored is refused.
        """
        storing.check(store, identity)
        if store is None or identity is None:
            with self.party.offline():
                return PreparedNet(self, prepare(self._evaluated, *self._likes(rows)))
        types, needs = dry_run(self._evaluated, self._likes(rows), self.party.role)
        about = storing.about(self._digest, self._owns, self._graph.rows(rows), needs, identity)
        return self._from(storing.made(self.party, store, identity, about, needs), types, needs)

    def stored(self, rows: int | None = None, *, store: str | PathLike[str], identity: str | PathLike[str]) -> PreparedNet:
        """What `prepare` made on disk for a call with so many rows: call the result once, with inputs. Both parties call this
        at the same time, with their halves.

        Raises `StoreError` where the folder is for another network, other weights or another number of rows, was used, in part
        or by the other party, or was restored; the other party gets `HandshakeError`.
        """
        types, needs = dry_run(self._evaluated, self._likes(rows), self.party.role)
        about = storing.about(self._digest, self._owns, self._graph.rows(rows), needs, identity)
        return self._from(storing.opened(self.party, store, identity, about), types, needs)

    def _from(self, folder: storing.Folder, types: list[Any], needs: list[Need]) -> PreparedNet:
        number = f"stored {folder.id[:16]}"
        return PreparedNet(self, Prepared(self.party, self._evaluated, types, needs, folder.materials(), number), folder)

    def _likes(self, rows: int | None) -> list[Like]:
        return [self._like(rows, i) for i in range(len(self._graph.inputs))]

    def labels(self, opened: ArrayLike | None) -> np.ndarray[Any, Any]:
        """The labels of opened results of a classifier. Raises `ParamError` for a network without classes."""
        return labels.of(opened, self.classes)

    def report(
        self,
        rows: int | None = None,
        *,
        measure: bool | None = None,
        link: str = "loopback",
        optimise: Optimise | None = None,
    ) -> Report:
        """What a call with so many rows takes, layer by layer; see `Model.report`. The other party has no bound of errors,
        which depends on the numbers of layers."""
        setting = Setting(self.owner, link, self._cipher, measure, optimise)
        return reported(self._graph, self.formats, self._graph.rows(rows), self._model, setting)

    def _table(self, which: int) -> Embedding:
        return tables.of_input(self._graph, self._embeddings, which)

    def _type(self, which: int) -> InputType:
        what, how = self._graph.inputs[which], self.formats.inputs[which]
        if what.kind == "ids":
            table = self._table(which)
            return InputType(which, what.shape, what.kind, table._form.key_bits, 0, how, table.rows)
        return InputType(which, what.shape, what.kind, self.formats.bits, self.formats.fraction, how, None)

    def _range(self, which: int) -> tuple[float, float]:
        lo, hi = self.formats.inputs[which].limits(self.formats.fraction)
        return lo * self.formats.step, hi * self.formats.step

    def _like(self, rows: int | None, which: int) -> Like:
        """The public type of the shares of an input."""
        what, expected = self._graph.inputs[which], self._type(which)
        shape = what.of(self._graph.rows(rows))
        if what.kind == "ids":
            return Like(shape, bits=expected.bits, fraction=0, kind="xor")
        return Like(shape, bits=expected.bits, fraction=expected.fraction, range=self._range(which), read=1)

    def _fits(self, x: Inputs, which: int) -> None:
        """Raises unless these are inputs of this network, or of one with the same formats."""
        name = self._graph.inputs[which].name
        if isinstance(x, Share):
            raise TypeError(
                f"input {name!r}: {x!r}, whose scale is not known to be the network's; accepted: what net.input or net.join "
                f"gives, and net.adapt of numbers in their own scale"
            )
        if not isinstance(x, Inputs):
            raise TypeError(f"input {name!r}: inputs are expected, as net.input gives, got {type(x).__name__}")
        if x._share.party is not self.party:
            raise ShapeError(f"input {name!r}: inputs of another session or party")
        expected = self._type(which)
        if x._type != expected:
            raise ParamError(
                f"input {name!r}: inputs of another network ({expected.unlike(x._type)}) are not supported; accepted: what this "
                f"network's input, join or adapt gives"
            )

    def _shares(self, inputs: Sequence[Inputs]) -> list[Share]:
        """The shares of checked inputs."""
        if len(inputs) != len(self._graph.inputs):
            self._graph.check_inputs([x.shape for x in inputs])
        for i, x in enumerate(inputs):
            self._fits(x, i)
            if x.columns is not None:
                what = self._graph.inputs[i]
                raise ParamError(
                    f"input {what.name!r}: columns {list(x.columns)} of 0 to {what.shape[1] - 1} are not supported; accepted: all of "
                    f"them, put together by net.join"
                )
        shares = [x._share for x in inputs]
        self._graph.check_inputs([share.shape for share in shares])
        return shares

    def _evaluated(self, *shares: Share) -> Any:
        made = evaluate(self._graph, self.formats, self._owns, self.owner, shares, self._embeddings)
        return made[0] if len(made) == 1 else tuple(made)

    def __repr__(self) -> str:
        form = self.formats
        return f"Net({len(self._graph.nodes)} layers of party {self.owner}, inputs {self.inputs}, bits={form.bits}, fraction={form.fraction})"


class PreparedNet:
    """A network with material for one call: see `Net.prepare` and `Net.stored`. A second call raises `SpentError`.

    One from disk keeps its folder, so that no other process uses it, until it was called, to `close`, or to the end of a
    `with`.
    """

    def __init__(self, net: Net, prepared: Prepared[Any], folder: storing.Folder | None = None) -> None:
        self._net, self._prepared, self._folder = net, prepared, folder

    def __call__(self, *inputs: Inputs) -> Any:
        """The network of these inputs. Raises as `Net.__call__`, and `ShapeError` for another number of rows."""
        made = self._prepared(*self._net._shares(inputs))
        self.close()
        return made

    @property
    def made_now(self) -> list[str]:
        """The operations whose material cannot be stored, as of embeddings, and is made by the call."""
        return [] if self._folder is None else [name for name, _, store in self._folder.about.steps if store is None]

    def close(self) -> None:
        """Lets go of the folder. What is left in it stays."""
        if self._folder is not None:
            self._folder.close()

    def __enter__(self) -> PreparedNet:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"PreparedNet({self._prepared!r} of {self._net!r})"
