// Random choices that are the same on every machine.
#pragma once

#include "verify/splitmix.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace sdfgopt::verify::generator {

class Random : private SplitMix {
public:
  explicit Random(std::uint64_t seed) : SplitMix(seed) {}

  using SplitMix::between;
  /// Of 0 .. count - 1.
  std::size_t below(std::size_t count) { return SplitMix::below(count); }
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
};

} // namespace sdfgopt::verify::generator
