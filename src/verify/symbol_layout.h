// Strides of arrays whose shapes are known.
#pragma once

#include "verify/evaluate.h"
#include "verify/splitmix.h"
#include "verify/symbol_problem.h"

#include <unordered_map>
#include <unordered_set>

namespace sdfgopt::verify {

/// Symbols that are nothing but strides are not searched for, but computed from the shapes.
class StrideChooser {
public:
  StrideChooser(const SymbolProblem &problem, symbolic::Context &context);

  /// The symbol is nothing but the stride of some dimensions.
  [[nodiscard]] bool is_stride(Name symbol) const { return strides_.contains(symbol); }
  /// What the other layouts require: their strides are found with all other symbols.
  [[nodiscard]] const std::vector<Requirement> &requirements() const { return requirements_; }

  /// Sets the strides in `values`, which has all other symbols; `fixed` ones stay. Tells how many
  /// arrays have elements that lie upon one another, or outside of the array's memory.
  std::size_t choose(std::unordered_map<Name, std::int64_t> &values,
                     const std::unordered_map<Name, std::int64_t> &fixed, SplitMix &random) const;

private:
  using Values = std::unordered_map<Name, std::int64_t>;
  enum class Order : std::uint8_t { C, Fortran };
  /// Where each stride is that of the order and `gap` more.
  struct Manner {
    Order order;
    std::int64_t gap;
  };
  void require(const Layout &layout, symbolic::Context &context);
  static void assign(const Layout &layout, const Manner &manner, Values &values,
                     const Values &fixed);
  [[nodiscard]] Values each_alone(const Values &values, const Values &fixed,
                                  SplitMix &random) const;
  [[nodiscard]] Values all_alike(Order order, const Values &values, const Values &fixed) const;

  std::vector<const Layout *> layouts_; ///< those with symbols of strides_
  std::unordered_set<Name> strides_;
  std::vector<Requirement> requirements_;
};

} // namespace sdfgopt::verify
