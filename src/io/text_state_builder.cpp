#include "io/text_state_builder.h"

#include "io/text_lexer.h"

#include <algorithm>
#include <numeric>

namespace sdfgopt::io {

using ir::NodeId;
using support::Name;

// --- scopes --------------------------------------------------------------------------------------

std::size_t Scopes::depth(NodeId node) const {
  std::size_t depth = 0;
  for (NodeId at = around(node); at.has_value(); at = around(at))
    ++depth;
  return depth;
}

bool Scopes::within(NodeId scope, NodeId ancestor) const {
  while (scope.has_value() && scope != ancestor)
    scope = around(scope);
  return scope == ancestor;
}

NodeId Scopes::scope_of_source(NodeId node, NodeId peer) const {
  const bool own = state_.node(node).is_scope_entry() && node != peer &&
                   (within(around(peer), node) || state_.node(node).scope_partner() == peer);
  return own ? node : around(node);
}

NodeId Scopes::scope_of_destination(NodeId node, NodeId peer) const {
  if (!state_.node(node).is_scope_exit())
    return around(node);
  const NodeId entry = state_.node(node).scope_partner();
  return within(around(peer), entry) || peer == entry ? entry : around(node);
}

Course Scopes::course(NodeId src, NodeId dst) const {
  const NodeId from = scope_of_source(src, dst);
  const NodeId to = scope_of_destination(dst, src);
  if (from == to)
    return Course::Direct;
  if (within(to, from))
    return Course::Inwards;
  return within(from, to) ? Course::Outwards : Course::Unrelated;
}

// --- rules that the printer uses, too ------------------------------------------------------------

bool decides_before(const ir::Edge &a, const ir::Edge &b, bool entry) {
  if (entry)
    return std::make_pair(a.dst, a.dst_connector.view()) <
           std::make_pair(b.dst, b.dst_connector.view());
  return std::make_pair(a.src, a.src_connector.view()) <
         std::make_pair(b.src, b.src_connector.view());
}

ir::Edge derived_edge(TextRules &rules, const ir::State &state, const ir::Edge &inner, bool entry) {
  const NodeId scope = entry ? inner.src : state.node(inner.dst).scope_partner();
  ir::Edge outer;
  outer.memlet = rules.outer(inner.memlet, state.node(scope));
  outer.source = inner.source;
  outer.changed = true;
  outer.memlet_changed = true;
  return outer;
}

ir::Memlet order_memlet(ir::Document &document) {
  ir::Memlet memlet;
  memlet.volume = document.context.expression("1", document.grammar);
  memlet.data_is_source = false;
  return memlet;
}

// --- building ------------------------------------------------------------------------------------

void StateBuilder::build() {
  const Scopes scopes(state_, around);
  add_told(scopes);
  derive_entries(scopes);
  derive_exits(scopes);
  add_orders(scopes);
  sort_edges();
  const PathEnds ends(state_);
  for (ir::Edge &edge : state_.edges)
    if (!edge.memlet.data_is_source)
      edge.memlet.data_is_source = ends.data_is_source(edge);
  add_connectors();
}

Name StateBuilder::port_name(const char *prefix, std::string_view key) {
  return document_.names.intern(prefix + std::string(key));
}

void StateBuilder::add_edge(ir::Edge edge) {
  const auto index = static_cast<std::uint32_t>(state_.edges.size());
  const auto note = [&](Port port, bool entry) {
    const auto [found, added] = inner_.try_emplace(port, index);
    if (!added && decides_before(edge, state_.edges[found->second], entry))
      found->second = index;
  };
  if (const auto key = through(edge.src_connector, "OUT_");
      key && state_.node(edge.src).is_scope_entry())
    note({edge.src.value, *key}, true);
  if (const auto key = through(edge.dst_connector, "IN_");
      key && state_.node(edge.dst).is_scope_exit())
    note({edge.dst.value, *key}, false);
  state_.edges.push_back(std::move(edge));
}

void StateBuilder::demand(std::map<Port, Demand> &demands, Port port, const Demand &added) {
  const auto [found, is_new] = demands.try_emplace(port, added);
  if (!is_new && (found->second.node != added.node || found->second.connector != added.connector))
    TextLexer::fault_at(added.offset, NodeId(port.first).str() + " has another node at '" +
                                          std::string(port.second) +
                                          "' already: " + found->second.node.str());
}

void StateBuilder::add_told(const Scopes &scopes) {
  for (const ToldEdge &one : told) {
    ir::Edge edge = one.edge;
    const Course course = one.direct ? Course::Direct : scopes.course(edge.src, edge.dst);
    if (course == Course::Unrelated)
      TextLexer::fault_at(one.offset, edge.src.str() + " and " + edge.dst.str() +
                                          " stand in scopes beside each other");
    const std::string_view via = one.via ? one.via.view() : edge.memlet.data.view();
    // What is outside of a scope and given is not derived.
    const auto note_given = [&](const ir::Edge &outer) {
      const auto in = through(outer.dst_connector, "IN_");
      if (in && state_.node(outer.dst).is_scope_entry())
        given_in_.try_emplace({outer.dst.value, *in},
                              Demand{one.edge.src, one.edge.src_connector, one.offset});
      const auto out = through(outer.src_connector, "OUT_");
      if (out && state_.node(outer.src).is_scope_exit())
        given_out_.try_emplace({outer.src.value, *out},
                               Demand{one.edge.dst, one.edge.dst_connector, one.offset});
    };
    if (course == Course::Inwards) {
      const NodeId entry = scopes.around(edge.dst);
      edge.src = entry;
      edge.src_connector = port_name("OUT_", via);
      demand(wanted_in_, {entry.value, edge.src_connector.view().substr(4)},
             {one.edge.src, one.edge.src_connector, one.offset});
    } else if (course == Course::Outwards) {
      const NodeId exit = state_.node(scopes.around(edge.src)).scope_partner();
      edge.dst = exit;
      edge.dst_connector = port_name("IN_", via);
      demand(wanted_out_, {exit.value, edge.dst_connector.view().substr(3)},
             {one.edge.dst, one.edge.dst_connector, one.offset});
    }
    note_given(edge);
    add_edge(std::move(edge));
  }
}

std::vector<NodeId> StateBuilder::inner_first(const Scopes &scopes, bool entries) const {
  std::vector<std::pair<std::size_t, NodeId>> found;
  for (std::size_t i = 0; i < state_.nodes.size(); ++i)
    if (entries ? state_.nodes[i].is_scope_entry() : state_.nodes[i].is_scope_exit())
      found.emplace_back(scopes.depth(NodeId(i)), NodeId(i));
  std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<NodeId> nodes;
  nodes.reserve(found.size());
  for (const auto &[depth, node] : found)
    nodes.push_back(node);
  return nodes;
}

void StateBuilder::derive_entries(const Scopes &scopes) {
  for (const NodeId entry : inner_first(scopes, true)) {
    // Outer demands are added meanwhile; those of this node are complete.
    auto wanted = wanted_in_.lower_bound({entry.value, std::string_view()});
    for (; wanted != wanted_in_.end() && wanted->first.first == entry.value; ++wanted) {
      const auto &[port, origin] = *wanted;
      if (const auto given = given_in_.find(port); given != given_in_.end()) {
        if (given->second.node != origin.node || given->second.connector != origin.connector)
          TextLexer::fault_at(origin.offset, "'" + std::string(port.second) + "' enters " +
                                                 entry.str() + " from " + given->second.node.str());
        continue;
      }
      ir::Edge edge = derived_edge(rules_, state_, state_.edges[inner_.at(port)], true);
      edge.dst = entry;
      edge.dst_connector = port_name("IN_", port.second);
      if (scopes.course(origin.node, entry) == Course::Direct) {
        edge.src = origin.node;
        edge.src_connector = origin.connector;
      } else {
        edge.src = scopes.around(entry);
        edge.src_connector = port_name("OUT_", port.second);
        demand(wanted_in_, {edge.src.value, edge.src_connector.view().substr(4)}, origin);
      }
      add_edge(std::move(edge));
    }
  }
}

void StateBuilder::derive_exits(const Scopes &scopes) {
  for (const NodeId exit : inner_first(scopes, false)) {
    // Outer demands are added meanwhile; those of this node are complete.
    auto wanted = wanted_out_.lower_bound({exit.value, std::string_view()});
    for (; wanted != wanted_out_.end() && wanted->first.first == exit.value; ++wanted) {
      const auto &[port, target] = *wanted;
      if (const auto given = given_out_.find(port); given != given_out_.end()) {
        if (given->second.node != target.node || given->second.connector != target.connector)
          TextLexer::fault_at(target.offset, "'" + std::string(port.second) + "' leaves " +
                                                 exit.str() + " for " + given->second.node.str());
        continue;
      }
      ir::Edge edge = derived_edge(rules_, state_, state_.edges[inner_.at(port)], false);
      edge.src = exit;
      edge.src_connector = port_name("OUT_", port.second);
      if (scopes.course(exit, target.node) == Course::Direct) {
        edge.dst = target.node;
        edge.dst_connector = target.connector;
      } else {
        edge.dst = state_.node(scopes.around(exit)).scope_partner();
        edge.dst_connector = port_name("IN_", port.second);
        demand(wanted_out_, {edge.dst.value, edge.dst_connector.view().substr(3)}, target);
      }
      add_edge(std::move(edge));
    }
  }
}

void StateBuilder::add_orders(const Scopes &scopes) {
  std::vector<bool> entered(state_.nodes.size());
  std::vector<bool> left(state_.nodes.size());
  for (const ir::Edge &edge : state_.edges) {
    entered[edge.dst.value] = true;
    left[edge.src.value] = true;
  }
  for (std::size_t i = 0; i < state_.nodes.size(); ++i) {
    const NodeId entry = scopes.around(NodeId(i));
    if (!entry.has_value())
      continue;
    ir::Edge edge;
    edge.changed = true;
    edge.memlet_changed = true;
    edge.memlet = order_memlet(document_);
    if (!entered[i] && !state_.nodes[i].is_scope_exit()) {
      edge.src = entry;
      edge.dst = NodeId(i);
      add_edge(edge);
    }
    if (!left[i] && !dangling[i] && !state_.nodes[i].is_scope_entry()) {
      edge.src = NodeId(i);
      edge.dst = state_.node(entry).scope_partner();
      add_edge(edge);
    }
  }
}

void StateBuilder::sort_edges() {
  std::stable_sort(state_.edges.begin(), state_.edges.end(), text_edge_before);
  for (const auto &[first, block] : order) {
    // Each block is a permutation of the positions that it covers.
    std::vector<std::uint32_t> sorted = block;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (sorted[i] != first + i || sorted[i] >= state_.edges.size())
        TextLexer::fault_at(order_offset, "'order' does not permute the edges from e" +
                                              std::to_string(first) + " on");
    std::vector<ir::Edge> moved;
    for (const std::uint32_t index : block)
      moved.push_back(std::move(state_.edges[index]));
    std::move(moved.begin(), moved.end(),
              state_.edges.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

void StateBuilder::add_connectors() {
  const auto add = [&](std::vector<ir::Connector> &list, Name name) {
    if (name)
      list.push_back({name, "null"});
  };
  for (const ir::Edge &edge : state_.edges) {
    if (!connectors[edge.src.value].second)
      add(state_.node(edge.src).out_connectors, edge.src_connector);
    if (!connectors[edge.dst.value].first)
      add(state_.node(edge.dst).in_connectors, edge.dst_connector);
  }
  const auto tidy = [](std::vector<ir::Connector> &list) {
    std::sort(list.begin(), list.end(),
              [](const auto &a, const auto &b) { return a.name < b.name; });
    list.erase(std::unique(list.begin(), list.end(),
                           [](const auto &a, const auto &b) { return a.name == b.name; }),
               list.end());
  };
  for (std::size_t i = 0; i < state_.nodes.size(); ++i) {
    if (!connectors[i].first)
      tidy(state_.nodes[i].in_connectors);
    if (!connectors[i].second)
      tidy(state_.nodes[i].out_connectors);
  }
}

} // namespace sdfgopt::io
