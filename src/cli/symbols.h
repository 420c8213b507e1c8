// Options that `run` and `verify` share.
#pragma once

#include "verify/runner.h"

#include <CLI/CLI.hpp>

namespace sdfgopt::cli {

/// `--symbol NAME=NUMBER`, repeatable.
CLI::Option *add_symbol_option(CLI::App &command, std::vector<std::string> &symbols);
/// An error names the one that is no NAME=NUMBER, or that is given twice.
support::result<verify::SymbolMap> parse_symbols(const std::vector<std::string> &symbols);

/// An option that takes a number of digits and nothing else, from `least` to what the type holds.
CLI::Option *add_whole_option(CLI::App &command, const std::string &name, std::uint64_t &value,
                              const std::string &description, std::uint64_t least = 0);

/// `--fuel` and `--memory`.
void add_limit_options(CLI::App &command, verify::RunLimits &limits);
/// " --fuel 1000" for each limit that is not the usual one.
std::string limit_words(const verify::RunLimits &limits, const verify::RunLimits &usual);

} // namespace sdfgopt::cli
