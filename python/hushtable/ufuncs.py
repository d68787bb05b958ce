"""NumPy's functions, of shares: `np.sin(x)` is `ht.sin(x)`, and operators with an array on the left."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np


class Arrays:
    """What NumPy asks of a share."""

    __slots__ = ()

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        ours = functions().get(func)
        return NotImplemented if ours is None else ours(*args, **kwargs)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return apply(ufunc, method, inputs, kwargs)


def apply(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a ufunc of shares gives, or `NotImplemented`, which NumPy turns into a `TypeError`."""
    ours = _ufuncs().get(ufunc) if method == "__call__" and not kwargs else None
    return NotImplemented if ours is None else ours(*inputs)


@lru_cache(maxsize=1)
def _ufuncs() -> dict[np.ufunc, Callable[..., Any]]:
    from .functions import functions as of_numbers

    ours = of_numbers()
    operators = {
        np.add: ("__add__", "__radd__"),
        np.subtract: ("__sub__", "__rsub__"),
        np.multiply: ("__mul__", "__rmul__"),
        np.true_divide: ("__truediv__", "__rtruediv__"),
        np.matmul: ("__matmul__", "__rmatmul__"),
        np.bitwise_xor: ("__xor__", "__rxor__"),
        np.less: ("__lt__", "__gt__"),
        np.greater: ("__gt__", "__lt__"),
        np.less_equal: ("__le__", "__ge__"),
        np.greater_equal: ("__ge__", "__le__"),
        np.equal: ("__eq__", "__eq__"),
        np.not_equal: ("__ne__", "__ne__"),
    }
    names = {
        np.sin: "sin",
        np.cos: "cos",
        np.tan: "tan",
        np.arcsin: "asin",
        np.arccos: "acos",
        np.arctan: "atan",
        np.exp: "exp",
        np.log: "ln",
        np.log10: "log10",
        np.sqrt: "sqrt",
        np.tanh: "tanh",
        np.reciprocal: "reciprocal",
    }
    named: dict[np.ufunc, Callable[..., Any]] = {ufunc: ours[name] for ufunc, name in names.items()}
    return named | {ufunc: _operator(*pair) for ufunc, pair in operators.items()}


def _operator(own: str, reflected: str) -> Callable[[Any, Any], Any]:
    from .share import Share

    def of(a: Any, b: Any) -> Any:
        return getattr(a, own)(b) if isinstance(a, Share) else getattr(b, reflected)(a)

    return of


@lru_cache(maxsize=1)
def functions() -> dict[Callable[..., Any], Callable[..., Any]]:
    """NumPy's functions of arrays that shares understand."""
    from .joining import concatenate, stack

    return {
        np.concatenate: concatenate,
        np.stack: stack,
        np.reshape: lambda a, shape: a.reshape(shape),
        np.ravel: lambda a: a.ravel(),
        np.transpose: lambda a, axes=None: a.transpose(*(axes or ())),
        np.sum: lambda a, axis=None: a.sum(axis),
        np.clip: lambda a, a_min=None, a_max=None: a.clip(a_min, a_max),
        np.shape: lambda a: a.shape,
        np.size: lambda a: math.prod(a.shape),
        np.ndim: lambda a: a.ndim,
    }
