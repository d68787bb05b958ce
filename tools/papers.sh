#!/usr/bin/env bash
# Measures what the papers' tables compare, in bench/record/<processor>/papers/: for each table a CSV, a plot and the table
# as text; a line of JSON a table in <date>.jsonl, with the parameters of every run, the processor and what ours is; and a
# summary. Takes hours; nothing else should be running. Without TABLE arguments all tables. A table that fails, for want
# of memory, say, does not stop the others: they are named at the end, and the exit code is 1.
# BATCH limits the lookups of a run, ROWS the rows of private tables, which rows then say and for which they have no ratio;
# REPEAT repeats each. SMALL=1 tries each table once with few items, into target/papers-small. PROGRAM: a program that is
# built already, with --features baselines.
set -euo pipefail
cd "$(dirname "$0")/.."

record=bench/record/$(tools/processor.sh)/papers
if [ -n "${SMALL:-}" ]; then
    record=target/papers-small
    BATCH=${BATCH:-20} ROWS=${ROWS:-64}
fi
program=${PROGRAM:-}
if [ -z "$program" ]; then
    cargo build --release --locked -p hushtable-bench --features baselines
    program=${CARGO_TARGET_DIR:-target}/release/hushtable-bench
fi
if [ $# = 0 ]; then
    mapfile -t names < <("$program" paper --list | sed '/^Not measured/,$d' | sed -n 's/^\([a-z][^ ]*\) .*/\1/p')
    set -- "${names[@]}"
fi
mkdir -p "$record"
failed=()
for table in "$@"; do
    "$program" paper "$table" --out "$record" --force --batch "${BATCH:-268435456}" --table-rows "${ROWS:-268435456}" \
        --repeat "${REPEAT:-1}" --format json >>"$record/$(date -u +%F).jsonl" || failed+=("$table")
done

# The most telling rows, and the cells in which what `auto` chooses is slower than the fastest of the paper.
tell='^(rotl-table5,[^,]*(total|online),[^,]*,[^,]*,n=256 l=64|rotl-table7,[^,]*(total|online),[^,]*,[^,]*,n=256 l=8|ndss-table4,(setup|total),[^,]*,SP-LUT,delta=8|ndss-table3,[^,]*,[^,]*,[^,]*,N=16|rotl-table9,[^,]*(total|online),[^,]*,ROTL,sigmoid),'
{
    echo "# The papers' figures and ours, $(date -u +%F)"
    printf '\n| table | row | quantity | paper | ours | ratio | `auto` | ratio |\n|---|---|---|---|---|---|---|---|\n'
    # A method's name may have a comma, between quotes.
    { cat "$record"/*.csv | grep -E "$tell" || true; } | sed 's/"\([^",]*\), \([^"]*\)"/\1; \2/' | awk -F, '
        function short(v) { return v == "" ? "" : sprintf(v < 1 ? "%.3f" : v < 100 ? "%.2f" : "%.0f", v) }
        { auto = $14 == "" ? "" : short($14) ($16 == "" ? "" : " (" $16 ")")
          printf "| %s | %s %s | %s (%s) | %s | %s | %s | %s | %s |\n", $1, $4, $5, $2, $3,
              short($7 == "" ? $6 : $7), short($11), short($13), auto, short($17) }'
    printf '\n## Where `auto` is slower than the fastest of the paper\n'
    { cat "$record"/rotl-table[57].csv 2>/dev/null || true; } | awk -F, '
        $3 != "us" || $2 ~ /prep/ || $14 == "" { next }
        { cell = $1 ", " $2 ", " $5; if (!(cell in paper) || $6 < paper[cell]) { paper[cell] = $6; by[cell] = $4 }
          # Rows for one job may have batches of different sizes: the largest counts.
          if (!(cell in ours) || $10 > batch[cell]) { ours[cell] = $14; with[cell] = $16; batch[cell] = $10 } }
        END { for (cell in paper) { total++
                  if (ours[cell] > paper[cell]) { slower++
                      printf "* %s: %.3f us (%s), %s %.3f us\n", cell, ours[cell], with[cell], by[cell], paper[cell] } }
              printf "\n%d of %d cells.\n", slower, total }' | sort
} >"$record/summary.md"
cat "$record/summary.md"
echo "recorded in $record" >&2
if [ ${#failed[@]} -gt 0 ]; then
    echo "failed: ${failed[*]}" >&2
    exit 1
fi
