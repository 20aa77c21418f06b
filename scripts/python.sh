#!/usr/bin/env bash
# Builds the Python package synergy_lab and tests it in a virtual environment of its own.
#
#   scripts/python.sh          builds, installs, runs pytest
#   scripts/python.sh wheel    builds the wheel alone
#
# The environment is made the first time, under ${SYNERGY_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/synergy-lab-venv}.
# HiGHS is that of scripts/quickstart.sh: same build directory, same features. polars is compiled once more the first
# time, because PyO3's macros use a feature of syn that the workbench does not.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

package=experiments/python
venv=${SYNERGY_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/synergy-lab-venv}
command -v python3 >/dev/null || { say "no python3"; exit 1; }
if ! cmp -s "$package/requirements.txt" "$venv/installed.txt"; then
  python3 -m venv "$venv" || { say "python3 has no venv (Debian: apt-get install python3-venv)"; exit 1; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$package/requirements.txt"
  cp "$package/requirements.txt" "$venv/installed.txt"
fi

wheels="$CARGO_TARGET_DIR/wheels"
"$venv/bin/maturin" build --release --locked --quiet --manifest-path "$package/Cargo.toml" --interpreter "$venv/bin/python" --out "$wheels"
wheel=$(ls -t "$wheels"/synergy_lab-*-abi3-*.whl | head -1)
say "wheel: $wheel"
[ "${1:-}" = wheel ] && exit 0
"$venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
"$venv/bin/python" -m pytest -q "$package/tests"
