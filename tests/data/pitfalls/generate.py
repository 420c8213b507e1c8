"""Writes the .sdfg files beside this script: one small file for each trap of the format.

Run with the environment of tests/python/requirements.txt. Files that DaCe can write are written by it;
the others are edited afterwards and get the hash that DaCe would give them.
"""
import copy
import hashlib
import json
import pathlib
import re
import warnings

import dace
import numpy as np
from dace import dtypes
from dace.sdfg.state import (BreakBlock, ConditionalBlock, ContinueBlock, ControlFlowRegion,
                             LoopRegion, ReturnBlock)

HERE = pathlib.Path(__file__).parent
N = dace.symbol("N")
UNHASHED = {"cfg_list_id", "name", "hash", "orig_sdfg", "transformation_hist", "instrument", "guid"}
_guids = 0


def meaning(value):
    if isinstance(value, dict):
        return {k: meaning(v) for k, v in value.items()
                if k not in UNHASHED and not k.startswith("_meta_")}
    if isinstance(value, list):
        return [meaning(v) for v in value]
    return value


def hash_of(obj):
    top = {k: v for k, v in obj.items() if k not in ("dace_version", "error")}
    return hashlib.sha256(json.dumps(meaning(top)).encode()).hexdigest()


def stable_guids(text):
    """Numbers the random UUIDs, so that running this again gives the same files."""
    seen = {}
    return re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}",
                  lambda m: seen.setdefault(m[0], f"00000000-0000-4000-8000-{len(seen):012x}"), text)


def saved(sdfg, readable=False):
    path = HERE / "scratch.sdfg"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sdfg.save(str(path), **({"readable": True} if readable else {}))
    text = path.read_text()
    path.unlink()
    # Where this ran is nobody's business: source files by their names alone.
    text = re.sub(r'"/[^"]*/([^"/]+\.py)"', r'"\1"', stable_guids(text))
    return re.sub(r'("hash": ?)"[0-9a-f]{64}"', rf'\1"{hash_of(json.loads(text))}"', text)


def write(name, text):
    (HERE / f"{name}.sdfg").write_bytes(text.encode("utf-8", "surrogatepass"))


def write_object(name, obj, **style):
    """For edited files: the hash is made right, then the object is dumped."""
    obj = copy.deepcopy(obj)
    if "hash" in obj["attributes"]:
        obj["attributes"]["hash"] = hash_of(obj)
    style.setdefault("separators", (",", ":"))
    write(name, json.dumps(obj, **style))


def mapped(name="main", data_in="A", data_out="B"):
    """out[i] = in[i] + 1 over N elements."""
    sdfg = dace.SDFG(name)
    sdfg.add_array(data_in, [N], dace.float64)
    sdfg.add_array(data_out, [N], dace.float64)
    state = sdfg.add_state("compute")
    state.add_mapped_tasklet("inc", {"i": "0:N"}, {"__in": dace.Memlet(f"{data_in}[i]")},
                             "__out = __in + 1", {"__out": dace.Memlet(f"{data_out}[i]")},
                             external_edges=True)
    return sdfg


def states(obj):
    """All states in an object, nested ones included."""
    if isinstance(obj, dict):
        if obj.get("type") == "SDFGState":
            yield obj
        for value in obj.values():
            yield from states(value)
    elif isinstance(obj, list):
        for value in obj:
            yield from states(value)


def memlets(obj):
    for state in states(obj):
        for edge in state["edges"]:
            yield edge["attributes"]["data"]["attributes"]


def nodes(obj, kind):
    for state in states(obj):
        for node in state["nodes"]:
            if node["type"] == kind:
                yield node


def json_of(sdfg):
    return json.loads(saved(sdfg))


def write_scalars():
    sdfg = mapped()
    for name, value in {"a": np.nan, "b": np.inf, "c": -np.inf}.items():
        sdfg.add_constant(name, float(value))
    sdfg.add_constant("table", np.array([np.nan, 1.0, -np.inf]))
    write("01_nan_infinity", saved(sdfg))

    sdfg = mapped()
    sdfg.add_constant("big", np.array([9223372036854775809, 1], dtype=np.uint64))
    sdfg.add_constant("one", np.uint64(9223372036854775815))
    sdfg.add_array("huge", [2**70 + N], dace.float64)
    write("02_beyond_int64", saved(sdfg))

    sdfg = mapped()
    for name, value in {"a": 1e-05, "b": 1e22, "c": 1e16, "d": -0.0, "e": 5e-324, "f": 0.1}.items():
        sdfg.add_constant(name, value)
    write("03_float_repr", saved(sdfg))


def write_ids():
    obj = json_of(mapped())
    for state in states(obj):
        for i, node in enumerate(state["nodes"]):
            node["id"] = 70 - i
            for key in ("scope_entry", "scope_exit"):
                node[key] = None if node[key] is None else int(node[key])
        for edge in state["edges"]:
            edge["src"], edge["dst"] = int(edge["src"]), int(edge["dst"])
        state["id"] = 5
    write_object("04_ids_by_position", obj)


def write_variants():
    sdfg = mapped()
    sdfg.arrays["A"].storage = dtypes.StorageType.GPU_Global
    sdfg.add_array("R", [1], dace.float64)
    sdfg.add_stream("S", dace.float64)
    sdfg.add_datadesc("T", dace.data.Structure({"x": dace.float64[N]}, "T"))
    state = sdfg.states()[0]
    reduce = state.add_reduce("lambda a, b: a + b", None, 0)
    out = state.add_access("R")
    state.add_edge(next(n for n in state.data_nodes() if n.data == "B"), None, reduce, None,
                   dace.Memlet("B[0:N]"))
    state.add_edge(reduce, None, out, None, dace.Memlet("R[0]", dynamic=True, volume=0))
    write("05_variant_types", saved(sdfg))
    obj = json_of(sdfg)
    obj["attributes"]["_arrays"]["A"]["attributes"]["storage"] = {
        "type": "StorageType.GPU_Shared", "dynamic": True}
    obj["attributes"]["_arrays"]["T"]["attributes"]["members"].append(["value_count", "$N"])
    write_object("05_variant_types_edited", obj)


def write_defaults():
    sdfg = dace.SDFG("main")
    sdfg.add_array("A", [20], dace.int32)
    sdfg.add_array("B", [20], dace.int32)
    first, second = sdfg.add_state("first"), sdfg.add_state("second")
    sdfg.add_edge(first, second, dace.InterstateEdge())
    memlet = dace.Memlet("A[0:20]", dynamic=True, volume=0)
    second.add_edge(second.add_access("A"), None, second.add_access("B"), None, memlet)
    write("06_missing_defaults", saved(sdfg))

    obj = json_of(mapped())
    for i, memlet in enumerate(memlets(obj)):
        if i % 2:
            memlet.pop("guid", None)
    del obj["attributes"]["guid"]
    for node in nodes(obj, "MapEntry"):
        node["label"] = "text that is shown"
    write_object("07_guids_and_labels", obj)

    with dace.config.set_temporary("testing", "serialize_all_fields", value=True):
        write("28_explicit_defaults", saved(mapped()))


def write_keys():
    obj = json_of(mapped())
    obj = {key: obj[key] for key in reversed(list(obj))}
    obj["attributes"] = {key: obj["attributes"][key] for key in sorted(obj["attributes"])}
    for state in states(obj):
        state["edges"] = [{key: edge[key] for key in sorted(edge)} for edge in state["edges"]]
    # A key that comes twice in a value that is only carried.
    obj["attributes"]["_meta_twice"] = {"twice": 0}
    obj["attributes"]["hash"] = hash_of(obj)
    write("08_key_order", json.dumps(obj, separators=(",", ":")).replace(
        '{"twice":0}', '{"twice":0,"twice":1}'))

    sdfg = mapped("type", "guid", "attributes")
    sdfg.add_array("type", [N], dace.float64)
    sdfg.add_array("name", [N], dace.float64, transient=True)
    write("09_names_like_keys", saved(sdfg))

    obj = json_of(mapped())
    obj["attributes"]["_arrays"]["A"]["attributes"]["storage"] = "NewStorage"
    obj["attributes"]["_arrays"]["B"]["attributes"]["lifetime"] = "NewLifetime"
    for node in nodes(obj, "MapEntry"):
        node["attributes"]["schedule"] = "NewSchedule"
    write_object("10_unknown_enum", obj)

    obj = json_of(mapped())
    obj["attributes"]["_arrays"]["A"]["attributes"]["shape"] = ["int($N)"]
    obj["attributes"]["_arrays"]["A"]["attributes"]["total_size"] = "IfExpr(~$flag, $N, $s.x)"
    obj["attributes"]["_arrays"]["B"]["attributes"]["total_size"] = "inf"
    write_object("11_not_idempotent", obj)

    obj = json_of(mapped())
    obj["attributes"]["_arrays"]["C"] = {"type": "FutureArray", "attributes": {"shape": 7, "x": [None]}}
    obj["attributes"]["_arrays"]["A"]["attributes"]["dtype"] = {"type": "future", "bits": [1, 2]}
    obj["attributes"]["_arrays"]["A"]["attributes"]["total_size"] = "$N +* oops"
    write_object("12_bad_parts", obj)


def write_nesting():
    inner = mapped("leaf")
    for level in range(6):
        outer = dace.SDFG(f"level{level}")
        outer.add_array("A", [N], dace.float64)
        outer.add_array("B", [N], dace.float64)
        state = outer.add_state("call")
        node = state.add_nested_sdfg(inner, {"A"}, {"B"}, {"N": N})
        state.add_edge(state.add_access("A"), None, node, "A", dace.Memlet("A[0:N]"))
        state.add_edge(node, "B", state.add_access("B"), None, dace.Memlet("B[0:N]"))
        inner = outer
    write("14_deep_nesting", saved(inner))

    outer = json_of(inner)
    for node in nodes(outer, "NestedSDFG"):
        node["attributes"]["sdfg"] = json.dumps(node["attributes"]["sdfg"])
        break
    write_object("29_nested_as_string", outer)
    outer = json_of(inner)
    for node in nodes(outer, "NestedSDFG"):
        del node["attributes"]["sdfg"]
        node["attributes"] = {"ext_sdfg_path": "other.sdfg", **node["attributes"]}
        break
    write_object("30_external_nested", outer)


def write_control_flow():
    sdfg = mapped()
    sdfg.add_state("other")
    obj = json_of(mapped())
    extra = json_of(sdfg)
    obj["nodes"] = extra["nodes"]
    obj["start_block"] = None
    write_object("15_ambiguous_start", obj)

    sdfg = dace.SDFG("main")
    sdfg.add_array("A", [20], dace.float64)
    sdfg.add_symbol("k", dace.int32)
    first = sdfg.add_state("first", is_start_block=True)
    loop = LoopRegion("loop", "i < 10", "i", "i = 0", "i = i + 1", inverted=True)
    sdfg.add_node(loop)
    sdfg.add_edge(first, loop, dace.InterstateEdge(condition="k > 2", assignments={"z": "k*k", "a": "A[2]"}))
    conditional = ConditionalBlock("choose")
    loop.add_node(conditional, is_start_block=True)
    yes, no = ControlFlowRegion("yes"), ControlFlowRegion("no")
    conditional.add_branch(dace.properties.CodeBlock("i > 5"), yes)
    conditional.add_branch(None, no)
    yes.add_node(BreakBlock("stop"), is_start_block=True)
    begin = no.add_state("begin", is_start_block=True)
    go_on = ContinueBlock("go_on")
    no.add_node(go_on)
    no.add_edge(begin, go_on, dace.InterstateEdge())
    last = ReturnBlock("last")
    sdfg.add_node(last)
    sdfg.add_edge(loop, last, dace.InterstateEdge())
    write("32_control_flow", saved(sdfg))

    obj = json_of(sdfg)
    for state in states(obj):
        state["label"] = "same"
    obj["nodes"][2]["label"] = "same"
    write_object("23_duplicate_labels", obj)

    for block in obj["nodes"]:
        for inner in block.get("nodes", []):
            if inner["type"] == "ConditionalBlock":
                order = ("type", "collapsed", "label", "id", "attributes", "branches")
                old = {key: inner[key] for key in order}
                inner.clear()
                inner.update(old)
    obj["dace_version"] = "1.0.2"
    write_object("20_old_conditional_block", obj)


def write_old():
    obj = json_of(mapped())
    text = json.dumps(obj).replace("$", "").replace("-1 + N", "N - 1")
    obj = json.loads(text)
    obj["dace_version"] = "1.0.2"
    del obj["source_files"]
    arrays = obj["attributes"]["_arrays"]
    arrays["A"]["attributes"]["total_size"] = "floor(N/2) + int_floor(N, 2) + Mod(N + 3, 4)"
    arrays["B"]["attributes"]["total_size"] = "A(0) + Min(3, M, N)"
    write_object("16_old_expressions", obj, indent=2, separators=(",", ": "))

    old = copy.deepcopy(obj)
    for memlet in memlets(old):
        if memlet["volume"] == "1":
            for key in ("subset", "src_subset", "dst_subset"):
                if memlet.get(key):
                    memlet[key] = {"type": "Indices", "indices": ["i"]}
    write_object("17_old_indices", old)

    old = copy.deepcopy(obj)
    info = {"type": "DebugInfo", "start_line": 1, "end_line": 1, "start_column": 0, "end_column": 9,
            "filename": "program.py"}
    for memlet in memlets(old):
        memlet["debuginfo"] = None
    for node in nodes(old, "Tasklet"):
        node["attributes"]["debuginfo"] = info
    for descriptor in old["attributes"]["_arrays"].values():
        descriptor["attributes"]["debuginfo"] = None
    write_object("19_old_debuginfo", old)

    sdfg = dace.SDFG("main")
    sdfg.add_array("B", [N], dace.float64)
    sdfg.add_array("R", [1], dace.float64)
    state = sdfg.add_state("sum")
    reduce = state.add_reduce("lambda a, b: a + b", None, 0)
    state.add_edge(state.add_access("B"), None, reduce, None, dace.Memlet("B[0:N]"))
    state.add_edge(reduce, None, state.add_access("R"), None, dace.Memlet("R[0]"))
    old = json.loads(saved(sdfg).replace("$", ""))
    old["dace_version"] = "1.0.2"
    for node in nodes(old, "LibraryNode"):
        node["attributes"]["identity"] = 0
    write_object("18_old_reduce_identity", old)


def write_unknown():
    obj = json_of(mapped())
    obj["future"] = {"key": [1, {"x": None}]}
    obj["attributes"]["future_attribute"] = [1.50, "text"]
    obj["attributes"]["_arrays"]["A"]["future"] = 1
    obj["attributes"]["_arrays"]["A"]["attributes"]["_meta_x"] = {"a": {}}
    obj["attributes"]["_arrays"]["Z"] = {"type": "Futuristic", "attributes": {"x": 1}, "more": 2}
    for state in states(obj):
        state["future"] = True
        state["attributes"] = {"future_attribute": 3, **state.get("attributes", {})}
        for node in state["nodes"]:
            node["future"] = {"n": 1}
            node["attributes"]["future_attribute"] = {"deep": [[]]}
        state["nodes"].append({"type": "FutureNode", "label": "f", "attributes": {"data": "A"},
                               "id": len(state["nodes"]), "scope_entry": None, "scope_exit": None})
        state["scope_dict"]["-1"].append(len(state["nodes"]) - 1)
        for edge in state["edges"]:
            edge["future"] = "e"
            edge["attributes"]["future_attribute"] = 0
            edge["attributes"]["data"]["future"] = None
            edge["attributes"]["data"]["attributes"]["future_attribute"] = 1
        break
    obj["nodes"].append({"type": "FutureBlock", "label": "later", "id": 1, "attributes": {"x": 1},
                         "parts": []})
    obj["edges"].append({"type": "Edge", "future": 1, "attributes": {
        "data": {"type": "InterstateEdge", "future": 2, "attributes": {"future_attribute": 3}}},
        "src": "0", "dst": "1"})
    write_object("21_unknown_members", obj)


def write_text():
    obj = json_of(mapped())
    for node in nodes(obj, "Tasklet"):
        node["attributes"]["code"] = {"string_data": "__out = __in; // \ud800 \udfff \U0001f600",
                                      "language": "CPP"}
    write_object("22_lone_surrogates", obj)

    text = json.dumps(json_of(mapped("main", "Aa", "Bb")))
    text = text.replace("Aa", "\\u00c4").replace("Bb", "B_\\u03b1\\ud83d\\ude00")
    write_object("31_non_ascii_names", json.loads(text))

    write("24_indented", saved(mapped(), readable=True))
    compact = saved(mapped())
    write("25_spaced", json.dumps(json.loads(compact)))
    write("26_trailing_newline", compact + "\n\n")
    write("27_leading_space", " \n\t" + compact)


def write_others():
    sdfg = dace.SDFG("main")
    sdfg.add_stream("S", dace.int32, transient=True)
    sdfg.add_array("A", [20], dace.int32)
    sdfg.add_array("V", [20], dace.int32)
    sdfg.add_view("W", [4, 5], dace.int32)
    state = sdfg.add_state("consume")
    s, a = state.add_access("S"), state.add_access("A")
    entry, leave = state.add_consume("pop", ("p", "4"), None)
    task = state.add_tasklet("t", {"s"}, {"a"}, "a = s")
    state.add_memlet_path(s, entry, task, dst_conn="s", memlet=dace.Memlet("S[0]", dynamic=True, volume=0))
    state.add_memlet_path(task, leave, a, src_conn="a",
                          memlet=dace.Memlet("A[0:20]", wcr="lambda x, y: x + y", volume=1))
    w, v = state.add_access("W"), state.add_access("V")
    v.setzero = True
    state.add_edge(a, None, w, "views", dace.Memlet("A[0:20]"))
    state.add_edge(w, None, v, None, dace.Memlet("W[0:4, 0:5] -> [0:20]"))
    state.add_nedge(v, state.add_tasklet("after", {}, {}, "pass", side_effects=True), dace.Memlet())
    write("33_consume_and_view", saved(sdfg))

    sdfg = dace.SDFG("main")
    sdfg.add_array("A", [2, 20], dace.int32)
    state = sdfg.add_state("copy")
    # Both ends are the same data: only the file's flag tells the direction.
    state.add_edge(state.add_access("A"), None, state.add_access("A"), None,
                   dace.Memlet(data="A", subset="0, 0:20", other_subset="1, 0:20"))
    write("34_same_data_on_both_ends", saved(sdfg))


if __name__ == "__main__":
    for step in (write_scalars, write_ids, write_variants, write_defaults, write_keys, write_nesting,
                 write_control_flow, write_old, write_unknown, write_text, write_others):
        step()
