// What values of its free symbols a program can be run with, and where it behaves differently.
#pragma once

#include "ir/sdfg.h"
#include "verify/program_symbols.h"

#include <vector>

namespace sdfgopt::verify {

using support::Name;
using symbolic::Expr;

/// `condition` must hold where all guards do. A guard says that the place is reached: branches are
/// taken, ranges around it are not empty.
struct Requirement {
  std::vector<Expr> guards;
  Expr condition;
};

/// One dimension of a map or a copy: `size` elements from `begin` on; reversed if negative.
struct Extent {
  Expr begin;
  Expr size;
  std::size_t axis; ///< the last dimension that it is seen at
};

/// An array of the outermost SDFG whose strides depend on symbols.
struct Layout {
  std::vector<Expr> shape;
  std::vector<Expr> strides;
  Expr total_size;
};

/// Values read from data may be used as indices if they are at least `first` and below `limit`.
struct IndexBounds {
  std::vector<Expr> guards;
  Expr first;
  Expr limit;
};

/// All expressions are over free symbols and can be evaluated. What depends on map parameters or
/// loop variables is told at both ends of their ranges; what depends on data, on what the program
/// computes, or on unknown functions is left out.
struct SymbolProblem {
  std::vector<FreeSymbol> symbols;
  std::vector<Requirement> requirements; ///< of every access and descriptor
  std::vector<Requirement> hulls;        ///< of memlets around scopes: may ask for more than needed
  std::vector<Extent> extents;           ///< no two with the same size
  std::vector<Expr> decisions;           ///< conditions of branches, loops and interstate edges
  std::vector<Requirement> branches;     ///< those of branches, with what leads to them
  std::vector<Expr> switches;            ///< Max, Min, and comparisons of two terms
  std::vector<Layout> layouts;
  std::vector<IndexBounds> indices;
};

SymbolProblem symbol_problem(ir::Document &document);

} // namespace sdfgopt::verify
