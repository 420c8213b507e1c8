#!/usr/bin/env python3
"""Chains of K write-back patterns, written as JSON without DaCe: chain.py K OUT.sdfg

One pattern: a state defines T{k} from a{k}; the next one copies it whole into a part of G{k} and uses
it for b{k}. The file grows by some 7 KB a pattern.
"""
import json
import sys

ROWS, COLUMNS = 20, 30


def subset(*bounds: tuple[str, str]) -> dict:
    ranges = [{"start": a, "end": b, "step": "1", "tile": "1"} for a, b in bounds]
    return {"type": "Range", "ranges": ranges}


FULL = subset(("0", str(ROWS - 1)), ("0", str(COLUMNS - 1)))
POINT = subset(("$i", "$i"), ("$j", "$j"))
PLACE = subset(("11", "30"), ("22", "51"))


def array(shape: tuple[int, int], transient: bool = False) -> dict:
    attributes = {
        "strides": [str(shape[1]), "1"],
        "total_size": str(shape[0] * shape[1]),
        "offset": ["0", "0"],
        "dtype": "float64",
        "shape": [str(extent) for extent in shape],
    }
    if transient:
        attributes["transient"] = True
    return {"type": "Array", "attributes": attributes}


def access(index: int, data: str) -> dict:
    return {"type": "AccessNode", "label": data, "attributes": {"data": data}, "id": index,
            "scope_entry": None, "scope_exit": None}


def edge(src: int, dst: int, src_conn: str | None, dst_conn: str | None, data: str, part: dict,
         volume: int, is_source: bool, other: dict | None = None) -> dict:
    memlet = {"volume": str(volume), "subset": part}
    if other:
        memlet["other_subset"] = other
    memlet["data"] = data
    memlet["src_subset"] = part if is_source else other
    memlet["dst_subset"] = other if is_source else part
    memlet["is_data_src"] = is_source
    memlet["num_accesses"] = str(volume)
    return {"type": "MultiConnectorEdge",
            "attributes": {"data": {"type": "Memlet", "attributes": memlet}},
            "src": str(src), "dst": str(dst), "dst_connector": dst_conn, "src_connector": src_conn}


def map_nodes(label: str, code: str, source: str, target: str) -> list[dict]:
    """Entry (0), tasklet (1), exit (2) of a map over the whole domain."""
    display = f"{label}_map[i=0:{ROWS}, j=0:{COLUMNS}]"
    entry = {"type": "MapEntry", "label": display, "attributes": {
        "label": f"{label}_map", "params": ["i", "j"], "range": FULL,
        "in_connectors": {f"IN_{source}": None}, "out_connectors": {f"OUT_{source}": None}},
        "id": 0, "scope_entry": None, "scope_exit": "2"}
    tasklet = {"type": "Tasklet", "label": label, "attributes": {
        "code": {"string_data": code, "language": "Python"}, "label": label,
        "in_connectors": {"x": None}, "out_connectors": {"y": None}},
        "id": 1, "scope_entry": "0", "scope_exit": "2"}
    exit_ = {"type": "MapExit", "label": display, "attributes": {
        "in_connectors": {f"IN_{target}": None}, "out_connectors": {f"OUT_{target}": None}},
        "id": 2, "scope_entry": "0", "scope_exit": "2"}
    return [entry, tasklet, exit_]


def map_edges(source: str, target: str, source_node: int, target_node: int) -> list[dict]:
    size = ROWS * COLUMNS
    return [
        edge(source_node, 0, None, f"IN_{source}", source, FULL, size, True),
        edge(0, 1, f"OUT_{source}", "x", source, POINT, 1, True),
        edge(2, target_node, f"OUT_{target}", None, target, FULL, size, False),
        edge(1, 2, "y", f"IN_{target}", target, POINT, 1, False),
    ]


def state(label: str, index: int, nodes: list[dict], edges: list[dict], top: list[int]) -> dict:
    return {"type": "SDFGState", "label": label, "id": index, "collapsed": False,
            "scope_dict": {"-1": top, "0": [1, 2]}, "nodes": nodes, "edges": edges,
            "attributes": {}}


def pattern(k: int) -> list[dict]:
    a, b, t, g = f"a{k}", f"b{k}", f"T{k}", f"G{k}"
    define = state(f"define{k}", 2 * k,
                   map_nodes("p", "y = (x + 1.0)", a, t) + [access(3, a), access(4, t)],
                   map_edges(a, t, 3, 4), [0, 3, 4])
    copy = edge(3, 5, None, None, t, FULL, ROWS * COLUMNS, True, PLACE)
    write_back = state(f"write_back{k}", 2 * k + 1,
                       map_nodes("c", "y = (x * 3.0)", t, b)
                       + [access(3, t), access(4, b), access(5, g)],
                       [copy] + map_edges(t, b, 3, 4), [0, 3, 4, 5])
    return [define, write_back]


def chain(count: int) -> dict:
    arrays: dict[str, dict] = {}
    for k in range(count):
        arrays |= {f"a{k}": array((ROWS, COLUMNS)), f"b{k}": array((ROWS, COLUMNS)),
                   f"G{k}": array((40, 60)), f"T{k}": array((ROWS, COLUMNS), transient=True)}
    empty = {"frame": {"string_data": "", "language": "CPP"}}
    edges = [{"type": "Edge", "attributes": {"data": {"type": "InterstateEdge", "attributes": {}}},
              "src": str(i), "dst": str(i + 1)} for i in range(2 * count - 1)]
    return {"type": "SDFG",
            "attributes": {"name": f"chain{count}", "_arrays": arrays, "global_code": empty,
                           "init_code": empty, "exit_code": empty},
            "nodes": [block for k in range(count) for block in pattern(k)], "edges": edges,
            "collapsed": False, "label": "", "id": None, "cfg_list_id": 0, "start_block": 0,
            "source_files": [], "dace_version": "2.0.0a10"}


if __name__ == "__main__":
    with open(sys.argv[2], "w") as file:
        json.dump(chain(int(sys.argv[1])), file, separators=(",", ":"))
