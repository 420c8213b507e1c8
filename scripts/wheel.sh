#!/usr/bin/env bash
# Builds the wheel (again, if something changed) into build-wheel/dist, and installs it into .venv.
set -euo pipefail
cd "$(dirname "$0")/.."
# As in the other builds, so that ccache has compiled most of it already.
export CC="${CC:-cc}" CXX="${CXX:-c++}"
CMAKE_EXECUTABLE=$(command -v cmake)
export CMAKE_EXECUTABLE
rm -rf build-wheel/dist
pip=(.venv/bin/pip -q --disable-pip-version-check --no-input)
"${pip[@]}" wheel . --no-build-isolation --no-deps -w build-wheel/dist
"${pip[@]}" install --no-index --no-deps --force-reinstall build-wheel/dist/*.whl
ls -sh build-wheel/dist/*.whl
