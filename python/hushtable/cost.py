"""What a session took: time, bytes and rounds, by phase and by operation."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from . import _hushtable as native
from .columns import write_file

PHASES = {"setup": "set-up", "offline": "offline", "online": "online"}


@dataclass(frozen=True)
class Phase:
    """Seconds, bytes and rounds at this party. Rounds are the longest chain of dependent messages."""

    seconds: float = 0.0
    sent: int = 0
    received: int = 0
    rounds: int = 0

    def __add__(self, other: Phase) -> Phase:
        return Phase(
            self.seconds + other.seconds,
            self.sent + other.sent,
            self.received + other.received,
            self.rounds + other.rounds,
        )


@dataclass(frozen=True)
class Cost:
    """The phases of a session, or of a part of it: `a - b` is what came after `b`.

    `by_operation` has the same by name, in the order of first use.
    """

    records: tuple[native._Record, ...] = field(repr=False)

    @property
    def setup(self) -> Phase:
        """Connecting, handshake, base OTs, start of the OT extension."""
        return self._phase("setup")

    @property
    def offline(self) -> Phase:
        """The rest that needs no input."""
        return self._phase("offline")

    @property
    def online(self) -> Phase:
        """What needs the inputs."""
        return self._phase("online")

    @property
    def by_operation(self) -> dict[str, dict[str, Phase]]:
        """Phases by the name of the operation."""
        out: dict[str, dict[str, Phase]] = {}
        for name, phase, _, seconds, sent, received, rounds in self.records:
            phases = out.setdefault(name, {})
            phases[phase] = phases.get(phase, Phase()) + Phase(seconds, sent, received, rounds)
        return out

    def __sub__(self, before: Cost) -> Cost:
        return Cost(self.records[len(before.records) :])

    def __str__(self) -> str:
        rows = [(PHASES[name], self._phase(name)) for name in PHASES]
        for operation, phases in self.by_operation.items():
            rows += [(f"  {operation}, {PHASES[name]}", phase) for name, phase in phases.items()]
        width = max(len(name) for name, _ in rows) + 2
        lines = [f"{'phase':{width}}{'time':>12}{'sent':>12}{'received':>12}{'rounds':>8}"]
        lines += [
            f"{name:{width}}{format_time(p.seconds):>12}{format_bytes(p.sent):>12}"
            f"{format_bytes(p.received):>12}{p.rounds:>8}"
            for name, p in rows
        ]
        return "\n".join(lines)

    def _phase(self, phase: str) -> Phase:
        return sum((Phase(*r[3:]) for r in self.records if r[1] == phase), Phase())


def write_trace(
    path: str | os.PathLike[str], role: int, records: Iterable[native._Record], overwrite: bool
) -> None:
    """Writes a timeline in the trace-event format, which Perfetto and Chrome open."""
    threads = {phase: i for i, phase in enumerate(PHASES)}
    events: list[dict[str, object]] = [
        {"ph": "M", "name": "process_name", "pid": role, "args": {"name": f"party {role}"}},
    ]
    events += [
        {"ph": "M", "name": "thread_name", "pid": role, "tid": i, "args": {"name": PHASES[phase]}}
        for phase, i in threads.items()
    ]
    for name, phase, start, seconds, sent, received, rounds in records:
        args = {"sent": sent, "received": received, "rounds": rounds}
        times = {"ts": start * 1e6, "dur": seconds * 1e6}
        event = {"ph": "X", "name": name, "cat": phase, "pid": role, "tid": threads[phase]}
        events.append({**event, **times, "args": args})
    text = json.dumps({"traceEvents": events, "displayTimeUnit": "ms"})
    write_file(Path(path), lambda file: file.write(text.encode()), overwrite)


def format_time(seconds: float) -> str:
    """A time with its unit."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} us"


def format_bytes(count: int) -> str:
    """A size with its unit."""
    if count >= 1_000_000:
        return f"{count / 1e6:.2f} MB"
    return f"{count / 1e3:.2f} kB" if count >= 1000 else f"{count} B"
