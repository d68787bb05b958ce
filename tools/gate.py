#!/usr/bin/env python3
"""Compares this build with the one of which the newest figures were recorded, and fails if it is slower by a tenth.

tools/bench.sh --gate [COMMIT]   builds both programs, which takes minutes, and runs them in turns, so that what else the
                                 machine does falls on both; nothing else should be running all the same

Of each command the least time of either counts, set-up apart. What looks slower runs again, up to four times as often,
before it counts. Exit code 1 if a command is slower by more than 10 %, with a line for each.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "bench/record"
BUILD = ["cargo", "build", "--release", "--locked", "-p", "hushtable-bench"]
WORSE = 1.10
TURNS, MOST_TURNS = 5, 20
COMMANDS = """
ot --scheme iknp --count 16777216
ot --scheme softspoken-4 --count 16777216
ot --scheme ferret --count 16777216
lut --protocol rotl
lut --protocol dt
lut --protocol splut --value-bits 8
triples
cmp --bits 64
trunc --bits 64 --cut 16
math --function sigmoid --bits 16
math --function sqrt --bits 64 --fraction-bits 16
fss --batch 10000 --object dpf
fss --batch 10000 --object cmp
vole --count 1048576
psi --count 1048576
join --count 65536
confidential --design a --rows 65536 --key-bits 16 --batch 256
""".strip().splitlines()


def git(*command):
    return subprocess.run(["git", *command], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def recorded():
    """The commit of the newest line of a record of this processor."""
    processor = subprocess.run(["tools/processor.sh"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    lines = [json.loads(line) for file in (RECORD / processor).glob("20*.jsonl") for line in file.read_text().splitlines()]
    lines = [line for line in lines if "commit" in line]
    if not lines:
        sys.exit(f"no record of {processor} names a commit: run make bench first, or name one")
    return max(lines, key=lambda line: line["date"])["commit"].removesuffix("-changed")


def build(tree, target):
    subprocess.run([*BUILD, "--target-dir", target], cwd=tree, check=True)
    return pathlib.Path(target) / "release/hushtable-bench"


def programs(commit):
    """That of the commit, and that of this tree."""
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    with tempfile.TemporaryDirectory() as folder:
        tree = f"{folder}/tree"
        git("worktree", "add", "--detach", tree, commit)
        try:
            before = build(tree, f"{target}/gate")
        finally:
            git("worktree", "remove", "--force", tree)
    return before, build(ROOT, target)


def seconds(program, command):
    out = subprocess.run([program, *command.split(), "--format", "json"], check=True, capture_output=True, text=True).stdout
    run = json.loads(out.splitlines()[-1])
    return run["offline"]["seconds"] + run["online"]["seconds"]


def compared(both, command):
    """The least time of each, in turns."""
    least = [float("inf")] * 2
    for turn in range(MOST_TURNS):
        for which in (0, 1) if turn % 2 else (1, 0):
            least[which] = min(least[which], seconds(both[which], command))
        if turn + 1 >= TURNS and least[1] <= WORSE * least[0]:
            break
    return least


def main():
    commit = sys.argv[1] if len(sys.argv) > 1 else recorded()
    both = programs(commit)
    slower = 0
    print(f"milliseconds offline and online, at {commit} and now:")
    for command in COMMANDS:
        before, now = compared(both, command)
        worse = now > WORSE * before
        slower += worse
        print(f"{1e3 * before:9.2f} {1e3 * now:9.2f} {now / before:6.2f} {command}{', SLOWER' if worse else ''}", flush=True)
    if slower:
        sys.exit(f"{slower} of {len(COMMANDS)} are slower by more than a tenth")


if __name__ == "__main__":
    main()
