// Recursive descent over Python's expression grammar; the three grammars differ in what a name is,
// in what `/` means, and in which operators they have.
//
// Sums and products are gathered whole before they are built: `-1*(a - b)*c` keeps its shape, and a
// sum of n terms takes n log n.
#include "symbolic/functions.h"
#include "symbolic/impl.h"
#include "symbolic/numeral.h"
#include "symbolic/scan.h"

#include <algorithm>
#include <array>

namespace sdfgopt::symbolic {

namespace {

// Of nested parentheses, calls, conditionals and exponents. Python itself takes 200 parentheses.
constexpr int max_depth = 200;

class Parser {
public:
  Parser(Context &context, std::string_view text, Grammar grammar)
      : context_(context), text_(text), grammar_(grammar) {}
  /// Null on failure; then `message` tells why.
  Expr parse();
  [[nodiscard]] const std::string &message() const { return message_; }

private:
  // Every function below returns null after a failure.
  Expr conditional();
  Expr disjunction();
  Expr conjunction();
  Expr inversion();
  Expr comparison();
  Expr bitwise(int least_level);
  Expr sum();
  Expr term();
  Expr unary();
  Expr power();
  Expr postfix();
  Expr atom();
  Expr parenthesised();
  Expr name_or_call();
  Expr bare_name(std::string_view name);
  Expr dollar_symbol();
  Expr annotated_symbol();
  Expr number();
  Expr string();
  Expr compare(std::string_view op, Expr a, Expr b);
  Expr divide(Expr a, std::string_view op, Expr b);
  Expr operator_call(std::string_view op, std::span<const Expr> args);
  /// `e`, unless a chain of operators has become too high a tree.
  Expr checked(Expr e) {
    return context_.height(e) > Context::max_height ? fail("nested too deeply") : e;
  }
  bool arguments(char close, std::vector<Expr> &out);

  Expr fail(std::string_view what);
  void skip_space();
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }
  bool accept(char c);
  /// An operator, unless it is the beginning of one of the longer ones.
  bool accept_operator(std::string_view op, std::string_view not_before = {});
  bool accept_word(std::string_view word);
  [[nodiscard]] std::string_view peek_word();
  std::string_view comparison_operator();
  /// Accepts an operator of at least this level; returns its level, or -1.
  int bitwise_operator(int least_level, std::string_view &found);
  [[nodiscard]] bool dollar() const { return grammar_ == Grammar::Dollar; }
  [[nodiscard]] bool python() const { return grammar_ == Grammar::Python; }

  Context &context_;
  std::string_view text_;
  Grammar grammar_;
  std::size_t pos_ = 0;
  int depth_ = 0;
  int parentheses_ = 0;
  std::string message_;
};

bool is_string(Expr e) {
  return e->kind() == Kind::Literal && !e->name().view().empty() &&
         (e->name().view().back() == '"' || e->name().view().back() == '\'');
}

Expr Parser::fail(std::string_view what) {
  if (message_.empty())
    message_ = "column " + std::to_string(pos_ + 1) + ": " + std::string(what);
  return nullptr;
}

void Parser::skip_space() {
  // A line end outside parentheses ends a Python expression.
  while (pos_ < text_.size() && is_space(text_[pos_]) && (text_[pos_] != '\n' || parentheses_ > 0))
    ++pos_;
}

bool Parser::accept(char c) {
  skip_space();
  if (peek() != c)
    return false;
  ++pos_;
  return true;
}

bool Parser::accept_operator(std::string_view op, std::string_view not_before) {
  skip_space();
  if (!text_.substr(pos_).starts_with(op))
    return false;
  const char next = peek(op.size());
  if (next != '\0' && not_before.find(next) != std::string_view::npos)
    return false;
  pos_ += op.size();
  return true;
}

std::string_view Parser::peek_word() {
  skip_space();
  return identifier_at(text_, pos_);
}

bool Parser::accept_word(std::string_view word) {
  if (peek_word() != word)
    return false;
  pos_ += word.size();
  return true;
}

Expr Parser::parse() {
  while (pos_ < text_.size() && is_space(text_[pos_]))
    ++pos_;
  while (text_.size() > pos_ && is_space(text_.back()))
    text_.remove_suffix(1);
  Expr result = conditional();
  skip_space();
  if (result && pos_ != text_.size())
    return fail("unexpected text after the expression");
  return result;
}

Expr Parser::conditional() {
  if (++depth_ > max_depth)
    return fail("nested too deeply");
  Expr value = disjunction();
  if (value && accept_word("if")) {
    const Expr condition = disjunction();
    if (condition && !accept_word("else"))
      return fail("expected 'else'");
    const Expr otherwise = condition ? conditional() : nullptr;
    value = otherwise ? context_.if_expr(condition, value, otherwise) : nullptr;
  }
  --depth_;
  return value ? checked(value) : nullptr;
}

Expr Parser::disjunction() {
  Expr first = conjunction();
  std::vector<Expr> args;
  while (first && accept_word("or")) {
    if (args.empty())
      args.push_back(first);
    const Expr next = conjunction();
    if (!next)
      return nullptr;
    args.push_back(next);
  }
  return args.empty() ? first : context_.logical_or(args);
}

Expr Parser::conjunction() {
  Expr first = inversion();
  std::vector<Expr> args;
  while (first && accept_word("and")) {
    if (args.empty())
      args.push_back(first);
    const Expr next = inversion();
    if (!next)
      return nullptr;
    args.push_back(next);
  }
  return args.empty() ? first : context_.logical_and(args);
}

Expr Parser::inversion() {
  std::size_t count = 0;
  while (accept_word("not"))
    ++count;
  Expr result = comparison();
  // Two negations of a number are not the number, so none may be skipped before the first two.
  for (count = count > 2 ? 2 - count % 2 : count; result && count > 0; --count)
    result = context_.logical_not(result);
  return result;
}

std::string_view Parser::comparison_operator() {
  for (std::string_view op : {"==", "!=", "<=", ">="})
    if (accept_operator(op))
      return op;
  if (accept_operator("<", "<"))
    return "<";
  if (accept_operator(">", ">"))
    return ">";
  if (!accept_word("is"))
    return {};
  return accept_word("not") ? "is not" : "is";
}

Expr Parser::compare(std::string_view op, Expr a, Expr b) {
  if (op == "==")
    return context_.compare_op(Kind::Eq, a, b);
  if (op == "!=")
    return context_.compare_op(Kind::Ne, a, b);
  if (op == "<")
    return context_.compare_op(Kind::Lt, a, b);
  if (op == "<=")
    return context_.compare_op(Kind::Le, a, b);
  if (op == ">")
    return context_.compare_op(Kind::Lt, b, a);
  if (op == ">=")
    return context_.compare_op(Kind::Le, b, a);
  return operator_call(op, std::array{a, b});
}

Expr Parser::comparison() {
  Expr left = bitwise(0);
  std::vector<Expr> links;
  while (left) {
    const auto op = comparison_operator();
    if (op.empty())
      break;
    if (!links.empty() && dollar())
      return fail("chained comparison");
    const Expr right = bitwise(0);
    if (!right)
      return nullptr;
    const Expr link = compare(op, left, right);
    if (!link)
      return nullptr;
    links.push_back(link);
    left = right;
  }
  return !left || links.empty() ? left : context_.logical_and(links);
}

Expr Parser::operator_call(std::string_view op, std::span<const Expr> args) {
  return checked(context_.call(context_.names().intern(op), args));
}

int Parser::bitwise_operator(int least_level, std::string_view &found) {
  static constexpr std::array<std::pair<std::string_view, int>, 5> operators = {
      {{"|", 0}, {"^", 1}, {"&", 2}, {"<<", 3}, {">>", 3}}};
  for (const auto &[op, level] : operators)
    if (level >= least_level && accept_operator(op, op.substr(0, 1))) {
      found = op;
      return level;
    }
  return -1;
}

Expr Parser::bitwise(int least_level) {
  Expr left = sum();
  while (left && !dollar()) {
    std::string_view op;
    const int level = bitwise_operator(least_level, op);
    if (level < 0)
      break;
    const Expr right = bitwise(level + 1);
    left = right ? operator_call(op, std::array{left, right}) : nullptr;
  }
  return left;
}

Expr Parser::sum() {
  const Expr first = term();
  if (!first)
    return nullptr;
  std::vector<Expr> terms = {first};
  while (true) {
    const bool plus = accept_operator("+");
    if (!plus && !accept_operator("-"))
      break;
    const Expr next = term();
    if (!next)
      return nullptr;
    terms.push_back(plus ? next : context_.neg(next));
  }
  if (terms.size() == 1)
    return first;
  if (std::ranges::any_of(terms, is_string))
    return fail("arithmetic on a string");
  return context_.add(terms);
}

Expr Parser::divide(Expr a, std::string_view op, Expr b) {
  if (op == "//")
    return checked(context_.floor_div(a, b));
  if (op == "%")
    return checked(context_.mod(a, b));
  return operator_call("/", std::array{a, b});
}

Expr Parser::term() {
  std::vector<Expr> factors;
  bool single = true; // so far one operand without a sign
  std::string_view op = "*";
  while (true) {
    bool negative = false;
    while (true) {
      if (accept_operator("-"))
        negative = !negative;
      else if (!accept_operator("+"))
        break;
      single = false;
    }
    const Expr operand = unary();
    if (!operand)
      return nullptr;
    if (negative)
      factors.push_back(context_.integer(-1));
    if (op == "*") {
      factors.push_back(operand);
    } else if (op == "/" && !python()) {
      factors.push_back(context_.pow(operand, context_.integer(-1)));
    } else {
      const Expr divisor = negative ? context_.neg(operand) : operand;
      if (negative)
        factors.pop_back();
      const Expr dividend = context_.mul(factors);
      factors = {divide(dividend, op, divisor)};
      if (!factors.front())
        return nullptr;
    }
    if (accept_operator("*", "*"))
      op = "*";
    else if (accept_operator("//"))
      op = "//";
    else if (accept_operator("/"))
      op = "/";
    else if (accept_operator("%"))
      op = "%";
    else
      break;
    single = false;
  }
  if (single)
    return factors.front();
  if (std::ranges::any_of(factors, is_string))
    return fail("arithmetic on a string");
  return context_.mul(factors);
}

Expr Parser::unary() {
  // Two signs in a row cancel; `~` and a sign do not.
  std::string prefixes;
  while (true) {
    if (accept_operator("~")) {
      prefixes += '~';
    } else if (accept_operator("-")) {
      if (prefixes.ends_with('-'))
        prefixes.pop_back();
      else
        prefixes += '-';
    } else if (!accept_operator("+")) {
      break;
    }
  }
  Expr result = power();
  for (; result && !prefixes.empty(); prefixes.pop_back())
    result = prefixes.back() == '-' ? context_.neg(result) : operator_call("~", std::array{result});
  return result;
}

Expr Parser::power() {
  const Expr base = postfix();
  if (!base || !accept_operator("**"))
    return base;
  if (++depth_ > max_depth)
    return fail("nested too deeply");
  const Expr exponent = unary();
  --depth_;
  return exponent ? context_.pow(base, exponent) : nullptr;
}

bool Parser::arguments(char close, std::vector<Expr> &out) {
  ++parentheses_;
  if (!accept(close)) {
    while (true) {
      const Expr arg = conditional();
      if (!arg)
        return false;
      out.push_back(arg);
      if (accept(close))
        break;
      if (!accept(',')) {
        fail(close == ')' ? "expected ',' or ')'" : "expected ',' or ']'");
        return false;
      }
    }
  }
  --parentheses_;
  return true;
}

Expr Parser::postfix() {
  Expr result = atom();
  while (result) {
    if (!dollar() && accept('[')) {
      std::vector<Expr> args = {result};
      if (!arguments(']', args))
        return nullptr;
      if (args.size() == 1)
        return fail("expected an index");
      result = checked(context_.subscript(args));
    } else if (skip_space(); peek() == '.' && starts_identifier(peek(1))) {
      const auto member = identifier_at(text_, ++pos_);
      pos_ += member.size();
      result = checked(context_.attr(result, context_.names().intern(member)));
    } else {
      break;
    }
  }
  if (result && (skip_space(), peek() == '('))
    return fail("not a function");
  return result;
}

Expr Parser::atom() {
  skip_space();
  const char c = peek();
  if (c == '(')
    return parenthesised();
  if (is_digit(c) || (c == '.' && is_digit(peek(1))))
    return number();
  if (c == '?' && !python()) {
    ++pos_;
    return context_.undefined();
  }
  if (c == '$' && dollar())
    return dollar_symbol();
  if (python() && (c == '"' || c == '\''))
    return string();
  if (starts_identifier(c))
    return name_or_call();
  return fail("expected an expression");
}

Expr Parser::parenthesised() {
  const std::size_t start = pos_;
  ++pos_;
  ++parentheses_;
  const Expr inner = conditional();
  if (!inner)
    return nullptr;
  if (!accept(')'))
    return fail("expected ')'");
  --parentheses_;
  for (std::string_view suffix : {"c64", "c128"}) // a complex constant
    if (identifier_at(text_, pos_) == suffix) {
      pos_ += suffix.size();
      return context_.literal(text_.substr(start, pos_ - start));
    }
  return inner;
}

Expr Parser::dollar_symbol() {
  if (peek(1) == '?') {
    pos_ += 2;
    return context_.undefined();
  }
  const auto name = identifier_at(text_, pos_ + 1);
  if (name.empty())
    return fail("expected a name after '$'");
  pos_ += 1 + name.size();
  return context_.symbol(context_.names().intern(name));
}

/// Behind `symbol(`. The type and the assumptions do not take part in equality.
Expr Parser::annotated_symbol() {
  skip_space();
  const Expr symbol = peek() == '$' ? dollar_symbol() : fail("expected a symbol");
  int depth = 1;
  while (symbol && pos_ < text_.size()) {
    const char c = text_[pos_++];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0)
      return symbol;
  }
  return symbol ? fail("expected ')'") : nullptr;
}

Expr Parser::name_or_call() {
  const std::size_t start = pos_;
  std::string_view name = identifier_at(text_, pos_);
  pos_ += name.size();
  if (python() && name.size() <= 2 && (peek() == '"' || peek() == '\'')) {
    if (name.find_first_not_of("rbuRBU") != std::string_view::npos)
      return fail("formatted string");
    pos_ = start;
    return string();
  }
  // A dotted name is one name if it is called.
  std::size_t end = pos_;
  while (end < text_.size() && text_[end] == '.' && !identifier_at(text_, end + 1).empty())
    end += 1 + identifier_at(text_, end + 1).size();
  std::size_t open = end;
  while (open < text_.size() && (text_[open] == ' ' || text_[open] == '\t'))
    ++open;
  if (open == text_.size() || text_[open] != '(')
    return bare_name(name);
  name = text_.substr(start, end - start);
  pos_ = open + 1;
  if (name == "symbol" && dollar())
    return annotated_symbol();
  std::vector<Expr> args;
  if (!arguments(')', args))
    return nullptr;
  return apply_function(context_, grammar_, name, args);
}

Expr Parser::bare_name(std::string_view name) {
  static constexpr std::array<std::string_view, 11> constants = {
      "True", "False", "None", "pi", "E", "I", "oo", "zoo", "nan", "inf", "NaN"};
  static constexpr std::array<std::string_view, 11> keywords = {
      "and", "or", "not", "if", "else", "is", "in", "lambda", "for", "await", "yield"};
  const auto *found = std::find(constants.begin(), constants.end(), name);
  // Where names are bare, only Python's own constants cannot be symbols.
  if (found != constants.end() && (dollar() || found - constants.begin() < 3))
    return context_.literal(name);
  pos_ -= name.size();
  if (std::find(keywords.begin(), keywords.end(), name) != keywords.end())
    return fail("expected an expression");
  if (dollar())
    return fail("unknown name (a symbol starts with '$')");
  pos_ += name.size();
  return context_.symbol(context_.names().intern(name));
}

Expr Parser::number() {
  const Numeral numeral = read_numeral(context_, text_.substr(pos_));
  if (numeral.size == 0)
    return fail("bad number");
  pos_ += numeral.size;
  return numeral.value;
}

Expr Parser::string() {
  const std::size_t start = pos_;
  pos_ += identifier_at(text_, pos_).size();
  const auto literal = string_literal_at(text_, pos_);
  if (literal.empty())
    return fail("string without an end");
  const std::size_t end = pos_ += literal.size();
  skip_space();
  if (peek() == '"' || peek() == '\'')
    return fail("adjacent strings");
  return context_.literal(text_.substr(start, end - start));
}

} // namespace

std::optional<std::string> Context::parse(std::string_view text, Grammar grammar, Expr &out) {
  Parser parser(*this, text, grammar);
  if (grammar == Grammar::Dollar)
    impl_->note_annotations(text, names_);
  if (Expr result = parser.parse()) {
    out = result;
    return std::nullopt;
  }
  return parser.message();
}

} // namespace sdfgopt::symbolic
