#include "verify/choice_plan.h"

#include "verify/evaluate.h"
#include "verify/symbol_choice.h"
#include "verify/symbol_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace sdfgopt::verify {

using support::Name;
using symbolic::Expr;
using symbolic::Grammar;
using symbolic::Kind;
using SymbolValue = SymbolMap::mapped_type;

namespace {

support::Error usage(std::string message) {
  return {support::ErrorCode::Usage, std::move(message), ""};
}

/// What cannot be computed from whole numbers.
bool has_data(Expr e) {
  switch (e->kind()) {
  case Kind::Undefined:
  case Kind::Call:
  case Kind::Subscript:
  case Kind::Attr:
  case Kind::Opaque:
    return true;
  default:
    return std::any_of(e->args().begin(), e->args().end(), has_data);
  }
}

/// What is chosen for floats is whole and positive; here is what is neither, in some choices.
SymbolValue float_value(std::int64_t chosen, std::size_t choice) {
  constexpr double part = 0.3125;
  if (choice % 2 == 0)
    return chosen;
  return (static_cast<double>(chosen) - part) * (choice % 4 == 3 ? -1 : 1);
}

} // namespace

// --- facts and conditions ------------------------------------------------------------------------

support::result<ChoicePlan> ChoicePlan::make(ir::Document &before, ir::Document &after,
                                             Runner &runner, const VerifyOptions &options) {
  ChoicePlan plan(before, after, runner, options);
  SDFGOPT_CHECK(plan.read_facts());
  for (const FreeSymbol &symbol : free_symbols(before)) {
    plan.all_given_ = plan.all_given_ && options.symbols.contains(symbol.name.str());
    if (symbol.dtype.starts_with("\"float") && !plan.fact_symbols_.contains(symbol.name.str()))
      plan.floats_.insert(symbol.name.str());
  }
  for (const std::string &name : plan.fact_symbols_) // scalar arguments among them
    plan.all_given_ = plan.all_given_ && options.symbols.contains(name);
  if (!plan.all_given_)
    plan.collect_conditions();
  return plan;
}

bool ChoicePlan::is_known(const std::string &name) const {
  const auto known = runner_.has_symbol(name);
  return known.ok() && known.value();
}

support::result<void> ChoicePlan::read_facts() {
  for (const std::string &text : options_.facts) {
    Expr fact = nullptr;
    Expr in_after = nullptr;
    if (const auto wrong = before_.context.parse(text, Grammar::Python, fact))
      return usage(fmt::format("fact '{}': {}", text, *wrong));
    if (const auto wrong = after_.context.parse(text, Grammar::Python, in_after))
      return usage(fmt::format("fact '{}': {}", text, *wrong));
    if (has_data(fact))
      return usage(fmt::format("fact '{}' is not about whole numbers and symbols alone", text));
    for (const Name name : before_.context.free_symbols(fact)) {
      SDFGOPT_TRY(const bool known, runner_.has_symbol(name.str()));
      if (!known)
        return usage(fmt::format("fact '{}': the program has no symbol '{}'", text, name.view()));
      fact_symbols_.insert(name.str());
    }
    SDFGOPT_CHECK(check_given(fact, text));
    facts_.push_back(fact);
    after_facts_.push_back(in_after);
  }
  return {};
}

support::result<void> ChoicePlan::check_given(Expr fact, const std::string &text) const {
  bool all = true;
  for (const Name name : before_.context.free_symbols(fact)) {
    const auto given = options_.symbols.find(name.str());
    all = all && given != options_.symbols.end();
    if (given != options_.symbols.end() && !std::holds_alternative<std::int64_t>(given->second))
      return usage(
          fmt::format("fact '{}': the value of '{}' is not a whole number", text, name.view()));
  }
  if (all && !holds(fact, options_.symbols))
    return usage(options_.symbols.empty()
                     ? fmt::format("fact '{}' never holds", text)
                     : fmt::format("fact '{}' does not hold with the values given ({})", text,
                                   symbols_text(options_.symbols)));
  return {};
}

/// Those of the program after are told in the context of the one before, whose symbols they share.
void ChoicePlan::collect_conditions() {
  for (const Requirement &branch : symbol_problem(before_).branches)
    add_condition(branch.guards, branch.condition);
  const auto in_before = [&](Expr e) {
    return before_.context.value(
        before_.context.expression(after_.context.print(e, Grammar::Python), Grammar::Python));
  };
  for (const Requirement &branch : symbol_problem(after_).branches) {
    std::vector<Expr> guards;
    guards.reserve(branch.guards.size());
    for (const Expr guard : branch.guards)
      guards.push_back(in_before(guard));
    add_condition(guards, in_before(branch.condition));
  }
}

void ChoicePlan::add_condition(const std::vector<Expr> &guards, Expr condition) {
  symbolic::Context &context = before_.context;
  bool open = false;
  for (const Name name : context.free_symbols(condition)) {
    if (!is_known(name.str()))
      return;
    open = open || !options_.symbols.contains(name.str());
  }
  std::vector<Expr> all = guards;
  all.push_back(condition);
  Condition added{context.logical_and(all), nullptr, {}};
  if (!open || std::any_of(all.begin(), all.end(), has_data) ||
      std::any_of(conditions_.begin(), conditions_.end(),
                  [&](const Condition &other) { return other.holds == added.holds; }))
    return;
  all.back() = context.logical_not(condition);
  added.fails = context.logical_and(all);
  add_borders(added, guards, condition);
  conditions_.push_back(std::move(added));
}

/// The others of the conjunction hold, so that this comparison decides.
void ChoicePlan::add_borders(Condition &condition, const std::vector<Expr> &guards, Expr whole) {
  symbolic::Context &context = before_.context;
  std::vector<Expr> parts = {whole};
  if (whole->kind() == Kind::And)
    parts.assign(whole->args().begin(), whole->args().end());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Expr part = parts[i];
    if (part->kind() != Kind::Le && part->kind() != Kind::Lt && part->kind() != Kind::Eq)
      continue;
    // a <= b: a is b, or one more. a < b: one less, or b. a == b: one more, or less.
    const std::int64_t last = part->kind() == Kind::Lt ? -1 : part->kind() == Kind::Le ? 0 : 1;
    for (const std::int64_t distance : {last, part->kind() == Kind::Eq ? -1 : last + 1}) {
      std::vector<Expr> all = guards;
      for (std::size_t other = 0; other < parts.size(); ++other)
        if (other != i)
          all.push_back(parts[other]);
      all.push_back(context.compare_op(Kind::Eq, part->args()[0],
                                       context.add(part->args()[1], context.integer(distance))));
      condition.borders.push_back(context.logical_and(all));
    }
  }
}

bool ChoicePlan::holds(Expr e, const SymbolMap &symbols) const {
  const Lookup lookup = [&](Name name) -> std::optional<std::int64_t> {
    const auto found = symbols.find(name.str());
    if (found == symbols.end() || !std::holds_alternative<std::int64_t>(found->second))
      return std::nullopt;
    return std::get<std::int64_t>(found->second);
  };
  return evaluate(e, lookup).value_or(0) != 0;
}

bool ChoicePlan::satisfies_facts(const SymbolMap &symbols) const {
  return std::all_of(facts_.begin(), facts_.end(), [&](Expr e) { return holds(e, symbols); });
}

ChoicePlan::Sides ChoicePlan::sides(const std::vector<VerifiedRun> &runs) const {
  Sides result;
  const auto shown = [&](Expr e) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const VerifiedRun &run) { return holds(e, run.symbols); });
  };
  for (const Condition &condition : conditions_) {
    ++result.conditions;
    result.both += shown(condition.holds) && shown(condition.fails) ? 1 : 0;
  }
  return result;
}

// --- choices -------------------------------------------------------------------------------------

std::vector<std::pair<Name, std::int64_t>> ChoicePlan::given_in(ir::Document &document) const {
  std::vector<std::pair<Name, std::int64_t>> given;
  for (const auto &[name, value] : options_.symbols)
    if (std::holds_alternative<std::int64_t>(value))
      given.emplace_back(document.names.intern(name), std::get<std::int64_t>(value));
  return given;
}

/// With the values that are given; without symbols that the program before does not have.
SymbolMap ChoicePlan::completed(const SymbolChoice &choice, std::size_t number) const {
  SymbolMap symbols = options_.symbols;
  for (const auto &[name, value] : choice.values)
    if (is_known(name.str()))
      symbols.try_emplace(name.str(), floats_.contains(name.str()) ? float_value(value, number)
                                                                   : SymbolValue(value));
  return symbols;
}

/// Adds choices for one of the two programs.
void ChoicePlan::add_chosen(std::vector<SymbolMap> &result, ir::Document &document,
                            std::size_t count, std::uint64_t seed, std::int64_t size) {
  constexpr std::size_t attempts = 8; // for a choice that is like none before
  SymbolChooser chooser(
      document, {given_in(document), &document == &before_ ? facts_ : after_facts_, seed, size});
  const SymbolMap missing = result.empty() ? SymbolMap() : result.front();
  for (std::size_t number = 0; number < count; ++number)
    for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
      if (options_.stop.stop_requested())
        return;
      const auto choice = chooser.next();
      if (!choice)
        break;
      SymbolMap symbols = completed(*choice, number);
      symbols.insert(missing.begin(), missing.end()); // what only the program before has
      const bool is_new = symbols.size() == options_.symbols.size() ||
                          std::find(result.begin(), result.end(), symbols) == result.end();
      if (!satisfies_facts(symbols) || (!is_new && attempt + 1 < attempts))
        continue;
      result.push_back(std::move(symbols));
      break;
    }
}

/// Choices that conditions have no part in.
std::vector<SymbolMap> ChoicePlan::usual(std::size_t count, std::uint64_t seed) {
  if (all_given_)
    return std::vector<SymbolMap>(count, options_.symbols);
  constexpr std::int64_t larger = 8;
  const std::size_t large = count / 4;
  const std::size_t after = count / 4;
  std::vector<SymbolMap> result;
  add_chosen(result, before_, count - large - after, seed, options_.size);
  if (result.empty())
    return result; // no values satisfy the facts
  add_chosen(result, before_, large, seed + 1, larger * options_.size);
  add_chosen(result, after_, after, seed + 2, options_.size);
  return result;
}

std::vector<SymbolMap> ChoicePlan::next(std::size_t count, std::uint64_t seed,
                                        const std::vector<VerifiedRun> &runs) {
  std::vector<SymbolMap> others = usual(count, seed);
  if (conditions_.empty() || others.empty())
    return others;
  std::vector<SymbolMap> result;
  const auto take = [&](std::vector<SymbolMap>::iterator choice) {
    result.push_back(std::move(*choice));
    others.erase(choice);
  };
  if (runs.empty())
    take(others.begin());
  SymbolChooser chooser(before_, {given_in(before_), facts_, seed + 3, options_.size});
  std::size_t searches = 4 * count; // aims that cannot be reached take long
  const auto aim_at = [&](Expr aim) {
    const auto shows = [&](const SymbolMap &symbols) { return holds(aim, symbols); };
    if (std::any_of(runs.begin(), runs.end(),
                    [&](const VerifiedRun &run) { return shows(run.symbols); }) ||
        std::any_of(result.begin(), result.end(), shows))
      return;
    if (const auto found = std::find_if(others.begin(), others.end(), shows); found != others.end())
      return take(found);
    if (searches == 0 || options_.stop.stop_requested())
      return;
    --searches;
    if (const auto choice = chooser.next(aim)) {
      SymbolMap symbols = completed(*choice, result.size());
      if (satisfies_facts(symbols) && shows(symbols))
        result.push_back(std::move(symbols));
    }
  };
  for (const Condition &condition : conditions_)
    for (const Expr side : {condition.holds, condition.fails})
      if (result.size() < count)
        aim_at(side);
  // Half of what is left is for borders, one of each condition after the other.
  const std::size_t most = result.size() + (count - result.size() + 1) / 2;
  for (std::size_t number = 0, left = 1; left > 0; ++number) {
    left = 0;
    for (const Condition &condition : conditions_)
      if (number < condition.borders.size() && result.size() < most) {
        ++left;
        aim_at(condition.borders[number]);
      }
  }
  while (result.size() < count && !others.empty())
    take(others.begin());
  return result;
}

} // namespace sdfgopt::verify
