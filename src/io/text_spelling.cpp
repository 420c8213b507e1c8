#include "io/text_spelling.h"

#include "io/json_text.h"

#include <algorithm>

namespace sdfgopt::io {

namespace {

std::string json_string(std::string_view text) {
  std::string quoted;
  append_quoted(quoted, text);
  return quoted;
}

std::string language_tag(support::Name language) {
  if (language.view() == "CPP")
    return "cpp";
  // A language that is no word, or that is called so, would be taken for something else.
  const std::string name = spell_name(language.view());
  return name == language.view() && name != "language" && name != "cpp" ? name : "language " + name;
}

} // namespace

std::string spell_name(std::string_view name, bool dots) {
  return is_bare_name(name, dots) ? std::string(name) : json_string(name);
}

std::string spell_optional(support::Name name, bool dots) {
  return name ? spell_name(name.view(), dots) : "-";
}

std::string spell_quoted(std::string_view text) {
  if (!is_plain_text(text, false))
    return json_string(text);
  return "`" + std::string(text) + "`";
}

std::string spell_json(std::string_view json) {
  if (json.size() > 2 && json.front() == '"' &&
      is_bare_name(json.substr(1, json.size() - 2), false) && json != "\"null\"")
    return std::string(json.substr(1, json.size() - 2));
  return std::string(json);
}

std::string spell_condition(const ir::Code &code) {
  const std::string text = spell_quoted(code.text);
  return code.language.view() == "Python" ? text : language_tag(code.language) + " " + text;
}

std::string spell_code(const ir::Code &code, std::string_view indent) {
  if (!code.language)
    return "";
  std::string text;
  if (code.language.view() != "Python")
    text = language_tag(code.language) + " ";
  if (!is_plain_text(code.text, true))
    return text + json_string(code.text);
  if (code.text.find_first_of("{}\n") == std::string_view::npos) {
    if (code.text.empty())
      return text + "{ }";
    return (text += "{ ").append(code.text) + " }";
  }
  text += "```\n";
  std::string_view rest = code.text;
  for (;;) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (!line.empty())
      (text += indent) += line;
    text += '\n';
    if (line.size() == rest.size())
      break;
    rest.remove_prefix(line.size() + 1);
  }
  return (text += indent) += "```";
}

std::string code_object(const ir::Code &code) {
  std::string json = R"({"string_data":)";
  append_quoted(json, code.text);
  json += R"(,"language":)";
  if (code.language)
    append_quoted(json, code.language.view());
  else
    json += "null";
  return json += '}';
}

std::vector<std::pair<std::string_view, std::string>> loop_attributes(const ir::LoopRegion &loop) {
  std::vector<std::pair<std::string_view, std::string>> list;
  if (loop.update)
    list.emplace_back("update_statement", code_object(*loop.update));
  if (loop.init)
    list.emplace_back("init_statement", code_object(*loop.init));
  if (loop.condition)
    list.emplace_back("loop_condition", code_object(*loop.condition));
  if (loop.inverted)
    list.emplace_back("inverted", "true");
  if (!loop.update_before_condition)
    list.emplace_back("update_before_condition", "false");
  if (loop.variable)
    list.emplace_back("loop_variable", json_string(loop.variable.view()));
  return list;
}

std::string TextSpelling::expression(const ir::Expression &expression, ExpressionEnd end) {
  const std::string_view text = expression.text();
  if (!rules_.is_expression(expression))
    return spell_quoted(text);
  if (grammar_ != symbolic::Grammar::Dollar)
    return is_bare_expression(text, end) ? std::string(text) : spell_quoted(text);
  std::string bare = strip_dollars(text);
  if (is_bare_expression(bare, end) && add_dollars(bare) == text)
    return bare;
  return spell_quoted(text);
}

std::string TextSpelling::expressions(const std::vector<ir::Expression> &list) {
  std::string text = "[";
  for (const ir::Expression &one : list) {
    if (text.size() > 1)
      text += ", ";
    text += expression(one, ExpressionEnd::Delimiter);
  }
  return text += ']';
}

std::string TextSpelling::range(const ir::Range &range) {
  std::string text = expression(range.begin, ExpressionEnd::Delimiter);
  const bool has_step = range.step.text() != "1";
  if (range.end != range.begin || has_step)
    text += ".." + expression(range.end, ExpressionEnd::Delimiter);
  if (has_step)
    text += ":" + expression(range.step, ExpressionEnd::Delimiter);
  if (range.tile.text() != "1")
    text += " tile " + expression(range.tile, ExpressionEnd::Delimiter);
  return text;
}

std::string TextSpelling::subset(const ir::Subset &subset) {
  std::string text = "[";
  for (const ir::Range &one : subset.ranges()) {
    if (text.size() > 1)
      text += ", ";
    text += range(one);
  }
  return text += ']';
}

std::string TextSpelling::memlet(const ir::Memlet &memlet, bool path_source) {
  std::string text;
  ir::Expression volume = rules_.volume(memlet.subset);
  if (memlet.dynamic)
    volume = {};
  const bool plain = !memlet.data && !memlet.subset;
  if (plain)
    text = "()";
  else
    text = memlet.data ? spell_name(memlet.data.view(), true) : std::string("-");
  if (memlet.subset)
    text += subset(memlet.subset);
  const bool unbounded = memlet.dynamic && (!memlet.volume || memlet.volume.text() == "0");
  if (memlet.volume != volume && !unbounded)
    text += " volume " +
            (memlet.volume ? expression(memlet.volume, ExpressionEnd::Space) : std::string("none"));
  if (memlet.dynamic)
    text += " dynamic";
  if (!memlet.wcr.empty())
    text += " wcr " + spell_quoted(memlet.wcr);
  if (memlet.data_is_source.value_or(path_source) != path_source)
    text += path_source ? " of target" : " of source";
  if (memlet.other_subset)
    text += " -> " + subset(memlet.other_subset);
  return text;
}

} // namespace sdfgopt::io
