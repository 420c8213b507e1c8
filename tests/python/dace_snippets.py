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


def _map(state: Any, ranges: dict[str, str], code: str, output: str, inputs: dict[str, str] | None = None,
         wcr: str | None = None, **more: Any) -> None:
    """A tasklet in a map; inputs are memlets by connector, the output's connector is `y`."""
    state.add_mapped_tasklet("m", ranges, {c: Memlet(m) for c, m in (inputs or {}).items()}, code,
                             {"y": Memlet(output, wcr=wcr)}, external_edges=True, **more)


# Dataflow


def _copies(name: str, *copies: tuple[Any, ...]) -> Any:
    """Each copy (source, target, memlet, WCR) in a state of its own."""
    sdfg, state = _new(name, {"a": ([24], F), "b": ([24], F), "A": ([4, 6], F), "D": ([6, 4], F), "P": ([4, 6], F),
                              "Q": ([4, 6], F), "T": ([2, 3, 4], F), "one": ([1], F)}, "n")
    sdfg.arrays["P"].set_shape([4, 6], strides=[10, 1], total_size=40)
    sdfg.arrays["Q"].set_shape([4, 6], strides=[1, 4], total_size=24)
    for k, (source, target, memlet, *wcr) in enumerate(copies):
        state = _next(state, f"copy{k}")
        _copy(state, source, target, memlet, wcr=wcr[0] if wcr else None)
    return sdfg


@program({"n": 5}, {"n": 1}, {"n": 0})
def copies_of_boxes() -> Any:
    return _copies(
        "copies_of_boxes", ("a", "b", "a[2:7] -> [11:16]"), ("b", "a", "a[20:23] -> [0:3]"),
        ("A", "P", "A[1:3, 2:5] -> [0:2, 3:6]"), ("A", "Q", "Q[0:4, 1:3] -> [0:4, 4:6]"),
        ("Q", "P", "Q[2:4, 0:6] -> [1:3, 0:6]"), ("a", "b", "a[0:n] -> [n:2*n]"), ("A", "D", "A[1, 1] -> [5, 3]"),
        ("one", "a", "one[0] -> [n]"), ("a", "one", "a[3] -> [0]"), ("T", "T", "T[0, 0:3, 0:4] -> [1, 0:3, 0:4]"))


@program({"n": 4}, {"n": 0})
def copies_with_steps() -> Any:
    return _copies(
        "copies_with_steps", ("a", "b", "a[0:12:2] -> [3:9]"), ("b", "a", "b[1:7] -> [1:19:3]"),
        ("a", "b", "a[0:12:3] -> [8:16:2]"), ("A", "P", "A[0:4:2, 0:6:3] -> [0:2, 1:3]"),
        ("a", "b", "a[0:2*n:2] -> [0:n]"))


@program({"n": 3})
def copies_between_ranks() -> Any:
    return _copies(
        "copies_between_ranks", ("A", "a", "A[2, 0:6] -> [3:9]"), ("a", "D", "a[10:16] -> [0:6, 2]"),
        ("T", "A", "T[1, 0:3, 2] -> [2, 1:4]"), ("A", "a", "A[0:4, 0:6] -> [0:24]"),
        ("b", "D", "b[0:24] -> [0:6, 0:4]"), ("T", "a", "T[0:2, 0:3, 0:4] -> [0:24]"),
        ("a", "T", "T[0:2, 0:3, 0:4] -> [0:24]"))


@program({})
def copies_that_leave_out_a_side() -> Any:
    return _copies(
        "copies_that_leave_out_a_side", ("a", "b", "a[0:24]"), ("b", "a", "b[2:7]"), ("A", "P", "A[1:3, 2:5]"),
        ("a", "one", "a[7]"), ("one", "b", "b[5]"), ("A", "a", "A[0:4, 0:6]"))


@program({"n": 3}, {"n": 0})
def copies_that_combine() -> Any:
    return _copies(
        "copies_that_combine", ("a", "b", "a[0:8] -> [4:12]", ADD), ("a", "b", "a[0:n] -> [n:2*n]", MAX),
        ("A", "P", "A[0:4, 0:6] -> [0:4, 0:6]", ADD), ("one", "b", "one[0] -> [2]", TIMES))


@program({"n": 6}, {"n": 1}, {"n": 0})
def maps() -> Any:
    """Steps, two parameters, a map in a map, an empty one, ranges that depend on outer parameters."""
    sdfg, state = _new("maps", {"A": ([8, 8], F), "B": ([8, 8], F), "c": ([8], F)}, "n")
    _map(state, {"i": "0:n:2", "j": "1:n"}, "y = x * 3 + i - j", "B[j, i]", {"x": "A[i, j]"})
    state = _next(state, "triangle")
    outer, outer_exit = state.add_map("outer", {"i": "0:n"})
    inner, inner_exit = state.add_map("inner", {"j": "0:i+1"})
    tasklet, target = state.add_tasklet("t", {"x": None}, {"y": None}, "y = x + 1"), state.add_access("A")
    state.add_memlet_path(state.add_access("B"), outer, inner, tasklet, dst_conn="x", memlet=Memlet("B[j, i]"))
    state.add_memlet_path(tasklet, inner_exit, outer_exit, target, src_conn="y", memlet=Memlet("A[i, j]"))
    _map(_next(state, "none"), {"i": "4:4"}, "y = 7", "c[i]")
    return sdfg


@program({"n": 6}, {"n": 0})
def sums_and_maxima() -> Any:
    """WCR with conflicts, through two maps; dynamic; with an array connector."""
    sdfg, state = _new("sums_and_maxima", {"A": ([8, 8], F), "s": ([4], F), "r": ([8], F), "k": ([3], I)}, "n")
    entry, leave = state.add_map("m", {"i": "0:n", "j": "0:8"})
    code = "y = x\nif x > 1:\n    z = x\nq = x"
    tasklet = state.add_tasklet("t", {"x": None}, {"y": None, "z": None, "q": None}, code)
    state.add_memlet_path(state.add_access("A"), entry, tasklet, dst_conn="x", memlet=Memlet("A[i, j]"))
    s, r = state.add_access("s"), state.add_access("r")
    for node, connector, memlet in ((s, "y", Memlet("s[0]", wcr=ADD)), (r, "q", Memlet("r[i]", wcr=MIN)),
                                    (s, "z", Memlet("s[1]", wcr=MAX, dynamic=True))):
        state.add_memlet_path(tasklet, leave, node, src_conn=connector, memlet=memlet)
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
    """Connectors that are arrays: rows and columns, indirect reads, writes to some elements only."""
    sdfg, state = _new("pointers", {"A": ([6, 5], F), "B": ([6, 5], F), "c": ([5], F), "k": ([5], I)}, "n")
    tasklet = state.add_tasklet("rows", {"x": None, "w": None, "g": None}, {"y": None},
                                "for q in range(n):\n    y[q] = x[q, 1] * w[q] + x[g[q], 0]")
    for data, connector, memlet in (("A", "x", "A[0:6, 1:4]"), ("A", "w", "A[3, 0:5]"), ("k", "g", "k[0:5]")):
        state.add_edge(state.add_access(data), None, tasklet, connector, Memlet(memlet))
    state.add_edge(tasklet, "y", state.add_access("B"), None, Memlet("B[1:6, 2]"))
    state = _next(state, "parts")
    tasklet = state.add_tasklet("part", {"x": None}, {"y": None}, "y[0] = x[0]\nif x[1] > 0:\n    y[2] = x[1]")
    state.add_edge(state.add_access("A"), None, tasklet, "x", Memlet("A[0:6, 0]"))
    state.add_edge(tasklet, "y", state.add_access("c"), None, Memlet("c[1:5]", dynamic=True))
    return sdfg


@program({"s": 2.5, "n": 3}, {"s": -0.5, "n": 0})
def scalars() -> Any:
    """Scalars as arguments, as transients, in conditions, on interstate edges, of several types."""
    sdfg, state = _new("scalars", {"a": ([8], F), "k": ([8], I)}, "n", "m")
    for symbol in ("s", "z"):
        sdfg.add_symbol(symbol, F)
    for name, dtype, transient in (("given", F, False), ("count", I, False), ("t", F, True), ("u", I, True)):
        sdfg.add_scalar(name, dtype, transient=transient)
    _set(state, "t", "0", "x + g * s", x="a[2]", g="given[0]")
    second, third, yes, no, last = (sdfg.add_state(name) for name in ("second", "third", "yes", "no", "last"))
    sdfg.add_edge(state, second, dace.InterstateEdge("a[2] < 1000"))
    _set(second, "u", "0", "int(x) if x < 100 else 3", x="t[0]")
    sdfg.add_edge(second, third, dace.InterstateEdge(assignments={"m": "u + count", "z": "t * 2 + a[1]"}))
    _set(third, "a", "0", "m + z")
    _set(third, "k", "count % 4", "m / 2 + 1")
    sdfg.add_edge(third, yes, dace.InterstateEdge("t > 1 and k[3] < 3"))
    sdfg.add_edge(third, no, dace.InterstateEdge("not (t > 1 and k[3] < 3)"))
    for state, value in ((yes, 1), (no, 2)):
        _set(state, "k", "7", f"{value} + n")
        sdfg.add_edge(state, last, dace.InterstateEdge())
    return sdfg


@program({"n": 5}, {"n": 1})
def nested() -> Any:
    """Nested SDFGs on slices: inner strides over the outer memory, symbols, scalars, a transient, in a map."""
    sdfg, state = _new("nested", {"A": ([6, 8], F), "B": ([6, 8], F), "k": ([6], I)}, "n")
    inner, first = _new("inner", {}, "m")
    inner.add_array("p", [3, "m"], F, strides=[16, 1], total_size=48)
    inner.add_array("q", ["m"], F, strides=[8], total_size="8*m")
    inner.add_array("t", ["m"], F, transient=True)
    inner.add_scalar("v", I)
    _map(first, {"i": "0:m"}, "y = x[0] - 2 * x[2] + w", "t[i]", {"x": "p[0:3, i]", "w": "v[0]"})
    _copy(_next(first, "out"), "t", "q", "t[0:m] -> [0:m]")
    node = state.add_nested_sdfg(inner, {"p": None, "v": None}, {"q": None}, {"m": "n"})
    state.add_edge(state.add_access("A"), None, node, "p", Memlet("A[1:6, 2:8]"))
    state.add_edge(state.add_access("k"), None, node, "v", Memlet("k[3]"))
    state.add_edge(node, "q", state.add_access("B"), None, Memlet("B[1:6, 4]"))
    state = _next(state, "in_map")
    point, only = _new("point", {"y": ([1], F)}, "j")
    point.add_scalar("x", F)
    _set(only, "y", "0", "2 * z + j", z="x[0]")
    entry, leave = state.add_map("m", {"i": "0:6", "j": "0:n"})
    node = state.add_nested_sdfg(point, {"x": None}, {"y": None}, {"j": "i - j"})
    state.add_memlet_path(state.add_access("B"), entry, node, dst_conn="x", memlet=Memlet("B[i, j]"))
    state.add_memlet_path(node, leave, state.add_access("A"), src_conn="y", memlet=Memlet("A[i, j]"))
    return sdfg


@program({})
def views() -> Any:
    """A View that reshapes, one of a column that is written to, one that is copied, one of another type."""
    sdfg, state = _new("views", {"A": ([5, 6], F), "c": ([30], F), "d": ([5], F), "l": ([30], L)})
    sdfg.add_view("V", [30], F)
    sdfg.add_view("W", [5], F, strides=[6])
    sdfg.add_view("X", [3, 2], F)
    sdfg.add_view("Y", [30], L)
    view = state.add_access("V")
    state.add_edge(state.add_access("A"), None, view, "views", Memlet("A[0:5, 0:6]"))
    _map(state, {"i": "0:5"}, "y = x + i", "d[4 - i]", {"x": "V[6*i + 1]"}, input_nodes={"V": view})
    state = _next(state, "written")
    view = state.add_access("W")
    _map(state, {"i": "0:5"}, "y = x * 2", "W[i]", {"x": "d[i]"}, output_nodes={"W": view})
    state.add_edge(view, "views", state.add_access("A"), None, Memlet("A[0:5, 3]"))
    for name, viewed, target, memlet in (("X", "A[2, 0:6]", "c", "X[0:3, 0:2] -> [5:11]"),
                                         ("Y", "c[0:30]", "l", "Y[0:30]")):
        state = _next(state, f"copied_{name}")
        view = state.add_access(name)
        state.add_edge(state.add_access(viewed[0]), None, view, "views", Memlet(viewed))
        state.add_edge(view, None, state.add_access(target), None, Memlet(memlet))
    return sdfg


@program({})
def reductions() -> Any:
    """Reduce nodes: some axes, all, with and without identity, of integers."""
    sdfg, state = _new("reductions", {"A": ([4, 3, 5], F), "k": ([4, 6], I), "r": ([4, 5], F), "t": ([3], F),
                                      "u": ([1], F), "v": ([6], I), "w": ([4], I), "m": ([4, 3], F)})
    whole = "A[0:4, 0:3, 0:5]"
    for axes, identity, wcr, source, target in (
            ([1], 1.5, ADD, whole, "r[0:4, 0:5]"), ([0, 2], None, ADD, whole, "t[0:3]"), (None, 0, MAX, whole, "u[0]"),
            ([0], 0, ADD, "k[0:4, 0:6]", "v[0:6]"), ([1], 1, TIMES, "k[0:4, 0:6]", "w[0:4]"),
            ([2], None, MIN, whole, "m[0:4, 0:3]")):
        state = _next(state, f"of_{target[0]}")
        node = state.add_reduce(wcr, axes, identity)
        state.add_edge(state.add_access(source[0]), None, node, None, Memlet(source))
        state.add_edge(node, None, state.add_access(target[0]), None, Memlet(target))
    return sdfg


@program({"n": 4}, {"n": 0})
def zeroed_and_lasting() -> Any:
    """setzero, and transients of all lifetimes."""
    sdfg, state = _new("zeroed_and_lasting", {"a": ([6], F), "b": ([6], F)}, "n")
    lifetimes = dace.AllocationLifetime
    for name, lifetime in (("z", lifetimes.Scope), ("p", lifetimes.Persistent), ("g", lifetimes.SDFG)):
        sdfg.add_transient(name, [6], F, lifetime=lifetime)
    zeroed = state.add_access("z")
    zeroed.setzero = True
    _map(state, {"i": "0:n"}, "y = x", "z[i]", {"x": "a[i]"}, ADD, output_nodes={"z": zeroed})
    for source, target in (("z", "p"), ("p", "g"), ("g", "b")):
        state = _next(state, f"to_{target}")
        _copy(state, source, target, f"{source}[0:6]")
    return sdfg


@program({})
def constants() -> Any:
    sdfg, state = _new("constants", {"a": ([4], F), "k": ([4], I)})
    sdfg.add_constant("c", np.float64(2.5))
    sdfg.add_constant("n", 3)
    sdfg.add_constant("t", np.array([1.5, 2.5, 0.1, 4.0]))
    _map(state, {"i": "0:n"}, "y = x * c + t[i]", "a[i]", {"x": "a[i]"})
    _set(state, "k", "n", "n + 1")
    return sdfg


@program({})
def streams() -> Any:
    """What a map pushes goes to an array in the order of the iterations."""
    sdfg, state = _new("streams", {"a": ([8], F), "b": ([8], F)})
    sdfg.add_stream("S", F, transient=True)
    entry, leave = state.add_map("m", {"i": "0:8"})
    tasklet, stream = state.add_tasklet("t", {"x": None}, {"y": None}, "if x > 0:\n    y = x"), state.add_access("S")
    state.add_memlet_path(state.add_access("a"), entry, tasklet, dst_conn="x", memlet=Memlet("a[i]"))
    state.add_memlet_path(tasklet, leave, stream, src_conn="y", memlet=Memlet("S[0]", dynamic=True))
    state.add_edge(stream, None, state.add_access("b"), None, Memlet("b[0:8]", dynamic=True))
    return sdfg


@program({})
def references() -> Any:
    """A Reference that is set to one array, then to another."""
    sdfg, state = _new("references", {"a": ([8], F), "b": ([8], F)})
    sdfg.add_reference("R", [4], F)
    state.add_edge(state.add_access("a"), None, state.add_access("R"), "set", Memlet("a[2:6]"))
    state = _next(state, "read")
    _map(state, {"i": "0:4"}, "y = x * 2", "b[i]", {"x": "R[i]"})
    state = _next(state, "again")
    state.add_edge(state.add_access("b"), None, state.add_access("R"), "set", Memlet("b[4:8]"))
    _map(_next(state, "written"), {"i": "0:4"}, "y = x + 1", "R[3 - i]", {"x": "a[i]"})
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
    """A value that goes from tasklet to tasklet without memory."""
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
    """Rows copied into and out of a map; a scalar that is zero when an iteration begins; a chain of scalars."""
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
    for source, target, memlet in zip(nodes, nodes[1:], ("r[3]", "t[0]", "c[5]")):
        state.add_edge(source, None, target, None, Memlet(memlet))
    return sdfg


@program({})
def offsets() -> Any:
    """Memory that begins before the array's first element."""
    sdfg, state = _new("offsets", {"a": ([6], F), "b": ([3, 2], F), "t": ([6], F)})
    sdfg.arrays["t"].transient = True
    for name, strides, total, start in (("a", [1], 10, 2), ("b", [3, 1], 12, 1), ("t", [1], 8, 1)):
        sdfg.arrays[name].set_shape(sdfg.arrays[name].shape, strides=strides, total_size=total)
        sdfg.arrays[name].start_offset = start
    _map(state, {"i": "0:6"}, "y = x * 2", "t[i]", {"x": "a[i]"})
    _map(_next(state, "out"), {"i": "0:3", "j": "0:2"}, "y = x", "b[i, j]", {"x": "t[2*i + j]"})
    return sdfg


# Control flow


def _branch(block: Any, condition: str | None, label: str) -> Any:
    region = ControlFlowRegion(label, block.sdfg)
    block.add_branch(CodeBlock(condition) if condition else None, region)
    return region


@program({"n": 0}, {"n": 1}, {"n": 3})
def loops() -> Any:
    """Loops of all forms; the loop variable tells afterwards how often each ran. The last but one leaves out 2, and
    ends at 5; the last goes down."""
    sdfg, previous = _new("loops", {"A": ([48], F)})
    for name in ("n", "m", "i0", "i1", "i2", "i3", "i4"):
        sdfg.add_symbol(name, L)
    forms: list[dict[str, Any]] = [{}, {"inverted": True}, {"inverted": True, "update_before_condition": False}, {}, {}]
    for k, form in enumerate(forms):
        i = f"i{k}"
        first, condition, update = "0", f"{i} < {'n' if k < 3 else '8'}", f"{i} + 1"
        if k == 4:
            first, condition, update = "n", f"{i} >= 0", f"{i} - 2"
        loop = LoopRegion(f"loop{k}", condition, i, f"{i} = {first}", f"{i} = {update}", **form)
        sdfg.add_node(loop)
        sdfg.add_edge(previous, loop, dace.InterstateEdge())
        body = loop.add_state(f"body{k}", is_start_block=True)
        _set(body, "A", f"{8 * k} + {i}", f"x + {i}", x=f"A[{8 * k} + {i}]")
        if k == 3:
            choice = ConditionalBlock("choice")
            loop.add_node(choice)
            loop.add_edge(body, choice, dace.InterstateEdge(assignments={"m": "int(A[0] < 1)"}))
            _branch(choice, "i3 == 2", "skipped").add_node(ContinueBlock("again"), is_start_block=True)
            _branch(choice, "i3 >= 5", "ended").add_node(BreakBlock("out"), is_start_block=True)
            _set(_next(choice, "rest"), "A", "24 + i3", "i3 + m")
        previous = loop
    last = _next(previous, "last")
    for k in range(len(forms)):
        _set(last, "A", f"{40 + k}", f"i{k}")
    return sdfg


@program({"n": 0}, {"n": 2}, {"n": 5})
def branches() -> Any:
    """Branches that overlap, without else; an early return, and code after it."""
    sdfg, previous = _new("branches", {"a": ([8], F)}, "n")
    for k, conditions in enumerate((["n > 3", "n > 1", None], ["n == 2"], ["a[0] > 100", None], ["n > 4"])):
        block = ConditionalBlock(f"if{k}")
        sdfg.add_node(block)
        sdfg.add_edge(previous, block, dace.InterstateEdge())
        for j, condition in enumerate(conditions):
            region = _branch(block, condition, f"branch{k}{j}")
            state = region.add_state(f"s{k}{j}", is_start_block=True)
            _set(state, "a", str(k), str(10 * k + j + 1))
        previous = block
    leave = ReturnBlock("leave")
    region.add_node(leave)
    region.add_edge(state, leave, dace.InterstateEdge())
    _set(_next(previous, "last"), "a", "7", "-1")
    return sdfg


@program({})
def nested_that_returns() -> Any:
    """A return in a nested SDFG ends that one; symbols that it sets are its own."""
    sdfg, state = _new("nested_that_returns", {"a": ([8], F)}, "k")
    inner, first = _new("inner", {"p": ([8], F)}, "k")
    _set(first, "p", "0", "1")
    second, leave = inner.add_state("second"), ReturnBlock("leave")
    inner.add_edge(first, second, dace.InterstateEdge("p[0] < 100", assignments={"j": "k + 3"}))
    _set(second, "p", "j", "2")
    inner.add_node(leave)
    inner.add_edge(second, leave, dace.InterstateEdge())
    _set(_next(leave, "never"), "p", "3", "3")
    node = state.add_nested_sdfg(inner, {"p": None}, {"p": None}, {"k": "2"})
    state.add_edge(state.add_access("a"), None, node, "p", Memlet("a[0:8]"))
    state.add_edge(node, "p", state.add_access("a"), None, Memlet("a[0:8]"))
    _set(_next(state, "last"), "a", "7", "9")
    return sdfg


@program({"n": 0}, {"n": 3})
def unstructured() -> Any:
    """A loop and a branch of plain edges; a way out where no edge holds."""
    sdfg, state = _new("unstructured", {"a": ([8], F)}, "n", "i", "p", "q")
    guard, body, after, never = (sdfg.add_state(name) for name in ("guard", "body", "after", "never"))
    sdfg.add_edge(state, guard, dace.InterstateEdge(assignments={"i": "0", "p": "1", "q": "2"}))
    sdfg.add_edge(guard, body, dace.InterstateEdge("i < n"))
    sdfg.add_edge(guard, after, dace.InterstateEdge("i >= n"))
    _set(body, "a", "i", "p * 10 + q")
    sdfg.add_edge(body, guard, dace.InterstateEdge(assignments={"i": "i + 1", "p": "q + 2"}))
    _set(after, "a", "7", "p + q + i")
    sdfg.add_edge(after, never, dace.InterstateEdge("n > 100"))
    _set(never, "a", "6", "-1")
    return sdfg


@program({"n": 7}, {"n": -7}, {"n": 0})
def quotients() -> Any:
    """Division and remainder in ranges, subsets and on interstate edges, of negative numbers too."""
    sdfg, state = _new("quotients", {"a": ([40], F), "k": ([16], I)}, "n", "m")
    for j, text in enumerate(("n // 2", "n % 3", "int_floor(n, 2)", "(n - 20) // 3", "n / 2", "n ** 2", "-n // 4",
                              "max(n, 2)", "min(n, 2, 1)", "abs(n)", "n + 3 if n > 0 else n - 3", "n * n - n",
                              "int_ceil(n, 2)", "n & 3")):
        after = sdfg.add_state(f"after{j}")
        sdfg.add_edge(state, after, dace.InterstateEdge(assignments={"m": text}))
        _set(after, "k", str(j), "m")
        state = after
    state = _next(state, "indices")
    _map(state, {"i": "0:int_floor(n + 20, 3)"}, "y = x + 1", "a[20 + i]", {"x": "a[i]"})
    state = _next(state, "more")
    _set(state, "a", "int_floor(n, 2) + 10", "7")
    _set(state, "a", "n % 3 + 16", "8")
    return sdfg
