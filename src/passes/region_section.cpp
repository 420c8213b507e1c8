// The blocks that are wanted lie between their nearest common dominator, the entry, and their
// nearest common postdominator, the exit. Whatever lies on a path from the one to the other belongs
// to the section, too, and may move both; so the set grows until nothing is missing.
#include "passes/region_section.h"

#include <algorithm>

namespace sdfgopt::passes {

using ir::BlockId;

namespace {

constexpr std::uint32_t none = UINT32_MAX;
using Adjacency = std::vector<std::vector<std::uint32_t>>;

/// Of a directed graph, from a root: immediate dominators by the algorithm of Cooper, Harvey and
/// Kennedy, and intervals that tell whether one node dominates another.
class Dominators {
public:
  Dominators(std::uint32_t root, const Adjacency &successors, const Adjacency &predecessors)
      : parent_(successors.size(), none), first_(successors.size(), none),
        last_(successors.size(), none) {
    number(root, successors);
    compute(root, predecessors);
    nest(root);
  }

  [[nodiscard]] bool is_reached(std::uint32_t node) const { return parent_[node] != none; }
  /// The root's is the root.
  [[nodiscard]] std::uint32_t parent(std::uint32_t node) const { return parent_[node]; }
  [[nodiscard]] bool dominates(std::uint32_t node, std::uint32_t other) const {
    return first_[node] <= first_[other] && last_[other] <= last_[node];
  }

private:
  void number(std::uint32_t root, const Adjacency &successors) {
    order_.reserve(successors.size());
    std::vector<bool> seen(successors.size(), false);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack = {{root, 0}};
    seen[root] = true;
    while (!stack.empty()) {
      auto &[node, next] = stack.back();
      if (next == successors[node].size()) {
        order_.push_back(node);
        stack.pop_back();
        continue;
      }
      const std::uint32_t child = successors[node][next++];
      if (!seen[child]) {
        seen[child] = true;
        stack.emplace_back(child, 0);
      }
    }
    std::reverse(order_.begin(), order_.end());
    rank_.assign(successors.size(), none);
    for (std::uint32_t i = 0; i < order_.size(); ++i)
      rank_[order_[i]] = i;
  }

  void compute(std::uint32_t root, const Adjacency &predecessors) {
    parent_[root] = root;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 1; i < order_.size(); ++i) {
        std::uint32_t best = none;
        for (std::uint32_t other : predecessors[order_[i]]) {
          if (parent_[other] == none)
            continue;
          while (best != none && best != other) {
            auto &later = rank_[best] > rank_[other] ? best : other;
            later = parent_[later];
          }
          best = other;
        }
        changed = changed || parent_[order_[i]] != best;
        parent_[order_[i]] = best;
      }
    }
  }

  /// In the tree of dominators, a node's interval holds those of its children.
  void nest(std::uint32_t root) {
    Adjacency children(parent_.size());
    for (const std::uint32_t node : order_)
      if (node != root)
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

  std::vector<std::uint32_t> order_; // reverse postorder
  std::vector<std::uint32_t> rank_;
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

class Grower {
public:
  Grower(const Graph &graph, const Dominators &before, const Dominators &behind)
      : graph_(graph), before_(before), behind_(behind), inside_(graph.successors.size(), false) {}

  Section run(const std::vector<BlockId> &wanted) {
    for (const BlockId block : wanted)
      add(block.value);
    do
      close();
    while (move_exit());
    Section section;
    section.entry = BlockId(entry_);
    for (std::uint32_t i = 0; i < graph_.end(); ++i)
      if (inside_[i])
        section.blocks.emplace_back(i);
    return section;
  }

private:
  void add(std::uint32_t node) {
    if (node == graph_.end() || inside_[node])
      return;
    inside_[node] = true;
    work_.push_back(node);
    if (entry_ == none)
      entry_ = node;
    while (!before_.dominates(entry_, node)) {
      work_.push_back(entry_);
      entry_ = before_.parent(entry_);
    }
    wanted_.push_back(entry_);
    if (!behind_.is_reached(node)) // nothing but breaks and returns follow
      return;
    if (exit_ == none)
      exit_ = node;
    while (!behind_.dominates(exit_, node)) {
      work_.push_back(exit_);
      exit_ = behind_.parent(exit_);
    }
    wanted_.push_back(exit_);
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
      if (node != entry_)
        for (const std::uint32_t other : graph_.predecessors[node])
          add(other);
      if (node != exit_)
        for (const std::uint32_t other : graph_.successors[node])
          add(other);
    }
  }

  /// Where the exit also leads back into the section, which edge is taken depends on all of them
  /// together, so that they must not be parted: a later exit is needed.
  bool move_exit() {
    if (exit_ == none || exit_ == graph_.end())
      return false;
    const auto &after = graph_.successors[exit_];
    if (std::none_of(after.begin(), after.end(), [&](auto node) { return inside_[node]; }))
      return false;
    work_.push_back(exit_);
    exit_ = behind_.parent(exit_);
    wanted_.push_back(exit_);
    return true;
  }

  const Graph &graph_;
  const Dominators &before_;
  const Dominators &behind_;
  std::vector<bool> inside_;
  std::vector<std::uint32_t> wanted_; // to be added
  std::vector<std::uint32_t> work_;   // added; their neighbours are to be looked at
  std::uint32_t entry_ = none;
  std::uint32_t exit_ = none; // the region's end, or none: no edge leads out
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

Section smallest_section(const ir::Region &region, BlockId start,
                         const std::vector<BlockId> &wanted,
                         const std::unordered_set<const ir::InterstateEdge *> &open) {
  const Graph graph(region, open);
  const Dominators before(start.value, graph.successors, graph.predecessors);
  const Dominators behind(graph.end(), graph.predecessors, graph.successors);
  Section whole{{}, start};
  bool all_reached = true;
  for (std::uint32_t i = 0; i < region.blocks.size(); ++i) {
    whole.blocks.emplace_back(i);
    all_reached = all_reached && before.is_reached(i);
  }
  if (!all_reached)
    return whole;
  return Grower(graph, before, behind).run(wanted);
}

} // namespace sdfgopt::passes
