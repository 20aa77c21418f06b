#!/usr/bin/env bash
# Imports the traces of a directory and accounts for every row.
#
#   scripts/traces.sh DIR
#
# For each file that it knows by name: rows counted by `wc` = rows read = rows kept + rejected, and as many
# kept as are known. Then a workload of each trace feeds `compare` and `study`. The files are public and not
# part of the repository (docs/workloads.md says where they come from); one that is absent is skipped.
# SYNERGY names the program; without it, it is built.
set -euo pipefail
directory=$(cd "${1:?name a directory with traces}" && pwd)
if [ -z "${SYNERGY:-}" ]; then
  source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
  cargo build --release --locked --quiet --bin synergy
  SYNERGY="$CARGO_TARGET_DIR/release/synergy"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Format, file, header lines, rows kept.
known() {
  cat <<'EOF'
philly-table philly_jobs.csv.gz 1 82247
replay synergy_static_100.csv 0 100
replay synergy_dynamic_srtf.csv 0 100
replay multi_gpu_100.csv 0 100
gavel gavel_msr_ed69ec_seed0.trace.gz 0 951
alibaba-2023 alibaba_gpu_v2023_pods_default.csv.gz 1 3630
alibaba-nodes alibaba_gpu_v2023_gpu_nodes.csv 1 1213
EOF
}

study() {
  cat <<EOF
schema = "synergy-study/1"
name = "trace"
replicates = 1
[methods]
bounds = ["lp"]
placements = []
mechanisms = ["proportional", "tune"]
[parameters]
gpus = 64
gpus_per_server = 8
demand = {kind = "empirical"}
trace = {path = "$1"}
EOF
}

faults=0 seen=0
fault() { echo "  FAULT: $*"; faults=$((faults + 1)); }
while read -r format file header kept; do
  path=$directory/$file
  [ -f "$path" ] || { echo "$file: not there, skipped"; continue; }
  seen=$((seen + 1))
  lines=$(case $path in *.gz) zcat "$path" ;; *) cat "$path" ;; esac | awk 'NF { n++ } END { print n + 0 }')
  start=$(date +%s%N)
  "$SYNERGY" import "$format" "$path" --out out.parquet --report json >report.json
  ms=$((($(date +%s%N) - start) / 1000000))
  number() { grep -o "\"$1\": [0-9]*" report.json | head -1 | grep -o '[0-9]*$'; }
  read_rows=$(number rows_read) kept_rows=$(number rows_kept)
  rejected=$(awk '/"rejected": \{/ { inside = 1 } /"noted"/ { inside = 0 } inside && /"rows":/ { gsub(/[^0-9]/, ""); n += $0 } END { print n + 0 }' report.json)
  echo "$file ($format): $lines lines, read $read_rows, kept $kept_rows, rejected $rejected, $ms ms"
  [ "$read_rows" -eq $((lines - header)) ] || fault "$((lines - header)) data lines, but $read_rows rows read"
  [ "$read_rows" -eq $((kept_rows + rejected)) ] || fault "$read_rows read, but $kept_rows kept and $rejected rejected"
  [ "$kept_rows" -eq "$kept" ] || fault "$kept rows should be kept"
  if [ "$format" = alibaba-nodes ]; then
    mv out.parquet cluster.toml
    "$SYNERGY" --quiet generate --spec cluster.toml --demand multi --out instance.json
  else
    "$SYNERGY" --quiet generate --trace out.parquet --gpus 512 --out instance.json || fault "no instance"
    study out.parquet >study.toml
    rm -rf results
    "$SYNERGY" --quiet study run study.toml --out results >study.txt || fault "no study"
    grep -q tune study.txt || fault "the study has no result"
  fi
  "$SYNERGY" compare instance.json --only lp,proportional,tune >compare.txt || fault "no comparison"
  grep -q tune compare.txt || fault "the comparison has no result"
done < <(known)
[ "$seen" -gt 0 ] || fault "none of the known traces is in $directory"
[ "$faults" -eq 0 ] && echo "$seen traces accounted for to the last row"
[ "$faults" -eq 0 ]
