// Extents of buffers that a branch assigns: so that DaCe allocates them there. Internal to
// region_versions.
#pragma once

#include "ir/clone.h"
#include "passes/region_versions.h"

#include <functional>

namespace sdfgopt::passes {

/// Gives a new name that begins like this.
using FreshName = std::function<Name(const std::string &stem)>;

/// Makes up symbols for the extents of one plan's buffers.
class ExtentSymbols {
public:
  using Types = std::unordered_map<Name, std::string_view>;

  /// `types`: of the document's symbols.
  ExtentSymbols(ir::Document &document, const FreshName &fresh, const Types &types)
      : document_(document), fresh_(fresh), types_(types) {}

  /// Puts the descriptor's shape, strides and size in terms of the symbols.
  void replace_in(ir::Descriptor &descriptor);

  /// For Sdfg::symbols, in the order in which they were made up.
  [[nodiscard]] const std::vector<std::pair<Name, std::string_view>> &symbols() const {
    return symbols_;
  }
  /// Puts a new block in front of the region's first one; the edge from it assigns the symbols.
  void assign_in(ir::Region &body, Name label, ir::Cloner &cloner) const;

private:
  Expr replaced(Expr value, Name buffer);

  ir::Document &document_;
  const FreshName &fresh_;
  const Types &types_;
  std::unordered_map<Expr, Expr> symbol_of_; // by extent
  std::vector<std::pair<Name, Expr>> values_;
  std::vector<std::pair<Name, std::string_view>> symbols_;
};

} // namespace sdfgopt::passes
