"""A progress bar for long calls, on terminals and in notebooks."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TextIO
from weakref import ref

from . import _hushtable as native

WIDTH = 30
PERIOD = 0.1
SHORT = 0.3


class Bar:
    """Draws how far the running call of a party is, if it takes longer than a moment.

    A thread looks ten times a second; it ends with the party, or with the `with` block.
    """

    def __init__(self, party: native.Party, file: TextIO | None = None) -> None:
        self._party = ref(party)
        self._file = file or sys.stderr
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
        self._drawn = 0

    def start(self) -> None:
        """Begins to look."""
        self._thread.start()

    def __enter__(self) -> Bar:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        begun, of, finished = time.monotonic(), (0, 0), False
        while not self._stop.wait(PERIOD) and (party := self._party()) is not None:
            done, everything = party.progress()
            del party
            if everything != of[1] or done < of[0]:
                begun, finished = time.monotonic() - PERIOD, False
                self._end()
            of = (done, everything)
            if everything and not finished and time.monotonic() - begun > SHORT:
                self._draw(done, everything, time.monotonic() - begun)
                finished = done >= everything
        if self._drawn and not finished and (party := self._party()) is not None:
            done, everything = party.progress()
            self._draw(done, everything, time.monotonic() - begun)
        self._end()

    def _draw(self, done: int, everything: int, seconds: float) -> None:
        share = min(1.0, done / everything)
        filled = int(share * WIDTH)
        left = f"{seconds / share - seconds:.0f} s left" if share > 0 else "starting"
        line = f"{share:4.0%} |{'#' * filled}{' ' * (WIDTH - filled)}| {done:,}/{everything:,} {left}"
        self._file.write("\r" + line.ljust(self._drawn))
        self._file.flush()
        self._drawn = len(line)

    def _end(self) -> None:
        if self._drawn:
            self._file.write("\n")
            self._file.flush()
            self._drawn = 0
