#include "cli/command.h"

#include <memory>

namespace sdfgopt::cli {

namespace {

struct Options {
  std::string in;
  std::string out;
  bool full = false;
};

support::result<Exit> convert(const Options &options) {
  SDFGOPT_TRY(const io::FileForm form, io::output_form(options.out));
  SDFGOPT_TRY(const std::unique_ptr<ir::Document> document, io::load(options.in));
  SDFGOPT_TRY(const std::string bytes, io::render(*document, form, options.full));
  SDFGOPT_CHECK(io::write_file(options.out, bytes));
  return Exit::Done;
}

} // namespace

void add_convert(CLI::App &app, Action &action) {
  auto options = std::make_shared<Options>();
  CLI::App *command =
      app.add_subcommand("convert", "Write a program in another form, by the name's ending.");
  command->add_option("IN", options->in, "the program")->required();
  command->add_option("OUT", options->out, ".sdfg, .sdfgz or .sdfgt; '-' is standard output")
      ->required();
  command->add_flag("--full", options->full,
                    "to .sdfgt: keep bookkeeping too, so that the way back gives the same bytes");
  command->footer("Example: sdfg-opt convert program.sdfgz program.sdfgt");
  command->callback([options, &action] { action = [options] { return convert(*options); }; });
}

} // namespace sdfgopt::cli
