"""Random small SDFGs around the write-back pattern, as the JSON objects of DaCe's file format.

`generate(seed)` gives one program; the same seed gives the same program. A program has buffers
(transients) that are defined, copied to argument arrays and used, in random control flow, together with
other accesses to those arrays. Most programs are nearly right for elimination, so that the rules are
tried close to their limits. Nothing here is guaranteed to be free of races or of accesses out of bounds:
whoever runs a program finds out (see fuzz.py).
"""

import random
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


# --- random programs -------------------------------------------------------------------------------

SYMBOLS = ("N", "M", "o", "lo", "hi", "k")
EXTENTS = ("3", "4", "2", "N", "N", "M", "hi - lo", "Max(0, hi - lo)", "N + 1", "1")
OFFSETS = ("0", "0", "0", "1", "2", "o", "o", "lo", "N", "o + 1", "k")
ROOM = "14"  # an extent that is enough for everything
ADD, KEEP = "(lambda a, b: (a + b))", None


class Data:
    def __init__(self, name, extents, dtype, strides=None):
        self.name, self.extents, self.dtype, self.strides = name, extents, dtype, strides


class Generator:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.arrays, self.data, self.count = {}, {}, 0
        self.symbols = {s: "int32" for s in SYMBOLS}
        self.views = 0

    # choices

    def chance(self, p):
        return self.r.random() < p

    def label(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    def new_array(self, name, extents, dtype, transient=False, kind="Array", **more):
        strides = None
        if len(extents) == 2 and self.chance(0.15):
            strides = ["1", simplify(extents[0])]
        elif len(extents) == 2 and self.chance(0.1):
            strides = [simplify(plus(extents[1], "1")), "1"]
        self.arrays[name] = array(extents, dtype, transient, strides, kind, **more)
        strides = [s.replace("$", "") for s in self.arrays[name]["attributes"]["strides"]]
        self.data[name] = Data(name, list(extents), dtype, strides)

    # the program

    def program(self):
        r = self.r
        self.rank = 2 if self.chance(0.25) else 1
        self.dtype = "int64" if self.chance(0.12) else "float64"
        self.constant = self.chance(0.35)  # all sizes known
        pool = [e for e in EXTENTS if e.isdigit()] if self.constant else EXTENTS
        offsets = [o for o in OFFSETS if o.isdigit()] if self.constant else OFFSETS
        self.params = ["i", "j"] if self.chance(0.9) else r.sample(["o", "N", "lo", "i", "k"], 2)
        for name in ("a", "b", "H"):
            self.new_array(name, [ROOM] * self.rank, self.dtype)
        self.new_array("c", [ROOM], self.dtype)
        self.new_array("r", [ROOM] * self.rank + ["3"], self.dtype)
        self.buffers = []
        for index in range(r.choice((1, 1, 1, 2, 2, 3))):
            extents = [r.choice(pool) for _ in range(self.rank)]
            dtype = self.dtype if self.chance(0.98) else "float32"
            lifetime = "Persistent" if self.chance(0.02) else ("SDFG" if self.chance(0.1) else None)
            name = ("T", "T2", "T3")[index]
            self.new_array(name, extents, dtype, True, lifetime=lifetime)
            self.buffers.append((name, extents, [r.choice(offsets) for _ in extents]))
        self.destinations(pool)
        lists = [self.actions_around(*buffer) for buffer in self.buffers]
        merged = []
        while any(lists):
            chosen = r.choice([x for x in lists if x])
            merged.append(chosen.pop(0))
        if self.chance(0.1) and len(merged) > 1:
            at = r.randrange(len(merged) - 1)
            merged[at], merged[at + 1] = merged[at + 1], merged[at]
        region = Region()
        if self.chance(0.3):
            region.add(State("start"))
        self.join_states = r.choice((0.0, 0.25, 0.5, 1.0))
        self.structure = r.choice((0.0, 0.1, 0.3))
        self.emit(region, merged, 0)
        args = sorted(n for n, d in self.arrays.items() if not d["attributes"].get("transient"))
        return sdfg_json("fuzz", self.arrays, self.symbols, region, args, "2.0.0a10")

    def destinations(self, pool):
        """G holds every buffer's copy; in one program of four another buffer has one of its own."""
        r = self.r
        self.dest, self.copied = {}, {}
        end = ["0"] * self.rank
        for index, (name, extents, offset) in enumerate(self.buffers):
            if index and self.chance(0.5):
                offset[0] = end[0]  # behind the one before
            end = [plus(o, e) for o, e in zip(offset, extents)]
            own = index > 0 and self.chance(0.4)
            self.dest[name] = f"G{index}" if own else "G"
            if self.dest[name] not in self.arrays:
                shape = [ROOM] * self.rank
                if self.chance(0.25):
                    shape = [simplify(plus(e, r.choice(("0", "1", "2")))) for e in end]
                self.new_array(self.dest[name], shape, self.dtype)
            self.copied[name] = (["0"] * self.rank, extents)
            if self.chance(0.12):  # a part only
                d = r.randrange(self.rank)
                begins, sizes = ["0"] * self.rank, list(extents)
                sizes[d] = simplify(plus(extents[d], "-1"))
                begins[d] = r.choice(("0", "1"))
                self.copied[name] = (begins, sizes)

    def actions_around(self, buffer, extents, offset):
        r = self.r
        dest = self.dest[buffer]
        define = lambda st: self.define(st, buffer)
        use = lambda st: self.use(st, buffer)
        write_back = lambda st: self.write_back(st, buffer, dest, offset)
        foreign = lambda st: self.foreign(st, buffer, dest, offset)
        first = [lambda st: self.define(st, buffer, 0.85)]
        if self.chance(0.15):
            first = [lambda st: self.identity(st, buffer, dest, offset)]
        if self.chance(0.03):
            first = []
        middle = [define for _ in range(r.choice((0, 0, 0, 1)))]
        middle += [use for _ in range(r.choice((0, 1, 1, 2)))]
        r.shuffle(middle)
        last = [use for _ in range(r.choice((0, 0, 1)))]
        actions = first + middle + [write_back] + last
        for _ in range(r.choice((0, 0, 1, 1, 2, 3))):
            kind = r.choice((foreign, foreign, foreign, use, write_back, "round", "other", "view"))
            if kind == "round":
                new = [define, write_back]
            elif kind == "other":
                new = [lambda st: self.write_back(st, buffer, "H", offset)]
            elif kind == "view":
                new = [lambda st: self.view(st, buffer, dest)]
            else:
                new = [kind]
            at = r.randrange(len(actions) + 1)
            actions[at:at] = new
        if self.chance(0.06):
            actions.insert(r.randrange(len(actions)),
                           lambda st: self.identity(st, buffer, dest, offset))
        return actions

    # control flow

    def emit(self, region, actions, depth):
        r, state, index = self.r, None, 0
        while index < len(actions):
            if depth < 2 and self.chance(self.structure):
                length = r.choice((1, 1, 2, 2, 3, 4))
                self.structured(region, actions[index:index + length], depth)
                index, state = index + length, None
                continue
            if state is None or not self.chance(self.join_states):
                state = State(self.label("s"))
                region.add(state, self.assignments())
            actions[index](state)
            index += 1
        if not region.blocks:
            region.add(State(self.label("empty")))

    def assignments(self):
        if self.chance(0.03):
            return {"k": self.r.choice(("1", "0", "o", "(o + 1)", "(N - 1)", "2"))}
        if self.chance(0.02):
            return {"q": self.element(self.any_data())}
        return None

    def any_data(self):
        buffer = self.r.choice(self.buffers)[0]
        return self.r.choice((buffer, buffer, self.dest[buffer], "a"))

    def element(self, data):
        """An element as interstate code reads it."""
        indices = [self.r.choice(("0", "0", "1", "2", "o")) for _ in self.data[data].extents]
        return f"{data}[{', '.join(indices)}]"

    def condition(self, region):
        if self.chance(0.12):
            self.symbols["q"] = self.dtype
            region.add(State(self.label("q")))
            region.add(State(self.label("q")), {"q": self.element(self.any_data())})
            return "(q > 1)"
        if self.chance(0.12):
            return f"({self.element(self.any_data())} > 1)"
        return self.r.choice(("(N > 2)", "(o > 0)", "(lo < hi)", "(M > 1)", "(k > 0)", "(N >= 0)",
                              "(a[0] > 1)" if self.rank == 1 else "(a[0, 0] > 1)"))

    def structured(self, region, actions, depth):
        kind = self.r.choice(("if", "if", "else", "many", "loop", "loop", "inverted", "legacy_if",
                              "legacy_loop", "region"))
        getattr(self, "make_" + kind)(region, actions, depth)

    def body(self, actions, depth):
        inner = Region()
        self.emit(inner, actions, depth + 1)
        return inner

    def make_region(self, region, actions, depth):
        region.add(self.body(actions, depth).json(self.label("region")))

    def make_if(self, region, actions, depth):
        condition = self.condition(region)
        region.add(conditional(self.label("if"), [(condition, self.body(actions, depth))]))

    def other_branch(self, actions):
        if self.chance(0.6):
            return actions
        return self.r.choice(([], actions[:1], actions[-1:], actions[::-1]))

    def make_else(self, region, actions, depth):
        condition = self.condition(region)
        region.add(conditional(self.label("if"), [
            (condition, self.body(actions, depth)),
            (None, self.body(self.other_branch(actions), depth))]))

    def make_many(self, region, actions, depth):
        branches = [(self.condition(region), self.body(actions, depth)),
                    (self.condition(region), self.body(self.other_branch(actions), depth))]
        if self.chance(0.7):
            branches.append((None, self.body(self.other_branch(actions), depth)))
        region.add(conditional(self.label("if"), branches))

    def add_jump(self, inner):
        kind = self.r.choice(("BreakBlock", "ContinueBlock", "ReturnBlock"))
        branch = Region()
        branch.add(jump(kind, self.label("jump")))
        condition = self.r.choice(("(it > 0)", "(N > 2)", "(o > 0)", "(it == o)"))
        inner.add(conditional(self.label("if"), [(condition, branch)]))

    def make_loop(self, region, actions, depth, inverted=False):
        inner = Region()
        name = ("it", "jt")[depth] if self.chance(0.95) else "k"
        at = self.r.randrange(len(actions) + 1) if self.chance(0.25) else -1
        if at >= 0:
            inner.add(State(self.label("body")))
            if at > 0:
                self.emit(inner, actions[:at], depth + 1)
            if name == "it":
                self.add_jump(inner)
            if at < len(actions):
                self.emit(inner, actions[at:], depth + 1)
        else:
            self.emit(inner, actions, depth + 1)
        trips = self.r.choice(("2", "2", "3", "1", "0", "N", "M"))
        attributes = {"update_statement": code(f"{name} = ({name} + 1)"),
                      "init_statement": code(f"{name} = 0"),
                      "loop_condition": code(f"({name} < {trips})"), "loop_variable": name}
        if inverted:
            attributes["inverted"] = True
            if self.chance(0.4):
                attributes["update_before_condition"] = False
        region.add(inner.json(self.label("loop"), "LoopRegion", **attributes))

    def make_inverted(self, region, actions, depth):
        self.make_loop(region, actions, depth, True)

    def make_legacy_if(self, region, actions, depth):
        condition = self.condition(region)
        guard = region.add(State(self.label("guard")))
        region.open = [(guard, condition)]
        self.emit(region, actions, depth + 1)
        if self.chance(0.4):  # else
            after, region.open = region.open, [(guard, f"(not {condition})")]
            self.emit(region, self.other_branch(actions) or actions, depth + 1)
            region.open += after
        elif self.chance(0.95):
            region.open.append((guard, f"(not {condition})"))
        region.add(State(self.label("join")))

    def make_legacy_loop(self, region, actions, depth):
        name = ("it", "jt")[depth]
        if not region.blocks:
            region.add(State(self.label("start")))
        guard = region.add(State(self.label("guard")), {name: "0"})
        trips = self.r.choice(("2", "1", "N", "0"))
        region.open = [(guard, f"({name} < {trips})")]
        self.emit(region, actions, depth + 1)
        last = region.add(State(self.label("back")))
        region.link(last, guard, {name: f"({name} + 1)"})
        region.open = [(guard, f"(not ({name} < {trips}))")]
        region.add(State(self.label("after")))
