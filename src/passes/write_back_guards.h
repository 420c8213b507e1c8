// Candidates that are right under a condition: both versions, and a branch between them.
// Internal to the pass.
#pragma once

#include "passes/write_back_driver.h"

namespace sdfgopt::passes {

/// `--guard`: for the kept entries of `driver` that are right under a condition, the smallest part
/// of the control flow around the buffer becomes two versions (region_versions.h), and the buffer
/// of the version under the condition is eliminated, by the same proofs as any other: that the
/// condition holds in its branch is one of the facts there. Where a proof does not come off, the
/// program is as before. Remarks of the entries are updated. What the solver is asked on the way is
/// added to `statistics`. Returns whether anything changed; then `driver` is of no use any more but
/// for its entries' remarks.
bool guard_candidates(ir::Document &document, const PassOptions &options, WriteBackDriver &driver,
                      sets::Statistics &statistics);

} // namespace sdfgopt::passes
