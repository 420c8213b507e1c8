// Reads of G by what also defines T, after the move: rule R3 in the defining state.
//
// In all of this `read` is an access of G and `write` one of T in the same state, and T[i] is going
// to be G[i + offset] (`redirection`). The questions are over the symbols of the program, with map
// parameters as binders.
#pragma once

#include "passes/redirect.h"

namespace sdfgopt::passes {

/// If all of the questions hold, no iteration of the maps that are around both reads an element
/// that another one writes. Together with reads_first, the read is right. No question is needed
/// where that is seen at once, as it is where no map is around both. Nothing where it cannot be
/// asked: a scope is no plain map, an index does not say which element it is, there are too many.
std::optional<std::vector<sets::Question>> iterations_apart(const analysis::StateGraph &graph,
                                                            const analysis::MemletTree &read,
                                                            const analysis::MemletTree &write,
                                                            const Redirection &redirection,
                                                            Analyses &analyses);

/// What becomes of a nested SDFG that both reads G and writes T. Even if it reads first, nobody can
/// tell that its code does: DaCe declares its arguments to be different memory.
enum class InNested : std::uint8_t { Refused, Trusted };

/// Within each iteration of the maps that are around both, what the leaf reads is read when the
/// other leaf's writing begins.
bool read_ends_before(const analysis::StateGraph &graph, const analysis::MemletTree &read_tree,
                      const analysis::TreeEdge &read, const analysis::MemletTree &write_tree,
                      const analysis::TreeEdge &write, const Analyses &analyses, InNested nested);

/// The same for all leaves.
bool reads_first(const analysis::StateGraph &graph, const analysis::MemletTree &read,
                 const analysis::MemletTree &write, const Analyses &analyses, InNested nested);

} // namespace sdfgopt::passes
