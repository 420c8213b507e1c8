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

bool is_captured(const analysis::StateGraph &graph, const std::vector<Expr> &expressions,
                 symbolic::Context &context) {
  const std::vector<Name> &parameters = graph.parameters();
  for (const Expr expression : expressions)
    for (const Name symbol : context.free_symbols(expression))
      if (std::binary_search(parameters.begin(), parameters.end(), symbol))
        return true;
  return false;
}

} // namespace sdfgopt::passes
