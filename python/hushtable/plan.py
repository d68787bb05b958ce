"""What lookups would take, before anything is run: the library's predictions as a table."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args, overload

from . import _hushtable as native
from ._words import Kind
from .cost import format_bytes, format_time
from .errors import ParamError

# What a choice makes least: time in all, time from the inputs to the results, bytes, rounds from the inputs to the results.
Optimise = Literal["total", "online", "bytes", "rounds"]

# What a link counts as of which nothing is known.
USUAL = "1000:1ms"

MACHINE = (
    *("start", "round", "iknp_ot", "soft2_ot", "soft4_ot", "soft8_ot", "small_ot", "large_ot", "largest_ot"),
    *("small_start", "large_start", "largest_start"),
    *("hash", "word", "byte", "wire"),
)
COLUMNS = ("protocol", "set-up", "offline", "online", "total", "bytes", "online bytes", "rounds", "memory")


@dataclass(frozen=True)
class Estimate:
    """The prediction for a phase: seconds, bytes that party 0 and party 1 send, rounds."""

    seconds: float
    sent: tuple[float, float]
    rounds: int

    @property
    def bytes(self) -> float:
        """Both directions together."""
        return sum(self.sent)


@dataclass(frozen=True)
class Prediction:
    """The prediction for a protocol; `memory` in bytes at a party, for all lookups at once."""

    protocol: str
    setup: Estimate
    offline: Estimate
    online: Estimate
    memory: int

    @property
    def seconds(self) -> float:
        """All phases."""
        return self.setup.seconds + self.offline.seconds + self.online.seconds

    @property
    def bytes(self) -> float:
        """All phases, both directions."""
        return self.setup.bytes + self.offline.bytes + self.online.bytes

    def _cells(self) -> tuple[str, ...]:
        phases = (self.setup, self.offline, self.online)
        times = [format_time(phase.seconds) for phase in phases]
        rounds = "+".join(str(phase.rounds) for phase in phases)
        sizes = [format_bytes(round(size)) for size in (self.bytes, self.online.bytes)]
        return (self.protocol, *times, format_time(self.seconds), *sizes, rounds, format_bytes(self.memory))


class Predictions(Sequence[Prediction]):
    """A row for each protocol that serves the lookups, the best first. Prints as a table, also in notebooks."""

    def __init__(self, rows: Sequence[Prediction]) -> None:
        self._rows = tuple(rows)

    @overload
    def __getitem__(self, key: int | str) -> Prediction: ...
    @overload
    def __getitem__(self, key: slice) -> Predictions: ...
    def __getitem__(self, key: int | str | slice) -> Prediction | Predictions:
        if isinstance(key, slice):
            return Predictions(self._rows[key])
        if isinstance(key, int):
            return self._rows[key]
        found = [row for row in self._rows if row.protocol == key]
        if not found:
            names = ", ".join(row.protocol for row in self._rows)
            raise KeyError(f"{key!r} does not serve these lookups; these do: {names}")
        return found[0]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Prediction]:
        return iter(self._rows)

    def columns(self) -> dict[str, list[str | float | int]]:
        """Columns with seconds and bytes as numbers, as `pandas.DataFrame` takes them."""
        out: dict[str, list[str | float | int]] = {"protocol": [row.protocol for row in self]}
        for phase in ("setup", "offline", "online"):
            estimates: list[Estimate] = [getattr(row, phase) for row in self]
            out[f"{phase}_seconds"] = [e.seconds for e in estimates]
            out[f"{phase}_bytes"] = [e.bytes for e in estimates]
            out[f"{phase}_rounds"] = [e.rounds for e in estimates]
        out["memory"] = [row.memory for row in self]
        return out

    def __str__(self) -> str:
        rows = [COLUMNS, *(row._cells() for row in self)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
        pairs = [list(zip(row, widths, strict=True)) for row in rows]
        lines = ["  ".join([row[0][0].ljust(row[0][1]), *(c.rjust(w) for c, w in row[1:])]) for row in pairs]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def line(tag: str, cells: Sequence[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"

        return f"<table>{line('th', COLUMNS)}{''.join(line('td', row._cells()) for row in self)}</table>"


def plan(
    index_bits: int,
    bits: int,
    count: int,
    *,
    net: str | None = None,
    index_kind: Kind = "additive",
    kind: Kind = "additive",
    optimise: Optimise = "total",
    calibration: str | os.PathLike[str] | None = None,
) -> Predictions:
    """What `count` lookups in a table of `2^index_bits` entries of `bits` bits would take with each protocol.

    `net` is `"loopback"`, `"lan"`, `"wan"` or `"RATE:RTT"` such as `"200:10ms"` (Mbit/s), by default `"1000:1ms"`;
    `optimise` says what is to be least: time in all, time from the inputs to the results (and 1/64 of the time
    before), bytes, or rounds from the inputs to the results. Of what takes up to 15 % more than the least time the fewest bytes
    come first. `calibration` is the file of `hushtable calibrate`, whose link is the default of `net`.
    Without it, figures of the machine on which the model was fitted are used. Raises `ParamError`.
    """
    figures, link = machine(optimise, calibration)
    return predictions(native.predict(index_bits, index_kind, bits, kind, count, net or link, optimise, figures))


def aim(optimise: Optimise | None) -> Optimise | None:
    """What is to be least, if anything. Raises `ParamError` for what is no aim."""
    if optimise not in (None, *get_args(Optimise)):
        raise ParamError(f"optimise: {optimise!r} is not supported; accepted: 'total', 'online', 'bytes' or 'rounds'")
    return optimise


def machine(optimise: Optimise, calibration: str | os.PathLike[str] | None) -> tuple[list[float] | None, str]:
    """The figures of a calibration, or none, and its link. Raises `ParamError`, also where `optimise` is no aim."""
    aim(optimise)
    return (None, USUAL) if calibration is None else _calibrated(calibration)


def predictions(rows: Sequence[native._Predicted]) -> Predictions:
    """What the native half predicts, for people."""
    return Predictions([Prediction(name, *_estimates(phases), memory) for name, *phases, memory in rows])


def _estimates(phases: Sequence[tuple[float, float, float, int]]) -> tuple[Estimate, Estimate, Estimate]:
    setup, offline, online = (Estimate(seconds, (p0, p1), rounds) for seconds, p0, p1, rounds in phases)
    return setup, offline, online


def _calibrated(path: str | os.PathLike[str]) -> tuple[list[float], str]:
    with open(path, encoding="utf-8") as file:
        read = json.load(file)
    try:
        link = read.get("link")
        net = USUAL if link is None else f"{link['mbit_per_s']}:{link['rtt_ms']}ms"
        return [float(read["machine"][name]) for name in MACHINE], net
    except KeyError as error:
        raise ParamError(f"{path}: has no {error}; run `hushtable calibrate` again") from None
    except (AttributeError, TypeError, ValueError) as error:
        raise ParamError(f"{path}: not what `hushtable calibrate` writes: {error!r}") from None
