"""Encrypted copies of private tables: made, sent, and kept on a disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from . import _hushtable as native
from .columns import write_file
from .errors import IoError, ParamError, StoreError
from .party import Party

Cipher = Literal["aes-128", "lowmc-128-42-13"]

# How files begin that are written here: a copy in any version of its format, and a key, as `hushtable serve` has it too,
# with its length.
COPY = b"hushcpy"
KEY = b"hushtable-key-1\n"
KEY_BYTES = 64

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
    kept = _read(path, key=make is not None)
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
        content = table.kept_bytes()
        # What was read is replaced; what came there since is not.
        try:
            write_file(Path(path), lambda file: file.write(content), overwrite=kept is not None)
        except FileExistsError:
            raise IoError(f"path: {path} came there meanwhile, and is not written over") from None
        except OSError as error:
            raise IoError(f"path: {path}: {error.strerror or error}") from None
    return table, True


def _read(path: str | os.PathLike[str] | None, key: bool) -> bytes | None:
    """What was kept; nothing if there is no file. Another file is refused: it is not written over."""
    if path is None:
        return None
    begin = KEY if key else COPY
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ParamError(f"path: {path} is no file; accepted: a file, or a name that is free")
        with open(path, "rb") as file:
            found = file.read(len(begin))
            if found != begin or (key and os.fstat(file.fileno()).st_size != KEY_BYTES):
                what = "key of a private table" if key else "encrypted copy of a private table"
                raise ParamError(
                    f"path: {path} is no {what}, and is not written over; accepted: one, or a name that is free"
                )
            return found + file.read()
    except FileNotFoundError:
        if not Path(path).parent.is_dir():
            raise IoError(f"path: {path}: there is no such folder") from None
        return None
    except OSError as error:
        raise IoError(f"path: {path}: {error.strerror}") from None
