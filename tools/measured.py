#!/usr/bin/env python3
"""Fills the figures of docs/measured.md from the records under bench/record/, so that none is typed.

A table with a column `command` has a row for each command, and a line below it that says when and where and of which
commit its figures were recorded. All records of one processor count, of a command its newest line. A table with a
column `most behind` has a row for each of bench/papers, one that begins with `paper table | row | column` has cells of
these tables. The other columns are text. What is not recorded says so; a paper's table counts as recorded if its record
names a commit and was made of what bench/papers describes now.

measured.py [PROCESSOR]   fills the page; from the records of another processor, if one is named
measured.py --check       changes nothing and fails if a figure differs, or if tools/bench.sh lacks a command
measured.py --seconds     says how long the commands on standard input take, by the records
"""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE, RECORD, PAPERS = ROOT / "docs/measured.md", ROOT / "bench/record", ROOT / "bench/papers"
PHASES = "setup", "offline", "online"
PROCESSOR = re.compile(r"(\(\.\./bench/record/)([\w-]+)\)")
MISSING = "not recorded yet"
PYTHON = "dt", "method", "arrays 16", "arrays 32", "arrays 64", "network", "import"
UNITS = {"us": " µs", "bit": " bits", "kB": " kB", "rounds": " rounds", "ratio": ""}


def seconds(run):
    return sum(run[phase]["seconds"] for phase in PHASES)


def sent(run):
    return sum(sum(run[phase]["bytes"]) for phase in PHASES)


def items(run):
    return run.get("batch") or run["count"]


def repeats(run):
    told = re.search(r"--repeat (\d+)", run["command"])
    return run.get("runs") or int(told[1] if told else 1)


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
    "runs": repeats,
    "ANDs": lambda run: run["ands"],
    "lookups": lambda run: run["luts"],
    "million ANDs a second": lambda run: run["ands"] * items(run) / (run["offline"]["seconds"] + run["online"]["seconds"]) / 1e6,
}
# Pieces of the lattice, in microseconds.
COLUMNS |= {
    "transform": lambda run: run["us"]["transform"],
    "known polynomial": lambda run: run["us"]["plain"],
    "a short one": lambda run: run["us"]["plain_short"],
    "product": lambda run: run["us"]["product"],
    "in sums": lambda run: run["us"]["product_in_sum"],
    "encryption": lambda run: run["us"]["encrypt"],
    "key switch": lambda run: run["us"]["switch"],
    "response": lambda run: run["us"]["respond"],
    "opening": lambda run: run["us"]["open"],
}
# Of the package and of the program, by tools/python_bench.py.
COLUMNS |= {
    "least s": lambda run: run["seconds"],
    "MB of memory": lambda run: run["peak_rss_bytes"] / 1e6 if "peak_rss_bytes" in run else None,
    "MB sent": lambda run: run["bytes"] / 1e6 if "bytes" in run else None,
    "beside it s": lambda run: run.get("program_seconds_in_batches", run.get("memory_seconds")),
}


def number(value):
    """Three digits, as many as runs repeat."""
    if value is None:
        return ""
    digits = f"{value:.3g}"
    return f"{value:.0f}" if "e" in digits else digits


def lines_of(processor):
    """By command its newest line, with the day of the file where the line has none."""
    record = {}
    for path in sorted((RECORD / processor).glob("????-??-??.jsonl")):
        for line in path.read_text().splitlines():
            run = json.loads(line)
            if "command" in run:
                record[run["command"]] = {"date": path.stem} | run
    return record


def span(values):
    first, last = min(values), max(values)
    return first if first == last else f"{first} to {last}"


def origin(runs):
    if not runs:
        return "*Recorded: nothing yet.*"
    commits = sorted({run.get("commit", "not noted") for run in runs})
    machines = sorted({run["cpu"] for run in runs})
    return f"*Recorded: {span([run['date'] for run in runs])}, {', '.join(machines)}, commit {', '.join(commits)}.*"


def commands_filled(columns, rows, record, listed):
    """The rows of a table with commands, and what is said below it."""
    used = []
    for cells in rows:
        command = cells[-1].strip("`")
        if command not in listed:
            sys.exit(f"measured: tools/bench.sh does not run `{command}`, or the page has it twice")
        listed.remove(command)
        run = record.get(command)
        used += [run] if run else []
        for i, column in enumerate(columns):
            if column in COLUMNS:
                missing = MISSING if column == "runs" else ""
                cells[i] = number(COLUMNS[column](run)) if run else missing
    return rows, ["", origin(used)]


class Papers:
    """The papers' tables as recorded on a processor."""

    def __init__(self, processor):
        self.tables = {}
        for toml in sorted(PAPERS.glob("*.toml")):
            path = RECORD / processor / "papers" / f"{toml.stem}.csv"
            if toml.stem != "unmeasured":
                self.tables[toml.stem] = self.rows(path, toml.read_text()) if path.exists() else []

    @staticmethod
    def rows(path, described):
        """None of a record without a commit, or of something else than what is described now."""
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        same = all(f'ours = "{row["what"]}"' in described for row in rows if row.get("what"))
        return rows if same and all(row.get("commit") for row in rows) else []

    def summary(self):
        """A row for each table: how many of its cells are behind the paper's, and the one that is most."""
        for name, rows in self.tables.items():
            if not rows:
                yield [name, MISSING] + [""] * 6
                continue
            cells = [name, rows[0]["date"], rows[0]["commit"], str(sum(1 for row in rows if row["ratio"]))]
            for ratio in "ratio", "auto_ratio":
                behind = [row for row in rows if row[ratio] and float(row[ratio]) < 1]
                cells.append(str(len(behind)))
                least = min(behind, key=lambda row: float(row[ratio]), default=None)
                cells.append(f"{number(float(least[ratio]))}: {self.name(least)}" if least else "")
            yield cells

    @staticmethod
    def name(row):
        return f"{row['row']} {row['key']}, {row['column']}"

    def cell(self, table, label, column):
        """Paper, ours, ratio, auto, ratio of a cell."""
        found = [r for r in self.tables[table] if f"{r['row']} {r['key']}" == label and r["column"] == column]
        if not self.tables[table]:
            return ["", MISSING, "", "", ""]
        if len(found) != 1 or not found[0]["ours"]:
            return ["", "not measured", "", "", ""]
        row = found[0]
        value = lambda text: number(float(text)) + UNITS[row["unit"]] if text else ""
        ratio = lambda text: number(float(text)) if text else ""
        chosen = f" (`{row['auto_protocol']}`)" if row["auto_protocol"] else ""
        return [
            value(row["corrected"] or row["paper"]),
            value(row["ours"]),
            ratio(row["ratio"]),
            value(row["auto"]) + chosen,
            ratio(row["auto_ratio"]),
        ]


def split(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def joined(cells):
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)


def table_filled(lines, record, listed, papers):
    """A table's lines, and those below it."""
    columns, rows, below = split(lines[0]), [split(line) for line in lines[2:]], []
    if columns[-1] == "command":
        rows, below = commands_filled(columns, rows, record, listed)
    elif "most behind" in columns:
        rows = list(papers.summary())
    elif columns[:3] == ["paper table", "row", "column"]:
        rows = [cells[:3] + papers.cell(*cells[:3]) for cells in rows]
    else:
        return lines
    return [*lines[:2], *map(joined, rows), *below]


def filled(text, record, listed, papers):
    text = re.sub(r"\n\n\*Recorded: .*", "", text)
    done, table = [], []
    for line in [*text.splitlines(), None]:
        if line is not None and line.startswith("|"):
            table.append(line)
            continue
        done += table_filled(table, record, listed, papers) if table else []
        table = []
        done += [] if line is None else [line]
    return "\n".join(done) + "\n"


def commands():
    """All that tools/bench.sh and tools/python_bench.py run."""
    told = subprocess.run(
        [ROOT / "tools/bench.sh"], env=os.environ | {"LIST": "1", "ONLY": "", "NET": "", "SMALL": ""},
        capture_output=True, text=True, check=True,
    )
    return set(told.stdout.splitlines()) | {f"python {part}" for part in PYTHON}


def predicted(asked):
    """Seconds of commands: as long as they took; else what their phases took and half as much again; else 10."""
    known = {}
    for folder in RECORD.iterdir():
        known |= lines_of(folder.name)
    total = 0
    for command in asked:
        run = known.get(command)
        if run and "wall_s" in run:
            total += run["wall_s"]
        elif run and "setup" in run:
            once = run.get("once", {"seconds": 0})["seconds"]
            total += 1 + 1.5 * repeats(run) * (seconds(run) + once)
        else:
            total += 10
    return round(total)


def main():
    if "--seconds" in sys.argv:
        return print(predicted(sys.stdin.read().splitlines()))
    before = PAGE.read_text()
    named = [word for word in sys.argv[1:] if not word.startswith("--")]
    text = PROCESSOR.sub(rf"\g<1>{named[0]})", before) if named else before
    processor = PROCESSOR.search(text)[2]
    listed = commands()
    after = filled(text, lines_of(processor), listed, Papers(processor))
    if listed:
        sys.exit(f"measured: docs/measured.md does not show `{min(listed)}`")
    if "--check" not in sys.argv:
        PAGE.write_text(after)
    elif before != after:
        lines = zip(before.splitlines() + [""], after.splitlines() + [""])
        wrong = next(new for old, new in lines if old != new)
        sys.exit(f"measured: docs/measured.md differs from the records of {processor}; it should have\n{wrong}")


if __name__ == "__main__":
    main()
