// Options that tell what is known of a program's symbols, and what to do where that is not enough.
#pragma once

#include "passes/facts.h"

#include <CLI/CLI.hpp>

namespace sdfgopt::cli {

struct FactOptions {
  std::vector<std::string> assume;
  std::vector<std::string> files;
};

/// `--assume EXPR` and `--facts FILE`, both repeatable.
void add_fact_options(CLI::App &command, FactOptions &options);
/// All facts, those of `--assume` first. `program` is the input's name: if that is standard input,
/// no file can be.
support::result<std::vector<passes::FactText>> read_facts(const FactOptions &options,
                                                          const std::string &program);
/// " --assume 'n >= 1' --facts model.txt", for a command that does the same again.
std::string fact_words(const FactOptions &options);

/// `--guard` and `--guard-growth FACTOR`.
void add_guard_options(CLI::App &command, passes::PassOptions &options);
std::string guard_words(const passes::PassOptions &options);

} // namespace sdfgopt::cli
