"""Pages that are generated: function cards, protocols, the package's reference, executed notebooks."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hushtable as ht
import nbformat
from hushtable import _hushtable as native
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "crates" / "hushtable" / "src"
NOTEBOOKS = ROOT / "python" / "notebooks"
# Where the tests leave notebooks with their results.
EXECUTED = ROOT / "target" / "notebooks"
# A longer signature has a line for each argument.
WIDE = 76

# Functions of rows, with the card of a size as an example.
ROWS = (64, 256)
TENSORS = {
    ht.softmax: native.Operation.softmax(32, 12, *ROWS).card,
    ht.layer_norm: native.Operation.layer_norm(
        32, 12, ROWS[0], [1.0] * ROWS[1], [0.0] * ROWS[1], None, 0, 1.0, 8.0, (0.125, 16.0), 1e-5
    ).card,
}

Pages = dict[str, tuple[str, str]]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation: what is written first, then what is generated."""
    config.nav = [
        {"Start": ["index.md", "tutorial.md", "two-machines.md"]},
        {"How to": ["joining.md", "private-tables.md", "embeddings.md", "joins.md", "networks.md", "proximity.md", "circuits.md", "fusion.md"]},
        {"Notebooks": [{title: uri} for uri, (title, _) in notebooks().items()]},
        {"Functions": "functions.md"},
        {"Python reference": "reference.md"},
        {"Protocols": [{title: uri} for uri, (title, _) in protocols().items()]},
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the generated pages."""
    for uri, (_, content) in pages().items():
        files.append(File.generated(config, uri, content=content))
    return files


def pages() -> Pages:
    """Title and text of every generated page."""
    return {
        "functions.md": ("Functions", functions()),
        "reference.md": ("Python reference", reference()),
        **protocols(),
        **notebooks(),
    }


def functions() -> str:
    """The functions of the library, with the card of each."""
    lines = ["# Functions", "", "Each is called with shares: `ht.sigmoid(s)`; `ht.card(name)` prints its card.", ""]
    for name, function in ht.functions().items():
        lines += [f"## {name}", "", f"{function.about}.", "", "```text", str(ht.card(name)), "```", ""]
    for function, card in TENSORS.items():
        lines += [f"## {function.__name__}", "", inspect.getdoc(function) or "", "", "```text", str(card), "```", ""]
    return "\n".join(lines)


def protocols() -> Pages:
    """A page for each file of the library that has the headings of a protocol."""
    out: Pages = {}
    for path in sorted(SOURCES.rglob("*.rs")):
        lines = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("//!"):
                break
            lines.append(line[3:].removeprefix(" "))
        if "# Functionality" not in lines or "# Protocol" not in lines:
            continue
        module = str(path.relative_to(SOURCES).with_suffix("")).replace("/", "::")
        title, _, rest = " ".join(lines[: lines.index("# Functionality")]).strip().partition(". ")
        body = "\n".join(demoted(lines[lines.index("# Functionality") :]))
        text = f"# {plain(title).rstrip('.')}\n\n`hushtable::{module}`\n\n{plain(rest)}\n\n{plain(body)}\n"
        out[f"protocols/{module.replace('::', '-')}.md"] = (module, text)
    return out


def demoted(lines: list[str]) -> Iterator[str]:
    """Headings one level down; lists that Markdown must not take for part of a paragraph."""
    fenced = previous = False
    for line in lines:
        fenced ^= line.startswith("```")
        item = not fenced and re.match(r"(\d+\.|[*-]) ", line) is not None
        if item and not previous:
            yield ""
        yield f"#{line}" if line.startswith("#") and not fenced else line
        previous = item or (previous and line.startswith(" "))


def plain(text: str) -> str:
    """Without the links that only rustdoc resolves."""
    text = re.sub(r"\[(`[^`]+`)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\[(`[^`]+`)\]", r"\1", text)


def reference() -> str:
    """Signatures and docstrings of everything that the package exports."""
    lines = ["# Python reference", "", inspect.cleandoc(ht.__doc__ or "").replace("\n    import", "\n\n    import")]
    for name in ht.__all__:
        value = getattr(ht, name)
        if isinstance(value, ht.Function):
            continue  # these have cards
        lines += ["", f"## {name}", ""]
        if inspect.isclass(value):
            lines += class_reference(name, value)
        elif inspect.ismodule(value) and hasattr(value, "__all__"):
            lines += [inspect.getdoc(value) or ""]
            for member in value.__all__:
                part, called = getattr(value, member), f"{name}.{member}"
                lines += ["", f"## {called}", ""]
                lines += class_reference(called, part) if inspect.isclass(part) else described(f"hushtable.{called}", part)
        elif inspect.ismodule(value):
            lines += [inspect.getdoc(value) or "", "", ", ".join(f"`{member}`" for member in dir(value))]
        else:
            lines += described(f"hushtable.{name}", value)
    return "\n".join(lines) + "\n"


def class_reference(name: str, cls: type) -> list[str]:
    """A class with its public methods and properties."""
    if issubclass(cls, Exception):
        bases = ", ".join(base.__name__ for base in cls.__bases__)
        return [f"*Exception, a kind of* `{bases}`", "", inspect.getdoc(cls) or ""]
    if issubclass(cls, dict):  # options
        options = [f"    {key}: {getattr(kind, '__forward_arg__', kind)}" for key, kind in cls.__annotations__.items()]
        return ["```python", f"class {name}:", *options, "```", "", inspect.getdoc(cls) or ""]
    lines = described(f"hushtable.{name}", cls)
    for member, value in vars(cls).items():
        if member.startswith("_") or not (callable(value) or isinstance(value, (property, classmethod, staticmethod))):
            continue
        lines += ["", f"### {name}.{member}", ""]
        if isinstance(value, property):
            lines += [inspect.getdoc(value) or ""]
        else:
            lines += described(f"{name}.{member}", getattr(cls, member))
    return lines


def described(name: str, value: Any) -> list[str]:
    """The signature as code, then the docstring."""
    try:
        signature = str(inspect.signature(value))
    except (TypeError, ValueError):
        signature = "(...)"
    signature = re.sub(r"(: |-> )'([^']+)'", r"\1\2", signature)  # annotations are kept as text
    if len(name) + len(signature) > WIDE:
        arguments, _, result = signature.removeprefix("(").rpartition(")")
        parts = re.split(r", (?=[\w*/]+(?::|=|,|$))", arguments)
        signature = "(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"
    return ["```python", f"{name}{signature}", "```", "", inspect.getdoc(value) or ""]


def notebooks() -> Pages:
    """Every notebook, with its results if it was executed."""
    out: Pages = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        executed = EXECUTED / path.name
        book = nbformat.read(executed if executed.is_file() else path, as_version=4)
        title = book.cells[0].source.splitlines()[0].removeprefix("# ")
        text = "\n\n".join("\n\n".join(cell_text(cell)) for cell in book.cells)
        out[f"notebooks/{path.stem}.md"] = (title, text)
    return out


def cell_text(cell: Any) -> Iterator[str]:
    """A cell and its results as Markdown."""
    if cell.cell_type == "markdown":
        yield cell.source
        return
    yield f"```python\n{cell.source}\n```"
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "image/svg+xml" in data:
            yield "<div>" + re.sub(r"<\?xml.*?<svg", "<svg", data["image/svg+xml"], flags=re.S).strip() + "</div>"
        elif "text/html" in data:
            yield f"<div>{data['text/html']}</div>"
        elif "text/plain" in data or "text" in output:
            yield f"```text\n{data.get('text/plain', output.get('text', '')).rstrip()}\n```"
