#!/usr/bin/env bash
# Measures the figures that docs/measured.md shows and appends them, a line of JSON each, to
# bench/record/<processor>/<date>.jsonl. Nothing else should be running. NET=lan or NET=wan measures those links.
# tools/papers.sh measures what the papers' tables compare.
set -euo pipefail
cd "$(dirname "$0")/.."

record=bench/record/$(tools/processor.sh)/$(date -u +%F).jsonl
net=${NET:-loopback}

cargo build --release --locked -p hushtable-bench
mkdir -p "$(dirname "$record")"

run() {
    echo "bench $*" >&2
    "${CARGO_TARGET_DIR:-target}/release/hushtable-bench" "$@" --net "$net" --format json | tee -a "$record"
}

lut() { # protocol index output index-bits value-bits batch
    run lut --protocol "$1" --index "$2" --output "$3" --index-bits "$4" --value-bits "$5" --batch "$6" --threads 1
}

for count in 1024 1048576 16777216; do
    run ot --scheme ferret --count "$count"
done
for scheme in iknp softspoken-2 softspoken-4 softspoken-8; do
    for count in 1024 16777216; do
        run ot --scheme "$scheme" --count "$count"
    done
done
lut rotl additive additive 8 64 100000
lut rotl xor xor 8 8 100000
lut d additive additive 8 64 100000
lut d xor xor 4 1 100000
lut splut additive additive 8 8 100000
lut splut additive additive 8 64 100000
for shape in gpt2-softmax gpt2-gelu block; do
    run inference --shape "$shape"
done
lut splut-kk13 additive additive 8 8 100000
for protocol in ar st b dt; do
    lut "$protocol" additive additive 8 64 100000
done
lut dt additive additive 12 16 10000
lut dt additive additive 16 8 10000
lut fluteplus xor xor 8 8 100000
# Two lanes of a thread each.
run lut --protocol d --index-bits 8 --value-bits 64 --batch 200000 --threads 2
run triples
for bits in 32 64; do
    run cmp --bits "$bits" --repeat 3
    run cmp --bits "$bits" --optimise online --repeat 3
    run cmp --bits "$bits" --optimise bytes --batch 1048576
done
run trunc --bits 64 --cut 16 --repeat 3
run ot --scheme kk13 --of 256 --count 100000
for function in sigmoid tanh exp; do
    run math --function "$function" --bits 16 --repeat 5
done
for function in sigmoid tanh sqrt ln rsqrt; do
    run math --function "$function" --bits 64 --fraction-bits 16 --repeat 3
done
echo "recorded in $record" >&2
