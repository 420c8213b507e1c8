#include "analysis/data_accesses.h"

#include "io/json_text.h"
#include "support/words.h"

#include <algorithm>

namespace sdfgopt::analysis {

namespace {

/// `S.x` is an access to S.
std::string_view base_name(std::string_view data) { return data.substr(0, data.find('.')); }

bool may_alias_others(const ir::Descriptor &descriptor) {
  return descriptor.kind == ir::DescriptorKind::View ||
         descriptor.kind == ir::DescriptorKind::Reference;
}

} // namespace

DataAccesses::DataAccesses(ir::Sdfg &sdfg, const ControlFlow &flow,
                           const symbolic::Context &context)
    : flow_(flow) {
  collect_sites(sdfg, context.names());
  for (const auto &entry : flow.evaluations()) {
    const Evaluation &evaluation = entry.second;
    if (evaluation.language && evaluation.language.view() != "Python") {
      scan_words(evaluation.text, sdfg, context.names());
      continue;
    }
    std::vector<Name> seen;
    symbolic::for_each_identifier(evaluation.text, [&](std::string_view text) {
      const Name name = context.names().find(text);
      if (!name || !sdfg.find_array(name) ||
          std::find(seen.begin(), seen.end(), name) != seen.end())
        return;
      seen.push_back(name);
      mentions_[name].push_back({entry.first, evaluation});
    });
  }
  // Conditions and assignments are in Python's grammar and were just looked at; all other texts are
  // symbolic. Texts of nested SDFGs count as well: a name that is the same by chance only costs a
  // rewrite that could have been.
  context.for_each_text([&](symbolic::Expression text) {
    if (text.grammar() == symbolic::Grammar::Python)
      return;
    symbolic::for_each_identifier(text.text(), [&](std::string_view identifier) {
      const Name name = context.names().find(identifier);
      if (name && sdfg.find_array(name))
        elsewhere_.insert(name);
    });
  });
  collect_code(sdfg, context.names());
  for (const ir::Descriptor &descriptor : sdfg.arrays)
    if (descriptor.may_alias && !descriptor.transient && !aliasing_argument_)
      aliasing_argument_ = descriptor.name;
}

bool DataAccesses::before(const Site &a, const Site &b) const {
  return flow_.order(a.point) < flow_.order(b.point);
}

void DataAccesses::collect_sites(ir::Sdfg &sdfg, const support::NamePool &names) {
  ir::for_each_state(sdfg.root, [&](ir::State &state, ir::Block &) {
    bool has_alias = false;
    for (std::size_t i = 0; i < state.nodes.size(); ++i) {
      const auto *access = state.nodes[i].as<ir::AccessNode>();
      if (!access || state.nodes[i].removed)
        continue;
      Name data = access->data;
      const ir::Descriptor *descriptor = sdfg.find_array(data);
      if (const Name base = names.find(base_name(data.view())); !descriptor && base)
        data = base;
      if (descriptor && may_alias_others(*descriptor))
        has_alias = true;
      sites_[data].push_back({&state, NodeId(i), flow_.point_of(state.id)});
    }
    if (has_alias)
      collect_aliases(sdfg, state);
    collect_hidden(state);
  });
  for (auto &[data, sites] : sites_)
    std::stable_sort(sites.begin(), sites.end(),
                     [&](const Site &a, const Site &b) { return before(a, b); });
}

namespace {

/// The data at the outer end of each path through a scope node, by connector without its prefix.
class ScopePaths {
public:
  explicit ScopePaths(const ir::State &state) : state_(state) {
    for (const ir::Edge &edge : state.edges) {
      if (edge.removed || edge.memlet.is_empty())
        continue;
      if (state.node(edge.dst).is_scope_entry() && edge.dst_connector.view().starts_with("IN_"))
        outer_[edge.dst.value][edge.dst_connector.view().substr(3)] = &edge;
      if (state.node(edge.src).is_scope_exit() && edge.src_connector.view().starts_with("OUT_"))
        outer_[edge.src.value][edge.src_connector.view().substr(4)] = &edge;
    }
  }

  /// The access node's data at the source (`forward` false) or target end of the edge's path, as
  /// far as it leads out of scopes; no name if there is none. Bounded by the nesting of scopes.
  [[nodiscard]] Name end_data(const ir::Edge &edge, bool forward) const {
    const ir::Edge *at = &edge;
    for (std::size_t step = 0; at && step <= state_.nodes.size(); ++step) {
      const NodeId end = forward ? at->dst : at->src;
      const ir::Node &node = state_.node(end);
      if (const auto *access = node.as<ir::AccessNode>())
        return access->data;
      const std::string_view connector =
          forward ? at->dst_connector.view() : at->src_connector.view();
      const std::string_view prefix = forward ? "IN_" : "OUT_";
      const bool passes = forward ? node.is_scope_exit() : node.is_scope_entry();
      const auto paths = outer_.find(end.value);
      if (!passes || !connector.starts_with(prefix) || paths == outer_.end())
        return {};
      const auto outer = paths->second.find(connector.substr(prefix.size()));
      at = outer == paths->second.end() ? nullptr : outer->second;
    }
    return {};
  }

private:
  const ir::State &state_;
  std::unordered_map<std::uint32_t, std::unordered_map<std::string_view, const ir::Edge *>> outer_;
};

} // namespace

/// A View is marked by a connector `views`, a Reference by `set`; where there is no such connector,
/// any data that a path joins it with may be meant.
void DataAccesses::collect_aliases(const ir::Sdfg &sdfg, const ir::State &state) {
  const ScopePaths paths(state);
  const auto is_mark = [](std::string_view name) { return name == "views" || name == "set"; };
  const auto note = [&](NodeId id, Name connector, Name data) {
    const ir::Node &node = state.node(id);
    const auto *access = node.as<ir::AccessNode>();
    const ir::Descriptor *descriptor = access ? sdfg.find_array(access->data) : nullptr;
    if (!data || !descriptor || !may_alias_others(*descriptor))
      return;
    bool marked = false;
    for (const auto *connectors : {&node.in_connectors, &node.out_connectors})
      for (const ir::Connector &other : *connectors)
        marked = marked || is_mark(other.name.view());
    if (is_mark(connector.view()) || !marked)
      aliases_.try_emplace(data, access->data);
  };
  for (const ir::Edge &edge : state.edges) {
    note(edge.dst, edge.dst_connector, paths.end_data(edge, false));
    note(edge.src, edge.src_connector, paths.end_data(edge, true));
  }
}

void DataAccesses::collect_hidden(const ir::State &state) {
  const ScopePaths paths(state);
  for (const ir::Edge &edge : state.edges) {
    const Name data = edge.memlet.data;
    if (!edge.removed && data && paths.end_data(edge, false) != data &&
        paths.end_data(edge, true) != data)
      hidden_.insert(data);
  }
}

/// Code that is not Python is not parsed: any word in it may be data.
void DataAccesses::scan_words(std::string_view code, const ir::Sdfg &sdfg,
                              const support::NamePool &names) {
  support::for_each_word(code, [&](std::string_view word) {
    const Name name = names.find(word);
    if (name && sdfg.find_array(name))
      elsewhere_.insert(name);
  });
}

void DataAccesses::collect_code(const ir::Sdfg &sdfg, const support::NamePool &names) {
  constexpr std::string_view empty_code = R"({"frame":{"string_data":"","language":"CPP"}})";
  for (const std::string_view key : {"global_code", "init_code", "exit_code"})
    if (const std::string_view code = sdfg.attribute(key); code != empty_code)
      for (const std::string &text : io::strings_in(code))
        scan_words(text, sdfg, names);
  ir::for_each_state(sdfg.root, [&](const ir::State &state, const ir::Block &) {
    for (const ir::Node &node : state.nodes)
      if (const auto *tasklet = node.as<ir::Tasklet>();
          tasklet && tasklet->code.language.view() != "Python")
        scan_words(tasklet->code.text, sdfg, names);
  });
}

const std::vector<Site> &DataAccesses::sites(Name data) const {
  static const std::vector<Site> none;
  const auto found = sites_.find(data);
  return found == sites_.end() ? none : found->second;
}

std::span<const Site> DataAccesses::sites_between(Name data, std::uint32_t first,
                                                  std::uint32_t last) const {
  const std::vector<Site> &all = sites(data);
  const auto begin = std::partition_point(
      all.begin(), all.end(), [&](const Site &site) { return flow_.order(site.point) < first; });
  const auto end = std::partition_point(
      begin, all.end(), [&](const Site &site) { return flow_.order(site.point) <= last; });
  return {begin, end};
}

std::span<const Site> DataAccesses::sites_in(Name data, const Site &place) const {
  return sites_between(data, flow_.order(place.point), flow_.order(place.point));
}

const std::vector<Mention> &DataAccesses::mentions(Name data) const {
  static const std::vector<Mention> none;
  const auto found = mentions_.find(data);
  return found == mentions_.end() ? none : found->second;
}

Name DataAccesses::alias_of(Name data) const {
  const auto found = aliases_.find(data);
  return found == aliases_.end() ? Name() : found->second;
}

void DataAccesses::merge(Name from, Name to) {
  std::vector<Site> &target = sites_[to];
  if (const auto found = sites_.find(from); found != sites_.end()) {
    const auto middle = static_cast<std::ptrdiff_t>(target.size());
    target.insert(target.end(), found->second.begin(), found->second.end());
    std::inplace_merge(target.begin(), target.begin() + middle, target.end(),
                       [&](const Site &a, const Site &b) { return before(a, b); });
    sites_.erase(from);
  }
  std::erase_if(target, [](const Site &site) { return site.state->node(site.node).removed; });
  if (const auto found = mentions_.find(from); found != mentions_.end()) {
    std::vector<Mention> moved = std::move(found->second);
    mentions_.erase(found);
    auto &mentions = mentions_[to];
    mentions.insert(mentions.end(), moved.begin(), moved.end());
  }
}

StateGraph &DataAccesses::graph(const ir::State &state) {
  std::unique_ptr<StateGraph> &graph = graphs_[&state];
  if (!graph)
    graph = std::make_unique<StateGraph>(state);
  return *graph;
}

} // namespace sdfgopt::analysis
