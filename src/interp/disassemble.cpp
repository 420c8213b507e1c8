// Text of programs.
#include "interp/functions.h"
#include "interp/operands.h"

#include <fmt/format.h>
#include <iterator>

namespace sdfgopt::interp {

namespace {

std::string operand_text(const Program &program, OperandKind kind, std::uint32_t operand) {
  switch (kind) {
  case OperandKind::None:
    return "";
  case OperandKind::Target:
  case OperandKind::Source:
    return fmt::format(" r{}", operand);
  case OperandKind::Slot:
    for (const Container &container : program.containers)
      if (container.slot == operand)
        return fmt::format(" slot{}'{}'", operand, container.name);
    return fmt::format(" slot{}", operand);
  case OperandKind::Container:
    return fmt::format(" '{}'", program.containers[operand].name);
  case OperandKind::Loop:
    return fmt::format(" loop{}", operand);
  case OperandKind::Code:
    return fmt::format(" @{}", operand);
  case OperandKind::State:
    return fmt::format(" {} '{}'", program.states[operand].id, program.states[operand].label);
  case OperandKind::Message:
    return fmt::format(" \"{}\"", program.messages[operand]);
  }
  return "";
}

std::string extra_text(const Instr &instr) {
  if (instr.op >= Op::Math1F32 && instr.op <= Op::Math2F64)
    return fmt::format(" {}", name_of(static_cast<Function>(instr.extra)));
  if (instr.op == Op::SlotOffset)
    return fmt::format(" x{}", instr.extra);
  return "";
}

/// The box of a loop, after its LoopBegin: " [r1=r2:r3:r4]".
std::string loop_text(const Loop &loop) {
  std::string text = " [";
  for (const Loop::Dimension &d : loop.dimensions)
    fmt::format_to(std::back_inserter(text), "{}r{}=r{}:r{}:r{}", text.size() > 2 ? ", " : "",
                   d.index, d.begin, d.end, d.step);
  text += loop.ordered ? "] ordered" : "]";
  return text;
}

} // namespace

std::string disassemble(const Program &program) {
  std::string text;
  auto out = std::back_inserter(text);
  for (const auto &[reg, value] : program.constants)
    fmt::format_to(out, "r{} = {:#x}\n", reg, value.u);
  auto place = program.places.begin();
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    for (; place != program.places.end() && place->first <= pc; ++place)
      fmt::format_to(out, "# {}\n", place->path);
    const Instr &instr = program.code[pc];
    const auto kinds = operand_kinds(instr.op);
    fmt::format_to(out, "{}: {}{}{}{}{}", pc, name_of(instr.op),
                   operand_text(program, kinds[0], instr.a),
                   operand_text(program, kinds[1], instr.b),
                   operand_text(program, kinds[2], instr.c), extra_text(instr));
    if (instr.op == Op::LoopBegin)
      text += loop_text(program.loops[instr.a]);
    text += '\n';
  }
  return text;
}

} // namespace sdfgopt::interp
