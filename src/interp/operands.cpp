#include "interp/operands.h"

#include "interp/functions.h"

#include <algorithm>

namespace sdfgopt::interp {

namespace {

constexpr std::array op_names = {
#define SDFGOPT_NAME(name) std::string_view{#name},
    SDFGOPT_ARITHMETIC_FAMILIES(SDFGOPT_FOR_ARITHMETIC, SDFGOPT_NAME)
        SDFGOPT_INTEGER_FAMILIES(SDFGOPT_FOR_INTEGERS, SDFGOPT_NAME) SDFGOPT_OTHER_OPS(SDFGOPT_NAME)
#undef SDFGOPT_NAME
};

bool is_between(Op op, Op first, Op last) { return first <= op && op <= last; }

using Kind = OperandKind;
using Kinds = std::array<OperandKind, 3>;
constexpr Kinds unary = {Kind::Target, Kind::Source, Kind::None};
constexpr Kinds binary = {Kind::Target, Kind::Source, Kind::Source};

Kinds kinds_of_others(Op op) {
  switch (op) {
  case Op::Jump:
    return {Kind::Code, Kind::None, Kind::None};
  case Op::JumpIf:
  case Op::JumpIfNot:
    return {Kind::Code, Kind::Source, Kind::None};
  case Op::SlotOffset:
    return {Kind::Slot, Kind::Slot, Kind::Source};
  case Op::Allocate:
  case Op::Ensure:
  case Op::Release:
    return {Kind::Container, Kind::None, Kind::None};
  case Op::LoopBegin:
  case Op::LoopNext:
    return {Kind::Loop, Kind::Code, Kind::None};
  case Op::Push:
    return {Kind::Source, Kind::Slot, Kind::None};
  case Op::Pop:
  case Op::StreamSize:
    return {Kind::Target, Kind::Slot, Kind::None};
  case Op::StateBegin:
  case Op::StateEnd:
    return {Kind::State, Kind::None, Kind::None};
  case Op::Fault:
    return {Kind::Message, Kind::None, Kind::None};
  default: // Burn, Tasklet, Halt
    return {Kind::None, Kind::None, Kind::None};
  }
}

/// Numbers below which operands must be.
class Bounds {
public:
  explicit Bounds(const Program &program) : program_(program) {}

  [[nodiscard]] bool hold(OperandKind kind, std::size_t operand) const {
    switch (kind) {
    case Kind::None:
      return true;
    case Kind::Target:
    case Kind::Source:
      return operand < program_.registers;
    case Kind::Slot:
      return operand < program_.slots;
    case Kind::Container:
      return operand < program_.containers.size();
    case Kind::Loop:
      return operand < program_.loops.size();
    case Kind::Code: // the end, too
      return operand <= program_.code.size();
    case Kind::State:
      return operand < program_.states.size();
    case Kind::Message:
      return operand < program_.messages.size();
    }
    return false;
  }

  [[nodiscard]] bool hold(const Instr &instr) const {
    const Kinds kinds = operand_kinds(instr.op);
    return hold(kinds[0], instr.a) && hold(kinds[1], instr.b) && hold(kinds[2], instr.c) &&
           has_right_extra(instr);
  }

private:
  static bool has_right_extra(const Instr &instr) {
    if (instr.op == Op::SlotOffset)
      return instr.extra != 0;
    const bool one = is_between(instr.op, Op::Math1F32, Op::Math1F64);
    if (!one && !is_between(instr.op, Op::Math2F32, Op::Math2F64))
      return true;
    return instr.extra <= static_cast<std::uint16_t>(Function::Nextafter) &&
           arity(static_cast<Function>(instr.extra)) == (one ? 1U : 2U);
  }

  const Program &program_;
};

bool is_well_formed(const interp::Container &container, const Bounds &bounds) {
  const auto is_register = [&](Reg reg) { return bounds.hold(Kind::Source, reg); };
  return bounds.hold(Kind::Slot, container.slot) &&
         container.shape.size() == container.strides.size() &&
         std::ranges::all_of(container.shape, is_register) &&
         std::ranges::all_of(container.strides, is_register) &&
         (container.stream || is_register(container.total_size)) &&
         (container.start_offset == none || is_register(container.start_offset));
}

} // namespace

std::string_view name_of(Op op) { return op_names[static_cast<std::size_t>(op)]; }

std::array<OperandKind, 3> operand_kinds(Op op) {
  if (is_between(op, Op::NegI32, Op::AbsF64) || is_between(op, Op::InvertI32, Op::InvertU64) ||
      is_between(op, Op::IntToF32, Op::Math1F64))
    return unary;
  if (op <= Op::InvertU64 || is_between(op, Op::Math2F32, Op::MulAdd))
    return binary;
  if (is_between(op, Op::LoadI8, Op::Load64))
    return {Kind::Target, Kind::Slot, Kind::Source};
  if (is_between(op, Op::Store8, Op::Store64))
    return {Kind::Source, Kind::Slot, Kind::Source};
  return kinds_of_others(op);
}

bool is_well_formed(const Program &program) {
  const Bounds bounds(program);
  const auto holds = [&](OperandKind kind) {
    return [&bounds, kind](std::size_t operand) { return bounds.hold(kind, operand); };
  };
  const auto is_loop = [&](const interp::Loop &loop) {
    return std::ranges::all_of(loop.dimensions, [&](const interp::Loop::Dimension &d) {
      return bounds.hold(Kind::Target, d.index) && bounds.hold(Kind::Source, d.begin) &&
             bounds.hold(Kind::Source, d.end) && bounds.hold(Kind::Source, d.step);
    });
  };
  const auto is_argument = [&](std::uint32_t argument) {
    return bounds.hold(Kind::Container, argument) && !program.containers[argument].stream;
  };
  return program.prologue <= program.code.size() &&
         std::ranges::all_of(program.code, [&](const Instr &i) { return bounds.hold(i); }) &&
         std::ranges::all_of(program.containers,
                             [&](const auto &c) { return is_well_formed(c, bounds); }) &&
         std::ranges::all_of(program.loops, is_loop) &&
         std::ranges::all_of(program.arguments, is_argument) &&
         std::ranges::all_of(program.constants, holds(Kind::Target),
                             [](const auto &c) { return c.first; }) &&
         std::ranges::all_of(program.symbols, holds(Kind::Target), &SymbolInput::reg);
}

} // namespace sdfgopt::interp
