#!/usr/bin/env bash
# Parallel efficiency and memory of a study. Usage: scripts/efficiency.sh [SYNERGY]; the machine should do
# nothing else. Runs experiments/studies/quick.toml with 250 replicates (1,000 instances of 128 GPUs) by one
# and by two threads, five times each, and prints wall and CPU seconds, their medians, efficiency =
# wall(1) / (2 wall(2)), and the largest resident memory at 1,000 and 10,000 instances.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
synergy=${1:-${CARGO_TARGET_DIR:-${SYNERGY_TARGET:-${XDG_CACHE_HOME:-$HOME/.cache}/synergy-target}}/release/synergy}
[ -x "$synergy" ] || { echo "no program at $synergy: build it (scripts/quickstart.sh) or name it" >&2; exit 2; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cat > "$out/measure.py" <<'EOF'
"""Prints wall seconds, CPU seconds and MiB of a run of REPLICATES by THREADS."""
import resource, subprocess, sys, time
synergy, study, out, replicates, threads = sys.argv[1:]
start = time.monotonic()
subprocess.run(
    [synergy, "-q", "study", "run", study, "--out", out, "--set", f"replicates={replicates}", "--jobs", threads],
    check=True, stdout=subprocess.DEVNULL)
wall = time.monotonic() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{wall:.2f} {used.ru_utime + used.ru_stime:.2f} {used.ru_maxrss / 1024:.0f}")
EOF
measure() {
  rm -rf "$out/study"
  python3 "$out/measure.py" "$synergy" "$here/experiments/studies/quick.toml" "$out/study" "$1" "$2"
}

echo "threads wall_s cpu_s MiB"
for _ in 1 2 3 4 5; do
  for threads in 1 2; do
    echo "$threads $(measure 250 "$threads")" | tee -a "$out/runs"
  done
done
median() { awk -v threads="$1" -v column="$2" '$1 == threads { print $column }' "$out/runs" | sort -n | sed -n 3p; }
awk -v one="$(median 1 2)" -v two="$(median 2 2)" -v cpu_one="$(median 1 3)" -v cpu_two="$(median 2 3)" 'BEGIN {
  printf "median wall %.2f s by one thread, %.2f s by two: efficiency %.3f\n", one, two, one / (2 * two)
  printf "median CPU  %.2f s by one thread, %.2f s by two: overhead %.1f %%\n", cpu_one, cpu_two, 100 * (cpu_two / cpu_one - 1)
}'
for replicates in 250 2500; do
  echo "$((4 * replicates)) instances: $(measure "$replicates" 2 | cut -d ' ' -f 3) MiB"
done
