#!/usr/bin/env bash
# Everything a change must pass: formatting, lints, tests, documentation. Same set-up and same build
# directory as quickstart.sh. Ends with one line, "N passed, M failed".
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

failed_steps=()
step() {
  local name=$1
  shift
  say "== $name"
  "$@" || failed_steps+=("$name")
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
run_tests() {
  cargo test --release --locked --workspace --no-fail-fast 2>&1 | tee "$log"
}

# A minimal toolchain has neither; the tests still count.
optional() {
  local component=$1 name=$2
  shift 2
  if cargo "$name" --version >/dev/null 2>&1; then
    step "$name" cargo "$name" "$@"
  else
    say "== $name skipped: not installed (rustup component add $component)"
  fi
}

optional rustfmt fmt --all --check
optional clippy clippy --release --locked --workspace --all-targets -- -D warnings
step tests run_tests
step documentation env RUSTDOCFLAGS="-D warnings" cargo doc --release --locked --workspace --no-deps --quiet

# A real Slurm on this machine: where it is there already, and in continuous integration, which may install it.
slurm_test() {
  cargo build --release --locked --quiet --bin synergy && scripts/slurm/test.sh
}
if [ -n "${CI:-}" ] || command -v slurmctld >/dev/null; then
  step slurm slurm_test
else
  say "== slurm skipped: no slurmctld (CI=1 installs it)"
fi

# Pages of `synergy report` in headless Chromium, and the notebooks on the tables that are shipped.
if [ -n "${CI:-}" ] || command -v chromium >/dev/null; then
  step report scripts/report-test.sh
else
  say "== report skipped: no chromium (CI=1 installs it)"
fi
if [ -n "${CI:-}" ]; then
  step notebooks scripts/notebooks.sh
else
  say "== notebooks skipped: scripts/notebooks.sh runs them (CI=1 does)"
fi

passed=$(awk '/^test result:/ { n += $4 } END { print n + 0 }' "$log")
failed=$(awk '/^test result:/ { n += $6 } END { print n + 0 }' "$log")
if [ ${#failed_steps[@]} -gt 0 ]; then
  say "failed steps: ${failed_steps[*]}"
  # A step that broke without a failing test (a lint, a crate that does not compile) still counts.
  [ "$failed" -eq 0 ] && failed=${#failed_steps[@]}
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
