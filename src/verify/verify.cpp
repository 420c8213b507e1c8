#include "verify/verify.h"

#include "verify/choice_plan.h"
#include "verify/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <set>

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

constexpr std::size_t setting_count = 4;
constexpr std::size_t fills = 1;      ///< the setting with another fill,
constexpr std::size_t orders = 2;     ///< with another order,
constexpr std::size_t more_fills = 3; ///< and with one more fill, which differs by element

using Bits = std::array<std::uint64_t, setting_count>;

class Verifier {
public:
  Verifier(ir::Document &before, ir::Document &after, const VerifyOptions &options)
      : before_(before), after_(after), options_(options), before_document_(before),
        after_document_(after) {}

  support::result<VerifyReport> run();

private:
  /// Compares for one choice. Nothing to compare if the program before does not run: `skipped`.
  support::result<void> compare(const SymbolMap &symbols, std::uint64_t seed);
  support::result<std::vector<Memory>> results(Runner &runner, const SymbolMap &symbols,
                                               const Memory &memory, std::uint64_t fuel);
  [[nodiscard]] interp::RunOptions run_options(const Setting &setting, std::uint64_t fuel) const;
  /// An error if a stop was asked for.
  [[nodiscard]] support::result<void> go_on() const;
  support::result<bool> same_arguments(const SymbolMap &symbols, std::uint64_t seed);
  bool same_signature();
  Inputs inputs_for(const SymbolMap &symbols, std::uint64_t seed);
  [[nodiscard]] Memory as_after(const Memory &memory) const;
  /// An element, by its place in memory, and its bits with each setting.
  struct Found {
    std::size_t argument;
    std::int64_t element;
    Bits old;
    Bits now;
  };
  /// Which elements, by argument and place in memory, mean nothing.
  using Elements = std::vector<std::vector<bool>>;
  std::optional<Found> compare_elements(const std::vector<Memory> &before,
                                        const std::vector<Memory> &after, const Elements &unstable,
                                        VerifiedRun &run) const;
  support::result<Elements> unstable_elements(const Memory &expected, const SymbolMap &symbols,
                                              const Memory &memory);
  support::result<void> add_hidden(Elements &unstable, const SymbolMap &symbols, Inputs inputs);
  support::result<void> differ_in(const Found &found, const SymbolMap &symbols,
                                  const Memory &memory, std::uint64_t seed);
  void differ(DifferenceKind kind, std::string message, const SymbolMap &symbols,
              std::uint64_t seed);

  Runner before_;
  Runner after_;
  const VerifyOptions &options_;
  ir::Document &before_document_;
  ir::Document &after_document_;
  std::vector<Layout> layouts_;           // before
  std::vector<std::size_t> after_places_; // of the arguments before among those after
  std::array<Setting, setting_count> settings_ = {};
  std::uint64_t steps_ = 0;   // that the program before took
  std::size_t exhausted_ = 0; // choices with which it ran out of steps or memory
  VerifyReport report_;
};

void Verifier::differ(DifferenceKind kind, std::string message, const SymbolMap &symbols,
                      std::uint64_t seed) {
  Difference difference;
  difference.kind = kind;
  difference.message = std::move(message);
  difference.symbols = symbols;
  difference.seed = seed;
  report_.difference = std::move(difference);
}

support::Error of_after(support::Error error) {
  error.place = "the program after" + (error.place.empty() ? "" : ": " + error.place);
  return error;
}

/// The outside calls a program with its arguments in their order, and symbols in their types.
bool Verifier::same_signature() {
  const auto names = [](const ir::Sdfg &sdfg) {
    std::string text;
    for (const support::Name name : sdfg.arg_names)
      text += (text.empty() ? "" : ", ") + name.str();
    return text;
  };
  const ir::Sdfg &before = before_document_.root;
  const ir::Sdfg &after = after_document_.root;
  if (names(before) != names(after)) {
    differ(DifferenceKind::Argument,
           "the arguments are (" + names(before) + ") before, (" + names(after) + ") after", {},
           options_.seed);
    return false;
  }
  std::map<std::string_view, std::string_view> types;
  for (const auto &[name, dtype] : before.symbols)
    types.emplace(name.view(), dtype);
  for (const auto &[name, dtype] : after.symbols)
    if (const auto found = types.find(name.view());
        found != types.end() && found->second != dtype) {
      differ(DifferenceKind::Symbol,
             "symbol '" + name.str() + "' is " + std::string(found->second) + " before, " +
                 std::string(dtype) + " after",
             {}, options_.seed);
      return false;
    }
  return true;
}

/// The arguments are what the outside holds in its hands: a rewrite leaves them as they are.
support::result<bool> Verifier::same_arguments(const SymbolMap &symbols, std::uint64_t seed) {
  // A rewrite may do without a symbol, but must not ask for another one.
  SDFGOPT_TRY(const interp::Program *program, after_.program(0));
  SymbolMap known;
  for (const auto &[name, value] : symbols)
    if (const auto has = after_.has_symbol(name); has.ok() && has.value())
      known.emplace(name, value);
  for (const interp::SymbolInput &symbol : program->symbols)
    if (!symbol.assigned && !known.contains(symbol.name)) {
      differ(DifferenceKind::Symbol,
             "the program after needs symbol '" + symbol.name +
                 "', which the one before does not have",
             symbols, seed);
      return false;
    }
  const auto after = after_.layouts(known, options_.limits);
  if (!after.ok()) {
    differ(DifferenceKind::Failure, after.error().text(), symbols, seed);
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
    SDFGOPT_TRY(RunOutcome outcome, runner.run(symbols, memory, run_options(setting, fuel)));
    steps_ = std::max(steps_, outcome.steps);
    outcomes.push_back(std::move(outcome.arguments));
  }
  return outcomes;
}

interp::RunOptions Verifier::run_options(const Setting &setting, std::uint64_t fuel) const {
  interp::RunOptions options;
  options.order_seed = setting.order_seed;
  options.fill = setting.fill;
  options.fuel = fuel;
  options.memory_limit = options_.limits.memory;
  options.stop = options_.stop;
  return options;
}

support::result<void> Verifier::go_on() const {
  if (options_.stop.stop_requested())
    return support::Error{support::ErrorCode::Stopped, "the comparison was stopped", ""};
  return {};
}

/// Two orders and two fills may agree by chance where the program's meaning is open all the same:
/// two nodes write one element and nothing orders them, or a condition reads memory that nobody
/// wrote. So before a difference is told, the program before is run in many more.
support::result<Verifier::Elements> Verifier::unstable_elements(const Memory &expected,
                                                                const SymbolMap &symbols,
                                                                const Memory &memory) {
  constexpr std::uint64_t more_settings = 48;
  Elements unstable;
  for (const Layout &layout : layouts_)
    unstable.emplace_back(static_cast<std::size_t>(layout.total_size));
  for (std::uint64_t k = 0; k < more_settings; ++k) {
    const Setting setting = {settings_[0].order_seed + 1000 + k, static_cast<unsigned>(k)};
    SDFGOPT_TRY(const RunOutcome outcome,
                before_.run(symbols, memory, run_options(setting, options_.limits.fuel)));
    for (std::size_t a = 0; a < layouts_.size(); ++a) {
      const interp::ScalarType type = layouts_[a].type;
      for (std::int64_t e = 0; e < layouts_[a].total_size; ++e)
        if (element_bits(outcome.arguments[a], type, e) != element_bits(expected[a], type, e))
          unstable[a][static_cast<std::size_t>(e)] = true;
    }
  }
  return unstable;
}

/// A maximum with a large integer hides what memory held that nobody wrote, in every run: so what
/// depends on that with small integers counts as well.
support::result<void> Verifier::add_hidden(Elements &unstable, const SymbolMap &symbols,
                                           Inputs inputs) {
  constexpr std::int64_t large = 1 << 10;
  if (inputs.integers.limit <= large)
    return {};
  inputs.integers = {0, 8};
  SDFGOPT_TRY(const Memory memory, before_.memory(layouts_, symbols, inputs));
  const auto outcomes = results(before_, symbols, memory, options_.limits.fuel);
  SDFGOPT_CHECK(go_on());
  if (!outcomes.ok()) // then these tell nothing
    return {};
  for (std::size_t a = 0; a < layouts_.size(); ++a)
    for (std::int64_t e = 0; e < layouts_[a].total_size; ++e)
      for (const std::size_t other : {fills, more_fills})
        if (element_bits(outcomes.value()[other][a], layouts_[a].type, e) !=
            element_bits(outcomes.value()[0][a], layouts_[a].type, e))
          unstable[a][static_cast<std::size_t>(e)] = true;
  return {};
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
    return fmt::format(", memory element {} (padding)", element);
  std::string text = "]";
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    text = fmt::format("{}{}{}", d > 0 ? ", " : "[", *found % layout.shape[d], text);
    *found /= layout.shape[d];
  }
  return text;
}

/// What two orders give for an element, if that is a number and they differ by rounding and no
/// more: then another order differs by far less than `tolerance`.
struct Rounded {
  double value;
  double tolerance;
};

std::optional<double> finite(interp::ScalarType type, std::uint64_t bits) {
  double value = 0;
  if (type == interp::ScalarType::Float64)
    value = std::bit_cast<double>(bits);
  else if (type == interp::ScalarType::Float32)
    value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else
    return std::nullopt;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<Rounded> rounded(interp::ScalarType type, std::uint64_t one, std::uint64_t other) {
  const bool wide = type == interp::ScalarType::Float64;
  const auto a = finite(type, one);
  const auto b = finite(type, other);
  if (!a || !b)
    return std::nullopt;
  const double distance = std::abs(*a - *b);
  if (distance > std::abs(*a) * (wide ? 1e-12 : 1e-5))
    return std::nullopt;
  return Rounded{*a, distance * (wide ? 1e6 : 1e3)};
}

/// No order explains what the element is afterwards.
bool far_off(interp::ScalarType type, const Bits &old, const Bits &now) {
  const auto expected = rounded(type, old[0], old[2]);
  return expected && std::any_of(now.begin(), now.end(), [&](std::uint64_t bits) {
           const auto value = finite(type, bits);
           return !value || std::abs(*value - expected->value) > expected->tolerance;
         });
}

bool is_nan(interp::ScalarType type, std::uint64_t bits) {
  return (type == interp::ScalarType::Float64 && std::isnan(std::bit_cast<double>(bits))) ||
         (type == interp::ScalarType::Float32 &&
          std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
}

/// The element to tell of: the first one that differs, but rather one whose value is a number than
/// one where just the bits of a NaN differ.
std::optional<Verifier::Found> Verifier::compare_elements(const std::vector<Memory> &before,
                                                          const std::vector<Memory> &after,
                                                          const Elements &unstable,
                                                          VerifiedRun &run) const {
  std::optional<Found> nan;
  for (std::size_t a = 0; a < layouts_.size(); ++a) {
    const Layout &layout = layouts_[a];
    for (std::int64_t element = 0; element < layout.total_size; ++element) {
      Found found{a, element, {}, {}};
      for (std::size_t s = 0; s < settings_.size(); ++s) {
        found.old[s] = element_bits(before[s][a], layout.type, element);
        found.now[s] = element_bits(after[s][after_places_[a]], layout.type, element);
      }
      if (!unstable.empty() && unstable[a][static_cast<std::size_t>(element)]) {
        ++run.unordered;
        continue;
      }
      if (found.old[fills] != found.old[0] || found.old[more_fills] != found.old[0]) {
        ++run.undefined;
        continue;
      }
      if (found.old[orders] != found.old[0]) {
        ++run.unordered;
        if (far_off(layout.type, found.old, found.now))
          return found;
        continue;
      }
      ++run.elements;
      if (found.old == found.now)
        continue;
      const bool only_nan = is_nan(layout.type, found.old[0]) &&
                            std::all_of(found.now.begin(), found.now.end(),
                                        [&](auto bits) { return is_nan(layout.type, bits); });
      if (!only_nan)
        return found;
      if (!nan)
        nan = found;
    }
  }
  return nan;
}

support::result<void> Verifier::differ_in(const Found &found, const SymbolMap &symbols,
                                          const Memory &memory, std::uint64_t seed) {
  const Layout &layout = layouts_[found.argument];
  // What stays the same whatever memory holds and in whichever order: a value, a wrong one.
  const bool undefined = found.now[fills] != found.now[0] || found.now[more_fills] != found.now[0];
  const bool unordered =
      !undefined && found.now[orders] != found.now[0] && found.old[orders] == found.old[0];
  differ(undefined   ? DifferenceKind::Undefined
         : unordered ? DifferenceKind::Order
                     : DifferenceKind::Value,
         "", symbols, seed);
  Difference &difference = *report_.difference;
  difference.array = layout.name;
  difference.index = index_text(layout, found.element);
  difference.before = element_text(layout.type, found.old[0]);
  difference.after = element_text(layout.type, found.now[0]);
  if (unordered)
    difference.after_too = element_text(layout.type, found.now[orders]);
  std::size_t setting = 0;
  while (found.now[setting] == found.old[setting])
    ++setting;
  const interp::RunOptions again = run_options(settings_[setting], options_.limits.fuel);
  const std::uint64_t initial = element_bits(memory[found.argument], layout.type, found.element);
  SDFGOPT_TRY(difference.state,
              first_divergence({before_, {found.argument, found.element}},
                               {after_, {after_places_[found.argument], found.element}}, symbols,
                               memory, after_places_, initial, again));
  return {};
}

/// The memory of the arguments, in their order afterwards.
Memory Verifier::as_after(const Memory &memory) const {
  Memory result(layouts_.size());
  for (std::size_t a = 0; a < layouts_.size(); ++a)
    result[after_places_[a]] = memory[a];
  return result;
}

/// A smaller range, around 0 if it can; false if there is none.
bool narrow(IndexRange &range) {
  constexpr std::int64_t few = 8;
  const std::int64_t size = range.limit - range.first;
  if (size <= 1 && range.first == 0)
    return false;
  range.first = 0;
  range.limit = size > few ? few : size > 3 ? 3 : size > 2 ? 2 : 1;
  return true;
}

Inputs Verifier::inputs_for(const SymbolMap &symbols, std::uint64_t seed) {
  // Special values only at times: a NaN hides what is added to it.
  Inputs inputs;
  inputs.seed = seed;
  constexpr std::array kinds = {Floats::Digits, Floats::Exact, Floats::Special};
  inputs.floats = kinds[seed % kinds.size()];
  // Now and then below 0, or as large as the type: where that is an index all the same, it is tried
  // again with others.
  constexpr std::int64_t large = std::int64_t{1} << 40;
  constexpr std::array<IndexRange, 4> ranges = {{{-100, 100}, {0, 100}, {-large, large}, {0, 100}}};
  inputs.integers = integers_for(before_document_, symbols, ranges[seed % ranges.size()]);
  return inputs;
}

support::result<void> Verifier::compare(const SymbolMap &symbols, std::uint64_t seed) {
  const auto skip = [&](const support::Error &error) {
    exhausted_ += error.code == support::ErrorCode::Limit ? 1 : 0;
    if (report_.skipped++ == 0)
      report_.why_skipped = error.text() + " (" + symbols_text(symbols) + ")";
  };
  Inputs inputs = inputs_for(symbols, seed);
  const std::uint64_t order = seed * 2 + 1;
  const auto drawn = static_cast<unsigned>(2 + seed % 1000);
  settings_ = {{{order, 0}, {order, 1}, {order + 1, 0}, {order, drawn}}};
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
  // Integers may be indices, and their range a bad guess.
  while (!before.ok() && before.error().code == support::ErrorCode::Fault &&
         narrow(inputs.integers)) {
    SDFGOPT_TRY(memory, before_.memory(layouts_, symbols, inputs));
    before = results(before_, symbols, memory, options_.limits.fuel);
  }
  SDFGOPT_CHECK(go_on());
  if (!before.ok()) {
    if (before.error().code == support::ErrorCode::Unsupported)
      return before.error();
    skip(before.error());
    return {};
  }
  VerifiedRun run{symbols, seed, 0, 0, 0};
  auto comparable = same_arguments(symbols, seed);
  if (!comparable.ok())
    return of_after(std::move(comparable).error());
  if (!comparable.value())
    return {};
  const Memory after_memory = as_after(memory);
  // A rewrite does not make a program run a hundred times as long; one that does not end is found
  // soon.
  const std::uint64_t fuel = std::min(options_.limits.fuel, 1'000'000 + 100 * steps_);
  const auto after = results(after_, symbols, after_memory, fuel);
  SDFGOPT_CHECK(go_on());
  if (!after.ok()) {
    if (after.error().code == support::ErrorCode::Unsupported)
      return of_after(after.error());
    differ(DifferenceKind::Failure, after.error().text(), symbols, seed);
    return {};
  }
  auto found = compare_elements(before.value(), after.value(), {}, run);
  if (found) {
    SDFGOPT_TRY(Elements unstable, unstable_elements(before.value().front(), symbols, memory));
    SDFGOPT_CHECK(add_hidden(unstable, symbols, inputs));
    run = {symbols, seed, 0, 0, 0};
    found = compare_elements(before.value(), after.value(), unstable, run);
  }
  if (found)
    return differ_in(*found, symbols, memory, seed);
  report_.runs.push_back(std::move(run));
  return {};
}

support::result<VerifyReport> Verifier::run() {
  // Choices with which the program before does not run are replaced, a few times.
  constexpr std::size_t rounds = 4;
  constexpr std::size_t most_exhausted = 3; // they take long, and the next one may do no better
  std::uint64_t seed = options_.seed;
  report_.wanted = options_.runs;
  if (!same_signature())
    return std::move(report_);
  SDFGOPT_TRY(ChoicePlan plan,
              ChoicePlan::make(before_document_, after_document_, before_, options_));
  constexpr std::size_t batch = 64;
  std::size_t before_round = 0;
  for (std::size_t round = 0; round < rounds && report_.runs.size() < options_.runs;
       round += report_.runs.size() == before_round ? 1 : 0) {
    before_round = report_.runs.size();
    if (exhausted_ == most_exhausted)
      break;
    for (const SymbolMap &symbols :
         plan.next(std::min(batch, options_.runs - report_.runs.size()), seed, report_.runs)) {
      if (exhausted_ == most_exhausted)
        break;
      SDFGOPT_CHECK(go_on());
      SDFGOPT_CHECK(compare(symbols, seed++));
      if (!report_.same())
        return std::move(report_);
    }
  }
  const auto nothing = [](const std::string &why) {
    return support::Error{support::ErrorCode::Fault, "nothing was compared: " + why, ""};
  };
  SDFGOPT_CHECK(go_on());
  report_.conditions = plan.sides(report_.runs).conditions;
  report_.seen_both_ways = plan.sides(report_.runs).both;
  if (report_.runs.empty() && report_.skipped == 0 && plan.has_facts())
    return nothing("no values of the symbols were found that satisfy the facts" +
                   (options_.symbols.empty() ? "" : " (" + symbols_text(options_.symbols) + ")"));
  if (report_.runs.empty())
    return nothing("the program before does not run: " + report_.why_skipped);
  if (std::all_of(report_.runs.begin(), report_.runs.end(),
                  [](const VerifiedRun &run) { return run.elements == 0; }))
    return nothing(report_.runs[0].undefined + report_.runs[0].unordered == 0
                       ? "the arguments have no elements (" +
                             symbols_text(report_.runs[0].symbols) + ")"
                       : "every element depends on memory that nobody wrote, or on an order that "
                         "the program leaves open");
  return std::move(report_);
}

} // namespace

support::result<VerifyReport> verify(ir::Document &before, ir::Document &after,
                                     const VerifyOptions &options) {
  return Verifier(before, after, options).run();
}

} // namespace sdfgopt::verify
