// Answers that need no isl: bounds that are equal or differ by a constant.
//
// Each function answers Yes or No, or nothing if it cannot tell. The facts are not looked at, so an
// answer holds under any.
#pragma once

#include "sets/box.h"

#include <optional>
#include <span>

namespace sdfgopt::sets {

/// A box as the cheap tests see it: `guarded` if it may be empty although no dimension is.
struct BoxView {
  std::span<const Interval> dims;
  bool guarded = false;
};

std::optional<Verdict> contains_at_sight(BoxView outer, BoxView inner, Traits &traits,
                                         Difference difference);
std::optional<Verdict> disjoint_at_sight(BoxView a, BoxView b, Difference difference);
std::optional<Verdict> empty_at_sight(BoxView box, Difference difference);

/// Same handles throughout, and nothing undefined in it: the same set for all values.
bool same_region(const Region &a, const Region &b, Traits &traits);

} // namespace sdfgopt::sets
