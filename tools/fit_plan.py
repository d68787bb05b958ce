#!/usr/bin/env python3
"""Fits the local work of each lookup protocol, for the constant WORK of its file.

    fit_plan.py measure PROGRAM FILE     runs `PROGRAM-bench lut` over a grid on loopback, appends lines of JSON to FILE
    fit_plan.py fit PROGRAM FILE CALIB   prints the terms, for measurements in FILE on a machine calibrated in CALIB
    fit_plan.py check PROGRAM FILE CALIB prints how far predictions are from the measurements in FILE, any network

PROGRAM is hushtable built for release, with hushtable-bench beside it. Nothing else should be running while it
measures. Needs numpy and scipy.
"""

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile

PROTOCOLS = "ottt oplut splut splut-kk13 flute fluteplus rotl b d dt ar st".split()
INDEX_BITS = [2, 4, 6, 8, 10, 12, 16]
VALUE_BITS = [1, 8, 32, 64]
BATCHES = [1, 100, 10_000, 1_000_000]
# These store rows of one form and read them by the same code: what they take online is fitted as one.
ROWS = "fluteplus rotl b d st".split()
SHARINGS = {"flute": ["--index", "xor", "--output", "xor"], "ottt": ["--output", "xor"]}


def features(k, l):
    """Terms of the model: constant, index bits, entries, bytes of the table, products of these, bytes of an entry."""
    n = float(1 << k)
    width = max(8, 1 << (l - 1).bit_length()) / 8
    return [1.0, float(k), n, n * width, n * n**0.5 / 128, n * n / 128, n * n * width / 128, width]


def run(program, *args):
    done = subprocess.run([program, *args], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def plan(program, k, l, batch, protocol, net, calibration):
    """Predictions for one protocol, or None."""
    sharing = SHARINGS.get(protocol, [])
    args = ["--index-bits", str(k), "--value-bits", str(l), "--batch", str(batch), "--net", net, "--json", *sharing]
    lines = (run(program, "plan", *args, "--calibration", calibration) or "").splitlines()
    return next((p for p in map(json.loads, lines) if p["protocol"] == protocol), None)


def seconds(prediction):
    return sum(prediction[phase]["seconds"] for phase in ("setup", "offline", "online"))


def measure(program, path, net="loopback", limit=4.0, protocols=PROTOCOLS):
    """The grid, but for runs that would take longer than `limit` seconds or much memory."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as default, open(path, "a") as out:
        done = run(program, "calibrate", "--local", "--output", default.name)
        assert done, "calibrate failed"
        for protocol, k, l, batch in itertools.product(protocols, INDEX_BITS, VALUE_BITS, BATCHES):
            expected = plan(program, k, l, batch, protocol, net, default.name)
            if expected is None or seconds(expected) > limit or expected["memory_bytes"] > 2e9:
                continue
            args = ["--index-bits", str(k), "--value-bits", str(l), "--batch", str(batch), "--net", net]
            args += ["--protocol", protocol, "--repeat", "3" if batch < 1e6 else "1", "--format", "json"]
            line = run(f"{program}-bench", "lut", *args, *SHARINGS.get(protocol, []))
            if line is None:
                print("failed:", protocol, k, l, batch, file=sys.stderr)
                continue
            out.write(line)
            out.flush()


def runs(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


def fit(program, path, calibration):
    import numpy as np
    from scipy.optimize import nnls

    with open(calibration) as file:
        free = json.load(file)
    speed = free["machine"]["hash"]
    free["machine"]["hash"] = 1e-9  # work scales with the hash: this leaves everything else
    alone = [[protocol] for protocol in PROTOCOLS]
    groups = [(group, "offline") for group in alone]
    groups += [(group, "online") for group in alone if group[0] not in ROWS] + [(ROWS, "online")]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(free, file)
        file.flush()
        for protocols, phase in groups:
            rows, rest = [], []
            for r in runs(path):
                # Runs in which rounds and waking up count for little.
                if r["protocol"] not in protocols or r["batch"] < 10_000 and r[phase]["seconds"] < 5e-3:
                    continue
                k, l, batch = r["index_bits"], r["value_bits"], r["batch"]
                other = plan(program, k, l, batch, r["protocol"], "loopback", file.name)[phase]["seconds"]
                measured = r[phase]["seconds"]
                scale = 1.0 / measured  # relative errors count
                rows.append([f * 1e-9 * batch * scale for f in features(k, l)])
                rest.append(max(measured - other, 0.0) * scale)
            if rows:
                terms, _ = nnls(np.array(rows), np.array(rest))
                print(f"{phase:8} {' '.join(protocols):16}", ", ".join(f"{t:.4g}" for t in terms))
    print("hash", speed)


def check(program, path, calibration):
    predicted = []
    for r in runs(path):
        k, l, batch, protocol, net = (r[f] for f in ("index_bits", "value_bits", "batch", "protocol", "net"))
        predicted.append((r, plan(program, k, l, batch, protocol, net["name"], calibration)))
    predicted = [(r, p) for r, p in predicted if p]
    errors = []
    for r, p in predicted:
        k, l, batch, protocol, net = (r[f] for f in ("index_bits", "value_bits", "batch", "protocol", "net"))
        errors.append((seconds(p) / seconds(r) - 1, protocol, k, l, batch, net["name"], seconds(r)))
    errors.sort(key=lambda e: abs(e[0]))
    for quantile in (0.5, 0.8, 0.9, 0.95, 1.0):
        print(f"{quantile:4.0%} within {abs(errors[int(quantile * len(errors)) - 1][0]):.0%}")
    for error, protocol, k, l, batch, net, measured in errors[-25:]:
        print(f"{error:+.0%} {protocol} 2^{k} x {l} bits, batch {batch}, {net}: {measured:.4f} s")
    check_choices(program, calibration, predicted)


def check_choices(program, calibration, predicted):
    """Prints where another protocol than the chosen one took less. Set-up is the same work for protocols of which
    the same is predicted: its median counts, or its noise would choose among small jobs."""
    work = lambda r, p: (r["net"]["name"], p["setup"]["seconds"])
    setups = {}
    for r, p in predicted:
        setups.setdefault(work(r, p), []).append(r["setup"]["seconds"])
    best = {}
    for r, p in predicted:
        key = (r["index_bits"], r["value_bits"], r["batch"], r["net"]["name"])
        if (r["index"], r["output"]) == ("additive", "additive"):
            total = statistics.median(setups[work(r, p)]) + r["offline"]["seconds"] + r["online"]["seconds"]
            best.setdefault(key, {})[r["protocol"]] = total
    for (k, l, batch, net), measured in sorted(best.items()):
        args = ["--index-bits", str(k), "--value-bits", str(l), "--batch", str(batch), "--net", net, "--json"]
        lines = run(program, "plan", *args, "--calibration", calibration).splitlines()
        chosen = json.loads(lines[0])["protocol"]
        least = min(measured, key=measured.get)
        if chosen not in measured:
            print(f"2^{k} x {l}, batch {batch}, {net}: chose {chosen}, not measured")
        elif measured[chosen] > 1.15 * measured[least]:
            loss = measured[chosen] / measured[least] - 1
            print(f"2^{k} x {l}, batch {batch}, {net}: chose {chosen}, {least} is better by {loss:.0%}")


if __name__ == "__main__":
    command, *rest = sys.argv[1:] or ["help"]
    if command == "measure" and len(rest) in (2, 3):
        measure(*rest)
    elif command == "fit" and len(rest) == 3:
        fit(*rest)
    elif command == "check" and len(rest) == 3:
        check(*rest)
    else:
        sys.exit(__doc__)
