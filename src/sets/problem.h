// Questions as sets of parameter values for which the property fails.
#pragma once

#include "sets/box.h"
#include "sets/expr_to_isl.h"

#include <vector>

namespace sdfgopt::sets {

/// One way in which a property can fail, as a rule one bound of one dimension.
struct Part {
  IslSet bad;
  IslSet context; ///< where this dimension has points; elsewhere the part does not matter
};

/// The property fails for the values in `context` that are in any part's `bad` (or in all of them).
/// Dimensions stay apart as long as possible: their sets are small, and so are conditions.
struct Problem {
  bool any = true;
  std::vector<Part> parts;
  IslSet context; ///< where the regions have points
};

/// What is known, and whether all of it could be expressed: if not, the set is too large.
struct KnownSet {
  IslSet set;
  bool exact = true;
};

class ProblemBuilder {
public:
  ProblemBuilder(Context &context, Translator &translator)
      : context_(context), translator_(translator) {}

  Problem contains(const Box &outer, const Box &inner);
  Problem disjoint(const Box &a, const Box &b);
  Problem empty(const Box &box);
  Problem implied(Expr condition);
  /// Fails for all values.
  Problem impossible();
  /// Where the box has a point.
  IslSet populated(const Box &box);

private:
  using Coordinates = std::vector<Expr>;

  void contains_dim(const Interval &outer, const Interval &inner, Problem &problem);
  IslSet meet(const Interval &a, const Interval &b);
  IslSet populated(const Interval &interval);
  IslSet guards(const Box &box, Approximation side);
  IslSet within(const Interval &interval, Expr point, Approximation side);
  IslSet points(const Box &box, const Coordinates &coordinates, Approximation side);
  Coordinates coordinates(std::size_t rank);
  IslSet project(IslSet set, const Coordinates &coordinates);

  Context &context_;
  Translator &translator_;
};

} // namespace sdfgopt::sets
