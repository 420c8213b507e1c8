// Order of a state's nodes and copies, and the paths of its memlets.
#include "interp/state_compiler.h"

#include "support/mixed.h"

#include <queue>

namespace sdfgopt::interp {

const ir::Descriptor *StateCompiler::descriptor(NodeId access_node) const {
  return frame_.sdfg().find_array(access(access_node)->data);
}

void StateCompiler::index_paths() {
  const auto add = [](Paths &paths, NodeId node, Name connector, std::string_view prefix,
                      std::size_t edge) {
    const std::string_view text = connector.view();
    if (text.starts_with(prefix))
      paths.try_emplace({node, text.substr(prefix.size())}, EdgeId(edge));
  };
  for (std::size_t k = 0; k < state_.edges.size(); ++k) {
    const ir::Edge &edge = state_.edges[k];
    if (edge.removed)
      continue;
    add(onward_, edge.src, edge.src_connector, "OUT_", k);
    add(backward_, edge.dst, edge.dst_connector, "IN_", k);
  }
}

support::result<ir::NodeId> StateCompiler::far_end(EdgeId edge, bool forward) const {
  // The dataflow has no cycle, so this ends.
  while (true) {
    const ir::Edge &e = state_.edge(edge);
    const NodeId node = forward ? e.dst : e.src;
    const std::string_view connector = (forward ? e.dst_connector : e.src_connector).view();
    const std::string_view prefix = forward ? "IN_" : "OUT_";
    const bool through = state_.node(node).is_scope_entry() || state_.node(node).is_scope_exit();
    if (!through || !connector.starts_with(prefix))
      return node;
    const Paths &paths = forward ? onward_ : backward_;
    const auto next = paths.find({node, connector.substr(prefix.size())});
    if (next == paths.end())
      return cannot_run("no edge goes on from connector '" + std::string(connector) + "'");
    edge = next->second;
  }
}

ir::EdgeId StateCompiler::view_edge(NodeId view) const {
  const auto in = graph_.in_edges(view);
  const auto out = graph_.out_edges(view);
  for (const EdgeId edge : in)
    if (state_.edge(edge).dst_connector.view() == "views")
      return edge;
  for (const EdgeId edge : out)
    if (state_.edge(edge).src_connector.view() == "views")
      return edge;
  // Without the mark: the side that leads to an access node, if the other does not.
  const auto candidate = [&](std::span<const EdgeId> edges, bool forward) {
    if (edges.size() != 1 || state_.edge(edges[0]).memlet.is_empty())
      return EdgeId();
    const auto node = far_end(edges[0], forward);
    return node.ok() && access(node.value()) ? edges[0] : EdgeId();
  };
  const EdgeId before = candidate(in, false);
  const EdgeId after = candidate(out, true);
  if (before.has_value() && after.has_value())
    return {};
  return before.has_value() ? before : after;
}

bool StateCompiler::is_view_edge(EdgeId edge) const {
  const ir::Edge &e = state_.edge(edge);
  const auto belongs_to = [&](NodeId node) {
    if (!access(node))
      return false;
    const ir::Descriptor *array = descriptor(node);
    return array && array->kind == ir::DescriptorKind::View && view_edge(node) == edge;
  };
  return belongs_to(e.src) || belongs_to(e.dst);
}

bool StateCompiler::is_reference_set(EdgeId edge) const {
  return state_.edge(edge).dst_connector.view() == "set" && access(state_.edge(edge).dst);
}

/// Of a path between two access nodes, its innermost edge is the copy.
support::result<bool> StateCompiler::is_copy(EdgeId edge) {
  const ir::Edge &e = state_.edge(edge);
  if (e.memlet.is_empty() || is_view_edge(edge))
    return false;
  SDFGOPT_TRY(const NodeId src, far_end(edge, false));
  SDFGOPT_TRY(const NodeId dst, far_end(edge, true));
  if (!access(src) || !access(dst))
    return false;
  return (access(e.src) && !state_.node(e.dst).is_scope_entry()) ||
         (access(e.dst) && !state_.node(e.src).is_scope_exit());
}

support::result<void> StateCompiler::find_steps() {
  const std::size_t nodes = state_.nodes.size();
  const std::size_t count = nodes + state_.edges.size();
  steps_.successors.resize(count);
  steps_.waiting.resize(count);
  for (std::size_t k = 0; k < nodes; ++k) {
    const ir::Node &node = state_.nodes[k];
    if (!node.removed && !node.is_scope_exit())
      steps_.of_scope[graph_.scope_of(NodeId(k)).value].push_back(static_cast<std::uint32_t>(k));
  }
  const auto order = [&](std::uint32_t before, std::uint32_t after) {
    steps_.successors[before].push_back(after);
    ++steps_.waiting[after];
  };
  for (std::size_t k = 0; k < state_.edges.size(); ++k) {
    const ir::Edge &edge = state_.edges[k];
    if (edge.removed)
      continue;
    // The level of an edge is the scope that its target is in, an exit being inside of its own.
    const NodeId level = graph_.scope_of(edge.dst);
    const bool from_entry = level.has_value() && edge.src == level;
    const NodeId before =
        state_.node(edge.src).is_scope_exit() ? state_.node(edge.src).scope_partner() : edge.src;
    const bool to_exit = state_.node(edge.dst).is_scope_exit();
    if (!from_entry && graph_.scope_of(before) != level)
      return at(edge.dst, cannot_run("an edge that enters or leaves a scope beside its entry and "
                                     "exit"));
    const support::result<bool> is_a_copy = is_copy(EdgeId(k));
    if (!is_a_copy.ok())
      return at(edge.dst, is_a_copy.error());
    const bool copies = is_a_copy.value();
    const auto step = static_cast<std::uint32_t>(nodes + k);
    if (copies) {
      steps_.of_scope[level.value].push_back(step);
      if (!from_entry)
        order(before.value, step);
      if (!to_exit)
        order(step, edge.dst.value);
    } else if (!from_entry && !to_exit) {
      order(before.value, edge.dst.value);
    }
  }
  return {};
}

/// What is ready runs in the order of this number. Drawn at random alone, long chains hardly ever
/// end before short ones; so half of the seeds go on with what has just become ready.
std::uint64_t StateCompiler::priority(std::uint32_t step, std::uint64_t steps_before) const {
  const std::uint64_t seed = frame_.unit().order_seed;
  if (seed == 0)
    return step;
  const std::uint64_t random = support::mixed(seed ^ support::mixed(step));
  const bool depth_first = (support::mixed(seed) & 1U) != 0;
  return depth_first ? ((~steps_before) << 32U) | (random >> 32U) : random;
}

support::result<void> StateCompiler::level(NodeId scope) {
  for (const Name name : frame_.lifetimes().fresh_in(&state_, scope))
    SDFGOPT_CHECK(frame_.allocate(name, true));
  const auto found = steps_.of_scope.find(scope.value);
  if (found == steps_.of_scope.end())
    return {};
  std::size_t left = found->second.size();
  using Entry = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (const std::uint32_t step : found->second)
    if (steps_.waiting[step] == 0)
      ready.emplace(priority(step, 0), step);
  while (!ready.empty()) {
    const std::uint32_t step = ready.top().second;
    ready.pop();
    --left;
    if (step < state_.nodes.size()) {
      SDFGOPT_CHECK(node(NodeId(step)));
    } else {
      const EdgeId edge(step - state_.nodes.size());
      auto done = is_reference_set(edge) ? set_reference(edge) : copy(edge);
      if (!done.ok())
        return at(state_.edge(edge).src, done.error());
    }
    for (const std::uint32_t next : steps_.successors[step])
      if (--steps_.waiting[next] == 0)
        ready.emplace(priority(next, found->second.size() - left), next);
  }
  return left == 0 ? support::result<void>() : cannot_run("dataflow with a cycle");
}

} // namespace sdfgopt::interp
