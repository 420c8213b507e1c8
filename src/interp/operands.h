// What the operands of each instruction name: for the disassembler and for checks of programs.
#pragma once

#include "interp/bytecode.h"

#include <array>

namespace sdfgopt::interp {

enum class OperandKind : std::uint8_t {
  None,
  Target, ///< a register that is written
  Source, ///< a register that is read
  Slot,
  Container,
  Loop,
  Code, ///< an instruction
  State,
  Message,
};

std::string_view name_of(Op op);
/// Kinds of a, b and c.
std::array<OperandKind, 3> operand_kinds(Op op);

/// Every operand names something that exists, and so do the tables: what the machine relies on.
bool is_well_formed(const Program &program);

} // namespace sdfgopt::interp
