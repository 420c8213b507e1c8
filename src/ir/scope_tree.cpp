#include "ir/scope_tree.h"

namespace sdfgopt::ir {

ScopeTree::ScopeTree(const State &state) : scope_(state.nodes.size()) {
  const std::size_t count = state.nodes.size();
  // Successor lists in compressed form, then Kahn's order: a node's scope follows from any
  // predecessor's, so predecessors come first.
  std::vector<std::uint32_t> first(count + 1, 0);
  std::vector<std::uint32_t> pending(count, 0);
  for (const Edge &edge : state.edges)
    if (!edge.removed) {
      ++first[edge.src.value + 1];
      ++pending[edge.dst.value];
    }
  for (std::size_t i = 0; i < count; ++i)
    first[i + 1] += first[i];
  std::vector<std::uint32_t> successors(first[count]);
  std::vector<std::uint32_t> fill(first.begin(), first.end() - 1);
  for (const Edge &edge : state.edges)
    if (!edge.removed)
      successors[fill[edge.src.value]++] = edge.dst.value;

  std::vector<std::uint32_t> ready;
  for (std::size_t i = 0; i < count; ++i)
    if (pending[i] == 0)
      ready.push_back(static_cast<std::uint32_t>(i));
  while (!ready.empty()) {
    const std::uint32_t from = ready.back();
    ready.pop_back();
    const Node &node = state.nodes[from];
    NodeId inside = scope_[from];
    if (node.is_scope_entry())
      inside = NodeId(from);
    else if (node.is_scope_exit())
      inside = scope_[node.scope_partner().value];
    for (std::uint32_t k = first[from]; k < first[from + 1]; ++k) {
      const std::uint32_t to = successors[k];
      if (inside.has_value())
        scope_[to] = inside;
      if (--pending[to] == 0)
        ready.push_back(to);
    }
  }
  for (std::size_t i = 0; i < count; ++i)
    if (state.nodes[i].is_scope_exit())
      scope_[i] = state.nodes[i].scope_partner();
}

NodeId ScopeTree::top_level(NodeId node) const {
  while (scope_[node.value].has_value())
    node = scope_[node.value];
  return node;
}

} // namespace sdfgopt::ir
