#include "verify/symbol_layout.h"

#include <algorithm>

namespace sdfgopt::verify {

using symbolic::Kind;

namespace {

Lookup lookup_in(const std::unordered_map<Name, std::int64_t> &values) {
  return [&values](Name name) -> std::optional<std::int64_t> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

/// Elements have addresses of their own, within the array's memory: each stride reaches past all
/// that the smaller strides reach.
bool is_sound(const Layout &layout, const Lookup &lookup) {
  std::vector<std::pair<std::int64_t, std::int64_t>> dims; // stride, steps
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    const auto extent = evaluate(layout.shape[d], lookup);
    const auto stride = evaluate(layout.strides[d], lookup);
    if (!extent || !stride)
      return false;
    if (*extent <= 0) // no element; but a size like `stride * (extent - 1) + 1` may be negative
      return evaluate(layout.total_size, lookup).value_or(-1) >= 0;
    if (*extent > 1)
      dims.emplace_back(*stride, *extent - 1);
  }
  std::sort(dims.begin(), dims.end());
  std::int64_t reach = 0;
  for (const auto &[stride, steps] : dims) {
    std::int64_t further = 0;
    if (stride <= reach || __builtin_mul_overflow(stride, steps, &further) ||
        __builtin_add_overflow(reach, further, &reach))
      return false;
  }
  const auto total = evaluate(layout.total_size, lookup);
  return total && reach < *total;
}

} // namespace

StrideChooser::StrideChooser(const SymbolProblem &problem, symbolic::Context &context) {
  std::unordered_set<Name> elsewhere;
  const auto use = [&](Expr e) {
    for (const Name name : context.free_symbols(e))
      elsewhere.insert(name);
  };
  for (const auto *list : {&problem.requirements, &problem.hulls})
    for (const Requirement &requirement : *list) {
      use(requirement.condition);
      std::for_each(requirement.guards.begin(), requirement.guards.end(), use);
    }
  for (const Extent &extent : problem.extents) {
    use(extent.begin);
    use(extent.size);
  }
  std::for_each(problem.decisions.begin(), problem.decisions.end(), use);
  for (const IndexBounds &index : problem.indices)
    use(index.limit);
  for (const Layout &layout : problem.layouts)
    std::for_each(layout.shape.begin(), layout.shape.end(), use);
  // A layout is plain if each stride is such a symbol or a number, and at least one a symbol. The
  // others keep their symbols out, and with them the layouts that share these.
  const auto is_plain = [&](const Layout *layout) {
    bool has_symbol = false;
    for (const Expr stride : layout->strides) {
      const bool free = stride->kind() == Kind::Symbol && !elsewhere.contains(stride->name());
      if (!free && !symbolic::Context::constant(stride))
        return false;
      has_symbol = has_symbol || free;
    }
    return has_symbol;
  };
  for (const Layout &layout : problem.layouts)
    layouts_.push_back(&layout);
  for (bool changed = true; changed;) {
    const auto first_mixed = std::stable_partition(layouts_.begin(), layouts_.end(), is_plain);
    changed = first_mixed != layouts_.end();
    for (auto layout = first_mixed; layout != layouts_.end(); ++layout) {
      std::for_each((*layout)->strides.begin(), (*layout)->strides.end(), use);
      require(**layout, context);
    }
    layouts_.erase(first_mixed, layouts_.end());
  }
  for (const Layout *layout : layouts_)
    for (const Expr stride : layout->strides)
      if (stride->kind() == Kind::Symbol)
        strides_.insert(stride->name());
}

/// In C order, or Fortran order if the first dimension has stride 1: each stride reaches past the
/// dimensions inside of it, and the memory past all.
void StrideChooser::require(const Layout &layout, symbolic::Context &context) {
  const Expr one = context.integer(1);
  const std::size_t rank = layout.shape.size();
  std::vector<std::size_t> inside_out(rank);
  for (std::size_t d = 0; d < rank; ++d)
    inside_out[d] = layout.strides[0]->is_integer(1) ? d : rank - 1 - d;
  std::vector<Expr> populated;
  populated.reserve(layout.shape.size());
  for (const Expr extent : layout.shape)
    populated.push_back(context.compare_op(Kind::Le, one, extent));
  Expr reach = context.integer(0);
  for (const std::size_t d : inside_out) {
    Requirement requirement{populated, context.compare_op(Kind::Lt, reach, layout.strides[d])};
    requirement.guards.push_back(context.compare_op(Kind::Lt, one, layout.shape[d]));
    requirements_.push_back(std::move(requirement));
    reach = context.add(reach, context.mul(context.sub(layout.shape[d], one), layout.strides[d]));
  }
  requirements_.push_back({populated, context.compare_op(Kind::Lt, reach, layout.total_size)});
}

/// A stride that has a value already is not lowered.
void StrideChooser::assign(const Layout &layout, const Manner &manner, Values &values,
                           const Values &fixed) {
  const std::size_t rank = layout.shape.size();
  std::int64_t next = 1; // first address behind those of the dimensions inside
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t d = manner.order == Order::C ? rank - 1 - i : i;
    const Expr stride = layout.strides[d];
    std::int64_t value = next;
    if (stride->kind() == Kind::Symbol) {
      std::int64_t &stored = values[stride->name()];
      if (!fixed.contains(stride->name()))
        stored = std::max(stored, next + manner.gap);
      value = stored;
    } else {
      value = symbolic::Context::constant(stride).value_or(next);
    }
    const std::int64_t extent =
        std::max<std::int64_t>(1, evaluate(layout.shape[d], lookup_in(values)).value_or(1));
    std::int64_t behind = 0;
    if (!__builtin_mul_overflow(value, extent, &behind))
      next = std::max(next, behind);
  }
}

/// Each array in a manner of its own, as far as that is sound.
StrideChooser::Values StrideChooser::each_alone(const Values &values, const Values &fixed,
                                                SplitMix &random) const {
  Values result = values;
  for (const Layout *layout : layouts_) {
    const Order first = random.once_in(3) ? Order::Fortran : Order::C;
    const Order second = first == Order::C ? Order::Fortran : Order::C;
    const std::int64_t gap = random.once_in(6) ? random.between(1, 2) : 0;
    for (const Manner &manner : {Manner{first, gap}, Manner{first, 0}, Manner{second, 0}}) {
      Values tried = result;
      assign(*layout, manner, tried, fixed);
      if (!is_sound(*layout, lookup_in(tried)))
        continue;
      result = std::move(tried);
      break;
    }
  }
  return result;
}

/// For arrays that share strides: these grow to what the largest of the arrays needs.
StrideChooser::Values StrideChooser::all_alike(Order order, const Values &values,
                                               const Values &fixed) const {
  Values result = values;
  for (int round = 0; round < 2; ++round)
    for (const Layout *layout : layouts_)
      assign(*layout, {order, 0}, result, fixed);
  return result;
}

std::size_t StrideChooser::choose(Values &values, const Values &fixed, SplitMix &random) const {
  for (const Name name : strides_)
    if (!fixed.contains(name))
      values[name] = 0;
  const auto unsound = [&](const Values &tried) {
    const Lookup lookup = lookup_in(tried);
    return static_cast<std::size_t>(
        std::count_if(layouts_.begin(), layouts_.end(),
                      [&](const Layout *layout) { return !is_sound(*layout, lookup); }));
  };
  Values best = each_alone(values, fixed, random);
  std::size_t least = unsound(best);
  for (const Order order : {Order::C, Order::Fortran}) {
    if (least == 0)
      break;
    Values tried = all_alike(order, values, fixed);
    if (const std::size_t count = unsound(tried); count < least) {
      least = count;
      best = std::move(tried);
    }
  }
  values = std::move(best);
  return least;
}

} // namespace sdfgopt::verify
