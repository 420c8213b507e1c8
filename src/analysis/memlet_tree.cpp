#include "analysis/memlet_tree.h"

#include "analysis/memory.h"
#include "support/words.h"

#include <algorithm>
#include <array>

namespace sdfgopt::analysis {

using symbolic::Expr;

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

bool has_quotient(symbolic::Expression expression) {
  static constexpr std::array<std::string_view, 9> functions = {
      "int_floor", "int_ceil", "__int_floor", "__int_ceil", "floor",
      "ceil",      "ceiling",  "Mod",         "ROUND"};
  const std::string_view text = expression.text();
  bool found = text.find_first_of("/%") != std::string_view::npos;
  if (!found && text.find('(') != std::string_view::npos)
    support::for_each_word(text, [&](std::string_view word) {
      found = found || std::find(functions.begin(), functions.end(), word) != functions.end();
    });
  return found;
}

namespace {

bool has_fraction(const ir::Range &range, symbolic::Context &context) {
  for (const symbolic::Expression part : {range.begin, range.end, range.step})
    if (has_quotient(part) || !context.is_integral(context.value(part)))
      return true;
  return false;
}

std::optional<std::vector<sets::Interval>> intervals(const ir::Subset &subset, std::size_t rank,
                                                     symbolic::Context &context) {
  if (!subset || subset.rank() != rank)
    return std::nullopt;
  std::vector<sets::Interval> dims;
  for (const ir::Range &range : subset.ranges()) {
    if (!context.value(range.tile)->is_integer(1) || has_fraction(range, context))
      return std::nullopt;
    dims.push_back(
        {context.value(range.begin), context.value(range.end), context.value(range.step)});
  }
  return dims;
}

/// The part of `data` that goes with `told` at the other end.
std::optional<std::vector<sets::Interval>> untold(const std::vector<sets::Interval> &told,
                                                  const ir::Descriptor &data,
                                                  symbolic::Context &context) {
  const Expr one = context.integer(1);
  bool whole_array = true;
  bool from_zero = true;
  std::vector<Expr> lengths;
  std::vector<Expr> extents;
  for (std::size_t d = 0; d < told.size(); ++d) {
    if (!told[d].step->is_integer(1))
      return std::nullopt;
    lengths.push_back(context.add(context.sub(told[d].end, told[d].begin), one));
    extents.push_back(context.value(data.shape[d]));
    whole_array = whole_array && lengths.back() == extents.back();
    from_zero = from_zero && told[d].begin->is_integer(0);
  }
  const auto length = symbolic::Context::constant(context.mul(lengths));
  const auto extent = symbolic::Context::constant(context.mul(extents));
  if (whole_array)
    return whole(data, context).dims;
  if (from_zero && length && extent && *length != *extent)
    return told;
  return std::nullopt;
}

} // namespace

std::optional<std::vector<sets::Interval>> data_side(const ir::Edge &edge, bool is_subset,
                                                     const ir::Descriptor &data,
                                                     symbolic::Context &context) {
  const ir::Memlet &memlet = edge.memlet;
  const std::size_t rank = data.shape.size();
  if (is_subset && !memlet.subset)
    return whole(data, context).dims;
  if (is_subset || memlet.other_subset)
    return intervals(is_subset ? memlet.subset : memlet.other_subset, rank, context);
  const auto told = intervals(memlet.subset, rank, context);
  return told ? untold(*told, data, context) : std::nullopt;
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
    // Symbols that are read from data hide those of the program; nothing is known of their values.
    if (!range_connectors(graph.state().node(*scope)).empty())
      return std::nullopt;
    for (std::size_t i = 0; i < map->params.size(); ++i) {
      const ir::Range &range = map->range.ranges()[i];
      if (has_fraction(range, context))
        return std::nullopt;
      binders.push_back(
          {map->params[i],
           {context.value(range.begin), context.value(range.end), context.value(range.step)}});
    }
  }
  return binders;
}

} // namespace

std::optional<std::vector<sets::Region>> footprint(const StateGraph &graph, const MemletTree &tree,
                                                   const ir::Descriptor &data,
                                                   symbolic::Context &context, Level level) {
  if (tree.unclear.has_value())
    return std::nullopt;
  std::vector<sets::Region> regions;
  for (const TreeEdge &leaf : level == Level::Leaves ? tree.leaves : tree.edges) {
    const ir::Edge &edge = graph.state().edge(leaf.edge);
    auto dims = data_side(edge, leaf.is_subset, data, context);
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
