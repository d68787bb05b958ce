"""A query of TPC-H over two parties' tables, in which nobody sees which rows meet.

A bank has the customers, nations and regions; a payment company the orders and line items. Simplified from query 8:
what part of the revenue with customers of a region, year by year, is that of a nation, counting the orders of more than
20 times what is in the customer's account:

    SELECT year, nation = 'BRAZIL', count(*), sum(l_extendedprice * (1 - l_discount))
    FROM region JOIN nation JOIN customer JOIN orders JOIN lineitem
    WHERE region = 'AMERICA' AND segment AND orderdate AND o_totalprice > 20 * c_acctbal
    GROUP BY year, nation = 'BRAZIL'

1. The bank joins its own tables. Its customers are the keys of the first join, private to it.
2. *orders* by customer is the payment company's private table, with up to `--orders` rows of a key, filtered by it. What
   comes out are shares: nobody knows which customers have orders, nor which ones.
3. These shared order keys are joined with *lineitem* by order, up to 7 rows of a key.
4. Under the shares: the comparison of both parties' columns, and the sums by group, which alone are opened.

Needs the packages duckdb, pandas and tpchgen-cli. `python examples/tpch/tpch.py` makes the data, runs both parties, and
compares with DuckDB over all tables. `--scale 0.167 --segment BUILDING` has 10^6 line items.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import hushtable as ht
import numpy as np
import pandas as pd

TABLES = ("region", "nation", "customer", "orders", "lineitem")

# What is public: both parties know the query and these bounds.
REGION, NATION = "AMERICA", "BRAZIL"
YEARS = ["1995", "1996"]
FROM, TO = "1995-01-01", "1996-12-31"
LINES = 7
FACTOR = 20


def generate(folder: Path, scale: float) -> None:
    """The published generator's tables."""
    program = shutil.which("tpchgen-cli", path=str(Path(sys.executable).parent)) or shutil.which("tpchgen-cli")
    if program is None:
        raise SystemExit("tpchgen-cli is not installed: pip install tpchgen-cli")
    tables = ",".join(TABLES)
    subprocess.run([program, "csv", "-s", str(scale), "-o", str(folder), "--tables", tables], check=True)


def bank(db: duckdb.DuckDBPyConnection, folder: Path, segment: str | None) -> pd.DataFrame:
    """The bank's part, from its own files: customers of the region."""
    return db.execute(
        f"""
        SELECT c_custkey AS customer, n_name = '{NATION}' AS nation, c_acctbal AS balance
        FROM '{folder}/customer.csv' JOIN '{folder}/nation.csv' ON c_nationkey = n_nationkey
        JOIN '{folder}/region.csv' ON n_regionkey = r_regionkey
        WHERE r_name = '{REGION}' AND {'true' if segment is None else f"c_mktsegment = '{segment}'"}
        ORDER BY c_custkey
        """
    ).df()


def payments(
    db: duckdb.DuckDBPyConnection, folder: Path, priority: str | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The payment company's: orders of the years, and all line items with their revenue."""
    orders = db.execute(
        f"""
        SELECT o_custkey AS customer, o_orderkey AS "order", year(o_orderdate)::VARCHAR AS year, o_totalprice AS total
        FROM '{folder}/orders.csv' WHERE o_orderdate BETWEEN '{FROM}' AND '{TO}'
        AND {'true' if priority is None else f"o_orderpriority = '{priority}'"} ORDER BY o_orderkey
        """
    ).df()
    # In ten thousandths, so that nothing is rounded.
    lines = db.execute(
        f"""
        SELECT l_orderkey AS "order",
            (round(l_extendedprice * 100) * (100 - round(l_discount * 100)))::BIGINT AS revenue
        FROM '{folder}/lineitem.csv' ORDER BY l_orderkey, l_linenumber
        """
    ).df()
    return orders, lines


def expected(
    db: duckdb.DuckDBPyConnection, folder: Path, segment: str | None, priority: str | None
) -> dict[str, tuple[int, int]]:
    """DuckDB over all tables."""
    rows = db.execute(
        f"""
        SELECT year(o_orderdate)::VARCHAR AS year, n_name = '{NATION}' AS nation, count(*),
            sum((round(l_extendedprice * 100) * (100 - round(l_discount * 100)))::BIGINT)
        FROM '{folder}/customer.csv' JOIN '{folder}/nation.csv' ON c_nationkey = n_nationkey
        JOIN '{folder}/region.csv' ON n_regionkey = r_regionkey
        JOIN '{folder}/orders.csv' ON o_custkey = c_custkey
        JOIN '{folder}/lineitem.csv' ON l_orderkey = o_orderkey
        WHERE r_name = '{REGION}' AND o_orderdate BETWEEN '{FROM}' AND '{TO}'
        AND {'true' if segment is None else f"c_mktsegment = '{segment}'"}
        AND {'true' if priority is None else f"o_orderpriority = '{priority}'"}
        AND round(o_totalprice * 100)::BIGINT > {FACTOR} * round(c_acctbal * 100)::BIGINT
        GROUP BY ALL
        """
    ).fetchall()
    return {label(year, nation): (count, int(revenue)) for year, nation, count, revenue in rows}


def label(year: str, nation: bool) -> str:
    return f"{year} {NATION if nation else 'others'}"


def query(
    p: ht.Party, customers: Any, orders: Any, lines: Any, size: int, per_customer: int, line_orders: int, cipher: Any
) -> tuple[dict[str, int], dict[str, float], int]:
    """One party's part: party 0 is the bank, party 1 the payment company. Counts, revenues, and rows in between."""
    at_bank = p.role == 0

    def column(name: str, **how: Any) -> ht.Share:
        """One of the bank's columns, filled up to a public number of customers."""
        filled = np.zeros(size, dtype=np.int64)
        if at_bank:
            filled[: len(customers)] = customers[name]
        return p.input(filled if at_bank else None, 0, shape=size, **how)

    of_customers = ht.PrivateTable(
        p, None if at_bank else orders, "customer", {"total": (0, 1 << 26)},
        owner=1, key_bits=32, keys=of_orders(p, orders), groups={"year": YEARS}, codes={"order": 32},
        per_key=per_customer, cipher=cipher,
    )  # fmt: skip
    of_lines = ht.PrivateTable(
        p, None if at_bank else lines, "order", {"revenue": (0, 1 << 31)},
        owner=1, key_bits=32, keys=line_orders, per_key=LINES, cipher=cipher,
    )  # fmt: skip
    there = column("there", bits=1, fraction=0, kind="xor")
    nation = column("nation", bits=1, fraction=0, kind="xor")
    balance = column("balance", bits=64, fraction=0, range=(-(1 << 24), 1 << 24))

    first = of_customers.join(column("customer", bits=32, fraction=0, kind="xor"), there)
    first = first.where(first["total"] > first.of_keys(balance) * FACTOR)
    here = first.of_keys(nation)
    by_year = first.members("year")

    second = of_lines.join(first.codes["order"], first.matched)
    groups = {}
    for year, bit in by_year.items():
        groups[label(year, True)] = second.of_keys(bit & here)
        groups[label(year, False)] = second.of_keys(bit & ~here)
    found = second.where(second.matched, {"share": groups}).groupby("share")
    return found.count(least=1), found.sum("revenue", least=1), len(first)


def of_orders(p: ht.Party, orders: pd.DataFrame | None) -> int:
    """How many customers have orders, rounded up to a power of two: the payment company makes that public."""
    mine = 0 if orders is None else 1 << (int(orders["customer"].nunique()) - 1).bit_length()
    return int(p.open(p.input(mine if p.role == 1 else None, 1, shape=(), bits=32, fraction=0)))  # type: ignore[arg-type]


def run(folder: Path, args: argparse.Namespace) -> bool:
    """Both parties in this process, and DuckDB."""
    db = duckdb.connect()
    customers = bank(db, folder, args.segment)
    customers["balance"] = (customers["balance"] * 100).round().astype(np.int64)
    customers["there"] = 1
    orders, lines = payments(db, folder, args.priority)
    orders["total"] = (orders["total"] * 100).round().astype(np.int64)
    most = int(orders.groupby("customer").size().max())
    per_customer = args.orders or most
    line_orders = 1 << (int(lines["order"].nunique()) - 1).bit_length()
    size = args.customers or len(customers)

    def party(p: ht.Party) -> tuple[dict[str, int], dict[str, float], int, str]:
        mine = (customers, None, None) if p.role == 0 else (None, orders, lines)
        start = time.monotonic()
        counts, sums, rows = query(p, *mine, size, per_customer, line_orders, args.cipher)
        return counts, sums, rows, f"{p.cost}\n{time.monotonic() - start:.1f} s"

    (counts, sums, rows, cost), other = ht.run_pair(party)
    assert (counts, sums) == other[:2]
    found = {group: (counts[group], int(sums[group])) for group in counts}
    want = expected(db, folder, args.segment, args.priority)
    print(f"{size} customers, {len(orders)} orders, {len(lines)} line items; {rows} shared rows in between")
    for year in YEARS:
        here, others = (found.get(label(year, nation), (0, 0))[1] for nation in (True, False))
        print(f"{year}: {NATION} {here / 1e4:,.2f} of {(here + others) / 1e4:,.2f}: {here / max(here + others, 1):.4f}")
    print(cost)
    print("equal to DuckDB's" if found == want else f"differs from DuckDB's: {found} and {want}")
    return found == want


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=0.01, help="scale factor of TPC-H; 1 has 6 million line items")
    parser.add_argument("--data", type=Path, help="folder of CSV tables; default: made for this run")
    parser.add_argument("--segment", help="market segment of customers; default: all")
    parser.add_argument("--priority", help="priority of orders; default: all")
    parser.add_argument("--customers", type=int, help="public bound on customers of the region; default: as many")
    parser.add_argument("--orders", type=int, help="public bound on orders of a customer; default: the least that does")
    parser.add_argument("--cipher", default="aes-128", choices=["aes-128", "lowmc-128-42-13"])
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as made:
        folder = args.data or Path(made)
        if args.data is None:
            generate(folder, args.scale)
        return 0 if run(folder, args) else 1


if __name__ == "__main__":
    raise SystemExit(main())
