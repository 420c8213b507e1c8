#!/usr/bin/env bash
# Optimises a real program and shows the remark, and the states that changed before and after.
set -euo pipefail
cd "$(dirname "$0")/.."
program=examples/pressure_gradient.dynamic.sdfg
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

echo "== $program: a GT4Py program whose domain is known only at run time"
echo
echo "== sdfg-opt optimize"
build/sdfg-opt optimize "$program" -o "$out/after.sdfg"
for state in lambda_entry_0 stmt_0_true_branch; do
  echo
  echo "== state $state before"
  build/sdfg-opt print "$program" --only "$state"
  echo "== state $state after"
  build/sdfg-opt print "$out/after.sdfg" --only "$state"
done
echo
echo "== both run on the same inputs"
build/sdfg-opt verify "$program" "$out/after.sdfg"
echo
echo "== copies before and after"
diff <(build/sdfg-opt stats "$program") <(build/sdfg-opt stats "$out/after.sdfg") || true
