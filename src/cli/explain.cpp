#include "cli/command.h"

#include "cli/facts.h"
#include "passes/fact_search.h"
#include "report/facts.h"
#include "report/remarks.h"
#include "report/statistics.h"

#include <filesystem>
#include <memory>

namespace sdfgopt::cli {

namespace {

struct Options {
  std::string in;
  bool json = false;
  passes::PassOptions pass; ///< but for the facts
  FactOptions facts;
  std::optional<std::string> facts_out;
  bool statistics = false;
};

/// Writes the facts file; returns what to tell of it.
support::result<std::string> write_facts(ir::Document &document, const Options &options,
                                         const passes::PassOptions &pass_options) {
  auto found = passes::search_facts(document, pass_options);
  if (!found.ok()) {
    found.error().place = options.in;
    return std::move(found).error();
  }
  const std::string name = std::filesystem::path(options.in).filename().string();
  SDFGOPT_CHECK(io::write_file(*options.facts_out, report::facts_as_file(found.value(), name)));
  return report::facts_in_words(found.value(), *options.facts_out);
}

support::result<Exit> explain(const Options &options) {
  SDFGOPT_TRY(const auto facts, read_facts(options.facts, options.in));
  SDFGOPT_TRY(const std::unique_ptr<ir::Document> document, io::load(options.in));
  passes::PassOptions pass_options = options.pass;
  SDFGOPT_TRY(pass_options.facts, passes::parse_facts(*document, facts));
  const bool stdout_is_taken = options.facts_out == "-";
  if (stdout_is_taken && options.json)
    return support::Error{support::ErrorCode::Usage,
                          "the facts and the remarks cannot both go to standard output", ""};
  std::error_code none; // of files that are not there: they are not the same
  if (options.facts_out && !stdout_is_taken &&
      std::filesystem::equivalent(*options.facts_out, options.in, none))
    return support::Error{support::ErrorCode::Usage, "the facts would replace the program",
                          options.in};
  std::string more;
  if (options.facts_out) {
    SDFGOPT_TRY(more, write_facts(*document, options, pass_options));
  }
  const auto all = passes::all_passes();
  SDFGOPT_TRY(const passes::PassResult result,
              passes::run_passes(*document, {all.begin(), all.end()}, pass_options));
  if (options.statistics)
    more += report::solver_statistics(result.statistics);
  std::string text;
  if (options.json) {
    text = report::remarks_as_json(result.remarks);
  } else {
    text = report::remarks_as_text(result.remarks,
                                   {stdout_is_taken ? stderr_has_color() : stdout_has_color()});
    text += std::exchange(more, "");
  }
  std::fputs(((stdout_is_taken ? text : "") + more).c_str(), stderr);
  if (!stdout_is_taken)
    SDFGOPT_CHECK(to_stdout(text));
  return Exit::Done;
}

} // namespace

void add_explain(CLI::App &app, Action &action) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand(
      "explain", "Tell for each buffer that is copied out whether it can go, and why not.");
  command->add_option("IN", options->in, "the program")->required();
  command->add_flag("--json", options->json, "for tools: {\"candidates\": [...]}");
  command->add_flag("--assume-pointwise", options->pass.assume_pointwise, "as for 'optimize'");
  add_fact_options(*command, options->facts);
  command->add_option("--facts-out", options->facts_out,
                      "search for facts under which more buffers can go, and write the shortest "
                      "list that frees the most bytes to this file, for '--facts'");
  add_guard_options(*command, options->pass);
  command->add_flag("--stats", options->statistics, "tell what the solver was asked");
  command->footer("Example: sdfg-opt explain program.sdfg");
  command->callback([options, &action] { action = [options] { return explain(*options); }; });
}

} // namespace sdfgopt::cli
