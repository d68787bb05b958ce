"""Columns of files, in and out."""

from __future__ import annotations

import csv
import io
import math
import os
import secrets
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
from . import _words
from .errors import IoError, ParamError


def read_column(path: str | os.PathLike[str], column: str) -> NDArray[Any]:
    """A column of numbers from a CSV file with a header, or from a Parquet file (with pyarrow installed).

    Raises `ParamError` that names file, line and column of the first cell that is no number.
    """
    if Path(path).suffix == ".parquet":
        import pyarrow.parquet as parquet

        names = parquet.read_schema(path).names
        _check_name(path, column, names)
        table = parquet.read_table(path, columns=[column])
        return np.asarray(table.column(0).to_numpy())
    with open(path, newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file, skipinitialspace=True)
        header = [name.strip() for name in next(reader, [])]
        _check_name(path, column, header)
        at = header.index(column)
        values = [_number(path, reader.line_num, column, row, at) for row in reader if row]
    return np.array(values)


def write_column(
    path: str | os.PathLike[str],
    column: str,
    values: ArrayLike,
    ids: Sequence[Any] | None = None,
    *,
    overwrite: bool = False,
) -> None:
    """Writes numbers as a column of a CSV or a Parquet file, with an `id` column if there are ids.

    The file appears when it is complete, readable by its owner only. Raises `IoError` if there is one already,
    unless `overwrite`.
    """
    array = np.asarray(values)
    columns: dict[str, Any] = {} if ids is None else {"id": list(ids)}
    columns[column] = array
    if array.ndim != 1 or (ids is not None and len(ids) != len(array)):
        raise ParamError(f"{path}: values of shape {array.shape} do not match {len(ids or [])} ids")
    fill = _fill_parquet if Path(path).suffix == ".parquet" else _fill_csv
    write_file(Path(path), lambda file: fill(file, columns), overwrite)


class FileThere(IoError, FileExistsError):
    """A file that is not written over."""


def write_file(target: Path, fill: Callable[[IO[bytes]], object], overwrite: bool) -> None:
    """Writes a file with `fill`: for its owner only, complete or not at all."""
    there = FileThere(f"{target}: is there already; overwrite=True replaces it")
    if not overwrite and os.path.lexists(target):
        raise there
    handle, name = _unfinished(target)
    try:
        with open(handle, "wb") as file:
            fill(file)
            file.flush()
            os.fsync(handle)
            own = name or f"/proc/self/fd/{handle}"
            if overwrite and name is None:
                name = str(target.with_name(f".{target.name}.{secrets.token_hex(8)}"))
                os.link(own, name, src_dir_fd=handle)
            if overwrite and name is not None:
                os.replace(name, target)
                name = None
            else:
                # A link never replaces anything. With a folder given, it is to the file and not to its entry in /proc.
                os.link(own, target, src_dir_fd=handle)
    except FileExistsError:
        raise there from None
    finally:
        if name is not None:
            os.unlink(name)
    _sync(target.parent)


def _unfinished(target: Path) -> tuple[int, str | None]:
    """A new file in the folder of `target`: without a name where the system can, so that a kill leaves nothing."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        try:
            return os.open(target.parent, os.O_TMPFILE | os.O_WRONLY, 0o600), None
        except OSError:
            pass  # a file system without them, or one that the next line complains about
    return tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")


def _sync(folder: Path) -> None:
    """Makes the names in a folder durable, where the system has a way to."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _fill_csv(file: IO[bytes], columns: dict[str, Any]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(zip(*(list(c) for c in columns.values()), strict=True))
    text.detach()  # flushes, and leaves the file open


def _fill_parquet(file: IO[bytes], columns: dict[str, Any]) -> None:
    import pyarrow
    import pyarrow.parquet as parquet

    parquet.write_table(pyarrow.table(columns), file)


def fraction_bits(values: ArrayLike) -> int:
    """Binary digits after the point that a column of numbers needs.

    To be held exactly, if at most 16 do that; else to tell apart decimals of as many digits as the number that is
    written with most: 4 for one digit, 7 for two, 10 for three; never more than 52, the most that a share has. Public, if
    the peer is to use as many.
    """
    return min(native.fraction_bits(np.ascontiguousarray(values, dtype=np.float64).ravel()), _words.MOST_FRACTION)


def _check_name(path: str | os.PathLike[str], column: str, names: Sequence[str]) -> None:
    if list(names).count(column) != 1:
        raise ParamError(f"{path}: no column {column!r}; its columns are: {', '.join(names)}")


def _number(path: str | os.PathLike[str], line: int, column: str, row: list[str], at: int) -> float:
    cell = row[at] if at < len(row) else ""
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ParamError(f"{path}: line {line}, column {column!r}: {cell!r} is not a number")
    return value
