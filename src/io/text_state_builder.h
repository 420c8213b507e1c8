// Internal to io: from the edges that a state's text tells to all edges of the state.
#pragma once

#include "io/text_rules.h"
#include "ir/sdfg.h"

#include <map>
#include <vector>

namespace sdfgopt::io {

/// How an edge between two nodes runs, judged by the scopes that they stand in.
enum class Course : std::uint8_t {
  Direct,
  Inwards,   ///< from outside of scopes around the destination: through their entries
  Outwards,  ///< to outside of scopes around the source: through their exits
  Unrelated, ///< the nodes stand in different scopes beside each other
};

/// The scope around each node, by its entry; an exit counts as standing where its entry stands.
class Scopes {
public:
  Scopes(const ir::State &state, std::vector<ir::NodeId> around)
      : state_(state), around_(std::move(around)) {}

  [[nodiscard]] ir::NodeId around(ir::NodeId node) const { return around_[node.value]; }
  [[nodiscard]] std::size_t depth(ir::NodeId node) const;
  /// `inside` is set to the scope that a direct edge would run in.
  [[nodiscard]] Course course(ir::NodeId src, ir::NodeId dst) const;
  /// The scope in which edges out of (into) `node` run, seen from `peer`: its own scope if `node`
  /// is an entry (exit) around it.
  [[nodiscard]] ir::NodeId scope_of_source(ir::NodeId node, ir::NodeId peer) const;
  [[nodiscard]] ir::NodeId scope_of_destination(ir::NodeId node, ir::NodeId peer) const;

private:
  [[nodiscard]] bool within(ir::NodeId scope, ir::NodeId ancestor) const;

  const ir::State &state_;
  std::vector<ir::NodeId> around_;
};

/// One edge as told.
struct ToldEdge {
  ir::Edge edge;          ///< with the far node as its end, even where it runs through scopes
  support::Name via;      ///< `x` of the connectors IN_x, OUT_x on its way; none: the memlet's data
  bool direct = false;    ///< told by an `edge` statement: does not run through scopes
  std::size_t offset = 0; ///< in the text, for errors
};

class StateBuilder {
public:
  StateBuilder(ir::Document &document, TextRules &rules, ir::State &state)
      : document_(document), rules_(rules), state_(state) {}

  // Filled by the parser.
  std::vector<ir::NodeId> around; ///< by node
  std::vector<ToldEdge> told;
  std::vector<bool> dangling;                    ///< by node: no edge to the scope's exit
  std::vector<std::pair<bool, bool>> connectors; ///< by node: are its in, out connectors told
  /// Told order: blocks of positions and the sorted edges that go there.
  std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> order;
  std::size_t order_offset = 0;

  /// Throws TextFault.
  void build();

private:
  struct Demand {
    ir::NodeId node; ///< the far end
    support::Name connector;
    std::size_t offset;
  };
  using Port = std::pair<std::uint32_t, std::string_view>; // scope node, `x` of IN_x or OUT_x

  void add_told(const Scopes &scopes);
  void add_edge(ir::Edge edge);
  void demand(std::map<Port, Demand> &demands, Port port, const Demand &added);
  void derive_entries(const Scopes &scopes);
  void derive_exits(const Scopes &scopes);
  std::vector<ir::NodeId> inner_first(const Scopes &scopes, bool entries) const;
  void add_orders(const Scopes &scopes);
  void add_connectors();
  void sort_edges();
  support::Name port_name(const char *prefix, std::string_view key);

  ir::Document &document_;
  TextRules &rules_;
  ir::State &state_;
  std::map<Port, Demand> wanted_in_;  // at entries: where IN_x comes from
  std::map<Port, Demand> wanted_out_; // at exits: where OUT_x goes to
  std::map<Port, Demand> given_in_;   // told outer edges
  std::map<Port, Demand> given_out_;
  std::map<Port, std::uint32_t> inner_; // the inner edge that decides about the outer one
};

/// Of several edges at the inner side of a port, the one that the outer edge is derived from.
bool decides_before(const ir::Edge &a, const ir::Edge &b, bool entry);

/// The edge outside of a scope entry or exit that follows from `inner`; its ends are to be set.
ir::Edge derived_edge(TextRules &rules, const ir::State &state, const ir::Edge &inner, bool entry);

/// An edge without data that only orders two nodes.
ir::Memlet order_memlet(ir::Document &document);

} // namespace sdfgopt::io
