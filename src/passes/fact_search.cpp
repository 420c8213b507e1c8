#include "passes/fact_search.h"

#include "io/file.h"
#include "passes/facts.h"
#include "passes/symbol_samples.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace sdfgopt::passes {

namespace {

constexpr std::size_t max_starts = 8;

using Texts = std::vector<std::string>;
using Remarks = std::vector<Remark>;

/// Names tell them apart: only buffers of the outermost SDFG are ever eliminated.
std::set<std::string> eliminated(const Remarks &remarks) {
  std::set<std::string> names;
  for (const Remark &remark : remarks)
    if (remark.verdict == Outcome::Eliminated)
      names.insert(remark.buffer);
  return names;
}

bool includes(const std::set<std::string> &all, const std::set<std::string> &part) {
  return std::ranges::includes(all, part);
}

bool has_condition(const Remark &remark) {
  return remark.verdict == Outcome::Kept && !remark.condition.empty();
}

Texts joined(Texts first, const Texts &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

class Search {
public:
  Search(const Texts &given, const RemarksUnder &remarks_under)
      : given_(given), remarks_under_(remarks_under) {}

  std::optional<FoundFacts> run() {
    const std::optional<Remarks> before = remarks(given_);
    if (!before)
      return std::nullopt;
    List best = grown(*before, "");
    std::size_t starts = 1;
    for (const std::string &buffer : Texts(best.conflicting)) {
      if (starts++ == max_starts)
        break;
      if (List other = grown(*before, buffer); is_better(other, best))
        best = std::move(other);
    }
    drop_what_is_not_needed(best);
    return found(*before, best);
  }

private:
  struct List {
    std::vector<Texts> groups;
    Remarks remarks;
    Texts conflicting;

    [[nodiscard]] Texts facts() const {
      Texts all;
      for (const Texts &group : groups)
        all = joined(std::move(all), group);
      return all;
    }
  };

  /// Nothing if the facts are refused, or when the limit is reached.
  std::optional<Remarks> remarks(const Texts &facts) {
    const auto known = known_.find(facts);
    if (known != known_.end())
      return known->second;
    if (runs_ == max_search_runs) {
      complete_ = false;
      return std::nullopt;
    }
    ++runs_;
    return known_.emplace(facts, remarks_under_(facts)).first->second;
  }

  /// A list that begins with the condition of buffer `first`, if that has one.
  List grown(const Remarks &before, const std::string &first) {
    List list{{}, before, {}};
    std::set<std::string> tried;     // and to no avail
    std::vector<std::string> wished; // had a condition at some time, in the order in which it came
    std::string wanted = first;
    while (true) {
      for (const Remark &remark : list.remarks)
        if (has_condition(remark) && std::ranges::find(wished, remark.buffer) == wished.end())
          wished.push_back(remark.buffer);
      const Remark *const chosen = choose(list.remarks, tried, std::exchange(wanted, ""));
      if (!chosen)
        break;
      const std::string buffer = chosen->buffer;
      const std::string condition = chosen->condition;
      if (!extend(list, buffer, condition))
        tried.insert(buffer);
    }
    const std::set<std::string> gone = eliminated(list.remarks);
    for (const std::string &buffer : wished)
      if (!gone.contains(buffer))
        list.conflicting.push_back(buffer);
    return list;
  }

  const Remark *choose(const Remarks &remarks, const std::set<std::string> &tried,
                       const std::string &wanted) {
    const Remark *best = nullptr;
    std::size_t least = 0;
    double most = 0;
    for (const Remark &remark : remarks) {
      if (!has_condition(remark) || tried.contains(remark.buffer))
        continue;
      if (remark.buffer == wanted)
        return &remark;
      const std::size_t count = samples_.comparisons(remark.condition).size();
      const auto [size, added] = mean_bytes_.try_emplace(remark.bytes, 0.0);
      if (added)
        size->second = samples_.mean_bytes({&remark}, given_);
      const double bytes = size->second;
      if (!best || count < least || (count == least && bytes > most)) {
        best = &remark;
        least = count;
        most = bytes;
      }
    }
    return best;
  }

  /// Adds the condition, unless that does not help the buffer, or takes another one's place. (It
  /// helps, too, if only a further condition remains.)
  bool extend(List &list, const std::string &buffer, const std::string &condition) {
    const Texts before = list.facts();
    Texts added;
    for (const std::string &comparison : samples_.comparisons(condition))
      if (std::ranges::find(before, comparison) == before.end() &&
          std::ranges::find(given_, comparison) == given_.end())
        added.push_back(comparison);
    const std::optional<Remarks> after = remarks(joined(joined(given_, before), added));
    if (added.empty() || !after || !includes(eliminated(*after), eliminated(list.remarks)))
      return false;
    const bool helps = std::ranges::any_of(*after, [&](const Remark &remark) {
      return remark.buffer == buffer && (remark.verdict == Outcome::Eliminated ||
                                         (has_condition(remark) && remark.condition != condition));
    });
    if (helps) {
      list.groups.push_back(added);
      list.remarks = *after;
    }
    return helps;
  }

  /// What is eliminated in `list` but not, with a size of the same text, in `other`.
  static std::vector<const Remark *> more(const List &list, const List &other) {
    std::multiset<std::string> sizes;
    for (const Remark &remark : other.remarks)
      if (remark.verdict == Outcome::Eliminated)
        sizes.insert(remark.bytes);
    std::vector<const Remark *> result;
    for (const Remark &remark : list.remarks) {
      if (remark.verdict != Outcome::Eliminated)
        continue;
      if (const auto same = sizes.find(remark.bytes); same != sizes.end())
        sizes.erase(same);
      else
        result.push_back(&remark);
    }
    return result;
  }

  bool is_better(const List &a, const List &b) {
    const double more_of_a = samples_.mean_bytes(more(a, b), joined(given_, a.facts()));
    const double more_of_b = samples_.mean_bytes(more(b, a), joined(given_, b.facts()));
    return more_of_a > more_of_b || (more_of_a == more_of_b && a.facts().size() < b.facts().size());
  }

  /// The last ones first: they were added where the others were known.
  void drop_what_is_not_needed(List &list) {
    const std::set<std::string> all = eliminated(list.remarks);
    for (std::size_t group = list.groups.size(); group-- > 0;)
      for (std::size_t i = list.groups[group].size(); i-- > 0;) {
        List without = list;
        without.groups[group].erase(without.groups[group].begin() + static_cast<std::ptrdiff_t>(i));
        const std::optional<Remarks> after = remarks(joined(given_, without.facts()));
        if (!after || !includes(eliminated(*after), all))
          continue;
        without.remarks = *after;
        list = std::move(without);
      }
  }

  FoundFacts found(const Remarks &before, const List &list) {
    FoundFacts result{given_, {}, list.remarks, list.conflicting, complete_};
    std::set<std::string> gone = eliminated(before);
    FactGroup group;
    Texts facts = given_;
    for (const Texts &added : list.groups) {
      if (added.empty())
        continue;
      group.facts = joined(std::move(group.facts), added);
      facts = joined(std::move(facts), added);
      const auto known = known_.find(facts);
      const std::optional<Remarks> now =
          known == known_.end() ? remarks_under_(facts) : known->second;
      for (const Remark &remark : now ? *now : Remarks())
        if (remark.verdict == Outcome::Eliminated && gone.insert(remark.buffer).second)
          group.freed.push_back(remark);
      if (!group.freed.empty()) // else, the facts are of use with the next ones only
        result.groups.push_back(std::exchange(group, {}));
    }
    if (!group.facts.empty())
      result.groups.push_back(std::move(group));
    return result;
  }

  const Texts &given_;
  const RemarksUnder &remarks_under_;
  SymbolSamples samples_;
  std::map<std::string, double> mean_bytes_; // of one size, under the given facts
  std::map<Texts, std::optional<Remarks>> known_;
  std::size_t runs_ = 0;
  bool complete_ = true;
};

} // namespace

std::optional<FoundFacts> search_facts(const std::vector<std::string> &given,
                                       const RemarksUnder &remarks_under) {
  return Search(given, remarks_under).run();
}

namespace {

/// The remarks on a copy of the program; nothing if it does not accept the facts.
std::optional<Remarks> remarks_of_copy(ir::Document &document, const Texts &facts,
                                       PassOptions options) {
  if (options.stop.stop_requested())
    return std::nullopt;
  const auto copy = io::written_and_read(document);
  if (!copy.ok())
    return std::nullopt;
  std::vector<FactText> texts;
  texts.reserve(facts.size());
  for (const std::string &fact : facts)
    texts.push_back({fact, ""});
  auto parsed = parse_facts(*copy.value(), texts);
  if (!parsed.ok())
    return std::nullopt;
  options.facts = std::move(parsed).value();
  options.guard = false;
  const auto all = all_passes();
  auto result = run_passes(*copy.value(), {all.begin(), all.end()}, options);
  return result.ok() ? std::optional(std::move(result.value().remarks)) : std::nullopt;
}

} // namespace

support::result<FoundFacts> search_facts(ir::Document &document, const PassOptions &options) {
  Texts given;
  given.reserve(options.facts.size());
  for (const Fact &fact : options.facts)
    given.push_back(fact.text);
  auto found = search_facts(
      given, [&](const Texts &facts) { return remarks_of_copy(document, facts, options); });
  if (options.stop.stop_requested())
    return support::Error{support::ErrorCode::Stopped, "the search for facts was stopped", ""};
  if (!found)
    return support::Error{support::ErrorCode::Limit,
                          "no facts are found: the program cannot be read after it was written",
                          ""};
  return std::move(*found);
}

} // namespace sdfgopt::passes
