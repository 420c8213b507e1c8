#include "sets/elimination.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace sdfgopt::sets {

using symbolic::Kind;

namespace {

struct ById {
  bool operator()(Expr a, Expr b) const { return a->id() < b->id(); }
};

/// The left side of `sum of coefficient * base + constant >= 0`, without the constant.
using Terms = std::map<Expr, std::int64_t, ById>;

struct ByTerms {
  bool operator()(const Terms &a, const Terms &b) const {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(), [](const auto &x, const auto &y) {
          return x.first != y.first ? x.first->id() < y.first->id() : x.second < y.second;
        });
  }
};

class Elimination {
public:
  Elimination(Context &context, Traits &traits, const NamesIn &names_in,
              const std::vector<Name> &kept)
      : context_(context), traits_(traits), names_in_(names_in), kept_(kept.begin(), kept.end()),
        pinned_(kept_) {}

  void add(Expr fact) {
    Expr a = fact->args().empty() ? nullptr : fact->args()[0];
    bool added = false;
    if (fact->kind() == Kind::Le || fact->kind() == Kind::Lt)
      added = add_row(a, fact->args()[1], fact->kind() == Kind::Lt ? 1 : 0);
    else if (fact->kind() == Kind::Eq)
      added = add_row(a, fact->args()[1], 0) && add_row(fact->args()[1], a, 0);
    if (!added)
      leave(fact);
  }

  void run() {
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<Expr> columns;
      for (const auto &[terms, constant] : rows_)
        for (const auto &[base, coefficient] : terms)
          if (base->kind() == Kind::Symbol && !pinned_.contains(base->name()))
            columns.push_back(base);
      std::sort(columns.begin(), columns.end(), ById());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      for (Expr column : columns)
        changed = eliminate(column) || changed;
    }
  }

  Facts result(std::size_t at_most) {
    Facts facts = left_;
    for (const auto &[terms, constant] : rows_) {
      std::vector<Expr> sum{context_.integer(constant)};
      for (const auto &[base, coefficient] : terms)
        sum.push_back(context_.mul(context_.integer(coefficient), base));
      facts.push_back(context_.compare_op(Kind::Le, context_.integer(0), context_.add(sum)));
    }
    std::stable_partition(facts.begin(), facts.end(), [&](Expr fact) {
      const std::vector<Name> &names = names_in_(fact);
      return std::all_of(names.begin(), names.end(),
                         [&](Name name) { return kept_.contains(name); });
    });
    if (facts.size() > at_most)
      facts.resize(at_most);
    return facts;
  }

private:
  void leave(Expr fact) {
    left_.push_back(fact);
    const std::vector<Name> &names = names_in_(fact);
    pinned_.insert(names.begin(), names.end());
  }

  /// b - a >= least, if it is a sum of integers.
  bool add_row(Expr a, Expr b, std::int64_t least) {
    constexpr auto other = Traits::has_undefined | Traits::has_fraction;
    if (traits_.any(a, other) || traits_.any(b, other))
      return false;
    auto sum = linear_form(context_, context_.sub(b, a));
    if (!sum || __builtin_sub_overflow(sum->constant, least, &sum->constant))
      return false;
    Terms terms;
    for (const Term &term : sum->terms) {
      terms[term.base] = term.coefficient;
      if (term.base->kind() == Kind::Symbol)
        continue;
      const std::vector<Name> &names = names_in_(term.base);
      pinned_.insert(names.begin(), names.end());
    }
    insert(std::move(terms), sum->constant);
    return true;
  }

  void insert(Terms terms, std::int64_t constant) {
    if (terms.empty() && constant >= 0)
      return;
    auto [row, added] = rows_.try_emplace(std::move(terms), constant);
    row->second = std::min(row->second, constant);
  }

  bool eliminate(Expr column) {
    using Row = std::map<Terms, std::int64_t, ByTerms>::iterator;
    std::vector<Row> lower;
    std::vector<Row> upper;
    bool units = true;
    for (auto row = rows_.begin(); row != rows_.end(); ++row)
      if (auto term = row->first.find(column); term != row->first.end()) {
        units = units && (term->second == 1 || term->second == -1);
        (term->second > 0 ? lower : upper).push_back(row);
      }
    std::vector<std::pair<Terms, std::int64_t>> sums;
    if (!lower.empty() && !upper.empty()) {
      // With other coefficients an integer between the bounds need not exist.
      if (!units || lower.size() * upper.size() > lower.size() + upper.size())
        return false;
      for (Row below : lower)
        for (Row above : upper)
          if (!add_sum(*below, *above, sums))
            return false;
    }
    for (Row row : lower)
      rows_.erase(row);
    for (Row row : upper)
      rows_.erase(row);
    for (auto &[terms, constant] : sums)
      insert(std::move(terms), constant);
    return !lower.empty() || !upper.empty();
  }

  static bool add_sum(const std::pair<const Terms, std::int64_t> &a,
                      const std::pair<const Terms, std::int64_t> &b,
                      std::vector<std::pair<Terms, std::int64_t>> &sums) {
    auto &[terms, constant] = sums.emplace_back(a.first, 0);
    if (__builtin_add_overflow(a.second, b.second, &constant))
      return false;
    for (const auto &[base, coefficient] : b.first) {
      std::int64_t &sum = terms[base];
      if (__builtin_add_overflow(sum, coefficient, &sum))
        return false;
      if (sum == 0)
        terms.erase(base);
    }
    return true;
  }

  Context &context_;
  Traits &traits_;
  const NamesIn &names_in_;
  std::unordered_set<Name> kept_;
  std::unordered_set<Name> pinned_;             ///< also those in what is no sum of symbols
  std::map<Terms, std::int64_t, ByTerms> rows_; ///< the constant of each
  Facts left_;                                  ///< facts that are no rows
};

} // namespace

Facts without_others(Context &context, Traits &traits, const NamesIn &names_in, const Facts &facts,
                     const std::vector<Name> &kept, std::size_t at_most) {
  Elimination elimination(context, traits, names_in, kept);
  for (Expr fact : facts)
    elimination.add(fact);
  elimination.run();
  return elimination.result(at_most);
}

} // namespace sdfgopt::sets
