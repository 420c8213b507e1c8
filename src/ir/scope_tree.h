// Which scope (map or consume) each node of a state is in, told by the edges alone.
#pragma once

#include "ir/state.h"

namespace sdfgopt::ir {

/// The innermost scope around each node: the entry node of that scope, or none at the top level.
/// An entry's own scope is the one around it; an exit counts as being in the scope that it closes.
/// The file's `scope_entry` fields are not consulted: DaCe derives scopes from the edges, too.
class ScopeTree {
public:
  /// Linear in nodes and edges. Removed nodes and edges are skipped.
  explicit ScopeTree(const State &state);

  [[nodiscard]] NodeId scope_of(NodeId node) const { return scope_[node.value]; }
  /// The node itself if at the top level, else the outermost scope entry around it. An exit maps to
  /// its entry's.
  [[nodiscard]] NodeId top_level(NodeId node) const;

private:
  std::vector<NodeId> scope_;
};

} // namespace sdfgopt::ir
