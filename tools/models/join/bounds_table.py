"""The table of bounds on failure that the library's sizes are tested against, crates/hushtable/tests/data/okvs_bounds.json:
recomputed and compared; `--write` makes it anew. Small ones by default, all with MODELS=full.
    python bounds_table.py           (about a minute)"""
import json, os, sys
from pathlib import Path
from bounds import FULL, cuckoo_bins, hall
from okvs import columns, failure

FILE = Path(__file__).resolve().parents[3] / "crates/hushtable/tests/data/okvs_bounds.json"
KEYS = [1, 8, 64, 256, 390, 512, 1000, 1024, 1260, 1500, 2048, 4096, 8192, 10500, 1 << 14, 1 << 15, 65535, 1 << 16, 10**5,
        1 << 18, 1 << 20, 3 << 20, 1 << 22, 1 << 24, 3 << 24]
ITEMS = [4, 16, 64, 256, 512, 1024, 1500, 1896, 1897, 2048, 4096, 1 << 14, 1 << 16, 10**5, 1 << 18, 1 << 20, 1 << 22, 1 << 24]
REDUCED = [(5, 9), (6, 9), (10, 15), (10, 18), (16, 24), (16, 30), (24, 42)]
SMALL = 2048                                   # the default run recomputes these


def stores():
    for n in KEYS:
        b, m = columns(n)
        yield n <= SMALL, dict(keys=n, clusters=b, columns=m), lambda: failure(n) if n > 1 else -63


def bins():
    for n in ITEMS:
        yield n <= SMALL, dict(items=n, bins=cuckoo_bins(n)), lambda: hall(n, cuckoo_bins(n))


def reduced():
    for n, m in REDUCED:
        yield True, dict(keys=n, columns=m), lambda: hall(n, m)


if __name__ == "__main__":
    write = "--write" in sys.argv
    there = {} if write else json.loads(FILE.read_text())
    made, seen = {}, 0
    for name, rows in (("stores", stores()), ("bins", bins()), ("reduced", reduced())):
        made[name] = []
        for i, (small, sizes, bound) in enumerate(rows):
            entry = sizes if write else there[name][i]
            assert {k: entry[k] for k in sizes} == sizes, (name, sizes, entry)
            if write or small or FULL:
                b = max(round(float(bound()), 2), -1000.0)
                assert name == "reduced" or b <= -40, (name, sizes, b)
                assert write or abs(b - entry["log2_failure"]) < .02, (name, entry, b)
                entry = dict(sizes, log2_failure=b)
                seen += 1
            made[name].append(entry)
        assert write or len(made[name]) == len(there[name]), name
    if write:
        lines = [f' "{name}": [\n' + ",\n".join("  " + json.dumps(e) for e in rows) + "\n ]" for name, rows in made.items()]
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{seen} bounds, each 2^-40 or less, {'written' if write else 'as in the table'}")
    print("largest:", max((e["log2_failure"], str(e)) for n in ("stores", "bins") for e in made[n]))
