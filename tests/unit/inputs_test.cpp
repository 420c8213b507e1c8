// Contents of arrays.
#include "verify/inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

namespace sdfgopt::verify {
namespace {

template <typename T>
std::vector<T> filled(std::string_view dtype, std::size_t count, std::uint64_t seed,
                      std::string_view name, std::int64_t limit = 0, bool special = false) {
  std::vector<T> values(count);
  fill_input(std::as_writable_bytes(std::span(values)), dtype, seed, name, limit,
             special ? Floats::Special : Floats::Exact);
  return values;
}

TEST(Inputs, SameSeedAndNameSameContents) {
  const auto a = filled<double>("float64", 100, 1, "a");
  EXPECT_EQ(a, filled<double>("float64", 100, 1, "a"));
  EXPECT_NE(a, filled<double>("float64", 100, 2, "a"));
  EXPECT_NE(a, filled<double>("float64", 100, 1, "b"));
  EXPECT_NE(filled<double>("float64", 100, 1, "ab"), filled<double>("float64", 100, 1, "ba"));
  const auto longer = filled<double>("float64", 200, 1, "a");
  EXPECT_TRUE(std::equal(a.begin(), a.end(), longer.begin()));
  // Fixed, so that a run can be replayed by any build.
  EXPECT_EQ(filled<std::uint64_t>("uint64", 3, 7, "conn", 1000),
            (std::vector<std::uint64_t>{98, 944, 787}));
}

TEST(Inputs, FloatsAreDyadicAndHardlyZero) {
  const auto check = [](const auto &values) {
    std::size_t zeros = 0;
    std::size_t negative = 0;
    for (const auto x : values) {
      EXPECT_EQ(x * 256, std::round(x * 256));
      EXPECT_LE(std::abs(x), 16);
      zeros += x == 0;
      negative += x < 0;
    }
    EXPECT_LT(zeros, values.size() / 50);
    EXPECT_GT(negative, values.size() / 3);
    EXPECT_LT(negative, values.size() * 2 / 3);
  };
  check(filled<double>("float64", 5000, 3, "x"));
  check(filled<float>("float32", 5000, 3, "x"));
}

template <typename T> void expect_specials(std::string_view dtype) {
  std::set<std::vector<char>> nans;
  std::size_t special = 0;
  std::size_t infinite = 0;
  std::size_t minus_zero = 0;
  std::size_t denormal = 0;
  const auto values = filled<T>(dtype, 20000, 5, "x", 0, true);
  for (const T x : values) {
    const int kind = std::fpclassify(x);
    if (kind == FP_NAN) {
      std::vector<char> bytes(sizeof(T));
      std::memcpy(bytes.data(), &x, sizeof(T));
      nans.insert(bytes);
    }
    infinite += kind == FP_INFINITE;
    denormal += kind == FP_SUBNORMAL;
    minus_zero += kind == FP_ZERO && std::signbit(x);
    special += kind != FP_NORMAL || std::abs(x) > 16;
  }
  EXPECT_EQ(nans.size(), 2U);
  EXPECT_GT(infinite, 0U);
  EXPECT_GT(denormal, 0U);
  EXPECT_GT(minus_zero, 0U);
  EXPECT_NEAR(static_cast<double>(special) / static_cast<double>(values.size()), 0.058, 0.02);
}

TEST(Inputs, Specials) {
  expect_specials<double>("float64");
  expect_specials<float>("float32");
}

template <typename T> void expect_below(std::string_view dtype, std::int64_t limit, T largest) {
  const auto values = filled<T>(dtype, 20000, 9, "x", limit);
  EXPECT_GE(*std::min_element(values.begin(), values.end()), T{0}) << dtype;
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), largest) << dtype;
}

TEST(Inputs, IntegersStayBelowTheLimit) {
  expect_below<std::int8_t>("int8", 5, 4);
  expect_below<std::int8_t>("int8", 1000, 127);
  expect_below<std::uint8_t>("uint8", 1000, 255);
  expect_below<std::int16_t>("int16", 5, 4);
  expect_below<std::uint16_t>("uint16", 5, 4);
  expect_below<std::int32_t>("int32", 5, 4);
  expect_below<std::uint32_t>("uint32", 5, 4);
  expect_below<std::int64_t>("int64", 5, 4);
  expect_below<std::uint64_t>("uint64", 5, 4);
  for (const std::int64_t limit : {INT64_MIN, std::int64_t{-3}, std::int64_t{0}, std::int64_t{1}})
    expect_below<std::int64_t>("int64", limit, 0);
  EXPECT_GT(filled<std::int64_t>("int64", 1, 9, "x", INT64_MAX)[0], 0);
}

TEST(Inputs, BoolsAreEither) {
  const auto values = filled<std::uint8_t>("bool", 1000, 9, "x", 0);
  EXPECT_EQ(std::set(values.begin(), values.end()), (std::set<std::uint8_t>{0, 1}));
}

TEST(Inputs, NothingToFill) { EXPECT_TRUE(filled<double>("float64", 0, 1, "x").empty()); }

} // namespace
} // namespace sdfgopt::verify
