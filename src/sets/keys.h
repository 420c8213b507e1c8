// What is asked as a sequence of numbers, to find it again.
#pragma once

#include "sets/solver.h"

namespace sdfgopt::sets {

using Key = std::vector<std::uintptr_t>;

struct KeyHash {
  std::size_t operator()(const Key &key) const noexcept {
    std::size_t hash = key.size();
    for (std::uintptr_t part : key)
      hash = (hash ^ part ^ (hash >> 29)) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 32);
  }
};

inline void append(Key &key, Expr e) { key.push_back(reinterpret_cast<std::uintptr_t>(e)); }
/// Names are interned: the address of the text stands for the name.
inline void append(Key &key, Name name) {
  key.push_back(reinterpret_cast<std::uintptr_t>(name.view().data()));
}
inline void append(Key &key, const Interval &interval) {
  append(key, interval.begin);
  append(key, interval.end);
  append(key, interval.step);
}
inline void append(Key &key, const Region &region) {
  key.push_back(region.dims.size());
  for (const Interval &dim : region.dims)
    append(key, dim);
  key.push_back(region.binders.size());
  for (const Binder &binder : region.binders) {
    append(key, binder.name);
    append(key, binder.range);
  }
}

inline void append(Key &key, const Question &question, std::size_t facts) {
  key.push_back(static_cast<std::uintptr_t>(question.kind));
  key.push_back(facts);
  append(key, question.a);
  append(key, question.b);
  append(key, question.condition);
  key.push_back(question.given.size());
  for (Expr fact : question.given)
    append(key, fact);
  for (Name name : question.variables)
    append(key, name);
}

} // namespace sdfgopt::sets
