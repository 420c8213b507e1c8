#include "sets/syntactic.h"

#include <algorithm>
#include <numeric>

namespace sdfgopt::sets {

namespace {

enum class Sight : std::uint8_t { Yes, No, Unclear };

bool same(const Interval &a, const Interval &b) {
  return a.begin == b.begin && a.end == b.end && a.step == b.step;
}

bool defined(const Interval &interval, Traits &traits) {
  return !traits.any(interval.begin, Traits::has_undefined) &&
         !traits.any(interval.end, Traits::has_undefined) &&
         !traits.any(interval.step, Traits::has_undefined);
}

/// Does the interval have a point?
Sight populated(const Interval &interval, Difference &difference) {
  if (positive_step(interval) == 0)
    return Sight::Unclear;
  auto width = difference(interval.end, interval.begin);
  if (!width)
    return Sight::Unclear;
  return *width >= 0 ? Sight::Yes : Sight::No;
}

/// Are all points of `inner` in `outer`? No means: not if inner has a point.
Sight contained(const Interval &outer, const Interval &inner, Traits &traits,
                Difference &difference) {
  if (same(outer, inner) && defined(inner, traits))
    return Sight::Yes;
  std::int64_t outer_step = positive_step(outer);
  std::int64_t inner_step = positive_step(inner);
  if (outer_step == 0 || inner_step == 0)
    return Sight::Unclear;
  auto offset = difference(inner.begin, outer.begin);
  auto room = difference(outer.end, inner.end);
  if (offset && (*offset < 0 || *offset % outer_step != 0))
    return Sight::No;
  if (room && *room < 0 && inner_step == 1)
    return Sight::No;
  if (!offset || !room || *room < 0)
    return Sight::Unclear;
  if (inner_step % outer_step == 0)
    return Sight::Yes;
  auto width = difference(inner.end, inner.begin);
  return width && *width < inner_step ? Sight::Yes : Sight::Unclear;
}

/// Is there no point in both? No means that there certainly is one.
Sight apart(const Interval &a, const Interval &b, Difference &difference) {
  std::int64_t a_step = positive_step(a);
  std::int64_t b_step = positive_step(b);
  if (a_step == 0 || b_step == 0)
    return Sight::Unclear;
  auto overlap_b = difference(a.end, b.begin);
  auto overlap_a = difference(b.end, a.begin);
  if ((overlap_a && *overlap_a < 0) || (overlap_b && *overlap_b < 0))
    return Sight::Yes;
  auto offset = difference(a.begin, b.begin);
  if (offset && *offset % std::gcd(a_step, b_step) != 0)
    return Sight::Yes;
  Sight a_populated = populated(a, difference);
  Sight b_populated = populated(b, difference);
  if (a_populated == Sight::No || b_populated == Sight::No)
    return Sight::Yes;
  bool both_populated = a_populated == Sight::Yes && b_populated == Sight::Yes;
  bool dense = a_step == 1 && b_step == 1 && overlap_a && overlap_b;
  return both_populated && (dense || offset == 0) ? Sight::No : Sight::Unclear;
}

} // namespace

std::optional<Verdict> contains_at_sight(BoxView outer, BoxView inner, Traits &traits,
                                         Difference difference) {
  bool all = !outer.guarded;
  bool violated = false;
  bool inner_populated = !inner.guarded;
  for (std::size_t i = 0; i < inner.dims.size(); ++i) {
    Sight point = populated(inner.dims[i], difference);
    if (point == Sight::No)
      return Verdict::Yes;
    inner_populated &= point == Sight::Yes;
    Sight dim = contained(outer.dims[i], inner.dims[i], traits, difference);
    all &= dim == Sight::Yes;
    violated |= dim == Sight::No;
  }
  if (all)
    return Verdict::Yes;
  return violated && inner_populated ? std::optional(Verdict::No) : std::nullopt;
}

std::optional<Verdict> disjoint_at_sight(BoxView a, BoxView b, Difference difference) {
  bool meet = !a.guarded && !b.guarded;
  for (std::size_t i = 0; i < a.dims.size(); ++i) {
    Sight dim = apart(a.dims[i], b.dims[i], difference);
    if (dim == Sight::Yes)
      return Verdict::Yes;
    meet &= dim == Sight::No;
  }
  return meet ? std::optional(Verdict::No) : std::nullopt;
}

std::optional<Verdict> empty_at_sight(BoxView box, Difference difference) {
  bool certain = !box.guarded;
  for (const Interval &dim : box.dims) {
    Sight point = populated(dim, difference);
    if (point == Sight::No)
      return Verdict::Yes;
    certain &= point == Sight::Yes;
  }
  return certain ? std::optional(Verdict::No) : std::nullopt;
}

bool same_region(const Region &a, const Region &b, Traits &traits) {
  auto same_dim = [&](const Interval &x, const Interval &y) {
    return same(x, y) && defined(x, traits);
  };
  auto same_binder = [&](const Binder &x, const Binder &y) {
    return x.name == y.name && same_dim(x.range, y.range);
  };
  return std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(), same_dim) &&
         std::equal(a.binders.begin(), a.binders.end(), b.binders.begin(), b.binders.end(),
                    same_binder);
}

} // namespace sdfgopt::sets
