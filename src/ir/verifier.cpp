#include "ir/verifier.h"

#include "ir/dataflow_order.h"
#include "support/shown.h"

#include <charconv>
#include <unordered_set>

namespace sdfgopt::ir {

using support::shown;

namespace {

/// The value of a constant's text; names and operators make it something else. Spelling decides, so
/// that nothing need be parsed.
std::optional<std::int64_t> constant_text(Expression expression) {
  const std::string_view text = expression.text();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::string quoted(Name name) { return "'" + shown(name.view()) + "'"; }

class Verifier {
public:
  explicit Verifier(const Sdfg &root) : root_(root) {}
  void verify_sdfg(const Sdfg &sdfg);
  std::vector<Fault> take() { return std::move(faults_); }

private:
  void verify_descriptor(const Descriptor &descriptor);
  void verify_region(const Sdfg &sdfg, const Region &region);
  void verify_edges(const Region &region);
  void verify_state(const Sdfg &sdfg, const State &state);
  /// Ids are in range and scopes are paired.
  bool verify_ids(const State &state);
  void verify_acyclic(const State &state);
  void verify_node(const Sdfg &sdfg, const Node &node);
  void verify_nested(const Node &node, const Sdfg &inner);
  void verify_memlet(const Sdfg &sdfg, const State &state, const Edge &edge);
  void verify_subset(const Sdfg &sdfg, Name data, const Subset &subset, const char *what);

  /// An element that is being looked at; spelled out only where there is a fault.
  struct Frame {
    std::string_view what; ///< with the prefix of its ids
    std::size_t index = SIZE_MAX;
    Name label;
  };
  void fault(std::string message);
  void fault(Frame element, std::string message) {
    path_.push_back(element);
    fault(std::move(message));
    path_.pop_back();
  }

  const Sdfg &root_;
  std::vector<Frame> path_;
  std::vector<Fault> faults_;
};

/// Whether an array table has what `data` names.
bool has_data(const Sdfg &sdfg, Name data) {
  if (sdfg.find_array(data))
    return true;
  // Few names are dotted, so a search of the table costs nothing as a rule.
  const std::size_t dot = data.view().find('.');
  if (dot == std::string_view::npos)
    return false;
  const std::string_view head = data.view().substr(0, dot);
  for (const Descriptor &descriptor : sdfg.arrays)
    if (!descriptor.removed && descriptor.name.view() == head)
      return true;
  return false;
}

void Verifier::fault(std::string message) {
  std::string place;
  constexpr std::size_t outer = 3; // of a long path, its two ends are told
  constexpr std::size_t inner = 5;
  for (std::size_t i = 0; i < path_.size(); ++i) {
    if (!place.empty())
      place += ", ";
    if (i == outer && path_.size() > outer + inner) {
      place += "..., ";
      i = path_.size() - inner;
    }
    const Frame &frame = path_[i];
    place += frame.what;
    if (frame.index != SIZE_MAX)
      place += std::to_string(frame.index);
    if (frame.label)
      place += " " + quoted(frame.label);
  }
  if (place.empty())
    place = "SDFG " + quoted(root_.name);
  faults_.push_back({std::move(place), std::move(message)});
}

void Verifier::verify_sdfg(const Sdfg &sdfg) {
  for (const Descriptor &descriptor : sdfg.arrays) {
    if (descriptor.removed)
      continue;
    if (sdfg.find_array(descriptor.name) != &descriptor)
      fault({"array", SIZE_MAX, descriptor.name}, "another array has this name");
    verify_descriptor(descriptor);
  }
  verify_region(sdfg, sdfg.root);
}

void Verifier::verify_descriptor(const Descriptor &descriptor) {
  const Frame place{"array", SIZE_MAX, descriptor.name};
  const std::size_t rank = descriptor.shape.size();
  for (const Expression extent : descriptor.shape)
    if (const auto value = constant_text(extent); value && *value < 0)
      fault(place, "an extent is negative: " + std::to_string(*value));
  if (descriptor.kind == DescriptorKind::Stream || descriptor.kind == DescriptorKind::Unknown)
    return;
  const auto count = [&](const std::vector<Expression> &list, const char *what) {
    if (!list.empty() && list.size() != rank)
      fault(place, std::to_string(list.size()) + " " + what + " for " + std::to_string(rank) +
                       " dimensions");
  };
  count(descriptor.strides, "strides");
  count(descriptor.offset, "offsets");
}

void Verifier::verify_edges(const Region &region) {
  const std::size_t count = region.blocks.size();
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t i = 0; i < region.edges.size(); ++i) {
    const InterstateEdge &edge = region.edges[i];
    if (edge.removed)
      continue;
    const Frame place{"interstate edge ", i, {}};
    if (edge.src.value >= count || edge.dst.value >= count)
      fault(place, "an end is not one of the region's " + std::to_string(count) + " blocks");
    else if (!seen.insert((std::uint64_t{edge.src.value} << 32) | edge.dst.value).second)
      fault(place, "a second edge from " + edge.src.str() + " to " + edge.dst.str());
  }
  if (region.start_block && *region.start_block >= count)
    fault("start block " + std::to_string(*region.start_block) + " is not one of the region's " +
          std::to_string(count) + " blocks");
}

void Verifier::verify_region(const Sdfg &sdfg, const Region &region) {
  verify_edges(region);
  for (std::size_t i = 0; i < region.blocks.size(); ++i) {
    const Block &block = region.blocks[i];
    if (block.removed)
      continue;
    const auto *state = block.as<State>();
    path_.push_back(state ? Frame{"state s", state->id.value, block.label}
                          : Frame{"block b", i, block.label});
    if (state) {
      verify_state(sdfg, *state);
    } else {
      const auto children = child_regions(block);
      for (std::size_t k = 0; k < children.size(); ++k) {
        if (block.is<ConditionalBlock>())
          path_.push_back({"branch ", k, {}});
        verify_region(sdfg, *children[k]);
        if (block.is<ConditionalBlock>())
          path_.pop_back();
      }
    }
    path_.pop_back();
  }
}

void Verifier::verify_state(const Sdfg &sdfg, const State &state) {
  if (!verify_ids(state))
    return;
  verify_acyclic(state);
  for (std::size_t i = 0; i < state.nodes.size(); ++i) {
    if (state.nodes[i].removed)
      continue;
    path_.push_back({"node n", i, {}});
    verify_node(sdfg, state.nodes[i]);
    path_.pop_back();
  }
  for (std::size_t i = 0; i < state.edges.size(); ++i) {
    if (state.edges[i].removed)
      continue;
    path_.push_back({"edge e", i, {}});
    verify_memlet(sdfg, state, state.edges[i]);
    path_.pop_back();
  }
}

bool Verifier::verify_ids(const State &state) {
  const std::size_t before = faults_.size();
  const std::size_t count = state.nodes.size();
  for (std::size_t i = 0; i < state.edges.size(); ++i) {
    const Edge &edge = state.edges[i];
    if (!edge.removed && (edge.src.value >= count || edge.dst.value >= count))
      fault({"edge e", i, {}},
            "an end is not one of the state's " + std::to_string(count) + " nodes");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Node &node = state.nodes[i];
    if (node.removed || (!node.is_scope_entry() && !node.is_scope_exit()))
      continue;
    const NodeId partner = node.scope_partner();
    // A map's exit belongs to a map's entry, a consume's to a consume's.
    const bool paired = partner.value < count && state.node(partner).scope_partner() == NodeId(i) &&
                        (node.is<MapEntry>()       ? state.node(partner).is<MapExit>()
                         : node.is<MapExit>()      ? state.node(partner).is<MapEntry>()
                         : node.is<ConsumeEntry>() ? state.node(partner).is<ConsumeExit>()
                                                   : state.node(partner).is<ConsumeEntry>());
    if (!paired)
      fault({"node n", i, {}}, node.is_scope_entry()
                                   ? "a scope entry whose 'scope_exit' is not its exit node"
                                   : "a scope exit whose 'scope_entry' is not its entry node");
  }
  return faults_.size() == before;
}

void Verifier::verify_acyclic(const State &state) {
  if (DataflowOrder(state).nodes().size() < state.nodes.size())
    fault("the dataflow has a cycle");
}

void Verifier::verify_node(const Sdfg &sdfg, const Node &node) {
  if (const auto *access = node.as<AccessNode>()) {
    if (!has_data(sdfg, access->data))
      fault("there is no array " + quoted(access->data));
  } else if (const auto *map = node.as<MapEntry>()) {
    if (map->params.size() != map->range.rank())
      fault(std::to_string(map->params.size()) + " parameters for a range of " +
            std::to_string(map->range.rank()) + " dimensions");
  } else if (const auto *nested = node.as<NestedSdfg>(); nested && nested->sdfg) {
    verify_nested(node, *nested->sdfg);
  }
}

void Verifier::verify_nested(const Node &node, const Sdfg &inner) {
  for (const auto *connectors : {&node.in_connectors, &node.out_connectors})
    for (const Connector &connector : *connectors)
      if (!has_data(inner, connector.name))
        fault("connector " + quoted(connector.name) + " is no array of the nested SDFG");
  path_.push_back({"nested SDFG", SIZE_MAX, inner.name});
  verify_sdfg(inner);
  path_.pop_back();
}

void Verifier::verify_memlet(const Sdfg &sdfg, const State &state, const Edge &edge) {
  const Memlet &memlet = edge.memlet;
  if (memlet.is_empty())
    return;
  if (!has_data(sdfg, memlet.data)) {
    fault("there is no array " + quoted(memlet.data));
    return;
  }
  verify_subset(sdfg, memlet.data, memlet.subset, "subset");
  // The other side is known for sure only where both ends are data.
  const auto *src = state.node(edge.src).as<AccessNode>();
  const auto *dst = state.node(edge.dst).as<AccessNode>();
  if (src && dst)
    verify_subset(sdfg, memlet.data == dst->data ? src->data : dst->data, memlet.other_subset,
                  "other_subset");
}

void Verifier::verify_subset(const Sdfg &sdfg, Name data, const Subset &subset, const char *what) {
  const Descriptor *descriptor = sdfg.find_array(data);
  if (!subset || !descriptor || descriptor->kind == DescriptorKind::Unknown)
    return;
  // Files may leave out a shape that follows from the type.
  const std::size_t rank = descriptor->shape.size();
  if (rank != subset.rank() && (rank != 0 || descriptor->kind == DescriptorKind::Array))
    fault(std::string(what) + " has " + std::to_string(subset.rank()) + " dimensions, " +
          quoted(data) + " has " + std::to_string(rank));
}

} // namespace

std::vector<Fault> verify(const Sdfg &sdfg) {
  Verifier verifier(sdfg);
  verifier.verify_sdfg(sdfg);
  return verifier.take();
}

support::result<void> check(const Sdfg &sdfg) {
  std::vector<Fault> faults = verify(sdfg);
  if (faults.empty())
    return {};
  Fault &first = faults.front();
  if (faults.size() > 1)
    first.message += " (and " + std::to_string(faults.size() - 1) + " more faults)";
  return support::Error{support::ErrorCode::Invalid, std::move(first.message),
                        std::move(first.place)};
}

} // namespace sdfgopt::ir
