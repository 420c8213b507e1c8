// All memlets that one access of data consists of: from an edge at an access node through map
// scopes to the nodes that compute.
#pragma once

#include "analysis/state_graph.h"
#include "ir/descriptor.h"
#include "sets/solver.h"

#include <algorithm>
#include <optional>

namespace sdfgopt::analysis {

using support::Name;

enum class Role : std::uint8_t { Read, Write };

/// An edge of the tree, and which of its memlet's two subsets is the part of the tree's data.
struct TreeEdge {
  EdgeId edge;
  bool is_subset; ///< `subset`; otherwise `other_subset`, which may be absent
};

struct MemletTree {
  std::vector<TreeEdge> edges;  ///< the edge at the access node first, then inwards
  std::vector<TreeEdge> leaves; ///< those that end at a node that is not a scope entry or exit
  /// An edge whose memlet has the same data at both ends, or data that is at neither end: it is not
  /// clear what it means. None as a rule.
  EdgeId unclear;

  /// The node at the far end of a leaf.
  [[nodiscard]] NodeId far_end(const ir::State &state, const TreeEdge &leaf) const {
    return role == Role::Read ? state.edge(leaf.edge).dst : state.edge(leaf.edge).src;
  }
  [[nodiscard]] bool is_leaf(EdgeId edge) const {
    return std::any_of(leaves.begin(), leaves.end(),
                       [&](const TreeEdge &leaf) { return leaf.edge == edge; });
  }
  Role role = Role::Read;
};

/// The tree of the access that `edge` at an access node of `data` is: a read if the node is its
/// source. The edge must not be empty.
MemletTree memlet_tree(const StateGraph &graph, EdgeId edge, Name data, Role role);

/// The text has a quotient or remainder in it. Python rounds these down, the C++ that DaCe prints
/// cuts them towards 0, and a sum of two is not the quotient of the sum; so nothing is concluded
/// from them.
bool has_quotient(symbolic::Expression expression);

/// The part of `data` that an edge moves, where its memlet says it, or where all versions of DaCe
/// take the same for what it leaves out: the whole array, if each extent is the length told for the
/// other end; the same part as told, if that begins at 0 and certainly is not the whole. Nothing
/// where it cannot be told (other numbers of dimensions, tiles, quotients).
std::optional<std::vector<sets::Interval>> data_side(const ir::Edge &edge, bool is_subset,
                                                     const ir::Descriptor &data,
                                                     symbolic::Context &context);

/// Which memlets of a tree are looked at: those at the leaves say what is touched, those outside of
/// scopes may say more.
enum class Level : std::uint8_t { Leaves, AllMemlets };

/// Elements of the data that the access may touch, one region a memlet, seen from outside all
/// scopes: map parameters are binders. Nothing if some memlet cannot be told.
std::optional<std::vector<sets::Region>> footprint(const StateGraph &graph, const MemletTree &tree,
                                                   const ir::Descriptor &data,
                                                   symbolic::Context &context,
                                                   Level level = Level::Leaves);

/// Where in its state an access begins and ends: it takes place after `start` became ready and is
/// over when `done` is. A map scope begins at its entry and ends at its exit.
struct Event {
  const ir::State *state;
  NodeId start;
  NodeId done;
};
Event event_of(const StateGraph &graph, EdgeId edge, Role role);

/// `first` is over before `second` begins, in every run of the state that both are in.
bool ordered(const StateGraph &graph, const Event &first, const Event &second);

} // namespace sdfgopt::analysis
