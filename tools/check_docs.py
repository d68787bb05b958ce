#!/usr/bin/env python3
"""Holds what the documentation refers to: links between pages; every citation of a section of docs/spec, in the code
too ("lut-spec 11.2", "fss-beyond B8", "lut-rules, section 3"); and the files, modules, items and tests that the pages
name in backticks."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "docs/spec"
PAGES = {p.stem: p.read_text() for p in SPEC.glob("*.md") if p.stem != "README"}
CITED = re.compile(r"\b(" + "|".join(sorted(PAGES, key=len, reverse=True)) + r")(?:\.md)?[\])(]*,? (?:section )?([A-Z]?\d+(?:\.\d+)?)\b")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
# Pages about the code as it is; the changelog also names what is gone.
NAMING = re.compile(r"(?:README|SECURITY|CONTRIBUTING)\.md|docs/(?:spec/)?[\w-]+\.md|tools/models/README\.md|fuzz/README\.md|docs/site/pages/.*")
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"(?:cli:)?([\w./-]+\.(?:rs|py|sh|toml|json|txt|ipynb))")
ITEM = re.compile(r"[A-Za-z]\w*(?:::\w+)+")
# "`wiping.rs` (`no_string_is_freed`, `pieces_free_nothing`)": tests, and where they are.
TESTS = re.compile(r"`((?:cli:)?[\w./]+\.rs|\w+(?:::\w+)+)`(?: [\w' ]+)? \(((?:`\w+`(?:, )?)+)\)")
ROOTS = {name: ROOT / f"crates/{name}/src" for name in ("hushtable", "prim", "he", "logic", "synth", "apps", "baselines", "columns", "jobs", "cli", "bench")}
# An item of a module; what it has, in any file that says `impl`; a variant or a field.
DEFINED = r"(?m)^(?:pub(?:\([a-z: ]+\))? )?(?:(?:const|async) )?(?:fn|struct|enum|trait|type|const|static) {0}\b"
HAS = r"(?ms)(?:\bimpl\b[^{{\n]*|^(?:pub(?:\([a-z: ]+\))? )?(?:struct|enum|trait) ){0}\b.*^ +(?:pub(?:\([a-z: ]+\))? )?(?:fn {1}\b|const {1}\b|{1}[,:({{ ]|{1}$)"


def has(page, section):
    """A heading with that number; for labels such as B2 also a paragraph, a row or a sentence that begins with it."""
    begins = r"^#+ " if section[0].isdigit() else r"(?:^(?:#+ |[|*\- ]+)?|\. )"
    return re.search(rf"(?m){begins}{re.escape(section)}(?=[.\s:*|])", PAGES[page]) is not None


def module(path):
    """The sources of each module that may be meant by a path, and the names behind it."""
    first, *rest = path.split("::")
    starts = [(ROOTS[first], rest)] if first in ROOTS else [(root, [first, *rest]) for root in ROOTS.values()]
    for folder, names in starts:
        while names and any((folder / f"{names[0]}{end}").exists() for end in (".rs", "")):
            folder, names = folder / names[0], names[1:]
        if folder not in ROOTS.values() or first in ROOTS or first[0].isupper():
            files = [folder.with_suffix(".rs"), *folder.rglob("*.rs")]
            yield [f.read_text() for f in files if f.is_file()], names


def exists(path):
    """A module of one of the crates, an item, or what an item has."""
    for texts, names in module(path):
        defined = not names or any(re.search(DEFINED.format(names[0]), text) for text in texts)
        if defined and (len(names) < 2 or any(re.search(HAS.format(*names[:2]), text) for text in texts)):
            return True
    return False


def unknown(text, tracked, code, spec):
    """What a page names and nobody has; on a page of docs/spec, which has formulas and others' programs, sources and items only."""
    text = re.sub(r"(?ms)^```.*?^```", "", text)
    for token in CODE.findall(text):
        if file := FILE.fullmatch(token):
            known = any(f"/{path}".endswith(f"/{file[1]}") for path in tracked)
            if not known and (token.endswith(".rs") or not spec):
                yield token
        elif ITEM.fullmatch(token):
            if not exists(token):
                yield token
        elif re.fullmatch(r"[a-z]\w*_\w+", token) and not spec and not re.search(rf"\b{token}", code):
            yield token
    for where, tests in TESTS.findall(text):
        file = FILE.fullmatch(where)
        found = [(ROOT / path).read_text() for path in tracked if file and f"/{path}".endswith(f"/{file[1]}")]
        found = "\n".join(found or [text for texts, names in module(where) if not names for text in texts])
        yield from (f"{where}: {test}" for test in CODE.findall(tests) if not re.search(rf"\b(fn|def) {test}\b", found))


def main():
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    tracked = [name for name in files.stdout.split() if (ROOT / name).is_file()]
    code = "\n".join(name + (ROOT / name).read_text() for name in tracked if name.endswith((".rs", ".py", ".pyi")))
    wrong, citations, links, names = [], 0, 0, 0
    for name in tracked:
        path = ROOT / name
        if path.suffix not in (".md", ".rs", ".py", ".toml"):
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
        if NAMING.fullmatch(name):
            names += len(CODE.findall(path.read_text()))
            missing = unknown(path.read_text(), tracked, code, spec=name.startswith("docs/spec/"))
            wrong += [f"{name}: nobody has {what}" for what in missing]
    if wrong or not citations or not names:
        sys.exit("\n".join(wrong) or "no citation found")
    print(f"{citations} citations of docs/spec, {links} links and what stands in {names} backticks hold")


if __name__ == "__main__":
    main()
