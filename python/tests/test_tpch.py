"""The example over TPC-H's tables, with data made at run time: equal to DuckDB's result."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long
EXAMPLE = Path(__file__).parents[2] / "examples" / "tpch" / "tpch.py"


def load():
    spec = importlib.util.spec_from_file_location("tpch", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_query_is_duckdbs(tmp_path, capfd):
    tpch = load()
    tpch.generate(tmp_path, 0.01)
    cipher = ["--data", str(tmp_path), "--cipher", "lowmc-128-42-13"]
    assert tpch.main([*cipher, "--customers", "400"]) == 0
    shown = capfd.readouterr().out
    assert "60175 line items" in shown and "400 customers" in shown and "equal to DuckDB's" in shown
    assert tpch.main([*cipher, "--segment", "BUILDING", "--priority", "1-URGENT"]) == 0


def test_a_wrong_result_is_seen(tmp_path, monkeypatch):
    tpch = load()
    tpch.generate(tmp_path, 0.002)
    monkeypatch.setattr(tpch, "expected", lambda *_: {"1995 others": (1, 1)})
    assert tpch.main(["--data", str(tmp_path), "--segment", "BUILDING", "--cipher", "lowmc-128-42-13"]) == 1
