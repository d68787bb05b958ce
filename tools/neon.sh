#!/usr/bin/env bash
# Builds the kernels for AArch64 and runs their tests under qemu, for want of such a processor. Links statically with
# the linker that comes with Rust, so that no cross compiler is needed.
set -euo pipefail
cd "$(dirname "$0")/.."

target=aarch64-unknown-linux-musl
for need in qemu-aarch64 rustup; do
    command -v "$need" >/dev/null || { echo "test-neon needs $need (Debian's package qemu-user; rustup.rs)" >&2; exit 1; }
done
rustup target list --installed | grep -qx "$target" || rustup target add "$target"

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUSTFLAGS="-C link-self-contained=yes"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER="qemu-aarch64 -cpu max"
cargo test -p hushtable-prim --tests --lib --locked --target "$target"
