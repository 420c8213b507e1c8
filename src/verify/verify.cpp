#include "verify/verify.h"

#include "verify/divergence.h"
#include "verify/symbol_choice.h"

#include <fmt/format.h>

#include <algorithm>

namespace sdfgopt::verify {

namespace {

using interp::Layout;
using interp::Memory;
using interp::RunOutcome;

/// Orders and fills that a choice is run with. The first one is what the others are compared to.
struct Setting {
  std::uint64_t order_seed;
  unsigned fill;
};

class Verifier {
public:
  Verifier(ir::Document &before, ir::Document &after, const VerifyOptions &options)
      : before_(before), after_(after), options_(options), before_document_(before) {}

  support::result<VerifyReport> run();

private:
  std::vector<SymbolMap> choices();
  /// Compares for one choice. Nothing to compare if the program before does not run: `skipped`.
  support::result<void> compare(const SymbolMap &symbols, std::uint64_t seed);
  support::result<std::vector<Memory>> results(Runner &runner, const SymbolMap &symbols,
                                               const Memory &memory, std::uint64_t fuel);
  bool same_arguments(const SymbolMap &symbols, std::uint64_t seed);
  support::result<void> compare_elements(const std::vector<Memory> &before,
                                         const std::vector<Memory> &after, const SymbolMap &symbols,
                                         const Memory &memory, VerifiedRun &run);
  void differ(DifferenceKind kind, std::string message, const SymbolMap &symbols,
              std::uint64_t seed);

  Runner before_;
  Runner after_;
  const VerifyOptions &options_;
  ir::Document &before_document_;
  std::vector<Layout> layouts_;           // before
  std::vector<std::size_t> after_places_; // of the arguments before among those after
  std::array<Setting, 3> settings_ = {};
  std::uint64_t steps_ = 0; // that the program before took
  VerifyReport report_;
};

std::vector<SymbolMap> Verifier::choices() {
  std::vector<std::pair<support::Name, std::int64_t>> given;
  for (const auto &[name, value] : options_.symbols)
    if (std::holds_alternative<std::int64_t>(value))
      given.emplace_back(before_document_.names.intern(name), std::get<std::int64_t>(value));
  std::vector<SymbolMap> result;
  for (const SymbolChoice &choice :
       choose_symbols(before_document_, given, options_.runs, options_.seed, options_.size)) {
    SymbolMap symbols = options_.symbols;
    for (const auto &[name, value] : choice.values)
      if (const auto known = before_.has_symbol(name.str()); known.ok() && known.value())
        symbols.try_emplace(name.str(), value);
    result.push_back(std::move(symbols));
  }
  if (result.empty())
    result.push_back(options_.symbols);
  return result;
}

void Verifier::differ(DifferenceKind kind, std::string message, const SymbolMap &symbols,
                      std::uint64_t seed) {
  Difference difference;
  difference.kind = kind;
  difference.message = std::move(message);
  difference.symbols = symbols;
  difference.seed = seed;
  report_.difference = std::move(difference);
}

/// The arguments are what the outside holds in its hands: a rewrite leaves them as they are.
bool Verifier::same_arguments(const SymbolMap &symbols, std::uint64_t seed) {
  SymbolMap known = symbols;
  const auto after = after_.layouts(known, options_.limits);
  if (!after.ok()) {
    differ(DifferenceKind::Symbol, "afterwards the program does not run: " + after.error().text(),
           symbols, seed);
    return false;
  }
  after_places_.clear();
  const auto argument = [&](std::string message) {
    differ(DifferenceKind::Argument, std::move(message), symbols, seed);
    return false;
  };
  for (const Layout &layout : layouts_) {
    const auto found = std::find_if(after.value().begin(), after.value().end(),
                                    [&](const Layout &l) { return l.name == layout.name; });
    if (found == after.value().end())
      return argument("argument '" + layout.name + "' is gone");
    if (found->type != layout.type || found->shape != layout.shape ||
        found->strides != layout.strides || found->total_size != layout.total_size ||
        found->start_offset != layout.start_offset)
      return argument("argument '" + layout.name + "' has another type or layout");
    after_places_.push_back(static_cast<std::size_t>(found - after.value().begin()));
  }
  for (const Layout &layout : after.value())
    if (std::none_of(layouts_.begin(), layouts_.end(),
                     [&](const Layout &l) { return l.name == layout.name; }))
      return argument("argument '" + layout.name + "' is new");
  return true;
}

support::result<std::vector<Memory>> Verifier::results(Runner &runner, const SymbolMap &symbols,
                                                       const Memory &memory, std::uint64_t fuel) {
  std::vector<Memory> outcomes;
  for (const Setting &setting : settings_) {
    interp::RunOptions options;
    options.order_seed = setting.order_seed;
    options.fill = setting.fill;
    options.fuel = fuel;
    options.memory_limit = options_.limits.memory;
    SDFGOPT_TRY(RunOutcome outcome, runner.run(symbols, memory, options));
    steps_ = std::max(steps_, outcome.steps);
    outcomes.push_back(std::move(outcome.arguments));
  }
  return outcomes;
}

std::string index_text(const Layout &layout, std::int64_t element) {
  std::int64_t number = 0;
  std::optional<std::int64_t> found;
  for_each_position(layout, [&](std::int64_t position) {
    if (!found && position == element)
      found = number;
    ++number;
  });
  if (!found)
    return fmt::format("padding element {}", element);
  std::string text = "]";
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    text = (d > 0 ? ", " : "[") + std::to_string(*found % layout.shape[d]) + text;
    *found /= layout.shape[d];
  }
  return text;
}

support::result<void> Verifier::compare_elements(const std::vector<Memory> &before,
                                                 const std::vector<Memory> &after,
                                                 const SymbolMap &symbols, const Memory &memory,
                                                 VerifiedRun &run) {
  for (std::size_t a = 0; a < layouts_.size(); ++a) {
    const Layout &layout = layouts_[a];
    const std::size_t place = after_places_[a];
    for (std::int64_t element = 0; element < layout.total_size; ++element) {
      std::array<std::uint64_t, 3> old{};
      std::array<std::uint64_t, 3> now{};
      for (std::size_t s = 0; s < settings_.size(); ++s) {
        old[s] = element_bits(before[s][a], layout.type, element);
        now[s] = element_bits(after[s][place], layout.type, element);
      }
      // Settings: 0 and 1 have two fills, 0 and 2 two orders.
      if (old[0] != old[1]) {
        ++run.undefined;
        continue;
      }
      if (old == now) {
        ++run.elements;
        continue;
      }
      if (old[0] != old[2]) {
        ++run.unordered;
        continue;
      }
      const bool value = old[0] != now[0];
      const std::size_t setting = value ? 0 : now[1] != old[1] ? 1 : 2;
      differ(value ? DifferenceKind::Value
                   : (setting == 1 ? DifferenceKind::Undefined : DifferenceKind::Order),
             "", symbols, run.seed);
      Difference &difference = *report_.difference;
      difference.array = layout.name;
      difference.index = index_text(layout, element);
      difference.before = element_text(layout.type, old[setting]);
      difference.after = element_text(layout.type, now[setting]);
      interp::RunOptions again;
      again.order_seed = settings_[setting].order_seed;
      again.fill = settings_[setting].fill;
      SDFGOPT_TRY(difference.state,
                  first_divergence({before_, {a, element}}, {after_, {place, element}}, symbols,
                                   memory, after_places_, again));
      return {};
    }
  }
  return {};
}

support::result<void> Verifier::compare(const SymbolMap &symbols, std::uint64_t seed) {
  const auto skip = [&](const support::Error &error) {
    if (report_.skipped++ == 0)
      report_.why_skipped = error.text() + " (" + symbols_text(symbols) + ")";
  };
  // Without special values most of the time: a NaN hides what is added to it.
  Inputs inputs;
  inputs.seed = seed;
  inputs.special = seed % 3 == 2;
  inputs.integers = integers_for(before_document_, symbols);
  settings_ = {{{seed * 2 + 1, 0}, {seed * 2 + 1, 1}, {seed * 2 + 2, 0}}};
  auto layouts = before_.layouts(symbols, options_.limits);
  if (!layouts.ok()) {
    // Neither of these depends on the choice.
    if (layouts.error().code == support::ErrorCode::Unsupported ||
        layouts.error().code == support::ErrorCode::Usage)
      return layouts.error();
    skip(layouts.error());
    return {};
  }
  layouts_ = std::move(layouts).value();
  steps_ = 0;
  SDFGOPT_TRY(Memory memory, before_.memory(layouts_, symbols, inputs));
  auto before = results(before_, symbols, memory, options_.limits.fuel);
  if (!before.ok() && before.error().code == support::ErrorCode::Fault) {
    // Integers may be indices, and the limit a bad guess.
    inputs.integers = {0, 1};
    SDFGOPT_TRY(memory, before_.memory(layouts_, symbols, inputs));
    before = results(before_, symbols, memory, options_.limits.fuel);
  }
  if (!before.ok()) {
    if (before.error().code == support::ErrorCode::Unsupported)
      return before.error();
    skip(before.error());
    return {};
  }
  VerifiedRun run{symbols, seed, 0, 0, 0};
  if (!same_arguments(symbols, seed))
    return {};
  Memory after_memory(layouts_.size());
  for (std::size_t a = 0; a < layouts_.size(); ++a)
    after_memory[after_places_[a]] = memory[a];
  // A rewrite does not make a program run a hundred times as long; one that does not end is found
  // soon.
  const std::uint64_t fuel = std::min(options_.limits.fuel, 1'000'000 + 100 * steps_);
  const auto after = results(after_, symbols, after_memory, fuel);
  if (!after.ok()) {
    if (after.error().code == support::ErrorCode::Unsupported)
      return after.error();
    differ(DifferenceKind::Failure, after.error().text(), symbols, seed);
    return {};
  }
  SDFGOPT_CHECK(compare_elements(before.value(), after.value(), symbols, memory, run));
  if (report_.same())
    report_.runs.push_back(std::move(run));
  return {};
}

support::result<VerifyReport> Verifier::run() {
  std::uint64_t seed = options_.seed;
  for (const SymbolMap &symbols : choices()) {
    SDFGOPT_CHECK(compare(symbols, seed++));
    if (!report_.same())
      break;
  }
  if (report_.same() && report_.runs.empty())
    return support::Error{
        support::ErrorCode::Fault,
        "nothing was compared: the program before does not run: " + report_.why_skipped, ""};
  return std::move(report_);
}

} // namespace

support::result<VerifyReport> verify(ir::Document &before, ir::Document &after,
                                     const VerifyOptions &options) {
  return Verifier(before, after, options).run();
}

} // namespace sdfgopt::verify
