#!/usr/bin/env python3
"""Holds the pinned LPN sets against the estimator: fails if a stated cost is off by more than 0.1 bit, missing, or
below the floor. Reads the sets out of the Rust source, so that no copy can drift.

    check_lpn.py [crates/hushtable/src/ot/params.rs]
"""
import re
import sys
from multiprocessing import Pool
from pathlib import Path

from lpn_estimate import estimate
from lpn_field import estimate_field, sees_ones
from lpn_isd import WEIGHT

TOLERANCE = 0.1
SOURCE = Path(__file__).parent.parent / "crates/hushtable/src/ot/params.rs"
BOUND = "local10_floor"     # a bound that no known algorithm reaches: stated, not under the floor


def number(text, pattern):
    """The one number that `pattern` captures in `text`."""
    found = re.findall(pattern, text)
    if len(found) != 1:
        sys.exit(f"{pattern!r} matches {len(found)} times, expected once")
    return float(found[0])


def read_sets(source):
    """[(name, t, log2_k, depth, {attack: bits})] of every `pub const X: LpnSet`."""
    sets = []
    for name, body in re.findall(r"pub const (\w+): LpnSet = LpnSet \{(.*?)\n\};", source, re.S):
        bits = {attack: float(v) for attack, v in re.findall(r'\("(\w+)", ([\d.]+)\)', body)}
        bits[BOUND] = number(body, r"sparse_bound: ([\d.]+)")
        t, log2_k, depth = (int(number(body, rf"\b{field}: (\d+)")) for field in ("t", "log2_k", "depth"))
        sets.append((name, t, log2_k, depth, bits))
    return sets


def check(one):
    """The lines to print and the number of failures for one set."""
    name, t, log2_k, depth, stated, floor = one
    real = estimate(t << depth, 1 << log2_k, t) | estimate_field(t << depth, 1 << log2_k, t)
    lines, failures = [f"{name} ({t},{log2_k},{depth})"], 0
    for attack in sorted(set(real) | set(stated), key=lambda a: real.get(a, 0)):
        have, want = stated.get(attack), real.get(attack)
        problem = ""
        if have is None or want is None:
            problem = "not stated" if have is None else "unknown attack"
        elif not abs(have - want) <= TOLERANCE:
            problem = "stated figure is wrong"
        elif not min(have, want) >= floor and attack != BOUND:
            problem = f"below {floor}"
        failures += bool(problem)
        note = problem or ("(bound, not an attack)" if attack == BOUND else "")
        lines.append(f"  {attack:18s} stated {have or 0:6.1f}  computed {want or 0:7.2f}  {note}".rstrip())
    if not sees_ones(t << depth, 1 << log2_k, t):
        lines, failures = lines + ["  a matrix of ones over F_2^64 is not refused"], failures + 1
    return lines, failures


def judges_known_set():
    """A set in common use, with the costs known for it: an estimator that lost an attack would miss them."""
    real = estimate(1170 << 11, 1 << 17, 1170)
    known = {"hybrid": 128.19, "stern": 135.03, "es_enum": 136.46, "es_repr": 139.25, "agb": 144.34,
             "es_perm": 157.50, "gauss": 142.58, "local10_enum": 98.35}
    return all(abs(real[attack] - bits) <= TOLERANCE for attack, bits in known.items())


def main():
    source = Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE).read_text()
    floor = number(source, r"const FLOOR_BITS: f64 = ([\d.]+);")
    if number(source, r"const WEIGHT: usize = (\d+);") != WEIGHT:
        sys.exit(f"the estimator is for rows of weight {WEIGHT}")
    sets = read_sets(source)
    pinned = re.findall(r"const SETS: .* = \[(.*)\];", source)
    if not sets or pinned != [", ".join(f"&{s[0]}" for s in sets)]:
        sys.exit(f"found sets {[s[0] for s in sets]}, but SETS lists {pinned}")
    with Pool(2) as pool:
        known = pool.apply_async(judges_known_set)
        results = pool.map(check, [(*s, floor) for s in sets], chunksize=1)
        if not known.get():
            sys.exit("the estimator misjudges a set whose costs are known")
    for lines, _ in results:
        print("\n".join(lines))
    failures = sum(f for _, f in results)
    print(f"{len(sets)} sets, floor {floor}: " + (f"{failures} FAILED" if failures else "ok"))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
