#include "ir/clone.h"

#include <algorithm>
#include <type_traits>

namespace sdfgopt::ir {

namespace {

/// One more than the highest number of a state in the region and in the SDFGs nested in it.
std::uint32_t states_end(const Region &region) {
  std::uint32_t end = 0;
  for (const Block &block : region.blocks) {
    if (const auto *state = block.as<State>()) {
      end = std::max(end, state->id.value + 1);
      for (const Node &node : state->nodes)
        if (const auto *nested = node.as<NestedSdfg>(); nested && nested->sdfg)
          end = std::max(end, states_end(nested->sdfg->root));
    }
    for (const Region *child : child_regions(block))
      end = std::max(end, states_end(*child));
  }
  return end;
}

} // namespace

Cloner::Cloner(const Document &document) : next_state_(states_end(document.root.root)) {}

Region Cloner::region(const Region &original) {
  Region copy;
  copy.blocks.reserve(original.blocks.size());
  for (const Block &one : original.blocks)
    copy.blocks.push_back(block(one));
  copy.edges = original.edges;
  copy.start_block = original.start_block;
  copy.renumbered = original.renumbered;
  return copy;
}

Block Cloner::block(const Block &original) {
  Block copy;
  static_cast<Container &>(copy) = original;
  copy.type = original.type;
  copy.label = original.label;
  copy.detail = detail(original.detail);
  copy.removed = original.removed;
  return copy;
}

BlockDetail Cloner::detail(const BlockDetail &original) {
  const auto copied = [&](const auto &kind) -> BlockDetail {
    using Kind = std::decay_t<decltype(kind)>;
    if constexpr (std::is_same_v<Kind, State>) {
      return state(kind);
    } else if constexpr (std::is_same_v<Kind, PlainRegion>) {
      return PlainRegion{region(kind.body)};
    } else if constexpr (std::is_same_v<Kind, LoopRegion>) {
      return LoopRegion{region(kind.body),
                        kind.variable,
                        kind.init,
                        kind.condition,
                        kind.update,
                        kind.inverted,
                        kind.update_before_condition};
    } else if constexpr (std::is_same_v<Kind, ConditionalBlock>) {
      ConditionalBlock copy;
      for (const Branch &branch : kind.branches)
        copy.branches.push_back(
            {branch.container, branch.condition, branch.condition_source, region(branch.body)});
      return copy;
    } else {
      return kind;
    }
  };
  return std::visit(copied, original);
}

State Cloner::state(const State &original) {
  State copy;
  copy.id = StateId(next_state_++);
  states_.emplace_back(original.id, copy.id);
  copy.nodes.reserve(original.nodes.size());
  for (const Node &one : original.nodes)
    copy.nodes.push_back(node(one));
  copy.edges = original.edges;
  copy.renumbered = original.renumbered;
  return copy;
}

Node Cloner::node(const Node &original) {
  Node copy;
  static_cast<Leaf &>(copy) = original;
  copy.type = original.type;
  copy.label = original.label;
  copy.detail = detail(original.detail);
  copy.in_connectors = original.in_connectors;
  copy.out_connectors = original.out_connectors;
  copy.removed = original.removed;
  return copy;
}

NodeDetail Cloner::detail(const NodeDetail &original) {
  const auto copied = [&](const auto &kind) -> NodeDetail {
    if constexpr (std::is_same_v<std::decay_t<decltype(kind)>, NestedSdfg>)
      return NestedSdfg{kind.sdfg ? sdfg(*kind.sdfg) : nullptr, kind.symbol_mapping};
    else
      return kind;
  };
  return std::visit(copied, original);
}

std::unique_ptr<Sdfg> Cloner::sdfg(const Sdfg &original) {
  auto copy = std::make_unique<Sdfg>();
  static_cast<Container &>(*copy) = original;
  copy->name = original.name;
  copy->arg_names = original.arg_names;
  copy->arrays = original.arrays;
  copy->symbols = original.symbols;
  copy->root = region(original.root);
  copy->index_arrays();
  return copy;
}

std::size_t element_count(const Block &block) {
  std::size_t count = 1;
  for (const Region *child : child_regions(block))
    count += element_count(*child);
  if (const auto *state = block.as<State>()) {
    for (const Edge &edge : state->edges)
      count += edge.removed ? 0 : 1;
    for (const Node &node : state->nodes) {
      count += node.removed ? 0 : 1;
      if (const auto *nested = node.as<NestedSdfg>(); nested && nested->sdfg && !node.removed)
        count += element_count(nested->sdfg->root);
    }
  }
  return count;
}

std::size_t element_count(const Region &region) {
  std::size_t count = 0;
  for (const Block &block : region.blocks)
    count += block.removed ? 0 : element_count(block);
  for (const InterstateEdge &edge : region.edges)
    count += edge.removed ? 0 : 1;
  return count;
}

} // namespace sdfgopt::ir
