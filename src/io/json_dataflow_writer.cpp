#include "io/json_graph_writer.h"

#include <algorithm>
#include <array>
#include <map>

namespace sdfgopt::io {

namespace {

using Keys = std::string_view;

constexpr std::array<Keys, 7> node_order = {"type",        "label",      "attributes", "id",
                                            "scope_entry", "scope_exit", "classpath"};
constexpr std::array<Keys, 6> edge_order = {"type", "attributes",    "src",
                                            "dst",  "dst_connector", "src_connector"};
constexpr std::array<Keys, 2> typed_order = {"type", "attributes"};
constexpr std::array<Keys, 14> memlet_order = {
    "volume",     "dynamic",    "subset",        "other_subset", "data",
    "wcr",        "debuginfo",  "wcr_nonatomic", "allow_oob",    "guid",
    "src_subset", "dst_subset", "is_data_src",   "num_accesses"};

// Attribute orders: the class's own properties in DaCe's order, then those of its bases.
constexpr std::array<Keys, 8> access_order = {
    "setzero",       "debuginfo",      "data", "instrument", "instrument_condition",
    "in_connectors", "out_connectors", "guid"};
constexpr std::array<Keys, 15> tasklet_order = {
    "code",      "state_fields", "code_global",   "code_init",       "code_exit",
    "debuginfo", "instrument",   "side_effects",  "ignored_symbols", "label",
    "location",  "environments", "in_connectors", "out_connectors",  "guid"};
constexpr std::array<Keys, 22> map_order = {"label",
                                            "params",
                                            "range",
                                            "schedule",
                                            "unroll",
                                            "unroll_factor",
                                            "collapse",
                                            "debuginfo",
                                            "is_collapsed",
                                            "instrument",
                                            "omp_num_threads",
                                            "omp_schedule",
                                            "omp_chunk_size",
                                            "gpu_block_size",
                                            "gpu_launch_bounds",
                                            "gpu_min_warps_per_eu",
                                            "gpu_maxnreg",
                                            "gpu_force_syncthreads",
                                            "allow_chiplet_threadblock_distribution",
                                            "in_connectors",
                                            "out_connectors",
                                            "guid"};
constexpr std::array<Keys, 13> consume_order = {
    "label",     "pe_index",     "num_pes",    "condition",     "schedule",       "chunksize",
    "debuginfo", "is_collapsed", "instrument", "in_connectors", "out_connectors", "guid",
    ""};
constexpr std::array<Keys, 14> nested_order = {
    "sdfg",         "ext_sdfg_path", "symbol_mapping", "debuginfo", "is_collapsed",
    "instrument",   "no_inline",     "unique_name",    "label",     "location",
    "environments", "in_connectors", "out_connectors", "guid"};
// Behind the properties of the node's own class.
constexpr std::array<Keys, 6> library_order = {"label",         "location",       "environments",
                                               "in_connectors", "out_connectors", "guid"};
constexpr std::array<Keys, 3> plain_order = {"in_connectors", "out_connectors", "guid"};

std::span<const Keys> attribute_order(const ir::Node &node) {
  if (node.is<ir::AccessNode>())
    return access_order;
  if (node.is<ir::Tasklet>())
    return tasklet_order;
  if (node.is<ir::MapEntry>())
    return map_order;
  if (node.is<ir::ConsumeEntry>())
    return consume_order;
  if (node.is<ir::NestedSdfg>())
    return nested_order;
  if (node.is<ir::LibraryNode>())
    return library_order;
  return plain_order;
}

Need unless_default(bool is_default) { return is_default ? Need::IfRemembered : Need::Always; }

std::vector<ModelledMember> modelled_attributes(const ir::Node &node) {
  std::vector<ModelledMember> members = {
      {"in_connectors", unless_default(node.in_connectors.empty())},
      {"out_connectors", unless_default(node.out_connectors.empty())}};
  if (node.label)
    members.push_back({"label", Need::Always});
  if (const auto *access = node.as<ir::AccessNode>()) {
    members.push_back({"data", Need::Always});
    members.push_back({"setzero", unless_default(!access->setzero)});
  } else if (node.is<ir::Tasklet>()) {
    members.push_back({"code", Need::Always});
  } else if (const auto *map = node.as<ir::MapEntry>()) {
    members.push_back({"params", Need::Always});
    members.push_back({"range", Need::Always});
    if (!map->schedule.empty())
      members.push_back({"schedule", Need::Always});
  } else if (const auto *consume = node.as<ir::ConsumeEntry>()) {
    if (consume->pe_index)
      members.push_back({"pe_index", Need::Always});
    if (consume->num_pes)
      members.push_back({"num_pes", Need::Always});
  } else if (const auto *nested = node.as<ir::NestedSdfg>()) {
    if (nested->sdfg)
      members.push_back({"sdfg", Need::Always});
    members.push_back({"symbol_mapping", unless_default(nested->symbol_mapping.empty())});
  }
  return members;
}

std::string_view value_of(const std::vector<ir::Member> &members, std::string_view key) {
  for (const ir::Member &member : members)
    if (member.key == key)
      return member.value;
  return {};
}

} // namespace

void GraphWriter::write_state_value(std::string_view key, const ir::Block &block,
                                    const ir::State &state) {
  const bool rewrite = state.renumbered || block.source.empty();
  if (key == "nodes") {
    out_ += '[';
    for (std::size_t i = 0; i < state.nodes.size(); ++i) {
      if (i > 0)
        out_ += ',';
      const ir::Node &node = state.nodes[i];
      if (!rewrite && !dirty_.contains(&node)) {
        out_ += node.source;
        continue;
      }
      // A nested SDFG's own states replace scopes_, so each node gets its tree anew if need be.
      const ir::ScopeTree scopes = *scopes_;
      write_node(state, scopes, ir::NodeId(i));
      scopes_ = scopes;
    }
    out_ += ']';
  } else if (key == "edges") {
    write_list(state.edges, [&](const ir::Edge &edge) { write_edge(edge, rewrite); });
  } else { // scope_dict
    write_scope_dict(state, *scopes_);
  }
}

void GraphWriter::write_scope_dict(const ir::State &state, const ir::ScopeTree &scopes) {
  // Ordered by entry id, -1 (the top level) first. An exit counts as inside its scope.
  std::map<std::int64_t, std::vector<std::size_t>> children;
  children[-1];
  for (std::size_t i = 0; i < state.nodes.size(); ++i) {
    const ir::NodeId scope = scopes.scope_of(ir::NodeId(i));
    children[scope.has_value() ? std::int64_t{scope.value} : -1].push_back(i);
  }
  const auto emit = [&](const auto &entry) {
    write_quoted(std::to_string(entry.first));
    out_ += ':';
    write_list(entry.second, [&](std::size_t child) { out_ += std::to_string(child); });
  };
  write_list(children, emit, '{', '}');
}

void GraphWriter::write_node(const ir::State &state, const ir::ScopeTree &scopes, ir::NodeId id) {
  const ir::Node &node = state.node(id);
  const std::vector<ir::Member> remembered = splitter_.split(node.source);
  const std::string_view attributes = value_of(remembered, "attributes");
  const std::string_view label = value_of(remembered, "label");
  std::vector<ModelledMember> modelled = {
      {"id", Need::Always}, {"scope_entry", Need::Always}, {"scope_exit", Need::Always}};
  if (label.empty() || (node.changed && node.is<ir::AccessNode>()))
    modelled.push_back({"label", Need::Always});
  if (value_of(remembered, "type").empty())
    modelled.push_back({"type", Need::Always});
  const bool inner_dirty = dirty_.contains(&node);
  if (attributes.empty() || node.changed || inner_dirty)
    modelled.push_back({"attributes", Need::Always});
  if (node.is<ir::LibraryNode>())
    modelled.push_back({"classpath", Need::Always});
  const ir::NodeId scope = scopes.scope_of(id);
  const ir::NodeId exit = node.is_scope_entry()  ? node.scope_partner()
                          : node.is_scope_exit() ? id
                          : scope.has_value()    ? state.node(scope).scope_partner()
                                                 : ir::NodeId();
  const auto write_id = [&](ir::NodeId value) {
    if (value.has_value())
      write_quoted(std::to_string(value.value));
    else
      out_ += "null";
  };
  write_plan(plan_object(remembered, modelled, node_order), [&](std::string_view key) {
    if (key == "id")
      out_ += std::to_string(id.value);
    else if (key == "scope_entry")
      write_id(scope);
    else if (key == "scope_exit")
      write_id(exit);
    else if (key == "type")
      write_name(node.type);
    else if (key == "classpath")
      write_name(node.as<ir::LibraryNode>()->class_path);
    else if (key == "label")
      write_quoted(node.is<ir::AccessNode>() ? node.as<ir::AccessNode>()->data.view()
                                             : node.label.view());
    else
      write_node_attributes(node, attributes);
  });
}

void GraphWriter::write_node_attributes(const ir::Node &node, std::string_view remembered) {
  const auto plan =
      plan_object(splitter_.split(remembered), modelled_attributes(node), attribute_order(node));
  write_plan(plan, [&](std::string_view key) { write_node_attribute(key, node); });
}

void GraphWriter::write_node_attribute(std::string_view key, const ir::Node &node) {
  if (key == "in_connectors")
    return write_connectors(node.in_connectors);
  if (key == "out_connectors")
    return write_connectors(node.out_connectors);
  if (key == "label")
    return write_name(node.label);
  if (const auto *access = node.as<ir::AccessNode>()) {
    if (key == "data")
      write_name(access->data);
    else
      write_boolean(access->setzero);
  } else if (const auto *tasklet = node.as<ir::Tasklet>()) {
    write_code(tasklet->code);
  } else if (const auto *map = node.as<ir::MapEntry>()) {
    if (key == "params")
      write_list(map->params, [&](support::Name name) { write_name(name); });
    else if (key == "range")
      write_subset(map->range);
    else
      out_ += map->schedule;
  } else if (const auto *consume = node.as<ir::ConsumeEntry>()) {
    if (key == "pe_index")
      write_name(consume->pe_index);
    else
      write_quoted(consume->num_pes.text());
  } else if (const auto *nested = node.as<ir::NestedSdfg>()) {
    if (key == "sdfg")
      return write_sdfg(*nested->sdfg);
    const auto emit = [&](const auto &symbol) {
      write_name(symbol.first);
      out_ += ':';
      write_quoted(symbol.second.text());
    };
    write_list(nested->symbol_mapping, emit, '{', '}');
  }
}

void GraphWriter::write_connectors(const std::vector<ir::Connector> &connectors) {
  const auto emit = [&](const ir::Connector &connector) {
    write_name(connector.name);
    out_ += ':';
    out_ += connector.dtype;
  };
  write_list(connectors, emit, '{', '}');
}

void GraphWriter::write_edge(const ir::Edge &edge, bool renumbered) {
  if (!renumbered && !edge.changed && !edge.memlet_changed && !edge.source.empty()) {
    out_ += edge.source;
    return;
  }
  const std::vector<ir::Member> remembered = splitter_.split(edge.source);
  const std::string_view attributes = value_of(remembered, "attributes");
  std::vector<ModelledMember> modelled = {{"src", Need::Always},
                                          {"dst", Need::Always},
                                          {"dst_connector", Need::Always},
                                          {"src_connector", Need::Always}};
  if (edge.memlet_changed || attributes.empty())
    modelled.push_back({"attributes", Need::Always});
  if (edge.source.empty() || value_of(remembered, "type").empty())
    modelled.push_back({"type", Need::Always});
  write_plan(plan_object(remembered, modelled, edge_order), [&](std::string_view key) {
    if (key == "src" || key == "dst") {
      write_quoted(std::to_string((key == "src" ? edge.src : edge.dst).value));
    } else if (key == "src_connector" || key == "dst_connector") {
      write_name(key == "src_connector" ? edge.src_connector : edge.dst_connector);
    } else if (key == "type") {
      write_quoted("MultiConnectorEdge");
    } else {
      static constexpr std::array<ModelledMember, 1> data = {{{"data", Need::Always}}};
      static constexpr std::array<Keys, 1> order = {"data"};
      const auto members = splitter_.split(attributes);
      const std::string_view old = value_of(members, "data");
      write_plan(plan_object(members, data, order),
                 [&](std::string_view) { write_memlet(edge.memlet, old); });
    }
  });
}

void GraphWriter::write_memlet(const ir::Memlet &memlet, std::string_view remembered) {
  const auto members = splitter_.split(remembered == "null" ? std::string_view() : remembered);
  const std::string_view attributes = value_of(members, "attributes");
  std::vector<ModelledMember> typed = {{"attributes", Need::Always}};
  if (value_of(members, "type").empty())
    typed.push_back({"type", Need::Always});
  const bool no_volume = !memlet.volume || memlet.volume.text() == "0";
  const std::array<ModelledMember, 10> modelled = {
      {{"volume", unless_default(no_volume)},
       {"dynamic", unless_default(!memlet.dynamic)},
       {"subset", memlet.subset ? Need::Always : Need::Never},
       {"other_subset", memlet.other_subset ? Need::Always : Need::Never},
       {"data", memlet.data ? Need::Always : Need::Never},
       {"wcr", memlet.wcr.empty() ? Need::Never : Need::Always},
       {"src_subset", Need::Always},
       {"dst_subset", Need::Always},
       {"is_data_src", Need::Always},
       {"num_accesses", Need::Always}}};
  write_plan(plan_object(members, typed, typed_order), [&](std::string_view key) {
    if (key == "type")
      return write_quoted("Memlet");
    write_plan(plan_object(splitter_.split(attributes), modelled, memlet_order),
               [&](std::string_view name) { write_memlet_attribute(name, memlet); });
  });
}

void GraphWriter::write_memlet_attribute(std::string_view key, const ir::Memlet &memlet) {
  const std::string_view volume = memlet.volume ? memlet.volume.text() : std::string_view("0");
  const bool data_is_source = memlet.data_is_source.value_or(false);
  if (key == "volume" || (key == "num_accesses" && !memlet.dynamic))
    write_quoted(volume);
  else if (key == "dynamic")
    write_boolean(memlet.dynamic);
  else if (key == "subset")
    write_subset(memlet.subset);
  else if (key == "other_subset")
    write_subset(memlet.other_subset);
  else if (key == "data")
    write_name(memlet.data);
  else if (key == "wcr")
    write_quoted(memlet.wcr);
  else if (key == "src_subset")
    write_subset(data_is_source ? memlet.subset : memlet.other_subset);
  else if (key == "dst_subset")
    write_subset(data_is_source ? memlet.other_subset : memlet.subset);
  else if (key == "is_data_src" && !memlet.data_is_source)
    out_ += "null";
  else if (key == "is_data_src")
    write_boolean(data_is_source);
  else // num_accesses of a dynamic memlet
    out_ += "-1";
}

void GraphWriter::write_subset(const ir::Subset &subset) {
  if (!subset) {
    out_ += "null";
    return;
  }
  out_ += R"({"type":"Range","ranges":)";
  write_list(subset.ranges(), [&](const ir::Range &range) {
    out_ += R"({"start":)";
    write_quoted(range.begin.text());
    out_ += R"(,"end":)";
    write_quoted(range.end.text());
    out_ += R"(,"step":)";
    write_quoted(range.step.text());
    out_ += R"(,"tile":)";
    write_quoted(range.tile.text());
    out_ += '}';
  });
  out_ += '}';
}

void GraphWriter::write_expressions(const std::vector<symbolic::Expression> &list) {
  write_list(list, [&](symbolic::Expression expression) { write_quoted(expression.text()); });
}

} // namespace sdfgopt::io
