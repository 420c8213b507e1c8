#include "sets/solver.h"

#include "sets/decision.h"
#include "sets/syntactic.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace sdfgopt::sets {

using symbolic::Kind;

namespace {

using Key = std::vector<std::uintptr_t>;

struct KeyHash {
  std::size_t operator()(const Key &key) const noexcept {
    std::size_t hash = key.size();
    for (std::uintptr_t part : key)
      hash = (hash ^ part ^ (hash >> 29)) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 32);
  }
};

void append(Key &key, Expr e) { key.push_back(reinterpret_cast<std::uintptr_t>(e)); }
void append(Key &key, const Interval &interval) {
  append(key, interval.begin);
  append(key, interval.end);
  append(key, interval.step);
}
void append(Key &key, const Region &region) {
  key.push_back(region.dims.size());
  for (const Interval &dim : region.dims)
    append(key, dim);
  key.push_back(region.binders.size());
  for (const Binder &binder : region.binders) {
    // Names are interned: the address of the text stands for the name.
    key.push_back(reinterpret_cast<std::uintptr_t>(binder.name.view().data()));
    append(key, binder.range);
  }
}

BoxView view(const Box &box) { return {box.dims, !box.guards.empty() || !box.binders.empty()}; }
BoxView view(const Region &region) { return {region.dims, false}; }

} // namespace

struct Solver::Impl {
  Impl(Context &expressions, unsigned long limit) : context(expressions), operations(limit) {}

  Answer count(Answer answer) {
    statistics.unknown += answer.verdict == Verdict::Unknown ? 1 : 0;
    return answer;
  }
  Answer at_sight(Verdict verdict) {
    ++statistics.decided_syntactically;
    return {verdict, nullptr};
  }
  /// Lists of facts are long and few: the key holds their number.
  Key key(QuestionKind kind, const Facts &facts) {
    Key list;
    for (Expr fact : facts)
      append(list, fact);
    auto id = fact_lists.try_emplace(std::move(list), fact_lists.size()).first->second;
    return {static_cast<std::uintptr_t>(kind), id};
  }
  template <typename Solve> Answer cached(const Key &key, Solve solve) {
    if (auto found = cache.find(key); found != cache.end()) {
      ++statistics.cache_hits;
      return count(found->second);
    }
    Answer answer = solve();
    cache.emplace(key, answer);
    return count(answer);
  }

  void open();
  Difference symbolic_difference() { return {traits, &context}; }
  const std::vector<Name> &names_in(Expr e);
  std::vector<Expr> relevant(const Facts &facts, std::unordered_set<Name> names);
  void collect(const Region &region, std::unordered_set<Name> &names);
  void collect(Expr e, std::unordered_set<Name> &names);
  IslSet fact_set(const std::vector<Expr> &facts);
  template <typename Build>
  Answer solve(const Facts &facts, const std::unordered_set<Name> &names, Build build);

  Context &context;
  unsigned long operations;
  Statistics statistics;
  Traits traits;
  std::unordered_map<Key, Answer, KeyHash> cache;
  std::unordered_map<Key, std::size_t, KeyHash> fact_lists;
  std::unordered_map<Expr, std::vector<Name>> names_of;
  IslCtx ctx; // before what lives in it
  std::unique_ptr<Translator> translator;
  std::unordered_map<Key, IslSet, KeyHash> fact_sets;
};

void Solver::Impl::open() {
  if (!ctx) {
    ctx.reset(isl_ctx_alloc());
    isl_options_set_on_error(ctx.get(), ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(ctx.get(), operations);
    translator = std::make_unique<Translator>(ctx.get(), context, traits);
  }
  isl_ctx_reset_error(ctx.get());
  isl_ctx_reset_operations(ctx.get());
}

const std::vector<Name> &Solver::Impl::names_in(Expr e) {
  auto [entry, added] = names_of.try_emplace(e);
  if (added)
    entry->second = context.free_symbols(e);
  return entry->second;
}

void Solver::Impl::collect(Expr e, std::unordered_set<Name> &names) {
  const std::vector<Name> &found = names_in(e);
  names.insert(found.begin(), found.end());
}

void Solver::Impl::collect(const Region &region, std::unordered_set<Name> &names) {
  auto add = [&](const Interval &interval) {
    collect(interval.begin, names);
    collect(interval.end, names);
    collect(interval.step, names);
  };
  for (const Interval &dim : region.dims)
    add(dim);
  for (const Binder &binder : region.binders)
    add(binder.range);
}

/// The facts, conjunctions taken apart, that share symbols with the question, directly or through
/// other facts. The rest cannot change the answer unless it contradicts itself.
std::vector<Expr> Solver::Impl::relevant(const Facts &facts, std::unordered_set<Name> names) {
  std::vector<Expr> open;
  for (Expr fact : facts) {
    if (fact->kind() == Kind::And)
      open.insert(open.end(), fact->args().begin(), fact->args().end());
    else
      open.push_back(fact);
  }
  std::vector<Expr> result;
  bool changed = true;
  while (changed) {
    changed = false;
    for (Expr &fact : open) {
      if (!fact)
        continue;
      const std::vector<Name> &found = names_in(fact);
      bool touches = found.empty() || std::any_of(found.begin(), found.end(),
                                                  [&](Name name) { return names.contains(name); });
      if (!touches)
        continue;
      names.insert(found.begin(), found.end());
      result.push_back(std::exchange(fact, nullptr));
      changed = true;
    }
  }
  return result;
}

IslSet Solver::Impl::fact_set(const std::vector<Expr> &facts) {
  Key key;
  for (Expr fact : facts)
    append(key, fact);
  if (auto found = fact_sets.find(key); found != fact_sets.end())
    return found->second;
  IslSet set = translator->universe();
  for (Expr fact : facts)
    set = intersection(set, translator->fact(fact));
  if (set)
    fact_sets.emplace(std::move(key), set);
  return set;
}

template <typename Build>
Answer Solver::Impl::solve(const Facts &facts, const std::unordered_set<Name> &names, Build build) {
  open();
  translator->start();
  IslSet known = fact_set(relevant(facts, names));
  translator->start();
  ProblemBuilder builder(context, *translator);
  Problem problem = build(builder);
  ConditionFinder finder(ctx.get(), context);
  Decision decision(problem, std::move(known), translator->exact(), finder, *translator);
  Answer answer = decision.answer();
  if (isl_ctx_last_error(ctx.get()) != isl_error_none)
    return {Verdict::Unknown, nullptr};
  return answer;
}

Solver::Solver(symbolic::Context &context, unsigned long operations)
    : impl_(std::make_unique<Impl>(context, operations)) {}

Solver::~Solver() = default;

const Statistics &Solver::statistics() const { return impl_->statistics; }

Answer Solver::contains(const Region &outer, const Region &inner, const Facts &facts) {
  Impl &impl = *impl_;
  ++impl.statistics.queries;
  if (outer.dims.size() != inner.dims.size())
    return impl.count({Verdict::Unknown, nullptr});
  if (outer.binders.empty() && inner.binders.empty())
    if (auto verdict = contains_at_sight(view(outer), view(inner), impl.traits,
                                         Difference(impl.traits, nullptr)))
      return impl.at_sight(*verdict);
  Key key = impl.key(QuestionKind::Contains, facts);
  append(key, outer);
  append(key, inner);
  return impl.cached(key, [&] {
    if (same_region(outer, inner, impl.traits))
      return impl.at_sight(Verdict::Yes);
    Box outer_box = make_box(impl.context, impl.traits, outer, "a");
    Box inner_box = make_box(impl.context, impl.traits, inner, "b");
    if (auto verdict = contains_at_sight(view(outer_box), view(inner_box), impl.traits,
                                         impl.symbolic_difference()))
      return impl.at_sight(*verdict);
    std::unordered_set<Name> names;
    impl.collect(outer, names);
    impl.collect(inner, names);
    return impl.solve(facts, names, [&](ProblemBuilder &builder) {
      return builder.contains(outer_box, inner_box);
    });
  });
}

Answer Solver::disjoint(const Region &a, const Region &b, const Facts &facts) {
  Impl &impl = *impl_;
  ++impl.statistics.queries;
  if (a.dims.size() != b.dims.size())
    return impl.count({Verdict::Unknown, nullptr});
  if (a.binders.empty() && b.binders.empty())
    if (auto verdict = disjoint_at_sight(view(a), view(b), Difference(impl.traits, nullptr)))
      return impl.at_sight(*verdict);
  Key key = impl.key(QuestionKind::Disjoint, facts);
  append(key, a);
  append(key, b);
  return impl.cached(key, [&] {
    Box a_box = make_box(impl.context, impl.traits, a, "a");
    Box b_box = make_box(impl.context, impl.traits, b, "b");
    if (auto verdict = disjoint_at_sight(view(a_box), view(b_box), impl.symbolic_difference()))
      return impl.at_sight(*verdict);
    std::unordered_set<Name> names;
    impl.collect(a, names);
    impl.collect(b, names);
    return impl.solve(facts, names,
                      [&](ProblemBuilder &builder) { return builder.disjoint(a_box, b_box); });
  });
}

Answer Solver::empty(const Region &region, const Facts &facts) {
  Impl &impl = *impl_;
  ++impl.statistics.queries;
  if (region.binders.empty())
    if (auto verdict = empty_at_sight(view(region), Difference(impl.traits, nullptr)))
      return impl.at_sight(*verdict);
  Key key = impl.key(QuestionKind::Empty, facts);
  append(key, region);
  return impl.cached(key, [&] {
    Box box = make_box(impl.context, impl.traits, region, "a");
    if (auto verdict = empty_at_sight(view(box), impl.symbolic_difference()))
      return impl.at_sight(*verdict);
    std::unordered_set<Name> names;
    impl.collect(region, names);
    return impl.solve(facts, names, [&](ProblemBuilder &builder) { return builder.empty(box); });
  });
}

Answer Solver::implied(Expr condition, const Facts &facts) {
  Impl &impl = *impl_;
  ++impl.statistics.queries;
  auto stated = [&](Expr part) {
    return part == impl.context.boolean(true) ||
           (!impl.traits.any(part, Traits::has_undefined) &&
            std::any_of(facts.begin(), facts.end(), [&](Expr fact) {
              return fact == part || (fact->kind() == Kind::And &&
                                      std::find(fact->args().begin(), fact->args().end(), part) !=
                                          fact->args().end());
            }));
  };
  bool all_stated = stated(condition) ||
                    (condition->kind() == Kind::And &&
                     std::all_of(condition->args().begin(), condition->args().end(), stated));
  if (all_stated)
    return impl.at_sight(Verdict::Yes);
  Key key = impl.key(QuestionKind::Implied, facts);
  append(key, condition);
  return impl.cached(key, [&] {
    std::unordered_set<Name> names;
    impl.collect(condition, names);
    return impl.solve(facts, names,
                      [&](ProblemBuilder &builder) { return builder.implied(condition); });
  });
}

} // namespace sdfgopt::sets
