#!/usr/bin/env bash
# From a fresh clone to the first result: installs what is missing, builds, runs the quick study, and
# prints values and gaps. Results: results/quick/ (Parquet tables, one figure as PDF, SVG and PNG).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cargo build --release --locked --bin synergy
synergy="$CARGO_TARGET_DIR/release/synergy"

"$synergy" study run experiments/studies/quick.toml --out results/quick
say ""
say "Tables and figure are in results/quick/. The program is $synergy; go on with"
say "  export PATH=\"$CARGO_TARGET_DIR/release:\$PATH\""
say "  synergy summarise results/quick --by demand,cpus_per_gpu"
say "  synergy worst results/quick --export hardest"
