"""Moves a buffer to its destination without asking whether that is right.

For two uses: where the result happens to be right and the pass kept the buffer, the pass may have missed
something; where it is wrong, the checker must notice.
"""

import copy
import re

from reduce import regions_of, states_of


class CannotRewrite(Exception):
    pass


def rewritten(program, buffer, destination):
    """The program with `buffer` moved, by the first copy of it to `destination`."""
    program = copy.deepcopy(program)
    arrays = program["attributes"]["_arrays"]
    source, target = arrays[buffer]["attributes"], arrays[destination]["attributes"]
    if len(source["shape"]) != len(target["shape"]) or source["dtype"] != target["dtype"]:
        raise CannotRewrite("other type")
    offset = None
    for state in states_of(program):
        offset = offset or offset_in(state, buffer, destination)
    if offset is None:
        raise CannotRewrite("no copy")
    for state in states_of(program):
        move_in_state(state, buffer, destination, offset, source["strides"] == target["strides"])
    for region in regions_of(program):
        move_in_code(region, buffer, destination, offset)
    del arrays[buffer]
    return program


def attributes_of(edge):
    return edge["attributes"]["data"]["attributes"]


def data_at(state, node):
    node = state["nodes"][int(node)]
    return node["attributes"]["data"] if node["type"] == "AccessNode" else None


def side(edge, data):
    """The subset of `data` that the edge's memlet names or implies, begins only."""
    memlet = attributes_of(edge)
    key = "subset" if memlet["data"] == data else "other_subset"
    if key in memlet:
        return [r["start"] for r in memlet[key]["ranges"]]
    return ["0"] * len(memlet["subset"]["ranges"])


def offset_in(state, buffer, destination):
    for edge in state["edges"]:
        if (data_at(state, edge["src"]), data_at(state, edge["dst"])) == (buffer, destination) \
                and "data" in attributes_of(edge):
            return [f"({g}) - ({t})" for g, t in zip(side(edge, destination), side(edge, buffer))]
    return None


def tree_of(state, edge, inward):
    """The edges of a memlet tree from an access node through scopes."""
    work, tree = [edge], []
    while work:
        now = work.pop()
        tree.append(now)
        for other in state["edges"]:
            if inward and other["src"] == now["dst"] and now["dst_connector"] \
                    and other["src_connector"] == now["dst_connector"].replace("IN_", "OUT_", 1):
                work.append(other)
            if not inward and other["dst"] == now["src"] and now["src_connector"] \
                    and other["dst_connector"] == now["src_connector"].replace("OUT_", "IN_", 1):
                work.append(other)
    return tree


def shift(edge, buffer, destination, offset):
    memlet = attributes_of(edge)
    if "data" not in memlet:
        raise CannotRewrite("empty memlet in a scope")
    key = "subset" if memlet["data"] == buffer else "other_subset"
    if key not in memlet:
        memlet[key] = {"type": "Range", "ranges": [
            {"start": "0", "end": f"({r['end']}) - ({r['start']})", "step": "1", "tile": "1"}
            for r in memlet["subset"]["ranges"]]}
    if len(memlet[key]["ranges"]) != len(offset):
        raise CannotRewrite("other dimensions")
    for part, by in zip(memlet[key]["ranges"], offset):
        part["start"], part["end"] = f"({part['start']}) + {by}", f"({part['end']}) + {by}"
    if key == "subset":
        memlet["data"] = destination


def move_in_state(state, buffer, destination, offset, same_strides):
    moved, empty = [], []
    for edge in state["edges"]:
        ends = [data_at(state, edge["src"]), data_at(state, edge["dst"])]
        if "data" not in attributes_of(edge) or buffer not in ends:
            continue
        if set(ends) == {buffer, destination}:
            by = [f"({g}) - ({t})" for g, t in zip(side(edge, destination), side(edge, buffer))]
            if by != offset or attributes_of(edge).get("wcr") or attributes_of(edge).get("dynamic"):
                raise CannotRewrite("copies differ")
            empty.append(edge)
            continue
        if ends == [buffer, buffer]:
            raise CannotRewrite("copy to itself")
        for item in tree_of(state, edge, ends[0] == buffer):
            if all(item is not other for other in moved):
                moved.append(item)
    for edge in moved:
        far = [state["nodes"][int(edge[end])] for end in ("src", "dst")]
        for node in far:
            if node["type"] == "NestedSDFG" and not same_strides:
                raise CannotRewrite("strides")
            if node["type"] == "AccessNode" and "views" in str(node["attributes"]):
                raise CannotRewrite("view")
        shift(edge, buffer, destination, offset)
    for edge in empty:
        edge["attributes"]["data"] = {"type": "Memlet", "attributes": {
            "volume": "1", "src_subset": None, "dst_subset": None, "is_data_src": False,
            "num_accesses": "1"}}
    for node in state["nodes"]:
        if node["type"] == "AccessNode" and node["attributes"]["data"] == buffer:
            if node["attributes"].get("setzero"):
                raise CannotRewrite("setzero")
            node["attributes"]["data"] = destination


def move_in_code(region, buffer, destination, offset):
    plain = [o.replace("$", "") for o in offset]

    def change(text):
        def element(match):
            indices = match.group(1).split(",")
            return destination + "[" + ", ".join(
                f"({i}) + {o}" for i, o in zip(indices, plain)) + "]"

        return re.sub(rf"\b{buffer}\[([^\]]*)\]", element, text)

    for edge in region["edges"]:
        attributes = edge["attributes"]["data"]["attributes"]
        if "condition" in attributes:
            attributes["condition"]["string_data"] = change(attributes["condition"]["string_data"])
        for name, value in attributes.get("assignments", {}).items():
            attributes["assignments"][name] = change(value)
    for block in region["nodes"]:
        for branch in block.get("branches", ()):
            if branch[0]:
                branch[0]["string_data"] = change(branch[0]["string_data"])
