#include "sets/decision.h"

#include <algorithm>
#include <span>

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
    IslSet domain = intersection(facts_, part.context);
    IslSet local = intersection(domain, part.bad);
    bool impossible = certainly_empty(local);
    if (impossible && !problem_.any)
      return yes;
    if (impossible)
      continue;
    if (!local)
      return unknown;
    live_.push_back({std::move(local), std::move(domain)});
    violation_ = problem_.any ? united(violation_, part.bad) : intersection(violation_, part.bad);
  }
  domain_ = intersection(facts_, problem_.context);
  violation_ = intersection(violation_, domain_);
  if (live_.empty() || certainly_empty(violation_))
    return yes;
  if (violation_) {
    isl_bool always = isl_set_is_subset(facts_.get(), violation_.get());
    if (always != isl_bool_false)
      return always == isl_bool_true && exact_ ? no : unknown;
  }
  Answer found = problem_.any ? condition_for_all() : condition_for_one();
  return found.verdict == Verdict::Unknown && violation_ ? condition_overall() : found;
}

/// One condition a part, each chosen under the ones before, so that together they can be met.
Answer Decision::condition_for_all() {
  IslSet chosen = translator_.universe();
  std::vector<Atom> atoms;
  std::vector<IslSet> violations;
  for (const Live &part : live_) {
    // Where another dimension is empty this one does not matter, if that set is small enough.
    IslSet relevant = intersection(domain_, part.violation);
    violations.push_back(relevant ? relevant : part.violation);
    if (certainly_empty(intersection(violations.back(), chosen)))
      continue;
    auto choice =
        finder_.choose(intersection(part.violation, chosen), intersection(part.domain, chosen));
    if (!choice)
      return unknown;
    chosen = intersection(chosen, choice->set);
    atoms.insert(atoms.end(), choice->atoms.begin(), choice->atoms.end());
  }
  if (domain_ && !certainly_populated(intersection(chosen, domain_)))
    return unknown;
  return checked(finder_.minimal(std::move(atoms), violations), violations);
}

/// The best condition of any part: that one part cannot fail is enough.
Answer Decision::condition_for_one() {
  std::optional<Choice> best;
  const Live *decided = nullptr;
  for (const Live &part : live_) {
    auto choice = finder_.choose(part.violation, part.domain);
    if (!choice || (domain_ && !certainly_populated(intersection(choice->set, domain_))))
      continue;
    if (best && !ConditionFinder::better(*choice, *best))
      continue;
    best = std::move(choice);
    decided = &part;
  }
  return best ? checked(*best, {&decided->violation, 1}) : unknown;
}

/// Without taking parts apart; as a last resort a condition under which the regions are empty.
Answer Decision::condition_overall() {
  auto choice = finder_.choose(violation_, domain_);
  if (!choice && exact_)
    choice = finder_.choose(violation_, facts_);
  return choice ? checked(*choice, {&violation_, 1}) : unknown;
}

/// What is printed is translated once more, so that an error on the way back cannot pass.
Answer Decision::checked(const Choice &choice, std::span<const IslSet> violations) {
  IslSet meaning = translator_.holds(choice.condition, Approximation::Under);
  bool enough = std::all_of(violations.begin(), violations.end(), [&](const IslSet &violation) {
    return certainly_empty(intersection(meaning, violation));
  });
  if (!enough || !certainly_populated(intersection(meaning, facts_)))
    return unknown;
  return {Verdict::When, choice.condition};
}

} // namespace sdfgopt::sets
