"""Removes buffers and copies from DaCe programs, and proves that nobody can tell.

    import sdfgopt

    report = sdfgopt.optimize("program.sdfg", output="faster.sdfg")
    print(report)
    assert sdfgopt.verify("program.sdfg", "faster.sdfg")

A program is a path (.sdfg, .sdfgz, .sdfgt), a `Program` that was loaded, or a live `dace.SDFG`, which is
changed in place. `sdfgopt.dace` has the same as a DaCe pass, `sdfgopt.gt4py` as a hook for GT4Py's optimiser.
"""
from sdfgopt._api import explain, load, optimize, print, run, save, verify
from sdfgopt._core import Error, Program, VerificationError, __version__
from sdfgopt._report import (Difference, FactGroup, ProposedFacts, Remark, Report, VerifiedRun,
                             VerifyReport)

__all__ = ["Difference", "Error", "FactGroup", "Program", "ProposedFacts", "Remark", "Report", "VerificationError",
           "VerifiedRun", "VerifyReport", "__version__", "explain", "load", "optimize", "print", "run", "save",
           "verify"]
