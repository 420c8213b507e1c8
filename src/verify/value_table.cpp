#include "verify/value_table.h"

#include <algorithm>

namespace sdfgopt::verify {

using symbolic::Expr;

ValueTable::ValueTable(const std::vector<support::Name> &symbols)
    : values_(symbols.size(), 0), uses_(symbols.size()) {
  for (std::size_t i = 0; i < symbols.size(); ++i)
    positions_.emplace(symbols[i], static_cast<Index>(i));
}

// Recursion is bounded by Context::max_height.
ValueTable::Index ValueTable::add(Expr e) {
  if (const auto found = index_.find(e); found != index_.end())
    return found->second;
  Entry entry{e, {}, {}, std::nullopt, 0};
  for (const Expr arg : e->args()) {
    const Index index = add(arg);
    entry.args.push_back(index);
    const std::vector<Index> &inner = entries_[index].symbols;
    entry.symbols.insert(entry.symbols.end(), inner.begin(), inner.end());
  }
  if (e->kind() == symbolic::Kind::Symbol)
    if (const auto found = positions_.find(e->name()); found != positions_.end())
      entry.symbols.push_back(found->second);
  std::sort(entry.symbols.begin(), entry.symbols.end());
  entry.symbols.erase(std::unique(entry.symbols.begin(), entry.symbols.end()), entry.symbols.end());
  entry.value = computed(entry);
  const auto index = static_cast<Index>(entries_.size());
  for (const Index symbol : entry.symbols)
    uses_[symbol].push_back(index);
  entries_.push_back(std::move(entry));
  index_.emplace(e, index);
  return index;
}

Value ValueTable::computed(const Entry &entry) {
  if (entry.expr->kind() == symbolic::Kind::Symbol)
    return entry.symbols.empty() ? Value() : Fraction{values_[entry.symbols.front()]};
  operands_.clear();
  for (const Index arg : entry.args)
    operands_.push_back(entries_[arg].value);
  return apply_operation(entry.expr, operands_);
}

void ValueTable::set(std::size_t symbol, std::int64_t value) {
  ++time_;
  changes_.clear();
  set_symbol_ = symbol;
  set_before_ = values_[symbol];
  if (values_[symbol] == value)
    return;
  values_[symbol] = value;
  for (const Index index : uses_[symbol]) {
    Entry &entry = entries_[index];
    const bool affected =
        entry.args.empty() ||
        std::any_of(entry.args.begin(), entry.args.end(), [&](Index arg) { return changed(arg); });
    if (!affected)
      continue;
    const Value now = computed(entry);
    if (now == entry.value)
      continue;
    changes_.push_back({index, entry.value});
    entry.value = now;
    entry.changed = time_;
  }
}

void ValueTable::undo() {
  values_[set_symbol_] = set_before_;
  for (const Change &change : changes_)
    entries_[change.index].value = change.before;
  changes_.clear();
}

} // namespace sdfgopt::verify
