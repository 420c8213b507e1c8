#include "verify/symbol_scope.h"

#include "analysis/state_graph.h"

#include <algorithm>
#include <array>

namespace sdfgopt::verify {

using symbolic::Kind;

Expr Scope::meaning(Name name) const {
  for (const Frame *at = frame.get(); at; at = at->outer.get())
    if (const auto found = at->meaning.find(name); found != at->meaning.end())
      return found->second;
  return nullptr;
}

ScopeBuilder::ScopeBuilder(symbolic::Context &context, const std::vector<FreeSymbol> &symbols)
    : context_(context) {
  for (const FreeSymbol &symbol : symbols)
    free_.insert(symbol.name);
}

Expr ScopeBuilder::resolve(const std::optional<ir::Code> &code, const Scope &scope) {
  if (!code || (code->language && code->language.view() != "Python"))
    return nullptr;
  return resolve(context_.expression(code->text, symbolic::Grammar::Python), scope);
}

Expr ScopeBuilder::resolve(Expr e, const Scope &scope) {
  std::unordered_map<Name, Expr> meanings;
  for (const Name name : context_.free_symbols(e))
    if (const Expr meaning = scope.meaning(name))
      meanings.emplace(name, meaning);
  return meanings.empty() ? e : context_.substitute(e, meanings);
}

void ScopeBuilder::add_variable(Name name, Expr first, Expr last, Scope &scope,
                                Scope::Frame &frame) {
  // '#' is in no identifier: the variable differs from every symbol and every other variable.
  const Name unique = context_.names().intern(name.str() + "#" + std::to_string(variables_++));
  frame.meaning[name] = context_.symbol(unique);
  scope.variables.push_back({unique, first, last});
  scope.guards.push_back(context_.compare_op(Kind::Le, first, last));
}

Scope ScopeBuilder::enter(const ir::Sdfg &sdfg, const Scope &outer,
                          const std::vector<std::pair<Name, symbolic::Expression>> &mapping) {
  auto names = std::make_shared<Scope::Frame>();
  names->outer = outer.frame;
  for (const auto &[name, value] : mapping)
    names->meaning[name] = resolve(value, outer);
  for (const auto &[name, value] : constants_of(sdfg, context_.names()))
    names->meaning[name] = value ? context_.integer(*value) : context_.undefined();
  for (const ir::Descriptor &descriptor : sdfg.arrays)
    if (!descriptor.removed)
      names->meaning[descriptor.name] = context_.undefined();
  std::vector<std::pair<Name, symbolic::Expression>> assignments;
  std::unordered_map<Name, std::size_t> count;
  for_each_step(
      sdfg.root,
      [&](const ir::InterstateEdge &edge) {
        for (const auto &[name, value] : edge.assignments) {
          ++count[name];
          assignments.emplace_back(name, value);
        }
      },
      [&](const ir::LoopRegion &loop) { count[loop.variable] += 2; });
  Scope inner{names, outer.variables, outer.guards};
  // A name that is assigned at one place only, and has no value before, means what it is assigned
  // there if that does not change.
  std::erase_if(assignments, [&](const auto &assignment) {
    return count[assignment.first] > 1 || inner.meaning(assignment.first) ||
           free_.contains(assignment.first);
  });
  for (const auto &[name, times] : count)
    names->meaning[name] = context_.undefined();
  for (const auto &[name, value] : assignments)
    names->meaning[name] = resolve(value, inner);
  return inner;
}

Scope ScopeBuilder::enter(const ir::Node &scope_entry, const Scope &outer) {
  auto names = std::make_shared<Scope::Frame>();
  names->outer = outer.frame;
  for (const Name connector : analysis::range_connectors(scope_entry))
    names->meaning[connector] = context_.undefined();
  if (const auto *consume = scope_entry.as<ir::ConsumeEntry>())
    names->meaning[consume->pe_index] = context_.undefined();
  Scope inner{names, outer.variables, outer.guards};
  const auto *map = scope_entry.as<ir::MapEntry>();
  if (!map || map->params.size() != map->range.rank())
    return inner;
  // A range does not see the map's own parameters: they come in a frame of their own.
  auto params = std::make_shared<Scope::Frame>();
  params->outer = names;
  for (std::size_t i = 0; i < map->params.size(); ++i) {
    const ir::Range &range = map->range.ranges()[i];
    Expr first = resolve(range.begin, inner);
    Expr last = resolve(range.end, inner);
    const auto step = symbolic::Context::constant(resolve(range.step, inner));
    if (step && *step < 0)
      std::swap(first, last);
    add_variable(map->params[i], first, last, inner, *params);
  }
  inner.frame = std::move(params);
  return inner;
}

Scope ScopeBuilder::enter(const ir::LoopRegion &loop, const Scope &outer) {
  if (!loop.variable)
    return outer;
  auto names = std::make_shared<Scope::Frame>();
  names->outer = outer.frame;
  names->meaning[loop.variable] = context_.undefined();
  Scope inner{names, outer.variables, outer.guards};
  const auto init = assignment_of(loop.init, context_);
  const auto update = assignment_of(loop.update, context_);
  if (!init || !update || loop.inverted || !loop.condition)
    return inner;
  const Expr variable = context_.symbol(loop.variable);
  const auto step = symbolic::Context::constant(context_.sub(update->value, variable));
  const Expr condition =
      context_.value(context_.expression(loop.condition->text, symbolic::Grammar::Python));
  if (!step || *step == 0 || (condition->kind() != Kind::Lt && condition->kind() != Kind::Le))
    return inner;
  const bool up = condition->args()[0] == variable;
  const Expr bound = condition->args()[up ? 1 : 0];
  if (condition->args()[up ? 0 : 1] != variable || up != (*step > 0) || uses(bound, loop.variable))
    return inner;
  const std::int64_t strict = condition->kind() == Kind::Lt ? 1 : 0;
  const Expr end = context_.add(resolve(bound, outer), context_.integer(up ? -strict : strict));
  const Expr begin = resolve(init->value, outer);
  add_variable(loop.variable, up ? begin : end, up ? end : begin, inner, *names);
  return inner;
}

bool ScopeBuilder::uses(Expr e, Name name) {
  const std::vector<Name> names = context_.free_symbols(e);
  return std::find(names.begin(), names.end(), name) != names.end();
}

void ScopeBuilder::at_corners(const Scope &scope, const std::vector<Expr> &expressions,
                              const std::function<void(const std::vector<Expr> &)> &visit) {
  constexpr std::size_t most = 32;
  std::vector<std::vector<Expr>> corners = {expressions};
  // The innermost first, since its bounds may depend on those further out.
  for (auto variable = scope.variables.rbegin(); variable != scope.variables.rend(); ++variable) {
    std::vector<std::vector<Expr>> next;
    for (const std::vector<Expr> &corner : corners) {
      const bool matters = std::any_of(corner.begin(), corner.end(),
                                       [&](Expr e) { return uses(e, variable->name); });
      if (!matters) {
        next.push_back(corner);
        continue;
      }
      const bool both = variable->first != variable->last && corners.size() < most;
      for (const Expr end : {variable->first, variable->last}) {
        const std::unordered_map<Name, Expr> value = {{variable->name, end}};
        std::vector<Expr> replaced;
        replaced.reserve(corner.size());
        for (const Expr e : corner)
          replaced.push_back(context_.substitute(e, value));
        next.push_back(std::move(replaced));
        if (!both)
          break;
      }
    }
    corners = std::move(next);
  }
  for (const std::vector<Expr> &corner : corners)
    visit(corner);
}

// Recursion is bounded by Context::max_height.
bool ScopeBuilder::is_arithmetic(Expr e) {
  if (const auto found = arithmetic_.find(e); found != arithmetic_.end())
    return found->second;
  bool result = true;
  switch (e->kind()) {
  case Kind::Symbol:
    result = free_.contains(e->name());
    break;
  case Kind::Literal:
    result = e->name().view() == "True" || e->name().view() == "False";
    break;
  case Kind::Undefined:
  case Kind::Call:
  case Kind::Subscript:
  case Kind::Attr:
  case Kind::Opaque:
    result = false;
    break;
  case Kind::Integer:
  case Kind::Rational:
  case Kind::Add:
  case Kind::Mul:
  case Kind::Pow:
  case Kind::Max:
  case Kind::Min:
  case Kind::FloorDiv:
  case Kind::CeilDiv:
  case Kind::Mod:
  case Kind::Eq:
  case Kind::Ne:
  case Kind::Lt:
  case Kind::Le:
  case Kind::And:
  case Kind::Or:
  case Kind::Not:
  case Kind::If:
    for (const Expr arg : e->args())
      result = result && is_arithmetic(arg);
    break;
  }
  arithmetic_.emplace(e, result);
  return result;
}

} // namespace sdfgopt::verify
