#include "io/member_splitter.h"

#include "io/json_cursor.h"
#include "io/json_text.h"

namespace sdfgopt::io {

struct MemberSplitter::Parser {
  ondemand::parser parser;
  ondemand::document json;

  bool open(std::string_view text) {
    const simdjson::padded_string_view padded(text.data(), text.size(),
                                              text.size() + simdjson::SIMDJSON_PADDING);
    return parser.iterate(padded).get(json) == simdjson::SUCCESS;
  }
};

namespace {

std::string_view text_of(ondemand::value value) {
  const char *begin = JsonCursor::start(value);
  std::string_view text;
  if (*begin == '{')
    text = ondemand::object(value).raw_json();
  else if (*begin == '[')
    text = ondemand::array(value).raw_json();
  else
    text = value.raw_json_token();
  return trim_json_space(text);
}

} // namespace

MemberSplitter::MemberSplitter() : parser_(std::make_unique<Parser>()) {}
MemberSplitter::~MemberSplitter() = default;

// The texts were validated when they were read, so simdjson's exceptions cannot occur here.

std::vector<ir::Member> MemberSplitter::split(std::string_view object) {
  std::vector<ir::Member> members;
  if (!object.starts_with('{') || !parser_->open(object))
    return members;
  for (auto field : parser_->json.get_object())
    members.push_back({JsonCursor::key_text(field.key().value()), text_of(field.value().value())});
  return members;
}

std::vector<ir::Member> MemberSplitter::attributes(std::string_view element) {
  for (const ir::Member &member : split(element))
    if (member.key == "attributes")
      return split(member.value);
  return {};
}

} // namespace sdfgopt::io
