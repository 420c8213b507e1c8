#include "verify/shape_symbols.h"

#include "analysis/memory.h"
#include "verify/evaluate.h"

namespace sdfgopt::verify {

using support::Name;
using symbolic::Expr;

namespace {

/// The expression has this value.
struct Equation {
  Expr expression;
  std::int64_t value;
};

class Equations {
public:
  Equations(symbolic::Context &context, SymbolMap known)
      : context_(context), known_(std::move(known)) {}

  /// Again and again, until nothing new follows.
  void solve(const std::vector<Equation> &equations) {
    for (bool again = true; again;) {
      again = false;
      for (const Equation &equation : equations)
        again = solve(equation) || again;
    }
  }
  [[nodiscard]] SymbolMap known() && { return std::move(known_); }

private:
  bool solve(const Equation &equation) {
    Name unknown;
    for (const Name name : context_.free_symbols(equation.expression)) {
      if (known_.contains(name.str()))
        continue;
      if (unknown)
        return false;
      unknown = name;
    }
    if (!unknown)
      return false;
    const auto at = [&](std::int64_t value) {
      return evaluate(equation.expression, [&](Name name) -> std::optional<std::int64_t> {
        if (name == unknown)
          return value;
        const auto &found = known_.at(name.str());
        if (!std::holds_alternative<std::int64_t>(found))
          return std::nullopt;
        return std::get<std::int64_t>(found);
      });
    };
    const auto zero = at(0);
    const auto one = at(1);
    std::int64_t slope = 0;
    std::int64_t distance = 0;
    if (!zero || !one || __builtin_sub_overflow(*one, *zero, &slope) || slope == 0 ||
        __builtin_sub_overflow(equation.value, *zero, &distance) || distance == INT64_MIN ||
        distance % slope != 0)
      return false;
    const std::int64_t solution = distance / slope;
    if (at(solution) != equation.value) // it is not linear
      return false;
    known_.emplace(unknown.str(), solution);
    return true;
  }

  symbolic::Context &context_;
  SymbolMap known_;
};

/// Calls `visit(descriptor, array)` for those of the same rank.
template <typename Visit>
void for_each_array(const ir::Document &document, const std::map<std::string, ArrayShape> &arrays,
                    Visit visit) {
  for (const ir::Descriptor &descriptor : document.root.arrays)
    if (const auto array = arrays.find(descriptor.name.str());
        !descriptor.removed && array != arrays.end() &&
        array->second.shape.size() == descriptor.shape.size())
      visit(descriptor, array->second);
}

} // namespace

SymbolMap with_shape_symbols(ir::Document &document,
                             const std::map<std::string, ArrayShape> &arrays, SymbolMap given) {
  symbolic::Context &context = document.context;
  std::vector<Equation> extents;
  std::vector<Equation> strides;
  std::vector<Equation> idle_strides;
  for_each_array(document, arrays, [&](const ir::Descriptor &descriptor, const ArrayShape &array) {
    const std::vector<Expr> stride = analysis::strides_of(descriptor, context);
    for (std::size_t d = 0; d < stride.size(); ++d) {
      extents.push_back({context.value(descriptor.shape[d]), array.shape[d]});
      (array.shape[d] > 1 ? strides : idle_strides).push_back({stride[d], array.strides[d]});
    }
  });
  Equations equations(context, std::move(given));
  equations.solve(extents);
  equations.solve(strides);
  equations.solve(idle_strides);
  return std::move(equations).known();
}

std::vector<Expr> extent_facts(ir::Document &document,
                               const std::map<std::string, ArrayShape> &arrays) {
  symbolic::Context &context = document.context;
  std::vector<Expr> facts;
  for_each_array(document, arrays, [&](const ir::Descriptor &descriptor, const ArrayShape &array) {
    for (std::size_t d = 0; d < array.shape.size(); ++d)
      facts.push_back(context.compare_op(symbolic::Kind::Eq, context.value(descriptor.shape[d]),
                                         context.integer(array.shape[d])));
  });
  return facts;
}

} // namespace sdfgopt::verify
