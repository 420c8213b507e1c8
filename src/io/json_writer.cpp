#include "io/json_writer.h"

#include "io/json_graph_writer.h"
#include "io/json_respace.h"

namespace sdfgopt::io {

std::string write_json(const ir::Document &document) {
  std::string text(document.before);
  text.reserve(document.root.source.size() + document.root.source.size() / 16 + 4096);
  GraphWriter writer(text);
  writer.write_root(document.root);
  if (writer.hash_at())
    text.replace(*writer.hash_at(), 64,
                 sdfg_hash(std::string_view(text).substr(document.before.size())));
  if (writer.wrote_anew() && document.layout.style != ir::Layout::Style::Compact) {
    std::string spaced(document.before);
    respace_json(std::string_view(text).substr(document.before.size()), {document.layout, {}},
                 [&](std::string_view piece) { spaced += piece; });
    text = std::move(spaced);
  }
  text += document.after;
  return text;
}

std::string write_node(const ir::State &state, const ir::ScopeTree &scopes, ir::NodeId node) {
  std::string text;
  GraphWriter(text).write_node(state, scopes, node);
  return text;
}

std::string write_edge(const ir::Edge &edge) {
  std::string text;
  GraphWriter(text).write_edge(edge, true);
  return text;
}

std::string write_descriptor(const ir::Descriptor &descriptor) {
  std::string text;
  GraphWriter(text).write_descriptor(descriptor);
  return text;
}

std::string write_interstate_edge(const ir::InterstateEdge &edge) {
  std::string text;
  GraphWriter(text).write_interstate_edge(edge, true);
  return text;
}

} // namespace sdfgopt::io
