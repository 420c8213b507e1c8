#include "passes/nested_strides.h"

#include "io/json_text.h"
#include "support/words.h"

#include <algorithm>
#include <array>

namespace sdfgopt::passes {

namespace {

using analysis::MemletTree;
using analysis::StateGraph;
using analysis::TreeEdge;

/// Outer dimension behind each inner one: the same number of dimensions, or those of the passed
/// part that are more than one element long. Nothing if that does not fit.
std::optional<std::vector<std::size_t>> match_dims(const ir::Descriptor &inner,
                                                   const std::vector<sets::Interval> &dims) {
  std::vector<std::size_t> matched;
  if (inner.shape.size() == dims.size()) {
    for (std::size_t i = 0; i < dims.size(); ++i)
      matched.push_back(i);
    return matched;
  }
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (dims[i].begin != dims[i].end)
      matched.push_back(i);
  if (matched.size() != inner.shape.size())
    return std::nullopt;
  return matched;
}

bool has_name(const ir::Sdfg &sdfg, Name name) {
  if (sdfg.find_array(name))
    return true;
  for (const auto &symbol : sdfg.symbols)
    if (symbol.first == name)
      return true;
  return false;
}

/// The name stands for something inside `sdfg`, so that it cannot be passed as a new symbol.
bool is_taken(const ir::Sdfg &sdfg, Name name) {
  if (has_name(sdfg, name))
    return true;
  bool taken = false;
  const auto look = [&](std::string_view identifier) {
    taken = taken || identifier == name.view();
  };
  for (const std::string &text : io::strings_in(sdfg.attribute("constants_prop")))
    look(text);
  std::vector<const ir::Region *> regions = {&sdfg.root};
  while (!regions.empty()) {
    const ir::Region *region = regions.back();
    regions.pop_back();
    for (const ir::InterstateEdge &edge : region->edges) {
      for (const auto &assignment : edge.assignments)
        taken = taken || assignment.first == name;
      if (edge.condition)
        symbolic::for_each_identifier(edge.condition->text, look);
    }
    for (const ir::Block &block : region->blocks) {
      if (const auto *loop = block.as<ir::LoopRegion>())
        taken = taken || loop->variable == name;
      for (const ir::Region *child : ir::child_regions(block))
        regions.push_back(child);
    }
  }
  ir::for_each_state(sdfg.root, [&](const ir::State &state, const ir::Block &) {
    for (const ir::Node &node : state.nodes) {
      for (const Name connector : analysis::range_connectors(node))
        taken = taken || connector == name;
      if (const auto *map = node.as<ir::MapEntry>())
        taken =
            taken || std::find(map->params.begin(), map->params.end(), name) != map->params.end();
      if (const auto *tasklet = node.as<ir::Tasklet>())
        support::for_each_word(tasklet->code.text, look);
    }
  });
  return taken;
}

bool any_view_of(const ir::Sdfg &inner, const ir::State &state, NodeId node) {
  for (const ir::Edge &edge : state.edges) {
    if (edge.removed || (edge.src != node && edge.dst != node))
      continue;
    const auto *other = state.node(edge.src == node ? edge.dst : edge.src).as<ir::AccessNode>();
    const ir::Descriptor *descriptor = other ? inner.find_array(other->data) : nullptr;
    if (descriptor && descriptor->kind != ir::DescriptorKind::Array &&
        descriptor->kind != ir::DescriptorKind::Scalar)
      return true;
  }
  return false;
}

} // namespace

std::optional<std::string> depends_on_strides(const ir::Node &node, bool scalar) {
  static constexpr std::array<std::string_view, 3> followed = {
      "dace.libraries.standard.nodes.reduce.Reduce",
      "dace.libraries.standard.nodes.copy.node.CopyLibraryNode",
      "dace.libraries.standard.nodes.fill.node.FillLibraryNode"};
  if (const auto *library = node.as<ir::LibraryNode>())
    if (std::find(followed.begin(), followed.end(), library->class_path.view()) == followed.end())
      return "library node '" + node.label.str() + "' of class " + library->class_path.str() +
             " is not one that is known to honour strides, and to be done when it ends";
  if (const auto *tasklet = node.as<ir::Tasklet>();
      tasklet && !scalar && tasklet->code.language.view() != "Python")
    return "tasklet '" + node.label.str() + "' in " + tasklet->code.language.str() +
           " takes a pointer and may rely on its strides";
  return std::nullopt;
}

namespace {

std::vector<Expr> extents(const std::vector<sets::Interval> &dims, symbolic::Context &context) {
  std::vector<Expr> list;
  for (const sets::Interval &dim : dims)
    if (dim.begin != dim.end)
      list.push_back(context.sub(dim.end, dim.begin));
  return list;
}

} // namespace

bool reshapes(const ir::Edge &edge, bool is_subset, const ir::Descriptor &other,
              const std::vector<sets::Interval> &dims, symbolic::Context &context) {
  if (other.kind == ir::DescriptorKind::Scalar)
    return false;
  if (other.kind != ir::DescriptorKind::Array)
    return true;
  const auto other_dims = analysis::data_side(edge, !is_subset, other, context);
  return !other_dims || extents(dims, context) != extents(*other_dims, context);
}

bool names_symbol_of(const ir::Node &node, const std::vector<Expr> &expressions,
                     symbolic::Context &context) {
  const auto *tasklet = node.as<ir::Tasklet>();
  if (!tasklet || tasklet->code.language.view() == "Python")
    return false;
  bool found = false;
  for (const Expr expression : expressions)
    for (const Name symbol : context.free_symbols(expression))
      support::for_each_word(tasklet->code.text, [&](std::string_view word) {
        found = found || word == symbol.view();
      });
  return found;
}

std::optional<std::string> NestedStridePlanner::plan(ir::Sdfg &outer, ir::State &state, NodeId node,
                                                     Name connector,
                                                     const std::vector<sets::Interval> &dims,
                                                     const std::vector<Expr> &from,
                                                     const std::vector<Expr> &to) {
  const ir::Node &nested_node = state.node(node);
  const auto &nested = *nested_node.as<ir::NestedSdfg>();
  const std::string who = "nested SDFG '" + nested_node.label.str() + "'";
  if (!nested.sdfg)
    return who + " is in another file";
  ir::Sdfg &inner = *nested.sdfg;
  const ir::Descriptor *descriptor = inner.find_array(connector);
  if (!descriptor)
    return who + " has no array '" + connector.str() + "'";
  if (descriptor->kind == ir::DescriptorKind::Scalar)
    return std::nullopt; // passed by value or as one element: no strides
  if (descriptor->kind != ir::DescriptorKind::Array)
    return who + " takes the data as a " + descriptor->type.str();
  for (const NestedStrideEdit &done : edits_)
    if (done.inner == &inner && done.array == connector)
      return std::nullopt;
  const auto matched = match_dims(*descriptor, dims);
  if (!matched)
    return who + " sees '" + connector.str() + "' with other dimensions than are passed";

  NestedStrideEdit edit{&state, node, &inner, connector, {}, {}};
  bool differs = false;
  if (auto reason = new_strides(outer, nested, *matched, dims, from, to, edit, differs))
    return who + " " + *reason;
  if (!differs)
    return std::nullopt;
  const std::vector<Expr> old_strides = strides_of(*descriptor, context_);
  const std::vector<Expr> strides = edit.strides;
  edits_.push_back(std::move(edit));
  return follow_inside(inner, connector, old_strides, strides);
}

std::optional<std::string> NestedStridePlanner::new_strides(
    const ir::Sdfg &outer, const ir::NestedSdfg &nested, const std::vector<std::size_t> &matched,
    const std::vector<sets::Interval> &dims, const std::vector<Expr> &from,
    const std::vector<Expr> &to, NestedStrideEdit &edit, bool &differs) {
  const ir::Descriptor &descriptor = *edit.inner->find_array(edit.array);
  const std::vector<Expr> old_strides = strides_of(descriptor, context_);
  std::unordered_map<Name, Expr> mapping;
  for (const auto &[inner_name, value] : nested.symbol_mapping)
    mapping[inner_name] = context_.value(value);
  bool same_extents = true;
  for (std::size_t i = 0; i < matched.size(); ++i) {
    const std::size_t d = matched[i];
    const Expr extent = context_.substitute(context_.value(descriptor.shape[i]), mapping);
    const Expr last = context_.sub(dims[d].end, dims[d].begin);
    if (context_.sub(extent, last) != context_.integer(1))
      same_extents = false;
    edit.strides.push_back(old_strides[i]);
    if (extent->is_integer(1))
      continue; // one element: the stride is never used
    if (context_.substitute(old_strides[i], mapping) != from[d])
      return "sees '" + edit.array.str() + "' with other strides than are passed";
    if (from[d] == to[d])
      continue;
    differs = true;
    edit.strides.back() = import_expr(outer, nested, edit, to[d]);
    if (!edit.strides.back())
      return "has an array, or assigns to a symbol, of a name that the new strides need";
  }
  // A dimension that is longer inside than what is passed runs on into other dimensions.
  if (!same_extents && from != to)
    return "sees '" + edit.array.str() + "' with other extents than are passed";
  return std::nullopt;
}

Expr NestedStridePlanner::import_expr(const ir::Sdfg &outer_sdfg, const ir::NestedSdfg &nested,
                                      NestedStrideEdit &edit, Expr outer) {
  const ir::Sdfg &inner = *nested.sdfg;
  const auto dtype_of = [&](Name symbol) {
    for (const auto &[name, dtype] : outer_sdfg.symbols)
      if (name == symbol)
        return dtype;
    return std::string_view("\"int64\"");
  };
  std::unordered_map<Name, Expr> replacement;
  for (const Name symbol : context_.free_symbols(outer)) {
    const Expr value = context_.symbol(symbol);
    Name inside;
    for (const auto &[inner_name, mapped] : nested.symbol_mapping)
      if (context_.value(mapped) == value)
        inside = inner_name;
    if (inside) {
      const analysis::ControlFlow flow(*nested.sdfg, context_);
      if (flow.is_assigned(inside))
        return nullptr;
    }
    for (const NestedStrideEdit &other : edits_)
      for (const NestedStrideEdit::NewSymbol &added : other.symbols)
        if (other.inner == &inner && added.outer == value)
          inside = added.inner;
    for (const NestedStrideEdit::NewSymbol &added : edit.symbols)
      if (added.outer == value)
        inside = added.inner;
    // DaCe's allocation takes an inner array for the symbol of its name that is passed in.
    if (!inside && inner.find_array(symbol))
      return nullptr;
    if (!inside) {
      const auto taken = [&](Name name) {
        for (const auto &entry : nested.symbol_mapping)
          if (entry.first == name)
            return true;
        for (const NestedStrideEdit &other : edits_)
          for (const NestedStrideEdit::NewSymbol &added : other.symbols)
            if (other.inner == &inner && added.inner == name)
              return true;
        for (const NestedStrideEdit::NewSymbol &added : edit.symbols)
          if (added.inner == name)
            return true;
        return is_taken(inner, name);
      };
      inside = context_.names().fresh(symbol.view(), taken);
      edit.symbols.push_back({inside, value, dtype_of(symbol)});
    }
    replacement[symbol] = context_.symbol(inside);
  }
  return context_.substitute(outer, replacement);
}

std::optional<std::string> NestedStridePlanner::follow_inside(ir::Sdfg &inner, Name array,
                                                              const std::vector<Expr> &from,
                                                              const std::vector<Expr> &to) {
  std::optional<std::string> reason;
  ir::for_each_state(inner.root, [&](ir::State &state, ir::Block &) {
    std::optional<StateGraph> graph;
    for (std::size_t i = 0; i < state.nodes.size() && !reason; ++i) {
      const auto *access = state.nodes[i].as<ir::AccessNode>();
      if (!access || access->data != array)
        continue;
      if (!graph)
        graph.emplace(state);
      if (any_view_of(inner, state, NodeId(i))) {
        reason = "a View or Reference of '" + array.str() + "' inside nested SDFG '" +
                 inner.name.str() + "' has strides of its own";
        return;
      }
      for (const Role role : {Role::Read, Role::Write})
        for (const EdgeId edge :
             role == Role::Read ? graph->out_edges(NodeId(i)) : graph->in_edges(NodeId(i))) {
          if (state.edge(edge).memlet.is_empty() || reason)
            continue;
          const MemletTree tree = memlet_tree(*graph, edge, array, role);
          for (const TreeEdge &leaf : tree.leaves)
            if (!reason)
              reason = follow_leaf(inner, state, *graph, array, tree, leaf, from, to);
        }
    }
  });
  return reason;
}

std::optional<std::string>
NestedStridePlanner::follow_leaf(ir::Sdfg &inner, ir::State &state, const StateGraph &graph,
                                 Name array, const MemletTree &tree, const TreeEdge &leaf,
                                 const std::vector<Expr> &from, const std::vector<Expr> &to) {
  const NodeId end = tree.far_end(state, leaf);
  const ir::Node &node = state.node(end);
  const ir::Edge &edge = state.edge(leaf.edge);
  const auto dims = analysis::data_side(edge, leaf.is_subset, *inner.find_array(array), context_);
  if (node.is<ir::UnknownNode>() || !dims)
    return "an access inside nested SDFG '" + inner.name.str() + "' cannot be followed";
  const auto *access = node.as<ir::AccessNode>();
  const ir::Descriptor *copied = access ? inner.find_array(access->data) : nullptr;
  if (access && (!copied || (copied->kind != ir::DescriptorKind::Array &&
                             copied->kind != ir::DescriptorKind::Scalar)))
    return "'" + access->data.str() + "' inside nested SDFG '" + inner.name.str() +
           "' has strides of its own";
  if (copied && reshapes(edge, leaf.is_subset, *copied, *dims, context_))
    return "a copy of '" + array.str() + "' inside nested SDFG '" + inner.name.str() +
           "' changes the shape";
  if (names_symbol_of(node, to, context_))
    return "code inside nested SDFG '" + inner.name.str() +
           "' has a name of its own that is a symbol in the new strides";
  if (is_captured(graph, to, context_))
    return "a map parameter inside nested SDFG '" + inner.name.str() +
           "' has the name of a symbol that the new strides need";
  if (node.is<ir::NestedSdfg>())
    return plan(inner, state, end,
                tree.role == Role::Read ? edge.dst_connector : edge.src_connector, *dims, from, to);
  const bool scalar =
      std::all_of(dims->begin(), dims->end(), [](const auto &dim) { return dim.begin == dim.end; });
  return depends_on_strides(node, scalar);
}

namespace {

void add_symbols(const NestedStrideEdit &edit, ir::Document &document) {
  if (edit.symbols.empty())
    return;
  ir::Node &node = edit.state->node(edit.node);
  node.changed = true;
  auto &nested = *node.as<ir::NestedSdfg>();
  const auto by_name = [](const auto &a, const auto &b) { return a.first < b.first; };
  for (const NestedStrideEdit::NewSymbol &symbol : edit.symbols) {
    nested.symbol_mapping.emplace_back(symbol.inner,
                                       document.context.expression(symbol.outer, document.grammar));
    edit.inner->symbols.emplace_back(symbol.inner, symbol.dtype);
  }
  std::sort(nested.symbol_mapping.begin(), nested.symbol_mapping.end(), by_name);
  std::sort(edit.inner->symbols.begin(), edit.inner->symbols.end(), by_name);
  edit.inner->touch("symbols");
}

/// DaCe spells symbols of other types than int32 with their type; the context remembers a spelling
/// that it has seen once.
void remember_types(const NestedStrideEdit &edit, ir::Document &document) {
  if (document.grammar != symbolic::Grammar::Dollar)
    return;
  for (const Expr stride : edit.strides)
    for (const Name symbol : document.context.free_symbols(stride))
      for (const auto &[name, dtype] : edit.inner->symbols)
        if (name == symbol && dtype.starts_with('"') && dtype != "\"int32\"")
          document.context.expression("symbol($" + name.str() + ", dtype=dace." +
                                          std::string(dtype.substr(1, dtype.size() - 2)) + ")",
                                      document.grammar);
}

} // namespace

void apply(const std::vector<NestedStrideEdit> &edits, ir::Document &document) {
  symbolic::Context &context = document.context;
  for (const NestedStrideEdit &edit : edits) {
    add_symbols(edit, document);
    remember_types(edit, document);
    ir::Descriptor &descriptor = *edit.inner->find_array(edit.array);
    descriptor.changed = true;
    descriptor.strides.clear();
    Expr last = context.integer(0); // position of the last element
    for (std::size_t i = 0; i < edit.strides.size(); ++i) {
      descriptor.strides.push_back(context.expression(edit.strides[i], document.grammar));
      const Expr extent = context.value(descriptor.shape[i]);
      last =
          context.add(last, context.mul(context.sub(extent, context.integer(1)), edit.strides[i]));
    }
    descriptor.total_size =
        context.expression(context.add(last, context.integer(1)), document.grammar);
  }
}

} // namespace sdfgopt::passes
