"""Columns of files, in and out."""

from __future__ import annotations

import csv
import math
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hushtable as native
from .errors import ParamError


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
    path: str | os.PathLike[str], column: str, values: ArrayLike, ids: Sequence[Any] | None = None
) -> None:
    """Writes numbers as a column of a CSV or a Parquet file, with an `id` column if there are ids.

    The file appears when it is complete.
    """
    array = np.asarray(values)
    columns: dict[str, Any] = {} if ids is None else {"id": list(ids)}
    columns[column] = array
    if array.ndim != 1 or (ids is not None and len(ids) != len(array)):
        raise ParamError(f"{path}: values of shape {array.shape} are no column for {len(ids or [])} ids")
    target = Path(path)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with open(handle, "w", newline="", encoding="utf-8") as file:
            if target.suffix == ".parquet":
                import pyarrow
                import pyarrow.parquet as parquet

                parquet.write_table(pyarrow.table(columns), temporary)
            else:
                writer = csv.writer(file)
                writer.writerow(columns)
                writer.writerows(zip(*(list(c) for c in columns.values()), strict=True))
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def fraction_bits(values: ArrayLike) -> int:
    """Binary digits after the point that a column of numbers needs.

    To be held exactly, if at most 16 do that; else to tell apart decimals of as many digits as the number that is
    written with most: 4 for one digit, 7 for two, 10 for three. Public, if the peer is to use as many.
    """
    return native.fraction_bits(np.ascontiguousarray(values, dtype=np.float64).ravel())


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
