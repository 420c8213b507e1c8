// What of the rules depends on the values of symbols: how questions are asked, under which facts,
// and what becomes of an answer that holds for some values only.
//
// Two lists of facts are kept apart, what is known without the user (extents of arguments,
// annotations) and what is known with him: so a remark can name the facts that a proof needs.
#include "passes/write_back_judge.h"

namespace sdfgopt::passes {

using sets::Answer;
using sets::KnownFacts;
using sets::Requirement;
using sets::Verdict;

namespace {

/// Names in `region` that are not parameters of its own.
std::vector<Name> outer_names(const Region &region, symbolic::Context &context) {
  std::vector<Name> names;
  const auto add = [&](const sets::Interval &interval, std::size_t binders) {
    for (const Expr e : {interval.begin, interval.end, interval.step})
      for (const Name name : context.free_symbols(e)) {
        const auto last = region.binders.begin() + static_cast<std::ptrdiff_t>(binders);
        const bool own = std::any_of(region.binders.begin(), last,
                                     [&](const auto &binder) { return binder.name == name; });
        if (!own && std::find(names.begin(), names.end(), name) == names.end())
          names.push_back(name);
      }
  };
  for (const sets::Interval &dim : region.dims)
    add(dim, region.binders.size());
  for (std::size_t i = 0; i < region.binders.size(); ++i)
    add(region.binders[i].range, i);
  return names;
}

bool contains_name(const std::vector<Name> &names, Name name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void append(sets::Facts &facts, const std::vector<Expr> &more) {
  facts.insert(facts.end(), more.begin(), more.end());
}

Region shifted(Region region, const std::vector<Expr> &offset, symbolic::Context &context) {
  for (std::size_t d = 0; d < offset.size(); ++d) {
    region.dims[d].begin = context.add(region.dims[d].begin, offset[d]);
    region.dims[d].end = context.add(region.dims[d].end, offset[d]);
  }
  return region;
}

} // namespace

/// What `state` touches in all its runs: the variables of loops around it become parameters.
Region Judge::in_all_trips(const ir::State &state, Region region) const {
  const std::vector<sets::Binder> loops = a_.conditions.loop_binders(state.id);
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
    // (If a parameter of a map has the same name, none of the names is the loop's.)
    if (contains_name(outer_names(region, context_), loop->name))
      region.binders.insert(region.binders.begin(), *loop);
  return region;
}

/// A region that names data: that is read when the access takes place, so it has another value at
/// another time, or in another iteration.
bool Judge::names_data(const Region &region) const {
  const std::vector<Name> names = outer_names(region, context_);
  return std::any_of(names.begin(), names.end(),
                     [&](Name name) { return a_.sdfg.find_array(name) != nullptr; });
}

/// Names in the question that the program assigns to, data included.
void Judge::note_variables(Question &question) const {
  const auto add = [&](Name name) {
    if ((a_.flow.is_assigned(name) || a_.sdfg.find_array(name)) &&
        !contains_name(question.variables, name))
      question.variables.push_back(name);
  };
  for (const Region *region : {&question.a, &question.b})
    for (const Name name : outer_names(*region, context_))
      add(name);
  for (const Expr fact : question.given)
    for (const Name name : context_.free_symbols(fact))
      add(name);
}

/// Conditions that hold where `state` runs, about symbols that have one value throughout.
sets::Facts Judge::constant_conditions(const ir::State &state) const {
  sets::Facts conditions = a_.conditions.at(state.id);
  std::erase_if(conditions, [&](Expr condition) {
    const std::vector<Name> names = context_.free_symbols(condition);
    return std::any_of(names.begin(), names.end(),
                       [&](Name name) { return a_.flow.is_assigned(name); });
  });
  return conditions;
}

Question Judge::asked_wherever(Question question) {
  append(question.given, common_conditions());
  append(question.given, extents_);
  return question;
}

Question Judge::asked_in(const ir::State &state, Question question) {
  append(question.given, constant_conditions(state));
  question = asked_wherever(std::move(question));
  question.a = in_all_trips(state, std::move(question.a));
  question.b = in_all_trips(state, std::move(question.b));
  note_variables(question);
  return question;
}

Question Judge::asked_in_one_run(const ir::State &state, Question question) {
  append(question.given, a_.conditions.at(state.id));
  question = asked_wherever(std::move(question));
  for (const sets::Binder &loop : a_.conditions.loop_binders(state.id)) {
    const Expr variable = context_.symbol(loop.name);
    question.given.push_back(context_.compare_op(symbolic::Kind::Le, loop.range.begin, variable));
    question.given.push_back(context_.compare_op(symbolic::Kind::Le, variable, loop.range.end));
  }
  note_variables(question);
  return question;
}

/// Conditions that hold in every state that accesses T. In a run in which one does not hold, T is
/// not accessed and the rewrite changes nothing; so they can be relied on everywhere.
const std::vector<Expr> &Judge::common_conditions() {
  if (common_conditions_)
    return *common_conditions_;
  common_conditions_ = constant_conditions(*candidate_.copies.front().state);
  std::unordered_set<const ir::State *> states;
  for (const Site &site : a_.accesses.sites(candidate_.buffer))
    states.insert(site.state);
  if (!a_.accesses.mentions(candidate_.buffer).empty())
    common_conditions_->clear(); // what is around a condition is not told
  for (const ir::State *state : states) {
    if (common_conditions_->empty())
      break;
    const std::vector<Expr> here = a_.conditions.at(state->id);
    std::erase_if(*common_conditions_, [&](Expr condition) {
      return std::find(here.begin(), here.end(), condition) == here.end();
    });
  }
  return *common_conditions_;
}

/// What is known in runs that access T. No condition that contradicts it is of any use.
const KnownFacts &Judge::known_where_accessed() {
  if (common_conditions().empty())
    return assumed_;
  if (!known_where_accessed_) {
    known_where_accessed_ = assumed_;
    for (const Expr condition : common_conditions())
      known_where_accessed_->add(condition);
  }
  return *known_where_accessed_;
}

bool Judge::is_certain(const Requirement &requirement) {
  if (a_.solver.is_certain(requirement, a_.known))
    return true;
  if (options_.facts.empty() || !a_.solver.is_certain(requirement, assumed_))
    return false;
  by_facts_.push_back(requirement);
  return true;
}

bool Judge::require(Requirement requirement, Rule rule, const std::string &reason) {
  if (is_certain(requirement))
    return true;
  Verdict verdict = a_.solver.all({&requirement, 1}, known_where_accessed(), &target_).verdict;
  if (verdict == Verdict::Unknown && !options_.facts.empty()) // what is known may be too much
    verdict = a_.solver.all({&requirement, 1}, a_.known, &target_).verdict;
  undecided_ = verdict == Verdict::Unknown;
  if (verdict != Verdict::When)
    return false;
  result_.required.push_back(std::move(requirement));
  if (result_.allowed())
    refuse(rule, reason);
  return true;
}

std::optional<std::vector<Question>> Judge::apart_from_copy(const Site &site,
                                                            const analysis::MemletTree &tree) {
  const auto regions = footprint(a_.accesses.graph(*site.state), tree, *destination_, context_);
  if (!regions)
    return std::nullopt;
  std::vector<Question> questions;
  for (const Region &region : *regions)
    questions.push_back(asked_in(*site.state, Question::disjoint(region, target_)));
  return questions;
}

std::optional<std::vector<Question>>
Judge::apart_from(const Site &site, const analysis::MemletTree &tree,
                  const std::vector<const DataAccess *> &definitions, bool in_one_run) {
  constexpr std::size_t max_pairs = 64;
  const auto read = footprint(a_.accesses.graph(*site.state), tree, *destination_, context_);
  if (!read)
    return std::nullopt;
  std::vector<Question> questions;
  for (const DataAccess *definition : definitions) {
    const ir::State &other = *definition->site.state;
    const auto written = footprint(a_.accesses.graph(other), definition->tree, *buffer_, context_);
    if (!written || questions.size() + read->size() * written->size() > max_pairs)
      return std::nullopt;
    for (const Region &region : *read)
      for (const Region &part : *written) {
        if (names_data(region) || names_data(part))
          return std::nullopt;
        const Region moved = shifted(part, offset_, context_);
        if (in_one_run) {
          questions.push_back(asked_in_one_run(other, Question::disjoint(region, moved)));
          continue;
        }
        // At two times: a symbol that is assigned to need not have the same value.
        Question question =
            Question::disjoint(in_all_trips(*site.state, region), in_all_trips(other, moved));
        append(question.given, constant_conditions(*site.state));
        append(question.given, constant_conditions(other));
        question = asked_wherever(std::move(question));
        note_variables(question);
        if (!question.variables.empty())
          return std::nullopt;
        questions.push_back(std::move(question));
      }
  }
  return questions;
}

/// Under which all that was required holds; null if no values are known for which it does.
Expr Judge::common_condition() {
  Answer answer = a_.solver.all(result_.required, known_where_accessed(), &target_);
  if (answer.verdict == Verdict::Unknown && !options_.facts.empty())
    answer = a_.solver.all(result_.required, a_.known, &target_);
  return answer.verdict == Verdict::When ? answer.condition : nullptr;
}

/// Facts of the user without which what holds by them cannot be concluded. Each in turn is left
/// out, if it can be.
std::vector<std::string> Judge::needed_facts() {
  if (by_facts_.empty())
    return {};
  std::vector<bool> dropped(options_.facts.size(), false);
  const auto facts_without = [&](std::size_t left_out) {
    KnownFacts facts = a_.known;
    for (std::size_t i = 0; i < options_.facts.size(); ++i)
      if (i != left_out && !dropped[i])
        facts.add(options_.facts[i].condition);
    return facts;
  };
  std::vector<std::string> needed;
  for (std::size_t i = 0; i < options_.facts.size(); ++i) {
    const Answer answer = a_.solver.all(by_facts_, facts_without(i), &target_);
    dropped[i] = answer.verdict == Verdict::Yes;
    if (!dropped[i])
      needed.push_back(options_.facts[i].text);
  }
  return needed;
}

} // namespace sdfgopt::passes
