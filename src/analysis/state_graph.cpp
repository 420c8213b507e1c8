#include "analysis/state_graph.h"

#include <algorithm>
#include <unordered_set>

namespace sdfgopt::analysis {

std::vector<support::Name> range_connectors(const ir::Node &node) {
  std::vector<support::Name> names;
  if (node.is_scope_entry())
    for (const ir::Connector &connector : node.in_connectors)
      if (!connector.name.view().starts_with("IN_"))
        names.push_back(connector.name);
  return names;
}

StateGraph::StateGraph(const ir::State &state) : state_(&state), scopes_(state) {
  const std::size_t count = state.nodes.size();
  first_out_.assign(count + 1, 0);
  first_in_.assign(count + 1, 0);
  for (const ir::Edge &edge : state.edges)
    if (!edge.removed) {
      ++first_out_[edge.src.value + 1];
      ++first_in_[edge.dst.value + 1];
    }
  for (std::size_t i = 0; i < count; ++i) {
    first_out_[i + 1] += first_out_[i];
    first_in_[i + 1] += first_in_[i];
  }
  out_.resize(first_out_[count]);
  in_.resize(first_in_[count]);
  std::vector<std::uint32_t> fill_out(first_out_.begin(), first_out_.end() - 1);
  std::vector<std::uint32_t> fill_in(first_in_.begin(), first_in_.end() - 1);
  for (std::size_t i = 0; i < state.edges.size(); ++i) {
    const ir::Edge &edge = state.edges[i];
    if (edge.removed)
      continue;
    out_[fill_out[edge.src.value]++] = EdgeId(i);
    in_[fill_in[edge.dst.value]++] = EdgeId(i);
  }
  sort_topologically();
  for (const ir::Node &node : state.nodes) {
    if (const auto *map = node.as<ir::MapEntry>())
      parameters_.insert(parameters_.end(), map->params.begin(), map->params.end());
    else if (const auto *consume = node.as<ir::ConsumeEntry>(); consume && consume->pe_index)
      parameters_.push_back(consume->pe_index);
    const std::vector<support::Name> dynamic = range_connectors(node);
    parameters_.insert(parameters_.end(), dynamic.begin(), dynamic.end());
  }
  std::sort(parameters_.begin(), parameters_.end());
}

void StateGraph::sort_topologically() {
  const std::size_t count = state_->nodes.size();
  position_.assign(count, 0);
  std::vector<std::uint32_t> pending(count);
  std::vector<std::uint32_t> ready;
  for (std::size_t i = 0; i < count; ++i) {
    pending[i] = static_cast<std::uint32_t>(in_edges(NodeId(i)).size());
    if (pending[i] == 0)
      ready.push_back(static_cast<std::uint32_t>(i));
  }
  std::size_t done = 0;
  while (!ready.empty()) {
    const std::uint32_t node = ready.back();
    ready.pop_back();
    ++done;
    for (const EdgeId edge : out_edges(NodeId(node))) {
      const std::uint32_t next = state_->edge(edge).dst.value;
      // Levels (longest path from a source): independent parts of a large state have small and
      // equal positions, which keeps searches between two of them short.
      position_[next] = std::max(position_[next], position_[node] + 1);
      if (--pending[next] == 0)
        ready.push_back(next);
    }
  }
  acyclic_ = done == count;
}

std::span<const EdgeId> StateGraph::list(NodeId node, const std::vector<std::uint32_t> &first,
                                         const std::vector<EdgeId> &edges,
                                         const EdgeLists &changed) {
  if (!changed.empty())
    if (const auto found = changed.find(node.value); found != changed.end())
      return found->second;
  return std::span(edges).subspan(first[node.value], first[node.value + 1] - first[node.value]);
}

std::span<const EdgeId> StateGraph::in_edges(NodeId node) const {
  return list(node, first_in_, in_, changed_in_);
}

std::span<const EdgeId> StateGraph::out_edges(NodeId node) const {
  return list(node, first_out_, out_, changed_out_);
}

bool StateGraph::reaches(NodeId from, NodeId to) const {
  if (from == to)
    return true;
  const std::uint32_t limit = position_[to.value];
  std::vector<NodeId> work = {from};
  std::unordered_set<std::uint32_t> seen = {from.value};
  while (!work.empty()) {
    const NodeId node = work.back();
    work.pop_back();
    for (const EdgeId edge : out_edges(node)) {
      const NodeId next = state_->edge(edge).dst;
      if (next == to)
        return true;
      if (position_[next.value] < limit && seen.insert(next.value).second)
        work.push_back(next);
    }
  }
  return false;
}

std::vector<EdgeId> StateGraph::continuation(EdgeId id, bool outward_in) const {
  const ir::Edge &edge = state_->edge(id);
  const NodeId through = outward_in ? edge.dst : edge.src;
  const ir::Node &node = state_->node(through);
  const bool passes = outward_in ? node.is_scope_entry() : node.is_scope_exit();
  const std::string_view here = (outward_in ? edge.dst_connector : edge.src_connector).view();
  const std::string_view prefix = outward_in ? "IN_" : "OUT_";
  std::vector<EdgeId> edges;
  if (!passes || !here.starts_with(prefix))
    return edges;
  const std::string_view stem = here.substr(prefix.size());
  for (const EdgeId other : outward_in ? out_edges(through) : in_edges(through)) {
    const ir::Edge &next = state_->edge(other);
    const std::string_view there = (outward_in ? next.src_connector : next.dst_connector).view();
    const std::string_view other_prefix = outward_in ? "OUT_" : "IN_";
    if (there.starts_with(other_prefix) && there.substr(other_prefix.size()) == stem)
      edges.push_back(other);
  }
  return edges;
}

std::vector<EdgeId> &StateGraph::changed_out(NodeId node) {
  const auto edges = out_edges(node);
  std::vector<EdgeId> copy(edges.begin(), edges.end());
  return changed_out_.try_emplace(node.value, std::move(copy)).first->second;
}

std::vector<EdgeId> &StateGraph::changed_in(NodeId node) {
  const auto edges = in_edges(node);
  std::vector<EdgeId> copy(edges.begin(), edges.end());
  return changed_in_.try_emplace(node.value, std::move(copy)).first->second;
}

void StateGraph::remove_edge(EdgeId edge) {
  std::erase(changed_out(state_->edge(edge).src), edge);
  std::erase(changed_in(state_->edge(edge).dst), edge);
}

void StateGraph::add_edges(std::span<const EdgeId> edges) {
  for (const EdgeId edge : edges) {
    changed_out(state_->edge(edge).src).push_back(edge);
    changed_in(state_->edge(edge).dst).push_back(edge);
  }
  sort_topologically();
}

void StateGraph::move_source(EdgeId edge, NodeId source) {
  std::erase(changed_out(state_->edge(edge).src), edge);
  changed_out(source).push_back(edge);
  const NodeId target = state_->edge(edge).dst;
  if (position_[source.value] < position_[target.value])
    return;
  // Lift what lies behind, so that positions keep growing along edges.
  position_[target.value] = position_[source.value] + 1;
  std::vector<NodeId> work = {target};
  while (!work.empty()) {
    const NodeId node = work.back();
    work.pop_back();
    for (const EdgeId out : out_edges(node)) {
      const NodeId next = state_->edge(out).dst;
      if (position_[next.value] <= position_[node.value]) {
        position_[next.value] = position_[node.value] + 1;
        work.push_back(next);
      }
    }
  }
}

} // namespace sdfgopt::analysis
