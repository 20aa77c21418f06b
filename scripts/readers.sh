#!/usr/bin/env bash
# Opens a results directory with polars, DuckDB and pandas in Python.
#
#   scripts/readers.sh DIR
#
# Makes a virtual environment under ${SYNERGY_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/synergy-venv} the
# first time. Ends with "readers agree", or with "readers test skipped: ..." where the packages cannot be had.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
directory=${1:?name a results directory}
venv=${SYNERGY_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/synergy-venv}

skip() { echo "readers test skipped: $*"; exit 0; }
command -v python3 >/dev/null || skip "no python3"
if ! cmp -s "$here/requirements-readers.txt" "$venv/installed.txt"; then
  python3 -m venv "$venv" >/dev/null 2>&1 || skip "python3 has no venv (Debian: apt-get install python3-venv)"
  timeout 300 "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements-readers.txt" >/dev/null 2>&1 \
    || skip "the packages of scripts/requirements-readers.txt cannot be installed"
  cp "$here/requirements-readers.txt" "$venv/installed.txt"
fi
exec "$venv/bin/python" "$here/readers.py" "$directory"
