#!/usr/bin/env bash
# 50 kills: a study is killed with SIGKILL at random moments and started again until it is complete;
# its tables must then equal, byte for byte, those of an undisturbed run.
#
#   scripts/kills.sh [KILLS] [PATH-OF-SYNERGY]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
kills=${1:-50}
synergy=${2:-${CARGO_TARGET_DIR:-${SYNERGY_TARGET:-${XDG_CACHE_HOME:-$HOME/.cache}/synergy-target}}/release/synergy}
[ -x "$synergy" ] || { echo "no program at $synergy: build it (scripts/quickstart.sh) or name it" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
study=experiments/studies/quick.toml
settings=(--set "replicates=${REPLICATES:-2000}" --set name=kills ${SETTINGS:-})
start=$(date +%s.%N)
"$synergy" --quiet study run "$study" "${settings[@]}" --out "$work/whole" >/dev/null
# Spread over the time of the undisturbed run, so that there is work left at the last kill.
longest=$(awk -v start="$start" -v end="$(date +%s.%N)" -v kills="$kills" 'BEGIN { print 1.6 * (end - start) / kills }')

RANDOM=${SEED:-2022}
done_kills=0
for ((i = 0; i < kills; i++)); do
  "$synergy" --quiet study run "$study" "${settings[@]}" --out "$work/killed" >/dev/null &
  pid=$!
  # Some fall into start-up, most into the work, some into the writing of parts and tables.
  sleep "$(awk -v r=$RANDOM -v longest="$longest" 'BEGIN { printf "%.3f", 0.03 + longest * r / 32768 }')"
  if kill -9 "$pid" 2>/dev/null; then done_kills=$((done_kills + 1)); fi
  wait "$pid" 2>/dev/null || true
done
"$synergy" --quiet study run "$study" "${settings[@]}" --out "$work/killed" >/dev/null
for table in instances bounds placements mechanisms gaps; do
  cmp "$work/whole/$table.parquet" "$work/killed/$table.parquet"
done
"$synergy" study check "$work/killed" --sample 4
leftovers=$(find "$work/killed" -name '.synergy-*' | wc -l)
[ "$done_kills" -ge $((kills * 9 / 10)) ] || { echo "only $done_kills of $kills kills hit a run: raise REPLICATES" >&2; exit 1; }
echo "$done_kills kills of $kills tries, tables identical, $leftovers temporary files left"
