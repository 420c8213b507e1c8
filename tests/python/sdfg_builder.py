"""Builds SDFGs as the JSON objects of DaCe's file format, without DaCe."""

import re

_IDENTIFIER = re.compile(r"\b([A-Za-z_]\w*)\b(?!\s*\()")


def dollar(text):
    """Python's spelling of an expression in the grammar of the file: names get a `$`."""
    return _IDENTIFIER.sub(r"$\1", str(text))


def simplify(text):
    """Literal arithmetic is done here, so that common cases look as DaCe writes them."""
    text = str(text)
    if re.fullmatch(r"[\d+\-* ()]+", text):
        return str(eval(text))  # digits and + - * ( ) only
    return text


def plus(a, b):
    a, b = str(a), str(b)
    if b == "0":
        return a
    if a == "0":
        return simplify(b)
    return simplify(f"({a}) + ({b})" if not (a.isidentifier() or a.isdigit()) else f"{a} + ({b})")


def json_range(begin, end, step="1"):
    return {"start": dollar(begin), "end": dollar(end), "step": dollar(step), "tile": "1"}


def json_subset(dims):
    return {"type": "Range", "ranges": [json_range(*dim) for dim in dims]}


def box(begins, extents):
    """The subset (ranges with inclusive end) of the given begin and extent a dimension."""
    return [(b, simplify(plus(b, plus(e, "-1")))) for b, e in zip(begins, extents)]


def memlet(data=None, subset=None, other=None, source=True, wcr=None, dynamic=False):
    if data is None:
        attributes = {"volume": "1", "src_subset": None, "dst_subset": None, "is_data_src": False,
                      "num_accesses": "1"}
        return {"type": "Memlet", "attributes": attributes}
    volume = "1"
    for begin, end, *_ in subset:
        if begin != end:
            volume = f"{volume}*({end} + 1 - ({begin}))"
    volume = dollar(simplify(volume))
    attributes = {"volume": volume}
    if dynamic:
        attributes["dynamic"] = True
    attributes["subset"] = json_subset(subset)
    if other is not None:
        attributes["other_subset"] = json_subset(other)
    attributes["data"] = data
    if wcr:
        attributes["wcr"] = wcr
    here, there = json_subset(subset), json_subset(other) if other is not None else None
    attributes["src_subset"], attributes["dst_subset"] = (here, there) if source else (there, here)
    attributes["is_data_src"] = source
    attributes["num_accesses"] = -1 if dynamic else volume
    return {"type": "Memlet", "attributes": attributes}


def code(text):
    return {"string_data": text, "language": "Python"}


class State:
    """Builds a state's JSON. Nodes are numbered in the order in which they are added."""

    def __init__(self, label):
        self.label, self.nodes, self.edges, self.scope = label, [], [], {}
        self.accesses = {}  # data -> top-level access nodes, in order

    def node(self, kind, label, attributes, inside=None, **more):
        index = len(self.nodes)
        self.nodes.append({"type": kind, "label": label, "attributes": attributes, "id": index,
                           "scope_entry": None, "scope_exit": None, **more})
        self.scope[index] = inside
        return index

    def access(self, data, inside=None, **attributes):
        index = self.node("AccessNode", data, {**attributes, "data": data}, inside)
        if inside is None:
            self.accesses.setdefault(data, []).append(index)
        return index

    def tasklet(self, label, ins, outs, text, inside=None):
        return self.node("Tasklet", label, {
            "code": code(text), "label": label, "in_connectors": {c: None for c in sorted(ins)},
            "out_connectors": {c: None for c in sorted(outs)}}, inside)

    def map(self, label, params, ranges, inside=None):
        entry = self.node("MapEntry", label, {
            "label": label, "params": list(params), "range": json_subset(ranges)}, inside)
        leave = self.node("MapExit", label, {}, entry)
        return entry, leave

    def edge(self, src, dst, mem=None, out=None, into=None):
        self.edges.append({"type": "MultiConnectorEdge",
                           "attributes": {"data": mem or memlet()}, "src": str(src),
                           "dst": str(dst), "dst_connector": into, "src_connector": out})
        for node, name, key in ((src, out, "out_connectors"), (dst, into, "in_connectors")):
            if name is not None:
                self.nodes[node]["attributes"].setdefault(key, {})[name] = None

    def reaches(self, a, b):
        work, seen = [a], {a}
        while work:
            node = work.pop()
            if node == b:
                return True
            for edge in self.edges:
                if int(edge["src"]) == node and int(edge["dst"]) not in seen:
                    seen.add(int(edge["dst"]))
                    work.append(int(edge["dst"]))
        return False

    def degree_in(self, node):
        return sum(edge["dst"] == str(node) for edge in self.edges)

    def degree_out(self, node):
        return sum(edge["src"] == str(node) for edge in self.edges)

    def json(self, index):
        exits = {self.scope[n]: n for n, o in enumerate(self.nodes) if o["type"] == "MapExit"}
        tree = {}
        for n, o in enumerate(self.nodes):
            scope = self.scope[n]
            tree.setdefault(str(-1 if scope is None else scope), []).append(n)
            if scope is not None:
                o["scope_entry"], o["scope_exit"] = str(scope), str(exits[scope])
            if o["type"] == "MapEntry":
                o["scope_exit"] = str(exits[n])
            for key in ("in_connectors", "out_connectors"):
                if key in o["attributes"]:
                    o["attributes"][key] = dict(sorted(o["attributes"].pop(key).items()))
        tree.setdefault("-1", [])
        edges = sorted(self.edges, key=lambda e: (e["src_connector"] or "", e["dst_connector"] or ""))
        return {"type": "SDFGState", "label": self.label, "id": index, "collapsed": False,
                "scope_dict": tree, "nodes": self.nodes, "edges": edges, "attributes": {}}


class Region:
    def __init__(self):
        self.blocks, self.edges, self.last = [], [], None
        self.open = []  # (block, condition) from which control comes to the next block

    def add(self, block, assignments=None, condition=None):
        """Appends a block; `block` is a State or a JSON object."""
        index = len(self.blocks)
        self.blocks.append(block)
        for source, guard in self.open:
            self.link(source, index, assignments, guard if guard else condition)
        self.open = [(index, None)]
        return index

    def link(self, src, dst, assignments=None, condition=None):
        attributes = {}
        if assignments:
            attributes["assignments"] = dict(assignments)
        if condition:
            attributes["condition"] = code(condition)
        self.edges.append({"type": "Edge", "attributes": {
            "data": {"type": "InterstateEdge", "attributes": attributes}},
            "src": str(src), "dst": str(dst)})

    def json_blocks(self):
        result = []
        for index, block in enumerate(self.blocks):
            if isinstance(block, State):
                result.append(block.json(index))
            else:
                result.append({**block, "id": index})
        return result

    def json(self, label, kind="ControlFlowRegion", **attributes):
        return {"type": kind, "attributes": attributes, "nodes": self.json_blocks(),
                "edges": self.edges, "collapsed": False, "label": label, "id": None,
                "cfg_list_id": 0, "start_block": 0}


def conditional(label, branches):
    return {"type": "ConditionalBlock", "attributes": {}, "collapsed": False, "label": label,
            "id": 0, "cfg_list_id": 0, "start_block": None,
            "branches": [[code(c) if c else None, r.json(f"{label}_b{k}")]
                         for k, (c, r) in enumerate(branches)]}


def jump(kind, label):
    return {"type": kind, "collapsed": False, "label": label, "id": 0, "attributes": {},
            "nodes": [], "edges": []}


def array(shape, dtype="float64", transient=False, strides=None, kind="Array", lifetime=None):
    if strides is None:
        strides = ["1"] * len(shape)
        for d in range(len(shape) - 2, -1, -1):
            strides[d] = simplify(f"({strides[d + 1]})*({shape[d + 1]})" if strides[d + 1] != "1"
                                  else shape[d + 1])
    total = "1"
    for extent, stride in zip(shape, strides):
        total = simplify(f"{total} + ({extent} - 1)*({stride})")
    attributes = {"strides": [dollar(s) for s in strides], "total_size": dollar(total),
                  "offset": ["0"] * len(shape), "dtype": dtype,
                  "shape": [dollar(s) for s in shape]}
    if transient:
        attributes["transient"] = True
    if lifetime:
        attributes["lifetime"] = lifetime
    return {"type": kind, "attributes": attributes}


def sdfg_json(name, arrays, symbols, region, args=(), version=None):
    frame = {"frame": {"string_data": "", "language": "CPP"}}
    attributes = {"name": name}
    if args:
        attributes["arg_names"] = list(args)
    attributes |= {"_arrays": arrays, "symbols": dict(sorted(symbols.items())),
                   "global_code": frame, "init_code": frame, "exit_code": frame}
    if any(not isinstance(b, State) for b in region.blocks):
        attributes["using_explicit_control_flow"] = True
    result = {"type": "SDFG", "attributes": attributes, "nodes": region.json_blocks(),
              "edges": region.edges, "collapsed": False, "label": "", "id": None,
              "cfg_list_id": 0, "start_block": 0}
    if version:
        result |= {"source_files": [], "dace_version": version}
    return result
