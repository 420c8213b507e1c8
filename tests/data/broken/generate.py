"""Writes the files beside this script: well-formed JSON (or text form) that is no legal SDFG.

Each is ../pitfalls/26_trailing_newline.sdfg with one change. Every command must refuse them.
"""
import copy
import gzip
import json
import pathlib

HERE = pathlib.Path(__file__).parent
GOOD = json.loads((HERE.parent / "pitfalls" / "26_trailing_newline.sdfg").read_text())


def write(name, change):
    value = copy.deepcopy(GOOD)
    change(value, value["nodes"][0])
    (HERE / f"{name}.sdfg").write_text(json.dumps(value, separators=(",", ":")))


def node(state, kind):
    return next(n for n in state["nodes"] if n["type"] == kind)


def memlet(state):
    return state["edges"][0]["attributes"]["data"]["attributes"]


def add_cycle(_, state):
    edge = copy.deepcopy(state["edges"][0])
    edge["src"], edge["dst"] = edge["dst"], edge["src"]
    state["edges"].append(edge)


def add_self_loop(_, state):
    state["edges"].append(dict(copy.deepcopy(state["edges"][0]), src="0", dst="0"))


def pair_twice(_, state):
    state["nodes"].append(copy.deepcopy(node(state, "MapEntry")))


def second_interstate_edge(value, state):
    value["nodes"].append(dict(copy.deepcopy(state), label="later", id=1))
    edge = {"type": "Edge", "attributes": {"data": {"type": "InterstateEdge", "attributes": {}}},
            "src": "0", "dst": "1"}
    value["edges"] = [edge, edge]


def interstate_end(value, _):
    value["edges"] = [{"type": "Edge", "src": "0", "dst": "1",
                       "attributes": {"data": {"type": "InterstateEdge", "attributes": {}}}}]


def array(value):
    return value["attributes"]["_arrays"]["A"]["attributes"]


def nested_without_array(_, state):
    inner = copy.deepcopy(GOOD)
    state["nodes"].append({"type": "NestedSDFG", "label": "n", "id": 5, "scope_entry": None, "scope_exit": None,
                           "attributes": {"sdfg": inner, "label": "n", "in_connectors": {"Q": None}}})


CHANGES = {
    "entry_without_exit": lambda v, s: node(s, "MapEntry").pop("scope_exit"),
    "entry_with_null_exit": lambda v, s: node(s, "MapEntry").update(scope_exit=None),
    "exit_without_entry": lambda v, s: node(s, "MapExit").pop("scope_entry"),
    "exit_of_another_kind": lambda v, s: node(s, "MapExit").update(type="ConsumeExit"),
    "entry_is_own_exit": lambda v, s: node(s, "MapEntry").update(scope_exit="0", scope_entry="0"),
    "exit_paired_twice": pair_twice,
    "exit_is_a_tasklet": lambda v, s: node(s, "MapEntry").update(scope_exit="0"),
    "cycle": add_cycle,
    "self_loop": add_self_loop,
    "edge_end_negative": lambda v, s: s["edges"][0].update(src="-1"),
    "edge_end_out_of_range": lambda v, s: s["edges"][0].update(dst="5"),
    "edge_end_null": lambda v, s: s["edges"][0].update(dst=None),
    "edge_without_memlet": lambda v, s: s["edges"][0].pop("attributes"),
    "edge_with_null_memlet": lambda v, s: s["edges"][0]["attributes"].update(data=None),
    "memlet_data_missing": lambda v, s: memlet(s).update(data="nothing"),
    "access_data_missing": lambda v, s: node(s, "AccessNode")["attributes"].update(data="nothing"),
    "access_without_data": lambda v, s: node(s, "AccessNode")["attributes"].pop("data"),
    "rank_differs": lambda v, s: array(v).update(shape=["$N", "$N"], strides=["$N", "1"], offset=["0", "0"]),
    "strides_too_many": lambda v, s: array(v).update(strides=["$N", "1"]),
    "negative_extent": lambda v, s: array(v).update(shape=["-5"]),
    "params_too_many": lambda v, s: node(s, "MapEntry")["attributes"].update(params=["i", "j"]),
    "interstate_edge_twice": second_interstate_edge,
    "interstate_end_out_of_range": interstate_end,
    "start_block_out_of_range": lambda v, s: v.update(start_block=1),
    "nested_connector_without_array": nested_without_array,
    "state_without_nodes": lambda v, s: s.pop("nodes"),
    "state_without_label": lambda v, s: s.pop("label"),
    "sdfg_without_name": lambda v, s: v["attributes"].pop("name"),
    "library_without_class": lambda v, s: node(s, "Tasklet").update(type="LibraryNode"),
}

if __name__ == "__main__":
    for name, change in CHANGES.items():
        write(name, change)
    text = json.dumps(GOOD, separators=(",", ":"))
    (HERE / "key_twice.sdfg").write_text(text.replace('"label":"compute"', '"label":"compute","label":"b"'))
    (HERE / "array_twice.sdfg").write_text(text.replace('"B":{"type":"Array"', '"A":{"type":"Array"'))
    (HERE / "bad_escape.sdfg").write_text(text.replace("compute", "comp\\ute"))
    (HERE / "cut.sdfgz").write_bytes(gzip.compress(text.encode(), mtime=0)[:-9])
    (HERE / "cycle.sdfgt").write_text('sdfg p version "2.0.0a10" {\n  array A: float64[10]\n  state s {  # s0\n'
                                      "    n0 A <- n1 A[0..4] -> [5..9]\n    n1 A <- n0 A[0..4] -> [5..9]\n  }\n}\n")
    (HERE / "no_array.sdfgt").write_text('sdfg p version "2.0.0a10" {\n  state s {  # s0\n    n0 A\n  }\n}\n')
