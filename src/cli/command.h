// What the subcommands share: one file each, registered in main.cpp.
#pragma once

#include "io/file.h"
#include "passes/pass.h"
#include "support/result.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace sdfgopt::cli {

/// What a command returns to the shell.
enum class Exit : int {
  Done = 0,
  Found = 1, ///< a check found something
  Error = 2, ///< bad use or bad input
};

/// Set by the subcommand that was chosen; runs after the command line was parsed.
using Action = std::function<support::result<Exit>()>;

void add_optimize(CLI::App &app, Action &action);
void add_explain(CLI::App &app, Action &action);
void add_run(CLI::App &app, Action &action);
void add_verify(CLI::App &app, Action &action);
void add_fuzz(CLI::App &app, Action &action);
void add_reduce(CLI::App &app, Action &action);
void add_convert(CLI::App &app, Action &action);
void add_print(CLI::App &app, Action &action);
void add_stats(CLI::App &app, Action &action);
void add_passes(CLI::App &app, Action &action);

/// Writes to standard output; an error if that fails (a closed pipe, a full disk).
support::result<void> to_stdout(std::string_view text);

/// `text` as one word for a shell: quoted, if anything in it is special.
std::string shell_word(const std::string &text);

/// Standard output, respectively standard error, is a terminal and NO_COLOR is not set.
bool stdout_has_color();
bool stderr_has_color();

} // namespace sdfgopt::cli
