#!/usr/bin/env python3
"""Counts the conditional jumps of every function of `prim` in a release binary, and compares them with the record.

A select that the compiler turned into a branch on its mask is one jump more than was recorded. Loops over public
lengths, checks of lengths and the choice of the instruction set are jumps as well: whoever records a larger count
(`--record`) has looked at what it is, in `objdump -dC`.

Counts belong to a compiler and an architecture: with another one nothing can be compared, and a line says so. That a
branch is seen is checked first, on a function that has one.
"""

import collections
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "crates/prim/tests/data/branches.txt"
PLANTED = "hushtable_taint::branch_on_mask"
FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
# j.. but jmp, and loop..: the mnemonic follows the address.
JUMP = re.compile(r"^\s*[0-9a-f]+:\s+(?:bnd )?(?:j(?!mp)[a-z]+|loop[a-z]*)\s")


def compiler():
    lines = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout.splitlines()
    said = dict(line.split(": ", 1) for line in lines if ": " in line)
    return f"{said['release']} {said['commit-hash'][:12]} {platform.machine()}"


def counted(binary):
    """Conditional jumps of the functions that are looked at: by name, a number for each instance, largest first."""
    command = ["objdump", "--disassemble", "--demangle", "--no-show-raw-insn", str(binary)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    jumps, instances = collections.defaultdict(list), None
    for line in text.splitlines():
        if found := FUNCTION.match(line):
            name = re.sub(r"::h[0-9a-f]{16}$|\[[0-9a-f]{16}\]", "", found[1])
            looked_at = re.match(r"<*&?(mut )?hushtable_prim::|.* as hushtable_prim::", name) or name == PLANTED
            instances = jumps[name] if looked_at else None
            if looked_at:
                instances.append(0)
        elif instances and JUMP.match(line):
            instances[-1] += 1
    return {name: sorted(counts, reverse=True) for name, counts in jumps.items()}


def has_more(counts, recorded):
    return len(counts) > len(recorded) or any(now > then for now, then in zip(counts, recorded))


def main():
    arguments = [a for a in sys.argv[1:] if a != "--record"]
    binary = pathlib.Path(arguments[0]) if arguments else ROOT / "target/release/hushtable-taint"
    jumps = counted(binary)
    if not has_more(jumps.pop(PLANTED, []), [0]):
        sys.exit(f"branches: the planted branch of {PLANTED} is not seen")
    if "--record" in sys.argv:
        lines = [f"{name}: {' '.join(map(str, counts))}\n" for name, counts in sorted(jumps.items())]
        RECORD.write_text(f"# {compiler()}\n" + "".join(lines))
        print(f"branches: {len(lines)} names recorded")
        return
    first, *lines = RECORD.read_text().splitlines()
    if first != f"# {compiler()}":
        print(f"branches: SKIPPED, recorded with {first[2:]}, this is {compiler()}")
        return
    record = {name: [int(count) for count in counts.split()] for name, _, counts in (s.rpartition(": ") for s in lines)}
    wrong = sorted((name, counts) for name, counts in jumps.items() if has_more(counts, record.get(name, [])))
    for name, counts in wrong:
        print(f"branches: {name} has {counts} conditional jumps, recorded are {record.get(name, 'none')}")
    if wrong:
        sys.exit("branches: look at them, and record them if no secret decides them: tools/branches.py --record")
    print(f"branches: {sum(map(len, jumps.values()))} functions, {sum(map(sum, jumps.values()))} jumps, none new")


if __name__ == "__main__":
    main()
