#include "interp/lifetimes.h"

#include <algorithm>

namespace sdfgopt::interp {

namespace {

/// Names that control flow evaluates: they are alive between states.
std::unordered_set<std::string_view> names_in_control(const ir::Region &region) {
  std::unordered_set<std::string_view> names;
  const auto add = [&](std::string_view text) {
    symbolic::for_each_identifier(text, [&](std::string_view name) { names.insert(name); });
  };
  const auto add_code = [&](const std::optional<ir::Code> &code) {
    if (code)
      add(code->text);
  };
  for (const ir::InterstateEdge &edge : region.edges) {
    if (edge.removed)
      continue;
    add_code(edge.condition);
    for (const auto &[name, value] : edge.assignments)
      add(value.text());
  }
  for (const ir::Block &block : region.blocks) {
    if (block.removed)
      continue;
    if (const auto *loop = block.as<ir::LoopRegion>()) {
      add_code(loop->init);
      add_code(loop->condition);
      add_code(loop->update);
    }
    if (const auto *conditional = block.as<ir::ConditionalBlock>())
      for (const ir::Branch &branch : conditional->branches)
        add_code(branch.condition);
    for (const ir::Region *child : ir::child_regions(block))
      names.merge(names_in_control(*child));
  }
  return names;
}

/// The innermost scope around both; none: the state itself.
ir::NodeId common_scope(const analysis::StateGraph &graph, ir::NodeId a, ir::NodeId b) {
  std::vector<ir::NodeId> around_a;
  for (; a.has_value(); a = graph.scope_of(a))
    around_a.push_back(a);
  for (; b.has_value(); b = graph.scope_of(b))
    if (std::find(around_a.begin(), around_a.end(), b) != around_a.end())
      return b;
  return {};
}

bool is_lifetime(const ir::Descriptor &array, std::string_view name) {
  return array.lifetime_or_default() == name;
}

} // namespace

void Lifetimes::note(const ir::State &state, const analysis::StateGraph &graph,
                     const ir::Node &node, ir::NodeId id) {
  const auto *access = node.as<ir::AccessNode>();
  if (!access)
    return;
  if (access->setzero)
    zeroed_.insert(access->data);
  const auto [it, added] = homes_.try_emplace(access->data, Home{&state, graph.scope_of(id)});
  Home &home = it->second;
  if (!added && home.state)
    home = home.state == &state ? Home{&state, common_scope(graph, home.scope, graph.scope_of(id))}
                                : Home{};
  std::vector<Name> &used = lasting_[&state];
  if (used.empty() || used.back() != access->data)
    used.push_back(access->data);
}

Lifetimes::Lifetimes(const ir::Sdfg &sdfg, const StateGraphs &graphs) {
  ir::for_each_state(sdfg.root, [&](const ir::State &state, const ir::Block &) {
    const analysis::StateGraph &graph = graphs.at(&state);
    for (std::size_t k = 0; k < state.nodes.size(); ++k)
      if (!state.nodes[k].removed)
        note(state, graph, state.nodes[k], ir::NodeId(k));
  });
  const std::unordered_set<std::string_view> control = names_in_control(sdfg.root);
  std::unordered_map<Name, std::size_t> lasting; // with the place in the file
  for (std::size_t k = 0; k < sdfg.arrays.size(); ++k) {
    const ir::Descriptor &array = sdfg.arrays[k];
    if (array.removed || !array.transient)
      continue;
    const auto home = homes_.find(array.name);
    const bool local = home != homes_.end() && home->second.state &&
                       !control.contains(array.name.view()) &&
                       (is_lifetime(array, "\"Scope\"") || is_lifetime(array, "\"State\""));
    if (!local) {
      lasting.emplace(array.name, k);
      continue;
    }
    const ir::NodeId scope = is_lifetime(array, "\"State\"") ? ir::NodeId() : home->second.scope;
    fresh_[home->second.state][scope.value].push_back(array.name);
  }
  for (auto &[state, used] : lasting_) {
    std::erase_if(used, [&](Name name) { return !lasting.contains(name); });
    std::sort(used.begin(), used.end(),
              [&](Name a, Name b) { return lasting.at(a) < lasting.at(b); });
    used.erase(std::unique(used.begin(), used.end()), used.end());
  }
}

const std::vector<Name> &Lifetimes::fresh_in(const ir::State *state, ir::NodeId scope) const {
  static const std::vector<Name> nothing;
  const auto of_state = fresh_.find(state);
  if (of_state == fresh_.end())
    return nothing;
  const auto of_scope = of_state->second.find(scope.value);
  return of_scope == of_state->second.end() ? nothing : of_scope->second;
}

const std::vector<Name> &Lifetimes::lasting_in(const ir::State *state) const {
  static const std::vector<Name> nothing;
  const auto found = lasting_.find(state);
  return found == lasting_.end() ? nothing : found->second;
}

} // namespace sdfgopt::interp
