#!/usr/bin/env bash
# A study on a real Slurm, on one machine: installs slurm-wlm and munge (Debian, as root), starts
# munged, slurmctld and slurmd on loopback as ordinary processes, submits an array of 4, kills one
# task in flight, requeues it, merges, and compares the tables byte for byte with a one-process run.
#
#   scripts/slurm/test.sh [PATH-OF-SYNERGY]
#
# Ends with "slurm test passed", or with "slurm test skipped: ..." where Slurm cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

skip() { echo "slurm test skipped: $*"; exit 0; }
say() { printf '== %s\n' "$*" >&2; }

synergy=${1:-${CARGO_TARGET_DIR:-${SYNERGY_TARGET:-${XDG_CACHE_HOME:-$HOME/.cache}/synergy-target}}/release/synergy}
[ -x "$synergy" ] || { echo "no program at $synergy: build it (scripts/quickstart.sh) or name it" >&2; exit 2; }
synergy=$(realpath "$synergy")
[ "$(id -u)" -eq 0 ] || skip "needs root, to run Slurm's daemons"

# Debian's package starts nothing without systemd; what it might start would use its own directories.
if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
  command -v apt-get >/dev/null || skip "no slurmctld, and no apt-get to install it"
  say "installing slurm-wlm and munge"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge; } \
    >/dev/null 2>&1 || skip "slurm-wlm and munge cannot be installed"
fi

work=$(mktemp -d)
started=()
finish() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
mkdir -p "$work"/{state,spool,log}
chmod 755 "$work"
host=$(hostname -s)

head -c 1024 /dev/urandom >"$work/munge.key"
chmod 400 "$work/munge.key"
munged --force --foreground --socket="$work/munge.socket" --key-file="$work/munge.key" \
  --pid-file="$work/munged.pid" --seed-file="$work/munge.seed" --log-file="$work/log/munged" 2>"$work/log/munged.err" &
started+=($!)

# Twice the cores, so that all four tasks are in flight together even on two.
cpus=$(($(nproc) > 4 ? $(nproc) : 4))
cat >"$work/slurm.conf" <<CONF
ClusterName=synergy
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=2,batch_sched_delay=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=1024 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$work/slurm.conf"

slurmctld -D -f "$SLURM_CONF" >/dev/null 2>"$work/log/slurmctld.err" &
started+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" >/dev/null 2>"$work/log/slurmd.err" &
started+=($!)

until_true() { # until_true SECONDS COMMAND...
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.3
  done
}
node_idle() { sinfo -h -o %T | grep -q idle; }
until_true 60 node_idle || { tail -n 5 "$work"/log/* >&2; skip "the daemons did not come up on this machine"; }
say "Slurm $(sinfo --version | cut -d' ' -f2) on $host, $cpus slots"

cat >"$work/study.toml" <<STUDY
include = "$PWD/experiments/studies/quick.toml"
name = "slurm"
replicates = ${REPLICATES:-200}
STUDY
say "one process"
"$synergy" --quiet study run "$work/study.toml" --out "$work/whole" >/dev/null

say "an array of 4"
job=$(SYNERGY="$synergy" STUDY="$work/study.toml" OUT="$work/array" SHARDS=4 \
  sbatch --parsable --array=0-3 --cpus-per-task=1 --output="$work/log/task-%a" scripts/slurm/study.sbatch)

# Kill the program of task 2 as soon as it has finished something.
pid_of_task() { pgrep -f -- "--out $work/array --shard 2/4" | head -n 1; }
until_true 60 pid_of_task || { cat "$work"/log/task-* >&2; echo "task 2 did not start" >&2; exit 1; }
part_written() { compgen -G "$work/array/parts/*.zst"; }
until_true 120 part_written || { echo "no part was written" >&2; exit 1; }
victim=$(pid_of_task) || { echo "task 2 ended before it could be killed: raise REPLICATES" >&2; exit 1; }
kill -9 "$victim"
say "killed task 2 (process $victim)"
task_failed() { scontrol show job "${job}_2" | grep -q 'JobState=\(FAILED\|NODE_FAIL\|COMPLETED\)'; }
until_true 60 task_failed
state=$(scontrol show job "${job}_2" | grep -o 'JobState=[A-Z_]*' | head -n 1)
[ "$state" = "JobState=FAILED" ] || { echo "task 2 should have failed, but is $state" >&2; exit 1; }
scontrol requeue "${job}_2"
# Slurm holds a requeued job for two minutes; not here.
scontrol update JobId="${job}_2" StartTime=now || true
say "requeued task 2"

# Asked of every task by itself: a queue that looks empty for a moment is not a finished array.
task_completed() { scontrol show job "${job}_$1" | grep -q JobState=COMPLETED; }
for task in 0 1 2 3; do
  until_true 300 task_completed "$task" || {
    echo "task $task did not complete:" >&2
    scontrol show job "${job}_$task" >&2
    cat "$work/log/task-$task" >&2
    exit 1
  }
done

say "merge and compare"
"$synergy" --quiet study merge "$work/array" >/dev/null
for table in instances bounds placements mechanisms gaps; do
  cmp "$work/whole/$table.parquet" "$work/array/$table.parquet"
done
"$synergy" study check "$work/array"
echo "slurm test passed"
