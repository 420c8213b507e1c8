#include "io/text_state_plan.h"

#include <algorithm>
#include <numeric>

namespace sdfgopt::io {

using ir::NodeId;

namespace {

std::vector<NodeId> scopes_around(const ir::State &state, const ir::ScopeTree &tree) {
  std::vector<NodeId> around(state.nodes.size());
  for (std::size_t i = 0; i < around.size(); ++i) {
    const bool exit = state.nodes[i].is_scope_exit();
    around[i] = tree.scope_of(exit ? state.nodes[i].scope_partner() : NodeId(i));
  }
  return around;
}

/// No volume is a volume of 0.
bool same_volume(const ir::Expression &a, const ir::Expression &b) {
  const auto text = [](const ir::Expression &volume) { return volume ? volume.text() : "0"; };
  return text(a) == text(b);
}

} // namespace

StatePlan::StatePlan(TextRules &rules, LeafExtras &leaf_extras, ir::State &state)
    : inputs(state.nodes.size()), outputs(state.nodes.size()), children(state.nodes.size()),
      dangling(state.nodes.size()), rules_(rules), state_(state), tree_(state),
      scopes_(state, scopes_around(state, tree_)), ends_(state), follows_(state.edges.size()) {
  extras.reserve(state.edges.size());
  for (ir::Edge &edge : state.edges)
    extras.push_back(leaf_extras.of_edge(edge));
  for (std::size_t i = 0; i < state.nodes.size(); ++i) {
    if (state.nodes[i].is_scope_exit())
      continue;
    const NodeId scope = scopes_.around(NodeId(i));
    (scope.has_value() ? children[scope.value] : top).emplace_back(i);
  }
  find_ports();
  for (const bool entries : {true, false}) {
    find_threads(entries);
    find_derived(entries);
    find_far_ends(entries);
  }
  find_implied();
  list_edges();
  find_order();
  find_connectors();
}

// --- ports ---------------------------------------------------------------------------------------

StatePlan::PortEdges *StatePlan::port_of(NodeId node, support::Name connector, const char *prefix,
                                         bool entries) {
  const ir::Node &scope = state_.node(node);
  const auto key = through(connector, prefix);
  if (!key || !(entries ? scope.is_scope_entry() : scope.is_scope_exit()))
    return nullptr;
  return &(entries ? entry_ports_ : exit_ports_)[{node.value, *key}];
}

void StatePlan::find_ports() {
  for (std::uint32_t i = 0; i < state_.edges.size(); ++i) {
    const ir::Edge &edge = state_.edges[i];
    for (const bool entries : {true, false}) {
      if (auto *port = port_of(edge.src, edge.src_connector, "OUT_", entries))
        (entries ? port->inner : port->outer).push_back(i);
      if (auto *port = port_of(edge.dst, edge.dst_connector, "IN_", entries))
        (entries ? port->outer : port->inner).push_back(i);
    }
  }
}

/// A port is told through if it has one outer edge and all its inner ones lie directly inside.
void StatePlan::find_threads(bool entries) {
  for (auto &[port, edges] : entries ? entry_ports_ : exit_ports_) {
    if (edges.outer.size() != 1 || edges.inner.empty())
      continue;
    const NodeId node(port.first);
    const NodeId entry = entries ? node : state_.node(node).scope_partner();
    const ir::Edge &outer = state_.edges[edges.outer.front()];
    edges.threads = scopes_.course(outer.src, outer.dst) == Course::Direct;
    for (const std::uint32_t inner : edges.inner) {
      const NodeId far = entries ? state_.edges[inner].dst : state_.edges[inner].src;
      const bool partner = far == state_.node(node).scope_partner();
      edges.threads = edges.threads && !partner && scopes_.around(far) == entry;
    }
  }
}

bool StatePlan::same_edge(const ir::Edge &derived, std::uint32_t index) const {
  const ir::Memlet &a = derived.memlet;
  const ir::Memlet &b = state_.edges[index].memlet;
  return a.data == b.data && a.subset == b.subset && a.other_subset == b.other_subset &&
         same_volume(a.volume, b.volume) && a.wcr == b.wcr && a.dynamic == b.dynamic &&
         b.data_is_source.value_or(path_source(index)) == path_source(index);
}

void StatePlan::find_derived(bool entries) {
  for (auto &[port, edges] : entries ? entry_ports_ : exit_ports_) {
    if (!edges.threads)
      continue;
    std::uint32_t first = edges.inner.front();
    for (const std::uint32_t inner : edges.inner)
      if (decides_before(state_.edges[inner], state_.edges[first], entries))
        first = inner;
    const std::uint32_t outer = edges.outer.front();
    const ir::Edge &edge = state_.edges[outer];
    // Where it goes on through another scope, it must have the same name there.
    const auto next =
        entries ? through(edge.src_connector, "OUT_") : through(edge.dst_connector, "IN_");
    const NodeId far = entries ? edge.src : edge.dst;
    const bool goes_on =
        entries ? state_.node(far).is_scope_entry() : state_.node(far).is_scope_exit();
    if (goes_on && next != port.second)
      continue;
    follows_[outer] = extras[outer] == extras[first] &&
                      same_edge(derived_edge(rules_, state_, state_.edges[first], entries), outer);
  }
}

void StatePlan::find_far_ends(bool entries) {
  auto &ports = entries ? entry_ports_ : exit_ports_;
  std::vector<std::pair<std::size_t, Port>> outer_first;
  for (const auto &[port, edges] : ports)
    if (edges.threads)
      outer_first.emplace_back(scopes_.depth(NodeId(port.first)), port);
  std::sort(outer_first.begin(), outer_first.end());
  for (const auto &[depth, port] : outer_first) {
    PortEdges &edges = ports.at(port);
    const ir::Edge &outer = state_.edges[edges.outer.front()];
    edges.far = entries ? outer.src : outer.dst;
    edges.far_connector = entries ? outer.src_connector : outer.dst_connector;
    const PortEdges *next = entries ? port_of(outer.src, outer.src_connector, "OUT_", true)
                                    : port_of(outer.dst, outer.dst_connector, "IN_", false);
    if (next && next->threads) {
      edges.far = next->far;
      edges.far_connector = next->far_connector;
    }
  }
}

// --- edges that only order nodes -----------------------------------------------------------------

bool StatePlan::is_plain_order(std::uint32_t index) const {
  const ir::Edge &edge = state_.edges[index];
  const ir::Memlet &memlet = edge.memlet;
  return !edge.src_connector && !edge.dst_connector && !memlet.data && !memlet.subset &&
         !memlet.other_subset && memlet.volume && memlet.volume.text() == "1" && !memlet.dynamic &&
         memlet.wcr.empty() && !memlet.data_is_source.value_or(false) && extras[index].empty();
}

void StatePlan::find_implied() {
  constexpr std::uint32_t none = UINT32_MAX;
  constexpr std::uint32_t several = UINT32_MAX - 1;
  std::vector<std::uint32_t> in(state_.nodes.size(), none);
  std::vector<std::uint32_t> out(state_.nodes.size(), none);
  for (std::uint32_t i = 0; i < state_.edges.size(); ++i) {
    std::uint32_t &into = in[state_.edges[i].dst.value];
    std::uint32_t &from = out[state_.edges[i].src.value];
    into = into == none ? i : several;
    from = from == none ? i : several;
  }
  for (std::size_t i = 0; i < state_.nodes.size(); ++i) {
    const NodeId entry = scopes_.around(NodeId(i));
    if (!entry.has_value())
      continue;
    const NodeId exit = state_.node(entry).scope_partner();
    if (in[i] < several && !state_.nodes[i].is_scope_exit() && is_plain_order(in[i]) &&
        state_.edges[in[i]].src == entry)
      follows_[in[i]] = true;
    if (state_.nodes[i].is_scope_entry())
      continue;
    dangling[i] = out[i] == none;
    if (out[i] < several && is_plain_order(out[i]) && state_.edges[out[i]].dst == exit)
      follows_[out[i]] = true;
  }
}

// --- lists ---------------------------------------------------------------------------------------

void StatePlan::list_edges() {
  for (std::uint32_t i = 0; i < state_.edges.size(); ++i) {
    if (follows_[i])
      continue;
    const ir::Edge &edge = state_.edges[i];
    const ir::Node &src = state_.node(edge.src);
    const ir::Node &dst = state_.node(edge.dst);
    const auto via = [&](const char *prefix, support::Name connector) {
      const std::string_view key = *through(connector, prefix);
      return key == edge.memlet.data.view() ? std::string_view() : key;
    };
    if (const auto *port = port_of(edge.src, edge.src_connector, "OUT_", true);
        port && port->threads) {
      inputs[edge.dst.value].push_back(
          {i, port->far, port->far_connector, via("OUT_", edge.src_connector)});
      continue;
    }
    if (const auto *port = port_of(edge.dst, edge.dst_connector, "IN_", false);
        port && port->threads) {
      outputs[edge.src.value].push_back(
          {i, port->far, port->far_connector, via("IN_", edge.dst_connector)});
      continue;
    }
    const bool code = src.is<ir::Tasklet>() || src.is<ir::NestedSdfg>() ||
                      src.is<ir::LibraryNode>() || src.is<ir::UnknownNode>();
    const bool at_source =
        src.is_scope_exit() || dst.is_scope_exit() || (code && dst.is<ir::AccessNode>());
    if (scopes_.course(edge.src, edge.dst) != Course::Direct ||
        (src.is_scope_entry() && dst.is_scope_exit()))
      statements.push_back(i);
    else if (at_source && !dst.is_scope_entry())
      outputs[edge.src.value].push_back({i, edge.dst, edge.dst_connector, {}});
    else
      inputs[edge.dst.value].push_back({i, edge.src, edge.src_connector, {}});
  }
}

void StatePlan::find_connectors() {
  connectors.resize(state_.nodes.size());
  for (const ir::Edge &edge : state_.edges) {
    if (edge.dst_connector)
      connectors[edge.dst.value].first.push_back(edge.dst_connector);
    if (edge.src_connector)
      connectors[edge.src.value].second.push_back(edge.src_connector);
  }
  const auto tidy = [](std::vector<support::Name> &names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  };
  for (auto &[in, out] : connectors) {
    tidy(in);
    tidy(out);
  }
}

void StatePlan::find_order() {
  std::vector<std::uint32_t> sorted(state_.edges.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return text_edge_before(state_.edges[a], state_.edges[b]);
  });
  // position[i]: where the parser has the edge that belongs at i.
  std::vector<std::uint32_t> position(sorted.size());
  for (std::uint32_t i = 0; i < sorted.size(); ++i)
    position[sorted[i]] = i;
  std::size_t begin = 0;
  std::size_t reach = 0;
  for (std::size_t i = 0; i < position.size(); ++i) {
    reach = std::max<std::size_t>(reach, position[i]);
    if (reach > i)
      continue;
    if (i > begin)
      order.emplace_back(
          begin, std::vector<std::uint32_t>(position.begin() + static_cast<std::ptrdiff_t>(begin),
                                            position.begin() + static_cast<std::ptrdiff_t>(i) + 1));
    begin = i + 1;
  }
}

} // namespace sdfgopt::io
