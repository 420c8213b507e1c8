// The virtual machine's arguments: their shapes, and what is refused.
#include "interp/machine.h"

#include <gtest/gtest.h>

#include <limits>

using namespace sdfgopt;
using namespace sdfgopt::interp;
using support::ErrorCode;

namespace {

constexpr std::size_t plenty = std::size_t{1} << 30;
constexpr std::int64_t max64 = std::numeric_limits<std::int64_t>::max();

/// A program with one array whose extent is N, stride S, start offset O and total size M.
class MachineLayouts : public testing::Test {
protected:
  Program program;

  MachineLayouts() {
    program.registers = 5;
    for (const char *name : {"N", "S", "O", "M"})
      program.symbols.push_back(
          {name, ScalarType::Int64, static_cast<Reg>(program.symbols.size()), false});
    program.constants = {{4, {.i = 2}}};
    program.containers.push_back({.name = "A",
                                  .type = ScalarType::Float32,
                                  .slot = program.slots++,
                                  .shape = {4, 0},
                                  .strides = {4, 1},
                                  .total_size = 3,
                                  .start_offset = 2});
    program.arguments = {0};
    // N is doubled: the shape is known after the prologue only.
    program.code = {{Op::AddI64, 0, 0, 0, 0}, {Op::Halt}};
    program.prologue = 1;
  }
  support::result<std::vector<Layout>> layouts(std::int64_t n, std::int64_t s, std::int64_t o,
                                               std::int64_t m) {
    return argument_layouts(program, {{.i = n}, {.i = s}, {.i = o}, {.i = m}}, plenty);
  }
  void expect_error(const std::vector<std::int64_t> &symbols, ErrorCode code,
                    std::string_view text) {
    const auto done = layouts(symbols[0], symbols[1], symbols[2], symbols[3]);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, code);
    EXPECT_EQ(done.error().text(), text);
  }
};

TEST_F(MachineLayouts, AreReadAfterThePrologue) {
  const auto done = layouts(2, 5, 1, 20);
  ASSERT_TRUE(done.ok()) << done.error().text();
  const Layout &layout = done.value().at(0);
  EXPECT_EQ(layout.name, "A");
  EXPECT_EQ(layout.type, ScalarType::Float32);
  EXPECT_EQ(layout.shape, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(layout.strides, (std::vector<std::int64_t>{2, 5}));
  EXPECT_EQ(layout.start_offset, 1);
  EXPECT_EQ(layout.total_size, 20);
  EXPECT_EQ(layout.elements(), 8);
}

TEST_F(MachineLayouts, HaveTheirElementsInMemory) {
  EXPECT_TRUE(layouts(2, 5, 0, 18).ok());
  EXPECT_TRUE(layouts(2, -5, 15, 18).ok());
  EXPECT_TRUE(layouts(2, 0, 0, 3).ok());
  EXPECT_TRUE(layouts(0, 5, -100, 0).ok()); // no element, none outside
  constexpr std::string_view shape = "array 'A' of shape [2, 4], strides [2, ";
  constexpr std::string_view end = " elements of memory";
  const auto text = [&](std::string_view rest) {
    return std::string(shape) + std::string(rest) + std::string(end);
  };
  const auto fault = ErrorCode::Fault;
  expect_error({2, 5, 0, 17}, fault, text("5] and start offset 0 does not fit into its 17"));
  expect_error({2, -5, 14, 18}, fault, text("-5] and start offset 14 does not fit into its 18"));
  expect_error({2, 0, -1, 9}, fault, text("0] and start offset -1 does not fit into its 9"));
  expect_error({2, max64, 0, 9}, fault,
               text("9223372036854775807] and start offset 0 does not fit into its 9"));
  expect_error({-2, 1, 0, 9}, fault, "array 'A' has a negative extent in its shape [2, -4]");
  expect_error({2, 1, 0, -9}, fault, "array 'A' has -9 elements in memory");
  expect_error({2, 1, 0, (std::int64_t{1} << 28) + 1}, ErrorCode::Limit,
               "the memory of array 'A' would exceed the limit of 1073741824 bytes");
  expect_error({2, 1, 0, max64}, ErrorCode::Limit,
               "the memory of array 'A' would exceed the limit of 1073741824 bytes");
  expect_error({max64 / 2, 0, 0, 9}, ErrorCode::Limit,
               "array 'A' has more elements than 64 bits can count");
}

TEST_F(MachineLayouts, PrologueMayFault) {
  program.code[0] = {Op::DivI64, 0, 0, 0, 1};
  program.places = {{0, "array 'A'"}};
  expect_error({1, 0, 0, 9}, ErrorCode::Fault, "array 'A': divides an integer by 0");
}

TEST_F(MachineLayouts, RunWantsTheSizesItTold) {
  const SymbolValues symbols = {{.i = 2}, {.i = 5}, {.i = 0}, {.i = 18}};
  const auto run_with = [&](Memory memory) { return run(program, symbols, std::move(memory), {}); };
  EXPECT_TRUE(run_with({std::vector<std::byte>(72, std::byte{3})}).ok());
  EXPECT_EQ(run_with({std::vector<std::byte>(72, std::byte{3})}).value().arguments,
            Memory{std::vector<std::byte>(72, std::byte{3})});
  EXPECT_EQ(run_with({std::vector<std::byte>(71)}).error().text(),
            "array 'A' is given 71 bytes and has 72");
  EXPECT_EQ(run_with({}).error().text(), "0 arrays are given to a program that has 1");
}

} // namespace
