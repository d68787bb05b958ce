#!/usr/bin/env bash
# Measures what the papers' tables compare, in bench/record/<processor>/papers/, in place of what is there of the same
# tables, and fills docs/measured.md. Of each table there are a CSV, whose lines have parameters, processor, day, commit
# and number of runs, a plot, and the table as text; `seconds` has how long each took.
# tools/papers.sh TABLE ... or ONLY="TABLE ..." measures some, by the names that `hushtable-bench paper --list` prints; else
# all, which takes hours. Nothing else should be running. A table that fails, for want of memory, say, does not stop the
# others: they are named at the end, and the exit code is 1.
# BATCH limits the lookups of a run, ROWS the rows of private tables, which rows then say and for which they have no ratio;
# REPEAT repeats each. SMALL=1 tries each table once with few items, into target/papers-small. PROGRAM: a program that is
# built already, with --features baselines.
set -euo pipefail
cd "$(dirname "$0")/.."

. tools/record.sh
record=bench/record/$processor/papers
if [ -n "${SMALL:-}" ]; then
    record=target/papers-small
    BATCH=${BATCH:-20} ROWS=${ROWS:-64}
fi
build
if [ $# = 0 ]; then
    # By words.
    set -- ${ONLY:-$("$program" paper --list | sed '/^Not measured/,$d' | sed -n 's/^\([a-z][^ ]*\) .*/\1/p')}
fi
mkdir -p "$record"
touch "$record/seconds"

# Seconds of these tables, by the record; else by a guess.
predicted() {
    local table sum=0 took
    for table in "$@"; do
        took=$(sed -n "s/^$table //p" "$record/seconds")
        case $table in
            fable-figure6) sum=$((sum + ${took:-1800})) ;;
            fable-*) sum=$((sum + ${took:-900})) ;;
            rotl-table[57]) sum=$((sum + ${took:-500})) ;;
            *) sum=$((sum + ${took:-90})) ;;
        esac
    done
    echo $((sum / 60 + 1))
}

echo "$# tables, about $(predicted "$@") minutes in all" >&2
failed=() number=0
while [ $# -gt 0 ]; do
    table=$1 number=$((number + 1)) from=$(date +%s)
    echo "table $number: $table, $# left, about $(predicted "$@") minutes" >&2
    shift
    if "$program" paper "$table" --out "$record" --force --batch "${BATCH:-268435456}" --date "$day" --commit "$commit" \
        --table-rows "${ROWS:-268435456}" --repeat "${REPEAT:-1}" >/dev/null; then
        sed -i "/^$table /d" "$record/seconds"
        echo "$table $(($(date +%s) - from))" >>"$record/seconds"
    else
        failed+=("$table")
    fi
done
echo "recorded in $record" >&2
[ -n "${SMALL:-}" ] || python3 tools/measured.py
if [ ${#failed[@]} -gt 0 ]; then
    echo "failed: ${failed[*]}" >&2
    exit 1
fi
