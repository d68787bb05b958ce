"""Two parties find each other: here, in two processes, or over a network."""

from __future__ import annotations

import inspect
import os
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from . import _hushtable as native
from .errors import ParamError, PeerError
from .party import Party
from .plan import Optimise, aim
from .progress import Bar

if TYPE_CHECKING:
    from typing_extensions import Unpack

Result = TypeVar("Result")


def run_pair(
    party0: Callable[[Party], Result],
    party1: Callable[[Party], Result] | None = None,
    *,
    processes: bool = False,
    net: str = "loopback",
    optimise: Optimise | None = None,
    progress: bool = False,
) -> tuple[Result, Result]:
    """Runs both parties here and returns what both return.

    `party0` runs as both unless `party1` is given. In two threads, without the interpreter lock in every
    protocol; or in two processes that connect by TLS on this machine. `net` simulates a link: `"lan"`,
    `"wan"`, or `"RATE:RTT"` such as `"200:10ms"` (Mbit/s). `optimise`: see `Link`. If a party raises, so does this, with the same
    exception; the other party ends too. Raises `TypeError` for an `async def` or a generator.
    """
    functions = (_plain(party0), _plain(party1 or party0))
    if processes:
        from .processes import run_processes  # imports what only this needs

        return run_processes(functions, net, aim(optimise))
    pair = tuple(Party(p) for p in native.pair(net, aim(optimise)))
    outcomes: list[Any] = [None, None]
    errors: list[BaseException | None] = [None, None]

    def run(i: int) -> None:
        try:
            with pair[i] as p, _bar(p, progress and i == 0):
                outcomes[i] = functions[i](p)
        except BaseException as error:
            errors[i] = error

    threads = [threading.Thread(target=run, args=(i,), name=f"party {i}", daemon=True) for i in (0, 1)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.1)  # an interrupt just before a wait is seen after it
    except BaseException:  # an interrupt: what waits for the peer ends; what does something else has a moment
        for p in pair:
            p._native.hang_up()
        for thread in filter(threading.Thread.is_alive, threads):
            thread.join(1)
        raise
    raise_first(errors)
    return outcomes[0], outcomes[1]


def _plain(party: Callable[[Party], Result]) -> Callable[[Party], Result]:
    """The function of a party, refused if calling it does not run it."""
    if inspect.isgeneratorfunction(party) or inspect.isasyncgenfunction(party):
        raise TypeError(f"{_name(party)} is a generator: calling it runs nothing; accepted: a function that returns")
    if inspect.iscoroutinefunction(party):
        raise TypeError(_asynchronous(party))

    def run(p: Party) -> Result:
        result = party(p)
        if inspect.isawaitable(result):
            if inspect.iscoroutine(result):
                result.close()
            raise TypeError(_asynchronous(party))
        return result

    return run


def _asynchronous(party: Callable[..., object]) -> str:
    return (
        f"{_name(party)} is asynchronous: calling it runs nothing; accepted: a plain function. Inside of it use "
        f"asyncio.run(...); from asynchronous code call await asyncio.to_thread(ht.run_pair, ...)"
    )


def _name(party: Callable[..., object]) -> str:
    return f"run_pair: {getattr(party, '__name__', 'the party')}"


def raise_first(errors: list[BaseException | None]) -> None:
    """Raises the error that came first: not that the peer had gone, if it went because of its own."""
    found = [(i, error) for i, error in enumerate(errors) if error is not None]
    for i, error in sorted(found, key=lambda e: isinstance(e[1], PeerError)):
        if sys.version_info >= (3, 11):
            error.add_note(f"raised at party {i}")
        raise error


class Link(TypedDict, total=False):
    """How to reach a peer: the options of `listen` and `connect`.

    `insecure_plain_tcp`: without an identity, so that anybody on the way can read and change everything;
    default `False`. `peer`: the name of the peer, as `identity_peers` has it; needed if several are trusted, and
    nobody else is let in. `wait`: seconds for the peer to appear, default 600. `idle`: seconds that the peer may do
    something else before it comes to the next step, default a day; one whose process or network ended is noticed
    within 10 s. `timeout`: seconds without progress within a message, default 30. `net`: a link to simulate, as for
    `run_pair`. `optimise`: what operations that can be done in several ways make least: `"total"` for time in all,
    `"online"` for time from the inputs to the results, `"bytes"` or `"rounds"`; default: what each says, mostly time over the
    link that was met. One party's word is enough; two that differ are refused. Results are as accurate.
    """

    insecure_plain_tcp: bool
    peer: str | None
    wait: float
    idle: float
    timeout: float
    net: str
    optimise: Optimise | None


def listen(
    address: str,
    identity: str | os.PathLike[str] | None = None,
    *,
    on_listening: Callable[[str], object] | None = None,
    progress: bool = False,
    **link: Unpack[Link],
) -> Party:
    """Waits for the peer on `address`, `"HOST:PORT"`; a context manager that gives the party, with role 0.

    `identity` is a folder made by `identity_new`, which knows the peer's certificate; without one the
    connection is refused unless `insecure_plain_tcp`. `on_listening` gets the address with the port, of use
    with port 0. With `progress` a bar shows how far long calls are. `link`: see `Link`. Whoever comes and is not
    the peer is turned away, with a warning of the logger `"hushtable"`, and the wait goes on. `Party.peer` and
    `Party.peer_fingerprint` say who came.

    Raises `ParamError` without an identity, `IoError` and `IdentityError` for a port or a folder that cannot be
    used or several peers and none is named, `PeerError` if the peer does not come, `HandshakeError` if it has
    another version.
    """
    listener = native.Listener(address, how(identity, **link))
    if on_listening is not None:
        on_listening(listener.address)
    return _shown(Party(listener.accept()), progress)


def connect(
    address: str, identity: str | os.PathLike[str] | None = None, *, progress: bool = False, **link: Unpack[Link]
) -> Party:
    """Connects to the peer that listens on `address`; a context manager that gives the party, with role 1.

    As `listen` otherwise; raises `HandshakeError` if another one listens there.
    """
    return _shown(Party(native.connect(address, how(identity, **link))), progress)


def identity_new(folder: str | os.PathLike[str], name: str) -> str:
    """Makes an identity in a new folder and returns its fingerprint; `cert.pem` in it is for the peer.

    Raises `IdentityError` or `IoError` if there is something already, or it cannot be made.
    """
    return native.identity_new(folder, name)[0]


def identity_trust(
    folder: str | os.PathLike[str],
    certificate: str | os.PathLike[str],
    *,
    fingerprint: str,
    name: str | None = None,
) -> str:
    """Trusts the peer with this certificate and returns the peer's name, for `peer=`.

    `fingerprint` is what the peer's `identity_fingerprint` says, told by telephone, not by the way the file came.
    `name` is what to call the peer here; default: the name in its certificate. Raises `IdentityError` for a file that
    is anything but one certificate, or one with another fingerprint; `ParamError` for a text that is no fingerprint.
    """
    return native.identity_trust(folder, certificate, fingerprint, name)


def identity_peers(folder: str | os.PathLike[str]) -> dict[str, str]:
    """The peers that the identity trusts: their fingerprints, by name."""
    return dict(native.identity_peers(folder))


def identity_untrust(folder: str | os.PathLike[str], name: str) -> str:
    """Trusts the peer of this name no longer; its fingerprint. Raises `IdentityError` if there is none."""
    return native.identity_untrust(folder, name)


def identity_rotate(folder: str | os.PathLike[str]) -> str:
    """Makes a new key and certificate for the identity, which keeps its name and peers; its fingerprint.

    The peers must trust the new certificate. Raises `IdentityError` while stores are encrypted under the old key.
    """
    return native.identity_rotate(folder)


def identity_fingerprint(folder: str | os.PathLike[str]) -> str:
    """The fingerprint of an identity."""
    return native.identity_fingerprint(folder)


def how(
    identity: str | os.PathLike[str] | None,
    *,
    insecure_plain_tcp: bool = False,
    peer: str | None = None,
    wait: float = 600,
    idle: float = 86400,
    timeout: float = 30,
    net: str = "loopback",
    optimise: Optimise | None = None,
) -> dict[str, Any]:
    """What the native half needs to connect."""
    if identity is None and not insecure_plain_tcp:
        raise ParamError("identity: none given; accepted: a folder of identity_new, or insecure_plain_tcp=True")
    if identity is not None and insecure_plain_tcp:
        raise ParamError("identity: plain TCP uses none; give identity= or insecure_plain_tcp=True")
    times = {"wait": wait, "idle": idle, "timeout": timeout}
    return {"identity": identity, "peer": peer, **times, "net": net, "optimise": aim(optimise)}


def _bar(p: Party, show: bool) -> AbstractContextManager[object]:
    return Bar(p._native) if show else nullcontext()


def _shown(p: Party, show: bool) -> Party:
    if show:
        Bar(p._native).start()
    return p
