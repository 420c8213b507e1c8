"""Random small SDFGs around the write-back pattern, as the JSON objects of DaCe's file format.

`generate(seed)` gives one program; the same seed gives the same program. A program has buffers
(transients) that are defined, copied to argument arrays and used, in random control flow, together with
other accesses to those arrays. Most programs are nearly right for elimination, so that the rules are
tried close to their limits. Nothing here is guaranteed to be free of races or of accesses out of bounds:
whoever runs a program finds out (see fuzz.py).
"""

import argparse
import json
import random

from generate_dataflow import Dataflow
from sdfg_builder import Region, State, array, code, conditional, jump, plus, sdfg_json, simplify

SYMBOLS = ("N", "M", "o", "lo", "hi", "k")
EXTENTS = ("3", "4", "2", "N", "N", "M", "hi - lo", "Max(0, hi - lo)", "N + 1", "1") * 4 + (
    "Min(N, M)", "Max(N, M)", "int_floor(N, 2)", "Mod(N, 3)", "2*M")
OFFSETS = ("0", "0", "0", "1", "2", "o", "o", "lo", "N", "o + 1", "k")
ROOM = "14"  # an extent that is enough for everything


class Data:
    def __init__(self, name, extents, dtype, strides=None):
        self.name, self.extents, self.dtype, self.strides = name, extents, dtype, strides


class Generator(Dataflow):
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.arrays, self.data, self.count = {}, {}, 0
        self.symbols = {s: "int32" for s in SYMBOLS}
        self.views = 0
        self.loops = []  # variables of the loops around

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
        clashes = r.sample(["o", "N", "lo", "i", "k", "M"], 4)
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
        for name in ("E", "F"):  # as long as the first buffer
            self.new_array(name, self.buffers[0][1], self.dtype)
        # Parameters of maps are called like symbols in offsets now and then, but not like those in the
        # extents of buffers: where a buffer is allocated would then decide how long it is.
        taken = " ".join(e for _, extents, _ in self.buffers for e in extents)
        offset_text = " ".join(o for _, _, offset in self.buffers for o in offset)
        self.assigned = [s for s in ("k", "o", "lo") if s in offset_text and s not in taken]
        clashes.sort(key=lambda name: name not in offset_text)
        free = [name for name in clashes if name not in taken]
        self.params = free[:2] if self.chance(0.15) and len(free) > 1 else ["i", "j"]
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
        if self.assigned and self.chance(0.04):
            name = self.r.choice(self.assigned)
            return {name: self.r.choice(("1", "0", f"({name} + 1)"))}
        if self.chance(0.02):
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
        self.loops = self.loops + [name]
        at = self.r.randrange(len(actions) + 1) if self.chance(0.4) else -1
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
        self.loops = self.loops[:-1]
        trips = self.r.choice(("2", "2", "3", "1", "0", "N", "M", self.buffers[0][1][0]))
        also = f" and ({self.element(self.any_data())} > 1)" if self.chance(0.08) else ""
        start = "0"
        if self.dtype == "int64" and self.chance(0.1):
            start = self.element(self.any_data())
        attributes = {"update_statement": code(f"{name} = ({name} + 1)"),
                      "init_statement": code(f"{name} = {start}"),
                      "loop_condition": code(f"(({name} < {trips}){also})"),
                      "loop_variable": name}
        if inverted:
            attributes["inverted"] = True
            if self.chance(0.4):
                attributes["update_before_condition"] = False
        region.add(inner.json(self.label("loop"), "LoopRegion", **attributes))

    def make_inverted(self, region, actions, depth):
        self.make_loop(region, actions, depth, True)

    def make_legacy_if(self, region, actions, depth):
        condition = self.condition(region)
        otherwise = f"(not {condition})"
        if self.chance(0.3):
            condition, otherwise = "(N > 2)", "(N <= 2)"
        guard = region.add(State(self.label("guard")))
        region.open = [(guard, condition)]
        self.emit(region, actions, depth + 1)
        if self.chance(0.4):  # else
            after, region.open = region.open, [(guard, otherwise)]
            self.emit(region, self.other_branch(actions) or actions, depth + 1)
            region.open += after
        elif self.chance(0.95):
            region.open.append((guard, otherwise))
        region.add(State(self.label("join")))

    def make_legacy_loop(self, region, actions, depth):
        name = ("it", "jt")[depth]
        if not region.blocks:
            region.add(State(self.label("start")))
        guard = region.add(State(self.label("guard")), {name: "0"})
        trips = self.r.choice(("2", "1", "N", "0"))
        region.open = [(guard, f"({name} < {trips})")]
        self.loops = self.loops + [name]
        self.emit(region, actions, depth + 1)
        self.loops = self.loops[:-1]
        last = region.add(State(self.label("back")))
        region.link(last, guard, {name: f"({name} + 1)"})
        region.open = [(guard, f"(not ({name} < {trips}))")]
        region.add(State(self.label("after")))

def generate(seed):
    return Generator(seed).program()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="print the program of a seed as JSON")
    parser.add_argument("seed", type=int)
    print(json.dumps(generate(parser.parse_args().seed)))
