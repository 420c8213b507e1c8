"""Conditions, facts and guards on programs that GT4Py made, with domains known only at run time: what is printed
can be pasted, and what is done under it is right."""

import json
from pathlib import Path

import pytest

from support import EXAMPLES, SHARED, Json, programs, sdfg_opt

PROGRAMS = [p for folder in (EXAMPLES, SHARED / "corpus") for p in programs(folder)]
DYNAMIC = [p for p in PROGRAMS if ".dynamic." in p.name]
FACTS = {p.stem: p for p in (SHARED / "corpus" / "facts").glob("*.txt")}


def remarks(path: Path, *options: str | Path) -> dict[str, Json]:
    """By buffer."""
    found = json.loads(sdfg_opt("explain", "--json", *options, path))["candidates"]
    return {remark["buffer"]: remark for remark in found}


def gone(found: dict[str, Json]) -> set[str]:
    return {buffer for buffer, remark in found.items() if remark["verdict"] != "kept"}


@pytest.mark.parametrize("path", DYNAMIC, ids=lambda p: p.name)
def test_each_condition_can_be_pasted(path: Path) -> None:
    for buffer, remark in remarks(path).items():
        if remark["condition"]:
            under = remarks(path, "--assume", remark["condition"])[buffer]
            assert (under["verdict"], under["facts"]) == ("eliminated", [remark["condition"]])


@pytest.mark.parametrize("path", DYNAMIC, ids=lambda p: p.name)
def test_proposed_facts(path: Path, tmp_path: Path) -> None:
    facts, result = tmp_path / "facts.txt", tmp_path / "result.sdfg"
    sdfg_opt("explain", "--facts-out", facts, path)
    found = remarks(path, "--facts", facts)
    assert gone(found) >= {buffer for buffer, remark in remarks(path).items() if remark["condition"]}
    if gone(found):
        sdfg_opt("optimize", "-q", "--facts", facts, path, "-o", result)
        assert sdfg_opt("verify", "--facts", facts, path, result).startswith("same")


@pytest.mark.parametrize("path", DYNAMIC, ids=lambda p: p.name)
def test_guards(path: Path, tmp_path: Path) -> None:
    plain, guarded, result = remarks(path), remarks(path, "--guard"), tmp_path / "result.sdfg"
    assert gone(guarded) == gone(plain) | {buffer for buffer, remark in plain.items() if remark["condition"]}
    if gone(guarded):
        sdfg_opt("optimize", "-q", "--guard", path, "-o", result)
        told = sdfg_opt("verify", "-v", "--runs", "16", path, result)
        lines = [line.split() for line in told.splitlines() if line.strip().startswith("conditions:")]
        assert all(line[1] == line[3] for line in lines), told


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.name)
def test_trust_adds_nothing_to_proofs(path: Path) -> None:
    assert gone(remarks(path, "--assume-pointwise")) == gone(remarks(path))


@pytest.mark.parametrize("name", FACTS)
def test_facts_of_the_model(name: str, tmp_path: Path) -> None:
    path, result = SHARED / "corpus" / f"{name}.dynamic.sdfgz", tmp_path / "result.sdfg"
    found = remarks(path, "--facts", FACTS[name])
    assert len(gone(found)) == len(found) > len(gone(remarks(path)))
    sdfg_opt("optimize", "-q", "--facts", FACTS[name], path, "-o", result)
    assert sdfg_opt("verify", "--facts", FACTS[name], "--runs", "24", path, result).startswith("same: 24 runs")
