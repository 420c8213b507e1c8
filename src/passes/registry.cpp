#include "passes/pass.h"
#include "passes/write_back_elimination.h"

#include <array>

namespace sdfgopt::passes {

std::string_view rule_name(Rule rule) {
  static constexpr std::array<std::string_view, 9> names = {"",   "R1", "R2", "R3", "R4",
                                                            "R5", "R6", "R7", "R8"};
  return names[static_cast<std::size_t>(rule)];
}

std::span<const Pass *const> all_passes() {
  static const WriteBackElimination write_back_elimination;
  static constexpr std::array<const Pass *, 1> passes = {&write_back_elimination};
  return passes;
}

support::result<std::vector<const Pass *>> find_passes(std::string_view names) {
  std::vector<const Pass *> found;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    const std::string_view name = names.substr(0, comma);
    names.remove_prefix(std::min(comma + 1, names.size()));
    const Pass *match = nullptr;
    for (const Pass *pass : all_passes())
      if (pass->name() == name)
        match = pass;
    if (!match)
      return support::Error{
          support::ErrorCode::Usage,
          "there is no pass '" + std::string(name) + "'; 'sdfg-opt passes' lists them", ""};
    found.push_back(match);
  }
  return found;
}

PassResult &PassResult::operator+=(PassResult more) {
  std::move(more.remarks.begin(), more.remarks.end(), std::back_inserter(remarks));
  changed |= more.changed;
  statistics += more.statistics;
  return *this;
}

support::result<PassResult> run_passes(ir::Document &document,
                                       const std::vector<const Pass *> &passes,
                                       const PassOptions &options) {
  PassResult result;
  for (const Pass *pass : passes) {
    result += pass->run(document, options);
    if (options.stop.stop_requested())
      return support::Error{support::ErrorCode::Stopped, "the passes were stopped", ""};
  }
  return result;
}

} // namespace sdfgopt::passes
