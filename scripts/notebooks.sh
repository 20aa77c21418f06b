#!/usr/bin/env bash
# Runs the notebooks and SQL files of notebooks-data/ on the tables beside them.
#
#   scripts/notebooks.sh [--write]     --write saves the notebooks with what they printed and drew
#
# Makes a virtual environment under ${SYNERGY_NOTEBOOKS_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/synergy-notebooks}
# the first time. Ends with "notebooks agree", or with "notebooks skipped: ..." where the packages cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=${SYNERGY_NOTEBOOKS_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/synergy-notebooks}

skip() { echo "notebooks skipped: $*"; exit 0; }
command -v python3 >/dev/null || skip "no python3"
if ! cmp -s scripts/requirements-notebooks.txt "$venv/installed.txt"; then
  python3 -m venv "$venv" >/dev/null 2>&1 || skip "python3 has no venv (Debian: apt-get install python3-venv)"
  timeout 300 "$venv/bin/pip" install --quiet --disable-pip-version-check -r scripts/requirements-notebooks.txt >/dev/null 2>&1 \
    || skip "the packages of scripts/requirements-notebooks.txt cannot be installed"
  cp scripts/requirements-notebooks.txt "$venv/installed.txt"
fi
export PYTHONWARNINGS=ignore
exec "$venv/bin/python" scripts/notebooks.py "$@"
