#include "passes/analyses.h"

#include <algorithm>

namespace sdfgopt::passes {

std::string describe_state(const Analyses &analyses, const ir::State &state) {
  return "state '" + analyses.flow.label_of(state.id).str() + "' (" + state.id.str() + ")";
}

std::string describe_node(const Analyses &analyses, const ir::State &state, NodeId id) {
  const ir::Node &node = state.node(id);
  std::string name = node.label.str();
  if (const auto *access = node.as<ir::AccessNode>())
    name = access->data.str();
  else if (name.empty())
    name = node.type.str();
  return "'" + name + "' (" + id.str() + ") in " + describe_state(analyses, state);
}

bool is_captured(const analysis::StateGraph &graph, NodeId node,
                 const std::vector<Expr> &expressions, symbolic::Context &context) {
  for (NodeId scope = graph.scope_of(node); scope.has_value(); scope = graph.scope_of(scope)) {
    const auto *map = graph.state().node(scope).as<ir::MapEntry>();
    const auto *consume = graph.state().node(scope).as<ir::ConsumeEntry>();
    for (const Expr expression : expressions)
      for (const Name symbol : context.free_symbols(expression))
        if ((map &&
             std::find(map->params.begin(), map->params.end(), symbol) != map->params.end()) ||
            (consume && consume->pe_index == symbol))
          return true;
  }
  return false;
}

} // namespace sdfgopt::passes
