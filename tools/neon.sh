#!/usr/bin/env bash
# Builds the kernels for AArch64 and runs their tests under qemu, for want of such a processor.
set -euo pipefail
cd "$(dirname "$0")/.."

target=aarch64-unknown-linux-gnu
cross=aarch64-linux-gnu
for need in rustup "$cross-gcc" qemu-aarch64; do
    command -v "$need" >/dev/null || {
        echo "test-neon needs $need (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user; rustup.rs)" >&2
        exit 1
    }
done
rustup target list --installed | grep -qx "$target" || rustup target add "$target"

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=$cross-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -cpu max -L /usr/$cross"
cargo test -p hushtable-prim --lib --tests --locked --target "$target"
