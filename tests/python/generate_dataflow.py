"""The dataflow of the random programs of generate.py: what one action adds to a state."""

from generate_nested import Nested
from sdfg_builder import array, box, memlet, plus, simplify

ADD = "(lambda a, b: (a + b))"


class Dataflow(Nested):
    # nodes and order

    def reader(self, st, data):
        nodes = st.accesses.get(data, [])
        if nodes and self.chance(0.75):
            return nodes[-1]
        return st.access(data)

    def writer(self, st, data, sources):
        """Mostly a new node; sometimes one that is there, if no cycle comes from that."""
        for node in reversed(st.accesses.get(data, [])):
            if self.chance(0.2) and not any(st.reaches(node, s) for s in sources):
                return node
        attributes = {}
        if self.data[data].extents != ["14"] and self.chance(0.01):
            attributes["setzero"] = True
        return st.access(data, **attributes)

    def order(self, st, work, first, last, reads, writes):
        """Empty memlets after earlier actions that this one must not run into; rarely forgotten."""
        for other in getattr(st, "actions", []):
            conflict = writes & (other["reads"] | other["writes"]) or reads & other["writes"]
            if not conflict or self.chance(0.04):
                continue
            for sink in other["sinks"]:
                for start in first:
                    if not st.reaches(sink, start) and not st.reaches(start, sink):
                        st.edge(sink, start)
        st.actions = getattr(st, "actions", [])
        st.actions.append({"reads": reads, "writes": writes, "sinks": last})

    # accesses

    def dims(self, params, begin):
        return [(plus(p, b), plus(p, b)) for p, b in zip(params, begin)]

    def outer(self, data, begin, extents):
        if self.chance(0.12):
            return box(["0"] * len(extents), self.data[data].extents)
        return box(begin, extents)

    def expression(self, count):
        if self.dtype == "int64":
            return " + ".join([f"x{k}" for k in range(count)] + [str(self.r.randint(1, 3))])
        terms = [f"(x{k} * {self.r.choice(('0.5', '2.0', '1.5'))})" for k in range(count)]
        return " + ".join(terms + [f"{self.r.randint(1, 9)}.25"])

    def compute(self, st, writes, reads, extents, wcr=None, dynamic=False):
        """writes[0] := f(reads), element by element over a box of `extents`; further writes get the
        same. An access is (data, begin)."""
        simple = len(writes) == 1 and not wcr and not dynamic
        kinds = ["map"] * 5 + ["nested"] * 2
        if simple:
            kinds += ["inner_access", "copy", "tasklet", "row", "nested_in_map", "whole_tasklet"]
        kind = self.r.choice(kinds)
        if len(reads) == len(writes) == 2 and self.chance(0.6):
            kind = "pair"
        if kind == "copy" and (len(reads) != 1 or reads[0][0] == writes[0][0]):
            kind = "map"
        if kind == "row" and len(extents) != 2:
            kind = "map"
        if kind == "tasklet" and any(e != "1" for e in extents):
            kind = "map"
        if wcr or dynamic:
            kind = "map"
        ins = {d: self.reader(st, d) for d, _ in reads}
        sources = list(ins.values())
        sinks = {d: self.writer(st, d, sources) for d, _ in writes}
        if kind == "copy":
            work = self.compute_copy(st, writes[0], reads[0], extents, ins, sinks)
        else:
            work = getattr(self, "compute_" + kind)(st, writes, reads, extents, ins, sinks, wcr,
                                                    dynamic)
        self.order(st, work, [work], list(sinks.values()), {d for d, _ in reads},
                   {d for d, _ in writes})

    def compute_copy(self, st, write, read, extents, ins, sinks, wcr=None, dynamic=False):
        (dst, to), (src, begin) = write, read
        from_box, to_box = box(begin, extents), box(to, extents)
        told_by_source = self.chance(0.5)
        here, there = (from_box, to_box) if told_by_source else (to_box, from_box)
        zeros = all(b == "0" for b in (to if told_by_source else begin))
        other = self.data[dst if told_by_source else src].extents
        whole = zeros and list(other) == list(extents)  # then it need not be told
        implied = self.chance(0.5 if whole else 0.1 if begin == to else 0.01)
        mem = memlet(src if told_by_source else dst, here, None if implied else there,
                     told_by_source, wcr, dynamic)
        st.edge(ins[src], sinks[dst], mem)
        return ins[src]

    def compute_map(self, st, writes, reads, extents, ins, sinks, wcr=None, dynamic=False):
        params = self.params[:len(extents)]
        shift = "lo" if self.chance(0.15) and not self.constant and "lo" not in params else "0"
        ranges = box([shift] + ["0"] * (len(extents) - 1), extents)
        if self.chance(0.02):
            ranges[0] = (*ranges[0], "2")
        back = [f"-{shift}" if shift != "0" else "0"] + ["0"] * (len(extents) - 1)
        inner = self.chance(0.1) and len(extents) == 2
        if inner:  # two maps, one in the other
            entry, leave = st.map(self.label("m"), params[:1], ranges[:1])
            entry2, leave2 = st.map(self.label("m"), params[1:], ranges[1:], entry)
        else:
            entry, leave = st.map(self.label("m"), params, ranges)
        ins_names, outs_names = [f"x{k}" for k in range(len(reads))], \
            [f"y{k}" for k in range(len(writes))]
        text = self.expression(len(reads))
        body = "\n".join(f"{y} = {text}" for y in outs_names)
        if dynamic:
            body = f"if {params[0]} > 0:\n    {outs_names[0]} = {text}"
        node = st.tasklet(self.label("t"), ins_names, outs_names, body, entry2 if inner else entry)
        for x, (data, begin) in zip(ins_names, reads):
            at = [plus(b, s) for b, s in zip(begin, back)]
            where = self.dims(params, at)
            if self.chance(0.06):
                turned = f"{extents[0]} - 1 - {params[0]}" if shift == "0" else where[0][0]
                where[0] = (plus(begin[0], turned),) * 2
            elif len(extents) == 2 and extents[0] == extents[1] and self.chance(0.15):
                where = self.dims(params[::-1], begin) if shift == "0" else where
            point = memlet(data, where, None, True)
            stem = f"{data}_{x}"
            st.edge(ins[data], entry, memlet(data, self.outer(data, begin, extents)),
                    None, f"IN_{stem}")
            if inner:
                row = [self.dims(params, at)[0], *self.outer(data, begin, extents)[1:]]
                st.edge(entry, entry2, memlet(data, row), f"OUT_{stem}", f"IN_{stem}")
            st.edge(entry2 if inner else entry, node, point, f"OUT_{stem}", x)
        if not reads:
            st.edge(entry, entry2) if inner else None
            st.edge(entry2 if inner else entry, node)
        for y, (data, begin) in zip(outs_names, writes):
            at = [plus(b, s) for b, s in zip(begin, back)]
            stem = f"{data}_{y}"
            st.edge(node, leave2 if inner else leave,
                    memlet(data, self.dims(params, at), None, False, wcr, dynamic), y, f"IN_{stem}")
            if inner:
                row = [self.dims(params, at)[0], *self.outer(data, begin, extents)[1:]]
                st.edge(leave2, leave, memlet(data, row, None, False, wcr, dynamic),
                        f"OUT_{stem}", f"IN_{stem}")
            st.edge(leave, sinks[data],
                    memlet(data, self.outer(data, begin, extents), None, False, wcr, dynamic),
                    f"OUT_{stem}")
        return entry

    def compute_inner_access(self, st, writes, reads, extents, ins, sinks, *_):
        """A map with an access node in it: of a scalar, or of the data itself."""
        params = self.params[:len(extents)]
        entry, leave = st.map(self.label("m"), params, box(["0"] * len(extents), extents))
        ((dst, to),) = writes
        names = [f"x{k}" for k in range(len(reads))]
        node = st.tasklet(self.label("t"), names, ["y"], f"y = {self.expression(len(reads))}", entry)
        for x, (data, begin) in zip(names, reads):
            stem = f"{data}_{x}"
            st.edge(ins[data], entry, memlet(data, box(begin, extents)), None, f"IN_{stem}")
            if self.chance(0.3):
                self.through_inner_node(st, entry, node, x, stem, (data, begin), params)
                continue
            st.edge(entry, node, memlet(data, self.dims(params, begin)), f"OUT_{stem}", x)
        if not reads:
            st.edge(entry, node)
        point = self.dims(params, to)
        if self.chance(0.5):
            name = f"s{self.count}"
            self.arrays[name] = array(["1"], self.dtype, True)
            inner = st.access(name, entry)
            st.edge(node, inner, memlet(name, [("0", "0")], None, False), "y")
            told = self.chance(0.5) or len(extents) > 1
            if told:
                mem = memlet(dst, point, [("0", "0")] if len(extents) == 1 else None, False)
            else:
                mem = memlet(name, [("0", "0")], point, True)
            st.edge(inner, leave, mem, None, f"IN_{dst}")
        else:
            inner = st.access(dst, entry)
            st.edge(node, inner, memlet(dst, point, None, False), "y")
            st.edge(inner, leave, memlet(dst, point, None, False), None, f"IN_{dst}")
        st.edge(leave, sinks[dst], memlet(dst, box(to, extents), None, False), f"OUT_{dst}")
        return entry

    def through_inner_node(self, st, entry, node, x, stem, read, params):
        """An element comes to a tasklet by way of a scalar, or of a View, inside of the map."""
        data, begin = read
        point, rank = self.dims(params, begin), len(params)
        if self.chance(0.5):
            name = f"s{self.count}{x}"
            self.arrays[name] = array(["1"], self.dtype, True)
            inner = st.access(name, entry)
            told = rank > 1 or self.chance(0.5)
            mem = memlet(data, point, [("0", "0")] if rank == 1 else None, True) if told \
                else memlet(name, [("0", "0")], point, False)
            st.edge(entry, inner, mem, f"OUT_{stem}")
            st.edge(inner, node, memlet(name, [("0", "0")]), None, x)
            return
        self.views += 1
        name = f"V{self.views}"
        self.arrays[name] = array(["1"] * rank, self.dtype, True, self.data[data].strides,
                                  "ArrayView")
        inner = st.access(name, entry)
        st.edge(entry, inner, memlet(data, point), f"OUT_{stem}", "views")
        st.edge(inner, node, memlet(name, [("0", "0")] * rank), None, x)

    def compute_pair(self, st, writes, reads, extents, ins, sinks, *_):
        """A map with two tasklets: writes[0] from reads[0], writes[1] from reads[1]."""
        params = self.params[:len(extents)]
        entry, leave = st.map(self.label("m"), params, box(["0"] * len(extents), extents))
        for (src, begin), (dst, to) in zip(reads, writes):
            node = st.tasklet(self.label("t"), ["x0"], ["y"], f"y = {self.expression(1)}", entry)
            stem = f"{src}_{node}"
            st.edge(ins[src], entry, memlet(src, box(begin, extents)), None, f"IN_{stem}")
            st.edge(entry, node, memlet(src, self.dims(params, begin)), f"OUT_{stem}", "x0")
            stem = f"{dst}_{node}"
            st.edge(node, leave, memlet(dst, self.dims(params, to), None, False), "y", f"IN_{stem}")
            st.edge(leave, sinks[dst], memlet(dst, box(to, extents), None, False), f"OUT_{stem}")
        return entry

    def compute_tasklet(self, st, writes, reads, extents, ins, sinks, *_):
        names = [f"x{k}" for k in range(len(reads))]
        node = st.tasklet(self.label("t"), names, ["y"], f"y = {self.expression(len(reads))}")
        for x, (data, begin) in zip(names, reads):
            st.edge(ins[data], node, memlet(data, box(begin, extents)), None, x)
        ((dst, to),) = writes
        st.edge(node, sinks[dst], memlet(dst, box(to, extents), None, False), "y")
        return node

    def compute_whole_tasklet(self, st, writes, reads, extents, ins, sinks, *_):
        """A tasklet that takes arrays as a whole and loops over them itself."""
        if not reads or any(not e.isdigit() or e == "1" for e in extents):
            return self.compute_map(st, writes, reads, extents, ins, sinks)
        names = [f"x{k}" for k in range(len(reads))]
        index = "q" if len(extents) == 1 else "q, p"
        terms = " + ".join(f"{x}[{index}]" for x in names)
        loops, body = f"for q in range({extents[0]}):\n    ", f"y[{index}] = {terms}"
        if len(extents) == 2:
            loops += f"for p in range({extents[1]}):\n        "
        node = st.tasklet(self.label("t"), names, ["y"], loops + body)
        for x, (data, begin) in zip(names, reads):
            st.edge(ins[data], node, memlet(data, box(begin, extents)), None, x)
        ((dst, to),) = writes
        st.edge(node, sinks[dst], memlet(dst, box(to, extents), None, False), "y")
        return node

    def reduce(self, st, write, read, extents):
        """write := sum over the last dimension (3) of read."""
        (dst, to), (src, begin) = write, read
        source = self.reader(st, src)
        sink = self.writer(st, dst, [source])
        attributes = {"axes": [len(extents)], "wcr": ADD}
        if self.chance(0.85):
            attributes["identity"] = "0"
        elif self.chance(0.3):
            attributes["identity"] = None
        node = st.node("LibraryNode", "Reduce", {**attributes, "name": "Reduce", "label": "Reduce"},
                       None, classpath="dace.libraries.standard.nodes.reduce.Reduce")
        st.edge(source, node, memlet(src, box([*begin, "0"], [*extents, "3"])))
        st.edge(node, sink, memlet(dst, box(to, extents), None, False))
        self.order(st, node, [source], [sink], {src}, {dst})

    # actions

    def part_of(self, buffer, full):
        """Begin and extents of a part of a buffer."""
        extents = self.data[buffer].extents
        begin = ["0"] * len(extents)
        if self.chance(full):
            return begin, list(extents)
        sizes = list(extents)
        d = self.r.randrange(len(sizes))
        kind = self.r.choice(("tail", "head", "one", "copied"))
        if kind == "copied":
            return [list(x) for x in self.copied[buffer]]
        if kind == "tail":
            begin[d], sizes[d] = "1", simplify(plus(sizes[d], "-1"))
        elif kind == "head":
            sizes[d] = simplify(plus(sizes[d], "-1"))
        else:
            begin[d], sizes[d] = self.r.choice(("0", "1", "k", *self.loops * 4)), "1"
        return begin, sizes

    def source(self, buffer, begin, extents):
        """Something to compute from."""
        kind = self.r.random()
        zeros = ["0"] * len(begin)
        if kind < 0.15 and extents == self.data["E"].extents:
            return ("E", zeros)
        if kind < 0.7:
            return ("a", self.r.choice((zeros, begin)))
        if kind < 0.8:
            other = self.r.choice(self.buffers)[0]
            if self.data[other].extents == self.data[buffer].extents:
                return (other, begin)
        if kind < 0.9:
            return self.in_destination(buffer, begin)
        return ("H", zeros)

    def in_destination(self, buffer, begin):
        """A place in G as long as the buffer: its image, next to it, or elsewhere."""
        offset = next(b[2] for b in self.buffers if b[0] == buffer)
        at = [plus(b, o) for b, o in zip(begin, offset)]
        kind = self.r.random()
        if kind < 0.35:
            at[0] = plus(at[0], self.r.choice(("1", "2")))
        elif kind < 0.55:
            at[0] = plus(at[0], self.data[buffer].extents[0])
        elif kind < 0.65:
            at = list(begin)
        elif kind < 0.75 and self.loops:
            at[0] = plus(offset[0], self.loops[-1])
        return (self.dest[buffer], at)

    def define(self, st, buffer, full=0.6):
        begin, extents = self.part_of(buffer, full)
        kind = self.r.random()
        reads = [self.source(buffer, begin, extents)]
        if self.chance(0.1):
            reads.append(self.source(buffer, begin, extents))
        if len(reads) > 1 and reads[0][0] == reads[1][0]:
            reads.pop()
        reads = [r for r in reads if r[0] != buffer or self.chance(0.5)]
        if self.chance(0.06):
            reads = [(buffer, begin)]
        if kind < 0.08:
            self.reduce(st, (buffer, begin), ("r", ["0"] * len(begin)), extents)
        elif kind < 0.12:
            self.compute(st, [(buffer, begin)], reads, extents, ADD)
        elif kind < 0.15:
            self.compute(st, [(buffer, begin)], reads, extents, None, True)
        elif kind < 0.25:
            other = self.r.choice([("b", begin), ("H", begin), self.in_destination(buffer, begin)])
            second = self.in_destination(buffer, begin)
            if self.chance(0.4) and second[0] != reads[0][0] if reads else False:
                reads = [reads[0], second]
            self.compute(st, [(buffer, begin), other], reads, extents)
        else:
            self.compute(st, [(buffer, begin)], reads, extents)

    def use(self, st, buffer):
        begin, extents = self.part_of(buffer, 0.6)
        kind = self.r.random()
        target = self.r.choice((("b", begin), ("b", ["0"] * len(begin)), ("H", begin)))
        if extents == self.data["F"].extents and self.chance(0.2):
            target = ("F", ["0"] * len(begin))
        reads = [(buffer, begin)]
        if self.chance(0.2):
            other = self.source(buffer, begin, extents)
            reads += [other] if other[0] != buffer else []
        if kind < 0.05 and self.rank == 2:
            source = self.reader(st, buffer)
            sink = self.writer(st, "c", [source])
            node = st.node("LibraryNode", "Reduce", {
                "axes": [1], "wcr": ADD, "identity": "0", "name": "Reduce", "label": "Reduce"}, None,
                classpath="dace.libraries.standard.nodes.reduce.Reduce")
            st.edge(source, node, memlet(buffer, box(begin, extents)))
            st.edge(node, sink, memlet("c", box(["0"], extents[:1]), None, False))
            self.order(st, node, [source], [sink], {buffer}, {"c"})
        elif kind < 0.1 and self.rank == 2:
            source = self.reader(st, buffer)
            sink = self.writer(st, "c", [source])
            size = self.data[buffer].extents[1]
            row = [("0", "0"), *box(["0"], [size])]
            st.edge(source, sink, memlet(buffer, row, box(["1"], [size]), True))
            self.order(st, source, [source], [sink], {buffer}, {"c"})
        elif kind < 0.12:
            self.compute(st, [target], reads, extents, ADD)
        elif kind < 0.17 and self.dtype == "int64":
            self.dynamic_range(st, buffer)
        else:
            self.compute(st, [target], reads, extents)

    def dynamic_range(self, st, data):
        """A map whose range comes out of an element of the data."""
        source = self.reader(st, data)
        sink = self.writer(st, "c", [source])
        entry, leave = st.map(self.label("m"), ["i"], [("0", "Min(count, 5)")])
        node = st.tasklet(self.label("t"), [], ["y"], "y = 7", entry)
        st.edge(source, entry, memlet(data, [("0", "0")] * self.rank), None, "count")
        st.edge(entry, node)
        st.edge(node, leave, memlet("c", [("i", "i")], None, False), "y", "IN_c")
        st.edge(leave, sink, memlet("c", [("0", "5")], None, False), "OUT_c")
        self.order(st, entry, [entry], [sink], {data}, {"c"})

    def write_back(self, st, buffer, dest, offset):
        begin, extents = self.copied[buffer]
        if self.chance(0.04):
            begin, extents = self.part_of(buffer, 0.0)
        if self.chance(0.04):
            offset = [self.r.choice(("0", "1", "o")) for _ in offset]
        source = self.reader(st, buffer)
        sink = self.writer(st, dest, [source])
        wcr = ADD if self.chance(0.02) else None
        split = extents[0] if extents[0].isdigit() and int(extents[0]) > 1 and self.chance(0.1) else 0
        pieces = [(begin, extents)]
        if split:
            pieces = [(begin, ["1", *extents[1:]]),
                      ([plus(begin[0], "1"), *begin[1:]], [simplify(f"{split} - 1"), *extents[1:]])]
        for start, size in pieces:
            to = [plus(b, o) for b, o in zip(start, offset)]
            self.compute_copy(st, (dest, to), (buffer, start), size, {buffer: source},
                              {dest: sink}, wcr, self.chance(0.02))
        self.order(st, source, [source], [sink], {buffer}, {dest})

    def identity(self, st, buffer, dest, offset):
        begin, extents = self.copied[buffer]
        source = self.reader(st, dest)
        sink = self.writer(st, buffer, [source])
        at = [plus(b, o) for b, o in zip(begin, offset)]
        self.compute_copy(st, (buffer, begin), (dest, at), extents, {dest: source}, {buffer: sink})
        self.order(st, source, [source], [sink], {dest}, {buffer})

    def foreign(self, st, buffer, dest, offset):
        extents = list(self.data[buffer].extents)
        begin = ["0"] * len(extents)
        place = self.in_destination(buffer, begin)
        if self.loops and self.loops[-1] in place[1][0]:
            extents[0] = "1"
        if self.chance(0.55):
            target = self.r.choice(("b", "H"))
            self.compute(st, [(target, begin)], [place], extents,
                         ADD if self.chance(0.05) else None)
        else:
            source = self.source(buffer, begin, extents)
            self.compute(st, [place], [source] if source[0] != dest or self.chance(0.5) else [],
                         extents, ADD if self.chance(0.15) else None)

    def view(self, st, buffer, dest):
        """b := f(view of something), or view := f(a)."""
        data = self.r.choice((buffer, dest, "a", "a", "H"))
        extents = self.data[buffer].extents
        self.views += 1
        name = f"V{self.views}"
        self.arrays[name] = array(extents, self.dtype, True, self.data[data].strides, "ArrayView")
        part = box(["0"] * len(extents), extents)
        if self.chance(0.6):
            source = self.reader(st, data)
            node = st.access(name)
            st.edge(source, node, memlet(data, part), None, "views")
            sink = self.writer(st, "b", [node])
            st.edge(node, sink, memlet(name, part, None, True))
            self.order(st, source, [source], [sink], {data}, {"b"})
        else:
            source = self.reader(st, "a")
            node = st.access(name)
            sink = self.writer(st, data, [source])
            st.edge(source, node, memlet("a", part))
            st.edge(node, sink, memlet(data, part, None, False), "views")
            self.order(st, source, [source], [sink], {"a"}, {data})
