"""Circuits: compiled from Verilog, read from files, and evaluated on arrays of shares."""

from __future__ import annotations

import os
from collections import namedtuple
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _hushtable as native
from . import _values, _words, history
from .arithmetic import NOTHING, wide
from .bits import BitShare
from .errors import ParamError, ShapeError
from .plan import Optimise, Predictions, machine, predictions
from .share import Share


class Port(NamedTuple):
    """A port of a circuit: what its bits mean is `"f32"`, `"u8"`, `"b128"` and so on."""

    name: str
    type: str


class Form(NamedTuple):
    """One of the forms of a circuit, which compute the same: its ANDs, its lookups, and its layers of both."""

    name: str
    ands: int
    lookups: int
    layers: int


class Circuit:
    """A function of bits that two parties compute together. Call it with arrays of shares.

    Made by `Circuit.load` or `ht.compile`, or taken from `ht.circuits`; the same at both parties, who compare its digest.
    """

    def __init__(self, made: native.Circuit) -> None:
        self._native = made
        self.name: str = made.name
        self.digest: str = made.digest
        self.inputs = tuple(Port(*port) for port in made.inputs)
        self.outputs = tuple(Port(*port) for port in made.outputs)
        self.forms = tuple(Form(*form) for form in made.forms)
        # What was made of it for an engine is kept: that takes longer than a small call.
        self._evaluation = lru_cache(maxsize=8)(made.evaluation)
        self._takes = [_values.of(port.type) for port in self.inputs]
        self._gives = [_values.of(port.type) for port in self.outputs]
        # Names that Python does not take for attributes are `_0`, `_1` and so on.
        self._results: Any = namedtuple("Results", [port.name for port in self.outputs], rename=True)  # type: ignore[misc]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Circuit:
        """The circuit of a `.hut` file, or `lib:NAME` of the library. Raises `IoError` for a file that cannot be read,
        `ParamError` for one that is no circuit, with its line."""
        return cls(native.Circuit.load(path))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes it: `.hut`, or its form of few ANDs as BLIF (`.blif`) or Bristol Fashion (`.txt`, `.bristol`). The file is
        complete or not there. Raises `ParamError` if it is there already, unless `overwrite`; `IoError` if it cannot be."""
        self._native.save(path, overwrite)

    def __call__(self, *shares: Any, engine: str | None = None, **by_port: Any) -> Any:
        """Shares of the outputs: a `BitShare`, or of several outputs a tuple with their names.

        The inputs are given in order, or by the ports' names, and are broadcast. Each is a `BitShare` of the port's type;
        for whole numbers and bits also a `Share` by XOR of as many bits, without digits after the point, whose range is one of
        the port's numbers (`ht.to_bits` makes one of an additive `Share`). Arrays and numbers are public: both parties give the same, which is compared. If one
        party knows all inputs it computes the results alone, and knows them.

        `engine` is `"gmw"` (ANDs by triples), `"lut"` or `"lut:PROTOCOL"`, `"splut"`, `"gc"` (garbled) or `"gc-ahead"`;
        by default the form and the engine that are predicted to take least. Both parties give the same.

        Raises `TypeError` for an input of another type, `ParamError` for a range beyond it and `ShapeError` for shapes that do
        not fit, which name the port; `ParamError` for another engine; `HandshakeError` at both parties if their circuits or engines differ.
        """
        return self._evaluate(self._in_order(shares, by_port), engine)

    def plain(self, *values: Any, **by_port: Any) -> Any:
        """What it gives of public arrays, without a peer: an array, or of several outputs a tuple with their names. Values
        are as for `Party.bits`, results as of `Party.open`."""
        given = self._in_order(values, by_port)
        words = [_values.encode(value, type, self._at(i)) for i, (value, type) in enumerate(zip(given, self._takes, strict=True))]
        shape = self._shape([w.shape[:-1] for w in words])
        flat = [np.ascontiguousarray(np.broadcast_to(w, (*shape, w.shape[-1]))).reshape(-1) for w in words]
        columns = self._native.plain(flat, int(np.prod(shape, dtype=np.int64)))
        found = [_values.decode(column, type) for column, type in zip(self._columns(columns, shape), self._gives, strict=True)]
        return found[0] if len(found) == 1 else self._results(*found)

    def plan(
        self,
        count: int,
        *,
        owners: Sequence[int | None] | None = None,
        net: str | None = None,
        optimise: Optimise = "total",
        calibration: str | os.PathLike[str] | None = None,
    ) -> Predictions:
        """What `count` evaluations would take by each engine and form, the best first; `protocol` names these.

        `owners` says for each input port which party knows it, or `None`, which is the default for all. The rest is as for
        `hushtable.plan`.
        """
        known = [None] * len(self.inputs) if owners is None else list(owners)
        figures, link = machine(optimise, calibration)
        if any(owner not in (None, 0, 1) for owner in known) or count < 1:
            raise ParamError(f"plan: count={count}, owners={owners} is not supported; accepted: 1 or more; None, 0 or 1 each")
        return predictions(self._native.predict(known, count, net or link, optimise, figures))

    def __repr__(self) -> str:
        takes, gives = (", ".join(f"{name}: {type}" for name, type in ports) for ports in (self.inputs, self.outputs))
        forms = "; ".join(f"{f.name} {f.ands} ANDs, {f.lookups} lookups, {f.layers} layers" for f in self.forms)
        return f"Circuit({self.name}({takes}) -> {gives}; {forms})"

    # --- inside

    def _in_order(self, values: Sequence[Any], by_port: Mapping[str, Any]) -> list[Any]:
        """What is given for each input port."""
        names = [port.name for port in self.inputs]
        named = dict(zip(names, values, strict=False))
        twice = [name for name in by_port if name in named]
        if len(values) > len(names) or twice or {**named, **by_port}.keys() != set(names):
            ports = ", ".join(f"{name} {type}" for name, type in self.inputs)
            got = ", ".join([f"{len(values)} in order", *by_port])
            raise TypeError(f"circuit {self.name}: {got}, where its inputs are {ports}: each is given once")
        named.update(by_port)
        return [named[name] for name in names]

    def _at(self, i: int) -> str:
        return f"circuit {self.name}, port {self.inputs[i].name}"

    def _shape(self, shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            ports = ", ".join(f"{port.name} {shape}" for port, shape in zip(self.inputs, shapes, strict=True))
            raise ShapeError(f"circuit {self.name}: shapes that do not fit together: {ports}") from None

    def _columns(self, columns: Sequence[NDArray[np.uint64]], shape: tuple[int, ...]) -> list[_values.Words]:
        return [column.reshape(*shape, type.words) for column, type in zip(columns, self._gives, strict=True)]

    @history.operation(lambda given: f"circuit {given['self'].name}", ("given",), ("engine",))
    def _evaluate(self, given: list[Any], engine: str | None) -> Any:
        if engine is not None:
            native.Circuit.check_engine(engine)
        operands = self._operands(given)
        party = operands[0].party
        shape = self._shape([share.shape for share in operands])
        owners = [share.owner for share in operands]
        alone = owners[0] if len(set(owners)) == 1 else None
        if alone is not None and not any(form.lookups == 0 for form in self.forms):
            # Tables are not read at secret places: what this party knows counts as shared.
            owners[0] = alone = None
        held = [share._words(shape).reshape(-1) for share in operands]
        count = int(np.prod(shape, dtype=np.int64))
        sizes = [count * type.words for type in self._gives]
        whose = ", ".join(
            f"{port.name} {'shared' if owner is None else f'of party {owner}'}"
            for port, owner in zip(self.inputs, owners, strict=True)
        )
        name = f"circuit {self.name}(shape {shape}, {self.digest[:32]}, {whose})"
        if alone is None:
            operation = self._evaluation(tuple(owners), engine)
            nothing = np.empty(0, dtype=np.uint64)
            held = [words if owner in (None, party.role) else nothing for words, owner in zip(held, owners, strict=True)]
            columns = party._columns(name, operation, held, sizes)
        else:
            party._announce(name)
            mine = party.role == alone
            columns = self._native.plain(held, count) if mine else [np.zeros(size, dtype=np.uint64) for size in sizes]
        words = zip(self._columns(columns, shape), self._gives, strict=True)
        made = [BitShare(party, found, type, alone) for found, type in words]
        return made[0] if len(made) == 1 else self._results(*made)

    def _operands(self, given: list[Any]) -> list[BitShare]:
        """A share of the port's type for each port."""
        shares = [value for value in given if isinstance(value, (BitShare, Share))]
        if not shares:
            raise TypeError(f"circuit {self.name}: no input is a share, as of p.bits(...); plain() computes on public arrays")
        if any(share.party is not shares[0].party for share in shares):
            raise ShapeError(f"circuit {self.name}: shares of different sessions or parties")
        # Public values count as known to a party that knows others.
        owners = [share.owner for share in shares if isinstance(share, BitShare)]
        owner = next((owner for owner in owners if owner is not None), 0)
        return [self._operand(i, value, shares[0].party, owner) for i, value in enumerate(given)]

    def _operand(self, i: int, value: Any, party: Any, owner: int) -> BitShare:
        type, where = self._takes[i], self._at(i)
        if isinstance(value, BitShare):
            if value.type != type.name:
                view = f", view({type.name!r}) of it" if value.bits == type.bits else ""
                raise TypeError(f"{where}: {value!r}; accepted: {type.name}{view}")
            return value
        if isinstance(value, Share):
            if type.letter == "f" or (value.kind, value.fraction, value.bits) != ("xor", 0, type.bits):
                whole = "" if type.letter == "f" else f", or a share by XOR of {type.bits} bits without digits after the point"
                made = "; ht.to_bits(share) makes bits of additive shares" if value.kind == "additive" else ""
                raise TypeError(f"{where}: {value!r}; accepted: {type.name}, as of p.bits(..., {type.name!r}){whole}{made}")
            if type.letter != "b" and not _within(value._range, type.limits):
                raise ParamError(f"{where}: {value!r}; accepted: {type.name}, or a share by XOR with a range= within {type.limits}")
            return BitShare(party, wide(value)[..., np.newaxis], type, None)
        words = _values.encode(value, type, where)
        party._met(where, 0, words.view(np.int64))
        return BitShare(party, words if party.role == owner else np.zeros_like(words), type, owner)


def compile(
    *files: str | os.PathLike[str],
    top: str | None = None,
    types: Mapping[str, str] | None = None,
    parameters: Mapping[str, int] | None = None,
    max_inputs: int = 8,
    purpose: Literal["loopback", "lan", "wan", "bytes"] = "lan",
    batch: int = 1000,
    prove: bool = False,
    calibration: str | os.PathLike[str] | None = None,
) -> Circuit:
    """The circuit of Verilog files (`.v`, `.sv`), of which `top` is the module, as `hushtable compile` makes it.

    yosys reads Verilog and must be installed. Or of gates: BLIF (`.blif`), Bristol Fashion (`.txt`, `.bristol`), `.hut`,
    `lib:NAME`. `types` says what ports mean, such as `{"a": "f32"}`; `parameters` are values of the module's.
    The forms of lookups have at most `max_inputs` inputs each, 2 to 12, and are made for what is `purpose`: time over a link, or bytes,
    and for `batch` evaluations at once. All forms are compared with the source on random inputs; `prove` proves it.
    `calibration` is the file of `hushtable calibrate` for lookups that suit that machine; by default all parties make the same
    circuit.

    Raises `ParamError` for what cannot be a circuit, with file and line; `IoError` for a file that cannot be read.
    """
    if not files:
        raise ParamError("compile: no file is given; accepted: Verilog, or circuits")
    if not 2 <= max_inputs <= 12 or batch < 1:
        raise ParamError(f"compile: max_inputs={max_inputs}, batch={batch} is not supported; accepted: 2 to 12; 1 or more")
    pairs = (list((types or {}).items()), list((parameters or {}).items()))
    return Circuit(native.Circuit.compile(list(files), top, *pairs, max_inputs, purpose, batch, prove, calibration))


@history.operation("to_bits", ("share",))
def to_bits(share: Share) -> BitShare:
    """The whole numbers of a `Share` for circuits, in steps of its scale: `i32` or `u32` by its range, if it has 32 bits.

    Of additive shares both parties add theirs up by an adder, of which each knows one number; shares by XOR stay as they
    are. `BitShare.to_share` is the way back. Raises `ParamError` for a `range` that is neither that of the signed
    numbers of its width nor that of those without sign.
    """
    if not isinstance(share, Share):
        raise TypeError(f"to_bits: a share is expected, got {type(share).__name__}")
    lo, hi = share._range
    letter = next((letter for letter in "iu" if _within((lo, hi), _values.of(f"{letter}{share.bits}").limits)), None)
    letter = "u" if lo >= 0 and letter is not None else letter
    if letter is None:
        raise ParamError(f"to_bits: numbers in {share.range} of {share.bits} bits are not supported; accepted: a range of signed "
                         f"numbers, or of those without sign, of as many bits")
    kind = _values.of(f"{letter}{share.bits}")
    party, words = share.party, wide(share)
    if share.kind == "additive":
        operation = native.Operation.to_xor(share.bits, share.fraction)
        name = f"to_bits(shape {share.shape}, bits={share.bits}, fraction={share.fraction})"
        words = party._run(name, operation, words, NOTHING, share.shape)
    return BitShare(party, words[..., np.newaxis], kind, None)


def _within(range: _words.Range, limits: _words.Range) -> bool:
    return limits[0] <= range[0] and range[1] <= limits[1]
