// Each choice begins at random values. Facts, and what the choice is for, are met first, and
// nothing later gives them up. Then the search makes it an ordinary one: all ranges populated and
// of moderate size, everything required held. Then it is pushed towards what this choice is to show
// (goals), one goal after the other; a goal that cannot be reached is given up.
#include "verify/symbol_choice.h"

#include "verify/evaluate.h"
#include "verify/symbol_layout.h"
#include "verify/symbol_search.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <unordered_map>

namespace sdfgopt::verify {

using symbolic::Kind;
using Need = SymbolSearch::Need;

namespace {

enum class Topic : std::uint8_t { Empty, One, Reversed, Negative, Switch };

/// What one of the choices is to show.
struct Goal {
  Topic topic;
  Expr condition;
  std::size_t shown = 0; ///< choices that show it
  std::size_t missed = 0;
};

/// A condition of the program.
struct Decision {
  Expr condition;
  std::array<std::size_t, 2> shown = {}; ///< choices in which it is false, true
  bool first = false;                    ///< what it is in the first of them

  [[nodiscard]] bool wanted() const { return shown[0] == shown[1] ? first : shown[0] > shown[1]; }
};

/// Goals of the choices in turn.
constexpr std::size_t cycle = 8;
const std::array<std::vector<Topic>, cycle> plan = {{
    {},
    {Topic::Negative, Topic::One},
    {Topic::Reversed, Topic::Empty},
    {Topic::Switch, Topic::Switch, Topic::Switch},
    {Topic::One, Topic::Switch},
    {Topic::Empty, Topic::Switch},
    {Topic::Negative, Topic::Switch, Topic::Switch},
    {Topic::Switch, Topic::Switch, Topic::Switch, Topic::Switch},
}};

// Weights. A range that is empty makes everything inside of it hold, so keeping ranges populated
// weighs more than all that; and at first, bounds of arrays give way, not the ranges.
constexpr std::int64_t required = 16;
constexpr std::int64_t populated = 1 << 12;
constexpr std::int64_t shaped_first = 1 << 10;
constexpr std::int64_t light = 4;
constexpr std::int64_t goal_weight = 1 << 20;
constexpr std::int64_t fact_weight = 1 << 24;
constexpr std::size_t steps = 600;

SymbolDomain domain_of(std::string_view dtype) {
  SymbolDomain domain;
  if (dtype.starts_with("\"bool"))
    return {0, 1};
  if (dtype.starts_with("\"float"))
    return {1, 8};
  if (dtype.starts_with("\"uint"))
    domain.first = 0;
  if (dtype == "\"int8\"")
    domain = {INT8_MIN, INT8_MAX};
  if (dtype == "\"uint8\"")
    domain.last = UINT8_MAX;
  if (dtype == "\"int16\"")
    domain = {INT16_MIN, INT16_MAX};
  if (dtype == "\"uint16\"")
    domain.last = UINT16_MAX;
  return domain;
}

/// Sums of multiples of symbols.
bool is_plain(Expr e) {
  if (e->kind() != Kind::Add && e->kind() != Kind::Mul)
    return e->kind() == Kind::Symbol || e->kind() == Kind::Integer;
  return std::all_of(e->args().begin(), e->args().end(), is_plain);
}

/// The parts of a conjunction.
void add_conjuncts(Expr e, std::vector<Expr> &parts) {
  if (e->kind() != Kind::And)
    return parts.push_back(e);
  for (const Expr arg : e->args())
    add_conjuncts(arg, parts);
}

std::vector<Expr> conjuncts(const std::vector<Expr> &facts) {
  std::vector<Expr> parts;
  for (const Expr fact : facts)
    add_conjuncts(fact, parts);
  return parts;
}

/// Facts are requirements of the program too: a symbol that they name is not free to be anything,
/// as strides are.
SymbolProblem problem_with(const std::vector<Expr> &facts, ir::Document &document) {
  SymbolProblem problem = symbol_problem(document);
  std::set<Name> known;
  for (const FreeSymbol &symbol : problem.symbols)
    known.insert(symbol.name);
  for (const Expr fact : facts) {
    problem.requirements.push_back({{}, fact});
    for (const Name name : document.context.free_symbols(fact))
      if (known.insert(name).second)
        problem.symbols.push_back({name, "\"int64\""});
  }
  return problem;
}

class Chooser {
public:
  Chooser(ir::Document &document, const ChoiceOptions &options)
      : context_(document.context), facts_(conjuncts(options.facts)),
        problem_(problem_with(facts_, document)), strides_(problem_, context_),
        given_(options.given.begin(), options.given.end()), random_(options.seed),
        size_hint_(std::max<std::int64_t>(1, options.size_hint)) {
    for (const FreeSymbol &symbol : problem_.symbols) {
      names_.push_back(symbol.name);
      domains_.push_back(domain_of(symbol.dtype));
      const auto value = given_.find(symbol.name);
      fixed_.push_back(value == given_.end() ? std::nullopt : std::optional(value->second));
    }
    for (const Expr condition : problem_.decisions)
      decisions_.push_back({condition, {}, random_.once_in(2)});
    add_goals();
  }

  std::optional<SymbolChoice> choose(Expr aim);

private:
  void add_goals();
  void add_goal(Topic topic, Expr condition);
  void add_fact_goals();
  /// One choice in the making.
  struct Work {
    SymbolSearch search;
    std::vector<SymbolSearch::ClauseId> certain;   ///< facts and the aim: nothing gives them up
    std::vector<SymbolSearch::ClauseId> main;      ///< the plainest ranges are populated
    std::vector<SymbolSearch::ClauseId> populated; ///< all ranges are
    std::vector<SymbolSearch::ClauseId> shaped;    ///< they are where and as large as usual
  };
  bool begin(Work &work, Expr aim);
  void decide(SymbolSearch &search);
  void require(SymbolSearch &search) const;
  static std::ptrdiff_t empty_ranges(const Work &work);
  [[nodiscard]] static bool is_certain(const Work &work);
  bool make_ordinary(Work &work);
  void add_sizes(Work &work);
  bool reach(Work &work, Expr condition, bool may_empty);
  void pursue(Work &work, Topic topic, bool may_empty);
  SymbolChoice finish(SymbolSearch &search);
  void note(const SymbolChoice &choice);
  [[nodiscard]] bool satisfies(const SymbolChoice &choice, Expr aim) const;

  Expr number(std::int64_t value) { return context_.integer(value); }

  symbolic::Context &context_;
  std::vector<Expr> facts_;
  SymbolProblem problem_;
  StrideChooser strides_;
  std::unordered_map<Name, std::int64_t> given_;
  std::vector<Name> names_;
  std::vector<SymbolDomain> domains_;
  std::vector<std::optional<std::int64_t>> fixed_;
  std::vector<Decision> decisions_;
  std::vector<Goal> goals_;
  SplitMix random_;
  std::int64_t size_hint_;
  std::size_t number_ = 0; ///< of the next choice
};

Lookup lookup_in(const std::unordered_map<Name, std::int64_t> &values) {
  return [&values](Name name) -> std::optional<std::int64_t> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

void Chooser::add_goal(Topic topic, Expr condition) {
  if (condition->kind() != Kind::Literal)
    goals_.push_back({topic, condition});
}

void Chooser::add_goals() {
  const Expr zero = number(0);
  for (const Extent &extent : problem_.extents) {
    add_goal(Topic::Empty, context_.compare_op(Kind::Eq, extent.size, zero));
    add_goal(Topic::One, context_.compare_op(Kind::Eq, extent.size, number(1)));
    add_goal(Topic::Reversed, context_.compare_op(Kind::Lt, extent.size, zero));
    add_goal(Topic::Negative, context_.compare_op(Kind::Lt, extent.begin, zero));
  }
  for (const Expr e : problem_.switches)
    for (std::size_t i = 0; i < e->args().size(); ++i)
      for (std::size_t j = i + 1; j < e->args().size(); ++j) {
        const Expr a = e->args()[i];
        const Expr b = e->args()[j];
        add_goal(Topic::Switch, context_.compare_op(Kind::Lt, a, b));
        add_goal(Topic::Switch, context_.compare_op(Kind::Lt, b, a));
        add_goal(Topic::Switch, context_.compare_op(Kind::Eq, a, b));
      }
  random_.shuffle(goals_);
  add_fact_goals();
}

/// Each comparison of the facts at its border, and away from it; before other goals.
void Chooser::add_fact_goals() {
  const std::vector<Goal> others = std::move(goals_);
  goals_.clear();
  for (const Expr fact : facts_) {
    if (fact->kind() != Kind::Le && fact->kind() != Kind::Lt)
      continue;
    const Expr a =
        fact->kind() == Kind::Le ? fact->args()[0] : context_.add(fact->args()[0], number(1));
    add_goal(Topic::Switch, context_.compare_op(Kind::Eq, a, fact->args()[1]));
    add_goal(Topic::Switch, context_.compare_op(Kind::Lt, a, fact->args()[1]));
  }
  goals_.insert(goals_.end(), others.begin(), others.end());
}

/// Random values, and from there what the facts and the aim ask for. Tells if that was found.
bool Chooser::begin(Work &work, Expr aim) {
  constexpr std::size_t attempts = 4;
  SymbolSearch &search = work.search;
  for (const Expr fact : facts_)
    work.certain.push_back(search.add({{}, fact}, Need::Must, fact_weight));
  if (aim)
    for (const Expr part : conjuncts({aim}))
      work.certain.push_back(search.add({{}, part}, Need::Must, fact_weight));
  for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
    for (std::size_t s = 0; s < names_.size(); ++s)
      search.set(s, std::clamp(random_.between(0, std::min<std::int64_t>(6, size_hint_)),
                               domains_[s].first, domains_[s].last));
    if (work.certain.empty() || search.solve(steps))
      return true;
  }
  return false;
}

bool Chooser::is_certain(const Work &work) {
  return std::all_of(work.certain.begin(), work.certain.end(),
                     [&](SymbolSearch::ClauseId clause) { return work.search.holds(clause); });
}

/// Conditions turn out one way in the first choice, and later as they did less often. Comes before
/// all that is required, so that only the conditions contradict each other.
void Chooser::decide(SymbolSearch &search) {
  std::vector<const Decision *> order;
  order.reserve(decisions_.size());
  for (const Decision &decision : decisions_)
    order.push_back(&decision);
  random_.shuffle(order);
  std::stable_sort(order.begin(), order.end(), [](const Decision *a, const Decision *b) {
    return a->shown[a->wanted() ? 1 : 0] < b->shown[b->wanted() ? 1 : 0];
  });
  for (const Decision *decision : order) {
    const std::vector<std::int64_t> before = search.values();
    const SymbolSearch::ClauseId clause =
        search.add({{}, decision->condition}, Need::Must, goal_weight, decision->wanted());
    if (!search.solve(steps / 4)) {
      search.set_weight(clause, 0);
      search.restore(before);
    }
  }
}

void Chooser::require(SymbolSearch &search) const {
  for (const auto *list : {&problem_.requirements, &strides_.requirements()})
    for (const Requirement &requirement : *list)
      search.add(requirement, Need::Must, required);
  for (const Requirement &hull : problem_.hulls)
    search.add(hull, Need::Should, light);
}

/// How many of the plainest ranges are empty.
std::ptrdiff_t Chooser::empty_ranges(const Work &work) {
  return std::count_if(work.main.begin(), work.main.end(),
                       [&](SymbolSearch::ClauseId clause) { return !work.search.holds(clause); });
}

/// Ranges populated, not too large, and beginning at or a little above 0. Tells if all is well.
bool Chooser::make_ordinary(Work &work) {
  SymbolSearch &search = work.search;
  const auto prefer = [&](Expr condition, std::int64_t weight) {
    return search.add({{}, condition}, Need::Should, weight);
  };
  for (const Extent &extent : problem_.extents) {
    work.populated.push_back(
        prefer(context_.compare_op(Kind::Le, number(1), extent.size), populated));
    if (is_plain(extent.size))
      work.main.push_back(work.populated.back());
    work.shaped.push_back(
        prefer(context_.compare_op(Kind::Le, number(0), extent.begin), shaped_first));
    const std::int64_t late = random_.between(0, 3);
    if (is_plain(extent.size))
      work.shaped.push_back(
          prefer(context_.compare_op(Kind::Le, extent.begin, number(late)), shaped_first));
  }
  if (work.main.empty())
    work.main = work.populated;
  add_sizes(work);
  search.solve(steps);
  // Data that are indices should have some values to choose from.
  for (const IndexBounds &index : problem_.indices)
    work.shaped.push_back(
        search.add({index.guards, context_.compare_op(Kind::Le, number(size_hint_), index.limit)},
                   Need::Should, shaped_first));
  search.solve(steps);
  // What is only wished for gives way, the most modest wish last.
  std::vector<SymbolSearch::ClauseId> others;
  std::set_difference(work.populated.begin(), work.populated.end(), work.main.begin(),
                      work.main.end(), std::back_inserter(others));
  for (const auto *wishes : {&work.shaped, &others, &work.main}) {
    if (wishes != &work.shaped && search.unmet() == 0)
      break;
    for (const SymbolSearch::ClauseId clause : *wishes)
      search.set_weight(clause, light);
    search.solve(steps);
  }
  return search.unmet() == 0 && empty_ranges(work) == 0;
}

/// Ranges of the size that was asked for. Where several depend on the same symbols (a range, and
/// the same without its first element), the simplest decides; the others are just not larger.
void Chooser::add_sizes(Work &work) {
  constexpr std::int64_t small = 16;
  constexpr std::int64_t inner = 65;
  std::vector<const Extent *> extents;
  extents.reserve(problem_.extents.size());
  for (const Extent &extent : problem_.extents)
    extents.push_back(&extent);
  std::stable_sort(extents.begin(), extents.end(), [&](const Extent *a, const Extent *b) {
    return context_.height(a->size) < context_.height(b->size);
  });
  std::set<Name> sized;
  for (const Extent *extent : extents) {
    const std::int64_t most = extent->axis == 0 ? size_hint_ : std::min(size_hint_, inner);
    bool decides = false;
    if (is_plain(extent->size) || sized.empty())
      for (const Name name : context_.free_symbols(extent->size))
        decides = sized.insert(name).second || decides;
    const std::int64_t target =
        size_hint_ > small || !decides ? most : random_.between((most + 1) / 2, most);
    const Expr condition =
        context_.compare_op(decides ? Kind::Eq : Kind::Le, extent->size, number(target));
    work.shaped.push_back(work.search.add({{}, condition}, Need::Should, shaped_first));
  }
}

/// Searches on with one more condition that must hold; goes back if that fails.
bool Chooser::reach(Work &work, Expr condition, bool may_empty) {
  SymbolSearch &search = work.search;
  const std::vector<std::int64_t> before = search.values();
  const std::size_t unmet = search.unmet();
  const std::ptrdiff_t empty = empty_ranges(work);
  const SymbolSearch::ClauseId goal = search.add({{}, condition}, Need::Must, goal_weight);
  search.solve(steps / 2);
  if (search.unmet() <= unmet && is_certain(work) && (may_empty || empty_ranges(work) <= empty))
    return true;
  search.set_weight(goal, 0);
  search.restore(before);
  return false;
}

/// Reaches a goal of the topic that was shown by the fewest choices.
void Chooser::pursue(Work &work, Topic topic, bool may_empty) {
  std::vector<Goal *> candidates;
  for (Goal &goal : goals_)
    if (goal.topic == topic)
      candidates.push_back(&goal);
  std::stable_sort(candidates.begin(), candidates.end(), [](const Goal *a, const Goal *b) {
    return a->shown + a->missed < b->shown + b->missed;
  });
  constexpr std::size_t attempts = 4;
  for (std::size_t i = 0; i < std::min(attempts, candidates.size()); ++i) {
    if (reach(work, candidates[i]->condition, may_empty))
      return;
    ++candidates[i]->missed;
  }
}

SymbolChoice Chooser::finish(SymbolSearch &search) {
  SymbolChoice choice;
  choice.violated = search.unmet();
  std::unordered_map<Name, std::int64_t> values = given_;
  for (std::size_t s = 0; s < names_.size(); ++s)
    values[names_[s]] = search.values()[s];
  choice.violated += strides_.choose(values, given_, random_);
  choice.values.assign(values.begin(), values.end());
  std::sort(choice.values.begin(), choice.values.end());
  return choice;
}

/// Notes what a choice shows.
void Chooser::note(const SymbolChoice &choice) {
  const std::unordered_map<Name, std::int64_t> values(choice.values.begin(), choice.values.end());
  const Lookup lookup = lookup_in(values);
  for (Goal &goal : goals_)
    goal.shown += evaluate(goal.condition, lookup).value_or(0) != 0 ? 1 : 0;
  for (Decision &decision : decisions_)
    ++decision.shown[evaluate(decision.condition, lookup).value_or(0) != 0 ? 1 : 0];
}

bool Chooser::satisfies(const SymbolChoice &choice, Expr aim) const {
  const std::unordered_map<Name, std::int64_t> values(choice.values.begin(), choice.values.end());
  const auto holds = [&](Expr e) { return evaluate(e, lookup_in(values)).value_or(0) != 0; };
  return std::all_of(facts_.begin(), facts_.end(), holds) && (!aim || holds(aim));
}

std::optional<SymbolChoice> Chooser::choose(Expr aim) {
  constexpr std::size_t attempts = 4;
  const std::size_t number = number_++ % cycle;
  std::optional<SymbolChoice> best;
  for (std::size_t attempt = 0; attempt < attempts && (!best || best->violated > 0); ++attempt) {
    const bool last = attempt + 1 == attempts;
    Work work{SymbolSearch(names_, domains_, fixed_, random_), {}, {}, {}, {}};
    if (!begin(work, aim))
      return std::nullopt;
    if (!last)
      decide(work.search);
    require(work.search);
    if (!make_ordinary(work) && !last)
      continue;
    for (const Topic topic : plan[number])
      pursue(work, topic, topic == Topic::Empty || topic == Topic::Reversed || number == cycle - 1);
    SymbolChoice choice = finish(work.search);
    if (satisfies(choice, aim) && (!best || choice.violated < best->violated))
      best = std::move(choice);
  }
  if (best)
    note(*best);
  return best;
}

} // namespace

struct SymbolChooser::Impl {
  Chooser chooser;
};

SymbolChooser::SymbolChooser(ir::Document &document, const ChoiceOptions &options)
    : impl_(new Impl{Chooser(document, options)}) {}
SymbolChooser::~SymbolChooser() = default;

std::optional<SymbolChoice> SymbolChooser::next(Expr aim) { return impl_->chooser.choose(aim); }

std::vector<SymbolChoice> choose_symbols(ir::Document &document,
                                         const std::vector<std::pair<Name, std::int64_t>> &given,
                                         std::size_t count, std::uint64_t seed,
                                         std::int64_t size_hint) {
  Chooser chooser(document, {given, {}, seed, size_hint});
  std::vector<SymbolChoice> choices;
  while (choices.size() < count)
    if (auto choice = chooser.choose(nullptr)) // always, without facts
      choices.push_back(std::move(*choice));
  return choices;
}

std::optional<IndexRange> index_range(ir::Document &document, const SymbolChoice &choice) {
  const std::unordered_map<Name, std::int64_t> values(choice.values.begin(), choice.values.end());
  const Lookup lookup = lookup_in(values);
  std::optional<IndexRange> range;
  for (const IndexBounds &index : symbol_problem(document).indices) {
    const bool reached = std::all_of(index.guards.begin(), index.guards.end(), [&](Expr guard) {
      return evaluate(guard, lookup).value_or(1) != 0;
    });
    const auto first = evaluate(index.first, lookup);
    const auto limit = evaluate(index.limit, lookup);
    if (!reached || !first || !limit)
      continue;
    if (!range)
      range = {*first, *limit};
    range = {std::max(range->first, *first), std::min(range->limit, *limit)};
  }
  return range;
}

} // namespace sdfgopt::verify
