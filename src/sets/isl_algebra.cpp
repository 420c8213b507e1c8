#include "sets/isl_algebra.h"

namespace sdfgopt::sets {

namespace {

constexpr int max_cases = 64;
constexpr int max_parameters = 64; // an operation counts as one however large its rows are

IslSet not_too_wide(IslSet set) {
  return isl_set_dim(set.get(), isl_dim_param) <= max_parameters ? std::move(set) : IslSet();
}

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
  if (left > 1 && right > 1)
    set = isl_set_coalesce(set.take());
  return not_too_wide(std::move(set));
}

IslSet united(const IslSet &a, const IslSet &b) {
  if (cases(a) + cases(b) > max_cases)
    return {};
  return not_too_wide(isl_set_union(a.copy(), b.copy()));
}

IslSet difference(const IslSet &a, const IslSet &b) {
  if (cases(a) + cases(b) > max_cases)
    return {};
  return not_too_wide(isl_set_coalesce(isl_set_subtract(a.copy(), b.copy())));
}

} // namespace sdfgopt::sets
