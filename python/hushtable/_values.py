"""Values of a circuit's ports: arrays as NumPy has them, and words of 64 bits, the lowest first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ParamError, ShapeError

Words = NDArray[np.uint64]

# Most bits of a port.
MOST_BITS = 1 << 20

# Whole numbers up to here are exact in floating point.
EXACT = {"f32": 1 << 24, "f64": 1 << 53}

ACCEPTED = "accepted: 'f32', 'f64', or 'u', 'i' or 'b' with 1 to 1048576 bits, such as 'u32' or 'b128'"


@dataclass(frozen=True)
class Type:
    """What the bits of a port mean: `f32`, `f64`, a number without sign (`u32`) or with one (`i32`), or bits (`b128`)."""

    name: str
    letter: str
    bits: int

    @property
    def words(self) -> int:
        """Words of 64 bits of a value."""
        return -(-self.bits // 64)

    @property
    def bytes(self) -> int:
        """Bytes that hold the bits of a value."""
        return -(-self.bits // 8)

    @property
    def limits(self) -> tuple[int, int]:
        """The least whole number, and what all are below."""
        return (-(1 << self.bits - 1), 1 << self.bits - 1) if self.letter == "i" else (0, 1 << self.bits)


def of(name: object) -> Type:
    """The type of this name. Raises `ParamError` for another one."""
    found = re.fullmatch(r"f(32|64)|[bui]([1-9][0-9]{0,6})", name, re.ASCII) if isinstance(name, str) else None
    if found is None or int(found[0][1:]) > MOST_BITS:
        raise ParamError(f"type: {name!r} is not supported; {ACCEPTED}")
    return Type(found[0], found[0][0], int(found[0][1:]))


def natural(values: ArrayLike) -> Type:
    """The type that values have by themselves. Raises `TypeError` for what has none."""
    if isinstance(values, (bytes, bytearray, memoryview)) and len(values):
        return of(f"b{8 * len(values)}")
    dtype = _array(values, "values").dtype
    if dtype == np.bool_:
        return of("u1")
    if dtype.kind in "uif" and dtype.itemsize in ((4, 8) if dtype.kind == "f" else (1, 2, 4, 8)):
        return of(f"{dtype.kind}{8 * dtype.itemsize}")
    raise TypeError(f"values of dtype {dtype}, which say no type of a port; {ACCEPTED}")


def encode(values: ArrayLike, type: Type, where: str) -> Words:
    """Words of values, an axis of them behind the axes of the values.

    Floating-point numbers are rounded to nearest. Bits are rows of bytes (`uint8`), the highest first, or whole numbers.
    Raises `ParamError` that names the first value outside, `TypeError` for values of another kind.
    """
    array = _array(values, where)
    if type.letter == "f":
        return _floats(array, type, where)
    if type.letter == "b" and array.dtype == np.uint8:
        return _rows(array, type, where)
    whole = array.dtype.kind in "bui"
    if not whole and not _all_whole(array):
        rows = f" or rows of {type.bytes} bytes (uint8)" if type.letter == "b" else ""
        raise TypeError(f"{where}: values of dtype {array.dtype}; accepted for {type.name}: whole numbers{rows}")
    lo, hi = type.limits
    if array.size and not lo <= int(array.min()) <= int(array.max()) < hi:
        wrong = next(at for at in np.ndindex(array.shape) if not lo <= int(array[at]) < hi)
        raise _outside(where, array[wrong], wrong, f"{lo} to {hi - 1}" if type.bits <= 64 else f"those of {type.bits} bits")
    if whole and type.bits <= 64:
        wide = array.astype(np.int64 if array.dtype.kind == "i" else np.uint64).view(np.uint64)
        return np.asarray(wide & np.uint64((1 << type.bits) - 1))[..., np.newaxis]
    mask, size = (1 << type.bits) - 1, 8 * type.words
    content = b"".join((int(value) & mask).to_bytes(size, "little") for value in array.flat)
    return np.frombuffer(content, dtype="<u8").astype(np.uint64).reshape(*array.shape, type.words)


def decode(words: Words, type: Type) -> NDArray[Any]:
    """The values of words, as `Party.open` gives them."""
    shape = words.shape[:-1]
    if type.letter == "b":
        rows = words.astype("<u8").reshape(-1, type.words).view(np.uint8)[:, : type.bytes]
        return np.ascontiguousarray(rows[:, ::-1]).reshape(*shape, type.bytes)
    if type.bits > 64:
        content, size = words.astype("<u8").tobytes(), 8 * type.words
        cut = [int.from_bytes(content[i : i + size], "little") for i in range(0, len(content), size)]
        lo, hi = type.limits
        values = np.empty(len(cut), dtype=object)
        values[:] = [value - (1 << type.bits) if value >= hi else value for value in cut]
        return values.reshape(shape)
    low = np.ascontiguousarray(words[..., 0]).reshape(shape)
    if type.letter == "f":
        return low.view(np.float64) if type.bits == 64 else low.astype(np.uint32).view(np.float32)
    if type.name == "u1":
        return low.astype(np.bool_)
    size = next(size for size in (8, 16, 32, 64) if type.bits <= size)
    if type.letter == "u":
        return low.astype(f"u{size // 8}")
    unused = 64 - type.bits
    return np.asarray((low << np.uint64(unused)).view(np.int64) >> np.int64(unused)).astype(f"i{size // 8}")


def _array(values: ArrayLike, where: str) -> NDArray[Any]:
    """As an array, nothing missing; bytes as a row of them."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        raise ParamError(f"{where}: a masked array with values that are missing is not supported; accepted: all of them")
    if isinstance(values, (list, tuple)) and values and all(isinstance(v, (bytes, bytearray)) for v in values):
        if len({len(row) for row in values}) > 1:
            raise ShapeError(f"{where}: rows of different numbers of bytes")
        return np.stack([np.frombuffer(row, dtype=np.uint8) for row in values])
    if isinstance(values, (bytes, bytearray, memoryview)):
        return np.frombuffer(values, dtype=np.uint8)
    array = np.asarray(values)
    if array.dtype.kind == "f" and not hasattr(values, "dtype") and _all_whole(exact := np.asarray(values, dtype=object)):
        return exact  # Python's integers, which no type of NumPy's has all
    return array


def _floats(array: NDArray[Any], type: Type, where: str) -> Words:
    if array.dtype.kind in "bui" or _all_whole(array):
        most = EXACT[type.name]
        if array.size and not -most <= int(array.min()) <= int(array.max()) <= most:
            wrong = next(at for at in np.ndindex(array.shape) if abs(int(array[at])) > most)
            raise _outside(where, array[wrong], wrong, f"whole numbers from {-most} to {most}, or floating-point ones")
    elif array.dtype.kind != "f":
        raise TypeError(f"{where}: values of dtype {array.dtype}; accepted for {type.name}: numbers")
    with np.errstate(over="ignore"):
        rounded = np.ascontiguousarray(array.astype(f"f{type.bits // 8}")).reshape(array.shape)
    infinite = np.isinf(rounded) & np.isfinite(array)
    if infinite.any():
        wrong = tuple(int(i) for i in np.argwhere(infinite)[0])
        raise _outside(where, array[wrong], wrong, f"numbers that {type.bits} bits hold, inf and nan")
    return np.asarray(rounded.view(f"u{type.bits // 8}").astype(np.uint64))[..., np.newaxis]


def _rows(array: NDArray[Any], type: Type, where: str) -> Words:
    if array.ndim == 0 or array.shape[-1] != type.bytes:
        raise ShapeError(f"{where}: bytes of shape {array.shape}; accepted for {type.name}: rows of {type.bytes}, the highest first")
    if type.bits % 8 and (wrong := np.argwhere(array[..., 0] >> type.bits % 8)).size:
        at = tuple(int(i) for i in wrong[0])
        raise _outside(where, bytes(array[at]).hex(), at, f"rows of {type.bits} bits, 0 above them")
    padded = np.zeros((*array.shape[:-1], 8 * type.words), dtype=np.uint8)
    padded[..., : type.bytes] = array[..., ::-1]
    return padded.view("<u8").astype(np.uint64)


def _all_whole(array: NDArray[Any]) -> bool:
    return array.dtype == object and all(isinstance(value, (int, np.integer, np.bool_)) for value in array.flat)


def _outside(where: str, value: object, at: tuple[int, ...], accepted: str) -> ParamError:
    index = f" at index {at if len(at) > 1 else at[0]}" if at else ""
    return ParamError(f"{where}: {value}{index} is not supported; accepted: {accepted}")
