"""Real programs, optimised: what had to go is gone, and running them shows no difference."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from support import EXAMPLES, SHARED, Json, load, programs, sdfg_opt

CASES: dict[str, Any] = (json.loads((SHARED / "cases" / "cases.json").read_text())
                         if (SHARED / "cases" / "cases.json").exists() else {})


def optimized(source: Path, folder: Path, *options: str) -> tuple[Path, list[Json]]:
    after, remarks = folder / "after.sdfg", folder / "remarks.json"
    sdfg_opt("optimize", source, *options, "-o", after, "--remarks", remarks)
    return after, json.loads(remarks.read_text())["candidates"]


def elements_verified(before: Path, after: Path, symbols: dict[str, Any], runs: int) -> int:
    """Raises if there is a difference."""
    values = [word for name, value in symbols.items() for word in ("--symbol", f"{name}={value}")]
    last = sdfg_opt("verify", before, after, *values, "--runs", str(runs)).splitlines()[-1]
    return int(re.fullmatch(r"same: \d+ runs, (\d+) elements.*", last)[1])


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, tmp_path: Path) -> None:
    case, source = CASES[name], SHARED / "cases" / f"{name}.sdfg"
    options = [word for fact in case["assume"] for word in ("--assume", fact)]
    options += ["--assume-pointwise"] if case["assume_pointwise"] else []
    after, remarks = optimized(source, tmp_path, *options)
    gone = case["buffer"] not in load(after)["attributes"]["_arrays"]
    assert gone == any(r["buffer"] == case["buffer"] and r["verdict"] == "eliminated" for r in remarks)
    if case["expect"] != "any":
        assert gone == (case["expect"] == "fire"), remarks
    for symbols in case["runs"]:
        assert elements_verified(source, after, symbols, 4) > 0


@pytest.mark.parametrize("options", [[], ["--assume-pointwise"]], ids=["proved", "assume_pointwise"])
@pytest.mark.parametrize("path", programs(EXAMPLES) + programs(SHARED / "corpus"), ids=lambda p: p.name)
def test_program(path: Path, options: list[str], tmp_path: Path) -> None:
    after, _ = optimized(path, tmp_path, *options)
    assert elements_verified(path, after, {}, 12) > 0


def test_verified_before_it_is_written(tmp_path: Path) -> None:
    after = tmp_path / "after.sdfg"
    text = sdfg_opt("optimize", EXAMPLES / "pressure_gradient.static.sdfg", "-o", after, "--verify")
    assert re.search(r"^verified write-back-elimination: same: 8 runs, \d+ elements", text, re.MULTILINE)
    assert after.exists()
