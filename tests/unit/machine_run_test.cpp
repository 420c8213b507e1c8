// The virtual machine: control flow, loops, memory, streams, limits, arguments.
#include "interp/emitter.h"
#include "interp/machine.h"
#include "interp/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>

using namespace sdfgopt;
using namespace sdfgopt::interp;
using support::ErrorCode;

namespace {

constexpr std::size_t plenty = std::size_t{1} << 30;
constexpr std::int64_t min64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t max64 = std::numeric_limits<std::int64_t>::max();

/// A program under construction, and its result as 64-bit numbers.
class MachineRun : public testing::Test {
protected:
  Program program;
  std::optional<Emitter> emitter{std::in_place, program};
  RunOptions options;
  std::vector<std::int64_t> out; ///< contents of the first argument, after run
  RunOutcome outcome;

  void restart() {
    program = {};
    position = {};
    emitter.emplace(program);
  }

  /// A container of one dimension; an argument unless it is transient.
  std::uint32_t container(std::string name, std::int64_t size, ScalarType type = ScalarType::Int64,
                          bool transient = false) {
    const Reg elements = emitter->integer(size).reg;
    program.containers.push_back({.name = std::move(name),
                                  .type = type,
                                  .slot = program.slots++,
                                  .shape = {elements},
                                  .strides = {emitter->integer(1).reg},
                                  .total_size = elements,
                                  .transient = transient});
    const auto index = static_cast<std::uint32_t>(program.containers.size() - 1);
    if (!transient)
      program.arguments.push_back(index);
    return index;
  }
  std::uint32_t transient(std::string name, std::int64_t size,
                          ScalarType type = ScalarType::Int64) {
    return container(std::move(name), size, type, true);
  }
  SlotId slot(std::uint32_t index) const { return program.containers[index].slot; }

  Operand number(std::int64_t value) { return emitter->integer(value); }
  Operand variable() { return emitter->new_operand(ScalarType::Int64); }

  support::result<RunOutcome> execute() {
    if (program.code.empty() || program.code.back().op != Op::Halt) {
      emitter->emit(Op::Halt);
      emitter->finish();
    }
    auto layouts = argument_layouts(program, {}, plenty);
    if (!layouts.ok())
      return layouts.error();
    Memory memory;
    for (const Layout &layout : layouts.value())
      memory.emplace_back(static_cast<std::size_t>(layout.total_size) * size_of(layout.type));
    return interp::run(program, {}, std::move(memory), options);
  }
  void run() {
    auto done = execute();
    ASSERT_TRUE(done.ok()) << done.error().text();
    outcome = std::move(done).value();
    if (!outcome.arguments.empty()) {
      out.resize(outcome.arguments[0].size() / 8);
      if (!out.empty())
        std::memcpy(out.data(), outcome.arguments[0].data(), out.size() * 8);
    }
  }
  void expect_error(ErrorCode code, std::string_view text) {
    const auto done = execute();
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().text(), text);
    EXPECT_EQ(done.error().code, code);
  }

  /// Stores `value` behind what was appended before.
  Operand position;
  void append(SlotId to, Operand value) {
    if (position.reg == none)
      position = variable();
    emitter->store(to, position, ScalarType::Int64, value);
    emitter->assign(position, emitter->binary(Binary::Add, position, number(1)));
  }
  /// The order in which a loop of these extents, from 0 on, visits its elements.
  std::vector<std::int64_t> order_of(std::vector<std::int64_t> extents, bool ordered = false);
};

std::vector<std::int64_t> MachineRun::order_of(std::vector<std::int64_t> extents, bool ordered) {
  restart();
  const std::int64_t n =
      std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
  const std::uint32_t to = container("out", n);
  Loop loop{.dimensions = {}, .ordered = ordered};
  std::vector<Operand> indices;
  for (const std::int64_t extent : extents) {
    indices.push_back(variable());
    loop.dimensions.push_back(
        {indices.back().reg, number(0).reg, number(extent - 1).reg, number(1).reg});
  }
  const auto open = emitter->begin_loop(loop);
  Operand flat = number(0);
  for (std::size_t k = 0; k < extents.size(); ++k)
    flat = emitter->binary(Binary::Add, emitter->binary(Binary::Mul, flat, number(extents[k])),
                           indices[k]);
  append(slot(to), flat);
  emitter->end_loop(open);
  run();
  return out;
}

TEST_F(MachineRun, LoadsAndStoresOfAllWidths) {
  const auto to = container("out", 9);
  const auto bytes = container("bytes", 64, ScalarType::UInt8);
  const SlotId s = slot(bytes);
  const Operand value = number(static_cast<std::int64_t>(0x8122'3344'8899'AABBULL));
  emitter->emit(Op::Store64, value.reg, s, number(7).reg);
  emitter->emit(Op::Store32, value.reg, s, number(12).reg);
  emitter->emit(Op::Store16, value.reg, s, number(16).reg);
  emitter->emit(Op::Store8, value.reg, s, number(17).reg);
  for (const auto &[op, at] : {std::pair{Op::Load64, 7},
                               {Op::LoadI32, 12},
                               {Op::LoadU32, 12},
                               {Op::LoadI16, 16},
                               {Op::LoadU16, 16},
                               {Op::LoadI8, 17},
                               {Op::LoadU8, 17},
                               {Op::LoadU8, 18}}) {
    const Operand loaded = variable();
    emitter->emit(op, loaded.reg, s, number(at).reg);
    append(slot(to), loaded);
  }
  run();
  EXPECT_EQ(out, (std::vector<std::int64_t>{static_cast<std::int64_t>(0x8122'3344'8899'AABBULL),
                                            -0x7766'5545, 0x8899'AABB, -0x5545, 0xAABB, -0x45, 0xBB,
                                            0, 0}));
}

TEST_F(MachineRun, JumpsAndBurns) {
  const auto to = container("out", 3);
  const Operand k = variable();
  const Label again = emitter->new_label();
  const Label end = emitter->new_label();
  emitter->bind(again);
  emitter->emit(Op::Burn);
  append(slot(to), k);
  emitter->assign(k, emitter->binary(Binary::Add, k, number(1)));
  emitter->jump_if(emitter->binary(Binary::Lt, k, number(3)), again);
  emitter->jump_if_not(emitter->binary(Binary::Ne, k, number(3)), end);
  emitter->fault("jumped wrong");
  emitter->bind(end);
  const Label last = emitter->new_label();
  emitter->jump(last);
  emitter->fault("did not jump");
  emitter->bind(last);
  run();
  EXPECT_EQ(out, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(outcome.tasklets, 0U);
  options.fuel = 3;
  run();
  options.fuel = 2;
  expect_error(ErrorCode::Limit, "out of fuel (2^1 steps); see --fuel");
}

TEST_F(MachineRun, CountsTasklets) {
  emitter->emit(Op::Tasklet);
  emitter->emit(Op::Tasklet);
  emitter->emit(Op::Burn);
  run();
  EXPECT_EQ(outcome.tasklets, 2U);
  options.fuel = 0;
  expect_error(ErrorCode::Limit, "out of fuel (0 steps); see --fuel");
}

TEST_F(MachineRun, FaultsNameThePlace) {
  program.places = {{0, "state s0"}, {1, "state s1"}, {3, "state s2"}};
  emitter->emit(Op::Burn);
  emitter->emit(Op::Burn);
  emitter->fault("no default in a match");
  expect_error(ErrorCode::Fault, "state s1: no default in a match");
}

TEST_F(MachineRun, AccessesOutOfBounds) {
  const auto g = container("G", 40);
  const Operand at = variable();
  for (const auto &[offset, text] : std::vector<std::pair<std::int64_t, std::string>>{
           {40, "element 40"},
           {-1, "element -1"},
           {max64, "element 9223372036854775807"},
           {min64, "element -9223372036854775808"},
           {std::int64_t{1} << 61, "element 2305843009213693952"}}) {
    for (const bool writes : {false, true}) {
      program.code = {{Op::Move, 0, at.reg, number(offset).reg, 0},
                      {writes ? Op::Store64 : Op::Load64, 0, variable().reg, slot(g), at.reg},
                      {Op::Halt}};
      expect_error(ErrorCode::Fault,
                   (writes ? "writes " : "reads ") + text + " of 'G', which has 40");
    }
  }
  // Part of a wider element is in, part is not.
  const auto bytes = container("b", 10, ScalarType::UInt8);
  program.code = {{Op::Load64, 0, variable().reg, slot(bytes), number(3).reg}, {Op::Halt}};
  expect_error(ErrorCode::Fault, "reads element 24 of 'b', which has 10");
  program.code = {{Op::Load64, 0, variable().reg, program.slots++, number(3).reg}, {Op::Halt}};
  expect_error(ErrorCode::Fault, "reads element 3 of data that is nowhere");
}

TEST_F(MachineRun, SlotsWithAnOriginOfTheirOwn) {
  const auto g = container("G", 10);
  const SlotId part = program.slots++;
  const SlotId part_of_part = program.slots++;
  emitter->emit(Op::SlotOffset, part, slot(g), number(12).reg, 8); // outside, and then back
  emitter->emit(Op::SlotOffset, part_of_part, part, number(-8).reg, 8);
  emitter->store(part_of_part, number(1), ScalarType::Int64, number(11));
  emitter->store(part_of_part, number(-4), ScalarType::Int64, number(22));
  emitter->store(part, number(-3), ScalarType::Int64, number(33));
  run();
  EXPECT_EQ(out, (std::vector<std::int64_t>{22, 0, 0, 0, 0, 11, 0, 0, 0, 33}));
  program.code.pop_back();
  emitter->load(part_of_part, number(-5), ScalarType::Int64);
  expect_error(ErrorCode::Fault, "reads element -1 of 'G', which has 10");
}

TEST_F(MachineRun, AbsurdOriginsReachNothing) {
  const auto g = container("G", 10);
  const SlotId part = program.slots++;
  const Operand at = variable();
  for (const std::int64_t far : {max64, -max64, std::int64_t{1} << 59, -(std::int64_t{1} << 60)})
    for (const std::int64_t offset : {std::int64_t{0}, -far, std::int64_t{1} << 59, min64, max64}) {
      program.code = {{Op::Move, 0, at.reg, number(offset).reg, 0},
                      {Op::SlotOffset, 8, part, slot(g), number(far).reg},
                      {Op::Load64, 0, variable().reg, part, at.reg},
                      {Op::Halt}};
      const auto done = execute();
      // 2^59 elements of 8 bytes are just near enough to come back from.
      EXPECT_EQ(done.ok(), far == std::int64_t{1} << 59 && offset == -far) << far << " " << offset;
    }
}

TEST_F(MachineRun, FreshMemoryDiffersByElementInTheOtherFills) {
  const auto to = container("out", 8);
  const auto t = transient("T", 8, ScalarType::Int64);
  emitter->emit(Op::Allocate, t);
  for (std::int64_t k = 0; k < 8; ++k)
    append(slot(to), emitter->load(slot(t), number(k), ScalarType::Int64));
  std::set<std::int64_t> seen;
  for (const unsigned fill : {2U, 3U, 4U}) {
    options.fill = fill;
    run();
    seen.insert(out.begin(), out.begin() + 8);
  }
  EXPECT_GE(seen.size(), 12U);
  EXPECT_LT(*seen.begin(), 0);
  EXPECT_GT(*seen.rbegin(), 0);
}

TEST_F(MachineRun, FreshMemoryHasTheContentsOfTheFill) {
  constexpr auto minus_57 = static_cast<std::uint64_t>(-57);
  const std::vector<std::pair<ScalarType, std::array<std::uint64_t, 2>>> expected = {
      {ScalarType::Bool, {0, 1}},
      {ScalarType::Int8, {101, minus_57}},
      {ScalarType::UInt16, {101, minus_57 & 0xFFFFU}},
      {ScalarType::Int32, {101, minus_57}},
      {ScalarType::UInt64, {101, minus_57}},
      {ScalarType::Float32, {0x7FC5DF60U, std::bit_cast<std::uint32_t>(-1000.0F)}},
      {ScalarType::Float64, {0x7FF85DF6F0175DF6U, std::bit_cast<std::uint64_t>(-1000.0)}}};
  const auto to = container("out", static_cast<std::int64_t>(expected.size()) * 2);
  for (const auto &[type, bits] : expected)
    for (const bool zeroed : {false, true}) {
      const auto t = transient("T", 11, type);
      program.containers[t].zeroed = zeroed;
      emitter->emit(Op::Allocate, t);
      Operand loaded = emitter->load(slot(t), number(10), type);
      loaded.type = ScalarType::Int64; // its bits
      append(slot(to), loaded);
    }
  for (const unsigned fill : {0U, 1U}) {
    options.fill = fill;
    run();
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(static_cast<std::uint64_t>(out[2 * k]), expected[k].second[fill]) << k;
      EXPECT_EQ(out[2 * k + 1], 0) << k;
    }
  }
}

TEST_F(MachineRun, AllocateEnsureRelease) {
  const auto to = container("out", 6);
  const auto t = transient("T", 2);
  const auto p = transient("P", 2);
  program.containers[p].persistent = true;
  for (const auto c : {t, p}) {
    emitter->emit(Op::Allocate, c);
    emitter->store(slot(c), number(1), ScalarType::Int64, number(5));
    emitter->emit(Op::Ensure, c);
    append(slot(to), emitter->load(slot(c), number(1), ScalarType::Int64));
    emitter->emit(Op::Release, c);
    emitter->emit(Op::Ensure, c);
    append(slot(to), emitter->load(slot(c), number(1), ScalarType::Int64));
    emitter->store(slot(c), number(1), ScalarType::Int64, number(5));
    emitter->emit(Op::Allocate, c);
    append(slot(to), emitter->load(slot(c), number(1), ScalarType::Int64));
  }
  run();
  EXPECT_EQ(out, (std::vector<std::int64_t>{5, 101, 101, 5, 5, 101}));
}

TEST_F(MachineRun, ReleasedMemoryIsOutOfReach) {
  for (const std::int64_t size : {2, 2000}) { // kept, and given back
    restart();
    const auto t = transient("T", size);
    const SlotId part = program.slots++;
    emitter->emit(Op::Allocate, t);
    emitter->emit(Op::SlotOffset, part, slot(t), number(1).reg, 8);
    emitter->load(part, number(0), ScalarType::Int64);
    emitter->emit(Op::Release, t);
    emitter->load(part, number(0), ScalarType::Int64);
    expect_error(ErrorCode::Fault, "reads element 1 of 'T', which has no memory");
    program.code.resize(4);
    emitter->load(slot(t), number(0), ScalarType::Int64);
    emitter->emit(Op::Halt);
    expect_error(ErrorCode::Fault, "reads element 0 of 'T', which has no memory");
  }
}

TEST_F(MachineRun, SizesOfMemory) {
  const auto t = transient("T", 0);
  const Reg size = variable().reg;
  program.containers[t].total_size = size;
  const auto with_size = [&](std::int64_t elements) {
    program.code = {{Op::Move, 0, size, number(3).reg, 0},
                    {Op::Allocate, 0, t, 0, 0},
                    {Op::Move, 0, size, number(elements).reg, 0},
                    {Op::Allocate, 0, t, 0, 0},
                    {Op::Release, 0, t, 0, 0},
                    {Op::Release, 0, t, 0, 0},
                    {Op::Halt}};
  };
  with_size(0);
  run();
  with_size(-3);
  expect_error(ErrorCode::Fault, "'T' has -3 elements");
  options.memory_limit = 800;
  with_size(100);
  run();
  for (const std::int64_t elements : {std::int64_t{101}, std::int64_t{1} << 61, max64}) {
    with_size(elements);
    expect_error(ErrorCode::Limit, "the memory of 'T' would exceed the limit of 800 bytes");
  }
  options.memory_limit = SIZE_MAX;
  with_size(max64 / 8);
  EXPECT_EQ(execute().error().code, ErrorCode::Limit);
#ifndef __SANITIZE_ADDRESS__        // which ends the program
  with_size(std::int64_t{1} << 55); // allowed, and more than any machine has
  expect_error(ErrorCode::Limit, "the system has no more memory");
#endif
}

TEST_F(MachineRun, ArgumentsAndTransientsShareTheLimit) {
  container("A", 10);
  const auto t = transient("T", 10);
  emitter->emit(Op::Allocate, t);
  options.memory_limit = 160;
  run();
  options.memory_limit = 159;
  expect_error(ErrorCode::Limit, "the memory of 'T' would exceed the limit of 159 bytes");
  options.memory_limit = 79;
  expect_error(ErrorCode::Limit, "the memory of array 'A' would exceed the limit of 79 bytes");
}

TEST_F(MachineRun, Streams) {
  const auto to = container("out", 5);
  const auto s = transient("S", 1);
  program.containers[s].stream = true;
  const Operand size = variable();
  const Operand first = variable();
  const auto append_size = [&] {
    emitter->emit(Op::StreamSize, size.reg, slot(s));
    append(slot(to), size);
  };
  emitter->emit(Op::Allocate, s);
  emitter->emit(Op::Push, number(7).reg, slot(s));
  emitter->emit(Op::Ensure, s); // it has what it needs, and keeps the value
  emitter->emit(Op::Push, number(8).reg, slot(s));
  append_size();
  for (int k = 0; k < 2; ++k) {
    emitter->emit(Op::Pop, first.reg, slot(s));
    append(slot(to), first);
  }
  emitter->emit(Op::Push, number(9).reg, slot(s));
  emitter->emit(Op::Release, s);
  append_size();
  emitter->emit(Op::Push, number(9).reg, slot(s));
  emitter->emit(Op::Allocate, s);
  append_size();
  options.memory_limit = 40 + 16;
  run();
  EXPECT_EQ(out, (std::vector<std::int64_t>{2, 7, 8, 0, 0}));
  options.memory_limit = 40 + 15;
  expect_error(ErrorCode::Limit,
               "the values in stream 'S' would exceed the memory limit of 55 bytes");
  options.memory_limit = plenty;
  program.code.pop_back();
  emitter->emit(Op::Pop, first.reg, slot(s));
  expect_error(ErrorCode::Fault, "pops from stream 'S', which is empty");
}

TEST(MachineQueue, KeepsOrderOverManyValues) {
  Queue queue;
  std::int64_t pushed = 0;
  std::int64_t popped = 0;
  for (int round = 0; round < 5000; ++round) {
    queue.push({.i = pushed++});
    queue.push({.i = pushed++});
    if (round % 4 != 0) {
      EXPECT_EQ(queue.pop().i, popped++);
    }
  }
  while (queue.size() != 0)
    EXPECT_EQ(queue.pop().i, popped++);
  EXPECT_EQ(popped, pushed);
}

TEST_F(MachineRun, LoopsInAscendingOrder) {
  std::vector<std::int64_t> ascending(24);
  std::iota(ascending.begin(), ascending.end(), 0);
  EXPECT_EQ(order_of({2, 3, 4}), ascending);
  EXPECT_EQ(order_of({}), std::vector<std::int64_t>{0}); // no dimension: one iteration
  options.order_seed = 5;
  EXPECT_EQ(order_of({2, 3, 4}, true), ascending);
}

TEST_F(MachineRun, LoopsInASeededOrder) {
  std::set<std::vector<std::int64_t>> orders;
  std::vector<std::int64_t> ascending(60);
  std::iota(ascending.begin(), ascending.end(), 0);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    options.order_seed = seed;
    std::vector<std::int64_t> order = order_of({3, 4, 5});
    EXPECT_EQ(order, order_of({3, 4, 5}));
    orders.insert(order);
    std::ranges::sort(order);
    EXPECT_EQ(order, ascending);
  }
  EXPECT_GT(orders.size(), 15U);
  // Small loops, too, and both orders of two iterations are to be had.
  orders.clear();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    options.order_seed = seed;
    orders.insert(order_of({2}));
    EXPECT_EQ(order_of({1}), std::vector<std::int64_t>{0});
  }
  EXPECT_EQ(orders.size(), 2U);
}

TEST_F(MachineRun, ShapeDecidesTheSeededOrder) {
  options.order_seed = 3;
  EXPECT_NE(order_of({6, 10}), order_of({10, 6}));
}

TEST_F(MachineRun, StepsAndReentry) {
  for (const std::uint64_t seed : {0, 9}) {
    options.order_seed = seed;
    restart();
    const auto to = container("out", 12);
    const Operand i = variable();
    const Operand j = variable();
    // i: 7, 4, 1; j from i up to 7 by 3, so inner extents 1, 2, 3: the table entry is used again
    const auto outer =
        emitter->begin_loop({{{i.reg, number(7).reg, number(0).reg, number(-3).reg}}, true});
    const auto inner = emitter->begin_loop({{{j.reg, i.reg, number(9).reg, number(3).reg}}, false});
    append(slot(to), emitter->binary(Binary::Add, emitter->binary(Binary::Mul, i, number(10)), j));
    emitter->end_loop(inner);
    emitter->end_loop(outer);
    run();
    out.resize(6);
    EXPECT_EQ(out[0], 77);
    std::ranges::sort(out);
    EXPECT_EQ(out, (std::vector<std::int64_t>{11, 14, 17, 44, 47, 77}));
  }
}

TEST_F(MachineRun, EmptyAndAbsurdLoops) {
  const Operand begin = variable();
  const Operand end = variable();
  const Operand step = variable();
  const Operand i = variable();
  const Operand j = variable();
  const auto loop = [&](std::int64_t from, std::int64_t to, std::int64_t by) {
    program.loops = {
        {{{i.reg, begin.reg, end.reg, step.reg}, {j.reg, begin.reg, end.reg, step.reg}}, false}};
    program.code = {{Op::Move, 0, begin.reg, number(from).reg, 0},
                    {Op::Move, 0, end.reg, number(to).reg, 0},
                    {Op::Move, 0, step.reg, number(by).reg, 0},
                    {Op::LoopBegin, 0, 0, 6, 0},
                    {Op::Tasklet, 0, 0, 0, 0},
                    {Op::LoopNext, 0, 0, 4, 0},
                    {Op::Halt}};
  };
  const auto expect_count = [&](std::int64_t from, std::int64_t to, std::int64_t by,
                                std::uint64_t count) {
    loop(from, to, by);
    options.fuel = 2 * count; // the loop's iterations and their tasklets
    run();
    EXPECT_EQ(outcome.tasklets, count);
  };
  for (const std::uint64_t seed : {0, 4}) {
    options.order_seed = seed;
    expect_count(3, 2, 1, 0);
    expect_count(2, 3, -1, 0);
    expect_count(3, 3, 1, 1);
    expect_count(0, 5, 2, 9);
    expect_count(5, 0, -2, 9);
    expect_count(min64, max64, max64, 9);
    expect_count(max64, min64, min64, 4);
    expect_count(max64 - 1, max64, 1, 4);
    loop(1, 3, 0);
    expect_error(ErrorCode::Fault, "iterates with a step of 0");
    options.fuel = UINT64_MAX;
    for (const std::int64_t from : {min64, std::int64_t{0}}) {
      loop(from, max64, 1);
      expect_error(ErrorCode::Limit, "out of fuel (18446744073709551615 steps); see --fuel");
    }
    options.fuel = 8;
    loop(1, 3, 1);
    expect_error(ErrorCode::Limit, "out of fuel (2^3 steps); see --fuel");
  }
}

TEST_F(MachineRun, WatchesAnElement) {
  const auto a = container("A", 3, ScalarType::Int16);
  program.states = {{"s0", "one"}, {"s1", "two"}};
  for (const std::uint32_t state : {1U, 0U, 1U}) {
    emitter->emit(Op::StateBegin, state);
    emitter->store(slot(a), number(2), ScalarType::Int16,
                   emitter->integer(state == 1 ? -1 : 5, ScalarType::Int16));
    emitter->emit(Op::StateEnd, state);
  }
  run();
  EXPECT_TRUE(outcome.events.empty());
  options.watch = Watch{0, 2};
  run();
  EXPECT_EQ(outcome.events, (std::vector<WatchEvent>{{1, 0xFFFF}, {0, 5}, {1, 0xFFFF}}));
  options.watch = Watch{0, 3};
  expect_error(ErrorCode::Usage, "the element to watch does not exist");
}

} // namespace
