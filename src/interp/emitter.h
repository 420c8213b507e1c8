// Writes instructions: registers, constants, conversions, labels.
#pragma once

#include "interp/bytecode.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace sdfgopt::interp {

/// A register and the type of what it holds.
struct Operand {
  Reg reg = none;
  ScalarType type = ScalarType::Int64;
};

/// Operators on two operands: the families of bytecode.h, by the name of the I32 member.
enum class Binary : std::uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Min,
  Max,
  Eq,
  Ne,
  Lt,
  Le, // any type
  Rem,
  FloorDiv,
  CeilDiv,
  Mod,
  And,
  Or,
  Xor,
  Shl,
  Shr, // integers
};
enum class Unary : std::uint8_t { Neg, Abs, Invert };

/// A place to jump to; may be used before it is bound.
struct Label {
  std::uint32_t id;
};

class Emitter {
public:
  explicit Emitter(Program &program) : program_(program) {}

  [[nodiscard]] Program &program() { return program_; }

  Reg new_register() { return program_.registers++; }
  Operand new_operand(ScalarType type) { return {new_register(), type}; }
  /// A register that holds a constant from the start. The same for the same bits and type.
  Operand constant(ScalarType type, Value value);
  Operand integer(std::int64_t value, ScalarType type = ScalarType::Int64);
  Operand real(double value); ///< Float64
  Operand boolean(bool value);
  /// The value of a register that constant() gave; nothing for others.
  [[nodiscard]] std::optional<Value> known(Operand operand) const;

  /// `a op b` as C++ computes it: both promoted, the result of the promoted type; Bool for
  /// comparisons. Of floats with a Binary for integers only: not allowed (assert); see math().
  Operand binary(Binary op, Operand a, Operand b);
  Operand unary(Unary op, Operand a);
  Operand logical_not(Operand a); ///< of any type: a == 0
  /// The value in another type, as a C++ cast; `a` itself if the type is the same.
  Operand convert(Operand a, ScalarType type);
  /// Writes `value`, converted, into an existing register.
  void assign(Operand target, Operand value);
  /// `function` in Float32 if all arguments are Float32, else in Float64.
  Operand math(Function function, Operand a);
  Operand math(Function function, Operand a, Operand b);

  Label new_label();
  void bind(Label label); ///< to the next instruction
  void jump(Label label);
  void jump_if(Operand condition, Label label); ///< any type; true if not 0
  void jump_if_not(Operand condition, Label label);

  /// Element `offset` (Int64) of a slot that holds elements of a type.
  Operand load(SlotId slot, Operand offset, ScalarType type);
  void store(SlotId slot, Operand offset, ScalarType type, Operand value);

  /// LoopBegin and LoopNext around the iterations of `loop`; the body is emitted in between.
  struct OpenLoop {
    std::uint32_t index;
    Label body;
    Label done;
  };
  OpenLoop begin_loop(Loop loop);
  void end_loop(const OpenLoop &open);

  void fault(std::string message);
  void emit(Op op, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0,
            std::uint16_t extra = 0);
  [[nodiscard]] std::uint32_t next() const {
    return static_cast<std::uint32_t>(program_.code.size());
  }
  /// Puts labels' places into the jumps. To be called once, at the end.
  void finish();

private:
  Operand boolean_of(Operand a);
  std::optional<Operand> folded(Binary op, Operand a, Operand b);

  Program &program_;
  std::map<std::pair<ScalarType, std::uint64_t>, Reg> constants_;
  std::unordered_map<Reg, Value> known_;
  std::vector<std::uint32_t> labels_; // where each is bound
};

} // namespace sdfgopt::interp
