#include "passes/analyses.h"

#include "io/member_splitter.h"

#include <algorithm>
#include <unordered_set>

namespace sdfgopt::passes {

namespace {

/// Non-transient arrays that are accessed and not declared to be optional.
std::vector<const ir::Descriptor *> present_arguments(const ir::Sdfg &sdfg) {
  std::unordered_set<Name> accessed;
  ir::for_each_state(sdfg.root, [&](const ir::State &state, const ir::Block &) {
    for (const ir::Node &node : state.nodes)
      if (const auto *access = node.as<ir::AccessNode>())
        accessed.insert(access->data);
  });
  io::MemberSplitter splitter;
  const auto is_optional = [&](const ir::Descriptor &descriptor) {
    const std::vector<ir::Member> attributes = splitter.attributes(descriptor.source);
    return std::any_of(attributes.begin(), attributes.end(), [](const ir::Member &attribute) {
      return attribute.key == "optional" && attribute.value == "true";
    });
  };
  std::vector<const ir::Descriptor *> arguments;
  for (const ir::Descriptor &descriptor : sdfg.arrays)
    if (!descriptor.removed && !descriptor.transient &&
        descriptor.kind == ir::DescriptorKind::Array && accessed.contains(descriptor.name) &&
        !is_optional(descriptor))
      arguments.push_back(&descriptor);
  return arguments;
}

} // namespace

/// The extents of arguments are not negative (nobody can make an array that has one), if they are
/// there: they are accessed, and not declared to be optional. Of a
/// transient that is known only where it exists, so it is no fact about the whole program.
/// Quotients are left out: see analysis::has_quotient.
sets::KnownFacts Analyses::facts_of(const ir::Sdfg &sdfg, const analysis::ControlFlow &flow,
                                    symbolic::Context &context) {
  sets::KnownFacts facts(context);
  for (const Expr fact : analysis::annotated_facts(sdfg, flow, context))
    facts.add(fact);
  for (const ir::Descriptor *descriptor : present_arguments(sdfg)) {
    for (const symbolic::Expression extent : descriptor->shape) {
      const Expr value = context.value(extent);
      const std::vector<Name> names = context.free_symbols(value);
      const bool constant = std::none_of(names.begin(), names.end(), [&](Name name) {
        return flow.is_assigned(name) || sdfg.find_array(name);
      });
      if (constant && !names.empty() && !analysis::has_quotient(extent))
        facts.add(context.compare_op(symbolic::Kind::Le, context.integer(0), value));
    }
  }
  return facts;
}

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
