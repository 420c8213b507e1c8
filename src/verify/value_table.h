// Values of many expressions over one set of symbols, kept up to date as symbols change.
#pragma once

#include "symbolic/context.h"
#include "verify/operation.h"

#include <unordered_map>
#include <vector>

namespace sdfgopt::verify {

class ValueTable {
public:
  using Index = std::uint32_t;

  /// All symbols are 0 at first; any other symbol has no value.
  explicit ValueTable(const std::vector<support::Name> &symbols);

  /// Adds an expression with all its parts; the index of one that is there already.
  Index add(symbolic::Expr e);
  [[nodiscard]] Index find(symbolic::Expr e) const { return index_.at(e); }

  [[nodiscard]] const Value &value(Index index) const { return entries_[index].value; }
  [[nodiscard]] const Value &value(symbolic::Expr e) const { return value(find(e)); }
  /// The symbols in an expression, as positions in the list, ascending.
  [[nodiscard]] const std::vector<Index> &symbols_of(Index index) const {
    return entries_[index].symbols;
  }

  /// Takes time linear in the number of distinct expressions that the symbol is part of.
  void set(std::size_t symbol, std::int64_t value);
  /// Takes the last `set` back.
  void undo();
  /// The value is another one since the last `set`.
  [[nodiscard]] bool changed(Index index) const { return entries_[index].changed == time_; }
  [[nodiscard]] std::int64_t get(std::size_t symbol) const { return values_[symbol]; }
  [[nodiscard]] const std::vector<std::int64_t> &values() const { return values_; }

private:
  struct Entry {
    symbolic::Expr expr;
    std::vector<Index> args;
    std::vector<Index> symbols;
    Value value;
    std::uint64_t changed = 0; ///< the time of the last change
  };
  [[nodiscard]] Value computed(const Entry &entry);

  std::vector<std::int64_t> values_;
  std::unordered_map<support::Name, Index> positions_;
  std::vector<Entry> entries_; // arguments before what they are arguments of
  std::unordered_map<symbolic::Expr, Index> index_;
  std::vector<std::vector<Index>> uses_; // a symbol -> the entries that it is part of, ascending
  std::uint64_t time_ = 1;               // counts calls of set
  struct Change {
    Index index;
    Value before;
  };
  std::vector<Change> changes_; // of the last set
  std::size_t set_symbol_ = 0;
  std::int64_t set_before_ = 0;
  std::vector<Value> operands_; // of computed
};

} // namespace sdfgopt::verify
