#include "verify/program_symbols.h"

#include "analysis/state_graph.h"
#include "interp/attributes.h"
#include "symbolic/scan.h"

#include <algorithm>
#include <set>

namespace sdfgopt::verify {

using support::Name;
using symbolic::Expr;

namespace {

using Names = std::set<Name>; // by text, so that nothing depends on addresses

class Collector {
public:
  explicit Collector(ir::Document &document) : context_(document.context) {}

  /// Names that the SDFG takes from outside.
  Names free_names(const ir::Sdfg &sdfg) {
    Names used;
    for (const auto &[name, dtype] : sdfg.symbols)
      used.insert(name);
    for (const ir::Descriptor &descriptor : sdfg.arrays)
      if (!descriptor.removed)
        add_descriptor(descriptor, used);
    add_steps(sdfg.root, used);
    ir::for_each_state(sdfg.root,
                       [&](const ir::State &state, const ir::Block &) { add_state(state, used); });
    for (const auto &[name, value] : constants_of(sdfg, context_.names()))
      used.erase(name);
    for (const ir::Descriptor &descriptor : sdfg.arrays)
      used.erase(descriptor.name);
    for (const Name name : assigned(sdfg))
      used.erase(name);
    for (const char *module : {"math", "dace", "np", "numpy"})
      used.erase(context_.names().intern(module));
    return used;
  }

private:
  void add(symbolic::Expression expression, Names &used) {
    if (expression)
      for (const Name name : context_.free_symbols(context_.value(expression)))
        used.insert(name);
  }
  void add_code(const std::optional<ir::Code> &code, Names &used) {
    if (code && (!code->language || code->language.view() == "Python"))
      add(context_.expression(code->text, symbolic::Grammar::Python), used);
  }

  void add_descriptor(const ir::Descriptor &descriptor, Names &used) {
    for (const auto *list : {&descriptor.shape, &descriptor.strides, &descriptor.offset})
      for (const symbolic::Expression expression : *list)
        add(expression, used);
    add(descriptor.total_size, used);
  }

  void add_subset(const ir::Subset &subset, Names &used) {
    for (const ir::Range &range : subset.ranges())
      for (const symbolic::Expression expression : {range.begin, range.end, range.step})
        add(expression, used);
  }

  void add_steps(const ir::Region &region, Names &used) {
    const auto add_edge = [&](const ir::InterstateEdge &edge) {
      add_code(edge.condition, used);
      for (const auto &[name, value] : edge.assignments)
        add(value, used);
    };
    for_each_step(region, add_edge, [&](const ir::LoopRegion &loop) {
      add_code(loop.condition, used);
      for (const auto *code : {&loop.init, &loop.update})
        if (const auto assignment = assignment_of(*code, context_))
          for (const Name name : context_.free_symbols(assignment->value))
            used.insert(name);
    });
    add_branches(region, used);
  }

  void add_branches(const ir::Region &region, Names &used) {
    for (const ir::Block &block : region.blocks) {
      if (const auto *branches = block.as<ir::ConditionalBlock>(); branches && !block.removed)
        for (const ir::Branch &branch : branches->branches)
          add_code(branch.condition, used);
      for (const ir::Region *child : ir::child_regions(block))
        add_branches(*child, used);
    }
  }

  /// What stands in a scope may use the parameters of all scopes around it, and the values that
  /// their entries read from data.
  void add_outside(const ir::State &state, const ir::ScopeTree &scopes, ir::NodeId scope,
                   Names names, Names &used) {
    for (; scope.has_value(); scope = scopes.scope_of(scope)) {
      const ir::Node &entry = state.node(scope);
      if (const auto *map = entry.as<ir::MapEntry>())
        for (const Name param : map->params)
          names.erase(param);
      if (const auto *consume = entry.as<ir::ConsumeEntry>())
        names.erase(consume->pe_index);
      for (const Name connector : analysis::range_connectors(entry))
        names.erase(connector);
    }
    used.merge(names);
  }

  void add_state(const ir::State &state, Names &used) {
    const ir::ScopeTree scopes(state);
    for (std::size_t i = 0; i < state.nodes.size(); ++i) {
      const ir::Node &node = state.nodes[i];
      if (node.removed)
        continue;
      Names inside = names_of(node);
      if (node.is_scope_entry())
        for (const Name connector : analysis::range_connectors(node))
          inside.erase(connector);
      add_outside(state, scopes, scopes.scope_of(ir::NodeId(i)), inside, used);
    }
    for (const ir::Edge &edge : state.edges) {
      if (edge.removed || edge.memlet.is_empty())
        continue;
      Names inside;
      add_subset(edge.memlet.subset, inside);
      add_subset(edge.memlet.other_subset, inside);
      // An exit counts as being in its scope, but what leaves it does not.
      const ir::Node &source = state.node(edge.src);
      const ir::NodeId scope = source.is_scope_entry()  ? edge.src
                               : source.is_scope_exit() ? scopes.scope_of(source.scope_partner())
                                                        : scopes.scope_of(edge.src);
      add_outside(state, scopes, scope, inside, used);
    }
  }

  Names names_of(const ir::Node &node) {
    Names names;
    if (const auto *map = node.as<ir::MapEntry>()) {
      add_subset(map->range, names);
    } else if (const auto *consume = node.as<ir::ConsumeEntry>()) {
      add(consume->num_pes, names);
    } else if (const auto *nested = node.as<ir::NestedSdfg>()) {
      for (const auto &[name, value] : nested->symbol_mapping)
        add(value, names);
      if (nested->sdfg) {
        Names inner = free_names(*nested->sdfg);
        for (const auto &[name, value] : nested->symbol_mapping)
          inner.erase(name);
        names.merge(inner);
      }
    }
    return names;
  }

  /// What the program assigns, but for what it needs before: arguments and their shapes.
  Names assigned(const ir::Sdfg &sdfg) {
    Names names;
    for_each_step(
        sdfg.root,
        [&](const ir::InterstateEdge &edge) {
          for (const auto &[name, value] : edge.assignments)
            names.insert(name);
        },
        [&](const ir::LoopRegion &loop) { names.insert(loop.variable); });
    Names before;
    for (const ir::Descriptor &descriptor : sdfg.arrays)
      if (!descriptor.removed && !descriptor.transient)
        add_descriptor(descriptor, before);
    before.insert(sdfg.arg_names.begin(), sdfg.arg_names.end());
    for (const Name name : before)
      names.erase(name);
    return names;
  }

  symbolic::Context &context_;
};

} // namespace

std::unordered_map<Name, std::optional<std::int64_t>> constants_of(const ir::Sdfg &sdfg,
                                                                   support::NamePool &names) {
  std::unordered_map<Name, std::optional<std::int64_t>> constants;
  for (const interp::Constant &constant : interp::constants(sdfg.attribute("constants_prop"))) {
    const bool number = !constant.array && constant.values.size() == 1;
    constants.emplace(names.intern(constant.name),
                      number ? constant.values[0].whole : std::nullopt);
  }
  return constants;
}

std::optional<Assignment> assignment_of(const std::optional<ir::Code> &code,
                                        symbolic::Context &context) {
  if (!code || (code->language && code->language.view() != "Python"))
    return std::nullopt;
  std::string_view text = code->text;
  const auto skip_space = [&] {
    while (!text.empty() && symbolic::is_space(text.front()))
      text.remove_prefix(1);
  };
  skip_space();
  const std::string_view variable = symbolic::identifier_at(text, 0);
  text.remove_prefix(variable.size());
  skip_space();
  if (variable.empty() || !text.starts_with('=') || text.starts_with("=="))
    return std::nullopt;
  text.remove_prefix(1);
  Expr value = context.value(context.expression(text, symbolic::Grammar::Python));
  return Assignment{context.names().intern(variable), value};
}

std::vector<FreeSymbol> free_symbols(ir::Document &document) {
  std::vector<FreeSymbol> symbols;
  for (const Name name : Collector(document).free_names(document.root)) {
    const auto &table = document.root.symbols;
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const auto &entry) { return entry.first == name; });
    symbols.push_back({name, found == table.end() ? "\"int64\"" : std::string(found->second)});
  }
  return symbols;
}

} // namespace sdfgopt::verify
