// What an SDFG is compiled to: one flat list of instructions over typed registers.
//
// Nested SDFGs are compiled in place, so registers, memory slots and loops are all static: there is
// no call and no stack. A register has one type, known to the compiler; instructions name the type
// that they work in. Integer arithmetic wraps.
#pragma once

#include "interp/types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sdfgopt::interp {

using Reg = std::uint32_t;
using SlotId = std::uint32_t;
constexpr std::uint32_t none = UINT32_MAX;

// Families of instructions that exist once for each type in which C++ computes; within a family in
// this order, so that family + arithmetic_index(type) is the instruction.
// clang-format off
#define SDFGOPT_FOR_ARITHMETIC(X, name) \
  X(name##I32) X(name##I64) X(name##U32) X(name##U64) X(name##F32) X(name##F64)
#define SDFGOPT_FOR_INTEGERS(X, name) \
  X(name##I32) X(name##I64) X(name##U32) X(name##U64)

// a = b op c; comparisons give Bool. Min and Max as std::min and std::max: the first operand if
// neither is less. Division of integers cuts towards 0; by 0 it is a fault.
#define SDFGOPT_ARITHMETIC_FAMILIES(F, X) \
  F(X, Add) F(X, Sub) F(X, Mul) F(X, Div) F(X, Min) F(X, Max) F(X, Eq) F(X, Ne) F(X, Lt) F(X, Le) \
  F(X, Neg) F(X, Abs)
// Rem: sign of the dividend (C). Mod, FloorDiv: as Python. Shl, Shr: counts outside of
// 0 ... bits - 1 are a fault.
#define SDFGOPT_INTEGER_FAMILIES(F, X) \
  F(X, Rem) F(X, FloorDiv) F(X, CeilDiv) F(X, Mod) F(X, And) F(X, Or) F(X, Xor) F(X, Shl) \
  F(X, Shr) F(X, Invert)

#define SDFGOPT_OTHER_OPS(X) \
  /* Conversions, a = (type) b. From Int: any signed type or Bool; from UInt: any unsigned. */ \
  X(IntToF32) X(IntToF64) X(UIntToF32) X(UIntToF64) X(F32ToF64) X(F64ToF32) \
  X(F32ToI64) X(F64ToI64) X(F32ToU64) X(F64ToU64) \
  X(WrapI8) X(WrapI16) X(WrapI32) X(WrapU8) X(WrapU16) X(WrapU32) \
  X(IntToBool) X(F32ToBool) X(F64ToBool) \
  X(Move)       /* a = b */ \
  X(NotBool)    /* a = !b */ \
  X(Math1F32)   /* a = f(b) with f = Function(extra) */ \
  X(Math1F64) \
  X(Math2F32)   /* a = f(b, c) */ \
  X(Math2F64) \
  X(MulAdd)     /* a += b * c, Int64 */ \
  X(LoadI8)     /* a = element c (an Int64 register) of slot b */ \
  X(LoadI16) X(LoadI32) X(LoadU8) X(LoadU16) X(LoadU32) X(Load64) \
  X(Store8)     /* element c of slot b = a */ \
  X(Store16) X(Store32) X(Store64) \
  X(Jump)       /* to a */ \
  X(JumpIf)     /* to a if b */ \
  X(JumpIfNot)  /* to a if not b */ \
  X(Burn)       /* one unit of fuel */ \
  X(Tasklet)    /* the same, and counts as a tasklet */ \
  X(SlotOffset) /* slot a = slot b, beginning at its element c; extra: bytes of an element */ \
  X(Allocate)   /* fresh memory for container a */ \
  X(Ensure)     /* memory for container a unless it has some */ \
  X(Release)    /* container a has no memory any more */ \
  X(LoopBegin)  /* of loop a; to b if there is no iteration */ \
  X(LoopNext)   /* of loop a; to b if there is a next iteration */ \
  X(Push)       /* value a to stream slot b */ \
  X(Pop)        /* a = first value of stream slot b; empty: a fault */ \
  X(StreamSize) /* a = number of values in stream slot b, Int64 */ \
  X(StateBegin) /* of state a */ \
  X(StateEnd)   /* of state a */ \
  X(Fault)      /* with message a */ \
  X(Halt)
// clang-format on

enum class Op : std::uint16_t {
#define SDFGOPT_OP(name) name,
  SDFGOPT_ARITHMETIC_FAMILIES(SDFGOPT_FOR_ARITHMETIC, SDFGOPT_OP)
      SDFGOPT_INTEGER_FAMILIES(SDFGOPT_FOR_INTEGERS, SDFGOPT_OP) SDFGOPT_OTHER_OPS(SDFGOPT_OP)
#undef SDFGOPT_OP
};

/// Functions of Math1 and Math2.
enum class Function : std::uint16_t {
  // one argument
  Sqrt,
  Cbrt,
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Floor,
  Ceil,
  Round,
  Trunc,
  Rint,
  Erf,
  Erfc,
  Tgamma,
  Lgamma,
  IsNan,
  IsInf,
  IsFinite, ///< these three give Bool
  // two arguments
  Pow,
  Atan2,
  Hypot,
  Fmod,
  PyMod,
  Copysign,
  Fmin,
  Fmax,
  Nextafter,
};

struct Instr {
  Op op;
  std::uint16_t extra = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};
static_assert(sizeof(Instr) == 16);

/// Where in the graph an instruction comes from, for faults.
struct Place {
  std::uint32_t first; ///< instruction; the place holds up to the next one's
  std::string path;    ///< "state s2 'use', node n4"
};

/// An array, scalar or stream of the program or of an SDFG nested in it that has memory of its own.
struct Container {
  std::string name;
  ScalarType type = ScalarType::Int32;
  SlotId slot = none;
  std::vector<Reg> shape;   ///< Int64 registers
  std::vector<Reg> strides; ///< of the same length
  Reg total_size = none;    ///< elements in memory
  Reg start_offset = none;  ///< of the element with all indices 0; none: 0
  bool transient = false;
  bool zeroed = false; ///< some access node has setzero: fresh memory is zero
  bool stream = false;
  bool persistent = false; ///< Release does nothing
};

/// A loop over a box of iterations: a map, or a copy. An iteration gives each dimension's register
/// begin + k*step.
struct Loop {
  struct Dimension {
    Reg index; ///< Int64, set for each iteration
    Reg begin;
    Reg end; ///< inclusive
    Reg step;
  };
  std::vector<Dimension> dimensions; ///< the last one is innermost
  bool ordered = false;              ///< iterations keep their order whatever the seed
};

/// A symbol of the outermost SDFG.
struct SymbolInput {
  std::string name;
  ScalarType type;
  Reg reg;
  bool assigned; ///< by the program itself, so that it may do without a value from outside
};

struct StateInfo {
  std::string id;    ///< "s3"
  std::string label; ///< as in the file
};

struct Program {
  std::vector<Instr> code;
  std::vector<Place> places; ///< ascending
  std::vector<std::pair<Reg, Value>> constants;
  std::uint32_t registers = 0;
  std::uint32_t slots = 0;
  std::vector<Container> containers;
  std::vector<std::uint32_t> arguments; ///< containers that are not transient, in file order
  /// Instructions [0, prologue) compute the arguments' shapes from the symbols: run before inputs
  /// are bound.
  std::uint32_t prologue = 0;
  std::vector<Loop> loops;
  std::vector<SymbolInput> symbols;
  std::vector<StateInfo> states;
  std::vector<std::string> messages;
};

/// For tests and debugging, one instruction a line.
std::string disassemble(const Program &program);

} // namespace sdfgopt::interp
