#include "passes/program_names.h"

#include "analysis/state_graph.h"
#include "support/shown.h"

#include <algorithm>

namespace sdfgopt::passes {

using support::Name;

namespace {

// Longer names are not offered for each other: the distance takes the product of the lengths.
constexpr std::size_t max_compared = 200;

/// Letters to be put in, left out or replaced to make `b` of `a`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string_view word_for(ir::DescriptorKind kind) {
  switch (kind) {
  case ir::DescriptorKind::Scalar:
    return "a scalar";
  case ir::DescriptorKind::Stream:
    return "a stream";
  case ir::DescriptorKind::Array:
  case ir::DescriptorKind::View:
  case ir::DescriptorKind::Reference:
    return "an array";
  default:
    return "data";
  }
}

} // namespace

ProgramNames::ProgramNames(ir::Document &document)
    : document_(document), flow_(document.root, document.context) {
  add_region(document.root.root);
  for (const ir::Descriptor &descriptor : document.root.arrays) {
    if (descriptor.removed)
      continue;
    for (const auto *list : {&descriptor.shape, &descriptor.strides, &descriptor.offset})
      for (const symbolic::Expression expression : *list)
        add(expression, symbols_);
    add(descriptor.total_size, symbols_);
  }
  for (const auto &[name, dtype] : document.root.symbols)
    symbols_.insert(name);
  for (const ir::Descriptor &descriptor : document.root.arrays)
    symbols_.erase(descriptor.name);
}

void ProgramNames::add(symbolic::Expression expression, Names &names) {
  if (!expression)
    return;
  symbolic::Context &context = document_.context;
  const std::vector<Name> free = context.free_symbols(context.value(expression));
  names.insert(free.begin(), free.end());
}

void ProgramNames::add_condition(const std::optional<ir::Code> &code) {
  if (code && (!code->language || code->language.view() == "Python"))
    add(document_.context.expression(code->text, symbolic::Grammar::Python), symbols_);
}

void ProgramNames::add_region(const ir::Region &region) {
  for (const ir::InterstateEdge &edge : region.edges)
    if (!edge.removed)
      add_condition(edge.condition);
  for (const ir::Block &block : region.blocks) {
    if (block.removed)
      continue;
    if (const auto *state = block.as<ir::State>())
      add_state(*state);
    if (const auto *loop = block.as<ir::LoopRegion>())
      add_condition(loop->condition);
    if (const auto *branches = block.as<ir::ConditionalBlock>())
      for (const ir::Branch &branch : branches->branches)
        add_condition(branch.condition);
    for (const ir::Region *child : ir::child_regions(block))
      add_region(*child);
  }
}

/// A name that is a parameter somewhere in the state is not taken for a symbol on account of it.
void ProgramNames::add_state(const ir::State &state) {
  Names used;
  Names parameters;
  const auto add_subset = [&](const ir::Subset &subset) {
    for (const ir::Range &range : subset.ranges())
      for (const symbolic::Expression expression : {range.begin, range.end, range.step})
        add(expression, used);
  };
  for (const ir::Node &node : state.nodes) {
    if (node.removed)
      continue;
    if (const auto *map = node.as<ir::MapEntry>()) {
      add_subset(map->range);
      parameters.insert(map->params.begin(), map->params.end());
    } else if (const auto *consume = node.as<ir::ConsumeEntry>()) {
      add(consume->num_pes, used);
      parameters.insert(consume->pe_index);
    }
    const std::vector<Name> connectors = analysis::range_connectors(node);
    parameters.insert(connectors.begin(), connectors.end());
  }
  for (const ir::Edge &edge : state.edges) {
    if (edge.removed || edge.memlet.is_empty())
      continue;
    add_subset(edge.memlet.subset);
    add_subset(edge.memlet.other_subset);
  }
  for (const Name name : used)
    if (!parameters.contains(name))
      symbols_.insert(name);
}

std::string ProgramNames::unknown(std::string_view name) const {
  const std::string message = "'" + support::shown(name) + "' is no symbol of the program";
  Name nearest;
  std::size_t least = name.size() / 3 + 2; // a third of the letters may be wrong
  if (name.size() <= max_compared)
    for (const Name symbol : symbols_) {
      const std::size_t size = symbol.view().size();
      if (std::max(size, name.size()) - std::min(size, name.size()) >= least ||
          flow_.is_assigned(symbol))
        continue;
      if (const std::size_t distance = edit_distance(name, symbol.view()); distance < least) {
        least = distance;
        nearest = symbol;
      }
    }
  if (nearest)
    return message + "; is '" + support::shown(nearest.view()) + "' meant?";
  std::string known;
  std::size_t count = 0;
  for (const Name symbol : symbols_)
    if (!flow_.is_assigned(symbol) && ++count <= 8)
      known += (known.empty() ? "" : ", ") + support::shown(symbol.view());
  if (count == 0)
    return message + ", which has none that keeps its value";
  return message + ", whose symbols are " + known + (count > 8 ? ", ..." : "");
}

std::string ProgramNames::objection(Name name) const {
  const std::string quoted = "'" + support::shown(name.view()) + "'";
  if (const ir::Descriptor *data = document_.root.find_array(name))
    return quoted + " is " + std::string(word_for(data->kind)) +
           ", not a symbol: facts are about symbols";
  if (flow_.is_assigned(name))
    return quoted + " is assigned by the program, so its value changes: nothing can be assumed of "
                    "it";
  return symbols_.contains(name) ? "" : unknown(name.view());
}

} // namespace sdfgopt::passes
