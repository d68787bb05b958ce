#!/usr/bin/env python3
"""Writes bank.csv and telecom.csv, invented customers, and both parties' weights; the same on every run.

python3 make.py          writes the files beside this script
python3 make.py --check  exits with 1 if the files differ from what would be written
"""

import pathlib
import random
import sys

CUSTOMERS = 1000

# column: (centre, weight per unit). A party's score is the sum of weight * (value - centre).
BANK = {
    "income_keur": (38.0, 0.030),
    "debt_ratio": (0.35, -1.9),
    "late_instalments": (1.5, -0.4),
    "years_customer": (9.0, 0.05),
}
TELECOM = {
    "contract_months": (30.0, 0.022),
    "late_bills": (1.8, -0.5),
    "prepaid_share": (0.3, -1.4),
    "handset_instalments": (0.5, 0.35),
}


def between(low, high, x):
    return low + (high - low) * x


def customer(rng):
    """One person's features at both companies, tied together by how reliably the person pays."""
    reliable = rng.random()

    def near():
        return 0.65 * reliable + 0.35 * rng.random()

    bank = {
        "income_keur": round(between(16, 110, near() * near()), 1),
        "debt_ratio": round(between(1.1, 0.02, near()), 2),
        "late_instalments": int(between(5.99, 0, near())),
        "years_customer": int(between(0, 26, near() * rng.random())),
    }
    telecom = {
        "contract_months": int(between(1, 96, near())),
        "late_bills": int(between(5.99, 0, near())),
        "prepaid_share": round(between(1, 0, near()), 2),
        "handset_instalments": int(rng.random() < 0.6),
    }
    return bank, telecom


def score(features, model):
    return round(sum(weight * (features[name] - centre) for name, (centre, weight) in model.items()), 4)


def table(rows, ids, model):
    lines = [",".join(["id", *model, "score"])]
    for name, features in zip(ids, rows):
        own = score(features, model)
        assert -4 < own < 3.99, (name, own)
        lines.append(",".join([name, *(str(features[c]) for c in model), f"{own:.4f}"]))
    return "\n".join(lines) + "\n"


def weights(model):
    """The same model with an intercept in place of centres."""
    intercept = -sum(weight * centre for centre, weight in model.values())
    lines = [f"intercept = {round(intercept, 6)}", "", "[weights]"]
    return "\n".join(lines + [f"{name} = {weight}" for name, (_, weight) in model.items()]) + "\n"


def main():
    rng = random.Random(20261121)
    ids = [f"C{100000 + 7 * i + int(7 * rng.random())}" for i in range(CUSTOMERS)]
    people = [customer(rng) for _ in range(CUSTOMERS)]
    here = pathlib.Path(__file__).parent
    files = {
        "bank.csv": table([bank for bank, _ in people], ids, BANK),
        "telecom.csv": table([telecom for _, telecom in people], ids, TELECOM),
        "bank.toml": weights(BANK),
        "telecom.toml": weights(TELECOM),
        "tariff.csv": "fee\n" + "".join(f"{min(5 * late, 60)}\n" for late in range(256)),
    }
    if sys.argv[1:] == ["--check"]:
        stale = [name for name, text in files.items() if (here / name).read_text() != text]
        sys.exit(f"out of date: {', '.join(stale)}" if stale else 0)
    for name, text in files.items():
        (here / name).write_text(text)


if __name__ == "__main__":
    main()
