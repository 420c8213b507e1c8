#!/usr/bin/env bash
# The Python pass to compare with, in an environment of its own (.venv-peer).
set -euo pipefail
cd "$(dirname "$0")/.."
[ ! -x .venv-peer/bin/python ] || exit 0
python=""
for candidate in python3.12 python3.13 python3 "$HOME"/.pyenv/versions/3.12*/bin/python; do
  if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || { echo "compare: GT4Py 1.2.3 needs Python 3.12 or newer" >&2; exit 1; }
"$python" -m venv .venv-peer
.venv-peer/bin/pip install -q --disable-pip-version-check 'gt4py==1.2.3' 'dace==2.0.0a10'
