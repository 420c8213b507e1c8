// Options that `run` and `verify` share.
#pragma once

#include "verify/runner.h"

#include <CLI/CLI.hpp>

namespace sdfgopt::cli {

/// `--symbol NAME=NUMBER`, repeatable.
void add_symbol_option(CLI::App &command, std::vector<std::string> &symbols);
/// An error names the one that is no NAME=NUMBER, or that is given twice.
support::result<verify::SymbolMap> parse_symbols(const std::vector<std::string> &symbols);

/// `--fuel` and `--memory`.
void add_limit_options(CLI::App &command, verify::RunLimits &limits);

} // namespace sdfgopt::cli
