"""sdfg-opt's passes as DaCe passes, for `Pipeline`, `simplify`, or on their own.

    from dace.transformation.pass_pipeline import Pipeline
    from sdfgopt.dace import WriteBackElimination

    Pipeline([WriteBackElimination(assume=["start <= end"])]).apply_pass(sdfg, {})
"""
from __future__ import annotations

from typing import Any, Iterable

import dace
from dace import properties, transformation
from dace.transformation import pass_pipeline

import sdfgopt
from sdfgopt import _live

__all__ = ["WriteBackElimination"]


class _Facts(properties.ListProperty):
    """A list of conditions, or one: text would be taken for a list of letters."""

    def __set__(self, obj: Any, value: Any) -> None:
        super().__set__(obj, [value] if isinstance(value, str) else value)


@transformation.explicit_cf_compatible
@properties.make_properties
class WriteBackElimination(pass_pipeline.Pass):
    """Removes a transient that is copied into an argument array, and the copy with it.

    What accesses the transient then accesses the array. The pass works on the SDFG in place, and leaves
    every object alone that the rewrite does not concern. `apply_pass` returns a `sdfgopt.Report` if
    something was changed, and None otherwise; the report also tells why a transient stays.
    (`sdfgopt.explain(sdfg)` gives a report in any case.)

    It rewrites whole programs: of an SDFG that is nested in another one, it does not know what its
    arguments stand for, so there it does nothing.
    """

    CATEGORY: str = "Simplification"

    assume = _Facts(
        element_type=str, default=[], desc="Conditions on the symbols that always hold, as in '1 <= a <= b'.")
    assume_pointwise = properties.Property(
        dtype=bool, default=False, desc="Trust that maps read what they overwrite element by element.")
    guard = properties.Property(
        dtype=bool, default=False, desc="Where it depends on the symbols, decide when the program runs.")
    guard_growth = properties.Property(
        dtype=float, default=2.0, desc="With guard: how many times as large the program may become.")
    verify = properties.Property(
        dtype=bool, default=False, desc="Run the program before and after, and raise an error if they differ.")

    def __init__(self, *, assume: str | Iterable[str] | None = None, assume_pointwise: bool | None = None,
                 guard: bool | None = None, guard_growth: float | None = None,
                 verify: bool | None = None) -> None:
        super().__init__()
        if assume is not None:
            self.assume = assume if isinstance(assume, str) else list(assume)
        if assume_pointwise is not None:
            self.assume_pointwise = assume_pointwise
        if guard is not None:
            self.guard = guard
        if guard_growth is not None:
            self.guard_growth = guard_growth
        if verify is not None:
            self.verify = verify

    def depends_on(self) -> list:
        return []  # what it needs to know it finds out by itself

    def modifies(self) -> pass_pipeline.Modifies:
        modified = (pass_pipeline.Modifies.Memlets | pass_pipeline.Modifies.AccessNodes
                    | pass_pipeline.Modifies.Descriptors | pass_pipeline.Modifies.NestedSDFGs
                    | pass_pipeline.Modifies.InterstateEdges)
        if self.guard:
            modified |= pass_pipeline.Modifies.CFG | pass_pipeline.Modifies.Symbols
        return modified

    def should_reapply(self, modified: pass_pipeline.Modifies) -> bool:
        # Whatever changes may be what kept a transient: an access, an order, a condition, a name.
        return modified != pass_pipeline.Modifies.Nothing

    def apply_pass(self, sdfg: dace.SDFG, pipeline_results: dict[str, Any]) -> sdfgopt.Report | None:
        if sdfg.parent_sdfg is not None or not _live.has_candidates(sdfg):
            return None
        report = sdfgopt.optimize(sdfg, passes=["write-back-elimination"], assume=self.assume,
                                  assume_pointwise=self.assume_pointwise, guard=self.guard,
                                  guard_growth=self.guard_growth, verify=self.verify)
        return report if report.changed else None

    def report(self, pass_retval: sdfgopt.Report) -> str:
        return str(pass_retval)
