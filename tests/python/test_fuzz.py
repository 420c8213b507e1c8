"""write-back-elimination on random programs, a bounded number of them; and that the check can fail.

The tool is build/sdfg-opt, or what the environment variable SDFG_OPT names.
"""

import collections
import pathlib
import tempfile

import pytest

import fuzz
import generate
import naive
import oracle

pytestmark = pytest.mark.skipif(not pathlib.Path(fuzz.TOOL).exists(), reason="sdfg-opt is not built")

PROGRAMS = 400


def test_generator_is_deterministic():
    assert [generate.generate(seed) for seed in range(20)] == \
        [generate.generate(seed) for seed in range(20)]


def test_meaning_is_kept():
    counts, failures = fuzz.fuzz(range(PROGRAMS), budget=0)
    assert not failures
    assert counts["programs"] == PROGRAMS
    assert counts["right"] > PROGRAMS // 10  # programs that were changed and compared
    for rule in ("R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8"):
        assert counts["kept by " + rule] > 0


def test_wrong_rewrites_are_noticed():
    """What is kept for R2 to R4 and moved all the same is often wrong: the comparison must see that."""
    seen = collections.Counter()
    with tempfile.TemporaryDirectory() as directory:
        checker = fuzz.Checker(directory)
        for seed in range(120):
            program = generate.generate(seed)
            for remark in checker.optimize(program)[1]:
                if remark["rule"] not in ("R2", "R3", "R4"):
                    continue
                try:
                    moved = naive.rewritten(program, remark["buffer"], remark["destination"])
                    for symbols in fuzz.environments(seed, program):
                        fuzz.Meaning(program, symbols, seed).compare(moved)
                except fuzz.Wrong:
                    seen[remark["rule"]] += 1
                except (naive.CannotRewrite, oracle.CannotRun, oracle.Fault, KeyError):
                    continue
    assert min(seen[rule] for rule in ("R2", "R3", "R4")) > 0
    assert seen.total() >= 10


def test_a_program_agrees_with_itself():
    agreed = 0
    for seed in range(60):
        program = generate.generate(seed)
        for symbols in fuzz.environments(seed, program):
            try:
                meaning = fuzz.Meaning(program, symbols, seed)
            except (oracle.CannotRun, oracle.Fault):
                continue
            meaning.compare(program)
            agreed += 1
    assert agreed > 30
