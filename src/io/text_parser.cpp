#include "io/text_parser.h"

#include "io/json_cursor.h"
#include "io/json_reader.h"
#include "io/text_graph_parser.h"
#include "ir/verifier.h"

#include <cstring>

namespace sdfgopt::io {

using support::Error;
using support::ErrorCode;

namespace {

/// `layout compact|spaced|indent N [before "..."] [after "..."]`
void parse_layout(TextLexer &lexer, ir::Document &document) {
  using Style = ir::Layout::Style;
  if (lexer.accept_word("indent")) {
    const std::string_view digits = lexer.peek_word();
    if (digits.empty() || digits.size() > 3 ||
        digits.find_first_not_of("0123456789") != std::string_view::npos)
      lexer.expected("a number of spaces");
    lexer.accept_word(digits);
    document.layout = {Style::Indented, static_cast<unsigned>(std::stoul(std::string(digits)))};
  } else if (lexer.accept_word("spaced")) {
    document.layout = {Style::Spaced, 0};
  } else if (!lexer.accept_word("compact")) {
    lexer.expected("'compact', 'spaced' or 'indent'");
  }
  const auto space = [&](const char *word, std::string_view &field) {
    if (!lexer.accept_word(word))
      return;
    const std::size_t offset = lexer.offset();
    field = document.arena.store(lexer.quoted("white space in quotes"));
    if (field.find_first_not_of(" \t\r\n") != std::string_view::npos)
      TextLexer::fault_at(offset, "only white space may stand around the file's object");
  };
  space("before", document.before);
  space("after", document.after);
  lexer.expect_statement_end();
}

support::result<std::unique_ptr<ir::Document>> read_embedded(std::string_view json) {
  auto buffer = std::make_unique_for_overwrite<char[]>(json.size() + support::TextArena::padding);
  std::memcpy(buffer.get(), json.data(), json.size());
  std::memset(buffer.get() + json.size(), 0, support::TextArena::padding);
  return read_json(std::move(buffer), json.size());
}

} // namespace

support::result<std::unique_ptr<ir::Document>> parse_text(std::string_view text) {
  auto document = std::make_unique<ir::Document>();
  TextLexer lexer(text, document->arena);
  if (!simdjson::validate_utf8(text.data(), text.size()))
    return Error{ErrorCode::Syntax, "the text is not valid UTF-8", ""};
  try {
    lexer.skip_head();
    if (lexer.accept_word("json"))
      return read_embedded(lexer.rest_after_line());
    if (lexer.accept_word("layout"))
      parse_layout(lexer, *document);
    TextGraphParser(lexer, *document).parse_root();
    SDFGOPT_CHECK(ir::check(document->root));
    return document;
  } catch (const TextFault &fault) {
    return Error{fault.code, fault.message, lexer.place(fault.offset)};
  }
}

} // namespace sdfgopt::io
