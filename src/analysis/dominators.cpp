// The algorithm of Lengauer and Tarjan with simple path compression. No recursion: programs have
// chains of many thousand states.
#include "analysis/dominators.h"

#include <algorithm>

namespace sdfgopt::analysis {

namespace {

using Arcs = std::span<const std::pair<std::uint32_t, std::uint32_t>>;
constexpr std::uint32_t none = no_dominator;

/// Adjacency as one list: that of node n from first[n] to first[n + 1].
struct Adjacency {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> nodes;

  Adjacency(std::size_t count, Arcs arcs, bool backward)
      : first(count + 1, 0), nodes(arcs.size(), 0) {
    for (const auto &[src, dst] : arcs)
      ++first[(backward ? dst : src) + 1];
    for (std::size_t i = 0; i < count; ++i)
      first[i + 1] += first[i];
    std::vector<std::uint32_t> fill(first.begin(), first.end() - 1);
    for (const auto &[src, dst] : arcs)
      nodes[fill[backward ? dst : src]++] = backward ? src : dst;
  }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const {
    return std::span(nodes).subspan(first[node], first[node + 1] - first[node]);
  }
};

/// All but `number` and `node` is by the nodes' numbers in a depth-first search.
class Dominators {
public:
  Dominators(std::size_t count, std::uint32_t start, Arcs arcs)
      : number_(count, none), before_(count, arcs, true) {
    search(start, Adjacency(count, arcs, false));
    const std::size_t reached = node_.size();
    ancestor_.assign(reached, none);
    dominator_.assign(reached, none);
    waiting_.assign(reached, none);
    next_waiting_.assign(reached, none);
    for (std::uint32_t i = 0; i < reached; ++i) {
      least_.push_back(i);
      label_.push_back(i);
    }
  }

  std::vector<std::uint32_t> run() {
    for (auto w = static_cast<std::uint32_t>(node_.size()); w-- > 1;) {
      for (const std::uint32_t before : before_.of(node_[w]))
        if (number_[before] != none)
          least_[w] = std::min(least_[w], least_[best(number_[before])]);
      next_waiting_[w] = waiting_[least_[w]];
      waiting_[least_[w]] = w;
      const std::uint32_t parent = ancestor_[w] = parent_[w];
      for (std::uint32_t v = waiting_[parent]; v != none; v = next_waiting_[v]) {
        const std::uint32_t u = best(v);
        dominator_[v] = least_[u] < least_[v] ? u : parent;
      }
      waiting_[parent] = none;
    }
    std::vector<std::uint32_t> result(number_.size(), none);
    for (std::uint32_t w = 1; w < node_.size(); ++w) {
      if (dominator_[w] != least_[w])
        dominator_[w] = dominator_[dominator_[w]];
      result[node_[w]] = node_[dominator_[w]];
    }
    return result;
  }

private:
  void search(std::uint32_t start, const Adjacency &after) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack; // node, arcs taken
    const auto enter = [&](std::uint32_t node, std::uint32_t parent) {
      number_[node] = static_cast<std::uint32_t>(node_.size());
      node_.push_back(node);
      parent_.push_back(parent);
      stack.emplace_back(node, 0);
    };
    enter(start, none);
    while (!stack.empty()) {
      auto &[node, taken] = stack.back();
      const auto nodes = after.of(node);
      if (taken == nodes.size()) {
        stack.pop_back();
        continue;
      }
      const std::uint32_t next = nodes[taken++];
      if (number_[next] == none)
        enter(next, number_[node]);
    }
  }

  /// Of the nodes from `v` up to below its root in the forest, the one with the smallest `least`.
  std::uint32_t best(std::uint32_t v) {
    if (ancestor_[v] == none)
      return v;
    std::vector<std::uint32_t> path;
    for (std::uint32_t u = v; ancestor_[ancestor_[u]] != none; u = ancestor_[u])
      path.push_back(u);
    for (; !path.empty(); path.pop_back()) {
      const std::uint32_t u = path.back();
      const std::uint32_t above = ancestor_[u];
      if (least_[label_[above]] < least_[label_[u]])
        label_[u] = label_[above];
      ancestor_[u] = ancestor_[above];
    }
    return label_[v];
  }

  std::vector<std::uint32_t> number_; // of a node
  Adjacency before_;
  std::vector<std::uint32_t> node_;
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> least_; // the semidominator
  std::vector<std::uint32_t> label_;
  std::vector<std::uint32_t> ancestor_;
  std::vector<std::uint32_t> dominator_;
  std::vector<std::uint32_t> waiting_; // lists of nodes by semidominator
  std::vector<std::uint32_t> next_waiting_;
};

} // namespace

std::vector<std::uint32_t> immediate_dominators(std::size_t count, std::uint32_t start, Arcs arcs) {
  return Dominators(count, start, arcs).run();
}

} // namespace sdfgopt::analysis
