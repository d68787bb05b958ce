#!/usr/bin/env python3
"""Writes gate.csv and bureau.csv, invented scores of four matching devices; the same on every run.

python3 make.py          writes the files beside this script
python3 make.py --check  exits with 1 if the files differ from what would be written
"""

import pathlib
import random
import sys

PEOPLE = 400
# How well a device tells people apart: the mean score of the right one.
GATE = {"finger": 0.86, "face": 0.74}
BUREAU = {"iris": 0.93, "voice": 0.66}


def score(rng, right, mean):
    """Of the person who is claimed, or of somebody else."""
    centre = mean if right else 0.25
    return min(max(rng.gauss(centre, 0.15), 0.0), 0.996)


def table(people, devices):
    lines = [",".join(["id", *devices])]
    for name, scores in people:
        lines.append(",".join([name, *(f"{scores[device]:.3f}" for device in devices)]))
    return "\n".join(lines) + "\n"


def main():
    rng = random.Random(20261124)
    people = []
    for i in range(PEOPLE):
        right = rng.random() < 0.7
        scores = {device: score(rng, right, mean) for device, mean in {**GATE, **BUREAU}.items()}
        people.append((f"v{1000 + i}", scores))
    files = {"gate.csv": table(people, GATE), "bureau.csv": table(people, BUREAU)}
    here = pathlib.Path(__file__).parent
    if sys.argv[1:] == ["--check"]:
        stale = [name for name, text in files.items() if (here / name).read_text() != text]
        sys.exit(f"out of date: {', '.join(stale)}" if stale else 0)
    for name, text in files.items():
        (here / name).write_text(text)


if __name__ == "__main__":
    main()
