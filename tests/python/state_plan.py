"""The graph of a state as the oracle runs it, and where an SDFG uses its data."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from expressions import CannotRun, names_in

Json = dict[str, Any]


@dataclass(frozen=True)
class Edge:
    id: int
    src: int
    dst: int
    src_connector: str | None
    dst_connector: str | None
    memlet: Json

    @property
    def data(self) -> str | None:
        return self.memlet.get("data")


class Plan:
    """A state's graph: scopes, memlet paths, steps to run."""

    def __init__(self, state: Json) -> None:
        self.nodes: list[Json] = state["nodes"]
        self.edges = [Edge(k, int(e["src"]), int(e["dst"]), e["src_connector"], e["dst_connector"],
                            e["attributes"]["data"]["attributes"]) for k, e in enumerate(state["edges"])]
        self.incoming: dict[int, list[Edge]] = defaultdict(list)
        self.outgoing: dict[int, list[Edge]] = defaultdict(list)
        for edge in self.edges:
            self.incoming[edge.dst].append(edge)
            self.outgoing[edge.src].append(edge)
        self.exits = {k: int(n["scope_exit"]) for k, n in enumerate(self.nodes) if n["type"].endswith("Entry")}
        self.entries = {exit_: entry for entry, exit_ in self.exits.items()}
        self.scope = self._scopes()
        self.steps: dict[int | None, dict[Any, list[Any]]] = defaultdict(dict)
        for node in range(len(self.nodes)):
            if node not in self.entries:
                self.steps[self.scope[node]][node] = []
        for edge in self.edges:
            self._add_order(edge)

    def is_access(self, node: int) -> bool:
        return self.nodes[node]["type"] == "AccessNode"

    def name(self, node: int) -> str:
        return self.nodes[node]["attributes"]["data"]

    def far_end(self, edge: Edge, forward: bool) -> int:
        """The node at the end of a memlet path."""
        while True:
            node = edge.dst if forward else edge.src
            connector = edge.dst_connector if forward else edge.src_connector
            through = self.nodes[node]["type"].endswith(("Entry", "Exit"))
            if not through or not (connector or "").startswith("IN_" if forward else "OUT_"):
                return node
            wanted = ("OUT_" if forward else "IN_") + connector.split("_", 1)[1]
            following = [e for e in (self.outgoing if forward else self.incoming)[node]
                         if (e.src_connector if forward else e.dst_connector) == wanted]
            if not following:
                raise CannotRun(f"no edge at {wanted}")
            edge = following[0]

    def ends(self, edge: Edge) -> tuple[int, int]:
        return self.far_end(edge, False), self.far_end(edge, True)

    def is_view_edge(self, edge: Edge) -> bool:
        return edge.dst_connector == "views" or edge.src_connector == "views"

    def _scopes(self) -> list[int | None]:
        scope: list[int | None] = [None] * len(self.nodes)
        degree = [len(self.incoming[n]) for n in range(len(self.nodes))]
        ready = [n for n, d in enumerate(degree) if d == 0]
        done = 0
        while ready:
            node, done = ready.pop(), done + 1
            if node in self.entries:
                scope[node] = scope[self.entries[node]]
            inside = node if node in self.exits else scope[node]
            for edge in self.outgoing[node]:
                if edge.dst not in self.entries:
                    scope[edge.dst] = inside
                degree[edge.dst] -= 1
                if degree[edge.dst] == 0:
                    ready.append(edge.dst)
        if done != len(self.nodes):
            raise CannotRun("cyclic state")
        return scope

    def _add_order(self, edge: Edge) -> None:
        """Steps of a level are its nodes, and its copies: the edges whose path joins two access nodes."""
        src, dst = edge.src, edge.dst
        level = self.entries[dst] if dst in self.entries else self.scope[dst]
        steps = self.steps[level]
        before = None if src == level else self.entries.get(src, src)
        after = None if dst in self.entries else dst
        if self._is_copy(edge):
            copy = ("copy", edge.id)
            steps[copy] = [] if before is None else [before]
            before = copy
        if before is not None and after is not None:
            steps[after].append(before)

    def _is_copy(self, edge: Edge) -> bool:
        """Of a path through scopes, its innermost edge is the copy."""
        if edge.data is None or self.is_view_edge(edge) or not all(map(self.is_access, self.ends(edge))):
            return False
        return (self.is_access(edge.src) and edge.dst not in self.exits
                or self.is_access(edge.dst) and edge.src not in self.entries)


class Uses:
    """Where an SDFG uses its transients, which decides how long their memory lives: one used in one
    state (and not in control flow) is new each time that runs, one used in one map scope in each iteration."""

    def __init__(self, plan_of: Callable[[Json], Plan], sdfg: Json) -> None:
        self.places: dict[str, set[tuple[int, ...]]] = defaultdict(set)
        self.zeroed: set[str] = set()
        self.control: set[str] = set()
        self.local: dict[int, list[str]] = defaultdict(list)
        self._region(plan_of, sdfg)
        for name, places in self.places.items():
            attributes = sdfg["attributes"].get("_arrays", {}).get(name, {}).get("attributes", {})
            lifetime = attributes.get("lifetime", "Scope")
            if not attributes.get("transient") or name in self.control or lifetime not in ("Scope", "State"):
                continue
            common = [steps[0] for steps in zip(*places) if len(set(steps)) == 1]
            if common:
                self.local[common[0] if lifetime == "State" else common[-1]].append(name)

    def _region(self, plan_of: Callable[[Json], Plan], region: Json) -> None:
        for edge in region["edges"]:
            attributes = edge["attributes"]["data"]["attributes"]
            self.control |= names_in(attributes.get("condition", {}).get("string_data", ""))
            for text in attributes.get("assignments", {}).values():
                self.control |= names_in(text)
        for block in region["nodes"]:
            self._block(plan_of, block)

    def _block(self, plan_of: Callable[[Json], Plan], block: Json) -> None:
        for part in ("init_statement", "update_statement", "loop_condition"):
            self.control |= names_in((block.get("attributes", {}).get(part) or {}).get("string_data", ""))
        for condition, branch in block.get("branches", []):
            self.control |= names_in(condition["string_data"]) if condition else set()
            self._region(plan_of, branch)
        if block["type"] != "SDFGState":
            if "nodes" in block:
                self._region(plan_of, block)
            return
        plan = plan_of(block)
        for node, json in enumerate(block["nodes"]):
            if json["type"] != "AccessNode":
                continue
            chain, scope = [], plan.scope[node]
            while scope is not None:
                chain.append(id(plan.nodes[scope]))
                scope = plan.scope[scope]
            self.places[plan.name(node)].add((id(block), *reversed(chain)))
            if json["attributes"].get("setzero", False):
                self.zeroed.add(plan.name(node))
