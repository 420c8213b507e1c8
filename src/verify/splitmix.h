// Random numbers that are the same with every library and machine (splitmix64).
#pragma once

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
      state_ = mixed(state_ ^ static_cast<unsigned char>(c));
    state_ = mixed(state_);
  }

  std::uint64_t next() {
    state_ += step;
    return mixed(state_);
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
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15;
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

} // namespace sdfgopt::verify
