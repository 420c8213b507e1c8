// What the tests of sets share: regions and answers as text.
#pragma once

#include "sets/solver.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sdfgopt::sets {

using symbolic::Context;
using symbolic::Grammar;

class SetsTest : public testing::Test {
protected:
  Expr expr(const std::string &text) {
    Expr result = nullptr;
    auto message = context.parse(text, Grammar::Python, result);
    EXPECT_FALSE(message.has_value()) << text << ": " << message.value_or("");
    return result ? result : context.integer(0);
  }
  /// "begin:end" or "begin:end:step", end inclusive; dimensions separated by ';'.
  Region region(const std::string &text) {
    Region result;
    for (const std::string &dim : split(text, ';'))
      result.dims.push_back(interval(dim));
    return result;
  }
  /// Adds "name = begin:end[:step]".
  Region over(const std::vector<std::string> &binders, const std::string &text) {
    Region result = region(text);
    for (const std::string &binder : binders) {
      auto parts = split(binder, '=');
      result.binders.push_back({names.intern(strip(parts[0])), interval(parts[1])});
    }
    return result;
  }
  Facts facts(const std::vector<std::string> &texts) {
    Facts result;
    for (const std::string &text : texts)
      result.push_back(expr(text));
    return result;
  }
  /// "yes", "no", "unknown", or "when <condition>".
  std::string show(const Answer &answer) {
    switch (answer.verdict) {
    case Verdict::Yes:
      return "yes";
    case Verdict::No:
      return "no";
    case Verdict::When:
      return "when " + (answer.condition ? context.print(answer.condition, Grammar::Python) : "?");
    case Verdict::Unknown:
      return "unknown";
    }
    return "";
  }
  std::string when(const std::string &condition) {
    return "when " + context.print(expr(condition), Grammar::Python);
  }
  std::string contains(const std::string &outer, const std::string &inner,
                       const std::vector<std::string> &known = {}) {
    return show(solver.contains(region(outer), region(inner), facts(known)));
  }
  std::string disjoint(const std::string &a, const std::string &b,
                       const std::vector<std::string> &known = {}) {
    return show(solver.disjoint(region(a), region(b), facts(known)));
  }
  std::string empty(const std::string &set, const std::vector<std::string> &known = {}) {
    return show(solver.empty(region(set), facts(known)));
  }
  std::string implied(const std::string &condition, const std::vector<std::string> &known = {}) {
    return show(solver.implied(expr(condition), facts(known)));
  }

  support::NamePool names;
  Context context{names};
  Solver solver{context};

private:
  static std::string strip(const std::string &text) {
    auto first = text.find_first_not_of(' ');
    auto last = text.find_last_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
  }
  static std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts(1);
    for (char c : text) {
      if (c == separator)
        parts.emplace_back();
      else
        parts.back() += c;
    }
    return parts;
  }
  Interval interval(const std::string &text) {
    auto parts = split(text, ':');
    return {expr(strip(parts[0])), expr(strip(parts[1])),
            parts.size() > 2 ? expr(strip(parts[2])) : context.integer(1)};
  }
};

} // namespace sdfgopt::sets
