#include "sets/decision.h"

#include <algorithm>

namespace sdfgopt::sets {

using State = Failure::State;

namespace {

// How often another order of the goals is tried, where what was chosen for one rules out another.
constexpr int max_attempts = 4;

constexpr Answer yes{Verdict::Yes, nullptr};
constexpr Answer no{Verdict::No, nullptr};
constexpr Answer unknown{Verdict::Unknown, nullptr};

using Alternative = std::vector<const Failure *>;

bool any_is(const Alternative &alternative, State state) {
  return std::any_of(alternative.begin(), alternative.end(),
                     [&](const Failure *failure) { return failure->state == state; });
}

} // namespace

Decision::Decision(std::vector<Goal> goals, IslSet facts, IslSet wanted, ConditionFinder &finder,
                   Translator &translator)
    : goals_(std::move(goals)), facts_(std::move(facts)), wanted_(std::move(wanted)),
      finder_(finder), translator_(translator) {}

Verdict Decision::at_sight(const Goal &goal) {
  bool impossible = goal.exact;
  for (const Alternative &alternative : goal.alternatives) {
    if (std::all_of(alternative.begin(), alternative.end(),
                    [](const Failure *failure) { return failure->state == State::Never; }))
      return Verdict::Yes;
    impossible = impossible && any_is(alternative, State::Always);
  }
  return impossible ? Verdict::No : Verdict::Unknown;
}

Answer Decision::answer() {
  std::erase_if(goals_, [&](Goal &goal) { return holds(goal); });
  if (goals_.empty())
    return yes;
  bool hopeless = false;
  for (const Goal &goal : goals_) {
    if (goal.exact && isl_set_is_subset(wanted_.get(), goal.violation.get()) == isl_bool_true)
      return no;
    hopeless = hopeless || goal.alternatives.empty();
  }
  if (hopeless)
    return unknown;
  // What leaves no choice comes first: it may decide the others.
  std::stable_sort(goals_.begin(), goals_.end(), [](const Goal &a, const Goal &b) {
    return a.alternatives.size() < b.alternatives.size();
  });
  Answer found = condition();
  return found.verdict == Verdict::Unknown && impossible() ? no : found;
}

bool Decision::is_certain() {
  return std::all_of(goals_.begin(), goals_.end(), [&](Goal &goal) { return holds(goal); });
}

/// Also finds out where the goal fails, and drops alternatives that cannot hold and what holds in
/// them.
bool Decision::holds(Goal &goal) {
  IslSet violation = translator_.universe();
  for (Alternative &alternative : goal.alternatives) {
    std::erase_if(alternative,
                  [](const Failure *failure) { return failure->state == State::Never; });
    if (alternative.empty())
      return true;
    if (any_is(alternative, State::Always))
      continue;
    IslSet fails = translator_.nothing();
    for (const Failure *failure : alternative)
      fails = failure->state == State::Sometimes && failure->exact
                  ? united(fails, failure->violation)
                  : IslSet();
    // Approximated sets are too large, which is right for Yes.
    if (!fails) {
      goal.exact = false;
      fails = translator_.nothing();
      for (const Failure *failure : alternative)
        fails = failure->state == State::Sometimes ? united(fails, failure->violation) : IslSet();
    }
    if (fails)
      violation = intersection(violation, fails);
  }
  std::erase_if(goal.alternatives, [](const Alternative &alternative) {
    return any_is(alternative, State::Always) || any_is(alternative, State::Inscrutable);
  });
  goal.violation = std::move(violation);
  return certainly_empty(intersection(goal.violation, facts_));
}

/// No values in `wanted_` fulfil all goals at once.
bool Decision::impossible() {
  IslSet good = wanted_;
  for (const Goal &goal : goals_)
    if (goal.exact)
      if (IslSet less = difference(good, goal.violation)) // else too many cases: more stays good
        good = std::move(less);
  return certainly_empty(good);
}

Answer Decision::condition() {
  std::vector<const Goal *> order;
  order.reserve(goals_.size());
  for (const Goal &goal : goals_)
    order.push_back(&goal);
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    Draft draft{facts_, {}, {}};
    auto stuck = std::find_if(order.begin(), order.end(),
                              [&](const Goal *goal) { return !settle(*goal, draft); });
    if (stuck == order.end())
      return checked(finder_.minimal(std::move(draft.atoms), draft.violations, facts_),
                     draft.violations);
    if (stuck == order.begin())
      break;
    std::rotate(order.begin(), stuck, stuck + 1);
  }
  return unknown;
}

bool Decision::settle(const Goal &goal, Draft &draft) {
  if (goal.alternatives.size() == 1) {
    Draft trial = draft;
    const Alternative &only = goal.alternatives.front();
    bool done = std::all_of(only.begin(), only.end(),
                            [&](const Failure *failure) { return exclude(*failure, trial); });
    if (done)
      draft = std::move(trial);
    return done;
  }
  if (certainly_empty(intersection(goal.violation, draft.chosen))) {
    draft.violations.push_back(goal.violation);
    return true;
  }
  if (settle_one_of(goal, draft))
    return true;
  return goal.exact && exclude_set(goal.violation, facts_, draft);
}

bool Decision::settle_one_of(const Goal &goal, Draft &draft) {
  std::vector<Choice> choices;
  std::vector<std::vector<IslSet>> excluded;
  IslSet room = intersection(wanted_, draft.chosen);
  for (const Alternative &alternative : goal.alternatives) {
    Draft trial{draft.chosen, {}, {}};
    bool done = std::all_of(alternative.begin(), alternative.end(),
                            [&](const Failure *failure) { return exclude(*failure, trial); });
    if (!done)
      continue;
    std::vector<IslSet> left;
    left.reserve(trial.violations.size());
    for (const IslSet &violation : trial.violations)
      left.push_back(intersection(violation, draft.chosen));
    choices.push_back(finder_.minimal(std::move(trial.atoms), left, facts_));
    choices.back().natural = ConditionFinder::is_natural(choices.back().set, room);
    excluded.push_back(std::move(trial.violations));
  }
  auto best = ConditionFinder::best(choices, room);
  if (!best)
    return false;
  take(std::move(choices[*best]), draft);
  if (goal.violation)
    draft.violations.push_back(goal.violation);
  else
    draft.violations.insert(draft.violations.end(), excluded[*best].begin(), excluded[*best].end());
  return true;
}

bool Decision::exclude(const Failure &failure, Draft &draft) {
  if (certainly_empty(intersection(failure.violation, draft.chosen))) {
    draft.violations.push_back(failure.violation);
    return true;
  }
  Draft trial = draft;
  if (failure.any ? exclude_each_part(failure, trial) : exclude_one_part(failure, trial)) {
    draft = std::move(trial);
    return true;
  }
  return exclude_overall(failure, draft);
}

/// One condition a part, each chosen under the ones before, so that together they can be met.
bool Decision::exclude_each_part(const Failure &failure, Draft &draft) {
  for (const Failure::Part &part : failure.parts) {
    draft.violations.push_back(part.relevant);
    if (certainly_empty(intersection(part.relevant, draft.chosen)))
      continue;
    auto choice = finder_.choose(intersection(part.violation, draft.chosen),
                                 intersection(part.domain, draft.chosen),
                                 intersection(wanted_, draft.chosen));
    if (!choice)
      return false;
    take(std::move(*choice), draft);
  }
  return !failure.domain || certainly_populated(intersection(draft.chosen, failure.domain));
}

/// The best condition of any part: that one part cannot fail is enough.
bool Decision::exclude_one_part(const Failure &failure, Draft &draft) {
  std::vector<Choice> choices;
  std::vector<const Failure::Part *> decided;
  IslSet room = intersection(wanted_, draft.chosen);
  for (const Failure::Part &part : failure.parts) {
    IslSet violation = intersection(part.violation, draft.chosen);
    if (certainly_empty(violation)) {
      draft.violations.push_back(part.violation);
      return true;
    }
    auto choice = finder_.choose(violation, intersection(part.domain, draft.chosen), room);
    if (!choice ||
        (failure.domain && !certainly_populated(intersection(
                               intersection(choice->set, draft.chosen), failure.domain))))
      continue;
    choices.push_back(std::move(*choice));
    decided.push_back(&part);
  }
  auto best = ConditionFinder::best(choices, room);
  if (!best)
    return false;
  take(std::move(choices[*best]), draft);
  draft.violations.push_back(failure.violation ? failure.violation : decided[*best]->violation);
  return true;
}

/// Without taking parts apart; as a last resort a condition under which the regions are empty.
bool Decision::exclude_overall(const Failure &failure, Draft &draft) {
  return exclude_set(failure.violation, failure.domain, draft) ||
         (failure.exact && exclude_set(failure.violation, facts_, draft));
}

bool Decision::exclude_set(const IslSet &violation, const IslSet &domain, Draft &draft) {
  if (!violation)
    return false;
  auto choice =
      finder_.choose(intersection(violation, draft.chosen), intersection(domain, draft.chosen),
                     intersection(wanted_, draft.chosen));
  if (!choice)
    return false;
  take(std::move(*choice), draft);
  draft.violations.push_back(violation);
  return true;
}

void Decision::take(Choice choice, Draft &draft) {
  draft.chosen = intersection(draft.chosen, choice.set);
  draft.atoms.insert(draft.atoms.end(), std::make_move_iterator(choice.atoms.begin()),
                     std::make_move_iterator(choice.atoms.end()));
}

/// What is printed is read and translated once more, so that an error on the way back cannot pass.
Answer Decision::checked(const Choice &choice, const std::vector<IslSet> &violations) {
  if (!finder_.can_be_read(choice))
    return unknown;
  IslSet meaning = intersection(translator_.holds(choice.condition, Approximation::Under), facts_);
  bool enough = std::all_of(violations.begin(), violations.end(), [&](const IslSet &violation) {
    return certainly_empty(intersection(meaning, violation));
  });
  if (!enough || !certainly_populated(intersection(meaning, wanted_)))
    return unknown;
  return {Verdict::When, choice.condition};
}

} // namespace sdfgopt::sets
