#include "ir/state.h"

#include "ir/sdfg.h" // NestedSdfg owns an Sdfg: its destructor is needed here

#include <algorithm>

namespace sdfgopt::ir {

NodeId Node::scope_partner() const {
  if (const auto *entry = as<MapEntry>())
    return entry->exit;
  if (const auto *exit = as<MapExit>())
    return exit->entry;
  if (const auto *entry = as<ConsumeEntry>())
    return entry->exit;
  if (const auto *exit = as<ConsumeExit>())
    return exit->entry;
  return {};
}

namespace {

void renumber(NodeId &id, const std::vector<NodeId> &position) {
  if (id.has_value())
    id = position[id.value];
}

void renumber_partner(Node &node, const std::vector<NodeId> &position) {
  if (auto *entry = node.as<MapEntry>())
    renumber(entry->exit, position);
  else if (auto *exit = node.as<MapExit>())
    renumber(exit->entry, position);
  else if (auto *consume = node.as<ConsumeEntry>())
    renumber(consume->exit, position);
  else if (auto *consume_exit = node.as<ConsumeExit>())
    renumber(consume_exit->entry, position);
}

void drop_removed_nodes(State &state) {
  std::vector<NodeId> position(state.nodes.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < state.nodes.size(); ++i)
    if (!state.nodes[i].removed)
      position[i] = NodeId(kept++);
  if (kept == state.nodes.size())
    return;
  std::erase_if(state.nodes, [](const Node &node) { return node.removed; });
  for (Node &node : state.nodes)
    renumber_partner(node, position);
  for (Edge &edge : state.edges) {
    renumber(edge.src, position);
    renumber(edge.dst, position);
  }
  state.renumbered = true;
}

/// The files' order: null connectors count as "".
bool before_in_file(const Edge &a, const Edge &b) {
  if (a.src_connector != b.src_connector)
    return a.src_connector.view() < b.src_connector.view();
  return a.dst_connector.view() < b.dst_connector.view();
}

} // namespace

void compact(State &state) {
  if (std::erase_if(state.edges, [](const Edge &edge) { return edge.removed; }) > 0)
    state.renumbered = true;
  drop_removed_nodes(state);
  const bool any_new = std::any_of(state.edges.begin(), state.edges.end(),
                                   [](const Edge &edge) { return edge.source.empty(); });
  if (any_new && !std::is_sorted(state.edges.begin(), state.edges.end(), before_in_file)) {
    std::stable_sort(state.edges.begin(), state.edges.end(), before_in_file);
    state.renumbered = true;
  }
}

} // namespace sdfgopt::ir
