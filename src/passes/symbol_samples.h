// Texts of remarks, taken apart and computed for values of their symbols.
#pragma once

#include "passes/remark.h"
#include "symbolic/context.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace sdfgopt::passes {

class SymbolSamples {
public:
  SymbolSamples() : context_(names_) {}

  /// The conjuncts of a condition, each as a text.
  std::vector<std::string> comparisons(const std::string &condition);
  /// The mean of the remarks' bytes taken together; see search_facts.
  double mean_bytes(const std::vector<const Remark *> &remarks,
                    const std::vector<std::string> &facts);

private:
  using Values = std::unordered_map<support::Name, symbolic::Expr>;

  symbolic::Expr parsed(const std::string &text);
  std::vector<Values> samples(const std::vector<symbolic::Expr> &facts,
                              const std::vector<symbolic::Expr> &sizes);

  support::NamePool names_;
  symbolic::Context context_;
};

} // namespace sdfgopt::passes
