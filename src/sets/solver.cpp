// Calls: what is decided at sight, what belongs together, and the answer to all of it.
#include "sets/solver.h"

#include "sets/decision.h"
#include "sets/isl_algebra.h"
#include "sets/questions.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace sdfgopt::sets {

namespace {

constexpr Answer yes{Verdict::Yes, nullptr};
constexpr Answer no{Verdict::No, nullptr};
constexpr Answer unknown{Verdict::Unknown, nullptr};

// What a call with several questions may take of the operations of one.
constexpr unsigned long whole_call = 4;

/// A requirement that is not decided at sight.
struct OpenRequirement {
  std::vector<std::vector<const Question *>> alternatives;
  bool exact = true; ///< no other alternative might hold
};

/// Goals that share symbols, directly or through facts, and so cannot be decided one by one.
struct Group {
  std::vector<Goal> goals;
  Facts facts;
  bool moves = false; ///< also with what is moved
};

/// Finds out what belongs together.
class Groups {
public:
  explicit Groups(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  void add(std::size_t member, const std::vector<Name> &names) {
    for (Name name : names)
      parent_[find(member)] = find(owner_.try_emplace(name, member).first->second);
  }
  std::size_t find(std::size_t member) {
    while (parent_[member] != member)
      member = parent_[member] = parent_[parent_[member]];
    return member;
  }

private:
  std::vector<std::size_t> parent_;
  std::unordered_map<Name, std::size_t> owner_;
};

/// Values of other terms depend on each other.
bool is_of_symbols(const IslSet &set) {
  int parameters = isl_set_dim(set.get(), isl_dim_param);
  for (int i = 0; i < parameters; ++i) {
    IslId id = isl_set_get_dim_id(set.get(), isl_dim_param, static_cast<unsigned>(i));
    if (!id || Translator::expression_of(id.get())->kind() != symbolic::Kind::Symbol)
      return false;
  }
  return true;
}

} // namespace

struct Solver::Impl {
  Impl(Context &context, unsigned long limit) : questions(context), operations(limit) {}

  /// What an answer is to tell.
  enum class Wanted : std::uint8_t {
    Condition, ///< as Solver::all
    Certainty, ///< Yes, or Unknown for all else
  };

  Answer all(std::span<const Requirement> requirements, const KnownFacts &facts,
             const Region *moved, Wanted wanted);
  Answer one(Question question, const Facts &facts);
  Answer consistent(const KnownFacts &facts);
  Answer count(Answer answer) {
    questions.statistics.unknown += answer.verdict == Verdict::Unknown ? 1 : 0;
    return answer;
  }

  std::optional<Verdict> at_sight(const Requirement &requirement, const KnownFacts &facts,
                                  OpenRequirement &open);
  Answer decide(const std::vector<OpenRequirement> &requirements, const std::vector<Posed> &posed,
                const KnownFacts &facts, const Region *moved, Wanted wanted);
  std::vector<Group> grouped(std::vector<Goal> goals, std::vector<NameList> names,
                             const KnownFacts &facts, const Region *moved);
  Answer decide(Group group, const Region *moved, Wanted what);

  Questions questions;
  unsigned long operations;
  std::stop_token stop;
  std::unordered_map<Key, Answer, KeyHash> answers; ///< of whole calls
};

/// Nothing if it is open: `open` then has what is left of it.
std::optional<Verdict> Solver::Impl::at_sight(const Requirement &requirement,
                                              const KnownFacts &facts, OpenRequirement &open) {
  for (const std::vector<Question> &alternative : requirement.alternatives) {
    std::vector<const Question *> left;
    bool fails = false;
    bool inscrutable = false;
    for (const Question &question : alternative) {
      ++questions.statistics.queries;
      std::optional<Verdict> verdict = questions.at_sight(question, facts);
      if (verdict == Verdict::No && !question.given.empty())
        verdict = std::nullopt; // that may never be so
      if (!verdict) {
        left.push_back(&question);
        continue;
      }
      questions.statistics.decided_syntactically += verdict == Verdict::Unknown ? 0 : 1;
      fails = fails || verdict == Verdict::No;
      inscrutable = inscrutable || verdict == Verdict::Unknown;
    }
    if (left.empty() && !fails && !inscrutable)
      return Verdict::Yes;
    open.exact = open.exact && (fails || !inscrutable);
    if (!fails && !inscrutable)
      open.alternatives.push_back(std::move(left));
  }
  if (!open.alternatives.empty())
    return std::nullopt;
  return open.exact ? Verdict::No : Verdict::Unknown;
}

/// Goals and what is moved, put together where they share symbols.
std::vector<Group> Solver::Impl::grouped(std::vector<Goal> goals, std::vector<NameList> names,
                                         const KnownFacts &facts, const Region *moved) {
  std::size_t count = goals.size();
  if (moved)
    questions.collect(*moved, names.emplace_back());
  NameList all;
  for (const NameList &list : names)
    all.add(list.list());
  Facts common =
      questions.about(all.list(), facts.connected(all.list(), 2 * Questions::max_facts), SIZE_MAX);
  Groups groups(names.size() + common.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    groups.add(i, names[i].list());
  for (std::size_t i = 0; i < common.size(); ++i)
    groups.add(names.size() + i, questions.names_in(common[i]));
  std::vector<Group> result;
  std::unordered_map<std::size_t, std::size_t> place;
  auto group_of = [&](std::size_t member) -> Group & {
    auto [entry, added] = place.try_emplace(groups.find(member), result.size());
    return added ? result.emplace_back() : result[entry->second];
  };
  for (std::size_t i = 0; i < count; ++i)
    group_of(i).goals.push_back(std::move(goals[i]));
  if (moved)
    group_of(count).moves = true;
  for (std::size_t i = 0; i < common.size(); ++i)
    if (!questions.names_in(common[i]).empty())
      group_of(names.size() + i).facts.push_back(common[i]);
  return result;
}

Answer Solver::Impl::decide(Group group, const Region *moved, Wanted what) {
  Translator &translator = *questions.translator;
  if (group.facts.size() > Questions::max_left)
    group.facts.resize(Questions::max_left);
  IslSet all = questions.set_of(group.facts).set;
  IslSet wanted = group.moves ? intersection(all, questions.populated(*moved)) : all;
  if (group.goals.empty()) {
    if (certainly_empty(wanted))
      return no;
    return certainly_populated(wanted) ? yes : unknown;
  }
  ConditionFinder finder(questions.ctx.get(), questions.context);
  translator.start();
  Decision decision(std::move(group.goals), std::move(all), std::move(wanted), finder, translator);
  if (what == Wanted::Certainty)
    return decision.is_certain() ? yes : unknown;
  return decision.answer();
}

Answer Solver::Impl::decide(const std::vector<OpenRequirement> &requirements,
                            const std::vector<Posed> &posed, const KnownFacts &facts,
                            const Region *moved, Wanted wanted) {
  questions.open(posed.size() == 1 ? operations : whole_call * operations);
  std::vector<Goal> goals;
  std::vector<NameList> names;
  auto next = posed.begin();
  bool built = false;
  for (const OpenRequirement &requirement : requirements) {
    Goal goal;
    NameList own;
    goal.exact = requirement.exact;
    for (const auto &alternative : requirement.alternatives) {
      auto &list = goal.alternatives.emplace_back();
      for (std::size_t i = 0; i < alternative.size(); ++i, ++next) {
        const Failure *failure = questions.known_failure(*next);
        questions.statistics.cache_hits += failure ? 1 : 0;
        if (!failure)
          failure = questions.find_failure(*next, !std::exchange(built, true));
        if (!failure)
          return unknown;
        list.push_back(failure);
        own.add(next->names);
      }
    }
    switch (Decision::at_sight(goal)) {
    case Verdict::Yes:
      continue;
    case Verdict::No:
      return no;
    default:
      goals.push_back(std::move(goal));
      names.push_back(std::move(own));
    }
  }
  if (goals.empty())
    return yes;
  std::vector<Expr> conditions;
  bool open = false;
  for (Group &group : grouped(std::move(goals), std::move(names), facts, moved)) {
    Answer answer = decide(std::move(group), moved, wanted);
    if (questions.failed())
      return unknown;
    if (answer.verdict == Verdict::No)
      return no;
    open = open || answer.verdict == Verdict::Unknown;
    if (answer.verdict == Verdict::When)
      conditions.push_back(answer.condition);
  }
  if (open)
    return unknown;
  if (conditions.empty())
    return yes;
  return {Verdict::When,
          conditions.size() == 1 ? conditions[0] : questions.context.logical_and(conditions)};
}

Answer Solver::Impl::all(std::span<const Requirement> requirements, const KnownFacts &facts,
                         const Region *moved, Wanted wanted) {
  if (stop.stop_requested())
    return unknown;
  std::vector<OpenRequirement> open;
  bool impossible = false;
  bool hopeless = false;
  for (const Requirement &requirement : requirements) {
    OpenRequirement left;
    std::optional<Verdict> verdict = at_sight(requirement, facts, left);
    impossible = impossible || verdict == Verdict::No;
    hopeless = hopeless || verdict == Verdict::Unknown;
    if (!verdict)
      open.push_back(std::move(left));
  }
  if (impossible || hopeless)
    return impossible ? no : unknown;
  if (open.empty())
    return yes;
  NameList names;
  std::vector<Posed> posed;
  Key key{static_cast<std::uintptr_t>(wanted), open.size()};
  for (const OpenRequirement &requirement : open) {
    key.push_back(requirement.alternatives.size());
    key.push_back(requirement.exact ? 1 : 0);
    for (const auto &alternative : requirement.alternatives) {
      key.push_back(alternative.size());
      for (const Question *question : alternative) {
        posed.push_back(questions.pose(*question, facts));
        key.push_back(posed.back().id);
        names.add(posed.back().names);
      }
    }
  }
  if (moved) {
    append(key, *moved);
    questions.collect(*moved, names);
  }
  key.push_back(questions.intern(facts.connected(names.list(), 2 * Questions::max_facts)));
  if (auto found = answers.find(key); found != answers.end()) {
    questions.statistics.cache_hits += posed.size();
    return found->second;
  }
  Answer answer = decide(open, posed, facts, moved, wanted);
  answers.emplace(std::move(key), answer);
  return answer;
}

Answer Solver::Impl::one(Question question, const Facts &facts) {
  KnownFacts known(questions.context);
  for (Expr fact : facts)
    known.add(fact);
  Requirement requirement;
  requirement.alternatives.emplace_back().push_back(std::move(question));
  return count(all({&requirement, 1}, known, nullptr, Wanted::Condition));
}

/// Facts that are connected with each other are looked at together, in pieces that overlap if there
/// are too many of them.
Answer Solver::Impl::consistent(const KnownFacts &facts) {
  if (stop.stop_requested())
    return unknown;
  ++questions.statistics.queries;
  questions.open(whole_call * operations);
  std::unordered_set<Expr> seen;
  bool certain = true;
  for (Expr fact : facts.all()) {
    if (!seen.insert(fact).second)
      continue;
    const std::vector<Name> &names = questions.names_in(fact);
    Facts piece = facts.connected(names, Questions::max_facts);
    seen.insert(piece.begin(), piece.end());
    Facts left = questions.about(names, piece, Questions::max_left);
    KnownSet known = questions.set_of(left);
    if (certainly_empty(known.set))
      return no;
    certain = certain && known.exact && piece.size() < Questions::max_facts &&
              left.size() < Questions::max_left && certainly_populated(known.set) &&
              is_of_symbols(known.set);
  }
  return certain && !questions.failed() ? yes : unknown;
}

Solver::Solver(symbolic::Context &context, unsigned long operations)
    : impl_(std::make_unique<Impl>(context, operations)) {}

Solver::~Solver() = default;

void Solver::stop_on(std::stop_token stop) { impl_->stop = std::move(stop); }

const Statistics &Solver::statistics() const { return impl_->questions.statistics; }

Answer Solver::all(std::span<const Requirement> requirements, const KnownFacts &facts,
                   const Region *moved) {
  return impl_->count(impl_->all(requirements, facts, moved, Impl::Wanted::Condition));
}

bool Solver::is_certain(const Requirement &requirement, const KnownFacts &facts) {
  return impl_->all({&requirement, 1}, facts, nullptr, Impl::Wanted::Certainty).verdict ==
         Verdict::Yes;
}

Answer Solver::consistent(const KnownFacts &facts) {
  return impl_->count(impl_->consistent(facts));
}

Answer Solver::contains(const Region &outer, const Region &inner, const Facts &facts) {
  return impl_->one(Question::contains(outer, inner), facts);
}

Answer Solver::disjoint(const Region &a, const Region &b, const Facts &facts) {
  return impl_->one(Question::disjoint(a, b), facts);
}

Answer Solver::empty(const Region &region, const Facts &facts) {
  return impl_->one(Question::empty(region), facts);
}

Answer Solver::implied(Expr condition, const Facts &facts) {
  return impl_->one(Question::implied(condition), facts);
}

} // namespace sdfgopt::sets
