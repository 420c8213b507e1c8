#include "cli/command.h"

#include "cli/symbols.h"
#include "verify/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>

namespace sdfgopt::cli {

namespace {

struct Options {
  std::string in;
  std::vector<std::string> symbols;
  std::vector<std::string> arrays;
  std::string out;
  std::uint64_t seed = 1;
  bool in_order = false;
  bool time = false;
  std::int64_t size = 6;
  std::optional<unsigned> fill;
  verify::RunLimits limits;
};

/// `NAME=FILE.npy`, or `FILE.npy` for the array that is called as the file.
support::result<std::pair<std::string, io::NpyArray>> read_array(const std::string &text) {
  const std::size_t equals = text.find('=');
  const std::string path = equals == std::string::npos ? text : text.substr(equals + 1);
  std::string name = equals == std::string::npos ? std::filesystem::path(path).stem().string()
                                                 : text.substr(0, equals);
  SDFGOPT_TRY(io::NpyArray array, io::read_npy(path));
  return std::pair(std::move(name), std::move(array));
}

/// A number that tells whether two arrays hold the same bytes (FNV-1a).
std::uint64_t checksum(const std::vector<std::byte> &bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte byte : bytes)
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
  return hash;
}

double as_number(interp::ScalarType type, std::uint64_t bits) {
  interp::Value value{.u = bits};
  if (type == interp::ScalarType::Float32)
    return value.f;
  if (type == interp::ScalarType::Float64)
    return value.d;
  const unsigned unused = 64 - 8 * static_cast<unsigned>(size_of(type));
  if (is_unsigned(type) || type == interp::ScalarType::Bool)
    return static_cast<double>(bits);
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

/// One line: shape, checksum, smallest and largest defined number, undefined elements.
std::string summary(const interp::Layout &layout, std::size_t argument,
                    const std::vector<interp::RunOutcome> &outcomes) {
  const std::vector<std::byte> &memory = outcomes.front().arguments[argument];
  std::size_t undefined = 0;
  std::size_t nans = 0;
  std::optional<std::uint64_t> least;
  std::optional<std::uint64_t> most;
  verify::for_each_position(layout, [&](std::int64_t position) {
    const std::uint64_t bits = verify::element_bits(memory, layout.type, position);
    if (std::any_of(outcomes.begin(), outcomes.end(), [&](const interp::RunOutcome &outcome) {
          return verify::element_bits(outcome.arguments[argument], layout.type, position) != bits;
        })) {
      ++undefined;
      return;
    }
    const double number = as_number(layout.type, bits);
    if (std::isnan(number)) {
      ++nans;
      return;
    }
    if (!least || number < as_number(layout.type, *least))
      least = bits;
    if (!most || number > as_number(layout.type, *most))
      most = bits;
  });
  std::string text = fmt::format("{}: {}{} checksum {:016x}", layout.name, name_of(layout.type),
                                 verify::extents_text(layout.shape),
                                 checksum(verify::to_npy(layout, memory).bytes));
  if (least)
    text += fmt::format(" min {} max {}", verify::element_text(layout.type, *least),
                        verify::element_text(layout.type, *most));
  if (nans > 0)
    text += fmt::format(" nan {}", nans);
  if (undefined > 0)
    text += fmt::format(" undefined {}", undefined);
  return text + '\n';
}

support::result<void> write_arrays(const std::string &folder,
                                   const std::vector<interp::Layout> &layouts,
                                   const interp::Memory &memory) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return support::Error{support::ErrorCode::Io, "cannot make the folder: " + error.message(),
                          folder};
  for (std::size_t k = 0; k < layouts.size(); ++k)
    SDFGOPT_CHECK(
        io::write_file((std::filesystem::path(folder) / (layouts[k].name + ".npy")).string(),
                       io::npy_bytes(verify::to_npy(layouts[k], memory[k]))));
  return {};
}

/// Once for each content of memory that nobody wrote: what differs was never defined.
support::result<std::vector<interp::RunOutcome>> run_with_fills(verify::Runner &runner,
                                                                const verify::SymbolMap &symbols,
                                                                const interp::Memory &memory,
                                                                const Options &options) {
  interp::RunOptions run_options;
  run_options.order_seed = options.in_order ? 0 : verify::run_order(options.seed);
  run_options.fuel = options.limits.fuel;
  run_options.memory_limit = options.limits.memory;
  std::vector<interp::RunOutcome> outcomes;
  std::uint64_t tasklets = 0;
  double seconds = 0;
  for (unsigned fill = 0; fill < (options.fill ? 1 : interp::fill_count); ++fill) {
    run_options.fill = options.fill.value_or(fill);
    const auto start = std::chrono::steady_clock::now();
    SDFGOPT_TRY(interp::RunOutcome outcome, runner.run(symbols, memory, run_options));
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    tasklets += outcome.tasklets;
    outcomes.push_back(std::move(outcome));
  }
  if (options.time)
    std::fputs(fmt::format("{} runs of {} tasklets in {:.3f} s, {:.1f} million a second\n",
                           outcomes.size(), outcomes.front().tasklets, seconds,
                           1e-6 * static_cast<double>(tasklets) / seconds)
                   .c_str(),
               stderr);
  return outcomes;
}

/// Symbols that are not given: chosen so that the program is valid. `text` tells them.
void choose_missing(verify::Runner &runner, const Options &options, verify::SymbolMap &symbols,
                    std::string &text) {
  verify::SymbolMap chosen = runner.choose_missing(symbols, {}, options.seed, options.size).value();
  if (!chosen.empty())
    text += "chosen: " + verify::symbols_text(chosen) + '\n';
  symbols.merge(chosen);
}

support::result<Exit> run(const Options &options) {
  SDFGOPT_TRY(verify::SymbolMap symbols, parse_symbols(options.symbols));
  verify::Inputs inputs;
  inputs.seed = options.seed;
  for (const std::string &text : options.arrays) {
    SDFGOPT_TRY(auto array, read_array(text));
    const std::string name = array.first;
    if (!inputs.arrays.insert(std::move(array)).second)
      return support::Error{support::ErrorCode::Usage, "array '" + name + "' is given twice", ""};
  }
  SDFGOPT_TRY(const std::unique_ptr<ir::Document> document, io::load(options.in));
  const auto in_file = [&](support::Error error) {
    if (error.code != support::ErrorCode::Usage)
      error.place = error.place.empty() ? options.in : options.in + ": " + error.place;
    return error;
  };
  verify::Runner runner(*document);
  std::string text;
  choose_missing(runner, options, symbols, text);
  auto layouts = runner.layouts(symbols, options.limits);
  if (!layouts.ok())
    return in_file(std::move(layouts).error());
  inputs.integers = verify::integers_for(*document, symbols);
  SDFGOPT_TRY(const interp::Memory memory, runner.memory(layouts.value(), symbols, inputs));
  auto outcomes = run_with_fills(runner, symbols, memory, options);
  if (!outcomes.ok())
    return in_file(std::move(outcomes).error());
  for (std::size_t k = 0; k < layouts.value().size(); ++k)
    text += summary(layouts.value()[k], k, outcomes.value());
  if (!options.out.empty())
    SDFGOPT_CHECK(write_arrays(options.out, layouts.value(), outcomes.value().front().arguments));
  SDFGOPT_CHECK(to_stdout(text));
  return Exit::Done;
}

} // namespace

void add_run(CLI::App &app, Action &action) {
  auto options = std::make_shared<Options>();
  CLI::App *command =
      app.add_subcommand("run", "Run a program, and tell what its arguments hold afterwards.");
  command->add_option("IN", options->in, "the program")->required();
  add_symbol_option(*command, options->symbols);
  command->add_option("--in", options->arrays,
                      "contents of an argument: [NAME=]FILE.npy (default name: the file's); "
                      "repeatable. Arguments without a file are filled by the seed");
  command->add_option("--out", options->out,
                      "write NAME.npy for each argument to this folder, as it is afterwards");
  add_whole_option(*command, "--seed", options->seed,
                   "of contents, and of the order of map iterations");
  command
      ->add_option("--size", options->size,
                   "about how large domains are where symbols are not given and so chosen")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--in-order", options->in_order, "map iterations run in ascending order");
  command->add_option("--fill", options->fill, "contents of memory that nobody wrote, one only")
      ->check(CLI::Range(0U, interp::fill_count - 1))
      ->group("");
  command->add_flag("--time", options->time,
                    "tell on standard error how long it took (the program is run once for each of "
                    "three contents of memory that nobody wrote)");
  add_limit_options(*command, options->limits);
  command->footer("Example: sdfg-opt run program.sdfg --symbol N=10 --in a.npy --out results");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace sdfgopt::cli
