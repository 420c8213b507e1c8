// Internal to io: simdjson's on-demand parser used as a validating tokenizer that also tells where
// each value stands in the text. Throws inside this folder; the entry points catch
// (json_reader.cpp).
#pragma once

#include "ir/sdfg.h"
#include "support/result.h"

#include <simdjson.h>

#include <array>
#include <unordered_set>

namespace sdfgopt::io {

namespace ondemand = simdjson::ondemand;

/// Thrown by readers for well-formed JSON that is not what is expected there.
struct FormatFault {
  support::ErrorCode code;
  std::string message;
};

/// The keys of one object. A key that comes twice is a fault: which value counts is a matter of the
/// reading program, so rewriting by one of them could be wrong.
class KeySet {
public:
  /// Throws if `key`, as spelled between its quotes, was added before or is spelled oddly.
  void add(std::string_view key);

private:
  std::array<std::string_view, 16> few_;
  std::size_t count_ = 0;
  std::unordered_set<std::string_view> many_; // used once `few_` is full
};

/// How deep SDFGs, regions and carried values may be nested: each level costs stack.
inline constexpr unsigned max_nesting = 1000;

class JsonCursor {
public:
  JsonCursor(ondemand::document &json, ir::Document &document) : json_(json), document_(document) {}

  /// Text of a value that is passed on unread. All of it is validated, but for keys that repeat.
  std::string_view carry(ondemand::value value);
  /// The same for a type or a member of an enumeration: a string, an object, or null.
  std::string_view carry_type(ondemand::value value);
  /// Where a value's text begins.
  static const char *start(ondemand::value &value) {
    return std::string_view(value.raw_json_token()).data();
  }
  /// Text from `start` up to the last token consumed, for an object that was just iterated.
  [[nodiscard]] std::string_view text_from(const char *start);

  /// Decoded string; throws if the value is something else.
  std::string_view string(ondemand::value value);
  /// Interned string, or no name for null.
  support::Name name(ondemand::value value);
  /// Interned name from a key of a name map, as spelled between its quotes.
  support::Name key_name(std::string_view key);
  bool boolean(ondemand::value value);
  /// An index, given as an integer or, as DaCe writes ends of edges, as a string of digits;
  /// nothing for null.
  std::optional<std::uint32_t> index(ondemand::value value);
  /// A symbolic string or a JSON integer.
  symbolic::Expression expression(ondemand::value value, symbolic::Grammar grammar);
  std::vector<symbolic::Expression> expressions(ondemand::value value);
  ir::Code code(ondemand::value value);
  static bool is_null(ondemand::value &value);

  /// Visits `(key, value)` of an object; `key` as spelled between its quotes.
  template <typename Visit> void members(ondemand::value value, Visit visit) {
    if (*start(value) != '{')
      fault("an object is expected here");
    ondemand::object object = value.get_object();
    members(object, visit);
  }
  template <typename Visit> void members(ondemand::object &object, Visit visit) {
    KeySet keys;
    for (auto field : object) {
      const std::string_view key = key_text(field.key().value());
      keys.add(key);
      visit(key, field.value().value());
    }
  }
  template <typename Visit> void elements(ondemand::value value, Visit visit) {
    if (*start(value) != '[')
      fault("an array is expected here");
    ondemand::array array = value.get_array();
    for (auto element : array)
      visit(element.value());
  }

  [[noreturn]] static void fault(std::string message,
                                 support::ErrorCode code = support::ErrorCode::Format) {
    throw FormatFault{code, std::move(message)};
  }

  static std::string_view key_text(ondemand::raw_json_string key);

private:
  std::string_view carry_checked(ondemand::value value, unsigned depth);

  ondemand::document &json_;
  ir::Document &document_;
  std::string scratch_;
};

} // namespace sdfgopt::io
