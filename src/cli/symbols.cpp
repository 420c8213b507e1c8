#include "cli/symbols.h"

namespace sdfgopt::cli {

void add_symbol_option(CLI::App &command, std::vector<std::string> &symbols) {
  command
      .add_option("--symbol,-s", symbols,
                  "value of a symbol or of a scalar argument: NAME=NUMBER; repeatable")
      ->allow_extra_args(false);
}

support::result<verify::SymbolMap> parse_symbols(const std::vector<std::string> &symbols) {
  verify::SymbolMap result;
  for (const std::string &text : symbols) {
    SDFGOPT_TRY(const auto symbol, verify::parse_symbol(text));
    if (!result.insert(symbol).second)
      return support::Error{support::ErrorCode::Usage,
                            "symbol '" + symbol.first + "' is given twice", ""};
  }
  return result;
}

void add_limit_options(CLI::App &command, verify::RunLimits &limits) {
  command
      .add_option("--fuel", limits.fuel,
                  "steps (tasklets, iterations, blocks) after which a run is given up")
      ->capture_default_str();
  command
      .add_option("--memory", limits.memory,
                  "bytes that arguments and transients of a run may take")
      ->capture_default_str();
}

} // namespace sdfgopt::cli
