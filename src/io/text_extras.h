// Internal to io: what an element has besides what the text form spells, as JSON after the element.
//
// `@{...}` holds further attributes, `@@{...}` the element's JSON object with any further keys;
// where it names something that is spelled, its value there is a placeholder and only its place
// counts.
#pragma once

#include "io/json_graph_writer.h"
#include "io/member_splitter.h"
#include "ir/sdfg.h"

#include <functional>
#include <string>

namespace sdfgopt::io {

enum class LeafKind : std::uint8_t { Node, Edge, InterstateEdge, Descriptor };

/// JSON object with just the attributes `json`, as ir::Leaf::source wants it.
std::string leaf_template(LeafKind kind, std::string_view json);

/// Attributes that are bookkeeping: the text form leaves them out unless asked for everything.
bool is_bookkeeping_attribute(std::string_view key);

class LeafExtras {
public:
  /// `full`: keep bookkeeping and the order of keys, so that the file's bytes can be made again.
  explicit LeafExtras(bool full) : full_(full), writer_(written_) {}

  /// What is to be printed after the element: "", "@{...}" or "@@{...}".
  std::string of_node(ir::State &state, const ir::ScopeTree &scopes, ir::NodeId id);
  std::string of_edge(ir::Edge &edge);
  std::string of_interstate_edge(ir::InterstateEdge &edge);
  std::string of_descriptor(ir::Descriptor &descriptor);

private:
  struct Layers; // the element's JSON, taken apart

  Layers take_apart(LeafKind kind, std::string_view source, const ir::Node *node);
  /// `write(source)` prints the element as the parser would make it from `source`.
  std::string choose(LeafKind kind, std::string_view source, const ir::Node *node,
                     const std::function<void(std::string_view)> &write);
  bool gives(std::string_view text, std::string_view expected,
             const std::function<void(std::string_view)> &write);

  bool full_;
  std::string written_;
  std::string padded_;
  GraphWriter writer_;
  MemberSplitter splitter_;
};

} // namespace sdfgopt::io
