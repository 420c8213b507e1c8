// What a Context holds: the nodes, the texts, the caches. Internal to symbolic/.
#pragma once

#include "symbolic/context.h"
#include "symbolic/number.h"

#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

namespace sdfgopt::symbolic {

/// A summand as number * base; base is null for a plain number.
struct Term {
  Number coefficient{1, 1};
  Expr base = nullptr;
};

struct Context::Impl {
  /// What is known of a node's value; computed once, when the node is made.
  struct Facts {
    /// An integer whenever all symbols in it are.
    bool integral = false;
    /// Holds an undefined, infinite or unparsed part: two of these are not known to be the same
    /// value, so they neither cancel nor compare.
    bool inert = false;
    std::uint32_t height = 1;
  };

  /// The only place that creates nodes: the node with exactly these parts, new or known.
  Expr make(Kind kind, std::span<const Expr> args, Name name = Name(), Number number = {});
  Expr number(Number value) {
    return make(value.den == 1 ? Kind::Integer : Kind::Rational, {}, Name(), value);
  }
  [[nodiscard]] const Facts &facts(Expr e) const { return facts_[e->id()]; }

  /// A term that is not a sum as number * base, and back in canonical form.
  Term split(Expr e);
  Expr join(Context &context, const Term &term);
  /// And, Or.
  Expr connective(Context &context, Kind kind, std::span<const Expr> args);

  /// The canonical form of a node like `e`, which has arguments, with other arguments.
  Expr rebuild(Context &context, Expr e, std::span<const Expr> args);

  /// Remembers every `symbol($N, ...)` in a text, unless its name is known already.
  void note_annotations(std::string_view text, support::NamePool &names);

  using Table = std::unordered_map<std::string_view, Expression::Entry *>;
  std::array<Table, 3> tables; // one for each Grammar
  std::deque<Expression::Entry> entries;
  support::TextArena texts;
  std::unordered_map<Name, std::string_view> annotations; // N -> `symbol($N, dtype=...)`
  std::unordered_map<Expr, std::vector<Name>> symbols;    // free_symbols of what was asked for

private:
  static constexpr std::size_t block_size = std::size_t{1} << 16;
  void *allocate(std::size_t bytes);
  void grow_table();
  [[nodiscard]] Facts derive_facts(Expr e) const;

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte *free_ = nullptr;
  std::size_t left_ = 0;
  std::vector<Facts> facts_;        // by id
  std::vector<std::size_t> hashes_; // by id
  std::vector<Expr> nodes_;         // open addressing; size is a power of two
};

/// True, False, comparisons and connectives: a value that is 0 or 1.
bool is_boolean(Expr e);
/// Every node reachable from `root`, itself included, children before parents.
std::vector<Expr> postorder(Expr root);

} // namespace sdfgopt::symbolic
