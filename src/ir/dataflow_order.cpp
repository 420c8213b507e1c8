#include "ir/dataflow_order.h"

namespace sdfgopt::ir {

DataflowOrder::DataflowOrder(const State &state) : first_(state.nodes.size() + 1, 0) {
  const std::size_t count = state.nodes.size();
  std::vector<std::uint32_t> pending(count, 0);
  for (const Edge &edge : state.edges)
    if (!edge.removed) {
      ++first_[edge.src.value + 1];
      ++pending[edge.dst.value];
    }
  for (std::size_t i = 0; i < count; ++i)
    first_[i + 1] += first_[i];
  successors_.resize(first_[count]);
  std::vector<std::uint32_t> fill(first_.begin(), first_.end() - 1);
  for (const Edge &edge : state.edges)
    if (!edge.removed)
      successors_[fill[edge.src.value]++] = edge.dst;
  for (std::size_t i = 0; i < count; ++i)
    if (pending[i] == 0)
      nodes_.emplace_back(i);
  for (std::size_t done = 0; done < nodes_.size(); ++done)
    for (const NodeId next : successors(nodes_[done]))
      if (--pending[next.value] == 0)
        nodes_.push_back(next);
}

} // namespace sdfgopt::ir
