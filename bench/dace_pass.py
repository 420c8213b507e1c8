#!/usr/bin/env python3
"""Our DaCe pass against the one of GT4Py, on the same live SDFGs in one process: dace_pass.py [FILE...]

Prints a Markdown table: milliseconds of each pass with the analyses that it depends on (loading is not
counted), the ratio, and what each removed. Medians of RUNS runs, the two in turn. Without FILEs: examples/,
and ../shared/corpus where it is there. Needs the package (pip install .) and GT4Py.
"""
import pathlib
import statistics
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import dace
from dace.transformation.pass_pipeline import Pass, Pipeline
from gt4py.next.program_processors.runners.dace import transformations
from sdfgopt.dace import WriteBackElimination

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = 15


def default_files() -> list[pathlib.Path]:
    return [*sorted((ROOT / "examples").glob("*.sdfg*")),
            *sorted((ROOT.parent / "shared" / "corpus").glob("*.sdfgz"))]


def run(one: Pass, path: pathlib.Path) -> tuple[float, int]:
    """Milliseconds, and how many arrays are gone."""
    sdfg = dace.SDFG.from_file(str(path))
    before = len(sdfg.arrays)
    begin = time.perf_counter()
    Pipeline([one]).apply_pass(sdfg, {})
    return 1000 * (time.perf_counter() - begin), before - len(sdfg.arrays)


def main() -> None:
    makers = (lambda: WriteBackElimination(assume_pointwise=True),
              lambda: transformations.GT4PyWriteBackBufferElimination(assume_pointwise=True))
    print("| file | sdfg-opt, ms | Python pass, ms | ratio | removed | removed by Python |")
    print("|---|---:|---:|---:|---:|---:|")
    total = [0.0, 0.0]
    for path in [pathlib.Path(f) for f in sys.argv[1:]] or default_files():
        for make in makers:
            run(make(), path)  # caches are filled
        runs = [[run(make(), path) for make in makers] for _ in range(RUNS)]
        ours, theirs = (statistics.median(one[k][0] for one in runs) for k in range(2))
        total[0] += ours
        total[1] += theirs
        print(f"| {path.name} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} "
              f"| {runs[0][0][1]} | {runs[0][1][1]} |", flush=True)
    print(f"| sum | {total[0]:.2f} | {total[1]:.2f} | {total[0] / total[1]:.2f} | | |")


if __name__ == "__main__":
    main()
