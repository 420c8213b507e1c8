// What `verify` says.
#include "verify/verify.h"

#include <fmt/format.h>

namespace sdfgopt::verify {

namespace {

std::string sentence(const Difference &difference) {
  const std::string element = difference.array + difference.index;
  switch (difference.kind) {
  case DifferenceKind::Value:
    return fmt::format("{} is {} before, {} after", element, difference.before, difference.after);
  case DifferenceKind::Undefined:
    return fmt::format("{} is {} before; after, it depends on memory that nobody wrote", element,
                       difference.before);
  case DifferenceKind::Order:
    return fmt::format("{} is {} before; after, it is {} or {}, by the order of what may run in "
                       "any order",
                       element, difference.before, difference.after, difference.after_too);
  case DifferenceKind::Argument:
  case DifferenceKind::Symbol:
    return difference.message;
  case DifferenceKind::Failure:
    return "only the program after fails: " + difference.message;
  }
  return "";
}

} // namespace

std::string difference_text(const Difference &difference) {
  std::string text = "  " + sentence(difference) + '\n';
  if (!difference.state.empty())
    text += "  the runs part in state " + difference.state + '\n';
  return text;
}

namespace {

std::string counts_text(const VerifiedRun &counts) {
  std::string text = fmt::format("{} elements", counts.elements);
  if (counts.undefined > 0)
    text += fmt::format(", {} more undefined", counts.undefined);
  if (counts.unordered > 0)
    text += fmt::format(", {} more depend on an order left open", counts.unordered);
  return text;
}

} // namespace

std::string total_text(const VerifyReport &report) {
  VerifiedRun total;
  for (const VerifiedRun &run : report.runs) {
    total.elements += run.elements;
    total.undefined += run.undefined;
    total.unordered += run.unordered;
  }
  const std::string of =
      report.runs.size() < report.wanted ? fmt::format(" of {}", report.wanted) : "";
  return fmt::format("same: {}{} {}, {}\n", report.runs.size(), of,
                     report.wanted == 1 ? "run" : "runs", counts_text(total));
}

std::string report_text(const VerifyReport &report, const std::string &command, bool all_runs) {
  std::string text;
  if (all_runs)
    for (const VerifiedRun &run : report.runs)
      text += fmt::format("  {}{}seed {}: same: {}\n", symbols_text(run.symbols),
                          run.symbols.empty() ? "" : " ", run.seed, counts_text(run));
  if (report.skipped > 0 && (all_runs || (report.same() && report.runs.size() < report.wanted)))
    text += fmt::format("  the program before does not run with {} choices, such as: {}\n",
                        report.skipped, report.why_skipped);
  if (report.same() && report.conditions > 0 &&
      (all_runs || (report.wanted > 1 && report.seen_both_ways < report.conditions)))
    text += fmt::format("  conditions: {} of {} seen both ways\n", report.seen_both_ways,
                        report.conditions);
  if (report.same())
    return text + total_text(report);
  const Difference &difference = *report.difference;
  text += "different:\n" + difference_text(difference);
  if (command.empty())
    return text + fmt::format("  with {}{}seed {}\n", symbols_text(difference.symbols),
                              difference.symbols.empty() ? "" : ", ", difference.seed);
  text += "  again: " + command;
  for (const auto &[name, value] : difference.symbols)
    text += " --symbol " + symbols_text({{name, value}});
  return text + fmt::format(" --seed {} --runs 1\n", difference.seed);
}

} // namespace sdfgopt::verify
