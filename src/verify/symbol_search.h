// Looks for values of symbols that make conditions hold, by repairing one violated condition at a
// time.
#pragma once

#include "verify/splitmix.h"
#include "verify/symbol_problem.h"
#include "verify/value_table.h"

#include <limits>
#include <optional>

namespace sdfgopt::verify {

struct SymbolDomain {
  std::int64_t first = -(std::int64_t{1} << 30);
  std::int64_t last = std::int64_t{1} << 30;
};

class SymbolSearch {
public:
  using ClauseId = std::size_t;

  /// Values in `fixed` stay as they are, and all values within their domains; both are as long as
  /// `symbols`.
  SymbolSearch(const std::vector<Name> &symbols, std::vector<SymbolDomain> domains,
               std::vector<std::optional<std::int64_t>> fixed, SplitMix &random);

  enum class Need : std::uint8_t { Must, Should };

  /// Where all guards hold, the truth of `condition` should be `wanted`. How much it costs if not
  /// grows with the logarithm of how far its terms are from it, times `weight`.
  ClauseId add(const Requirement &requirement, Need need, std::int64_t weight, bool wanted = true);
  /// 0: the clause is out of force.
  void set_weight(ClauseId clause, std::int64_t weight);
  /// Number of clauses in force that must hold and do not.
  [[nodiscard]] std::size_t unmet() const;
  [[nodiscard]] bool holds(ClauseId clause) const { return clauses_[clause].level == 0; }

  void set(std::size_t symbol, std::int64_t value);
  [[nodiscard]] const std::vector<std::int64_t> &values() const { return table_.values(); }
  void restore(const std::vector<std::int64_t> &values);

  /// Repairs until all clauses hold, or `steps` steps or a number of steps without success were
  /// made; ends with the cheapest values that were met. Tells if all clauses that must hold do.
  bool solve(std::size_t steps);

private:
  struct Clause {
    std::vector<ValueTable::Index> guards;
    Expr condition;
    ValueTable::Index truth; ///< of the condition
    Need need;
    bool wanted;
    std::int64_t weight;
    std::int64_t level = 0; ///< 0: holds; else the logarithm of the distance
  };
  struct Move {
    std::size_t symbol;
    std::int64_t value;
  };

  static constexpr std::int64_t far = std::int64_t{1} << 40; ///< longest distance told
  [[nodiscard]] std::int64_t distance(Expr condition, bool wanted) const;
  [[nodiscard]] std::int64_t gap(Expr comparison, bool wanted) const;
  [[nodiscard]] std::int64_t level_of(const Clause &clause) const;
  [[nodiscard]] bool unaffected(const Clause &clause) const;
  void update(ClauseId clause);
  [[nodiscard]] ClauseId pick_violated();
  [[nodiscard]] std::vector<Move> moves(const Clause &clause) const;
  [[nodiscard]] std::int64_t gain(const Move &move);

  ValueTable table_;
  std::vector<SymbolDomain> domains_;
  std::vector<std::optional<std::int64_t>> fixed_;
  SplitMix &random_;
  std::vector<Clause> clauses_;
  std::vector<std::vector<ClauseId>> clauses_of_; ///< symbol -> clauses that depend on it
  std::vector<ClauseId> violated_;
  std::vector<std::size_t> place_; ///< of a clause in violated_, or `none`
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::int64_t cost_ = 0;
};

} // namespace sdfgopt::verify
