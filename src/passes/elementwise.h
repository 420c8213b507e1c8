// Reads and writes of one map that go element by element.
#pragma once

#include "passes/redirect.h"

namespace sdfgopt::passes {

/// The proof for rule R3's exception. `read` is an access of G and `write` one of T in the same map
/// scope, and T[i] is going to be G[i + offset] (`redirection`). True if each iteration reads no
/// element that another one writes, and in its own iteration every read comes before the write.
/// Proved by form: a single element is read and written, the index of the read is that of the write
/// plus the offset, and each parameter of the maps around both stands alone in one dimension of it,
/// so that two iterations never have the same index.
bool is_elementwise(const analysis::StateGraph &graph, const analysis::MemletTree &read,
                    const analysis::MemletTree &write, const Redirection &redirection,
                    Analyses &analyses);

/// Within each iteration of a map that holds both, the reads are over when the write begins. Of a
/// nested SDFG that does both, this is not asked.
bool reads_first(const analysis::StateGraph &graph, const analysis::MemletTree &read,
                 const analysis::MemletTree &write, Analyses &analyses);

} // namespace sdfgopt::passes
