#include "io/json_text.h"

#include <cstdint>

namespace sdfgopt::io {

namespace {

constexpr char hex_digits[] = "0123456789abcdef";

int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

/// The four hex digits at `text`, or -1.
std::int32_t hex4(std::string_view text) {
  if (text.size() < 4)
    return -1;
  std::int32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_value(text[static_cast<std::size_t>(i)]);
    if (digit < 0)
      return -1;
    value = value * 16 + digit;
  }
  return value;
}

void append_utf8(std::string &out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

void append_u16(std::string &out, std::uint32_t unit) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4)
    out += hex_digits[(unit >> shift) & 0xF];
}

/// Reads one code point of (generalised) UTF-8 at `i` and steps over it.
std::uint32_t next_code_point(std::string_view text, std::size_t &i) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U;
  };
  const std::uint32_t lead = byte(i);
  if (lead < 0xE0) {
    const std::uint32_t code = ((lead & 0x1F) << 6) | (byte(i + 1) & 0x3F);
    i += 2;
    return code;
  }
  if (lead < 0xF0) {
    const std::uint32_t code =
        ((lead & 0x0F) << 12) | ((byte(i + 1) & 0x3F) << 6) | (byte(i + 2) & 0x3F);
    i += 3;
    return code;
  }
  const std::uint32_t code = ((lead & 0x07) << 18) | ((byte(i + 1) & 0x3F) << 12) |
                             ((byte(i + 2) & 0x3F) << 6) | (byte(i + 3) & 0x3F);
  i += 4;
  return code;
}

/// Appends the character of a one-letter escape; false if there is none.
bool append_short_escape(std::string &out, char letter) {
  switch (letter) {
  case '"':
  case '\\':
  case '/':
    out += letter;
    return true;
  case 'b':
    out += '\b';
    return true;
  case 'f':
    out += '\f';
    return true;
  case 'n':
    out += '\n';
    return true;
  case 'r':
    out += '\r';
    return true;
  case 't':
    out += '\t';
    return true;
  default:
    return false;
  }
}

} // namespace

bool unescape(std::string_view escaped, std::string &out) {
  for (std::size_t i = 0; i < escaped.size();) {
    if (escaped[i] != '\\') {
      out += escaped[i++];
      continue;
    }
    if (i + 1 >= escaped.size())
      return false;
    const char letter = escaped[i + 1];
    if (letter != 'u') {
      if (!append_short_escape(out, letter))
        return false;
      i += 2;
      continue;
    }
    const std::int32_t unit = hex4(escaped.substr(i + 2));
    if (unit < 0)
      return false;
    i += 6;
    auto code = static_cast<std::uint32_t>(unit);
    if (code >= 0xD800 && code < 0xDC00 && escaped.substr(i, 2) == "\\u") {
      const std::int32_t low = hex4(escaped.substr(i + 2));
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (static_cast<std::uint32_t>(low) - 0xDC00);
        i += 6;
      }
    }
    append_utf8(out, code);
  }
  return true;
}

bool has_valid_escapes(std::string_view escaped) {
  std::string letter;
  for (std::size_t i = escaped.find('\\'); i != std::string_view::npos; i = escaped.find('\\', i)) {
    if (i + 1 >= escaped.size())
      return false;
    const bool unicode = escaped[i + 1] == 'u';
    letter.clear();
    if (unicode ? hex4(escaped.substr(i + 2)) < 0 : !append_short_escape(letter, escaped[i + 1]))
      return false;
    i += unicode ? 6 : 2;
  }
  return true;
}

bool has_needless_escape(std::string_view escaped) {
  for (std::size_t i = escaped.find('\\'); i != std::string_view::npos;
       i = escaped.find('\\', i + 2)) {
    if (escaped[i + 1] == '/')
      return true;
    if (escaped[i + 1] != 'u')
      continue;
    const std::int32_t unit = hex4(escaped.substr(i + 2));
    if (unit >= 0x20 && unit < 0x7F && unit != '"' && unit != '\\')
      return true;
  }
  return false;
}

void append_quoted(std::string &out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x80) {
      const std::uint32_t code = next_code_point(text, i);
      if (code >= 0x10000) {
        append_u16(out, 0xD800 + ((code - 0x10000) >> 10));
        append_u16(out, 0xDC00 + ((code - 0x10000) & 0x3FF));
      } else {
        append_u16(out, code);
      }
      continue;
    }
    ++i;
    switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    default:
      if (c < 0x20 || c == 0x7F)
        c == 0x7F ? void(out += static_cast<char>(c)) : append_u16(out, c);
      else
        out += static_cast<char>(c);
    }
  }
  out += '"';
}

std::vector<std::string> strings_in(std::string_view json) {
  std::vector<std::string> strings;
  for (std::size_t i = json.find('"'); i < json.size(); i = json.find('"', i)) {
    const std::size_t begin = ++i;
    while (i < json.size() && json[i] != '"')
      i += json[i] == '\\' ? 2 : 1;
    unescape(json.substr(begin, i - begin), strings.emplace_back());
    ++i;
  }
  return strings;
}

bool is_scalar_token(std::string_view token) {
  if (token == "true" || token == "false" || token == "null" || token == "NaN" ||
      token == "Infinity" || token == "-Infinity")
    return true;
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t start = i;
    while (i < token.size() && token[i] >= '0' && token[i] <= '9')
      ++i;
    return i > start;
  };
  if (i < token.size() && token[i] == '-')
    ++i;
  const bool zero = i < token.size() && token[i] == '0';
  const std::size_t integer_start = i;
  if (!digits() || (zero && i > integer_start + 1))
    return false;
  if (i < token.size() && token[i] == '.') {
    ++i;
    if (!digits())
      return false;
  }
  if (i < token.size() && (token[i] == 'e' || token[i] == 'E')) {
    ++i;
    if (i < token.size() && (token[i] == '+' || token[i] == '-'))
      ++i;
    if (!digits())
      return false;
  }
  return i == token.size();
}

std::string_view trim_json_space(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

} // namespace sdfgopt::io
