"""Both parties in two processes of this machine, connected by TLS."""

from __future__ import annotations

import multiprocessing
import pickle
import tempfile
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeVar

from . import _hushtable as native
from .errors import HushtableError, PeerError
from .party import Party
from .plan import Optimise
from .session import Link, how, raise_first

Result = TypeVar("Result")


def run_processes(
    functions: tuple[Callable[[Party], Result], Callable[[Party], Result]], net: str, optimise: Optimise | None
) -> tuple[Result, Result]:
    """Runs each function in a process of its own. Both have fresh identities that trust each other."""
    link: Link = {"net": net, "optimise": optimise, "wait": 60}
    with tempfile.TemporaryDirectory(prefix="hushtable-") as folder:
        identities = _identities(Path(folder))
        # Forked, so that functions of notebooks and closures need not be importable.
        context = multiprocessing.get_context("fork")
        address_out, address_in = context.Pipe()
        pipes = [context.Pipe(duplex=False) for _ in functions]
        processes = [
            context.Process(target=_serve, args=(functions[0], identities[0], link, address_in, pipes[0][1])),
            context.Process(target=_call, args=(functions[1], identities[1], link, address_out, pipes[1][1])),
        ]
        with warnings.catch_warnings():
            # Other threads of this process hold nothing that the parties need.
            warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
            for process in processes:
                process.start()
        for end in (address_in, address_out, pipes[0][1], pipes[1][1]):
            end.close()
        try:
            outcomes = _collect([pipe[0] for pipe in pipes])
        except BaseException:  # an interrupt: the parties end too
            for process in processes:
                process.terminate()
            raise
        finally:
            for process in processes:
                process.join(10)
                if process.is_alive():
                    process.terminate()
                    process.join()
    raise_first([error for _, error in outcomes])
    return outcomes[0][0], outcomes[1][0]


def _identities(folder: Path) -> list[Path]:
    made = [folder / name for name in ("p0", "p1")]
    peers = [native.identity_new(path, path.name) for path in made]
    for path, (fingerprint, certificate) in zip(made, reversed(peers), strict=True):
        native.identity_trust(path, certificate, fingerprint, None)
    return made


def _collect(pipes: list[Connection]) -> list[tuple[Any, BaseException | None]]:
    outcomes: dict[Connection, tuple[Any, BaseException | None]] = {}
    while missing := [pipe for pipe in pipes if pipe not in outcomes]:
        for ready in wait(missing, 0.5):  # an interrupt just before a wait is seen after it
            assert isinstance(ready, Connection)
            try:
                outcomes[ready] = ready.recv()
            except EOFError:
                outcomes[ready] = (None, PeerError("the process of a party ended without a result"))
    return [outcomes[pipe] for pipe in pipes]


def _serve(
    f: Callable[[Party], Any], identity: Path, link: Link, address: Connection, result: Connection
) -> None:
    def start() -> native.Party:
        listener = native.Listener("127.0.0.1:0", how(identity, **link))
        address.send(listener.address)
        return listener.accept()

    _run(f, start, result)


def _call(
    f: Callable[[Party], Any], identity: Path, link: Link, address: Connection, result: Connection
) -> None:
    _run(f, lambda: native.connect(address.recv(), how(identity, **link)), result)


def _run(f: Callable[[Party], Any], start: Callable[[], native.Party], result: Connection) -> None:
    try:
        with Party(start()) as p:
            outcome: tuple[Any, BaseException | None] = (f(p), None)
    except BaseException as error:
        outcome = (None, _portable(error))
    try:
        result.send(outcome)
    except Exception as error:  # what cannot be pickled
        result.send((None, HushtableError(f"the result of a party cannot be handed over: {error}")))


def _portable(error: BaseException) -> BaseException:
    """The error, or one with its text if it cannot be handed to another process."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return HushtableError("".join(traceback.format_exception(error)))
