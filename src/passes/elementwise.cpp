#include "passes/elementwise.h"

#include <algorithm>

namespace sdfgopt::passes {

namespace {

using analysis::MemletTree;
using analysis::StateGraph;
using analysis::TreeEdge;

/// Entries of the map scopes around `node`, the outermost first; nothing if there is another scope,
/// or one that reads symbols from data.
std::optional<std::vector<NodeId>> maps_around(const StateGraph &graph, NodeId node) {
  std::vector<NodeId> scopes;
  for (NodeId scope = graph.scope_of(node); scope.has_value(); scope = graph.scope_of(scope)) {
    const ir::Node &entry = graph.state().node(scope);
    if (!entry.is<ir::MapEntry>() || !analysis::range_connectors(entry).empty())
      return std::nullopt;
    scopes.push_back(scope);
  }
  std::reverse(scopes.begin(), scopes.end());
  return scopes;
}

/// Parameters of `scopes`; nothing if two have one name, so that one hides the other.
std::optional<std::vector<Name>> parameters(const StateGraph &graph,
                                            const std::vector<NodeId> &scopes) {
  std::vector<Name> names;
  for (const NodeId scope : scopes)
    for (const Name name : graph.state().node(scope).as<ir::MapEntry>()->params) {
      if (std::find(names.begin(), names.end(), name) != names.end())
        return std::nullopt;
      names.push_back(name);
    }
  return names;
}

/// `index` is parameter + c or c - parameter, where no parameter occurs in c.
bool stands_alone(Expr index, Name parameter, const std::vector<Name> &all,
                  symbolic::Context &context) {
  const Expr symbol = context.symbol(parameter);
  for (const Expr rest : {context.sub(index, symbol), context.add(index, symbol)}) {
    const std::vector<Name> names = context.free_symbols(rest);
    const bool free = std::none_of(names.begin(), names.end(), [&](Name name) {
      return std::find(all.begin(), all.end(), name) != all.end();
    });
    if (free)
      return true;
  }
  return false;
}

/// Index of the one element that a leaf moves; nothing if it is more.
std::optional<std::vector<Expr>> single_index(const StateGraph &graph, const TreeEdge &leaf,
                                              const ir::Descriptor &data,
                                              symbolic::Context &context) {
  const auto dims =
      analysis::data_side(graph.state().edge(leaf.edge), leaf.is_subset, data, context);
  if (!dims)
    return std::nullopt;
  std::vector<Expr> index;
  for (const sets::Interval &dim : *dims) {
    if (dim.begin != dim.end)
      return std::nullopt;
    index.push_back(dim.begin);
  }
  return index;
}

/// The connector of a tasklet holds a value, which is loaded before the code and stored after it,
/// and is not a reference into memory.
bool by_value(const ir::Edge &edge, const std::vector<ir::Connector> &connectors, Name name) {
  if (edge.memlet.dynamic || !edge.memlet.volume || edge.memlet.volume.text() != "1")
    return false;
  return std::any_of(connectors.begin(), connectors.end(), [&](const ir::Connector &connector) {
    return connector.name == name && !connector.dtype.starts_with("{"); // pointers and the like
  });
}

/// In one iteration, what the leaf `read` reads is read when the writing at `write` begins: there
/// is a way from one to the other, or they are one tasklet that has both by value.
bool ends_before(const StateGraph &graph, const MemletTree &read_tree, const TreeEdge &read,
                 const MemletTree &write_tree, const TreeEdge &write, const Analyses &analyses) {
  const NodeId reader = read_tree.far_end(graph.state(), read);
  const NodeId writer = write_tree.far_end(graph.state(), write);
  const ir::Node &node = graph.state().node(reader);
  if (reader == writer) {
    const ir::Edge &in = graph.state().edge(read.edge);
    const ir::Edge &out = graph.state().edge(write.edge);
    return node.is<ir::Tasklet>() && by_value(in, node.in_connectors, in.dst_connector) &&
           by_value(out, node.out_connectors, out.src_connector);
  }
  // What is read into a View or Reference is read when that is used, so the read has no end to
  // tell.
  if (const auto *access = node.as<ir::AccessNode>()) {
    const ir::Descriptor *copied = analyses.sdfg.find_array(access->data);
    if (!copied ||
        (copied->kind != ir::DescriptorKind::Array && copied->kind != ir::DescriptorKind::Scalar))
      return false;
  }
  return graph.reaches(reader, writer);
}

bool leaves_elementwise(const StateGraph &graph, const MemletTree &read_tree, const TreeEdge &read,
                        const MemletTree &write_tree, const TreeEdge &write,
                        const Redirection &redirection, Analyses &analyses) {
  const NodeId reader = read_tree.far_end(graph.state(), read);
  const NodeId writer = write_tree.far_end(graph.state(), write);
  symbolic::Context &context = analyses.context;
  const std::vector<Expr> &offset = redirection.offset;
  const auto read_index =
      single_index(graph, read, *analyses.sdfg.find_array(redirection.to), context);
  const auto write_index =
      single_index(graph, write, *analyses.sdfg.find_array(redirection.from), context);
  const auto read_scopes = maps_around(graph, reader);
  const auto write_scopes = maps_around(graph, writer);
  if (!read_index || !write_index || !read_scopes || !write_scopes)
    return false;
  const auto read_names = parameters(graph, *read_scopes);
  const auto write_names = parameters(graph, *write_scopes);
  if (!read_names || !write_names)
    return false;
  std::vector<NodeId> common;
  for (std::size_t i = 0; i < std::min(read_scopes->size(), write_scopes->size()); ++i)
    if ((*read_scopes)[i] == (*write_scopes)[i])
      common.push_back((*read_scopes)[i]);
  if (common.empty())
    return false;
  // Parameters of scopes around only one of the two may not occur: they would mean different
  // things.
  const std::vector<Name> shared = *parameters(graph, common);
  for (std::size_t d = 0; d < offset.size(); ++d) {
    if (context.add((*write_index)[d], offset[d]) != (*read_index)[d])
      return false;
    for (const Name name : context.free_symbols((*read_index)[d])) {
      const auto among = [&](const std::vector<Name> &names) {
        return std::find(names.begin(), names.end(), name) != names.end();
      };
      if ((among(*read_names) || among(*write_names)) && !among(shared))
        return false;
    }
  }
  for (const Name parameter : shared)
    if (std::none_of(write_index->begin(), write_index->end(),
                     [&](Expr index) { return stands_alone(index, parameter, shared, context); }))
      return false;
  return ends_before(graph, read_tree, read, write_tree, write, analyses);
}

} // namespace

bool is_elementwise(const StateGraph &graph, const MemletTree &read, const MemletTree &write,
                    const Redirection &redirection, Analyses &analyses) {
  if (read.unclear.has_value() || write.unclear.has_value())
    return false;
  for (const TreeEdge &read_leaf : read.leaves)
    for (const TreeEdge &write_leaf : write.leaves)
      if (!leaves_elementwise(graph, read, read_leaf, write, write_leaf, redirection, analyses))
        return false;
  return true;
}

bool reads_first(const StateGraph &graph, const MemletTree &read, const MemletTree &write,
                 Analyses &analyses) {
  for (const TreeEdge &read_leaf : read.leaves)
    for (const TreeEdge &write_leaf : write.leaves) {
      const NodeId reader = read.far_end(graph.state(), read_leaf);
      const bool nested = reader == write.far_end(graph.state(), write_leaf) &&
                          graph.state().node(reader).is<ir::NestedSdfg>();
      if (!nested && !ends_before(graph, read, read_leaf, write, write_leaf, analyses))
        return false;
    }
  return true;
}

} // namespace sdfgopt::passes
