#include "verify/divergence.h"

#include <fmt/format.h>

#include <map>
#include <optional>

namespace sdfgopt::verify {

namespace {

/// A state that was run: its label, and how often it had been run before.
using Visit = std::pair<std::string, std::size_t>;

struct Trace {
  std::uint64_t initial = 0; // bits of the element
  std::vector<Visit> visits;
  std::vector<std::uint64_t> bits;          // of the element behind each
  std::vector<std::string> ids;             // "s2"
  std::map<Visit, std::size_t> at;          // positions
  std::map<std::string, std::size_t> times; // that states of a label are run

  [[nodiscard]] std::uint64_t behind(std::size_t count) const {
    return count == 0 ? initial : bits[count - 1];
  }
  /// The last visit of [first, last) that changes the element.
  [[nodiscard]] std::optional<std::size_t> last_change(std::size_t first, std::size_t last) const {
    for (std::size_t k = last; k-- > first;)
      if (behind(k) != behind(k + 1))
        return k;
    return std::nullopt;
  }
};

support::result<Trace> trace(const WatchedRunner &watched, const SymbolMap &symbols,
                             interp::Memory memory, std::uint64_t initial,
                             interp::RunOptions options) {
  options.watch = watched.element;
  SDFGOPT_TRY(const interp::RunOutcome outcome,
              watched.runner.run(symbols, std::move(memory), options));
  SDFGOPT_TRY(const interp::Program *program, watched.runner.program(options.order_seed));
  Trace result;
  result.initial = initial;
  for (const interp::WatchEvent &event : outcome.events) {
    const interp::StateInfo &state = program->states[event.state];
    result.visits.emplace_back(state.label, result.times[state.label]++);
    result.at.emplace(result.visits.back(), result.bits.size());
    result.bits.push_back(event.bits);
    result.ids.push_back(state.id);
  }
  return result;
}

/// A visit that both runs make, or what one or both do between two such visits.
struct Section {
  std::array<std::size_t, 2> first; // of the visits before, and of those after
  std::array<std::size_t, 2> last;  // one past
  bool common;
};

/// The visits of both runs side by side.
std::vector<Section> side_by_side(const Trace &old, const Trace &now) {
  std::vector<Section> sections;
  std::size_t i = 0;
  std::size_t j = 0;
  const auto skip = [&](std::size_t of_old, std::size_t of_now) {
    if (sections.empty() || sections.back().common)
      sections.push_back({{i, j}, {i, j}, false});
    i += of_old;
    j += of_now;
    sections.back().last = {i, j};
  };
  while (i < old.visits.size() && j < now.visits.size()) {
    if (old.visits[i] == now.visits[j]) {
      sections.push_back({{i, j}, {i + 1, j + 1}, true});
      ++i;
      ++j;
      continue;
    }
    const auto in_old = old.at.find(now.visits[j]);
    const auto in_now = now.at.find(old.visits[i]);
    const std::size_t skip_old =
        in_old != old.at.end() && in_old->second > i ? in_old->second - i : 0;
    const std::size_t skip_now =
        in_now != now.at.end() && in_now->second > j ? in_now->second - j : 0;
    if (skip_old > 0 && (skip_now == 0 || skip_old <= skip_now))
      skip(skip_old, 0);
    else if (skip_now > 0)
      skip(0, skip_now);
    else
      skip(1, 1);
  }
  if (i < old.visits.size() || j < now.visits.size())
    skip(old.visits.size() - i, now.visits.size() - j);
  return sections;
}

std::string ordinal(std::size_t number) {
  const std::size_t tens = number / 10 % 10;
  const std::size_t ones = tens == 1 ? 0 : number % 10;
  return std::to_string(number) + (ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th");
}

/// "s2 'put' (2nd time)".
std::string state_text(const Trace &trace, std::size_t visit) {
  const auto &[label, number] = trace.visits[visit];
  std::string text = fmt::format("{} '{}'", trace.ids[visit], label);
  if (trace.times.at(label) > 1)
    text += fmt::format(" ({} time)", ordinal(number + 1));
  return text;
}

/// Of a visit that `other` does not make there.
std::string lone_text(const Trace &trace, std::size_t visit, const Trace &other,
                      std::string_view which) {
  return state_text(trace, visit) + (other.at.contains(trace.visits[visit])
                                         ? ", which the other program runs at another time"
                                         : fmt::format(", which only the program {} runs", which));
}

std::string section_text(const Section &section, const Trace &old, const Trace &now) {
  const auto before = old.last_change(section.first[0], section.last[0]);
  const auto after = now.last_change(section.first[1], section.last[1]);
  if (section.common) {
    const std::string state = state_text(old, section.first[0]);
    return before && after ? state
                           : fmt::format("{}, where only the program {} changes it", state,
                                         before ? "before" : "after");
  }
  if (before && after)
    return fmt::format("{} of the program before, and {} of the program after",
                       state_text(old, *before), state_text(now, *after));
  return before ? lone_text(old, *before, now, "before") : lone_text(now, *after, old, "after");
}

} // namespace

support::result<std::string>
first_divergence(const WatchedRunner &before, const WatchedRunner &after, const SymbolMap &symbols,
                 const interp::Memory &memory, const std::vector<std::size_t> &places,
                 std::uint64_t initial, const interp::RunOptions &options) {
  interp::Memory after_memory(memory.size());
  for (std::size_t k = 0; k < memory.size(); ++k)
    after_memory[places[k]] = memory[k];
  SDFGOPT_TRY(const Trace old, trace(before, symbols, memory, initial, options));
  SDFGOPT_TRY(const Trace now, trace(after, symbols, std::move(after_memory), initial, options));
  // A trace has an end (the interpreter's limit) before the difference shows.
  if (old.behind(old.bits.size()) == now.behind(now.bits.size()))
    return std::string();
  const std::vector<Section> sections = side_by_side(old, now);
  for (std::size_t k = sections.size(); k-- > 0;)
    if (old.behind(sections[k].first[0]) == now.behind(sections[k].first[1]))
      return section_text(sections[k], old, now);
  return std::string(); // not reached: both begin with the same value
}

} // namespace sdfgopt::verify
