#include "passes/region_versions.h"

#include "io/json_text.h"
#include "passes/region_extents.h"
#include "passes/version_names.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace sdfgopt::passes {

using ir::BlockId;
using ir::Region;

namespace {

constexpr std::size_t none = SIZE_MAX;

/// Behind the original in the table.
void copy_descriptors(ir::Sdfg &sdfg, const std::vector<std::pair<Name, Name>> &copies) {
  const std::unordered_map<Name, Name> copy_of(copies.begin(), copies.end());
  std::vector<ir::Descriptor> arrays;
  arrays.reserve(sdfg.arrays.size() + copies.size());
  for (ir::Descriptor &descriptor : sdfg.arrays) {
    const auto found = copy_of.find(descriptor.name);
    const bool copied = found != copy_of.end() && !descriptor.removed;
    arrays.push_back(std::move(descriptor));
    if (copied) {
      arrays.push_back(arrays.back());
      arrays.back().name = found->second;
    }
  }
  sdfg.arrays = std::move(arrays);
  sdfg.index_arrays();
}

// --- the region ---

/// The element that holds a region: an SDFG, a block or a branch.
ir::Container &container_of(ir::Sdfg &sdfg, ir::Block *around, const Region &region) {
  if (!around)
    return sdfg;
  if (auto *conditional = around->as<ir::ConditionalBlock>())
    for (ir::Branch &branch : conditional->branches)
      if (&branch.body == &region)
        return branch.container;
  return *around;
}

/// Replaces the text of member `start_block`, if there is one, and returns what it was.
std::string_view exchange_start(ir::Container &container, std::string_view text) {
  for (ir::Member &member : container.members)
    if (member.key == "start_block")
      return std::exchange(member.value, text);
  return {};
}

/// DaCe's own transformations ask this attribute before they look into a conditional block.
void mark_explicit(ir::Sdfg &sdfg) {
  constexpr std::string_view key = "using_explicit_control_flow";
  for (ir::Member &member : sdfg.attributes)
    if (member.key == key) {
      member.value = "true";
      return;
    }
  const auto later = [](const ir::Member &member) {
    return member.key == "build_folder" || member.key == "guid" || member.key == "is_collapsed" ||
           member.key == "hash";
  };
  sdfg.attributes.insert(std::find_if(sdfg.attributes.begin(), sdfg.attributes.end(), later),
                         {key, "true"});
}

/// The blocks between the versions' branches and the region that they are in.
class Parting {
public:
  Parting(Region &region, RegionVersions &made, RegionVersions::Parted &parted)
      : region_(region), made_(made), parted_(parted) {}

  /// Moves the sections of the versions out of the region, into the last branches of `blocks`,
  /// which take their places; these are returned. (What assigns extents may already be in there.)
  std::unordered_map<std::size_t, BlockId> part(std::unordered_map<std::size_t, ir::Block> blocks) {
    std::vector<BlockId> position(region_.blocks.size()); // in the region or in a body
    std::unordered_map<std::size_t, BlockId> place;       // of the version's block
    std::vector<ir::Block> outside;
    const auto body_of = [&](std::size_t version) -> Region & {
      return outside[place.at(version).value].as<ir::ConditionalBlock>()->branches.back().body;
    };
    for (std::size_t i = 0; i < region_.blocks.size(); ++i) {
      const std::size_t owner = parted_.owner[i];
      if (owner == none) {
        position[i] = BlockId(outside.size());
        outside.push_back(std::move(region_.blocks[i]));
        continue;
      }
      if (place.try_emplace(owner, outside.size()).second)
        outside.push_back(std::move(blocks.at(owner)));
      std::vector<ir::Block> &body = body_of(owner).blocks;
      position[i] = BlockId(body.size());
      body.push_back(std::move(region_.blocks[i]));
    }
    region_.blocks.clear();
    const auto outer = [&](BlockId id) {
      const std::size_t owner = parted_.owner[id.value];
      return owner == none ? position[id.value] : place.at(owner);
    };
    std::vector<ir::InterstateEdge> edges;
    for (ir::InterstateEdge &edge : region_.edges) {
      const std::size_t owner = parted_.owner[edge.src.value];
      const bool inside = owner != none && owner == parted_.owner[edge.dst.value];
      edge.src = inside ? position[edge.src.value] : outer(edge.src);
      edge.dst = inside ? position[edge.dst.value] : outer(edge.dst);
      (inside ? body_of(owner).edges : edges).push_back(std::move(edge));
    }
    region_.edges = std::move(edges);
    if (parted_.start_block)
      region_.start_block = outer(BlockId(*parted_.start_block)).value;
    for (const std::size_t version : parted_.versions) {
      Region &body = body_of(version);
      const BlockId start = position[made_.versions[version].entry.value];
      if (!made_.versions[version].extents.empty())
        body.edges.front().dst = start;
      else if (start_of(body) != start)
        body.start_block = start.value;
      body.renumbered = true;
    }
    region_.blocks = std::move(outside);
    region_.renumbered = true;
    return place;
  }

  /// The reverse; returns the versions' blocks. What assigns extents is left in their last
  /// branches.
  std::unordered_map<std::size_t, ir::Block> join() {
    std::unordered_map<std::size_t, ir::Block> blocks;
    std::unordered_map<std::size_t, Region> bodies;
    std::unordered_map<std::size_t, std::size_t> next; // of each body's blocks, then of its edges
    std::vector<ir::Block> joined;
    std::size_t outside = 0;
    for (const std::size_t owner : parted_.owner) {
      if (owner == none) {
        joined.push_back(std::move(region_.blocks[outside++]));
        continue;
      }
      if (!blocks.contains(owner)) {
        ir::Block &block = blocks[owner] = std::move(region_.blocks[outside++]);
        Region &body = block.as<ir::ConditionalBlock>()->branches.back().body;
        bodies[owner] = std::exchange(body, Region());
        next[owner] = first_of(owner);
        if (next[owner] > 0) {
          body.blocks.push_back(std::move(bodies[owner].blocks.front()));
          body.edges.push_back(std::move(bodies[owner].edges.front()));
        }
      }
      joined.push_back(std::move(bodies[owner].blocks[next[owner]++]));
    }
    region_.blocks = std::move(joined);
    for (auto &[owner, at] : next)
      at = first_of(owner);
    std::vector<ir::InterstateEdge> edges;
    outside = 0;
    for (const auto &[src, dst] : parted_.ends) {
      const std::size_t owner = parted_.owner[src.value];
      const bool inside = owner != none && owner == parted_.owner[dst.value];
      edges.push_back(
          std::move(inside ? bodies[owner].edges[next[owner]++] : region_.edges[outside++]));
      edges.back().src = src;
      edges.back().dst = dst;
    }
    region_.edges = std::move(edges);
    region_.start_block = parted_.start_block;
    region_.renumbered = parted_.renumbered;
    return blocks;
  }

private:
  /// Of the section's blocks, and edges, in the body.
  [[nodiscard]] std::size_t first_of(std::size_t version) const {
    return made_.versions[version].extents.empty() ? 0 : 1;
  }

  Region &region_;
  RegionVersions &made_;
  RegionVersions::Parted &parted_;
};

ir::Branch make_branch(ir::Document &document, const std::string &label) {
  ir::Branch branch;
  branch.container.changed = true;
  std::string text;
  io::append_quoted(text, label);
  branch.container.members.push_back({"label", document.arena.store(text)});
  return branch;
}

ir::Block make_block(ir::Document &document, Name label, Expr condition) {
  ir::Block block;
  block.changed = true;
  block.type = document.names.intern("ConditionalBlock");
  block.label = label;
  ir::ConditionalBlock conditional;
  conditional.branches.push_back(make_branch(document, label.str() + "_then"));
  conditional.branches.push_back(make_branch(document, label.str() + "_else"));
  conditional.branches.front().condition =
      ir::Code{document.arena.store(document.context.print(condition, symbolic::Grammar::Python)),
               document.names.intern("Python")};
  block.detail = std::move(conditional);
  return block;
}

std::size_t block_count(const Region &region) {
  std::size_t count = region.blocks.size();
  for (const ir::Block &block : region.blocks)
    for (const Region *child : ir::child_regions(block))
      count += block_count(*child);
  return count;
}

class Application {
public:
  Application(ir::Document &document, const std::vector<RegionPlan> &plans)
      : document_(document), sdfg_(document.root), plans_(plans), cloner_(document),
        taken_(sdfg_, document.names), branches_(plans.size()) {}

  RegionVersions run() {
    made_.attributes = sdfg_.attributes;
    made_.changed = sdfg_.changed;
    if (plans_.empty())
      return std::move(made_);
    mark_explicit(sdfg_);
    std::vector<std::pair<Name, Name>> copies;
    for (const RegionPlan &plan : plans_) {
      name(plan);
      const auto &data = made_.versions.back().data;
      copies.insert(copies.end(), data.begin(), data.end());
    }
    part_regions();
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      Region &guarded = (*branches_[i])[0].body;
      const std::size_t before = cloner_.states().size();
      guarded = cloner_.region((*branches_[i])[1].body);
      const auto &states = cloner_.states();
      made_.versions[i].states.assign(states.begin() + static_cast<std::ptrdiff_t>(before),
                                      states.end());
      Renamer(document_, taken_, made_.versions[i].data).run(guarded);
    }
    copy_descriptors(sdfg_, copies);
    assign_extents();
    return std::move(made_);
  }

private:
  void name(const RegionPlan &plan) {
    RegionVersion &version = made_.versions.emplace_back();
    version.entry = plan.section.entry;
    version.label = taken_.fresh("guard_" + plan.region->block(plan.section.entry).label.str());
    for (const auto *list : {&plan.buffers, &plan.local})
      for (const Name name : *list)
        version.data.emplace_back(name, taken_.fresh(name.str() + "_guarded"));
  }

  /// Inner regions first: where blocks move, regions inside of them move.
  void part_regions() {
    std::vector<std::size_t> order(plans_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return plans_[a].around.size() > plans_[b].around.size();
    });
    std::vector<Region *> regions;
    std::unordered_map<const Region *, std::size_t> index;
    for (const std::size_t i : order) {
      Region *region = plans_[i].region;
      if (index.try_emplace(region, regions.size()).second) {
        regions.push_back(region);
        made_.regions.emplace_back();
      }
      made_.regions[index.at(region)].versions.push_back(i);
    }
    for (std::size_t i = 0; i < regions.size(); ++i)
      part(*regions[i], made_.regions[i]);
  }

  void part(Region &region, RegionVersions::Parted &parted) {
    parted.owner.assign(region.blocks.size(), none);
    std::unordered_map<std::size_t, ir::Block> blocks;
    for (const std::size_t i : parted.versions) {
      for (const BlockId block : plans_[i].section.blocks)
        parted.owner[block.value] = i;
      blocks.try_emplace(i, make_block(document_, made_.versions[i].label, plans_[i].condition));
    }
    for (const ir::InterstateEdge &edge : region.edges)
      parted.ends.emplace_back(edge.src, edge.dst);
    parted.start_block = region.start_block;
    parted.renumbered = region.renumbered;
    const auto &around = plans_[parted.versions.front()].around;
    ir::Block *block = around.empty() ? nullptr : &around.back().first->block(around.back().second);
    parted.start_text = exchange_start(container_of(sdfg_, block, region), {});
    for (const auto &[i, id] : Parting(region, made_, parted).part(std::move(blocks)))
      branches_[i] = &region.block(id).as<ir::ConditionalBlock>()->branches;
  }

  void assign_extents() {
    // For each such buffer, DaCe works out the dominators of all blocks anew, as pairs: its time is
    // not to get out of hand.
    constexpr std::size_t max_pairs = 20'000'000;
    const std::size_t blocks = block_count(sdfg_.root);
    std::size_t left = max_pairs / (blocks * blocks);
    const ExtentSymbols::Types types(sdfg_.symbols.begin(), sdfg_.symbols.end());
    const FreshName fresh = [&](const std::string &stem) { return taken_.fresh(stem); };
    std::vector<std::pair<Name, std::string_view>> symbols;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (plans_[i].sized_in_branch.empty() || plans_[i].sized_in_branch.size() > left)
        continue;
      left -= plans_[i].sized_in_branch.size();
      RegionVersion &version = made_.versions[i];
      ExtentSymbols extents(document_, fresh, types);
      for (const Name buffer : plans_[i].sized_in_branch) {
        ir::Descriptor &descriptor = *sdfg_.find_array(buffer);
        version.sized.push_back(descriptor);
        extents.replace_in(descriptor);
      }
      for (const auto &symbol : extents.symbols()) {
        version.extents.push_back(symbol.first);
        symbols.push_back(symbol);
      }
      extents.assign_in((*branches_[i])[1].body, taken_.fresh(version.label.str() + "_extents"),
                        cloner_);
    }
    if (symbols.empty())
      return;
    sdfg_.symbols.insert(sdfg_.symbols.end(), symbols.begin(), symbols.end());
    std::stable_sort(sdfg_.symbols.begin(), sdfg_.symbols.end(),
                     [](const auto &a, const auto &b) { return a.first.view() < b.first.view(); });
    sdfg_.touch("symbols");
  }

  ir::Document &document_;
  ir::Sdfg &sdfg_;
  const std::vector<RegionPlan> &plans_;
  ir::Cloner cloner_;
  TakenNames taken_;
  RegionVersions made_;
  std::vector<std::vector<ir::Branch> *> branches_; // of each plan's block
};

} // namespace

ir::StateId RegionVersion::copy_of(ir::StateId state) const {
  for (const auto &[original, copy] : states)
    if (original == state)
      return copy;
  return {};
}

Name RegionVersion::copy_of(Name name) const {
  for (const auto &[original, copy] : data)
    if (original == name)
      return copy;
  return {};
}

RegionVersions apply_versions(ir::Document &document, const std::vector<RegionPlan> &plans) {
  return Application(document, plans).run();
}

// --- and back ---

namespace {

struct Place {
  Region *region = nullptr;
  ir::Block *around = nullptr;
};

/// Where the blocks are whose labels `places` has.
void find_blocks(Region &region, ir::Block *around, std::unordered_map<Name, Place> &places) {
  for (ir::Block &block : region.blocks) {
    if (block.is<ir::ConditionalBlock>())
      if (const auto found = places.find(block.label); found != places.end())
        found->second = {&region, around};
    for (Region *child : ir::child_regions(block))
      find_blocks(*child, &block, places);
  }
}

void drop_data(ir::Sdfg &sdfg, const RegionVersions &made, const std::vector<std::size_t> &which) {
  std::unordered_set<Name> dropped;
  for (const std::size_t i : which) {
    const RegionVersion &version = made.versions[i];
    for (const auto &copy : version.data)
      dropped.insert(copy.second);
    dropped.insert(version.extents.begin(), version.extents.end());
    for (const ir::Descriptor &descriptor : version.sized)
      *sdfg.find_array(descriptor.name) = descriptor;
  }
  std::erase_if(sdfg.arrays, [&](const auto &array) { return dropped.contains(array.name); });
  std::erase_if(sdfg.symbols, [&](const auto &symbol) { return dropped.contains(symbol.first); });
  sdfg.index_arrays();
}

} // namespace

void undo_versions(ir::Document &document, RegionVersions &made,
                   const std::vector<std::size_t> &which) {
  ir::Sdfg &sdfg = document.root;
  std::vector<bool> is_undone(made.versions.size(), false);
  std::unordered_map<Name, Place> places;
  for (const std::size_t i : which) {
    is_undone[i] = true;
    places[made.versions[i].label] = {};
  }
  find_blocks(sdfg.root, nullptr, places);
  bool all = true;
  for (RegionVersions::Parted &parted : made.regions) {
    const auto undone = std::find_if(parted.versions.begin(), parted.versions.end(),
                                     [&](std::size_t i) { return is_undone[i]; });
    if (undone == parted.versions.end()) {
      all = all && parted.versions.empty();
      continue;
    }
    const Place place = places.at(made.versions[*undone].label);
    assert(place.region && "the version was not undone before");
    Parting parting(*place.region, made, parted);
    auto blocks = parting.join();
    std::erase_if(parted.versions, [&](std::size_t i) { return is_undone[i]; });
    for (std::size_t &owner : parted.owner)
      if (owner != none && is_undone[owner])
        owner = none;
    if (!parted.versions.empty()) {
      parting.part(std::move(blocks));
      all = false;
    } else {
      exchange_start(container_of(sdfg, place.around, *place.region), parted.start_text);
    }
  }
  drop_data(sdfg, made, which);
  if (all) {
    sdfg.attributes = made.attributes;
    sdfg.changed = made.changed;
  }
}

} // namespace sdfgopt::passes
