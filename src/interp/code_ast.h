// The tree of tasklet code, of interstate conditions and of WCR lambdas, whether it was written in
// Python or C++. A tree owns all its text; the source may go away.
#pragma once

#include "interp/types.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sdfgopt::interp::ast {

/// Of a character in the code, both from 1; columns count bytes.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

enum class UnaryOp : std::uint8_t { Plus, Minus, Invert, Not };
enum class BinaryOp : std::uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv, ///< Python only, as is Pow
  Mod,
  Pow,
  Shl,
  Shr,
  And,
  Or,
  Xor,
};
enum class CompareOp : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

struct BoolLiteral {
  bool value;
};

/// Without a type (Python): the type follows from the value, sign included.
struct IntLiteral {
  std::uint64_t magnitude;
  std::optional<ScalarType> type;
};

struct RealLiteral {
  double value;
  ScalarType type = ScalarType::Float64;
};

/// With its modules, separated by dots: "x", "math.pi"; C++'s `::` is a dot too.
struct Name {
  std::string text;
};

struct Unary {
  UnaryOp op;
  ExprPtr operand;
};

struct Binary {
  BinaryOp op;
  ExprPtr left;
  ExprPtr right;
};

/// A chain `first op e op e ...` as written. C++ has no chains and so one operator only.
struct Compare {
  struct Link {
    CompareOp op;
    ExprPtr operand;
  };
  ExprPtr first;
  std::vector<Link> rest;
};

/// `a and b and ...` or `a or b or ...`, at least two operands.
struct Logical {
  bool conjunction;
  std::vector<ExprPtr> operands;
};

struct Conditional {
  ExprPtr condition;
  ExprPtr then;
  ExprPtr otherwise;
};

/// A call of a function, type (a cast) or method; `function` as in Name.
struct Call {
  std::string function;
  std::vector<ExprPtr> arguments;
};

struct Subscript {
  std::string name; ///< as in Name
  std::vector<ExprPtr> indices;
};

struct Expr {
  Position position;
  std::uint32_t depth = 1; ///< of the tree from here; parsers keep it at or below max_depth
  std::variant<BoolLiteral, IntLiteral, RealLiteral, Name, Unary, Binary, Compare, Logical,
               Conditional, Call, Subscript>
      node;
};

struct Lambda {
  std::vector<std::string> parameters;
  ExprPtr body;
};

struct Stmt;
using Block = std::vector<Stmt>;

struct Target {
  Position position;
  std::string name;
  std::vector<ExprPtr> indices; ///< empty: the bare name
};

struct Assign {
  Target target;
  std::string type; ///< as annotated or declared; empty: neither
  ExprPtr value;    ///< null: a declaration only
};

struct AugAssign {
  Target target;
  BinaryOp op;
  ExprPtr value;
};

struct If {
  struct Branch {
    ExprPtr condition;
    Block body;
  };
  std::vector<Branch> branches;
  Block otherwise;
};

struct While {
  ExprPtr condition;
  Block body;
};

/// `for variable in range(...)` with its one, two or three arguments.
struct For {
  std::string variable;
  std::vector<ExprPtr> range;
  Block body;
};

struct Break {};
struct Continue {};

/// An expression whose value is not used.
struct Evaluate {
  ExprPtr value;
};

struct Stmt {
  Position position;
  std::variant<Assign, AugAssign, If, While, For, Break, Continue, Evaluate> node;
};

/// Largest depth of an expression, operators of equal rank in a row included.
constexpr std::uint32_t max_depth = 1000;
/// Largest number of brackets, operators on the right and blocks around a token.
constexpr std::uint32_t max_nesting = 200;

} // namespace sdfgopt::interp::ast
