// Which values of the symbols two programs are compared with.
#pragma once

#include "verify/verify.h"

#include <unordered_set>

namespace sdfgopt::verify {

/// Choices satisfy the facts, always. Most are chosen for the program before; some are larger,
/// since some mistakes only show there, and some are chosen for the program after. Conditions of
/// branches in either program come out both ways, as far as values for that are found, and the
/// comparisons in them are met at their borders: where they just hold, and where they just do not.
class ChoicePlan {
public:
  /// An error if a fact cannot be read, names what is no symbol of the program before, or cannot
  /// hold with the values that are given.
  static support::result<ChoicePlan> make(ir::Document &before, ir::Document &after, Runner &runner,
                                          const VerifyOptions &options);

  /// `count` choices for a seed; fewer if there are none that satisfy the facts, or if a stop was
  /// asked for. What `runs` show
  /// already need not be shown again.
  std::vector<SymbolMap> next(std::size_t count, std::uint64_t seed,
                              const std::vector<VerifiedRun> &runs);

  [[nodiscard]] bool has_facts() const { return !facts_.empty(); }
  /// Conditions of branches that depend on symbols that are not given, and how many of them come
  /// out both ways in `runs`.
  struct Sides {
    std::size_t conditions = 0;
    std::size_t both = 0;
  };
  [[nodiscard]] Sides sides(const std::vector<VerifiedRun> &runs) const;

private:
  using Expr = symbolic::Expr;
  struct Condition {
    Expr holds; ///< and the branch is come by
    Expr fails;
    std::vector<Expr> borders; ///< where a comparison in it just holds, or just does not
  };
  ChoicePlan(ir::Document &before, ir::Document &after, Runner &runner,
             const VerifyOptions &options)
      : before_(before), after_(after), runner_(runner), options_(options) {}

  support::result<void> read_facts();
  support::result<void> check_given(Expr fact, const std::string &text) const;
  void collect_conditions();
  void add_condition(const std::vector<Expr> &guards, Expr condition);
  void add_borders(Condition &condition, const std::vector<Expr> &guards, Expr whole);
  [[nodiscard]] bool is_known(const std::string &name) const;
  [[nodiscard]] std::vector<std::pair<support::Name, std::int64_t>>
  given_in(ir::Document &document) const;
  [[nodiscard]] bool holds(Expr e, const SymbolMap &symbols) const;
  [[nodiscard]] bool satisfies_facts(const SymbolMap &symbols) const;
  [[nodiscard]] SymbolMap completed(const SymbolChoice &choice, std::size_t number) const;
  void add_chosen(std::vector<SymbolMap> &result, ir::Document &document, std::size_t count,
                  std::uint64_t seed, std::int64_t size);
  std::vector<SymbolMap> usual(std::size_t count, std::uint64_t seed);

  ir::Document &before_;
  ir::Document &after_;
  Runner &runner_; ///< of the program before
  const VerifyOptions &options_;
  std::vector<Expr> facts_;       ///< in the context of `before_`
  std::vector<Expr> after_facts_; ///< the same in that of `after_`
  std::unordered_set<std::string> fact_symbols_;
  std::unordered_set<std::string> floats_; ///< symbols with a part behind the point
  bool all_given_ = true;                  ///< there is nothing to choose
  std::vector<Condition> conditions_;      ///< in the context of `before_`
};

} // namespace sdfgopt::verify
