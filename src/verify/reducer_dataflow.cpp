// Edits of dataflow. What goes takes its memlet paths along; what stays keeps its place in a scope.
#include "ir/scope_tree.h"
#include "support/words.h"
#include "verify/reducer_edits.h"

#include <algorithm>
#include <map>
#include <set>

namespace sdfgopt::verify::reducer {

using ir::Edge;
using ir::Node;
using ir::NodeId;
using support::Name;

namespace {

/// A state from which nodes and edges are being taken.
class Surgeon {
public:
  Surgeon(ir::Document &document, ir::State &state)
      : document_(document), state_(state), scopes_(state) {}

  [[nodiscard]] const ir::ScopeTree &scopes() const { return scopes_; }

  /// A scope goes with all that is in it.
  void remove(NodeId gone) {
    state_.node(gone).removed = true;
    if (!state_.node(gone).is_scope_entry())
      return;
    for (std::size_t i = 0; i < state_.nodes.size(); ++i)
      for (NodeId scope = scopes_.scope_of(NodeId(i)); scope.has_value();
           scope = scopes_.scope_of(scope))
        if (scope == gone)
          state_.nodes[i].removed = true;
  }

  /// Takes out what has become useless, and mends the rest.
  void finish() {
    do {
      for (Edge &edge : state_.edges)
        edge.removed =
            edge.removed || state_.node(edge.src).removed || state_.node(edge.dst).removed;
      while (remove_broken_paths()) {
      }
    } while (remove_lonely_nodes());
    remove_connectors();
    keep_in_scopes();
    ir::compact(state_);
  }

private:
  using Ends = std::map<std::pair<std::uint32_t, std::string_view>, std::size_t>;

  /// Edges that come into a scope's entry or exit and do not go on, or go on from nowhere.
  bool remove_broken_paths() {
    Ends in;
    Ends out;
    const auto passes = [&](NodeId node, Name connector, std::string_view prefix) {
      return (state_.node(node).is_scope_entry() || state_.node(node).is_scope_exit()) &&
             connector.view().starts_with(prefix);
    };
    for (const Edge &edge : state_.edges) {
      if (edge.removed)
        continue;
      if (passes(edge.dst, edge.dst_connector, "IN_"))
        ++in[{edge.dst.value, edge.dst_connector.view().substr(3)}];
      if (passes(edge.src, edge.src_connector, "OUT_"))
        ++out[{edge.src.value, edge.src_connector.view().substr(4)}];
    }
    bool changed = false;
    for (Edge &edge : state_.edges) {
      if (edge.removed)
        continue;
      const bool ends = passes(edge.dst, edge.dst_connector, "IN_") &&
                        !out.contains({edge.dst.value, edge.dst_connector.view().substr(3)});
      const bool begins = passes(edge.src, edge.src_connector, "OUT_") &&
                          !in.contains({edge.src.value, edge.src_connector.view().substr(4)});
      edge.removed = ends || begins;
      changed = changed || edge.removed;
    }
    return changed;
  }

  /// Access nodes without edges and scopes without contents.
  bool remove_lonely_nodes() {
    std::vector<std::size_t> edges(state_.nodes.size(), 0);
    std::vector<std::size_t> contents(state_.nodes.size(), 0);
    for (const Edge &edge : state_.edges)
      if (!edge.removed && !edge.memlet.is_empty()) {
        ++edges[edge.src.value];
        ++edges[edge.dst.value];
      }
    for (std::size_t i = 0; i < state_.nodes.size(); ++i)
      if (const NodeId scope = scopes_.scope_of(NodeId(i));
          scope.has_value() && !state_.nodes[i].removed && !state_.nodes[i].is_scope_exit())
        ++contents[scope.value];
    bool changed = false;
    for (std::size_t i = 0; i < state_.nodes.size(); ++i) {
      Node &node = state_.nodes[i];
      const bool lonely = (node.is<ir::AccessNode>() && edges[i] == 0) ||
                          (node.is_scope_entry() && contents[i] == 0);
      if (node.removed || !lonely)
        continue;
      remove(NodeId(i));
      changed = true;
    }
    return changed;
  }

  void remove_connectors() {
    std::set<std::pair<std::uint32_t, Name>> in;
    std::set<std::pair<std::uint32_t, Name>> out;
    for (const Edge &edge : state_.edges)
      if (!edge.removed) {
        in.insert({edge.dst.value, edge.dst_connector});
        out.insert({edge.src.value, edge.src_connector});
      }
    for (std::uint32_t i = 0; i < state_.nodes.size(); ++i) {
      Node &node = state_.nodes[i];
      if (node.removed || node.is<ir::UnknownNode>())
        continue;
      std::erase_if(node.in_connectors, [&](const ir::Connector &connector) {
        if (in.contains({i, connector.name}))
          return false;
        lose_input(node, connector.name);
        return true;
      });
      std::erase_if(node.out_connectors, [&](const ir::Connector &connector) {
        if (out.contains({i, connector.name}))
          return false;
        lose_output(node, connector.name);
        return true;
      });
      node.changed = true;
    }
  }

  /// A tasklet computes with 1 instead of what it got.
  void lose_input(Node &node, Name connector) {
    if (auto *tasklet = node.as<ir::Tasklet>()) {
      const std::string_view code = tasklet->code.text;
      std::string text;
      std::size_t copied = 0;
      support::for_each_word(code, [&](std::string_view word) {
        if (word != connector.view())
          return;
        const auto at = static_cast<std::size_t>(word.data() - code.data());
        text.append(code.substr(copied, at - copied)).append("1");
        copied = at + word.size();
      });
      text += code.substr(copied);
      tasklet->code.text = document_.arena.store(text);
    }
    lose_output(node, connector);
  }

  /// A nested SDFG keeps the data to itself.
  static void lose_output(Node &node, Name connector) {
    auto *nested = node.as<ir::NestedSdfg>();
    if (!nested || !nested->sdfg)
      return;
    const auto named = [&](const ir::Connector &other) { return other.name == connector; };
    const bool both = std::any_of(node.in_connectors.begin(), node.in_connectors.end(), named) &&
                      std::any_of(node.out_connectors.begin(), node.out_connectors.end(), named);
    if (ir::Descriptor *inner = nested->sdfg->find_array(connector); inner && !both) {
      inner->transient = true;
      inner->changed = true;
    }
  }

  /// Edges alone tell which scope a node is in.
  void keep_in_scopes() {
    std::vector<bool> entered(state_.nodes.size());
    std::vector<bool> left(state_.nodes.size());
    for (const Edge &edge : state_.edges)
      if (!edge.removed) {
        left[edge.src.value] = true;
        entered[edge.dst.value] = true;
      }
    for (std::size_t i = 0; i < state_.nodes.size(); ++i) {
      const NodeId scope = scopes_.scope_of(NodeId(i));
      if (state_.nodes[i].removed || !scope.has_value() || state_.nodes[i].is_scope_exit())
        continue;
      if (!entered[i])
        order(scope, NodeId(i));
      const NodeId exit = state_.node(scope).scope_partner();
      const NodeId end =
          state_.nodes[i].is_scope_entry() ? state_.nodes[i].scope_partner() : NodeId(i);
      if (!left[end.value])
        order(end, exit);
    }
  }

  void order(NodeId src, NodeId dst) {
    Edge edge;
    edge.src = src;
    edge.dst = dst;
    edge.memlet.volume = document_.context.expression("1", document_.grammar);
    edge.memlet.data_is_source = false;
    edge.changed = edge.memlet_changed = true;
    state_.edges.push_back(std::move(edge));
  }

  ir::Document &document_;
  ir::State &state_;
  ir::ScopeTree scopes_; ///< as the state was
};

template <typename Visit> void for_each_state_everywhere(ir::Document &document, Visit visit) {
  for_each_sdfg(document.root, [&](ir::Sdfg &sdfg) {
    ir::for_each_state(sdfg.root, [&](ir::State &state, ir::Block &) { visit(state); });
  });
}

} // namespace

void drop_nodes(ir::Document &document, Selection &selection) {
  for_each_state_everywhere(document, [&](ir::State &state) {
    Surgeon surgeon(document, state);
    bool changed = false;
    // Those at the top level first: scopes go before what is in them.
    for (const bool inside : {false, true})
      for (std::size_t i = 0; i < state.nodes.size(); ++i) {
        const Node &node = state.nodes[i];
        if (node.is_scope_exit() || node.removed ||
            surgeon.scopes().scope_of(NodeId(i)).has_value() != inside || !selection.next())
          continue;
        surgeon.remove(NodeId(i));
        changed = true;
      }
    if (changed)
      surgeon.finish();
  });
}

void drop_edges(ir::Document &document, Selection &selection) {
  for_each_state_everywhere(document, [&](ir::State &state) {
    Surgeon surgeon(document, state);
    bool changed = false;
    for (Edge &edge : state.edges)
      if (selection.next()) {
        edge.removed = true;
        changed = true;
      }
    if (changed)
      surgeon.finish();
  });
}

/// Ranges of maps and memlets become the element 0, extents the number 4, where they are no
/// numbers.
void simplify_expressions(ir::Document &document, Selection &selection) {
  const auto make = [&](const char *text) {
    return document.context.expression(text, document.grammar);
  };
  const auto is_number = [](ir::Expression expression) {
    return expression.text().find_first_not_of("0123456789") == std::string_view::npos;
  };
  const auto simplify = [&](ir::Subset &subset) {
    bool changed = false;
    for (ir::Range &range : subset.ranges())
      if ((!is_number(range.begin) || !is_number(range.end)) && selection.next()) {
        range.begin = range.end = make("0");
        range.step = make("1");
        changed = true;
      }
    return changed;
  };
  for_each_sdfg(document.root, [&](ir::Sdfg &sdfg) {
    for (ir::Descriptor &descriptor : sdfg.arrays)
      for (ir::Expression &extent : descriptor.shape)
        if (!is_number(extent) && selection.next()) {
          extent = make("4");
          descriptor.changed = true;
        }
  });
  for_each_state_everywhere(document, [&](ir::State &state) {
    for (Node &node : state.nodes)
      if (auto *map = node.as<ir::MapEntry>())
        node.changed = simplify(map->range) || node.changed;
    for (Edge &edge : state.edges)
      for (ir::Subset *subset : {&edge.memlet.subset, &edge.memlet.other_subset})
        edge.memlet_changed = simplify(*subset) || edge.memlet_changed;
  });
}

/// A tasklet hands its first input on, or zero.
void simplify_tasklets(ir::Document &document, Selection &selection) {
  for_each_state_everywhere(document, [&](ir::State &state) {
    for (Node &node : state.nodes) {
      auto *tasklet = node.as<ir::Tasklet>();
      if (!tasklet || tasklet->code.language.view() != "Python")
        continue;
      std::string text;
      for (const ir::Connector &connector : node.out_connectors)
        text += (text.empty() ? "" : "\n") + connector.name.str() + " = " +
                (node.in_connectors.empty() ? "0" : node.in_connectors.front().name.str());
      if (text == tasklet->code.text || !selection.next())
        continue;
      tasklet->code.text = document.arena.store(text);
      node.changed = true;
    }
  });
}

} // namespace sdfgopt::verify::reducer
