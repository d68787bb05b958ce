# Sourced by what records measurements: where they go, of which day and commit they are, and the benchmark's program.
processor=$(tools/processor.sh)
day=$(date -u +%F)
commit=$(tools/commit.sh)

# Sets `program`, unless PROGRAM is one that is built already, with --features baselines.
build() {
    program=${PROGRAM:-}
    if [ -z "$program" ]; then
        cargo build --release --locked -p hushtable-bench --features baselines
        program=${CARGO_TARGET_DIR:-target}/release/hushtable-bench
    fi
}
