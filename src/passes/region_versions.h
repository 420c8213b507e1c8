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
// A buffer that DaCe would allocate where the program begins, in vain wherever C holds, is given
// extents that the original's branch assigns: DaCe then allocates it there (region_extents.cpp).
//
// Use: VersionPlanner::plan_all(), apply_versions(), rewrite, and undo_versions() for those that
// did not come off. The latter two change where states are in memory, so control flow and accesses
// are to be analysed anew behind them, and plans that are older void; ids of states stay.
#pragma once

#include "analysis/data_accesses.h"
#include "passes/region_section.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
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
  /// Buffers whose extents the original's branch may assign, sorted.
  std::vector<Name> sized_in_branch;
  std::size_t growth = 0; ///< elements (ir::element_count) that the program gets more, at most
};

/// A buffer that is to have a second version under a condition.
struct PlanRequest {
  Name buffer;
  Expr condition = nullptr;
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

  struct Plans {
    std::vector<RegionPlan> plans; ///< in program order, their parts disjoint
    std::vector<std::pair<std::vector<Name>, NoPlan>> refused; ///< buffers, and why
  };
  /// For each request (no buffer twice) the smallest part of the control flow that holds every
  /// access of the buffer, in states, conditions and assignments. Those whose parts overlap share a
  /// plan, under the conditions of all. Near-linear in the parts of the SDFG that the result
  /// consists of.
  Plans plan_all(const std::vector<PlanRequest> &requests);

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

  /// A section, and what is to have a second version in it.
  struct Group {
    std::uint32_t region = 0;
    Section section;
    std::vector<PlanRequest> requests;
  };
  using Groups = std::vector<Group>;
  struct Claims;

  void enter(ir::Region &region, Place around, std::uint32_t depth);
  /// Sites, conditions and assignments.
  const std::vector<Place> &places_of(Name data);
  /// The block at the depth of some region that holds the place.
  [[nodiscard]] Place lifted(Place place, std::uint32_t depth) const;
  [[nodiscard]] std::uint32_t common_region(const std::vector<Place> &places) const;
  /// Blocks of the region that hold the places.
  [[nodiscard]] std::vector<ir::BlockId> blocks_of(const std::vector<Place> &places,
                                                   std::uint32_t region) const;
  /// None if it is not clear where the region begins.
  RegionSections *sections_of(std::uint32_t region);
  void form_groups(const std::vector<PlanRequest> &requests, std::uint32_t region, Claims &claims,
                   Groups &groups, Plans &result);
  std::variant<RegionPlan, NoPlan> plan_of(Group group);
  // What is in the way, or "".
  [[nodiscard]] std::string objection(Name buffer, Expr condition);
  [[nodiscard]] std::string objection_to_copy(Name data) const;
  [[nodiscard]] std::string measure(std::uint32_t region, RegionPlan &plan);
  [[nodiscard]] std::string find_local(std::uint32_t region, RegionPlan &plan);
  [[nodiscard]] std::string consider_local(Name data, std::uint32_t region, RegionPlan &plan);
  /// The size of the data depends on symbols that the program assigns.
  [[nodiscard]] bool varies(const ir::Descriptor &descriptor);
  // region_extents.cpp
  void find_sized_in_branch(std::uint32_t region, RegionPlan &plan);
  /// The section's blocks one behind the other, if they are a chain; or none.
  [[nodiscard]] std::vector<ir::BlockId> chain_of(std::uint32_t region, const RegionPlan &plan);
  [[nodiscard]] bool has_plain_extents(Name buffer);
  using PlaceInChain = std::unordered_map<std::uint32_t, std::size_t>; // by block
  [[nodiscard]] bool is_used_along(Name buffer, std::uint32_t region,
                                   const PlaceInChain &place_in_chain);
  bool all_blocks_lie_between();

  ir::Sdfg &sdfg_;
  symbolic::Context &context_;
  const analysis::ControlFlow &flow_;
  const analysis::DataAccesses &accesses_;
  std::vector<RegionEntry> regions_; // outer ones first
  std::unordered_map<std::uint32_t, Place> of_state_;
  std::unordered_map<const void *, Place> of_element_;                    // loops' blocks, branches
  std::unordered_map<const ir::InterstateEdge *, std::uint32_t> of_edge_; // its region
  std::unordered_set<const ir::InterstateEdge *> open_;                   // see RegionSections
  std::unordered_map<Name, std::vector<Place>> places_;
  std::unordered_map<std::uint32_t, RegionSections> sections_; // by region
  std::unordered_map<Name, std::string_view> symbol_types_;
  std::optional<bool> all_lie_between_;
};

/// What apply_versions() made of one plan.
struct RegionVersion {
  Name label;                                              ///< of the conditional block
  std::vector<std::pair<ir::StateId, ir::StateId>> states; ///< original and copy, in file order
  /// Original and copy: the plan's buffers in their order, then local data.
  std::vector<std::pair<Name, Name>> data;

  /// The state's copy, or none.
  [[nodiscard]] ir::StateId copy_of(ir::StateId state) const;
  /// The buffer's (or local datum's) copy, or no name.
  [[nodiscard]] Name copy_of(Name name) const;

  // What undoing needs.
  ir::BlockId entry;                 ///< of the section, in the region as it was
  std::vector<ir::Descriptor> sized; ///< buffers whose extents the branch assigns, as they were
  std::vector<Name> extents;         ///< symbols that it assigns
};

/// What apply_versions() made of all, and what undo_versions() needs.
struct RegionVersions {
  std::vector<RegionVersion> versions; ///< one a plan, in the order of the plans

  /// A region as it was.
  struct Parted {
    std::vector<std::size_t> versions; ///< not undone; ascending
    std::vector<std::size_t> owner;    ///< of each block: the version that it is in, or SIZE_MAX
    std::vector<std::pair<ir::BlockId, ir::BlockId>> ends; ///< of its edges
    std::optional<std::uint32_t> start_block;
    std::string_view start_text; ///< member `start_block` around the region
    bool renumbered = false;
  };
  std::vector<Parted> regions; ///< inner ones before those around them
  // Of the outermost SDFG, as they were:
  std::vector<ir::Member> attributes;
  bool changed = false;
};

/// Makes the second versions. The plans are of one planner, with disjoint parts. Near-linear in the
/// document.
RegionVersions apply_versions(ir::Document &document, const std::vector<RegionPlan> &plans);

/// Puts the originals of some versions (indices, none undone before) back, and drops their copies
/// with whatever was done to them. What was changed in place elsewhere stays. Where all are undone,
/// the document is written with the same bytes as before. Versions that were made on top of these
/// go first. Near-linear in the document.
void undo_versions(ir::Document &document, RegionVersions &made,
                   const std::vector<std::size_t> &which);

} // namespace sdfgopt::passes
