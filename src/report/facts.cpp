#include "report/facts.h"

#include "support/shown.h"

#include <algorithm>

#include <fmt/format.h>

namespace sdfgopt::report {

using passes::FactGroup;
using passes::FoundFacts;
using passes::Remark;

namespace {

/// "1 fact", "2 facts".
std::string counted(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

struct Counts {
  std::size_t facts = 0;
  std::size_t freed = 0;
};

Counts counts_of(const FoundFacts &found) {
  Counts counts;
  for (const FactGroup &group : found.groups) {
    counts.facts += group.facts.size();
    counts.freed += group.freed.size();
  }
  return counts;
}

/// On one line. (A line may end inside of parentheses, on a command line.)
std::string one_line(std::string fact) {
  std::ranges::replace_if(
      fact, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return fact;
}

/// Buffers that are kept although some condition would free them.
std::string conflicting(const FoundFacts &found) {
  std::string names;
  for (const std::string &buffer : found.conflicting)
    names += (names.empty() ? "" : ", ") + support::shown(buffer);
  return names;
}

} // namespace

std::string facts_as_file(const FoundFacts &found, const std::string &program) {
  std::string out =
      fmt::format("# Facts about the symbols of {}, for 'sdfg-opt optimize --facts'.\n"
                  "# Delete those that are not true of every run: the optimiser believes them.\n",
                  support::shown(program));
  if (!found.given.empty())
    out += "\n# given\n";
  for (const std::string &fact : found.given)
    out += one_line(fact) + '\n';
  for (const FactGroup &group : found.groups) {
    out += '\n';
    for (const Remark &remark : group.freed)
      out += support::shown(fmt::format("# frees {} -> {} at {}{}{}", remark.buffer,
                                        remark.destination, remark.region, remark.state,
                                        remark.bytes.empty() ? "" : ", " + remark.bytes + " bytes"),
                            1000) +
             '\n';
    for (const std::string &fact : group.facts)
      out += fact + '\n';
  }
  return out;
}

std::string facts_in_words(const FoundFacts &found, const std::string &path) {
  const Counts counts = counts_of(found);
  std::string out =
      counts.facts == 0
          ? fmt::format("{}: no facts that would free a buffer\n", path)
          : fmt::format("{}: {}, which free{} {}\n", path, counted(counts.facts, "fact"),
                        counts.facts == 1 ? "s" : "", counted(counts.freed, "more buffer"));
  if (!found.conflicting.empty())
    out += fmt::format("  other facts, which do not go with these, would free {}\n",
                       conflicting(found));
  if (!found.complete)
    out += fmt::format("  the search stopped after {} runs of the passes: there may be more, or "
                       "fewer may do\n",
                       passes::max_search_runs);
  return out;
}

} // namespace sdfgopt::report
