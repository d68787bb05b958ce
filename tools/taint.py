#!/usr/bin/env python3
"""Runs the online phase of each family under valgrind, with secrets marked as undefined: no secret may decide a branch
or an address. A planted branch and a planted index must be reported first. With an argument only the families whose
name contains it.

A value that is opened is public, but half of it is this party's own, so valgrind takes it for a secret. A report is
accepted if the innermost function of this project is one of those in `taint/public.txt`, each with its reason.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
PUBLIC = ROOT / "tools/taint/public.txt"
KINDS = {"UninitCondition": "a branch", "UninitValue": "an address", "SyscallParam": "a system call"}


def reports(binary, *arguments):
    """The functions of this project on the stack of each report, innermost first, with what was decided."""
    # The processor that valgrind shows has AES-NI and AVX2, but neither VAES nor AVX-512: the AES-NI kernels run.
    # Threads take turns, so that heartbeats are sent in time.
    with tempfile.NamedTemporaryFile(suffix=".xml") as log:
        options = ["--fair-sched=try", "--error-limit=no", "--num-callers=24", "--leak-check=no", "--xml=yes"]
        subprocess.run(["valgrind", *options, f"--xml-file={log.name}", str(binary), *arguments], check=True)
        return parsed(log.name)


def parsed(xml):
    found = []
    for error in ElementTree.parse(xml).getroot().iter("error"):
        frames = [function(frame) for frame in error.find("stack").iter("frame")]
        if kind := KINDS.get(error.findtext("kind")):  # and not of memory that was never freed
            found.append((kind, [f for f in frames if f]))
    return found


def function(frame):
    """The file of this project, the function and the line, or nothing for another's."""
    path = re.search(r"(crates|tools)/.*", f"{frame.findtext('dir') or ''}/{frame.findtext('file') or ''}")
    if not path or not (ROOT / path[0]).is_file():
        return None
    line = int(frame.findtext("line") or 1)
    above = (ROOT / path[0]).read_text().splitlines()[:line]
    names = [name[1] for text in above if (name := re.search(r"\bfn (\w+)", text))]
    return path[0], names[-1] if names else "?", line


def accepted():
    lines = [line.partition("#")[0].split() for line in PUBLIC.read_text().splitlines()]
    return {(file, name) for file, name in filter(None, lines)}


def main():
    if not shutil.which("valgrind"):
        print("taint: SKIPPED, no valgrind on this machine")
        return
    binary = os.environ.get("TAINT")
    if not binary:
        # With the program: then both are of one build of the library.
        packages = ["-p", "hushtable-taint", "-p", "hushtable-cli"]
        build = [os.environ.get("CARGO", "cargo"), "build", "--release", "--locked", *packages]
        subprocess.run(build, cwd=ROOT, check=True)
        binary = ROOT / "target/release/hushtable-taint"
    planted = {kind for kind, frames in reports(binary, "plant") if any(f[0].startswith("tools/") for f in frames[:1])}
    if not {"a branch", "an address"} <= planted:
        sys.exit(f"taint: of a planted branch and a planted index only {planted or 'nothing'} is seen")
    public, used, wrong = accepted(), set(), set()
    for kind, frames in reports(binary, *sys.argv[1:2]):
        place = frames[0][:2] if frames else None
        if place in public:
            used.add(place)
        else:
            wrong.add((kind, " < ".join("{}:{} ({})".format(f[0], f[2], f[1]) for f in frames[:4])))
    for kind, where in sorted(wrong):
        print(f"taint: a secret decides {kind}: {where}")
    if wrong:
        sys.exit("taint: secrets decide")
    print(f"taint: no secret decides a branch or an address; opened values do in {len(used)} functions")


if __name__ == "__main__":
    main()
