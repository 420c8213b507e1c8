// The virtual machine: what each instruction computes, and what it refuses.
#include "interp/emitter.h"
#include "interp/functions.h"
#include "interp/machine.h"
#include "interp/operands.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

using namespace sdfgopt;
using namespace sdfgopt::interp;

namespace {

constexpr std::int32_t min32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t min64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t max64 = std::numeric_limits<std::int64_t>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Value of(std::int64_t value) { return {.i = value}; }
Value of(double value) { return {.d = value}; }
Value of(float value) { return {.u = std::bit_cast<std::uint32_t>(value)}; }

/// Puts numbers into registers, runs one instruction on them, and tells the bits of the result.
support::result<std::uint64_t> compute(Op op, Value b, Value c = {.u = 0}, std::uint16_t extra = 0,
                                       Value a = {.u = 0}) {
  Program program;
  program.registers = 5;
  program.constants = {{0, a}, {1, b}, {2, c}, {3, of(std::int64_t{1})}};
  program.containers.push_back({.name = "out",
                                .type = ScalarType::UInt64,
                                .slot = program.slots++,
                                .shape = {},
                                .strides = {},
                                .total_size = 3});
  program.arguments = {0};
  program.code = {{op, extra, 0, 1, 2}, {Op::Store64, 0, 0, 0, 4}};
  program.places = {{0, "here"}, {1, "there"}};
  auto done = run(program, {}, {std::vector<std::byte>(8)}, {});
  if (!done.ok())
    return done.error();
  std::uint64_t bits = 0;
  std::memcpy(&bits, done.value().arguments[0].data(), 8);
  return bits;
}

void expect_bits(Op op, Value b, Value c, Value expected, std::uint16_t extra = 0) {
  const auto bits = compute(op, b, c, extra);
  ASSERT_TRUE(bits.ok()) << name_of(op) << ": " << bits.error().text();
  EXPECT_EQ(bits.value(), expected.u)
      << name_of(op) << " of " << b.i << ", " << c.i << " is " << Value{.u = bits.value()}.i;
}

void expect_fault(Op op, std::int64_t b, std::int64_t c, std::string_view text) {
  const auto bits = compute(op, of(b), of(c));
  ASSERT_FALSE(bits.ok()) << name_of(op);
  EXPECT_EQ(bits.error().code, support::ErrorCode::Fault);
  EXPECT_EQ(bits.error().text(), text) << name_of(op);
}

Op in_family(Op first, int index) {
  return static_cast<Op>(static_cast<std::uint16_t>(first) + index);
}

/// One row for the four integer types, where operands and result are the same numbers in all.
void expect_integers(Op first, std::int64_t b, std::int64_t c, std::int64_t expected) {
  for (int k = 0; k < 4; ++k)
    expect_bits(in_family(first, k), of(b), of(c), of(expected));
}
/// Signed types only.
void expect_signed(Op first, std::int64_t b, std::int64_t c, std::int64_t expected) {
  for (int k = 0; k < 2; ++k)
    expect_bits(in_family(first, k), of(b), of(c), of(expected));
}
/// Both float types of a family of arithmetic.
void expect_floats(Op first, float b, float c, float expected) {
  expect_bits(in_family(first, 4), of(b), of(c), of(expected));
  expect_bits(in_family(first, 5), of(double{b}), of(double{c}), of(double{expected}));
}
/// A comparison in all six types.
void expect_comparison(Op first, int b, int c, bool expected) {
  expect_integers(first, b, c, expected ? 1 : 0);
  expect_bits(in_family(first, 4), of(static_cast<float>(b)), of(static_cast<float>(c)),
              of(std::int64_t{expected}));
  expect_bits(in_family(first, 5), of(static_cast<double>(b)), of(static_cast<double>(c)),
              of(std::int64_t{expected}));
}

TEST(MachineArithmetic, Integers) {
  expect_integers(Op::AddI32, 7, 5, 12);
  expect_integers(Op::SubI32, 7, 5, 2);
  expect_integers(Op::MulI32, 7, 5, 35);
  expect_integers(Op::DivI32, 17, 5, 3);
  expect_integers(Op::RemI32, 17, 5, 2);
  expect_integers(Op::ModI32, 17, 5, 2);
  expect_integers(Op::FloorDivI32, 17, 5, 3);
  expect_integers(Op::CeilDivI32, 17, 5, 4);
  expect_integers(Op::CeilDivI32, 15, 5, 3);
  expect_integers(Op::MinI32, 7, 5, 5);
  expect_integers(Op::MaxI32, 7, 5, 7);
  expect_integers(Op::AndI32, 12, 10, 8);
  expect_integers(Op::OrI32, 12, 10, 14);
  expect_integers(Op::XorI32, 12, 10, 6);
  expect_integers(Op::ShlI32, 3, 4, 48);
  expect_integers(Op::ShrI32, 48, 4, 3);
  expect_integers(Op::AbsI32, 7, 0, 7);
  expect_signed(Op::NegI32, 7, 0, -7);
  expect_signed(Op::AbsI32, -7, 0, 7);
  expect_signed(Op::InvertI32, 5, 0, -6);
  expect_signed(Op::ShrI32, -48, 4, -3);
  expect_signed(Op::ShlI32, -3, 2, -12);
}

TEST(MachineArithmetic, SignsOfDivisions) {
  expect_signed(Op::DivI32, -7, 2, -3);
  expect_signed(Op::RemI32, -7, 2, -1);
  expect_signed(Op::RemI32, 7, -2, 1);
  expect_signed(Op::FloorDivI32, -7, 2, -4);
  expect_signed(Op::FloorDivI32, 7, -2, -4);
  expect_signed(Op::FloorDivI32, -7, -2, 3);
  expect_signed(Op::FloorDivI32, -8, 2, -4);
  expect_signed(Op::CeilDivI32, -7, 2, -3);
  expect_signed(Op::CeilDivI32, -7, -2, 4);
  expect_signed(Op::ModI32, -7, 2, 1);
  expect_signed(Op::ModI32, 7, -2, -1);
  expect_signed(Op::ModI32, -8, 2, 0);
}

TEST(MachineArithmetic, IntegersWrap) {
  const std::int64_t top32 = std::int64_t{1} << 31;
  expect_bits(Op::AddI32, of(top32 - 1), of(std::int64_t{1}), of(-top32));
  expect_bits(Op::SubI32, of(-top32), of(std::int64_t{1}), of(top32 - 1));
  expect_bits(Op::MulI32, of(top32 - 1), of(std::int64_t{2}), of(std::int64_t{-2}));
  expect_bits(Op::AddI64, of(max64), of(std::int64_t{1}), of(min64));
  expect_bits(Op::SubI64, of(min64), of(std::int64_t{1}), of(max64));
  expect_bits(Op::MulI64, of(max64), of(std::int64_t{2}), of(std::int64_t{-2}));
  expect_bits(Op::AddU32, of(2 * top32 - 1), of(std::int64_t{2}), of(std::int64_t{1}));
  expect_bits(Op::SubU32, of(std::int64_t{0}), of(std::int64_t{1}), of(2 * top32 - 1));
  expect_bits(Op::SubU64, of(std::int64_t{0}), of(std::int64_t{1}), of(std::int64_t{-1}));
  expect_bits(Op::NegU32, of(std::int64_t{1}), {.u = 0}, of(2 * top32 - 1));
  expect_bits(Op::NegU64, of(std::int64_t{1}), {.u = 0}, of(std::int64_t{-1}));
  expect_bits(Op::InvertU32, of(std::int64_t{5}), {.u = 0}, of(2 * top32 - 6));
  expect_bits(Op::InvertU64, of(std::int64_t{5}), {.u = 0}, of(std::int64_t{-6}));
  expect_bits(Op::ShlU32, of(2 * top32 - 1), of(std::int64_t{31}), of(top32));
  expect_bits(Op::DivU64, of(std::int64_t{-1}), of(std::int64_t{-1}), of(std::int64_t{1}));
  expect_bits(Op::LtU64, of(std::int64_t{1}), of(std::int64_t{-1}), of(std::int64_t{1}));
  for (const auto &[index, smallest] : {std::pair{0, std::int64_t{min32}}, std::pair{1, min64}}) {
    const Value m = of(smallest);
    const Value minus_one = of(std::int64_t{-1});
    expect_bits(in_family(Op::NegI32, index), m, {.u = 0}, m);
    expect_bits(in_family(Op::AbsI32, index), m, {.u = 0}, m);
    expect_bits(in_family(Op::DivI32, index), m, minus_one, m);
    expect_bits(in_family(Op::FloorDivI32, index), m, minus_one, m);
    expect_bits(in_family(Op::CeilDivI32, index), m, minus_one, m);
    expect_bits(in_family(Op::RemI32, index), m, minus_one, {.u = 0});
    expect_bits(in_family(Op::ModI32, index), m, minus_one, {.u = 0});
  }
}

TEST(MachineArithmetic, WhatIntegersCannot) {
  for (int k = 0; k < 4; ++k) {
    for (const Op first : {Op::DivI32, Op::RemI32, Op::FloorDivI32, Op::CeilDivI32, Op::ModI32})
      expect_fault(in_family(first, k), 3, 0, "here: divides an integer by 0");
    const int bits = k % 2 == 0 ? 32 : 64;
    for (const Op first : {Op::ShlI32, Op::ShrI32}) {
      expect_fault(in_family(first, k), 3, bits,
                   "here: shifts an integer of " + std::to_string(bits) + " bits by " +
                       std::to_string(bits));
      EXPECT_TRUE(
          compute(in_family(first, k), of(std::int64_t{3}), of(bits - std::int64_t{1})).ok());
    }
  }
  expect_fault(Op::ShlI32, 3, -1, "here: shifts an integer of 32 bits by -1");
}

TEST(MachineArithmetic, Floats) {
  expect_floats(Op::AddI32, 1.5F, 0.25F, 1.75F);
  expect_floats(Op::SubI32, 1.5F, 0.25F, 1.25F);
  expect_floats(Op::MulI32, 1.5F, 0.25F, 0.375F);
  expect_floats(Op::DivI32, 1.5F, 0.25F, 6.0F);
  expect_floats(Op::DivI32, 1.5F, 0.0F, static_cast<float>(infinity));
  expect_floats(Op::NegI32, 0.0F, 0.0F, -0.0F);
  expect_floats(Op::AbsI32, -0.0F, 0.0F, 0.0F);
  expect_floats(Op::MinI32, 1.5F, 0.25F, 0.25F);
  expect_floats(Op::MaxI32, 1.5F, 0.25F, 1.5F);
  // The first operand if neither is less.
  expect_floats(Op::MinI32, 0.0F, -0.0F, 0.0F);
  expect_floats(Op::MaxI32, -0.0F, 0.0F, -0.0F);
  expect_bits(Op::MinF64, of(1.0), of(not_a_number), of(1.0));
  expect_bits(Op::MaxF64, of(not_a_number), of(1.0), of(not_a_number));
  // One rounding to float for each operation.
  expect_bits(Op::AddF32, of(16777216.0F), of(1.0F), of(16777216.0F));
  expect_bits(Op::MulF32, of(1.1F), of(1.1F), of(1.1F * 1.1F));
  EXPECT_TRUE(
      std::isnan(std::bit_cast<double>(compute(Op::SubF64, of(infinity), of(infinity)).value())));
}

TEST(MachineArithmetic, Comparisons) {
  for (const int b : {2, 3, 4}) {
    expect_comparison(Op::EqI32, b, 3, b == 3);
    expect_comparison(Op::NeI32, b, 3, b != 3);
    expect_comparison(Op::LtI32, b, 3, b < 3);
    expect_comparison(Op::LeI32, b, 3, b <= 3);
  }
  expect_signed(Op::LtI32, -1, 1, 1);
  expect_bits(Op::EqF64, of(not_a_number), of(not_a_number), {.u = 0});
  expect_bits(Op::NeF64, of(not_a_number), of(not_a_number), {.u = 1});
  expect_bits(Op::LeF32, of(static_cast<float>(not_a_number)), of(1.0F), {.u = 0});
}

TEST(MachineArithmetic, MulAdd) {
  const auto three = of(std::int64_t{3});
  EXPECT_EQ(compute(Op::MulAdd, of(std::int64_t{-4}), three, 0, of(std::int64_t{100})).value(),
            88U);
  EXPECT_EQ(compute(Op::MulAdd, of(max64), of(max64), 0, of(max64)).value(), 1ULL + max64);
}

TEST(MachineConversions, IntegersAndFloats) {
  const Value minus_two = of(std::int64_t{-2});
  expect_bits(Op::IntToF32, minus_two, {.u = 0}, of(-2.0F));
  expect_bits(Op::IntToF64, minus_two, {.u = 0}, of(-2.0));
  expect_bits(Op::UIntToF32, minus_two, {.u = 0}, of(0x1p64F));
  expect_bits(Op::UIntToF64, minus_two, {.u = 0}, of(0x1p64));
  expect_bits(Op::IntToF32, of(std::int64_t{16777217}), {.u = 0}, of(16777216.0F));
  expect_bits(Op::F32ToF64, of(1.5F), {.u = 0}, of(1.5));
  expect_bits(Op::F64ToF32, of(0.1), {.u = 0}, of(0.1F));
  expect_bits(Op::F64ToF32, of(1e300), {.u = 0}, of(static_cast<float>(infinity)));
  for (const auto &[from, to] : {std::pair{2.9, std::int64_t{2}},
                                 {-2.9, -2},
                                 {-0x1p63, min64},
                                 {0x1p63, min64},
                                 {1e30, min64},
                                 {-infinity, min64},
                                 {not_a_number, min64}}) {
    expect_bits(Op::F64ToI64, of(from), {.u = 0}, of(to));
    expect_bits(Op::F32ToI64, of(static_cast<float>(from)), {.u = 0}, of(to));
  }
  for (const auto &[from, to] : {std::pair{2.9, std::uint64_t{2}},
                                 {-1.5, UINT64_MAX},
                                 {0x1p63, std::uint64_t{1} << 63},
                                 {0x1.8p63, std::uint64_t{3} << 62},
                                 {0x1p64, 0},
                                 {not_a_number, std::uint64_t{1} << 63}}) {
    expect_bits(Op::F64ToU64, of(from), {.u = 0}, {.u = to});
    expect_bits(Op::F32ToU64, of(static_cast<float>(from)), {.u = 0}, {.u = to});
  }
}

TEST(MachineConversions, NarrowIntegersAndBool) {
  const Value wide = {.u = 0x1122'3344'8899'AABBULL};
  expect_bits(Op::WrapI8, wide, {.u = 0}, of(std::int64_t{-0x45}));
  expect_bits(Op::WrapI16, wide, {.u = 0}, of(std::int64_t{-0x5545}));
  expect_bits(Op::WrapI32, wide, {.u = 0}, of(-std::int64_t{0x7766'5545}));
  expect_bits(Op::WrapU8, wide, {.u = 0}, {.u = 0xBB});
  expect_bits(Op::WrapU16, wide, {.u = 0}, {.u = 0xAABB});
  expect_bits(Op::WrapU32, wide, {.u = 0}, {.u = 0x8899'AABB});
  expect_bits(Op::Move, wide, {.u = 0}, wide);
  expect_bits(Op::IntToBool, of(min64), {.u = 0}, {.u = 1});
  expect_bits(Op::IntToBool, {.u = 0}, {.u = 0}, {.u = 0});
  expect_bits(Op::F32ToBool, of(-0.0F), {.u = 0}, {.u = 0});
  expect_bits(Op::F32ToBool, of(0.5F), {.u = 0}, {.u = 1});
  expect_bits(Op::F64ToBool, of(-0.0), {.u = 0}, {.u = 0});
  expect_bits(Op::F64ToBool, of(not_a_number), {.u = 0}, {.u = 1});
  expect_bits(Op::NotBool, {.u = 0}, {.u = 0}, {.u = 1});
  expect_bits(Op::NotBool, {.u = 1}, {.u = 0}, {.u = 0});
}

void expect_function(Function f, double x, double expected, float expected_narrow) {
  const auto extra = static_cast<std::uint16_t>(f);
  expect_bits(Op::Math1F64, of(x), {.u = 0}, of(expected), extra);
  expect_bits(Op::Math1F32, of(static_cast<float>(x)), {.u = 0}, of(expected_narrow), extra);
}

/// A number that the compiler does not know: what it computes itself is rounded better than libm's.
double at_run_time(double x) {
  const volatile double hidden = x;
  return hidden;
}

#define EXPECT_FUNCTION(name, libm, x)                                                             \
  expect_function(Function::name, x, libm(at_run_time(x)),                                         \
                  libm##f(static_cast<float>(at_run_time(x))))

TEST(MachineFunctions, OfOneArgument) {
  EXPECT_FUNCTION(Sqrt, ::sqrt, 0.7);
  EXPECT_FUNCTION(Cbrt, ::cbrt, 0.7);
  EXPECT_FUNCTION(Exp, ::exp, 0.7);
  EXPECT_FUNCTION(Exp2, ::exp2, 0.7);
  EXPECT_FUNCTION(Expm1, ::expm1, 0.7);
  EXPECT_FUNCTION(Log, ::log, 0.7);
  EXPECT_FUNCTION(Log2, ::log2, 0.7);
  EXPECT_FUNCTION(Log10, ::log10, 0.7);
  EXPECT_FUNCTION(Log1p, ::log1p, 0.7);
  EXPECT_FUNCTION(Sin, ::sin, 0.7);
  EXPECT_FUNCTION(Cos, ::cos, 0.7);
  EXPECT_FUNCTION(Tan, ::tan, 0.7);
  EXPECT_FUNCTION(Asin, ::asin, 0.7);
  EXPECT_FUNCTION(Acos, ::acos, 0.7);
  EXPECT_FUNCTION(Atan, ::atan, 0.7);
  EXPECT_FUNCTION(Sinh, ::sinh, 0.7);
  EXPECT_FUNCTION(Cosh, ::cosh, 0.7);
  EXPECT_FUNCTION(Tanh, ::tanh, 0.7);
  EXPECT_FUNCTION(Asinh, ::asinh, 0.7);
  EXPECT_FUNCTION(Acosh, ::acosh, 1.7);
  EXPECT_FUNCTION(Atanh, ::atanh, 0.7);
  EXPECT_FUNCTION(Floor, ::floor, -0.7);
  EXPECT_FUNCTION(Ceil, ::ceil, 0.7);
  EXPECT_FUNCTION(Round, ::round, 2.5);
  EXPECT_FUNCTION(Trunc, ::trunc, -2.7);
  EXPECT_FUNCTION(Rint, ::rint, 2.5);
  EXPECT_FUNCTION(Erf, ::erf, 0.7);
  EXPECT_FUNCTION(Erfc, ::erfc, 0.7);
  EXPECT_FUNCTION(Tgamma, ::tgamma, 0.7);
  EXPECT_FUNCTION(Lgamma, ::lgamma, 0.7);
}

TEST(MachineFunctions, Predicates) {
  for (const double x : {1.0, infinity, not_a_number}) {
    const auto expect = [&](Function f, bool expected) {
      const auto extra = static_cast<std::uint16_t>(f);
      expect_bits(Op::Math1F64, of(x), {.u = 0}, of(std::int64_t{expected}), extra);
      expect_bits(Op::Math1F32, of(static_cast<float>(x)), {.u = 0}, of(std::int64_t{expected}),
                  extra);
    };
    expect(Function::IsNan, std::isnan(x));
    expect(Function::IsInf, std::isinf(x));
    expect(Function::IsFinite, std::isfinite(x));
  }
}

TEST(MachineFunctions, OfTwoArguments) {
  const auto expect = [](Function f, double x, double y, double expected, float narrow) {
    const auto extra = static_cast<std::uint16_t>(f);
    expect_bits(Op::Math2F64, of(x), of(y), of(expected), extra);
    expect_bits(Op::Math2F32, of(static_cast<float>(x)), of(static_cast<float>(y)), of(narrow),
                extra);
  };
  expect(Function::Pow, 0.7, 1.3, std::pow(at_run_time(0.7), 1.3),
         ::powf(static_cast<float>(at_run_time(0.7)), 1.3F));
  expect(Function::Atan2, 0.7, -1.3, std::atan2(at_run_time(0.7), -1.3),
         ::atan2f(static_cast<float>(at_run_time(0.7)), -1.3F));
  expect(Function::Hypot, 0.7, 1.3, std::hypot(at_run_time(0.7), 1.3),
         ::hypotf(static_cast<float>(at_run_time(0.7)), 1.3F));
  expect(Function::Fmod, -7.5, 2, -1.5, -1.5F);
  expect(Function::PyMod, -7.5, 2, 0.5, 0.5F);
  expect(Function::PyMod, 7.5, -2, -0.5, -0.5F);
  expect(Function::Copysign, 0.7, -0.0, -0.7, -0.7F);
  expect(Function::Fmin, not_a_number, 2, 2, 2);
  expect(Function::Fmax, 1, 2, 2, 2);
  expect(Function::Nextafter, 1, 2, 1 + DBL_EPSILON, 1 + FLT_EPSILON);
}

TEST(MachineProgram, KnowsWhatIsWellFormed) {
  Program program;
  EXPECT_TRUE(is_well_formed(program));
  program.code = {{Op::Move, 0, 0, 1, 0}};
  EXPECT_FALSE(is_well_formed(program));
  program.registers = 2;
  EXPECT_TRUE(is_well_formed(program));
  for (const Instr &bad :
       std::vector<Instr>{{Op::AddF64, 0, 0, 1, 2},
                          {Op::Load64, 0, 0, 0, 1},
                          {Op::Jump, 0, 3, 0, 0},
                          {Op::Allocate, 0, 0, 0, 0},
                          {Op::LoopNext, 0, 0, 0, 0},
                          {Op::StateEnd, 0, 0, 0, 0},
                          {Op::Fault, 0, 0, 0, 0},
                          {Op::Math1F32, static_cast<std::uint16_t>(Function::Pow), 0, 1, 0},
                          {Op::Math2F32, 999, 0, 1, 1}}) {
    program.code = {{Op::Halt}, bad};
    EXPECT_FALSE(is_well_formed(program)) << name_of(bad.op);
  }
}

TEST(MachineProgram, Disassembles) {
  Program program;
  Emitter emitter(program);
  const Operand one = emitter.integer(1);
  const Operand i = emitter.new_operand(ScalarType::Int64);
  program.containers.push_back({.name = "A",
                                .type = ScalarType::Float64,
                                .slot = program.slots++,
                                .shape = {},
                                .strides = {},
                                .total_size = one.reg});
  program.states = {{"s1", "main"}};
  program.places = {{1, "state s1 'main'"}};
  const Label end = emitter.new_label();
  emitter.emit(Op::StateBegin, 0);
  emitter.emit(Op::Allocate, 0);
  const auto loop = emitter.begin_loop({.dimensions = {{i.reg, one.reg, one.reg, one.reg}}});
  const Operand x = emitter.load(0, i, ScalarType::Float64);
  emitter.store(0, one, ScalarType::Float64, emitter.math(Function::Sqrt, x));
  emitter.end_loop(loop);
  emitter.jump(end);
  emitter.emit(Op::SlotOffset, 0, 0, one.reg, 8);
  emitter.fault("cannot be");
  emitter.bind(end);
  emitter.emit(Op::Halt);
  emitter.finish();
  EXPECT_EQ(disassemble(program), "r0 = 0x1\n"
                                  "0: StateBegin s1 'main'\n"
                                  "# state s1 'main'\n"
                                  "1: Allocate 'A'\n"
                                  "2: LoopBegin loop0 @7 [r1=r0:r0:r0]\n"
                                  "3: Load64 r2 slot0'A' r1\n"
                                  "4: Math1F64 r3 r2 Sqrt\n"
                                  "5: Store64 r3 slot0'A' r0\n"
                                  "6: LoopNext loop0 @3\n"
                                  "7: Jump @10\n"
                                  "8: SlotOffset slot0'A' slot0'A' r0 x8\n"
                                  "9: Fault \"cannot be\"\n"
                                  "10: Halt\n");
}

} // namespace
