#include "interp/code_parser.h"

#include "interp/code_error.h"
#include "interp/code_expression_parser.h"

#include <algorithm>
#include <array>

namespace sdfgopt::interp {

namespace {

using ast::BinaryOp;
using ast::ExprPtr;
using support::result;

constexpr auto augmented = std::to_array<std::pair<std::string_view, BinaryOp>>({
    {"+=", BinaryOp::Add},
    {"-=", BinaryOp::Sub},
    {"*=", BinaryOp::Mul},
    {"/=", BinaryOp::Div},
    {"//=", BinaryOp::FloorDiv},
    {"%=", BinaryOp::Mod},
    {"<<=", BinaryOp::Shl},
    {">>=", BinaryOp::Shr},
    {"&=", BinaryOp::And},
    {"|=", BinaryOp::Or},
    {"^=", BinaryOp::Xor},
});

constexpr auto unsupported_statements = std::to_array<std::string_view>(
    {"assert", "async", "await", "class", "def", "del", "from", "global", "import", "nonlocal",
     "raise", "return", "try", "with", "yield"});

std::optional<BinaryOp> augmented_operator(const TokenCursor &cursor) {
  for (const auto &[text, op] : augmented)
    if (cursor.at(text))
      return op;
  return std::nullopt;
}

/// Statements of Python.
class PythonParser {
public:
  explicit PythonParser(std::vector<Token> tokens)
      : cursor_(std::move(tokens)), expressions_(cursor_, CodeLanguage::Python) {}

  result<ast::Block> code();
  result<ExprPtr> single_expression();
  result<ast::Lambda> lambda();

private:
  result<void> statement(ast::Block &block);
  result<void> simple_statements(ast::Block &block);
  result<void> simple_statement(ast::Block &block);
  result<void> assignment(ast::Block &block);
  result<ast::Block> suite();
  result<void> if_statement(ast::Block &block);
  result<void> while_statement(ast::Block &block);
  result<void> for_statement(ast::Block &block);

  [[nodiscard]] support::Error not_supported(std::string_view what) const {
    return cannot_run("'" + std::string(what) + "' is not supported", cursor_.peek().position);
  }

  TokenCursor cursor_;
  ExpressionParser expressions_;
};

result<ast::Block> PythonParser::code() {
  ast::Block block;
  while (!cursor_.at(TokenKind::End))
    SDFGOPT_CHECK(statement(block));
  return block;
}

result<ExprPtr> PythonParser::single_expression() {
  SDFGOPT_TRY(ExprPtr expr, expressions_.expression());
  cursor_.accept(TokenKind::Newline);
  if (!cursor_.at(TokenKind::End))
    return cursor_.expected("the end of the expression");
  return expr;
}

result<ast::Lambda> PythonParser::lambda() {
  std::size_t parentheses = 0;
  while (cursor_.accept("("))
    ++parentheses;
  SDFGOPT_CHECK(cursor_.expect("lambda"));
  ast::Lambda lambda;
  while (!cursor_.at(":")) {
    SDFGOPT_TRY(std::string name, expressions_.dotted_name());
    lambda.parameters.push_back(std::move(name));
    if (!cursor_.accept(","))
      break;
  }
  SDFGOPT_CHECK(cursor_.expect(":"));
  SDFGOPT_TRY(lambda.body, expressions_.expression());
  for (; parentheses > 0; --parentheses)
    SDFGOPT_CHECK(cursor_.expect(")"));
  cursor_.accept(TokenKind::Newline);
  if (!cursor_.at(TokenKind::End))
    return cursor_.expected("the end of the lambda");
  return lambda;
}

result<void> PythonParser::statement(ast::Block &block) {
  if (cursor_.at("if"))
    return if_statement(block);
  if (cursor_.at("while"))
    return while_statement(block);
  if (cursor_.at("for"))
    return for_statement(block);
  return simple_statements(block);
}

result<void> PythonParser::simple_statements(ast::Block &block) {
  while (true) {
    SDFGOPT_CHECK(simple_statement(block));
    const bool more = cursor_.accept(";");
    if (cursor_.accept(TokenKind::Newline))
      return {};
    if (!more)
      return cursor_.expected("the end of the statement");
  }
}

result<void> PythonParser::simple_statement(ast::Block &block) {
  const ast::Position position = cursor_.peek().position;
  if (cursor_.accept("pass"))
    return {};
  if (cursor_.accept("break")) {
    block.push_back({position, ast::Break{}});
    return {};
  }
  if (cursor_.accept("continue")) {
    block.push_back({position, ast::Continue{}});
    return {};
  }
  for (const std::string_view word : unsupported_statements)
    if (cursor_.at(word))
      return not_supported(word);
  if (cursor_.at("@"))
    return not_supported("@");
  if (cursor_.accept(TokenKind::String))
    return {}; // documentation
  return assignment(block);
}

// An assignment in one of its forms, or an expression.
result<void> PythonParser::assignment(ast::Block &block) {
  const ast::Position position = cursor_.peek().position;
  // What stands before `=` is read as an expression first: only then is it known whether `=` comes.
  SDFGOPT_TRY(ExprPtr left, expressions_.expression());
  const std::optional<BinaryOp> op = augmented_operator(cursor_);
  if (cursor_.at("**="))
    return not_supported("**=");
  if (cursor_.at(","))
    return cannot_run("tuples are not supported", cursor_.peek().position);
  if (!op && !cursor_.at("=") && !cursor_.at(":")) {
    block.push_back({position, ast::Evaluate{std::move(left)}});
    return {};
  }
  ast::Target target{left->position, {}, {}};
  if (auto *const name = std::get_if<ast::Name>(&left->node)) {
    target.name = std::move(name->text);
  } else if (auto *const subscript = std::get_if<ast::Subscript>(&left->node)) {
    target.name = std::move(subscript->name);
    target.indices = std::move(subscript->indices);
  } else {
    return syntax_error("this cannot be assigned to", left->position);
  }
  if (op) {
    cursor_.take();
    SDFGOPT_TRY(ExprPtr value, expressions_.expression());
    block.push_back({position, ast::AugAssign{std::move(target), *op, std::move(value)}});
    return {};
  }
  ast::Assign assign{std::move(target), {}, nullptr};
  const bool annotated = cursor_.accept(":");
  if (annotated) {
    SDFGOPT_TRY(assign.type, expressions_.dotted_name());
  }
  if (cursor_.accept("=")) {
    SDFGOPT_TRY(assign.value, expressions_.expression());
  }
  if (cursor_.at("="))
    return cannot_run("an assignment to several targets is not supported", cursor_.peek().position);
  if (cursor_.at(","))
    return cannot_run("tuples are not supported", cursor_.peek().position);
  block.push_back({position, std::move(assign)});
  return {};
}

// What follows the header of a compound statement, colon included.
result<ast::Block> PythonParser::suite() {
  SDFGOPT_CHECK(cursor_.expect(":"));
  ast::Block block;
  if (!cursor_.accept(TokenKind::Newline)) {
    if (cursor_.at("if") || cursor_.at("while") || cursor_.at("for"))
      return cursor_.expected("a simple statement");
    SDFGOPT_CHECK(simple_statements(block));
    return block;
  }
  if (!cursor_.accept(TokenKind::Indent))
    return cursor_.expected("an indented block");
  // The lexer bounds how deep blocks nest, and with it this recursion.
  while (!cursor_.accept(TokenKind::Dedent))
    SDFGOPT_CHECK(statement(block));
  return block;
}

result<void> PythonParser::if_statement(ast::Block &block) {
  const ast::Position position = cursor_.peek().position;
  ast::If statement;
  cursor_.take();
  do {
    SDFGOPT_TRY(ExprPtr condition, expressions_.expression());
    SDFGOPT_TRY(ast::Block body, suite());
    statement.branches.push_back({std::move(condition), std::move(body)});
  } while (cursor_.accept("elif"));
  if (cursor_.accept("else")) {
    SDFGOPT_TRY(statement.otherwise, suite());
  }
  block.push_back({position, std::move(statement)});
  return {};
}

result<void> PythonParser::while_statement(ast::Block &block) {
  const ast::Position position = cursor_.take().position;
  SDFGOPT_TRY(ExprPtr condition, expressions_.expression());
  SDFGOPT_TRY(ast::Block body, suite());
  if (cursor_.at("else"))
    return not_supported("else after a loop");
  block.push_back({position, ast::While{std::move(condition), std::move(body)}});
  return {};
}

result<void> PythonParser::for_statement(ast::Block &block) {
  const ast::Position position = cursor_.take().position;
  SDFGOPT_TRY(std::string variable, expressions_.dotted_name());
  if (cursor_.at(","))
    return cannot_run("tuples are not supported", cursor_.peek().position);
  SDFGOPT_CHECK(cursor_.expect("in"));
  SDFGOPT_TRY(ExprPtr iterated, expressions_.expression());
  auto *const call = std::get_if<ast::Call>(&iterated->node);
  if (call == nullptr || call->function != "range")
    return cannot_run("a loop over anything but a range is not supported", iterated->position);
  if (call->arguments.empty() || call->arguments.size() > 3)
    return syntax_error("range takes one, two or three arguments", iterated->position);
  SDFGOPT_TRY(ast::Block body, suite());
  if (cursor_.at("else"))
    return not_supported("else after a loop");
  block.push_back(
      {position, ast::For{std::move(variable), std::move(call->arguments), std::move(body)}});
  return {};
}

/// Statements of C++: assignments and declarations.
class CppParser {
public:
  explicit CppParser(std::vector<Token> tokens)
      : cursor_(std::move(tokens)), expressions_(cursor_, CodeLanguage::Cpp) {}

  result<ast::Block> code();

private:
  result<void> statement(ast::Block &block);

  TokenCursor cursor_;
  ExpressionParser expressions_;
};

result<ast::Block> CppParser::code() {
  ast::Block block;
  const bool braces = cursor_.accept("{");
  while (!cursor_.at(TokenKind::End) && !cursor_.at("}"))
    SDFGOPT_CHECK(statement(block));
  if (braces)
    SDFGOPT_CHECK(cursor_.expect("}"));
  if (!cursor_.at(TokenKind::End))
    return cursor_.expected("the end of the code");
  return block;
}

result<void> CppParser::statement(ast::Block &block) {
  const Token first = cursor_.peek();
  const ast::Position position = first.position;
  if (cursor_.accept(";"))
    return {};
  constexpr auto other = std::to_array<std::string_view>(
      {"if", "for", "while", "do", "switch", "return", "using", "struct", "goto", "#", "{", "*"});
  for (const std::string_view word : other)
    if (cursor_.at(word))
      return cannot_run("C++ code other than plain assignments is not supported", position);
  ast::Assign assign{{}, {}, nullptr};
  const bool inferred = cursor_.at("auto") || (cursor_.at("const") && cursor_.at("auto", 1));
  if (inferred) {
    cursor_.accept("const");
    cursor_.take();
  } else {
    assign.type = expressions_.cpp_type().value_or("");
  }
  if (!cursor_.at(TokenKind::Name))
    return cannot_run("C++ code other than plain assignments is not supported", position);
  SDFGOPT_TRY(assign.target, expressions_.target());
  const std::optional<BinaryOp> op = augmented_operator(cursor_);
  if (op && !inferred && assign.type.empty()) {
    cursor_.take();
    SDFGOPT_TRY(ExprPtr value, expressions_.expression());
    block.push_back({position, ast::AugAssign{std::move(assign.target), *op, std::move(value)}});
    return cursor_.expect(";");
  }
  if (cursor_.accept("=")) {
    SDFGOPT_TRY(assign.value, expressions_.expression());
  } else if (inferred || assign.type.empty() || !cursor_.at(";")) {
    return cannot_run("C++ code other than plain assignments is not supported", position);
  }
  block.push_back({position, std::move(assign)});
  return cursor_.expect(";");
}

} // namespace

result<ast::Block> parse_python(std::string_view code) {
  SDFGOPT_TRY(std::vector<Token> tokens, tokenize(code, CodeLanguage::Python));
  return PythonParser(std::move(tokens)).code();
}

result<ast::Block> parse_cpp(std::string_view code) {
  SDFGOPT_TRY(std::vector<Token> tokens, tokenize(code, CodeLanguage::Cpp));
  return CppParser(std::move(tokens)).code();
}

result<ExprPtr> parse_expression(std::string_view code) {
  SDFGOPT_TRY(std::vector<Token> tokens, tokenize(code, CodeLanguage::Python));
  return PythonParser(std::move(tokens)).single_expression();
}

result<ast::Lambda> parse_lambda(std::string_view code) {
  SDFGOPT_TRY(std::vector<Token> tokens, tokenize(code, CodeLanguage::Python));
  return PythonParser(std::move(tokens)).lambda();
}

} // namespace sdfgopt::interp
