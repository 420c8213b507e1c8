#include "sets/decision.h"

namespace sdfgopt::sets {

namespace {

constexpr Answer yes{Verdict::Yes, nullptr};
constexpr Answer no{Verdict::No, nullptr};
constexpr Answer unknown{Verdict::Unknown, nullptr};

} // namespace

Decision::Decision(const Problem &problem, IslSet facts, bool exact, ConditionFinder &finder,
                   Translator &translator)
    : problem_(problem), facts_(std::move(facts)), exact_(exact), finder_(finder),
      translator_(translator) {}

Answer Decision::answer() {
  violation_ = problem_.any ? translator_.nothing() : translator_.universe();
  for (const Part &part : problem_.parts) {
    IslSet local = intersection(intersection(facts_, part.context), part.bad);
    bool impossible = certainly_empty(local);
    if (impossible && !problem_.any)
      return yes;
    if (impossible)
      continue;
    live_.push_back(&part);
    violation_ = problem_.any ? isl_set_union(violation_.take(), part.bad.copy())
                              : isl_set_intersect(violation_.take(), part.bad.copy());
  }
  domain_ = intersection(facts_, problem_.context);
  violation_ = isl_set_coalesce(isl_set_intersect(violation_.take(), domain_.copy()));
  if (certainly_empty(violation_))
    return yes;
  isl_bool always = isl_set_is_subset(facts_.get(), violation_.get());
  if (always != isl_bool_false)
    return always == isl_bool_true && exact_ ? no : unknown;
  Answer found = problem_.any ? condition_for_all() : condition_for_one();
  return found.verdict == Verdict::Unknown ? condition_overall() : found;
}

/// One condition a part, each chosen under the ones before, so that together they can be met.
Answer Decision::condition_for_all() {
  IslSet chosen = translator_.universe();
  std::vector<Atom> atoms;
  for (const Part *part : live_) {
    if (certainly_empty(intersection(intersection(violation_, part->bad), chosen)))
      continue;
    IslSet domain = intersection(intersection(facts_, part->context), chosen);
    auto choice = finder_.choose(intersection(domain, part->bad), domain);
    if (!choice)
      return unknown;
    chosen = intersection(chosen, choice->set);
    atoms.insert(atoms.end(), choice->atoms.begin(), choice->atoms.end());
  }
  if (!certainly_populated(intersection(chosen, domain_)))
    return unknown;
  return checked(finder_.minimal(std::move(atoms), violation_));
}

/// The best condition of any part: that one part cannot fail is enough.
Answer Decision::condition_for_one() {
  std::optional<Choice> best;
  for (const Part *part : live_) {
    IslSet domain = intersection(facts_, part->context);
    auto choice = finder_.choose(intersection(domain, part->bad), domain);
    if (choice && certainly_populated(intersection(choice->set, domain_)) &&
        (!best || ConditionFinder::better(*choice, *best)))
      best = std::move(choice);
  }
  return best ? checked(*best) : unknown;
}

/// Without taking parts apart; as a last resort a condition under which the regions are empty.
Answer Decision::condition_overall() {
  auto choice = finder_.choose(violation_, domain_);
  if (!choice && exact_)
    choice = finder_.choose(violation_, facts_);
  return choice ? checked(*choice) : unknown;
}

/// What is printed is translated once more, so that an error on the way back cannot pass.
Answer Decision::checked(const Choice &choice) {
  IslSet meaning = translator_.holds(choice.condition, Approximation::Under);
  if (!certainly_empty(intersection(meaning, violation_)) ||
      !certainly_populated(intersection(meaning, facts_)))
    return unknown;
  return {Verdict::When, choice.condition};
}

} // namespace sdfgopt::sets
