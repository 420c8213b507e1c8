// Runs filetests: filetest_runner DIR...
//
// A filetest is a .sdfgt file with a head, an input and what is expected:
//
//     ; test optimize --assume-pointwise     the verb, and its options
//     ; run: N=10 flag=1                     values that it is run with; may be repeated
//     ; assume: 1 <= N <= M                  a fact; may be repeated; no run may contradict it
//     sdfg ... { ... }                       the input
//     ----
//     eliminated: T -> G ...                 the expected output, to the end of the file
//
// Verbs: `optimize` (remarks, then the result in the text form), `explain` (remarks only), `print`
// (parsed and printed again), `error` (the input is refused with this error), `verify` (two inputs
// with `----` between them: same or different, for each `run:`), `run` (what the arguments hold
// after each `run:`, from contents that seed 1 makes, with `?` for what depends on undefined
// memory; or the error).
//
// Whatever is rewritten is also run before and after, for each `run:` line, and must give the same;
// a rewrite without such a line is an error. With BLESS=1 in the environment, what is expected is
// replaced by what came out. Every file in the folders is run: one without a head is an error.
#include "io/file.h"
#include "io/text_parser.h"
#include "io/text_printer.h"
#include "passes/facts.h"
#include "report/remarks.h"
#include "verify/evaluate.h"
#include "verify/verify.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace sdfgopt;

namespace {

constexpr std::string_view separator = "\n----\n";

struct FileTest {
  std::string head;
  std::string verb;
  std::vector<std::string> options;
  std::vector<std::string> runs; ///< "N=10 flag=1"
  std::vector<passes::FactText> facts;
  std::string input;
  std::string after; ///< of verb `verify`
  std::string expected;
};

std::string read(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Nothing if the file has no `; test` line or no separator (a new file may lack the latter).
std::optional<FileTest> split(const std::string &text) {
  FileTest test;
  std::size_t at = 0;
  while (at < text.size() && text[at] == ';') {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::istringstream line(text.substr(at + 1, end - at - 1));
    std::string word;
    if (line >> word && word == "test") {
      line >> test.verb;
      while (line >> word)
        test.options.push_back(word);
    } else if (word == "run:") {
      std::string values;
      std::getline(line >> std::ws, values);
      test.runs.push_back(values);
    } else if (word == "assume:") {
      std::string fact;
      std::getline(line >> std::ws, fact);
      test.facts.push_back({fact, "assume"});
    }
    at = std::min(end + 1, text.size());
  }
  if (test.verb.empty())
    return std::nullopt;
  test.head = text.substr(0, at);
  const auto next_part = [&] {
    const std::size_t end = text.find(separator, at);
    const std::string part = text.substr(at, end == std::string::npos ? end : end + 1 - at);
    at = end == std::string::npos ? text.size() : end + separator.size();
    return part;
  };
  test.input = next_part();
  if (test.verb == "verify")
    test.after = next_part();
  test.expected = text.substr(at);
  return test;
}

std::string error_text(const support::Error &error) { return "error: " + error.text() + "\n"; }

support::result<verify::SymbolMap> symbols_of(const std::string &run) {
  verify::SymbolMap symbols;
  std::istringstream words(run);
  for (std::string word; words >> word;) {
    SDFGOPT_TRY(auto symbol, verify::parse_symbol(word));
    symbols.insert(std::move(symbol));
  }
  return symbols;
}

/// Nothing if no run contradicts a fact: it would show nothing. (Values that a run does not give
/// are chosen so that the facts hold.)
std::string contradiction(const std::vector<passes::Fact> &facts, const FileTest &test) {
  for (const std::string &run : test.runs) {
    const auto symbols = symbols_of(run);
    if (!symbols.ok())
      return error_text(symbols.error());
    const auto value = [&](support::Name name) -> std::optional<std::int64_t> {
      const auto found = symbols.value().find(name.str());
      const auto *whole =
          found == symbols.value().end() ? nullptr : std::get_if<std::int64_t>(&found->second);
      return whole ? std::optional(*whole) : std::nullopt;
    };
    for (const passes::Fact &fact : facts)
      if (verify::evaluate(fact.condition, value) == 0)
        return "error: 'run: " + run + "' does not satisfy '" + fact.text + "'\n";
  }
  return "";
}

/// What comparing two programs gives, a line for each `run:` of the test.
std::string compare(ir::Document &before, ir::Document &after, const FileTest &test) {
  std::string out;
  for (const std::string &run : test.runs) {
    verify::VerifyOptions options;
    for (const passes::FactText &fact : test.facts)
      options.facts.push_back(fact.text);
    auto symbols = symbols_of(run);
    if (!symbols.ok())
      return error_text(symbols.error());
    options.symbols = std::move(symbols.value());
    const auto report = verify::verify(before, after, options);
    if (!report.ok()) {
      out += error_text(report.error());
      continue;
    }
    out += (run.empty() ? "" : run + ": ") + (report.value().same() ? "same" : "different") + "\n";
    if (!report.value().same())
      out += verify::difference_text(*report.value().difference);
  }
  return out;
}

/// Nothing if the rewrite cannot be told from the input.
std::string verified(ir::Document &after, const FileTest &test) {
  if (test.runs.empty())
    return "error: a rewrite is tested by running it: no '; run:' line\n";
  const auto before = io::parse_text(test.input);
  std::string out;
  std::istringstream lines(compare(*before.value(), after, test));
  for (std::string line; std::getline(lines, line);)
    if (!line.ends_with("same"))
      out += line + "\n";
  return out;
}

std::string optimize(ir::Document &document, const FileTest &test) {
  passes::PassOptions options;
  for (const std::string &option : test.options)
    if (option == "--assume-pointwise")
      options.assume_pointwise = true;
    else if (option == "--guard")
      options.guard = true;
    else if (option.starts_with("--guard-growth="))
      options.growth_limit = std::strtod(option.substr(option.find('=') + 1).c_str(), nullptr);
    else
      return "error: unknown option " + option + "\n";
  auto facts = passes::parse_facts(document, test.facts);
  if (!facts.ok())
    return error_text(facts.error());
  if (std::string wrong = contradiction(facts.value(), test); !wrong.empty())
    return wrong;
  options.facts = std::move(facts.value());
  std::vector<passes::Remark> remarks;
  for (const passes::Pass *pass : passes::all_passes()) {
    passes::PassResult result = pass->run(document, options);
    remarks.insert(remarks.end(), result.remarks.begin(), result.remarks.end());
  }
  std::string out = report::remarks_as_text(remarks, {});
  const bool changed = std::any_of(remarks.begin(), remarks.end(), [](const auto &remark) {
    return remark.verdict != passes::Outcome::Kept;
  });
  const bool explain = test.verb == "explain";
  if (!changed)
    return explain ? out : out + "unchanged\n";
  if (explain) // by a run only if there is one to be had
    return test.runs.empty() ? out : out + verified(document, test);
  auto text = io::print_text(document, {});
  return out + verified(document, test) + (text.ok() ? text.value() : error_text(text.error()));
}

/// `a: 1 2.5 ?`, a line for each argument; its elements in C order.
support::result<std::string> outcome(verify::Runner &runner, const std::string &run) {
  SDFGOPT_TRY(const verify::SymbolMap symbols, symbols_of(run));
  verify::RunLimits limits;
  limits.memory = std::size_t{1} << 26;
  SDFGOPT_TRY(const auto layouts, runner.layouts(symbols, limits));
  verify::Inputs inputs;
  inputs.seed = 1;
  inputs.integers = {0, 10};
  std::vector<interp::Memory> after;
  for (unsigned fill = 0; fill < interp::fill_count; ++fill) {
    SDFGOPT_TRY(interp::Memory memory, runner.memory(layouts, symbols, inputs));
    interp::RunOptions options;
    options.fill = fill;
    options.fuel = std::uint64_t{1} << 20;
    options.memory_limit = limits.memory;
    SDFGOPT_TRY(auto finished, runner.run(symbols, std::move(memory), options));
    after.push_back(std::move(finished.arguments));
  }
  std::string out;
  for (std::size_t k = 0; k < layouts.size(); ++k) {
    out += layouts[k].name + ":";
    verify::for_each_position(layouts[k], [&](std::int64_t position) {
      const auto bits = verify::element_bits(after[0][k], layouts[k].type, position);
      const bool defined = std::ranges::all_of(after, [&](const interp::Memory &memory) {
        return verify::element_bits(memory[k], layouts[k].type, position) == bits;
      });
      out += " " + (defined ? verify::element_text(layouts[k].type, bits) : "?");
    });
    out += "\n";
  }
  return out;
}

std::string outcomes(ir::Document &document, const FileTest &test) {
  std::string out;
  verify::Runner runner(document);
  for (const std::string &run : test.runs) {
    const auto result = outcome(runner, run);
    if (!run.empty())
      out += "run " + run + "\n";
    out += result.ok() ? result.value() : error_text(result.error());
  }
  return test.runs.empty() ? "error: no '; run:' line\n" : out;
}

std::string run(const FileTest &test) {
  auto document = io::parse_text(test.input);
  if (!document.ok())
    return error_text(document.error());
  if (test.verb == "error")
    return "no error\n";
  if (test.verb == "optimize" || test.verb == "explain")
    return optimize(*document.value(), test);
  if (test.verb == "verify") {
    const auto after = io::parse_text(test.after);
    return after.ok() ? compare(*document.value(), *after.value(), test)
                      : error_text(after.error());
  }
  if (test.verb == "run")
    return outcomes(*document.value(), test);
  if (test.verb != "print")
    return "error: unknown verb " + test.verb + "\n";
  auto text = io::print_text(*document.value(), {});
  return text.ok() ? text.value() : error_text(text.error());
}

/// The first line that differs, with a few around it.
void show_difference(const std::string &expected, const std::string &actual) {
  std::istringstream left(expected);
  std::istringstream right(actual);
  std::string a;
  std::string b;
  std::size_t line = 0;
  for (;;) {
    const bool more_left = static_cast<bool>(std::getline(left, a));
    const bool more_right = static_cast<bool>(std::getline(right, b));
    ++line;
    if (!more_left && !more_right)
      return;
    if (more_left && more_right && a == b)
      continue;
    if (more_left)
      std::cout << "  - " << line << ": " << a << '\n';
    if (more_right)
      std::cout << "  + " << line << ": " << b << '\n';
  }
}

bool check(const std::filesystem::path &path, bool bless) {
  const std::string text = read(path);
  const std::optional<FileTest> test = split(text);
  if (!test) {
    std::cout << path.string() << ": no '; test VERB' line\n";
    return false;
  }
  const std::string actual = run(*test);
  if (actual == test->expected)
    return true;
  if (bless) {
    std::ofstream(path, std::ios::binary)
        << test->head << test->input
        << (test->verb == "verify" ? std::string(separator.substr(1)) + test->after : "")
        << separator.substr(1) << actual;
    std::cout << "blessed " << path.string() << '\n';
    return true;
  }
  std::cout << path.string() << ": not as expected (- expected, + actual)\n";
  show_difference(test->expected, actual);
  return false;
}

} // namespace

int main(int argc, char **argv) {
  const char *setting = std::getenv("BLESS");
  const bool bless = setting != nullptr && std::string_view(setting) == "1";
  std::vector<std::filesystem::path> paths;
  for (int i = 1; i < argc; ++i)
    for (const auto &entry : std::filesystem::recursive_directory_iterator(argv[i]))
      if (entry.path().extension() == ".sdfgt")
        paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::size_t failed = 0;
  for (const std::filesystem::path &path : paths)
    failed += check(path, bless) ? 0 : 1;
  std::cout << paths.size() - failed << " filetests passed, " << failed << " failed\n";
  return failed == 0 && !paths.empty() ? 0 : 1;
}
