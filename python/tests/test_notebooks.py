"""Every notebook runs; what it drew is left under target/notebooks, for the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))
EXECUTED = ROOT / "target" / "notebooks"


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 8


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in book.cells), "notebooks are stored without outputs"
    NotebookClient(book, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    pictures = [
        output
        for cell in book.cells
        for output in cell.get("outputs", [])
        if "image/svg+xml" in output.get("data", {})
    ]
    assert len(pictures) >= 2
    EXECUTED.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, EXECUTED / path.name)
