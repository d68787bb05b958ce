"""Writes the files of this folder with pyarrow, whose writers most people's files come from. Run it here."""

from datetime import datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet

ROWS = 6
ids = [f"c{i}" for i in range(ROWS)]
columns = {
    "id": pa.array(ids),
    "kind": pa.array(["a", "b", "a", None, "b", "a"]).dictionary_encode(),
    "number": pa.array(range(100, 100 + ROWS), pa.int64()),
    "byte": pa.array([-128, -1, 0, 1, 2, 127], pa.int8()),
    "unsigned": pa.array([0, 1, 2**31, 2**32 - 1, 5, 6], pa.uint32()),
    "large": pa.array([0, 1, 2**63, 2**64 - 2**11, 5, 6], pa.uint64()),
    "single": pa.array([0.5, -1.25, 3, 1e10, -0.0, 2**-20], pa.float32()),
    "double": pa.array([0.1, -2.25, 1e300, 1e-300, 3, -0.0], pa.float64()),
    "amount": pa.array([Decimal(x) for x in ("0.10", "-123.45", "99999999.99", "0.01", "-0.01", "7.00")], pa.decimal128(10, 2)),
    "wide": pa.array([Decimal(x) for x in ("1", "-1", "12345678901234567890123456789", "0", "-5", "6")], pa.decimal128(38, 0)),
    "text": pa.array([" 1.5", "-2", "3e2", "+4", "5 ", "0"]),
    "words": pa.array(["1", "2", "1", "2", "3", "3"]).dictionary_encode(),
    "hole": pa.array([1.0, None, 3.0, float("nan"), 5.0, None]),
    "gap": pa.array([None, 2, 3, 4, 5, 6], pa.int32()),
    "when": pa.array([datetime(2026, 1, 1)] * ROWS, pa.timestamp("us")),
    "flag": pa.array([True] * ROWS),
    "list": pa.array([[1, 2]] * ROWS),
}
table = pa.table(columns)

parquet.write_table(table, "plain.parquet", row_group_size=4)
parquet.write_table(
    table, "other.parquet", compression="none", use_dictionary=False, data_page_version="2.0", store_decimal_as_integer=True
)
parquet.write_table(table.select(["id", "double"]), "zstd.parquet", compression="zstd")
feather.write_feather(table, "plain.feather", chunksize=4)
feather.write_feather(table, "other.arrow", compression="uncompressed")
with pa.OSFile("stream.arrow", "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
    stream.write_table(table.select(table.column_names))
views = pa.table({"id": columns["id"].cast(pa.string_view()), "double": columns["double"], "text": columns["text"].cast(pa.large_string())})
with pa.OSFile("views.arrow", "wb") as file, pa.ipc.new_file(file, views.schema) as writer:
    writer.write_table(views)
# As plain as can be: what is freed of it is looked at (tests/wiping.rs).
numbers = [100_000 + 7.0001220703125 * i for i in range(300)]
parquet.write_table(
    pa.table({"id": [f"c{i}" for i in range(300)], "score": numbers}),
    "numbers.parquet",
    compression="none",
    use_dictionary=False,
    write_statistics=False,
)
