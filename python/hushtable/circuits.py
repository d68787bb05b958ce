"""The library's circuits by name, as `ht.circuits.f32_add(x, y)`: `dir(ht.circuits)` lists them.

Whole numbers of 32 and 64 bits, floating-point numbers of 32 bits as a processor computes them, AES, and SHA-256's
compression. Each is a `Circuit`.
"""

from __future__ import annotations

from functools import cache

from . import _hushtable as _native
from .circuit import Circuit


@cache
def _load(name: str) -> Circuit:
    return Circuit.load(f"lib:{name}")


def __getattr__(name: str) -> Circuit:
    if name not in _native.circuits():
        raise AttributeError(f"the library has no circuit {name!r}; it has {', '.join(_native.circuits())}")
    return _load(name)


def __dir__() -> list[str]:
    return _native.circuits()
