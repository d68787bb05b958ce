"""Labels of groups: they compare as values, however a table holds them.

The program compares labels by the same rule (`apps::label`).
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _words, frames
from .errors import ParamError, ShapeError

# Most labels that an error lists, and the most characters of each.
SHOWN = 20
CHARACTERS = 40

# A number as people write it; with other digits before it is a code, whose zeros count.
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", re.ASCII)


def form(value: object) -> str | None:
    """The text that stands for a label: equal labels have equal ones. `None` for what is missing, or blank.

    Blanks around a text do not count. Numbers are equal as numbers: 1, 1.0 and "1.0" are "1"; "01" is a code and not 1.
    A day is the text that names it, such as "2026-11-24".
    """
    if isinstance(value, str):
        text = unicodedata.normalize("NFC", value.strip())
        return _number(text) if NUMBER.fullmatch(text) else text or None
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return _number(format(Decimal(str(value)), "f")) if np.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return _number(format(value, "f")) if value.is_finite() else str(value)
    if isinstance(value, datetime.date):
        return frames.day(value) or str(value)
    return form(str(value))


def forms(labels: Iterable[object], what: str) -> list[str]:
    """Labels that a caller names, in their form. Raises `ShapeError` for none, more than 64, blank or equal ones."""
    if isinstance(labels, str):
        raise TypeError(f"{what}: a list of labels is expected, got the text {labels!r}")
    given = list(labels)
    found = [form(label) for label in given]
    if not 1 <= len(found) <= 64:
        raise ShapeError(f"{what}: 1 to 64 different groups are expected, got {len(found)}")
    for place, label in enumerate(found):
        if label is None:
            raise ShapeError(f"{what}: the label {given[place]!r} is blank or missing; accepted: texts, numbers and days")
        if label in found[:place]:
            first = given[found.index(label)]
            raise ShapeError(f"{what}: the labels {first!r} and {given[place]!r} are equal; accepted: different groups")
    return [label for label in found if label is not None]


def members(values: Any, labels: Sequence[str], what: str) -> NDArray[np.uint64]:
    """A word for each cell with the bit of its label, of labels in their form; 0 for another one, or none.

    Raises `ParamError` for a label that no cell has: it lists those that there are.
    """
    found, distinct = _cells(values)
    unmet = [label for label in labels if label not in distinct]
    if unmet and len(found):  # a table without rows is refused as such
        raise ParamError(
            f"{what}: no row has the label {shown(unmet)}; the labels there are: {shown(distinct) or 'none'}"
        )
    places = {label: np.uint64(1 << place) for place, label in enumerate(labels)}
    words = [places.get(label, np.uint64(0)) for label in distinct]
    return np.array([*words, 0], dtype=np.uint64)[found]


def numbers(values: Any, what: str) -> NDArray[np.int64] | NDArray[np.float64]:
    """The numbers of a column. Raises `TypeError` for one of texts: it lists them, as they may be labels."""
    try:
        return _words.numbers(values)
    except TypeError as error:
        if not any(isinstance(cell, str) for cell in frames.cells(values)):
            raise TypeError(f"{what}: {error}") from None
    raise TypeError(
        f"{what} has texts, and numbers are expected: {shown(_cells(values)[1])}. To count by them, name the column and its "
        f"labels in groups="
    )


def shown(labels: Iterable[str]) -> str:
    """Labels for an error: the first ones in their order."""
    every = sorted(labels)
    texts = [repr(label if len(label) <= CHARACTERS else f"{label[:CHARACTERS]}..") for label in every[:SHOWN]]
    more = f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    return ", ".join(texts) + more


def _cells(values: Any) -> tuple[NDArray[np.int64], list[str]]:
    """For each cell the place of its label among the distinct ones, -1 for none, and these."""
    places: dict[str, int] = {}
    known: dict[tuple[type, Any], int] = {}
    found = []
    for cell in frames.cells(values):
        try:
            place = known.get((type(cell), cell))
        except TypeError:  # a cell that cannot be a key
            place = None
        if place is None:
            label = form(cell)
            place = -1 if label is None else places.setdefault(label, len(places))
            if label is not None and getattr(type(cell), "__hash__", None) is not None:
                known[type(cell), cell] = place
        found.append(place)
    return np.array(found, dtype=np.int64), list(places)


def _number(text: str) -> str:
    """A decimal number without zeros that do not count."""
    short = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if short == "-0" else short
