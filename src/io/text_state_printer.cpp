#include "io/text_graph_printer.h"

#include <algorithm>

namespace sdfgopt::io {

using ir::NodeId;

namespace {

constexpr std::size_t wide = 100;

bool same_connectors(const std::vector<ir::Connector> &list,
                     const std::vector<support::Name> &implied) {
  return std::equal(list.begin(), list.end(), implied.begin(), implied.end(),
                    [](const ir::Connector &connector, support::Name name) {
                      return connector.name == name && connector.dtype == "null";
                    });
}

std::string connector_list(const std::vector<ir::Connector> &list) {
  std::string text = "(";
  for (const ir::Connector &connector : list) {
    if (text.size() > 1)
      text += ", ";
    text += spell_name(connector.name.view());
    if (connector.dtype != "null")
      text += ": " + spell_json(connector.dtype);
  }
  return text + ")";
}

} // namespace

// --- edges at nodes ------------------------------------------------------------------------------

std::string TextGraphPrinter::edge_tail(const ir::State &state, const StatePlan &plan,
                                        std::uint32_t edge) {
  return " " + spelling_.memlet(state.edges[edge].memlet, plan.path_source(edge)) +
         with_space(plan.extras[edge]);
}

std::string TextGraphPrinter::operand(const ir::State &state, const StatePlan &plan,
                                      const ListedEdge &listed, bool input) {
  const ir::Edge &edge = state.edges[listed.edge];
  const support::Name own = input ? edge.dst_connector : edge.src_connector;
  std::string text;
  // At an entry or exit, IN_x and OUT_x are told like any other connector.
  if (own)
    text = spell_name(own.view()) + " = ";
  text += listed.far.str();
  if (listed.far_connector)
    text += "." + spell_name(listed.far_connector.view());
  if (!listed.via.empty()) {
    const bool word = listed.via.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
                      std::string_view::npos;
    text += " via " + (word ? std::string(listed.via) : spell_name(listed.via));
  }
  return text + edge_tail(state, plan, listed.edge);
}

/// One line, or one line an item where that would be too wide.
std::string TextGraphPrinter::operand_list(const std::vector<std::string> &operands) {
  std::size_t width = 0;
  for (const std::string &text : operands)
    width += text.size() + 2;
  const bool broken = width > wide - 20 && operands.size() > 1;
  std::string text = "(";
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i > 0)
      text += ',';
    if (broken)
      text += "\n    " + indent();
    else if (i > 0)
      text += ' ';
    text += operands[i];
  }
  return text + ")";
}

std::string TextGraphPrinter::inputs(const ir::State &state, const StatePlan &plan, NodeId id) {
  const auto &list = plan.inputs[id.value];
  if (list.empty())
    return "";
  std::vector<std::string> operands;
  for (const ListedEdge &listed : list)
    operands.push_back(operand(state, plan, listed, true));
  if (!state.node(id).is<ir::AccessNode>())
    return " " + operand_list(operands);
  std::string text;
  for (const std::string &one : operands)
    text += (text.empty() ? " <- " : ", ") + one;
  return text;
}

std::string TextGraphPrinter::outputs(const ir::State &state, const StatePlan &plan, NodeId id) {
  const auto &list = plan.outputs[id.value];
  if (list.empty())
    return plan.dangling[id.value] ? " -> none" : "";
  std::vector<std::string> operands;
  for (const ListedEdge &listed : list)
    operands.push_back(operand(state, plan, listed, false));
  return " -> " + operand_list(operands);
}

std::string TextGraphPrinter::connectors(const ir::State &state, const StatePlan &plan, NodeId id) {
  const ir::Node &node = state.node(id);
  if (node.is<ir::UnknownNode>())
    return "";
  const auto &[in, out] = plan.connectors[id.value];
  std::string text;
  if (!same_connectors(node.in_connectors, in))
    text += " inputs " + connector_list(node.in_connectors);
  if (!same_connectors(node.out_connectors, out))
    text += " outputs " + connector_list(node.out_connectors);
  return text;
}

std::string TextGraphPrinter::node_extras(ir::State &state, const StatePlan &plan, NodeId id) {
  return with_space(extras_.of_node(state, plan.tree(), id));
}

// --- nodes ---------------------------------------------------------------------------------------

std::string TextGraphPrinter::node_header(const ir::State &state, NodeId id) {
  const ir::Node &node = state.node(id);
  std::string text = id.str() + " ";
  const std::string label = spell_optional(node.label);
  if (const auto *access = node.as<ir::AccessNode>()) {
    text += spell_name(access->data.view(), true);
    if (access->setzero)
      text += " setzero";
  } else if (node.is<ir::Tasklet>()) {
    text += "tasklet " + label;
  } else if (node.is<ir::NestedSdfg>()) {
    text += "nested " + label;
  } else if (const auto *library = node.as<ir::LibraryNode>()) {
    text += "library " + spell_optional(library->class_path, true) + " " + label;
  } else if (const auto *consume = node.as<ir::ConsumeEntry>()) {
    text += "consume " + label + " [" + spell_optional(consume->pe_index) + " = " +
            (consume->num_pes ? spelling_.expression(consume->num_pes, ExpressionEnd::Delimiter)
                              : std::string("none")) +
            "]";
  } else if (const auto *map = node.as<ir::MapEntry>()) {
    text += "map " + label;
    const bool paired = map->range && map->params.size() == map->range.rank();
    if (paired) {
      text += " [";
      for (std::size_t i = 0; i < map->params.size(); ++i)
        text += (i > 0 ? ", " : "") + spell_name(map->params[i].view()) + " = " +
                spelling_.range(map->range.ranges()[i]);
      text += ']';
    } else {
      text += " (";
      for (std::size_t i = 0; i < map->params.size(); ++i)
        text += (i > 0 ? ", " : "") + spell_name(map->params[i].view());
      text += ')';
      if (map->range)
        text += " " + spelling_.subset(map->range);
    }
    if (!map->schedule.empty())
      text += " schedule " + spell_json(map->schedule);
  } else {
    text += "unknown " + spell_name(node.type.view(), true);
  }
  return text;
}

void TextGraphPrinter::print_nodes(ir::State &state, StatePlan &plan,
                                   const std::vector<NodeId> &nodes) {
  for (const NodeId id : nodes) {
    out_ += indent();
    print_node(state, plan, id);
    out_ += '\n';
  }
}

/// Without indentation in front and line end behind.
void TextGraphPrinter::print_node(ir::State &state, StatePlan &plan, NodeId id) {
  ir::Node &node = state.node(id);
  out_ += node_header(state, id);
  if (node.is<ir::AccessNode>()) // in front of the edges: what follows a memlet is the memlet's
    out_ += connectors(state, plan, id) + node_extras(state, plan, id);
  out_ += inputs(state, plan, id);
  if (node.is_scope_entry())
    return print_scope(state, plan, id);
  out_ += outputs(state, plan, id);
  if (node.is<ir::AccessNode>())
    return;
  out_ += connectors(state, plan, id);
  const std::string extras = node_extras(state, plan, id);
  if (auto *nested = node.as<ir::NestedSdfg>())
    return print_nested(*nested, extras);
  if (const auto *tasklet = node.as<ir::Tasklet>())
    out_ += with_space(spell_code(tasklet->code, indent()));
  out_ += extras;
}

void TextGraphPrinter::print_nested(ir::NestedSdfg &nested, const std::string &extras) {
  if (!nested.symbol_mapping.empty()) {
    std::vector<std::string> symbols;
    symbols.reserve(nested.symbol_mapping.size());
    for (const auto &[name, value] : nested.symbol_mapping)
      symbols.push_back(spell_name(name.view()) + " = " +
                        spelling_.expression(value, ExpressionEnd::Delimiter));
    out_ += " symbols " + operand_list(symbols);
  }
  out_ += extras;
  if (!nested.sdfg)
    return;
  out_ += " sdfg " + spell_optional(nested.sdfg->name);
  print_sdfg(*nested.sdfg);
}

/// From behind a scope entry's inputs to the end of its body.
void TextGraphPrinter::print_scope(ir::State &state, StatePlan &plan, NodeId id) {
  const NodeId exit = state.node(id).scope_partner();
  out_ += connectors(state, plan, id) + node_extras(state, plan, id) + " exit " + exit.str();
  if (state.node(exit).label)
    out_ += " label " + spell_name(state.node(exit).label.view());
  out_ +=
      outputs(state, plan, exit) + connectors(state, plan, exit) + node_extras(state, plan, exit);
  const std::vector<NodeId> &children = plan.children[id.value];
  const std::size_t line_start = out_.rfind('\n') + 1;
  // A single small node stands on the same line.
  if (children.size() == 1 && !state.node(children.front()).is_scope_entry() &&
      !state.node(children.front()).is<ir::NestedSdfg>()) {
    const std::size_t before = out_.size();
    out_ += ": ";
    {
      const Level level(*this);
      print_node(state, plan, children.front());
    }
    const bool fits =
        out_.size() - line_start <= wide + 20 && out_.find('\n', before) == std::string::npos;
    if (fits)
      return;
    out_.resize(before);
  }
  if (children.empty()) {
    out_ += " { }";
    return;
  }
  out_ += " {\n";
  {
    const Level level(*this);
    print_nodes(state, plan, children);
  }
  out_ += indent() + "}";
}

} // namespace sdfgopt::io
