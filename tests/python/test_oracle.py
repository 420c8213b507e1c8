"""The oracle against DaCe's compiled programs, and what it must notice."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oracle
from support import EXAMPLES, SHARED, Json, gt4py_symbols, load, random_arguments

dace = pytest.importorskip("dace")

pytestmark = pytest.mark.dace

CASES = ["dynamic_domain", "nested_name_clash", "interstate_read", "wcr_write_back"]


def check(sdfg: Any, runs: list[dict[str, Any]], folder: Path, integers_below: int = 4) -> None:
    """DaCe's result must be the oracle's, in every element that is defined."""
    sdfg.build_folder = str(folder / "build")
    sdfg.name = f"{sdfg.name}_{abs(hash(str(folder))) % 10**9}"  # two libraries of one name would be one
    json_ = sdfg.to_json()
    compiled = sdfg.compile()
    for symbols in runs:
        results = []
        for seed, fill in [(0, 0), (1, 0), (0, 1)]:
            arrays = random_arguments(json_, symbols, 5, integers_below)
            oracle.run(json_, arrays, symbols, seed, fill)
            results.append({name: array.view(f"u{array.itemsize}") for name, array in arrays.items()})
        memory = random_arguments(json_, symbols, 5, integers_below)
        arguments: dict[str, Any] = {k: v for k, v in symbols.items() if k in sdfg.arglist()}
        for name, flat in memory.items():
            if sdfg.arrays[name].to_json()["type"] == "Scalar":
                arguments[name] = flat[0]
                continue
            dtype, shape, strides, _, start = oracle.descriptor_layout(sdfg.arrays[name].to_json(), symbols)
            steps = [s * dtype.itemsize for s in strides]
            arguments[name] = np.lib.stride_tricks.as_strided(flat[start:], shape, steps)
        with dace.config.set_temporary("compiler", "allow_view_arguments", value=True):
            compiled(**arguments)
        for name, flat in memory.items():
            defined = np.all([r[name] == results[0][name] for r in results], axis=0)
            assert defined.any() or not flat.size
            np.testing.assert_array_equal(flat.view(f"u{flat.itemsize}")[defined], results[0][name][defined], name)


@pytest.mark.skipif(not SHARED.exists(), reason="no ../shared")
@pytest.mark.parametrize("name", CASES)
def test_case(name: str, tmp_path: Path) -> None:
    runs = json.loads((SHARED / "cases" / "cases.json").read_text())[name]["runs"]
    check(dace.SDFG.from_file(SHARED / "cases" / f"{name}.sdfg"), runs, tmp_path)


def test_example(tmp_path: Path) -> None:
    """Sums over neighbours, indirect reads through pointers, branches, run-time strides."""
    path = EXAMPLES / "divergence_damping.dynamic.sdfg"
    runs = [gt4py_symbols(load(path), flag) | {"cell_start": 0, "cell_end": 9} for flag in (False, True)]
    check(dace.SDFG.from_file(path), runs, tmp_path, integers_below=8)


def _set(state: Any, data: str, index: str, code: str, inputs: dict[str, tuple[str, str]], **memlet: Any) -> None:
    tasklet = state.add_tasklet("set", dict.fromkeys(inputs), {"y": None}, f"y = {code}")
    for connector, (name, subset) in inputs.items():
        state.add_edge(state.add_access(name), None, tasklet, connector, dace.Memlet(data=name, subset=subset))
    state.add_edge(tasklet, "y", state.add_access(data), None, dace.Memlet(data=data, subset=index, **memlet))


def _loops() -> Any:
    """Loops of all forms; the loop variable tells afterwards how often each ran."""
    sdfg = dace.SDFG("loops")
    sdfg.add_array("A", [40], dace.float64)
    for name in ("n", "m", "i0", "i1", "i2", "i3"):
        sdfg.add_symbol(name, dace.int64)
    previous = sdfg.add_state("first", is_start_block=True)
    forms: list[dict[str, Any]] = [{}, {"inverted": True}, {"inverted": True, "update_before_condition": False}, {}]
    for k, form in enumerate(forms):
        limit = "n" if k < 3 else "8"
        i = f"i{k}"
        loop = dace.sdfg.state.LoopRegion(f"loop{k}", f"{i} < {limit}", i, f"{i} = 0", f"{i} = {i} + 1", **form)
        sdfg.add_node(loop)
        sdfg.add_edge(previous, loop, dace.InterstateEdge())
        body = loop.add_state(f"body{k}", is_start_block=True)
        _set(body, "A", f"{8 * k} + i{k}", f"x + i{k}", {"x": ("A", f"{8 * k} + i{k}")})
        if k == 3:  # leaves out 2, and ends at 5
            choice = dace.sdfg.state.ConditionalBlock("choice")
            loop.add_node(choice)
            loop.add_edge(body, choice, dace.InterstateEdge(assignments={"m": "A[0]"}))
            skipped, ended = (dace.sdfg.state.ControlFlowRegion(n, sdfg) for n in ("skipped", "ended"))
            choice.add_branch(dace.properties.CodeBlock("i3 == 2"), skipped)
            choice.add_branch(dace.properties.CodeBlock("i3 >= 5"), ended)
            skipped.add_node(dace.sdfg.state.ContinueBlock("again"), is_start_block=True)
            ended.add_node(dace.sdfg.state.BreakBlock("out"), is_start_block=True)
            _set(loop.add_state_after(choice, "rest"), "A", "32 + i3", "i3 + m", {})
        previous = loop
    last = sdfg.add_state_after(previous, "last")
    for k in range(4):
        _set(last, "A", f"{36 + k}", f"i{k}", {})
    return sdfg


def _layouts() -> Any:
    """Padded strides, a nested SDFG on a slice, a View, copies between ranks and from the other side."""
    sdfg = dace.SDFG("layouts")
    sdfg.add_array("A", [6, 5], dace.float64, strides=[8, 1], total_size=48)
    sdfg.add_array("B", [4, 5], dace.float64, strides=[1, 4], total_size=20)
    sdfg.add_array("c", [5], dace.float64)
    sdfg.add_view("V", [30], dace.float64)
    sdfg.add_array("D", [5, 6], dace.float64)
    inner = dace.SDFG("inner")
    inner.add_array("p", [3, 5], dace.float64, strides=[16, 1], total_size=48)
    inner.add_array("q", [5], dace.float64, strides=[4])
    _, entry, _ = inner.add_state("s").add_mapped_tasklet(
        "m", {"i": "0:5"}, {"x": dace.Memlet("p[0:3, i]")}, "y = x[0] - 2 * x[2]", {"y": dace.Memlet("q[i]")},
        external_edges=True)
    state = sdfg.add_state("nested", is_start_block=True)
    node = state.add_nested_sdfg(inner, {"p": None}, {"q": None})
    state.add_edge(state.add_access("A"), None, node, "p", dace.Memlet("A[1:6, 0:5]"))
    state.add_edge(node, "q", state.add_access("B"), None, dace.Memlet("B[2, 0:5]"))
    copies = sdfg.add_state_after(state, "copies")
    row = copies.add_access("c")
    copies.add_edge(copies.add_access("B"), None, row, None, dace.Memlet("B[2, 0:5]"))
    copies.add_edge(row, None, copies.add_access("A"), None, dace.Memlet("A[4, 0:3] -> [1:4]"))
    view = sdfg.add_state_after(copies, "view")
    v, d = view.add_access("V"), view.add_access("D")
    view.add_edge(d, None, v, "views", dace.Memlet("D[0:5, 0:6]"))
    view.add_mapped_tasklet("m", {"i": "0:5"}, {"x": dace.Memlet("V[7*i - i]")}, "y = x + i",
                            {"y": dace.Memlet("c[4 - i]")}, external_edges=True, input_nodes={"V": v})
    return sdfg


def _reductions() -> Any:
    """Sums and maxima into what was there, in maps with ranges from memory, and over chosen axes."""
    sdfg = dace.SDFG("reductions")
    sdfg.add_array("A", [4, 3, 5], dace.float64)
    sdfg.add_array("n", [2], dace.int32)
    sdfg.add_array("s", [2], dace.float64)
    sdfg.add_array("r", [4, 5], dace.float64)
    sdfg.add_array("t", [3], dace.float64)
    state = sdfg.add_state("maps", is_start_block=True)
    entry, exit_ = state.add_map("m", {"i": "0:m", "j": "0:3"})
    entry.add_in_connector("m")
    state.add_edge(state.add_access("n"), None, entry, "m", dace.Memlet("n[1]"))
    code = "y = x[2, 1] + x[1, 0]\nif x[0, 0] > 1:\n    z = x[0, 0]"
    tasklet = state.add_tasklet("t", {"x": None}, {"y": None, "z": None}, code)
    state.add_memlet_path(state.add_access("A"), entry, tasklet, dst_conn="x", memlet=dace.Memlet("A[i, 0:3, j:j+3]"))
    target = state.add_access("s")
    state.add_memlet_path(tasklet, exit_, target, src_conn="y", memlet=dace.Memlet("s[0]", wcr="lambda a, b: a + b"))
    state.add_memlet_path(tasklet, exit_, target, src_conn="z",
                          memlet=dace.Memlet("s[1]", wcr="lambda a, b: max(a, b)", dynamic=True))
    after = sdfg.add_state_after(state, "reduce")
    for axes, identity, data, subset in (([1], 1.5, "r", "0:4, 0:5"), ([0, 2], None, "t", "0:3")):
        node = after.add_reduce("lambda a, b: a + b", axes, identity)
        after.add_edge(after.add_access("A"), None, node, None, dace.Memlet("A[0:4, 0:3, 0:5]"))
        after.add_edge(node, None, after.add_access(data), None, dace.Memlet(f"{data}[{subset}]"))
    return sdfg


@pytest.mark.parametrize("make, runs", [(_loops, [{"n": 0}, {"n": 3}]), (_layouts, [{}]), (_reductions, [{}])])
def test_built(make: Callable[[], Any], runs: list[dict[str, int]], tmp_path: Path) -> None:
    sdfg = make()
    sdfg.validate()
    check(sdfg, runs, tmp_path)


def test_what_is_wrong_shows() -> None:
    """A nested SDFG with other strides gives other values, or leaves the memory."""
    json_ = _layouts().to_json()
    symbols: dict[str, int] = {}
    right = random_arguments(json_, symbols, 1)
    oracle.run(json_, right, symbols)
    (nested,) = [n for n in json_["nodes"][0]["nodes"] if n["type"] == "NestedSDFG"]
    wrong: Json = copy.deepcopy(json_)
    (node,) = [n for n in wrong["nodes"][0]["nodes"] if n["type"] == "NestedSDFG"]
    node["attributes"]["sdfg"]["attributes"]["_arrays"]["p"]["attributes"]["strides"] = ["15", "1"]
    other = random_arguments(json_, symbols, 1)
    oracle.run(wrong, other, symbols)
    assert any((right[k] != other[k]).any() for k in right)
    node["attributes"]["sdfg"]["attributes"]["_arrays"]["p"]["attributes"]["strides"] = ["40", "1"]
    with pytest.raises(oracle.Fault):
        oracle.run(wrong, other, symbols)
