"""Files of columns: complete, for their owner, and never over something else unasked."""

from __future__ import annotations

import os

import hushtable as ht
import numpy as np
import pytest
from hushtable import columns


@pytest.mark.parametrize("nameless", [True, False])
@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_files_are_complete_private_and_not_written_over(tmp_path, monkeypatch, name, nameless):
    if not nameless:
        monkeypatch.delattr("os.O_TMPFILE", raising=False)
    path, x = tmp_path / name, np.array([1.5, -2.0])
    ht.write_column(path, "score", x)
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(ht.IoError, match=f"{name}: is there already; overwrite=True"):
        ht.write_column(path, "score", x + 1)
    assert np.array_equal(ht.read_column(path, "score"), x)
    ht.write_column(path, "score", x + 1, overwrite=True)
    assert np.array_equal(ht.read_column(path, "score"), x + 1)

    def late(file):
        """Somebody else writes the file meanwhile."""
        file.write(b"half")
        (tmp_path / "late").write_text("theirs")

    with pytest.raises(ht.IoError, match="late: is there already"):
        columns.write_file(tmp_path / "late", late, False)
    assert (tmp_path / "late").read_text() == "theirs"

    def broken(file):
        file.write(b"half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        columns.write_file(tmp_path / "broken", broken, False)
    assert sorted(p.name for p in tmp_path.iterdir()) == [name, "late"]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without names are Linux's")
def test_an_unfinished_file_has_no_name(tmp_path):
    """What a kill leaves behind is what has a name by then."""
    def fill(file):
        file.write(b"half")
        file.flush()
        assert list(tmp_path.iterdir()) == []

    columns.write_file(tmp_path / "out", fill, False)
    assert (tmp_path / "out").read_bytes() == b"half"
