#include "passes/write_back_guards.h"

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

/// Elements that the plan copies; the block that chooses between the versions is none.
std::size_t copied(const RegionPlan &plan) { return plan.growth - 1; }

/// Makes plans for the candidates of a driver: which go together, and under which conditions.
class Planning {
public:
  Planning(ir::Document &document, const PassOptions &options, WriteBackDriver &driver)
      : driver_(driver), context_(document.context),
        planner_(document, driver.analyses().flow, driver.analyses().accesses) {
    const std::size_t size = ir::element_count(document.root.root);
    growth_left_ = static_cast<std::size_t>(std::max(0.0, options.growth_limit - 1.0) *
                                            static_cast<double>(size));
    growth_limit_ = options.growth_limit;
  }

  /// Plans with disjoint parts, in program order.
  std::vector<RegionPlan> run() {
    std::vector<RegionPlan> single;
    for (CandidateEntry &entry : driver_.entries())
      if (entry.remark.verdict == Outcome::Kept && entry.condition &&
          !entry_of_.contains(entry.candidate.buffer))
        if (auto plan = plan_for(entry))
          single.push_back(std::move(*plan));
    std::vector<RegionPlan> result;
    for (RegionPlan &plan : merged(single))
      if (fits(plan))
        take(std::move(plan), result);
      else
        for (RegionPlan &part : as_many_as_fit(single, plan.buffers))
          take(std::move(part), result);
    return result;
  }

  [[nodiscard]] CandidateEntry &entry_of(Name buffer) { return *entry_of_.at(buffer); }

private:
  void refuse(const std::vector<Name> &buffers, const std::string &reason) {
    for (const Name buffer : buffers)
      entry_of_.at(buffer)->remark.reason += "; not guarded: " + reason;
  }

  std::optional<RegionPlan> plan_for(CandidateEntry &entry) {
    entry_of_[entry.candidate.buffer] = &entry;
    if (comparisons(entry.condition) > max_comparisons) {
      refuse({entry.candidate.buffer}, "the condition is long");
      return std::nullopt;
    }
    auto plan = planner_.plan({entry.candidate.buffer}, entry.condition);
    if (auto *no = std::get_if<NoPlan>(&plan)) {
      refuse({entry.candidate.buffer}, no->reason);
      return std::nullopt;
    }
    return std::get<RegionPlan>(std::move(plan));
  }

  std::vector<RegionPlan> merged(std::vector<RegionPlan> plans) {
    auto result = planner_.merge(std::move(plans));
    for (const auto &[buffers, no] : result.refused)
      refuse(buffers, no.reason);
    return std::move(result.plans);
  }

  /// Gives the plan the simplest condition for all its buffers; whether there is a short one that
  /// some values of the symbols satisfy, and the program may grow so much.
  bool fits(RegionPlan &plan) {
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
    return comparisons(plan.condition) <= max_comparisons && copied(plan) <= growth_left_;
  }

  void take(RegionPlan plan, std::vector<RegionPlan> &plans) {
    growth_left_ -= copied(plan);
    plans.push_back(std::move(plan));
  }

  /// Of the plans for `buffers`, which do not go together, those that do, the first ones first.
  std::vector<RegionPlan> as_many_as_fit(const std::vector<RegionPlan> &single,
                                         const std::vector<Name> &buffers) {
    constexpr std::size_t max_tried = 32; // each is merged with all before
    std::vector<RegionPlan> accepted;
    std::vector<RegionPlan> result;
    std::size_t tried = 0;
    for (const RegionPlan &plan : single) {
      if (std::find(buffers.begin(), buffers.end(), plan.buffers.front()) == buffers.end())
        continue;
      std::vector<RegionPlan> trial = accepted;
      trial.push_back(plan);
      auto together = planner_.merge(trial);
      std::size_t growth = 0;
      bool all = ++tried <= max_tried && together.refused.empty();
      for (RegionPlan &part : together.plans) {
        all = all && fits(part);
        growth += copied(part);
      }
      if (all && growth <= growth_left_) {
        accepted = std::move(trial);
        result = std::move(together.plans);
      } else {
        refuse(plan.buffers,
               growth > growth_left_
                   ? fmt::format("the program would have more than {} times the elements that it "
                                 "had",
                                 growth_limit_)
                   : "another buffer is guarded in the same place under a condition that does "
                     "not go with this one");
      }
    }
    return result;
  }

  WriteBackDriver &driver_;
  symbolic::Context &context_;
  VersionPlanner planner_;
  std::unordered_map<Name, CandidateEntry *> entry_of_;
  std::size_t growth_left_ = 0;
  double growth_limit_ = 1;
};

/// A version for each plan. Plans are void once another one was applied, so each is made anew.
std::vector<RegionVersion> apply_versions(ir::Document &document,
                                          const std::vector<RegionPlan> &plans) {
  std::vector<RegionVersion> made;
  for (const RegionPlan &plan : plans) {
    const analysis::ControlFlow flow(document.root, document.context);
    const analysis::DataAccesses accesses(document.root, flow, document.context);
    auto again = VersionPlanner(document, flow, accesses).plan(plan.buffers, plan.condition);
    made.push_back(apply_version(document, std::get<RegionPlan>(again)));
  }
  return made;
}

/// Eliminates the copies of the buffers; what became of each, by its name.
std::unordered_map<Name, Remark> rewrite_versions(ir::Document &document,
                                                  const PassOptions &options,
                                                  const std::vector<RegionVersion> &made,
                                                  const std::vector<RegionPlan> &plans,
                                                  sets::Statistics &statistics) {
  std::unordered_set<Name> fresh;
  for (std::size_t i = 0; i < plans.size(); ++i)
    for (const Name buffer : plans[i].buffers)
      fresh.insert(made[i].copy_of(buffer));
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
  const std::vector<RegionVersion> made = apply_versions(document, plans);
  const auto results = rewrite_versions(document, options, made, plans, statistics);
  bool changed = false;
  for (std::size_t i = plans.size(); i-- > 0;) {
    const auto result_of = [&](Name buffer) -> const Remark & {
      return results.at(made[i].copy_of(buffer));
    };
    const bool all =
        std::all_of(plans[i].buffers.begin(), plans[i].buffers.end(),
                    [&](Name buffer) { return result_of(buffer).verdict == Outcome::Eliminated; });
    changed = changed || all;
    if (!all)
      undo_version(document, made[i]);
    for (const Name buffer : plans[i].buffers) {
      Remark &remark = planning.entry_of(buffer).remark;
      if (!all) {
        remark.reason += "; not guarded: " + (result_of(buffer).reason.empty()
                                                  ? "another buffer with it could not be"
                                                  : result_of(buffer).reason);
        continue;
      }
      remark.verdict = Outcome::Guarded;
      remark.rule = Rule::None;
      remark.reason.clear();
      remark.condition = document.context.print(plans[i].condition, symbolic::Grammar::Python);
      remark.facts = result_of(buffer).facts;
      remark.trusted = result_of(buffer).trusted;
    }
  }
  return changed;
}

} // namespace sdfgopt::passes
