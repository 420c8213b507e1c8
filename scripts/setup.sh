#!/usr/bin/env bash
# Installs what building and testing need and this machine lacks (Debian and its relatives). Elsewhere
# it names the packages and goes on.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(g++ cmake ninja-build libisl-dev libsimdjson-dev libcli11-dev libfmt-dev zlib1g-dev
  libssl-dev libgtest-dev libbenchmark-dev)
if [ "${1:-}" = test ]; then
  packages+=(python3-dev python3-venv clang-format ccache)
fi

missing=()
if command -v dpkg-query >/dev/null; then
  for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing+=("$package")
  done
else
  echo "setup: no dpkg here; these Debian packages or their like are needed: ${packages[*]}" >&2
fi
if [ ${#missing[@]} -gt 0 ]; then
  sudo=()
  [ "$(id -u)" = 0 ] || sudo=(sudo)
  echo "setup: installing ${missing[*]}"
  "${sudo[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
fi

# What builds the wheel, what the tests compare with, and clang-tidy, in an environment of its own. GT4Py needs Python 3.12;
# with an older one its tests are left out.
if [ "${1:-}" = test ]; then
  python=python3
  for candidate in python3.12 "$HOME"/.pyenv/versions/3.12*/bin/python python3 python3.13; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
      python=$candidate
      break
    fi
  done
  wanted=$("$python" --version; cat tests/python/requirements.txt)
  if [ "$(cat .venv/requirements 2>/dev/null)" != "$wanted" ]; then
    echo "setup: Python environment with DaCe and GT4Py in .venv"
    rm -rf .venv
    "$python" -m venv .venv
    .venv/bin/pip install -q --disable-pip-version-check -r tests/python/requirements.txt
    printf '%s\n' "$wanted" >.venv/requirements
  fi
  if "$python" -c 'import sys; sys.exit(sys.version_info >= (3, 12))'; then
    echo "setup: $("$python" --version) is too old for GT4Py; its tests are left out"
  fi
fi
