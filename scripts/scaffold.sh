#!/usr/bin/env bash
# A mechanism of one's own, from nothing: `synergy new-mechanism` in Rust, built outside the clone with what the
# clone's build directory has, and run in compare, conformance and bench. Compiles our own crates once more.
#
#   scripts/scaffold.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cargo build --release --locked --bin synergy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$CARGO_TARGET_DIR/release/synergy" new-mechanism my-idea
cd my-idea
cargo build --release --offline 2>&1 | tee "$work/build.log" >&2
if grep -qE 'Compiling (highs-sys|polars)' "$work/build.log"; then
  say "HiGHS or polars was compiled again: the profile or the features of the crate differ from the workbench's"
  exit 1
fi
mine="$CARGO_TARGET_DIR/release/my-idea"
"$mine" generate --gpus 128 --demand multi --seed 7 --out instance.json
"$mine" compare instance.json --only lp,config,tune,my-idea,'my-idea[gb_in_cpus=0.1]'
"$mine" conformance my-idea --random 60 --no-measures
"$mine" bench my-idea tune --only 128
"$mine" mechanisms | grep -A1 '^my-idea'
