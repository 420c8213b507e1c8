#include "cli/command.h"

#include "cli/symbols.h"
#include "verify/fuzz.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace sdfgopt::cli {

namespace {

struct Options {
  verify::FuzzOptions fuzz;
  std::string passes;
  std::string out;
  bool print = false;
};

/// The programs themselves, with the symbol values that each is valid for.
support::result<Exit> print_programs(const Options &options) {
  for (std::uint64_t k = 0; k < options.fuzz.count; ++k) {
    const verify::GeneratedProgram program = verify::generate(options.fuzz.seed + k);
    std::string text;
    for (const verify::GeneratedRun &run : program.runs) {
      text += "; run:";
      for (const auto &[name, value] : run)
        text += fmt::format(" {}={}", name, value);
      text += '\n';
    }
    SDFGOPT_CHECK(to_stdout(text + program.text));
  }
  return Exit::Done;
}

/// Standard output, or a file named after the seed.
support::result<void> put_failure(const verify::FuzzFailure &failure, const Options &options) {
  const std::string text = verify::reduced(failure, options.fuzz);
  std::string what = fmt::format(
      "seed {} (again: sdfg-opt fuzz --seed {} --count 1{}): {}", failure.seed, failure.seed,
      options.fuzz.pass_options.assume_pointwise ? " --assume-pointwise" : "", failure.what);
  if (!what.ends_with('\n'))
    what += '\n';
  if (options.out.empty())
    return to_stdout(what + text);
  const std::string path =
      (std::filesystem::path(options.out) / fmt::format("fuzz_{}.sdfgt", failure.seed)).string();
  SDFGOPT_CHECK(io::write_file(path, text));
  return to_stdout(what + "  reduced: " + path + '\n');
}

support::result<Exit> fuzz(const Options &options) {
  if (options.print)
    return print_programs(options);
  verify::FuzzOptions fuzz_options = options.fuzz;
  const auto all = passes::all_passes();
  fuzz_options.passes.assign(all.begin(), all.end());
  if (!options.passes.empty()) {
    SDFGOPT_TRY(fuzz_options.passes, passes::find_passes(options.passes));
  }
  const bool terminal = stderr_has_color();
  const verify::FuzzReport report =
      verify::fuzz(fuzz_options, [&](const verify::FuzzReport &so_far) {
        if (terminal && so_far.programs % 100 == 0)
          std::fputs(
              fmt::format("\r{} programs, {} failures", so_far.programs, so_far.failures.size())
                  .c_str(),
              stderr);
      });
  if (terminal)
    std::fputs("\r\x1b[K", stderr);
  Options with_passes = options;
  with_passes.fuzz = fuzz_options;
  for (const verify::FuzzFailure &failure : report.failures)
    SDFGOPT_CHECK(put_failure(failure, with_passes));
  SDFGOPT_CHECK(to_stdout(verify::report_text(report)));
  return report.failures.empty() ? Exit::Done : Exit::Found;
}

} // namespace

void add_fuzz(CLI::App &app, Action &action) {
  auto options = std::make_shared<Options>();
  CLI::App *command =
      app.add_subcommand("fuzz", "Optimise random programs, and run them before and after.");
  add_whole_option(*command, "--count", options->fuzz.count, "programs");
  add_whole_option(*command, "--seed", options->fuzz.seed,
                   "of the first program; the others have the seeds that follow");
  command->add_option("--passes", options->passes, "as for 'optimize'");
  command->add_flag("--assume-pointwise", options->fuzz.pass_options.assume_pointwise,
                    "as for 'optimize': expect failures that are not the program's fault");
  command
      ->add_option("-o,--out", options->out,
                   "write each failing program, reduced, to this folder (default: print it)")
      ->check(CLI::ExistingDirectory);
  command->add_flag("--print", options->print, "only print the programs");
  command->footer("Example: sdfg-opt fuzz --count 1000 --seed 7");
  command->callback([options, &action] { action = [options] { return fuzz(*options); }; });
}

} // namespace sdfgopt::cli
