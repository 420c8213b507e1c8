#include "python/live_program.h"

#include <nanobind/stl/string_view.h>

#include <charconv>
#include <optional>
#include <unordered_set>

namespace sdfgopt::python {

namespace nb = nanobind;

namespace {

std::optional<std::size_t> number_from(std::string_view digits) {
  std::size_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

/// Of the live object that an element stands for; none if a pass made it.
std::optional<std::size_t> number_of(const ir::Leaf &leaf) {
  constexpr std::string_view prefix = R"({"live":)";
  return leaf.source.starts_with(prefix) ? number_from(leaf.source.substr(prefix.size()))
                                         : std::nullopt;
}

std::optional<std::size_t> number_of(const ir::Container &container) {
  for (const ir::Member &member : container.members)
    if (member.key == "live")
      return number_from(member.value);
  return std::nullopt;
}

nb::object text(std::string_view value) { return nb::str(value.data(), value.size()); }
nb::object text(support::Name name) { return name ? text(name.view()) : nb::object(nb::none()); }

/// Walks the document. A copy is told by its label, which is that of its original only if it is no
/// copy: no pass renames a block that it did not make.
class EditCollector {
public:
  explicit EditCollector(const LiveDocument &live)
      : live_(live), context_(live.document->context) {}

  nb::object run() {
    visit(live_.document->root);
    nb::dict all;
    all["copies"] = copies_;
    all["edits"] = edits_;
    all["in_copies"] = in_copies_;
    return all;
  }

private:
  // --- values ---

  nb::object value(symbolic::Expression expression) {
    if (!expression)
      return nb::none();
    const auto found = live_.expressions.find(context_.value(expression));
    return found == live_.expressions.end() ? text(expression.text()) : found->second;
  }

  nb::object values(const std::vector<symbolic::Expression> &list) {
    nb::list out;
    for (const symbolic::Expression one : list)
      out.append(value(one));
    return out;
  }

  nb::object subset(const ir::Subset &subset) {
    if (!subset)
      return nb::none();
    nb::list out;
    for (const ir::Range &range : subset.ranges())
      out.append(nb::make_tuple(value(range.begin), value(range.end), value(range.step),
                                value(range.tile)));
    return out;
  }

  nb::dict memlet(const ir::Memlet &memlet) {
    nb::dict out;
    out["data"] = text(memlet.data);
    out["subset"] = subset(memlet.subset);
    out["other_subset"] = subset(memlet.other_subset);
    out["volume"] = value(memlet.volume);
    out["dynamic"] = memlet.dynamic;
    out["is_data_src"] =
        memlet.data_is_source ? nb::object(nb::bool_(*memlet.data_is_source)) : nb::none();
    return out;
  }

  nb::dict fields(const ir::Descriptor &descriptor) {
    nb::dict out;
    out["shape"] = values(descriptor.shape);
    out["strides"] = values(descriptor.strides);
    out["total_size"] = value(descriptor.total_size);
    return out;
  }

  nb::object object(std::size_t number) const { return live_.objects.at(number); }
  template <typename Element> nb::object object(const Element &element) const {
    const auto number = number_of(element);
    if (!number)
      throw nb::value_error("internal error: an element that was made by a pass is named in an "
                            "edit of the live graph");
    return object(*number);
  }

  template <typename... Parts> void edit(const char *name, Parts &&...parts) {
    (copy_ ? nb::borrow<nb::list>(in_copies_[*copy_]) : edits_)
        .append(nb::make_tuple(name, std::forward<Parts>(parts)...));
  }

  // --- SDFGs ---

  void visit(const ir::Sdfg &sdfg) {
    const nb::object live = object(sdfg);
    visit_arrays(sdfg, live);
    if (sdfg.changed && sdfg.attribute("symbols").empty()) {
      nb::dict symbols;
      for (const auto &[name, dtype] : sdfg.symbols)
        symbols[text(name)] = text(dtype);
      edit("symbols", live, symbols);
    }
    if (sdfg.attribute("using_explicit_control_flow") == "true")
      edit("explicit_control_flow", live);
    visit(sdfg.root, live);
  }

  void visit_arrays(const ir::Sdfg &sdfg, const nb::object &live) {
    const nb::object arrays = live.attr("arrays");
    bool any_copied = false;
    for (const ir::Descriptor &descriptor : sdfg.arrays) {
      if (descriptor.removed)
        continue;
      const bool is_original = nb::cast<bool>(arrays.attr("__contains__")(text(descriptor.name)));
      if (!is_original)
        edit("add_array", live, text(descriptor.name), object(descriptor), fields(descriptor));
      else if (descriptor.changed)
        edit("array", live, text(descriptor.name), fields(descriptor));
      any_copied = any_copied || !is_original;
    }
    if (!sdfg.changed && !any_copied)
      return;
    nb::list order;
    for (const ir::Descriptor &descriptor : sdfg.arrays)
      if (!descriptor.removed)
        order.append(text(descriptor.name));
    edit("arrays", live, order);
  }

  // --- control flow ---

  /// `live` is the region, or the SDFG, that `region` is the content of.
  void visit(const ir::Region &region, const nb::object &live) {
    if (region.renumbered)
      edit("region", live, content(region));
    else
      for (const ir::InterstateEdge &edge : region.edges)
        visit(edge);
    for (const ir::Block &block : region.blocks)
      if (!block.removed && (region.renumbered || number_of(block)))
        if (!is_copy(block))
          visit(block);
  }

  /// Seen from the original, not from inside the copy.
  bool is_copy(const ir::Block &block) const {
    const auto number = number_of(block);
    return !copy_ && number &&
           nb::cast<std::string_view>(object(*number).attr("label")) != block.label.view();
  }

  /// Blocks, edges and start of a region: what to lay out anew.
  nb::object content(const ir::Region &region) {
    nb::list blocks;
    for (const ir::Block &block : region.blocks)
      blocks.append(reference(block));
    nb::list edges;
    for (const ir::InterstateEdge &edge : region.edges) {
      if (edge.removed)
        continue;
      const bool tells_condition = edge.condition && (edge.changed || !number_of(edge));
      edges.append(nb::make_tuple(
          edge.src.value, edge.dst.value, number_of(edge) ? object(edge) : nb::none(),
          is_copy(region.block(edge.src)) || is_copy(region.block(edge.dst)),
          tells_condition ? text(edge.condition->text) : nb::none(), assignments(edge)));
    }
    return nb::make_tuple(
        blocks, edges, region.start_block ? nb::object(nb::int_(*region.start_block)) : nb::none());
  }

  nb::object reference(const ir::Block &block) {
    if (is_copy(block))
      return nb::make_tuple("copy", copy(block));
    if (number_of(block))
      return object(block);
    if (const auto *conditional = block.as<ir::ConditionalBlock>()) {
      nb::list branches;
      for (const ir::Branch &branch : conditional->branches)
        branches.append(nb::make_tuple(branch.condition ? text(branch.condition->text) : nb::none(),
                                       branch_label(branch), content(branch.body)));
      return nb::make_tuple("conditional", text(block.label), branches);
    }
    if (const auto *state = block.as<ir::State>(); state && state->nodes.empty())
      return nb::make_tuple("state", text(block.label));
    throw nb::value_error("internal error: a kind of block that no pass makes");
  }

  static nb::object branch_label(const ir::Branch &branch) {
    for (const ir::Member &member : branch.container.members)
      if (member.key == "label" && member.value.size() >= 2)
        return text(member.value.substr(1, member.value.size() - 2));
    return nb::none();
  }

  /// Notes a copy and what is different in it; its number.
  std::size_t copy(const ir::Block &block) {
    const std::size_t number = nb::len(copies_);
    copies_.append(object(block));
    in_copies_.append(nb::list());
    copy_ = number;
    visit(block);
    copy_.reset();
    return number;
  }

  void visit(const ir::InterstateEdge &edge) {
    if (edge.removed || !edge.changed)
      return;
    if (edge.condition)
      edit("code", object(edge).attr("data"), "condition", text(edge.condition->text));
    edit("assignments", object(edge).attr("data"), assignments(edge));
  }

  static nb::dict assignments(const ir::InterstateEdge &edge) {
    nb::dict out;
    for (const auto &[name, expression] : edge.assignments)
      out[text(name)] = text(expression.text());
    return out;
  }

  void visit(const ir::Block &block) {
    if (!number_of(block)) {
      // Made by a pass: its regions were told as content; what was moved into them is visited here.
      for (const ir::Region *child : ir::child_regions(block))
        for (const ir::Block &inner : child->blocks)
          if (!is_copy(inner))
            visit(inner);
      return;
    }
    const nb::object live = object(block);
    if (copy_)
      edit("label", live, text(block.label));
    if (const auto *state = block.as<ir::State>())
      return visit(*state, live);
    if (const auto *loop = block.as<ir::LoopRegion>()) {
      visit_code(live, "init_statement", block, loop->init);
      visit_code(live, "loop_condition", block, loop->condition);
      visit_code(live, "update_statement", block, loop->update);
      return visit(loop->body, live);
    }
    if (const auto *region = block.as<ir::PlainRegion>())
      return visit(region->body, live);
    if (const auto *conditional = block.as<ir::ConditionalBlock>())
      for (std::size_t i = 0; i < conditional->branches.size(); ++i) {
        const ir::Branch &branch = conditional->branches[i];
        if (branch.condition && branch.condition_source.empty())
          edit("branch_condition", live, i, text(branch.condition->text));
        visit(branch.body, object(branch.container));
      }
  }

  void visit_code(const nb::object &live, const char *field, const ir::Block &block,
                  const std::optional<ir::Code> &code) {
    if (code && block.changed && block.attribute(field).empty())
      edit("code", live, field, text(code->text));
  }

  // --- dataflow ---

  void visit(const ir::State &state, const nb::object &live) {
    bool structure = state.renumbered;
    for (const ir::Node &node : state.nodes) {
      structure = structure || node.removed;
      if (!node.removed)
        visit(node);
    }
    for (const ir::Edge &edge : state.edges)
      structure = structure || edge.removed;
    for (const ir::Edge &edge : state.edges)
      if (!edge.removed)
        visit(edge, state, live);
    if (structure)
      visit_removed(state, live);
  }

  void visit(const ir::Node &node) {
    const auto *nested = node.as<ir::NestedSdfg>();
    if (node.changed) {
      if (const auto *access = node.as<ir::AccessNode>())
        edit("data", object(node), text(access->data));
      if (nested) {
        nb::dict mapping;
        for (const auto &[inner, outer] : nested->symbol_mapping)
          mapping[text(inner)] = value(outer);
        edit("symbol_mapping", object(node), mapping);
      }
    }
    if (nested && nested->sdfg)
      visit(*nested->sdfg);
  }

  void visit(const ir::Edge &edge, const ir::State &state, const nb::object &live) {
    const nb::object src = object(state.node(edge.src));
    const nb::object dst = object(state.node(edge.dst));
    if (!number_of(edge)) {
      edit("add_edge", live, src, text(edge.src_connector), dst, text(edge.dst_connector),
           memlet(edge.memlet));
      return;
    }
    const nb::object original = object(edge);
    if (edge.memlet_changed)
      edit("memlet", live, original, memlet(edge.memlet));
    if (edge.changed || edge.memlet_changed)
      edit("move_edge", live, original, src, text(edge.src_connector), dst,
           text(edge.dst_connector));
  }

  void visit_removed(const ir::State &state, const nb::object &live) {
    std::unordered_set<const PyObject *> kept;
    for (const ir::Edge &edge : state.edges)
      if (!edge.removed && number_of(edge))
        kept.insert(object(edge).ptr());
    for (const ir::Node &node : state.nodes)
      if (!node.removed)
        kept.insert(object(node).ptr());
    for (const nb::handle edge : live.attr("edges")())
      if (!kept.contains(edge.ptr()))
        edit("remove_edge", live, edge);
    for (const nb::handle node : live.attr("nodes")())
      if (!kept.contains(node.ptr()))
        edit("remove_node", live, node);
  }

  const LiveDocument &live_;
  symbolic::Context &context_;
  nb::list copies_;
  nb::list edits_;
  nb::list in_copies_;
  std::optional<std::size_t> copy_; // the one that is being visited
};

} // namespace

nb::object edits_of(const LiveDocument &live) { return EditCollector(live).run(); }

} // namespace sdfgopt::python
