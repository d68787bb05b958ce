"""Material of a network on disk: made in one session, spent by one call in a later one.

A folder has a store for each product with numbers of one party, and one for each other shape of material, in folders of their
own; and a file that says what they are for. Stores guard themselves against a second use. The file is for errors before any
work: it is signed with the identity's key, and of the owner's numbers it has a tag that only who has the identity can compare.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import _hushtable as native
from ..errors import HandshakeError, HushtableError, ParamError, StoreError
from ..party import Ahead, Party
from ..prepared import Need
from .layer import Own

FILE = "network.json"
FORMAT = 1

Steps = list[tuple[str, int, int | None]]


@dataclass(frozen=True)
class About:
    """What material is for. `network`, `numbers`: digests of its description, and at the owner of its numbers; `rows`, of a
    batch; `steps`: of each operation its name, its items, and the number of its store, if there is one; `items`: of each store."""

    network: str
    numbers: str
    rows: int
    steps: Steps
    items: list[int]


class Folder:
    """Stores for one call of a network, open."""

    def __init__(self, path: Path, about: About, stores: list[native.Store], id: str) -> None:
        self.path, self.about, self.id = path, about, id
        self._stores = stores

    def materials(self) -> list[Ahead]:
        """The store of each step, or nothing where it makes its material when it runs."""
        return [None if store is None else self._stores[store] for _, _, store in self.about.steps]

    def close(self) -> None:
        """Lets go of the stores."""
        for store in self._stores:
            store.close()


class _Unfit(Exception):
    """Why a folder cannot be used: for the peer, and here."""

    def __init__(self, reason: str, error: HushtableError) -> None:
        self.reason, self.error = reason, error


def made(party: Party, folder: str | os.PathLike[str], identity: str | os.PathLike[str], what: About, needs: Sequence[Need]) -> Folder:
    """Makes the material of these needs with the peer, in a new folder."""
    path = Path(folder)

    def new() -> None:
        try:
            path.mkdir(mode=0o700)
        except OSError as error:
            raise _Unfit("no new folder", StoreError(f"{path}: {error.strerror}; accepted: a new folder")) from None

    _both(party, "store of a network, to be made", new, lambda _: party.id)
    stores = []
    for number, (what_of, items) in enumerate(_placed(needs)[1]):
        name, at = party._announced(f"store({items} of store {number} of a network)"), path / f"{number:03}"
        if isinstance(what_of, native.Lookup):
            stores.append(native.Store.make_lookups(party._native, name, at, identity, what_of, items))
        else:
            stores.append(native.Store.make_for(party._native, name, at, identity, what_of, items))
    text = json.dumps({"format": FORMAT, "id": party.id, "role": party.role, **vars(what)}, sort_keys=True)
    signed = json.dumps({"of": text, "tag": _tag(identity, "network", text)})
    # With it the material exists.
    part = path / f"{FILE}.tmp"
    with open(part, "x", encoding="ascii", opener=_private) as file:
        file.write(signed)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path / FILE)
    return Folder(path, what, stores, party.id)


def opened(party: Party, folder: str | os.PathLike[str], identity: str | os.PathLike[str], what: About) -> Folder:
    """The stores of a folder that `made` made for this: whole, at both parties."""
    path = Path(folder)

    def whole() -> Folder:
        found, id, role = read(path, identity)
        if role != party.role:
            raise _unfit(path, "of the other role", f"made as party {role}, which is party {party.role} now")
        if found.network != what.network:
            raise _unfit(path, "of another network", "made for another network: its layers, shapes, formats or classes differ")
        if found.numbers != what.numbers:
            raise _unfit(path, "of other weights", "made for other weights of this network than it has now")
        if found.rows != what.rows:
            raise _unfit(path, "of other rows", f"made for rows={found.rows}, not for rows={what.rows}")
        if found != what:
            raise _unfit(path, "of other steps", "made for other operations than this version of the package does; make it anew")
        folder = Folder(path, what, [], id)
        try:
            for number, items in enumerate(found.items):
                store = native.Store(path / f"{number:03}", identity)
                folder._stores.append(store)
                if store.left != items:
                    raise _used(path, number, items, store.left)
        except StoreError as error:
            folder.close()
            raise _Unfit("refused", error) from None
        except BaseException:
            folder.close()
            raise
        return folder

    both: Folder = _both(party, "store of a network", whole, lambda folder: folder.id)
    for number, (store, items) in enumerate(zip(both._stores, what.items, strict=True)):
        store.agree(party._native, party._announced(f"store {number} of a network"))
        if store.left != items:  # the peer spent it
            both.close()
            raise _used(path, number, items, store.left).error
    return both


def about(network: bytes, owns: Sequence[Own] | None, rows: int, needs: Sequence[Need], identity: str | os.PathLike[str]) -> About:
    """What a call needs, as it is written down."""
    which, stores = _placed(needs)
    steps = [(need.operation, need.count, store) for need, store in zip(needs, which, strict=True)]
    return About(network.hex(), _numbers(owns, identity), rows, steps, [items for _, items in stores])


def read(path: Path, identity: str | os.PathLike[str]) -> tuple[About, str, int]:
    """What the folder is for, the id of the session that made it, and the role in it."""
    file = path / FILE
    try:
        signed = json.loads(file.read_text(encoding="ascii"))
        text, tag = str(signed["of"]), signed["tag"]
    except FileNotFoundError:
        why = "making it was interrupted: remove the folder, and make it anew" if path.exists() else "no such folder"
        raise _unfit(path, "missing", f"no material of a network: {why}") from None
    except OSError as error:
        raise _unfit(path, "missing", f"{FILE}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _unfit(path, "damaged", f"{FILE} is damaged") from None
    if tag != _tag(identity, "network", text):
        raise _unfit(path, "damaged", f"{FILE} is damaged, or was made with another identity")
    found = json.loads(text)
    if found["format"] != FORMAT:
        raise _unfit(path, "of another version", f"{FILE} has version {found['format']}; this package reads {FORMAT}: make it anew")
    steps = [(name, count, store) for name, count, store in found["steps"]]
    return About(found["network"], found["numbers"], found["rows"], steps, found["items"]), found["id"], found["role"]


def _placed(needs: Sequence[Need]) -> tuple[list[int | None], list[tuple[native.Operation | native.Lookup, int]]]:
    """Of each step the number of its store, if there is one; of each store an operation and its items. What one party's
    numbers are bound to has a store of its own; what has the same shape otherwise has one together."""
    which: list[int | None] = []
    stores: list[tuple[native.Operation | native.Lookup, int]] = []
    known: dict[bytes, int] = {}
    for need in needs:
        shape = need._what.stored(need.count)
        if shape is None:
            which.append(None)
            continue
        place = len(stores) if need._own is not None else known.setdefault(shape[0], len(stores))
        if place == len(stores):
            stores.append((need._what, 0))
        stores[place] = (stores[place][0], stores[place][1] + need.count)
        which.append(place)
    return which, stores


def _both(party: Party, what: str, here: Any, id: Any) -> Any:
    """What `here` gives, if both parties' works, for the same material: else both raise."""
    unfit, found = None, None
    try:
        found = here()
    except _Unfit as error:
        unfit = error
    try:
        party.agree(**{what: f"{unfit.reason}" if unfit else f"of session {id(found)[:16]}"})
    except HandshakeError:
        if unfit:
            raise unfit.error from None
        if isinstance(found, Folder):
            found.close()
        raise
    if unfit:
        raise unfit.error
    return found


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _unfit(path: Path, reason: str, why: str) -> _Unfit:
    return _Unfit(reason, StoreError(f"{path}: {why}"))


def _used(path: Path, number: int, items: int, left: int) -> _Unfit:
    why = f"used already: of store {number:03} {left} of {items} items are left, and each serves one call; make it anew"
    return _unfit(path, "used", why)


def _numbers(owns: Sequence[Own] | None, identity: str | os.PathLike[str]) -> str:
    """A tag of the owner's numbers; nothing at the other party."""
    if owns is None:
        return ""
    digest = hashlib.sha256()
    for own in owns:
        digest.update(f"{len(own)} ".encode())
        for name, values in sorted(own.items()):
            digest.update(f"{name} {values.dtype.str} {values.shape} ".encode())
            digest.update(values.tobytes())
    return _tag(identity, "numbers", digest.hexdigest())


def _tag(identity: str | os.PathLike[str], what: str, text: str) -> str:
    return native.tag(identity, f"{what} {text}".encode()).hex()


def check(folder: object, identity: object) -> None:
    """Raises unless both are given."""
    if (folder is None) != (identity is None):
        raise ParamError("prepare: store= and identity= go together: a new folder, and the identity of this party")
