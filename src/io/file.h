// Files in and out, in every form that the tool speaks.
#pragma once

#include "ir/sdfg.h"
#include "support/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace sdfgopt::io {

enum class FileForm : std::uint8_t {
  Json,     ///< .sdfg
  GzipJson, ///< .sdfgz
  Text,     ///< .sdfgt
};

/// By the name's ending; Json for "-" and for names without one. Nothing for any other ending.
std::optional<FileForm> form_of(const std::string &path);
/// The same for an output that a user named; the error says which endings there are.
support::result<FileForm> output_form(const std::string &path);

struct Limits {
  std::size_t file_bytes = std::size_t{3} << 30;         ///< of a file as it lies on disk
  std::size_t decompressed_bytes = std::size_t{1} << 30; ///< of what a gzip file holds
};

/// Reads a document; the form is told by the content, as DaCe does: gzip, then JSON (`{`), then the
/// text form. "-" is standard input. Errors name the file.
support::result<std::unique_ptr<ir::Document>> load(const std::string &path,
                                                    const Limits &limits = {});

/// The same for bytes that are in memory already; errors name `name`, if it is not "".
support::result<std::unique_ptr<ir::Document>>
load_bytes(std::string_view bytes, const std::string &name, const Limits &limits = {});

/// The bytes of a file that is no program; an error if they are more than `limit`. "-" is standard
/// input.
support::result<std::string> read_text(const std::string &path, std::size_t limit);

/// The bytes of `document` in a form. Never fails for Json; `full` concerns the text form only.
support::result<std::string> render(ir::Document &document, FileForm form, bool full);

/// The document as it is read back after it was written as JSON; its ids may be others.
support::result<std::unique_ptr<ir::Document>> written_and_read(ir::Document &document);

/// Writes `bytes` to `path` as a whole or not at all: to a temporary name beside it, then renames.
/// "-" is standard output.
support::result<void> write_file(const std::string &path, std::string_view bytes);

} // namespace sdfgopt::io
