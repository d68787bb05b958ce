#!/usr/bin/env python3
"""Holds the plan's predictions against measured runs.

    check_plan.py measure PROGRAM FILE [NET]      runs `PROGRAM-bench lut` over a grid, appends lines of JSON to FILE
    check_plan.py check PROGRAM CALIB FILE...     prints how far predictions are off, by protocol and phase, and what
                                                  the choices cost, for runs in FILEs on a machine calibrated in CALIB

PROGRAM is hushtable built for release, with hushtable-bench beside it. Nothing else should be running while it
measures. Predictions are counts times rates: the terms that count are those beside each protocol's bill.
"""

import collections
import itertools
import json
import statistics
import subprocess
import sys
import tempfile

PROTOCOLS = "ottt oplut splut splut-kk13 flute fluteplus rotl b d dt ar st".split()
INDEX_BITS = [2, 4, 6, 8, 10, 12, 16]
VALUE_BITS = [1, 8, 32, 64]
BATCHES = [1, 100, 10_000, 1_000_000]
SHARINGS = {"flute": ["--index", "xor", "--output", "xor"], "ottt": ["--output", "xor"]}
# A phase that is over sooner is mostly waiting.
SHORT = 2e-3
QUANTILES = (0.5, 0.8, 0.9, 0.95)


def run(program, *args):
    done = subprocess.run([program, *args], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


class Plans:
    """Predictions for all protocols, by job and network, each asked for once."""

    def __init__(self, program, calibration):
        self.program, self.calibration, self.known = program, calibration, {}

    def all(self, k, l, batch, net, sharing=("--index", "additive")):
        key = (k, l, batch, net, *sharing)
        if key not in self.known:
            args = ["--index-bits", k, "--value-bits", l, "--batch", batch, "--net", net, *sharing, "--json"]
            lines = run(self.program, "plan", *map(str, args), "--calibration", self.calibration) or ""
            self.known[key] = [json.loads(line) for line in lines.splitlines()]
        return self.known[key]

    def of(self, r):
        sharing = ("--index", r["index"], "--output", r["output"])
        all_ = self.all(r["index_bits"], r["value_bits"], r["batch"], r["net"]["name"], sharing)
        return next((p for p in all_ if p["protocol"] == r["protocol"]), None)


def seconds(phases):
    return sum(phases[phase]["seconds"] for phase in ("setup", "offline", "online"))


def measure(program, path, net="loopback", limit=4.0):
    """The grid, but for runs that would take longer than `limit` seconds or much memory."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as default, open(path, "a") as out:
        done = run(program, "calibrate", "--local", "--output", default.name)
        assert done, "calibrate failed"
        plans = Plans(program, default.name)
        for protocol, k, l, batch in itertools.product(PROTOCOLS, INDEX_BITS, VALUE_BITS, BATCHES):
            sharing = SHARINGS.get(protocol, [])
            planned = plans.all(k, l, batch, net, tuple(sharing))
            expected = next((p for p in planned if p["protocol"] == protocol), None)
            if expected is None or seconds(expected) > limit or expected["memory_bytes"] > 2e9:
                continue
            args = ["--index-bits", k, "--value-bits", l, "--batch", batch, "--net", net, "--protocol", protocol]
            args += ["--repeat", 3 if batch < 1e6 else 1, "--format", "json", *sharing]
            line = run(f"{program}-bench", "lut", *map(str, args))
            if line is None:
                print("failed:", protocol, k, l, batch, file=sys.stderr)
                continue
            out.write(line)
            out.flush()


def runs(paths):
    for path in paths:
        with open(path) as lines:
            yield from map(json.loads, lines)


def quantile(values, part):
    return sorted(values)[min(int(part * len(values)), len(values) - 1)]


def check(program, calibration, paths):
    plans = Plans(program, calibration)
    predicted = [(r, p) for r in runs(paths) if (p := plans.of(r))]
    errors = collections.defaultdict(list)
    for r, p in predicted:
        for phase in ("offline", "online"):
            if r[phase]["seconds"] > SHORT:
                errors[r["protocol"], phase].append(p[phase]["seconds"] / r[phase]["seconds"] - 1)
        for name in (r["protocol"], "all"):
            errors[name, "in all"].append(seconds(p) / seconds(r) - 1)
    print("| protocol | phase | runs | half within | 80 % | 90 % | 95 % | median |")
    print("|---|---|---|---|---|---|---|---|")
    for (protocol, phase), found in sorted(errors.items()):
        within = " | ".join(f"{quantile([abs(e) for e in found], part):.0%}" for part in QUANTILES)
        print(f"| {protocol} | {phase} | {len(found)} | {within} | {statistics.median(found):+.0%} |")
    check_choices(plans, predicted)


def check_choices(plans, predicted):
    """Prints how much longer the chosen protocols took than the best. Set-up is the same work for protocols of which
    the same is predicted: what is predicted counts, or its noise would choose among small jobs."""
    jobs = collections.defaultdict(lambda: collections.defaultdict(list))
    for r, p in predicted:
        if (r["index"], r["output"]) == ("additive", "additive"):
            key = (r["index_bits"], r["value_bits"], r["batch"], r["net"]["name"])
            total = p["setup"]["seconds"] + r["offline"]["seconds"] + r["online"]["seconds"]
            jobs[key][r["protocol"]].append(total)
    regrets = []
    for key, found in jobs.items():
        medians = {protocol: statistics.median(times) for protocol, times in found.items()}
        # Of those that were measured.
        chosen = next(p["protocol"] for p in plans.all(*key) if p["protocol"] in medians)
        if len(medians) > 1:
            regrets.append((medians[chosen] / min(medians.values()) - 1, chosen, key))
    if not regrets:
        return
    losses = [loss for loss, *_ in regrets]
    within = ", ".join(f"{part:.0%} within {quantile(losses, part):.0%}" for part in QUANTILES)
    print(f"\n{len(losses)} choices took {statistics.mean(losses):.1%} longer than the best on average; {within}")
    for loss, chosen, (k, l, batch, net) in sorted(regrets, reverse=True)[:8]:
        print(f"{loss:+.0%} 2^{k} x {l} bits, batch {batch}, {net}: chose {chosen}")


if __name__ == "__main__":
    command, *rest = sys.argv[1:] or ["help"]
    if command == "measure" and len(rest) in (2, 3):
        measure(*rest)
    elif command == "check" and len(rest) > 2:
        check(rest[0], rest[1], rest[2:])
    else:
        sys.exit(__doc__)
