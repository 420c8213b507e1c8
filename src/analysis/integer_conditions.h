// Conditions of a program as statements about integers.
//
// A condition is code that a C++ compiler gets to see in the end, an expression here is about
// integers without bounds. What is read here means the same in both: values are integers of
// declared types, nothing wraps around, and nothing is divided.
#pragma once

#include "analysis/control_flow.h"

#include <unordered_set>

namespace sdfgopt::analysis {

using support::Name;
using symbolic::Expr;

enum class SymbolType : std::uint8_t {
  Other,    ///< not declared, or no integer
  Unsigned, ///< arithmetic with it may wrap around
  Narrow,   ///< signed or bool; less than 32 bits: assignments may cut off, arithmetic does not
  Signed,   ///< at least 32 bits
};

/// Of a type as in a file (JSON).
SymbolType symbol_type(std::string_view dtype);

/// `variable = value`, or `variable += value`.
struct Assignment {
  Name variable;
  char operation = '='; ///< `+` or `-` for the other form
  Expr value = nullptr;
};

class IntegerConditions {
public:
  IntegerConditions(const ir::Sdfg &sdfg, const ControlFlow &flow, symbolic::Context &context);

  /// Parts of the condition, or of its negation, that together follow from it: Eq, Ne, Lt, Le, and
  /// Or (of And) of them. All symbols in them are usable. Parts that are not understood are left
  /// out.
  std::vector<Expr> parts(const ir::Code &condition, bool negated);
  /// The same for an expression whose texts were checked: one that was made of such parts.
  void add_parts(Expr condition, std::vector<Expr> &out);
  /// One assignment of an integer term of usable symbols; nothing for all other code.
  std::optional<Assignment> assignment(const std::optional<ir::Code> &statement);

  /// A symbol that keeps its value while the program runs, or was made usable. No data.
  [[nodiscard]] bool is_usable(Name symbol) const;
  /// May hold a loop's values: no data, nothing that code of unknown languages names, and wide
  /// enough or without a type.
  [[nodiscard]] bool can_be_variable(Name symbol) const;
  /// A symbol that the program assigns is usable from now on, or no longer.
  void allow(Name symbol) { allowed_.insert(symbol); }
  void forbid(Name symbol) { allowed_.erase(symbol); }

private:
  [[nodiscard]] SymbolType type(Name symbol) const;
  Expr read(std::string_view text, bool negated);
  Expr normal(Expr e);
  [[nodiscard]] bool is_term(Expr e) const;
  [[nodiscard]] bool is_unsigned(Expr e) const;

  const ir::Sdfg &sdfg_;
  const ControlFlow &flow_;
  symbolic::Context &context_;
  std::unordered_map<Name, SymbolType> types_;
  std::unordered_set<Name> unclear_; // named by code in other languages, which may change them
  std::unordered_set<Name> allowed_;
};

} // namespace sdfgopt::analysis
