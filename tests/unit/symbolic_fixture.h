// What the tests of expressions share.
#pragma once

#include "symbolic/context.h"

#include <gtest/gtest.h>

namespace sdfgopt::symbolic {

class SymbolicTest : public testing::Test {
protected:
  Expr read(std::string_view text, Grammar grammar) {
    return context.value(context.expression(text, grammar));
  }
  Expr dollar(std::string_view text) { return read(text, Grammar::Dollar); }
  Expr legacy(std::string_view text) { return read(text, Grammar::Legacy); }
  Expr python(std::string_view text) { return read(text, Grammar::Python); }
  Expr symbol(std::string_view name) { return context.symbol(names.intern(name)); }
  std::string show(Expr e, Grammar grammar = Grammar::Python) { return context.print(e, grammar); }
  std::string error(std::string_view text, Grammar grammar) {
    Expr out = nullptr;
    return context.parse(text, grammar, out).value_or("");
  }
  std::string symbols_of(Expr e) {
    std::string result;
    for (Name name : context.free_symbols(e))
      result += name.str() + " ";
    return result;
  }

  support::NamePool names;
  Context context{names};
};

struct Pair {
  const char *a;
  const char *b;
};

} // namespace sdfgopt::symbolic
