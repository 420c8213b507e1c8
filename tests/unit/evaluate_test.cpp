// Values of expressions.
#include "verify/evaluate.h"

#include "symbolic_fixture.h"

#include <limits>
#include <map>

namespace sdfgopt::verify {
namespace {

constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

class EvaluateTest : public symbolic::SymbolicTest {
protected:
  std::optional<std::int64_t> value(std::string_view text) { return value_of(python(text)); }
  /// In the grammar of subsets, `/` is an exact quotient.
  std::optional<std::int64_t> subset_value(std::string_view text) { return value_of(dollar(text)); }
  std::optional<std::int64_t> value_of(symbolic::Expr e) {
    return evaluate(e, [this](support::Name name) -> std::optional<std::int64_t> {
      const auto found = values.find(name.view());
      return found == values.end() ? std::nullopt : std::optional(found->second);
    });
  }

  std::map<std::string, std::int64_t, std::less<>> values = {
      {"a", 7}, {"b", -7}, {"n", 2}, {"z", 0}, {"m", -2}, {"min", smallest}, {"max", largest}};
};

TEST_F(EvaluateTest, Arithmetic) {
  EXPECT_EQ(value("3*a + b - 1"), 13);
  EXPECT_EQ(value("a*b*n"), -98);
  EXPECT_EQ(value("Max(a, b, n)"), 7);
  EXPECT_EQ(value("Min(a, b, n)"), -7);
  EXPECT_EQ(value("n**5"), 32);
  EXPECT_EQ(value("a**z"), 1);
  EXPECT_EQ(value("(b*b - a*a)**max"), 0);
}

TEST_F(EvaluateTest, DivisionRoundsDown) {
  for (std::int64_t a = -9; a <= 9; ++a)
    for (std::int64_t b = -4; b <= 4; ++b) {
      values["a"] = a;
      values["b"] = b;
      if (b == 0) {
        EXPECT_EQ(value("int_floor(a, b)"), std::nullopt);
        EXPECT_EQ(value("a % b"), std::nullopt);
        continue;
      }
      const std::int64_t mod = ((a % b) + b) % b;
      EXPECT_EQ(value("a % b"), mod) << a << " " << b;
      EXPECT_EQ(value("int_floor(a, b)"), (a - mod) / b) << a << " " << b;
      EXPECT_EQ(value("int_ceil(a, b)"), (a - mod) / b + (mod != 0)) << a << " " << b;
    }
}

TEST_F(EvaluateTest, FractionsAreExact) {
  EXPECT_EQ(subset_value("$a*($a + 1)/2"), 28);
  EXPECT_EQ(subset_value("$a/2"), std::nullopt);
  EXPECT_EQ(subset_value("int_floor($b/2, $n)"), -2);
  EXPECT_EQ(subset_value("Mod($a/2, $n)*2"), 3);
  EXPECT_EQ(subset_value("$a/$z"), std::nullopt);
  EXPECT_EQ(subset_value("$a/2 < 4"), 1);
}

TEST_F(EvaluateTest, Logic) {
  EXPECT_EQ(value("a == 7 and b < z"), 1);
  EXPECT_EQ(value("a != 7 or b >= z"), 0);
  EXPECT_EQ(value("not a"), 0);
  EXPECT_EQ(value("not z"), 1);
  EXPECT_EQ(value("True"), 1);
  EXPECT_EQ(value("unknown > 1"), std::nullopt);
  EXPECT_EQ(value("unknown > 1 and z"), 0);
  EXPECT_EQ(value("unknown > 1 or a"), 1);
  EXPECT_EQ(value("unknown > 1 or z"), std::nullopt);
  EXPECT_EQ(value("IfExpr(a > z, a, unknown)"), 7);
}

TEST_F(EvaluateTest, WhatHasNoIntegerValue) {
  for (const char *text : {"unknown", "f(a)", "T[0]", "a + 0.5", "a.x", "1.0", "None"})
    EXPECT_EQ(value(text), std::nullopt) << text;
}

TEST_F(EvaluateTest, OverflowIsNothing) {
  EXPECT_EQ(value("max + a"), std::nullopt);
  EXPECT_EQ(value("min - a"), std::nullopt);
  EXPECT_EQ(value("max*a"), std::nullopt);
  EXPECT_EQ(value("-min"), std::nullopt);
  EXPECT_EQ(value("n**63"), std::nullopt);
  EXPECT_EQ(value("m**63"), smallest);
  EXPECT_EQ(value("int_floor(min, -1)"), std::nullopt);
  EXPECT_EQ(value("int_floor(min, z - 1)"), std::nullopt);
  EXPECT_EQ(value("int_ceil(a, min)"), 0);
  EXPECT_EQ(value("int_ceil(b, min)"), 1);
  EXPECT_EQ(value("min % max"), largest - 1);
  EXPECT_EQ(value("min % 1"), 0);
  EXPECT_EQ(value("max < min"), 0);
  EXPECT_EQ(value("z*(max + a)"), std::nullopt);
}

} // namespace
} // namespace sdfgopt::verify
