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
  std::vector<ir::Member> object;
  std::vector<ir::Member> wrapper;
  std::vector<ir::Member> data;
  std::vector<ir::Member> attributes;
  std::array<Keys, 4> spelled; // in each of them

  /// The element's JSON with (`places`) or without what is spelled.
  [[nodiscard]] std::string text(bool places) const {
    std::string inner = object_of(attributes, spelled[3], places, "", "");
    if (is_edge(kind)) {
      inner =
          object_of(data, spelled[2], places, "attributes", inner == "{}" && !places ? "" : inner);
      inner = object_of(wrapper, spelled[1], places, "data", inner == "{}" && !places ? "" : inner);
    }
    return object_of(object, spelled[0], places, "attributes",
                     inner == "{}" && !places ? "" : inner);
  }
};

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
  const auto value_of = [](const std::vector<ir::Member> &members, std::string_view key) {
    for (const ir::Member &member : members)
      if (member.key == key)
        return member.value;
    return std::string_view();
  };
  Layers layers{kind, splitter_.split(source), {}, {}, {}, {}};
  std::string_view attributes = value_of(layers.object, "attributes");
  if (is_edge(kind)) {
    layers.wrapper = splitter_.split(attributes);
    const std::string_view data = value_of(layers.wrapper, "data");
    layers.data = splitter_.split(data.starts_with('{') ? data : std::string_view());
    attributes = value_of(layers.data, "attributes");
  }
  layers.attributes = splitter_.split(attributes);
  // Members that have the value that the writer gives them anyway, and bookkeeping.
  std::vector<std::string_view> keys[4];
  const auto spell = [&](std::size_t layer, Keys list) {
    keys[layer].insert(keys[layer].end(), list.begin(), list.end());
  };
  if (kind == LeafKind::Node) {
    spell(0, node_keys);
    if (node->is<ir::LibraryNode>())
      keys[0].push_back("classpath");
    spell(3, attribute_keys(*node));
    keys[0].push_back("label"); // display text
  } else if (kind == LeafKind::Edge) {
    spell(0, edge_keys);
    spell(2, type_key);
    spell(3, memlet_keys);
  } else if (kind == LeafKind::InterstateEdge) {
    spell(0, interstate_keys);
    spell(2, type_key);
    spell(3, interstate_attributes);
  } else {
    spell(0, type_key);
    spell(3, descriptor_keys);
  }
  if (is_edge(kind)) {
    const auto keep_odd_type = [&](std::size_t layer, const std::vector<ir::Member> &members,
                                   bool inner) {
      const std::string_view type = value_of(members, "type");
      if (!type.empty() && type != default_type(kind, inner))
        std::erase(keys[layer], "type");
    };
    keep_odd_type(0, layers.object, false);
    keep_odd_type(2, layers.data, true);
  }
  if (!full_) {
    for (const ir::Member &member : layers.attributes)
      if (is_bookkeeping_attribute(member.key))
        keys[3].push_back(member.key);
    keys[2].push_back("label"); // of interstate edges, up to DaCe 1.0
  }
  for (std::size_t layer = 0; layer < 4; ++layer)
    layers.spelled[layer] = keys[layer];

  const auto print = [&](const std::string &text) {
    if (text == "{}")
      return std::string();
    const std::string inner = object_of(layers.attributes, layers.spelled[3], false, "", "");
    return text == leaf_template(kind, inner) ? "@" + inner : "@@" + text;
  };
  const std::string plain = layers.text(false);
  if (!full_)
    return print(plain);
  const auto source_without_sdfg = [&] {
    // What a nested SDFG holds is compared where it is printed.
    std::string inner;
    if (!node || !node->is<ir::NestedSdfg>())
      return std::string(source);
    static constexpr auto sdfg = std::to_array<std::string_view>({"sdfg"});
    inner = object_of(layers.attributes, sdfg, false, "", "");
    return object_of(layers.object, {}, false, "attributes", inner);
  };
  const std::string expected = source_without_sdfg();
  if (gives(plain == "{}" ? std::string_view() : plain, expected, write))
    return print(plain);
  // The display text of a node, then the places of everything.
  if (kind == LeafKind::Node) {
    std::erase(keys[0], "label");
    layers.spelled[0] = keys[0];
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
