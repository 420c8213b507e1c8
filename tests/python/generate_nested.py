"""Nested SDFGs of the random programs of generate.py."""

from sdfg_builder import Region, State, array, box, dollar, memlet, sdfg_json


class Nested:
    def inner_sdfg(self, names, outs, extents, strides, deep=True):
        """for all elements: each of outs := f(names). Returns the SDFG and its symbol mapping.
        The symbols inside sometimes have names that mean something else outside."""
        pool = ["n0", "n1", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"]
        if self.chance(0.3):
            pool = ["N", "M", "o", "lo", "hi", "k", *pool[2:]]
        mapping, symbols = {}, {}

        def symbol(value):
            value = str(value)
            if value.isdigit() and self.chance(0.7):
                return value
            for name, known in mapping.items():
                if known == dollar(value):
                    return name
            name = pool.pop(0)
            mapping[name], symbols[name] = dollar(value), "int32"
            return name

        shape = [symbol(e) for e in extents]
        arrays = {}
        for name in names + outs:
            arrays.setdefault(name, array(shape, self.dtype, False,
                                          [symbol(s) for s in strides[name]]))
        region, st = Region(), State("inner")
        if self.chance(0.12):
            start = region.add(State("choose"))
            region.open = [(start, f"({shape[0]} > 2)"), ]
            region.add(st)
            region.open.append((start, f"(not ({shape[0]} > 2))"))
            region.add(State("done"))
        else:
            region.add(st)
        if deep and self.chance(0.15) and not set(names) & set(outs):
            self.nested_again(st, names, outs, shape, arrays)
            return sdfg_json(self.label("nest"), arrays, symbols, region), mapping
        local = "z" if self.chance(0.25) else None
        if local:
            arrays[local] = array(shape, self.dtype, True)
        entry, leave = st.map(self.label("m"), ["i", "j"][:len(shape)],
                              box(["0"] * len(shape), shape))
        ins = [f"x{k}" for k in range(len(names))]
        results = ["out0"] if local else [f"out{k}" for k in range(len(outs))]
        text = self.expression(len(names))
        node = st.tasklet(self.label("t"), ins, results,
                          "\n".join(f"{z} = {text}" for z in results), entry)
        point, full = self.dims(["i", "j"], ["0"] * len(shape)), box(["0"] * len(shape), shape)
        for x, name in zip(ins, names):
            st.edge(st.access(name), entry, memlet(name, full), None, f"IN_{x}")
            st.edge(entry, node, memlet(name, point), f"OUT_{x}", x)
        if not names:
            st.edge(entry, node)
        if local:
            st.edge(node, leave, memlet(local, point, None, False), "out0", "IN_z")
            middle = st.access(local)
            st.edge(leave, middle, memlet(local, full, None, False), "OUT_z")
            for name in outs:
                st.edge(middle, st.access(name), memlet(name, full, None, False))
        else:
            for z, name in zip(results, outs):
                st.edge(node, leave, memlet(name, point, None, False), z, f"IN_{name}")
                st.edge(leave, st.access(name), memlet(name, full, None, False), f"OUT_{name}")
        return sdfg_json(self.label("nest"), arrays, symbols, region), mapping

    def nested_again(self, st, names, outs, shape, arrays):
        """The body of a nested SDFG is another one, with names of its own."""
        names2, outs2 = [f"{n}_" for n in names], [f"{n}_" for n in outs]
        strides = {f"{n}_": [s.replace("$", "") for s in arrays[n]["attributes"]["strides"]]
                   for n in names + outs}
        sdfg, mapping = self.inner_sdfg(names2, outs2, shape, strides, False)
        label = sdfg["attributes"]["name"]
        node = st.node("NestedSDFG", label, {
            "sdfg": sdfg, "symbol_mapping": dict(sorted(mapping.items())), "label": label})
        full = box(["0"] * len(shape), shape)
        for name, inner in zip(names, names2):
            st.edge(st.access(name), node, memlet(name, full), None, inner)
        for name, inner in zip(outs, outs2):
            st.edge(node, st.access(name), memlet(name, full, None, False), inner)

    def connectors(self, writes, reads):
        """Names inside: sometimes those of data outside, of others at that."""
        clash = self.chance(0.25)
        names = ["T", "G", "a", "b", "H"] if clash else ["p", "v", "w", "u", "z0"]
        self.r.shuffle(names)
        if not clash and self.chance(0.2):
            names = ["x", "y0", "x2", "y3", "q4"]
        count = len(reads)
        return names[:count], names[count:count + len(writes)]

    def add_nested(self, st, writes, reads, extents, inside, strides_of):
        r_names, w_names = self.connectors(writes, reads)
        for k, read in enumerate(reads):  # what is read and written can go by one name
            if read in writes and self.chance(0.6):
                r_names[k] = w_names[writes.index(read)]
        strides = {n: strides_of(d) for n, (d, _) in zip(r_names + w_names, reads + writes)}
        sdfg, mapping = self.inner_sdfg(r_names, w_names, extents, strides)
        node = st.node("NestedSDFG", sdfg["attributes"]["name"], {
            "sdfg": sdfg, "symbol_mapping": dict(sorted(mapping.items())),
            "label": sdfg["attributes"]["name"]}, inside)
        return node, r_names, w_names

    def compute_nested(self, st, writes, reads, extents, ins, sinks, *_):
        node, r_names, w_names = self.add_nested(st, writes, reads, extents, None,
                                                 lambda d: self.data[d].strides)
        for name, (data, begin) in zip(r_names, reads):
            st.edge(ins[data], node, memlet(data, box(begin, extents)), None, name)
        for name, (data, begin) in zip(w_names, writes):
            st.edge(node, sinks[data], memlet(data, box(begin, extents), None, False), name)
        return node

    def compute_nested_in_map(self, st, writes, reads, extents, ins, sinks, *_):
        """A nested SDFG for each element; it gets one element of each array."""
        return self.mapped_nested(st, writes, reads, extents, ins, sinks, len(extents))

    def compute_row(self, st, writes, reads, extents, ins, sinks, *_):
        """A nested SDFG for each row; it gets arrays of one dimension less."""
        return self.mapped_nested(st, writes, reads, extents, ins, sinks, 1)

    def mapped_nested(self, st, writes, reads, extents, ins, sinks, mapped):
        params = self.params[:mapped]
        entry, leave = st.map(self.label("m"), params,
                              box(["0"] * mapped, extents[:mapped]))
        rest = extents[mapped:] or ["1"]
        keep_dims = len(extents) == 2 and mapped == 1 and self.chance(0.3)

        def strides_of(data):
            strides = self.data[data].strides
            if keep_dims:
                return strides
            return strides[mapped:] or ["1"]

        def part(begin):
            return self.dims(params, begin[:mapped]) + box(begin[mapped:], extents[mapped:])

        shape = ["1", *rest] if keep_dims else rest
        node, r_names, w_names = self.add_nested(st, writes, reads, shape, entry, strides_of)
        for name, (data, begin) in zip(r_names, reads):
            st.edge(ins[data], entry, memlet(data, box(begin, extents)), None, f"IN_{name}")
            st.edge(entry, node, memlet(data, part(begin)), f"OUT_{name}", name)
        if not reads:
            st.edge(entry, node)
        for name, (data, begin) in zip(w_names, writes):
            st.edge(node, leave, memlet(data, part(begin), None, False), name, f"IN_{name}")
            st.edge(leave, sinks[data], memlet(data, box(begin, extents), None, False),
                    f"OUT_{name}")
        return entry
