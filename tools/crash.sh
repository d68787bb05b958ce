#!/usr/bin/env bash
# Kills processes that spend a store of correlations, 1000 times or CRASH_RUNS times, and appends what happened, a
# line of JSON each, to bench/record/<processor>/<date>.jsonl: first a process that takes pieces as fast as it
# can, then pairs of `hushtable apply --store`, a tenth as often.
set -euo pipefail
cd "$(dirname "$0")/.."

record=bench/record/$(tools/processor.sh)/$(date -u +%F).jsonl
stamp="\"date\":\"$(date -u +%F)\",\"commit\":\"$(tools/commit.sh)\""
runs=${CRASH_RUNS:-1000}
mkdir -p "$(dirname "$record")"

crash() { # package test name runs
    CRASH_RUNS=$4 cargo test --locked -p "$1" --test "$2" -- --exact "$3" --nocapture 2>&1 |
        sed -n "s/.*\({\"kind\":\"crash\".*\)}.*/\1,$stamp}/p" | tee -a "$record" | grep . ||
        { echo "$3 failed: run cargo test -p $1 --test $2" >&2 && exit 1; }
}

crash hushtable all store_crash::killed_at_any_moment_nothing_is_handed_out_twice "$runs"
crash hushtable-cli all store::killed_processes_leave_stores_that_can_be_used $((runs / 10 + 1))
echo "recorded in $record" >&2
