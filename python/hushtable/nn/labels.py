"""The labels that results of a classifier stand for: what they may be, and which belong to opened results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParamError
from .description import LONGEST, MOST_CLASSES
from .graph import Graph, listed
from .layers.choice import ArgMax, Top

ACCEPTED = f"texts of up to {LONGEST} characters, whole numbers below 2^63, other finite numbers, True and False"


def checked(classes: Iterable[Any] | None, graph: Graph) -> list[Any] | None:
    """The labels as Python's own numbers and texts. Raises `ParamError` for others, or another number of them than the
    network tells apart; `TypeError` for no sequence."""
    if classes is None:
        return None
    found = [_label(label) for label in listed(classes, "classes: labels")]
    known = sorted(_apart(graph))
    if len(found) not in known or len(found) > MOST_CLASSES:
        most = f", at most {MOST_CLASSES}" if len(found) > MOST_CLASSES else ""
        raise ParamError(
            f"classes: {len(found)} labels are not supported; accepted: {' or '.join(map(str, known))}{most}, which is how many "
            f"the network tells apart"
        )
    return found


def of(opened: ArrayLike | None, classes: list[Any] | None) -> np.ndarray[Any, Any]:
    """The labels of opened results. Raises `ParamError` for a network without labels, and for what is no place of one."""
    if classes is None:
        raise ParamError("labels: this network has no classes")
    accepted = f"accepted: opened results of a network with output='label', whole numbers from 0 to {len(classes) - 1}"
    if opened is None:
        raise ParamError(f"labels: None is not supported; {accepted}: only who results are opened to has them")
    try:
        given = np.asarray(opened)
        fits = given.dtype.kind in "buif" and bool(((given >= 0) & (given < len(classes)) & (given == np.floor(given))).all())
    except Exception:
        given, fits = np.asarray(0), False
    if not fits:
        raise ParamError(f"labels: {_shown(opened, given)} is not supported, of {len(classes)} classes; {accepted}")
    alike = len({type(label) for label in classes} - {int, float}) + any(type(label) in (int, float) for label in classes) == 1
    return np.asarray(classes, dtype=None if alike else object)[given.astype(np.int64)]


def _label(label: Any) -> Any:
    """A label as it is told to the other party."""
    plain = label.item() if isinstance(label, np.generic) else label
    kind = type(plain)
    fits = (
        (kind is str and len(plain) <= LONGEST)
        or kind is bool
        or (kind is int and abs(plain) < 1 << 63 and not isinstance(label, np.datetime64 | np.timedelta64))
        or (kind is float and bool(np.isfinite(plain)))
    )
    if not fits:
        raise ParamError(f"classes: label {label!r:.100} is not supported; accepted: {ACCEPTED}")
    return plain


def _apart(graph: Graph) -> set[int]:
    """How many classes the results may tell apart: the places of decisions, or numbers for each class."""
    shapes, first, found, numbers = graph.shapes(graph.batch or 2), len(graph.inputs), set(), set()
    for value in graph.outputs:
        layer = graph.nodes[value - first].layer if value >= first else None
        if layer is not None and layer.gives == "bit":
            found.add(2)
        elif isinstance(layer, ArgMax | Top) and layer.gives == "index":
            of = shapes[graph.nodes[value - first].of[0]]
            found.add(of[layer.axis if isinstance(layer, ArgMax) else -1])
        elif shapes[value]:
            numbers.add(2 if shapes[value][-1] == 1 else shapes[value][-1])
    return found or numbers


def _shown(opened: Any, given: Any) -> str:
    """The first of what is no place of a label."""
    if given.ndim and given.dtype.kind in "buif":
        bad = np.argwhere(~((given >= 0) & (given == np.floor(given))) | (given < 0))
        at = tuple(bad[0].tolist()) if len(bad) else tuple(np.argwhere(given == given.max())[0].tolist())
        return f"{given[at]} at {at}"
    return f"{type(opened).__name__} {opened!r:.60}"
