#include "passes/version_names.h"

#include "io/json_text.h"
#include "support/words.h"

namespace sdfgopt::passes {

using ir::Region;

TakenNames::TakenNames(const ir::Sdfg &sdfg, support::NamePool &pool) : pool_(pool) {
  for (const ir::Descriptor &descriptor : sdfg.arrays)
    taken_.insert(descriptor.name);
  for (const auto &symbol : sdfg.symbols)
    taken_.insert(symbol.first);
  taken_.insert(sdfg.arg_names.begin(), sdfg.arg_names.end());
  for (const std::string_view key : {"constants_prop", "global_code", "init_code", "exit_code"})
    for (const std::string &text : io::strings_in(sdfg.attribute(key)))
      add_words(text);
  add(sdfg.root);
}

Name TakenNames::fresh(const std::string &stem) {
  const Name name = pool_.fresh(stem, [&](Name other) { return taken_.contains(other); });
  taken_.insert(name);
  return name;
}

void TakenNames::add_words(std::string_view text) {
  support::for_each_word(text, [&](std::string_view word) { taken_.insert(pool_.intern(word)); });
}
void TakenNames::add(const std::optional<ir::Code> &code) {
  if (code)
    add_words(code->text);
}

void TakenNames::add(const Region &region) {
  for (const ir::InterstateEdge &edge : region.edges) {
    add(edge.condition);
    for (const auto &[name, value] : edge.assignments) {
      taken_.insert(name);
      add_words(value.text());
    }
  }
  for (const ir::Block &block : region.blocks) {
    taken_.insert(block.label);
    if (const auto *loop = block.as<ir::LoopRegion>()) {
      taken_.insert(loop->variable);
      for (const auto *code : {&loop->init, &loop->condition, &loop->update})
        add(*code);
    } else if (const auto *conditional = block.as<ir::ConditionalBlock>()) {
      for (const ir::Branch &branch : conditional->branches)
        add(branch.condition);
    } else if (const auto *state = block.as<ir::State>()) {
      add(*state);
    }
    for (const Region *child : ir::child_regions(block))
      add(*child);
  }
}

void TakenNames::add(const ir::State &state) {
  for (const ir::Node &node : state.nodes) {
    for (const auto *connectors : {&node.in_connectors, &node.out_connectors})
      for (const ir::Connector &connector : *connectors)
        taken_.insert(connector.name);
    if (const auto *map = node.as<ir::MapEntry>()) {
      taken_.insert(map->params.begin(), map->params.end());
    } else if (const auto *consume = node.as<ir::ConsumeEntry>()) {
      taken_.insert(consume->pe_index);
    } else if (const auto *tasklet = node.as<ir::Tasklet>()) {
      add_words(tasklet->code.text);
    }
  }
  for (const ir::Edge &edge : state.edges) // symbols that are not in the table
    for (const ir::Subset *subset : {&edge.memlet.subset, &edge.memlet.other_subset})
      for (const ir::Range &range : subset->ranges())
        for (const symbolic::Expression text : {range.begin, range.end, range.step})
          add_words(text.text());
}

void Renamer::run(Region &region) {
  for (ir::InterstateEdge &edge : region.edges)
    rename(edge);
  for (ir::Block &block : region.blocks) {
    block.label = taken_.fresh(block.label.str() + "_guarded");
    block.changed = true;
    for (ir::Member &member : block.members)
      if (member.key == "label")
        member.value = {};
    if (auto *state = block.as<ir::State>()) {
      rename(*state);
    } else if (auto *conditional = block.as<ir::ConditionalBlock>()) {
      for (ir::Branch &branch : conditional->branches)
        if (rename(branch.condition))
          branch.condition_source = {};
    } else if (auto *loop = block.as<ir::LoopRegion>()) {
      if (rename(loop->init))
        block.touch("init_statement");
      if (rename(loop->condition))
        block.touch("loop_condition");
      if (rename(loop->update))
        block.touch("update_statement");
    }
    for (Region *child : ir::child_regions(block))
      run(*child);
  }
}

bool Renamer::rename(Name &name) {
  if (const auto found = data_.find(name); found != data_.end()) {
    name = found->second;
    return true;
  }
  const std::size_t dot = name.view().find('.');
  if (dot == std::string_view::npos)
    return false;
  const auto found = data_.find(document_.names.find(name.view().substr(0, dot)));
  if (found == data_.end())
    return false;
  name = document_.names.intern(found->second.str() + std::string(name.view().substr(dot)));
  return true;
}

std::optional<std::string> Renamer::renamed(std::string_view text) {
  std::string out;
  std::size_t copied = 0;
  support::for_each_word(text, [&](std::string_view word) {
    const auto at = static_cast<std::size_t>(word.data() - text.data());
    const Name name = document_.names.find(word);
    const auto found = name ? data_.find(name) : data_.end();
    if (found == data_.end() || (at > 0 && text[at - 1] == '.'))
      return;
    out += text.substr(copied, at - copied);
    out += found->second.view();
    copied = at + word.size();
  });
  if (copied == 0)
    return std::nullopt;
  out += text.substr(copied);
  return out;
}

bool Renamer::rename(std::optional<ir::Code> &code) {
  const auto text = code ? renamed(code->text) : std::nullopt;
  if (text)
    code->text = document_.arena.store(*text);
  return text.has_value();
}

void Renamer::rename(ir::InterstateEdge &edge) {
  if (rename(edge.condition))
    edge.changed = true;
  for (auto &assignment : edge.assignments)
    if (const auto text = renamed(assignment.second.text())) {
      assignment.second = document_.context.expression(*text, symbolic::Grammar::Python);
      edge.changed = true;
    }
}

void Renamer::rename(ir::State &state) {
  for (ir::Node &node : state.nodes)
    if (auto *access = node.as<ir::AccessNode>(); access && rename(access->data))
      node.changed = true;
  for (ir::Edge &edge : state.edges)
    if (edge.memlet.data && rename(edge.memlet.data))
      edge.memlet_changed = true;
}

} // namespace sdfgopt::passes
