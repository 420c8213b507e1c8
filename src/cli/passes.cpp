#include "cli/command.h"

#include <fmt/format.h>

namespace sdfgopt::cli {

void add_passes(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("passes", "List the passes, in the order they run in.");
  command->footer("Example: sdfg-opt passes");
  command->callback([&action] {
    action = []() -> support::result<Exit> {
      std::string text;
      for (const passes::Pass *pass : passes::all_passes())
        text += fmt::format("{}: {}\n", pass->name(), pass->summary());
      SDFGOPT_CHECK(to_stdout(text));
      return Exit::Done;
    };
  });
}

} // namespace sdfgopt::cli
