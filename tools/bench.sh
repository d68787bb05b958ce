#!/usr/bin/env bash
# Measures the figures that docs/measured.md shows, appends them, a line of JSON each, to
# bench/record/<processor>/<date>.jsonl, and fills the page. A line has the command, the day, the commit, how long it all
# took, and what the program prints: parameters, the number of runs, processor, costs.
# Nothing else should be running. The page takes the newest line of each command, whichever day's: ONLY="fss psi" measures
# those subcommands alone. NET=lan or NET=wan measures those links. LIST=1 prints the commands and runs nothing.
# SMALL=1 tries every command once with few items, into target/bench-small.jsonl: whether they run, not what they take.
# PROGRAM: a program that is built already, with --features baselines. A command that fails does not stop the others.
# tools/papers.sh measures what the papers' tables compare, tools/python_bench.py the Python package.
# tools/bench.sh --gate records nothing: it fails if this build is slower than the one recorded last (tools/gate.py).
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --gate ]; then
    shift
    exec python3 tools/gate.py "$@"
fi

small=${SMALL:-}
commands=()

run() {
    case " ${ONLY:-$1} " in *" $1 "*) ;; *) return 0 ;; esac
    local args=("$@") i
    for ((i = 0; i < ${#args[@]}; i++)); do
        case "$small ${args[i]}" in
            "1 --count" | "1 --other-count" | "1 --batch") args[i + 1]=20 ;;
            "1 --rows") args[i + 1]=64 ;;
            "1 --key-bits") args[i + 1]=6 ;;
            "1 --repeat") args[i + 1]=1 ;;
        esac
    done
    if [ -n "$small" ]; then
        # What the default would be large in.
        case "$1" in
            confidential | sql-join) args+=($(absent --rows 64 "$@") $(absent --key-bits 6 "$@") $(absent --batch 20 "$@")) ;;
            embedding) args+=($(absent --rows 64 "$@") $(absent --batch 4 "$@")) ;;
            circuit) args=($(sed 's/aes128_expanded/aes_sbox/' <<<"${args[*]}")) ;;
            cmp | trunc | math) args+=($(absent --batch 20 "$@")) ;;
            triples) args+=($(absent --count 20 "$@")) ;;
            inference) [[ $* = *gpt2-* ]] && args+=(--rows 2) ;;
        esac
    fi
    [ "${NET:-loopback}" = loopback ] || [ "$1" = he ] || args+=($(absent --net "$NET" "$@"))
    commands+=("${args[*]}")
}

# An option with its value, unless it is there.
absent() {
    case " ${*:3} " in *" $1 "*) ;; *) echo "$1 $2" ;; esac
}

for count in 1024 1048576 16777216; do
    run ot --scheme ferret --count "$count"
done
for scheme in iknp softspoken-2 softspoken-4 softspoken-8; do
    run ot --scheme "$scheme" --count 16777216
done
# Which is faster on which link.
for scheme in softspoken-4 ferret; do
    run ot --scheme $scheme --count 4194304 --repeat 3
    for link in 10000:0.2ms lan 1000:1ms; do
        run ot --scheme $scheme --count 4194304 --repeat 3 --net $link
    done
done
for protocol in rotl d dt st b ar splut; do
    run lut --protocol $protocol
done
run lut --protocol dt --index-bits 12 --value-bits 16 --batch 10000
run lut --protocol dt --index-bits 16 --value-bits 8 --batch 10000
for protocol in splut splut-kk13; do
    run lut --protocol $protocol --value-bits 8
done
for protocol in rotl flute fluteplus; do
    run lut --protocol $protocol --index xor --output xor --value-bits 8
done
run lut --protocol d --index xor --output xor --index-bits 4 --value-bits 1
# Two lanes of a thread each.
run lut --protocol d --batch 200000 --threads 2
run triples
for bits in 32 64; do
    run cmp --bits "$bits" --repeat 3
    run cmp --bits "$bits" --optimise online --repeat 3
done
run trunc --bits 64 --cut 16 --repeat 3
run ot --scheme kk13 --of 256 --count 100000
for function in sigmoid tanh exp; do
    run math --function "$function" --bits 16 --repeat 5
done
for function in sigmoid tanh sqrt ln rsqrt; do
    run math --function "$function" --bits 64 --fraction-bits 16 --repeat 3
done

for shape in gpt2-softmax gpt2-gelu block; do
    run inference --shape "$shape"
done
# Cheaper forms, with the extension that sends least: fewest bytes, to 2^-8, of numbers below 64.
for shape in gpt2-softmax gpt2-gelu; do
    for form in --least --network "--network --least" "--network --least --before-point 6"; do
        run inference --shape $shape --ot ferret $form
    done
done
# Blocks of BERT: the extension that sends least, as two organisations would ask for.
run inference --shape bert-base --ot ferret
run inference --shape bert-base --ot ferret --network --least
run inference --shape bert-base --ot ferret --layers 12
run inference --shape bert-base --ot ferret --network --least --layers 12
run inference --shape gpt2 --generate 8 --ot ferret
for link in lan wan; do
    run inference --shape bert-base --ot ferret --net $link
done
for link in lan wan; do
    run inference --shape gpt2-softmax --net $link
    run inference --shape gpt2-gelu --net $link
done

# Circuits: AES with a block and a key of one party each, the expanded key where lookups are made; floating point; and how
# fast ANDs go. The paper's applications are ndss-table6.
circuit() {
    run circuit --repeat 3 --file "$@"
}
for engine in gmw gc-ahead; do
    circuit lib:aes128_expanded --engine $engine --batch 10000
done
circuit lib:aes128_expanded --engine lut --batch 100000
for engine in gc gmw splut; do
    circuit lib:aes128_expanded --engine $engine --batch 1 --net wan
done
for name in f32_add f32_mul; do
    circuit lib:$name --engine gmw --batch 100000
    circuit lib:$name --engine gc --batch 1 --net wan
done
for batch in 1 1000; do
    circuit lib:aes128 --engine gc --batch $batch
done
circuit lib:equal32 --engine gmw --batch 1000000

# Products of matrices.
matmul() {
    run matmul --repeat 3 --shape "$@"
}
for link in loopback lan wan; do
    matmul 256,256,256 --net $link
done
matmul 64,1024,1024
matmul 128,768,3072
matmul 450,64,32
matmul 256,256,256 --owner shared
matmul 128,64,128 --owner shared --batch 12
matmul 256,256,256 --method ot
matmul 256,256,256 --owner shared --method ot

run conv --repeat 3
run conv --repeat 3 --shape 7,7,512,512
for link in lan wan; do
    matmul 128,768,3072 --net $link
    matmul 128,64,128 --owner shared --batch 12 --net $link
    run conv --repeat 3 --net $link
done

# The lattice's pieces, without a peer.
run he --repeat 9 --bits 37 --limbs 4
run he --repeat 9 --bits 64 --limbs 6

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
fss eq-payload --payload-bits 64
fss cmp-payload --bits 8
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
run circuit-psi --count 16384
run circuit-psi --count 16384 --ot ferret
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

if [ ${#commands[@]} = 0 ]; then
    echo "no such subcommand: $ONLY" >&2
    exit 2
elif [ -n "${LIST:-}" ]; then
    printf '%s\n' "${commands[@]}"
    exit
fi
. tools/record.sh
record=bench/record/$processor/$day.jsonl
minutes=about\ $(($(printf '%s\n' "${commands[@]}" | python3 tools/measured.py --seconds) / 60 + 1))
if [ -n "$small" ]; then
    record=target/bench-small.jsonl minutes=few
fi
echo "${#commands[@]} commands, $minutes minutes in all, besides building" >&2
build
mkdir -p "$(dirname "$record")"
failed=() SECONDS=0
for i in "${!commands[@]}"; do
    command=${commands[i]} from=$SECONDS
    echo "$((i + 1)) of ${#commands[@]}, after $((SECONDS / 60)) of $minutes minutes: $command" >&2
    # Words of a command have no blanks.
    if line=$("$program" $command --format json); then
        printf '{"command": "%s", "date": "%s", "commit": "%s", "wall_s": %d, %s\n' \
            "$command" "$day" "$commit" $((SECONDS - from)) "${line#\{}" | tee -a "$record"
    else
        failed+=("$command")
    fi
done
echo "$((${#commands[@]} - ${#failed[@]})) lines recorded in $record" >&2
[ -n "$small" ] || python3 tools/measured.py
grep -q "bench/record/$processor)" docs/measured.md ||
    echo "docs/measured.md shows another processor; tools/measured.py $processor changes that" >&2
if [ ${#failed[@]} -gt 0 ]; then
    printf 'failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
