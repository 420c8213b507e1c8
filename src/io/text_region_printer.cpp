#include "io/text_graph_printer.h"

#include "io/json_text.h"

#include <algorithm>

namespace sdfgopt::io {

using ir::Block;

namespace {

std::string quoted(support::Name name) {
  if (!name)
    return "null";
  std::string out;
  append_quoted(out, name.view());
  return out;
}

/// How edges refer to a block: by its label if that is the only one, else by its id.
std::vector<std::string> block_names(const ir::Region &region) {
  std::unordered_map<std::string_view, std::size_t> count;
  for (const Block &block : region.blocks)
    ++count[block.label.view()];
  std::vector<std::string> names;
  for (std::size_t i = 0; i < region.blocks.size(); ++i) {
    const std::string_view label = region.blocks[i].label.view();
    const bool unique = count[label] == 1 && !label.empty();
    std::string name = "b" + std::to_string(i);
    if (unique) {
      const bool like_id = label.front() == 'b' && label.size() > 1 &&
                           label.find_first_not_of("0123456789", 1) == std::string_view::npos;
      name = like_id ? quoted(region.blocks[i].label) : spell_name(label, true);
    }
    names.push_back(std::move(name));
  }
  return names;
}

} // namespace

std::string TextGraphPrinter::start_text(const ir::Region &region) const {
  return region.start_block ? std::to_string(*region.start_block) : "null";
}

void TextGraphPrinter::print_region(ir::Region &region, bool branch) {
  const std::vector<std::string> names = block_names(region);
  for (std::size_t i = 0; i < region.blocks.size(); ++i)
    print_block(region.blocks[i], i);
  if (region.start_block != default_start(region, branch))
    line("start " + (region.start_block ? names[*region.start_block] : std::string("none")));
  for (ir::InterstateEdge &edge : region.edges)
    print_interstate_edge(edge, names);
}

void TextGraphPrinter::print_interstate_edge(ir::InterstateEdge &edge,
                                             const std::vector<std::string> &names) {
  std::string text = names[edge.src.value] + " -> " + names[edge.dst.value];
  if (edge.condition)
    text += " if " + spell_condition(*edge.condition);
  for (std::size_t i = 0; i < edge.assignments.size(); ++i) {
    const auto &[name, value] = edge.assignments[i];
    text +=
        (i == 0 ? " with " : ", ") + spell_name(name.view()) + " = " + spell_quoted(value.text());
  }
  line(text + with_space(extras_.of_interstate_edge(edge)));
}

// --- blocks --------------------------------------------------------------------------------------

TextGraphPrinter::Standard TextGraphPrinter::standard_block(const Block &block, std::size_t index) {
  Standard standard;
  standard.order = block_key_order(block);
  standard.members = {{"type", quoted(block.type)},
                      {"label", quoted(block.label)},
                      {"id", std::to_string(index)},
                      {"collapsed", "false"}};
  if (block.is<ir::State>() || block.is<ir::Jump>())
    return standard;
  standard.members.emplace_back("cfg_list_id", std::to_string(graph_numbers_[&block]));
  standard.remembered = {"cfg_list_id"};
  std::string start = "null";
  if (!block.is<ir::ConditionalBlock>())
    for (const ir::Region *region : ir::child_regions(block))
      start = start_text(*region);
  standard.members.emplace_back("start_block", start);
  if (const auto *loop = block.as<ir::LoopRegion>())
    standard.attributes = loop_attributes(*loop);
  return standard;
}

TextGraphPrinter::Standard TextGraphPrinter::standard_branch(const ir::Branch &branch) {
  Standard standard;
  standard.order = branch_key_order();
  standard.members = {{"type", "\"ControlFlowRegion\""},
                      {"id", "null"},
                      {"collapsed", "false"},
                      {"cfg_list_id", std::to_string(graph_numbers_[&branch.container])},
                      {"start_block", start_text(branch.body)}};
  for (const ir::Member &member : branch.container.members)
    if (member.key == "label") {
      standard.members.emplace_back("label", std::string(member.value));
      if (member.value != "\"\"")
        standard.remembered.emplace_back("label");
    }
  standard.remembered.emplace_back("cfg_list_id");
  return standard;
}

void TextGraphPrinter::print_block(Block &block, std::size_t index) {
  const std::string label = spell_optional(block.label, true);
  if (auto *state = block.as<ir::State>())
    return print_state(block, *state, index);
  if (auto *conditional = block.as<ir::ConditionalBlock>())
    return print_conditional(block, *conditional, index);
  if (auto *loop = block.as<ir::LoopRegion>())
    return print_loop(block, *loop, index);
  if (auto *plain = block.as<ir::PlainRegion>())
    return print_plain_region(block, *plain, index);
  if (block.is<ir::UnknownBlock>())
    return line("block json " + std::string(block.source));
  const auto kind = block.as<ir::Jump>()->kind;
  const std::string word = kind == ir::JumpKind::Break      ? "break "
                           : kind == ir::JumpKind::Continue ? "continue "
                                                            : "return ";
  const std::size_t before = out_.size();
  line(word + label + " {");
  const std::size_t opened = out_.size();
  {
    const Level level(*this);
    print_container(block, standard_block(block, index));
  }
  if (out_.size() > opened)
    return line("}");
  out_.resize(before);
  line(word + label);
}

void TextGraphPrinter::print_state(Block &block, ir::State &state, std::size_t index) {
  const std::string header = "state " + spell_optional(block.label, true) + " {";
  const std::size_t before = out_.size();
  line(header + "  # " + state.id.str());
  const std::size_t opened = out_.size();
  {
    const Level level(*this);
    StatePlan plan(rules_, extras_, state);
    Standard standard = standard_block(block, index);
    if (full_) {
      std::string scopes;
      GraphWriter(scopes).write_scope_dict(state, plan.tree());
      standard.members.emplace_back("scope_dict", scopes);
    }
    print_container(block, standard);
    print_nodes(state, plan, plan.top);
    for (const std::uint32_t i : plan.statements) {
      const ir::Edge &edge = state.edges[i];
      const auto end = [](ir::NodeId node, support::Name connector) {
        return node.str() + (connector ? "." + spell_name(connector.view()) : std::string());
      };
      line("edge " + end(edge.src, edge.src_connector) + " -> " +
           end(edge.dst, edge.dst_connector) + edge_tail(state, plan, i));
    }
    std::string order;
    for (const auto &[first, edges] : plan.order) {
      order += (order.empty() ? "order e" : ", e") + std::to_string(first) + ":";
      for (const std::uint32_t edge : edges)
        order += " e" + std::to_string(edge);
    }
    if (!order.empty())
      line(order);
  }
  if (out_.size() > opened)
    return line("}");
  out_.resize(before);
  line(header + " }  # " + state.id.str());
}

void TextGraphPrinter::print_conditional(Block &block, ir::ConditionalBlock &conditional,
                                         std::size_t index) {
  line("branch " + spell_optional(block.label, true) + " {");
  {
    const Level level(*this);
    print_container(block, standard_block(block, index));
    for (ir::Branch &branch : conditional.branches) {
      std::string text =
          branch.condition ? "if " + spell_condition(*branch.condition) : std::string("else");
      const std::string_view label = [&] {
        for (const ir::Member &member : branch.container.members)
          if (member.key == "label")
            return member.value;
        return std::string_view();
      }();
      if (!label.empty() && label != "\"\"")
        text += " as " + spell_json(label);
      line(text + " {");
      {
        const Level inner(*this);
        print_container(branch.container, standard_branch(branch));
        print_region(branch.body, true);
      }
      line("}");
    }
  }
  line("}");
}

void TextGraphPrinter::print_loop(Block &block, ir::LoopRegion &loop, std::size_t index) {
  std::string text = "loop " + spell_optional(block.label, true);
  if (loop.variable)
    text += " var " + spell_name(loop.variable.view());
  if (loop.init)
    text += " init " + spell_condition(*loop.init);
  if (loop.condition)
    text += " while " + spell_condition(*loop.condition);
  if (loop.update)
    text += " update " + spell_condition(*loop.update);
  if (loop.inverted)
    text += " inverted";
  if (!loop.update_before_condition)
    text += " update_after";
  line(text + " {");
  {
    const Level level(*this);
    Standard standard = standard_block(block, index);
    if (!full_)
      for (const auto &[key, value] : standard.attributes)
        standard.typed.push_back(key);
    print_container(block, standard);
    print_region(loop.body, false);
  }
  line("}");
}

void TextGraphPrinter::print_plain_region(Block &block, ir::PlainRegion &plain, std::size_t index) {
  std::string text = "region " + spell_optional(block.label, true);
  if (block.type.view() != "ControlFlowRegion")
    text += " type " + spell_name(block.type.view());
  line(text + " {");
  {
    const Level level(*this);
    print_container(block, standard_block(block, index));
    print_region(plain.body, false);
  }
  line("}");
}

// --- one block only ------------------------------------------------------------------------------

/// `path` leaves branches out, `exact` counts them as remarks do: "cond/branch_0/state".
bool TextGraphPrinter::find_only(ir::Region &region, const std::string &path,
                                 const std::string &exact, const std::string &only) {
  const Level level(*this);
  for (std::size_t i = 0; i < region.blocks.size(); ++i) {
    Block &block = region.blocks[i];
    const std::string label = block.label.str();
    const std::string here = (path + "/").append(label);
    const std::string exact_here = (exact + "/").append(label);
    auto *state = block.as<ir::State>();
    if (label == only || here.ends_with("/" + only) || exact_here.ends_with("/" + only) ||
        (state && state->id.str() == only)) {
      const unsigned levels = std::exchange(levels_, 0);
      print_block(block, i);
      levels_ = levels;
      return true;
    }
    const std::vector<ir::Region *> children = ir::child_regions(block);
    for (std::size_t k = 0; k < children.size(); ++k) {
      const std::string branch =
          block.is<ir::ConditionalBlock>() ? "/branch_" + std::to_string(k) : std::string();
      if (find_only(*children[k], here, exact_here + branch, only))
        return true;
    }
    if (!state)
      continue;
    for (ir::Node &node : state->nodes)
      if (auto *nested = node.as<ir::NestedSdfg>(); nested && nested->sdfg)
        if (const std::string inside = "/" + nested->sdfg->name.str();
            find_only(nested->sdfg->root, here + inside, exact_here + inside, only))
          return true;
  }
  return false;
}

std::optional<std::string> TextGraphPrinter::print_only(const std::string &only) {
  number(document_.root);
  const std::string name = document_.root.name.str();
  if (!find_only(document_.root.root, name, name, only))
    return std::nullopt;
  return std::move(out_);
}

} // namespace sdfgopt::io
