// Runs on memory that the caller lends.
#include "interp/compile.h"
#include "interp/machine.h"
#include "io/text_parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace sdfgopt::interp {
namespace {

/// b[i] = a[i] + 1 for all i of the range; a and b have 4 elements.
Program program(const std::string &range) {
  const auto document = io::parse_text(
      "sdfg p {\n  array a: float64[4]\n  array b: float64[4]\n  state s {\n    n0 map m [i = " +
      range +
      "] exit n2: n1 tasklet t (x = n3 a[i]) -> (y = n4 b[i]) { y = x + 1 }\n"
      "    n3 a\n    n4 b\n  }\n}\n");
  EXPECT_TRUE(document.ok()) << document.error().text();
  auto compiled = compile(*document.value(), 0);
  EXPECT_TRUE(compiled.ok()) << compiled.error().text();
  return std::move(compiled).value();
}

/// Both arguments in one piece of memory, with something around them.
struct Lent {
  std::array<double, 11> all;
  Lent() { std::iota(all.begin(), all.end(), 0.0); }
  [[nodiscard]] BorrowedMemory memory() {
    return {std::as_writable_bytes(std::span(all).subspan(1, 4)),
            std::as_writable_bytes(std::span(all).subspan(6, 4))};
  }
};

TEST(BorrowedMemory, HoldsTheResults) {
  Lent lent;
  const auto done = run_in_place(program("0..3"), {}, lent.memory(), {});
  ASSERT_TRUE(done.ok()) << done.error().text();
  EXPECT_EQ(done.value().tasklets, 4U);
  EXPECT_TRUE(done.value().arguments.empty());
  EXPECT_EQ(lent.all, (std::array<double, 11>{0, 1, 2, 3, 4, 5, 2, 3, 4, 5, 10}));
}

TEST(BorrowedMemory, NothingElseIsTouched) {
  for (const std::string range : {"-1..3", "0..4", "100000..100001"}) {
    Lent lent;
    const auto done = run_in_place(program(range), {}, lent.memory(), {});
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, support::ErrorCode::Fault);
    EXPECT_EQ(lent.all[5], 5);
    EXPECT_EQ(lent.all[10], 10);
  }
  Lent lent; // what was done until then is there
  EXPECT_FALSE(run_in_place(program("0..4"), {}, lent.memory(), {}).ok());
  EXPECT_EQ(lent.all[9], 5);
}

TEST(BorrowedMemory, CountsForTheLimit) {
  Lent lent;
  RunOptions options;
  options.memory_limit = 64;
  EXPECT_TRUE(run_in_place(program("0..3"), {}, lent.memory(), options).ok());
  options.memory_limit = 63;
  const auto done = run_in_place(program("0..3"), {}, lent.memory(), options);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, support::ErrorCode::Limit);
}

TEST(BorrowedMemory, MustHaveTheSizeOfTheArguments) {
  Lent lent;
  BorrowedMemory memory = lent.memory();
  memory[1] = memory[1].first(24);
  EXPECT_EQ(run_in_place(program("0..3"), {}, memory, {}).error().text(),
            "array 'b' is given 24 bytes and has 32");
  memory.pop_back();
  EXPECT_EQ(run_in_place(program("0..3"), {}, memory, {}).error().text(),
            "1 arrays are given to a program that has 2");
}

TEST(BorrowedMemory, MayBeTheSameTwice) {
  Lent lent;
  BorrowedMemory memory = lent.memory();
  memory[1] = memory[0];
  EXPECT_TRUE(run_in_place(program("0..3"), {}, memory, {}).ok());
  EXPECT_EQ(lent.all, (std::array<double, 11>{0, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10}));
}

TEST(BorrowedMemory, MayBeNone) {
  const auto document = io::parse_text(
      "sdfg p {\n  array a: float64[0]\n  state s {\n    n0 map m [i = 0..-1] exit n2: n1 tasklet "
      "t (x = n3 a[i]) -> (y = n4 a[i]) { y = x }\n    n3 a\n    n4 a\n  }\n}\n");
  ASSERT_TRUE(document.ok()) << document.error().text();
  const auto compiled = compile(*document.value(), 0);
  ASSERT_TRUE(compiled.ok()) << compiled.error().text();
  EXPECT_TRUE(run_in_place(compiled.value(), {}, {std::span<std::byte>()}, {}).ok());
}

} // namespace
} // namespace sdfgopt::interp
