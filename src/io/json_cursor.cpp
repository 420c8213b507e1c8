#include "io/json_cursor.h"

#include "io/json_text.h"
#include "support/shown.h"

#include <charconv>
#include <cstring>

namespace sdfgopt::io {

namespace {

void check_escapes(std::string_view escaped) {
  if (!has_valid_escapes(escaped))
    JsonCursor::fault("malformed escape sequence in '" + support::shown(escaped, 40) + "'",
                      support::ErrorCode::Syntax);
}

} // namespace

void KeySet::add(std::string_view key) {
  check_escapes(key);
  if (has_needless_escape(key))
    JsonCursor::fault("key '" + support::shown(key, 40) + "' is spelled with needless escapes");
  bool added = true;
  if (count_ < few_.size()) {
    for (std::size_t i = 0; i < count_; ++i)
      added = added && few_[i] != key;
    few_[count_++] = key;
  } else {
    if (many_.empty())
      many_.insert(few_.begin(), few_.end());
    added = many_.insert(key).second;
  }
  if (!added)
    JsonCursor::fault("key '" + support::shown(key, 40) + "' comes twice");
}

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

std::string_view JsonCursor::carry_type(ondemand::value value) {
  const std::string_view text = carry(value);
  if (!text.starts_with('"') && !text.starts_with('{') && text != "null")
    fault("a name or an object is expected here");
  return text;
}

std::string_view JsonCursor::carry_checked(ondemand::value value, unsigned depth) {
  if (depth > max_nesting)
    fault("nested too deeply", support::ErrorCode::Limit);
  // By the first character and not by simdjson's type(), which does not know NaN and Infinity.
  const char *begin = start(value);
  if (*begin == '{') {
    ondemand::object object = value.get_object();
    for (auto field : object) {
      check_escapes(key_text(field.key().value()));
      carry_checked(field.value().value(), depth + 1);
    }
    return text_from(begin);
  }
  if (*begin == '[') {
    ondemand::array array = value.get_array();
    for (auto element : array)
      carry_checked(element.value(), depth + 1);
    return text_from(begin);
  }
  const std::string_view token = trim_json_space(value.raw_json_token());
  if (token.front() == '"')
    check_escapes(token.substr(1, token.size() - 2));
  else if (!is_scalar_token(token))
    fault("'" + support::shown(token, 40) + "' is not a JSON value", support::ErrorCode::Syntax);
  return token;
}

bool JsonCursor::is_null(ondemand::value &value) {
  return trim_json_space(value.raw_json_token()) == "null";
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
    fault("'" + support::shown(token, 40) + "' is not an index");
  return parsed;
}

symbolic::Expression JsonCursor::expression(ondemand::value value, symbolic::Grammar grammar) {
  const std::string_view token = trim_json_space(value.raw_json_token());
  if (token.front() == '"')
    return document_.context.expression(string(value), grammar);
  // Of the scalars, a number: not true, false or null.
  if (!is_scalar_token(token) || token == "true" || token == "false" || token == "null")
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
