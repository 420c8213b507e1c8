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
    return fmt::format("{} depends on memory that nobody wrote, only after: {} before, {} after",
                       element, difference.before, difference.after);
  case DifferenceKind::Order:
    return fmt::format(
        "{} depends on an order that the program leaves open, only after: {} before, {} after",
        element, difference.before, difference.after);
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

std::string report_text(const VerifyReport &report, const std::string &command) {
  std::string text;
  std::size_t elements = 0;
  for (const VerifiedRun &run : report.runs) {
    text += fmt::format("  {:<40} seed {}: {} elements the same", symbols_text(run.symbols),
                        run.seed, run.elements);
    if (run.undefined > 0)
      text += fmt::format(", {} undefined", run.undefined);
    if (run.unordered > 0)
      text += fmt::format(", {} that depend on the order", run.unordered);
    text += '\n';
    elements += run.elements;
  }
  if (report.skipped > 0)
    text += fmt::format("  {} more not run: {}\n", report.skipped, report.why_skipped);
  if (report.same())
    return text + fmt::format("same: {} runs, {} elements\n", report.runs.size(), elements);
  const Difference &difference = *report.difference;
  text += "different:\n" + difference_text(difference);
  text += "  again: " + command;
  for (const auto &[name, value] : difference.symbols)
    text += " --symbol " + symbols_text({{name, value}});
  return text + fmt::format(" --seed {} --runs 1\n", difference.seed);
}

} // namespace sdfgopt::verify
