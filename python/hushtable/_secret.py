"""What a share refuses, because its values are known to nobody."""

from __future__ import annotations

from typing import Any, NoReturn

SECRET = "is not known here: a share is one party's part of it; compute on shares, or show it with p.open(share)"


class Secret:
    """Values that cannot be had."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise TypeError(f"the truth of a share {SECRET}")

    def __float__(self) -> NoReturn:
        raise TypeError(f"the value of a share {SECRET}")

    __int__ = __index__ = __complex__ = __float__

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise TypeError(f"the value of a share {SECRET}")

    def __contains__(self, value: object) -> NoReturn:
        raise TypeError(f"what a share contains {SECRET}")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a share belongs to its session and is not copied out of it")
