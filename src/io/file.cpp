#include "io/file.h"

#include "io/gzip.h"
#include "io/json_reader.h"
#include "io/json_text.h"
#include "io/json_writer.h"
#include "io/text_parser.h"
#include "io/text_printer.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>

#include <unistd.h>

namespace sdfgopt::io {

using support::Error;
using support::ErrorCode;

namespace {

Error system_error(const std::string &what, const std::string &path) {
  return {ErrorCode::Io, what + ": " + std::strerror(errno), path};
}

/// Bytes followed by padding that may be read, as the JSON reader wants them.
struct Bytes {
  std::unique_ptr<char[]> data;
  std::size_t size = 0;

  [[nodiscard]] std::string_view view() const { return {data.get(), size}; }
};

Bytes padded(std::string_view text) {
  Bytes bytes{std::make_unique_for_overwrite<char[]>(text.size() + support::TextArena::padding),
              text.size()};
  std::memcpy(bytes.data.get(), text.data(), text.size());
  std::memset(bytes.data.get() + text.size(), 0, support::TextArena::padding);
  return bytes;
}

support::result<Bytes> read_stream(std::FILE *file, const std::string &path, std::size_t limit) {
  std::string text;
  constexpr std::size_t chunk = std::size_t{1} << 16;
  std::size_t got = chunk;
  while (got == chunk) {
    const std::size_t filled = text.size();
    text.resize(filled + chunk);
    got = std::fread(text.data() + filled, 1, chunk, file);
    text.resize(filled + got);
    if (text.size() > limit)
      return Error{ErrorCode::Limit, "larger than " + std::to_string(limit) + " bytes", path};
  }
  if (std::ferror(file))
    return system_error("cannot read", path);
  return padded(text);
}

support::result<Bytes> read_bytes(const std::string &path, std::size_t limit) {
  if (path == "-")
    return read_stream(stdin, "standard input", limit);
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status))
    return Error{ErrorCode::Io, "is a directory", path};
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"),
                                                              std::fclose);
  if (!file)
    return system_error("cannot open", path);
  if (!std::filesystem::is_regular_file(status))
    return read_stream(file.get(), path, limit);
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error)
    return Error{ErrorCode::Io, "cannot read: " + error.message(), path};
  if (size > limit)
    return Error{ErrorCode::Limit, "larger than " + std::to_string(limit) + " bytes", path};
  Bytes bytes{std::make_unique_for_overwrite<char[]>(size + support::TextArena::padding), 0};
  bytes.size = std::fread(bytes.data.get(), 1, size, file.get());
  if (std::ferror(file.get()))
    return system_error("cannot read", path);
  std::memset(bytes.data.get() + bytes.size, 0, support::TextArena::padding);
  return bytes;
}

/// Errors from the readers know the place in the file; the file's name is added here.
Error in_file(Error error, const std::string &path) {
  const std::string name = path == "-" ? "standard input" : path;
  error.place = name + (name.empty() || error.place.empty() ? "" : ": ") + error.place;
  return error;
}

support::result<std::unique_ptr<ir::Document>> parse(Bytes bytes, const std::string &path,
                                                     const Limits &limits) {
  if (is_gzip(bytes.view())) {
    SDFGOPT_TRY(const std::string text, gunzip(bytes.view(), limits.decompressed_bytes));
    bytes = padded(text);
  }
  if (trim_json_space(bytes.view()).starts_with('{'))
    return read_json(std::move(bytes.data), bytes.size);
  if (trim_json_space(bytes.view()).empty())
    return Error{ErrorCode::Syntax, "the file is empty", ""};
  if (bytes.view().starts_with(static_cast<char>(0x80)))
    return Error{ErrorCode::Syntax, "a Python pickle, which is not read; save it as JSON", ""};
  if (path != "-" && form_of(path) != FileForm::Text)
    return Error{ErrorCode::Syntax, "not an SDFG: it does not begin with '{'", "byte 0"};
  return parse_text(bytes.view());
}

/// `read()` gives the bytes.
template <typename Read>
support::result<std::unique_ptr<ir::Document>> loaded(const std::string &path, const Limits &limits,
                                                      const Read &read) {
  try {
    SDFGOPT_TRY(Bytes bytes, read());
    auto document = parse(std::move(bytes), path, limits);
    if (!document.ok())
      return in_file(std::move(document).error(), path);
    return document;
  } catch (const std::bad_alloc &) {
    return in_file({ErrorCode::Limit, "does not fit into memory", ""}, path);
  }
}

/// Errors name `shown_path`.
support::result<void> write_whole(const std::string &path, std::string_view bytes,
                                  const std::string &shown_path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "wb"),
                                                        std::fclose);
  if (!file)
    return system_error("cannot write", shown_path);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() ||
      std::fclose(file.release()) != 0)
    return system_error("cannot write", shown_path);
  return {};
}

} // namespace

std::optional<FileForm> form_of(const std::string &path) {
  if (path.ends_with(".sdfgz") || path.ends_with(".gz"))
    return FileForm::GzipJson;
  if (path.ends_with(".sdfgt"))
    return FileForm::Text;
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending.empty() || ending == ".sdfg" || ending == ".json")
    return FileForm::Json;
  return std::nullopt;
}

support::result<FileForm> output_form(const std::string &path) {
  if (path.empty())
    return Error{ErrorCode::Usage, "the name of the output is empty", ""};
  if (const auto form = form_of(path))
    return *form;
  return Error{ErrorCode::Usage, "the name must end in .sdfg, .sdfgz or .sdfgt, to tell the form",
               path};
}

support::result<std::unique_ptr<ir::Document>> load(const std::string &path, const Limits &limits) {
  return loaded(path, limits, [&] { return read_bytes(path, limits.file_bytes); });
}

support::result<std::unique_ptr<ir::Document>>
load_bytes(std::string_view bytes, const std::string &name, const Limits &limits) {
  return loaded(name, limits, [&]() -> support::result<Bytes> { return padded(bytes); });
}

support::result<std::string> read_text(const std::string &path, std::size_t limit) {
  SDFGOPT_TRY(const Bytes bytes, read_bytes(path, limit));
  return std::string(bytes.view());
}

support::result<std::string> render(ir::Document &document, FileForm form, bool full) {
  switch (form) {
  case FileForm::Json:
    return write_json(document);
  case FileForm::GzipJson:
    return gzip(write_json(document));
  case FileForm::Text:
    return print_text(document, {full, ""});
  }
  return Error{ErrorCode::Usage, "unknown file form", ""};
}

support::result<std::unique_ptr<ir::Document>> written_and_read(ir::Document &document) {
  SDFGOPT_TRY(const std::string text, render(document, FileForm::Json, false));
  Bytes bytes = padded(text);
  return read_json(std::move(bytes.data), bytes.size);
}

support::result<void> write_file(const std::string &path, std::string_view bytes) {
  if (path == "-") {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() ||
        std::fflush(stdout) != 0)
      return system_error("cannot write", "standard output");
    return {};
  }
  std::error_code error_code;
  const std::filesystem::file_status status = std::filesystem::status(path, error_code);
  const bool is_link = std::filesystem::is_symlink(path, error_code);
  // A device or pipe is written to as it is, and so is what the shell may have behind /dev/stdout.
  // A link is followed, so that its target is replaced; one that dangles is left to fopen.
  const bool exists = std::filesystem::exists(status);
  const bool in_place = (exists ? !std::filesystem::is_regular_file(status) : is_link) ||
                        path.starts_with("/dev/") || path.starts_with("/proc/");
  if (in_place)
    return write_whole(path, bytes, path);
  std::string target = path;
  if (is_link)
    target = std::filesystem::canonical(path, error_code).string();
  const std::string temporary = target + ".tmp" + std::to_string(::getpid());
  auto written = write_whole(temporary, bytes, path);
  if (written.ok()) {
    if (exists)
      std::filesystem::permissions(temporary, status.permissions(), error_code);
    if (std::rename(temporary.c_str(), target.c_str()) != 0)
      written = system_error("cannot write", path);
  }
  if (!written.ok())
    std::remove(temporary.c_str());
  return written;
}

} // namespace sdfgopt::io
