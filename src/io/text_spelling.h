// Internal to io: the text form's spelling of names, expressions, subsets, memlets and code.
#pragma once

#include "io/text_lexer.h"
#include "io/text_rules.h"

#include <string>
#include <unordered_map>

namespace sdfgopt::io {

/// Bare if it can be, else a JSON string.
std::string spell_name(std::string_view name, bool dots = false);
/// `-` for no name.
std::string spell_optional(support::Name name, bool dots = false);
/// In backquotes if it can be, else a JSON string.
std::string spell_quoted(std::string_view text);
/// JSON; a string that is a plain word stands without quotes.
std::string spell_json(std::string_view json);
/// A condition or a loop's statement: language, unless Python, and quoted text.
std::string spell_condition(const ir::Code &code);
/// A tasklet's code. `indent` goes before each line of a fenced block.
std::string spell_code(const ir::Code &code, std::string_view indent);
/// The JSON of a code block as DaCe writes it.
std::string code_object(const ir::Code &code);
/// The attributes that a loop's header stands for, in DaCe's order.
std::vector<std::pair<std::string_view, std::string>> loop_attributes(const ir::LoopRegion &loop);

class TextSpelling {
public:
  TextSpelling(symbolic::Grammar grammar, TextRules &rules) : grammar_(grammar), rules_(rules) {}

  std::string expression(const ir::Expression &expression, ExpressionEnd end);
  std::string expressions(const std::vector<ir::Expression> &list);
  std::string range(const ir::Range &range);
  std::string subset(const ir::Subset &subset);
  /// Without extras. `path_source` is what PathEnds tells.
  std::string memlet(const ir::Memlet &memlet, bool path_source);

private:
  symbolic::Grammar grammar_;
  TextRules &rules_;
};

} // namespace sdfgopt::io
