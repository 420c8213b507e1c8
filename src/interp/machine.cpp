#include "interp/machine.h"

#include "interp/arithmetic.h"
#include "interp/functions.h"
#include "interp/layouts.h"
#include "interp/loops.h"
#include "interp/memory.h"
#include "interp/operands.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <stdexcept>

namespace sdfgopt::interp {

using support::Error;
using support::ErrorCode;
using support::result;

namespace {

constexpr std::size_t most_events = 1'000'000;
/// A look takes longer than a step. So many are done in a fraction of a second.
constexpr std::uint64_t steps_between_looks = 1U << 20;

/// One run of a program.
class Machine {
public:
  Machine(const Program &program, const SymbolValues &symbols, const RunOptions &options)
      : program_(program), options_(options), code_(program.code),
        registers_(program.registers, Value{.u = 0}),
        heap_(program, options.fill, options.memory_limit) {
    assert(symbols.size() == program.symbols.size());
    share_fuel(options.fuel);
    code_.push_back({Op::Halt});
    for (const auto &[reg, value] : program.constants)
      registers_[reg] = value;
    for (std::size_t k = 0; k < symbols.size(); ++k)
      registers_[program.symbols[k].reg] = symbols[k];
    loops_.reserve(program.loops.size());
    for (const Loop &loop : program.loops)
      loops_.emplace_back(loop, options.order_seed);
  }

  /// Runs the prologue; the shapes of the arguments.
  result<std::vector<Layout>> prepare() {
    const Instr stopped_at = std::exchange(code_[program_.prologue], Instr{Op::Halt});
    SDFGOPT_CHECK(execute(0));
    code_[program_.prologue] = stopped_at;
    return read_layouts(program_, registers_, options_.memory_limit);
  }

  /// The memory of the arguments, to be copied, respectively to be worked on.
  result<void> bind(const std::vector<Layout> &layouts, Memory arguments);
  result<void> bind(const std::vector<Layout> &layouts, const BorrowedMemory &arguments);
  /// What the arguments hold then is not copied.
  result<RunOutcome> run_rest();
  [[nodiscard]] Memory contents() const;

private:
  template <typename Arguments>
  result<void> check_arguments(const std::vector<Layout> &layouts, const Arguments &arguments);
  result<void> execute(std::uint32_t first);
  void note_watched(std::uint32_t state);
  /// So much is left.
  void share_fuel(std::uint64_t fuel) {
    fuel_ = std::min(fuel, steps_between_looks);
    spare_fuel_ = fuel - fuel_;
  }

  Error error(const Instr *ip, ErrorCode code, std::string message) const;
  Error fault(const Instr *ip, std::string message) const {
    return error(ip, ErrorCode::Fault, std::move(message));
  }
  Error access_fault(const Instr *ip, bool writes) const;
  Error shift_fault(const Instr *ip, unsigned bits) const;
  Error loop_error(const Instr *ip, LoopState::Start start) const;
  Error out_of_fuel(const Instr *ip) const;
  Error stopped(const Instr *ip) const {
    return error(ip, ErrorCode::Stopped, "the run was stopped");
  }

  const Program &program_;
  const RunOptions &options_;
  std::uint64_t fuel_ = 0;
  std::uint64_t spare_fuel_ = 0;                   // for when fuel_ is used up: then it looks at
  std::uint64_t until_look_ = steps_between_looks; // whether to stop, and after so many iterations
  std::uint64_t tasklets_ = 0;
  std::vector<Instr> code_; // ends with a Halt
  std::vector<Value> registers_;
  Heap heap_;
  std::vector<LoopState> loops_;
  std::vector<WatchEvent> events_;
};

Error Machine::error(const Instr *ip, ErrorCode code, std::string message) const {
  const auto pc = static_cast<std::uint32_t>(ip - code_.data());
  const auto after = std::ranges::upper_bound(program_.places, pc, {}, &Place::first);
  std::string place = after == program_.places.begin() ? "" : std::prev(after)->path;
  return {code, std::move(message), std::move(place)};
}

std::int64_t bytes_of_access(Op op) {
  switch (op) {
  case Op::LoadI8:
  case Op::LoadU8:
  case Op::Store8:
    return 1;
  case Op::LoadI16:
  case Op::LoadU16:
  case Op::Store16:
    return 2;
  case Op::LoadI32:
  case Op::LoadU32:
  case Op::Store32:
    return 4;
  default:
    return 8;
  }
}

Error Machine::access_fault(const Instr *ip, bool writes) const {
  const std::string_view verb = writes ? "writes" : "reads";
  const Slot &slot = heap_.slot(ip->b);
  const std::int64_t offset = registers_[ip->c].i;
  if (slot.container == none)
    return fault(ip, fmt::format("{} element {} of data that is nowhere", verb, offset));
  const Container &container = program_.containers[slot.container];
  // Counted from the begin of the memory; wide, since offsets may be absurd.
  const auto size = static_cast<__int128>(size_of(container.type));
  const __int128 position = static_cast<__int128>(offset) * bytes_of_access(ip->op) - slot.low;
  const __int128 element = (position < 0 ? position - size + 1 : position) / size;
  if (!heap_.has_memory(slot.container))
    return fault(ip, fmt::format("{} element {} of '{}', which has no memory", verb, element,
                                 container.name));
  return fault(ip, fmt::format("{} element {} of '{}', which has {}", verb, element, container.name,
                               heap_.elements(slot.container)));
}

Error Machine::shift_fault(const Instr *ip, unsigned bits) const {
  return fault(ip, fmt::format("shifts an integer of {} bits by {}", bits, registers_[ip->c].i));
}

Error Machine::loop_error(const Instr *ip, LoopState::Start start) const {
  if (start == LoopState::Start::ZeroStep)
    return fault(ip, "iterates with a step of 0");
  return out_of_fuel(ip);
}

Error Machine::out_of_fuel(const Instr *ip) const {
  const std::string steps = std::has_single_bit(options_.fuel)
                                ? fmt::format("2^{}", std::countr_zero(options_.fuel))
                                : fmt::format("{}", options_.fuel);
  return error(ip, ErrorCode::Limit, fmt::format("out of fuel ({} steps); see --fuel", steps));
}

void Machine::note_watched(std::uint32_t state) {
  if (!options_.watch || events_.size() == most_events)
    return;
  const std::uint32_t container = program_.arguments[options_.watch->argument];
  const std::size_t size = size_of(program_.containers[container].type);
  WatchEvent event = {state, 0};
  std::memcpy(&event.bits,
              heap_.data(container) + static_cast<std::size_t>(options_.watch->element) * size,
              size);
  events_.push_back(event);
}

template <typename T> T read_from(const std::byte *memory) {
  T value;
  std::memcpy(&value, memory, sizeof value);
  return value;
}

template <typename T> void write_to(std::byte *memory, Value value) {
  const T number = static_cast<T>(value.u);
  std::memcpy(memory, &number, sizeof number);
}

// The handlers of the dispatch loop below. `ip` is the instruction, `r` the registers.
#define SDFGOPT_LABEL(name) &&on_##name,
#define SDFGOPT_DISPATCH                                                                           \
  do {                                                                                             \
    goto *labels[static_cast<std::size_t>(ip->op)];                                                \
  } while (false)
#define SDFGOPT_NEXT                                                                               \
  do {                                                                                             \
    ++ip;                                                                                          \
    SDFGOPT_DISPATCH;                                                                              \
  } while (false)
#define SDFGOPT_UNARY(name, suffix, T)                                                             \
  on_##name##suffix : put(r[ip->a], arithmetic::name::apply(get<T>(r[ip->b])));                    \
  SDFGOPT_NEXT;
#define SDFGOPT_BINARY(name, suffix, T)                                                            \
  on_##name##suffix : put(r[ip->a], arithmetic::name::apply(get<T>(r[ip->b]), get<T>(r[ip->c])));  \
  SDFGOPT_NEXT;
#define SDFGOPT_DIVISION(name, suffix, T)                                                          \
  on_##name##suffix : if (get<T>(r[ip->c]) == 0)                                                   \
                          [[unlikely]] return fault(ip, "divides an integer by 0");                \
  put(r[ip->a], arithmetic::name::apply(get<T>(r[ip->b]), get<T>(r[ip->c])));                      \
  SDFGOPT_NEXT;
#define SDFGOPT_SHIFT(name, suffix, T)                                                             \
  on_##name##suffix : if (!arithmetic::is_shift_count(get<T>(r[ip->c])))                           \
                          [[unlikely]] return shift_fault(ip, sizeof(T) * 8);                      \
  put(r[ip->a], arithmetic::name::apply(get<T>(r[ip->b]), get<T>(r[ip->c])));                      \
  SDFGOPT_NEXT;
#define SDFGOPT_INTEGERS(X, name)                                                                  \
  X(name, I32, std::int32_t)                                                                       \
  X(name, I64, std::int64_t) X(name, U32, std::uint32_t) X(name, U64, std::uint64_t)
#define SDFGOPT_FLOATS(X, name) X(name, F32, float) X(name, F64, double)
#define SDFGOPT_NUMBERS(X, name) SDFGOPT_INTEGERS(X, name) SDFGOPT_FLOATS(X, name)
// a = the value of an expression.
#define SDFGOPT_SET(name, expression)                                                              \
  on_##name : put(r[ip->a], expression);                                                           \
  SDFGOPT_NEXT;
#define SDFGOPT_LOAD(name, T)                                                                      \
  on_##name : if (!reaches<sizeof(T)>(slots[ip->b], r[ip->c].i))                                   \
                  [[unlikely]] return access_fault(ip, false);                                     \
  put(r[ip->a], read_from<T>(address<sizeof(T)>(slots[ip->b], r[ip->c].i)));                       \
  SDFGOPT_NEXT;
#define SDFGOPT_STORE(name, T)                                                                     \
  on_##name : if (!reaches<sizeof(T)>(slots[ip->b], r[ip->c].i))                                   \
                  [[unlikely]] return access_fault(ip, true);                                      \
  write_to<T>(address<sizeof(T)>(slots[ip->b], r[ip->c].i), r[ip->a]);                             \
  SDFGOPT_NEXT;

/// Runs from an instruction up to a Halt. Longer than other functions: it has one label for each
/// instruction, and each jumps to the next one's, which processors predict better than one switch.
result<void> Machine::execute(std::uint32_t first) {
  using arithmetic::get;
  using arithmetic::put;
  static const void *const labels[] = {
      SDFGOPT_ARITHMETIC_FAMILIES(SDFGOPT_FOR_ARITHMETIC, SDFGOPT_LABEL)
          SDFGOPT_INTEGER_FAMILIES(SDFGOPT_FOR_INTEGERS, SDFGOPT_LABEL)
              SDFGOPT_OTHER_OPS(SDFGOPT_LABEL)};
  const Instr *const code = code_.data();
  const Instr *ip = code + first;
  Value *const r = registers_.data();
  Slot *const slots = heap_.slots();
  SDFGOPT_DISPATCH;

  SDFGOPT_NUMBERS(SDFGOPT_BINARY, Add)
  SDFGOPT_NUMBERS(SDFGOPT_BINARY, Sub)
  SDFGOPT_NUMBERS(SDFGOPT_BINARY, Mul)
  SDFGOPT_INTEGERS(SDFGOPT_DIVISION, Div)
  SDFGOPT_FLOATS(SDFGOPT_BINARY, Div)
  SDFGOPT_NUMBERS(SDFGOPT_BINARY, Min)
  SDFGOPT_NUMBERS(SDFGOPT_BINARY, Max)
  SDFGOPT_NUMBERS(SDFGOPT_BINARY, Eq)
  SDFGOPT_NUMBERS(SDFGOPT_BINARY, Ne)
  SDFGOPT_NUMBERS(SDFGOPT_BINARY, Lt)
  SDFGOPT_NUMBERS(SDFGOPT_BINARY, Le)
  SDFGOPT_NUMBERS(SDFGOPT_UNARY, Neg)
  SDFGOPT_NUMBERS(SDFGOPT_UNARY, Abs)
  SDFGOPT_INTEGERS(SDFGOPT_DIVISION, Rem)
  SDFGOPT_INTEGERS(SDFGOPT_DIVISION, FloorDiv)
  SDFGOPT_INTEGERS(SDFGOPT_DIVISION, CeilDiv)
  SDFGOPT_INTEGERS(SDFGOPT_DIVISION, Mod)
  SDFGOPT_INTEGERS(SDFGOPT_BINARY, And)
  SDFGOPT_INTEGERS(SDFGOPT_BINARY, Or)
  SDFGOPT_INTEGERS(SDFGOPT_BINARY, Xor)
  SDFGOPT_INTEGERS(SDFGOPT_SHIFT, Shl)
  SDFGOPT_INTEGERS(SDFGOPT_SHIFT, Shr)
  SDFGOPT_INTEGERS(SDFGOPT_UNARY, Invert)

  SDFGOPT_SET(IntToF32, static_cast<float>(r[ip->b].i))
  SDFGOPT_SET(IntToF64, static_cast<double>(r[ip->b].i))
  SDFGOPT_SET(UIntToF32, static_cast<float>(r[ip->b].u))
  SDFGOPT_SET(UIntToF64, static_cast<double>(r[ip->b].u))
  SDFGOPT_SET(F32ToF64, static_cast<double>(r[ip->b].f))
  SDFGOPT_SET(F64ToF32, static_cast<float>(r[ip->b].d))
  SDFGOPT_SET(F32ToI64, arithmetic::to_int64(r[ip->b].f))
  SDFGOPT_SET(F64ToI64, arithmetic::to_int64(r[ip->b].d))
  SDFGOPT_SET(F32ToU64, arithmetic::to_uint64(r[ip->b].f))
  SDFGOPT_SET(F64ToU64, arithmetic::to_uint64(r[ip->b].d))
  SDFGOPT_SET(WrapI8, get<std::int8_t>(r[ip->b]))
  SDFGOPT_SET(WrapI16, get<std::int16_t>(r[ip->b]))
  SDFGOPT_SET(WrapI32, get<std::int32_t>(r[ip->b]))
  SDFGOPT_SET(WrapU8, get<std::uint8_t>(r[ip->b]))
  SDFGOPT_SET(WrapU16, get<std::uint16_t>(r[ip->b]))
  SDFGOPT_SET(WrapU32, get<std::uint32_t>(r[ip->b]))
  SDFGOPT_SET(IntToBool, r[ip->b].i != 0)
  SDFGOPT_SET(F32ToBool, r[ip->b].f != 0)
  SDFGOPT_SET(F64ToBool, r[ip->b].d != 0)
  SDFGOPT_SET(Move, r[ip->b].i)
  SDFGOPT_SET(NotBool, r[ip->b].i == 0)
  SDFGOPT_SET(Math1F32, call(static_cast<Function>(ip->extra), r[ip->b].f).i)
  SDFGOPT_SET(Math1F64, call(static_cast<Function>(ip->extra), r[ip->b].d).i)
  SDFGOPT_SET(Math2F32, call(static_cast<Function>(ip->extra), r[ip->b].f, r[ip->c].f).i)
  SDFGOPT_SET(Math2F64, call(static_cast<Function>(ip->extra), r[ip->b].d, r[ip->c].d).i)
  SDFGOPT_SET(MulAdd, r[ip->a].u + r[ip->b].u * r[ip->c].u)

  SDFGOPT_LOAD(LoadI8, std::int8_t)
  SDFGOPT_LOAD(LoadI16, std::int16_t)
  SDFGOPT_LOAD(LoadI32, std::int32_t)
  SDFGOPT_LOAD(LoadU8, std::uint8_t)
  SDFGOPT_LOAD(LoadU16, std::uint16_t)
  SDFGOPT_LOAD(LoadU32, std::uint32_t)
  SDFGOPT_LOAD(Load64, std::uint64_t)
  SDFGOPT_STORE(Store8, std::uint8_t)
  SDFGOPT_STORE(Store16, std::uint16_t)
  SDFGOPT_STORE(Store32, std::uint32_t)
  SDFGOPT_STORE(Store64, std::uint64_t)

on_Jump:
  ip = code + ip->a;
  SDFGOPT_DISPATCH;
on_JumpIf:
  ip = r[ip->b].i != 0 ? code + ip->a : ip + 1;
  SDFGOPT_DISPATCH;
on_JumpIfNot:
  ip = r[ip->b].i == 0 ? code + ip->a : ip + 1;
  SDFGOPT_DISPATCH;
on_Tasklet:
  ++tasklets_;
on_Burn:
  if (fuel_ == 0) [[unlikely]] {
    if (spare_fuel_ == 0)
      return out_of_fuel(ip);
    if (options_.stop.stop_requested())
      return stopped(ip);
    share_fuel(spare_fuel_);
  }
  --fuel_;
  SDFGOPT_NEXT;

on_SlotOffset:
  slots[ip->a] = moved(slots[ip->b], r[ip->c].i, ip->extra);
  SDFGOPT_NEXT;
on_Ensure:
  if (heap_.has_memory(ip->a)) {
    SDFGOPT_NEXT;
  }
on_Allocate : {
  const Container &container = program_.containers[ip->a];
  const std::int64_t elements = container.stream ? 0 : r[container.total_size].i;
  if (auto done = heap_.allocate(ip->a, elements); !done.ok()) [[unlikely]]
    return error(ip, done.error().code, std::move(done.error().message));
}
  SDFGOPT_NEXT;
on_Release:
  heap_.release(ip->a);
  SDFGOPT_NEXT;

on_LoopBegin : {
  std::uint64_t fuel = fuel_ + spare_fuel_;
  const LoopState::Start start = loops_[ip->a].begin(r, fuel);
  share_fuel(fuel);
  if (start == LoopState::Start::Iterate) {
    ++ip;
  } else {
    if (start != LoopState::Start::Empty)
      return loop_error(ip, start);
    ip = code + ip->b;
  }
}
  SDFGOPT_DISPATCH;
on_LoopNext: // a loop may have nothing in it that takes fuel
  if (--until_look_ == 0) [[unlikely]] {
    until_look_ = steps_between_looks;
    if (options_.stop.stop_requested())
      return stopped(ip);
  }
  ip = loops_[ip->a].next(r) ? code + ip->b : ip + 1;
  SDFGOPT_DISPATCH;

on_Push:
  if (auto done = heap_.push(slots[ip->b].container, r[ip->a]); !done.ok()) [[unlikely]]
    return error(ip, done.error().code, std::move(done.error().message));
  SDFGOPT_NEXT;
on_Pop : {
  const std::uint32_t stream = slots[ip->b].container;
  if (heap_.queue(stream).size() == 0) [[unlikely]]
    return fault(
        ip, fmt::format("pops from stream '{}', which is empty", program_.containers[stream].name));
  r[ip->a] = heap_.pop(stream);
}
  SDFGOPT_NEXT;
  SDFGOPT_SET(StreamSize, heap_.queue(slots[ip->b].container).size())

on_StateEnd:
  note_watched(ip->a);
on_StateBegin: // for readers of the disassembly
  SDFGOPT_NEXT;
on_Fault:
  return fault(ip, program_.messages[ip->a]);
on_Halt:
  return {};
}

template <typename Arguments>
result<void> Machine::check_arguments(const std::vector<Layout> &layouts,
                                      const Arguments &arguments) {
  if (arguments.size() != layouts.size())
    return Error{ErrorCode::Usage,
                 fmt::format("{} arrays are given to a program that has {}", arguments.size(),
                             layouts.size()),
                 ""};
  for (std::size_t k = 0; k < layouts.size(); ++k) {
    const Layout &layout = layouts[k];
    const std::size_t bytes = static_cast<std::size_t>(layout.total_size) * size_of(layout.type);
    if (arguments[k].size() != bytes)
      return Error{ErrorCode::Usage,
                   fmt::format("array '{}' is given {} bytes and has {}", layout.name,
                               arguments[k].size(), bytes),
                   ""};
  }
  if (options_.watch &&
      (options_.watch->argument >= layouts.size() || options_.watch->element < 0 ||
       options_.watch->element >= layouts[options_.watch->argument].total_size))
    return Error{ErrorCode::Usage, "the element to watch does not exist", ""};
  return {};
}

result<void> Machine::bind(const std::vector<Layout> &layouts, Memory arguments) {
  SDFGOPT_CHECK(check_arguments(layouts, arguments));
  for (std::size_t k = 0; k < layouts.size(); ++k) {
    SDFGOPT_CHECK(heap_.bind(program_.arguments[k], arguments[k]));
    arguments[k] = {}; // the copy is enough
  }
  return {};
}

result<void> Machine::bind(const std::vector<Layout> &layouts, const BorrowedMemory &arguments) {
  SDFGOPT_CHECK(check_arguments(layouts, arguments));
  for (std::size_t k = 0; k < layouts.size(); ++k)
    SDFGOPT_CHECK(heap_.lend(program_.arguments[k], arguments[k]));
  return {};
}

result<RunOutcome> Machine::run_rest() {
  if (options_.stop.stop_requested())
    return stopped(code_.data());
  SDFGOPT_CHECK(execute(program_.prologue));
  heap_.check_guards();
  RunOutcome outcome;
  outcome.tasklets = tasklets_;
  outcome.steps = options_.fuel - fuel_ - spare_fuel_;
  outcome.events = std::move(events_);
  return outcome;
}

Memory Machine::contents() const {
  Memory memory;
  for (const std::uint32_t argument : program_.arguments)
    memory.push_back(heap_.contents(argument));
  return memory;
}

/// The result of `body`; an error where the system has no memory for it.
template <typename Body> auto within_memory(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return Error{ErrorCode::Limit, "the system has no more memory", ""};
  } catch (const std::length_error &) {
    return Error{ErrorCode::Limit, "more memory than a program can have", ""};
  }
}

} // namespace

result<std::vector<Layout>> argument_layouts(const Program &program, const SymbolValues &symbols,
                                             std::size_t memory_limit) {
  assert(is_well_formed(program));
  return within_memory([&]() -> result<std::vector<Layout>> {
    RunOptions options;
    options.memory_limit = memory_limit;
    return Machine(program, symbols, options).prepare();
  });
}

result<RunOutcome> run(const Program &program, const SymbolValues &symbols, Memory arguments,
                       const RunOptions &options) {
  assert(is_well_formed(program));
  return within_memory([&]() -> result<RunOutcome> {
    Machine machine(program, symbols, options);
    SDFGOPT_TRY(const std::vector<Layout> layouts, machine.prepare());
    SDFGOPT_CHECK(machine.bind(layouts, std::move(arguments)));
    SDFGOPT_TRY(RunOutcome outcome, machine.run_rest());
    outcome.arguments = machine.contents();
    return outcome;
  });
}

result<RunOutcome> run_in_place(const Program &program, const SymbolValues &symbols,
                                const BorrowedMemory &arguments, const RunOptions &options) {
  assert(is_well_formed(program));
  return within_memory([&]() -> result<RunOutcome> {
    Machine machine(program, symbols, options);
    SDFGOPT_TRY(const std::vector<Layout> layouts, machine.prepare());
    SDFGOPT_CHECK(machine.bind(layouts, arguments));
    return machine.run_rest();
  });
}

} // namespace sdfgopt::interp
