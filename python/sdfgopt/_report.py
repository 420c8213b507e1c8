"""What the optimiser and the comparison of programs tell, as plain objects that can be pickled."""
from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterator, Mapping

if TYPE_CHECKING:
    from sdfgopt._core import Program

__all__ = ["Difference", "FactGroup", "ProposedFacts", "Remark", "Report", "VerifiedRun", "VerifyReport"]


@dataclass(frozen=True)
class Remark:
    """What became of one buffer that is copied into an argument, and why.

        for remark in sdfgopt.explain("program.sdfg").kept:
            print(remark.buffer, remark.reason)
    """

    pass_name: str
    buffer: str
    destination: str  #: the argument; of several, the one whose copy is gone, or the first
    region: str  #: blocks around the state, as in "cond/branch_0/"; "" at the top
    state: str  #: label of the state that has the copy
    state_id: str
    node: str  #: the buffer's access node
    verdict: str  #: "eliminated", "guarded" or "kept"
    rule: str  #: that decided, "R1" to "R8"; "" unless kept
    reason: str  #: what is in the way, and where
    condition: str  #: kept: right whenever this holds, if not "". Guarded: what the program tests
    facts: tuple[str, ...]  #: of those given, the ones that the proof needs
    trusted: bool  #: rests on assume_pointwise, and not on a proof alone
    bytes: str  #: size of the copy, an expression; "" if it cannot be told

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON of `sdfg-opt optimize --remarks`."""
        names = {"pass_name": "pass"}
        return {names.get(name, name): list(value) if name == "facts" else value
                for name, value in vars(self).items()}

    @classmethod
    def _from_core(cls, remark: Mapping[str, Any]) -> Remark:
        values = dict(remark)
        return cls(pass_name=values.pop("pass"), facts=tuple(values.pop("facts")), **values)


@dataclass(frozen=True)
class FactGroup:
    """Facts that are of use together, and what is eliminated once they are assumed."""

    facts: tuple[str, ...]
    freed: tuple[Remark, ...]


@dataclass(frozen=True)
class ProposedFacts:
    """Facts under which more buffers go: those to ask the program's author about.

    `str()` is a file for `facts=`; iteration gives the facts.

        proposed = sdfgopt.explain("program.sdfg", propose_facts=True).proposed_facts
        sdfgopt.optimize("program.sdfg", assume=proposed)  # if they are true
    """

    groups: tuple[FactGroup, ...]
    conflicting: tuple[str, ...]  #: buffers that other facts would free, but not these
    complete: bool  #: if not, the search stopped early: there may be more, or fewer may do
    text: str = field(repr=False)
    summary: str = field(repr=False)

    @property
    def facts(self) -> list[str]:
        return [fact for group in self.groups for fact in group.facts]

    def __iter__(self) -> Iterator[str]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.facts)

    def __str__(self) -> str:
        return self.text

    @classmethod
    def _from_core(cls, found: Mapping[str, Any]) -> ProposedFacts:
        groups = tuple(FactGroup(tuple(facts), tuple(map(Remark._from_core, freed)))
                       for facts, freed in found["groups"])
        return cls(groups, tuple(found["conflicting"]), found["complete"], found["text"], found["summary"])


@dataclass(frozen=True)
class Report:
    """What `optimize` did or `explain` found: one remark for each buffer that is copied into an argument.

    `str()` is what the program `sdfg-opt` prints; notebooks show a table.

        report = sdfgopt.optimize("program.sdfg", output="faster.sdfg")
        print(report)
        assert not report.kept
    """

    remarks: tuple[Remark, ...]
    changed: bool  #: the program
    verified: bool  #: it was run before and after, and no difference found
    summary: str  #: "2 buffers eliminated, 1 kept"
    statistics: Mapping[str, int] = field(repr=False, compare=False)  #: what the solver was asked
    text: str = field(repr=False)
    #: The optimised program. None from `explain`, and for a live dace.SDFG, which is changed itself.
    program: Program | None = field(default=None, compare=False)
    proposed_facts: ProposedFacts | None = None  #: from `explain`, if asked for

    @property
    def eliminated(self) -> list[Remark]:
        """Of buffers that are gone."""
        return self._with_verdict("eliminated")

    @property
    def guarded(self) -> list[Remark]:
        """Of buffers that are gone where a condition holds, which the program tests."""
        return self._with_verdict("guarded")

    @property
    def kept(self) -> list[Remark]:
        """Of buffers that stay."""
        return self._with_verdict("kept")

    def _with_verdict(self, verdict: str) -> list[Remark]:
        return [remark for remark in self.remarks if remark.verdict == verdict]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `sdfg-opt optimize --remarks`, which docs/remarks.md describes."""
        return {"candidates": [remark.to_dict() for remark in self.remarks]}

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{title}</th>" for title in ("verdict", "buffer", "destination", "state", "bytes", "why"))
        rows = "".join(f"<tr>{_cells(remark)}</tr>" for remark in self.remarks)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if self.remarks else ""
        return f"{table}<p>{html.escape(self.summary)}</p>"

    @classmethod
    def _from_core(cls, result: Mapping[str, Any], *, program: Program | None = None,
                   proposed_facts: ProposedFacts | None = None) -> Report:
        return cls(tuple(map(Remark._from_core, result["remarks"])), result["changed"], result["verified"],
                   result["summary"], dict(result["statistics"]), result["text"], program, proposed_facts)


def _cells(remark: Remark) -> str:
    """Of a row in a notebook's table."""
    why = f"{remark.rule}: {remark.reason}" if remark.rule else "trusted" if remark.trusted else "proved"
    if remark.facts:
        why += ", given " + ", ".join(remark.facts)
    if remark.condition:
        why += f"; {'right whenever' if remark.rule else 'where'} {remark.condition}"
    place = f"{remark.region}{remark.state} ({remark.state_id}, {remark.node})"
    cells = (remark.verdict, remark.buffer, remark.destination, place, remark.bytes, why)
    return "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)


@dataclass(frozen=True)
class VerifiedRun:
    """One choice of symbols and inputs that both programs were run with."""

    symbols: Mapping[str, int | float]
    seed: int
    elements: int  #: compared, over all arguments, padding included
    undefined: int  #: left out: they depend on memory that nobody wrote
    unordered: int  #: left out: they depend on an order that the program leaves open


@dataclass(frozen=True)
class Difference:
    """Where two programs differ; `str()` is a sentence."""

    kind: str  #: "value", "undefined", "order", "argument", "symbol" or "failure"
    array: str  #: the first four are about an element of it
    index: str  #: "[3, 4]"
    before: str  #: its value
    after: str
    after_too: str  #: another value that it has, with another order (kind "order")
    state: str  #: behind it, the element differs for good
    message: str  #: where it is not about an element
    symbols: Mapping[str, int | float]
    seed: int
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class VerifyReport:
    """What `verify` found. True if the programs do the same; `str()` is what the program prints.

        report = sdfgopt.verify("program.sdfg", "faster.sdfg")
        assert report, report.difference
    """

    runs: tuple[VerifiedRun, ...] = field(repr=False)  #: without the one that shows the difference
    difference: Difference | None
    wanted: int  #: runs that were asked for
    skipped: int  #: choices with which the program before does not run; others took their place
    why_skipped: str  #: the first of them
    conditions: int  #: of branches, that depend on symbols that are chosen
    seen_both_ways: int  #: of them: they came out true in one run and false in another
    text: str = field(repr=False)

    @property
    def same(self) -> bool:
        return self.difference is None

    def __bool__(self) -> bool:
        return self.same

    def __str__(self) -> str:
        return self.text

    @classmethod
    def _from_core(cls, report: Mapping[str, Any]) -> VerifyReport:
        values = dict(report)
        runs = tuple(VerifiedRun(**run) for run in values.pop("runs"))
        difference = values.pop("difference")
        return cls(runs=runs, difference=difference and Difference(**difference), **values)
