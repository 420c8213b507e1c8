#include "sets/questions.h"

#include "sets/elimination.h"
#include "sets/isl_algebra.h"
#include "sets/syntactic.h"

#include <algorithm>

namespace sdfgopt::sets {

using symbolic::Kind;

namespace {

/// What a user or the program says, word for word; `$?` is not the same twice.
bool is_stated(Expr condition, const Facts &facts) {
  return std::any_of(facts.begin(), facts.end(), [&](Expr fact) {
    auto parts = fact->args();
    return fact == condition || (fact->kind() == Kind::And &&
                                 std::find(parts.begin(), parts.end(), condition) != parts.end());
  });
}

std::span<const Expr> conjuncts(const Expr &condition) {
  return condition->kind() == Kind::And ? condition->args() : std::span<const Expr>(&condition, 1);
}

BoxView view(const Box &box) { return {box.dims, !box.guards.empty() || !box.binders.empty()}; }
BoxView view(const Region &region) { return {region.dims, false}; }

} // namespace

void Questions::open(unsigned long limit) {
  if (!ctx) {
    ctx.reset(isl_ctx_alloc());
    isl_options_set_on_error(ctx.get(), ISL_ON_ERROR_CONTINUE);
    translator = std::make_unique<Translator>(ctx.get(), context, traits);
  }
  isl_ctx_set_max_operations(ctx.get(), limit);
  isl_ctx_reset_error(ctx.get());
  isl_ctx_reset_operations(ctx.get());
}

const std::vector<Name> &Questions::names_in(Expr e) {
  auto [entry, added] = names_of_.try_emplace(e);
  if (added)
    entry->second = context.free_symbols(e);
  return entry->second;
}

void Questions::collect(const Region &region, NameList &names) {
  auto add = [&](const Interval &interval) {
    for (Expr e : {interval.begin, interval.end, interval.step})
      names.add(names_in(e));
  };
  for (const Interval &dim : region.dims)
    add(dim);
  for (const Binder &binder : region.binders)
    add(binder.range);
}

void Questions::collect(const Question &question, NameList &names) {
  collect(question.a, names);
  collect(question.b, names);
  if (question.condition)
    names.add(names_in(question.condition));
  for (Expr fact : question.given)
    names.add(names_in(fact));
}

std::size_t Questions::intern(const Facts &facts) {
  Key key;
  for (Expr fact : facts)
    append(key, fact);
  auto [entry, added] = fact_ids_.try_emplace(std::move(key), fact_lists_.size());
  if (added)
    fact_lists_.push_back(facts);
  return entry->second;
}

Facts Questions::about(const std::vector<Name> &names, const Facts &connected,
                       std::size_t at_most) {
  NamesIn in = [this](Expr e) -> const std::vector<Name> & { return names_in(e); };
  return without_others(context, traits, in, connected, names, at_most);
}

KnownSet Questions::set_of(const Facts &facts) {
  auto id = intern(facts);
  if (auto found = fact_sets_.find(id); found != fact_sets_.end())
    return found->second;
  translator->start();
  KnownSet result{translator->universe()};
  for (Expr fact : facts)
    result.set = intersection(result.set, translator->fact(fact));
  result.exact = translator->exact();
  if (result.set)
    fact_sets_.emplace(id, result);
  return result;
}

KnownSet Questions::known(const Posed &posed) {
  const Facts &connected = fact_lists_[posed.facts];
  Facts left = about(posed.names, connected, max_left);
  KnownSet result = set_of(left);
  result.exact = result.exact && connected.size() < max_facts && left.size() < max_left;
  return result;
}

IslSet Questions::populated(const Region &region) {
  return ProblemBuilder(context, *translator).populated(make_box(context, traits, region, "a"));
}

Posed Questions::pose(const Question &question, const KnownFacts &facts) {
  NameList names;
  collect(question, names);
  Facts connected = facts.connected(names.list(), max_facts);
  // What bounds a variable takes its place.
  std::unordered_set<Name> variables(question.variables.begin(), question.variables.end());
  if (!variables.empty())
    for (Expr fact : connected) {
      const std::vector<Name> &found = names_in(fact);
      if (std::any_of(found.begin(), found.end(),
                      [&](Name name) { return variables.contains(name); }))
        names.add(found);
    }
  Posed posed{&question, intern(connected), 0, names.list()};
  Key key;
  append(key, question, posed.facts);
  posed.id = question_ids_.try_emplace(std::move(key), question_ids_.size()).first->second;
  return posed;
}

// --- without isl ---

/// No means: for all values whatsoever. Unknown: that no set can tell.
std::optional<Verdict> Questions::at_sight(const Question &question, const KnownFacts &facts) {
  const Region &a = question.a;
  const Region &b = question.b;
  Difference difference(traits, nullptr);
  switch (question.kind) {
  case QuestionKind::Contains:
    if (a.dims.size() != b.dims.size())
      return Verdict::Unknown;
    if (a.binders.empty() && b.binders.empty())
      return contains_at_sight(view(a), view(b), traits, difference);
    return std::nullopt;
  case QuestionKind::Disjoint:
    if (a.dims.size() != b.dims.size())
      return Verdict::Unknown;
    if (a.binders.empty() && b.binders.empty())
      return disjoint_at_sight(view(a), view(b), difference);
    return std::nullopt;
  case QuestionKind::Empty:
    return a.binders.empty() ? empty_at_sight(view(a), difference) : std::nullopt;
  case QuestionKind::Implied: {
    auto parts = conjuncts(question.condition);
    bool stated = std::all_of(parts.begin(), parts.end(), [&](Expr part) {
      return part == context.boolean(true) ||
             (!traits.any(part, Traits::has_undefined) &&
              (facts.states(part) || is_stated(part, question.given)));
    });
    return stated ? std::optional(Verdict::Yes) : std::nullopt;
  }
  }
  return std::nullopt;
}

// --- with isl ---

/// The condition of a question without what the facts state word for word: that need not be
/// anything that a set can express.
Expr Questions::unstated(const Posed &posed) {
  std::vector<Expr> left;
  for (Expr part : conjuncts(posed.question->condition))
    if (traits.any(part, Traits::has_undefined) ||
        (!is_stated(part, fact_lists_[posed.facts]) && !is_stated(part, posed.question->given)))
      left.push_back(part);
  return left.size() == 1 ? left[0] : context.logical_and(left);
}

/// The problem that a question is, or the answer for all values if no set is needed for it.
std::optional<Verdict> Questions::problem(const Posed &posed, ProblemBuilder &builder,
                                          Problem &out) {
  const Question &question = *posed.question;
  if (question.kind == QuestionKind::Implied) {
    out = builder.implied(unstated(posed));
    return std::nullopt;
  }
  Difference difference(traits, &context);
  Box a = make_box(context, traits, question.a, "a");
  if (question.kind == QuestionKind::Empty) {
    auto verdict = empty_at_sight(view(a), difference);
    if (!verdict)
      out = builder.empty(a);
    return verdict;
  }
  Box b = make_box(context, traits, question.b, "b");
  if (question.kind == QuestionKind::Disjoint) {
    auto verdict = disjoint_at_sight(view(a), view(b), difference);
    if (!verdict)
      out = builder.disjoint(a, b);
    return verdict;
  }
  if (same_region(question.a, question.b, traits))
    return Verdict::Yes;
  auto verdict = contains_at_sight(view(a), view(b), traits, difference);
  if (!verdict)
    out = builder.contains(a, b);
  return verdict;
}

Failure Questions::find(const Posed &posed) {
  const Question &question = *posed.question;
  translator->start();
  ProblemBuilder builder(context, *translator);
  Problem problem;
  std::optional<Verdict> verdict = this->problem(posed, builder, problem);
  statistics.decided_syntactically += verdict ? 1 : 0;
  Failure failure;
  if (verdict == Verdict::Yes)
    return failure;
  if (verdict == Verdict::No && question.given.empty()) {
    failure.state = Failure::State::Always;
    return failure;
  }
  if (verdict == Verdict::No)
    problem = builder.impossible();
  IslSet given = translator->universe();
  for (Expr fact : question.given)
    given = intersection(given, translator->fact(fact));
  bool exact = translator->exact();
  return sets::find_failure(context, *translator, problem, exact, known(posed), given,
                            question.variables);
}

const Failure *Questions::known_failure(const Posed &posed) const {
  auto found = failures_.find(posed.id);
  return found == failures_.end() ? nullptr : &found->second;
}

const Failure *Questions::find_failure(const Posed &posed, bool first) {
  Failure found = find(posed);
  if (failed() && first)
    failures_[posed.id].state = Failure::State::Inscrutable;
  if (failed())
    return nullptr;
  return &failures_.emplace(posed.id, std::move(found)).first->second;
}

} // namespace sdfgopt::sets
