// What is known throughout a program, indexed by symbol.
#include "sets/solver.h"

#include <algorithm>

namespace sdfgopt::sets {

void KnownFacts::add(Expr fact) {
  if (fact->kind() == symbolic::Kind::And) {
    for (Expr part : fact->args())
      add(part);
    return;
  }
  if (!known_.insert(fact).second)
    return;
  auto index = static_cast<std::uint32_t>(facts_.size());
  facts_.push_back(fact);
  names_.push_back(context_->free_symbols(fact));
  if (names_.back().empty())
    nameless_.push_back(index);
  for (Name name : names_.back())
    by_name_[name].push_back(index);
}

Facts KnownFacts::connected(const std::vector<Name> &names, std::size_t at_most) const {
  std::vector<std::uint32_t> found(
      nameless_.begin(),
      nameless_.begin() + static_cast<std::ptrdiff_t>(std::min(nameless_.size(), at_most)));
  std::unordered_set<std::uint32_t> seen(found.begin(), found.end());
  std::unordered_set<Name> reached;
  using Indexed = std::pair<Name, const std::vector<std::uint32_t> *>;
  std::vector<Indexed> layer;
  auto reach = [&](Name name, std::vector<Indexed> &into) {
    if (!reached.insert(name).second)
      return;
    if (auto facts = by_name_.find(name); facts != by_name_.end())
      into.emplace_back(name, &facts->second);
  };
  for (Name name : names)
    reach(name, layer);
  while (!layer.empty() && found.size() < at_most) {
    // A symbol that few facts speak of says more about the question than one that is everywhere.
    std::stable_sort(layer.begin(), layer.end(), [](const Indexed &a, const Indexed &b) {
      return a.second->size() < b.second->size();
    });
    std::vector<Indexed> next;
    for (const auto &[name, facts] : layer)
      for (std::uint32_t index : *facts) {
        if (found.size() == at_most)
          break;
        if (!seen.insert(index).second)
          continue;
        found.push_back(index);
        for (Name other : names_[index])
          reach(other, next);
      }
    layer = std::move(next);
  }
  std::sort(found.begin(), found.end());
  Facts result;
  result.reserve(found.size());
  for (std::uint32_t index : found)
    result.push_back(facts_[index]);
  return result;
}

} // namespace sdfgopt::sets
