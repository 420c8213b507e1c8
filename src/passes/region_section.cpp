// The blocks that are wanted lie between their nearest common dominator, the entry, and their
// nearest common postdominator, the exit. Whatever lies on a path from the one to the other belongs
// to the section, too, and may move both; so the set grows until nothing is missing. Where it comes
// to a block of another section, it takes that one in as a whole, so that no block is walked twice.
#include "passes/region_section.h"

#include "analysis/dominators.h"

#include <algorithm>
#include <cassert>

namespace sdfgopt::passes {

using ir::BlockId;

namespace {

constexpr std::uint32_t none = analysis::no_dominator;
using Adjacency = std::vector<std::vector<std::uint32_t>>;

/// Of a directed graph, from a root: immediate dominators, and intervals that tell whether one node
/// dominates another.
class Dominators {
public:
  Dominators(std::uint32_t root, const Adjacency &successors)
      : first_(successors.size(), none), last_(successors.size(), none) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs;
    for (std::uint32_t node = 0; node < successors.size(); ++node)
      for (const std::uint32_t next : successors[node])
        arcs.emplace_back(node, next);
    parent_ = analysis::immediate_dominators(successors.size(), root, arcs);
    parent_[root] = root;
    nest(root);
  }

  [[nodiscard]] bool is_reached(std::uint32_t node) const { return parent_[node] != none; }
  /// The root's is the root.
  [[nodiscard]] std::uint32_t parent(std::uint32_t node) const { return parent_[node]; }
  [[nodiscard]] bool dominates(std::uint32_t node, std::uint32_t other) const {
    return first_[node] <= first_[other] && last_[other] <= last_[node];
  }

private:
  /// In the tree of dominators, a node's interval holds those of its children.
  void nest(std::uint32_t root) {
    Adjacency children(parent_.size());
    for (std::uint32_t node = 0; node < parent_.size(); ++node)
      if (node != root && is_reached(node))
        children[parent_[node]].push_back(node);
    std::uint32_t clock = 0;
    std::vector<std::pair<std::uint32_t, std::size_t>> stack = {{root, 0}};
    first_[root] = clock++;
    while (!stack.empty()) {
      auto &[node, next] = stack.back();
      if (next == children[node].size()) {
        last_[node] = clock++;
        stack.pop_back();
        continue;
      }
      const std::uint32_t child = children[node][next++];
      first_[child] = clock++;
      stack.emplace_back(child, 0);
    }
  }

  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> last_;
};

/// Blocks of a region and, as the last node, the region's end.
struct Graph {
  Adjacency successors;
  Adjacency predecessors;

  Graph(const ir::Region &region, const std::unordered_set<const ir::InterstateEdge *> &open)
      : successors(region.blocks.size() + 1), predecessors(region.blocks.size() + 1) {
    std::vector<bool> ends(region.blocks.size(), true);
    const auto join = [&](std::uint32_t src, std::uint32_t dst) {
      successors[src].push_back(dst);
      predecessors[dst].push_back(src);
    };
    for (const ir::InterstateEdge &edge : region.edges) {
      join(edge.src.value, edge.dst.value);
      if (!open.contains(&edge))
        ends[edge.src.value] = false;
    }
    for (std::uint32_t i = 0; i < region.blocks.size(); ++i)
      if (ends[i] && !region.blocks[i].is<ir::Jump>())
        join(i, end());
  }
  [[nodiscard]] std::uint32_t end() const {
    return static_cast<std::uint32_t>(successors.size() - 1);
  }
};

/// Sections that grow, one after the other.
class Grower {
public:
  Grower(const Graph &graph, const Dominators &before, const Dominators &behind,
         std::vector<std::uint32_t> &owner)
      : graph_(graph), before_(before), behind_(behind), owner_(owner) {}

  /// Begins the next section. Those that it takes in are gone.
  void grow(const std::vector<BlockId> &wanted) {
    current_ = static_cast<std::uint32_t>(groups_.size());
    groups_.emplace_back();
    joined_.push_back(current_);
    for (const BlockId block : wanted)
      add(block.value);
    do
      close();
    while (move_exit());
  }

  /// Of all that were begun. Leaves `owner` as it was.
  RegionSections::Partition take() {
    RegionSections::Partition result;
    std::vector<std::size_t> place(groups_.size(), SIZE_MAX);
    for (std::uint32_t i = 0; i < groups_.size(); ++i) {
      const std::uint32_t root = root_of(i);
      if (place[root] == SIZE_MAX) {
        place[root] = result.sections.size();
        Section &section = result.sections.emplace_back();
        std::sort(groups_[root].blocks.begin(), groups_[root].blocks.end());
        for (const std::uint32_t block : groups_[root].blocks) {
          section.blocks.emplace_back(block);
          owner_[block] = none;
        }
        section.entry = BlockId(groups_[root].entry);
      }
      result.of.push_back(place[root]);
    }
    return result;
  }

private:
  struct Group {
    std::vector<std::uint32_t> blocks;
    std::uint32_t entry = none;
    std::uint32_t exit = none; // the region's end, or none: no edge leads out
  };

  [[nodiscard]] Group &group() { return groups_[current_]; }

  std::uint32_t root_of(std::uint32_t group) {
    while (joined_[group] != group)
      group = joined_[group] = joined_[joined_[group]];
    return group;
  }
  /// The section that has the node, if it is not the one that grows.
  std::uint32_t other_owner(std::uint32_t node) {
    if (node == graph_.end() || owner_[node] == none)
      return none;
    const std::uint32_t root = root_of(owner_[node]);
    return root == current_ ? none : root;
  }
  bool is_inside(std::uint32_t node) {
    return node != graph_.end() && owner_[node] != none && root_of(owner_[node]) == current_;
  }

  void add(std::uint32_t node) {
    if (node == graph_.end() || is_inside(node))
      return;
    if (const std::uint32_t other = other_owner(node); other != none) {
      join(other);
      return;
    }
    owner_[node] = current_;
    group().blocks.push_back(node);
    work_.push_back(node);
    reach(node, behind_.is_reached(node) ? node : none); // else only breaks and returns follow
  }

  void join(std::uint32_t other) {
    Group &taken = groups_[other];
    joined_[other] = current_;
    if (taken.blocks.size() > group().blocks.size())
      std::swap(taken.blocks, group().blocks);
    group().blocks.insert(group().blocks.end(), taken.blocks.begin(), taken.blocks.end());
    taken.blocks = {};
    work_.push_back(taken.entry);
    if (taken.exit != none)
      work_.push_back(taken.exit);
    reach(taken.entry, taken.exit);
  }

  /// Moves the entry to where it comes before the one, and the exit to where it is behind the
  /// other.
  void reach(std::uint32_t entry, std::uint32_t exit) {
    move(group().entry, entry, before_);
    if (exit != none)
      move(group().exit, exit, behind_);
  }

  void move(std::uint32_t &end, std::uint32_t target, const Dominators &dominators) {
    if (end == none)
      end = target;
    while (!dominators.dominates(end, target)) {
      work_.push_back(end);
      end = dominators.parent(end);
      if (const std::uint32_t other = other_owner(end); other != none) {
        // All its blocks come along, so on to its own end.
        const Group &taken = groups_[other];
        const std::uint32_t further = &dominators == &before_ ? taken.entry : taken.exit;
        if (further != none)
          end = further;
        wanted_.push_back(taken.entry);
      }
    }
    wanted_.push_back(end);
  }

  /// Adds whatever leads to a block other than by the entry, or follows one other than the exit.
  void close() {
    while (!wanted_.empty() || !work_.empty()) {
      if (!wanted_.empty()) {
        const std::uint32_t node = wanted_.back();
        wanted_.pop_back();
        add(node);
        continue;
      }
      const std::uint32_t node = work_.back();
      work_.pop_back();
      if (node == graph_.end())
        continue;
      if (node != group().entry)
        for (const std::uint32_t other : graph_.predecessors[node])
          add(other);
      if (node != group().exit)
        for (const std::uint32_t other : graph_.successors[node])
          add(other);
    }
  }

  /// Where the exit also leads back into the section, which edge is taken depends on all of them
  /// together, so that they must not be parted: a later exit is needed.
  bool move_exit() {
    std::uint32_t &exit = group().exit;
    if (exit == none || exit == graph_.end())
      return false;
    const auto &after = graph_.successors[exit];
    if (std::none_of(after.begin(), after.end(), [&](auto node) { return is_inside(node); }))
      return false;
    work_.push_back(exit);
    exit = behind_.parent(exit);
    wanted_.push_back(exit);
    return true;
  }

  const Graph &graph_;
  const Dominators &before_;
  const Dominators &behind_;
  std::vector<std::uint32_t> &owner_; // of each block: the section that claimed it first, or none
  std::vector<Group> groups_;
  std::vector<std::uint32_t> joined_; // the section that took it in, or itself
  std::vector<std::uint32_t> wanted_; // to be added
  std::vector<std::uint32_t> work_;   // added; their neighbours are to be looked at
  std::uint32_t current_ = none;
};

} // namespace

BlockId start_of(const ir::Region &region) {
  std::vector<bool> entered(region.blocks.size(), false);
  for (const ir::InterstateEdge &edge : region.edges)
    entered[edge.dst.value] = true;
  if (std::count(entered.begin(), entered.end(), false) == 1)
    return BlockId(static_cast<std::size_t>(std::find(entered.begin(), entered.end(), false) -
                                            entered.begin()));
  return region.start_block ? BlockId(*region.start_block) : BlockId();
}

struct RegionSections::Impl {
  Graph graph;
  Dominators before;
  Dominators behind;
  std::vector<std::uint32_t> owner; // for Grower; none between calls
  Adjacency edges;                  // that leave each block
  BlockId start;
  bool all_reached = true;

  Impl(const ir::Region &region, BlockId begin,
       const std::unordered_set<const ir::InterstateEdge *> &open)
      : graph(region, open), before(begin.value, graph.successors),
        behind(graph.end(), graph.predecessors), owner(region.blocks.size(), none),
        edges(region.blocks.size()), start(begin) {
    for (std::uint32_t i = 0; i < region.edges.size(); ++i)
      edges[region.edges[i].src.value].push_back(i);
    for (std::uint32_t i = 0; i < graph.end(); ++i)
      all_reached = all_reached && before.is_reached(i);
  }
};

RegionSections::RegionSections(const ir::Region &region, BlockId start,
                               const std::unordered_set<const ir::InterstateEdge *> &open)
    : impl_(std::make_unique<Impl>(region, start, open)) {}
RegionSections::RegionSections(RegionSections &&) noexcept = default;
RegionSections &RegionSections::operator=(RegionSections &&) noexcept = default;
RegionSections::~RegionSections() = default;

const std::vector<std::uint32_t> &RegionSections::edges_from(BlockId block) const {
  return impl_->edges[block.value];
}

RegionSections::Partition
RegionSections::partition(const std::vector<std::vector<BlockId>> &lists) {
  if (!impl_->all_reached) {
    Section whole{{}, impl_->start};
    for (std::uint32_t i = 0; i < impl_->graph.end(); ++i)
      whole.blocks.emplace_back(i);
    return {{std::move(whole)}, std::vector<std::size_t>(lists.size(), 0)};
  }
  Grower grower(impl_->graph, impl_->before, impl_->behind, impl_->owner);
  for (const std::vector<BlockId> &list : lists) {
    assert(!list.empty());
    grower.grow(list);
  }
  return grower.take();
}

} // namespace sdfgopt::passes
