#include "ir/builder.h"

#include <algorithm>
#include <cassert>

namespace sdfgopt::ir {

namespace {

Range range_of(std::string_view text, Document &document) {
  const auto expression = [&](std::string_view part) {
    return document.context.expression(part, document.grammar);
  };
  const std::size_t dots = text.find("..");
  const std::string_view begin = text.substr(0, dots);
  const std::string_view end = dots == std::string_view::npos ? begin : text.substr(dots + 2);
  return {expression(begin), expression(end), expression("1"), expression("1")};
}

void add_connector(std::vector<Connector> &connectors, Name name) {
  const auto place = std::lower_bound(connectors.begin(), connectors.end(), name,
                                      [](const Connector &a, Name b) { return a.name < b; });
  if (name && (place == connectors.end() || place->name != name))
    connectors.insert(place, {name, "null"});
}

} // namespace

// --- states ---

Node &StateBuilder::add(std::string_view type, NodeDetail detail) {
  Node &node = state().nodes.emplace_back();
  node.type = document_->names.intern(type);
  node.detail = std::move(detail);
  node.changed = true;
  return node;
}

NodeId StateBuilder::access(std::string_view data) {
  add("AccessNode", AccessNode{document_->names.intern(data), false});
  return NodeId(state().nodes.size() - 1);
}

NodeId StateBuilder::tasklet(std::string_view label, std::string_view python) {
  const Code code{document_->arena.store(python), document_->names.intern("Python")};
  add("Tasklet", Tasklet{code}).label = document_->names.intern(label);
  return NodeId(state().nodes.size() - 1);
}

StateBuilder::Scope
StateBuilder::map(std::string_view label,
                  std::initializer_list<std::pair<std::string_view, std::string_view>> params) {
  MapEntry entry;
  std::vector<Range> ranges;
  for (const auto &[name, range] : params) {
    entry.params.push_back(document_->names.intern(name));
    ranges.push_back(range_of(range, *document_));
  }
  entry.range = Subset(std::move(ranges));
  const Scope scope{NodeId(state().nodes.size()), NodeId(state().nodes.size() + 1)};
  entry.exit = scope.exit;
  add("MapEntry", std::move(entry)).label = document_->names.intern(label);
  add("MapExit", MapExit{scope.entry});
  return scope;
}

Subset StateBuilder::subset(const Part &part) {
  std::vector<Range> ranges;
  ranges.reserve(part.dims.size());
  for (const std::string_view dim : part.dims)
    ranges.push_back(range_of(dim, *document_));
  return part.dims.empty() ? Subset() : Subset(std::move(ranges));
}

StateBuilder &StateBuilder::edge(NodeId src, std::string_view src_connector, NodeId dst,
                                 std::string_view dst_connector, const Part &part,
                                 const Part &other) {
  const auto name = [&](std::string_view text) {
    return text.empty() ? Name() : document_->names.intern(text);
  };
  Edge &edge = state().edges.emplace_back();
  edge.changed = edge.memlet_changed = true;
  edge.src = src;
  edge.dst = dst;
  edge.src_connector = name(src_connector);
  edge.dst_connector = name(dst_connector);
  edge.memlet.data = name(part.data);
  edge.memlet.subset = subset(part);
  edge.memlet.other_subset = subset(other);
  edge.memlet.volume = document_->context.expression("1", document_->grammar);
  const auto *source = state().node(src).as<AccessNode>();
  edge.memlet.data_is_source = source && source->data == edge.memlet.data;
  add_connector(state().node(src).out_connectors, edge.src_connector);
  add_connector(state().node(dst).in_connectors, edge.dst_connector);
  return *this;
}

// --- documents ---

Builder::Builder(std::string_view name) : document_(std::make_unique<Document>()) {
  document_->dace_version = "2.0.0a10";
  Sdfg &root = document_->root;
  root.name = document_->names.intern(name);
  root.changed = true;
  root.members.push_back({"dace_version", "\"2.0.0a10\""});
  root.root.blocks.reserve(max_states);
}

Builder &Builder::array(std::string_view name, std::string_view dtype,
                        std::initializer_list<std::string_view> shape, Kind kind) {
  Descriptor &descriptor = document_->root.arrays.emplace_back();
  descriptor.name = document_->names.intern(name);
  descriptor.type = document_->names.intern("Array");
  descriptor.kind = DescriptorKind::Array;
  descriptor.dtype = document_->arena.store("\"" + std::string(dtype) + "\"");
  for (const std::string_view extent : shape)
    descriptor.shape.push_back(document_->context.expression(extent, document_->grammar));
  descriptor.transient = kind == transient;
  descriptor.changed = true;
  document_->root.index_arrays();
  return *this;
}

Builder &Builder::symbol(std::string_view name, std::string_view dtype) {
  auto &symbols = document_->root.symbols;
  symbols.emplace_back(document_->names.intern(name),
                       document_->arena.store("\"" + std::string(dtype) + "\""));
  std::sort(symbols.begin(), symbols.end(),
            [](const auto &a, const auto &b) { return a.first < b.first; });
  return *this;
}

StateBuilder Builder::state(std::string_view label) {
  auto &blocks = document_->root.root.blocks;
  assert(blocks.size() < max_states);
  Block &block = blocks.emplace_back();
  block.type = document_->names.intern("SDFGState");
  block.label = document_->names.intern(label);
  block.changed = true;
  State state;
  state.id = StateId(blocks.size() - 1);
  block.detail = std::move(state);
  return {*document_, block, BlockId(blocks.size() - 1)};
}

Builder &Builder::edge(BlockId src, BlockId dst, std::string_view python_condition) {
  InterstateEdge &edge = document_->root.root.edges.emplace_back();
  edge.src = src;
  edge.dst = dst;
  edge.changed = true;
  if (!python_condition.empty())
    edge.condition =
        Code{document_->arena.store(python_condition), document_->names.intern("Python")};
  return *this;
}

std::unique_ptr<Document> Builder::finish() { return std::move(document_); }

} // namespace sdfgopt::ir
