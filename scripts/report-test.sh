#!/usr/bin/env bash
# Opens pages of `synergy report` in headless Chromium: no console error, nothing fetched, sorting and
# filtering by keyboard, visible focus, no sideways scrolling at 360 px, a dark scheme.
#
#   scripts/report-test.sh [SHOTS]     SHOTS: directory for screenshots at 1280 and 360 px
#
# Uses `chromium` (Debian's package); installs it when CI is set. Ends with "report test passed", or with
# "report test skipped: ..." where there is none. SYNERGY names the program; without it, it is built.
set -euo pipefail
shots=${1:-}
[ -z "$shots" ] || { mkdir -p "$shots"; shots=$(cd "$shots" && pwd); }
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

skip() { echo "report test skipped: $*"; exit 0; }
command -v python3 >/dev/null || skip "no python3"
if ! command -v chromium >/dev/null && [ -n "${CI:-}" ]; then
  apt=(apt-get)
  [ "$(id -u)" -eq 0 ] || apt=(sudo -n apt-get)
  { "${apt[@]}" update -qq && DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 \
    || skip "chromium cannot be installed"
fi
command -v chromium >/dev/null || skip "no chromium (CI=1 installs it)"

if [ -z "${SYNERGY:-}" ]; then
  cargo build --release --locked --quiet --bin synergy
  SYNERGY="$CARGO_TARGET_DIR/release/synergy"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$SYNERGY" --quiet study run experiments/studies/quick.toml --out "$work/all" >/dev/null
"$SYNERGY" --quiet simulate --load 2,3 --jobs 600 --measure 300..500 --demand single --gpus 64 --policy fifo,srtf \
  --mechanism proportional,tune --seed 1,2 --out "$work/all/simulation" >/dev/null
"$SYNERGY" --quiet report "$work/all" --out "$work/report.html"
"$SYNERGY" --quiet report "$work/all" --out "$work/again.html"
cmp "$work/report.html" "$work/again.html"
python3 scripts/report-test.py "$work/report.html" ${shots:+"$shots"}
