// Parts of a region that control enters at one block and leaves at one place.
#pragma once

#include "ir/sdfg.h"

#include <memory>
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

/// The sections of one region, which outlives this and does not change.
class RegionSections {
public:
  /// `start` is where the region begins. `open`: edges with conditions whose block need not take
  /// any of its edges. Near-linear in the region's blocks and edges.
  RegionSections(const ir::Region &region, ir::BlockId start,
                 const std::unordered_set<const ir::InterstateEdge *> &open);
  RegionSections(RegionSections &&) noexcept;
  RegionSections &operator=(RegionSections &&) noexcept;
  ~RegionSections();

  struct Partition {
    std::vector<Section> sections; ///< disjoint
    std::vector<std::size_t> of;   ///< the section of each list
  };
  /// For each list of blocks (at least one) the smallest section that holds them; those that
  /// overlap become the smallest one around both, and so on. The whole region if control never
  /// comes to some of its blocks. Near-linear in the lists, and in the blocks of the result and
  /// their edges, not in the region.
  Partition partition(const std::vector<std::vector<ir::BlockId>> &lists);

  /// Indices of the region's edges that leave the block.
  [[nodiscard]] const std::vector<std::uint32_t> &edges_from(ir::BlockId block) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The block that the region begins with, or none if that is not clear.
ir::BlockId start_of(const ir::Region &region);

} // namespace sdfgopt::passes
