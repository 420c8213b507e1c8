// Two versions of a part of the control flow: one for the values of the symbols that satisfy a
// condition, and the original for all others.
//
//     a -> b -> c -> d                a -> guard_b -> d
//                              =>          if C: b_guarded -> c_guarded, on T_guarded
//                                          else: b -> c, on T
//
// A pass that may rewrite buffer T only under C then rewrites T_guarded, which is accessed in the
// copy alone. What the copy and the original share (all other data, symbols that they assign) is
// the same in both. The condition is over symbols that the program never assigns, so that one run
// of the program takes always the same version.
//
// Use: plan_version() for each buffer, merge_plans(), and then for one plan after the other
// apply_version(), rewrite, and undo_version() if that did not come off. Both change where states
// are in memory, so control flow and accesses are to be analysed anew behind them, and plans that
// are older void; ids of states stay.
#pragma once

#include "analysis/data_accesses.h"
#include "ir/clone.h"
#include "passes/region_section.h"

#include <string>
#include <variant>

namespace sdfgopt::passes {

using support::Name;
using symbolic::Expr;

struct RegionPlan {
  std::vector<Name> buffers; ///< that get a copy for the guarded version; sorted
  Expr condition = nullptr;
  ir::Region *region = nullptr;
  Section section; ///< of `region`: all places that access a buffer are inside
  /// Blocks around `region`, each with the region that it is in, outermost first.
  std::vector<std::pair<ir::Region *, ir::BlockId>> around;
  /// Transients, other than the buffers, that get a copy as well, sorted: those that DaCe allocates
  /// where they are accessed. Shared by both versions, their allocation would move to a place where
  /// it may be wrong: out of a map, so that iterations share it.
  std::vector<Name> local;
  std::size_t growth = 0; ///< elements (ir::element_count) that the program gets more
};

/// Why there is no plan: a sentence.
struct NoPlan {
  std::string reason;
};

/// Plans for a document's outermost SDFG as it is now. `flow` and `accesses` are of it and outlive
/// this.
class VersionPlanner {
public:
  /// Linear in the SDFG.
  VersionPlanner(ir::Document &document, const analysis::ControlFlow &flow,
                 const analysis::DataAccesses &accesses);

  /// The smallest part of the control flow that holds every access of the buffers, in states,
  /// conditions and assignments.
  std::variant<RegionPlan, NoPlan> plan(std::vector<Name> buffers, Expr condition);

  struct Merged {
    std::vector<RegionPlan> plans; ///< in program order, no part inside of another one or beside it
    std::vector<std::pair<std::vector<Name>, NoPlan>> refused; ///< buffers, and why
  };
  /// Plans whose parts overlap become one, under the conditions of all of them.
  Merged merge(std::vector<RegionPlan> plans);

private:
  /// A block of one of `regions_`.
  struct Place {
    std::uint32_t region = 0;
    ir::BlockId block;
    bool operator==(const Place &) const = default;
  };
  struct RegionEntry {
    ir::Region *region;
    Place around; ///< the block that the region is in; not for the outermost one
    std::uint32_t depth;
  };

  void enter(ir::Region &region, Place around, std::uint32_t depth);
  /// Sites, conditions and assignments.
  [[nodiscard]] std::vector<Place> places_of(Name data) const;
  /// The block at the depth of some region that holds the place.
  [[nodiscard]] Place lifted(Place place, std::uint32_t depth) const;
  [[nodiscard]] std::uint32_t common_region(const std::vector<Place> &places) const;
  // What is in the way, or "".
  [[nodiscard]] std::string objection(const std::vector<Name> &buffers, Expr condition);
  [[nodiscard]] std::string objection_to_copy(Name data) const;
  [[nodiscard]] std::string find_local(std::uint32_t region, RegionPlan &plan);
  [[nodiscard]] std::string consider_local(Name data, std::uint32_t region, RegionPlan &plan);
  /// The size of the data depends on symbols that the program assigns.
  [[nodiscard]] bool varies(const ir::Descriptor &descriptor);

  ir::Sdfg &sdfg_;
  symbolic::Context &context_;
  const analysis::ControlFlow &flow_;
  const analysis::DataAccesses &accesses_;
  std::vector<RegionEntry> regions_; // outer ones first
  std::unordered_map<std::uint32_t, Place> of_state_;
  std::unordered_map<const void *, Place> of_element_;                    // loops' blocks, branches
  std::unordered_map<const ir::InterstateEdge *, std::uint32_t> of_edge_; // its region
  std::unordered_set<const ir::InterstateEdge *> open_;                   // see smallest_section
};

/// What apply_version() made, and what undo_version() needs.
struct RegionVersion {
  Name label;                                              ///< of the conditional block
  std::vector<std::pair<ir::StateId, ir::StateId>> states; ///< original and copy, in file order
  std::vector<std::pair<Name, Name>> data; ///< buffers, then local data: original and copy

  /// The state's copy, or none.
  [[nodiscard]] ir::StateId copy_of(ir::StateId state) const;
  /// The buffer's (or local datum's) copy, or no name.
  [[nodiscard]] Name copy_of(Name name) const;

  struct Saved {
    std::vector<bool> moved;                               ///< of the region's blocks
    std::vector<std::pair<ir::BlockId, ir::BlockId>> ends; ///< of its edges
    std::vector<bool> inside;                              ///< the edge joins moved blocks
    std::optional<std::uint32_t> start_block;
    std::string_view start_text; ///< member `start_block` around the region
    bool renumbered = false;
    std::vector<ir::Member> attributes; ///< of the outermost SDFG
  };
  Saved saved;
};

/// Makes the second version.
RegionVersion apply_version(ir::Document &document, const RegionPlan &plan);

/// Puts the original back, so that the document is written with the same bytes as before, and drops
/// the copy with whatever was done to it. What was changed in place elsewhere stays. Of several
/// versions, the last one goes first.
void undo_version(ir::Document &document, const RegionVersion &version);

} // namespace sdfgopt::passes
