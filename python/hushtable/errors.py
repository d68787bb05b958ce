"""What can go wrong. The texts are the library's."""

from __future__ import annotations


class HushtableError(Exception):
    """Every error of this package."""


class PeerError(HushtableError, ConnectionError):
    """The peer hung up, is silent, or sent something that the protocol does not allow."""


class HandshakeError(HushtableError):
    """The parties disagree on something both must know, or do not accept each other's certificate.

    If they disagree, `field` says on what, `ours` and `theirs` what it is at each.
    """

    field: str | None = None
    ours: str | None = None
    theirs: str | None = None


class IdentityError(HushtableError):
    """The identity folder is unusable."""


class IoError(HushtableError, OSError):
    """The operating system refused."""


class ShapeError(HushtableError, ValueError):
    """Arguments do not fit together: shapes, widths or scales."""


class ParamError(HushtableError, ValueError):
    """A value or a parameter is outside what is supported; the text says what is accepted."""


class RoundingWarning(UserWarning):
    """A result says less than it seems to, since numbers were rounded; the text says what helps."""


class SpentError(HushtableError):
    """One-time material was to be used again."""


class ForkedError(HushtableError, RuntimeError):
    """A session or a store of another process was used after a fork: make or open one in this process."""


class StoreError(HushtableError):
    """Material on disk is damaged, too little, another pair's, or was restored from a backup."""
