// Expressions as text.
//
// Dollar is what DaCe writes: a sum starts with its number, `-` stands for a negative coefficient
// inside a sum, and a product alone shows the coefficient -1:
//     3 - $M + 2*$N      -$s + Max($eh, $el)      -1*$N      1/2*$N      $a/$b
// Logic is spelled as calls (AND, OR, Not, Eq, Ne, IfExpr), order as operators ($N < $M).
// Legacy is the same without `$`; Python uses Python's operators instead of calls, and parentheses
// only where precedence asks for them. Reading the text back gives the same canonical form, except
// that Python has no exact quotient (a Rational prints as `N/2`, which reads as a float division).
#include "symbolic/impl.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace sdfgopt::symbolic {

namespace {

enum Precedence : std::uint8_t {
  Ternary,
  Or,
  And,
  Not,
  Comparison,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Additive,
  Product,
  Unary,
  Power,
  Atom,
};

/// An uninterpreted call that is an operator in the file.
struct Operator {
  std::string_view symbol;
  Precedence precedence;
  std::string_view function; // its name where there is no such operator; empty: always an operator
};

const Operator *find_operator(Expr e) {
  static constexpr std::array<Operator, 9> operators = {{
      {"/", Product, ""},
      {"&", BitAnd, "bitwise_and"},
      {"|", BitOr, "bitwise_or"},
      {"^", BitXor, "bitwise_xor"},
      {"<<", Shift, "left_shift"},
      {">>", Shift, "right_shift"},
      {"is", Comparison, "Is"},
      {"is not", Comparison, "IsNot"},
      {"~", Unary, ""},
  }};
  const auto name = e->name().view();
  const auto *found = std::ranges::find(operators, name, &Operator::symbol);
  if (found == operators.end() || e->args().size() != (name == "~" ? 1U : 2U))
    return nullptr;
  return found;
}

/// A node that is an operator in Python and a call elsewhere.
struct InfixKind {
  Kind kind;
  std::string_view symbol;
  Precedence precedence;
  std::string_view function;
};

const InfixKind &infix_kind(Kind kind) {
  static constexpr std::array<InfixKind, 6> kinds = {{
      {Kind::FloorDiv, " // ", Product, "int_floor"},
      {Kind::Mod, " % ", Product, "Mod"},
      {Kind::Eq, " == ", Comparison, "Eq"},
      {Kind::Ne, " != ", Comparison, "Ne"},
      {Kind::And, " and ", And, "AND"},
      {Kind::Or, " or ", Or, "OR"},
  }};
  const auto *found = std::ranges::find(kinds, kind, &InfixKind::kind);
  assert(found != kinds.end());
  return *found;
}

class Printer {
public:
  Printer(const Context::Impl &impl, Grammar grammar) : impl_(impl), grammar_(grammar) {}
  void print(Expr e, Precedence least);
  std::string take() { return std::move(out_); }

private:
  [[nodiscard]] bool python() const { return grammar_ == Grammar::Python; }
  [[nodiscard]] Precedence precedence(Expr e) const;
  [[nodiscard]] bool is_divisor(Expr factor) const;
  void print_bare(Expr e);
  void print_symbol(Name name);
  void print_sum(std::span<const Expr> terms);
  /// In a sum the sign is printed by the sum.
  void print_product(Expr e, bool in_sum);
  void print_power(Expr e);
  void print_leaf(Expr e);
  void print_divisor(Expr factor);
  void print_conditional(std::span<const Expr> args);
  void print_subscript(std::span<const Expr> args);
  void print_not(Expr arg);
  void print_call(Expr e);
  void call(std::string_view name, std::span<const Expr> args);
  void infix(std::string_view op, std::span<const Expr> args, Precedence left, Precedence right);
  void print_infix(Expr e);
  void list(std::span<const Expr> args);

  const Context::Impl &impl_;
  Grammar grammar_;
  std::string out_;
};

std::string digits(std::int64_t value) {
  std::string text = std::to_string(value);
  return value < 0 ? text.substr(1) : text;
}

bool is_negative(Expr term) {
  if (auto number = number_of(term))
    return number->num < 0;
  if (term->kind() == Kind::Literal)
    return term->name().view().starts_with('-');
  return term->kind() == Kind::Mul && number_of(term->args().front()).value_or(Number{}).num < 0;
}

/// x ** -n, which prints as a divisor. (In Python `/` would read as a float division.)
bool Printer::is_divisor(Expr factor) const {
  return !python() && factor->kind() == Kind::Pow && factor->args()[1]->kind() == Kind::Integer &&
         factor->args()[1]->numerator() < 0;
}

Precedence Printer::precedence(Expr e) const {
  switch (e->kind()) {
  case Kind::Integer:
    return e->numerator() < 0 ? Unary : Atom;
  case Kind::Rational:
  case Kind::Mul:
    return Product;
  case Kind::Literal:
    return e->name().view().find('/') != std::string_view::npos ? Product
           : is_negative(e)                                     ? Unary
                                                                : Atom;
  case Kind::Add:
    return Additive;
  case Kind::Pow:
    return is_divisor(e) ? Product : Power;
  case Kind::FloorDiv:
  case Kind::Mod:
  case Kind::Eq:
  case Kind::Ne:
  case Kind::And:
  case Kind::Or:
    return python() ? infix_kind(e->kind()).precedence : Atom;
  case Kind::Lt:
  case Kind::Le:
    return Comparison;
  case Kind::Not:
    return python() ? Not : Atom;
  case Kind::If:
    return python() ? Ternary : Atom;
  case Kind::Call:
    if (const Operator *op = find_operator(e); op && (python() || op->function.empty()))
      return op->precedence;
    return Atom;
  case Kind::Opaque:
    return Ternary;
  case Kind::Symbol:
  case Kind::Undefined:
  case Kind::Max:
  case Kind::Min:
  case Kind::CeilDiv:
  case Kind::Subscript:
  case Kind::Attr:
    return Atom;
  }
  return Atom;
}

void Printer::print(Expr e, Precedence least) {
  const bool parenthesise = precedence(e) < least;
  if (parenthesise)
    out_ += '(';
  print_bare(e);
  if (parenthesise)
    out_ += ')';
}

void Printer::list(std::span<const Expr> args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (i > 0)
      out_ += ", ";
    print(args[i], Ternary);
  }
}

void Printer::call(std::string_view name, std::span<const Expr> args) {
  out_ += name;
  out_ += '(';
  list(args);
  out_ += ')';
}

/// `left op right op right`; operands of a lower precedence than theirs get parentheses.
void Printer::infix(std::string_view op, std::span<const Expr> args, Precedence left,
                    Precedence right) {
  print(args[0], left);
  for (Expr arg : args.subspan(1)) {
    out_ += op;
    print(arg, right);
  }
}

void Printer::print_infix(Expr e) {
  const InfixKind &kind = infix_kind(e->kind());
  if (!python()) {
    call(kind.function, e->args());
    return;
  }
  // A comparison beside a comparison would read as a chain.
  const auto above = static_cast<Precedence>(kind.precedence + 1);
  infix(kind.symbol, e->args(), kind.precedence == Comparison ? above : kind.precedence, above);
}

void Printer::print_symbol(Name name) {
  if (grammar_ == Grammar::Dollar) {
    if (auto found = impl_.annotations.find(name); found != impl_.annotations.end()) {
      out_ += found->second;
      return;
    }
    out_ += '$';
  }
  out_ += name.view();
}

void Printer::print_sum(std::span<const Expr> terms) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Expr term = terms[i];
    const bool negative = is_negative(term);
    if (i > 0)
      out_ += negative ? " - " : " + ";
    else if (negative)
      out_ += '-';
    if (term->kind() == Kind::Mul)
      print_product(term, true);
    else if (auto number = number_of(term))
      out_ += digits(number->num) + (number->den == 1 ? "" : "/" + std::to_string(number->den));
    else if (term->kind() == Kind::Literal)
      out_ += term->name().view().substr(negative ? 1 : 0);
    else
      print(term, Product);
  }
}

void Printer::print_product(Expr e, bool in_sum) {
  std::span<const Expr> factors = e->args();
  const auto coefficient = number_of(factors.front());
  if (coefficient)
    factors = factors.subspan(1);
  const Number number = coefficient.value_or(Number{1, 1});
  if (number.num < 0 && !in_sum)
    out_ += '-';
  const bool dollar = grammar_ == Grammar::Dollar;
  const bool is_one = (number.num == 1 || number.num == -1) && (number.den == 1 || !dollar);
  const bool needs_numerator =
      std::ranges::all_of(factors, [&](Expr factor) { return is_divisor(factor); });
  const char *separator = "";
  if (!is_one || needs_numerator || (dollar && number.num == -1 && !in_sum)) {
    out_ += digits(number.num);
    if (dollar && number.den != 1)
      out_ += "/" + std::to_string(number.den);
    separator = "*";
  }
  for (Expr factor : factors) {
    if (is_divisor(factor))
      continue;
    out_ += separator;
    print(factor, Unary);
    separator = "*";
  }
  for (Expr factor : factors)
    if (is_divisor(factor))
      print_divisor(factor);
  if (!dollar && number.den != 1)
    out_ += "/" + std::to_string(number.den);
}

void Printer::print_power(Expr e) {
  if (is_divisor(e)) {
    out_ += '1';
    print_divisor(e);
    return;
  }
  print(e->args()[0], Atom);
  out_ += "**";
  print(e->args()[1], python() ? Unary : Power);
}

void Printer::print_divisor(Expr factor) {
  const Expr base = factor->args()[0];
  const Expr exponent = factor->args()[1];
  out_ += '/';
  print(base, exponent->is_integer(-1) ? Power : Atom);
  if (!exponent->is_integer(-1))
    out_ += "**" + digits(exponent->numerator());
}

void Printer::print_conditional(std::span<const Expr> args) {
  if (!python()) {
    call("IfExpr", args);
    return;
  }
  print(args[1], Or);
  out_ += " if ";
  print(args[0], Or);
  out_ += " else ";
  print(args[2], Ternary);
}

void Printer::print_not(Expr arg) {
  // `~` is how DaCe prints it in Dollar, but it reads that back as the bitwise operator.
  if (!python()) {
    call("Not", std::array{arg});
    return;
  }
  out_ += "not ";
  print(arg, Not);
}

void Printer::print_subscript(std::span<const Expr> args) {
  if (grammar_ == Grammar::Dollar) {
    call("Subscript", args);
    return;
  }
  print(args[0], Atom);
  out_ += '[';
  list(args.subspan(1));
  out_ += ']';
}

void Printer::print_call(Expr e) {
  const Operator *op = find_operator(e);
  if (op && e->args().size() == 1) {
    out_ += op->symbol;
    print(e->args()[0], Unary);
  } else if (op && (python() || op->function.empty())) {
    const auto above = static_cast<Precedence>(op->precedence + 1);
    infix(" " + std::string(op->symbol) + " ", e->args(),
          op->precedence == Comparison ? above : op->precedence, above);
  } else if (op) {
    // The twin with underscores is what DaCe writes for an operator.
    call((grammar_ == Grammar::Dollar ? "__" : "") + std::string(op->function), e->args());
  } else {
    call(python() && e->name().view() == "Abs" ? "abs" : e->name().view(), e->args());
  }
}

void Printer::print_leaf(Expr e) {
  if (number_of(e))
    out_ += std::to_string(e->numerator());
  if (e->kind() == Kind::Rational)
    out_ += "/" + std::to_string(e->denominator());
  if (e->kind() == Kind::Symbol)
    print_symbol(e->name());
  else if (e->kind() == Kind::Undefined)
    out_ += grammar_ == Grammar::Dollar ? "$?" : "?";
  else
    out_ += e->name().view();
}

// Long only because the kinds are many: one case each, so that the compiler names a missing one.
void Printer::print_bare(Expr e) {
  const auto args = e->args();
  switch (e->kind()) {
  case Kind::Integer:
  case Kind::Rational:
  case Kind::Literal:
  case Kind::Opaque:
  case Kind::Symbol:
  case Kind::Undefined:
    print_leaf(e);
    break;
  case Kind::Add:
    print_sum(args);
    break;
  case Kind::Mul:
    print_product(e, false);
    break;
  case Kind::Pow:
    print_power(e);
    break;
  case Kind::Max:
    call("Max", args);
    break;
  case Kind::Min:
    call("Min", args);
    break;
  case Kind::CeilDiv:
    call("int_ceil", args);
    break;
  case Kind::FloorDiv:
  case Kind::Mod:
  case Kind::Eq:
  case Kind::Ne:
  case Kind::And:
  case Kind::Or:
    print_infix(e);
    break;
  case Kind::Lt:
    infix(" < ", args, BitOr, BitOr);
    break;
  case Kind::Le:
    infix(" <= ", args, BitOr, BitOr);
    break;
  case Kind::Not:
    print_not(args[0]);
    break;
  case Kind::If:
    print_conditional(args);
    break;
  case Kind::Call:
    print_call(e);
    break;
  case Kind::Subscript:
    print_subscript(args);
    break;
  case Kind::Attr:
    print(args[0], Atom);
    out_ += '.';
    out_ += e->name().view();
    break;
  }
}

} // namespace

std::string Context::print(Expr e, Grammar grammar) const {
  Printer printer(*impl_, grammar);
  printer.print(e, Ternary);
  return printer.take();
}

} // namespace sdfgopt::symbolic
