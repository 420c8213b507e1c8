#include "verify/inputs.h"

#include "verify/splitmix.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace sdfgopt::verify {

namespace {

template <typename T, typename Make> void fill(std::span<std::byte> bytes, Make make) {
  assert(bytes.size() % sizeof(T) == 0);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    const T value = make();
    std::memcpy(bytes.data() + at, &value, sizeof(T));
  }
}

template <typename T> struct Specials;
template <> struct Specials<double> {
  static constexpr std::array values = {std::bit_cast<double>(0x7ff8000000000001),
                                        std::bit_cast<double>(0xfff8000000000abc)};
};
template <> struct Specials<float> {
  static constexpr std::array values = {std::bit_cast<float>(0x7fc00001),
                                        std::bit_cast<float>(0xffc00abc)};
};

template <typename T> T special_value(SplitMix &random) {
  using Limits = std::numeric_limits<T>;
  switch (random.below(8)) {
  case 0:
    return Specials<T>::values[0];
  case 1:
    return Specials<T>::values[1];
  case 2:
    return Limits::infinity();
  case 3:
    return -Limits::infinity();
  case 4:
    return -T{0};
  case 5:
    return Limits::denorm_min() * static_cast<T>(random.between(1, 255));
  case 6:
    return -Limits::denorm_min() * static_cast<T>(random.between(1, 255));
  default:
    return random.once_in(2) ? Limits::max() : -Limits::max() / 2;
  }
}

template <typename T> void fill_floats(std::span<std::byte> bytes, SplitMix random, Floats floats) {
  fill<T>(bytes, [&] {
    if (floats == Floats::Special && random.once_in(20))
      return special_value<T>(random);
    if (random.once_in(128))
      return T{0};
    // 16 has 4 more binary digits than a fraction.
    constexpr int digits = std::numeric_limits<T>::digits - 4;
    const T magnitude =
        floats != Floats::Exact
            ? std::ldexp(static_cast<T>(random.between(1, std::int64_t{16} << digits)), -digits)
            : static_cast<T>(random.between(1, 4096)) / T{256};
    return random.once_in(2) ? -magnitude : magnitude;
  });
}

/// From `first` to before `limit`, as far as the type can tell.
struct Range {
  std::int64_t first;
  std::int64_t limit;
};

template <typename T> void fill_integers(std::span<std::byte> bytes, SplitMix random, Range range) {
  using Limits = std::numeric_limits<T>;
  constexpr auto largest = static_cast<std::int64_t>(
      std::min<std::uint64_t>(Limits::max(), std::numeric_limits<std::int64_t>::max()));
  const std::int64_t first =
      std::clamp(range.first, static_cast<std::int64_t>(Limits::min()), largest);
  const std::int64_t last = std::clamp(std::max(range.limit, first + 1) - 1, first, largest);
  fill<T>(bytes, [&] { return static_cast<T>(random.between(first, last)); });
}

} // namespace

void fill_input(std::span<std::byte> bytes, std::string_view dtype, std::uint64_t seed,
                std::string_view array_name, std::int64_t index_limit, Floats floats,
                std::int64_t index_first) {
  const Range range{index_first, index_limit};
  SplitMix random(seed, array_name);
  if (dtype == "float64")
    fill_floats<double>(bytes, random, floats);
  else if (dtype == "float32")
    fill_floats<float>(bytes, random, floats);
  else if (dtype == "bool")
    fill<std::uint8_t>(bytes, [&] { return static_cast<std::uint8_t>(random.below(2)); });
  else if (dtype == "int8")
    fill_integers<std::int8_t>(bytes, random, range);
  else if (dtype == "int16")
    fill_integers<std::int16_t>(bytes, random, range);
  else if (dtype == "int32")
    fill_integers<std::int32_t>(bytes, random, range);
  else if (dtype == "int64")
    fill_integers<std::int64_t>(bytes, random, range);
  else if (dtype == "uint8")
    fill_integers<std::uint8_t>(bytes, random, range);
  else if (dtype == "uint16")
    fill_integers<std::uint16_t>(bytes, random, range);
  else if (dtype == "uint32")
    fill_integers<std::uint32_t>(bytes, random, range);
  else if (dtype == "uint64")
    fill_integers<std::uint64_t>(bytes, random, range);
  else
    assert(!"an element type that has a NumPy name");
}

} // namespace sdfgopt::verify
