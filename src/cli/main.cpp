// sdfg-opt: the command line. Errors go to standard error, one line each.
#include "cli/command.h"

#include <cstdio>
#include <new>

using namespace sdfgopt;

namespace {

void print_error(std::string_view text) {
  const bool color = cli::stderr_has_color();
  std::fprintf(stderr, "sdfg-opt: %serror:%s %.*s\n", color ? "\x1b[31m" : "",
               color ? "\x1b[0m" : "", static_cast<int>(text.size()), text.data());
}

/// CLI11 does not say which word it did not know, nor which command's help to look at.
std::string error_text(const CLI::App &app, const CLI::ParseError &error, int argc, char **argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  const CLI::App *command = nullptr;
  for (const CLI::App *candidate : app.get_subcommands({}))
    if (candidate->get_name() == first)
      command = candidate;
  if (!command && !first.empty() && !first.starts_with('-'))
    return "there is no command '" + first + "' (see 'sdfg-opt --help')";
  return std::string(error.what()) + " (see 'sdfg-opt " + (command ? first + " " : "") + "--help')";
}

} // namespace

/// Memory that the system does not have is told like everything else.
support::result<cli::Exit> run(const cli::Action &action) {
  try {
    return action();
  } catch (const std::bad_alloc &) {
    return support::Error{support::ErrorCode::Limit, "out of memory", ""};
  }
}

int main(int argc, char **argv) {
  CLI::App app("Removes write-back buffers and their copies from DaCe programs (.sdfg files).\n"
               "Every command reads .sdfg, .sdfgz and .sdfgt; '-' is standard input.");
  app.name("sdfg-opt");
  app.require_subcommand(1);
  app.set_version_flag("--version", "sdfg-opt " SDFGOPT_VERSION);
  app.footer("Example: sdfg-opt optimize program.sdfg -o faster.sdfg\n"
             "Exit status: 0 done, 1 a check found something, 2 bad use or bad input.");
  cli::Action action;
  for (auto *add :
       {cli::add_optimize, cli::add_explain, cli::add_run, cli::add_verify, cli::add_fuzz,
        cli::add_reduce, cli::add_convert, cli::add_print, cli::add_stats, cli::add_passes})
    add(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    print_error(error_text(app, error, argc, argv));
    return static_cast<int>(cli::Exit::Error);
  }
  const support::result<cli::Exit> done = run(action);
  if (!done.ok()) {
    print_error(done.error().text());
    return static_cast<int>(cli::Exit::Error);
  }
  return static_cast<int>(done.value());
}
