#include "cli/symbols.h"

#include <charconv>
#include <limits>

namespace sdfgopt::cli {

CLI::Option *add_symbol_option(CLI::App &command, std::vector<std::string> &symbols) {
  return command
      .add_option("--symbol,-s", symbols,
                  "value of a symbol or of a scalar argument; one an option, repeatable")
      ->type_name("NAME=NUMBER")
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

CLI::Option *add_whole_option(CLI::App &command, const std::string &name, std::uint64_t &value,
                              const std::string &description, std::uint64_t least) {
  const auto check = [least](const std::string &text) -> std::string {
    std::uint64_t number = 0;
    const char *const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end && number >= least)
      return "";
    return "'" + text + "' is no whole number from " + std::to_string(least) + " to " +
           std::to_string(std::numeric_limits<std::uint64_t>::max());
  };
  return command.add_option(name, value, description)
      ->check(CLI::Validator(check, ""))
      ->capture_default_str();
}

void add_limit_options(CLI::App &command, verify::RunLimits &limits) {
  add_whole_option(command, "--fuel", limits.fuel,
                   "steps (tasklets, iterations, blocks) after which a run is given up");
  add_whole_option(command, "--memory", limits.memory,
                   "bytes that arguments and transients of a run may take");
}

std::string limit_words(const verify::RunLimits &limits, const verify::RunLimits &usual) {
  std::string words;
  if (limits.fuel != usual.fuel)
    words += " --fuel " + std::to_string(limits.fuel);
  if (limits.memory != usual.memory)
    words += " --memory " + std::to_string(limits.memory);
  return words;
}

} // namespace sdfgopt::cli
