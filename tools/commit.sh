#!/usr/bin/env bash
# Prints the commit of this state of the tree, as records name it: with `-changed` behind it if more has changed since
# than records and the page that is filled from them.
set -euo pipefail
cd "$(dirname "$0")/.."
commit=$(git rev-parse --short=12 HEAD)
changes=$(git status --porcelain -- . ':!bench/record' ':!docs/measured.md')
echo "$commit${changes:+-changed}"
