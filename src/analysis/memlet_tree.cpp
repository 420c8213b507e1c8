#include "analysis/memlet_tree.h"

#include <algorithm>

namespace sdfgopt::analysis {

MemletTree memlet_tree(const StateGraph &graph, EdgeId root, Name data, Role role) {
  const ir::State &state = graph.state();
  MemletTree tree;
  tree.role = role;
  std::vector<EdgeId> work = {root};
  while (!work.empty()) {
    const EdgeId id = work.back();
    work.pop_back();
    const ir::Edge &edge = state.edge(id);
    const TreeEdge item{id, edge.memlet.data == data};
    tree.edges.push_back(item);
    const std::vector<EdgeId> inner = graph.continuation(id, role == Role::Read);
    work.insert(work.end(), inner.rbegin(), inner.rend());
    const ir::Node &far = state.node(role == Role::Read ? edge.dst : edge.src);
    const auto *access = far.as<ir::AccessNode>();
    if (!item.is_subset && !(access && access->data == edge.memlet.data) && inner.empty())
      tree.unclear = id;
    if (access && access->data == data)
      tree.unclear = id;
    if (edge.memlet.is_empty() || (inner.empty() && far.is_scope_entry() && role == Role::Write))
      tree.unclear = id;
    if (inner.empty())
      tree.leaves.push_back(item);
  }
  return tree;
}

std::optional<std::vector<sets::Interval>> data_side(const ir::Edge &edge, bool is_subset,
                                                     std::size_t rank, symbolic::Context &context) {
  const ir::Memlet &memlet = edge.memlet;
  const ir::Subset &subset = is_subset ? memlet.subset : memlet.other_subset;
  const bool implied = !subset;
  const ir::Subset &told = implied ? memlet.subset : subset;
  if (!told || told.rank() != rank || (implied && is_subset))
    return std::nullopt;
  std::vector<sets::Interval> dims;
  for (const ir::Range &range : told.ranges()) {
    if (!context.value(range.tile)->is_integer(1))
      return std::nullopt;
    sets::Interval dim{context.value(range.begin), context.value(range.end),
                       context.value(range.step)};
    if (implied) {
      if (!dim.step->is_integer(1))
        return std::nullopt;
      dim.end = context.sub(dim.end, dim.begin);
      dim.begin = context.integer(0);
    }
    dims.push_back(dim);
  }
  return dims;
}

namespace {

/// Parameters of all map scopes around the end of a leaf, the outermost first. Nothing if there is
/// a scope of another kind: its iterations are not a range.
std::optional<std::vector<sets::Binder>> binders_around(const StateGraph &graph, NodeId node,
                                                        symbolic::Context &context) {
  std::vector<NodeId> scopes;
  for (NodeId scope = graph.scope_of(node); scope.has_value(); scope = graph.scope_of(scope))
    scopes.push_back(scope);
  std::vector<sets::Binder> binders;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    const auto *map = graph.state().node(*scope).as<ir::MapEntry>();
    if (!map || map->params.size() != map->range.rank())
      return std::nullopt;
    for (std::size_t i = 0; i < map->params.size(); ++i) {
      const ir::Range &range = map->range.ranges()[i];
      binders.push_back(
          {map->params[i],
           {context.value(range.begin), context.value(range.end), context.value(range.step)}});
    }
  }
  return binders;
}

} // namespace

std::optional<std::vector<sets::Region>> footprint(const StateGraph &graph, const MemletTree &tree,
                                                   std::size_t rank, symbolic::Context &context) {
  if (tree.unclear.has_value())
    return std::nullopt;
  std::vector<sets::Region> regions;
  for (const TreeEdge &leaf : tree.leaves) {
    const ir::Edge &edge = graph.state().edge(leaf.edge);
    auto dims = data_side(edge, leaf.is_subset, rank, context);
    // Both ends of a leaf are in the scope of its inner end.
    auto binders = binders_around(graph, tree.far_end(graph.state(), leaf), context);
    if (!dims || !binders)
      return std::nullopt;
    regions.push_back({std::move(*dims), std::move(*binders)});
  }
  return regions;
}

Event event_of(const StateGraph &graph, EdgeId id, Role role) {
  const ir::State &state = graph.state();
  const ir::Edge &edge = state.edge(id);
  const NodeId far = graph.top_level(role == Role::Read ? edge.dst : edge.src);
  const NodeId near = graph.top_level(role == Role::Read ? edge.src : edge.dst);
  const NodeId exit = state.node(far).scope_partner();
  const bool is_scope = state.node(far).is_scope_entry() && exit.has_value();
  if (state.node(far)
          .is<ir::AccessNode>()) // a copy: after its source is ready, until its target is
    return role == Role::Read ? Event{&state, near, far} : Event{&state, far, near};
  if (near == far) // inside one scope
    return {&state, far, is_scope ? exit : far};
  if (role == Role::Write)
    return {&state, far, near};
  return {&state, far, is_scope ? exit : far};
}

bool ordered(const StateGraph &graph, const Event &first, const Event &second) {
  // A node that computes reads and writes as it goes along; only at access nodes is one access over
  // when the other begins.
  if (first.done == second.start)
    return graph.state().node(first.done).is<ir::AccessNode>();
  return graph.reaches(first.done, second.start);
}

} // namespace sdfgopt::analysis
