#include "cli/command.h"

#include "cli/facts.h"
#include "cli/symbols.h"
#include "report/remarks.h"
#include "report/statistics.h"
#include "verify/verified_passes.h"

#include <memory>

namespace sdfgopt::cli {

namespace {

struct Options {
  std::string in;
  std::optional<std::string> out;
  std::string passes;
  std::optional<std::string> remarks;
  passes::PassOptions pass; ///< but for the facts
  FactOptions facts;
  bool statistics = false;
  bool quiet = false;
  bool verify = false;
  std::vector<std::string> symbols;
  verify::VerifyOptions verify_options;
};

/// The command as it was given, but for what tells the choice of symbols and inputs.
std::string command_words(const Options &options) {
  std::string words = "sdfg-opt optimize " + shell_word(options.in);
  if (!options.passes.empty())
    words += " --passes " + shell_word(options.passes);
  if (options.pass.assume_pointwise)
    words += " --assume-pointwise";
  return words + fact_words(options.facts) + guard_words(options.pass) + " --verify";
}

support::result<Exit> optimize(const Options &options) {
  const auto all = passes::all_passes();
  std::vector<const passes::Pass *> passes(all.begin(), all.end());
  if (!options.passes.empty()) {
    SDFGOPT_TRY(passes, passes::find_passes(options.passes));
  }
  io::FileForm form = io::FileForm::Json;
  if (options.out) {
    SDFGOPT_TRY(form, io::output_form(*options.out));
  }
  if (options.out && options.out == options.remarks)
    return support::Error{support::ErrorCode::Usage,
                          "the result and the remarks cannot both go to '" + *options.out + "'",
                          ""};
  SDFGOPT_TRY(const auto facts, read_facts(options.facts, options.in));
  SDFGOPT_TRY(const std::unique_ptr<ir::Document> document, io::load(options.in));
  passes::PassOptions pass_options = options.pass;
  SDFGOPT_TRY(pass_options.facts, passes::parse_facts(*document, facts));
  verify::VerifiedPasses done;
  if (options.verify) {
    verify::VerifyOptions verify_options = options.verify_options;
    SDFGOPT_TRY(verify_options.symbols, parse_symbols(options.symbols));
    SDFGOPT_TRY(done, verify::run_verified(*document, passes, pass_options,
                                           std::move(verify_options), options.in));
  } else {
    SDFGOPT_TRY(done.result, passes::run_passes(*document, passes, pass_options));
  }
  if (done.difference) {
    const std::string text = difference_text(*done.difference, command_words(options));
    std::fputs(("sdfg-opt: " + text).c_str(), stderr);
    return Exit::Found;
  }
  if (options.remarks)
    SDFGOPT_CHECK(io::write_file(*options.remarks, report::remarks_as_json(done.result.remarks)));
  if (options.out) {
    SDFGOPT_TRY(const std::string bytes, io::render(*document, form, false));
    SDFGOPT_CHECK(io::write_file(*options.out, bytes));
  }
  // The file itself may go to standard output; then remarks would be in its way.
  const bool stdout_is_taken = options.out == "-" || options.remarks == "-";
  std::string text;
  if (!options.quiet) {
    text = report::remarks_as_text(done.result.remarks,
                                   {stdout_is_taken ? stderr_has_color() : stdout_has_color()}) +
           done.verified;
    if (!options.out)
      text += "nothing was written: no -o\n";
  }
  if (options.statistics)
    text += report::solver_statistics(done.result.statistics);
  if (stdout_is_taken)
    std::fputs(text.c_str(), stderr);
  else
    SDFGOPT_CHECK(to_stdout(text));
  return Exit::Done;
}

} // namespace

void add_optimize(CLI::App &app, Action &action) {
  auto options = std::make_shared<Options>();
  CLI::App *command =
      app.add_subcommand("optimize", "Run the passes and write the result, or only tell.");
  command->add_option("IN", options->in, "the program")->required();
  command->add_option("-o,--output", options->out,
                      "where to write the result (.sdfg, .sdfgz or .sdfgt by its name; '-' is "
                      "standard output); without it, nothing is written");
  command->add_option("--passes", options->passes,
                      "comma-separated names, in order (default: all; see 'sdfg-opt passes')");
  command->add_flag("--assume-pointwise", options->pass.assume_pointwise,
                    "trust that a map that reads the array its result is moved into does so "
                    "element by element; remarks that rest on this say so");
  add_fact_options(*command, options->facts);
  add_guard_options(*command, options->pass);
  command->add_option("--remarks", options->remarks, "write the remarks as JSON to this file");
  CLI::Option *verify =
      command->add_flag("--verify", options->verify,
                        "run the program before and after each pass, as 'verify' does; if there is "
                        "a difference, nothing is written and the exit status is 1");
  add_symbol_option(*command, options->symbols)->needs(verify);
  add_whole_option(*command, "--runs", options->verify_options.runs,
                   "with --verify: choices of symbols and inputs", 1)
      ->needs(verify);
  add_whole_option(*command, "--seed", options->verify_options.seed,
                   "with --verify: of the choices")
      ->needs(verify);
  command->add_flag("--stats", options->statistics, "tell what the solver was asked");
  command->add_flag("-q,--quiet", options->quiet, "no remarks on the terminal");
  command->footer("Example: sdfg-opt optimize program.sdfg -o faster.sdfg --remarks why.json");
  command->callback([options, &action] { action = [options] { return optimize(*options); }; });
}

} // namespace sdfgopt::cli
