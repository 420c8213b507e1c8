// Contents of the arrays that a run begins with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sdfgopt::verify {

/// What floats are like.
enum class Floats : std::uint8_t {
  Exact,   ///< few digits: most sums are exact, so that their order does not show
  Digits,  ///< all digits: rounding shows
  Special, ///< all digits, and now and then a NaN, an infinity, ...
};

/// Fills an array with contents that depend on `seed`, `array_name` and `dtype` (NumPy's name:
/// bool, int8 .. uint64, float32, float64) only; `bytes` holds whole elements.
///   - floats: multiples of 1/256 between -16 and 16, hardly ever 0, so that most sums are exact;
///     with `special`, one in twenty is a NaN (of two payloads), infinite, -0, denormal or huge,
///     and the others have all the digits of their type, so that rounding shows;
///   - integers: from `index_first` (or 0, for types without a sign) up to but not including
///     `index_limit`: they may be indices; all `index_first`, if that leaves nothing;
///   - bool: either.
void fill_input(std::span<std::byte> bytes, std::string_view dtype, std::uint64_t seed,
                std::string_view array_name, std::int64_t index_limit, Floats floats,
                std::int64_t index_first = 0);

} // namespace sdfgopt::verify
