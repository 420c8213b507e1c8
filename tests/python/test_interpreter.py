"""The interpreter (`sdfg-opt run`) against programs that DaCe compiled: bit for bit, or within a few units in
the last place where functions of libm are called.

An element counts if the interpreter itself gives it the same value whatever undefined memory holds, and
whatever order the iterations of maps run in. NaNs are alike.
"""

import collections
import functools
import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from expressions import integer, names_in
from program_inputs import Layout, Placed, contents, field_symbols, places
from support import EXAMPLES, SDFG_OPT, SHARED, Json, load, programs, sdfg_opt

dace_programs = pytest.importorskip("dace_programs", reason="DaCe is not installed", exc_type=ImportError)
dace_snippets = pytest.importorskip("dace_snippets", reason="DaCe is not installed", exc_type=ImportError)
dace_expressions = pytest.importorskip("dace_expressions", reason="DaCe is not installed", exc_type=ImportError)

pytestmark = pytest.mark.dace

LIBM_ULPS = 4
LIBM = re.compile(r"\*\* [a-z]|\b(exp|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|"
                  r"cbrt|hypot|erf|erfc|tgamma|lgamma)\(")
KINDS = ("exact", "any", "special")  # of contents of arguments
FILLS = 3  # contents of undefined memory
ORDERS = (1, 2)  # seeds of the orders in which maps run
ORDERS_TO_BE_SURE = range(3, 40)
GENERATED = 100  # programs that are generated,
COMPARED = 60  # and how many of them must have been compared at the least

CASES: Json = json.loads(p.read_text()) if (p := SHARED / "cases" / "cases.json").exists() else {}
FIELDS: Json = json.loads((Path(__file__).parent / "data" / "corpus_runs.json").read_text())
EXPRESSIONS = dace_expressions.expression_programs()


class CannotRun(Exception):
    """The interpreter refuses the program, or finds a fault in it."""


# One run


@dataclass(frozen=True)
class Run:
    """Symbol values, and a limit of the integers that arguments hold."""

    symbols: dict[str, Any]
    integers_below: int = 4


@dataclass(frozen=True)
class Given:
    """A program and its arguments, as they are given to both sides."""

    path: Path
    symbols: dict[str, Any]
    placed: dict[str, Placed]
    memory: dict[str, np.ndarray]


def interpret(given: Given, order: int | None, fill: int) -> dict[str, np.ndarray]:
    """What the arguments hold afterwards. Maps run in ascending order, or in that of a seed; undefined memory
    holds one of the fills."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [str(SDFG_OPT), "run", str(given.path), "--out", str(folder / "out"), "--fill", str(fill)]
        command += ["--in-order"] if order is None else ["--seed", str(order)]
        for symbol, value in given.symbols.items():
            command += ["--symbol", f"{symbol}={value}"]
        for argument, place in given.placed.items():
            file = folder / f"{argument}.npy"
            np.save(file, np.ascontiguousarray(place.view(given.memory[argument])))
            command += ["--in", f"{argument}={file}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode == 2:
            raise CannotRun(done.stderr.strip())
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
        return {argument: np.load(folder / "out" / f"{argument}.npy") for argument in given.placed}


def bits(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).view(f"u{array.itemsize}").reshape(array.shape)


def ulps(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """How many floats lie between; 0 for two NaNs. For other types, whether they differ."""
    if left.dtype.kind != "f":
        return (left != right).astype(object)
    distances = np.zeros(left.shape, object)
    sign = 1 << (8 * left.itemsize - 1)
    for at in np.argwhere((bits(left) != bits(right)) & ~(np.isnan(left) & np.isnan(right))):
        ranks = (int(bits(side)[tuple(at)]) for side in (left, right))
        a, b = (sign - 1 - rank if rank & sign else rank for rank in ranks)
        distances[tuple(at)] = abs(a - b)
    return distances


@dataclass
class Totals:
    """What was compared. Figures of one program add up to those of all."""

    programs: int = 0
    elements: int = 0
    changed: int = 0
    undefined: int = 0
    ulps: int = 0

    def add(self, other: "Totals") -> None:
        for name in ("programs", "elements", "changed", "undefined"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.ulps = max(self.ulps, other.ulps)

    def __str__(self) -> str:
        return (f"{self.programs} programs, {self.elements} elements compared with DaCe ({self.changed} of them "
                f"changed by the program), {self.undefined} undefined, largest difference {self.ulps} ulp")


def same(results: Iterable[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Which elements are the same in all results."""
    first, *others = results
    return {name: np.all([bits(other[name]) == bits(value) for other in others], axis=0)
            for name, value in first.items()}


def compare(compiled: Any, path: Path, run: Run, kind: str, interpreter: Callable[..., Any] = interpret) -> Totals:
    """One run of a program by both sides. The floats of `exact` contents may be summed in any order."""
    sdfg = load(path)
    placed = places(sdfg, run.symbols)
    given = Given(path, run.symbols, placed, contents(placed, 7, kind, run.integers_below))
    orders: list[int | None] = [None] * FILLS + (list(ORDERS) if kind == "exact" else [])
    results = [interpreter(given, order, k % FILLS) for k, order in enumerate(orders)]
    defined = same(results)
    flat = compiled.run(given.memory, {name: place.start for name, place in placed.items()}, run.symbols)
    expected = {name: placed[name].view(array) for name, array in flat.items()}
    limit = LIBM_ULPS if LIBM.search(json.dumps(sdfg)) else 0
    totals = Totals()
    distances = {name: ulps(results[0][name], value) for name, value in expected.items()}
    if kind == "exact" and any((defined[n] & (d > limit)).any() for n, d in distances.items()):
        defined = same(results + [interpreter(given, order, order % FILLS) for order in ORDERS_TO_BE_SURE])
    wrong = []
    for name, distance in distances.items():
        mask, value = defined[name], results[0][name]
        totals.elements += int(mask.sum())
        totals.undefined += int((~mask).sum())
        totals.changed += int((mask & (bits(value) != bits(placed[name].view(given.memory[name])))).sum())
        totals.ulps = max([totals.ulps, *distance[mask].flat])
        wrong += [f"{name}{list(map(int, at))} is {value[tuple(at)]}, with DaCe {expected[name][tuple(at)]}"
                  for at in np.argwhere(mask & (distance > limit))]
    assert not wrong, f"{run.symbols} {kind}: " + "\n".join(wrong[:8])
    return totals


# Groups of programs that are compiled together


@dataclass
class Group:
    """The files of programs, and how they are run. Compiled when the first of them is needed."""

    name: str
    folder: Path
    paths: dict[str, Path]
    runs: dict[str, list[Run]]
    total: Totals

    @functools.cached_property
    def batch(self) -> Any:
        return dace_programs.build(self.paths, self.folder)

    def check(self, program: str, kinds: tuple[str, ...] = KINDS) -> None:
        if program in self.batch.failed:
            pytest.fail(self.batch.failed[program])
        total = Totals(1)
        for run in self.runs[program]:
            for kind in kinds:
                total.add(compare(self.batch.programs[program], self.paths[program], run, kind))
        assert total.elements and total.changed
        self.total.add(total)


Programs = Iterator[tuple[str, Path, list[Run]]]


def cases(_: Path) -> Programs:
    for name, case in CASES.items():
        yield name, SHARED / "cases" / f"{name}.sdfg", [Run(symbols) for symbols in case["runs"]]


def fields(_: Path) -> Programs:
    """Programs that GT4Py made: the corpus, and the examples."""
    for path in programs(SHARED / "corpus") + programs(EXAMPLES):
        sdfg, name = load(path), path.name.partition(".sdfg")[0]
        yield name.replace(".", "_"), path, [
            Run(field_symbols(sdfg, Layout(**run["layout"])) | run["symbols"], run["integers_below"])
            for run in FIELDS[name]]


def snippets(folder: Path) -> Programs:
    made: dict[str, tuple[Callable[[], Any], list[Run]]] = {
        name: (build, [Run(run) for run in runs]) for name, (build, runs) in dace_snippets.PROGRAMS.items()}
    for name, group in EXPRESSIONS.items():
        made[name] = functools.partial(dace_expressions.build, group), [Run({}, 9)]
    for name, (build, runs) in made.items():
        build().save(folder / f"{name}.sdfg")
        yield name, folder / f"{name}.sdfg", runs


def generated(folder: Path) -> Programs:
    for seed in range(GENERATED):
        text, path = folder / f"of_{seed}.sdfgt", folder / f"of_{seed}.sdfg"
        lines = sdfg_opt("fuzz", "--print", "--count", "1", "--seed", str(seed)).splitlines(keepends=True)
        heads = [line.removeprefix("; run:") for line in lines if line.startswith("; run:")]
        text.write_text("".join(lines[len(heads):]))
        sdfg_opt("convert", text, path)
        pairs = [[word.split("=") for word in head.split()] for head in heads]
        yield path.stem, path, [Run({name: int(value) for name, value in words}) for words in pairs]


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Callable[..., Group]]:
    made: dict[str, Group] = {}

    def group(make: Callable[[Path], Programs]) -> Group:
        name = make.__name__
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            found = list(make(folder))
            paths, runs = {n: path for n, path, _ in found}, {n: runs for n, _, runs in found}
            made[name] = Group(name, folder, paths, runs, Totals())
        return made[name]

    yield group
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print("".join(f"\n  {name}: {group.total}" for name, group in made.items()))


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, groups: Callable[..., Group]) -> None:
    groups(cases).check(name)


@pytest.mark.parametrize("path", programs(SHARED / "corpus") + programs(EXAMPLES), ids=lambda p: p.name)
def test_fields(path: Path, groups: Callable[..., Group]) -> None:
    groups(fields).check(path.name.partition(".sdfg")[0].replace(".", "_"))


@pytest.mark.parametrize("name", dace_snippets.PROGRAMS)
def test_snippet(name: str, groups: Callable[..., Group]) -> None:
    groups(snippets).check(name)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions(name: str, groups: Callable[..., Group]) -> None:
    for k, (code, *types) in enumerate(EXPRESSIONS[name]):
        print(f"o{k}", repr(code), *types)
    groups(snippets).check(name, ("exact", "any") if "_cut_" in name else KINDS)


def test_a_difference_shows(groups: Callable[..., Group]) -> None:
    """In the last bit of one factor; in an element that is not written."""
    group = groups(snippets)
    path = group.paths["maps"]
    changes = ("x * 3)", "x * 3.0000000000000004)"), ('"start":"0","end":"$i"', '"start":"0","end":"$i - 1"')
    for k, (text, other) in enumerate(changes):
        wrong = group.folder / f"wrong{k}.sdfg"
        wrong.write_text(path.read_text().replace(text, other))
        assert wrong.read_text() != path.read_text()

        def interpret_other(given: Given, *how: Any, other: Path = wrong) -> dict[str, np.ndarray]:
            return interpret(replace(given, path=other), *how)

        with pytest.raises(AssertionError, match="with DaCe"):
            compare(group.batch.programs["maps"], path, Run({"n": 6}), "any", interpret_other)


def test_ulps() -> None:
    one, big, lowest = np.float64(1), np.finfo(np.float64).max, np.nextafter(0, 1)
    left = np.array([1.0, 1.0, -0.0, big, np.nan, np.nan, lowest, 1.0])
    right = np.array([1.0, np.nextafter(one, 2), 0.0, np.inf, -np.nan, 1.0, -lowest, -1.0])
    distances = list(ulps(left, right))
    assert distances[:5] == [0, 1, 1, 1, 0] and distances[5] > 10**9 and distances[6] == 3 and distances[7] > 10**18
    assert list(ulps(np.array([1, 2]), np.array([1, 3]))) == [False, True]


# Programs of the generator


def blocks(region: Json) -> Iterator[Json]:
    """The blocks of a region and of all regions in it."""
    for block in region.get("nodes", []) + [branch for _, branch in region.get("branches", [])]:
        yield block
        if block["type"] != "SDFGState":
            yield from blocks(block)


def assigned(sdfg: Json) -> set[str]:
    """The names that interstate edges and loops set."""
    names: set[str] = set()
    for region in [sdfg, *blocks(sdfg)]:
        if region["type"] != "SDFGState":
            for edge in region.get("edges", []):
                names |= edge["attributes"]["data"]["attributes"].get("assignments", {}).keys()
            names.add(region.get("attributes", {}).get("loop_variable", ""))
    return names


def states(sdfg: Json) -> Iterator[Json]:
    """Those of the program, and those of nested SDFGs."""
    for block in blocks(sdfg):
        if block["type"] == "SDFGState":
            yield block
            for node in block["nodes"]:
                if node["type"] == "NestedSDFG":
                    yield from states(node["attributes"]["sdfg"])


def loses_copies(state: Json) -> bool:
    """DaCe's code for a dynamic copy of one element does not write it."""
    return any(edge["attributes"]["data"]["attributes"].get("dynamic", False) and
               all(state["nodes"][int(edge[end])]["type"] == "AccessNode" for end in ("src", "dst"))
               for edge in state["edges"])


def zeroes_late(sdfg: Json) -> bool:
    """DaCe heeds `setzero` only where it allocates: at one of the nodes."""
    heard: dict[str, set[bool]] = collections.defaultdict(set)
    for state in states(sdfg):
        for node in state["nodes"]:
            if node["type"] == "AccessNode":
                heard[node["attributes"]["data"]].add(node["attributes"].get("setzero", False))
    return any(len(values) == 2 for values in heard.values())


def why_not(sdfg: Json, symbols: dict[str, Any], compiled: Any) -> str:
    """Why what DaCe's program does is not what the program says, if that is so."""
    if assigned(sdfg) & (symbols.keys() - {name for name, _, _ in compiled.generated.arguments}):
        return "DaCe takes a symbol that is given, and set later, for a variable without a value"
    for loop in blocks(sdfg):
        if loop.get("attributes", {}).get("inverted") and any(b["type"] == "ContinueBlock" for b in blocks(loop)):
            return "DaCe's inverted loops do not update after continue"
    if any(map(loses_copies, states(sdfg))):
        return "DaCe loses a dynamic copy"
    if zeroes_late(sdfg):
        return "DaCe does not heed setzero"
    sizes = (str(d["attributes"].get("total_size", "0")) for d in sdfg["attributes"]["_arrays"].values())
    if any(not assigned(sdfg) & names_in(size) and integer(size, symbols) < 0 for size in sizes):
        return "an array of less than no elements"
    return ""


def test_generated(groups: Callable[..., Group]) -> None:
    group = groups(generated)
    left_out: collections.Counter[str] = collections.Counter()
    failures = []
    for name, path in group.paths.items():
        if name in group.batch.failed:
            left_out["DaCe refuses the program"] += len(group.runs[name])
            continue
        compiled, sdfg, total = group.batch.programs[name], load(path), Totals(1)
        for run in group.runs[name]:
            try:
                reason = why_not(sdfg, run.symbols, compiled)
                if not reason:
                    total.add(compare(compiled, path, run, "exact"))
            except CannotRun as error:
                reason = re.sub(r"'\w+'|\d+", "_", str(error).rpartition(": ")[2])
            except (AssertionError, dace_programs.DaceFailed) as error:
                failures.append(f"{path} {run.symbols}: {error}")
            left_out.update([reason] if reason else [])
        if total.elements:
            group.total.add(total)
    print("\n".join(f"{count} runs left out: {reason}" for reason, count in left_out.most_common()))
    assert not failures, "\n".join(failures)
    assert group.total.programs >= COMPARED
