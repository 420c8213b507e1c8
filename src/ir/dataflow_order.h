// The nodes of a state in an order that its edges agree with.
#pragma once

#include "ir/state.h"

#include <span>

namespace sdfgopt::ir {

/// Linear in nodes and edges. Removed edges are skipped.
class DataflowOrder {
public:
  explicit DataflowOrder(const State &state);

  /// Every node behind all of its predecessors. Nodes on a cycle, or behind one, are left out: the
  /// state is acyclic exactly if none is.
  [[nodiscard]] const std::vector<NodeId> &nodes() const { return nodes_; }
  /// Targets of a node's out-edges, one an edge.
  [[nodiscard]] std::span<const NodeId> successors(NodeId node) const {
    return std::span(successors_)
        .subspan(first_[node.value], first_[node.value + 1] - first_[node.value]);
  }

private:
  std::vector<std::uint32_t> first_;
  std::vector<NodeId> successors_;
  std::vector<NodeId> nodes_;
};

} // namespace sdfgopt::ir
