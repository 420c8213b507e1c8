#include "interp/symbolic_compiler.h"

#include <cassert>
#include <charconv>

namespace sdfgopt::interp {

namespace {

using symbolic::Expr;
using symbolic::Kind;

class Compiler {
public:
  Compiler(SymbolScope &scope, Emitter &emitter) : scope_(scope), emitter_(emitter) {}

  support::result<Operand> value(Expr e) {
    switch (e->kind()) {
    case Kind::Integer:
      return emitter_.integer(e->numerator());
    case Kind::Rational:
      return emitter_.real(static_cast<double>(e->numerator()) /
                           static_cast<double>(e->denominator()));
    case Kind::Literal:
      return literal(e->name().view());
    case Kind::Symbol:
      return symbol(e->name());
    case Kind::Add:
      return fold(e, Binary::Add);
    case Kind::Mul:
      return product(e);
    case Kind::Pow:
      return power(e);
    case Kind::Max:
      return fold(e, Binary::Max);
    case Kind::Min:
      return fold(e, Binary::Min);
    case Kind::FloorDiv:
      return binary(e, Binary::Div);
    case Kind::CeilDiv:
      return ceiling_quotient(e);
    case Kind::Mod:
      return binary(e, Binary::Rem);
    case Kind::Eq:
      return binary(e, Binary::Eq);
    case Kind::Ne:
      return binary(e, Binary::Ne);
    case Kind::Lt:
      return binary(e, Binary::Lt);
    case Kind::Le:
      return binary(e, Binary::Le);
    case Kind::And:
    case Kind::Or:
      return logical(e);
    case Kind::Not: {
      SDFGOPT_TRY(const Operand a, value(e->args()[0]));
      return emitter_.logical_not(a);
    }
    case Kind::If:
      return choice(e);
    case Kind::Subscript:
      return element(e->args()[0]->name(), e->args().subspan(1));
    case Kind::Call:
      return call(e);
    case Kind::Undefined:
    case Kind::Attr:
    case Kind::Opaque:
      break;
    }
    return cannot("an expression of this kind", e->name().view());
  }

private:
  static support::Error cannot(std::string_view what, std::string_view name) {
    std::string message = "cannot run: " + std::string(what);
    if (!name.empty())
      message += " ('" + std::string(name) + "')";
    return {support::ErrorCode::Unsupported, std::move(message), ""};
  }

  support::result<Operand> literal(std::string_view text) {
    if (text == "True" || text == "False")
      return emitter_.boolean(text == "True");
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size())
      return emitter_.real(number);
    return cannot("the constant in an expression", text);
  }

  support::result<Operand> symbol(support::Name name) {
    if (const std::optional<Operand> found = scope_.symbol(name)) {
      // Narrow integers compute in 64 bits here: an index that overflows int32 is an error anyway.
      const bool integer = !is_float(found->type) && found->type != ScalarType::Bool;
      return integer ? emitter_.convert(*found, ScalarType::Int64) : *found;
    }
    return scope_.element(name, {});
  }

  support::result<Operand> element(support::Name data, std::span<const Expr> index) {
    std::vector<Operand> operands;
    for (const Expr i : index) {
      SDFGOPT_TRY(const Operand operand, value(i));
      operands.push_back(emitter_.convert(operand, ScalarType::Int64));
    }
    return scope_.element(data, operands);
  }

  support::result<Operand> binary(Expr e, Binary op) {
    SDFGOPT_TRY(const Operand a, value(e->args()[0]));
    SDFGOPT_TRY(const Operand b, value(e->args()[1]));
    if (op == Binary::Rem && is_float(promoted(a.type, b.type)))
      return emitter_.math(Function::Fmod, a, b);
    return emitter_.binary(op, a, b);
  }

  support::result<Operand> fold(Expr e, Binary op) {
    SDFGOPT_TRY(Operand result, value(e->args()[0]));
    for (const Expr argument : e->args().subspan(1)) {
      SDFGOPT_TRY(const Operand next, value(argument));
      result = emitter_.binary(op, result, next);
    }
    return result;
  }

  /// Integer factors first, the fraction last: what is a whole number then stays exact in double.
  support::result<Operand> product(Expr e) {
    std::optional<Operand> result;
    const auto times = [&](Operand factor) {
      result = result ? emitter_.binary(Binary::Mul, *result, factor) : factor;
    };
    for (const Expr factor : e->args()) {
      if (factor->kind() == Kind::Rational)
        continue;
      SDFGOPT_TRY(const Operand operand, value(factor));
      times(operand);
    }
    for (const Expr factor : e->args())
      if (factor->kind() == Kind::Rational) {
        times(emitter_.real(static_cast<double>(factor->numerator())));
        result = emitter_.binary(Binary::Div, *result,
                                 emitter_.real(static_cast<double>(factor->denominator())));
      }
    return *result;
  }

  support::result<Operand> power(Expr e) {
    SDFGOPT_TRY(const Operand base, value(e->args()[0]));
    const Expr exponent = e->args()[1];
    if (exponent->kind() == Kind::Integer && exponent->numerator() > 0 &&
        exponent->numerator() <= 16) {
      Operand result = base;
      for (std::int64_t k = 1; k < exponent->numerator(); ++k)
        result = emitter_.binary(Binary::Mul, result, base);
      return result;
    }
    if (exponent->is_integer(-1))
      return emitter_.binary(Binary::Div, emitter_.real(1.0), base);
    SDFGOPT_TRY(const Operand power, value(exponent));
    return emitter_.math(Function::Pow, base, power);
  }

  support::result<Operand> ceiling_quotient(Expr e) {
    SDFGOPT_TRY(const Operand a, value(e->args()[0]));
    SDFGOPT_TRY(const Operand b, value(e->args()[1]));
    const Operand above =
        emitter_.binary(Binary::Sub, emitter_.binary(Binary::Add, a, b), emitter_.integer(1));
    return emitter_.binary(Binary::Div, above, b);
  }

  support::result<Operand> logical(Expr e) {
    const Operand result = emitter_.new_operand(ScalarType::Bool);
    const Label done = emitter_.new_label();
    for (const Expr argument : e->args()) {
      SDFGOPT_TRY(const Operand operand, value(argument));
      emitter_.assign(result, operand);
      if (e->kind() == Kind::And)
        emitter_.jump_if_not(result, done);
      else
        emitter_.jump_if(result, done);
    }
    emitter_.bind(done);
    return result;
  }

  support::result<Operand> choice(Expr e) {
    SDFGOPT_TRY(const Operand condition, value(e->args()[0]));
    const Label otherwise = emitter_.new_label();
    const Label done = emitter_.new_label();
    emitter_.jump_if_not(condition, otherwise);
    SDFGOPT_TRY(const Operand yes, value(e->args()[1]));
    // The type is that of both; Float64 holds every integer that an index can be.
    const bool integers = !is_float(yes.type);
    const Operand result = emitter_.new_operand(integers ? ScalarType::Int64 : ScalarType::Float64);
    emitter_.assign(result, yes);
    emitter_.jump(done);
    emitter_.bind(otherwise);
    SDFGOPT_TRY(const Operand no, value(e->args()[2]));
    if (integers && is_float(no.type))
      return cannot("a choice between an integer and a float", "");
    emitter_.assign(result, no);
    emitter_.bind(done);
    return result;
  }

  support::result<Operand> call(Expr e) {
    const std::string_view name = e->name().view();
    // `A(i)` reads data in files of DaCe before 2.0.
    if (scope_.is_data(e->name()))
      return element(e->name(), e->args());
    if ((name == "Abs" || name == "abs") && e->args().size() == 1) {
      SDFGOPT_TRY(const Operand a, value(e->args()[0]));
      return emitter_.unary(Unary::Abs, a);
    }
    if ((name == "int" || name == "int64" || name == "int32") && e->args().size() == 1) {
      SDFGOPT_TRY(const Operand a, value(e->args()[0]));
      return emitter_.convert(a, ScalarType::Int64);
    }
    return cannot("a call in an expression", name);
  }

  SymbolScope &scope_;
  Emitter &emitter_;
};

} // namespace

support::result<Operand> compile_symbolic(Expr expression, SymbolScope &scope, Emitter &emitter) {
  return Compiler(scope, emitter).value(expression);
}

support::result<Operand> compile_integer(Expr expression, SymbolScope &scope, Emitter &emitter) {
  SDFGOPT_TRY(const Operand value, compile_symbolic(expression, scope, emitter));
  return emitter.convert(value, ScalarType::Int64);
}

} // namespace sdfgopt::interp
