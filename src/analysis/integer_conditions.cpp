#include "analysis/integer_conditions.h"

#include "analysis/memlet_tree.h"
#include "support/words.h"

#include <algorithm>
#include <array>

namespace sdfgopt::analysis {

using symbolic::Grammar;
using symbolic::Kind;

SymbolType symbol_type(std::string_view dtype) {
  static constexpr std::array<std::pair<std::string_view, SymbolType>, 10> types = {
      {{"\"bool\"", SymbolType::Narrow},
       {"\"bool_\"", SymbolType::Narrow},
       {"\"int8\"", SymbolType::Narrow},
       {"\"int16\"", SymbolType::Narrow},
       {"\"int32\"", SymbolType::Signed},
       {"\"int64\"", SymbolType::Signed},
       {"\"uint8\"", SymbolType::Unsigned},
       {"\"uint16\"", SymbolType::Unsigned},
       {"\"uint32\"", SymbolType::Unsigned},
       {"\"uint64\"", SymbolType::Unsigned}}};
  for (const auto &[name, type] : types)
    if (name == dtype)
      return type;
  return SymbolType::Other;
}

namespace {

bool is_python(const ir::Code &code) { return !code.language || code.language.view() == "Python"; }

std::string_view trimmed(std::string_view text) {
  static constexpr std::string_view space = " \t\r\n\f";
  const std::size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(space) + 1 - begin);
}

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// `a < b < c` is in Python what it looks like; DaCe makes `(a < b) < c` of it.
bool has_chain(std::string_view text) {
  static constexpr std::array<std::string_view, 4> connectives = {"and", "or", "if", "else"};
  std::vector<int> comparisons = {0}; // in each open bracket, since the last connective
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (in_word(c)) {
      const std::size_t begin = i;
      while (i + 1 < text.size() && in_word(text[i + 1]))
        ++i;
      const std::string_view word = text.substr(begin, i + 1 - begin);
      if (std::find(connectives.begin(), connectives.end(), word) != connectives.end())
        comparisons.back() = 0;
    } else if (c == '(' || c == '[') {
      comparisons.push_back(0);
    } else if ((c == ')' || c == ']') && comparisons.size() > 1) {
      comparisons.pop_back();
    } else if (c == ',') {
      comparisons.back() = 0;
    } else if ((c == '<' || c == '>') && next == c) {
      ++i;
    } else if (c == '<' || c == '>' || ((c == '=' || c == '!') && next == '=')) {
      i += next == '=' ? 1 : 0;
      if (++comparisons.back() > 1)
        return true;
    }
  }
  return false;
}

bool has_word(std::string_view text, std::span<const std::string_view> words) {
  bool found = false;
  support::for_each_word(text, [&](std::string_view word) {
    found = found || std::find(words.begin(), words.end(), word) != words.end();
  });
  return found;
}

/// Something may be turned around or chosen by another part of the text.
bool has_alternatives(std::string_view text) {
  static constexpr std::array<std::string_view, 6> words = {"not",   "if",     "Not",
                                                            "__Not", "IfExpr", "__IfExpr"};
  return has_word(text, words);
}

} // namespace

IntegerConditions::IntegerConditions(const ir::Sdfg &sdfg, const ControlFlow &flow,
                                     symbolic::Context &context)
    : sdfg_(sdfg), flow_(flow), context_(context) {
  for (const auto &[name, dtype] : sdfg.symbols)
    types_.emplace(name, symbol_type(dtype));
  for (const auto &[point, evaluation] : flow.evaluations())
    if (!is_python({evaluation.text, evaluation.language}))
      support::for_each_word(evaluation.text, [&](std::string_view word) {
        unclear_.insert(context.names().intern(word));
      });
}

SymbolType IntegerConditions::type(Name symbol) const {
  const auto found = types_.find(symbol);
  if (found != types_.end())
    return found->second;
  return allowed_.contains(symbol) ? SymbolType::Signed : SymbolType::Other;
}

bool IntegerConditions::is_usable(Name symbol) const {
  if (allowed_.contains(symbol))
    return true;
  return !sdfg_.find_array(symbol) && !flow_.is_assigned(symbol) && !unclear_.contains(symbol) &&
         type(symbol) != SymbolType::Other;
}

bool IntegerConditions::can_be_variable(Name symbol) const {
  if (sdfg_.find_array(symbol) || unclear_.contains(symbol))
    return false;
  const auto found = types_.find(symbol);
  return found == types_.end() || found->second == SymbolType::Signed;
}

bool IntegerConditions::is_unsigned(Expr e) const {
  if (e->kind() == Kind::Integer)
    return e->numerator() >= 0;
  return e->kind() == Kind::Symbol && type(e->name()) == SymbolType::Unsigned &&
         is_usable(e->name());
}

bool IntegerConditions::is_term(Expr e) const {
  switch (e->kind()) {
  case Kind::Integer:
    return true;
  case Kind::Symbol:
    return is_usable(e->name()) && type(e->name()) != SymbolType::Unsigned;
  case Kind::Add:
  case Kind::Mul:
  case Kind::Max:
  case Kind::Min:
    return std::ranges::all_of(e->args(), [&](Expr arg) { return is_term(arg); });
  default:
    return false;
  }
}

/// `e` with numbers as truth values spelled out; null if it is not made of comparisons that can be
/// relied on.
Expr IntegerConditions::normal(Expr e) {
  const auto args = e->args();
  switch (e->kind()) {
  case Kind::Eq:
  case Kind::Ne:
  case Kind::Lt:
  case Kind::Le: {
    const bool terms = is_term(args[0]) && is_term(args[1]);
    return terms || (is_unsigned(args[0]) && is_unsigned(args[1])) ? e : nullptr;
  }
  case Kind::And:
  case Kind::Or: {
    std::vector<Expr> normals;
    for (const Expr arg : args) {
      normals.push_back(normal(arg));
      if (!normals.back())
        return nullptr;
    }
    return e->kind() == Kind::And ? context_.logical_and(normals) : context_.logical_or(normals);
  }
  case Kind::Not: {
    const Expr inner = normal(args[0]);
    return inner ? context_.logical_not(inner) : nullptr;
  }
  case Kind::Integer:
    return nullptr;
  default:
    return is_term(e) || is_unsigned(e) ? context_.compare_op(Kind::Ne, context_.integer(0), e)
                                        : nullptr;
  }
}

/// The value of a text; null if it has something whose value here might not be the program's.
Expr IntegerConditions::read(std::string_view text, bool negated) {
  text = trimmed(text);
  if (text.find_first_of("'\"") != std::string_view::npos || has_chain(text))
    return nullptr;
  // Canonical forms are those of integers: `x - x < 1` is true, but not for a NaN, nor after a
  // wrap-around. It is gone then; what is left still follows if it is just one part of several.
  static constexpr std::array<std::string_view, 4> functions = {"Max", "Min", "max", "min"};
  bool has_unsigned = false;
  bool has_others = false;
  symbolic::for_each_identifier(text, [&](std::string_view word) {
    if (std::find(functions.begin(), functions.end(), word) != functions.end())
      return;
    const Name name = context_.names().find(word);
    has_unsigned = has_unsigned || type(name) == SymbolType::Unsigned;
    has_others = has_others || type(name) == SymbolType::Other || sdfg_.find_array(name);
  });
  if (has_unsigned && text.find_first_of("+-*") != std::string_view::npos)
    return nullptr;
  if (has_others && (negated || has_alternatives(text)))
    return nullptr;
  const symbolic::Expression expression = context_.expression(text, Grammar::Python);
  return has_quotient(expression) ? nullptr : context_.value(expression);
}

void IntegerConditions::add_parts(Expr condition, std::vector<Expr> &out) {
  if (condition->kind() == Kind::And) {
    for (const Expr part : condition->args())
      add_parts(part, out);
    return;
  }
  const Expr part = normal(condition);
  if (!part || part->kind() == Kind::Literal)
    return;
  if (part->kind() == Kind::And)
    add_parts(part, out);
  else
    out.push_back(part);
}

std::vector<Expr> IntegerConditions::parts(const ir::Code &condition, bool negated) {
  std::vector<Expr> result;
  if (!is_python(condition))
    return result;
  if (const Expr value = read(condition.text, negated))
    add_parts(negated ? context_.logical_not(value) : value, result);
  return result;
}

std::optional<Assignment> IntegerConditions::assignment(const std::optional<ir::Code> &statement) {
  if (!statement || !is_python(*statement))
    return std::nullopt;
  const std::string_view text = trimmed(statement->text);
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || text.find_first_of(";\n") != std::string_view::npos)
    return std::nullopt;
  std::string_view variable = text.substr(0, equals);
  Assignment result;
  if (variable.ends_with('+') || variable.ends_with('-')) {
    result.operation = variable.back();
    variable.remove_suffix(1);
  }
  result.variable = context_.names().find(trimmed(variable));
  result.value = read(text.substr(equals + 1), true);
  if (!result.variable || !result.value || !is_term(result.value))
    return std::nullopt;
  return result;
}

} // namespace sdfgopt::analysis
