"""GT4Py programs, compiled with and without the hook, and run on many domains: `make gt4py`.

For each program: how many buffers the hook eliminates, and guards with that option; the copies between
arrays in the SDFG that is compiled, without and with the hook; and how often each version was run. Results
are compared bit for bit, compiled with flags under which they must be equal, and once more with GT4Py's own.
"""

import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "tests" / "python" / "package"), str(ROOT / "examples")]
warnings.filterwarnings("ignore")

import gt4py_stencils  # noqa: E402
import gt4py_runs as runs  # noqa: E402
import programs  # noqa: E402
from gt4py.next import config  # noqa: E402
from gt4py.next.program_processors.runners.dace.workflow import backend, factory  # noqa: E402

import sdfgopt.gt4py  # noqa: E402

PROGRAMS = [programs.pressure_gradient, programs.divergence_damping, programs.moisture_update, *gt4py_stencils.ALL]


def line(program: Any) -> tuple[bool, bool]:
    """Has it fewer copies with the hook, and is it the same with GT4Py's flags?"""
    chosen = runs.choices(program)
    plain = runs.plain(program)
    fast, hook = runs.hooked(program)
    guarded, guards = runs.hooked(program, guard=True)
    for other in (fast, guarded):
        runs.assert_equal(plain, other, chosen)
    flags = os.environ.pop("CXXFLAGS")
    release = factory.DaCeConfig()
    same = True
    try:
        runs.assert_equal(
            runs.compiled(program, backend.make_dace_toolchain(release)),
            runs.compiled(program, sdfgopt.gt4py.make_toolchain(release)),
            chosen,
        )
    except AssertionError:
        same = False
    os.environ["CXXFLAGS"] = flags
    before, after = len(runs.copies(plain)), len(runs.copies(fast))
    print(
        f"| {program.__name__} | {runs.verdicts(hook).count('eliminated')} | {runs.verdicts(guards).count('guarded')} "
        f"| {before} | {after} | {len(chosen)} | {'yes' if same else 'no'} |",
        flush=True,
    )
    return after < before, same


def main() -> None:
    os.environ["CXXFLAGS"] = runs.FLAGS
    config.BUILD_JOBS_MODE = config.BuildJobsMode.SERIAL
    start = time.time()
    print("| program | eliminated | guarded | copies | with the hook | runs | equal with GT4Py's flags, too |")
    print("|---|---:|---:|---:|---:|---:|---|")
    found = [line(program) for program in PROGRAMS]
    print(
        f"{len(found)} programs with equal results, {sum(fewer for fewer, _ in found)} of them with fewer copies; "
        f"{sum(same for _, same in found)} with equal results also with GT4Py's flags; {time.time() - start:.0f} s"
    )


if __name__ == "__main__":
    main()
