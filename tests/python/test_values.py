"""An optimised program computes what the program did, in the oracle's eyes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import oracle
from support import (EXAMPLES, SHARED, Comparison, FileTest, Json, compare, filetests, gt4py_symbols, load, programs,
                     sdfg_opt)

CASES: dict[str, Any] = (json.loads((SHARED / "cases" / "cases.json").read_text())
                         if (SHARED / "cases" / "cases.json").exists() else {})


def check(before: Json, after: Json, runs: list[dict[str, int]], **how: Any) -> Comparison:
    """All runs must agree. Skips if the oracle cannot run the program."""
    total = Comparison()
    for symbols in runs:
        try:
            one = compare(before, after, symbols, **how)
        except (oracle.CannotRun, oracle.Fault) as error:
            pytest.skip(f"before, with {symbols}: {type(error).__name__}: {error}")
        total.compared += one.compared
        total.undefined += one.undefined
        total.differences += one.differences
    assert not total.differences, "\n".join(total.differences[:12])
    assert total.compared > 0
    print(f"{total.compared} elements compared, {total.undefined} undefined")
    return total


def optimized(source: Path, folder: Path, *options: str) -> tuple[Json, Json, list[Json]]:
    """The program before and after, and the remarks."""
    before, after, remarks = folder / "before.sdfg", folder / "after.sdfg", folder / "remarks.json"
    sdfg_opt("convert", source, before)
    sdfg_opt("optimize", source, *options, "-o", after, "--remarks", remarks)
    return load(before), load(after), json.loads(remarks.read_text())["candidates"]


@pytest.mark.parametrize("test", [t for t in filetests() if t.verb == "optimize" and t.runs], ids=lambda t: t.name)
def test_filetest(test: FileTest, tmp_path: Path) -> None:
    source = tmp_path / "input.sdfgt"
    source.write_text(test.input)
    before, after, _ = optimized(source, tmp_path, *test.options)
    check(before, after, test.runs)


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    options = ["--assume-pointwise"] if case["assume_pointwise"] else []
    before, after, remarks = optimized(SHARED / "cases" / f"{name}.sdfg", tmp_path, *options)
    gone = case["buffer"] not in after["attributes"]["_arrays"]
    assert gone == any(r["buffer"] == case["buffer"] and r["verdict"] == "eliminated" for r in remarks)
    if case["expect"] != "any":
        assert gone == (case["expect"] == "fire"), remarks
    check(before, after, case["runs"])


@pytest.mark.parametrize("flag", [0, 1])
@pytest.mark.parametrize("options", [[], ["--assume-pointwise"]], ids=["proved", "assume_pointwise"])
@pytest.mark.parametrize("path", programs(EXAMPLES), ids=lambda p: p.name)
def test_example(path: Path, options: list[str], flag: int, tmp_path: Path) -> None:
    before, after, _ = optimized(path, tmp_path, *options)
    domains = [{"cell_start": 0, "cell_end": 9}, {"cell_start": 2, "cell_end": 6}]
    symbols = gt4py_symbols(before, flag)
    check(before, after, [symbols | domain for domain in domains], seeds=1, integers_below=8)


@pytest.mark.parametrize("path", programs(SHARED / "corpus"), ids=lambda p: p.name)
def test_corpus(path: Path, tmp_path: Path) -> None:
    before, after, remarks = optimized(path, tmp_path, "--assume-pointwise")
    if all(r["verdict"] == "kept" for r in remarks):
        pytest.skip("nothing is eliminated")
    check(before, after, [gt4py_symbols(before, 1, horizontal=40)], seeds=1, integers_below=7)


def test_a_wrong_rewrite_is_found(tmp_path: Path) -> None:
    """The check must be able to fail: the same program with one index off by one."""
    source = tmp_path / "input.sdfgt"
    source.write_text(next(t.input for t in filetests() if t.path.stem == "base_offset"))
    before, after, _ = optimized(source, tmp_path)
    wrong = json.loads(re.sub(r"11 \+ \$i", "10 + $i", json.dumps(after)))
    assert wrong != after
    assert not compare(before, after, {}).differences
    assert compare(before, wrong, {}).differences
