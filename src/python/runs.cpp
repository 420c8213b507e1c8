// Programs that are run: on NumPy arrays, or two of them to be compared.
#include "python/arrays.h"
#include "python/interruptible.h"
#include "python/program.h"
#include "verify/verify.h"

#include <fmt/format.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

namespace sdfgopt::python {

namespace nb = nanobind;
using namespace nb::literals;
using interp::Layout;
using support::Error;
using support::ErrorCode;
using support::result;
using verify::SymbolMap;

namespace {

void check_size(std::int64_t size) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (size < 1 || size > most)
    raise({ErrorCode::Usage, fmt::format("{} is not in the range 1 to {}", size, most), "size"});
}

// --- comparison ---

nb::dict as_dict(const SymbolMap &symbols) {
  nb::dict dict;
  for (const auto &[name, value] : symbols)
    dict[name.c_str()] = std::visit([](auto number) { return nb::cast(number); }, value);
  return dict;
}

const char *kind_name(verify::DifferenceKind kind) {
  switch (kind) {
  case verify::DifferenceKind::Value:
    return "value";
  case verify::DifferenceKind::Undefined:
    return "undefined";
  case verify::DifferenceKind::Order:
    return "order";
  case verify::DifferenceKind::Argument:
    return "argument";
  case verify::DifferenceKind::Symbol:
    return "symbol";
  case verify::DifferenceKind::Failure:
    break;
  }
  return "failure";
}

nb::dict as_dict(const verify::Difference &difference) {
  nb::dict dict;
  dict["kind"] = kind_name(difference.kind);
  dict["array"] = difference.array;
  dict["index"] = difference.index;
  dict["before"] = difference.before;
  dict["after"] = difference.after;
  dict["after_too"] = difference.after_too;
  dict["state"] = difference.state;
  dict["message"] = difference.message;
  dict["symbols"] = as_dict(difference.symbols);
  dict["seed"] = difference.seed;
  dict["text"] = verify::difference_text(difference);
  return dict;
}

nb::dict as_dict(const verify::VerifyReport &report, const std::string &command) {
  nb::list runs;
  for (const verify::VerifiedRun &run : report.runs) {
    nb::dict one;
    one["symbols"] = as_dict(run.symbols);
    one["seed"] = run.seed;
    one["elements"] = run.elements;
    one["undefined"] = run.undefined;
    one["unordered"] = run.unordered;
    runs.append(one);
  }
  nb::dict dict;
  dict["runs"] = runs;
  dict["difference"] =
      report.difference ? nb::object(as_dict(*report.difference)) : nb::object(nb::none());
  dict["wanted"] = report.wanted;
  dict["skipped"] = report.skipped;
  dict["why_skipped"] = report.why_skipped;
  dict["conditions"] = report.conditions;
  dict["seen_both_ways"] = report.seen_both_ways;
  dict["text"] = verify::report_text(report, command);
  return dict;
}

nb::dict verify_programs(const Program &before, const Program &after, const FactList &facts,
                         const SymbolMap &symbols, std::size_t runs, std::uint64_t seed,
                         std::int64_t size, std::optional<std::uint64_t> fuel,
                         std::optional<std::size_t> memory, const std::string &command) {
  verify::VerifyOptions options;
  options.symbols = symbols;
  options.runs = runs;
  options.seed = seed;
  options.size = size;
  options.limits.fuel = fuel.value_or(options.limits.fuel);
  options.limits.memory = memory.value_or(options.limits.memory);
  if (runs == 0)
    raise({ErrorCode::Usage, "0 is no number of runs", "runs"});
  check_size(size);
  const auto report = interruptible([&](std::stop_token stop) -> result<verify::VerifyReport> {
    const auto locks = before.lock_with(after);
    options.stop = std::move(stop);
    const auto texts = fact_texts(facts);
    SDFGOPT_CHECK(passes::parse_facts(before.document(), texts));
    for (const passes::FactText &fact : texts)
      options.facts.push_back(fact.text);
    return verify::verify(before.document(), after.document(), options);
  });
  return as_dict(report, command);
}

// --- runs ---

/// An argument of a run: what is given for it, or was made for it.
struct Argument {
  std::string name;
  nb::object object;
  std::unique_ptr<ArrayView> view;
  std::vector<std::byte> copy; ///< where the array's memory is not the argument's
};

/// One call of a program. What is done without the GIL is in functions that say so.
class Call {
public:
  /// Symbols are chosen where a `size` tells about how large domains shall be.
  Call(const Program &program, const nb::dict &arrays, SymbolMap symbols, std::uint64_t seed,
       std::optional<std::int64_t> size, const verify::RunLimits &limits,
       const interp::RunOptions &options)
      : program_(program), runner_(program.document()), symbols_(std::move(symbols)), size_(size),
        limits_(limits), options_(options) {
    inputs_.seed = seed;
    for (const auto &[key, value] : arrays) {
      const std::string name = nb::cast<std::string>(key);
      given_.push_back({name, nb::borrow(value), std::make_unique<ArrayView>(value, name), {}});
    }
  }

  nb::dict run() {
    interruptible([&](const std::stop_token &) { return in_program(prepare()); });
    // Those that are given have their place among all, in the program's order.
    std::vector<Argument> all;
    for (const Layout &layout : layouts_)
      if (Argument *argument = given(layout.name)) {
        all.push_back(std::move(*argument));
      } else {
        NewArray made = new_array(layout);
        all.push_back({"", std::move(made.array), std::move(made.memory), {}});
      }
    interruptible([&](std::stop_token stop) {
      options_.stop = std::move(stop);
      return in_program(execute(all));
    });
    nb::dict results;
    for (std::size_t k = 0; k < all.size(); ++k)
      results[layouts_[k].name.c_str()] = all[k].object;
    return results;
  }

private:
  Argument *given(const std::string &name) {
    const auto found = std::find_if(given_.begin(), given_.end(),
                                    [&](const Argument &one) { return one.name == name; });
    return found == given_.end() ? nullptr : &*found;
  }

  /// Errors that are not the caller's name the program.
  result<void> in_program(result<void> done) const {
    if (!done.ok() && done.error().code != ErrorCode::Usage && !program_.file().empty()) {
      Error &error = done.error();
      error.place = program_.file() + (error.place.empty() ? "" : ": ") + error.place;
    }
    return done;
  }

  /// Compiles, and finds out about the arguments. Without the GIL.
  result<void> prepare() {
    const auto lock = program_.lock();
    SDFGOPT_CHECK(runner_.program(0));
    SDFGOPT_CHECK(runner_.program(options_.order_seed));
    SDFGOPT_CHECK(complete_symbols());
    SDFGOPT_TRY(layouts_, runner_.layouts(symbols_, limits_));
    for (const Argument &argument : given_) {
      const auto layout = std::find_if(layouts_.begin(), layouts_.end(), [&](const Layout &one) {
        return one.name == argument.name;
      });
      if (layout == layouts_.end())
        return usage(fmt::format("the program has no argument '{}'", argument.name));
      if (symbols_.contains(argument.name))
        return usage(fmt::format("'{}' is given both as a value and as an array", argument.name));
      if (auto wrong =
              verify::objection(*layout, argument.view->dtype(), argument.view->shape().shape))
        return std::move(*wrong);
    }
    inputs_.integers = verify::integers_for(program_.document(), symbols_);
    return {};
  }

  result<void> complete_symbols() {
    std::map<std::string, verify::ArrayShape> shapes;
    for (const Argument &argument : given_)
      shapes.emplace(argument.name, argument.view->shape());
    for (const auto &[name, value] :
         verify::with_shape_symbols(program_.document(), shapes, symbols_)) {
      SDFGOPT_TRY(const bool known, runner_.has_symbol(name));
      if (known)
        symbols_.emplace(name, value);
    }
    SDFGOPT_TRY(const std::string missing, runner_.missing_symbols(symbols_));
    if (missing.empty())
      return {};
    if (size_) {
      auto chosen = runner_.choose_missing(
          symbols_, verify::extent_facts(program_.document(), shapes), inputs_.seed, *size_);
      if (!chosen)
        return usage(fmt::format("no values for {} were found that go with the arrays", missing));
      symbols_.merge(*chosen);
      return {};
    }
    return usage(
        fmt::format("no value for {}: not given, and it does not follow from the arrays", missing));
  }

  /// Runs the program on the arrays' memory, or copies. Without the GIL.
  result<void> execute(std::vector<Argument> &arguments) {
    interp::BorrowedMemory memory;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      SDFGOPT_TRY(const std::span<std::byte> own, memory_of(arguments[k], layouts_[k]));
      memory.push_back(own);
    }
    SDFGOPT_CHECK(runner_.run_in_place(symbols_, memory, options_));
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (arguments[k].copy.empty())
        continue;
      const ArrayView &view = *arguments[k].view;
      if (!view.read_only())
        view.copy_from(layouts_[k], arguments[k].copy);
      else if (!view.holds(layouts_[k], arguments[k].copy))
        return usage(
            fmt::format("array '{}' is read-only, and the program writes to it", layouts_[k].name));
    }
    return {};
  }

  result<std::span<std::byte>> memory_of(Argument &argument, const Layout &layout) const {
    if (argument.name.empty()) {
      SDFGOPT_CHECK(runner_.fill(layout, symbols_, inputs_, argument.view->whole()));
      return argument.view->whole();
    }
    if (const auto own = argument.view->memory_of(layout))
      return *own;
    argument.copy.resize(static_cast<std::size_t>(layout.total_size) * size_of(layout.type));
    SDFGOPT_CHECK(runner_.fill(layout, {}, inputs_, argument.copy)); // for what is between
    argument.view->copy_to(layout, argument.copy);
    return std::span(argument.copy);
  }

  static Error usage(std::string message) { return {ErrorCode::Usage, std::move(message), ""}; }

  const Program &program_;
  verify::Runner runner_;
  SymbolMap symbols_;
  std::optional<std::int64_t> size_;
  verify::Inputs inputs_;
  verify::RunLimits limits_;
  interp::RunOptions options_;
  std::vector<Argument> given_;
  std::vector<Layout> layouts_;
};

nb::dict run_program(const Program &program, const nb::dict &arrays, const SymbolMap &symbols,
                     std::uint64_t seed, std::optional<std::int64_t> size, bool in_order,
                     unsigned fill, std::optional<std::uint64_t> fuel,
                     std::optional<std::size_t> memory) {
  verify::RunLimits limits;
  limits.fuel = fuel.value_or(limits.fuel);
  limits.memory = memory.value_or(limits.memory);
  interp::RunOptions options;
  options.order_seed = in_order ? 0 : verify::run_order(seed);
  options.fill = fill;
  options.fuel = limits.fuel;
  options.memory_limit = limits.memory;
  if (size)
    check_size(*size);
  return Call(program, arrays, symbols, seed, size, limits, options).run();
}

} // namespace

void register_runs(nb::module_ &module) {
  module.def("verify", &verify_programs, "before"_a, "after"_a, nb::kw_only(),
             "facts"_a = FactList(), "symbols"_a = SymbolMap(), "runs"_a = 8, "seed"_a = 1,
             "size"_a = 6, "fuel"_a = nb::none(), "memory"_a = nb::none(), "command"_a = "",
             "Compares two programs; `command` is how a difference is shown again.");
  module.def("run", &run_program, "program"_a, "arrays"_a, "symbols"_a, nb::kw_only(), "seed"_a = 1,
             "size"_a = nb::none(), "in_order"_a = false, "fill"_a = 0, "fuel"_a = nb::none(),
             "memory"_a = nb::none(), "All arguments as they are afterwards, by name.");
}

} // namespace sdfgopt::python
