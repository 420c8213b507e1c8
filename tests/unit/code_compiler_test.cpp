// Tests of what tasklet code computes. The expected values are those of the C++ that DaCe 2.0.0a10
// prints for the same code.
#include "code_fixture.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace sdfgopt::interp {
namespace {

using enum ScalarType;
using support::ErrorCode;

/// a: double 3.5, b: int 4, c: float 0.1, d: int8 -7, u: uint32 3, t: bool true.
std::vector<CodeInput> inputs() {
  return {input("a", 3.5),
          input("b", 4),
          input("c", 0.1F),
          input("d", std::int64_t{-7}, Int8),
          input("u", std::int64_t{3}, UInt32),
          input("t", std::int64_t{1}, Bool)};
}

/// "type value" of an expression, or the error.
std::string value_of(std::string_view code) {
  const auto value = CodeRunner(inputs(), Float64).run_expression(code);
  if (!value.ok())
    return value.error().text();
  const auto &[type, bits] = value.value();
  std::string out(name_of(type));
  out += ' ';
  if (type == Float64 || type == Float32) {
    std::array<char, 40> number{};
    const double real = type == Float64 ? std::bit_cast<double>(bits)
                                        : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    std::snprintf(number.data(), number.size(), "%.9g", real);
    return out + number.data();
  }
  if (type == Int8)
    return out + std::to_string(static_cast<std::int8_t>(bits));
  if (type == Int32)
    return out + std::to_string(static_cast<std::int32_t>(bits));
  return out +
         (type == Int64 ? std::to_string(static_cast<std::int64_t>(bits)) : std::to_string(bits));
}

/// `o` after code ran, as a double.
std::string result_of(std::string_view code, bool cpp = false) {
  const auto bits =
      CodeRunner(inputs(), Float64).run_code(cpp ? parse_cpp(code) : parse_python(code));
  if (!bits.ok())
    return bits.error().text();
  std::array<char, 40> number{};
  std::snprintf(number.data(), number.size(), "%.9g", std::bit_cast<double>(bits.value()));
  return number.data();
}

TEST(CodeCompiler, TypesOfLiterals) {
  EXPECT_EQ(value_of("7"), "int32 7");
  EXPECT_EQ(value_of("-2147483647"), "int32 -2147483647");
  EXPECT_EQ(value_of("2147483648"), "uint32 2147483648");
  EXPECT_EQ(value_of("-2147483648"), "int64 -2147483648");
  EXPECT_EQ(value_of("4294967296"), "int64 4294967296");
  EXPECT_EQ(value_of("9223372036854775808"), "uint64 9223372036854775808");
  EXPECT_EQ(value_of("2.5"), "float64 2.5");
  EXPECT_EQ(value_of("True"), "bool 1");
  EXPECT_EQ(value_of("not 5"), "bool 0");
  EXPECT_EQ(value_of("-True"), "int32 -1");
  EXPECT_EQ(value_of("~5"), "int32 -6");
  EXPECT_EQ(value_of("inf"), "float32 inf");
}

TEST(CodeCompiler, Arithmetic) {
  EXPECT_EQ(value_of("d / 2"), "int32 -3");
  EXPECT_EQ(value_of("d // 2"), "int32 -3");
  EXPECT_EQ(value_of("d % 3"), "int32 -1");
  EXPECT_EQ(value_of("-a // 1"), "int32 -4");
  EXPECT_EQ(value_of("c + 1"), "float32 1.10000002");
  EXPECT_EQ(value_of("c + 0.1"), "float64 0.200000001");
  EXPECT_EQ(value_of("d + u"), "uint32 4294967292");
  EXPECT_EQ(value_of("t + t"), "int32 2");
  EXPECT_EQ(value_of("-t"), "int32 -1");
  EXPECT_EQ(value_of("~d"), "int32 6");
  EXPECT_EQ(value_of("d << 2"), "int32 -28");
  EXPECT_EQ(value_of("u >> b / 4"), "uint32 1");
  EXPECT_EQ(value_of("(b & 6) | (b ^ 1)"), "int32 5");
  EXPECT_EQ(value_of("c * 3"), "float32 0.300000012");
}

TEST(CodeCompiler, ComparisonsAndLogic) {
  EXPECT_EQ(value_of("1 < b < 3"), "bool 1"); // (1 < 4) < 3
  EXPECT_EQ(value_of("5 > b == 1"), "bool 1");
  EXPECT_EQ(value_of("b == 4 < 2"), "bool 0"); // 4 == (4 < 2)
  EXPECT_EQ(value_of("d < u"), "bool 0");      // both unsigned
  EXPECT_EQ(value_of("a and b"), "bool 1");
  EXPECT_EQ(value_of("0 or 0.0 or c"), "bool 1");
  EXPECT_EQ(value_of("not a"), "bool 0");
  EXPECT_EQ(value_of("t or A[100] > 0"), "bool 1"); // not evaluated
  EXPECT_EQ(value_of("b if t else c"), "float32 4");
  EXPECT_EQ(value_of("d if t else d"), "int8 -7");
  EXPECT_EQ(value_of("A[100] if b == 5 else A[b]"), "float64 40");
  EXPECT_EQ(value_of("Eq(b, 4)"), "bool 1");
  EXPECT_EQ(value_of("And(b, Not(a), A[100])"), "bool 0");
  EXPECT_EQ(value_of("IfExpr(b > 3, 1, A[100])"), "float64 1");
}

TEST(CodeCompiler, Powers) {
  EXPECT_EQ(value_of("d ** 2"), "int8 49");
  EXPECT_EQ(value_of("d ** 3"), "int8 -87"); // wraps in the type of the base
  EXPECT_EQ(value_of("c ** 0"), "int32 1");
  EXPECT_EQ(value_of("b ** -1"), "int32 0");
  EXPECT_EQ(value_of("a ** -2"), "float64 0.0816326531");
  EXPECT_EQ(value_of("b ** 0.5"), "int32 2");
  EXPECT_EQ(value_of("a ** (1/2)"), "float64 1.87082869");
  EXPECT_EQ(value_of("a ** (1/3)"), "float64 1"); // 1/3 is 0 in C++
  EXPECT_EQ(value_of("c ** b"), "float32 0.000100000005");
  EXPECT_EQ(value_of("b ** b"), "float64 256");
  EXPECT_EQ(value_of("b ** d"), "float64 6.10351562e-05");
  EXPECT_EQ(value_of("b ** u"), "int32 64");
  EXPECT_EQ(value_of("2 ** 0.25"), "float64 1.18920712");
  EXPECT_EQ(value_of("math.pow(c, c)"), "float32 0.794328213");
  EXPECT_EQ(value_of("t ** 40"), "bool 1");
  EXPECT_EQ(value_of("-2 ** 2"), "int32 -4");
}

TEST(CodeCompiler, Functions) {
  EXPECT_EQ(value_of("math.sqrt(b)"), "int32 2");
  EXPECT_EQ(value_of("sqrt(c)"), "float64 0.316227768");
  EXPECT_EQ(value_of("math.sqrt(c)"), "float32 0.316227764");
  EXPECT_EQ(value_of("math.ifloor(-a)"), "int32 -4");
  EXPECT_EQ(value_of("ceil(c)"), "float64 1");
  EXPECT_EQ(value_of("round(-a)"), "float64 -4");
  EXPECT_EQ(value_of("abs(d)"), "int32 7");
  EXPECT_EQ(value_of("abs(t)"), "bool 1");
  EXPECT_EQ(value_of("min(d, b, c)"), "float32 -7");
  EXPECT_EQ(value_of("max(d, d)"), "int8 -7");
  EXPECT_EQ(value_of("Max(d, b)"), "int8 4");
  EXPECT_EQ(value_of("min(nan, 1.0)"), "float64 1"); // the second unless the first is less
  EXPECT_EQ(value_of("min(1.0, nan)"), "float64 nan");
  EXPECT_EQ(value_of("1 / max(0.0, -0.0)"), "float64 -inf");
  EXPECT_EQ(value_of("int(a) + float(b)"), "float32 7");
  EXPECT_EQ(value_of("dace.int8(300)"), "int8 44");
  EXPECT_EQ(value_of("np.float32(a) + dace.bool_(c)"), "float32 4.5");
  EXPECT_EQ(value_of("int_floor(d, 2)"), "int8 -3");
  EXPECT_EQ(value_of("int_ceil(b, 3)"), "int32 2");
  EXPECT_EQ(value_of("Mod(d, 4)"), "int8 -3");
  EXPECT_EQ(value_of("py_mod(-7, 4)"), "int32 1");
  EXPECT_EQ(value_of("sign(-c)"), "float32 -1");
  EXPECT_EQ(value_of("isnan(nan)"), "bool 1");
  EXPECT_EQ(value_of("signbit(-0.0)"), "bool 1");
  EXPECT_EQ(value_of("heaviside(c - c, a)"), "float32 3.5");
  EXPECT_EQ(value_of("math.pi * c"), "float32 0.314159274");
  EXPECT_EQ(value_of("2 * math.pi"), "float64 6.28318531");
}

TEST(CodeCompiler, Variables) {
  EXPECT_EQ(result_of("x = b\nx = 2.9\no = x"), "2"); // int from the first value
  EXPECT_EQ(result_of("x: dace.float32 = 0.1\no = x"), "0.100000001");
  EXPECT_EQ(result_of("x: int\nx = a\no = x"), "3");
  EXPECT_EQ(result_of("b = a\no = b"), "3"); // an input keeps its type
  EXPECT_EQ(result_of("for j in range(2):\n  x = j\nx = 2.5\no = x"), "2.5");
  EXPECT_EQ(result_of("x = b\nx //= 3\nx <<= 3\nx |= 1\no = x"), "9");
  EXPECT_EQ(result_of("x = d\nx += 200\no = x"), "-63");
  EXPECT_EQ(result_of("o = a\ny = o\no = 7\no += y"), "10.5");
  EXPECT_EQ(result_of("a << 3\n'text'\no = 1"), "1");
}

TEST(CodeCompiler, ControlFlow) {
  EXPECT_EQ(result_of("if b > 4:\n  o = 1\nelif b > 3:\n  o = 2\nelse:\n  o = 3"), "2");
  EXPECT_EQ(result_of("o = 0\nfor j in range(4):\n  o += j"), "6");
  EXPECT_EQ(result_of("o = 0\nfor j in range(5, 0, -2):\n  o = o * 10 + j\n  if j == 1: break"),
            "531");
  EXPECT_EQ(
      result_of("o = 0\nj = 0\nwhile j < 9:\n  j += 1\n  if j % 2: continue\n  if j > 6: break\n"
                "  o += j"),
      "12");
  EXPECT_EQ(
      result_of("o = 0\nfor i in range(3):\n  for j in range(i):\n    if j: break\n    o += 1"),
      "2");
}

TEST(CodeCompiler, Arrays) {
  CodeRunner runner(inputs(), Float64);
  ASSERT_TRUE(
      runner.run_code(parse_python("for j in range(8):\n  A[j] += j\nA[b - 4] = A[7] / 2")).ok());
  EXPECT_EQ(runner.array()[0], 38.5);
  EXPECT_EQ(runner.array()[7], 77);
}

TEST(CodeCompiler, Cpp) {
  EXPECT_EQ(result_of("double x = a * 2 + b; o = x > 10 ? std::sqrt(x + 5) : 0.f;", true), "4");
  EXPECT_EQ(result_of("auto x = 1.0f / 3; o = x;", true), "0.333333343");
  EXPECT_EQ(result_of("o = std::min(a, 1.0) + (int)2.9 + (b != 4 || !t);", true), "3");
}

TEST(CodeCompiler, Lambdas) {
  const auto run_lambda = [](std::string_view code) -> std::string {
    Program program;
    Emitter emitter(program);
    const auto lambda = parse_lambda(code);
    if (!lambda.ok())
      return lambda.error().text();
    const auto value =
        compile_lambda(lambda.value(), emitter.real(1.5), emitter.integer(2), emitter);
    return value.ok() ? std::string(name_of(value.value().type)) : value.error().text();
  };
  EXPECT_EQ(run_lambda("lambda x, y: x + y"), "float64");
  EXPECT_EQ(run_lambda("(lambda x, y: y)"), "int64");
  EXPECT_EQ(run_lambda("lambda x: x"),
            "cannot run: the lambda must take two arguments (line 1, column 11)");
  EXPECT_EQ(run_lambda("lambda x, y: x + z"),
            "cannot run: name 'z' is not known (line 1, column 18)");
}

TEST(CodeCompiler, WhatCannotRun) {
  EXPECT_EQ(value_of("foo(a)"), "cannot run: function 'foo' is not known (line 1, column 1)");
  EXPECT_EQ(value_of("a + x"), "cannot run: name 'x' is not known (line 1, column 5)");
  EXPECT_EQ(value_of("a % 2"), "cannot run: operator '%' needs integers (line 1, column 1)");
  EXPECT_EQ(value_of("~a"), "cannot run: operator ~ needs an integer (line 1, column 1)");
  EXPECT_EQ(value_of("A[a]"), "cannot run: an index must be an integer (line 1, column 3)");
  EXPECT_EQ(
      value_of("math.sqrt(a, b)"),
      "cannot run: function 'math.sqrt' takes another number of arguments (line 1, column 1)");
  EXPECT_EQ(result_of("x: dace.float16 = 1"),
            "cannot run: type 'dace.float16' is not known (line 1, column 1)");
  EXPECT_EQ(result_of("if a:\n  x = 1\no = x"),
            "cannot run: name 'x' is not known (line 3, column 5)");
  EXPECT_EQ(result_of("x += 1"), "cannot run: name 'x' is not known (line 1, column 1)");
  EXPECT_EQ(result_of("break"), "break and continue belong into a loop (line 1, column 1)");
  EXPECT_EQ(CodeRunner(inputs(), Float64).run_expression("foo(a)").error().code,
            ErrorCode::Unsupported);
}

// A range that passes its end, or never ends, uses up the fuel as it would hang in C++.
TEST(CodeCompiler, EndlessLoops) {
  for (const char *const code :
       {"while t:\n  o = 1", "for j in range(0, 5, 2):\n  o = j", "for j in range(3, 0):\n  o = j"})
    EXPECT_EQ(CodeRunner(inputs(), Float64).run_code(parse_python(code)).error().code,
              ErrorCode::Limit);
}

} // namespace
} // namespace sdfgopt::interp
