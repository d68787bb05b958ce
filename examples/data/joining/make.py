#!/usr/bin/env python3
"""Writes bank.csv and telecom.csv: the people of the scoring example and others, each company's own in its own order;
and both parties' weights. The same on every run.

python3 make.py          writes the files beside this script
python3 make.py --check  exits with 1 if the files differ from what would be written
"""

import importlib.util
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).parent
PEOPLE = 1400
REGIONS = ["north", "south", "east", "west"]

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("scoring", HERE.parent / "scoring" / "make.py")
scoring = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scoring)


def main():
    rng = random.Random(20261123)
    people = [scoring.customer(rng) for _ in range(PEOPLE)]
    ids = [f"C{200000 + 7 * i + int(7 * rng.random())}" for i in range(PEOPLE)]
    bank, telecom = [], []
    for name, (at_bank, at_telecom) in zip(ids, people):
        both = rng.random()
        region = rng.choices(REGIONS, [5, 4, 3, 1])[0]
        if both < 0.75:
            cells = [name, *(str(at_bank[column]) for column in scoring.BANK), region]
            bank.append(",".join(cells))
        if both > 0.25:
            # As people type it: blanks, small letters.
            typed = [name, name.lower(), f" {name} "][int(3 * rng.random())]
            telecom.append(",".join([*(str(at_telecom[column]) for column in scoring.TELECOM), typed]))
    rng.shuffle(bank)
    rng.shuffle(telecom)
    files = {
        "bank.csv": "\n".join([",".join(["customer", *scoring.BANK, "region"]), *bank]) + "\n",
        "telecom.csv": "\n".join([",".join([*scoring.TELECOM, "subscriber"]), *telecom]) + "\n",
        "bank.toml": scoring.weights(scoring.BANK),
        "telecom.toml": scoring.weights(scoring.TELECOM),
    }
    if sys.argv[1:] == ["--check"]:
        stale = [name for name, text in files.items() if (HERE / name).read_text() != text]
        sys.exit(f"out of date: {', '.join(stale)}" if stale else 0)
    for name, text in files.items():
        (HERE / name).write_text(text)


if __name__ == "__main__":
    main()
