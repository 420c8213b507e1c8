#include "io/json_cursor.h"

#include "io/json_text.h"

#include <charconv>
#include <cstring>

namespace sdfgopt::io {

std::string_view JsonCursor::key_text(ondemand::raw_json_string key) {
  const char *begin = key.raw();
  const char *end = begin;
  while (*end != '"')
    end += *end == '\\' ? 2 : 1;
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::string_view JsonCursor::text_from(const char *start) {
  const char *next = nullptr;
  if (json_.current_location().get(next) != simdjson::SUCCESS)
    next = document_.after.data(); // past the last token of the file
  // The next token may be a comma; between it and the closing brace there is only white space.
  return trim_json_space({start, static_cast<std::size_t>(next - start)});
}

std::string_view JsonCursor::carry(ondemand::value value) { return carry_checked(value, 0); }

std::string_view JsonCursor::carry_checked(ondemand::value value, unsigned depth) {
  if (depth > max_nesting)
    fault("nested too deeply", support::ErrorCode::Limit);
  // By the first character and not by simdjson's type(), which does not know NaN and Infinity.
  const char *begin = start(value);
  if (*begin == '{') {
    members(value, [&](std::string_view, ondemand::value child) { carry_checked(child, depth + 1); });
    return text_from(begin);
  }
  if (*begin == '[') {
    elements(value, [&](ondemand::value child) { carry_checked(child, depth + 1); });
    return text_from(begin);
  }
  const std::string_view token = trim_json_space(value.raw_json_token());
  if (token.front() != '"' && !is_scalar_token(token))
    fault("'" + std::string(token.substr(0, 40)) + "' is not a JSON value",
          support::ErrorCode::Syntax);
  return token;
}

bool JsonCursor::is_null(ondemand::value &value) {
  return std::string_view(value.raw_json_token()).starts_with("null");
}

std::string_view JsonCursor::string(ondemand::value value) {
  std::string_view token = trim_json_space(value.raw_json_token());
  if (token.size() < 2 || token.front() != '"' || token.back() != '"')
    fault("a string is expected here");
  token = token.substr(1, token.size() - 2);
  if (std::memchr(token.data(), '\\', token.size()) == nullptr)
    return token;
  scratch_.clear();
  if (!unescape(token, scratch_))
    fault("malformed escape sequence in a string", support::ErrorCode::Syntax);
  return document_.arena.store(scratch_);
}

support::Name JsonCursor::key_name(std::string_view key) {
  if (std::memchr(key.data(), '\\', key.size()) == nullptr)
    return document_.names.intern(key);
  std::string decoded;
  if (!unescape(key, decoded))
    fault("malformed escape sequence in a key", support::ErrorCode::Syntax);
  return document_.names.intern(decoded);
}

support::Name JsonCursor::name(ondemand::value value) {
  return is_null(value) ? support::Name() : document_.names.intern(string(value));
}

bool JsonCursor::boolean(ondemand::value value) {
  const std::string_view token = trim_json_space(value.raw_json_token());
  if (token != "true" && token != "false")
    fault("true or false is expected here");
  return token == "true";
}

std::optional<std::uint32_t> JsonCursor::index(ondemand::value value) {
  std::string_view token = trim_json_space(value.raw_json_token());
  if (token == "null")
    return std::nullopt;
  if (token.size() >= 2 && token.front() == '"')
    token = token.substr(1, token.size() - 2);
  std::uint32_t parsed = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), parsed);
  if (error != std::errc() || end != token.data() + token.size() || parsed == UINT32_MAX)
    fault("'" + std::string(token.substr(0, 40)) + "' is not an index");
  return parsed;
}

symbolic::Expression JsonCursor::expression(ondemand::value value, symbolic::Grammar grammar) {
  const std::string_view token = trim_json_space(value.raw_json_token());
  if (token.front() == '"')
    return document_.context.expression(string(value), grammar);
  if (!is_scalar_token(token))
    fault("an expression is expected here");
  return document_.context.expression(token, grammar);
}

std::vector<symbolic::Expression> JsonCursor::expressions(ondemand::value value) {
  std::vector<symbolic::Expression> list;
  elements(value, [&](ondemand::value element) {
    list.push_back(expression(element, document_.grammar));
  });
  return list;
}

ir::Code JsonCursor::code(ondemand::value value) {
  ir::Code code;
  code.language = document_.names.intern("Python");
  members(value, [&](std::string_view key, ondemand::value member) {
    if (key == "string_data")
      code.text = is_null(member) ? std::string_view() : string(member);
    else if (key == "language" && !is_null(member))
      code.language = name(member);
    else
      carry(member);
  });
  return code;
}

} // namespace sdfgopt::io
