#include "verify/symbol_search.h"

#include <algorithm>
#include <array>
#include <bit>

namespace sdfgopt::verify {

using symbolic::Kind;

SymbolSearch::SymbolSearch(const std::vector<Name> &symbols, std::vector<SymbolDomain> domains,
                           std::vector<std::optional<std::int64_t>> fixed, SplitMix &random)
    : table_(symbols), domains_(std::move(domains)), fixed_(std::move(fixed)), random_(random),
      clauses_of_(symbols.size()) {
  for (std::size_t s = 0; s < symbols.size(); ++s)
    if (fixed_[s])
      table_.set(s, *fixed_[s]);
}

SymbolSearch::ClauseId SymbolSearch::add(const Requirement &requirement, Need need,
                                         std::int64_t weight, bool wanted) {
  const ClauseId id = clauses_.size();
  const ValueTable::Index truth = table_.add(requirement.condition);
  std::vector<ValueTable::Index> symbols = table_.symbols_of(truth);
  std::vector<ValueTable::Index> guards;
  for (const Expr guard : requirement.guards) {
    guards.push_back(table_.add(guard));
    const auto &more = table_.symbols_of(guards.back());
    symbols.insert(symbols.end(), more.begin(), more.end());
  }
  clauses_.push_back({std::move(guards), requirement.condition, truth, need, wanted, weight});
  place_.push_back(none);
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  for (const ValueTable::Index symbol : symbols)
    clauses_of_[symbol].push_back(id);
  update(id);
  return id;
}

void SymbolSearch::set_weight(ClauseId clause, std::int64_t weight) {
  cost_ -= clauses_[clause].level * clauses_[clause].weight;
  clauses_[clause].level = 0;
  clauses_[clause].weight = weight;
  update(clause);
}

/// How far the two terms of a comparison are from making it (not) hold.
std::int64_t SymbolSearch::gap(Expr comparison, bool wanted) const {
  const Value &a = table_.value(comparison->args()[0]);
  const Value &b = table_.value(comparison->args()[1]);
  if (!a || !b)
    return far;
  const auto clamped = [](Fraction x) { return std::clamp(x.num / x.den, -far, far); };
  const std::int64_t difference = clamped(*a) - clamped(*b);
  const int order = compare(*a, *b);
  const bool equality = comparison->kind() == Kind::Eq || comparison->kind() == Kind::Ne;
  if (equality && wanted == (comparison->kind() == Kind::Eq))
    return order == 0 ? 0 : std::max<std::int64_t>(1, std::abs(difference));
  if (equality)
    return order == 0 ? 1 : 0;
  // a < b, a <= b, or the opposite of one of them.
  const bool strict = (comparison->kind() == Kind::Lt) == wanted;
  const int ahead = wanted ? order : -order;
  if (ahead < 0 || (ahead == 0 && !strict))
    return 0;
  return std::max<std::int64_t>(1, std::abs(difference) + (strict ? 1 : 0));
}

// Recursion is bounded by Context::max_height.
std::int64_t SymbolSearch::distance(Expr condition, bool wanted) const {
  switch (condition->kind()) {
  case Kind::Eq:
  case Kind::Ne:
  case Kind::Lt:
  case Kind::Le:
    return gap(condition, wanted);
  case Kind::Not:
    return distance(condition->args()[0], !wanted);
  case Kind::And:
  case Kind::Or: {
    const bool all = (condition->kind() == Kind::And) == wanted;
    std::int64_t sum = 0;
    std::int64_t least = far;
    for (const Expr arg : condition->args()) {
      const std::int64_t part = distance(arg, wanted);
      sum = std::min(far, sum + part);
      least = std::min(least, part);
    }
    return all ? sum : least;
  }
  default: {
    const Value &value = table_.value(condition);
    if (!value)
      return far;
    if ((value->num != 0) == wanted)
      return 0;
    return wanted ? 1 : std::max<std::int64_t>(1, std::abs(std::clamp(value->num, -far, far)));
  }
  }
}

std::int64_t SymbolSearch::level_of(const Clause &clause) const {
  if (clause.weight == 0)
    return 0;
  for (const ValueTable::Index guard : clause.guards)
    if (const Value &value = table_.value(guard); value && value->num == 0)
      return 0;
  const Value &truth = table_.value(clause.truth);
  if (truth && (truth->num != 0) == clause.wanted)
    return 0;
  const auto away = static_cast<std::uint64_t>(distance(clause.condition, clause.wanted));
  return static_cast<std::int64_t>(std::bit_width(away));
}

/// The last change of a value leaves a clause that held as it is.
bool SymbolSearch::unaffected(const Clause &clause) const {
  return clause.level == 0 && !table_.changed(clause.truth) &&
         std::none_of(clause.guards.begin(), clause.guards.end(),
                      [&](ValueTable::Index guard) { return table_.changed(guard); });
}

void SymbolSearch::update(ClauseId id) {
  Clause &clause = clauses_[id];
  const std::int64_t level = level_of(clause);
  cost_ += clause.weight * (level - clause.level);
  if (level != 0 && place_[id] == none) {
    place_[id] = violated_.size();
    violated_.push_back(id);
  } else if (level == 0 && place_[id] != none) {
    violated_[place_[id]] = violated_.back();
    place_[violated_.back()] = place_[id];
    violated_.pop_back();
    place_[id] = none;
  }
  clause.level = level;
}

void SymbolSearch::set(std::size_t symbol, std::int64_t value) {
  if (fixed_[symbol] || table_.get(symbol) == value)
    return;
  table_.set(symbol, value);
  for (const ClauseId clause : clauses_of_[symbol])
    if (!unaffected(clauses_[clause]))
      update(clause);
}

void SymbolSearch::restore(const std::vector<std::int64_t> &values) {
  for (std::size_t symbol = 0; symbol < values.size(); ++symbol)
    set(symbol, values[symbol]);
}

std::size_t SymbolSearch::unmet() const {
  return static_cast<std::size_t>(
      std::count_if(violated_.begin(), violated_.end(),
                    [&](ClauseId clause) { return clauses_[clause].need == Need::Must; }));
}

/// One of the violated clauses; every other time, one of the heaviest.
SymbolSearch::ClauseId SymbolSearch::pick_violated() {
  ClauseId best = violated_[random_.below(violated_.size())];
  if (random_.once_in(2))
    return best;
  const std::size_t start = random_.below(violated_.size());
  for (std::size_t i = 0; i < violated_.size(); ++i) {
    const ClauseId clause = violated_[(start + i) % violated_.size()];
    if (clauses_[clause].weight > clauses_[best].weight)
      best = clause;
  }
  return best;
}

std::vector<SymbolSearch::Move> SymbolSearch::moves(const Clause &clause) const {
  std::vector<Move> result;
  const std::int64_t away = distance(clause.condition, clause.wanted);
  for (const ValueTable::Index symbol : table_.symbols_of(clause.truth)) {
    if (fixed_[symbol])
      continue;
    const std::int64_t now = table_.get(symbol);
    std::array values = {now + away, now - away,           now + 1,
                         now - 1,    now + (away + 1) / 2, now - (away + 1) / 2};
    for (std::int64_t &value : values)
      value = std::clamp(value, domains_[symbol].first, domains_[symbol].last);
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != now && (i == 0 || values[i] != values[i - 1]))
        result.push_back({symbol, values[i]});
  }
  return result;
}

/// By how much a move lowers the cost.
std::int64_t SymbolSearch::gain(const Move &move) {
  table_.set(move.symbol, move.value);
  std::int64_t result = 0;
  for (const ClauseId id : clauses_of_[move.symbol]) {
    const Clause &clause = clauses_[id];
    if (!unaffected(clause))
      result += clause.weight * (clause.level - level_of(clause));
  }
  table_.undo();
  return result;
}

bool SymbolSearch::solve(std::size_t steps) {
  std::vector<std::int64_t> best = table_.values();
  std::int64_t best_cost = cost_;
  constexpr std::size_t patience = 30;       // steps without success, once what must hold does
  constexpr std::size_t long_patience = 150; // and before
  std::size_t idle = 0;
  for (std::size_t step = 0; step < steps && !violated_.empty(); ++step) {
    if (idle >= long_patience || (idle >= patience && unmet() == 0))
      break;
    const std::vector<Move> options = moves(clauses_[pick_violated()]);
    ++idle;
    if (options.empty())
      continue;
    Move chosen = options[random_.below(options.size())];
    if (!random_.once_in(16)) {
      const std::size_t start = random_.below(options.size());
      std::int64_t most = std::numeric_limits<std::int64_t>::min();
      for (std::size_t i = 0; i < options.size(); ++i) {
        const Move &option = options[(start + i) % options.size()];
        if (const std::int64_t gained = gain(option); gained > most) {
          most = gained;
          chosen = option;
        }
      }
    }
    set(chosen.symbol, chosen.value);
    if (cost_ < best_cost) {
      best_cost = cost_;
      best = table_.values();
      idle = 0;
    }
  }
  restore(best);
  return unmet() == 0;
}

} // namespace sdfgopt::verify
