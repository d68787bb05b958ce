"""The native half: words in, words out. Private: use the package's own names."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

_Words: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32] | NDArray[np.uint64]
_Estimate: TypeAlias = tuple[float, float, float, int]
_Predicted: TypeAlias = tuple[str, _Estimate, _Estimate, _Estimate, int]
_Record: TypeAlias = tuple[str, str, float, float, int, int, int]

__version__: str

__all__ = [
    "__version__",
    "Circuit",
    "Evaluation",
    "Ids",
    "Listener",
    "Lookup",
    "MapShape",
    "Numbers",
    "Operation",
    "Material",
    "Party",
    "PrivateForm",
    "PrivateTable",
    "Store",
    "Sums",
    "Table",
    "circuits",
    "connect",
    "decode",
    "encode",
    "forked",
    "fraction_bits",
    "functions",
    "identity_fingerprint",
    "identity_new",
    "identity_peers",
    "identity_rotate",
    "identity_trust",
    "identity_untrust",
    "intersect",
    "join",
    "known_map",
    "look_up",
    "look_up_stored",
    "pair",
    "predict",
    "predict_layers",
    "prepare_lookup",
    "prepare_operation",
    "protocols",
    "run",
    "run_stored",
    "tag",
    "tell",
    "tell_form",
]

@final
class Circuit:
    @staticmethod
    def load(path: str | PathLike[str]) -> Circuit: ...
    @staticmethod
    def compile(
        files: Sequence[str | PathLike[str]],
        top: str | None,
        types: Sequence[tuple[str, str]],
        parameters: Sequence[tuple[str, int]],
        max_inputs: int,
        purpose: str,
        batch: int,
        prove: bool,
        calibration: str | PathLike[str] | None,
    ) -> Circuit: ...
    def save(self, path: str | PathLike[str], overwrite: bool) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def inputs(self) -> list[tuple[str, str]]: ...
    @property
    def outputs(self) -> list[tuple[str, str]]: ...
    @property
    def forms(self) -> list[tuple[str, int, int, int]]: ...
    def plain(self, operands: Sequence[NDArray[np.uint64]], items: int) -> list[NDArray[np.uint64]]: ...
    def evaluation(self, known: Sequence[int | None], engine: str | None) -> Operation: ...
    @staticmethod
    def check_engine(engine: str) -> None: ...
    def predict(
        self,
        known: Sequence[int | None],
        items: int,
        net: str,
        objective: str,
        machine: Sequence[float] | None,
    ) -> list[_Predicted]: ...

@final
class Ids:
    def __new__(cls, fields: Sequence[Sequence[str]], rules: str) -> Ids: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def hints(self) -> list[str]: ...

@final
class Sums:
    def __new__(
        cls, bins: int, groups: int, widths: Sequence[int], least: int, noise: tuple[float, Sequence[float]] | None
    ) -> Sums: ...
    @property
    def noise(self) -> list[tuple[float, float]]: ...
    def open(
        self, p: Party, name: str, groups: Sequence[NDArray[np.uint64]], columns: Sequence[NDArray[np.uint64]]
    ) -> list[tuple[int, int, list[int]]]: ...

@final
class Table:
    def __new__(cls, values: NDArray[np.float64], fraction: int) -> Table: ...
    @staticmethod
    def function(name: str, lo: float, hi: float, fraction: int, output_fraction: int) -> Table: ...
    def entries(self) -> NDArray[np.int64]: ...
    @property
    def fraction(self) -> int: ...
    @property
    def bits(self) -> int: ...
    @property
    def range(self) -> tuple[int, int]: ...
    @property
    def digest(self) -> str: ...

@final
class Lookup:
    def __new__(cls, table: Table, index_kind: str, bits: int, kind: str, protocol: str) -> Lookup: ...
    def stored(self, items: int) -> tuple[bytes, int] | None: ...
    @property
    def bits(self) -> int: ...

@final
class Evaluation:
    def __new__(
        cls,
        name: str,
        bits: int,
        fraction: int,
        domain: tuple[float, float] | None,
        range: tuple[float, float] | None,
        method: tuple[int, int],
        outside: str,
        fraction_out: int | None,
        max_ulp: float | None,
    ) -> Evaluation: ...
    @property
    def card(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def fraction(self) -> int: ...
    @property
    def reach(self) -> tuple[float, float]: ...
    def range(self, lo: float, hi: float) -> tuple[int, int]: ...

@final
class Operation:
    @staticmethod
    def multiply(bits: int) -> Operation: ...
    @staticmethod
    def matrix_product(bits: int, batch: int, rows: int, inner: int, columns: int) -> Operation: ...
    @staticmethod
    def symmetric_product(bits: int, rows: int, inner: int) -> Operation: ...
    @staticmethod
    def truncate(bits: int, fraction: int) -> Operation: ...
    @staticmethod
    def compare(relation: str, bits: int, x: tuple[int, int], y: tuple[int, int]) -> Operation | None: ...
    @staticmethod
    def intervals(bits: int, intervals: Sequence[tuple[int, int]]) -> Operation: ...
    @staticmethod
    def secret_table(
        index_kind: str, index_bits: int, kind: str, bits: int, fraction: int, entries: NDArray[np.uint64]
    ) -> Operation: ...
    @staticmethod
    def select(bits: int) -> Operation: ...
    @staticmethod
    def to_additive(width: int, bits: int, signed: bool, fraction: int) -> Operation: ...
    @staticmethod
    def to_xor(bits: int, fraction: int) -> Operation: ...
    @staticmethod
    def evaluate(evaluation: Evaluation) -> Operation: ...
    @staticmethod
    def relu(bits: int, within: int) -> Operation: ...
    @staticmethod
    def gated(
        function: str, bits: int, fraction: int, precision: str, magnitude: int, range: tuple[int, int]
    ) -> Operation: ...
    @staticmethod
    def softmax(
        bits: int, fraction: int, rows: int, len: int, precision: str, magnitude: int
    ) -> Operation: ...
    @staticmethod
    def layer_norm(
        bits: int,
        fraction: int,
        rows: int,
        gains: Sequence[float],
        offsets: Sequence[float],
        owner: int | None,
        role: int,
        gain: float,
        largest: float,
        variance: Sequence[float],
        epsilon: float,
    ) -> Operation: ...
    def items(self, role: int, operands: Sequence[NDArray[np.uint64]]) -> int: ...
    def stored(self, items: int) -> tuple[bytes, int] | None: ...
    def bytes(self, items: int) -> float: ...
    @property
    def card(self) -> str | None: ...
    @property
    def range(self) -> tuple[int, int] | None: ...

@final
class Numbers:
    def __new__(cls, numbers: NDArray[np.int64], offsets: NDArray[np.uint64] | None) -> Numbers: ...

@final
class MapShape:
    @staticmethod
    def matrices(batch: int, rows: int, inner: int, columns: int) -> MapShape: ...
    @staticmethod
    def convolution(
        images: int,
        image: tuple[int, int],
        channels: int,
        filters: int,
        window: tuple[int, int],
        stride: tuple[int, int],
        padding: tuple[tuple[int, int], tuple[int, int]],
        groups: int,
    ) -> MapShape: ...
    @property
    def results(self) -> int: ...

def known_map(
    shape: MapShape, bits: int, number_bits: int, cut: int, owner: int, numbers: Numbers | None
) -> Operation: ...
@final
class Material: ...

@final
class PrivateForm:
    @staticmethod
    def embedding(
        owner: int, encryption: str, rows: int, columns: int, entry_bits: int
    ) -> PrivateForm: ...
    @staticmethod
    def join(
        owner: int,
        encryption: str,
        key_bits: int,
        keys: int | None,
        columns: Sequence[int],
        per_key: int,
    ) -> PrivateForm: ...
    @property
    def key_bits(self) -> int: ...
    @property
    def copy_bytes(self) -> int: ...
    def of_matrix(self, entries: NDArray[np.int64], secret: bytes | None = None) -> PrivateTable: ...
    def of_rows(
        self, keys: NDArray[np.uint64], columns: Sequence[NDArray[np.uint64]], secret: bytes | None = None
    ) -> PrivateTable: ...
    def kept(self, bytes: bytes) -> PrivateTable: ...
    def receive(self, p: Party, name: str) -> PrivateTable: ...

@final
class PrivateTable:
    @property
    def digest(self) -> str: ...
    def kept_bytes(self) -> bytes: ...
    def send(self, p: Party, name: str) -> None: ...
    def rows(self, bits: int, fraction: int, bag: int) -> Operation: ...
    def joined(self) -> Operation: ...

@final
class Store:
    def __new__(cls, dir: str | PathLike[str], identity: str | PathLike[str]) -> Store: ...
    @staticmethod
    def make(
        p: Party,
        name: str,
        dir: str | PathLike[str],
        identity: str | PathLike[str],
        index_bits: int,
        index_kind: str,
        bits: int,
        kind: str,
        protocol: str,
        lookups: int,
    ) -> Store: ...
    @staticmethod
    def make_for(
        p: Party,
        name: str,
        dir: str | PathLike[str],
        identity: str | PathLike[str],
        operation: Operation,
        items: int,
    ) -> Store: ...
    @staticmethod
    def make_lookups(
        p: Party,
        name: str,
        dir: str | PathLike[str],
        identity: str | PathLike[str],
        lookup: Lookup,
        items: int,
    ) -> Store: ...
    def serves(self, operation: Operation) -> bool: ...
    def agree(self, p: Party, name: str) -> None: ...
    @property
    def left(self) -> int: ...
    @property
    def about(self) -> tuple[str, str, str, int]: ...
    def verify(self) -> int: ...
    def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...

@final
class Listener:
    def __new__(cls, address: str, how: dict[str, Any]) -> Listener: ...
    @property
    def address(self) -> str: ...
    def accept(self) -> Party: ...

@final
class Party:
    @property
    def role(self) -> int: ...
    @property
    def id(self) -> bytes: ...
    @property
    def peer(self) -> str: ...
    @property
    def peer_fingerprint(self) -> str | None: ...
    @property
    def chance(self) -> float: ...
    def progress(self) -> tuple[int, int]: ...
    def records(self) -> list[_Record]: ...
    def announce(self, operation: str) -> None: ...
    def agree(self, fields: list[tuple[str, str]]) -> None: ...
    def barrier(self) -> None: ...
    def open(
        self,
        operation: str,
        words: _Words,
        bits: int,
        kind: str,
        to: int | None,
        view: tuple[int, int] | None,
    ) -> NDArray[Any] | None: ...
    def hang_up(self) -> None: ...
    def fail(self) -> None: ...
    def close(self, regular: bool) -> None: ...

def look_up(
    p: Party, name: str, lookup: Lookup, index: NDArray[np.uint32], material: Material | None
) -> _Words: ...
def prepare_lookup(p: Party, name: str, lookup: Lookup, count: int) -> Material: ...
def circuits() -> list[str]: ...
def forked() -> None: ...
def look_up_stored(
    p: Party, name: str, lookup: Lookup, index: NDArray[np.uint32], store: Store, no_offline: bool
) -> _Words: ...
def run(
    p: Party,
    name: str,
    operation: Operation,
    operands: Sequence[NDArray[np.uint64]],
    material: Material | None,
) -> list[NDArray[np.uint64]]: ...
def run_stored(
    p: Party,
    name: str,
    operation: Operation,
    operands: Sequence[NDArray[np.uint64]],
    store: Store,
    no_offline: bool,
) -> list[NDArray[np.uint64]]: ...
def prepare_operation(p: Party, name: str, operation: Operation, count: int) -> Material: ...
def tag(identity: str | PathLike[str], bytes: bytes) -> bytes: ...
def tell(p: Party, name: str, text: str) -> str: ...
def tell_form(p: Party, name: str, ids: Ids) -> list[str]: ...
def intersect(
    p: Party, name: str, ids: Ids, sizes: tuple[int, int], learns: int | None
) -> NDArray[np.int64] | None: ...
def join(
    p: Party,
    name: str,
    ids: Ids,
    owner: int,
    sizes: tuple[int, int],
    theirs: Sequence[tuple[int, bool]],
    own: Sequence[int],
    columns: Sequence[NDArray[np.uint64]],
) -> tuple[
    NDArray[np.uint64],
    list[NDArray[np.uint64]],
    list[NDArray[np.uint64]],
    list[NDArray[np.uint64]],
    NDArray[np.int64] | None,
]: ...
def predict(
    index_bits: int,
    index_kind: str,
    bits: int,
    kind: str,
    count: int,
    net: str,
    objective: str,
    machine: Sequence[float] | None,
) -> list[_Predicted]: ...
def predict_layers(
    layers: Sequence[Sequence[tuple[Operation | Lookup | tuple[PrivateForm, int, int, int], int]]],
    net: str,
    optimise: str | None,
) -> list[tuple[float, float, int, int]]: ...
def encode(
    values: NDArray[np.float64] | NDArray[np.int64],
    bits: int,
    fraction: int,
    range: tuple[int, int],
    part: int,
) -> _Words: ...
def decode(words: _Words, bits: int, fraction: int, lo: int) -> NDArray[Any]: ...
def fraction_bits(values: NDArray[np.float64]) -> int: ...
def functions() -> list[tuple[str, str, float, float]]: ...
def protocols() -> list[tuple[str, str]]: ...
def pair(net: str, optimise: str | None) -> tuple[Party, Party]: ...
def connect(address: str, how: dict[str, Any]) -> Party: ...
def identity_new(folder: str | PathLike[str], name: str) -> tuple[str, str]: ...
def identity_trust(
    folder: str | PathLike[str], certificate: str | PathLike[str], fingerprint: str, name: str | None
) -> str: ...
def identity_peers(folder: str | PathLike[str]) -> list[tuple[str, str]]: ...
def identity_untrust(folder: str | PathLike[str], name: str) -> str: ...
def identity_rotate(folder: str | PathLike[str]) -> str: ...
def identity_fingerprint(folder: str | PathLike[str]) -> str: ...
