#include "cli/command.h"

#include "io/text_printer.h"

#include <memory>

namespace sdfgopt::cli {

namespace {

struct Options {
  std::string in;
  io::TextOptions text;
};

support::result<Exit> print(const Options &options) {
  SDFGOPT_TRY(const std::unique_ptr<ir::Document> document, io::load(options.in));
  SDFGOPT_TRY(const std::string text, io::print_text(*document, options.text));
  SDFGOPT_CHECK(to_stdout(text));
  return Exit::Done;
}

} // namespace

void add_print(CLI::App &app, Action &action) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("print", "Show a program in the text form.");
  command->add_option("IN", options->in, "the program")->required();
  command->add_option("--only", options->text.only,
                      "one state or region: its id (s2), label, or path of labels (loop/body)");
  command->add_flag("--full", options->text.full, "bookkeeping too (guid, debuginfo, ...)");
  command->footer("Example: sdfg-opt print program.sdfg --only write_back");
  command->callback([options, &action] { action = [options] { return print(*options); }; });
}

} // namespace sdfgopt::cli
