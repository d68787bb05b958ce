#!/usr/bin/env python3
"""Holds what the documentation refers to: links between pages, and every citation of a section of docs/spec, in the
code too ("lut-spec 11.2", "fss-beyond B8", "lut-rules, section 3")."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "docs/spec"
PAGES = {p.stem: p.read_text() for p in SPEC.glob("*.md") if p.stem != "README"}
CITED = re.compile(r"\b(" + "|".join(sorted(PAGES, key=len, reverse=True)) + r")(?:\.md)?[\])(]*,? (?:section )?([A-Z]?\d+(?:\.\d+)?)\b")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def has(page, section):
    """A heading with that number; for labels such as B2 also a paragraph, a row or a sentence that begins with it."""
    begins = r"^#+ " if section[0].isdigit() else r"(?:^(?:#+ |[|*\- ]+)?|\. )"
    return re.search(rf"(?m){begins}{re.escape(section)}(?=[.\s:*|])", PAGES[page]) is not None


def main():
    files = subprocess.run(["git", "ls-files", "*.md", "*.rs", "*.py", "*.toml"], cwd=ROOT, capture_output=True, text=True, check=True)
    wrong, citations, links = [], 0, 0
    for name in files.stdout.split():
        path = ROOT / name
        if not path.is_file():
            continue
        # A citation may go on in the next line of a comment.
        text = re.sub(r"\n\s*(?://[/!]|#)\s*", " ", path.read_text())
        for page, section in CITED.findall(text):
            citations += 1
            if not has(page, section):
                wrong.append(f"{name}: {page} has no {section}")
        if path.suffix == ".md":
            for target in LINK.findall(re.sub(r"`[^`\n]*`", "", path.read_text())):
                if re.match(r"[a-z]+:", target) or "docs/site" in name:
                    continue
                links += 1
                if not (path.parent / target).exists():
                    wrong.append(f"{name}: no {target}")
    if wrong or not citations:
        sys.exit("\n".join(wrong) or "no citation found")
    print(f"{citations} citations of docs/spec and {links} links hold")


if __name__ == "__main__":
    main()
