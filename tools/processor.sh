#!/usr/bin/env bash
# Prints the name of this processor, as the folders of bench/record/ are called.
set -euo pipefail
name=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -1)
tr -cs 'A-Za-z0-9\n' '-' <<<"${name:-$(uname -m)}" | sed 's/-*$//'
