"""Live `dace.SDFG` objects: read into a native program, and changed as the passes say.

The native side walks the Python objects itself, and gives back a list of edits (src/python/live_program.h
says what they are). Here they are applied. Objects that no edit names stay as they are.
"""
from __future__ import annotations

import contextlib
import copy
import functools
import json
import signal
import threading
from typing import Any, Iterator

import dace
from dace import dtypes, subsets, symbolic
from dace.memlet import Memlet
from dace.properties import CodeBlock
from dace.sdfg.nodes import AccessNode
from dace.sdfg.sdfg import InterstateEdge
from dace.sdfg.state import ConditionalBlock, ControlFlowRegion, SDFGState

from sdfgopt import _core


def has_candidates(sdfg: dace.SDFG) -> bool:
    """Is anything in this SDFG copied from a transient to what is none? A quick look, without nested SDFGs."""
    transient = {name for name, descriptor in sdfg.arrays.items() if descriptor.transient}
    for state in sdfg.states():
        for node in state.nodes():
            if type(node) is AccessNode and node.data in transient:
                for edge in state.out_edges(node):
                    if type(edge.dst) is AccessNode and edge.dst.data not in transient:
                        return True
    return False


def optimize(sdfg: dace.SDFG, options: dict[str, Any]) -> dict[str, Any]:
    """Runs passes on the SDFG, in place; `options` are those of `_core.optimize`, which tells the result, too.

    To verify needs the program as it would be saved; that is optimised and run first, and only if nobody can
    tell the difference is the same done to the live objects.
    """
    live = read(sdfg)
    verified = None
    if options["verify"]:
        saved = _core.Program.from_json(json.dumps(sdfg.to_json()).encode(), sdfg.name)
        verified = _core.optimize(saved, **options)
    result = _core.optimize(live.program, **{**options, "verify": False})
    if result["changed"]:
        apply_edits(sdfg, live.edits())
    return verified or result


def read(sdfg: dace.SDFG) -> _core.LiveProgram:
    """The live program; an `Error` if objects are not as DaCe makes them, or it is nested in another one."""
    if sdfg.parent_nsdfg_node is not None:
        error = _core.Error(f"{sdfg.name}: is nested in another SDFG, where its arguments may be parts of one array; "
                            "only an outermost SDFG is rewritten")
        error.code = "usage"
        raise error
    try:
        return _core.LiveProgram(sdfg)
    except (AttributeError, TypeError, ValueError) as error:
        failure = _core.Error(f"{sdfg.name}: {error}")
        failure.code = "format"
        raise failure from error


def apply_edits(sdfg: dace.SDFG, edits: dict[str, list]) -> None:
    """Changes `sdfg` and what is in it, as `LiveProgram.edits()` says.

    What could fail is done before anything is changed, and Ctrl-C waits until all is.
    """
    plain_edits = [_parsed(edit) for edit in edits["edits"]]
    copy_edits = [[_parsed(edit) for edit in inside] for inside in edits["in_copies"]]
    copies = [copy.deepcopy(block) for block in edits["copies"]]
    twins = [_twins(block, twin) for block, twin in zip(edits["copies"], copies)]
    for twin in copies:
        _adopt(twin, sdfg)
    with _uninterrupted():
        plain = _Editor({}, copies)
        # A copy is part of the graph from here on, so that its memlets can be looked at in their place.
        for name, *arguments in plain_edits:
            getattr(plain, name)(*arguments)
        for inside, twins_of_one in zip(copy_edits, twins):
            editor = _Editor(twins_of_one, copies)
            for name, *arguments in inside:
                getattr(editor, name)(*arguments)
        if any(name == "region" for name, *_ in plain_edits):
            sdfg.reset_cfg_list()


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """What Ctrl-C does, it does afterwards."""
    previous = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(previous):
        yield
        return
    came: list[tuple] = []
    signal.signal(signal.SIGINT, lambda *arguments: came.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
        if came:
            previous(*came[0])


def _twins(original: Any, twin: Any) -> dict[int, Any]:
    """What is in the copy, by the identity of what it is a copy of. A deep copy keeps all orders."""
    found: dict[int, Any] = {}

    def pair(a: Any, b: Any) -> None:
        found[id(a)] = b
        if isinstance(a, SDFGState):
            for node, other in zip(a.nodes(), b.nodes()):
                pair(node, other)
            for edge, other in zip(a.edges(), b.edges()):
                found[id(edge)] = other
        elif isinstance(a, ConditionalBlock):
            for (_, region), (_, other) in zip(a.branches, b.branches):
                pair(region, other)
        elif isinstance(a, ControlFlowRegion):  # an SDFG is one, too
            for block, other in zip(a.nodes(), b.nodes()):
                pair(block, other)
            for edge, other in zip(a.edges(), b.edges()):
                found[id(edge)] = other
                found[id(edge.data)] = other.data
        elif isinstance(a, dace.nodes.NestedSDFG) and a.sdfg is not None:
            pair(a.sdfg, b.sdfg)

    pair(original, twin)
    return found


def _adopt(block: Any, sdfg: dace.SDFG) -> None:
    """A deep copy does not know where it is: DaCe leaves that to whoever puts it somewhere."""
    block.sdfg = sdfg
    if isinstance(block, ConditionalBlock):
        regions = [region for _, region in block.branches]
    elif isinstance(block, ControlFlowRegion):
        regions = [block]
    else:
        for node in block.nodes():
            if isinstance(node, dace.nodes.NestedSDFG) and node.sdfg is not None:
                node.sdfg.parent = block
                node.sdfg.parent_sdfg = sdfg
                node.sdfg.parent_nsdfg_node = node
        regions = []
    for region in regions:
        region.sdfg = sdfg
        if region is not block:
            region.parent_graph = block
        for inner in region.nodes():
            inner.parent_graph = region
            _adopt(inner, sdfg)


def _value(value: Any, before: Any = None) -> Any:
    """As DaCe's object. What was there stays if it says the same: the native side, whose objects are the first ones
    with a value, does not tell symbols of one name apart, but SymPy does."""
    if isinstance(value, str):
        return symbolic.deserialize_symbolic(value)
    if before is value or before == value:
        return before
    return before if _text(before) == _text(value) else value


@functools.lru_cache(4096)
def _text(expression: Any) -> str:
    return str(expression)


def _subset(ranges: list | None, before: Any = None) -> subsets.Range | None:
    if ranges is None:
        return None
    old = before.ranges if isinstance(before, subsets.Range) and len(before) == len(ranges) else [(None,) * 3] * len(ranges)
    subset = subsets.Range([tuple(map(_value, new[:3], kept)) for new, kept in zip(ranges, old)])
    subset.tile_sizes = [_value(new[3]) for new in ranges]
    return subset


def _parsed(edit: tuple) -> tuple:
    """The edit with its texts as DaCe's objects."""
    name, *arguments = edit
    if name in ("memlet", "add_edge"):
        fields = arguments[-1]
        before = arguments[1].data if name == "memlet" else Memlet()
        volume = 0 if fields["volume"] is None else _value(fields["volume"], before.volume)
        arguments[-1] = {**fields, "subset": _subset(fields["subset"], before.subset), "volume": volume,
                         "other_subset": _subset(fields["other_subset"], before.other_subset)}
    elif name in ("array", "add_array"):
        fields = arguments[-1]
        arguments[-1] = {"shape": tuple(map(_value, fields["shape"])), "strides": tuple(map(_value, fields["strides"])),
                         "total_size": _value(fields["total_size"])}
    elif name == "symbol_mapping":
        arguments[-1] = {inner: _value(value) for inner, value in arguments[-1].items()}
    elif name == "symbols":
        arguments[-1] = {symbol: dtypes.json_to_typeclass(json.loads(dtype)) for symbol, dtype in arguments[-1].items()}
    return (name, *arguments)


def _code(owner: Any, text: str) -> CodeBlock:
    language = owner.language if isinstance(owner, CodeBlock) else dtypes.Language.Python
    return CodeBlock(text, language)


class _Editor:
    """A method for each name of an edit. `twins` replaces the named objects, in a copy."""

    def __init__(self, twins: dict[int, Any], copies: list) -> None:
        self._twins = twins
        self._copies = copies

    def _at(self, named: Any) -> Any:
        return self._twins.get(id(named), named)

    # --- descriptors, symbols ---

    def array(self, sdfg, name, fields) -> None:
        _set_fields(self._at(sdfg).arrays[name], fields)

    def add_array(self, sdfg, name, descriptor, fields) -> None:
        added = copy.deepcopy(descriptor)
        _set_fields(added, fields)
        self._at(sdfg).add_datadesc(name, added)

    def arrays(self, sdfg, names) -> None:
        sdfg = self._at(sdfg)
        kept = set(names)
        for name in [name for name in sdfg.arrays if name not in kept]:
            sdfg.remove_data(name, validate=False)
        if list(sdfg.arrays) != names:
            # DaCe writes descriptors in the order of this dict.
            descriptors = dict(sdfg.arrays.items())
            for name in names:
                del sdfg.arrays[name]
            for name in names:
                sdfg.arrays[name] = descriptors[name]

    def symbols(self, sdfg, symbols) -> None:
        sdfg = self._at(sdfg)
        for name, dtype in symbols.items():
            if name not in sdfg.symbols:
                sdfg.add_symbol(name, dtype)
        for name in [name for name in sdfg.symbols if name not in symbols]:
            sdfg.remove_symbol(name)

    def explicit_control_flow(self, sdfg) -> None:
        self._at(sdfg).using_explicit_control_flow = True

    # --- control flow ---

    def region(self, region, content) -> None:
        region = self._at(region)
        for edge in region.edges():
            region.remove_edge(edge)
        for block in region.nodes():
            region.remove_node(block)
        self._fill(region, content)

    def _fill(self, region, content) -> None:
        references, edges, start = content
        blocks = [self._block(reference, region) for reference in references]
        for position, block in enumerate(blocks):
            region.add_node(block, is_start_block=position == start, reset_cfg_list=False)
        for source, destination, original, is_copy, condition, assignments in edges:
            data = InterstateEdge() if original is None else self._at(original).data
            if is_copy:
                data = copy.deepcopy(data)
            if condition is not None:
                data.condition = CodeBlock(condition)
            if data.assignments != assignments:
                data.assignments = dict(assignments)
            region.add_edge(blocks[source], blocks[destination], data)

    def _block(self, reference, region) -> Any:
        if not isinstance(reference, tuple):
            return self._at(reference)
        kind, *rest = reference
        if kind == "copy":
            return self._copies[rest[0]]
        sdfg = region if isinstance(region, dace.SDFG) else region.sdfg
        if kind == "state":
            return SDFGState(rest[0], sdfg)
        label, branches = rest
        conditional = ConditionalBlock(label, sdfg, region)
        for condition, branch_label, content in branches:
            body = ControlFlowRegion(branch_label, sdfg, conditional)
            self._fill(body, content)
            conditional.add_branch(condition and CodeBlock(condition), body)
        return conditional

    def label(self, block, label) -> None:
        self._at(block).label = label

    def code(self, owner, field, text) -> None:
        owner = self._at(owner)
        setattr(owner, field, _code(getattr(owner, field), text))

    def branch_condition(self, block, position, text) -> None:
        branch = self._at(block).branches[position]
        branch[0] = _code(branch[0], text)

    def assignments(self, data, assignments) -> None:
        self._at(data).assignments = dict(assignments)

    # --- dataflow ---

    def data(self, node, name) -> None:
        self._at(node).data = name

    def symbol_mapping(self, node, mapping) -> None:
        self._at(node).symbol_mapping = mapping

    def memlet(self, state, edge, fields) -> None:
        memlet = self._at(edge).data
        memlet.data = fields["data"]
        memlet.subset = fields["subset"]
        memlet.other_subset = fields["other_subset"]
        memlet.volume = fields["volume"]
        memlet.dynamic = fields["dynamic"]
        memlet._is_data_src = fields["is_data_src"]

    def move_edge(self, state, edge, source, source_connector, destination, destination_connector) -> None:
        state, edge = self._at(state), self._at(edge)
        source, destination = self._at(source), self._at(destination)
        if (edge.src is source and edge.dst is destination and edge.src_conn == source_connector
                and edge.dst_conn == destination_connector):
            return
        state.remove_edge(edge)
        state.add_edge(source, source_connector, destination, destination_connector, edge.data)

    def add_edge(self, state, source, source_connector, destination, destination_connector, fields) -> None:
        memlet = Memlet()
        edge = self._at(state).add_edge(self._at(source), source_connector, self._at(destination),
                                        destination_connector, memlet)
        self.memlet(state, edge, fields)

    def remove_edge(self, state, edge) -> None:
        self._at(state).remove_edge(self._at(edge))

    def remove_node(self, state, node) -> None:
        self._at(state).remove_node(self._at(node))


def _set_fields(descriptor: Any, fields: dict[str, Any]) -> None:
    if isinstance(descriptor, dace.data.Array):
        descriptor.shape = fields["shape"]
        descriptor.strides = fields["strides"]
        descriptor.total_size = fields["total_size"]
