#!/usr/bin/env bash
# clang-format and clang-tidy over all sources. Needs compile_commands.json of build/ and, for the Python
# extension, of build-wheel/; clang-tidy is that of .venv, which does not look into the system's headers (from
# version 22 on) and so takes a third of the time. What those have marked as deprecated is not our affair.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t sources < <(git ls-files 'src/*.cpp' 'src/*.h' 'tests/*.cpp' 'bench/*.cpp')
clang-format --dry-run -Werror "${sources[@]}"
tidy() { # the build; files on standard input
  xargs -P "$(nproc)" -n 4 .venv/bin/clang-tidy -p "$1" --quiet \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-deprecated-declarations 2>/dev/null
}
git ls-files 'src/*.cpp' ':!src/python' | tidy build
git ls-files 'src/python/*.cpp' | tidy build-wheel
echo "lint: ${#sources[@]} files clean"
