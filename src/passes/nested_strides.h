// Strides inside nested SDFGs: what is passed to one is a pointer into the outer array, so the
// inner descriptor has the outer array's strides. When another array is passed, they follow.
#pragma once

#include "passes/analyses.h"

#include <optional>
#include <string>

namespace sdfgopt::passes {

/// One inner descriptor that gets new strides, and the symbols that its SDFG must be passed for
/// that.
struct NestedStrideEdit {
  ir::State *state; ///< that holds the nested SDFG's node
  NodeId node;
  ir::Sdfg *inner;
  Name array;
  std::vector<Expr> strides; ///< in the inner SDFG's symbols
  struct NewSymbol {
    Name inner;
    Expr outer;
    std::string_view dtype; ///< JSON
  };
  std::vector<NewSymbol> symbols;
};

class NestedStridePlanner {
public:
  explicit NestedStridePlanner(symbolic::Context &context) : context_(context) {}

  /// Plans for the array behind `connector` of the nested SDFG at `node`. `dims` is the outer part
  /// that is passed; `from` and `to` are the outer strides before and after, one a dimension.
  /// Returns what is in the way, or nothing.
  std::optional<std::string> plan(ir::Sdfg &outer, ir::State &state, NodeId node, Name connector,
                                  const std::vector<sets::Interval> &dims,
                                  const std::vector<Expr> &from, const std::vector<Expr> &to);
  [[nodiscard]] std::vector<NestedStrideEdit> take() { return std::move(edits_); }

private:
  /// Fills in edit.strides; `matched` is the outer dimension behind each inner one, and `differs`
  /// is set if some stride changes.
  std::optional<std::string> new_strides(const ir::Sdfg &outer, const ir::NestedSdfg &nested,
                                         const std::vector<std::size_t> &matched,
                                         const std::vector<sets::Interval> &dims,
                                         const std::vector<Expr> &from, const std::vector<Expr> &to,
                                         NestedStrideEdit &edit, bool &differs);
  std::optional<std::string> follow_inside(ir::Sdfg &inner, Name array,
                                           const std::vector<Expr> &from,
                                           const std::vector<Expr> &to);
  std::optional<std::string>
  follow_leaf(ir::Sdfg &inner, ir::State &state, const analysis::StateGraph &graph, Name array,
              const analysis::MemletTree &tree, const analysis::TreeEdge &leaf,
              const std::vector<Expr> &from, const std::vector<Expr> &to);
  /// `outer` in inner symbols; adds to `edit` what must be passed for it. Null if a name is in the
  /// way.
  Expr import_expr(const ir::Sdfg &outer_sdfg, const ir::NestedSdfg &nested, NestedStrideEdit &edit,
                   Expr outer);

  symbolic::Context &context_;
  std::vector<NestedStrideEdit> edits_;
};

/// Applies the edits.
void apply(const std::vector<NestedStrideEdit> &edits, ir::Document &document);

/// A node that computes with memory behind a pointer in a way that this program cannot follow when
/// the strides change; the sentence says which, or nothing. `scalar`: one element is passed.
std::optional<std::string> depends_on_strides(const ir::Node &node, bool scalar);

/// A copy between access nodes follows new strides if both sides have the same extents, unit ones
/// left out; one that reshapes goes by the order in memory. `dims`: the part at the end that moves;
/// `other`: the data at the other end.
bool reshapes(const ir::Edge &edge, bool is_subset, const ir::Descriptor &other,
              const std::vector<sets::Interval> &dims, symbolic::Context &context);

/// Code that is not Python has a word that is a symbol in one of `expressions`: what DaCe prints
/// beside the code would mean the code's own name.
bool names_symbol_of(const ir::Node &node, const std::vector<Expr> &expressions,
                     symbolic::Context &context);

} // namespace sdfgopt::passes
