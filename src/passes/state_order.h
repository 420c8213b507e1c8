// Order inside of one state that the rewrite needs and that an edge can bring about.
#pragma once

#include "passes/redirect.h"

namespace sdfgopt::passes {

/// The read of G is over before `definition`, a write of T in the same state, begins: as the state
/// is, with the edges of `planned`, or with one more that is added to `planned`. T and G are those
/// of `redirection`. False if no edge does it: there would be a cycle, or the edge would begin or
/// end at a node that cannot have it.
bool order_before(Analyses &analyses, const analysis::Event &read, const DataAccess &definition,
                  const Redirection &redirection, std::vector<OrderingEdge> &planned);

/// The same within each iteration of the maps around both, for a read by what also defines T: all
/// of its leaves are over before those of the definition begin. If not, nothing is planned.
bool order_within(Analyses &analyses, const analysis::MemletTree &read,
                  const DataAccess &definition, const Redirection &redirection,
                  std::vector<OrderingEdge> &planned);

} // namespace sdfgopt::passes
