#!/usr/bin/env python3
"""Measures the Python package beside the program and appends lines of JSON to bench/record/<processor>/<date>.jsonl.

PYTHON tools/python_bench.py [--runs N] [--dry] [PART ...]     with the package installed in PYTHON, `hushtable-bench` built
for release; the parts are `dt` and `method` (sigmoid of 10^6 numbers by one table and as the library chooses), `arrays`,
`network` (450 digits of 8 x 8 pixels by an MLP of 64, 32 and 10 numbers, which needs scikit-learn) and `import`.

Nothing else should be running. For lookups the parties are processes of this machine, on TCP without TLS, as in
`hushtable-bench`. Sharing and opening is between the two threads of `run_pair`: `gb_per_s` is the bytes of the array
of float64 over the time of `p.share` and `p.open` together, of the slower party; `memory_seconds` is the time of
writing arrays as large as the share's words and the result at both, which no protocol can beat. Times are the least
of all runs, `median_seconds` is the median; `--dry` prints and records nothing.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import hushtable as ht
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SHARED, LOOKUPS = 10**7, 10**6
INDEX_BITS, VALUE_BITS, MATH_FRACTION = 12, 16, 12
BATCH = 1 << 16
PARTS = ("dt", "method", "arrays", "network", "import")


def share_open(bits, runs):
    """Seconds of each run to share and open numbers that are in memory; both parties in this process."""

    def party(p):
        values, taken = np.random.default_rng(p.role).uniform(-30, 30, SHARED), []
        for _ in range(runs):
            p.barrier()
            start = time.perf_counter()
            p.open(p.share(values, bits=bits, fraction=8))
            taken.append(time.perf_counter() - start)
        return taken

    return list(map(max, *ht.run_pair(party)))


def write_arrays(bits, runs):
    """Least seconds in which two threads write arrays as large as the words and the results, each new."""

    def party(p):
        values, taken = np.ones(SHARED), []
        for _ in range(runs):
            p.barrier()
            start = time.perf_counter()
            words = values.astype(np.dtype(f"u{bits // 8}"))
            words.astype(np.float64)
            taken.append(time.perf_counter() - start)
        return taken

    return min(map(max, *ht.run_pair(party)))


def shared_and_opened(bits, runs):
    """What is recorded of sharing and opening."""
    taken = share_open(bits, runs)
    return {
        "command": f"python arrays {bits}",
        "kind": "python-share-open",
        "runs": runs,
        "count": SHARED,
        "bits": bits,
        "seconds": min(taken),
        "median_seconds": statistics.median(taken),
        "gb_per_s": 8 * SHARED / min(taken) / 1e9,
        "memory_seconds": write_arrays(bits, runs),
    }


def digits():
    """A network that is trained here, and the digits that it has not seen."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split
    from sklearn.neural_network import MLPClassifier

    known, rows, labels, _ = train_test_split(*load_digits(return_X_y=True), test_size=450, random_state=0)
    estimator = MLPClassifier((32,), random_state=0, max_iter=500).fit(known, labels)
    return estimator, ht.nn.from_sklearn(estimator).calibrate(known), rows


def network(runs):
    """What is recorded of a network's first call of a session, with its set-up; both parties in this process."""
    estimator, model, rows = digits()

    def party(p):
        p.barrier()
        before, start = p.cost, time.perf_counter()
        net = ht.nn.share(p, model if p.role == 0 else None, owner=0)
        inputs = net.input(rows if p.role == 1 else None, owner=1, shape=None if p.role == 1 else len(rows))
        y = p.open(net(inputs), to=1)
        seconds, cost = time.perf_counter() - start, p.cost - before
        return seconds, cost, None if y is None else net.labels(y)

    taken, sent = [], 0
    for _ in range(runs):
        (first, cost, _), (second, _, labels) = ht.run_pair(party)
        if np.mean(labels == estimator.predict(rows)) < 0.99:
            raise SystemExit("the network's labels differ from the estimator's")
        taken.append(max(first, second))
        phases = (cost.setup, cost.offline, cost.online)
        sent = sum(phase.sent + phase.received for phase in phases)
    return {
        "command": "python network",
        "kind": "python-network",
        "runs": runs,
        "count": len(rows),
        "seconds": min(taken),
        "median_seconds": statistics.median(taken),
        "bytes": sent,
    }


def sigmoid(p, part):
    """Seconds of the call, and of its phases."""
    values = np.random.default_rng(p.role).uniform(-1.9, 1.9, LOOKUPS)
    how = {"protocol": part} if part in ht.protocols() else {"method": "auto"}
    fraction = 8 if part in ht.protocols() else MATH_FRACTION
    s = p.share(values, bits=VALUE_BITS, fraction=fraction, range=(-8, 8) if fraction == 8 else (-4, 4))
    p.barrier()
    before, start = p.cost, time.perf_counter()
    ht.sigmoid(s, **how)
    seconds = time.perf_counter() - start
    cost = p.cost - before
    phases = {"setup": cost.setup, "offline": cost.offline, "online": cost.online}
    return {"seconds": seconds, "phases": {name: phase.seconds for name, phase in phases.items()}}


def serve(part, address):
    """One party, in a process of its own: prints what it measured."""
    options = {"insecure_plain_tcp": True}
    if address == "listen":
        p = ht.listen("127.0.0.1:0", on_listening=lambda at: print(at, flush=True), **options)
    else:
        p = ht.connect(address, **options)
    with p:
        measured = sigmoid(p, part)
    measured["peak_rss_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(measured), flush=True)


def both(part):
    """Runs both parties; what each measured."""
    command = [sys.executable, __file__, "--party", part]
    with subprocess.Popen([*command, "listen"], stdout=subprocess.PIPE, text=True) as first:
        address = first.stdout.readline().strip()
        second = subprocess.run([*command, address], capture_output=True, text=True, check=True)
        measured = [json.loads(first.stdout.readline()), json.loads(second.stdout)]
    return measured


def import_seconds():
    """Seconds to import the package once NumPy is there."""
    code = "import time, numpy; t = time.perf_counter(); import hushtable; print(time.perf_counter() - t)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def program(part, batch):
    """The same by the program, so many at once."""
    binary = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "hushtable-bench"
    kind = ["lut", "--protocol", part, "--index", "additive", "--output", "additive"]
    kind += ["--index-bits", str(INDEX_BITS), "--value-bits", str(VALUE_BITS)]
    if part == "method":
        kind = ["math", "--function", "sigmoid", "--bits", str(VALUE_BITS), "--fraction-bits", str(MATH_FRACTION)]
    command = [binary, *kind, "--batch", str(batch), "--threads", "1", "--format", "json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])


def compared(part, runs):
    """The package and the program in turns, so that both meet the same disturbances."""
    ours, theirs, batches = [], [], []
    for _ in range(runs):
        ours.append(both(part))
        theirs.append(program(part, LOOKUPS))
        batches.append(program(part, BATCH))

    # The program's set-up connects too; the package has connected before.
    def least(found, count):
        return min(run["offline"]["seconds"] + run["online"]["seconds"] for run in found) * LOOKUPS / count

    seconds = min(max(party["seconds"] for party in run) for run in ours)
    memory = min(max(party["peak_rss_bytes"] for party in run) for run in ours)
    program_memory = min(max(run["peak_rss_bytes"]) for run in theirs)
    all_at_once, in_batches = least(theirs, LOOKUPS), least(batches, BATCH)
    return {
        "command": f"python {part}",
        "kind": "python-sigmoid",
        "runs": runs,
        "by": part,
        "count": LOOKUPS,
        "value_bits": VALUE_BITS,
        "seconds": seconds,
        "program_seconds": all_at_once,
        "program_seconds_in_batches": in_batches,
        "ratio": seconds / min(all_at_once, in_batches),
        "peak_rss_bytes": memory,
        "program_peak_rss_bytes": program_memory,
        "memory_ratio": memory / program_memory,
        "cpu": theirs[0]["cpu"],
        "version": theirs[0]["version"],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--party", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART")
    options = parser.parse_args()
    if options.party:
        return serve(*options.party)
    parts, runs = options.parts or PARTS, options.runs
    lines = [compared(part, runs) for part in parts if part in ("dt", "method")]
    info = program("dt", 1)
    about = {name: info[name] for name in ("cpu", "version")}
    if "arrays" in parts:
        lines += [shared_and_opened(bits, 4 * runs) | about for bits in (16, 32, 64)]
    if "network" in parts:
        lines.append(network(runs) | about)
    if "import" in parts:
        least = min(import_seconds() for _ in range(runs))
        lines.append({"command": "python import", "kind": "python-import", "runs": runs, "seconds": least} | about)
    commit = subprocess.run([ROOT / "tools" / "commit.sh"], capture_output=True, text=True, check=True)
    stamp = {"date": str(datetime.datetime.now(datetime.timezone.utc).date()), "commit": commit.stdout.strip()}
    lines = [line | stamp for line in lines]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    sys.stdout.write(text)
    if not options.dry:
        processor = subprocess.run([ROOT / "tools" / "processor.sh"], capture_output=True, text=True, check=True)
        record = ROOT / "bench" / "record" / processor.stdout.strip() / f"{stamp['date']}.jsonl"
        record.parent.mkdir(parents=True, exist_ok=True)
        with open(record, "a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
