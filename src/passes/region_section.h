// Parts of a region that control enters at one block and leaves at one place.
#pragma once

#include "ir/sdfg.h"

#include <unordered_set>
#include <vector>

namespace sdfgopt::passes {

/// Blocks of one region. All edges into them lead to `entry`, where the region begins if it begins
/// in one of them. Either all edges out of them leave from one block, which has no edges to others
/// of them; control comes to the region's end from no block but that one. Or no edge leads out of
/// them. (A block that breaks, continues or returns is no way out: nothing follows it.) So a block
/// that does what they do, and goes on where they do, can take their place.
struct Section {
  std::vector<ir::BlockId> blocks; ///< ascending
  ir::BlockId entry;
};

/// The smallest section that holds `wanted` (at least one); the whole region if control never comes
/// to some of its blocks. `start` is where the region begins. `open`: edges with conditions whose
/// block need not take any of its edges. Near-linear in the region's blocks and edges.
Section smallest_section(const ir::Region &region, ir::BlockId start,
                         const std::vector<ir::BlockId> &wanted,
                         const std::unordered_set<const ir::InterstateEdge *> &open);

/// The block that the region begins with, or none if that is not clear.
ir::BlockId start_of(const ir::Region &region);

} // namespace sdfgopt::passes
