#include "cli/command.h"

#include "cli/facts.h"
#include "cli/symbols.h"
#include "verify/verify.h"

#include <memory>

namespace sdfgopt::cli {

namespace {

struct Options {
  std::string before;
  std::string after;
  std::vector<std::string> symbols;
  verify::VerifyOptions verify;
  FactOptions facts;
  bool all_runs = false;
};

support::result<Exit> verify_files(const Options &options) {
  verify::VerifyOptions verify_options = options.verify;
  SDFGOPT_TRY(verify_options.symbols, parse_symbols(options.symbols));
  SDFGOPT_TRY(const auto facts, read_facts(options.facts, options.before));
  SDFGOPT_TRY(const std::unique_ptr<ir::Document> before, io::load(options.before));
  SDFGOPT_TRY(const std::unique_ptr<ir::Document> after, io::load(options.after));
  SDFGOPT_CHECK(passes::parse_facts(*before, facts));
  for (const passes::FactText &fact : facts)
    verify_options.facts.push_back(fact.text);
  SDFGOPT_TRY(const verify::VerifyReport report, verify::verify(*before, *after, verify_options));
  const std::string command = "sdfg-opt verify " + shell_word(options.before) + ' ' +
                              shell_word(options.after) + fact_words(options.facts) +
                              limit_words(options.verify.limits, verify::VerifyOptions().limits);
  SDFGOPT_CHECK(to_stdout(report_text(report, command, options.all_runs)));
  return report.same() ? Exit::Done : Exit::Found;
}

} // namespace

void add_verify(CLI::App &app, Action &action) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand(
      "verify", "Run two programs on the same inputs, and compare every byte of their arguments.");
  command->add_option("BEFORE", options->before, "the program")->required();
  command->add_option("AFTER", options->after, "the same program, rewritten")->required();
  add_symbol_option(*command, options->symbols);
  add_fact_options(*command, options->facts);
  add_whole_option(
      *command, "--runs", options->verify.runs,
      "choices of symbols and inputs; symbols that are not given are chosen so that the program is "
      "valid, with empty, reversed and one-element domains among them",
      1);
  add_whole_option(*command, "--seed", options->verify.seed, "of the choices");
  command->add_option("--size", options->verify.size, "about how large chosen domains are")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str();
  command->add_flag("-v,--verbose", options->all_runs, "a line for each choice");
  add_limit_options(*command, options->verify.limits);
  command->footer("Example: sdfg-opt verify program.sdfg faster.sdfg --symbol N=10");
  command->callback([options, &action] { action = [options] { return verify_files(*options); }; });
}

} // namespace sdfgopt::cli
