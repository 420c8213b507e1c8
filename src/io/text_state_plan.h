// Internal to io: which edges of a state are told where in its text, and which follow from others.
#pragma once

#include "io/text_extras.h"
#include "io/text_rules.h"
#include "io/text_state_builder.h"

namespace sdfgopt::io {

/// An edge as one end of it tells it: the node at the far end, maybe beyond some scopes.
struct ListedEdge {
  std::uint32_t edge = 0;
  ir::NodeId far;
  support::Name far_connector;
  std::string_view via; ///< "": the memlet's data, or no scope in between
};

class StatePlan {
public:
  StatePlan(TextRules &rules, LeafExtras &extras, ir::State &state);

  std::vector<std::string> extras;               ///< by edge
  std::vector<std::vector<ListedEdge>> inputs;   ///< by node
  std::vector<std::vector<ListedEdge>> outputs;  ///< by node
  std::vector<std::uint32_t> statements;         ///< edges told in full
  std::vector<std::vector<ir::NodeId>> children; ///< by entry: nodes in its scope, without exits
  std::vector<ir::NodeId> top;                   ///< the same for the state itself
  std::vector<bool> dangling;                    ///< by node
  /// By node: the in and out connectors that edges imply, sorted.
  std::vector<std::pair<std::vector<support::Name>, std::vector<support::Name>>> connectors;
  std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> order;
  [[nodiscard]] bool path_source(std::uint32_t edge) const {
    return ends_.data_is_source(state_.edges[edge]);
  }

private:
  using Port = std::pair<std::uint32_t, std::string_view>;
  struct PortEdges {
    std::vector<std::uint32_t> inner;
    std::vector<std::uint32_t> outer;
    bool threads = false;  ///< told through: by the nodes at both ends
    bool resolved = false; ///< `far` is known
    ir::NodeId far;        ///< where the outer edge begins or ends, seen through further scopes
    support::Name far_connector;
  };

  void find_ports();
  void find_threads(bool entries);
  void find_derived(bool entries);
  void find_far_ends(bool entries);
  void find_implied();
  void list_edges();
  void find_order();
  void find_connectors();
  [[nodiscard]] bool same_edge(const ir::Edge &derived, std::uint32_t index) const;
  [[nodiscard]] bool is_plain_order(std::uint32_t index) const;
  PortEdges *port_of(ir::NodeId node, support::Name connector, const char *prefix, bool entries);

  TextRules &rules_;
  ir::State &state_;
  ir::ScopeTree tree_;
  Scopes scopes_;
  PathEnds ends_;
  std::map<Port, PortEdges> entry_ports_;
  std::map<Port, PortEdges> exit_ports_;
  std::vector<bool> follows_; // by edge: not told

public:
  [[nodiscard]] const ir::ScopeTree &tree() const { return tree_; }
};

} // namespace sdfgopt::io
