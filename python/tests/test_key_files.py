"""Keys of private tables that the program and the package keep: one file serves both."""

from __future__ import annotations

import itertools
import os
import subprocess

import hushtable as ht
import pandas as pd
import pytest
from test_functions import program


def test_a_key_file_is_that_of_the_program(tmp_path):
    """A key that the program made is of the same table here, and the reverse: it is not replaced."""
    path = program()
    if path is None:
        assert not os.environ.get("CI"), "CI builds the program first"
        pytest.skip("the program is not built")
    table = {"k": list(range(0, 200, 2)), "v": [i * 7 % 100 for i in range(100)]}
    pd.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)

    def serve(key):
        args = ["serve", "--table", "t.csv", "--key", "k", "--value", "v:int:8", "--key-file", key]
        args += ["--listen", "127.0.0.1:0", "--insecure-plain-tcp"]
        with subprocess.Popen([path, *args], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
            lines = list(itertools.takewhile(lambda line: "listening" not in line, server.stderr))
            server.kill()
        assert not any("error" in line for line in lines), lines
        return (tmp_path / key).read_bytes()

    def use(key):
        def party(p):
            mine = (table, tmp_path / key) if p.role == 0 else (None, None)
            t = ht.PrivateTable(p, mine[0], "k", owner=0, key_bits=8, codes={"v": 8}, path=mine[1])
            return p.open(t.join(t.input([2, 198] if p.role == 1 else None, owner=1, shape=2)).codes["v"])

        assert [list(values) for values in ht.run_pair(party)] == [[7, 93], [7, 93]]
        return (tmp_path / key).read_bytes()

    assert serve("program.key") == use("program.key") == serve("program.key")
    assert use("package.key") == serve("package.key") == use("package.key")
    assert use("package.key") != use("program.key")
    # The key of another table is none of this one: it gets one of its own.
    table["v"][3] += 1
    assert use("package.key") != serve("package.key")
