// Facts that were found, as a file and in a few words.
#pragma once

#include "passes/fact_search.h"

#include <string>

namespace sdfgopt::report {

/// A file for `--facts`: the given facts, then the found ones, with what they free in comments.
/// `program` is the name of the program's file.
std::string facts_as_file(const passes::FoundFacts &found, const std::string &program);

/// "model.txt: 2 facts, which free 3 more buffers", a line or more; `path` is where the file is.
std::string facts_in_words(const passes::FoundFacts &found, const std::string &path);

} // namespace sdfgopt::report
