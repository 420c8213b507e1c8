#include "interp/emitter.h"

#include <bit>
#include <cassert>

namespace sdfgopt::interp {

namespace {

/// Place of a type in a family of instructions.
std::uint16_t arithmetic_index(ScalarType type) {
  switch (type) {
  case ScalarType::Int32:
    return 0;
  case ScalarType::Int64:
    return 1;
  case ScalarType::UInt32:
    return 2;
  case ScalarType::UInt64:
    return 3;
  case ScalarType::Float32:
    return 4;
  case ScalarType::Float64:
    return 5;
  case ScalarType::Bool:
  case ScalarType::Int8:
  case ScalarType::Int16:
  case ScalarType::UInt8:
  case ScalarType::UInt16:
    break;
  }
  assert(false && "not a type of arithmetic");
  return 0;
}

Op in_family(Op first, ScalarType type) {
  return static_cast<Op>(static_cast<std::uint16_t>(first) + arithmetic_index(type));
}

Op family(Binary op) {
  switch (op) {
  case Binary::Add:
    return Op::AddI32;
  case Binary::Sub:
    return Op::SubI32;
  case Binary::Mul:
    return Op::MulI32;
  case Binary::Div:
    return Op::DivI32;
  case Binary::Min:
    return Op::MinI32;
  case Binary::Max:
    return Op::MaxI32;
  case Binary::Eq:
    return Op::EqI32;
  case Binary::Ne:
    return Op::NeI32;
  case Binary::Lt:
    return Op::LtI32;
  case Binary::Le:
    return Op::LeI32;
  case Binary::Rem:
    return Op::RemI32;
  case Binary::FloorDiv:
    return Op::FloorDivI32;
  case Binary::CeilDiv:
    return Op::CeilDivI32;
  case Binary::Mod:
    return Op::ModI32;
  case Binary::And:
    return Op::AndI32;
  case Binary::Or:
    return Op::OrI32;
  case Binary::Xor:
    return Op::XorI32;
  case Binary::Shl:
    return Op::ShlI32;
  case Binary::Shr:
    return Op::ShrI32;
  }
  assert(false);
  return Op::Halt;
}

bool is_comparison(Binary op) {
  return op == Binary::Eq || op == Binary::Ne || op == Binary::Lt || op == Binary::Le;
}

Op load_op(ScalarType type) {
  switch (type) {
  case ScalarType::Int8:
    return Op::LoadI8;
  case ScalarType::Int16:
    return Op::LoadI16;
  case ScalarType::Int32:
    return Op::LoadI32;
  case ScalarType::Bool:
  case ScalarType::UInt8:
    return Op::LoadU8;
  case ScalarType::UInt16:
    return Op::LoadU16;
  case ScalarType::UInt32:
  case ScalarType::Float32:
    return Op::LoadU32;
  case ScalarType::Int64:
  case ScalarType::UInt64:
  case ScalarType::Float64:
    return Op::Load64;
  }
  assert(false);
  return Op::Halt;
}

Op store_op(ScalarType type) {
  switch (size_of(type)) {
  case 1:
    return Op::Store8;
  case 2:
    return Op::Store16;
  case 4:
    return Op::Store32;
  default:
    return Op::Store64;
  }
}

/// Conversion to Int64, UInt64 (from a float), Float32 or Float64; Move where bits stay.
Op widening(ScalarType from, ScalarType to) {
  if (to == ScalarType::Float64) {
    if (from == ScalarType::Float32)
      return Op::F32ToF64;
    return is_unsigned(from) ? Op::UIntToF64 : Op::IntToF64;
  }
  if (to == ScalarType::Float32) {
    if (from == ScalarType::Float64)
      return Op::F64ToF32;
    return is_unsigned(from) ? Op::UIntToF32 : Op::IntToF32;
  }
  if (from == ScalarType::Float32)
    return to == ScalarType::UInt64 ? Op::F32ToU64 : Op::F32ToI64;
  if (from == ScalarType::Float64)
    return to == ScalarType::UInt64 ? Op::F64ToU64 : Op::F64ToI64;
  return Op::Move;
}

/// Cuts an integer register to a narrower type; Move where there is nothing to cut.
Op narrowing(ScalarType to) {
  switch (to) {
  case ScalarType::Int8:
    return Op::WrapI8;
  case ScalarType::Int16:
    return Op::WrapI16;
  case ScalarType::Int32:
    return Op::WrapI32;
  case ScalarType::UInt8:
    return Op::WrapU8;
  case ScalarType::UInt16:
    return Op::WrapU16;
  case ScalarType::UInt32:
    return Op::WrapU32;
  case ScalarType::Bool:
  case ScalarType::Int64:
  case ScalarType::UInt64:
  case ScalarType::Float32:
  case ScalarType::Float64:
    break;
  }
  return Op::Move;
}

/// Conversion of a constant; nothing from floats to integers, which is left to the machine.
std::optional<Value> converted(Value value, ScalarType from, ScalarType to) {
  if (is_float(from)) {
    if (to == ScalarType::Float32)
      return Value{.u = std::bit_cast<std::uint32_t>(static_cast<float>(value.d))};
    return to == ScalarType::Float64 ? std::optional(Value{.d = value.f}) : std::nullopt;
  }
  const bool wide = from == ScalarType::UInt64;
  switch (to) {
  case ScalarType::Bool:
    return Value{.i = value.i != 0};
  case ScalarType::Int8:
    return Value{.i = static_cast<std::int8_t>(value.i)};
  case ScalarType::Int16:
    return Value{.i = static_cast<std::int16_t>(value.i)};
  case ScalarType::Int32:
    return Value{.i = static_cast<std::int32_t>(value.i)};
  case ScalarType::UInt8:
    return Value{.u = static_cast<std::uint8_t>(value.u)};
  case ScalarType::UInt16:
    return Value{.u = static_cast<std::uint16_t>(value.u)};
  case ScalarType::UInt32:
    return Value{.u = static_cast<std::uint32_t>(value.u)};
  case ScalarType::Float32:
    return Value{.u = std::bit_cast<std::uint32_t>(wide ? static_cast<float>(value.u)
                                                        : static_cast<float>(value.i))};
  case ScalarType::Float64:
    return Value{.d = wide ? static_cast<double>(value.u) : static_cast<double>(value.i)};
  case ScalarType::Int64:
  case ScalarType::UInt64:
    break;
  }
  return value;
}

Op to_bool(ScalarType from) {
  if (from == ScalarType::Float32)
    return Op::F32ToBool;
  return from == ScalarType::Float64 ? Op::F64ToBool : Op::IntToBool;
}

} // namespace

void Emitter::emit(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint16_t extra) {
  program_.code.push_back({op, extra, a, b, c});
}

Operand Emitter::constant(ScalarType type, Value value) {
  const auto [it, added] = constants_.try_emplace({type, value.u}, 0);
  if (added) {
    it->second = new_register();
    program_.constants.emplace_back(it->second, value);
    known_.emplace(it->second, value);
  }
  return {it->second, type};
}

std::optional<Value> Emitter::known(Operand operand) const {
  const auto found = known_.find(operand.reg);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

Operand Emitter::integer(std::int64_t value, ScalarType type) {
  return constant(type, Value{.i = value});
}

Operand Emitter::real(double value) { return constant(ScalarType::Float64, Value{.d = value}); }

Operand Emitter::boolean(bool value) { return constant(ScalarType::Bool, Value{.i = value}); }

/// Of Int64: what constants and neutral elements make of an operation.
std::optional<Operand> Emitter::folded(Binary op, Operand a, Operand b) {
  const std::optional<Value> x = known(a);
  const std::optional<Value> y = known(b);
  const auto is = [](const std::optional<Value> &value, std::int64_t i) {
    return value && value->i == i;
  };
  if (op == Binary::Add) {
    if (x && y)
      return integer(static_cast<std::int64_t>(x->u + y->u));
    return is(x, 0) ? std::optional(b) : is(y, 0) ? std::optional(a) : std::nullopt;
  }
  if (op == Binary::Mul) {
    if (x && y)
      return integer(static_cast<std::int64_t>(x->u * y->u));
    if (is(x, 0) || is(y, 0))
      return integer(0);
    return is(x, 1) ? std::optional(b) : is(y, 1) ? std::optional(a) : std::nullopt;
  }
  if (op == Binary::Sub && x && y)
    return integer(static_cast<std::int64_t>(x->u - y->u));
  return std::nullopt;
}

Operand Emitter::binary(Binary op, Operand a, Operand b) {
  const ScalarType type = promoted(a.type, b.type);
  a = convert(a, type);
  b = convert(b, type);
  if (type == ScalarType::Int64)
    if (const std::optional<Operand> result = folded(op, a, b))
      return *result;
  const Operand result = new_operand(is_comparison(op) ? ScalarType::Bool : type);
  assert(!is_float(type) || op < Binary::Rem);
  emit(in_family(family(op), type), result.reg, a.reg, b.reg);
  return result;
}

Operand Emitter::unary(Unary op, Operand a) {
  const ScalarType type = promoted(a.type);
  a = convert(a, type);
  const Operand result = new_operand(type);
  assert(!is_float(type) || op != Unary::Invert);
  const Op first = op == Unary::Neg ? Op::NegI32 : op == Unary::Abs ? Op::AbsI32 : Op::InvertI32;
  emit(in_family(first, type), result.reg, a.reg);
  return result;
}

Operand Emitter::boolean_of(Operand a) { return convert(a, ScalarType::Bool); }

Operand Emitter::logical_not(Operand a) {
  const Operand result = new_operand(ScalarType::Bool);
  emit(Op::NotBool, result.reg, boolean_of(a).reg);
  return result;
}

Operand Emitter::convert(Operand a, ScalarType type) {
  if (a.type == type)
    return a;
  if (const std::optional<Value> value = known(a))
    if (const std::optional<Value> result = converted(*value, a.type, type))
      return constant(type, *result);
  const Operand result = new_operand(type);
  if (type == ScalarType::Bool) {
    emit(to_bool(a.type), result.reg, a.reg);
    return result;
  }
  const Op wide = widening(a.type, is_float(type)               ? type
                                   : type == ScalarType::UInt64 ? type
                                                                : ScalarType::Int64);
  const Op narrow = is_float(type) ? Op::Move : narrowing(type);
  // A value of every type but the wider ones fits as it is; wrapping is harmless then.
  if (wide != Op::Move || narrow == Op::Move)
    emit(wide, result.reg, a.reg);
  if (narrow != Op::Move)
    emit(narrow, result.reg, wide == Op::Move ? a.reg : result.reg);
  return result;
}

void Emitter::assign(Operand target, Operand value) {
  emit(Op::Move, target.reg, convert(value, target.type).reg);
}

namespace {
bool is_predicate(Function function) {
  return function == Function::IsNan || function == Function::IsInf ||
         function == Function::IsFinite;
}
} // namespace

Operand Emitter::math(Function function, Operand a) {
  const ScalarType type = a.type == ScalarType::Float32 ? ScalarType::Float32 : ScalarType::Float64;
  const Operand x = convert(a, type);
  const Operand result = new_operand(is_predicate(function) ? ScalarType::Bool : type);
  emit(type == ScalarType::Float32 ? Op::Math1F32 : Op::Math1F64, result.reg, x.reg, 0,
       static_cast<std::uint16_t>(function));
  return result;
}

Operand Emitter::math(Function function, Operand a, Operand b) {
  const bool narrow = a.type == ScalarType::Float32 && b.type == ScalarType::Float32;
  const ScalarType type = narrow ? ScalarType::Float32 : ScalarType::Float64;
  const Operand x = convert(a, type);
  const Operand y = convert(b, type);
  const Operand result = new_operand(type);
  emit(narrow ? Op::Math2F32 : Op::Math2F64, result.reg, x.reg, y.reg,
       static_cast<std::uint16_t>(function));
  return result;
}

Label Emitter::new_label() {
  labels_.push_back(none);
  return {static_cast<std::uint32_t>(labels_.size() - 1)};
}

void Emitter::bind(Label label) {
  assert(labels_[label.id] == none);
  labels_[label.id] = next();
}

void Emitter::jump(Label label) { emit(Op::Jump, label.id); }

void Emitter::jump_if(Operand condition, Label label) {
  emit(Op::JumpIf, label.id, boolean_of(condition).reg);
}

void Emitter::jump_if_not(Operand condition, Label label) {
  emit(Op::JumpIfNot, label.id, boolean_of(condition).reg);
}

Operand Emitter::load(SlotId slot, Operand offset, ScalarType type) {
  assert(offset.type == ScalarType::Int64);
  const Operand result = new_operand(type);
  emit(load_op(type), result.reg, slot, offset.reg);
  return result;
}

void Emitter::store(SlotId slot, Operand offset, ScalarType type, Operand value) {
  assert(offset.type == ScalarType::Int64);
  emit(store_op(type), convert(value, type).reg, slot, offset.reg);
}

Emitter::OpenLoop Emitter::begin_loop(Loop loop) {
  const OpenLoop open = {static_cast<std::uint32_t>(program_.loops.size()), new_label(),
                         new_label()};
  program_.loops.push_back(std::move(loop));
  emit(Op::LoopBegin, open.index, open.done.id);
  bind(open.body);
  return open;
}

void Emitter::end_loop(const OpenLoop &open) {
  emit(Op::LoopNext, open.index, open.body.id);
  bind(open.done);
}

void Emitter::fault(std::string message) {
  emit(Op::Fault, static_cast<std::uint32_t>(program_.messages.size()));
  program_.messages.push_back(std::move(message));
}

void Emitter::finish() {
  for (Instr &instr : program_.code) {
    if (instr.op == Op::Jump || instr.op == Op::JumpIf || instr.op == Op::JumpIfNot)
      instr.a = labels_[instr.a];
    else if (instr.op == Op::LoopBegin || instr.op == Op::LoopNext)
      instr.b = labels_[instr.b];
  }
}

} // namespace sdfgopt::interp
