#include "verify/divergence.h"

#include <map>

namespace sdfgopt::verify {

namespace {

/// A state that was run: its label, and how often it had been run before.
using Visit = std::pair<std::string, std::size_t>;

struct Trace {
  std::vector<Visit> visits;
  std::vector<std::uint64_t> bits; ///< of the element behind each
  std::vector<std::string> names;  ///< "s2 'write_back'"
};

support::result<Trace> trace(const WatchedRunner &watched, const SymbolMap &symbols,
                             interp::Memory memory, interp::RunOptions options) {
  options.watch = watched.element;
  SDFGOPT_TRY(const interp::Program *program, watched.runner.program(options.order_seed));
  SDFGOPT_TRY(const interp::RunOutcome outcome,
              watched.runner.run(symbols, std::move(memory), options));
  Trace result;
  std::map<std::string, std::size_t> seen;
  for (const interp::WatchEvent &event : outcome.events) {
    const interp::StateInfo &state = program->states[event.state];
    result.visits.emplace_back(state.label, seen[state.label]++);
    result.bits.push_back(event.bits);
    result.names.push_back(state.id + " '" + state.label + "'");
  }
  return result;
}

} // namespace

support::result<std::string> first_divergence(const WatchedRunner &before,
                                              const WatchedRunner &after, const SymbolMap &symbols,
                                              const interp::Memory &memory,
                                              const std::vector<std::size_t> &places,
                                              const interp::RunOptions &options) {
  interp::Memory after_memory(memory.size());
  for (std::size_t k = 0; k < memory.size(); ++k)
    after_memory[places[k]] = memory[k];
  SDFGOPT_TRY(const Trace old, trace(before, symbols, memory, options));
  SDFGOPT_TRY(const Trace now, trace(after, symbols, std::move(after_memory), options));
  std::map<Visit, std::uint64_t> behind;
  for (std::size_t k = 0; k < now.visits.size(); ++k)
    behind.emplace(now.visits[k], now.bits[k]);
  std::string first;
  for (std::size_t k = old.visits.size(); k-- > 0;) {
    const auto found = behind.find(old.visits[k]);
    if (found == behind.end())
      continue; // a state that the other program does not run
    if (found->second == old.bits[k])
      break;
    first = old.names[k];
  }
  return first;
}

} // namespace sdfgopt::verify
