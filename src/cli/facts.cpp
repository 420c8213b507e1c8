#include "cli/facts.h"

#include "cli/command.h"

#include <fmt/format.h>

namespace sdfgopt::cli {

void add_fact_options(CLI::App &command, FactOptions &options) {
  command
      .add_option("--assume", options.assume,
                  "what always holds of the program's symbols, 'lo <= hi' or '0 <= k < n'; one an "
                  "option, repeatable")
      ->type_name("EXPR")
      ->allow_extra_args(false);
  command
      .add_option("--facts", options.files,
                  "a file of such conditions, one a line, with # comments; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

support::result<std::vector<passes::FactText>> read_facts(const FactOptions &options,
                                                          const std::string &program) {
  std::vector<passes::FactText> facts;
  facts.reserve(options.assume.size());
  for (const std::string &text : options.assume)
    facts.push_back({text, "--assume"});
  bool taken = program == "-";
  for (const std::string &file : options.files) {
    if (file == "-" && std::exchange(taken, true))
      return support::Error{support::ErrorCode::Usage,
                            "standard input can be read once only; give facts by a file's name",
                            "--facts"};
    SDFGOPT_TRY(const std::vector<passes::FactText> read, passes::read_facts(file));
    facts.insert(facts.end(), read.begin(), read.end());
  }
  return facts;
}

std::string fact_words(const FactOptions &options) {
  std::string words;
  for (const std::string &text : options.assume)
    words += " --assume " + shell_word(text);
  for (const std::string &file : options.files)
    words += " --facts " + shell_word(file);
  return words;
}

void add_guard_options(CLI::App &command, passes::PassOptions &options) {
  CLI::Option *guard = command.add_flag(
      "--guard", options.guard,
      "where a buffer can go under a condition only, test it in the program: the rewritten part "
      "where it holds, the original otherwise");
  command
      .add_option("--guard-growth", options.growth_limit,
                  "with --guard: stop where the program would have more than this many times its "
                  "elements")
      ->type_name("FACTOR")
      ->check(CLI::Range(1.0, 1e9))
      ->check([](const std::string &text) { // a NaN is in every range
        return text.find_first_of("nN") == std::string::npos ? "" : "'" + text + "' is no number";
      })
      ->capture_default_str()
      ->needs(guard);
}

std::string guard_words(const passes::PassOptions &options) {
  if (!options.guard)
    return "";
  std::string words = " --guard";
  if (options.growth_limit != passes::PassOptions().growth_limit)
    words += fmt::format(" --guard-growth {}", options.growth_limit);
  return words;
}

} // namespace sdfgopt::cli
