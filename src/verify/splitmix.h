// Random numbers that are the same with every library and machine (splitmix64).
#pragma once

#include "support/mixed.h"
#include <cstddef>

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace sdfgopt::verify {

class SplitMix {
public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  /// A stream of its own for each (seed, name).
  SplitMix(std::uint64_t seed, std::string_view name) : state_(seed) {
    for (const char c : name)
      state_ = support::finalized(state_ ^ static_cast<unsigned char>(c));
    state_ = support::finalized(state_);
  }

  std::uint64_t next() {
    state_ += support::mix_step;
    return support::finalized(state_);
  }
  /// Below `bound`, which is at least 1. (The bias towards small numbers is below bound / 2^64.)
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  /// From `first` to `last`, both included.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(last - first) + 1));
  }
  /// True once in `odds` times.
  bool once_in(std::uint64_t odds) { return below(odds) == 0; }
  bool chance(double probability) {
    constexpr double unit = 1.0 / 9007199254740992.0; // 2 to the -53: exact in every step
    return static_cast<double>(next() >> 11U) * unit < probability;
  }
  template <typename T> T pick(std::initializer_list<T> list) {
    return *(list.begin() + static_cast<std::ptrdiff_t>(below(list.size())));
  }
  template <typename T> const T &pick(const std::vector<T> &list) {
    return list[below(list.size())];
  }
  template <typename T> void shuffle(std::vector<T> &list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(i)]);
  }

private:
  std::uint64_t state_;
};

} // namespace sdfgopt::verify
