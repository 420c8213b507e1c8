#include "io/text_extras.h"

#include <algorithm>
#include <array>
#include <span>

namespace sdfgopt::io {

namespace {

using Keys = std::span<const std::string_view>;

constexpr auto node_keys =
    std::to_array<std::string_view>({"type", "id", "scope_entry", "scope_exit"});
constexpr auto edge_keys =
    std::to_array<std::string_view>({"type", "src", "dst", "dst_connector", "src_connector"});
constexpr auto memlet_keys =
    std::to_array<std::string_view>({"volume", "dynamic", "subset", "other_subset", "data", "wcr",
                                     "src_subset", "dst_subset", "is_data_src", "num_accesses"});
constexpr auto interstate_keys = std::to_array<std::string_view>({"type", "src", "dst"});
constexpr auto interstate_attributes =
    std::to_array<std::string_view>({"assignments", "condition"});
constexpr auto type_key = std::to_array<std::string_view>({"type"});
constexpr auto descriptor_keys =
    std::to_array<std::string_view>({"strides", "total_size", "offset", "may_alias", "dtype",
                                     "shape", "transient", "storage", "lifetime"});
constexpr auto access_keys = std::to_array<std::string_view>(
    {"in_connectors", "out_connectors", "label", "data", "setzero"});
constexpr auto tasklet_keys =
    std::to_array<std::string_view>({"in_connectors", "out_connectors", "label", "code"});
constexpr auto map_keys = std::to_array<std::string_view>(
    {"in_connectors", "out_connectors", "label", "params", "range", "schedule"});
constexpr auto consume_keys = std::to_array<std::string_view>(
    {"in_connectors", "out_connectors", "label", "pe_index", "num_pes"});
constexpr auto nested_keys = std::to_array<std::string_view>(
    {"in_connectors", "out_connectors", "label", "sdfg", "symbol_mapping"});
constexpr auto other_keys =
    std::to_array<std::string_view>({"in_connectors", "out_connectors", "label"});

Keys attribute_keys(const ir::Node &node) {
  if (node.is<ir::AccessNode>())
    return access_keys;
  if (node.is<ir::Tasklet>())
    return tasklet_keys;
  if (node.is<ir::MapEntry>())
    return map_keys;
  if (node.is<ir::ConsumeEntry>())
    return consume_keys;
  if (node.is<ir::NestedSdfg>())
    return nested_keys;
  if (node.is<ir::UnknownNode>())
    return {};
  return other_keys;
}

bool contains(Keys keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string_view default_type(LeafKind kind, bool inner) {
  if (kind == LeafKind::Edge)
    return inner ? "\"Memlet\"" : "\"MultiConnectorEdge\"";
  return inner ? "\"InterstateEdge\"" : "\"Edge\"";
}

bool is_edge(LeafKind kind) { return kind == LeafKind::Edge || kind == LeafKind::InterstateEdge; }

std::string_view value_of(const std::vector<ir::Member> &members, std::string_view key) {
  for (const ir::Member &member : members)
    if (member.key == key)
      return member.value;
  return {};
}

/// Deletes the members that the text form spells otherwise, or, with `places`, only their values
/// (but the writer takes a `type` as it finds it).
std::string object_of(const std::vector<ir::Member> &members, Keys spelled, bool places,
                      std::string_view inner_key, std::string_view inner) {
  std::string out = "{";
  for (const ir::Member &member : members) {
    std::string_view value = member.value;
    if (member.key == inner_key)
      value = inner;
    else if (contains(spelled, member.key))
      value = !places ? std::string_view() : member.key == "type" ? member.value : "null";
    if (value.empty())
      continue;
    if (out.size() > 1)
      out += ',';
    ((out += '"') += member.key) += "\":";
    out += value;
  }
  return out += '}';
}

} // namespace

bool is_bookkeeping_attribute(std::string_view key) {
  static constexpr auto keys =
      std::to_array<std::string_view>({"guid", "debuginfo", "is_collapsed", "hash", "executions",
                                       "dynamic_executions", "transformation_hist"});
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string leaf_template(LeafKind kind, std::string_view json) {
  std::string text = R"({"attributes":)";
  if (is_edge(kind))
    text += R"({"data":{"attributes":)";
  text += json;
  return text += is_edge(kind) ? "}}}" : "}";
}

/// Outer object; for edges also its `attributes` and their `data`; and the real attributes.
struct LeafExtras::Layers {
  LeafKind kind = LeafKind::Node;
  std::array<std::vector<ir::Member>, 4> members;
  std::array<std::vector<std::string_view>, 4> spelled; ///< keys, in each of them

  /// The element's JSON with (`places`) or without what is spelled.
  [[nodiscard]] std::string text(bool places) const {
    std::string inner = object_of(members[3], spelled[3], places, "", "");
    const auto wrap = [&](std::size_t layer, const char *key) {
      const bool drop = inner == "{}" && !places;
      inner = object_of(members[layer], spelled[layer], places, key, drop ? "" : inner);
    };
    if (is_edge(kind)) {
      wrap(2, "attributes");
      wrap(1, "data");
    }
    wrap(0, "attributes");
    return inner;
  }
  /// As it is printed: with the short form, if only attributes are left.
  [[nodiscard]] std::string printed(const std::string &text) const {
    if (text == "{}")
      return "";
    const std::string inner = object_of(members[3], spelled[3], false, "", "");
    return text == leaf_template(kind, inner) ? "@" + inner : "@@" + text;
  }
  /// The whole element, but without a nested SDFG, which is compared where it is printed.
  [[nodiscard]] std::string without_sdfg() const {
    static constexpr auto sdfg = std::to_array<std::string_view>({"sdfg"});
    return object_of(members[0], {}, false, "attributes",
                     object_of(members[3], sdfg, false, "", ""));
  }
};

LeafExtras::Layers LeafExtras::take_apart(LeafKind kind, std::string_view source,
                                          const ir::Node *node) {
  Layers layers;
  layers.kind = kind;
  layers.members[0] = splitter_.split(source);
  std::string_view attributes = value_of(layers.members[0], "attributes");
  if (is_edge(kind)) {
    layers.members[1] = splitter_.split(attributes);
    const std::string_view data = value_of(layers.members[1], "data");
    layers.members[2] = splitter_.split(data.starts_with('{') ? data : std::string_view());
    attributes = value_of(layers.members[2], "attributes");
  }
  layers.members[3] = splitter_.split(attributes);
  const auto spell = [&](std::size_t layer, Keys keys) {
    layers.spelled[layer].assign(keys.begin(), keys.end());
  };
  switch (kind) {
  case LeafKind::Node:
    spell(0, node_keys);
    layers.spelled[0].emplace_back("label"); // display text
    if (node->is<ir::LibraryNode>())
      layers.spelled[0].emplace_back("classpath");
    spell(3, attribute_keys(*node));
    break;
  case LeafKind::Edge:
    spell(0, edge_keys);
    spell(2, type_key);
    spell(3, memlet_keys);
    break;
  case LeafKind::InterstateEdge:
    spell(0, interstate_keys);
    spell(2, type_key);
    spell(3, interstate_attributes);
    break;
  case LeafKind::Descriptor:
    spell(0, type_key);
    spell(3, descriptor_keys);
    break;
  }
  if (is_edge(kind))
    for (const std::size_t layer : {std::size_t{0}, std::size_t{2}}) {
      const std::string_view type = value_of(layers.members[layer], "type");
      if (!type.empty() && type != default_type(kind, layer == 2))
        std::erase(layers.spelled[layer], "type");
    }
  if (full_)
    return layers;
  for (const ir::Member &member : layers.members[3])
    if (is_bookkeeping_attribute(member.key))
      layers.spelled[3].push_back(member.key);
  layers.spelled[2].emplace_back("label"); // of interstate edges, up to DaCe 1.0
  return layers;
}

bool LeafExtras::gives(std::string_view text, std::string_view expected,
                       const std::function<void(std::string_view)> &write) {
  padded_.assign(text);
  padded_.append(support::TextArena::padding, ' ');
  written_.clear();
  write(std::string_view(padded_).substr(0, text.size()));
  return written_ == expected;
}

std::string LeafExtras::choose(LeafKind kind, std::string_view source, const ir::Node *node,
                               const std::function<void(std::string_view)> &write) {
  Layers layers = take_apart(kind, source, node);
  const std::string plain = layers.text(false);
  if (!full_)
    return layers.printed(plain);
  const bool nested = node && node->is<ir::NestedSdfg>();
  const std::string expected = nested ? layers.without_sdfg() : std::string(source);
  if (gives(plain == "{}" ? std::string_view() : plain, expected, write))
    return layers.printed(plain);
  // The display text of a node, then the places of everything.
  if (kind == LeafKind::Node) {
    std::erase(layers.spelled[0], "label");
    const std::string labelled = layers.text(false);
    if (gives(labelled, expected, write))
      return "@@" + labelled;
  }
  return "@@" + layers.text(true);
}

// The elements are changed for the time of writing them, as the parser would make them; copying
// them would cost more.

std::string LeafExtras::of_node(ir::State &state, const ir::ScopeTree &scopes, ir::NodeId id) {
  ir::Node &node = state.node(id);
  const ir::Leaf before = node;
  std::unique_ptr<ir::Sdfg> sdfg;
  auto *nested = node.as<ir::NestedSdfg>();
  if (nested)
    sdfg = std::move(nested->sdfg);
  node.changed = !node.is<ir::UnknownNode>();
  std::string text = choose(LeafKind::Node, before.source, &node, [&](std::string_view source) {
    node.source = source;
    writer_.write_node(state, scopes, id);
  });
  if (nested)
    nested->sdfg = std::move(sdfg);
  static_cast<ir::Leaf &>(node) = before;
  return text;
}

std::string LeafExtras::of_edge(ir::Edge &edge) {
  const ir::Leaf before = edge;
  edge.memlet_changed = true;
  std::string text = choose(LeafKind::Edge, before.source, nullptr, [&](std::string_view source) {
    edge.source = source;
    writer_.write_edge(edge, true);
  });
  edge.memlet_changed = false;
  static_cast<ir::Leaf &>(edge) = before;
  return text;
}

std::string LeafExtras::of_interstate_edge(ir::InterstateEdge &edge) {
  const ir::Leaf before = edge;
  edge.changed = true;
  std::string text =
      choose(LeafKind::InterstateEdge, before.source, nullptr, [&](std::string_view source) {
        edge.source = source;
        writer_.write_interstate_edge(edge, true);
      });
  static_cast<ir::Leaf &>(edge) = before;
  return text;
}

std::string LeafExtras::of_descriptor(ir::Descriptor &descriptor) {
  const ir::Leaf before = descriptor;
  const std::string_view dtype = descriptor.dtype;
  if (dtype == "\"int32\"") // the parser takes the default for absent
    descriptor.dtype = {};
  descriptor.changed = true;
  std::string text =
      choose(LeafKind::Descriptor, before.source, nullptr, [&](std::string_view source) {
        descriptor.source = source;
        writer_.write_descriptor(descriptor);
      });
  descriptor.dtype = dtype;
  static_cast<ir::Leaf &>(descriptor) = before;
  return text;
}

} // namespace sdfgopt::io
