#include "passes/symbol_samples.h"

#include "support/mixed.h"

#include <algorithm>
#include <array>
#include <set>

namespace sdfgopt::passes {

using support::Name;
using symbolic::Expr;

namespace {

constexpr std::size_t max_tries = 320;
constexpr std::size_t max_samples = 20;
// One after the other: small ones for facts that are equations, large ones for those that bound.
constexpr std::array<std::uint64_t, 4> spans = {4, 16, 128, 1024};

} // namespace

Expr SymbolSamples::parsed(const std::string &text) {
  Expr result = nullptr;
  const bool failed = context_.parse(text, symbolic::Grammar::Python, result).has_value();
  return failed ? context_.undefined() : result;
}

std::vector<std::string> SymbolSamples::comparisons(const std::string &condition) {
  const Expr all = parsed(condition);
  if (all->kind() != symbolic::Kind::And)
    return {condition};
  std::vector<std::string> texts;
  texts.reserve(all->args().size());
  for (const Expr part : all->args())
    texts.push_back(context_.print(part, symbolic::Grammar::Python));
  return texts;
}

std::vector<SymbolSamples::Values> SymbolSamples::samples(const std::vector<Expr> &facts,
                                                          const std::vector<Expr> &sizes) {
  std::set<Name> symbols; // by text: every name has its own values, whatever the others are
  for (const auto *list : {&facts, &sizes})
    for (const Expr e : *list)
      for (const Name name : context_.free_symbols(e))
        symbols.insert(name);
  std::vector<Values> all;
  std::vector<Values> satisfying;
  std::uint64_t state = 0;
  for (std::size_t k = 0; k < max_tries && satisfying.size() < max_samples; ++k) {
    Values values;
    for (const Name name : symbols)
      values[name] = context_.integer(
          static_cast<std::int64_t>(support::mixed(++state) % spans[k % spans.size()]));
    const bool holds = std::ranges::all_of(facts, [&](Expr fact) {
      return context_.substitute(fact, values) == context_.boolean(true);
    });
    if (holds)
      satisfying.push_back(values);
    if (all.size() < max_samples)
      all.push_back(std::move(values));
  }
  return satisfying.empty() ? all : satisfying;
}

double SymbolSamples::mean_bytes(const std::vector<const Remark *> &remarks,
                                 const std::vector<std::string> &facts) {
  std::vector<Expr> conditions;
  conditions.reserve(facts.size());
  for (const std::string &fact : facts)
    conditions.push_back(parsed(fact));
  std::vector<Expr> sizes;
  for (const Remark *remark : remarks)
    if (!remark->bytes.empty())
      sizes.push_back(parsed(remark->bytes));
  double sum = 0;
  const std::vector<Values> chosen = samples(conditions, sizes);
  for (const Values &values : chosen)
    for (const Expr size : sizes)
      if (const auto bytes = symbolic::Context::constant(context_.substitute(size, values));
          bytes && *bytes > 0)
        sum += static_cast<double>(*bytes);
  return sum / static_cast<double>(chosen.size());
}

} // namespace sdfgopt::passes
