#include "passes/write_back_guards.h"

#include "ir/clone.h"
#include "passes/region_versions.h"

#include <fmt/format.h>

#include <algorithm>

namespace sdfgopt::passes {

namespace {

/// A condition with more comparisons than this is not cheap any more beside a copy.
constexpr std::size_t max_comparisons = 16;

std::size_t comparisons(Expr condition) {
  if (condition->kind() != symbolic::Kind::And)
    return 1;
  std::size_t count = 0;
  for (const Expr part : condition->args())
    count += comparisons(part);
  return count;
}

/// Elements that the plan copies; what chooses between the versions, and assigns extents, is none.
std::size_t copied(const RegionPlan &plan) {
  return plan.growth - (plan.sized_in_branch.empty() ? 1 : 3);
}

/// Makes plans for the candidates of a driver: which go together, and under which conditions.
class Planning {
public:
  Planning(ir::Document &document, const PassOptions &options, WriteBackDriver &driver)
      : driver_(driver), planner_(document, driver.analyses().flow, driver.analyses().accesses) {
    const std::size_t size = ir::element_count(document.root.root);
    growth_left_ = static_cast<std::size_t>(std::max(0.0, options.growth_limit - 1.0) *
                                            static_cast<double>(size));
    growth_limit_ = options.growth_limit;
  }

  /// Plans with disjoint parts.
  std::vector<RegionPlan> run() {
    std::vector<PlanRequest> requests;
    for (CandidateEntry &entry : driver_.entries())
      if (entry.remark.verdict == Outcome::Kept && entry.condition &&
          entry_of_.try_emplace(entry.candidate.buffer, &entry).second) {
        if (comparisons(entry.condition) > max_comparisons)
          refuse({entry.candidate.buffer}, "the condition is long");
        else
          requests.push_back({entry.candidate.buffer, entry.condition});
      }
    std::vector<RegionPlan> result;
    VersionPlanner::Plans together = planner_.plan_all(requests);
    for (const auto &[buffers, no] : together.refused)
      if (buffers.size() == 1)
        refuse(buffers, no.reason);
      else
        take_what_fits(buffers, result);
    for (RegionPlan &plan : together.plans)
      if (fits(plan))
        take(std::move(plan), result);
      else
        take_what_fits(plan.buffers, result);
    return result;
  }

  [[nodiscard]] CandidateEntry &entry_of(Name buffer) { return *entry_of_.at(buffer); }

private:
  void refuse(const std::vector<Name> &buffers, const std::string &reason) {
    for (const Name buffer : buffers)
      entry_of_.at(buffer)->remark.reason += "; not guarded: " + reason;
  }

  /// Gives the plan the simplest condition for all its buffers; whether there is a short one that
  /// some values of the symbols satisfy, and the program may grow so much.
  bool fits(RegionPlan &plan) {
    // The conditions one by one are as short as can be; all together are seldom shorter.
    if (comparisons(plan.condition) > max_comparisons || copied(plan) > growth_left_)
      return false;
    if (plan.buffers.size() > 1) {
      std::vector<sets::Requirement> required;
      for (const Name buffer : plan.buffers) {
        const auto &more = entry_of_.at(buffer)->required;
        required.insert(required.end(), more.begin(), more.end());
      }
      const sets::Answer answer = driver_.analyses().solver.all(required, driver_.assumed());
      if (answer.verdict != sets::Verdict::When)
        return false;
      plan.condition = answer.condition;
    }
    return comparisons(plan.condition) <= max_comparisons &&
           std::all_of(plan.buffers.begin(), plan.buffers.end(),
                       [&](Name buffer) { return copies_something(buffer, plan.condition); });
  }

  /// Conditions that do not go together may be so because no copy has anything to do then.
  bool copies_something(Name buffer, Expr condition) {
    sets::Question question = sets::Question::empty(*entry_of_.at(buffer)->copied);
    question.given.push_back(condition);
    const sets::Requirement empty{{{std::move(question)}}};
    return driver_.analyses().solver.all({&empty, 1}, driver_.assumed()).verdict !=
           sets::Verdict::Yes;
  }

  void take(RegionPlan plan, std::vector<RegionPlan> &plans) {
    growth_left_ -= copied(plan);
    plans.push_back(std::move(plan));
  }

  /// Of the buffers, which do not go together, those that do, the first ones in the program first.
  void take_what_fits(std::vector<Name> buffers, std::vector<RegionPlan> &plans) {
    constexpr std::size_t max_tried = 32; // each is planned with all before
    std::sort(buffers.begin(), buffers.end(),
              [&](Name a, Name b) { return entry_of_.at(a) < entry_of_.at(b); });
    std::vector<PlanRequest> accepted;
    std::vector<RegionPlan> result;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const std::string objection = i < max_tried
                                        ? try_with(accepted, buffers[i], result)
                                        : "too many buffers in the same place do not go together";
      if (!objection.empty())
        refuse({buffers[i]}, objection);
    }
    for (RegionPlan &plan : result)
      take(std::move(plan), plans);
  }

  /// Adds the buffer to those accepted, and makes the plans for all, if these fit; else tells why
  /// not.
  std::string try_with(std::vector<PlanRequest> &accepted, Name buffer,
                       std::vector<RegionPlan> &plans) {
    std::vector<PlanRequest> trial = accepted;
    trial.push_back({buffer, entry_of_.at(buffer)->condition});
    VersionPlanner::Plans together = planner_.plan_all(trial);
    if (!together.refused.empty())
      return together.refused.front().second.reason;
    std::size_t growth = 0;
    for (const RegionPlan &plan : together.plans)
      growth += copied(plan);
    if (growth > growth_left_)
      return fmt::format("the program would have more than {} times the elements that it had",
                         growth_limit_);
    if (!std::all_of(together.plans.begin(), together.plans.end(),
                     [&](RegionPlan &plan) { return fits(plan); }))
      return "another buffer is guarded in the same place under a condition that does not go with "
             "this one";
    accepted = std::move(trial);
    plans = std::move(together.plans);
    return {};
  }

  WriteBackDriver &driver_;
  VersionPlanner planner_;
  std::unordered_map<Name, CandidateEntry *> entry_of_;
  std::size_t growth_left_ = 0;
  double growth_limit_ = 1;
};

/// `reason` with the name of the buffer that the user knows.
std::string about_original(std::string reason, Name copy, Name original) {
  const std::string name = "'" + copy.str() + "'";
  for (std::size_t at = reason.find(name); at != std::string::npos; at = reason.find(name, at))
    reason.replace(at, name.size(), "'" + original.str() + "'");
  return reason;
}

/// Eliminates the copies of the buffers; what became of each, by its name.
std::unordered_map<Name, Remark> rewrite_versions(ir::Document &document,
                                                  const PassOptions &options,
                                                  const std::vector<std::vector<Name>> &copies,
                                                  sets::Statistics &statistics) {
  std::unordered_set<Name> fresh;
  for (const std::vector<Name> &names : copies)
    fresh.insert(names.begin(), names.end());
  WriteBackDriver driver(document, document.root, options);
  driver.run(&fresh);
  statistics += driver.analyses().solver.statistics();
  std::unordered_map<Name, Remark> result;
  for (const CandidateEntry &entry : driver.entries())
    if (fresh.contains(entry.candidate.buffer)) {
      const auto [found, added] = result.try_emplace(entry.candidate.buffer, entry.remark);
      if (!added && entry.remark.verdict < found->second.verdict)
        found->second = entry.remark;
    }
  return result;
}

} // namespace

bool guard_candidates(ir::Document &document, const PassOptions &options, WriteBackDriver &driver,
                      sets::Statistics &statistics) {
  Planning planning(document, options, driver);
  std::vector<RegionPlan> plans = planning.run();
  if (plans.empty())
    return false;
  RegionVersions made = apply_versions(document, plans);
  std::vector<std::vector<Name>> copies(plans.size()); // of each plan's buffers
  for (std::size_t i = 0; i < plans.size(); ++i)
    for (std::size_t k = 0; k < plans[i].buffers.size(); ++k)
      copies[i].push_back(made.versions[i].data[k].second);
  const auto results = rewrite_versions(document, options, copies, statistics);
  std::vector<std::size_t> failed;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const bool all = std::all_of(copies[i].begin(), copies[i].end(), [&](Name copy) {
      return results.at(copy).verdict == Outcome::Eliminated;
    });
    if (!all)
      failed.push_back(i);
    for (std::size_t k = 0; k < copies[i].size(); ++k) {
      const Remark &of_copy = results.at(copies[i][k]);
      Remark &remark = planning.entry_of(plans[i].buffers[k]).remark;
      if (!all) {
        std::string reason = about_original(of_copy.reason, copies[i][k], plans[i].buffers[k]);
        if (reason.empty())
          reason = "another buffer with it could not be";
        else if (reason == remark.reason)
          reason = "under the condition it is not proved either";
        remark.reason += "; not guarded: " + reason;
        continue;
      }
      remark.verdict = Outcome::Guarded;
      remark.rule = Rule::None;
      remark.reason.clear();
      remark.condition = document.context.print(plans[i].condition, symbolic::Grammar::Python);
      remark.facts = of_copy.facts;
      remark.trusted = of_copy.trusted;
    }
  }
  if (!failed.empty())
    undo_versions(document, made, failed);
  return failed.size() < plans.size();
}

} // namespace sdfgopt::passes
