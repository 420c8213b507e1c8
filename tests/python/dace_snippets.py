"""Small programs made with DaCe's builder, one for each thing that the interpreter must do as DaCe does it."""

from collections.abc import Callable
from typing import Any

import dace
import numpy as np
from dace import Memlet
from dace.libraries.standard.nodes.copy.node import CopyLibraryNode
from dace.libraries.standard.nodes.fill.node import FillLibraryNode
from dace.properties import CodeBlock
from dace.sdfg.state import BreakBlock, ConditionalBlock, ContinueBlock, ControlFlowRegion, LoopRegion, ReturnBlock

F, I, L = dace.float64, dace.int32, dace.int64
ADD = "lambda a, b: a + b"
MAX, MIN, TIMES = "lambda a, b: max(a, b)", "lambda a, b: min(a, b)", "lambda a, b: a * b"

PROGRAMS: dict[str, tuple[Callable[[], Any], list[dict[str, Any]]]] = {}


def program(*runs: dict[str, Any]) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Registers a builder of a program, with the symbol values that it is run with."""

    def register(build: Callable[[], Any]) -> Callable[[], Any]:
        PROGRAMS[build.__name__] = (build, list(runs) or [{}])
        return build

    return register


# Building


def _new(name: str, arrays: dict[str, tuple[list[Any], Any]], *symbols: str) -> tuple[Any, Any]:
    sdfg = dace.SDFG(name)
    for symbol in symbols:
        sdfg.add_symbol(symbol, I)
    for array, (shape, dtype) in arrays.items():
        sdfg.add_array(array, shape, dtype)
    return sdfg, sdfg.add_state("s", is_start_block=True)


def _next(state: Any, label: str) -> Any:
    return state.parent_graph.add_state_after(state, label)


def _copy(state: Any, source: str, target: str, memlet: str, **more: Any) -> None:
    state.add_edge(state.add_access(source), None, state.add_access(target), None, Memlet(memlet, **more))


def _set(state: Any, data: str, index: str, code: str, **inputs: str) -> None:
    """A tasklet that sets one element; the connectors of its inputs have memlets such as `A[2]`."""
    tasklet = state.add_tasklet("set", dict.fromkeys(inputs), {"_y": None}, f"_y = {code}")
    for connector, memlet in inputs.items():
        state.add_edge(state.add_access(memlet.partition("[")[0]), None, tasklet, connector, Memlet(memlet))
    state.add_edge(tasklet, "_y", state.add_access(data), None, Memlet(f"{data}[{index}]"))


def _map(state: Any, ranges: dict[str, str], code: str, output: str, *, wcr: str | None = None,
         inputs: dict[str, str] | None = None, **more: Any) -> None:
    """A mapped tasklet from `inputs` to `y`."""
    state.add_mapped_tasklet("m", ranges, {c: Memlet(m) for c, m in (inputs or {}).items()}, code,
                             {"y": Memlet(output, wcr=wcr)}, external_edges=True, **more)


# Dataflow


def _copies(name: str, memlets: list[tuple[str, str, Any]], extra: Callable[[Any], None] = lambda _: None) -> Any:
    """Each copy in a state of its own."""
    sdfg = dace.SDFG(name)
    for array, shape, dtype, more in (("a", [24], F, {}), ("b", [24], F, {}), ("A", [4, 6], F, {}), ("D", [6, 4], F, {}),
                                      ("P", [4, 6], F, {"strides": [10, 1], "total_size": 40}),
                                      ("Q", [4, 6], F, {"strides": [1, 4], "total_size": 24}),
                                      ("T", [2, 3, 4], F, {}), ("f", [24], F32, {}), ("k", [24], I, {}), ("one", [1], F, {}),
                                      ("l", [24], L, {}), ("t", [24], B, {})):
        sdfg.add_array(array, shape, dtype, **more)
    sdfg.add_symbol("n", I)
    extra(sdfg)
    state = sdfg.add_state("first", is_start_block=True)
    for k, (source, target, memlet) in enumerate(memlets):
        state = _next(state, f"copy{k}")
        _copy(state, source, target, Memlet(memlet) if isinstance(memlet, str) else memlet)
    return sdfg


@program({"n": 5}, {"n": 1}, {"n": 0})
def copies_of_boxes() -> Any:
    return _copies("copies_of_boxes", [
        ("a", "b", "a[2:7] -> [11:16]"), ("b", "a", "a[20:23] -> [0:3]"), ("A", "P", "A[1:3, 2:5] -> [0:2, 3:6]"),
        ("A", "Q", "Q[0:4, 1:3] -> [0:4, 4:6]"), ("Q", "P", "Q[2:4, 0:6] -> [1:3, 0:6]"),
        ("a", "b", "a[0:n] -> [n:2*n]"), ("A", "D", "A[1, 1] -> [5, 3]"), ("one", "a", "one[0] -> [n]"),
        ("a", "one", "a[3] -> [0]"), ("T", "T", Memlet(data="T", subset="0, 0:3, 0:4", other_subset="1, 0:3, 0:4"))])


@program({"n": 4}, {"n": 0})
def copies_with_steps() -> Any:
    return _copies("copies_with_steps", [
        ("a", "b", "a[0:12:2] -> [3:9]"), ("b", "a", "b[1:7] -> [1:19:3]"), ("a", "b", "a[0:12:3] -> [8:16:2]"),
        ("A", "P", "A[0:4:2, 0:6:3] -> [0:2, 1:3]"), ("a", "b", "a[0:2*n:2] -> [0:n]")])


@program({"n": 3})
def copies_between_ranks() -> Any:
    return _copies("copies_between_ranks", [
        ("A", "a", "A[2, 0:6] -> [3:9]"), ("a", "D", "a[10:16] -> [0:6, 2]"), ("T", "A", "T[1, 0:3, 2] -> [2, 1:4]"),
        ("A", "a", "A[0:4, 0:6] -> [0:24]"), ("b", "D", "b[0:24] -> [0:6, 0:4]"), ("T", "a", "T[0:2, 0:3, 0:4] -> [0:24]"),
        ("a", "T", "T[0:2, 0:3, 0:4] -> [0:24]")])


@program({"n": 3})
def copies_that_leave_out_a_side() -> Any:
    return _copies("copies_that_leave_out_a_side", [
        ("a", "b", "a[0:24]"), ("b", "a", "a[2:7]"), ("a", "b", "a[n:2*n]"), ("A", "P", "A[1:3, 2:5]"), ("a", "one", "a[7]"),
        ("one", "b", "b[5]"), ("A", "a", "A[0:4, 0:6]")])


@program({"n": 3}, {"n": 0})
def copies_that_combine() -> Any:
    return _copies("copies_that_combine", [
        ("a", "b", Memlet("a[0:8] -> [4:12]", wcr=ADD)), ("a", "b", Memlet("a[0:n] -> [n:2*n]", wcr="lambda a, b: max(a, b)")),
        ("A", "P", Memlet("A[0:4, 0:6] -> [0:4, 0:6]", wcr=ADD)), ("one", "b", Memlet("one[0] -> [2]", wcr="lambda a, b: a * b"))])


@program({"n": 6}, {"n": 1}, {"n": 0})
def maps() -> Any:
    """Steps, two parameters, a map in a map, an empty one, ranges that depend on outer parameters."""
    sdfg, state = _new("maps", {"A": ([8, 8], F), "B": ([8, 8], F), "c": ([8], F)}, "n")
    state.add_mapped_tasklet("steps", {"i": "0:n:2", "j": "1:n"}, {"x": Memlet("A[i, j]")}, "y = x * 3 + i - j",
                             {"y": Memlet("B[j, i]")}, external_edges=True)
    state = _next(state, "triangle")
    outer, outer_exit = state.add_map("outer", {"i": "0:n"})
    inner, inner_exit = state.add_map("inner", {"j": "0:i+1"})
    tasklet = state.add_tasklet("t", {"x": None}, {"y": None}, "y = x + 1")
    state.add_memlet_path(state.add_access("B"), outer, inner, tasklet, dst_conn="x", memlet=Memlet("B[j, i]"))
    state.add_memlet_path(tasklet, inner_exit, outer_exit, state.add_access("A"), src_conn="y", memlet=Memlet("A[i, j]"))
    state = _next(state, "none")
    state.add_mapped_tasklet("empty", {"i": "4:4"}, {}, "y = 7", {"y": Memlet("c[i]")}, external_edges=True)
    return sdfg


@program({"n": 6}, {"n": 0})
def sums_and_maxima() -> Any:
    """WCR with conflicts, through two maps; dynamic; with an array connector."""
    sdfg, state = _new("sums_and_maxima", {"A": ([8, 8], F), "s": ([4], F), "r": ([8], F), "k": ([3], I)}, "n")
    entry, leave = state.add_map("m", {"i": "0:n", "j": "0:8"})
    tasklet = state.add_tasklet("t", {"x": None}, {"y": None, "z": None, "q": None}, "y = x\nif x > 1:\n    z = x\nq = x")
    state.add_memlet_path(state.add_access("A"), entry, tasklet, dst_conn="x", memlet=Memlet("A[i, j]"))
    s, r = state.add_access("s"), state.add_access("r")
    state.add_memlet_path(tasklet, leave, s, src_conn="y", memlet=Memlet("s[0]", wcr=ADD))
    state.add_memlet_path(tasklet, leave, s, src_conn="z", memlet=Memlet("s[1]", wcr="lambda a, b: max(a, b)", dynamic=True))
    state.add_memlet_path(tasklet, leave, r, src_conn="q", memlet=Memlet("r[i]", wcr="lambda a, b: min(a, b)"))
    state = _next(state, "pointer")
    tasklet = state.add_tasklet("p", {}, {"y": None}, "for q in range(5):\n    y[q // 2] = q + 1")
    state.add_edge(tasklet, "y", state.add_access("k"), None, Memlet("k[0:3]", wcr=ADD, dynamic=True))
    return sdfg


@program({})
def ranges_from_memory() -> Any:
    sdfg, state = _new("ranges_from_memory", {"A": ([8, 8], F), "n": ([2], I), "r": ([8], F)})
    entry, leave = state.add_map("m", {"i": "0:m+2"})
    entry.add_in_connector("m")
    state.add_edge(state.add_access("n"), None, entry, "m", Memlet("n[1]"))
    tasklet = state.add_tasklet("t", {"x": None}, {"y": None}, "y = x[2, 1] + x[0, 0]")
    state.add_memlet_path(state.add_access("A"), entry, tasklet, dst_conn="x", memlet=Memlet("A[i:i+3, 2:6]"))
    state.add_memlet_path(tasklet, leave, state.add_access("r"), src_conn="y", memlet=Memlet("r[i]"))
    return sdfg


@program({"n": 4})
def pointers() -> Any:
    """Connectors that are arrays: rows and columns, one element as an array, writes to some elements only."""
    sdfg, state = _new("pointers", {"A": ([6, 5], F), "B": ([6, 5], F), "c": ([5], F), "k": ([5], I)}, "n")
    tasklet = state.add_tasklet("rows", {"x": None, "w": None, "g": None}, {"y": None},
                                "for q in range(n):\n    y[q] = x[q, 1] * w[q] + x[g[q], 0]")
    for data, connector, subset in (("A", "x", "A[0:6, 1:4]"), ("A", "w", "A[3, 0:5]"), ("k", "g", "k[0:5]")):
        state.add_edge(state.add_access(data), None, tasklet, connector, Memlet(subset))
    state.add_edge(tasklet, "y", state.add_access("B"), None, Memlet("B[1:6, 2]"))
    state = _next(state, "parts")
    tasklet = state.add_tasklet("part", {"x": None}, {"y": None}, "y[0] = x[0]\nif x[1] > 0:\n    y[2] = x[1]")
    state.add_edge(state.add_access("A"), None, tasklet, "x", Memlet("A[0:6, 0]"))
    state.add_edge(tasklet, "y", state.add_access("c"), None, Memlet("c[1:5]", dynamic=True))
    return sdfg


@program({"s": 2.5, "n": 3}, {"s": -0.5, "n": 0})
def scalars() -> Any:
    """Scalars as arguments, as transients, in conditions, on interstate edges, of several types."""
    sdfg, state = _new("scalars", {"a": ([8], F), "k": ([8], I)}, "n")
    sdfg.add_symbol("s", F)
    sdfg.add_scalar("given", F)
    sdfg.add_scalar("count", I)
    sdfg.add_scalar("t", F, transient=True)
    sdfg.add_scalar("u", I, transient=True)
    sdfg.add_symbol("m", I)
    sdfg.add_symbol("z", F)
    _set(state, "t", "0", "x + g * s", {"x": ("a", "2"), "g": ("given", "0")})
    second = _next(state, "second")
    _set(second, "u", "0", "x", {"x": ("t", "0")})
    third = sdfg.add_state("third")
    sdfg.add_edge(second, third, dace.InterstateEdge(assignments={"m": "u + count", "z": "t * 2 + a[1]"}))
    _set(third, "a", "0", "m + z", {})
    _set(third, "k", "m - u", "m / 2 + z", {})
    yes, no, last = (sdfg.add_state(name) for name in ("yes", "no", "last"))
    sdfg.add_edge(third, yes, dace.InterstateEdge("t > 1 and k[3] < 3"))
    sdfg.add_edge(third, no, dace.InterstateEdge("not (t > 1 and k[3] < 3)"))
    for state, value in ((yes, 1), (no, 2)):
        _set(state, "k", "7", f"{value} + n", {})
        sdfg.add_edge(state, last, dace.InterstateEdge())
    return sdfg


@program({"n": 5}, {"n": 1})
def nested() -> Any:
    """Nested SDFGs on slices: inner strides over the outer memory, symbols, scalars, a transient, in a map."""
    sdfg, state = _new("nested", {"A": ([6, 8], F), "B": ([6, 8], F), "k": ([6], I)}, "n")
    inner = dace.SDFG("inner")
    inner.add_symbol("m", I)
    inner.add_array("p", [3, "m"], F, strides=[16, 1], total_size=48)
    inner.add_array("q", ["m"], F, strides=[8], total_size="8*m")
    inner.add_array("t", ["m"], F, transient=True)
    inner.add_scalar("v", I)
    first = inner.add_state("s", is_start_block=True)
    first.add_mapped_tasklet("m", {"i": "0:m"}, {"x": Memlet("p[0:3, i]"), "w": Memlet("v[0]")}, "y = x[0] - 2 * x[2] + w",
                             {"y": Memlet("t[i]")}, external_edges=True)
    _copy(inner.add_state_after(first, "out"), "t", "q", Memlet("t[0:m] -> [0:m]"))
    node = state.add_nested_sdfg(inner, {"p": None, "v": None}, {"q": None}, {"m": "n"})
    state.add_edge(state.add_access("A"), None, node, "p", Memlet("A[1:6, 2:8]"))
    state.add_edge(state.add_access("k"), None, node, "v", Memlet("k[3]"))
    state.add_edge(node, "q", state.add_access("B"), None, Memlet("B[1:6, 4]"))
    state = _next(state, "in_map")
    point = dace.SDFG("point")
    for name in ("x", "y"):
        point.add_scalar(name, F) if name == "x" else point.add_array(name, [1], F)
    point.add_symbol("j", I)
    _set(point.add_state("s", is_start_block=True), "y", "0", "2 * z + j", {"z": ("x", "0")})
    entry, leave = state.add_map("m", {"i": "0:6", "j": "0:n"})
    node = state.add_nested_sdfg(point, {"x": None}, {"y": None}, {"j": "i - j"})
    state.add_memlet_path(state.add_access("B"), entry, node, dst_conn="x", memlet=Memlet("B[i, j]"))
    state.add_memlet_path(node, leave, state.add_access("A"), src_conn="y", memlet=Memlet("A[i, j]"))
    return sdfg


@program({})
def views() -> Any:
    """A View that reshapes, one of a slice that is written to, one of a View."""
    sdfg, state = _new("views", {"A": ([5, 6], F), "c": ([30], F), "d": ([5], F)})
    sdfg.add_view("V", [30], F)
    sdfg.add_view("W", [5], F, strides=[6])
    sdfg.add_view("X", [3, 2], F)
    v = state.add_access("V")
    state.add_edge(state.add_access("A"), None, v, "views", Memlet("A[0:5, 0:6]"))
    state.add_mapped_tasklet("m", {"i": "0:5"}, {"x": Memlet("V[6*i + 1]")}, "y = x + i", {"y": Memlet("d[4 - i]")},
                             external_edges=True, input_nodes={"V": v})
    state = _next(state, "written")
    w = state.add_access("W")
    state.add_mapped_tasklet("m", {"i": "0:5"}, {"x": Memlet("d[i]")}, "y = x * 2", {"y": Memlet("W[i]")},
                             external_edges=True, output_nodes={"W": w})
    state.add_edge(w, "views", state.add_access("A"), None, Memlet("A[0:5, 3]"))
    state = _next(state, "copied")
    x = state.add_access("X")
    state.add_edge(state.add_access("A"), None, x, "views", Memlet("A[2, 0:6]"))
    state.add_edge(x, None, state.add_access("c"), None, Memlet("X[0:3, 0:2] -> [5:11]"))
    return sdfg


@program({}, {})
def reductions() -> Any:
    """Reduce nodes: some axes, all, with and without identity, of integers."""
    sdfg, state = _new("reductions", {"A": ([4, 3, 5], F), "k": ([4, 6], I), "r": ([4, 5], F), "t": ([3], F), "u": ([1], F),
                                      "v": ([6], I), "w": ([4], I), "m": ([4, 3], F)})
    for axes, identity, wcr, source, whole, data, subset in (
            ([1], 1.5, ADD, "A", "0:4, 0:3, 0:5", "r", "0:4, 0:5"), ([0, 2], None, ADD, "A", "0:4, 0:3, 0:5", "t", "0:3"),
            (None, 0, "lambda a, b: max(a, b)", "A", "0:4, 0:3, 0:5", "u", "0"), ([0], 0, ADD, "k", "0:4, 0:6", "v", "0:6"),
            ([1], 1, "lambda a, b: a * b", "k", "0:4, 0:6", "w", "0:4"),
            ([2], None, "lambda a, b: min(a, b)", "A", "0:4, 0:3, 0:5", "m", "0:4, 0:3")):
        state = _next(state, f"of_{data}")
        node = state.add_reduce(wcr, axes, identity)
        state.add_edge(state.add_access(source), None, node, None, Memlet(data=source, subset=whole))
        state.add_edge(node, None, state.add_access(data), None, Memlet(data=data, subset=subset))
    return sdfg


@program({"n": 4}, {"n": 0})
def zeroed_and_lasting() -> Any:
    """setzero, transients of all lifetimes, one that is new in each iteration."""
    sdfg, state = _new("zeroed_and_lasting", {"a": ([6], F), "b": ([6], F)}, "n")
    sdfg.add_transient("z", [6], F)
    sdfg.add_transient("p", [6], F, lifetime=dace.AllocationLifetime.Persistent)
    sdfg.add_transient("g", [6], F, lifetime=dace.AllocationLifetime.SDFG)
    z = state.add_access("z")
    z.setzero = True
    state.add_mapped_tasklet("m", {"i": "0:n"}, {"x": Memlet("a[i]")}, "y = x", {"y": Memlet("z[i]", wcr=ADD)},
                             external_edges=True, output_nodes={"z": z})
    for source, target in (("z", "p"), ("p", "g"), ("g", "b")):
        state = _next(state, f"to_{target}")
        _copy(state, source, target, Memlet(f"{source}[0:6]"))
    return sdfg


@program({})
def constants() -> Any:
    sdfg, state = _new("constants", {"a": ([4], F), "k": ([4], I)})
    sdfg.add_constant("c", np.float64(2.5))
    sdfg.add_constant("n", 3)
    sdfg.add_constant("t", np.array([1.5, 2.5, 0.1, 4.0]))
    state.add_mapped_tasklet("m", {"i": "0:n"}, {"x": Memlet("a[i]")}, "y = x * c + t[i]", {"y": Memlet("a[i]")}, external_edges=True)
    _set(state, "k", "n", "n + 1", {})
    return sdfg


@program({})
def streams() -> Any:
    """What a map pushes goes to an array in the order of the iterations."""
    sdfg, state = _new("streams", {"a": ([8], F), "b": ([8], F)})
    sdfg.add_stream("S", F, transient=True)
    entry, leave = state.add_map("m", {"i": "0:8"})
    tasklet = state.add_tasklet("t", {"x": None}, {"y": None}, "if x > 0:\n    y = x")
    stream = state.add_access("S")
    state.add_memlet_path(state.add_access("a"), entry, tasklet, dst_conn="x", memlet=Memlet("a[i]"))
    state.add_memlet_path(tasklet, leave, stream, src_conn="y", memlet=Memlet(data="S", subset="0", dynamic=True))
    state.add_edge(stream, None, state.add_access("b"), None, Memlet(data="b", subset="0:8", dynamic=True))
    return sdfg


@program({})
def references() -> Any:
    """A Reference that is set to one array, then to another."""
    sdfg, state = _new("references", {"a": ([8], F), "b": ([8], F)})
    sdfg.add_reference("R", [4], F)
    state.add_edge(state.add_access("a"), None, state.add_access("R"), "set", Memlet("a[2:6]"))
    state = _next(state, "read")
    state.add_mapped_tasklet("m", {"i": "0:4"}, {"x": Memlet("R[i]")}, "y = x * 2", {"y": Memlet("b[i]")}, external_edges=True)
    state = _next(state, "again")
    state.add_edge(state.add_access("b"), None, state.add_access("R"), "set", Memlet("b[4:8]"))
    state = _next(state, "written")
    state.add_mapped_tasklet("m", {"i": "0:4"}, {"x": Memlet("a[i]")}, "y = x + 1", {"y": Memlet("R[3 - i]")}, external_edges=True)
    return sdfg


@program({})
def copy_and_fill_nodes() -> Any:
    sdfg, state = _new("copy_and_fill_nodes", {"a": ([8], F), "b": ([4, 8], F)})
    copy, fill = CopyLibraryNode(name="copy"), FillLibraryNode(name="fill", value=3)
    state.add_node(copy)
    state.add_edge(state.add_access("a"), None, copy, "_cpy_in", Memlet("a[1:6]"))
    state.add_edge(copy, "_cpy_out", state.add_access("b"), None, Memlet("b[2, 3:8]"))
    state = _next(state, "filled")
    state.add_node(fill)
    state.add_edge(fill, "_fill_out", state.add_access("b"), None, Memlet("b[0:2, 2:5]"))
    return sdfg


@program({})
def chains_of_tasklets() -> Any:
    """A value that goes from tasklet to tasklet without memory; C++ that is one expression."""
    sdfg, state = _new("chains_of_tasklets", {"a": ([8], F), "b": ([8], F)})
    entry, leave = state.add_map("m", {"i": "0:8"})
    first = state.add_tasklet("first", {"x": None}, {"y": None}, "y = x * 2")
    second = state.add_tasklet("second", {"x": None}, {"y": None}, "y = x + i")
    state.add_memlet_path(state.add_access("a"), entry, first, dst_conn="x", memlet=Memlet("a[i]"))
    state.add_edge(first, "y", second, "x", Memlet())
    state.add_memlet_path(second, leave, state.add_access("b"), src_conn="y", memlet=Memlet("b[i]"))
    return sdfg


@program({})
def scopes_with_copies() -> Any:
    """Rows copied into and out of a map; a sum in a scalar that starts at zero in each iteration; scalars in a chain."""
    sdfg, state = _new("scopes_with_copies", {"A": ([6, 8], F), "B": ([6, 8], F), "r": ([6], F), "c": ([6], F)})
    sdfg.add_transient("row", [8], F)
    for name in ("sum", "t", "u"):
        sdfg.add_scalar(name, F, transient=True)
    entry, leave = state.add_map("m", {"i": "0:6"})
    row = state.add_access("row")
    state.add_memlet_path(state.add_access("A"), entry, row, memlet=Memlet("A[i, 0:8]"))
    state.add_memlet_path(row, leave, state.add_access("B"), memlet=Memlet("B[5 - i, 0:8]"))
    state = _next(state, "sums")
    (outer, outer_exit), (inner, inner_exit) = state.add_map("o", {"i": "0:6"}), state.add_map("n", {"j": "0:8"})
    tasklet, total = state.add_tasklet("t", {"x": None}, {"y": None}, "y = x"), state.add_access("sum")
    total.setzero = True
    state.add_memlet_path(state.add_access("A"), outer, inner, tasklet, dst_conn="x", memlet=Memlet("A[i, j]"))
    state.add_memlet_path(tasklet, inner_exit, total, src_conn="y", memlet=Memlet("sum[0]", wcr=ADD))
    state.add_memlet_path(total, outer_exit, state.add_access("r"), memlet=Memlet("r[i]"))
    state = _next(state, "chain")
    nodes = [state.add_access(name) for name in ("r", "t", "u", "c")]
    for source, target, memlet in zip(nodes, nodes[1:], (Memlet("r[3]"), Memlet("t[0]"), Memlet("c[5]"))):
        state.add_edge(source, None, target, None, memlet)
    return sdfg


@program({})
def views_of_other_types() -> Any:
    sdfg, state = _new("views_of_other_types", {"a": ([8], F), "b": ([8], L)})
    sdfg.add_view("V", [8], L)
    view = state.add_access("V")
    state.add_edge(state.add_access("a"), None, view, "views", Memlet("a[0:8]"))
    state.add_edge(view, None, state.add_access("b"), None, Memlet("V[0:8]"))
    return sdfg


@program({})
def nested_that_returns() -> Any:
    """A return in a nested SDFG ends that one; symbols that it sets are its own."""
    sdfg, state = _new("nested_that_returns", {"a": ([8], F)}, "k")
    inner, first = _new("inner", {"p": ([8], F)}, "k")
    _set(first, "p", "0", "1", {})
    second = inner.add_state("second")
    inner.add_edge(first, second, dace.InterstateEdge("p[0] < 100", assignments={"j": "k + 3"}))
    _set(second, "p", "j", "2", {})
    leave = ReturnBlock("leave")
    inner.add_node(leave)
    inner.add_edge(second, leave, dace.InterstateEdge())
    _set(inner.add_state_after(leave, "never"), "p", "3", "3", {})
    node = state.add_nested_sdfg(inner, {"p": None}, {"p": None}, {"k": "2"})
    state.add_edge(state.add_access("a"), None, node, "p", Memlet("a[0:8]"))
    state.add_edge(node, "p", state.add_access("a"), None, Memlet("a[0:8]"))
    _set(_next(state, "last"), "a", "7", "9", {})
    return sdfg


@program({})
def offsets() -> Any:
    """Memory that begins before the array's first element."""
    sdfg = dace.SDFG("offsets")
    sdfg.add_array("a", [6], F, total_size=10)
    sdfg.add_array("b", [3, 2], F, strides=[3, 1], total_size=12)
    sdfg.add_transient("t", [6], F, total_size=8)
    for name, start in (("a", 2), ("b", 1), ("t", 1)):
        sdfg.arrays[name].start_offset = start
    state = sdfg.add_state("s", is_start_block=True)
    state.add_mapped_tasklet("m", {"i": "0:6"}, {"x": Memlet("a[i]")}, "y = x * 2", {"y": Memlet("t[i]")}, external_edges=True)
    state = _next(state, "out")
    state.add_mapped_tasklet("m", {"i": "0:3", "j": "0:2"}, {"x": Memlet("t[2*i + j]")}, "y = x", {"y": Memlet("b[i, j]")}, external_edges=True)
    return sdfg


# Control flow

@program({"n": 0}, {"n": 1}, {"n": 3})
def loops() -> Any:
    """Loops of all forms; the loop variable tells afterwards how often each ran."""
    sdfg = dace.SDFG("loops")
    sdfg.add_array("A", [48], F)
    for name in ("n", "m", "i0", "i1", "i2", "i3", "i4"):
        sdfg.add_symbol(name, L)
    previous = sdfg.add_state("first", is_start_block=True)
    forms: list[dict[str, Any]] = [{}, {"inverted": True}, {"inverted": True, "update_before_condition": False}, {}, {}]
    for k, form in enumerate(forms):
        i = f"i{k}"
        first, condition, update = ("0", f"{i} < {'n' if k < 3 else '8'}", f"{i} + 1") if k < 4 else ("n", f"{i} >= 0", f"{i} - 2")
        loop = LoopRegion(f"loop{k}", condition, i, f"{i} = {first}", f"{i} = {update}", **form)
        sdfg.add_node(loop)
        sdfg.add_edge(previous, loop, dace.InterstateEdge())
        body = loop.add_state(f"body{k}", is_start_block=True)
        _set(body, "A", f"{8 * k} + {i}", f"x + {i}", {"x": ("A", f"{8 * k} + {i}")})
        if k == 3:  # leaves out 2, and ends at 5
            choice = ConditionalBlock("choice")
            loop.add_node(choice)
            loop.add_edge(body, choice, dace.InterstateEdge(assignments={"m": "A[0]"}))
            skipped, ended = (ControlFlowRegion(n, sdfg) for n in ("skipped", "ended"))
            choice.add_branch(CodeBlock("i3 == 2"), skipped)
            choice.add_branch(CodeBlock("i3 >= 5"), ended)
            skipped.add_node(ContinueBlock("again"), is_start_block=True)
            ended.add_node(BreakBlock("out"), is_start_block=True)
            _set(loop.add_state_after(choice, "rest"), "A", "24 + i3", "i3 + m", {})
        previous = loop
    last = _next(previous, "last")
    for k in range(5):
        _set(last, "A", f"{40 + k}", f"i{k}", {})
    return sdfg


@program({"n": 0}, {"n": 2}, {"n": 5})
def branches() -> Any:
    """Branches that overlap, without else, in each other; an early return; code after it."""
    sdfg, state = _new("branches", {"a": ([8], F)}, "n")
    previous: Any = state
    for k, conditions in enumerate((["n > 3", "n > 1", None], ["n == 2"], ["a[0] > 100", None])):
        block = ConditionalBlock(f"if{k}")
        sdfg.add_node(block)
        sdfg.add_edge(previous, block, dace.InterstateEdge())
        for j, condition in enumerate(conditions):
            region = ControlFlowRegion(f"branch{k}{j}", sdfg)
            block.add_branch(CodeBlock(condition) if condition else None, region)
            _set(region.add_state(f"s{k}{j}", is_start_block=True), "a", str(k), str(10 * k + j + 1), {})
        previous = block
    leave = ConditionalBlock("leave")
    sdfg.add_node(leave)
    sdfg.add_edge(previous, leave, dace.InterstateEdge())
    region = ControlFlowRegion("returns", sdfg)
    leave.add_branch(CodeBlock("n > 4"), region)
    region.add_node(ReturnBlock("return"), is_start_block=True)
    _set(_next(leave, "last"), "a", "7", "-1", {})
    return sdfg


@program({"n": 0}, {"n": 3})
def unstructured() -> Any:
    """A loop and a branch of plain edges; assignments on an edge one after the other; a way out when no edge holds."""
    sdfg, state = _new("unstructured", {"a": ([8], F)}, ("n", "i", "p", "q"))
    guard, body, after, never = (sdfg.add_state(name) for name in ("guard", "body", "after", "never"))
    sdfg.add_edge(state, guard, dace.InterstateEdge(assignments={"i": "0", "p": "1", "q": "2"}))
    sdfg.add_edge(guard, body, dace.InterstateEdge("i < n"))
    sdfg.add_edge(guard, after, dace.InterstateEdge("i >= n"))
    _set(body, "a", "i", "p * 10 + q", {})
    sdfg.add_edge(body, guard, dace.InterstateEdge(assignments={"i": "i + 1", "p": "q + 2"}))
    _set(after, "a", "7", "p + q + i", {})
    sdfg.add_edge(after, never, dace.InterstateEdge("n > 100"))
    _set(never, "a", "6", "-1", {})
    return sdfg


@program({"n": 7}, {"n": -7}, {"n": 0})
def quotients() -> Any:
    """Division and remainder in ranges, subsets and on interstate edges, of negative numbers too."""
    sdfg, state = _new("quotients", {"a": ([40], F), "k": ([16], I)}, ("n", "m"))
    for j, text in enumerate(("n // 2", "n % 3", "int_floor(n, 2)", "(n - 20) // 3", "n / 2", "n ** 2", "-n // 4", "max(n, 2)",
                              "min(n, 2, 1)", "abs(n)", "n + 3 if n > 0 else n - 3", "n * n - n", "int_ceil(n, 2)", "n & 3")):
        after = sdfg.add_state(f"after{j}")
        sdfg.add_edge(state, after, dace.InterstateEdge(assignments={"m": text}))
        _set(after, "k", str(j), "m", {})
        state = after
    state = _next(state, "indices")
    state.add_mapped_tasklet("m", {"i": "0:int_floor(n + 20, 3)"}, {"x": Memlet("a[i]")}, "y = x + 1", {"y": Memlet("a[20 + i]")},
                             external_edges=True)
    state = _next(state, "more")
    _set(state, "a", "int_floor(n, 2) + 10", "7", {})
    _set(state, "a", "n % 3 + 16", "8", {})
    return sdfg
