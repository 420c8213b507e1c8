#include "ir/scope_tree.h"

#include "ir/dataflow_order.h"

namespace sdfgopt::ir {

ScopeTree::ScopeTree(const State &state) : scope_(state.nodes.size()) {
  // A node's scope follows from its predecessors', which come first.
  const DataflowOrder order(state);
  for (const NodeId from : order.nodes()) {
    const Node &node = state.node(from);
    NodeId inside = scope_[from.value];
    if (node.is_scope_entry())
      inside = from;
    else if (node.is_scope_exit())
      inside = scope_[node.scope_partner().value];
    if (inside.has_value())
      for (const NodeId to : order.successors(from))
        scope_[to.value] = inside;
  }
  for (std::size_t i = 0; i < state.nodes.size(); ++i)
    if (state.nodes[i].is_scope_exit())
      scope_[i] = state.nodes[i].scope_partner();
}

NodeId ScopeTree::top_level(NodeId node) const {
  while (scope_[node.value].has_value())
    node = scope_[node.value];
  return node;
}

} // namespace sdfgopt::ir
