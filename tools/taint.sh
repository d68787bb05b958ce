#!/usr/bin/env bash
# Runs the online phase of each family under valgrind, with secrets marked as undefined: nothing may be decided by
# one, but at the places in tools/taint/public.supp. A planted branch and a planted index must be reported first.
# With an argument only the families whose name contains it.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v valgrind >/dev/null; then
    echo "SKIPPED: no valgrind on this machine"
    exit 0
fi
taint=${TAINT:-target/release/hushtable-taint}
[ -n "${TAINT:-}" ] || "${CARGO:-cargo}" build --release --locked -p hushtable-taint
# The processor that valgrind shows has AES-NI and AVX2, but neither VAES nor AVX-512: the AES-NI kernels run.
see() {
    valgrind --quiet --error-exitcode=9 --error-limit=no --num-callers=24 --undef-value-errors=yes \
        --leak-check=no --suppressions=tools/taint/public.supp "$taint" "$@"
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if see plant 2>"$log"; then
    echo "taint: nothing is seen of the planted leaks"
    exit 1
fi
for leak in "Conditional jump or move depends on uninitialised" "Use of uninitialised value"; do
    grep -q "$leak" "$log" || { echo "taint: a planted leak is not seen: $leak"; exit 1; }
done
see "${1:-}"
echo "taint: no secret decides a branch or an address"
