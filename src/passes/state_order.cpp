// Order inside of one state that the rewrite needs and that an edge can bring about.
//
// The edge is an empty memlet between two nodes of one scope. It begins where the read is over:
// at an access node that gets what the reader computes, so that scope exits only lead to access
// nodes, as transformations expect; only where there is none, the reader itself is ordered.
#include "passes/state_order.h"

#include "passes/elementwise.h"

#include <algorithm>

namespace sdfgopt::passes {

namespace {

using analysis::Event;
using analysis::StateGraph;

class Planner {
public:
  Planner(Analyses &analyses, ir::State &state, const Redirection &redirection,
          std::vector<OrderingEdge> &planned)
      : analyses_(analyses), state_(state), graph_(analyses.accesses.graph(state)),
        redirection_(redirection), planned_(planned) {}

  /// Lets `start` begin after `done` is over; both are in one scope.
  bool order(NodeId done, NodeId start) {
    if (done == start || !graph_.is_acyclic() || !can_wait(start))
      return false;
    for (const OrderingEdge &edge : planned_)
      if (edge.state == &state_ && edge.to == start && graph_.reaches(done, edge.from))
        return true;
    for (const NodeId from : ends_of(done))
      if (!comes_before(start, from)) {
        planned_.push_back({&state_, from, start});
        return true;
      }
    return false;
  }

  /// The same for two nodes that may be in different scopes: the outermost scopes around only one
  /// of them are ordered as a whole.
  bool order_leaves(NodeId reader, NodeId writer) {
    const std::vector<NodeId> read_levels = levels_of(reader);
    const std::vector<NodeId> write_levels = levels_of(writer);
    std::size_t i = 0; // levels of one node have that node last, so this ends in range
    while (i < read_levels.size() && i < write_levels.size() && read_levels[i] == write_levels[i])
      ++i;
    if (i == read_levels.size() || i == write_levels.size())
      return false;
    const NodeId exit = state_.node(read_levels[i]).scope_partner();
    return order(state_.node(read_levels[i]).is_scope_entry() ? exit : read_levels[i],
                 write_levels[i]);
  }

private:
  /// Entries of the scopes around the node, the outermost first, and the node.
  std::vector<NodeId> levels_of(NodeId node) {
    std::vector<NodeId> levels;
    for (; node.has_value(); node = graph_.scope_of(node))
      levels.push_back(node);
    std::reverse(levels.begin(), levels.end());
    return levels;
  }

  /// There is a path with the planned edges. (They end at few nodes: where T's definitions begin.)
  bool comes_before(NodeId node, NodeId other) {
    std::vector<NodeId> work = {node};
    for (std::size_t i = 0; i < work.size(); ++i) {
      if (graph_.reaches(work[i], other))
        return true;
      for (const OrderingEdge &edge : planned_)
        if (edge.state == &state_ && std::find(work.begin(), work.end(), edge.to) == work.end() &&
            graph_.reaches(work[i], edge.from))
          work.push_back(edge.to);
    }
    return false;
  }

  /// Where an edge can begin once a read that is over at `done` is, in the order of preference.
  std::vector<NodeId> ends_of(NodeId done) {
    if (state_.node(done).is<ir::AccessNode>()) // of a copy
      return is_settled(done) ? std::vector<NodeId>{done} : std::vector<NodeId>{};
    std::vector<NodeId> nodes;
    bool computes = false;
    for (const EdgeId edge : graph_.out_edges(done)) {
      const NodeId target = state_.edge(edge).dst;
      computes = computes || !state_.edge(edge).memlet.is_empty();
      if (!state_.edge(edge).memlet.is_empty() && state_.node(target).is<ir::AccessNode>() &&
          is_settled(target))
        nodes.push_back(target);
    }
    std::sort(nodes.begin(), nodes.end());
    const ir::Node &node = state_.node(done);
    if (node.is<ir::Tasklet>() || node.is<ir::NestedSdfg>() ||
        (node.is<ir::MapExit>() && !computes))
      nodes.push_back(done);
    return nodes;
  }

  /// An access node that stays what it is: neither T's nor G's, which are joined and removed. (Of
  /// Views and the like, the edges say what they stand for.)
  bool is_settled(NodeId node) {
    const Name data = state_.node(node).as<ir::AccessNode>()->data;
    const ir::Descriptor *descriptor = analyses_.sdfg.find_array(data);
    return data != redirection_.from && data != redirection_.to && descriptor &&
           (descriptor->kind == ir::DescriptorKind::Array ||
            descriptor->kind == ir::DescriptorKind::Scalar);
  }

  /// The node may get an empty memlet. A library node need not: DaCe's Reduce insists on one
  /// in-edge, and expansions look at them by position. A transient that is only read must be a
  /// source of its state (ADR-18 rule 9).
  bool can_wait(NodeId node) {
    const ir::Node &target = state_.node(node);
    if (const auto *access = target.as<ir::AccessNode>())
      return is_settled(node) && (!analyses_.sdfg.find_array(access->data)->transient ||
                                  !graph_.in_edges(node).empty());
    return target.is<ir::MapEntry>() || target.is<ir::Tasklet>() || target.is<ir::NestedSdfg>();
  }

  Analyses &analyses_;
  ir::State &state_;
  const StateGraph &graph_;
  const Redirection &redirection_;
  std::vector<OrderingEdge> &planned_;
};

} // namespace

bool order_before(Analyses &analyses, const Event &read, const DataAccess &definition,
                  const Redirection &redirection, std::vector<OrderingEdge> &planned) {
  ir::State &state = *definition.site.state;
  if (read.state != &state)
    return false;
  return analysis::ordered(analyses.accesses.graph(state), read, definition.event) ||
         Planner(analyses, state, redirection, planned).order(read.done, definition.event.start);
}

bool order_within(Analyses &analyses, const analysis::MemletTree &read,
                  const DataAccess &definition, const Redirection &redirection,
                  std::vector<OrderingEdge> &planned) {
  ir::State &state = *definition.site.state;
  const StateGraph &graph = analyses.accesses.graph(state);
  const analysis::MemletTree &write = definition.tree;
  if (read.unclear.has_value() || write.unclear.has_value())
    return false;
  const auto before = static_cast<std::ptrdiff_t>(planned.size());
  Planner planner(analyses, state, redirection, planned);
  for (const analysis::TreeEdge &from : read.leaves)
    for (const analysis::TreeEdge &to : write.leaves)
      if (!read_ends_before(graph, read, from, write, to, analyses, InNested::Refused) &&
          !planner.order_leaves(read.far_end(state, from), write.far_end(state, to))) {
        planned.erase(planned.begin() + before, planned.end());
        return false;
      }
  return true;
}

} // namespace sdfgopt::passes
