// Numbers that look random and are the same everywhere: the steps of splitmix64.
#pragma once

#include <cstdint>

namespace sdfgopt::support {

/// What splitmix64 adds to its state for each number.
constexpr std::uint64_t mix_step = 0x9e3779b97f4a7c15U;

/// Its finaliser.
constexpr std::uint64_t finalized(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// The first number for a seed.
constexpr std::uint64_t mixed(std::uint64_t seed) { return finalized(seed + mix_step); }

} // namespace sdfgopt::support
