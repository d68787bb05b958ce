"""What people give as inputs: arrays, data frames whose columns have names, sparse matrices, ids of rows."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from .. import frames
from ..errors import ParamError, ShapeError
from .graph import Graph, Input
from .layer import MOST, Array, Shape, count
from .layers.embedding import Embed


# The places of nothing.
NOWHERE = np.empty((0, 1), dtype=np.int64)


def array(values: Any, graph: Graph, which: int, places: Sequence[int] | None = None) -> Array:
    """The numbers of an input (`float64`), or its ids (`int64`), copied. `places`: those of the features that are given, if not all.

    Raises `ParamError` that names the first column of a data frame which is not the feature at its place, the first number
    that is not finite, or the first id without a row; `TypeError` for what is no number.
    """
    what = graph.inputs[which]
    names = columns(values)
    expected = what.features if places is None else tuple(what.features[i] for i in places) if what.features else ()
    if names is not None and expected:
        _check_names(names, expected, what.name)
    found = _numbers(_dense(values, what.name), names, what)
    if what.kind == "ids":
        _check_ids(found, graph, which)
        return np.array(found, dtype=np.int64)
    made = np.array(found, dtype=np.float64)
    bad = np.argwhere(~np.isfinite(made))
    if len(bad):
        at: tuple[int, ...] = tuple(bad[0].tolist())
        raise ParamError(f"input {what.name!r}: {made[at]}{_place(at, names)} is not supported; accepted: finite numbers")
    return made


def place(which: Any, graph: Graph) -> int:
    """The place of an input. Raises `ParamError` if there is none."""
    if isinstance(which, bool) or not isinstance(which, int | np.integer) or not 0 <= which < len(graph.inputs):
        names = ", ".join(f"{i} ({given.name})" for i, given in enumerate(graph.inputs))
        raise ParamError(f"which={which!r:.60} is not supported; accepted: the place of an input: {names}")
    return int(which)


def whole(name: str, value: Any, least: int, most: int) -> int:
    """A whole number. Raises `ParamError` that names it for another one."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        raise ParamError(f"{name}={value!r:.60} is not supported; accepted: a whole number, {least} to {most}")
    return int(value)


def shape(what: Input, asked: Any, given: Array | None) -> Shape:
    """The shape of an input: of what is given, or the one that is asked for, a number of rows or a whole shape. Raises
    `ParamError` for what is neither, `ShapeError` for another shape than the input's."""
    if asked is None:
        assert given is not None
        what.batch(given.shape)
        return given.shape
    rows = isinstance(asked, int | np.integer) and not isinstance(asked, bool)
    try:
        full = (int(asked),) if rows else tuple(operator.index(size) for size in asked)
    except TypeError:
        full = (0,)
    if min(full, default=0) < 1 or count(full) > MOST:
        raise ParamError(f"input {what.name!r}: shape={asked!r:.60} is not supported; accepted: rows, 1 to 2^28, or a whole shape as {what.shape}")
    if rows and -1 in what.shape:
        full = what.of(*full)
    elif rows and full[0] == what.shape[0]:
        full = what.shape
    what.batch(full)
    if given is not None and given.shape != full:
        raise ShapeError(f"input {what.name!r}: values of shape {given.shape} where shape={full}")
    return full


def columns(values: Any) -> list[str] | None:
    """The names of the columns of a data frame (pandas, Polars, Arrow, a dict of columns); nothing if they have none, as
    where they are numbered."""
    # Arrow's `columns` are arrays.
    found: Any = values if isinstance(values, Mapping) else getattr(values, "column_names", getattr(values, "columns", None))
    names = list(found) if isinstance(found, Iterable) else []
    return [str(name) for name in names] if any(isinstance(name, str) for name in names) else None


def _check_names(names: Sequence[str], expected: Sequence[str], name: str) -> None:
    """Raises `ParamError` that names the first column which is not the feature at its place."""
    for i in range(max(len(names), len(expected))):
        got = repr(names[i]) if i < len(names) else "missing"
        want = repr(expected[i]) if i < len(expected) else "nothing"
        if got == want:
            continue
        known = sorted(set(expected) - set(names))
        how = f"there is no {known[0]!r}" if known else "put them in order by frame[list(features)], features being those of the model"
        raise ParamError(
            f"input {name!r}: column {i} is {got} where the model has {want}; accepted: the {len(expected)} features of the model, "
            f"in its order: {how}"
        )


def _dense(values: Any, name: str) -> Array:
    """As an array of NumPy."""
    if hasattr(values, "toarray") and hasattr(values, "nnz"):  # of SciPy
        if count(values.shape) > MOST:
            raise ParamError(f"input {name!r}: a sparse matrix of shape {values.shape} is not supported; accepted: up to 2^28 numbers")
        return np.asarray(values.toarray())
    masked = np.argwhere(np.ma.getmaskarray(values)) if isinstance(values, np.ma.MaskedArray) else NOWHERE
    if len(masked):
        raise ParamError(f"input {name!r}: nothing at {tuple(masked[0].tolist())}, which is masked, is not supported; accepted: numbers")
    try:
        if isinstance(values, Mapping):
            return np.stack([np.asarray(frames.column(values, each)) for each in frames.names(values)], axis=-1)
        return np.asarray(values)
    except Exception as error:
        text = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        raise TypeError(f"input {name!r}: an array of numbers is expected, got {type(values).__name__} that is none: {text}") from None


def _numbers(found: Array, names: Sequence[str] | None, what: Input) -> Array:
    """Whole numbers or others. Raises `TypeError` that names the first thing which is neither."""
    if found.dtype.kind in "OSU":  # of columns of several kinds, or of something else
        found = found.astype(object)
        for at in np.ndindex(found.shape):
            if not isinstance(found[at], Real | Decimal | np.bool_):
                raise TypeError(f"input {what.name!r}: numbers are expected, got {found[at]!r:.60}{_place(at, names)}")
        whole = all(isinstance(each, int | np.integer | np.bool_) for each in found.flat)
        try:
            found = found.astype(np.int64 if whole and what.kind == "ids" else np.float64)
        except OverflowError:
            raise ParamError(f"input {what.name!r}: numbers beyond those of 64 bits are not supported; accepted: finite numbers") from None
    if found.dtype.kind not in "buif":
        raise TypeError(f"input {what.name!r}: numbers are expected, got {found.dtype}")
    if what.kind == "ids" and found.dtype.kind == "f":
        raise TypeError(f"input {what.name!r}: whole numbers are expected, ids of rows, got {found.dtype}")
    return found


def _check_ids(found: Array, graph: Graph, which: int) -> None:
    """Raises `ParamError` for an id without a row."""
    tables = [node.layer.rows for node in graph.nodes if isinstance(node.layer, Embed) and which in node.of]
    bad = np.argwhere((found < 0) | (found >= min(tables))) if tables else NOWHERE
    if len(bad):
        at: tuple[int, ...] = tuple(bad[0].tolist())
        raise ParamError(
            f"input {graph.inputs[which].name!r}: id {found[at]} at {at} is not supported; accepted: 0 to {min(tables) - 1}, a row of the table"
        )


def _place(at: tuple[int, ...], names: Sequence[str] | None) -> str:
    """Where a number is, for people."""
    if not at:
        return ""
    column = names[at[1]] if names is not None and len(at) == 2 and at[1] < len(names) else None
    return f" at {at}" + (f", column {column!r}" if column is not None else "")
