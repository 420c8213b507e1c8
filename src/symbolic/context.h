// Owner of all expressions of a document, and of the texts that they were read from.
#pragma once

#include "support/name.h"
#include "support/text_arena.h"
#include "symbolic/expr.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sdfgopt::symbolic {

/// The three spellings that .sdfg files use (sdfg-format facts: symbolic expressions).
enum class Grammar : std::uint8_t {
  Dollar, ///< since DaCe 2.0.0a4: `1 + $N`, `symbol($N, dtype=dace.int64)`, `Max(0, $M)`
  Legacy, ///< before: `N + 1`, array access as a call `A(i)`; every bare name is a symbol
  Python, ///< conditions, interstate assignments, facts: `(i + 1)`, `not x`, `A[i, 2]`, `a <= b <=
          ///< c`
};

/// A text from a file, interned per (text, grammar): equal text is the same handle. It is parsed
/// when its value is first asked for, so a file with nothing to do never pays for parsing.
/// Default-constructed: absent.
class Expression {
public:
  Expression() = default;
  explicit operator bool() const { return entry_ != nullptr; }
  [[nodiscard]] std::string_view text() const {
    return entry_ ? std::string_view(entry_->text) : std::string_view();
  }
  [[nodiscard]] Grammar grammar() const { return entry_->grammar; }
  bool operator==(const Expression &) const = default;

private:
  friend class Context;
  struct Entry {
    std::string_view text;
    Grammar grammar;
    Expr value = nullptr; // filled by Context::value
  };
  explicit Expression(Entry *entry) : entry_(entry) {}
  Entry *entry_ = nullptr;
};

class Context {
public:
  explicit Context(support::NamePool &names);
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  [[nodiscard]] support::NamePool &names() const { return names_; }

  struct Impl; ///< internal to symbolic/

  // --- texts ---------------------------------------------------------------------------------
  /// Interns a text; copies it if it is new.
  Expression expression(std::string_view text, Grammar grammar);
  /// Prints `value` in `grammar` and interns that text. Where the grammar is Dollar and the
  /// document annotates a symbol (`symbol($N, dtype=...)`), the annotation seen first is printed
  /// again.
  Expression expression(Expr value, Grammar grammar);
  /// Calls `visit` for every text interned so far, in order.
  void for_each_text(const std::function<void(Expression)> &visit) const;
  /// The canonical form; a text that does not parse is Kind::Opaque, never an error.
  Expr value(Expression text);
  /// Like value(), but tells where a text stops making sense: for texts that a user gave.
  /// Returns the message, or nothing and sets `out`.
  std::optional<std::string> parse(std::string_view text, Grammar grammar, Expr &out);

  // --- construction: arguments may be any expressions; the result is canonical ----------------
  Expr integer(std::int64_t value);
  Expr rational(std::int64_t numerator, std::int64_t denominator); ///< denominator != 0
  Expr literal(std::string_view text);
  Expr boolean(bool value); ///< Literal True or False
  Expr symbol(Name name);
  Expr undefined();
  Expr opaque(std::string_view text);
  Expr add(std::span<const Expr> terms);
  Expr add(Expr a, Expr b);
  Expr sub(Expr a, Expr b);
  Expr neg(Expr a);
  Expr mul(std::span<const Expr> factors);
  Expr mul(Expr a, Expr b);
  Expr pow(Expr base, Expr exponent);
  Expr max(std::span<const Expr> args);
  Expr min(std::span<const Expr> args);
  Expr floor_div(Expr a, Expr b);
  Expr ceil_div(Expr a, Expr b);
  Expr mod(Expr a, Expr b);
  /// Kind::Eq, Ne, Lt or Le of a and b.
  Expr compare_op(Kind kind, Expr a, Expr b);
  Expr logical_and(std::span<const Expr> args);
  Expr logical_or(std::span<const Expr> args);
  Expr logical_not(Expr a);
  Expr if_expr(Expr condition, Expr then, Expr otherwise);
  Expr call(Name function, std::span<const Expr> args);
  Expr subscript(std::span<const Expr> base_and_indices);
  Expr attr(Expr base, Name member);

  // --- queries and rewriting -------------------------------------------------------------------
  /// The value if it is an integer constant that fits.
  static std::optional<std::int64_t> constant(Expr e);
  /// Levels of nesting. The parser accepts up to max_height; printing and comparing recurse this
  /// deep, so whoever builds on his own results in a loop must stop somewhere near.
  static constexpr std::uint32_t max_height = 500;
  [[nodiscard]] std::uint32_t height(Expr e) const;
  /// The value is an integer whenever all symbols in it are: no quotient, fraction or float in it.
  [[nodiscard]] bool is_integral(Expr e) const;
  /// Names of all symbols in `e` (base of a Subscript included), unique, sorted by text.
  /// An Opaque node contributes every identifier in its text, a method call `x.f()` its object;
  /// names of other called functions are none.
  std::vector<Name> free_symbols(Expr e);
  /// Simultaneous replacement of symbols. In an Opaque node the identifiers of its text are
  /// replaced, except behind a dot; names of called functions stay.
  Expr substitute(Expr e, const std::unordered_map<Name, Expr> &replacements);

  /// Text as DaCe prints it, in the given grammar; see the file comment of print.cpp.
  std::string print(Expr e, Grammar grammar) const;

private:
  support::NamePool &names_;
  std::unique_ptr<Impl, void (*)(Impl *)> impl_;
};

/// Calls `visit` for every identifier in a text of any grammar (symbols, functions, attributes'
/// heads and tails), `$` stripped; string literals are skipped. Needs no parsing, so it also sees
/// into texts that do not parse.
void for_each_identifier(std::string_view text, const std::function<void(std::string_view)> &visit);

} // namespace sdfgopt::symbolic
