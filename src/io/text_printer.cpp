#include "io/text_printer.h"

#include "io/json_reader.h"
#include "io/json_respace.h"
#include "io/json_text.h"
#include "io/json_writer.h"
#include "io/text_graph_printer.h"
#include "io/text_parser.h"

#include <cstring>

namespace sdfgopt::io {

using support::Error;
using support::ErrorCode;

namespace {

support::result<std::unique_ptr<ir::Document>> read_string(const std::string &json) {
  auto buffer = std::make_unique_for_overwrite<char[]>(json.size() + support::TextArena::padding);
  std::memcpy(buffer.get(), json.data(), json.size());
  std::memset(buffer.get() + json.size(), 0, support::TextArena::padding);
  return read_json(std::move(buffer), json.size());
}

std::string layout_line(const ir::Document &document) {
  using Style = ir::Layout::Style;
  const auto space = [](const char *word, std::string_view text) {
    std::string out;
    if (!text.empty())
      append_quoted(out += word, text);
    return out;
  };
  std::string line;
  if (document.layout.style == Style::Spaced)
    line = "layout spaced";
  else if (document.layout.style == Style::Indented)
    line = "layout indent " + std::to_string(document.layout.indent);
  else if (!document.before.empty() || !document.after.empty())
    line = "layout compact";
  if (line.empty())
    return line;
  return line + space(" before ", document.before) + space(" after ", document.after) + "\n";
}

/// The file itself: for what has no spelling in the text form.
std::string embedded(const std::string &json) { return "json\n" + json; }

} // namespace

support::result<std::string> print_text(ir::Document &document, const TextOptions &options) {
  const std::string json = write_json(document);
  std::string compact;
  compact.reserve(json.size());
  respace_json(trim_json_space(json), {}, [&](std::string_view piece) { compact += piece; });
  // The printer wants a document as it comes from a compact file.
  ir::Document *printed = &document;
  std::unique_ptr<ir::Document> reread;
  if (compact != document.root.source) {
    SDFGOPT_TRY(reread, read_string(compact));
    printed = reread.get();
  }
  try {
    TextGraphPrinter printer(*printed, options.full);
    if (!options.only.empty()) {
      auto text = printer.print_only(options.only);
      if (!text)
        return Error{ErrorCode::Usage, "no state or region is called '" + options.only + "'", ""};
      return std::move(*text);
    }
    const std::string text =
        options.full ? layout_line(document) + printer.print_root() : printer.print_root();
    if (!options.full)
      return text;
    const auto parsed = parse_text(text);
    return parsed && write_json(*parsed.value()) == json ? text : embedded(json);
  } catch (const TextPrintLimit &) {
    return embedded(json);
  }
}

} // namespace sdfgopt::io
