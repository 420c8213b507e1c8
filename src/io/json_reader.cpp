#include "io/json_reader.h"

#include "io/json_graph_reader.h"
#include "io/json_text.h"
#include "ir/verifier.h"

#include <charconv>

namespace sdfgopt::io {

using support::Error;
using support::ErrorCode;

bool has_legacy_expressions(std::string_view version) {
  unsigned parts[3] = {0, 0, 0};
  const char *at = version.data();
  const char *end = at + version.size();
  for (unsigned &part : parts) {
    const auto parsed = std::from_chars(at, end, part);
    if (parsed.ec != std::errc())
      return false;
    at = parsed.ptr;
    if (at == end || *at != '.')
      break;
    ++at;
  }
  if (parts[0] != 2)
    return parts[0] < 2;
  if (parts[1] != 0 || parts[2] != 0 || at == end || *at != 'a')
    return false;
  unsigned alpha = 0;
  return std::from_chars(at + 1, end, alpha).ec == std::errc() && alpha < 4;
}

namespace {

/// The version decides the grammar of every expression, but stands at the file's end: it is looked
/// for first, the last one that is a key. A nested value of that name does no harm, since nested
/// SDFGs have none.
void find_version(ir::Document &document, std::string_view text) {
  constexpr std::string_view key = "\"dace_version\"";
  for (std::size_t at = text.rfind(key); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : text.rfind(key, at - 1)) {
    std::size_t value = text.find_first_not_of(" \t\r\n", at + key.size());
    if (value == std::string_view::npos || text[value] != ':')
      continue;
    value = text.find_first_not_of(" \t\r\n", value + 1);
    if (value == std::string_view::npos || text[value] != '"')
      continue;
    document.dace_version =
        std::string(text.substr(value + 1, text.find('"', value + 1) - value - 1));
    if (has_legacy_expressions(document.dace_version))
      document.grammar = symbolic::Grammar::Legacy;
    return;
  }
}

constexpr std::size_t max_indent = 16;

ir::Layout layout_of(std::string_view object) {
  using Style = ir::Layout::Style;
  const std::string_view rest = object.substr(1);
  if (rest.starts_with('\n')) {
    // A wide indent would make a deep file grow without bounds when it is written anew.
    const std::size_t indent = rest.find_first_not_of(' ', 1) - 1;
    return indent <= max_indent ? ir::Layout{Style::Indented, static_cast<unsigned>(indent)}
                                : ir::Layout();
  }
  const std::size_t colon = rest.find("\":");
  if (colon != std::string_view::npos && rest.substr(colon + 2).starts_with(' '))
    return {Style::Spaced, 0};
  return {};
}

std::string byte_place(ondemand::document &json, const char *begin, std::size_t size) {
  const char *at = nullptr;
  if (json.current_location().get(at) != simdjson::SUCCESS || at < begin || at > begin + size)
    return "byte " + std::to_string(size);
  return "byte " + std::to_string(at - begin);
}

} // namespace

support::result<std::unique_ptr<ir::Document>> read_json(std::unique_ptr<char[]> buffer,
                                                         std::size_t size) {
  auto document = std::make_unique<ir::Document>();
  document->buffer = std::move(buffer);
  const std::string_view bytes(document->buffer.get(), size);
  const std::string_view object = trim_json_space(bytes);
  if (!object.starts_with('{'))
    return Error{ErrorCode::Syntax, "not an SDFG: the file is not one JSON object", "byte 0"};
  if (!object.ends_with('}'))
    return Error{ErrorCode::Syntax, "the file does not end with its JSON object's brace",
                 "byte " + std::to_string(size)};
  document->before = bytes.substr(0, static_cast<std::size_t>(object.data() - bytes.data()));
  document->after = bytes.substr(document->before.size() + object.size());
  document->layout = layout_of(object);
  find_version(*document, object);

  ondemand::parser parser;
  ondemand::document json;
  const simdjson::padded_string_view padded(object.data(), object.size(),
                                            object.size() + simdjson::SIMDJSON_PADDING);
  if (const auto error = parser.iterate(padded).get(json); error != simdjson::SUCCESS)
    return Error{ErrorCode::Syntax, simdjson::error_message(error), "byte 0"};
  GraphReader reader(json, *document);
  std::string graph_place;
  try {
    reader.read_root(json.get_value());
    const char *rest = nullptr;
    if (json.current_location().get(rest) == simdjson::SUCCESS)
      JsonCursor::fault("text after the end of the object", ErrorCode::Syntax);
    SDFGOPT_CHECK(ir::check(document->root));
    return document;
  } catch (const FormatFault &fault) {
    graph_place = reader.place();
    const std::string place = byte_place(json, bytes.data(), size);
    return Error{fault.code, fault.message,
                 graph_place.empty() ? place : place + ", " + graph_place};
  } catch (const simdjson::simdjson_error &error) {
    graph_place = reader.place();
    const std::string place = byte_place(json, bytes.data(), size);
    return Error{ErrorCode::Syntax, error.what(),
                 graph_place.empty() ? place : place + ", " + graph_place};
  }
}

} // namespace sdfgopt::io
