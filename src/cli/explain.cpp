#include "cli/command.h"

#include "report/remarks.h"

#include <memory>

namespace sdfgopt::cli {

namespace {

struct Options {
  std::string in;
  bool json = false;
  bool assume_pointwise = false;
};

support::result<Exit> explain(const Options &options) {
  SDFGOPT_TRY(const std::unique_ptr<ir::Document> document, io::load(options.in));
  const auto all = passes::all_passes();
  const std::vector<passes::Remark> remarks =
      run_passes(*document, {all.begin(), all.end()}, {options.assume_pointwise});
  SDFGOPT_CHECK(to_stdout(options.json ? report::remarks_as_json(remarks)
                                       : report::remarks_as_text(remarks, {stdout_has_color()})));
  return Exit::Done;
}

} // namespace

void add_explain(CLI::App &app, Action &action) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand(
      "explain", "Tell for each buffer that is copied out whether it can go, and why not.");
  command->add_option("IN", options->in, "the program")->required();
  command->add_flag("--json", options->json, "for tools: {\"candidates\": [...]}");
  command->add_flag("--assume-pointwise", options->assume_pointwise, "as for 'optimize'");
  command->footer("Example: sdfg-opt explain program.sdfg");
  command->callback([options, &action] { action = [options] { return explain(*options); }; });
}

} // namespace sdfgopt::cli
