// A region with its map parameters renamed apart and, where that is exact, eliminated.
#pragma once

#include "sets/linear.h"
#include "sets/solver.h"

#include <vector>

namespace sdfgopt::sets {

/// left <= right, or the region is empty.
struct Guard {
  Expr left;
  Expr right;
};

struct BoxBinder {
  Expr variable; ///< a local symbol
  Interval range;
};

/// The points of `dims` for all values of `binders`, if all guards hold.
struct Box {
  std::vector<Interval> dims;
  std::vector<BoxBinder> binders; ///< those that could not be eliminated
  std::vector<Guard> guards;
};

/// The step if it is a positive constant, else 0.
std::int64_t positive_step(const Interval &interval);

/// The last point of an interval with a positive constant step, if it is not empty.
Expr last_point(Context &context, const Interval &interval);

/// `side` keeps the local symbols of two regions apart. A bound that names a map parameter inside
/// text that does not parse becomes undefined, since it cannot be renamed.
///
/// A map parameter is eliminated where at most one dimension uses it, with bounds c*i + b and
/// c*i + e: the union over i is again an interval if the pieces meet, or a strided one if they are
/// points. What the union loses when the parameter's range or a piece is empty becomes a guard.
Box make_box(Context &context, Traits &traits, const Region &region, const char *side);

} // namespace sdfgopt::sets
