"""A small interpreter of SDFGs, independent of sdfg-opt and of DaCe.

It works on the JSON of a `.sdfg` file and takes nothing from the order in which nodes happen to stand in
the file: nodes that the graph does not order, and the iterations of maps, run in an order drawn from
the seed. Memory is flat, as DaCe lays it out; undefined memory holds a fill.
"""

import itertools
import random
from collections import ChainMap, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from expressions import CannotRun, Fault, always_equal, execute, integer, names_in, subscripted_names, value_of
from memory import FLOAT_FILLS, INTEGER_FILLS, Index, Pointer, Ref, copied, descriptor_layout
from state_plan import Edge, Plan, Uses

__all__ = ["CannotRun", "Fault", "descriptor_layout", "run"]

Json = dict[str, Any]
FUEL = 200_000


def run(sdfg: Json, arrays: dict[str, np.ndarray], symbols: dict[str, int], seed: int = 0, fill: int = 0) -> None:
    """Runs the program; the arrays of its arguments are changed in place.

    An array has either the descriptor's shape, or one dimension with `total_size` elements: then it is
    the memory itself, padding included. `fill` (0 or 1) chooses what undefined memory holds; what
    differs between the two was never defined. Raises CannotRun or Fault.
    """
    machine = _Machine(random.Random(seed), fill)
    frame = _Frame(machine, sdfg, dict(symbols))
    written_back: list[tuple[np.ndarray, Ref]] = []
    for name, descriptor in frame.descriptors.items():
        if descriptor["attributes"].get("transient", False):
            continue
        if name not in arrays and name not in symbols:
            if frame.is_used(name):
                raise CannotRun(f"no array for argument {name}")
            continue
        array = arrays[name] if name in arrays else np.asarray(symbols[name])
        dtype, shape, strides, total, start = descriptor_layout(descriptor, frame.names())
        if array.ndim == 1 and array.size == total and array.dtype == dtype and array.flags.c_contiguous:
            frame.memory[name] = Ref(array, start, shape, strides, frame.offsets(name))
        elif array.size != int(np.prod(shape)):
            raise CannotRun(f"array {name} has {array.size} elements, not {shape}")
        else:
            ref = Ref(np.zeros(total, dtype), start, shape, strides, (0,) * len(shape))
            written_back.append((array, ref))
            for index, value in zip(np.ndindex(*shape), array.reshape(-1)):
                ref.store(index, value)
            frame.memory[name] = Ref(ref.buffer, start, shape, strides, frame.offsets(name))
    with np.errstate(all="ignore"):
        frame.run()
    for array, ref in written_back:
        array[...] = np.array([ref.load(i) for i in np.ndindex(*ref.shape)], ref.buffer.dtype).reshape(array.shape)


@dataclass
class _Machine:
    random: random.Random
    fill: int
    fuel: int = FUEL
    persistent: dict[tuple[int, str], Ref] = field(default_factory=dict)
    plans: dict[int, Plan] = field(default_factory=dict)

    def burn(self) -> None:
        self.fuel -= 1
        if self.fuel < 0:
            raise CannotRun("out of fuel")

    def plan(self, state: Json) -> Plan:
        """Of a state; its object lives as long as the machine, so its id is a key."""
        if id(state) not in self.plans:
            self.plans[id(state)] = Plan(state)
        return self.plans[id(state)]


class _Jump(Exception):
    """Break, continue or return."""


class _Frame:
    """One run of an SDFG: its symbols and its memory."""

    def __init__(self, machine: _Machine, sdfg: Json, symbols: dict[str, Any]) -> None:
        self.machine = machine
        self.sdfg = sdfg
        self.attributes: Json = sdfg["attributes"]
        self.descriptors: dict[str, Json] = self.attributes.get("_arrays", {})
        self.types: dict[str, Any] = self.attributes.get("symbols", {})
        self.symbols: dict[str, Any] = {}
        self.memory: dict[str, Ref] = {}
        constants = self.attributes.get("constants_prop", {})
        self.constants = {k: np.dtype(d["attributes"]["dtype"]).type(v) for k, (d, v) in constants.items()
                          if not isinstance(v, dict)}
        for name, value in symbols.items():
            self.set_symbol(name, value)
        self._uses = Uses(machine.plan, sdfg)

    def run(self) -> None:
        try:
            self.run_region(self.sdfg)
        except _Jump as jump:
            if jump.args[0] != "ReturnBlock":
                raise CannotRun(f"{jump.args[0]} outside of a loop") from None

    def is_used(self, name: str) -> bool:
        return bool(self._uses.places.get(name)) or name in self._uses.control

    def set_symbol(self, name: str, value: Any) -> None:
        kind = self.types.get(name)
        if isinstance(kind, str):
            try:
                value = np.dtype(kind).type(value)
            except (OverflowError, TypeError, ValueError) as error:
                raise CannotRun(f"symbol {name} = {value}: {error}") from error
        if isinstance(value, np.integer | np.bool_):
            value = value.item()
        self.symbols[name] = np.float64(value) if type(value) is float else value

    # Names and memory

    def names(self, local: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        return ChainMap(dict(local or {}), self.symbols, self.constants, _Data(self))

    def offsets(self, name: str) -> Index:
        attributes = self.descriptors[name]["attributes"]
        rank = len(attributes.get("shape", ["1"]))
        given = attributes.get("offset", []) if self.descriptors[name]["type"] != "Scalar" else []
        return tuple(integer(e, self.names()) for e in given) or (0,) * rank

    def data(self, name: str, local: Mapping[str, Any] | None = None) -> Ref:
        """The memory of a name that is no View; transients are made when they are first needed."""
        if name in self.memory:
            return self.memory[name]
        if name not in self.descriptors:
            raise CannotRun(f"no data {name}")
        attributes = self.descriptors[name]["attributes"]
        if not attributes.get("transient", False) or self.descriptors[name]["type"] == "ArrayView":
            raise CannotRun(f"no memory for {name}")
        key = (id(self.sdfg), name)
        lasting = attributes.get("lifetime") in ("Persistent", "External", "Global")
        if lasting and key in self.machine.persistent:
            return self.machine.persistent[key]
        dtype, shape, strides, total, start = descriptor_layout(self.descriptors[name], self.names(local))
        if name in self._uses.zeroed:
            value: Any = 0
        elif dtype.kind == "f":
            value = FLOAT_FILLS[self.machine.fill]
        else:
            value = INTEGER_FILLS[self.machine.fill] if dtype.kind != "b" else self.machine.fill == 1
        ref = Ref(np.full(total, value, dtype), start, shape, strides, self.offsets(name))
        if lasting:
            self.machine.persistent[key] = ref
        self.memory[name] = ref
        return ref

    def node_data(self, plan: Plan, node: int, local: Mapping[str, Any]) -> Ref:
        """The memory of an access node; a View's is found through the edge to what it views."""
        name = plan.name(node)
        if name not in self.descriptors:
            raise CannotRun(f"data {name}")
        if self.descriptors[name]["type"] != "ArrayView":
            return self.data(name, local)
        near = plan.incoming[node] + plan.outgoing[node]
        edges = [e for e in near if plan.is_view_edge(e)]
        if len(edges) != 1:
            raise CannotRun(f"View {name} without one edge to what it views")
        viewed = plan.far_end(edges[0], forward=edges[0].src == node)
        ref = self.node_data(plan, viewed, local)
        subset = "subset" if edges[0].data == plan.name(viewed) else "other_subset"
        first = self.first(edges[0].memlet.get(subset), len(ref.shape), local)
        dtype, shape, strides, _, start = descriptor_layout(self.descriptors[name], self.names(local))
        if dtype != ref.buffer.dtype:
            raise CannotRun("View of another element type")
        return Ref(ref.buffer, ref.position(first) + start, shape, strides, self.offsets(name))

    # Subsets

    def ranges(self, subset: Json, local: Mapping[str, Any]) -> list[range]:
        if subset["type"] == "Indices":
            return [range(i, i + 1) for i in (integer(e, self.names(local)) for e in subset["indices"])]
        if subset["type"] != "Range":
            raise CannotRun(f"subset {subset['type']}")
        names, result = self.names(local), []
        for r in subset["ranges"]:
            if str(r.get("tile", "1")) != "1":
                raise CannotRun("tiled range")
            step = integer(r["step"], names)
            if step == 0:
                raise CannotRun("step 0")
            result.append(range(integer(r["start"], names), integer(r["end"], names) + (1 if step > 0 else -1), step))
        return result

    def first(self, subset: Json | None, rank: int, local: Mapping[str, Any]) -> Index:
        """The first element, also of an empty subset: an address is only used where it is accessed."""
        return (0,) * rank if subset is None else tuple(r.start for r in self.ranges(subset, local))

    # Control flow

    def run_region(self, region: Json) -> None:
        blocks, edges = region["nodes"], region["edges"]
        if not blocks:
            return
        at: int | None = self._start(region)
        while at is not None:
            self.machine.burn()
            self.run_block(blocks[at])
            at = self._next(edges, at)

    def _start(self, region: Json) -> int:
        sources = set(range(len(region["nodes"]))) - {int(e["dst"]) for e in region["edges"]}
        if len(sources) == 1:
            return sources.pop()
        if region.get("start_block") is None:
            raise CannotRun("no start block")
        return int(region["start_block"])

    def _next(self, edges: list[Json], at: int) -> int | None:
        for edge in edges:
            if int(edge["src"]) != at:
                continue
            attributes = edge["attributes"]["data"]["attributes"]
            if "condition" in attributes and not self.code_value(attributes["condition"]):
                continue
            assignments: dict[str, str] = attributes.get("assignments", {})
            values = {name: value_of(text, self.names()) for name, text in assignments.items()}
            if any(names_in(text) & (assignments.keys() - {name}) for name, text in assignments.items()):
                raise CannotRun("assignments that depend on each other")
            for name, value in values.items():
                self.set_symbol(name, value)
            return int(edge["dst"])
        return None

    def code_value(self, code: Json) -> Any:
        if code.get("language", "Python") not in ("Python", None):
            raise CannotRun(f"condition in {code['language']}")
        return value_of(code["string_data"], self.names())

    def run_block(self, block: Json) -> None:
        match block["type"]:
            case "SDFGState":
                for name in self._uses.local.get(id(block), ()):
                    self.memory.pop(name, None)
                self.run_scope(self.machine.plan(block), None, {})
            case "LoopRegion":
                self.run_loop(block)
            case "ConditionalBlock":
                for condition, region in block["branches"]:
                    if condition is None or self.code_value(condition):
                        self.run_region(region)
                        break
            case "BreakBlock" | "ContinueBlock" | "ReturnBlock":
                raise _Jump(block["type"])
            case "ControlFlowRegion" | "UnstructuredControlFlow" | "NamedRegion":
                self.run_region(block)
            case other:
                raise CannotRun(f"block {other}")

    def run_loop(self, loop: Json) -> None:
        attributes = loop["attributes"]
        inverted, update_first = attributes.get("inverted", False), attributes.get("update_before_condition", True)

        def statement(name: str) -> None:
            code = attributes.get(name)
            if code is not None:
                names = _Assigned(self.names())
                execute(code["string_data"], names)
                for symbol, value in names.items():
                    self.set_symbol(symbol, value)

        def holds() -> bool:
            if attributes.get("loop_condition") is None:
                raise CannotRun("loop without condition")
            return bool(self.code_value(attributes["loop_condition"]))

        statement("init_statement")
        if not inverted and not holds():
            return
        while True:
            self.machine.burn()
            try:
                self.run_region(loop)
            except _Jump as jump:
                if jump.args[0] == "BreakBlock":
                    return
                if jump.args[0] == "ReturnBlock":
                    raise
            if update_first or not inverted:
                statement("update_statement")
                if not holds():
                    return
            else:
                if not holds():
                    return
                statement("update_statement")

    # Dataflow

    def run_scope(self, plan: Plan, scope: int | None, local: dict[str, Any]) -> None:
        """The steps of one level in an order that their dependencies allow."""
        waiting = {step: set(before) for step, before in plan.steps[scope].items()}
        while waiting:
            ready = [step for step, before in waiting.items() if not before]
            step = self.machine.random.choice(ready)
            del waiting[step]
            for before in waiting.values():
                before.discard(step)
            if isinstance(step, tuple):
                self.copy(plan, plan.edges[step[1]], local)
            else:
                self.run_node(plan, step, local)

    def run_node(self, plan: Plan, node: int, local: dict[str, Any]) -> None:
        self.machine.burn()
        json = plan.nodes[node]
        match json["type"]:
            case "AccessNode":
                self.node_data(plan, node, local)
            case "Tasklet":
                self.tasklet(plan, node, local)
            case "MapEntry":
                self.map_scope(plan, node, local)
            case "NestedSDFG":
                self.nested(plan, node, local)
            case "LibraryNode" if json["classpath"].endswith(".Reduce"):
                self.reduce(plan, node, local)
            case other:
                raise CannotRun(f"node {other} {json.get('classpath', '')}")

    def map_scope(self, plan: Plan, entry: int, local: dict[str, Any]) -> None:
        attributes = plan.nodes[entry]["attributes"]
        local = dict(local)
        for edge in plan.incoming[entry]:
            if edge.dst_connector and not edge.dst_connector.startswith("IN_"):
                ref, first = self.end(plan, edge, False, local)
                local[edge.dst_connector] = ref[first]
        points = list(itertools.product(*self.ranges(attributes["range"], local)))
        self.machine.random.shuffle(points)
        fresh = self._uses.local.get(id(plan.nodes[entry]), ())
        for point in points:
            for name in fresh:
                self.memory.pop(name, None)
            self.run_scope(plan, entry, local | dict(zip(attributes["params"], point)))

    def end(self, plan: Plan, edge: Edge, forward: bool, local: Mapping[str, Any]) -> tuple[Ref, Index]:
        """The memory at the far end of a code node's edge, and the first element of the memlet there."""
        node = plan.far_end(edge, forward)
        if not plan.is_access(node) or edge.data != plan.name(node):
            raise CannotRun(f"edge from code to {plan.nodes[node]['type']}")
        ref = self.node_data(plan, node, local)
        return ref, self.first(edge.memlet.get("subset"), len(ref.shape), local)

    def wcr(self, memlet: Json) -> Callable[[Any, Any], Any] | None:
        text = memlet.get("wcr")
        return None if text is None else value_of(text, {})

    def copy(self, plan: Plan, edge: Edge, local: dict[str, Any]) -> None:
        src, dst = plan.ends(edge)
        is_source = edge.data == plan.name(src)
        if plan.name(src) == plan.name(dst):
            is_source = edge.memlet.get("is_data_src", True) is not False
        near, far = edge.memlet.get("subset"), edge.memlet.get("other_subset")
        subsets = (near, far) if is_source else (far, near)
        source, target = self.node_data(plan, src, local), self.node_data(plan, dst, local)
        if near is None:
            raise CannotRun("copy without subset")
        known = self.ranges(near, local)
        sides = [self.ranges(s, local) if s is not None else _left_out(known, r)
                 for s, r in zip(subsets, (source, target))]
        if [len(r) for r in sides[0] if len(r) != 1] != [len(r) for r in sides[1] if len(r) != 1]:
            raise CannotRun("copy between different shapes")
        values = [source.load(index) for index in itertools.product(*sides[0])]
        wcr = self.wcr(edge.memlet)
        for index, value in zip(itertools.product(*sides[1]), values):
            target.store(index, wcr(target.load(index), value) if wcr else value)

    def tasklet(self, plan: Plan, node: int, local: dict[str, Any]) -> None:
        code = plan.nodes[node]["attributes"]["code"]
        if code.get("language", "Python") != "Python":
            raise CannotRun(f"tasklet in {code['language']}")
        text: str = code["string_data"]
        names = _Assigned(self.names(local))
        for edge in plan.incoming[node]:
            if edge.data is None:
                continue
            ref, first = self.end(plan, edge, False, local)
            pointed = edge.dst_connector in subscripted_names(text)
            names[edge.dst_connector] = self.pointer(ref, first, edge, local) if pointed else ref.load(first)
        outputs = []
        for edge in plan.outgoing[node]:
            if edge.data is None:
                continue
            ref, first = self.end(plan, edge, True, local)
            if edge.src_connector in subscripted_names(text):
                names[edge.src_connector] = self.pointer(ref, first, edge, local)
            else:
                outputs.append((edge, ref, first))
        execute(text, names)
        for edge, ref, first in outputs:
            if edge.src_connector not in names:
                if edge.memlet.get("dynamic", False):
                    continue
                raise CannotRun(f"tasklet does not set {edge.src_connector}")
            wcr, value = self.wcr(edge.memlet), names[edge.src_connector]
            if isinstance(value, Pointer):
                raise CannotRun("pointer copied by a tasklet")
            ref.store(first, wcr(ref.load(first), value) if wcr else value)

    def pointer(self, ref: Ref, first: Index, edge: Edge, local: Mapping[str, Any]) -> Pointer:
        """DaCe drops the dimensions in which a subset has one element, and indices into extents of 1."""
        single = [always_equal(str(r["start"]), str(r["end"])) for r in edge.memlet["subset"]["ranges"]]
        steps = [r.step for r in self.ranges(edge.memlet["subset"], local)]
        strides = tuple(s * step for s, step, one in zip(ref.strides, steps, single) if not one or all(single))
        shape = self.descriptors[edge.data]["attributes"]["shape"]
        kept = tuple(not always_equal(str(extent), "1") for extent in shape)
        return Pointer(ref, self.address(ref, first), strides, kept if any(kept) else None, self.wcr(edge.memlet))

    def address(self, ref: Ref, first: Index) -> int:
        return ref.base + sum((i + o) * s for i, o, s in zip(first, ref.offset, ref.strides, strict=True))

    def nested(self, plan: Plan, node: int, local: dict[str, Any]) -> None:
        attributes = plan.nodes[node]["attributes"]
        inner = attributes.get("sdfg")
        if not isinstance(inner, dict):
            raise CannotRun("nested SDFG that is not inline")
        mapping = attributes.get("symbol_mapping", {})
        frame = _Frame(self.machine, inner, {k: value_of(v, self.names(local)) for k, v in mapping.items()})
        places: dict[str, tuple[Ref, int]] = {}
        edges = [(e, True) for e in plan.outgoing[node]] + [(e, False) for e in plan.incoming[node]]
        for edge, forward in edges:
            if edge.data is None:
                continue
            name = edge.src_connector if forward else edge.dst_connector
            ref, first = self.end(plan, edge, forward, local)
            place = (ref, self.address(ref, first))
            if name in places and (places[name][0].buffer is not ref.buffer or places[name][1] != place[1]):
                raise CannotRun(f"connector {name} is fed and read at different places")
            by_value = frame.descriptors[name]["type"] == "Scalar" and name not in places
            places[name] = place if forward or not by_value else (copied(ref, place[1]), 0)
        for name, (ref, base) in places.items():
            dtype, shape, strides, _, start = descriptor_layout(frame.descriptors[name], frame.names())
            if dtype != ref.buffer.dtype:
                raise CannotRun("connector of another element type")
            frame.memory[name] = Ref(ref.buffer, base + start, shape, strides, frame.offsets(name))
        frame.run()

    def reduce(self, plan: Plan, node: int, local: dict[str, Any]) -> None:
        attributes = plan.nodes[node]["attributes"]
        (read,), (write,) = ([e for e in edges[node] if e.data] for edges in (plan.incoming, plan.outgoing))
        source, target = self.end(plan, read, False, local)[0], self.end(plan, write, True, local)[0]
        inputs, outputs = (self.ranges(e.memlet["subset"], local) for e in (read, write))
        axes = attributes.get("axes")
        axes = range(len(inputs)) if axes is None else [a % len(inputs) for a in axes]
        kept = [r for d, r in enumerate(inputs) if d not in axes]
        if [len(r) for r in kept if len(r) != 1] != [len(r) for r in outputs if len(r) != 1]:
            raise CannotRun("reduction into another shape")
        combine = value_of(attributes.get("wcr", "lambda a, b: a"), {})
        identity = attributes.get("identity")
        for kept_index, index in zip(itertools.product(*kept), itertools.product(*outputs)):
            if identity is not None:
                target.store(index, value_of(str(identity), {}))
            along = itertools.product(*(inputs[a] for a in axes))
            for reduced_index in along:
                reduced, rest = dict(zip(axes, reduced_index)), iter(kept_index)
                whole = tuple(reduced[d] if d in reduced else next(rest) for d in range(len(inputs)))
                target.store(index, combine(target.load(index), source.load(whole)))


def _left_out(known: list[range], other: Ref) -> list[range]:
    """The subset that a copy leaves out. DaCe takes the whole array if the counts agree, and the same subset
    again if not; older code generators begin at 0. Only where all agree is it clear what is meant."""
    if np.prod([len(r) for r in known]) == np.prod(other.shape):
        return [range(extent) for extent in other.shape]
    if len(known) != len(other.shape) or any(r.start for r in known):
        raise CannotRun("copy that leaves out one side")
    return known


class _Data(Mapping[str, Any]):
    """Data by name, as expressions read it: a Scalar is its value."""

    def __init__(self, frame: _Frame) -> None:
        self._frame = frame

    def __getitem__(self, name: str) -> Any:
        if name not in self._frame.descriptors or self._frame.descriptors[name]["type"] == "ArrayView":
            raise KeyError(name)
        ref = self._frame.data(name)
        return ref[0] if self._frame.descriptors[name]["type"] == "Scalar" else ref

    def __contains__(self, name: object) -> bool:
        return name in self._frame.descriptors

    def __iter__(self) -> Iterator[str]:
        return iter(self._frame.descriptors)

    def __len__(self) -> int:
        return len(self._frame.descriptors)


class _Assigned(dict[str, Any]):
    """What code assigns, in front of what it may read."""

    def __init__(self, outer: Mapping[str, Any]) -> None:
        super().__init__()
        self._outer = outer

    def __missing__(self, name: str) -> Any:
        return self._outer[name]


