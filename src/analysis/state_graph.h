// Adjacency, scopes and order of one state.
#pragma once

#include "ir/scope_tree.h"
#include "ir/state.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace sdfgopt::analysis {

using ir::EdgeId;
using ir::NodeId;

/// Connectors of a scope entry that do not pass data through: each is a symbol in the scope, with a
/// value that is read from data.
std::vector<support::Name> range_connectors(const ir::Node &node);

/// Built once a state, in linear time; a pass that adds, moves or removes edges tells it
/// (add_edges, move_source, remove_edge), so that it never has to be built again.
class StateGraph {
public:
  explicit StateGraph(const ir::State &state);

  [[nodiscard]] const ir::State &state() const { return *state_; }
  /// Edges that were removed are not listed. Order: as in the state.
  [[nodiscard]] std::span<const EdgeId> in_edges(NodeId node) const;
  [[nodiscard]] std::span<const EdgeId> out_edges(NodeId node) const;
  /// The entry of the innermost scope around `node` (an exit is in its own scope), or none.
  [[nodiscard]] NodeId scope_of(NodeId node) const { return scopes_.scope_of(node); }
  [[nodiscard]] NodeId top_level(NodeId node) const { return scopes_.top_level(node); }
  /// Names of all map and consume parameters in the state, and of symbols that scope entries read
  /// from data (range_connectors), sorted by text.
  [[nodiscard]] const std::vector<support::Name> &parameters() const { return parameters_; }
  [[nodiscard]] bool is_acyclic() const { return acyclic_; }

  /// There is a path (of no, one or more edges) from `from` to `to`. The search is limited to nodes
  /// between the two in a topological order.
  [[nodiscard]] bool reaches(NodeId from, NodeId to) const;

  /// Edges of the scope's inside that continue `edge` through the scope entry or exit at its end:
  /// IN_x goes on as OUT_x. Nothing if the edge does not pass through.
  [[nodiscard]] std::vector<EdgeId> continuation(EdgeId edge, bool outward_in) const;

  void remove_edge(EdgeId edge);
  /// Edges that the state has got; they must not close a cycle. Linear in the state, so those of
  /// one change are added together.
  void add_edges(std::span<const EdgeId> edges);
  /// Edge `edge` gets `source` as its source; the caller changes the state alike. `source` must not
  /// lie behind the edge's target.
  void move_source(EdgeId edge, NodeId source);

private:
  using EdgeLists = std::unordered_map<std::uint32_t, std::vector<EdgeId>>;
  static std::span<const EdgeId> list(NodeId node, const std::vector<std::uint32_t> &first,
                                      const std::vector<EdgeId> &edges, const EdgeLists &changed);
  std::vector<EdgeId> &changed_out(NodeId node);
  std::vector<EdgeId> &changed_in(NodeId node);
  void sort_topologically();

  const ir::State *state_;
  ir::ScopeTree scopes_;
  std::vector<std::uint32_t> first_out_, first_in_; // compressed lists, as built
  std::vector<EdgeId> out_, in_;
  EdgeLists changed_out_, changed_in_;  // whole lists of nodes whose edges changed since
  std::vector<std::uint32_t> position_; // smaller than that of every successor
  std::vector<support::Name> parameters_;
  bool acyclic_ = true;
};

} // namespace sdfgopt::analysis
