"""Columns of data frames: pandas, Polars, Arrow, or a dict of arrays; none of them is required."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import fraction_bits
from .errors import ParamError


def names(frame: Any) -> list[str]:
    """The names of the columns."""
    if isinstance(frame, Mapping):
        return [str(name) for name in frame]
    found = getattr(frame, "column_names", None)  # Arrow, whose `columns` are arrays
    if found is None:
        found = getattr(frame, "columns", None)
    if found is None:
        raise TypeError(f"a table is expected (pandas, Polars, Arrow, or a dict of columns), got {type(frame).__name__}")
    return [str(name) for name in found]


def column(frame: Any, name: str) -> Any:
    """A column by its name. Raises `ParamError` unless there is one with it."""
    there = names(frame)
    if there.count(name) != 1:
        raise ParamError(f"table: no column {name!r}, or several; its columns are: {', '.join(there)}")
    return frame[name]


def cells(values: Any) -> list[Any]:
    """The cells of a column as objects of Python."""
    if isinstance(values, str):
        raise TypeError("a column is expected, got a text")
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        values = values.astype("M8[us]")  # of a finer unit NumPy makes whole numbers
    if isinstance(values, np.ndarray) and values.dtype.kind == "f" and values.dtype.itemsize < 8 and not np.ma.is_masked(values):
        return list(values)  # written with as many digits as they have
    for method in ("to_pylist", "to_list", "tolist"):
        convert = getattr(values, method, None)
        if convert is not None:
            return list(convert())
    return list(values)


def texts(values: Any, what: str) -> list[str]:
    """The cells of a column of ids as texts: texts, whole numbers and dates are some.

    Raises `ParamError` that names the first row, from 0, with something else or nothing.
    """
    out = []
    for row, cell in enumerate(cells(values)):
        if isinstance(cell, str):
            text = cell
        elif isinstance(cell, (int, np.integer)) and not isinstance(cell, bool):
            text = str(int(cell))
        elif isinstance(cell, datetime.date) and cell == cell:  # what is missing is no date
            text = day(cell) or cell.isoformat()
        else:
            missing = cell is None or type(cell).__name__ in ("NAType", "NaTType") or cell != cell
            got = "nothing" if missing else f"a {type(cell).__name__}"
            raise ParamError(
                f"{what}: {got} in row {row} is not supported; accepted: texts, whole numbers and dates"
            )
        out.append(text)
    return out


def day(value: datetime.date) -> str | None:
    """The text of a day, which a time without a zone is at midnight; of another time `None`."""
    if not isinstance(value, datetime.datetime):
        return value.isoformat()
    midnight = value.time() == datetime.time() and not getattr(value, "nanosecond", 0)
    return value.date().isoformat() if value.tzinfo is None and midnight else None


def check_whole(numbers: NDArray[Any], what: str) -> None:
    """Raises `ParamError` that names the first number which is not whole, and a fraction that would hold all."""
    if numbers.dtype.kind != "f":
        return
    wrong = np.argwhere(np.isfinite(numbers) & (numbers != np.rint(numbers)))
    if len(wrong):
        at = tuple(wrong[0].tolist())
        place = at[0] if len(at) == 1 else at
        digits = fraction_bits(numbers[np.isfinite(numbers)])
        raise ParamError(
            f"{what}: {numbers[at]} at index {place} is not whole; accepted: whole numbers, or fraction=, the binary digits "
            f"after the point to which numbers are rounded: {digits} suits these, 0 rounds to whole ones"
        )
