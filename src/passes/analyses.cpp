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

std::vector<Expr> strides_of(const ir::Descriptor &descriptor, symbolic::Context &context) {
  const std::size_t rank = descriptor.shape.size();
  std::vector<Expr> strides(rank, context.integer(1));
  if (descriptor.strides.size() == rank) {
    for (std::size_t i = 0; i < rank; ++i)
      strides[i] = context.value(descriptor.strides[i]);
    return strides;
  }
  for (std::size_t i = rank; i-- > 1;)
    strides[i - 1] = context.mul(strides[i], context.value(descriptor.shape[i]));
  return strides;
}

bool is_captured(const analysis::StateGraph &graph, NodeId node,
                 const std::vector<Expr> &expressions, symbolic::Context &context) {
  for (NodeId scope = graph.scope_of(node); scope.has_value(); scope = graph.scope_of(scope)) {
    const auto *map = graph.state().node(scope).as<ir::MapEntry>();
    const auto *consume = graph.state().node(scope).as<ir::ConsumeEntry>();
    for (const Expr expression : expressions)
      for (const Name symbol : context.free_symbols(expression))
        if ((map && std::find(map->params.begin(), map->params.end(), symbol) !=
                        map->params.end()) ||
            (consume && consume->pe_index == symbol))
          return true;
  }
  return false;
}

sets::Region whole(const ir::Descriptor &descriptor, symbolic::Context &context) {
  sets::Region region;
  for (const symbolic::Expression extent : descriptor.shape)
    region.dims.push_back({context.integer(0),
                           context.sub(context.value(extent), context.integer(1)),
                           context.integer(1)});
  return region;
}

} // namespace sdfgopt::passes
