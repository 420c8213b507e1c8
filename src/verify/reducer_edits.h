// Internal to the reducer: the ways in which a program can become smaller.
//
// An edit goes through a program's elements of some kind in a fixed order. It asks the selection
// about each, and takes away or simplifies those that are selected. So the edit that is told to
// select nothing counts the elements.
#pragma once

#include "ir/sdfg.h"

#include <span>
#include <string>
#include <variant>

namespace sdfgopt::verify::reducer {

/// Elements `first` .. `first + count - 1` of those that are asked about.
class Selection {
public:
  Selection(std::size_t first, std::size_t count) : first_(first), count_(count) {}
  bool next() {
    const std::size_t index = asked_++;
    return index >= first_ && index - first_ < count_;
  }
  [[nodiscard]] std::size_t asked() const { return asked_; }
  [[nodiscard]] bool is_empty() const { return count_ == 0; }

private:
  std::size_t first_;
  std::size_t count_;
  std::size_t asked_ = 0;
};

/// On a document that was read from the text form: there, everything is written from typed fields.
/// Blocks and states are left compact.
using DocumentEdit = void (*)(ir::Document &, Selection &);
/// On the text; the result need not parse.
using TextEdit = std::string (*)(const std::string &, Selection &);
using Edit = std::variant<DocumentEdit, TextEdit>;

/// All edits, those that take away most first.
std::span<const Edit> all_edits();

// Control flow: reducer_control.cpp.
void promote_nested_sdfgs(ir::Document &document, Selection &selection);
void drop_blocks(ir::Document &document, Selection &selection);
void drop_branches(ir::Document &document, Selection &selection);
void inline_regions(ir::Document &document, Selection &selection);
void simplify_control(ir::Document &document, Selection &selection);

// Dataflow: reducer_dataflow.cpp.
void drop_nodes(ir::Document &document, Selection &selection);
void drop_edges(ir::Document &document, Selection &selection);
void simplify_expressions(ir::Document &document, Selection &selection);
void simplify_tasklets(ir::Document &document, Selection &selection);

// Names that nothing uses: reducer_names.cpp.
void drop_unused_names(ir::Document &document, Selection &selection);

// Text: reducer_text.cpp.
/// Clauses such as `wcr`, `strides`, `@{...}`, and lines of properties.
std::string drop_clauses(const std::string &text, Selection &selection);
std::string halve_numbers(const std::string &text, Selection &selection);
std::string decrement_numbers(const std::string &text, Selection &selection);

/// Calls `visit` for the SDFG and all that are nested in it, outermost first.
template <typename Visit> void for_each_sdfg(ir::Sdfg &sdfg, Visit visit) {
  visit(sdfg);
  ir::for_each_state(sdfg.root, [&](ir::State &state, ir::Block &) {
    for (ir::Node &node : state.nodes)
      if (auto *nested = node.as<ir::NestedSdfg>(); nested && nested->sdfg && !node.removed)
        for_each_sdfg(*nested->sdfg, visit);
  });
}

/// Calls `visit` for the region and all inside of it, outermost first; those in nested SDFGs not.
template <typename Visit> void for_each_region(ir::Region &region, Visit visit) {
  visit(region);
  for (ir::Block &block : region.blocks)
    if (!block.removed)
      for (ir::Region *child : ir::child_regions(block))
        for_each_region(*child, visit);
}

} // namespace sdfgopt::verify::reducer
