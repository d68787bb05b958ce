"""Encrypted copies of private tables: made, sent, and kept on a disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from . import _hushtable as native
from .errors import IoError, ParamError, StoreError
from .party import Party

Cipher = Literal["aes-128", "lowmc-128-42-13"]

# How a table is made: from the secret of a version, or as a version of its own.
Make = Callable[[bytes | None], native.PrivateTable]


def owned(what: str, party: Party, owner: int, table: object) -> None:
    if owner not in (0, 1):
        raise ParamError(f"{what}: owner={owner!r} is not supported; accepted: 0 or 1")
    if (table is not None) != (party.role == owner):
        who = "has to give it" if party.role == owner else "passes None"
        raise ParamError(f"{what}: party {owner} owns it; this party {who}")


def transferred(
    what: str, party: Party, form: native.PrivateForm, make: Make | None, path: str | os.PathLike[str] | None
) -> tuple[native.PrivateTable, bool]:
    """The table, and whether a copy was sent: not if both parties have kept the same version."""
    kept = _read(path)
    table: native.PrivateTable | None = None
    if kept is not None:
        try:
            table = form.kept(kept) if make is None else make(kept)
        except StoreError:
            table = None  # of another version, cut short, altered: a new one is made and sent
    if table is None and make is not None:
        table = make(None)
    live = party._live(what)
    mine = "" if table is None else table.digest
    theirs = native.tell(live, party._announced(f"{what}: versions"), mine)
    if table is not None and mine == theirs:
        return table, False
    name = party._announced(f"{what}: an encrypted copy")
    if make is None:
        table = form.receive(live, name)
    else:
        assert table is not None
        table.send(live, name)
    if path is not None:
        _write(path, table.kept_bytes())
    return table, True


def _read(path: str | os.PathLike[str] | None) -> bytes | None:
    if path is None:
        return None
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise IoError(f"{path}: {error.strerror}") from None


def _write(path: str | os.PathLike[str], content: bytes) -> None:
    """In one step, for this user alone: the owner's is a key."""
    whole = Path(path)
    beside = whole.with_name(f".{whole.name}.{os.getpid()}")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, whole)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise IoError(f"{path}: {error.strerror}") from None
