"""Columns of data frames: pandas, Polars, Arrow, or a dict of arrays; none of them is required."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .errors import ParamError, ShapeError


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
            text = cell.isoformat()
        else:
            missing = cell is None or cell != cell or type(cell).__name__ in ("NAType", "NaTType")
            got = "nothing" if missing else f"a {type(cell).__name__}"
            raise ParamError(
                f"{what}: {got} in row {row} is not supported; accepted: texts, whole numbers and dates"
            )
        out.append(text)
    return out


def one_hot(values: Any, labels: Sequence[str], what: str) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A word for each cell with the bit of its label; 0 for what is none of them, or missing."""
    places = {label: np.uint64(1 << place) for place, label in enumerate(labels)}
    if len(places) != len(labels) or not 1 <= len(labels) <= 64:
        raise ShapeError(f"{what}: 1 to 64 different groups are expected, got {len(labels)}")
    none = np.uint64(0)
    return np.array([places.get(str(cell), none) for cell in cells(values)], dtype=np.uint64)
