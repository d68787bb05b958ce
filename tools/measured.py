#!/usr/bin/env python3
"""Fills the figures of docs/measured.md from the newest record of tools/bench.sh, so that none is typed.

A table with a column `command` has a row for each command of the record. The columns named below are filled; the others
are text. Of several runs a cell has the median, with the lowest and the highest in brackets where they differ by more
than a tenth. A command without a record is an error. `--check` changes nothing and fails if a cell differs.
"""

import json
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/measured.md"
PHASES = "setup", "offline", "online"


def seconds(run):
    return sum(run[phase]["seconds"] for phase in PHASES)


def sent(run, phases=PHASES):
    return sum(sum(run[phase]["bytes"]) for phase in phases)


def items(run):
    return run.get("batch") or run["count"]


# By column: what a run has, in its unit.
COLUMNS = {
    "offline µs": lambda run: run["us_per_item"]["offline"],
    "online µs": lambda run: run["us_per_item"]["online"],
    "offline bits": lambda run: run["bits_per_item"]["offline"],
    "online bits": lambda run: run["bits_per_item"]["online"],
    "offline bytes": lambda run: run["bits_per_item"]["offline"] / 8,
    "online bytes": lambda run: run["bits_per_item"]["online"] / 8,
    "bytes each": lambda run: sent(run) / items(run),
    "million a second": lambda run: items(run) / seconds(run) / 1e6,
    "without set-up": lambda run: items(run) / run["offline"]["seconds"] / 1e6,
    "offline s": lambda run: run["offline"]["seconds"],
    "online s": lambda run: run["online"]["seconds"],
    "s": seconds,
    "MB": lambda run: sent(run) / 1e6,
    "once s": lambda run: run["once"]["seconds"] if "once" in run else None,
    "once MB": lambda run: sum(run["once"]["bytes"]) / 1e6 if "once" in run else None,
    "rounds": lambda run: run["online"]["rounds"],
    "error": lambda run: (run.get("accuracy") or run["chosen"])["max_ulp"],
    "MiB": lambda run: max(run["peak_rss_bytes"]) / 2**20,
    "runs": None,
}


def number(value):
    """Three digits, as many as runs repeat."""
    digits = f"{value:.3g}"
    return f"{value:.0f}" if "e" in digits else digits


def cell(column, runs):
    if column == "runs":
        return str(len(runs))
    values = [COLUMNS[column](run) for run in runs]
    if None in values:
        return ""
    low, high, middle = min(values), max(values), statistics.median(values)
    return number(middle) + (f" ({number(low)} to {number(high)})" if high > 1.1 * low else "")


def filled(text, record):
    columns, lines = None, []
    for line in text.splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")] if line.startswith("|") else None
        if cells is None:
            columns = None
        elif columns is None:
            columns = cells if cells[-1] == "command" else []
        elif columns and not cells[0].startswith("---"):
            command = re.sub(r"`(.*)`", r"\1", cells[-1])
            if command not in record:
                sys.exit(f"measured: no record of `{command}`; tools/bench.sh makes one")
            cells = [cell(c, record[command]) if c in COLUMNS else old for c, old in zip(columns, cells)]
            line = "|" + "".join(f" {c} |" if c else " |" for c in cells)
        lines.append(line)
    return "\n".join(lines) + "\n"


def main():
    newest = max((ROOT / "bench/record").glob("*/????-??-??.jsonl"), key=lambda path: path.name)
    record = {}
    for line in newest.read_text().splitlines():
        run = json.loads(line)
        record.setdefault(run.get("command"), []).append(run)
    before = PAGE.read_text()
    after = filled(before, record)
    if "--check" not in sys.argv:
        PAGE.write_text(after)
    elif before != after:
        wrong = next(new for old, new in zip(before.splitlines(), after.splitlines()) if old != new)
        sys.exit(f"measured: docs/measured.md differs from {newest.relative_to(ROOT)}; it should have\n{wrong}")


if __name__ == "__main__":
    main()
