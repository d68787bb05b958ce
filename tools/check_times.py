"""Predicted times of whole jobs against runs.

    python3 tools/check_times.py target/release/hushtable [--repeat N] [--most 18] [--net NET] [--only WORD,..]

Each job runs between two processes on this machine, on one thread each, over plain TCP. `explain --json` says what it should
take. Without `--net` it is told of a link that takes no time, and what is compared is half of the processor's time of both
processes, the least of N runs: that is right on a busy machine, too. With `--net`, such as 1000:1ms, the link is simulated, and
what is compared is the time from the start of the second process to the end of both: for quiet machines. Prints a line for each
job, and fails if one is off by more than a factor of 1.5.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

FACTOR = 1.5
INSTANT = "1000000:0ms"


def write_tables(folder: pathlib.Path, log: int) -> None:
    """Two tables of 2^log rows, of which two thirds have ids in common, and scores of both."""
    draw = random.Random(log)
    for name, first in (("a", 0), ("b", (1 << log) // 3)):
        with open(folder / f"{name}{log}.csv", "w", encoding="ascii") as file:
            file.write("id,score,x,y\n")
            for row in range(1 << log):
                file.write(f"{first + row},{draw.uniform(-4, 4):.3f},{draw.randrange(4000)},{draw.randrange(4000)}\n")
    for name in "ab":
        (folder / f"{name}.toml").write_text("[weights]\nx = 0.25\ny = -0.25\n", encoding="ascii")


def jobs(folder: pathlib.Path, most: int) -> list[tuple[str, list[list[str]], bool]]:
    """Name, what both parties are asked, and whether there are threads to name."""
    found = []
    for log in range(10, most + 1, 2):
        tables = [folder / f"{name}{log}.csv" for name in "ab"]
        out = [folder / f"{name}.out" for name in "ab"]
        shared = [folder / f"{name}{log}.json" for name in "ab"]

        def both(*args: str, files: list[pathlib.Path] = tables, to: list[pathlib.Path] = out) -> list[list[str]]:
            pairs = zip(files, to, strict=True)
            return [[*args, "--input", str(file), "--output", str(target), "--force"] for file, target in pairs]

        apply = ("--reveal", "both", "--no-ids")
        found += [
            (f"apply sigmoid 2^{log}", both("apply", "sigmoid", "--column", "score", *apply), True),
            (f"apply sigmoid with ids 2^{log}", both("apply", "sigmoid", "--column", "score", "--reveal", "both"), True),
            (f"apply ge 2^{log}", both("apply", "ge", "--column", "x", "--against", "y", *apply), True),
            (f"join ids 2^{log}", both("join", "--id", "id", "--reveal", "ids"), False),
            (f"join count 2^{log}", [a[:-3] for a in both("join", "--id", "id", "--reveal", "count")], False),
            (f"join none 2^{log}", both("join", "--id", "id", "--columns", "x:4000,y:4000", to=shared), False),
        ]
        scored = [
            ["score", "--features", str(table), "--weights", str(folder / f"{name}.toml"), "--output", str(target), "--force"]
            for name, table, target in zip("ab", tables, out, strict=True)
        ]
        found.append((f"score 2^{log}", [[*args, "--reveal", "both"] for args in scored], True))
        stats = ["--count", "--sum", "x", "--mean", "y"]
        found.append((f"stats 2^{log}", [["stats", str(file), *stats] for file in shared], False))
    return found


def predicted(program: str, args: list[str], link: list[str]) -> float:
    asked = [program, "explain", *args, "--listen", "127.0.0.1:0", "--insecure-plain-tcp", "--json", *link]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(asked)}: {done.stderr}")
    return float(json.loads(done.stdout)["facts"]["seconds"])


def took(program: str, sides: list[list[str]], link: list[str], timed: bool) -> float:
    """Half of the processor's time of both; `timed`: seconds that pass."""
    common = ["--insecure-plain-tcp", *link]
    listening = [program, *sides[0], *common, "--listen", "127.0.0.1:0"]
    p0 = subprocess.Popen(listening, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    address = next(line.split()[-1] for line in p0.stderr if line.startswith("listening on"))
    start = time.monotonic()
    connecting = [program, *sides[1], *common, "--connect", address]
    p1 = subprocess.Popen(connecting, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    said = p0.stderr.read()
    ended = [os.wait4(process.pid, 0) for process in (p0, p1)]
    seconds = time.monotonic() - start
    if any(status for _, status, _ in ended):
        sys.exit(f"{' '.join(listening)}: {said}")
    return seconds if timed else sum(usage.ru_utime + usage.ru_stime for *_, usage in ended) / 2


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--most", type=int, default=18)
    options.add_argument("--net")
    options.add_argument("--only", default="")
    asked = options.parse_args()
    link = ["--net", asked.net] if asked.net else ["--link", INSTANT]
    off = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for log in range(10, asked.most + 1, 2):
            write_tables(folder, log)
        words = [word for word in asked.only.split(",") if word]
        for title, sides, threads in jobs(folder, asked.most):
            # What statistics read is made by a join.
            if words and not any(word in title for word in (*words, "join none" if "stats" in words else words[0])):
                continue
            sides = [[*side, *(("--threads", "1") if threads else ())] for side in sides]
            runs = [took(asked.program, sides, link, bool(asked.net)) for _ in range(asked.repeat)]
            says, takes = predicted(asked.program, sides[0], link), min(runs)
            ratio = says / takes
            if not 1 / FACTOR <= ratio <= FACTOR:
                off.append(title)
            print(f"{title:32} says {says:8.3f} s, takes {takes:8.3f} s: {ratio:5.2f}", flush=True)
    if off:
        sys.exit(f"off by more than {FACTOR}: {', '.join(off)}")


if __name__ == "__main__":
    main()
