#include "cli/command.h"

#include "report/statistics.h"

#include <memory>

namespace sdfgopt::cli {

void add_stats(CLI::App &app, Action &action) {
  auto in = std::make_shared<std::string>();
  CLI::App *command =
      app.add_subcommand("stats", "Count states, nodes, copies between arrays, transient bytes.");
  command->add_option("IN", *in, "the program")->required();
  command->footer("Example: sdfg-opt stats program.sdfg");
  command->callback([in, &action] {
    action = [in]() -> support::result<Exit> {
      SDFGOPT_TRY(const std::unique_ptr<ir::Document> document, io::load(*in));
      SDFGOPT_CHECK(to_stdout(report::statistics(*document)));
      return Exit::Done;
    };
  });
}

} // namespace sdfgopt::cli
