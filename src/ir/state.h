// A state: an acyclic multigraph of dataflow nodes and memlet edges.
#pragma once

#include "ir/element.h"
#include "ir/ids.h"
#include "ir/memlet.h"

#include <memory>
#include <utility>
#include <variant>

namespace sdfgopt::ir {

struct Sdfg;

/// Source text in a language ("Python", "CPP", ...), decoded.
struct Code {
  std::string_view text;
  Name language;
  bool operator==(const Code &) const = default;
};

struct AccessNode {
  Name data; ///< a dotted name (`S.x`) addresses a structure's member
  bool setzero = false;
};
struct Tasklet {
  Code code;
};
/// Params and ranges are those of the Map object that entry and exit share; `exit` is its exit
/// node.
struct MapEntry {
  std::vector<Name> params;
  Subset range;
  std::string_view schedule; ///< JSON; empty: "Default"
  NodeId exit;
};
struct MapExit {
  NodeId entry;
};
struct ConsumeEntry {
  Name pe_index;
  Expression num_pes;
  NodeId exit;
};
struct ConsumeExit {
  NodeId entry;
};
struct NestedSdfg {
  std::unique_ptr<Sdfg> sdfg;                              ///< null: the body is in another file
  std::vector<std::pair<Name, Expression>> symbol_mapping; ///< inner name -> outer value, by name
};
struct LibraryNode {
  Name class_path; ///< the node's class, "dace.libraries.standard.nodes.reduce.Reduce"
};
/// A node type this program does not know: carried, and data that it touches is not rewritten.
struct UnknownNode {};

using NodeDetail = std::variant<AccessNode, Tasklet, MapEntry, MapExit, ConsumeEntry, ConsumeExit,
                                NestedSdfg, LibraryNode, UnknownNode>;

struct Connector {
  Name name;
  std::string_view dtype; ///< JSON; "null": inferred
};

struct Node : Leaf {
  Name type;  ///< as in the file: "AccessNode", "Tasklet", ...
  Name label; ///< attributes.label or name; none for access nodes, exits and others without one
  NodeDetail detail;
  std::vector<Connector> in_connectors; ///< sorted by name, as in the file
  std::vector<Connector> out_connectors;
  bool removed = false;

  template <typename Kind> [[nodiscard]] bool is() const {
    return std::holds_alternative<Kind>(detail);
  }
  template <typename Kind> [[nodiscard]] const Kind *as() const {
    return std::get_if<Kind>(&detail);
  }
  template <typename Kind> [[nodiscard]] Kind *as() { return std::get_if<Kind>(&detail); }

  [[nodiscard]] bool is_scope_entry() const { return is<MapEntry>() || is<ConsumeEntry>(); }
  [[nodiscard]] bool is_scope_exit() const { return is<MapExit>() || is<ConsumeExit>(); }
  /// The partner of a scope entry or exit; none for other nodes.
  [[nodiscard]] NodeId scope_partner() const;
};

struct Edge : Leaf {
  NodeId src;
  NodeId dst;
  Name src_connector; ///< none: null
  Name dst_connector;
  Memlet memlet;
  bool memlet_changed = false;
  bool removed = false;
};

struct State {
  StateId id;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  /// Node positions have shifted since the file was read: every node and edge is written anew.
  bool renumbered = false;

  [[nodiscard]] Node &node(NodeId id) { return nodes[id.value]; }
  [[nodiscard]] const Node &node(NodeId id) const { return nodes[id.value]; }
  [[nodiscard]] Edge &edge(EdgeId id) { return edges[id.value]; }
  [[nodiscard]] const Edge &edge(EdgeId id) const { return edges[id.value]; }
};

/// Drops removed nodes and edges, renumbers the rest, and sorts the edges the way files have them:
/// by (source connector, destination connector), stable. Does nothing if nothing was removed and
/// the order holds.
void compact(State &state);

} // namespace sdfgopt::ir
