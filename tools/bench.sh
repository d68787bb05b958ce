#!/usr/bin/env bash
# Measures the figures that docs/measured.md shows and appends them, a line of JSON each, to
# bench/record/<processor>/<date>.jsonl: what was run with which parameters, on which processor, and what it took.
# Nothing else should be running. NET=lan or NET=wan measures those links.
# ONLY="fss psi" takes those subcommands alone. SMALL=1 tries every line once with few items, into target/bench-small.jsonl:
# whether they run, not what they take. tools/papers.sh measures what the papers' tables compare.
set -euo pipefail
cd "$(dirname "$0")/.."

record=bench/record/$(tools/processor.sh)/$(date -u +%F).jsonl
net=${NET:-loopback}
small=${SMALL:-}
if [ -n "$small" ]; then
    record=target/bench-small.jsonl
fi

program=${PROGRAM:-}
if [ -z "$program" ]; then
    cargo build --release --locked -p hushtable-bench --features baselines
    program=${CARGO_TARGET_DIR:-target}/release/hushtable-bench
fi
mkdir -p "$(dirname "$record")"
done=0

run() {
    case " ${ONLY:-$1} " in *" $1 "*) ;; *) return 0 ;; esac
    local args=("$@") net=$net i
    for ((i = 0; i < ${#args[@]}; i++)); do
        # A row that names its network.
        if [ "${args[i]}" = --net ]; then
            net=${args[i + 1]}
            unset "args[i]" "args[i+1]"
            args=("${args[@]}")
        fi
        case "$small ${args[i]:-}" in
            "1 --count" | "1 --other-count" | "1 --batch") args[i + 1]=20 ;;
            "1 --rows") args[i + 1]=64 ;;
            "1 --repeat") args[i + 1]=1 ;;
        esac
    done
    if [ -n "$small" ]; then
        # What the default would be large in.
        case "$1" in
            confidential | sql-join) args+=($(absent --rows 64 "$@") $(absent --key-bits 6 "$@") $(absent --batch 20 "$@")) ;;
            embedding) args+=($(absent --rows 64 "$@") $(absent --batch 4 "$@")) ;;
            cmp | trunc | math) args+=($(absent --batch 20 "$@")) ;;
            triples) args+=($(absent --count 20 "$@")) ;;
            inference) [[ $* = *gpt2* ]] && args+=(--rows 2) ;;
        esac
        if [ "$1" = confidential ] || [ "$1" = sql-join ]; then
            for ((i = 0; i < ${#args[@]}; i++)); do
                if [ "${args[i]}" = --key-bits ]; then args[i + 1]=6; fi
            done
        fi
    fi
    echo "bench ${args[*]} --net $net" >&2
    local command="${args[*]}"
    [ "$net" = loopback ] || command+=" --net $net"
    "$program" "${args[@]}" --net "$net" --format json | sed "s/^{/{\"command\": \"$command\", /" | tee -a "$record"
    done=$((done + 1))
}

# An option with its value, unless it is there.
absent() {
    case " ${*:3} " in *" $1 "*) ;; *) echo "$1 $2" ;; esac
}

# A fast link gets SoftSpoken for its correlated OTs, a slow one Ferret, which sends less.
few=(--ot ferret)

for count in 1024 1048576 16777216; do
    run ot --scheme ferret --count "$count"
done
for scheme in iknp softspoken-2 softspoken-4 softspoken-8; do
    for count in 1024 16777216; do
        run ot --scheme "$scheme" --count "$count"
    done
done
for protocol in rotl d dt st b ar splut; do
    run lut --protocol $protocol
    run lut --protocol $protocol "${few[@]}"
done
run lut --protocol rotl --net lan
run lut --protocol dt --index-bits 12 --value-bits 16 --batch 10000
run lut --protocol dt --index-bits 16 --value-bits 8 --batch 10000
for protocol in splut splut-kk13; do
    run lut --protocol $protocol --value-bits 8
done
for protocol in rotl flute fluteplus; do
    run lut --protocol $protocol --index xor --output xor --value-bits 8
done
run lut --protocol d --index xor --output xor --index-bits 4 --value-bits 1
run lut --protocol d --index xor --output xor --index-bits 4 --value-bits 1 "${few[@]}"
# Two lanes of a thread each.
run lut --protocol d --batch 200000 --threads 2
run triples
run triples "${few[@]}"
for bits in 32 64; do
    run cmp --bits "$bits" --repeat 3
    run cmp --bits "$bits" --optimise online --repeat 3
    run cmp --bits "$bits" "${few[@]}"
    run cmp --bits "$bits" --optimise bytes --batch 1048576 "${few[@]}"
done
run trunc --bits 64 --cut 16 --repeat 3
run ot --scheme kk13 --of 256 --count 100000
for function in sigmoid tanh exp; do
    run math --function "$function" --bits 16 --repeat 5
done
for function in sigmoid tanh sqrt ln rsqrt; do
    run math --function "$function" --bits 64 --fraction-bits 16 --repeat 3
done
run math --function sigmoid --bits 16 "${few[@]}"
run math --function sigmoid --bits 64 --fraction-bits 16 "${few[@]}"

for shape in gpt2-softmax gpt2-gelu block; do
    run inference --shape "$shape"
    run inference --shape "$shape" "${few[@]}"
done
for link in lan wan; do
    run inference --shape gpt2-softmax --net $link
    run inference --shape gpt2-gelu --net $link
done
run inference --shape block --net lan

# Function secret sharing. Offline figures depend on the OT extension: SoftSpoken is what a fast link gets.
fss() {
    run fss --batch 10000 --repeat 3 --object "$@"
}
fss dpf --bits 8
fss dpf
fss dpf --payload-bits 64
fss dpf --payload-bits 64 --index additive
fss dcf
fss dcf --payload-bits 64
for object in eq cmp interval; do
    fss $object
    fss $object --additive
done
fss trunc --fraction-bits 9
fss digits --digit-bits 8
fss public-table --bits 8
fss secret-table --bits 8 --payload-bits 16
fss spline
for object in sin sincos tan; do
    fss $object --fraction-bits 9
done
fss proximity
fss proximity-shared
fss fusion

# Sets and joins.
run vole --count 1048576
run vole --count 16777216
run okvs --count 1048576
for count in 65536 1048576; do
    run psi --count $count
    run psi --count $count --ot ferret
done
for link in lan wan; do
    run psi --count 1048576 --net $link
done
run psi --count 16777216 --ot ferret
run psi --count 1000 --other-count 1000000
for count in 65536 1048576; do
    run join --count $count
    run join --count $count --ot ferret
done
run join --count 1048576 --ot ferret --own-bits 0 --payload-bits 0
run join --count 100000 --net lan

# Private tables: the designs, the baselines, and what is built on the copy.
for prf in aes lowmc; do
    run confidential --design a --prf $prf
    run confidential --design b --prf $prf
done
run confidential --design a --prf lowmc --rows 1048576 --key-bits 40 --value-bits 20 --places sparse
run confidential --design splut --rows 1024 --key-bits 10 --value-bits 20 --batch 4096
run confidential --design splut --rows 65536 --key-bits 16 --value-bits 16 --batch 64
for ot in auto ferret; do
    run confidential --design fable --rows 65536 --key-bits 16 --value-bits 16 --prf lowmc --steps --ot $ot
done
run confidential --design fable --rows 65536 --key-bits 16 --value-bits 16 --prf aes --steps
run confidential --design fable --prf lowmc --steps
run confidential --design scan --rows 65536 --key-bits 16 --value-bits 64 --batch 16 --prf lowmc
run confidential --design scan --value-bits 64 --batch 16 --prf lowmc
for prf in aes lowmc; do
    run embedding --prf $prf --threads 2 --ot ferret --net lan
    run embedding --rows 519820 --columns 32 --entry-bits 16 --batch 512 --prf $prf --threads 2 --ot ferret --net lan
    run sql-join --prf $prf --threads 2 --ot ferret --net lan
done
run sql-join --sparse --key-bits 32 --prf lowmc --threads 2 --ot ferret --net lan

echo "$done lines recorded in $record" >&2
