#include "sets/isl_algebra.h"

namespace sdfgopt::sets {

namespace {

constexpr int max_cases = 64;

/// Number of basic sets; too many to go on for a set that is an error.
int cases(const IslSet &set) {
  int count = isl_set_n_basic_set(set.get());
  return count < 0 ? max_cases + 1 : count;
}

} // namespace

bool certainly_empty(const IslSet &set) { return isl_set_is_empty(set.get()) == isl_bool_true; }
bool certainly_populated(const IslSet &set) {
  return isl_set_is_empty(set.get()) == isl_bool_false;
}

IslSet intersection(const IslSet &a, const IslSet &b) {
  int left = cases(a);
  int right = cases(b);
  if (left > max_cases || right > max_cases || left * right > max_cases)
    return {};
  IslSet set = isl_set_intersect(a.copy(), b.copy());
  return left > 1 && right > 1 ? IslSet(isl_set_coalesce(set.take())) : set;
}

IslSet united(const IslSet &a, const IslSet &b) {
  if (cases(a) + cases(b) > max_cases)
    return {};
  return isl_set_union(a.copy(), b.copy());
}

IslSet difference(const IslSet &a, const IslSet &b) {
  if (cases(a) + cases(b) > max_cases)
    return {};
  return isl_set_coalesce(isl_set_subtract(a.copy(), b.copy()));
}

} // namespace sdfgopt::sets
