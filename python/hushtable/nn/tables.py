"""The matrices of a network's embeddings, as the parties have them in a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import _hushtable as native
from ..copies import Cipher
from ..embedding import Embedding
from ..party import Party
from .evaluation import Formats
from .graph import Graph
from .layer import Own
from .layers.embedding import Embed


def sent(
    party: Party, graph: Graph, formats: Formats, owns: Sequence[Own] | None, owner: int, cipher: Cipher
) -> dict[int, Embedding]:
    """The matrix of each layer that is an embedding, sent to the other party under `cipher`. `owns`: the owner's numbers."""
    return {
        i: Embedding(
            party,
            None if owns is None else owns[i]["weight"],
            owner=owner,
            fraction=formats.fraction,
            entry_bits=formats.entry_bits(i),
            cipher=cipher,
            expected=node.layer.owned()["weight"],
        )
        for i, node in enumerate(graph.nodes)
        if isinstance(node.layer, Embed)
    }


def forms(graph: Graph, formats: Formats, owner: int, cipher: Cipher) -> dict[int, native.PrivateForm]:
    """How each of them is looked up."""
    return {
        i: native.PrivateForm.embedding(owner, cipher, node.layer.rows, node.layer.columns, formats.entry_bits(i))
        for i, node in enumerate(graph.nodes)
        if isinstance(node.layer, Embed)
    }


def of_input(graph: Graph, found: Mapping[int, Embedding], which: int) -> Embedding:
    """The matrix whose rows the ids of an input are for."""
    return next(found[i] for i, node in enumerate(graph.nodes) if which in node.of and i in found)
